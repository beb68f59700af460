/* One kernel of a merged or mixed program (transform/facts_merged.h) on the primary: its real kernels, and for which
 * local sizes it has been compiled. Who uses it: merged.c, batch.c. */
#ifndef YK_SHIM_QUEUE_MERGED_CODE_H
#define YK_SHIM_QUEUE_MERGED_CODE_H

#include "shim/queue/launch.h"

enum { YK_MERGED_SIZES = 8 };

enum yk_merge_state {
    YK_MERGE_NONE,  /* not asked for */
    YK_MERGE_ASKED, /* the transformer or the compiler is at work */
    YK_MERGE_READY,
    YK_MERGE_NEVER
};

struct yk_merged_code {
    const char *name;
    struct yk_build *build;       /* whose launches it runs; borrowed */
    cl_program program;           /* borrowed */
    unsigned nlocals, nconstants; /* its parameters behind the buffers: __local, then __constant pointers */
    bool able;                    /* atomic: false also after a launch was refused */
    size_t room;                  /* work-items that a compute unit runs at once, as far as known */
    struct yk_lock lock;
    struct yk_code_kernel *pool;
    struct {
        size_t local[3];
        enum yk_merge_state state; /* atomic */
    } size[YK_MERGED_SIZES];
    unsigned nsizes; /* atomic; grows under lock */
};

static inline enum yk_merge_state yk_merge_state_get(const enum yk_merge_state *s)
{
    return __atomic_load_n(s, __ATOMIC_ACQUIRE);
}
static inline void yk_merge_state_set(enum yk_merge_state *s, enum yk_merge_state to)
{
    __atomic_store_n(s, to, __ATOMIC_RELEASE);
}

/** C, zeroed but for what the caller has set. */
void yk_merged_code_init(struct yk_merged_code *c);
void yk_merged_code_finish(struct yk_merged_code *c);

/** Is C compiled for LOCAL? The first question begins that in the background (where merging is insisted on, it waits).
 * Thread: any; no lock held. Cost: loads where all is known. */
bool yk_merged_code_ready(struct yk_merged_code *c, const size_t *local);

/** A real kernel that nobody else uses; NULL: cannot be had. Give it back. No lock held. */
struct yk_code_kernel *yk_merged_code_take(struct yk_merged_code *c);
void yk_merged_code_give(struct yk_merged_code *c, struct yk_code_kernel *k);

#endif
