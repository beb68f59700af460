/* Which devices may take a share of a launch: those that have its kernel, room for it and the primary's way of
 * rounding, and that have not failed. Who uses it: decide.c; share.c and taker.c say who has failed. Calls no driver.
 */
#ifndef YK_SHIM_QUEUE_TAKERS_H
#define YK_SHIM_QUEUE_TAKERS_H

#include "shim/queue/decide.h"

/**
 * The devices that may take a share of L, whose facts are F and local size is in D, into D->takes and, of those that
 * are still being built for, D->late. Returns how many. *WHY: why the last device that may not may not. *LEFT_OUT:
 * numerics alone keep some out; *WOULD_MIXED: --numerics mixed would not; these two are only ever set.
 */
unsigned yk_takers_find(const struct yk_launch *l, const struct yk_facts_kernel *f, struct yk_decision *d,
                        bool *left_out, bool *would_mixed, const char **why);

/** May only devices of one numeric class share launches of a kernel of facts F (design, section 2; `--numerics`)? */
bool yk_takers_one_class(const struct yk_facts_kernel *f);

/** DEV failed a share: it takes none any more. IN_TIME: before it had begun and for want of memory, as ERR says; this
 * may have been the launch's fault, so it is forgiven twice. */
void yk_takers_quarantine(unsigned dev, cl_int err, bool in_time);

#endif
