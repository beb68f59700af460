#include "base/look.h"
#include <pthread.h>
#include <unistd.h>
#include "base/clock.h"

static const uint64_t long_ns = 60000;
static bool several; /* processors */

static void count(void)
{
    several = sysconf(_SC_NPROCESSORS_ONLN) > 1;
}

bool yk_look(const struct yk_look *l, const unsigned *word, unsigned old)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    enum { PAUSES = 8 };
    pthread_once(&once, count);
    if (!several || l->took > long_ns)
        return __atomic_load_n(word, __ATOMIC_ACQUIRE) != old;
    uint64_t end = yk_now_ns() + long_ns;
    do {
        for (unsigned i = 0; i < PAUSES; i++) {
            if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != old)
                return true;
#if defined __x86_64__ || defined __i386__
            __builtin_ia32_pause();
#endif
        }
    } while (yk_now_ns() < end);
    return false;
}

void yk_look_over(struct yk_look *l, uint64_t start)
{
    l->took = yk_now_ns() - start;
}
