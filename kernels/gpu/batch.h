/* Small sum-products that go to a device together: all tables lie in one piece of device memory, buckets that need none
 * of each other's results are one launch (a level), each block of threads finds its bucket in a table. For trees of
 * buckets that take less time than launching them. Called by solver/evaluate_batch.c, bench and tests.
 *
 * Thread: one at a time. Double and float, linear arithmetic. */
#ifndef YK_KERNELS_GPU_BATCH_H
#define YK_KERNELS_GPU_BATCH_H

#include "kernels/gpu/gpu.h"

/* Outputs of a bucket that one block computes, a thread each; summed states that one thread goes through. */
enum { YK_GPU_BATCH_THREADS = 64, YK_GPU_BATCH_SUMS = 1024 };

struct yk_gpu_batch {
    /* Each bucket's record, then each launch's blocks: (record, first output) by turns. */
    int32_t *record;
    struct yk_gpu_batch_block {
        uint32_t level;
        int32_t record, first;
    } * block;
    size_t nrecord, nblock, record_room, block_room;
    uint32_t levels;
};

/** Add B, whose inputs begin IN[i] cells behind the arena's first and whose output OUT cells. All of a lower LEVEL is
 * done before it. Errors: YK_ELIMIT (more than YK_CACHE_INPUTS inputs, more than YK_GPU_BATCH_SUMS summed states,
 * offsets of 2^31 cells), YK_EINVAL, YK_ENOMEM; then nothing is added. Cost: O(rank + summed states). */
yk_status yk_gpu_batch_add(struct yk_gpu_batch *a, const struct yk_bucket *b, uint32_t level, const size_t *in,
                           size_t out);

/** All that was added, over the tables in ARENA, in the order of the device's other operations; waits for nothing.
 * *LAUNCHES is added to; may be NULL. Errors: YK_EDEVICE, YK_EDEVMEM, YK_EBUILD, YK_ENOMEM, YK_ELIMIT (no double). */
yk_status yk_gpu_batch_run(struct yk_gpu_batch *a, struct yk_gpu *g, yk_gpu_memory arena, bool single,
                           uint32_t *launches);

void yk_gpu_batch_finish(struct yk_gpu_batch *a);

#endif
