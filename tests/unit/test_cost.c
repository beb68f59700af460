/* partitioner/cost.h: predicted times, tables of them, what pays. */
#include "partitioner/cost.h"
#include "tests/unit/main.h"

START_TEST(times_are_predicted)
{
    struct yk_split_device d[] = {
        {.usable = true, .rate = 10, .latency = 1, .bytes = 1000, .bytes_per_group = 10, .bandwidth = 1000},
        {.usable = true, .rate = 20},
    };
    struct yk_split split = {2, d, 200, 1};
    uint64_t none[] = {0, 200}, both[] = {100, 100};
    double ms;
    unsigned best;
    ck_assert(yk_split_time(&d[0], 100, &ms) && ms == 1 + 10 + 2);
    ck_assert(yk_split_time(&d[0], 0, &ms) && ms == 0);
    ck_assert(yk_split_makespan(&split, both, &ms) && ms == 13);
    ck_assert(yk_split_makespan(&split, none, &ms) && ms == 10);
    ck_assert(yk_split_best_single(&split, &best, &ms) && best == 1 && ms == 10);
    ck_assert(!yk_split_pays(&split, both, 0, &best) && best == 1);
    uint64_t good[] = {50, 150};
    ck_assert(yk_split_pays(&split, good, 0.2, &best)); /* 7.5 ms */
    ck_assert(!yk_split_pays(&split, good, 0.3, &best));
    d[0].rate = 0;
    ck_assert(!yk_split_makespan(&split, both, &ms));
    ck_assert(yk_split_makespan(&split, none, &ms));
    ck_assert(yk_split_pays(&split, both, 0, &best)); /* only running it tells */
    d[0].usable = false;
    ck_assert(!yk_split_pays(&split, none, 0.01, &best) && best == 1);
    d[1].usable = false;
    ck_assert(!yk_split_best_single(&split, &best, &ms));
}
END_TEST

START_TEST(tables_are_read_both_ways)
{
    struct yk_point p[] = {{0, 1}, {10, 2}, {20, 2}, {40, 6}};
    struct yk_table t = {4, p};
    ck_assert(yk_table_good(&t));
    ck_assert(yk_table_ms(&t, 0) == 1 && yk_table_ms(&t, 5) == 1.5 && yk_table_ms(&t, 15) == 2);
    ck_assert(yk_table_ms(&t, 30) == 4 && yk_table_ms(&t, 50) == 8);
    ck_assert(yk_table_groups(&t, 0.9) == 0 && yk_table_groups(&t, 1.5) == 5);
    ck_assert(yk_table_groups(&t, 2) == 20 && yk_table_groups(&t, 4) == 30 && yk_table_groups(&t, 8) == 50);
    p[3].ms = 2; /* what follows could not be told */
    ck_assert(!yk_table_good(&t));
    p[3].ms = 1;
    ck_assert(!yk_table_good(&t));
    p[3].ms = 6;
    p[0].groups = 1;
    ck_assert(!yk_table_good(&t));
    t.n = 1;
    ck_assert(!yk_table_good(&t));
}
END_TEST

START_TEST(links_and_merges_are_in_the_time)
{
    struct yk_split_device d[] = {
        {.usable = true, .rate = 10},
        {.usable = true, .rate = 10, .bytes = 100, .back_per_group = 1, .bandwidth = 100, .link = 1, .merge = 0.5},
        {.usable = true, .rate = 10, .bytes = 200, .back_per_group = 1, .bandwidth = 100, .link = 1, .merge = 0.25},
    };
    struct yk_split split = {3, d, 300, 1};
    uint64_t all[] = {100, 100, 100}, one[] = {0, 100, 0};
    double ms, done[3];
    /* In: 1, then 2 more; out of the second device when the first is back at 12, but not before 13. */
    ck_assert(yk_split_times(&split, all, done, &ms));
    ck_assert(done[0] == 10 && done[1] == 12 && done[2] == 14 && ms == 14.75);
    ck_assert(yk_split_makespan(&split, one, &ms) && ms == 12);
    d[2].link = 2;
    ck_assert(yk_split_times(&split, all, done, &ms) && done[2] == 13);
}
END_TEST

START_TEST(what_is_hardly_better_than_even_shares_is_noise)
{
    struct yk_split_device d[] = {{.usable = true, .rate = 10}, {.usable = true, .rate = 11}, {.usable = true}};
    struct yk_split split = {.n = 2, .device = d, .total = 1000, .grain = 1};
    uint64_t even[] = {500, 500, 0}, best[] = {476, 524, 0}, alone[] = {0, 1000, 0};
    /* 50 ms against 47.6. */
    ck_assert(yk_split_nearly_even(&split, best, even, 0.06, 0));
    ck_assert(!yk_split_nearly_even(&split, best, even, 0.04, 0));
    ck_assert(yk_split_nearly_even(&split, best, even, 0.04, 1));
    ck_assert(yk_split_nearly_even(&split, even, even, 0, 0));
    ck_assert(!yk_split_nearly_even(&split, alone, even, 10, 10)); /* one device, on purpose */
    split.n = 3;
    uint64_t thirds[] = {333, 333, 334};
    ck_assert(!yk_split_nearly_even(&split, best, thirds, 10, 10)); /* nobody knows the third's speed */
}
END_TEST

YK_TEST_MAIN("cost", times_are_predicted, tables_are_read_both_ways, links_and_merges_are_in_the_time,
             what_is_hardly_better_than_even_shares_is_noise)
