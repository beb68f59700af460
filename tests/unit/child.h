/* A process that ends without closing what it has open, as programs do. */
#ifndef YK_TESTS_UNIT_CHILD_H
#define YK_TESTS_UNIT_CHILD_H

#include <check.h>
#include <sys/wait.h>
#include <unistd.h>

/* The status of WHAT(ARG) in a process of its own: 0, or what it gave to _exit. */
static inline int child_status(void (*what)(unsigned), unsigned arg)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        what(arg);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static inline void in_a_child(void (*what)(unsigned), unsigned arg)
{
    ck_assert_int_eq(child_status(what, arg), 0);
}

#endif
