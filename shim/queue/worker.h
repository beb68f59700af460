/* The thread of a queue that carries out what could not be issued at once: waits for what commands wait for, then each
 * by its kind (command.h), a launch beside its transfers (stages.h) or launches that have piled up as one (gather.h).
 * It also issues what nobody asks for, and ends with the queue. Who waits may take its place. Who uses it: queue.c,
 * gather.c, event.c. */
#ifndef YK_SHIM_QUEUE_WORKER_H
#define YK_SHIM_QUEUE_WORKER_H

#include "shim/queue/queue.h"

/** Start Q's worker if it does not run yet. With the queue's lock held. Errors: CL_OUT_OF_RESOURCES (no thread). */
cl_int yk_worker_start(struct yk_queue *q);

/** The calling thread is about to wait for all that Q has pending, of which LAST (NULL: whatever it is) is the newest:
 * it carries that out itself where the worker has not begun to, since waking two threads by turns takes longer than a
 * short launch. Else, and for what is left, the worker is told that somebody waits. Cancellation of the thread is put
 * off meanwhile. No lock held. */
void yk_worker_help(struct yk_queue *q, const struct yk_event *last);

/** All launches of Q that fly have landed, when this returns (flights.h). By whose turn it is; no lock held. */
void yk_worker_land(struct yk_queue *q);

#endif
