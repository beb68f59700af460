/* Which queues use a memory. Queues may work in one buffer at once, each in bytes of its own or with atomics, and no
 * call orders the one behind the other. A divided launch has copies of the buffer, of which more may be brought and put
 * together than it touches: what others do there meanwhile would be lost. So a launch is divided only where it is alone
 * with what it uses: as long as one queue's command is over before the next queue's begins, as a wait or an event in
 * its list says, or all of them only read. Where devices work in the host's memory that is asked of buffers with
 * atomics alone, since of the others there are no copies, and of images whose texels are not in one place. Sticky:
 * nobody says when queues have stopped meeting. The program is a user too, while it has a part of a buffer mapped for
 * writing. Who uses it: api/, decide.c, share.c. */
#ifndef YK_SHIM_QUEUE_USERS_H
#define YK_SHIM_QUEUE_USERS_H

#include "shim/queue/launch.h"
#include "shim/queue/quiet.h"
#include "transform/facts.h"

/** Need a use by command NOW of queue NUMBER not be noted? Cost: some loads, and a store. */
static inline bool yk_users_known(struct yk_used *u, uint32_t number, bool writes, uint32_t now)
{
    if (__atomic_load_n(&u->several, __ATOMIC_RELAXED))
        return __atomic_load_n(&u->mixed, __ATOMIC_RELAXED) ? !__atomic_load_n(&u->dividing, __ATOMIC_RELAXED)
                                                            : !writes;
    if (__atomic_load_n(&u->owner, __ATOMIC_RELAXED) != number ||
        (writes && !__atomic_load_n(&u->wrote, __ATOMIC_RELAXED)))
        return false;
    __atomic_store_n(&u->last, now, __ATOMIC_RELAXED);
    return true;
}

/** May a launch of a kernel with facts F (NULL: not known) write M, its argument I? */
static inline bool yk_users_writes(const struct yk_mem *m, const struct yk_facts_kernel *f, unsigned i)
{
    return m->image || (f && i < f->nargs ? f->arg[i].written || f->arg[i].atomic : !(m->flags & CL_MEM_READ_ONLY));
}

/** L is about to be enqueued (after yk_quiet_enter), behind the N events of WAIT, which may be no events at all.
 * Returns when no launch of another queue that is divided must be alone with what L uses: that may be waited for once
 * per memory. Thread: any; no lock held. */
void yk_users_note(const struct yk_launch *l, cl_uint n, const cl_event *wait);

/** The same for another command of Q on M. */
void yk_users_note_command(struct yk_queue *q, const struct yk_mem *m, bool writes, cl_uint n, const cl_event *wait);

/** Why L may not be divided: several queues use what it must be alone with, or the program writes to that through a
 * map. NULL: it may. */
const char *yk_users_forbid(const struct yk_launch *l, const struct yk_facts_kernel *f);

/** L is divided from here on, until yk_users_end. False: no, since several queues use what it must be alone with. What
 * L's queue has given to the primary's driver is waited for before: it may wait for an event of a queue that the
 * program has not flushed yet, and the program, in yk_users_note, for the end. Thread: any; no lock held. */
bool yk_users_begin(const struct yk_launch *l, const struct yk_facts_kernel *f);
void yk_users_end(const struct yk_launch *l, const struct yk_facts_kernel *f);

#endif
