#include "shim/queue/analyse.h"
#include <string.h>
#include "base/arena.h"
#include "shim/core/background.h"
#include "shim/queue/build.h"

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

unsigned yk_analyse_target(unsigned dev)
{
    return dev == yk_rt.machine->primary ? 0 : dev < yk_rt.machine->primary ? dev + 1 : dev;
}

yk_status yk_analyse(const char *source, const char *options, bool cached, struct yk_facts *out)
{
    struct yk_transform_target targets[YK_MAX_DEVICES];
    struct yk_arena arena = {0};
    const struct yk_machine *m = yk_rt.machine;
    *out = (struct yk_facts){.variant_options = ""};
    if (!yk_background_enter())
        return YK_ECANCELED;
    for (unsigned i = 0; i < m->n; i++) {
        const struct yk_device *d = &m->device[i];
        targets[yk_analyse_target(i)] =
            (struct yk_transform_target){.c_version = device_text(&arena, d, CL_DEVICE_OPENCL_C_VERSION),
                                         .version = device_text(&arena, d, CL_DEVICE_VERSION),
                                         .extensions = device_text(&arena, d, CL_DEVICE_EXTENSIONS),
                                         .driver = d->driver,
                                         .address_bits = d->address_bits,
                                         .little_endian = d->little_endian,
                                         .images = d->images};
    }
    yk_background_leave();
    struct yk_transform_request req = {.source = source,
                                       .size = strlen(source),
                                       .options = options,
                                       .target = targets,
                                       .ntargets = m->n,
                                       .library_dir = yk_runtime_folder(),
                                       .aside = !yk_build_insisted()};
    yk_status s = cached ? yk_transform_cached(&req, out) : yk_transform_run(&req, out);
    yk_arena_finish(&arena);
    return s;
}
