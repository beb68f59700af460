/* A control-flow graph of numbered blocks, and which block dominates which; turned round, which postdominates which.
 * Called by ir.c and the analysis. Knows nothing of LLVM. */
#ifndef YK_TRANSFORM_FLOW_H
#define YK_TRANSFORM_FLOW_H

#include <stdbool.h>
#include "base/arena.h"
#include "base/status.h"

struct yk_flow {
    unsigned n;
    unsigned **succ, *nsucc, **pred, *npred; /* per block; the caller fills succ */
    unsigned *order, norder;                 /* reverse postorder of the blocks that are reached */
    unsigned *place;                         /* of a block in it; n: not reached */
    unsigned *idom;                          /* nearest dominator; of the root itself; n: not reached */
};

/** A graph of N blocks without edges. Owns: all in A. Errors: YK_ENOMEM, as of all here. */
yk_status yk_flow_init(struct yk_flow *w, unsigned n, struct yk_arena *a);
/** Fill pred from succ. */
yk_status yk_flow_turn(struct yk_flow *w, struct yk_arena *a);
/** Fill order, place and idom, as seen from ROOT. Needs pred. */
yk_status yk_flow_dominators(struct yk_flow *w, unsigned root, struct yk_arena *a);
/** Does A dominate B (or is it B)? False where one of them is not reached. Cost: O(depth). */
bool yk_flow_dominates(const struct yk_flow *w, unsigned a, unsigned b);
/** W with all edges turned round into BACK; its root, block W->n, follows every block at which the kernel ends. What
 * dominates there postdominates here. */
yk_status yk_flow_reverse(const struct yk_flow *w, struct yk_flow *back, struct yk_arena *a);

#endif
