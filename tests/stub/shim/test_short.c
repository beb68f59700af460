/* Launches of a millisecond and less, and of some: which of them are too short to be divided, and what is believed of
 * their shares. */
#include "shim/queue/divide.h"
#include "tests/stub/shim/predict.h"

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

/* One of two that bear one name may be the slower one all the same: it is if the best of its shares is slower than the
 * best of the other's, not if some of them found more to do. */
START_TEST(a_slower_twin_is_believed_of_short_launches_too)
{
    const double ms = 4, items = (double)GROUPS * LOCAL / 2;
    begin(true);
    for (unsigned i = 0; i < machine.n; i++) {
        machine.device[i].type = CL_DEVICE_TYPE_CPU;
        machine.device[i].host_memory = true;
    }
    measured(0, YK_SAMPLE_ALONE, GROUPS, ms);
    for (unsigned n = 0; n < 8; n++) {
        measured(0, YK_SAMPLE_SHARED, GROUPS / 2.0, ms / 2);
        measured(1, YK_SAMPLE_SHARED, GROUPS / 2.0, 2 * ms);
    }
    for (unsigned n = 0; n < 5; n++) {
        yk_remember_least(&launch, 0, items, (n == 3 ? 1 : 4) * ms / 2);
        yk_remember_least(&launch, 1, items, 2 * ms / 2);
    }
    ck_assert_double_eq(yk_remember_slower(&launch, 1), 0);
    ck_assert_double_lt(whole_ms(1), 1.5 * ms); /* the work of these launches may have lain there */
    yk_remember_least(&launch, 0, items, 4 * ms / 2);
    ck_assert_double_eq(yk_remember_slower(&launch, 1), 0); /* six of both are asked for */
    yk_remember_least(&launch, 1, items, 4 * ms / 2);
    ck_assert_double_eq_tol(yk_remember_slower(&launch, 1), GROUPS / (2 * ms), 1e-9);
    ck_assert_double_gt(whole_ms(1), 3.5 * ms);
    ck_assert_uint_lt(share_of(1), GROUPS / 4);
    /* One that is divided to ask again is divided so too, not as if they were equal. */
    for (unsigned n = 0; n < 8; n++)
        yk_remember_declined(&launch, ms, false);
    ck_assert_double_eq_tol(whole_ms(1), 2 * ms, 0.01);
    ck_assert(p.again);
    yk_remember_declined(&launch, ms, true);
    /* One share that was as fast: the others were something else. */
    yk_remember_least(&launch, 1, items, ms / 2);
    ck_assert_double_eq(yk_remember_slower(&launch, 1), 0);
    ck_assert_double_lt(whole_ms(1), 1.5 * ms);
}
END_TEST

/* A number that differs at each launch makes each a problem of its own: of no more than the shares' are they kept. */
START_TEST(the_best_shares_of_many_problems_are_not_kept)
{
    struct yk_series s;
    unsigned kept = 0;
    begin(true);
    for (unsigned n = 0; n < 200; n++) {
        launch.global[0] = (size_t)(GROUPS + n) * LOCAL;
        measured(1, YK_SAMPLE_SHARED, GROUPS / 2.0, 2);
        yk_remember_least(&launch, 1, (double)GROUPS * LOCAL / 2, 2);
        struct yk_profile_key k = yk_remember_key(&launch, 1, YK_SAMPLE_LEAST);
        kept += yk_profile_get(&k, &s);
    }
    ck_assert_uint_gt(kept, 0);
    ck_assert_uint_lt(kept, 40);
}
END_TEST

/* Of one that is slower by far fewer shares are enough. */
START_TEST(a_far_slower_twin_shows_soon)
{
    const double items = (double)GROUPS * LOCAL / 2;
    begin(true);
    ck_assert_double_eq(yk_remember_slower(&launch, 1), 0);
    for (unsigned i = 0; i < machine.n; i++)
        measured(i, YK_SAMPLE_SHARED, GROUPS / 2.0, i ? 20 : 2);
    for (unsigned n = 0; n < 2; n++) {
        ck_assert_double_eq(yk_remember_slower(&launch, 1), 0);
        yk_remember_least(&launch, 1, items, 20);
        yk_remember_least(&launch, 0, items, 2);
    }
    ck_assert_double_eq_tol(yk_remember_slower(&launch, 1), GROUPS / 40.0, 1e-9);
    yk_remember_least(&launch, 1, items, 5.5);
    ck_assert_double_eq(yk_remember_slower(&launch, 1), 0);
    /* Of long ones a single share is, and a process that had no other launch of it knows by that. */
    begin(true);
    for (unsigned i = 0; i < machine.n; i++)
        machine.device[i].host_memory = true;
    measured(0, YK_SAMPLE_FIRST, GROUPS, 80);
    for (unsigned i = 0; i < machine.n; i++) {
        measured(i, YK_SAMPLE_FIRST, GROUPS / 2.0, i ? 400 : 40);
        yk_remember_least(&launch, i, items, i ? 400 : 40);
        code.warm[i] = false;
    }
    ck_assert_double_eq_tol(yk_remember_slower(&launch, 1), GROUPS / 800.0, 1e-9);
    ck_assert_double_gt(whole_ms(1), 700);
    ck_assert_double_lt(whole_ms(1), 900); /* no compilation is seen in it */
    ck_assert_uint_lt(share_of(1), GROUPS / 8);
}
END_TEST

YK_TEST_MAIN("short", a_short_launch_does_not_make_its_range_small, what_was_long_before_is_not_small,
             one_unlucky_share_does_not_make_a_launch_small, shares_of_short_launches_of_twins_are_doubted,
             a_slower_twin_is_believed_of_short_launches_too, a_far_slower_twin_shows_soon,
             the_best_shares_of_many_problems_are_not_kept)
