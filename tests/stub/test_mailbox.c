/* Trying mailboxes (device/link/mailbox_trial.h) over the stub: what works, what gives wrong bytes, what fails and what
 * ends the process is on record afterwards, and nothing is tried twice. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "device/link/mailbox_trial.h"
#include "tests/stub/rig.h"
#include "tests/stub/scratch.h"
#include "tests/unit/main.h"

enum { BOX = 4096 };

static const struct yk_machine *load(const char *devices, const char *fault)
{
    yk_status status;
    scratch_cache("mailbox");
    if (fault)
        setenv("YOKE_FAULT", fault, 1);
    rig_load(devices, NULL);
    const struct yk_machine *m = yk_machine_get(&status);
    ck_assert_ptr_nonnull(m);
    return m;
}

static enum yk_mailbox_word word(const struct yk_mailbox_maker *maker, const struct yk_machine *m, unsigned a,
                                 unsigned b)
{
    return yk_mailbox_recall(maker, &m->device[a], &m->device[b], BOX);
}

START_TEST(each_pair_is_tried_once_and_remembered)
{
    const struct yk_machine *m = load("gpu:host,gpu:host,cpu", NULL);
    ck_assert_int_eq(word(&yk_mailbox_host, m, 0, 1), YK_MAILBOX_UNTRIED);
    ck_assert_uint_eq(yk_mailbox_try_all(&yk_mailbox_host, m, BOX), 6);
    for (unsigned a = 0; a < 3; a++)
        for (unsigned b = 0; b < 3; b++)
            if (a != b)
                ck_assert_int_eq(word(&yk_mailbox_host, m, a, b), YK_MAILBOX_WORKS);
    ck_assert_uint_eq(yk_mailbox_try_all(&yk_mailbox_host, m, BOX), 0);
    ck_assert_uint_eq(yk_mailbox_try_all(&yk_mailbox_host, m, 2 * BOX), 6); /* another size is another matter */
    ck_assert_uint_eq(yk_mailbox_try_all(&yk_mailbox_cuda, m, BOX), 0);     /* none of NVIDIA's */
}
END_TEST

START_TEST(memory_that_is_not_shared_is_found_out)
{
    const struct yk_machine *m = load("gpu:host,gpu:separate", NULL);
    ck_assert_uint_eq(yk_mailbox_try_all(&yk_mailbox_host, m, BOX), 2);
    ck_assert_int_eq(word(&yk_mailbox_host, m, 0, 1), YK_MAILBOX_FAILS);
    ck_assert_int_eq(word(&yk_mailbox_host, m, 1, 0), YK_MAILBOX_FAILS);
}
END_TEST

START_TEST(calls_that_fail_are_remembered)
{
    const struct yk_machine *m = load("gpu:host,gpu:host", "clEnqueueCopyBuffer@1:1=error(CL_OUT_OF_RESOURCES)");
    ck_assert_uint_eq(yk_mailbox_try_all(&yk_mailbox_host, m, BOX), 2);
    ck_assert_int_eq(word(&yk_mailbox_host, m, 0, 1), YK_MAILBOX_FAILS);
    ck_assert_int_eq(word(&yk_mailbox_host, m, 1, 0), YK_MAILBOX_WORKS);
}
END_TEST

static bool fits(const struct yk_device *from, const struct yk_device *to)
{
    return from->index < to->index;
}

static cl_int crash(const struct yk_mailbox_end end[2], size_t bytes, struct yk_mailbox *box)
{
    (void)end, (void)bytes, (void)box;
    _exit(9);
}

static int begun_now(const char *path, const struct stat *st, int type, struct FTW *at)
{
    struct timespec now[2];
    (void)st, (void)at;
    clock_gettime(CLOCK_REALTIME, &now[0]);
    now[1] = now[0];
    return type == FTW_F ? utimensat(AT_FDCWD, path, now, 0) : 0;
}

START_TEST(a_driver_that_crashes_is_not_asked_again)
{
    static const struct yk_mailbox_maker crashing = {"crashing", fits, crash, NULL, NULL};
    const struct yk_machine *m = load("gpu,gpu", NULL);
    int status = 0;
    pid_t child = fork();
    if (!child) {
        yk_mailbox_try_all(&crashing, m, BOX);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 9);
    ck_assert_int_eq(word(&crashing, m, 0, 1), YK_MAILBOX_UNTRIED); /* it might still be at it */
    struct timespec begin, now;
    clock_gettime(CLOCK_REALTIME, &begin);
    do { /* also where it has begun this moment, at whatever part of a second */
        ck_assert_int_eq(nftw(scratch_folder, begun_now, 8, FTW_PHYS), 0);
        ck_assert_int_eq(word(&crashing, m, 0, 1), YK_MAILBOX_UNTRIED);
        clock_gettime(CLOCK_REALTIME, &now);
    } while (now.tv_sec < begin.tv_sec + 2);
    ck_assert_uint_eq(yk_mailbox_try_all(&crashing, m, BOX), 0);
    ck_assert_int_eq(word(&crashing, m, 0, 1), YK_MAILBOX_FAILS);
}
END_TEST

YK_TEST_MAIN("mailbox", each_pair_is_tried_once_and_remembered, memory_that_is_not_shared_is_found_out,
             calls_that_fail_are_remembered, a_driver_that_crashes_is_not_asked_again)
