/* Exit waits for drivers that are slow, not only for five seconds in all. The file is tested by itself: in libyoke.so
 * nothing of it can be reached. */
#include <check.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/thread.h"
#include "shim/core/background.c"
#include "tests/unit/main.h"

static void *work(void *seconds)
{
    sleep(*(const unsigned *)seconds);
    yk_background_leave();
    return NULL;
}

START_TEST(waits_while_somebody_leaves)
{
    static unsigned seconds[] = {4, 8};
    uint64_t start = yk_now_ns();
    pid_t child = fork();
    if (!child) {
        for (unsigned i = 0; i < 2; i++)
            if (!yk_background_enter() || yk_thread_start(work, &seconds[i]))
                _exit(1);
        exit(0);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    double took = (double)(yk_now_ns() - start) * 1e-9;
    ck_assert_msg(took > 7.5, "left after %.1f s, while a driver was still at work", took);
}
END_TEST

YK_TEST_MAIN("background", waits_while_somebody_leaves)
