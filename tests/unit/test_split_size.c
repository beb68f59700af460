/* Choosing the number of splits (partitioner/split_size.h) for launches whose time is known as a function of it. */
#include "partitioner/split_size.h"
#include "tests/unit/main.h"

enum { LAUNCHES = 40 };

/* A launch of stages of IN, KERNEL and OUT ms in N splits, each with a cost of its own (EACH): the longest one, and the
 * ends of the others. */
static double time_of(unsigned n, double in, double kernel, double out, double each)
{
    double longest = in > out ? in : out;
    longest = longest > kernel ? longest : kernel;
    return longest + (in + kernel + out - longest) / n + each * n;
}

/* What is chosen from FIRST on, and within how many launches. */
static unsigned chosen(unsigned first, double in, double kernel, double out, double each, unsigned *within)
{
    struct yk_split_size s = yk_split_size_start(first, 64);
    *within = 0;
    for (unsigned i = 1; i <= LAUNCHES; i++) {
        unsigned n = yk_split_size_next(&s);
        ck_assert_uint_ge(n, 2);
        ck_assert_uint_le(n, 64);
        double scatter = 1 + 0.002 * (i * 7 % 5);
        if (yk_split_size_took(&s, n, scatter * time_of(n, in, kernel, out, each), in > out ? in : out, kernel) &&
            !*within)
            *within = i;
    }
    ck_assert_uint_gt(*within, 0);
    return yk_split_size_next(&s);
}

START_TEST(the_best_candidate_stays)
{
    unsigned within;
    ck_assert_uint_eq(chosen(64, 10, 1, 5, 0.1, &within), 16); /* type 1: splits are dear */
    ck_assert_uint_le(within, 9);
    ck_assert_uint_eq(chosen(64, 10, 1, 10, 0.0001, &within), 64); /* and cheap */
    ck_assert_uint_le(within, 9);
    ck_assert_uint_eq(chosen(16, 4, 20, 4, 0.0001, &within), 32); /* type 2: smaller ones */
    ck_assert_uint_le(within, 6);
    ck_assert_uint_eq(chosen(32, 10, 11, 10, 0.0001, &within), 64); /* type 3 */
    ck_assert_uint_eq(chosen(2, 10, 1, 5, 0.0001, &within), 4);     /* halves are too few for any type */
    ck_assert_uint_eq(chosen(2, 10, 0.1, 0.1, 1, &within), 2);      /* there is no launch in one */
}
END_TEST

/* Whatever the times, each launch is within what the candidates take, and few are spent on bad ones. */
START_TEST(tuning_costs_little)
{
    struct yk_split_size s = yk_split_size_start(64, 64);
    double spent = 0;
    for (unsigned i = 0; i < LAUNCHES; i++) {
        unsigned n = yk_split_size_next(&s);
        double ms = time_of(n, 10, 1, 10, 0) * (n < 64 ? 1.2 : 1);
        spent += ms;
        yk_split_size_took(&s, n, ms, 10, 1);
    }
    ck_assert_uint_eq(yk_split_size_next(&s), 64);
    ck_assert_double_le(spent, LAUNCHES * time_of(64, 10, 1, 10, 0) * 1.03);
    ck_assert_uint_eq(s.tries[1] + s.tries[2], 2);
}
END_TEST

/* Launches in other numbers (forced ones, or of another queue that was quicker) say nothing. */
START_TEST(others_do_not_count)
{
    struct yk_split_size s = yk_split_size_start(32, 64);
    for (int i = 0; i < 10; i++)
        ck_assert(!yk_split_size_took(&s, 7, 1, 1, 1));
    ck_assert_uint_eq(yk_split_size_next(&s), 32);
    ck_assert_uint_eq(s.tries[0], 0);
}
END_TEST

YK_TEST_MAIN("split_size", the_best_candidate_stays, tuning_costs_little, others_do_not_count)
