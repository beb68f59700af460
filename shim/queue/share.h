/* Carrying out a split launch: bytes to each device, boxes of work-groups side by side, partial outputs put together.
 * Who uses it: launch.c (the worker). */
#ifndef YK_SHIM_QUEUE_SHARE_H
#define YK_SHIM_QUEUE_SHARE_H

#include "shim/queue/decide.h"

enum { YK_SHARE_UNTOUCHED = 2 }; /* everything is as before the launch: run it whole */

/**
 * Run L as D says and wait. A device that fails takes no share any more, and what it had is run elsewhere where the
 * bytes before the launch survive. CL_SUCCESS: done; YK_SHARE_UNTOUCHED: a preparation failed before anything ran, or
 * all is again as it was before; an error: the launch has failed and its outputs are lost (yk_store_lose).
 */
cl_int yk_share_run(struct yk_launch *l, const struct yk_decision *d);

#endif
