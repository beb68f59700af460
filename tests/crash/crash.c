/* Preloaded into a program under test: says in which library a signal that ends the process came up, so that a test can
 * tell PoCL 3.1's own aborts from a fault of yoke. One line, on standard error and in the file that YOKE_TEST_CRASH_LOG
 * names; then the signal does what it would have done. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

enum { FRAMES = 64, STACK = 64 << 10 };

static char log_path[4096];

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The library that holds ADDRESS; NULL: none, or this one. *OFFSET: from its beginning. */
static const char *library_of(const void *address, size_t *offset)
{
    Dl_info own, found;
    if (!dladdr((void *)base_name, &own) || !dladdr(address, &found) || !found.dli_fname ||
        found.dli_fbase == own.dli_fbase)
        return NULL;
    *offset = (size_t)((const char *)address - (const char *)found.dli_fbase);
    return base_name(found.dli_fname);
}

static int is_libc(const char *name)
{
    return !strncmp(name, "libc.so", 7) || !strncmp(name, "ld-linux", 8);
}

/* The innermost function's library that is neither this one nor the C library, which aborts and copies for others. */
static const char *where(const void *pc, size_t *offset)
{
    const char *name = library_of(pc, offset);
    void *frame[FRAMES];
    int n = name && is_libc(name) ? backtrace(frame, FRAMES) : 0;
    for (int i = 0; i < n && (!name || is_libc(name)); i++)
        name = library_of(frame[i], offset);
    return name ? name : "nowhere";
}

static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE};

static bool is_watched(int sig)
{
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (signals[i] == sig)
            return true;
    return false;
}

static int set(int sig, const struct sigaction *new, struct sigaction *old)
{
    int (*real)(int, const struct sigaction *, struct sigaction *) =
        (int (*)(int, const struct sigaction *, struct sigaction *))dlsym(RTLD_NEXT, "sigaction");
    return real(sig, new, old);
}

/* LLVM sets handlers of its own while it compiles, and takes them back; where two threads compile at once nobody's are
 * left. So these signals' stay what they are. */
__attribute__((visibility("default"))) int sigaction(int sig, const struct sigaction *new, struct sigaction *old)
{
    if (!new || !is_watched(sig))
        return set(sig, new, old);
    if (old)
        *old = (struct sigaction){.sa_handler = SIG_DFL};
    return 0;
}

static void to_default(int sig)
{
    const struct sigaction a = {.sa_handler = SIG_DFL};
    set(sig, &a, NULL);
}

/* Two threads may meet the same fault at once: the second waits for the first to have written and ended the process. */
static void crashed(int sig, siginfo_t *info, void *context)
{
    static __thread volatile bool here __attribute__((tls_model("initial-exec")));
    static atomic_flag taken = ATOMIC_FLAG_INIT;
    const ucontext_t *c = context;
    if (here)
        _exit(128 + sig);
    here = true;
    while (atomic_flag_test_and_set(&taken))
        pause();
    char line[512];
    size_t offset = 0;
    const char *name = where((const void *)(uintptr_t)c->uc_mcontext.gregs[REG_RIP], &offset);
    int n =
        snprintf(line, sizeof line, "crash: signal %d in %s at +%#zx, address %p\n", sig, name, offset, info->si_addr);
    int fd = log_path[0] ? open(log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (n > 0 && (write(STDERR_FILENO, line, (size_t)n) < 0 || (fd >= 0 && write(fd, line, (size_t)n) < 0)))
        _exit(128 + sig);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        to_default(signals[i]);
    raise(sig);
}

/* A stack that overflows has no room for a handler: each thread gets another, which ends with the process. */
static void other_stack(void)
{
    stack_t s = {.ss_sp = malloc(STACK), .ss_size = STACK};
    if (s.ss_sp)
        sigaltstack(&s, NULL);
}

struct start {
    void *(*run)(void *);
    void *arg;
};

static void *begin(void *arg)
{
    struct start s = *(struct start *)arg;
    free(arg);
    other_stack();
    return s.run(s.arg);
}

__attribute__((visibility("default"))) int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
                                                          void *(*run)(void *), void *arg)
{
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
        (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(RTLD_NEXT, "pthread_create");
    struct start *s = malloc(sizeof *s);
    if (!s)
        return EAGAIN;
    *s = (struct start){run, arg};
    int err = real(thread, attr, begin, s);
    if (err)
        free(s);
    return err;
}

__attribute__((constructor)) static void watch(void)
{
    void *frame[1];
    const char *path = getenv("YOKE_TEST_CRASH_LOG");
    if (path && strlen(path) < sizeof log_path)
        strcpy(log_path, path);
    other_stack();
    backtrace(frame, 1); /* loads what it needs now rather than in a handler */
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction a = {.sa_sigaction = crashed, .sa_flags = SA_NODEFER | SA_SIGINFO | SA_ONSTACK};
        set(signals[i], &a, NULL);
    }
}
