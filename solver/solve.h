/* A whole question answered: network and evidence in, probability and marginals out. Simplifies, searches a plan for
 * each part, foretells its memory, runs it, maps the answer back. Called by cli/solve.c, benches and tests. */
#ifndef YK_SOLVER_SOLVE_H
#define YK_SOLVER_SOLVE_H

#include <stdbool.h>
#include <stdio.h>
#include "solver/evaluate.h"
#include "solver/network.h"

enum yk_solve_phase { YK_SOLVE_SEARCH, YK_SOLVE_RUN };

struct yk_solve_progress {
    enum yk_solve_phase phase;
    size_t part, nparts;
    double seconds;          /* of this phase so far */
    double log10_operations; /* of the best plan so far (search), of the plan (run) */
    double done;             /* share of the work, 0 to 1 (run) */
    uint32_t node, nnodes;   /* (run) */
};

struct yk_solve_options {
    bool marginals;
    enum yk_arithmetic arithmetic;
    int threads;                     /* 0: all cores */
    struct yk_solver_device *device; /* NULL: the CPU alone; borrowed */
    double memory_bytes;             /* bound on the tables; 0: yk_solve_machine_memory() */
    double search_seconds;           /* of all parts together; < 0: until more search no longer pays */
    const char *plan_path;           /* NULL, or where plans are kept: read if the file exists, else written */
    bool plan_only;                  /* stop before running */
    FILE *explain;                   /* NULL, or where the plans are shown */
    /* Called a few times a second, not from a signal handler; false ends with YK_ECANCELED. May be NULL. */
    bool (*progress)(void *ctx, const struct yk_solve_progress *p);
    void *ctx;
};

struct yk_solve_result {
    double log10_pr; /* -INFINITY: the evidence is impossible */
    uint32_t nvars;
    const uint32_t *domain;
    double **marginal; /* [nvars][domain], NULL without marginals */
    size_t nparts;
    size_t vars_left, factors_left, states_removed, factors_merged; /* after simplification */
    double log10_operations;                                        /* of the plans, forward: as the benches count it */
    double log2_largest, log2_slices;
    double operations; /* multiply-adds really made, with the way back */
    double forecast_bytes, peak_bytes;
    double simplify_seconds, search_seconds, run_seconds;
    bool device_spared;          /* there is a device, but the plan is too small for it: the CPU did it alone */
    bool plan_reused, logs_used; /* logs_used: linear arithmetic left its range, logarithms answered */
    struct yk_arena arena;
};

/** Memory this process may take, in bytes: what the system has available, less a tenth; of its control group if less.
 */
double yk_solve_machine_memory(void);

/**
 * Answer NET under EV (NULL: none). OUT is written whole; ends with yk_solve_result_finish, also after an error.
 * Errors: YK_ENOMEM; YK_ELIMIT (over the memory bound, even sliced); YK_ECANCELED; YK_EIO, YK_EFORMAT, YK_EINVAL of the
 * plan file: with a sentence in MSG (N bytes).
 * Thread: any; starts its own threads. Cost: the search time asked for and the plan's.
 */
yk_status yk_solve(const struct yk_network *net, const struct yk_evidence *ev, const struct yk_solve_options *opt,
                   struct yk_solve_result *out, char *msg, size_t n);

void yk_solve_result_finish(struct yk_solve_result *r);

#endif
