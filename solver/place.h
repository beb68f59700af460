/* Where each node of a plan runs: the plan as a tree of tasks, predicted times of its buckets on CPU and device,
 * transfers, and the partitioner's placements of it. Called by evaluate.c, solve.c (--explain) and bench/tree. */
#ifndef YK_SOLVER_PLACE_H
#define YK_SOLVER_PLACE_H

#include "partitioner/tree_batch.h"
#include "solver/evaluate.h"

/* TOGETHER: on the device with the other small nodes, before the rest (partitioner/tree_batch.h). */
enum yk_place_of { YK_PLACE_CPU, YK_PLACE_DEVICE, YK_PLACE_TOGETHER };

struct yk_place {
    struct yk_tree tree; /* node i is the plan's; device 0 is the CPU, 1 the device of the options */
    struct yk_tree_device device[2];
    struct yk_tree_batch batch;
    unsigned *node;                       /* [nnodes] the chapter's dynamic program */
    unsigned *greedy;                     /* [nnodes] yk_place_greedy */
    unsigned on_device, greedy_on_device; /* nodes, */
    unsigned together, levels;            /* of the first those that go together, and in how many launches */
    double ms;                            /* foretold, one thing at a time */
    double cpu_ms, device_ms,
        greedy_ms; /* everything on one (INFINITY: cannot be); each node where it alone is sooner */
    struct yk_arena arena;
};

/** Place PLAN over the CPU and OPT's device. *P ends with yk_place_finish, also after an error. Errors: YK_ENOMEM,
 * YK_ELIMIT. Cost: a dry run, and some 100 us for each bucket that is large enough for the device. */
yk_status yk_place_init(struct yk_place *p, const struct yk_solver_plan *plan, const struct yk_network *net,
                        const struct yk_evaluate_options *opt);
void yk_place_finish(struct yk_place *p);

/** Each node on the device where it is predicted to be done sooner by itself, inputs and output at the host (the
 * chapter's hybrid-greedy). PLACE[nodes]; BYTES[nodes] is scratch. Pure. */
void yk_place_greedy(const struct yk_tree *t, unsigned *place, double *bytes);

#endif
