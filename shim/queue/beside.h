/* Whole launches beside one another on several devices: what a queue has pending at its head, launches that
 * are not worth dividing (one work-group, few of them, or so short that putting shares together costs what it wins), is
 * looked at as a window. Which of them depend on which is told by what they touch (part.h); each is given to a device
 * (partitioner/schedule.h), the primary's are issued by the worker in order, the others' carried out by their device's
 * thread (crew.h) as the only share of a divided launch (share.h). A launch begins when those before it that it depends
 * on are over, and its event says that it is complete when those before it are, as in the program's own order. Queues
 * out of order promise less, and are treated alike.
 *
 * Where devices have memory of their own, moving bytes counts, and launches that write to the same buffer are not
 * independent; launches of one work-group are left alone there, since merging them (gather.h) costs less. Windows in
 * which nothing is independent make the queue pause, for longer each time. Who uses it: worker.c. */
#ifndef YK_SHIM_QUEUE_BESIDE_H
#define YK_SHIM_QUEUE_BESIDE_H

#include "shim/queue/queue.h"

#define YK_BESIDE_REASON "it ran on one device, beside others of its queue on other devices"

/** Shorter launches are left alone: a device is woken, and its share equipped, in some tens of microseconds. */
static const double yk_beside_least_ms = 0.2;

/** Is it insisted on, for tests: whatever can be, however short, by turns? */
static inline bool yk_beside_forced(void)
{
    return yk_rt.options.beside == YK_BESIDE_FORCED;
}

/** Could any launch of this process run so? Cost: loads. */
static inline bool yk_beside_possible(void)
{
    return yk_rt.options.beside != YK_BESIDE_OFF && yk_rt.machine->n > 1;
}

/** The same of launches of one work-group. */
static inline bool yk_beside_possible_of_one(void)
{
    return yk_beside_possible() && yk_rt.primary->host_memory;
}

/** The worker: may what is at the head of Q be such a window? Waits a moment for a second launch where the last window
 * was one and the program has not asked for anything since. With the lock held; drops it while it waits. */
bool yk_beside_begins(struct yk_queue *q);

/** The worker: carry out the first commands of Q side by side. Returns how many: they are over, and their events say
 * so. 0: the first *PLAIN are to be carried out as they are. Nobody else takes commands from Q meanwhile, and what the
 * caller's threads have issued to it comes first. No lock held. */
unsigned yk_beside_run(struct yk_queue *q, unsigned *plain);

/** Between these two bytes are brought for one of the launches that run side by side, so that no two of them bring the
 * same ones through the host at once. Not nested; no lock held. */
void yk_beside_bring(void);
void yk_beside_brought(void);

void yk_beside_finish(struct yk_beside *b);

#endif
