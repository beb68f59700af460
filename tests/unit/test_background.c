/* Exit waits for drivers that are slow, not only for its patience with one that hangs (here two seconds) in all. The
 * file is tested by itself: in libyoke.so nothing of it can be reached. */
#define YK_EXIT_WAIT_S 2
#include <check.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/thread.h"
#include "shim/core/background.c"
#include "tests/unit/main.h"

enum yk_mode yk_mode;
__thread int yk_driver_depth __attribute__((tls_model("initial-exec")));

static void *work(void *us)
{
    usleep(*(const unsigned *)us);
    yk_background_leave();
    return NULL;
}

START_TEST(waits_while_somebody_leaves)
{
    static unsigned us[] = {1500000, 3000000};
    uint64_t start = yk_now_ns();
    pid_t child = fork();
    if (!child) {
        for (unsigned i = 0; i < 2; i++)
            if (!yk_background_enter() || yk_thread_start(work, &us[i]))
                _exit(1);
        exit(0);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    double took = (double)(yk_now_ns() - start) * 1e-9;
    ck_assert_msg(took > 2.8, "left after %.1f s, while a driver was still at work", took);
}
END_TEST

static _Atomic bool destroyed, crashed;

static void destroy(void)
{
    destroyed = true;
}

static void *compile(void *nothing)
{
    (void)nothing;
    atexit(destroy);
    usleep(700000);
    crashed = destroyed;
    yk_background_leave();
    return NULL;
}

static void report(void)
{
    if (crashed)
        _exit(1);
}

/* What a compiler registers while it works is destroyed when it has ended, not before. */
START_TEST(waits_before_what_was_registered_meanwhile)
{
    pid_t child = fork();
    if (!child) {
        atexit(report);
        if (!yk_background_enter() || yk_thread_start(compile, NULL))
            _exit(2);
        usleep(200000);
        exit(0);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

static void *leave_in_a_while(void *nothing)
{
    (void)nothing;
    sleep(1);
    yk_background_leave();
    return NULL;
}

/* A child of fork has none of the threads that its parent had at work: it waits for none. */
START_TEST(a_child_waits_for_nobody)
{
    ck_assert(yk_background_enter());
    ck_assert_int_eq(yk_thread_start(leave_in_a_while, NULL), 0);
    uint64_t start = yk_now_ns();
    pid_t child = fork();
    if (!child)
        exit(0);
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    double took = (double)(yk_now_ns() - start) * 1e-9;
    ck_assert_msg(took < 0.9, "the child took %.1f s", took);
    usleep(1200000);
}
END_TEST

YK_TEST_MAIN("background", waits_while_somebody_leaves, waits_before_what_was_registered_meanwhile,
             a_child_waits_for_nobody)
