/* What a device's first launch of a kernel is predicted to take: what its driver compiles or loads for it, by local
 * size and width of the range, and how late it is while it is being built for. */
#include "base/clock.h"
#include "shim/queue/remember_program.h"
#include "tests/stub/shim/predict.h"

/* Of CPUs, whose drivers compile at first launches; it has run on both, and alone. */
static void begin_on_cpus(void)
{
    static char none[] = "";
    begin(true);
    build.options = none;
    for (unsigned i = 0; i < machine.n; i++)
        machine.device[i].type = CL_DEVICE_TYPE_CPU;
    measured(0, YK_SAMPLE_ALONE, GROUPS, ALONE_MS);
}

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

/* Whoever is being built for is as late as a build has taken there; where all is kept, as loading takes; and not at all
 * where earlier processes had it by the end of the primary's build (a transposition of 6 ms went whole, since 55 ms
 * were remembered). */
START_TEST(who_is_late_is_as_late_as_before)
{
    begin_on_cpus();
    decision.late[1] = true;
    build.seconds = 30; /* so long that what the test itself takes does not show */
    build.wanted_at = yk_now_ns();
    struct yk_code_local *of = yk_code_local(&code, decision.local);
    of->done[1][0] = of->done[1][1] = false;
    ck_assert_double_eq_tol(whole_ms(1), ALONE_MS + 30e3, 2e3);
    yk_remember_built(&build, 1, 55e3);
    ck_assert_double_eq_tol(whole_ms(1), ALONE_MS + 55e3, 2e3);
    of->done[1][0] = of->done[1][1] = true;
    ck_assert_double_le(whole_ms(1), ALONE_MS + 3.01);
    build.wanted_at = yk_now_ns() - 1000000000;
    ck_assert_double_eq_tol(whole_ms(1), ALONE_MS + 0.3, 0.01);
    for (int i = 0; i < 40; i++)
        yk_remember_built(&build, 1, 0);
    ck_assert_double_eq_tol(whole_ms(1), ALONE_MS, 0.01);
}
END_TEST

/* A local size that no share has had is compiled while the program waits, though others have run (LU decomposition: one
 * launch of 0.5 ms took 367). */
START_TEST(each_local_size_is_compiled_apart)
{
    begin_on_cpus();
    ck_assert_double_eq_tol(whole_ms(1), ALONE_MS, 0.5);
    decision.local[0] = LOCAL / 2;
    ck_assert_double_gt(whole_ms(1), ALONE_MS + 50);
    ck_assert(p.unseen[1]);
    struct yk_code_local *of = yk_code_local(&code, decision.local);
    of->ran[0] |= 2; /* and wide ranges apart from others (of scan's second process 135 ms of 145 were one such) */
    ck_assert_double_gt(whole_ms(1), ALONE_MS + 50);
    of->ran[1] |= 2;
    ck_assert_double_eq_tol(whole_ms(1), ALONE_MS, 0.5);
    size_t local[3] = {0, 1, 1};
    unsigned known = 0;
    for (local[0] = 1; local[0] <= 16; local[0]++)
        known += yk_code_local(&code, local) != NULL;
    ck_assert_uint_eq(known, YK_CODE_LOCALS - 2);
    ck_assert(yk_code_ran(&code, 1, decision.local, true) && !yk_code_ran(&code, 2, decision.local, true));
}
END_TEST

/* What a device's only first launch took beside its work was compiled, and will not be once yoke-warm has done that: it
 * has to be asked. */
START_TEST(what_was_compiled_once_is_asked_for)
{
    begin(false);
    char none[] = "";
    build.options = none;
    struct yk_code_local *of = yk_code_local(&code, decision.local);
    of->done[1][0] = of->done[1][1] = false;
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

YK_TEST_MAIN("predict_first", first_launches_that_are_always_slow_are_believed, what_was_compiled_once_is_asked_for,
             each_local_size_is_compiled_apart, who_is_late_is_as_late_as_before, what_takes_too_long_was_not_compiled,
             who_was_slow_too_often_is_not_tried_again, few_work_groups_of_a_first_launch_are_not_free,
             a_first_launch_belies_what_is_slower)
