/* The merged variants of a build's kernels: asked of the transformer, built on the primary and compiled for the local
 * sizes that are used, all in the background, once a program has made enough small launches. Who uses it: gather.c,
 * gathered.c. */
#ifndef YK_SHIM_QUEUE_MERGED_H
#define YK_SHIM_QUEUE_MERGED_H

#include "shim/queue/merged_code.h"
#include "transform/facts_merged.h"

/* One kernel. */
struct yk_merged {
    const struct yk_facts_kernel *facts;
    struct yk_merged_layout layout;
    struct yk_merge *of;
    uint64_t id;   /* of no other kernel in this process */
    uint64_t late; /* arguments that a held launch's kernel may be given late: see struct yk_fast */
    unsigned nmems;
    unsigned char mem[YK_MERGED_ARGS]; /* which arguments are buffers */
    bool large;                        /* some value has bytes on the heap: see struct yk_value */
    unsigned number, constant;         /* among the mixed ones, see yk_mixed_number */
    struct yk_merged_code code;
};

struct yk_merge {
    struct yk_build *build;    /* whose this is */
    enum yk_merge_state state; /* atomic */
    unsigned seen, spent_us;   /* small launches so far, and about how long they took at least; atomic */
    bool looked;               /* whether it is in the caches; atomic */
    uint64_t since;            /* ns; when the first was seen */
    struct yk_facts facts;
    bool has_facts;
    cl_program program;
    unsigned n;
    struct yk_merged *kernel;
    enum yk_merge_state mixing; /* of the mixed program; atomic */
    unsigned mixes;             /* times that it was missed; atomic */
    cl_program mixed_program;
    struct yk_merged_code mixed; /* once it is READY */
};

/**
 * The merged variant for launches like L, compiled for its local size; NULL: none, or not yet. Counts L, and begins
 * what is worth beginning; where merging is insisted on (YOKE_GATHER=force) it waits for it.
 * Thread: any; no lock held. Cost: a few loads where all is known.
 */
struct yk_merged *yk_merge_for(struct yk_launch *l);

/**
 * The kernel that runs launches of several of M's kernels as one, compiled for LOCAL; NULL: none, or not yet. Counts
 * the question, and begins what is worth beginning, as above. Thread: any; no lock held. Cost: a few loads.
 */
struct yk_merged_code *yk_merge_mixed(struct yk_merge *m, const size_t *local);

/** Releases what BUILD has of all this. For build.c. */
void yk_merge_finish(struct yk_merge *m);

#endif
