/* What a launch is predicted to take on each device, by what was measured of it. No call reaches a driver: the machine
 * is written down by hand, two devices of one kind. */
#include <stdio.h>
#include <string.h>
#include "partitioner/cost.h"
#include "shim/core/runtime.h"
#include "shim/queue/divide.h"
#include "shim/queue/predict.h"
#include "shim/queue/remember.h"
#include "tests/unit/main.h"

enum { GROUPS = 4096, LOCAL = 64, ALONE_MS = 20 };

static struct yk_machine machine = {.n = 2};
static double bytes[YK_MAX_DEVICES]; /* that each lacks */
static struct yk_build build;
static struct yk_code code;
static struct yk_launch launch;
static struct yk_decision decision;
static struct yk_prediction p;

/* A launch of a kernel that nothing is known of. WARM: it has run on both devices in this process. */
static void begin(bool warm)
{
    static char name[] = "kernel";
    static uint64_t number;
    for (unsigned i = 0; i < machine.n; i++)
        machine.device[i] = (struct yk_device){
            .index = i, .twin = i, .name = "device", .driver = "1", .type = CL_DEVICE_TYPE_GPU, .usable = true};
    yk_rt.machine = &machine;
    yk_rt.primary = &machine.device[0];
    build = (struct yk_build){.content = {.lo = ++number}};
    code = (struct yk_code){.build = &build, .name = name};
    launch = (struct yk_launch){
        .code = &code, .dims = 1, .has_local = true, .local = {LOCAL}, .global = {(size_t)GROUPS * LOCAL}};
    decision = (struct yk_decision){.total = GROUPS, .local = {LOCAL, 1, 1}, .takes = {true, true, true}};
    for (unsigned i = 0; i < machine.n; i++) {
        code.warm[i] = warm;
        code.warm_done[i][0] = code.warm_done[i][1] = true; /* what its driver compiles is compiled */
    }
}

static void measured(unsigned dev, enum yk_sample_kind kind, double groups, double ms)
{
    yk_remember(&launch, dev, kind, groups * LOCAL, ms);
}

/* How long DEV is predicted to take for all of it. */
static double whole_ms(unsigned dev)
{
    double ms = 0;
    yk_predict(&launch, &decision, bytes, &p);
    ck_assert(yk_split_time(&p.device[dev], GROUPS, &ms));
    return ms;
}

static uint64_t share_of(unsigned dev)
{
    struct yk_strategy strategy;
    struct yk_split split = {.n = machine.n, .device = p.device, .total = GROUPS};
    uint64_t groups[YK_SPLIT_MAX] = {0};
    ck_assert_int_eq(yk_strategy_parse("waterfill", &strategy, NULL, 0), YK_OK);
    yk_strategy_divide(&strategy, &split, groups);
    return groups[dev];
}

/* 40 work-groups took 100 times as long as they should, because the device was busy. */
START_TEST(a_few_work_groups_on_a_busy_device_are_not_drawn_out)
{
    begin(true);
    measured(0, YK_SAMPLE_ALONE, GROUPS, ALONE_MS);
    measured(1, YK_SAMPLE_SHARED, 40, 100 * 40.0 * ALONE_MS / GROUPS);
    ck_assert_double_eq_tol(whole_ms(1), ALONE_MS, 0.1 * ALONE_MS);
    ck_assert_uint_gt(share_of(1), GROUPS * 2 / 5);
    measured(0, YK_SAMPLE_SHARED, GROUPS / 2.0, ALONE_MS / 2.0);
    measured(1, YK_SAMPLE_SHARED, GROUPS / 2.0, 10 * ALONE_MS); /* it is as slow as that, then */
    ck_assert_double_gt(whole_ms(1), 15 * ALONE_MS);
    ck_assert_uint_lt(share_of(1), GROUPS / 8);
}
END_TEST

/* Half of it took three times as long as all of it, once; quarters show how fast it is. */
START_TEST(a_part_that_took_longer_than_the_whole_is_not_believed)
{
    begin(true);
    for (int i = 0; i < 8; i++) {
        measured(0, YK_SAMPLE_ALONE, GROUPS, ALONE_MS);
        measured(0, YK_SAMPLE_SHARED, GROUPS / 4.0, ALONE_MS / 4.0);
        measured(1, YK_SAMPLE_SHARED, GROUPS / 4.0, ALONE_MS / 4.0);
    }
    measured(0, YK_SAMPLE_SHARED, GROUPS / 2.0, 3 * ALONE_MS);
    ck_assert_double_eq_tol(whole_ms(0), ALONE_MS, 0.1 * ALONE_MS);
    ck_assert_uint_gt(share_of(0), GROUPS * 2 / 5);
    for (int i = 0; i < 8; i++)
        measured(0, YK_SAMPLE_SHARED, GROUPS / 2.0, 3 * ALONE_MS);
    (void)whole_ms(0);
    ck_assert_uint_lt(share_of(0), GROUPS * 2 / 5); /* it is as slow as that, then */
}
END_TEST

/* The primary too, and where the whole launch's time is not known nothing is presumed. */
START_TEST(nothing_else_is_presumed)
{
    begin(true);
    measured(0, YK_SAMPLE_SHARED, 40, 100 * 40.0 * ALONE_MS / GROUPS);
    ck_assert_double_gt(whole_ms(0), 50 * ALONE_MS);
    measured(0, YK_SAMPLE_ALONE, GROUPS, ALONE_MS);
    ck_assert_double_eq_tol(whole_ms(0), ALONE_MS, 0.1 * ALONE_MS);
    begin(true); /* another kind of device may well be that slow */
    measured(0, YK_SAMPLE_ALONE, GROUPS, ALONE_MS);
    measured(1, YK_SAMPLE_SHARED, 40, 100 * 40.0 * ALONE_MS / GROUPS);
    snprintf(machine.device[1].name, sizeof machine.device[1].name, "another");
    measured(1, YK_SAMPLE_SHARED, 40, 100 * 40.0 * ALONE_MS / GROUPS);
    ck_assert_double_gt(whole_ms(1), 50 * ALONE_MS);
}
END_TEST

/* Two GPUs share what they know to share, whatever the host's processors would take. */
START_TEST(one_of_unknown_speed_keeps_nobody_from_sharing)
{
    machine.n = 3;
    begin(true);
    machine.device[2].type = CL_DEVICE_TYPE_CPU;
    machine.device[2].host_memory = true;
    snprintf(machine.device[2].name, sizeof machine.device[2].name, "processors");
    measured(0, YK_SAMPLE_ALONE, GROUPS, ALONE_MS);
    bytes[1] = bytes[2] = 1 << 20;
    ck_assert_double_gt(whole_ms(1), 0.9 * ALONE_MS);
    ck_assert(!p.all_known);
    ck_assert_uint_gt(share_of(2), GROUPS / 5); /* asked for, it gets what the others do */
    yk_predict_known_only(&p, bytes);
    ck_assert_uint_gt(share_of(1), GROUPS * 2 / 5);
    ck_assert_uint_eq(share_of(2), 0);
    measured(2, YK_SAMPLE_SHARED, GROUPS / 8.0, ALONE_MS); /* known by now */
    ck_assert_double_gt(whole_ms(2), 7 * ALONE_MS);
    yk_predict_known_only(&p, bytes);
    ck_assert_uint_gt(share_of(2), 0);
    machine.n = 2;
    memset(bytes, 0, sizeof bytes);
}
END_TEST

/* A device that is ten times slower has an eleventh by right, and what is measured of that stands. */
START_TEST(a_slow_device_keeps_its_small_share)
{
    begin(true);
    measured(0, YK_SAMPLE_ALONE, GROUPS, ALONE_MS);
    measured(0, YK_SAMPLE_SHARED, GROUPS * 10 / 11.0, ALONE_MS * 10 / 11.0);
    measured(1, YK_SAMPLE_SHARED, GROUPS / 11.0, ALONE_MS * 10 / 11.0);
    ck_assert_double_eq_tol(whole_ms(1), 10 * ALONE_MS, ALONE_MS);
    ck_assert_uint_lt(share_of(1), GROUPS / 8);
}
END_TEST

/* In processes of one launch there are first launches only: a slow one was compiled, unless another was slow too. */
START_TEST(first_launches_that_are_always_slow_are_believed)
{
    begin(false);
    measured(0, YK_SAMPLE_ALONE, GROUPS, ALONE_MS);
    measured(0, YK_SAMPLE_FIRST, GROUPS, ALONE_MS);
    measured(1, YK_SAMPLE_FIRST, GROUPS / 2.0, 5 * ALONE_MS);
    ck_assert_double_lt(whole_ms(1), 2 * ALONE_MS);
    measured(1, YK_SAMPLE_FIRST, GROUPS / 3.0, 10 / 3.0 * ALONE_MS);
    ck_assert_double_gt(whole_ms(1), 8 * ALONE_MS);
    ck_assert_uint_lt(share_of(1), GROUPS / 8);
    measured(1, YK_SAMPLE_FIRST, GROUPS / 2.0, ALONE_MS / 2.0); /* the least counts */
    ck_assert_double_lt(whole_ms(1), 2 * ALONE_MS);
}
END_TEST

/* What a device's only first launch took beside its work was compiled, and will not be once yoke-warm has done that: it
 * has to be asked. */
START_TEST(what_was_compiled_once_is_asked_for)
{
    begin(false);
    char none[] = "";
    build.options = none;
    code.warm_done[1][0] = code.warm_done[1][1] = false;
    measured(0, YK_SAMPLE_ALONE, GROUPS, ALONE_MS);
    measured(1, YK_SAMPLE_FIRST, GROUPS / 2.0, ALONE_MS / 2.0 + 8);
    ck_assert_double_eq_tol(whole_ms(1), ALONE_MS + 8, 0.5);
    ck_assert(p.unseen[1]);
    measured(1, YK_SAMPLE_FIRST, GROUPS / 4.0, ALONE_MS / 4.0 + 1); /* it is compiled by now, whoever did it */
    ck_assert_double_eq_tol(whole_ms(1), ALONE_MS + 1, 0.5);
    ck_assert(!p.unseen[1]);
}
END_TEST

/* Seconds are no compilation, the first time already. */
START_TEST(what_takes_too_long_was_not_compiled)
{
    begin(false);
    measured(0, YK_SAMPLE_ALONE, GROUPS, 100 * ALONE_MS);
    measured(0, YK_SAMPLE_FIRST, GROUPS, 100 * ALONE_MS);
    measured(1, YK_SAMPLE_FIRST, GROUPS / 2.0, 500 * ALONE_MS);
    ck_assert_double_gt(whole_ms(1), 800 * ALONE_MS);
}
END_TEST

/* After 2, 4, 8, ... whole runs a device is tried again; of those that has been slow, the later the more often. */
START_TEST(who_was_slow_too_often_is_not_tried_again)
{
    begin(false);
    for (int i = 0; i < 8; i++) {
        measured(0, YK_SAMPLE_FIRST, GROUPS, ALONE_MS);
        if (i < 2)
            measured(1, YK_SAMPLE_FIRST, GROUPS / 2.0, 5 * ALONE_MS);
        bool tried = whole_ms(1) < 2 * ALONE_MS;
        ck_assert_int_eq(tried, i == 0 || i == 7);
    }
    measured(1, YK_SAMPLE_FIRST, GROUPS / 2.0, 5 * ALONE_MS);
    ck_assert_double_gt(whole_ms(1), 8 * ALONE_MS);
}
END_TEST

/* What many work-groups took says nothing of few: loading what is compiled takes as long for these. */
START_TEST(few_work_groups_of_a_first_launch_are_not_free)
{
    begin(false);
    measured(0, YK_SAMPLE_ALONE, GROUPS, 0.1);
    measured(0, YK_SAMPLE_FIRST, 512.0 * GROUPS, 50);
    measured(1, YK_SAMPLE_FIRST, 512.0 * GROUPS, 20);
    ck_assert_double_gt(whole_ms(1), 0.4);
    begin(false);
    measured(0, YK_SAMPLE_ALONE, GROUPS, ALONE_MS);
    measured(0, YK_SAMPLE_FIRST, GROUPS, ALONE_MS);
    ck_assert_double_eq_tol(whole_ms(1), ALONE_MS, 0.01); /* of as many it is part of what was measured */
}
END_TEST

static bool tried(void)
{
    whole_ms(0);
    return p.again;
}

/* Shares that were measured beside another program stand for as long as nobody looks again. */
START_TEST(a_bad_period_is_forgotten)
{
    begin(true);
    measured(0, YK_SAMPLE_ALONE, GROUPS, ALONE_MS);
    measured(0, YK_SAMPLE_SHARED, GROUPS * 0.56, 2.8 * ALONE_MS);
    measured(1, YK_SAMPLE_SHARED, GROUPS * 0.44, 2.3 * ALONE_MS);
    for (unsigned i = 0; i < 8; i++) {
        ck_assert(!tried());
        ck_assert_double_gt(whole_ms(1), 4 * ALONE_MS);
        yk_remember_declined(&launch, ALONE_MS, false);
    }
    ck_assert(tried());
    ck_assert_double_eq_tol(whole_ms(1), ALONE_MS, 0.1 * ALONE_MS);
    yk_remember_declined(&launch, ALONE_MS, true);
    for (unsigned i = 0; i < 2; i++)
        yk_remember_try(&launch, i, false, LOCAL * GROUPS / 2.0, 0.6 * ALONE_MS);
    yk_remember_won(&launch);
    ck_assert(!tried());
    ck_assert_double_lt(whole_ms(0), 1.3 * ALONE_MS);
    ck_assert_double_lt(whole_ms(1), 1.3 * ALONE_MS);
    ck_assert_uint_gt(share_of(1), GROUPS * 2 / 5);
}
END_TEST

/* A process of few launches tries in the first of a device, which takes longer than the next will. */
START_TEST(a_first_launch_belies_what_is_slower)
{
    begin(true);
    measured(1, YK_SAMPLE_SHARED, GROUPS / 2.0, 5 * ALONE_MS);
    yk_remember_try(&launch, 1, true, LOCAL * GROUPS * 0.45, 0.9 * ALONE_MS);
    ck_assert_double_eq_tol(whole_ms(1), 2 * ALONE_MS, 0.1 * ALONE_MS);
    yk_remember_try(&launch, 1, true, LOCAL * GROUPS * 0.45, 50 * ALONE_MS); /* it was compiled */
    ck_assert_double_eq_tol(whole_ms(1), 2 * ALONE_MS, 0.1 * ALONE_MS);
}
END_TEST

/* The primary has become faster than when dividing did not pay: that was another time. */
START_TEST(a_faster_primary_tries_again_at_once)
{
    begin(true);
    measured(0, YK_SAMPLE_ALONE, GROUPS, 3 * ALONE_MS);
    measured(0, YK_SAMPLE_SHARED, GROUPS / 2.0, 3 * ALONE_MS);
    measured(1, YK_SAMPLE_SHARED, GROUPS / 2.0, 3 * ALONE_MS);
    ck_assert(!tried());
    yk_remember_declined(&launch, 3 * ALONE_MS, false);
    ck_assert(!tried());
    measured(0, YK_SAMPLE_ALONE, GROUPS, ALONE_MS);
    measured(0, YK_SAMPLE_ALONE, GROUPS, ALONE_MS);
    ck_assert(tried());
    yk_remember_declined(&launch, p.alone_ms, true);
    ck_assert(!tried()); /* once, whatever came of it */
    measured(0, YK_SAMPLE_ALONE, GROUPS, ALONE_MS);
    ck_assert(!tried());
}
END_TEST

/* Where dividing never pays it is seldom tried, on a machine whose times differ by a fifth. */
START_TEST(what_never_pays_is_tried_ever_more_seldom)
{
    unsigned n = 0;
    begin(true);
    srand(3);
    measured(0, YK_SAMPLE_ALONE, GROUPS, ALONE_MS);
    for (unsigned i = 0; i < 1000; i++) {
        double noise = 0.8 + 0.4 * rand() / RAND_MAX;
        bool again = tried();
        n += again;
        yk_remember_declined(&launch, p.alone_ms, again);
        if (again)
            for (unsigned dev = 0; dev < 2; dev++)
                yk_remember_try(&launch, dev, false, LOCAL * GROUPS / 2.0, 1.3 * noise * ALONE_MS);
        else
            measured(0, YK_SAMPLE_ALONE, GROUPS, noise * ALONE_MS);
    }
    ck_assert_uint_ge(n, 10);
    ck_assert_uint_le(n, 20);
}
END_TEST

/* The first launches of a search are short, but not all before them were: the range is not given up. */
START_TEST(a_short_launch_does_not_make_its_range_small)
{
    begin(true);
    yk_code_lasts(&code, 1000, 0.2);
    yk_code_is_small(&code, 900);
    ck_assert_double_eq(code.small, 900);
    yk_code_lasts(&code, 1000, 14);
    yk_code_is_small(&code, 1000);
    yk_code_is_small(&code, 2000);
    ck_assert_double_eq(code.small, 900);
    yk_code_lasts(&code, 2000, 30);
    yk_code_is_small(&code, 950); /* of so few nobody knows a long one */
    ck_assert_double_eq(code.small, 950);
}
END_TEST

/* Through what a process measures: the time of an earlier one counts too. */
START_TEST(what_was_long_before_is_not_small)
{
    begin(true);
    measured(0, YK_SAMPLE_ALONE, GROUPS, 1.1);
    yk_launch_measured(&launch, 0.2e-3);
    yk_launch_measured(&launch, 0.2e-3);
    yk_launch_measured(&launch, 0.2e-3);
    yk_launch_measured(&launch, 0.2e-3);
    ck_assert_double_eq(code.small, 0);
    begin(true);
    measured(0, YK_SAMPLE_FIRST, GROUPS, 230); /* most of it was a compilation */
    yk_launch_measured(&launch, 0.2e-3);
    ck_assert_double_eq(code.small, (double)GROUPS * LOCAL);
}
END_TEST

/* Half of a millisecond's launch, on one-core devices in the host's memory. One share of it was unlucky: that is asked
 * about again in this process, since small launches never are. */
START_TEST(one_unlucky_share_does_not_make_a_launch_small)
{
    static const struct yk_facts_kernel facts;
    const double ms = 0.5, unlucky = 0.7, items = (double)GROUPS * LOCAL;
    unsigned divided = 0;
    begin(true);
    for (unsigned i = 0; i < machine.n; i++) {
        machine.device[i].type = CL_DEVICE_TYPE_CPU;
        machine.device[i].host_memory = true;
        measured(i, YK_SAMPLE_SHARED, GROUPS / 2.0, unlucky);
    }
    measured(0, YK_SAMPLE_ALONE, GROUPS, ms);
    for (unsigned i = 0; i < 20 && code.small < items; i++) {
        decision = (struct yk_decision){.total = GROUPS,
                                        .local = {LOCAL, 1, 1},
                                        .takes = {true, true},
                                        .range = {.dims = 1, .groups = {GROUPS, 1, 1}}};
        if (yk_divide(&launch, &facts, &decision))
            continue;
        divided++;
        for (unsigned dev = 0; dev < machine.n; dev++)
            yk_remember_try(&launch, dev, false, items / 2, ms / 2);
    }
    ck_assert_double_eq(code.small, 0);
    ck_assert_uint_gt(divided, 2);
    code.lost = 6;                                            /* launches that were divided, one after the other */
    for (unsigned i = 0; i < 20 && code.small < items; i++) { /* there is no luck in so many */
        measured(0, YK_SAMPLE_SHARED, GROUPS / 2.0, unlucky);
        measured(1, YK_SAMPLE_SHARED, GROUPS / 2.0, unlucky);
        (void)yk_divide(&launch, &facts, &decision);
    }
    ck_assert_double_eq(code.small, items);
}
END_TEST

/* A kernel that finds more to do at one launch than at the next: what shares took is of other launches than what it
 * takes alone, and little is believed of it while dividing is not seen to lose. */
START_TEST(shares_of_short_launches_of_twins_are_doubted)
{
    const double ms = 1.4;
    begin(true);
    for (unsigned i = 0; i < machine.n; i++) {
        machine.device[i].type = CL_DEVICE_TYPE_CPU;
        machine.device[i].host_memory = true;
    }
    for (unsigned n = 0; n < 20; n++) {
        measured(0, YK_SAMPLE_ALONE, GROUPS, ms);
        measured(0, YK_SAMPLE_SHARED, GROUPS / 2.0, 1.5 * ms);
        measured(1, YK_SAMPLE_SHARED, GROUPS / 2.0, 1.5 * ms);
    }
    ck_assert_double_lt(whole_ms(1), 1.8 * ms);
    ck_assert_uint_gt(share_of(1), GROUPS / 3);
    code.lost = 6;
    ck_assert_double_gt(whole_ms(1), 2.5 * ms);
    code.lost = 0;
    begin(true);
    for (unsigned i = 0; i < machine.n; i++)
        machine.device[i].host_memory = true;
    for (unsigned n = 0; n < 20; n++) { /* long ones are measured well */
        measured(0, YK_SAMPLE_ALONE, GROUPS, 10 * ms);
        measured(1, YK_SAMPLE_SHARED, GROUPS / 2.0, 15 * ms);
    }
    ck_assert_double_gt(whole_ms(1), 25 * ms);
}
END_TEST

/* What other kernels took says something of one that was never measured, carefully; what was measured counts instead.
 */
START_TEST(a_kernel_never_measured_is_guessed_at)
{
    static struct yk_facts_kernel facts;
    facts.count[YK_COUNT_LOAD_GLOBAL] = 4;
    begin(true);
    yk_predict(&launch, &decision, bytes, &p);
    ck_assert_double_eq(p.alone_ms, 0); /* nothing is known at all */
    for (int i = 0; i < 2 * YK_MODEL_KERNELS; i++) {
        begin(true);
        code.facts = &facts;
        code.warm[0] = i > 0;
        yk_launch_measured(&launch, ALONE_MS * 1e-3);
        measured(0, YK_SAMPLE_ALONE, GROUPS, ALONE_MS);
    }
    yk_profile_learn(&machine.device[0]);
    begin(true);
    yk_predict(&launch, &decision, bytes, &p);
    ck_assert_double_eq(p.alone_ms, 0); /* without facts nobody knows what it looks like */
    code.facts = &facts;
    yk_predict(&launch, &decision, bytes, &p);
    ck_assert(p.guessed && !p.seen_alone && !p.again);
    ck_assert_double_gt(p.alone_ms, ALONE_MS / 6.0);
    ck_assert_double_lt(p.alone_ms, ALONE_MS);
    ck_assert_uint_gt(share_of(1), GROUPS * 2 / 5);
    measured(0, YK_SAMPLE_ALONE, GROUPS, 3 * ALONE_MS);
    yk_predict(&launch, &decision, bytes, &p);
    ck_assert(!p.guessed);
    ck_assert_double_eq_tol(p.alone_ms, 3 * ALONE_MS, 1e-6);
}
END_TEST

YK_TEST_MAIN("predict", shares_of_short_launches_of_twins_are_doubted, one_unlucky_share_does_not_make_a_launch_small,
             a_kernel_never_measured_is_guessed_at, a_short_launch_does_not_make_its_range_small,
             what_was_long_before_is_not_small, a_bad_period_is_forgotten, a_first_launch_belies_what_is_slower,
             a_faster_primary_tries_again_at_once, what_never_pays_is_tried_ever_more_seldom,
             a_few_work_groups_on_a_busy_device_are_not_drawn_out,
             a_part_that_took_longer_than_the_whole_is_not_believed, nothing_else_is_presumed,
             one_of_unknown_speed_keeps_nobody_from_sharing, a_slow_device_keeps_its_small_share,
             first_launches_that_are_always_slow_are_believed, what_was_compiled_once_is_asked_for,
             what_takes_too_long_was_not_compiled, who_was_slow_too_often_is_not_tried_again,
             few_work_groups_of_a_first_launch_are_not_free)
