/* Slicing (conditioning): variables are fixed and the plan is run once per joint state, until its peak fits the memory.
 * Only solver/search uses it. */
#ifndef YK_SOLVER_SEARCH_SLICE_H
#define YK_SOLVER_SEARCH_SLICE_H

#include "solver/search/build.h"
#include "solver/search/improve.h"

/**
 * Build OUT from T, slicing as few variables and adding as little work as can be so that peak_bytes <= MEMORY_BYTES
 * (infinite: no bound). T and P change: sliced variables leave P, T is optimised again after each.
 * Errors: YK_ENOMEM; YK_ELIMIT, and YK_ECANCELED once STOP has passed, with a sentence in MSG. OUT is then empty.
 */
yk_status slice_to_fit(struct yk_solver_plan *out, struct problem *p, struct tree *t, const struct build_options *o,
                       double memory_bytes, uint64_t seed, const struct deadline *stop, char *msg, size_t n);

#endif
