/* How the work-groups of a launch are divided over the devices that may take part, and whether that pays. Who uses it:
 * decide.c. Calls no driver. */
#ifndef YK_SHIM_QUEUE_DIVIDE_H
#define YK_SHIM_QUEUE_DIVIDE_H

#include "shim/queue/decide.h"

/** Has the user chosen a strategy? Thread: any. */
bool yk_divide_given(void);

/** Divide what D->begin leaves of L over D->takes: NULL, and the shares (or D->guided) are in D; or the reason to run
 * that whole. Where D->begin is 0 the dimension to cut along is chosen. Thread: the worker's. */
const char *yk_divide(const struct yk_launch *l, const struct yk_facts_kernel *f, struct yk_decision *d);

#endif
