#include "shim/queue/targets.h"

/* The value of a string query; "" where it fails. Owned by ARENA. */
static const char *device_text(struct yk_arena *arena, const struct yk_device *d, cl_device_info what)
{
    size_t n = 0;
    char *text = NULL;
    if (d->cl->GetDeviceInfo(d->id, what, 0, NULL, &n) == CL_SUCCESS && (text = yk_arena_alloc(arena, n + 1)) &&
        d->cl->GetDeviceInfo(d->id, what, n, text, NULL) != CL_SUCCESS)
        text = NULL;
    return text ? text : "";
}

unsigned yk_targets_index(const struct yk_machine *m, unsigned dev)
{
    return dev == m->primary ? 0 : dev < m->primary ? dev + 1 : dev;
}

void yk_targets(const struct yk_machine *m, struct yk_arena *arena, struct yk_transform_target *out)
{
    for (unsigned i = 0; i < m->n; i++) {
        const struct yk_device *d = &m->device[i];
        out[yk_targets_index(m, i)] =
            (struct yk_transform_target){.c_version = device_text(arena, d, CL_DEVICE_OPENCL_C_VERSION),
                                         .version = device_text(arena, d, CL_DEVICE_VERSION),
                                         .extensions = device_text(arena, d, CL_DEVICE_EXTENSIONS),
                                         .driver = d->driver,
                                         .address_bits = d->address_bits,
                                         .little_endian = d->little_endian,
                                         .images = d->images};
    }
}
