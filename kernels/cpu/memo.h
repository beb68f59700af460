/* Plans of the small buckets that a thread computed last: planning one takes some microseconds, as long as running it,
 * and slices of a network, or its evidence changed, ask for the same buckets again and again. Called by kernels/cpu
 * only. Thread: each has plans of its own, freed with it. */
#ifndef YK_KERNELS_CPU_MEMO_H
#define YK_KERNELS_CPU_MEMO_H

#include "kernels/cpu/panel_shape.h"

struct yk_cpu_plan {
    struct yk_canon canon;
    struct yk_panel_shape shape; /* of CANON */
};

enum { YK_MEMO_WORDS = 192 };

/* What a plan depends on, as numbers. */
struct yk_memo_key {
    uint32_t n, hash, word[YK_MEMO_WORDS];
};

/** The key of B, cut for THREADS and vectors of VL lanes; false: too long to be kept. Cost: some tens of ns. */
bool yk_memo_key(struct yk_memo_key *k, const struct yk_bucket *b, uint32_t vl, int threads);

/** The plan kept under K, or NULL. Valid until the thread's next yk_memo_keep. Cost: some tens of ns. */
const struct yk_cpu_plan *yk_memo_find(const struct yk_memo_key *k);

/** Keep PLAN (from malloc) under K, or free it: large ones are not kept, and older ones make room. */
void yk_memo_keep(const struct yk_memo_key *k, struct yk_cpu_plan *plan);

/** Free all that this thread keeps. */
void yk_memo_forget(void);

void yk_cpu_plan_free(struct yk_cpu_plan *plan);

#endif
