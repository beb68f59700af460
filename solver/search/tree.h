/* A binary contraction tree over the leaves of a problem. Nodes 0..nleaves-1 are leaves, the rest inner nodes; the last
 * one is the root. A node's legs are the variables its result keeps: those of its subtree that also occur outside.
 * Because a variable outlives a node exactly if the sibling or the parent's result has it, a rotation changes the legs
 * of one node only. Only solver/search uses it. Thread: one at a time per tree. */
#ifndef YK_SOLVER_SEARCH_TREE_H
#define YK_SOLVER_SEARCH_TREE_H

#include <stdbool.h>
#include "base/status.h"
#include "solver/search/problem.h"

struct tree_node {
    uint32_t child[2], parent; /* parent of the root: YK_NO_NODE; children of a leaf: undefined */
    double cost;               /* of an inner node: cells of its children's union + keep; 0 for a leaf */
    double keep;               /* keep_cost of its result */
};

enum { YK_NO_NODE = UINT32_MAX };

struct tree {
    uint32_t nleaves, nnodes; /* nnodes = 2 * nleaves - 1 */
    uint32_t words;
    struct tree_node *node;
    uint64_t *legs;  /* [nnodes * words] */
    uint32_t *order; /* [nleaves] scratch of tree_recount */
    double total;    /* sum of the costs */
};

/* Tree for problems of P's size, contents undefined. P has at least one leaf. */
yk_status tree_init(struct tree *t, const struct problem *p);
void tree_finish(struct tree *t);
/* Both of the same problem size. */
void tree_copy(struct tree *to, const struct tree *from);

/* Parents, legs, costs and total from the children alone, whatever the ids' order. The root is the last node. */
void tree_recount(struct tree *t, const struct problem *p);
/* Inner nodes so that children come before parents, into ORDER[nleaves - 1]. */
void tree_postorder(const struct tree *t, uint32_t *order);
/* Multiply-adds alone: sum over inner nodes of the product of the domains of all their variables. */
double tree_operations(const struct tree *t, const struct problem *p);
/* Cells of the largest result. */
double tree_largest(const struct tree *t, const struct problem *p);

YK_INLINE uint64_t *tree_legs(const struct tree *t, uint32_t i)
{
    return t->legs + (size_t)i * t->words;
}

#endif
