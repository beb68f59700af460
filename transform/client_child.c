/* Three processes: ours, a keeper and the program. A child that calls execve always reports its death with SIGCHLD to
 * its parent and to any wait() there, so the program's parent must not be us: it is the keeper, which never calls
 * execve, was started with exit signal 0 (wait() does not see it without __WCLONE), reaps the program and enforces the
 * timeout.
 *
 * Both share our memory until execve or exit (CLONE_VM | CLONE_VFORK: this thread stands still meanwhile), so that a
 * large app is not copied. In them only system calls are made, never the C library's own state. */
#include "transform/client_child.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
/* TSan's clone sets its state back as for a fork, in memory that is still ours; the C library's own name avoids it. */
int __clone(int (*fn)(void *), void *stack, int flags, void *arg, ...);
#define clone     __clone
#define SANITIZED 1
#elif defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif
#define BARE __attribute__((no_sanitize("address", "undefined", "thread"), no_stack_protector, noinline))

enum { STACK = 64 << 10, ASIDE_NICE = 10, ASIDE_WAITS = 10 };

struct job {
    struct yk_client_child *c;
    char *stack; /* of the keeper, then of the program until it has begun */
    char *const *argv, *const *env;
    int files; /* descriptors to close one by one where close_range is missing */
};

/* As the kernel wants it for rt_sigaction; sa_restorer only on some machines, unused with SIG_DFL. */
struct kernel_sigaction {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

BARE static void set_limit(int what, unsigned long bytes)
{
    struct rlimit64 l = {bytes, bytes};
    syscall(SYS_prlimit64, 0, what, &l, NULL);
}

/* Out of the way of whatever else wants a core. Between sessions a kernel with autogroups weighs by group, whatever the
 * priorities in them: a session of its own would get as much as the app. With 10 it gets a tenth of that: where every
 * core is busy for long, as with a program on all of them, 19 would be as good as nothing. */
BARE static void step_aside(void)
{
    syscall(SYS_setsid);
    syscall(SYS_setpriority, PRIO_PROCESS, 0, 19);
    int group = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/autogroup", O_WRONLY | O_CLOEXEC, 0);
    if (group >= 0)
        syscall(SYS_write, group, "10", 2);
}

/* The program's process, until execve. */
BARE static int begin(void *arg)
{
    struct job *j = arg;
    struct yk_client_child *c = j->c;
    if (c->detached) {
        step_aside();
    } else {
        syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    }
    syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    syscall(SYS_setpgid, 0, 0); /* what it starts is killed with it; a terminal's signals do not reach it */
    struct kernel_sigaction dfl = {0};
    for (int s = 1; s < 65; s++) /* what the app ignores would stay ignored */
        syscall(SYS_rt_sigaction, s, &dfl, NULL, sizeof dfl.mask);
    uint64_t none = 0;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, sizeof none);
    if (c->memory)
        set_limit(RLIMIT_AS, c->memory);
    if (c->file)
        set_limit(RLIMIT_FSIZE, c->file);
    struct rlimit64 cpu = {c->timeout_ms / 1000 + 1, c->timeout_ms / 1000 + 2};
    syscall(SYS_prlimit64, 0, RLIMIT_CPU, &cpu, NULL);
    set_limit(RLIMIT_CORE, 0);
    if (c->aside) {
        struct sched_param none_needed = {0};
        long is = syscall(SYS_getpriority, PRIO_PROCESS, 0); /* 20 less the niceness, by the kernel's own call */
        syscall(SYS_setpriority, PRIO_PROCESS, 0, (is > 0 ? 20 - (int)is : 0) + ASIDE_NICE);
        syscall(SYS_sched_setscheduler, 0, SCHED_BATCH, &none_needed);
    }
    syscall(SYS_execve, c->path, j->argv, j->env);
    c->error = errno;
    syscall(SYS_exit_group, 127);
    return 0;
}

BARE static int64_t now_ms(void)
{
    struct timespec t;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

/* Wait until PID has ended or the time is over; SIGCHLD is blocked here, so none is missed. */
BARE static void await(struct yk_client_child *c, int pid)
{
    int64_t end = now_ms() + (int64_t)c->timeout_ms * (c->aside ? ASIDE_WAITS : 1);
    uint64_t chld = UINT64_C(1) << (SIGCHLD - 1);
    for (;;) {
        siginfo_t info;
        info.si_pid = 0;
        long r = syscall(SYS_waitid, P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT, NULL);
        if (r < 0 || info.si_pid == pid)
            break;
        int64_t left = end - now_ms();
        if (left <= 0) {
            c->late = true;
            break;
        }
        struct timespec t = {left / 1000, left % 1000 * 1000000};
        syscall(SYS_rt_sigtimedwait, &chld, NULL, &t, sizeof chld);
    }
    /* Its group first, while its number cannot be anyone else's. */
    syscall(SYS_kill, -pid, SIGKILL);
    syscall(SYS_kill, pid, SIGKILL);
    while (syscall(SYS_wait4, pid, &c->status, 0, NULL) < 0 && errno == EINTR)
        ;
    if (WIFSIGNALED(c->status) && WTERMSIG(c->status) == SIGXCPU) /* no time left, whatever the clock says */
        c->late = true;
}

BARE static int keep(void *arg)
{
    struct job *j = arg;
    struct yk_client_child *c = j->c;
    syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    struct kernel_sigaction dfl = {0};
    syscall(SYS_rt_sigaction, SIGCHLD, &dfl, NULL, sizeof dfl.mask); /* or the app's disposition could reap for us */
    /* No file of the app's stays open in us: it may wait for the end of a pipe. */
    syscall(SYS_dup3, c->in, 0, 0);
    syscall(SYS_dup3, c->out, 1, 0);
    syscall(SYS_dup3, c->err, 2, 0);
    if (syscall(SYS_close_range, 3u, ~0u, 0u) < 0)
        for (int fd = 3; fd < j->files; fd++)
            syscall(SYS_close, fd);
    int pid = clone(begin, j->stack + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, arg);
    if (pid < 0)
        c->error = errno;
    else if (!c->detached)
        await(c, pid);
    syscall(SYS_exit_group, 0);
    return 0;
}

static int count_files(void)
{
    struct rlimit l;
    if (getrlimit(RLIMIT_NOFILE, &l) || l.rlim_cur > 1 << 16)
        return 1 << 16;
    return (int)l.rlim_cur;
}

/* NAME=value of the environment or of DFLT, into BUF; NULL where it is neither. */
static char *variable(char *buf, size_t n, const char *name, const char *dflt)
{
    const char *v = getenv(name);
    if (!v)
        v = dflt;
    size_t a = strlen(name), b = v ? strlen(v) : 0;
    if (!v || a + b + 2 > n)
        return NULL;
    memcpy(buf, name, a);
    buf[a] = '=';
    memcpy(buf + a + 1, v, b + 1);
    return buf;
}

yk_status yk_client_child_run(struct yk_client_child *c)
{
    static const char *const names[][2] = {
        {"PATH", "/usr/bin:/bin"}, {"HOME", NULL}, {"TMPDIR", NULL}, {"LC_ALL", NULL}};
    enum { NAMES = sizeof names / sizeof *names };
    char text[NAMES][4096], *few[NAMES + 1], **env = few;
    char *argv[] = {(char *)(uintptr_t)c->path, (char *)(uintptr_t)c->argument, NULL};
    int n = 0, most = 0;
    if (c->detached) {
        while (environ[most])
            most++;
        env = malloc(((size_t)most + 1) * sizeof *env);
        if (!env)
            return YK_ENOMEM;
        for (int i = 0; i < most; i++)
            if (strncmp(environ[i], "LD_PRELOAD=", 11))
                env[n++] = environ[i];
    }
    for (int i = 0; i < NAMES && !c->detached; i++)
        if ((env[n] = variable(text[i], sizeof text[i], names[i][0], names[i][1])))
            n++;
    env[n] = NULL;
    c->error = 0;
    c->late = false;
    c->status = 0;
    if (SANITIZED)
        c->memory = 0; /* their shadow memory is larger than any limit */
    char *stacks = mmap(NULL, 2 * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stacks == MAP_FAILED) {
        if (env != few)
            free(env);
        return YK_ENOMEM;
    }
    struct job j = {c, stacks, argv, env, count_files()};
    sigset_t all, old;
    int cancel;
    sigfillset(&all);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    pthread_sigmask(SIG_BLOCK, &all, &old);
    int keeper = clone(keep, stacks + 2 * STACK, CLONE_VM | CLONE_VFORK, &j);
    if (keeper < 0)
        c->error = errno;
    else
        while (waitpid(keeper, NULL, __WCLONE) < 0 && errno == EINTR)
            ;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_setcancelstate(cancel, NULL);
    munmap(stacks, 2 * STACK);
    if (env != few)
        free(env);
    return c->error ? YK_EIO : c->late ? YK_ETIMEOUT : YK_OK;
}
