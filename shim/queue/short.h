/* Launches of less than a millisecond on devices that work in the host's memory: what dividing them wins is little, and
 * each has those that are enqueued behind it go by the worker, one after the other, though nobody divides them (15 us
 * each). Gram-Schmidt by three kernels, one of which is divided: 0.91 of the bare speed. So both is added up for each
 * program, and where the others lose more, its short launches go whole, in later processes too but for each eighth.
 * Thread: any, all of these. */
#ifndef YK_SHIM_QUEUE_SHORT_H
#define YK_SHIM_QUEUE_SHORT_H

#include "shim/queue/launch.h"

/** L, which takes SECONDS on the primary alone, has taken WALL divided. */
void yk_short_divided(struct yk_launch *l, double seconds, double wall);

/** L has gone whole by the worker. Cost: an atomic step. */
void yk_short_passed(struct yk_launch *l);

/** L has taken SECONDS on the primary alone, not for the first time. */
void yk_short_measured(struct yk_launch *l, double seconds);

/** Are all launches of B known to be short, and to go whole? Then no other device need be ready for them. */
bool yk_short_only(struct yk_build *b);

/** Is L to go whole, since that costs less? Cost: loads; where it does, and L is the largest such launch of its kernel
 * so far, a question to the profile. */
bool yk_short_closed(struct yk_launch *l);

#endif
