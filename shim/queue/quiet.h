/* What of a queue is over, by the numbers of its commands: those before what has been waited for, in an in-order queue.
 * Asked by the queue's number, since who asks may know no more of it. Who uses it: users.c; api/ and queue/ count. */
#ifndef YK_SHIM_QUEUE_QUIET_H
#define YK_SHIM_QUEUE_QUIET_H

#include "base/alone.h"
#include "shim/queue/queue.h"

/* Of the queue with this number; queues made long after one another share them, and the newer one has it then. */
struct yk_quiet {
    uint32_t number, over; /* the last command that is over, with all before it; atomic */
    uint64_t begun; /* upper half: the number of the last command; lower: calls that are enqueueing one; atomic */
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

/** The number of the command that is being enqueued, or a later one's. */
static inline uint32_t yk_quiet_now(const struct yk_queue *q)
{
    return (uint32_t)(__atomic_load_n(&q->quiet->begun, __ATOMIC_RELAXED) >> 32);
}

/** A wait for all that Q has been given begins, in OWN (0 or 1) calls that enqueue. What yk_quiet_over is to be told.
 */
uint64_t yk_quiet_wait(const struct yk_queue *q, uint32_t own);
void yk_quiet_over(const struct yk_queue *q, uint64_t wait);

/** Q's next commands begin behind the N events of WAIT, if it is in order. */
void yk_quiet_behind(struct yk_queue *q, cl_uint n, const cl_event *wait);

/** Is LAST of queue NUMBER over, or will it be when a command of Q begins that waits for the N events of WAIT? *BEGUN
 * is for yk_quiet_still. No lock held. */
bool yk_quiet_after(uint32_t number, uint32_t last, struct yk_queue *q, cl_uint n, const cl_event *wait,
                    uint64_t *begun);

/** Has queue NUMBER begun no command since? */
bool yk_quiet_still(uint32_t number, uint64_t begun);
/** Wait a moment until no command of queue NUMBER is being enqueued. False: one still is, and waits for its end. */
bool yk_quiet_settles(uint32_t number);

#endif
