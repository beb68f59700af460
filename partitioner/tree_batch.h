/* Placing a tree of tasks (tree.h, the sum model) where small ones at the bottom of it may go to one device together:
 * one transfer there, one launch for each level, one transfer back, all before anything else runs. Each then costs
 * little of what a launch costs, and what the batch costs at all is shared. Who calls it: the solver. Pure. */
#ifndef YK_PARTITIONER_TREE_BATCH_H
#define YK_PARTITIONER_TREE_BATCH_H

#include "partitioner/tree.h"

/* A node in the batch has the place `devices` of its tree; its result is then at the host. All its children are in the
 * batch as well. Sizes in bytes, times in ms, rates in bytes per ms. */
struct yk_tree_batch {
    const unsigned *level; /* [nodes] 0: cannot be in it; else 1, or one more than the highest of its children's */
    const double *ms;      /* [nodes] among others, launches apart */
    double fixed, launch;  /* of having a batch; of each of its levels */
    double in, out;        /* of its inputs, and of the results that nodes outside need */
};

/** yk_tree_sum where PLACE may have nodes in B; INFINITY where one cannot be there. Cost: O(nodes). */
double yk_tree_batch_sum(const struct yk_tree *t, const struct yk_tree_batch *b, const unsigned *place);

/** The placement of least yk_tree_batch_sum, exactly, into PLACE[nodes]. Errors: YK_ENOMEM. Cost:
 * O(nodes * devices^2 * levels). */
yk_status yk_tree_batch_place(const struct yk_tree *t, const struct yk_tree_batch *b, unsigned *place);

#endif
