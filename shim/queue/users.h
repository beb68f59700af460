/* Which queues launch kernels over a memory. Atomics of launches in several queues may meet in one buffer while neither
 * waits for the other, as on one device, where all of them count (OpenCL C 3.0, 6.15.12: the scope is the device). A
 * divided launch has copies of such a buffer, which are put together at its end: what others did to the buffer
 * meanwhile would be lost. So atomics are divided only where launches of one queue alone have ever used the buffer. Who
 * uses it: api/enqueue_kernel.c, decide.c, share.c. */
#ifndef YK_SHIM_QUEUE_USERS_H
#define YK_SHIM_QUEUE_USERS_H

#include "shim/queue/launch.h"
#include "transform/facts.h"

/** Need a launch of queue NUMBER over S not be noted? Cost: two or three loads. */
static inline bool yk_users_known(const struct yk_store *s, uint32_t number)
{
    return __atomic_load_n(&s->user, __ATOMIC_RELAXED) == number ||
           (__atomic_load_n(&s->shared, __ATOMIC_RELAXED) && !__atomic_load_n(&s->dividing, __ATOMIC_RELAXED));
}

/** L is about to be enqueued. Returns when no launch of another queue that is divided changes what L uses by atomics:
 * that may be waited for once per buffer. Thread: any; no lock held. */
void yk_users_note(const struct yk_launch *l);

/** Do launches of several queues use what L changes by atomics? */
bool yk_users_several(const struct yk_launch *l, const struct yk_facts_kernel *f);

/** L is divided from here on, until yk_users_end. False: no, since several queues use what it changes by atomics.
 * Thread: any; no lock held. */
bool yk_users_begin(const struct yk_launch *l, const struct yk_facts_kernel *f);
void yk_users_end(const struct yk_launch *l, const struct yk_facts_kernel *f);

#endif
