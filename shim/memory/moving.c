#include "shim/memory/moving.h"
#include <pthread.h>
#include <time.h>

/* s->moving: so many write; or COPIES, and s->mover is the thread that does. */
enum { COPIES = -1 };

static void wait_a_little(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
}

static bool is_mine(const struct yk_store *s)
{
    return __atomic_load_n(&s->moving, __ATOMIC_ACQUIRE) == COPIES &&
           pthread_equal(__atomic_load_n(&s->mover, __ATOMIC_RELAXED), pthread_self());
}

bool yk_moving_write(struct yk_store *s)
{
    if (is_mine(s))
        return false;
    int n = __atomic_load_n(&s->moving, __ATOMIC_RELAXED);
    while (n == COPIES ||
           !__atomic_compare_exchange_n(&s->moving, &n, n + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        if (n == COPIES) {
            wait_a_little();
            n = __atomic_load_n(&s->moving, __ATOMIC_RELAXED);
        }
    return true;
}

void yk_moving_written(struct yk_store *s)
{
    __atomic_sub_fetch(&s->moving, 1, __ATOMIC_ACQ_REL);
}

bool yk_copy_begin(struct yk_store *s)
{
    if (is_mine(s))
        return false;
    for (int none = 0;
         !__atomic_compare_exchange_n(&s->moving, &none, COPIES, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED); none = 0)
        wait_a_little();
    __atomic_store_n(&s->mover, pthread_self(), __ATOMIC_RELAXED);
    return true;
}

void yk_copy_end(struct yk_store *s, bool begun)
{
    if (begun)
        __atomic_store_n(&s->moving, 0, __ATOMIC_RELEASE);
}
