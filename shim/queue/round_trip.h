/* What waiting for the primary costs by itself. A program that enqueues without waiting never pays it, but a launch
 * that is waited for to be measured does: 15 to 35 us on a GPU, a tenth of a launch of 0.3 ms, by which dividing it
 * would look better than it is. Who uses it: launch.c. */
#ifndef YK_SHIM_QUEUE_ROUND_TRIP_H
#define YK_SHIM_QUEUE_ROUND_TRIP_H

#include "shim/queue/queue.h"

/** Seconds for handing an empty command to Q's driver and waiting for it, the least of several, taken once a process;
 * Q must be idle. 0 where the primary computes on the host's processors (a wait costs about a microsecond there, and
 * is a turn of the scheduler where it costs more), and where the driver refuses. Thread: any. Cost: the first time some
 * 100 us. */
double yk_round_trip(const struct yk_queue *q);

#endif
