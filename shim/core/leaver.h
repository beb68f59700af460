/* Contexts that nobody holds any more, on a driver that takes long to release one: NVIDIA's needs 55 to 75 ms (H200),
 * and most programs end right after, when the process's end does for all. So that is left to a thread which begins it
 * a little later; a process that ends before, or is ending already, does without. A program that makes another context
 * finds the last one gone, as it does bare. Who uses it: context.c. */
#ifndef YK_SHIM_CORE_LEAVER_H
#define YK_SHIM_CORE_LEAVER_H

#include "shim/core/context.h"

/** Is that how contexts of this machine's primary are released? */
bool yk_leaver_wanted(void);

/** CTX is to be ended by yk_context_release, once, later or never. Thread: any; no lock held; may call the driver. */
void yk_leaver_take(struct yk_context *ctx);

/** End all that were taken, and wait for those that another thread is at. Cost: a load where there are none; else the
 * driver's. Thread: any; no lock held. */
void yk_leaver_flush(void);

#endif
