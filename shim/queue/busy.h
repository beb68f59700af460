/* Until when devices are predicted to be at work for which queue. Launches of several queues that are all divided over
 * all devices only get in one another's way: who comes second had better take what is idle. Predictions only: what is
 * over sooner frees its device, what lasts longer is not waited for. For devices that work in the host's memory. Who
 * uses it: divide.c asks, launch.c, share.c and beside.c tell. No lock: a value lost to another thread's costs a worse
 * division. */
#ifndef YK_SHIM_QUEUE_BUSY_H
#define YK_SHIM_QUEUE_BUSY_H

#include <stdint.h>
#include "shim/queue/queue.h"

/** DEV begins something for Q that is predicted to take MS. Thread: Q's worker. Cost: a look at the clock. */
void yk_busy_begin(const struct yk_queue *q, unsigned dev, double ms);

/** All that Q has begun is over. */
void yk_busy_end(const struct yk_queue *q);

/** Milliseconds that DEV is still at work for other queues than Q; 0: it is idle, as far as known. */
double yk_busy_ms(const struct yk_queue *q, unsigned dev);

/** How often anything has begun so far, of all queues. */
unsigned yk_busy_begins(void);

#endif
