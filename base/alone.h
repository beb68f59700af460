/* Counters of what every command goes through, without a locked instruction while there is no other thread: one costs
 * as much as thirty others, and glibc's own mutexes do the same. A thread may come with any call of a driver, so each
 * change asks anew. Who uses it: the fast path of the queue. */
#ifndef YK_BASE_ALONE_H
#define YK_BASE_ALONE_H

#include <stdint.h>
#include <sys/single_threaded.h>

/** Add BY to *COUNT, sequentially consistent: a thread that comes later is ordered behind it by its creation. Thread:
 * any; others change *COUNT by these functions or atomically. */
static inline void yk_alone_add(unsigned *count, unsigned by)
{
    if (__libc_single_threaded)
        __atomic_store_n(count, __atomic_load_n(count, __ATOMIC_RELAXED) + by, __ATOMIC_RELAXED);
    else
        __atomic_add_fetch(count, by, __ATOMIC_SEQ_CST);
}

static inline void yk_alone_add64(uint64_t *count, uint64_t by)
{
    if (__libc_single_threaded)
        __atomic_store_n(count, __atomic_load_n(count, __ATOMIC_RELAXED) + by, __ATOMIC_RELAXED);
    else
        __atomic_add_fetch(count, by, __ATOMIC_SEQ_CST);
}

/** Set BITS in *WORD. */
static inline void yk_alone_or64(uint64_t *word, uint64_t bits)
{
    if (__libc_single_threaded)
        __atomic_store_n(word, __atomic_load_n(word, __ATOMIC_RELAXED) | bits, __ATOMIC_RELAXED);
    else
        __atomic_or_fetch(word, bits, __ATOMIC_SEQ_CST);
}

#endif
