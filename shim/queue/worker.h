/* The thread of a queue that carries out what could not be issued at once: waits for what commands wait for, then each
 * by its kind (command.h), a launch beside its transfers (stages.h) or launches that have piled up as one (gather.h).
 * It also issues what nobody asks for, and ends with the queue. Who uses it: queue.c, gather.c. */
#ifndef YK_SHIM_QUEUE_WORKER_H
#define YK_SHIM_QUEUE_WORKER_H

#include "shim/queue/queue.h"

/** Start Q's worker if it does not run yet. With the queue's lock held. Errors: CL_OUT_OF_RESOURCES (no thread). */
cl_int yk_worker_start(struct yk_queue *q);

#endif
