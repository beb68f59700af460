/* Carrying out a split launch: bytes to each device, boxes of work-groups side by side, partial outputs put together.
 * Who uses it: launch.c (the worker). */
#ifndef YK_SHIM_QUEUE_SHARE_H
#define YK_SHIM_QUEUE_SHARE_H

#include "shim/queue/decide.h"

enum { YK_SHARE_UNTOUCHED = 2 }; /* nothing has been run or changed: run it whole */

/**
 * Run L as D says and wait. CL_SUCCESS: done; YK_SHARE_UNTOUCHED: a preparation failed before anything ran; an error:
 * the launch has failed and its outputs are undefined.
 */
cl_int yk_share_run(struct yk_launch *l, const struct yk_decision *d);

#endif
