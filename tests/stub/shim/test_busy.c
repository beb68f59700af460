/* What devices do for other queues, and how a launch is divided meanwhile. No call reaches a driver: the machine is
 * written down by hand, two CPU devices of one kind. */
#include <string.h>
#include <time.h>
#include "shim/core/runtime.h"
#include "shim/queue/busy.h"
#include "shim/queue/divide.h"
#include "shim/queue/remember.h"
#include "tests/unit/main.h"

enum { GROUPS = 4096, LOCAL = 64, ALONE_MS = 4000 };

static struct yk_machine machine = {.n = 2};
static struct yk_queue one, other;
static struct yk_build build;
static struct yk_code code;
static struct yk_launch launch;
static struct yk_decision decision;
static const struct yk_facts_kernel facts = {.verdict = YK_VERDICT_SPLIT};

/* A launch of queue `one`, whose kernel both devices have run. */
static void begin(void)
{
    static char name[] = "kernel";
    static uint64_t number;
    for (unsigned i = 0; i < machine.n; i++)
        machine.device[i] = (struct yk_device){.index = i,
                                               .twin = i,
                                               .name = "device",
                                               .driver = "1",
                                               .type = CL_DEVICE_TYPE_CPU,
                                               .host_memory = true,
                                               .usable = true};
    yk_rt.machine = &machine;
    yk_rt.primary = &machine.device[0];
    yk_busy_end(&one);
    yk_busy_end(&other);
    yk_recall_finish(&code.recall);
    build = (struct yk_build){.content = {.hi = 7, .lo = ++number}};
    code = (struct yk_code){.build = &build, .name = name, .warm = {true, true}};
    launch = (struct yk_launch){.c = {.queue = &one},
                                .code = &code,
                                .dims = 1,
                                .has_local = true,
                                .local = {LOCAL},
                                .global = {(size_t)GROUPS * LOCAL}};
    decision = (struct yk_decision){
        .range = {.dims = 1, .groups = {GROUPS, 1, 1}}, .total = GROUPS, .local = {LOCAL, 1, 1}, .takes = {true, true}};
    struct yk_code_local *of = yk_code_local(&code, decision.local);
    of->ran[0] = of->ran[1] = 3;
    for (unsigned i = 0; i < machine.n; i++)
        yk_remember(&launch, i, i ? YK_SAMPLE_SHARED : YK_SAMPLE_ALONE, (double)GROUPS * LOCAL, ALONE_MS);
}

/* What its shares touch was remembered. */
static void end(void)
{
    yk_recall_finish(&code.recall);
    code.recall = (struct yk_recall){0};
}

START_TEST(a_queue_does_not_wait_for_itself)
{
    begin();
    ck_assert(!(yk_busy_ms(&one, 0) > 0));
    yk_busy_begin(&one, 0, 1000);
    ck_assert(!(yk_busy_ms(&one, 0) > 0));
    ck_assert_double_gt(yk_busy_ms(&other, 0), 500);
    ck_assert(!(yk_busy_ms(&other, 1) > 0));
    yk_busy_begin(&other, 0, 10); /* what ends first is not what is waited for */
    ck_assert_double_gt(yk_busy_ms(&other, 0), 500);
    yk_busy_end(&other);
    ck_assert_double_gt(yk_busy_ms(&other, 0), 500);
    yk_busy_end(&one);
    ck_assert(!(yk_busy_ms(&other, 0) > 0));
}
END_TEST

START_TEST(what_was_to_be_over_is_not_waited_for)
{
    unsigned before = yk_busy_begins();
    begin();
    yk_busy_begin(&other, 1, 1);
    nanosleep(&(struct timespec){0, 3000000}, NULL);
    ck_assert(!(yk_busy_ms(&one, 1) > 0));
    ck_assert_uint_eq(yk_busy_begins(), before + 1);
}
END_TEST

START_TEST(idle_devices_are_divided_among)
{
    begin();
    ck_assert_ptr_null(yk_divide(&launch, &facts, &decision));
    ck_assert_uint_eq(decision.to[0] - decision.from[0], GROUPS / 2);
    ck_assert(!decision.crowded);
    end();
}
END_TEST

START_TEST(who_is_at_work_takes_less_or_nothing)
{
    begin();
    yk_busy_begin(&other, 0, ALONE_MS / 2.0);
    ck_assert_ptr_null(yk_divide(&launch, &facts, &decision));
    uint64_t less = decision.to[0] - decision.from[0];
    ck_assert(decision.crowded);
    ck_assert(less > GROUPS / 8 && less < GROUPS * 3 / 8);
    ck_assert(decision.alone_ms < 1.1 * ALONE_MS); /* that is what it takes, whoever else is at work */
    begin();
    yk_busy_begin(&other, 0, 3 * ALONE_MS);
    ck_assert_ptr_null(yk_divide(&launch, &facts, &decision));
    ck_assert(!decision.takes[0] && decision.takes[1]);
    begin();
    yk_busy_begin(&other, 1, 3 * ALONE_MS);
    ck_assert_ptr_nonnull(yk_divide(&launch, &facts, &decision)); /* whole on the primary */
    end();
}
END_TEST

START_TEST(nothing_is_held_against_dividing)
{
    begin();
    yk_busy_begin(&other, 0, ALONE_MS);
    yk_busy_begin(&other, 1, ALONE_MS);
    ck_assert_ptr_null(yk_divide(&launch, &facts, &decision)); /* the primary alone would wait, too */
    ck_assert(decision.crowded);
    begin();
    yk_busy_begin(&other, 1, 10 * ALONE_MS);
    ck_assert_ptr_nonnull(yk_divide(&launch, &facts, &decision));
    ck_assert_uint_eq(code.losses, 0);
    yk_busy_end(&other);
    decision.takes[0] = decision.takes[1] = true;
    ck_assert_ptr_null(yk_divide(&launch, &facts, &decision));
    end();
}
END_TEST

YK_TEST_MAIN("busy", a_queue_does_not_wait_for_itself, what_was_to_be_over_is_not_waited_for,
             idle_devices_are_divided_among, who_is_at_work_takes_less_or_nothing, nothing_is_held_against_dividing)
