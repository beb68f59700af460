/* Profiling times on one clock, the host's. Who uses it: api/event.c. */
#ifndef YK_SHIM_QUEUE_TIMES_H
#define YK_SHIM_QUEUE_TIMES_H

#include "shim/queue/event.h"

/**
 * Time WHAT (CL_PROFILING_COMMAND_*) of EV, which is complete and profiled, in ns of the host's clock.
 * QUEUED <= SUBMIT <= START <= END of each event; START of a command of an in-order queue is not before the END of the
 * one before it, whoever carried them out. Errors: CL_INVALID_VALUE, the driver's. Thread: any; asks the driver.
 */
cl_int yk_event_time(struct yk_event *ev, cl_profiling_info what, cl_ulong *ns);

#endif
