/* Atomic operations and pthread_once as helgrind understands them: behind mutexes. It knows nothing of atomics (a
 * release store is a plain one to it), so the helgrind build has gcc call functions for them, and these are the
 * functions. What is atomic for one thread and plain for another is still reported, and so is all that nothing orders.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { LOCKS = 64 };

static pthread_mutex_t lock[LOCKS] = {[0 ... LOCKS - 1] = PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t once_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t once_done = PTHREAD_COND_INITIALIZER;

static pthread_mutex_t *of(const volatile void *p)
{
    return &lock[((uintptr_t)p >> 3) % LOCKS];
}

static void take_all(void)
{
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_lock(&lock[i]);
}

static void drop_all(void)
{
    for (int i = LOCKS; i-- > 0;)
        pthread_mutex_unlock(&lock[i]);
}

/* A forked child must not find one taken. */
static __attribute__((constructor)) void prepare(void)
{
    pthread_atfork(take_all, drop_all, drop_all);
}

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch"

#define GUARDED(p, statement)                                                                                          \
    pthread_mutex_t *guard = of(p);                                                                                    \
    pthread_mutex_lock(guard);                                                                                         \
    statement;                                                                                                         \
    pthread_mutex_unlock(guard)

#define FETCH(n, type, name, op)                                                                                       \
    type __atomic_fetch_##name##_##n(volatile void *p, type v, int order)                                              \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        GUARDED(p, type old = *(volatile type *)p; *(volatile type *)p = (type)(old op v));                            \
        return old;                                                                                                    \
    }                                                                                                                  \
    type __atomic_##name##_fetch_##n(volatile void *p, type v, int order)                                              \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        GUARDED(p, type now = (type)(*(volatile type *)p op v); *(volatile type *)p = now);                            \
        return now;                                                                                                    \
    }

#define SIZE(n, type)                                                                                                  \
    type __atomic_load_##n(const volatile void *p, int order)                                                          \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        GUARDED(p, type v = *(const volatile type *)p);                                                                \
        return v;                                                                                                      \
    }                                                                                                                  \
    void __atomic_store_##n(volatile void *p, type v, int order)                                                       \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        GUARDED(p, *(volatile type *)p = v);                                                                           \
    }                                                                                                                  \
    type __atomic_exchange_##n(volatile void *p, type v, int order)                                                    \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        GUARDED(p, type old = *(volatile type *)p; *(volatile type *)p = v);                                           \
        return old;                                                                                                    \
    }                                                                                                                  \
    bool __atomic_compare_exchange_##n(volatile void *p, void *expected, type v, bool weak, int yes, int no)           \
    {                                                                                                                  \
        (void)weak, (void)yes, (void)no;                                                                               \
        GUARDED(p, type old = *(volatile type *)p; bool same = old == *(type *)expected;                               \
                if (same) * (volatile type *)p = v; else * (type *)expected = old);                                    \
        return same;                                                                                                   \
    }                                                                                                                  \
    FETCH(n, type, add, +)                                                                                             \
    FETCH(n, type, sub, -)                                                                                             \
    FETCH(n, type, and, &)                                                                                             \
    FETCH(n, type, or, |)                                                                                              \
    FETCH(n, type, xor, ^)

SIZE(1, uint8_t)
SIZE(2, uint16_t)
SIZE(4, uint32_t)
SIZE(8, uint64_t)

/* glibc's own tells helgrind nothing of the order that it makes. */
int pthread_once(pthread_once_t *once, void (*fn)(void))
{
    enum { DONE = 2, BUSY = 1 };
    pthread_mutex_lock(&once_lock);
    while (*once == BUSY)
        pthread_cond_wait(&once_done, &once_lock);
    bool mine = *once != DONE;
    if (mine)
        *once = BUSY;
    pthread_mutex_unlock(&once_lock);
    if (!mine)
        return 0;
    fn();
    pthread_mutex_lock(&once_lock);
    *once = DONE;
    pthread_cond_broadcast(&once_done);
    pthread_mutex_unlock(&once_lock);
    return 0;
}
