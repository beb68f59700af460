#include "base/thread.h"
#include <errno.h>
#include <pthread.h>
#include <time.h>

/* A thread may run an app's callback or a driver's compiler, which count on the main thread's stack: where that has no
 * limit, the C library gives threads 2 MiB. Address space only: pages come as they are touched. */
enum { STACK = 8 << 20 };

static int create(pthread_t *thread, void *(*fn)(void *), void *arg)
{
    pthread_attr_t attr;
    size_t usual;
    if (pthread_attr_init(&attr))
        return pthread_create(thread, NULL, fn, arg);
    bool less = !pthread_attr_getstacksize(&attr, &usual) && usual < STACK && !pthread_attr_setstacksize(&attr, STACK);
    int failed = pthread_create(thread, &attr, fn, arg);
    pthread_attr_destroy(&attr);
    return failed && less ? pthread_create(thread, NULL, fn, arg) : failed;
}

int yk_thread_start(void *(*fn)(void *), void *arg)
{
    pthread_t thread;
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    sigset_t others, before;
    sigfillset(&others);
    for (unsigned i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&others, own[i]);
    pthread_sigmask(SIG_BLOCK, &others, &before);
    int failed = create(&thread, fn, arg); /* inherits the mask */
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!failed)
        pthread_detach(thread);
    return failed;
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
