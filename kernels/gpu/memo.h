/* What was chosen for a bucket, for the next one of the same shape: a solver asks first how long a bucket would take
 * and then runs it, and networks repeat themselves. Called by kernels/gpu/sumproduct.c.
 *
 * Thread: one at a time. */
#ifndef YK_KERNELS_GPU_MEMO_H
#define YK_KERNELS_GPU_MEMO_H

#include <stdbool.h>
#include "base/hash.h"
#include "kernels/cache/cache.h"

struct yk_gpu_choice {
    struct yk_hash key; /* of bucket, device and options */
    bool there, software;
    struct yk_cache_cut cut;
};

struct yk_gpu_memo {
    struct yk_gpu_choice *slot; /* a choice lies at its key's place; a later one takes it */
};

struct yk_hash yk_gpu_memo_key(const struct yk_cache_bucket *b, const struct yk_cache_device *d,
                               const struct yk_cache_options *o);

/** The choice of KEY, valid until the next put; NULL: none is known. */
const struct yk_gpu_choice *yk_gpu_memo_get(const struct yk_gpu_memo *m, struct yk_hash key);

/** Remember C under its key; without memory it is not. */
void yk_gpu_memo_put(struct yk_gpu_memo *m, const struct yk_gpu_choice *c);
void yk_gpu_memo_finish(struct yk_gpu_memo *m);

#endif
