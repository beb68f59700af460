/* What a launch is predicted to take on each device, by what was measured of it. */
#include "shim/memory/link.h"
#include "shim/memory/link_choice.h"
#include "shim/memory/link_rate.h"
#include "tests/stub/shim/predict.h"

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

/* The same launch takes a GPU that is not filled by it as long in two halves as alone; a CPU half as long. What has
 * been measured counts. */
START_TEST(a_gpu_that_is_hardly_filled_gains_nothing)
{
    struct {
        unsigned units;
        double half; /* of the time alone */
    } of[] = {{0, 0.5}, {16, 0.5}, {256, 0.5}, {320, 0.625}, {512, 1}, {4096, 1}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        double ms = 0, all = 0;
        begin(true);
        machine.device[0].compute_units = machine.device[1].compute_units = of[i].units;
        measured(0, YK_SAMPLE_ALONE, GROUPS, ALONE_MS);
        all = whole_ms(1);
        ck_assert_double_eq_tol(all, ALONE_MS, 1e-9);
        ck_assert(yk_split_time(&p.device[1], GROUPS / 2, &ms));
        ck_assert_double_eq_tol(ms, of[i].half * ALONE_MS, 1e-9);
        machine.device[1].type = CL_DEVICE_TYPE_CPU;
        (void)whole_ms(1);
        ck_assert(yk_split_time(&p.device[1], GROUPS / 2, &ms));
        ck_assert_double_eq_tol(ms, 0.5 * ALONE_MS, 1e-9);
        machine.device[1].type = CL_DEVICE_TYPE_GPU;
        measured(1, YK_SAMPLE_SHARED, GROUPS / 2.0, 0.7 * ALONE_MS);
        (void)whole_ms(1);
        ck_assert(yk_split_time(&p.device[1], GROUPS / 2, &ms));
        ck_assert_double_eq_tol(ms, 0.7 * ALONE_MS, 1e-9);
    }
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

/* Without one rate that this process has seen, a link is as fast as it was for so many bytes in others; what makes a
 * transfer longer than it needs to be counts for little. */
START_TEST(a_slow_link_is_remembered)
{
    const double plain = 5e6;
    begin(true);
    machine.device[1].type = CL_DEVICE_TYPE_CPU;
    ck_assert_double_eq(yk_link_bandwidth(1, 4 << 20), plain);
    yk_link_remember(1, YK_IN, false, 1000, 1000); /* too short to say anything */
    ck_assert_double_eq(yk_link_bandwidth(1, 4 << 20), plain);
    yk_link_remember(1, YK_OUT, false, 4 << 20, 1000000);
    yk_link_remember(1, YK_IN, true, 4 << 20, 1000000);
    ck_assert_double_eq(yk_link_bandwidth(1, 4 << 20), plain);
    for (unsigned i = 0; i < 3; i++) {
        yk_link_remember(1, YK_IN, false, 1 << 20, i == 1 ? 900000 : 1100000);
        yk_link_remember(1, YK_IN, false, 8 << 20, i == 2 ? 80000000 : 8100000);
    }
    ck_assert_double_gt(yk_link_bandwidth(1, 8 << 20), (8 << 20) / 16.0);
    yk_link_remember(1, YK_IN, false, 8 << 20, 8100000);
    ck_assert_double_eq_tol(yk_link_bandwidth(1, 8 << 20), (8 << 20) / 8.1, 1000);
    ck_assert_double_gt(yk_link_bandwidth(1, 1 << 20), (1 << 20) / 1.0);
    yk_link_note_rate(1, 4 << 20, 2000000); /* what is seen now counts */
    ck_assert_double_eq_tol(yk_link_bandwidth(1, 8 << 20), (4 << 20) / 2.0, 1);
}
END_TEST

YK_TEST_MAIN("predict", a_slow_link_is_remembered, a_few_work_groups_on_a_busy_device_are_not_drawn_out,
             a_part_that_took_longer_than_the_whole_is_not_believed, a_gpu_that_is_hardly_filled_gains_nothing,
             nothing_else_is_presumed, one_of_unknown_speed_keeps_nobody_from_sharing,
             a_slow_device_keeps_its_small_share, a_bad_period_is_forgotten, a_faster_primary_tries_again_at_once,
             what_never_pays_is_tried_ever_more_seldom, a_kernel_never_measured_is_guessed_at)
