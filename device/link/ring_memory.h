/* The pinned memory of a ring. Who uses it: ring.c. */
#ifndef YK_DEVICE_LINK_RING_MEMORY_H
#define YK_DEVICE_LINK_RING_MEMORY_H

#include "device/link/ring.h"

struct yk_ring_memory {
    cl_mem buffer;
    unsigned char *base; /* mapped for good */
    void *pages;         /* what is unmapped at the end; NULL: the driver's */
    size_t npages;       /* in bytes */
};

/** BYTES of it in QUEUE's context. Errors: the driver's, CL_OUT_OF_HOST_MEMORY; there is nothing to free then. */
cl_int yk_ring_memory_make(struct yk_ring_memory *m, const struct yk_cl *cl, cl_command_queue queue, size_t bytes,
                           enum yk_ring_place place);

/** Nothing of it is in use. QUEUE: one of that context. */
void yk_ring_memory_free(struct yk_ring_memory *m, const struct yk_cl *cl, cl_command_queue queue);

#endif
