/* The images of a launch, for devices other than the primary. Where they are copies (image.h), what it may write is
 * written to all of the copy, which is compared afterwards with what it received. Who uses it: takers.c, part.c,
 * operand.c. Thread: any; no lock held. */
#ifndef YK_SHIM_QUEUE_IMAGES_H
#define YK_SHIM_QUEUE_IMAGES_H

#include "shim/queue/launch.h"

/* An image that a divided launch may write, a copy of it at least. */
struct yk_written_image {
    struct yk_mem *mem;    /* borrowed from the launch's arguments */
    unsigned char *before; /* its texels before the launch */
};

struct yk_images {
    struct yk_written_image *v;
    unsigned n;
};

/** Could DEV have copies of all of them, as far as is known? */
bool yk_images_possible(const struct yk_launch *l, unsigned dev);

/** Bytes to be brought to DEV before its share; *AGAIN grows by what each launch moves. */
double yk_images_bytes(const struct yk_launch *l, const struct yk_facts_kernel *f, unsigned dev, double *again);

/** Bring what the devices in TAKES lack, and keep what will be written in S (which is empty, or of the same launch);
 * what has been given to drivers before is complete. *MOVED grows by the bytes. Errors: the driver's,
 * CL_OUT_OF_HOST_MEMORY, CL_MEM_OBJECT_ALLOCATION_FAILURE; the device that failed in *BAD. */
cl_int yk_images_bring(struct yk_images *s, const struct yk_launch *l, const struct yk_facts_kernel *f,
                       const bool *takes, unsigned *bad, uint64_t *moved);

/** May DEV write where the primary's image has its texels? Of images that are made. */
bool yk_images_in_place(const struct yk_launch *l, const struct yk_facts_kernel *f, unsigned dev);

/** What the devices in USED have written, to the primary's. Errors, *MOVED: as above. */
cl_int yk_images_merge(const struct yk_images *s, const bool *used, unsigned *bad, uint64_t *moved);

/** The texels before the launch again, where they were kept; others are written again before they are read, by a kernel
 * that does not read what it writes. False: the primary cannot be given them. */
bool yk_images_restore(const struct yk_images *s);

void yk_images_finish(struct yk_images *s);

#endif
