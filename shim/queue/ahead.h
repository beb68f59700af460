/* The primary goes ahead: a launch whose time nobody knows, or for which no other device is ready, begins on the
 * primary alone, as launches of some of its work-groups. The first tells how long all will take; where that is long
 * beside what another device costs to prepare, others are prepared meanwhile, and what is left when they are ready is
 * split. All of it is real work; nothing runs twice. Only where the primary leaves the host alone: a GPU with memory of
 * its own, on a host with processors to spare (YOKE_AHEAD: auto; off; force, for tests: any primary, however short).
 * Who uses it: decide.c, launch.c, build.c. */
#ifndef YK_SHIM_QUEUE_AHEAD_H
#define YK_SHIM_QUEUE_AHEAD_H

#include "shim/queue/decide.h"

/** Does work on the host cost a program nothing while its primary computes? Constant after the first call. Thread: any.
 */
bool yk_ahead_spare(void);

/** Is it switched on for tests? */
bool yk_ahead_forced(void);

/** Where the host has processors to spare, others are prepared at once for programs and processes whose launches are
 * known to take so many ms together: longer than that takes. PROVEN: the last time they won more than it cost. */
double yk_ahead_from_ms(bool proven);

/** CTX is new: where this program is known to be long, the contexts of other GPUs are made at once, in the background.
 * Thread: any. */
void yk_ahead_contexts(struct yk_context *ctx);

/** May the primary begin L alone? D: L's range and local size, and that of its devices who may take part now. */
bool yk_ahead_may(const struct yk_launch *l, const struct yk_facts_kernel *f, const struct yk_decision *d);

/** Begin L on the primary, and end it there or with others. Waits for its end, notes how fast the primary was and
 * counts it. Errors: the driver's; the launch has failed. Thread: the worker's. */
cl_int yk_ahead_run(struct yk_launch *l, const struct yk_decision *d);

#endif
