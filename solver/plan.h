/* A plan of elimination: a tree of sum-products over the factors of a (simplified) network. Pure data: printed, saved,
 * predicted, placed on devices, run. Made by solver/search (any strategy), run by solver/evaluate.
 *
 * Leaves 0..nleaves-1 are the network's factors. Node i (0..nnodes-1) multiplies its children (leaves or earlier nodes)
 * and sums out the variables in SUM; its table has the scope OUT. Each leaf and each node but the roots is used exactly
 * once. Roots are the nodes (or leaves) used by none; the result is the product of the roots' (scalar) values. With
 * slicing, the whole tree is evaluated once for every joint state of SLICED and the results are added; sliced variables
 * count as fixed (they are in no scope). */
#ifndef YK_SOLVER_PLAN_H
#define YK_SOLVER_PLAN_H

#include <stdint.h>
#include <stdio.h>
#include "base/arena.h"
#include "base/status.h"

struct yk_solver_plan_node {
    uint32_t nchildren;
    uint32_t *child; /* < nleaves: leaf; else node child - nleaves, a smaller index than this node's */
    uint32_t nsum, *sum;
    uint32_t nout, *out; /* scope of the result in the order of its table: the last changes fastest */
};

struct yk_solver_plan {
    uint32_t nvars;
    const uint32_t *domain; /* [nvars], borrowed from the network */
    uint32_t nleaves;
    uint32_t nnodes;
    struct yk_solver_plan_node *node; /* in an order of evaluation that the memory forecast assumes */
    uint32_t nsliced, *sliced;
    double log2_slices;      /* log2 of the number of slices */
    double log10_operations; /* multiply-adds of all slices together (a node: product of all its domains x max(1,
                                children - 1)) */
    double log2_largest;     /* cells of the largest table */
    double peak_bytes;       /* forecast for PR: tables freed after use, 8 bytes a cell */
    double seconds;          /* predicted time under the cost model */
    struct yk_arena arena;
};

void yk_solver_plan_finish(struct yk_solver_plan *p);

#endif
