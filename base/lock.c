#include "base/lock.h"
#include <stdio.h>
#include <stdlib.h>

#ifdef YK_DEBUG
enum { DEEP = 16 };
static __thread int held[DEEP];
static __thread int depth;

static void fail(const char *what, int a, int b)
{
    fprintf(stderr, "yoke: lock rank violation: %s (rank %d while holding %d)\n", what, a, b);
    abort();
}

static void note_take(int rank)
{
    if (depth && held[depth - 1] >= rank)
        fail("take", rank, held[depth - 1]);
    if (depth == DEEP)
        fail("too deep", rank, held[depth - 1]);
    held[depth++] = rank;
}

static void note_drop(int rank)
{
    for (int i = depth - 1; i >= 0; i--)
        if (held[i] == rank) {
            for (; i < depth - 1; i++)
                held[i] = held[i + 1];
            depth--;
            return;
        }
    fail("drop of a lock not held", rank, 0);
}
#endif

void yk_lock_init(struct yk_lock *l, int rank)
{
    l->mutex = (pthread_mutex_t)YK_MUTEX_INIT;
    l->rank = rank;
}

void yk_lock_finish(struct yk_lock *l)
{
    pthread_mutex_destroy(&l->mutex);
}

void yk_lock_take(struct yk_lock *l)
{
#ifdef YK_DEBUG
    note_take(l->rank);
#endif
    pthread_mutex_lock(&l->mutex);
}

void yk_lock_drop(struct yk_lock *l)
{
#ifdef YK_DEBUG
    note_drop(l->rank); /* L may be gone once others can take it */
#endif
    pthread_mutex_unlock(&l->mutex);
}

void yk_lock_drop_and_signal(struct yk_lock *l, pthread_cond_t *c)
{
#ifdef YK_HELGRIND /* which doubts signals without their lock */
    pthread_cond_signal(c);
    yk_lock_drop(l);
#else
    yk_lock_drop(l);
    pthread_cond_signal(c);
#endif
}

static void check_wait(const struct yk_lock *l)
{
#ifdef YK_DEBUG
    if (depth != 1 || held[0] != l->rank)
        fail("wait with other locks held", l->rank, depth ? held[0] : 0);
#else
    (void)l;
#endif
}

void yk_lock_wait(struct yk_lock *l, pthread_cond_t *c)
{
    check_wait(l);
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before); /* or a thread that is cancelled would keep L for ever */
    pthread_cond_wait(c, &l->mutex);
    pthread_setcancelstate(before, NULL);
}

void yk_lock_timedwait(struct yk_lock *l, pthread_cond_t *c, const struct timespec *until)
{
    check_wait(l);
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    pthread_cond_timedwait(c, &l->mutex, until);
    pthread_setcancelstate(before, NULL);
}

void yk_lock_wait_ns(struct yk_lock *l, pthread_cond_t *c, uint64_t ns)
{
    const long second = 1000000000;
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    ns += (uint64_t)t.tv_nsec;
    t.tv_sec += (time_t)(ns / second);
    t.tv_nsec = (long)(ns % second);
    yk_lock_timedwait(l, c, &t);
}

void yk_lock_assert_none(const char *where)
{
#ifdef YK_DEBUG
    if (depth)
        fail(where, 0, held[depth - 1]);
#else
    (void)where;
#endif
}
