/* Along which dimension a launch is cut: the one for which the fewest bytes must be brought from where they are now and
 * the writes stay in few pieces. Who uses it: decide.c. Calls no driver. */
#ifndef YK_SHIM_QUEUE_CUT_H
#define YK_SHIM_QUEUE_CUT_H

#include "shim/queue/decide.h"

/** Set the axis of D->range for D's takers; D's range, total and local size are known. YOKE_CUT overrules. Thread: the
 * worker's. Cost: a few microseconds for each dimension and taker; nothing for a range of one dimension. */
void yk_cut_choose(const struct yk_launch *l, const struct yk_facts_kernel *f, struct yk_decision *d);

#endif
