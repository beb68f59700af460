/* Kernels that a driver's own bookkeeping does not survive side by side. PoCL (3.1 to 5.0) keeps what it has compiled
 * by kernel, local size, width of the range and whether that has an offset, but counts its uses by the first two alone:
 * where two queues run one kernel at once, one with an offset as shares have them, an assertion of its may end the
 * process. So of one kernel's text one share is at work on such a device at a time; they would be given the same
 * processors anyway. What the program itself launches there goes as it would without yoke. Who uses it: taker.c,
 * merger.c, stages_flow.c. */
#ifndef YK_SHIM_QUEUE_SOLO_H
#define YK_SHIM_QUEUE_SOLO_H

#include <stdbool.h>
#include "shim/queue/code.h"

/** Is DEV such a device? */
bool yk_solo_wanted(unsigned dev);

/** DEV is going to be given a share of CODE's kernel: returns when no other one is at work there. True: yk_solo_end is
 * to be called when it is over. Thread: any; a lock of CODE's may not be held. Cost: a comparison on other drivers. */
bool yk_solo_begin(const struct yk_code *code, unsigned dev);
void yk_solo_end(const struct yk_code *code, unsigned dev);

#endif
