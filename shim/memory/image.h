/* Images of other devices than the primary, whose image is the program's. Images that are made of another object have
 * none. Where both devices work in the host's memory the other's is made over the primary's texels, if the drivers
 * allow it (image_place.h); else it is a copy, unless the texels are in the program's memory. Every write to such an
 * image, by the host, a launch or what puts shares together, ends at the primary, and counts. A copy is brought up to
 * date as a whole when a share is to read it or write to it. Who uses it: mem.h, queue/images.c, api/image.c. */
#ifndef YK_SHIM_MEMORY_IMAGE_H
#define YK_SHIM_MEMORY_IMAGE_H

#include "shim/core/context.h"
#include "shim/memory/used.h"

/* Whose texels a device's image has: nobody knows before it is made. */
enum { YK_TEXELS_UNKNOWN, YK_TEXELS_PRIMARYS, YK_TEXELS_COPIED };

struct yk_image {
    uint64_t version;             /* grows with every write to the image; atomic */
    uint64_t has[YK_MAX_DEVICES]; /* the version of the copy there, 0: none; atomic */
    bool failed[YK_MAX_DEVICES];  /* cannot be had there; atomic */
    char kept[YK_MAX_DEVICES];    /* YK_TEXELS_*; atomic; said once */
    bool given;                   /* over the program's memory: there are no copies */
    struct yk_used used;
    cl_image_format format;
    cl_mem_object_type type;
    cl_mem_flags access;       /* what kernels may do with it */
    size_t element, extent[3]; /* bytes of a texel; texels (image_desc.h) */
};

/** What is needed for copies of REAL, the primary's. NULL: it can have none, nobody could use one, or no memory.
 * Freed with free. */
struct yk_image *yk_image_describe(cl_mem real, cl_mem_object_type type, cl_mem_flags flags);

/** A write to I has been ordered. */
static inline void yk_image_wrote(struct yk_image *i)
{
    __atomic_add_fetch(&i->version, 1, __ATOMIC_ACQ_REL);
}

static inline size_t yk_image_bytes(const struct yk_image *i)
{
    return i->element * i->extent[0] * i->extent[1] * i->extent[2];
}

/** Could DEV, as far as is known, have an image of I? Thread: any; no lock held. */
bool yk_image_possible(const struct yk_image *i, unsigned dev);

/** Has DEV's image texels of its own, or would it? Of one that is made this is certain. Thread: any. */
bool yk_image_apart(const struct yk_image *i, unsigned dev);

/** Have the images of all devices in use, which are made, the primary's texels? Once they have they keep them. Thread:
 * any. */
bool yk_image_is_one(const struct yk_image *i);

/** Bytes to be brought to DEV before it can read I, as far as is known; 0 for the primary. Thread: any. */
size_t yk_image_lacks(const struct yk_image *i, unsigned dev);

/** DEV's image, with the texels of FROM, the primary's, or without any yet; NULL: it gives none. For yk_mem_make_real.
 */
cl_mem yk_image_make(struct yk_image *i, struct yk_context *ctx, unsigned dev, cl_mem from);

/**
 * Bring the texels of the primary's image, FROM, to those of the devices whose bits are set in TO; COPY[dev] are their
 * images. KEEP (NULL: nowhere): all of them, as yk_image_bytes lie one after the other. *MOVED grows by the bytes.
 * Errors: the driver's, CL_OUT_OF_HOST_MEMORY; the device that failed in *BAD. Thread: any; no lock held; writes to the
 * image that come before must be complete.
 */
cl_int yk_image_bring(struct yk_image *i, struct yk_context *ctx, cl_mem from, uint32_t to, const cl_mem *copy,
                      unsigned char *keep, unsigned *bad, uint64_t *moved);

/** Texels that differ between BEFORE and DEV's image, COPY, to the primary's, TO. Errors, thread, *MOVED: as above. */
cl_int yk_image_merge(const struct yk_image *i, struct yk_context *ctx, cl_mem to, unsigned dev, cl_mem copy,
                      const unsigned char *before, unsigned *bad, uint64_t *moved);

/** All texels of the primary's image, TO, from BYTES. Errors, thread: as above. */
cl_int yk_image_restore(const struct yk_image *i, struct yk_context *ctx, cl_mem to, const unsigned char *bytes);

#endif
