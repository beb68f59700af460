#include "shim/memory/image.h"
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "device/image_desc.h"
#include "shim/memory/image_place.h"

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
    if (yk_rt.machine->n < 2 || !yk_rt.options.split || !(i = calloc(1, sizeof *i)))
        return NULL;
    i->given = flags & CL_MEM_USE_HOST_PTR;
    i->version = 1;
    i->access = flags & (CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY | CL_MEM_READ_WRITE);
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
    return dev == yk_rt.primary->index || (d->images && d->version >= 120 && (!i->given || !yk_image_apart(i, dev)) &&
                                           !__atomic_load_n(&i->failed[dev], __ATOMIC_RELAXED));
}

bool yk_image_apart(const struct yk_image *i, unsigned dev)
{
    char kept = __atomic_load_n(&i->kept[dev], __ATOMIC_ACQUIRE);
    return dev != yk_rt.primary->index && kept != YK_TEXELS_PRIMARYS &&
           (kept == YK_TEXELS_COPIED || !yk_image_place_possible(i, dev));
}

bool yk_image_is_one(const struct yk_image *i)
{
    for (unsigned dev = 0; dev < yk_rt.machine->n; dev++)
        if (yk_rt.machine->device[dev].usable && dev != yk_rt.primary->index &&
            __atomic_load_n(&i->kept[dev], __ATOMIC_ACQUIRE) != YK_TEXELS_PRIMARYS)
            return false;
    return true;
}

size_t yk_image_lacks(const struct yk_image *i, unsigned dev)
{
    bool has = !yk_image_apart(i, dev) ||
               __atomic_load_n(&i->has[dev], __ATOMIC_ACQUIRE) == __atomic_load_n(&i->version, __ATOMIC_ACQUIRE);
    return has ? 0 : yk_image_bytes(i);
}

/* Where DEV's texels of I are is said once: WHERE, or what another thread has said. */
static char settle(struct yk_image *i, unsigned dev, char where)
{
    char said = YK_TEXELS_UNKNOWN;
    return __atomic_compare_exchange_n(&i->kept[dev], &said, where, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ? where
                                                                                                               : said;
}

cl_mem yk_image_make(struct yk_image *i, struct yk_context *ctx, unsigned dev, cl_mem from)
{
    cl_context on = yk_image_possible(i, dev) ? yk_context_real(ctx, dev) : NULL;
    if (!on)
        return NULL;
    cl_mem placed = yk_image_place(i, ctx, dev, from);
    if (settle(i, dev, placed ? YK_TEXELS_PRIMARYS : YK_TEXELS_COPIED) == YK_TEXELS_PRIMARYS)
        return placed;
    if (placed)
        yk_rt.machine->device[dev].cl->ReleaseMemObject(placed);
    if (i->given)
        return NULL;
    const struct yk_device *d = &yk_rt.machine->device[dev];
    cl_image_desc desc = yk_image_desc(i->type, i->extent);
    cl_int err = CL_SUCCESS;
    cl_mem real = d->cl->CreateImage(on, i->access, &i->format, &desc, NULL, &err);
    if (!real) {
        yk_info("device %u (%s) gives no copy of an image: %s", dev, d->name, yk_cl_error_name(err));
        __atomic_store_n(&i->failed[dev], true, __ATOMIC_RELAXED);
    }
    return real;
}

/* Rows [ROW, ROW + N) of DEV's image REAL, of all slices, one after the other, from BYTES or (IN false) to them. */
static cl_int carry(const struct yk_image *i, struct yk_context *ctx, unsigned dev, cl_mem real, size_t row, size_t n,
                    unsigned char *bytes, bool in)
{
    const struct yk_cl *cl = yk_rt.machine->device[dev].cl;
    const size_t high = i->extent[1], pitch = i->element * i->extent[0];
    cl_command_queue q = yk_context_transfer_queue(ctx, dev);
    cl_int err = q ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
    while (n && err == CL_SUCCESS) {
        size_t y = row % high, rows = high - y < n ? high - y : n, slices = !y && n >= high ? n / high : 1;
        const size_t origin[3] = {0, y, row / high}, size[3] = {i->extent[0], rows, slices};
        err = in ? cl->EnqueueWriteImage(q, real, CL_TRUE, origin, size, 0, 0, bytes, 0, NULL, NULL)
                 : cl->EnqueueReadImage(q, real, CL_TRUE, origin, size, 0, 0, bytes, 0, NULL, NULL);
        row += rows * slices;
        n -= rows * slices;
        bytes += rows * slices * pitch;
    }
    return err;
}

/* Rows of I, and how many of them pass through the host at a time. */
static size_t all_rows(const struct yk_image *i, size_t *at_a_time)
{
    size_t rows = i->extent[1] * i->extent[2], most = SLAB / (i->element * i->extent[0]);
    most += !most;
    *at_a_time = most < rows ? most : rows;
    return rows;
}

cl_int yk_image_bring(struct yk_image *i, struct yk_context *ctx, cl_mem from, uint32_t to, const cl_mem *copy,
                      unsigned char *keep, unsigned *bad, uint64_t *moved)
{
    uint64_t version = __atomic_load_n(&i->version, __ATOMIC_ACQUIRE);
    size_t most, rows = all_rows(i, &most), pitch = i->element * i->extent[0];
    unsigned char *own = keep ? NULL : malloc(most * pitch);
    cl_int err = keep || own ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    *bad = yk_rt.primary->index;
    for (size_t row = 0; row < rows && err == CL_SUCCESS; row += most) {
        size_t n = rows - row < most ? rows - row : most;
        unsigned char *bytes = keep ? keep + row * pitch : own;
        err = carry(i, ctx, *bad = yk_rt.primary->index, from, row, n, bytes, false);
        for (unsigned dev = 0; dev < yk_rt.machine->n && err == CL_SUCCESS; dev++)
            if (to >> dev & 1)
                err = carry(i, ctx, *bad = dev, copy[dev], row, n, bytes, true);
    }
    free(own);
    *moved += keep ? yk_image_bytes(i) : 0;
    for (unsigned dev = 0; dev < yk_rt.machine->n && err == CL_SUCCESS; dev++)
        if (to >> dev & 1) {
            __atomic_store_n(&i->has[dev], version, __ATOMIC_RELEASE);
            *moved += yk_image_bytes(i);
        }
    return err;
}

/* Texels of [FROM, FROM + N) that are not as BEFORE, to TO. */
static void take_over(unsigned char *to, const unsigned char *from, const unsigned char *before, size_t n,
                      size_t element)
{
    for (size_t at = 0; at < n; at += element)
        if (memcmp(from + at, before + at, element))
            memcpy(to + at, from + at, element);
}

cl_int yk_image_merge(const struct yk_image *i, struct yk_context *ctx, cl_mem to, unsigned dev, cl_mem copy,
                      const unsigned char *before, unsigned *bad, uint64_t *moved)
{
    size_t most, rows = all_rows(i, &most), pitch = i->element * i->extent[0];
    unsigned p = yk_rt.primary->index;
    unsigned char *theirs = malloc(most * pitch), *ours = malloc(most * pitch);
    *bad = p;
    cl_int err = theirs && ours ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    for (size_t row = 0; row < rows && err == CL_SUCCESS; row += most) {
        size_t n = rows - row < most ? rows - row : most, from = 0;
        const unsigned char *was = before + row * pitch;
        err = carry(i, ctx, *bad = dev, copy, row, n, theirs, false);
        *moved += n * pitch;
        while (from < n && !memcmp(theirs + from * pitch, was + from * pitch, pitch))
            from++;
        while (n > from && !memcmp(theirs + (n - 1) * pitch, was + (n - 1) * pitch, pitch))
            n--;
        if (err != CL_SUCCESS || from == n)
            continue;
        /* Between them lie others' texels. */
        err = carry(i, ctx, *bad = p, to, row + from, n - from, ours, false);
        if (err != CL_SUCCESS)
            continue;
        take_over(ours, theirs + from * pitch, was + from * pitch, (n - from) * pitch, i->element);
        err = carry(i, ctx, p, to, row + from, n - from, ours, true);
        *moved += (n - from) * pitch;
    }
    free(theirs);
    free(ours);
    return err;
}

cl_int yk_image_restore(const struct yk_image *i, struct yk_context *ctx, cl_mem to, const unsigned char *bytes)
{
    return carry(i, ctx, yk_rt.primary->index, to, 0, i->extent[1] * i->extent[2], (unsigned char *)(uintptr_t)bytes,
                 true);
}
