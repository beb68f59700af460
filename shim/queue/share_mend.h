/* What becomes of a divided launch when its shares have run, or a device has failed in its own. Who uses it: share.c,
 * flights.c. Thread: the worker's. */
#ifndef YK_SHIM_QUEUE_SHARE_MEND_H
#define YK_SHIM_QUEUE_SHARE_MEND_H

#include "shim/queue/taker.h"

/** Chunks that no device has begun go to one of the N takers that is well, and so does what nobody has taken. False:
 * some chunk was begun and not done, or nobody is well. */
bool yk_share_fill_in(struct yk_taker *t, unsigned n, struct yk_operands *operands);

/** Put the outputs together; a device whose part cannot be had has failed. Errors: the driver's. */
cl_int yk_share_merge(struct yk_taker *t, unsigned n, struct yk_operands *operands, const bool *used);

/** The launch from its beginning, from the bytes before it, on a device that is well. YK_SHARE_UNTOUCHED: that is the
 * primary, who runs it whole; also if it failed its share, for want of a better one. Errors: its outputs are lost. */
cl_int yk_share_start_again(struct yk_taker *t, unsigned n, struct yk_operands *operands);

#endif
