/* Which launches share their ends out again (tail.h). Who uses it: share.c. */
#ifndef YK_SHIM_QUEUE_SHARE_TAIL_H
#define YK_SHIM_QUEUE_SHARE_TAIL_H

#include "partitioner/tail.h"
#include "shim/queue/operand.h"

/**
 * The shares of D into T, which is on where that may gain: yoke has divided by itself and
 * predicts a launch that is long beside another piece; all takers work in the host's memory on every operand, so that
 * it does not matter who writes what; and what a driver would compile for a piece that does not begin at the range's
 * beginning is compiled (where it is not, that is asked for). Thread: the worker.
 */
void yk_share_tail(struct yk_tail *t, const struct yk_launch *l, const struct yk_decision *d,
                   const struct yk_operands *o);

#endif
