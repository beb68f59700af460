/* The merged variants of a build's kernels: asked of the transformer, built on the primary and compiled for the local
 * sizes that are used, all in the background, once a program has made enough small launches. Who uses it: gather.c. */
#ifndef YK_SHIM_QUEUE_MERGED_H
#define YK_SHIM_QUEUE_MERGED_H

#include "shim/queue/launch.h"
#include "transform/facts_merged.h"

enum { YK_MERGED_SIZES = 8 };

enum yk_merge_state {
    YK_MERGE_NONE,  /* not asked for */
    YK_MERGE_ASKED, /* the transformer or the compiler is at work */
    YK_MERGE_READY,
    YK_MERGE_NEVER
};

/* One kernel. */
struct yk_merged {
    const struct yk_facts_kernel *facts;
    struct yk_merged_layout layout;
    struct yk_merge *of;
    bool able; /* atomic: false also after a merged launch was refused */
    struct yk_lock lock;
    struct yk_recall recall;
    struct yk_code_kernel *pool;
    struct {
        size_t local[3];
        enum yk_merge_state state; /* atomic */
    } size[YK_MERGED_SIZES];
    unsigned nsizes; /* atomic; grows under lock */
};

struct yk_merge {
    struct yk_build *build;    /* whose this is */
    enum yk_merge_state state; /* atomic */
    unsigned seen;             /* small launches so far; atomic */
    uint64_t since;            /* ns; when the first was seen */
    struct yk_facts facts;
    bool has_facts;
    cl_program program;
    unsigned n;
    struct yk_merged *kernel;
};

/**
 * The merged variant for launches like L, compiled for its local size; NULL: none, or not yet. Counts L, and begins
 * what is worth beginning; where merging is insisted on (YOKE_GATHER=force) it waits for it.
 * Thread: any; no lock held. Cost: a few loads where all is known.
 */
struct yk_merged *yk_merge_for(struct yk_launch *l);

/** A real kernel of M that nobody else uses, on the primary; NULL: cannot be had. Give it back. No lock held. */
struct yk_code_kernel *yk_merged_take(struct yk_merged *m);
void yk_merged_give(struct yk_merged *m, struct yk_code_kernel *k);

/** Releases what BUILD has of all this. For build.c. */
void yk_merge_finish(struct yk_merge *m);

#endif
