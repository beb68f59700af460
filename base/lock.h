/* Mutexes with ranks. They are held for a microsecond at most, so that who finds one taken looks for a moment before it
 * sleeps: who sleeps is woken beside the one that drops it, and behind its work where processors are few. A thread
 * takes locks in rising rank only; debug builds abort on a violation and when a driver, SQLite or an app's callback is
 * called while any lock is held (yk_lock_assert_none). Everyone may use it. */
#ifndef YK_BASE_LOCK_H
#define YK_BASE_LOCK_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

/* In the order in which they may nest: a holder of one may take those below it. */
enum yk_lock_rank {
    YK_RANK_RUNTIME = 10, /* start-up, the machine */
    YK_RANK_CONTEXT = 20,
    YK_RANK_QUEUE = 30,
    YK_RANK_PROGRAM = 40,
    YK_RANK_KERNEL = 50,
    YK_RANK_EVENT = 60,
    YK_RANK_MEM = 70,
    YK_RANK_PROFILE = 80,
    YK_RANK_STATS = 90,
    YK_RANK_LEAF = 100 /* nothing is taken under it */
};

struct yk_lock {
    pthread_mutex_t mutex;
    int rank;
};

#ifdef YK_HELGRIND /* which takes others that nobody has taken for none */
#define YK_MUTEX_INIT PTHREAD_MUTEX_INITIALIZER
#else
#define YK_MUTEX_INIT PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
#endif
#define YK_LOCK_INIT(r)                                                                                                \
    {                                                                                                                  \
        YK_MUTEX_INIT, (r)                                                                                             \
    }

void yk_lock_init(struct yk_lock *l, int rank);
void yk_lock_finish(struct yk_lock *l);
void yk_lock_take(struct yk_lock *l);
void yk_lock_drop(struct yk_lock *l);
/** Drop L and wake who waits on C, which outlives L's holders: not before, or it would wait for L and be woken again
 * beside whoever drops it. */
void yk_lock_drop_and_signal(struct yk_lock *l, pthread_cond_t *c);
/** Wait on C with L held; L must be the only lock of this thread (checked in debug builds). The thread is not cancelled
 * meanwhile. */
void yk_lock_wait(struct yk_lock *l, pthread_cond_t *c);
/** The same until UNTIL (CLOCK_REALTIME) at the latest. */
void yk_lock_timedwait(struct yk_lock *l, pthread_cond_t *c, const struct timespec *until);
/** The same for NS nanoseconds at most. */
void yk_lock_wait_ns(struct yk_lock *l, pthread_cond_t *c, uint64_t ns);
/** Debug builds: abort if this thread holds any lock. Release builds: nothing. */
void yk_lock_assert_none(const char *where);

#endif
