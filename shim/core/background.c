#include "shim/core/background.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "base/lock.h"
#include "device/opencl/cl.h"
#include "shim/core/runtime.h"

/* A driver that hangs must not keep the process: so long without anybody leaving, and so long in all. One that is
 * merely slow must not be left at work: drivers crash when they compile while their static data are destroyed. */
#ifndef YK_EXIT_WAIT_S /* a test waits less */
#define YK_EXIT_WAIT_S 5
#endif
enum { EXIT_WAIT_S = YK_EXIT_WAIT_S, EXIT_WAIT_MOST_S = 60 };

static struct yk_lock lock = YK_LOCK_INIT(YK_RANK_LEAF);
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static unsigned running;
static bool ending, gave_up;          /* the process is about to exit; it has waited long enough */
static _Thread_local const bool *own; /* a thread that exits does not wait for itself */
static _Atomic pid_t prepared;        /* the process with background work; a child of fork has none of its threads */

static bool before(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

static void wait_for_all(void)
{
    struct timespec now, until, most;
    clock_gettime(CLOCK_REALTIME, &now);
    until = most = now;
    until.tv_sec += EXIT_WAIT_S;
    most.tv_sec += EXIT_WAIT_MOST_S;
    yk_lock_take(&lock);
    ending = true;
    for (unsigned left = running; running > (own && *own) && !gave_up;) {
        clock_gettime(CLOCK_REALTIME, &now);
        if (running < left) {
            left = running;
            until = (struct timespec){now.tv_sec + EXIT_WAIT_S, now.tv_nsec};
            until = before(&until, &most) ? until : most;
        }
        gave_up = !before(&now, &until);
        if (!gave_up)
            yk_lock_timedwait(&lock, &idle, &until);
    }
    yk_lock_drop(&lock);
}

void (*yk_background_last_words)(void);

/* Inside a driver's call, which the driver itself has ended the process in (PoCL's clCreateCommandQueueWithProperties
 * does for queues on the device), or a signal handler of the program's: the driver's locks and ours are held for good,
 * and what the program releases at its exit goes nowhere. */
static void at_exit(void)
{
    if (yk_driver_depth) {
        __atomic_store_n(&yk_mode, YK_MODE_ENDED, __ATOMIC_RELEASE);
        return;
    }
    void (*speak)(void) = __atomic_load_n(&yk_background_last_words, __ATOMIC_ACQUIRE);
    if (speak)
        speak();
    if (atomic_load(&prepared) == getpid())
        wait_for_all();
}

static void main_ends(void *nothing)
{
    (void)nothing;
    at_exit();
}

/* What a driver's compiler registers for exit while it compiles (LLVM: the destructors of its static data) is run
 * before what was registered earlier, while that compiler is still at work. Destructors of the exiting thread's own
 * data come before all of those: so main's are where exit is noticed, when main calls exit or returns. A main that
 * ends itself by pthread_exit is taken for one that exits: later background work is not begun. */
int __cxa_thread_atexit_impl(void (*destroy)(void *), void *object, void *library);
extern void *__dso_handle __attribute__((visibility("hidden")));

static void __attribute__((constructor)) watch_main(void)
{
    __cxa_thread_atexit_impl(main_ends, NULL, &__dso_handle);
}

/* For exit from another thread: after the drivers have been loaded, so before the destructors of their libraries. */
static void register_at_exit(void)
{
    atomic_store(&prepared, getpid());
    atexit(at_exit);
}

/* The same once more, behind what a compiler has registered that was first at work after that. */
static void register_again(void)
{
    atexit(at_exit);
}

void yk_background_compiled(void)
{
    static pthread_once_t again = PTHREAD_ONCE_INIT;
    pthread_once(&again, register_again);
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

void yk_background_own(const bool *held)
{
    own = held;
}

void yk_background_hold(bool *held, bool on)
{
    if (on == *held)
        return;
    if (on)
        *held = yk_background_enter();
    else
        yk_background_leave();
    *held &= on;
}

bool yk_background_ending(void)
{
    yk_lock_take(&lock);
    bool e = ending;
    yk_lock_drop(&lock);
    return e;
}
