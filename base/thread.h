/* Threads and signals inside somebody else's program. Everyone may use it: the app's signal handlers must run on the
 * app's own threads, and what yoke writes must not kill the app with SIGPIPE or SIGXFSZ. */
#ifndef YK_BASE_THREAD_H
#define YK_BASE_THREAD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/** A detached thread that runs FN(ARG). Signals to the process do not reach it; those for what it does itself (SIGFPE,
 * SIGSEGV ...) do, since drivers handle them. Its stack is the usual one (RLIMIT_STACK), but 8 MiB at least where there
 * is room for it. Errors: 0, or errno's number: nothing runs. Thread: any. */
int yk_thread_start(void *(*fn)(void *), void *arg);

/** The same, and it begins on another processor than the caller's, who goes on computing: Linux puts a new thread on
 * its parent's where processors are few and have been busy, and leaves it there for a tick or two even if another is
 * free. As soon as it has begun it may use all that the caller may. */
int yk_thread_start_elsewhere(void *(*fn)(void *), void *arg);

/** Has the calling thread BYTES of its stack left? Not on a stack that the program has made itself, as coroutines do.
 * Cost: some system calls the first time. */
bool yk_thread_has_stack(size_t bytes);

/* Around writing to a file or pipe that may be full, over a limit or without a reader. */
struct yk_write_guard {
    sigset_t before;
    bool pipe, size; /* was pending already */
};

/** From now on a write of this thread gives an error where it would send a signal. Thread: any. errno is kept. */
void yk_write_guard_begin(struct yk_write_guard *g);
void yk_write_guard_end(const struct yk_write_guard *g);

#endif
