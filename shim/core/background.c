#include "shim/core/background.h"
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include "base/lock.h"

/* A driver that hangs must not keep the process: so long without anybody leaving, and so long in all. One that is
 * merely slow must not be left at work: drivers crash when they compile while their static data are destroyed. */
enum { EXIT_WAIT_S = 5, EXIT_WAIT_MOST_S = 60 };

static struct yk_lock lock = YK_LOCK_INIT(YK_RANK_LEAF);
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static unsigned running;
static bool ending;

/* Registered after the drivers have been loaded, so it runs before their own destructors. */
static void at_exit(void)
{
    struct timespec now, until;
    clock_gettime(CLOCK_REALTIME, &until);
    time_t most = until.tv_sec + EXIT_WAIT_MOST_S;
    until.tv_sec += EXIT_WAIT_S;
    yk_lock_take(&lock);
    ending = true;
    for (unsigned left = running; running;) {
        clock_gettime(CLOCK_REALTIME, &now);
        if (running < left) {
            left = running;
            until.tv_sec = now.tv_sec + EXIT_WAIT_S < most ? now.tv_sec + EXIT_WAIT_S : most;
        }
        if (now.tv_sec > until.tv_sec)
            break;
        yk_lock_timedwait(&lock, &idle, &until);
    }
    yk_lock_drop(&lock);
}

static void register_at_exit(void)
{
    atexit(at_exit);
}

void yk_background_prepare(void)
{
    pthread_once(&once, register_at_exit);
}

bool yk_background_enter(void)
{
    yk_background_prepare();
    yk_lock_take(&lock);
    bool ok = !ending;
    running += ok;
    yk_lock_drop(&lock);
    return ok;
}

void yk_background_leave(void)
{
    yk_lock_take(&lock);
    if (!--running || ending)
        pthread_cond_broadcast(&idle);
    yk_lock_drop(&lock);
}

bool yk_background_ending(void)
{
    yk_lock_take(&lock);
    bool e = ending;
    yk_lock_drop(&lock);
    return e;
}
