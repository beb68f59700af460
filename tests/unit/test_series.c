/* profiler: tables made of samples, what they say of sizes never seen, and the regression tree. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "profiler/regress.h"
#include "profiler/series.h"
#include "tests/unit/main.h"

START_TEST(a_table_follows_the_samples)
{
    struct yk_series s = {0};
    struct yk_series_point p[YK_SERIES_POINTS];
    ck_assert_uint_eq(yk_series_table(&s, p), 0);
    ck_assert(yk_series_ms(&s, 3) < 0);
    yk_series_add(&s, 100, 11);
    ck_assert_uint_eq(yk_series_table(&s, p), 2);
    ck_assert(p[0].groups == 0 && p[0].ms == 0 && p[1].groups == 100 && p[1].ms == 11);
    yk_series_add(&s, 50, 6); /* 1 ms and 0.1 per work-group */
    ck_assert_uint_eq(yk_series_table(&s, p), 3);
    ck_assert_double_eq_tol(p[0].ms, 1, 1e-12);
    ck_assert_double_eq_tol(yk_series_ms(&s, 75), 8.5, 1e-12);
    ck_assert_double_eq_tol(yk_series_ms(&s, 200), 21, 1e-12);
    yk_series_add(&s, 200, 5); /* noise: times never fall, and still rise at the end */
    unsigned n = yk_series_table(&s, p);
    for (unsigned i = 1; i < n; i++)
        ck_assert(p[i].ms >= p[i - 1].ms && p[i].groups > p[i - 1].groups);
    ck_assert(p[n - 1].ms > p[n - 2].ms);
    yk_series_add(&s, NAN, 1);
    yk_series_add(&s, 10, -1);
    yk_series_add(&s, 10, INFINITY);
    yk_series_add(&s, 0, 1);
    ck_assert_uint_eq(s.n, 3);
}
END_TEST

START_TEST(noise_is_no_slope)
{
    /* Shares of 64 work-groups on two equal devices, as measured: the middle of the launch, over and over. Nothing in
     * them says that a device could do all 64 in the time of half of them. */
    static const struct yk_sample seen[2][3] = {{{32, 28.1878, 9}, {34, 28.1334, 5}, {37, 27.7115, 1}},
                                                {{27, 23.8922, 1}, {30, 27.3970, 10}, {32, 28.8181, 3}}};
    struct yk_series_point p[YK_SERIES_POINTS];
    for (unsigned d = 0; d < 2; d++) {
        struct yk_series s = {.n = 3};
        memcpy(s.at, seen[d], sizeof seen[d]);
        ck_assert_uint_eq(yk_series_table(&s, p), 2);
        ck_assert_double_eq_tol(yk_series_ms(&s, 64), 55, 4);
        ck_assert_double_eq_tol(yk_series_ms(&s, 16), 14, 1);
    }
    /* Random ones around 0.1 ms + 0.01 ms a work-group, off by up to a tenth: never far off, near or beyond. */
    srand(5);
    for (int round = 0; round < 2000; round++) {
        struct yk_series s = {0};
        double most = 0;
        for (int i = 0, n = 1 + rand() % 20; i < n; i++) {
            double groups = 16 + rand() % (round % 2 ? 16 : 2000);
            yk_series_add(&s, groups, (0.1 + 0.01 * groups) * (0.9 + 0.2 * rand() / RAND_MAX));
            most = groups > most ? groups : most;
        }
        unsigned n = yk_series_table(&s, p);
        for (unsigned i = 1; i < n; i++)
            ck_assert(p[i].ms >= p[i - 1].ms && p[i].groups > p[i - 1].groups);
        ck_assert(p[0].groups == 0 && p[0].ms >= 0 && p[n - 1].ms > p[n - 2].ms);
        double ratio = yk_series_ms(&s, 2 * most) / (0.1 + 0.02 * most);
        ck_assert_msg(ratio > 0.6 && ratio < 2.2, "%g at twice %g", ratio, most);
    }
}
END_TEST

/* Shares of an N-body launch of 64 work-groups, 48 ms alone, most of whose samples were made while somebody else was at
 * work: two groups of them, close by, whose times fall. A level line through them would say that no work-group at all
 * takes as long as half of them, so that dividing could not pay. */
START_TEST(noise_close_by_is_no_start)
{
    static const struct yk_sample seen[] = {
        {24, 35.8485, 1}, {27, 30.7516, 1}, {32, 31.3360, 6}, {34, 26.7145, 3}, {36, 28.2139, 8}};
    struct yk_series s = {.n = sizeof seen / sizeof *seen};
    memcpy(s.at, seen, sizeof seen);
    ck_assert_double_lt(yk_series_ms(&s, 2), 5);
    ck_assert_double_lt(yk_series_ms(&s, 16), 20);
    ck_assert_double_gt(yk_series_ms(&s, 32), 24);
}
END_TEST

START_TEST(a_level_line_stays_level_where_it_was_measured)
{
    struct yk_series s = {0};
    struct yk_series_point p[YK_SERIES_POINTS];
    for (double groups = 8; groups <= 128; groups *= 2) /* a device that is not full */
        yk_series_add(&s, groups, groups == 32 ? 0.9 : 1);
    ck_assert_uint_eq(yk_series_table(&s, p), 7);
    ck_assert_double_eq_tol(yk_series_ms(&s, 16), yk_series_ms(&s, 120), 0.1);
    ck_assert_double_eq_tol(yk_series_ms(&s, 256), 1.5, 0.1); /* beyond: half of what one costs on average */
}
END_TEST

START_TEST(a_change_is_followed_within_a_few_launches)
{
    struct yk_series s = {0};
    for (int i = 0; i < 10; i++)
        yk_series_add(&s, 1000, 10);
    for (int i = 0; i < 4; i++)
        yk_series_add(&s, 1010, 30);
    ck_assert_uint_eq(s.n, 1);
    ck_assert_double_gt(s.at[0].ms, 27);
    struct yk_series first = {0};
    yk_series_add_least(&first, 10, 300);
    yk_series_add_least(&first, 10, 12);
    yk_series_add_least(&first, 10, 300);
    ck_assert(first.at[0].ms > 12 && first.at[0].ms < 42);
}
END_TEST

/* Hundreds of launches of 0.39 ms, and one beside something else. */
START_TEST(one_measurement_far_above_many_is_half_believed)
{
    struct yk_series s = {0};
    for (int i = 0; i < 200; i++)
        yk_series_add(&s, 1000, 0.39);
    yk_series_add(&s, 1000, 0.99);
    ck_assert_double_lt(s.at[0].ms, 0.5);
    yk_series_add(&s, 1020, 0.39);
    ck_assert_double_lt(s.at[0].ms, 0.45);
    yk_series_add(&s, 1000, 0.2); /* faster is possible at once */
    ck_assert_double_lt(s.at[0].ms, 0.33);
    struct yk_series first = {0};
    for (unsigned i = 0; i < 20; i++) /* of first launches each is one, however long: they are counted */
        yk_series_add_least(&first, 10, i % 5 ? 12 : 300);
    ck_assert_uint_eq(first.at[0].count, 20);
}
END_TEST

/* Boundaries of shares move, so that a launch seldom has a share of quite as many work-groups as an earlier one. */
START_TEST(no_sample_is_believed_for_ever)
{
    struct yk_series s = {0};
    yk_series_add(&s, 560, 280);
    yk_series_add(&s, 440, 230);
    yk_series_add(&s, 100, 1);
    for (int i = 0; i < 6; i++)
        yk_series_add(&s, 500, 50); /* the machine is to itself again */
    ck_assert_double_eq_tol(yk_series_ms(&s, 560), 56, 6);
    ck_assert_double_eq_tol(yk_series_ms(&s, 440), 44, 6);
    for (int i = 0; i < 6; i++)
        yk_series_add(&s, 430, 430);
    ck_assert_double_eq_tol(yk_series_ms(&s, 560), 560, 30);
    ck_assert_double_eq_tol(yk_series_ms(&s, 100), 1, 1e-12); /* nobody has seen so few since */
    yk_series_lower(&s, 480, 48);
    ck_assert_double_eq_tol(yk_series_ms(&s, 500), 50, 1);
    yk_series_lower(&s, 480, 480); /* it may take less */
    yk_series_lower(&s, 480, -1);
    ck_assert_double_eq_tol(yk_series_ms(&s, 500), 50, 1);
    ck_assert_double_eq_tol(yk_series_ms(&s, 100), 1, 1e-12);
}
END_TEST

START_TEST(few_work_groups_say_nothing_of_many)
{
    struct yk_series s = {0};
    ck_assert(!yk_series_belied(&s, 1000, 1)); /* nothing is said */
    yk_series_add(&s, 10, 10);                 /* 1 ms each: a hundred times as many are 1,000 ms */
    ck_assert(yk_series_belied(&s, 1000, 100));
    ck_assert(!yk_series_belied(&s, 1000, 0));   /* nobody knows */
    ck_assert(!yk_series_belied(&s, 1000, 600)); /* not by much */
    ck_assert(!yk_series_belied(&s, 150, 1));    /* not far beyond it: it may be that slow */
    yk_series_add(&s, 100, 100);
    ck_assert(!yk_series_belied(&s, 1000, 100));
    ck_assert(yk_series_belied(&s, 2000, 200));
}
END_TEST

/* Half of a launch that takes a second was seen to take four, once: while the device got its buffers. */
START_TEST(a_part_does_not_take_longer_than_the_whole)
{
    struct yk_series s = {0};
    yk_series_add(&s, 500, 4000);
    yk_series_sift(&s, 1000, 1000); /* it may be as slow as that */
    ck_assert_double_eq(yk_series_ms(&s, 500), 4000);
    for (int i = 0; i < 7; i++)
        yk_series_add(&s, 250, 270);
    yk_series_sift(&s, 1000, 1000);
    ck_assert_uint_eq(s.n, 2);
    yk_series_add(&s, 250, 270);
    yk_series_add(&s, 10, 100);    /* a few groups may take long for what they are, */
    yk_series_add(&s, 2000, 5000); /* and more than the whole longer than it */
    yk_series_sift(&s, 1000, 1000);
    ck_assert_uint_eq(s.n, 3);
    ck_assert_double_lt(yk_series_ms(&s, 500), 1500);
    for (int i = 0; i < 8; i++)
        yk_series_add(&s, 500, 4000); /* it is slow, then */
    yk_series_sift(&s, 1000, 1000);
    ck_assert_uint_eq(s.n, 4);
    struct yk_series none = {0};
    yk_series_sift(&none, 1000, 1000);
    ck_assert_uint_eq(none.n, 0);
}
END_TEST

START_TEST(every_measurement_counts)
{
    struct yk_series s = {0};
    ck_assert_uint_eq(yk_series_count(&s), 0);
    for (int i = 0; i < 40; i++)
        yk_series_add_least(&s, 1 + i * i, 1 + i); /* more than there are places */
    ck_assert_uint_ge(yk_series_count(&s), YK_SERIES_SAMPLES);
    s.n = 0;
    for (int i = 0; i < 3; i++)
        yk_series_add_least(&s, 10, 10 + i);
    yk_series_add_least(&s, 1000, 10);
    ck_assert_uint_eq(yk_series_count(&s), 4);
}
END_TEST

START_TEST(a_series_never_overflows)
{
    struct yk_series s = {0};
    srand(1);
    for (int i = 0; i < 10000; i++) {
        yk_series_add(&s, 1 + rand() % 1000000, 0.1 + rand() % 1000);
        ck_assert(yk_series_good(&s) && s.n <= YK_SERIES_SAMPLES);
    }
    ck_assert_uint_gt(s.n, 12);
}
END_TEST

START_TEST(a_regression_tree_finds_what_matters)
{
    enum { N = 400 };
    static struct yk_regress_row row[N];
    static struct yk_regress t;
    srand(9);
    for (int i = 0; i < N; i++) {
        for (int f = 0; f < YK_REGRESS_FEATURES; f++)
            row[i].feature[f] = rand() % 100;
        row[i].target = row[i].feature[3] < 40 ? 1 : row[i].feature[7] < 70 ? 5 : 9;
    }
    ck_assert_int_eq(yk_regress_train(&t, row, N, 5, 3), YK_OK);
    double x[YK_REGRESS_FEATURES] = {0};
    x[3] = 10;
    ck_assert_double_eq_tol(yk_regress_value(&t, x), 1, 1e-9);
    x[3] = 90;
    ck_assert_double_eq_tol(yk_regress_value(&t, x), 5, 1e-9);
    x[7] = 90;
    ck_assert_double_eq_tol(yk_regress_value(&t, x), 9, 1e-9);
    ck_assert_int_eq(yk_regress_train(&t, row, 0, 5, 3), YK_EINVAL);
    for (int i = 0; i < N; i++)
        row[i].target = rand();
    ck_assert_int_eq(yk_regress_train(&t, row, N, 20, 1), YK_OK); /* never more nodes than there are */
    ck_assert_uint_le(t.n, YK_REGRESS_NODES);
    ck_assert_int_eq(yk_regress_train(&t, row, 1, 5, 1), YK_OK);
    ck_assert_double_eq_tol(yk_regress_value(&t, x), row[0].target, 1e-9);
}
END_TEST

YK_TEST_MAIN("series", a_table_follows_the_samples, noise_is_no_slope, noise_close_by_is_no_start,
             a_level_line_stays_level_where_it_was_measured, a_change_is_followed_within_a_few_launches,
             one_measurement_far_above_many_is_half_believed, no_sample_is_believed_for_ever,
             few_work_groups_say_nothing_of_many, a_part_does_not_take_longer_than_the_whole, every_measurement_counts,
             a_series_never_overflows, a_regression_tree_finds_what_matters)
