#include "shim/memory/image.h"
#include <stdlib.h>
#include "base/log.h"
#include "device/image_desc.h"

enum { SLAB = 16 << 20 }; /* bytes that pass through the host at a time */

static size_t ask(cl_mem real, cl_image_info what)
{
    size_t n = 0;
    return yk_rt.primary->cl->GetImageInfo(real, what, sizeof n, &n, NULL) == CL_SUCCESS ? n : 0;
}

static cl_uint ask_count(cl_mem real, cl_image_info what)
{
    cl_uint n = 0;
    return yk_rt.primary->cl->GetImageInfo(real, what, sizeof n, &n, NULL) == CL_SUCCESS ? n : 0;
}

/* The sizes of REAL into I. False: of a kind that is not copied, or the driver does not tell. */
static bool measure(struct yk_image *i, cl_mem real, cl_mem_object_type type)
{
    bool lines = type == CL_MEM_OBJECT_IMAGE1D_ARRAY, layers = type == CL_MEM_OBJECT_IMAGE2D_ARRAY,
         deep = type == CL_MEM_OBJECT_IMAGE3D, flat = type == CL_MEM_OBJECT_IMAGE2D;
    if (!lines && !layers && !deep && !flat && type != CL_MEM_OBJECT_IMAGE1D)
        return false;
    i->type = type;
    i->element = ask(real, CL_IMAGE_ELEMENT_SIZE);
    i->extent[0] = ask(real, CL_IMAGE_WIDTH);
    i->extent[1] = lines ? ask(real, CL_IMAGE_ARRAY_SIZE) : flat || layers || deep ? ask(real, CL_IMAGE_HEIGHT) : 1;
    i->extent[2] = layers ? ask(real, CL_IMAGE_ARRAY_SIZE) : deep ? ask(real, CL_IMAGE_DEPTH) : 1;
    return yk_image_bytes(i) > 0;
}

struct yk_image *yk_image_describe(cl_mem real, cl_mem_object_type type, cl_mem_flags flags)
{
    struct yk_image *i = NULL;
    if (yk_rt.machine->n < 2 || !yk_rt.options.split || flags & (CL_MEM_WRITE_ONLY | CL_MEM_USE_HOST_PTR) ||
        !(i = calloc(1, sizeof *i)))
        return NULL;
    i->version = 1;
    if (!measure(i, real, type) || ask_count(real, CL_IMAGE_NUM_MIP_LEVELS) || ask_count(real, CL_IMAGE_NUM_SAMPLES) ||
        yk_rt.primary->cl->GetImageInfo(real, CL_IMAGE_FORMAT, sizeof i->format, &i->format, NULL) != CL_SUCCESS) {
        free(i);
        return NULL;
    }
    return i;
}

bool yk_image_possible(const struct yk_image *i, unsigned dev)
{
    const struct yk_device *d = &yk_rt.machine->device[dev];
    return dev == yk_rt.primary->index ||
           (d->images && d->version >= 120 && !__atomic_load_n(&i->failed[dev], __ATOMIC_RELAXED));
}

size_t yk_image_lacks(const struct yk_image *i, unsigned dev)
{
    bool has = dev == yk_rt.primary->index ||
               __atomic_load_n(&i->has[dev], __ATOMIC_ACQUIRE) == __atomic_load_n(&i->version, __ATOMIC_ACQUIRE);
    return has ? 0 : yk_image_bytes(i);
}

cl_mem yk_image_make(struct yk_image *i, struct yk_context *ctx, unsigned dev)
{
    cl_context on = yk_image_possible(i, dev) ? yk_context_real(ctx, dev) : NULL;
    if (!on)
        return NULL;
    const struct yk_device *d = &yk_rt.machine->device[dev];
    cl_image_desc desc = yk_image_desc(i->type, i->extent);
    cl_int err = CL_SUCCESS;
    cl_mem real = d->cl->CreateImage(on, CL_MEM_READ_ONLY, &i->format, &desc, NULL, &err);
    if (!real) {
        yk_info("device %u (%s) gives no copy of an image: %s", dev, d->name, yk_cl_error_name(err));
        __atomic_store_n(&i->failed[dev], true, __ATOMIC_RELAXED);
    }
    return real;
}

/* The box of I at ORIGIN of SIZE, through BYTES. */
static cl_int bring_box(struct yk_context *ctx, cl_mem from, uint32_t to, const cl_mem *copy, const size_t *origin,
                        const size_t *size, void *bytes, unsigned *bad)
{
    unsigned p = yk_rt.primary->index;
    cl_command_queue q = yk_context_transfer_queue(ctx, p);
    *bad = p;
    cl_int err = CL_OUT_OF_RESOURCES;
    if (q)
        err = yk_rt.primary->cl->EnqueueReadImage(q, from, CL_TRUE, origin, size, 0, 0, bytes, 0, NULL, NULL);
    for (unsigned dev = 0; dev < yk_rt.machine->n && err == CL_SUCCESS; dev++) {
        if (!(to >> dev & 1))
            continue;
        *bad = dev;
        q = yk_context_transfer_queue(ctx, dev);
        err = q ? yk_rt.machine->device[dev].cl->EnqueueWriteImage(q, copy[dev], CL_TRUE, origin, size, 0, 0, bytes, 0,
                                                                   NULL, NULL)
                : CL_OUT_OF_RESOURCES;
    }
    return err;
}

cl_int yk_image_bring(struct yk_image *i, struct yk_context *ctx, cl_mem from, uint32_t to, const cl_mem *copy,
                      unsigned *bad, uint64_t *moved)
{
    uint64_t version = __atomic_load_n(&i->version, __ATOMIC_ACQUIRE);
    size_t row = i->element * i->extent[0], rows = row < SLAB ? SLAB / row : 1, slices = 1;
    if (rows >= i->extent[1]) {
        slices = rows / i->extent[1] < i->extent[2] ? rows / i->extent[1] : i->extent[2];
        rows = i->extent[1];
    }
    void *bytes = malloc(row * rows * slices);
    *bad = yk_rt.primary->index;
    if (!bytes)
        return CL_OUT_OF_HOST_MEMORY;
    cl_int err = CL_SUCCESS;
    for (size_t z = 0; z < i->extent[2] && err == CL_SUCCESS; z += slices)
        for (size_t y = 0; y < i->extent[1] && err == CL_SUCCESS; y += rows) {
            size_t left = i->extent[1] - y, deep = i->extent[2] - z;
            const size_t origin[3] = {0, y, z};
            const size_t size[3] = {i->extent[0], rows < left ? rows : left, slices < deep ? slices : deep};
            err = bring_box(ctx, from, to, copy, origin, size, bytes, bad);
        }
    free(bytes);
    for (unsigned dev = 0; dev < yk_rt.machine->n && err == CL_SUCCESS; dev++)
        if (to >> dev & 1) {
            __atomic_store_n(&i->has[dev], version, __ATOMIC_RELEASE);
            *moved += yk_image_bytes(i);
        }
    return err;
}
