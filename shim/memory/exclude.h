/* Who copies a store and who writes it. Queues may work in one buffer at once, each in bytes of its own, and what yoke
 * copies to the primary's place for a launch (or back from windows, of buffers in the host's memory) may be more than
 * the launch touches. So whoever gives the driver a write, or writes itself, and then records it, does so while nobody
 * copies: else what was found to be missing before would be copied over it. Who uses it: transfer.c; queue/ and api/
 * around writes. */
#ifndef YK_SHIM_MEMORY_EXCLUDE_H
#define YK_SHIM_MEMORY_EXCLUDE_H

#include "shim/memory/store.h"

/* For the two below. */
bool yk_exclude_copies(struct yk_store *s);
void yk_exclude_no_more(struct yk_store *s);

/** S (NULL: none) is going to be written, from here to yk_write_end: what is done between the two waits for no other
 * queue. Several threads may at once. False: no bytes of it can be missing where the primary works, so that nothing is
 * to be ended. Cost: two loads then; else a few atomics, and it waits for a copy under way. */
static inline bool yk_write_begin(struct yk_store *s)
{
    return s &&
           !(__atomic_load_n(&s->only_primary, __ATOMIC_ACQUIRE) && !__atomic_load_n(&s->writers, __ATOMIC_ACQUIRE)) &&
           yk_exclude_copies(s);
}

/** BEGUN: what yk_write_begin said. */
static inline void yk_write_end(struct yk_store *s, bool begun)
{
    if (begun)
        yk_exclude_no_more(s);
}

/** The caller alone copies to and from S, from here to yk_copy_end: no write is under way. False: the thread does so
 * already, and nothing is to be ended. */
bool yk_copy_begin(struct yk_store *s);
void yk_copy_end(struct yk_store *s, bool begun);

#endif
