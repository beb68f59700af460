/* `yoke run --verify`: a split launch is run again whole on the primary, from the same bytes, and every buffer
 * compared. For finding faults of yoke and of kernels that race; slow, and all buffers are copied. Who uses it:
 * launch.c. */
#ifndef YK_SHIM_QUEUE_VERIFY_H
#define YK_SHIM_QUEUE_VERIFY_H

#include "shim/queue/decide.h"

/** Run L as D says, then whole, and log an error for each buffer that differs: kernel, argument, offset, whose share.
 * What the whole launch left is what the program sees. Returns what yk_share_run would. */
cl_int yk_verify_run(struct yk_launch *l, const struct yk_decision *d);

#endif
