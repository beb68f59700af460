/* The parts of a launch over windows, each through three stages: bytes in, work-groups, bytes out. Who uses it:
 * windows.c. */
#ifndef YK_SHIM_QUEUE_WINDOWS_RUN_H
#define YK_SHIM_QUEUE_WINDOWS_RUN_H

#include "shim/queue/windows_plan.h"

/**
 * Carry PLAN out with KERNEL, which has the launch's other arguments: those that windows stand for are set part by
 * part. BACK: number of KERNEL's first argument that says how far a pointer is moved back (one per YK_ARG_GLOBAL of F,
 * in their order), after the hidden ones; with F NULL it is the app's own kernel and there are none.
 * *MOVED grows by the bytes brought and taken. Errors: the driver's; *BEGUN: something may have been written then.
 */
cl_int yk_windows_carry(struct yk_launch *l, const struct yk_windows_plan *plan, const struct yk_facts_kernel *f,
                        cl_kernel kernel, unsigned back, uint64_t *moved, bool *begun);

#endif
