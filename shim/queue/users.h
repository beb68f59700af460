/* Which queues use a memory. Atomics of launches in several queues may meet in one buffer while neither
 * waits for the other, as on one device, where all of them count (OpenCL C 3.0, 6.15.12: the scope is the device). A
 * divided launch has copies of such a buffer, which are put together at its end: what others did to the buffer
 * meanwhile would be lost. So atomics are divided only where launches of one queue alone have ever used the buffer. The
 * same holds of images, of which other devices have copies: what another queue's commands write meanwhile may be lost,
 * and when they write no count tells (memory/image.h). Launches over images are divided only where commands of one
 * queue alone have ever used these. Who uses it: api/, decide.c, share.c. */
#ifndef YK_SHIM_QUEUE_USERS_H
#define YK_SHIM_QUEUE_USERS_H

#include "shim/queue/launch.h"
#include "transform/facts.h"

/** Need a use by queue NUMBER not be noted? Cost: two or three loads. */
static inline bool yk_users_known(const struct yk_used *u, uint32_t number)
{
    return __atomic_load_n(&u->first, __ATOMIC_RELAXED) == number ||
           (__atomic_load_n(&u->several, __ATOMIC_RELAXED) && !__atomic_load_n(&u->dividing, __ATOMIC_RELAXED));
}

/** L is about to be enqueued. Returns when no launch of another queue that is divided must be alone with what L uses:
 * that may be waited for once per memory. Thread: any; no lock held. */
void yk_users_note(const struct yk_launch *l);

/** The same for a command of queue NUMBER on M, if that is an image. */
void yk_users_note_image(const struct yk_mem *m, uint32_t number);

/** Why L may not be divided: several queues use what it must be alone with. NULL: they do not. */
const char *yk_users_several(const struct yk_launch *l, const struct yk_facts_kernel *f);

/** L is divided from here on, until yk_users_end. False: no, since several queues use what it must be alone with.
 * Thread: any; no lock held. */
bool yk_users_begin(const struct yk_launch *l, const struct yk_facts_kernel *f);
void yk_users_end(const struct yk_launch *l, const struct yk_facts_kernel *f);

#endif
