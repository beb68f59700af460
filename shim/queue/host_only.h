/* Transfers of buffers that no device has as a whole (memory/room.h): within the host's memory, by the worker. Who uses
 * it: transfer.c. All return when it is done, after what the primary's driver still does for the queue has been waited
 * for by the caller. Errors: CL_OUT_OF_RESOURCES (bytes that a failed launch has destroyed), the driver's own where the
 * other buffer is the primary's. Thread: the worker's; no lock held. */
#ifndef YK_SHIM_QUEUE_HOST_ONLY_H
#define YK_SHIM_QUEUE_HOST_ONLY_H

#include "shim/queue/transfer.h"

/** Is one of T's buffers such? Cost: two loads. */
static inline bool yk_host_only_in(const struct yk_transfer *t)
{
    return yk_store_host_only(t->mem->store) || (t->to && yk_store_host_only(t->to->store));
}

cl_int yk_host_only_write(struct yk_transfer *t);
cl_int yk_host_only_fill(struct yk_transfer *t);
cl_int yk_host_only_copy(struct yk_transfer *t);
cl_int yk_host_only_read_rect(struct yk_transfer *t);
cl_int yk_host_only_write_rect(struct yk_transfer *t);
cl_int yk_host_only_copy_rect(struct yk_transfer *t);

#endif
