/* Device memory kept for the next buffer of its size: a driver waits for all kernels when memory is given back, and a
 * tree of small buckets would wait at each. For a device whose operations run in one order, so that a block may be
 * taken again while what used it last still runs. Called by the backends of kernels/gpu.
 *
 * Thread: one at a time. */
#ifndef YK_KERNELS_GPU_POOL_H
#define YK_KERNELS_GPU_POOL_H

#include <stddef.h>
#include <stdint.h>
#include "base/status.h"

struct yk_gpu_block {
    uint64_t at;
    size_t bytes;
};

struct yk_gpu_pool {
    /* The driver's own; TAKE gives YK_EDEVMEM where there is no more. */
    yk_status (*take)(void *ctx, size_t bytes, uint64_t *at);
    void (*give_back)(void *ctx, uint64_t at);
    void *ctx;
    size_t most; /* bytes kept */
    size_t kept; /* of which now */
    struct yk_gpu_block *used, *idle;
    size_t nused, nidle, used_room, idle_room;
};

/** *AT: BYTES or somewhat more, kept or new. Errors: YK_EDEVMEM, YK_ENOMEM, the driver's. */
yk_status yk_gpu_pool_alloc(struct yk_gpu_pool *p, size_t bytes, uint64_t *at);

/** AT came from yk_gpu_pool_alloc. Cost: O(blocks in use). */
void yk_gpu_pool_free(struct yk_gpu_pool *p, uint64_t at);

/** Give all that is idle back, and forget what is in use. */
void yk_gpu_pool_finish(struct yk_gpu_pool *p);

#endif
