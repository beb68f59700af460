/* Gathering: small launches of an in-order queue are held back for a moment, so that those that do not depend on one
 * another go to the device as one merged launch each (transform/facts_merged.h). What is held is issued, in an order
 * that respects all its dependencies (partitioner/levels.h), by whoever comes first:
 *   - any other command of the queue, a flush, a blocking call, a look at a held launch's event (the caller's thread),
 *   - the queue's worker, when a window is large enough, when no launch has come for a moment or before it carries out
 * a command,
 *   - a window that has become very large before the worker came (the caller's thread).
 * So a launch is held only while its thread goes on enqueueing launches and nobody has asked for it.
 *
 * What piles up behind a command that the worker carries out is merged by the worker in the same way, and issued when
 * nothing more of that kind is pending.
 *
 * Launches that are long enough to be divided are held too: as one, those that leave most of a device idle gain more
 * than any of them by several devices. Where one of them depends on what is held they are left to be divided.
 *
 * While the program goes on, windows of which no launch depends on any other go side by side too, in hidden queues
 * (side.h); the queue waits for them before anything else is given to it.
 *
 * Queues whose recent launches came alone, or depended on one another, hold nothing for a while. Events of held
 * launches all stand for the last launch that they were issued with: whoever sees one complete may take all before it
 * for complete, as in the program's own order. Who uses it: command.c, queue.c, event.c. */
#ifndef YK_SHIM_QUEUE_GATHER_H
#define YK_SHIM_QUEUE_GATHER_H

#include "shim/queue/launch.h"

struct yk_gather;

/** Are launches merged at all? Asked before each, of most programs in vain. */
static inline bool yk_gathering(void)
{
    return yk_rt.options.gather != YK_GATHER_OFF;
}

/** Are Q's next launches not to be held, since its last windows were chains? Cost: a load. */
static inline bool yk_gather_pauses(const struct yk_queue *q)
{
    return __atomic_load_n(&q->pause, __ATOMIC_RELAXED) != 0;
}

/** A launch has passed by while Q pauses: one less to come. Not one step: a launch of another thread that is not
 * counted does no harm. */
static inline void yk_gather_pass(struct yk_queue *q)
{
    unsigned pause = __atomic_load_n(&q->pause, __ATOMIC_RELAXED);
    if (pause)
        __atomic_store_n(&q->pause, pause - 1, __ATOMIC_RELAXED);
}

/** Another launch of Q, of which it is not known yet what becomes of it. Not one step: that a launch of another thread
 * is not counted does no harm. */
static inline void yk_gather_count(struct yk_queue *q)
{
    __atomic_store_n(&q->run, __atomic_load_n(&q->run, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
}

/**
 * May L, which could be issued at once (WHOLE) or might be divided, be held instead? True: it is, and *EVENT (where
 * EVENT is not NULL) is its event. False: nothing has changed but counters. L is the caller's. Thread: any, between
 * yk_queue_enter and leave; no lock held. Only where yk_gathering. Cost: loads where L is none to merge; about a
 * microsecond where it is.
 */
bool yk_gather_take(struct yk_launch *l, bool whole, cl_event *event);

/** The worker: have launches piled up at the head of Q, enough of them to be worth holding? With the queue's lock held.
 * Cost: loads. */
bool yk_gather_piled(const struct yk_queue *q);

/** The worker: may L, the first that is pending, be held? True: it is, its event with it, until yk_gather_issue; L
 * stays the caller's. False: it is to be carried out, as L->c.decided says. No lock held. */
bool yk_gather_take_pending(struct yk_launch *l);

/** A command that is no launch, or a wait, has come: the end of a run of launches. Cost: a load. */
void yk_gather_mark(struct yk_queue *q);

/** Issue what Q holds; returns when all of it has been given to the driver, by whomever. No lock held. */
void yk_gather_issue(struct yk_queue *q);
static inline void yk_gather_drain(struct yk_queue *q)
{
    if (__builtin_expect(__atomic_load_n(&q->held, __ATOMIC_SEQ_CST) != 0, 0))
        yk_gather_issue(q);
}

/** The worker: wait for work, and issue what is held when nothing has come for a moment. With the queue's lock held. */
void yk_gather_idle(struct yk_queue *q);

void yk_gather_finish(struct yk_gather *g);

#endif
