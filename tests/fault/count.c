#include "tests/fault/count.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

const char *const count_name[COUNT_KINDS] = {"memory", "mmap", "thread", "open", "write"};

static enum count_kind counted = COUNT_KINDS;
static unsigned failing, calls;
static bool for_ever;

void count_start(enum count_kind kind, unsigned n, bool forever)
{
    counted = kind;
    failing = n;
    for_ever = forever;
    calls = 0;
}

unsigned count_calls(void)
{
    return __atomic_load_n(&calls, __ATOMIC_RELAXED);
}

/* Shall this call fail? */
static bool fails(enum count_kind kind, int error)
{
    if (kind != counted)
        return false;
    unsigned n = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    bool yes = failing && (for_ever ? n >= failing : n == failing);
    if (yes)
        errno = error;
    return yes;
}

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#define WRAP(kind, error, bad, ret, name, params, args)                                                                \
    ret __real_##name params;                                                                                          \
    ret __wrap_##name params;                                                                                          \
    ret __wrap_##name params                                                                                           \
    {                                                                                                                  \
        return fails(kind, error) ? (bad) : __real_##name args;                                                        \
    }

WRAP(COUNT_MEMORY, ENOMEM, NULL, void *, malloc, (size_t n), (n))
WRAP(COUNT_MEMORY, ENOMEM, NULL, void *, calloc, (size_t n, size_t size), (n, size))
WRAP(COUNT_MEMORY, ENOMEM, NULL, void *, realloc, (void *p, size_t n), (p, n))
WRAP(COUNT_MEMORY, ENOMEM, NULL, void *, aligned_alloc, (size_t to, size_t n), (to, n))
WRAP(COUNT_MEMORY, ENOMEM, ENOMEM, int, posix_memalign, (void **p, size_t to, size_t n), (p, to, n))
WRAP(COUNT_MEMORY, ENOMEM, NULL, char *, strdup, (const char *s), (s))
WRAP(COUNT_MEMORY, ENOMEM, NULL, char *, strndup, (const char *s, size_t n), (s, n))
WRAP(COUNT_MEMORY, ENOMEM, NULL, FILE *, open_memstream, (char **p, size_t *n), (p, n))
WRAP(COUNT_MEMORY, ENOMEM, NULL, char *, getcwd, (char *p, size_t n), (p, n))
WRAP(COUNT_MMAP, ENOMEM, MAP_FAILED, void *, mmap, (void *at, size_t n, int prot, int flags, int fd, off_t off),
     (at, n, prot, flags, fd, off))
WRAP(COUNT_THREAD, EAGAIN, EAGAIN, int, pthread_create,
     (pthread_t * t, const pthread_attr_t *attr, void *(*fn)(void *), void *arg), (t, attr, fn, arg))
WRAP(COUNT_OPEN, EMFILE, -1, int, memfd_create, (const char *name, unsigned flags), (name, flags))
WRAP(COUNT_OPEN, EMFILE, -1, int, mkostemp, (char *name, int flags), (name, flags))
WRAP(COUNT_OPEN, EMFILE, NULL, FILE *, fopen, (const char *name, const char *mode), (name, mode))
WRAP(COUNT_WRITE, ENOSPC, -1, ssize_t, write, (int fd, const void *p, size_t n), (fd, p, n))
WRAP(COUNT_WRITE, ENOSPC, -1, ssize_t, pwrite, (int fd, const void *p, size_t n, off_t off), (fd, p, n, off))

int __real_open(const char *name, int flags, ...);
int __wrap_open(const char *name, int flags, ...);
int __wrap_open(const char *name, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    mode_t mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
    va_end(ap);
    return fails(COUNT_OPEN, EMFILE) ? -1 : __real_open(name, flags, mode);
}

int __real_openat(int dir, const char *name, int flags, ...);
int __wrap_openat(int dir, const char *name, int flags, ...);
int __wrap_openat(int dir, const char *name, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    mode_t mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
    va_end(ap);
    return fails(COUNT_OPEN, EMFILE) ? -1 : __real_openat(dir, name, flags, mode);
}
