#include "base/thread.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include "base/away.h"

/* A thread may run an app's callback or a driver's compiler, which count on the main thread's stack: where that has no
 * limit, the C library gives threads 2 MiB. Address space only: pages come as they are touched. */
enum { STACK = 8 << 20 };

/* WHERE: on these processors; NULL: anywhere. */
static int create(pthread_t *thread, const cpu_set_t *where, void *(*fn)(void *), void *arg)
{
    pthread_attr_t attr;
    size_t usual;
    if (pthread_attr_init(&attr))
        return pthread_create(thread, NULL, fn, arg);
    if (where)
        (void)pthread_attr_setaffinity_np(&attr, sizeof *where, where);
    bool less = !pthread_attr_getstacksize(&attr, &usual) && usual < STACK && !pthread_attr_setstacksize(&attr, STACK);
    int failed = pthread_create(thread, &attr, fn, arg);
    pthread_attr_destroy(&attr);
    return failed && less ? pthread_create(thread, NULL, fn, arg) : failed;
}

static int start(const cpu_set_t *where, void *(*fn)(void *), void *arg)
{
    pthread_t thread;
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    sigset_t others, before;
    sigfillset(&others);
    for (unsigned i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&others, own[i]);
    pthread_sigmask(SIG_BLOCK, &others, &before);
    int failed = create(&thread, where, fn, arg); /* inherits the mask */
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!failed)
        pthread_detach(thread);
    return failed;
}

int yk_thread_start(void *(*fn)(void *), void *arg)
{
    return start(NULL, fn, arg);
}

struct elsewhere {
    cpu_set_t all;
    void *(*fn)(void *);
    void *arg;
};

static void *begin_elsewhere(void *arg)
{
    struct elsewhere e = *(struct elsewhere *)arg;
    free(arg);
    (void)sched_setaffinity(0, sizeof e.all, &e.all);
    return e.fn(e.arg);
}

int yk_thread_start_elsewhere(void *(*fn)(void *), void *arg)
{
    int here = sched_getcpu();
    struct elsewhere *e = here >= 0 && yk_away_few() ? malloc(sizeof *e) : NULL;
    if (e) {
        *e = (struct elsewhere){.fn = fn, .arg = arg};
        if (!sched_getaffinity(0, sizeof e->all, &e->all) && CPU_ISSET(here, &e->all) && CPU_COUNT(&e->all) > 1) {
            cpu_set_t others = e->all;
            CPU_CLR(here, &others);
            if (!start(&others, begin_elsewhere, e))
                return 0;
        }
        free(e);
    }
    return start(NULL, fn, arg);
}

static const char *main_stack; /* somewhere near its upper end */

static void __attribute__((constructor)) note_main_stack(void)
{
    main_stack = __builtin_frame_address(0);
}

static void find_stack(const char **low, const char **high)
{
    pthread_attr_t attr;
    struct rlimit limit;
    void *at;
    size_t size;
    if (gettid() == getpid()) { /* whose range the C library would look for in a file */
        const size_t above = 1 << 20, most = 1 << 30;
        size = !getrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur < most ? limit.rlim_cur : most;
        *low = main_stack - size;
        *high = main_stack + above; /* arguments and environment */
    } else if (!pthread_getattr_np(pthread_self(), &attr)) {
        if (!pthread_attr_getstack(&attr, &at, &size)) {
            *low = at;
            *high = *low + size;
        }
        pthread_attr_destroy(&attr);
    }
}

bool yk_thread_has_stack(size_t bytes)
{
    static _Thread_local const char *low, *high;
    if (!high)
        find_stack(&low, &high);
    const char *here = __builtin_frame_address(0);
    return here > low && here < high && (size_t)(here - low) > bytes;
}

void yk_write_guard_begin(struct yk_write_guard *g)
{
    sigset_t both, pending;
    sigemptyset(&both);
    sigaddset(&both, SIGPIPE);
    sigaddset(&both, SIGXFSZ);
    sigpending(&pending);
    g->pipe = sigismember(&pending, SIGPIPE);
    g->size = sigismember(&pending, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &both, &g->before);
}

void yk_write_guard_end(const struct yk_write_guard *g)
{
    int saved = errno;
    sigset_t ours, pending;
    sigemptyset(&ours);
    sigpending(&pending);
    if (!g->pipe && sigismember(&pending, SIGPIPE))
        sigaddset(&ours, SIGPIPE);
    if (!g->size && sigismember(&pending, SIGXFSZ))
        sigaddset(&ours, SIGXFSZ);
    while (sigtimedwait(&ours, NULL, &(struct timespec){0, 0}) < 0 && errno == EINTR)
        ;
    pthread_sigmask(SIG_SETMASK, &g->before, NULL);
    errno = saved;
}
