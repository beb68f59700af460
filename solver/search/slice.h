/* Slicing (conditioning): variables are fixed and the plan is run once per joint state, until its peak fits the memory.
 * Only solver/search uses it. */
#ifndef YK_SOLVER_SEARCH_SLICE_H
#define YK_SOLVER_SEARCH_SLICE_H

#include "solver/search/build.h"
#include "solver/search/improve.h"

/* A run of ten years is no plan. */
static const double HOPELESS_SECONDS = 3.2e8;

struct slice_options {
    struct build_options build;
    double memory_bytes; /* infinite: no bound */
    uint64_t seed;
    struct deadline stop; /* passed: the user asked to end */
    struct deadline time; /* passed: no tree is improved any more; slicing itself goes on */
};

/**
 * Build OUT from T, slicing as few variables and adding as little work as can be so that peak_bytes fit the memory.
 * T and P change: sliced variables leave P, T is optimised again after each.
 * Errors: YK_ENOMEM; YK_ELIMIT, and YK_ECANCELED once O->stop has passed, with a sentence in MSG. OUT is then empty.
 */
yk_status slice_to_fit(struct yk_solver_plan *out, struct problem *p, struct tree *t, const struct slice_options *o,
                       char *msg, size_t n);

#endif
