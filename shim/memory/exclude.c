#include "shim/memory/exclude.h"
#include <time.h>

/* Of s->writers: s->copier copies. */
enum { COPIES = -1 };

/* Its address is the thread's name. */
static __thread char me;

static void wait_a_little(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
}

static bool is_mine(const struct yk_store *s)
{
    return __atomic_load_n(&s->writers, __ATOMIC_ACQUIRE) == COPIES &&
           __atomic_load_n(&s->copier, __ATOMIC_RELAXED) == &me;
}

bool yk_exclude_copies(struct yk_store *s)
{
    if (is_mine(s))
        return false;
    int n = __atomic_load_n(&s->writers, __ATOMIC_RELAXED);
    while (n == COPIES ||
           !__atomic_compare_exchange_n(&s->writers, &n, n + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        if (n == COPIES) {
            wait_a_little();
            n = __atomic_load_n(&s->writers, __ATOMIC_RELAXED);
        }
    return true;
}

void yk_exclude_no_more(struct yk_store *s)
{
    __atomic_sub_fetch(&s->writers, 1, __ATOMIC_ACQ_REL);
}

bool yk_copy_begin(struct yk_store *s)
{
    if (is_mine(s))
        return false;
    for (int none = 0;
         !__atomic_compare_exchange_n(&s->writers, &none, COPIES, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED); none = 0)
        wait_a_little();
    __atomic_store_n(&s->copier, &me, __ATOMIC_RELAXED);
    return true;
}

/* The name goes first: whoever copied before is not to take the next one's turn for its own. */
void yk_copy_end(struct yk_store *s, bool begun)
{
    if (!begun)
        return;
    __atomic_store_n(&s->copier, NULL, __ATOMIC_RELAXED);
    __atomic_store_n(&s->writers, 0, __ATOMIC_RELEASE);
}
