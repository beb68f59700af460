/* From a contraction tree to a plan: small steps merged into n-ary buckets where the model says so, private variables
 * summed, scalars apart, children in the order of the least peak. Only solver/search uses it. */
#ifndef YK_SOLVER_SEARCH_BUILD_H
#define YK_SOLVER_SEARCH_BUILD_H

#include "solver/plan.h"
#include "solver/search/search.h"
#include "solver/search/tree.h"

struct build_options {
    struct yk_search_model model;
    bool merge;     /* n-ary buckets allowed */
    bool marginals; /* memory is forecast for MAR */
};

/* Write OUT, figures included. Errors: YK_ENOMEM, OUT empty. T may be NULL if P has no leaves. */
yk_status build_plan(struct yk_solver_plan *out, const struct problem *p, const struct tree *t,
                     const struct build_options *o);

/* Predicted seconds of a step. CELLS: of its inputs and result together. */
static inline double model_seconds(const struct yk_search_model *m, double operations, double cells)
{
    return m->per_node + m->per_operation * operations + m->per_cell * cells;
}

#endif
