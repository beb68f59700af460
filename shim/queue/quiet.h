/* Has a queue anything under way that the program has not waited for? Asked by the queue's number, since who asks may
 * know no more of it. Who uses it: users.c; api/ and queue/ count. */
#ifndef YK_SHIM_QUEUE_QUIET_H
#define YK_SHIM_QUEUE_QUIET_H

#include "base/alone.h"
#include "shim/queue/queue.h"

/* Of the queue with this number; queues made long after one another share them, and the newer one has it then. */
struct yk_quiet {
    uint32_t number, over; /* commands that the program has waited for, of those begun; atomic */
    uint64_t begun;        /* upper half: commands so far; lower: calls that are enqueueing one; atomic */
};

struct yk_quiet *yk_quiet_of(uint32_t number);

/** Around every call that enqueues a command on memory, before it is noted who uses that (users.h). */
static inline void yk_quiet_enter(struct yk_queue *q)
{
    yk_alone_add64(&q->quiet->begun, (UINT64_C(1) << 32) + 1);
}
static inline void yk_quiet_leave(struct yk_queue *q)
{
    yk_alone_add64(&q->quiet->begun, UINT64_MAX);
}

/** A wait for all that Q has been given begins, in OWN (0 or 1) calls that enqueue. What yk_quiet_over is to be told.
 */
uint64_t yk_quiet_wait(const struct yk_queue *q, uint32_t own);
void yk_quiet_over(struct yk_queue *q, uint64_t wait);

/** Has the program waited for all of queue NUMBER? False also where nobody knows. */
bool yk_quiet_is(uint32_t number);

#endif
