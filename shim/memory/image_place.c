#include "shim/memory/image_place.h"
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "device/image_desc.h"

enum { UNTRIED, IN_PLACE, ELSEWHERE };

/* Does DEV's driver make I over memory that it is given? */
static bool is_given(const struct yk_image *i, unsigned dev)
{
    return dev != yk_rt.primary->index || i->given;
}

/* By device, whether the texels are the driver's own or in memory that it was given, and type of image; atomic. */
static char tried[YK_MAX_DEVICES][2][5];

static char *trial_of(const struct yk_image *i, unsigned dev)
{
    static const cl_mem_object_type types[] = {CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE1D,
                                               CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D_ARRAY,
                                               CL_MEM_OBJECT_IMAGE3D};
    unsigned k = 0;
    while (types[k] != i->type && k + 1 < sizeof types / sizeof *types)
        k++;
    return &tried[dev][is_given(i, dev)][k];
}

bool yk_image_place_possible(const struct yk_image *i, unsigned dev)
{
    unsigned p = yk_rt.primary->index;
    return dev != p && yk_rt.primary->host_memory && yk_rt.machine->device[dev].host_memory &&
           __atomic_load_n(trial_of(i, p), __ATOMIC_RELAXED) != ELSEWHERE &&
           __atomic_load_n(trial_of(i, dev), __ATOMIC_RELAXED) != ELSEWHERE;
}

struct mapping {
    unsigned char *at;
    size_t row, slice; /* bytes from one to the next */
};

static cl_int map(const struct yk_cl *cl, cl_command_queue q, cl_mem image, const size_t *extent, struct mapping *m)
{
    const size_t origin[3] = {0, 0, 0};
    cl_int err;
    *m = (struct mapping){NULL, 0, 0};
    m->at = cl->EnqueueMapImage(q, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin, extent, &m->row, &m->slice, 0,
                                NULL, NULL, &err);
    return err;
}

static cl_int unmap(const struct yk_cl *cl, cl_command_queue q, cl_mem image, const struct mapping *m)
{
    cl_int err = cl->EnqueueUnmapMemObject(q, image, m->at, 0, NULL, NULL);
    return err == CL_SUCCESS ? cl->Finish(q) : err;
}

/* An image over the place M, or (NULL) with texels of the driver's own. */
static cl_mem create(const struct yk_image *i, const struct yk_cl *cl, cl_context ctx, const struct mapping *m)
{
    cl_image_desc desc = yk_image_desc(i->type, i->extent);
    bool layers = i->type == CL_MEM_OBJECT_IMAGE3D || i->type == CL_MEM_OBJECT_IMAGE2D_ARRAY ||
                  i->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    cl_int err;
    if (m) {
        desc.image_row_pitch = i->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 0 : m->row;
        desc.image_slice_pitch = layers ? m->slice : 0;
    }
    return cl->CreateImage(ctx, i->access | (m ? CL_MEM_USE_HOST_PTR : 0), &i->format, &desc, m ? m->at : NULL, &err);
}

enum { WIDE = 8, HIGH = 4, DEEP = 2, TEXEL = 4, MOST = WIDE * HIGH * DEEP * TEXEL };

/* The row R of all rows of all slices of I in M. */
static unsigned char *row_of(const struct yk_image *i, const struct mapping *m, size_t r)
{
    return i->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? m->at + r * m->slice
                                                  : m->at + r / i->extent[1] * m->slice + r % i->extent[1] * m->row;
}

/* Do the host's commands on IMAGE and M, where it is mapped, show the same texels? */
static bool agree(const struct yk_image *i, const struct yk_cl *cl, cl_command_queue q, cl_mem image,
                  const struct mapping *m)
{
    const size_t origin[3] = {0, 0, 0}, rows = i->extent[1] * i->extent[2], pitch = (size_t)WIDE * TEXEL;
    unsigned char bytes[MOST];
    for (unsigned k = 0; k < MOST; k++)
        bytes[k] = (unsigned char)(k * 7 + 3);
    if (cl->EnqueueWriteImage(q, image, CL_TRUE, origin, i->extent, 0, 0, bytes, 0, NULL, NULL) != CL_SUCCESS)
        return false;
    for (size_t r = 0; r < rows; r++) {
        if (memcmp(row_of(i, m, r), bytes + r * pitch, pitch) != 0)
            return false;
        for (size_t k = 0; k < pitch; k++)
            row_of(i, m, r)[k] ^= 0x5a;
    }
    memset(bytes, 0, sizeof bytes);
    if (cl->EnqueueReadImage(q, image, CL_TRUE, origin, i->extent, 0, 0, bytes, 0, NULL, NULL) != CL_SUCCESS)
        return false;
    for (size_t r = 0; r < rows; r++)
        if (memcmp(row_of(i, m, r), bytes + r * pitch, pitch) != 0)
            return false;
    return true;
}

/* Is an image of DEV, with texels of its own or (HOST) over memory of yoke's, where its map says? While it is mapped
 * alone may the place be looked at: a driver may give it back then. */
static bool is_in_place(const struct yk_image *like, struct yk_context *ctx, unsigned dev, unsigned char *host)
{
    const struct yk_cl *cl = yk_rt.machine->device[dev].cl;
    bool deep = like->type == CL_MEM_OBJECT_IMAGE3D || like->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    const struct yk_image i = {.type = like->type,
                               .access = CL_MEM_READ_WRITE,
                               .format = {CL_RGBA, CL_UNORM_INT8},
                               .element = TEXEL,
                               .extent = {WIDE, like->type == CL_MEM_OBJECT_IMAGE1D ? 1 : HIGH, deep ? DEEP : 1}};
    const struct mapping over = {host, (size_t)WIDE * TEXEL,
                                 (size_t)WIDE * TEXEL * (i.type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 1 : i.extent[1])};
    cl_context on = yk_context_real(ctx, dev);
    cl_command_queue q = on ? yk_context_transfer_queue(ctx, dev) : NULL;
    cl_mem image = q ? create(&i, cl, on, host ? &over : NULL) : NULL;
    struct mapping first, again;
    bool is = image && map(cl, q, image, i.extent, &first) == CL_SUCCESS;
    if (is) {
        is = (!host || first.at == host) && agree(&i, cl, q, image, &first);
        is &= unmap(cl, q, image, &first) == CL_SUCCESS;
    }
    if (is && (is = map(cl, q, image, i.extent, &again) == CL_SUCCESS))
        is = unmap(cl, q, image, &again) == CL_SUCCESS && again.at == first.at && again.row == first.row &&
             again.slice == first.slice;
    if (image)
        cl->ReleaseMemObject(image);
    return is;
}

/* PoCL 3.1 aborts where an image is mapped by a queue of a sub-device. */
static bool may_map(unsigned dev)
{
    const struct yk_device *d = &yk_rt.machine->device[dev];
    cl_device_id parent = NULL;
    return d->cl->GetDeviceInfo(d->id, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL) == CL_SUCCESS && !parent;
}

/* Has DEV's driver images where they have to be? */
static bool tried_well(const struct yk_image *i, struct yk_context *ctx, unsigned dev)
{
    char *trial = trial_of(i, dev);
    if (__atomic_load_n(trial, __ATOMIC_RELAXED) == UNTRIED) {
        enum { PAGE = 4096 };
        bool given = is_given(i, dev);
        unsigned char *host = given ? aligned_alloc(PAGE, PAGE) : NULL;
        bool is = (host || !given) && may_map(dev) && is_in_place(i, ctx, dev, host);
        free(host);
        if (!is)
            yk_info("device %u (%s) does not share the texels of images", dev, yk_rt.machine->device[dev].name);
        __atomic_store_n(trial, is ? IN_PLACE : ELSEWHERE, __ATOMIC_RELAXED);
    }
    return __atomic_load_n(trial, __ATOMIC_RELAXED) == IN_PLACE;
}

cl_mem yk_image_place(const struct yk_image *i, struct yk_context *ctx, unsigned dev, cl_mem from)
{
    unsigned p = yk_rt.primary->index;
    const struct yk_cl *cl = yk_rt.machine->device[dev].cl;
    struct mapping there, seen;
    if (!yk_image_place_possible(i, dev) || !tried_well(i, ctx, p) || !tried_well(i, ctx, dev))
        return NULL;
    cl_command_queue q = yk_context_transfer_queue(ctx, p), theirs = yk_context_transfer_queue(ctx, dev);
    if (!q || !theirs || map(yk_rt.primary->cl, q, from, i->extent, &there) != CL_SUCCESS ||
        unmap(yk_rt.primary->cl, q, from, &there) != CL_SUCCESS || !there.at)
        return NULL;
    cl_mem image = create(i, cl, yk_context_real(ctx, dev), &there);
    if (!image)
        return NULL;
    bool same = map(cl, theirs, image, i->extent, &seen) == CL_SUCCESS &&
                unmap(cl, theirs, image, &seen) == CL_SUCCESS && seen.at == there.at && seen.row == there.row &&
                seen.slice == there.slice;
    if (same)
        return image;
    cl->ReleaseMemObject(image);
    return NULL;
}
