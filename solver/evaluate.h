/* Runs a plan over its network: probability of evidence (or partition function), and marginals by one pass back through
 * the same plan. Called by solver/solve.c, benches and tests; never searches and never changes plan or network.
 *
 * Every table is scaled by a power of two of its own, freed after its last use, and counted: the forecast is a dry run
 * of the same steps, so that it is the peak that will be measured. */
#ifndef YK_SOLVER_EVALUATE_H
#define YK_SOLVER_EVALUATE_H

#include <stdbool.h>
#include "kernels/sumproduct.h"
#include "solver/device.h"
#include "solver/network.h"
#include "solver/plan.h"
#include "solver/scaled.h"

enum yk_arithmetic {
    YK_ARITH_DOUBLE, /* linear, a scale per table */
    YK_ARITH_FLOAT,  /* the same with 24 bits */
    YK_ARITH_LOG     /* base-2 logarithms in double: nothing underflows */
};

struct yk_evaluate_progress {
    uint32_t node, nnodes; /* of this slice, backward steps counted after forward ones */
    double done, total;    /* multiply-adds */
};

struct yk_evaluate_options {
    int threads; /* 0: all */
    enum yk_arithmetic arithmetic;
    struct yk_solver_device *device; /* NULL: the CPU alone */
    /* Called after each step by the calling thread; false ends with YK_ECANCELED. May be NULL. */
    bool (*progress)(void *ctx, const struct yk_evaluate_progress *p);
    void *ctx;
};

struct yk_evaluate_stats {
    double peak_bytes; /* of tables, the network's own not counted */
    double operations; /* multiply-adds */
};

/** What yk_evaluate_pr (MARGINALS: yk_evaluate_mar) will take. Errors: YK_ENOMEM, YK_ELIMIT (a table beyond the address
 * space). Cost: O(plan). Thread: any. */
yk_status yk_evaluate_forecast(const struct yk_solver_plan *plan, const struct yk_network *net,
                               const struct yk_evaluate_options *opt, bool marginals, struct yk_evaluate_stats *stats);

/**
 * Partition function of NET into *Z. STATS may be NULL.
 * Errors: YK_ENOMEM; YK_ECANCELED; YK_ELIMIT if values left the range of the arithmetic (then YK_ARITH_LOG answers).
 * Thread: any; starts the kernel's own threads.
 */
yk_status yk_evaluate_pr(const struct yk_solver_plan *plan, const struct yk_network *net,
                         const struct yk_evaluate_options *opt, struct yk_scaled *z, struct yk_evaluate_stats *stats);

/** The same, and the marginals of all variables: MARGINAL[v] (domain entries, the caller's) sums to 1; all zero where
 * *Z is 0. */
yk_status yk_evaluate_mar(const struct yk_solver_plan *plan, const struct yk_network *net,
                          const struct yk_evaluate_options *opt, struct yk_scaled *z, double *const *marginal,
                          struct yk_evaluate_stats *stats);

#endif
