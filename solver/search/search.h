/* The plan search: finds the tree of sum-products by which a network is eliminated, over contraction trees and
 * elimination orders together, under one cost (predicted seconds) and a memory bound. Called by solver/ and bench/.
 * It reads domains and scopes only, never a table's values, and knows no device. */
#ifndef YK_SOLVER_SEARCH_H
#define YK_SOLVER_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/status.h"
#include "solver/network.h"
#include "solver/plan.h"

/** Predicted seconds of one node = per_node + per_operation * multiply-adds + per_cell * (cells read + cells written).
 * Only the ratios steer the search; the scale decides when an automatic search stops. */
struct yk_search_model {
    double per_node, per_operation, per_cell;
};

struct yk_search_progress {
    double elapsed;                                 /* seconds of search so far */
    uint64_t trials;                                /* trees made from scratch or annealed */
    double log10_operations, log2_largest, seconds; /* of the best plan so far, not sliced yet; infinite: none yet */
};

struct yk_search_options {
    double max_seconds;  /* wall time of the search; 0: one quick try; < 0: until more search no longer pays */
    uint64_t max_trials; /* 0: no limit. With a limit, max_seconds large and threads 1 the result is reproducible */
    double memory_bytes; /* bound on peak_bytes (tables of the plan, not the network's own); 0: none */
    int threads;         /* 0: all cores */
    uint64_t seed;
    bool marginals;               /* bound and forecast memory for MAR: forward tables kept for the way back */
    struct yk_search_model model; /* all 0: the default model */
    /* Called by the thread that called yk_solver_plan_search, about ten times a second; false ends the search with the
     * best plan so far. May be NULL. */
    bool (*progress)(void *ctx, const struct yk_search_progress *p);
    void *ctx;
};

/** Options for PR with automatic stop, all cores, no memory bound. */
void yk_search_options_init(struct yk_search_options *opt);

/** The model used where options give none: one core of a plain machine. */
extern const struct yk_search_model yk_search_model_default;

/**
 * Find a plan for NET. OUT is written whole (its former contents are not released) and ends with yk_solver_plan_finish.
 * Owns:   OUT borrows NET's domain array.
 * Thread: any; starts its own threads and joins them. NET is only read.
 * Errors: YK_ENOMEM; YK_ELIMIT with a sentence in MSG (at most N bytes) when no plan meets the bound, even sliced;
 *         YK_ECANCELED when PROGRESS asked to end while variables were being sliced.
 *         On an error OUT is empty and finished.
 * Cost:   the time asked for (the quick try: a tenth of a second), plus at most a few percent; milliseconds on small
 *         networks. With more than some ten thousand variables, what one pass over their sets takes.
 */
yk_status yk_solver_plan_search(const struct yk_network *net, const struct yk_search_options *opt,
                                struct yk_solver_plan *out, char *msg, size_t n);

#endif
