/* partitioner/strategy.h, cost.h: texts, divisions, predictions. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "partitioner/cost.h"
#include "tests/unit/main.h"

static struct yk_strategy parse(const char *text)
{
    struct yk_strategy s;
    char msg[200] = "";
    ck_assert_msg(yk_strategy_parse(text, &s, msg, sizeof msg) == YK_OK, "%s: %s", text, msg);
    return s;
}

static void refuse(const char *text, const char *because)
{
    struct yk_strategy s = {0};
    char msg[200] = "";
    ck_assert_int_eq(yk_strategy_parse(text, &s, msg, sizeof msg), YK_EFORMAT);
    ck_assert_ptr_null(s.ops);
    ck_assert_msg(strstr(msg, because), "'%s' says: %s", text, msg);
    ck_assert_int_eq(yk_strategy_parse(text, &s, NULL, 0), YK_EFORMAT);
}

START_TEST(texts_are_parsed)
{
    ck_assert_str_eq(parse("even").ops->name, "even");
    ck_assert_str_eq(parse("linear").ops->name, "linear");
    struct yk_strategy s = parse("50:25.5:24.5");
    ck_assert_str_eq(s.ops->name, "percentages");
    ck_assert_uint_eq(s.n, 3);
    ck_assert(s.weight[0] == 50 && s.weight[1] == 25.5 && s.weight[2] == 24.5);
    s = parse("single:2");
    ck_assert_uint_eq(s.single, 2);
    s = parse("single:gpu");
    ck_assert_uint_eq(s.single, YK_SPLIT_NONE);
    ck_assert_str_eq(s.single_name, "gpu");
}
END_TEST

START_TEST(bad_texts_say_what_is_wrong)
{
    refuse("", "no strategy");
    refuse("evenly", "no strategy");
    refuse("percentages", "no strategy");
    refuse("single", "no strategy");
    refuse("single:", "which device");
    refuse("70", "one share alone");
    refuse("70:", "share 2 is not a number");
    refuse("70:-30", "share 2 is not a number");
    refuse("70:inf", "share 2 is not a number");
    refuse("70:1.2.3", "share 2 is not a number");
    refuse("70:0x10", "share 2 is not a number");
    refuse("70,30", "separated by ':'");
    refuse("0:0", "all shares are 0");
    refuse("1e3:1", "share 1 is not a number");
    refuse(".:1", "share 1 is not a number");
    refuse("1:9999999999", "share 2 is not a number");
    char many[200] = "1";
    for (int i = 0; i < 40; i++)
        strcat(many, ":1");
    refuse(many, "more than 32");
    char name[300];
    memset(name, 'x', sizeof name);
    memcpy(name, "single:", 7);
    name[299] = 0;
    refuse(name, "too long");
}
END_TEST

START_TEST(what_does_not_fit_the_devices_is_refused)
{
    char msg[100];
    struct yk_strategy s = parse("50:25:25");
    ck_assert_int_eq(yk_strategy_check(&s, 3, msg, sizeof msg), YK_OK);
    ck_assert_int_eq(yk_strategy_check(&s, 2, msg, sizeof msg), YK_EINVAL);
    ck_assert_str_eq(msg, "3 shares, but 2 devices");
    s = parse("single:1");
    ck_assert_int_eq(yk_strategy_check(&s, 2, msg, sizeof msg), YK_OK);
    ck_assert_int_eq(yk_strategy_check(&s, 1, msg, sizeof msg), YK_EINVAL);
    s = parse("single:gpu");
    ck_assert_int_eq(yk_strategy_check(&s, 2, msg, sizeof msg), YK_EINVAL);
    s.single = 0;
    ck_assert_int_eq(yk_strategy_check(&s, 2, msg, sizeof msg), YK_OK);
    s = parse("even");
    ck_assert_int_eq(yk_strategy_check(&s, 1, msg, sizeof msg), YK_OK);
}
END_TEST

static void divide(const char *text, const struct yk_split_device *d, unsigned n, uint64_t total, uint64_t grain,
                   uint64_t *groups)
{
    struct yk_strategy s = parse(text);
    struct yk_split split = {n, d, total, grain};
    memset(groups, 0xee, n * sizeof *groups);
    yk_strategy_divide(&s, &split, groups);
}

#define ck_groups(text, d, total, ...)                                                                                 \
    do {                                                                                                               \
        const uint64_t want[] = {__VA_ARGS__};                                                                         \
        uint64_t got[YK_SPLIT_MAX];                                                                                    \
        divide(text, d, sizeof want / sizeof *want, total, 1, got);                                                    \
        for (size_t k = 0; k < sizeof want / sizeof *want; k++)                                                        \
            ck_assert_uint_eq(got[k], want[k]);                                                                        \
    } while (0)

START_TEST(divisions_by_hand)
{
    struct yk_split_device d[] = {{.usable = true}, {.usable = true}, {.usable = true}};
    ck_groups("even", d, 9, 3, 3, 3);
    ck_groups("even", d, 10, 3, 4, 3);
    ck_groups("70:30", d, 10, 7, 3, 0);
    ck_groups("50:25:25", d, 8, 4, 2, 2);
    ck_groups("0:1:0", d, 8, 0, 8, 0);
    ck_groups("single:1", d, 8, 0, 8, 0);
    ck_groups("linear", d, 9, 3, 3, 3); /* nothing known */
    d[0].rate = 30, d[1].rate = 10, d[2].rate = 20;
    ck_groups("linear", d, 12, 6, 2, 4);
    d[2].rate = 0; /* counts as 20 */
    ck_groups("linear", d, 12, 6, 2, 4);
    d[0].usable = false;
    ck_groups("linear", d, 12, 0, 6, 6);
    ck_groups("even", d, 8, 0, 4, 4);
    ck_groups("60:10:30", d, 8, 0, 2, 6);
    ck_groups("100:0:0", d, 8, 0, 4, 4); /* the only weight is of a device that may not */
    ck_groups("single:0", d, 8, 0, 8, 0);
}
END_TEST

START_TEST(the_grain_is_kept)
{
    struct yk_split_device d[] = {{.usable = true}, {.usable = true}};
    uint64_t g[2];
    divide("even", d, 2, 103, 10, g);
    ck_assert(g[0] == 50 && g[1] == 53);
    divide("even", d, 2, 7, 10, g); /* less than one grain */
    ck_assert(g[0] == 0 && g[1] == 7);
    divide("99:1", d, 2, 103, 10, g); /* the rest stays with the last that has a share */
    ck_assert(g[0] == 103 && g[1] == 0);
}
END_TEST

/* Every strategy of the table: shares add up, nothing for the unusable; the proportional ones come within a grain. */
START_TEST(random_divisions_add_up)
{
    srand(3);
    for (int round = 0; round < 20000; round++) {
        struct yk_split_device d[8] = {{0}};
        unsigned n = 1 + (unsigned)rand() % 8, usable = 0;
        uint64_t total = 1 + ((uint64_t)rand() << (rand() % 32)), grain = (uint64_t)rand() % 50;
        struct yk_split split = {n, d, total, grain};
        for (unsigned i = 0; i < n; i++) {
            usable += d[i].usable = rand() % 4 > 0;
            d[i].rate = rand() % 3 ? rand() % 1000 / 7. : 0;
        }
        if (!usable)
            d[usable++].usable = true;
        struct yk_strategy s = {.n = 1 + (unsigned)rand() % 8, .single = (unsigned)rand() % 9};
        for (unsigned i = 0; i < s.n; i++)
            s.weight[i] = rand() % 10;
        for (unsigned k = 0; (s.ops = yk_strategy_at(k)); k++) {
            uint64_t g[8], sum = 0;
            memset(g, 0xee, sizeof g);
            yk_strategy_divide(&s, &split, g);
            for (unsigned i = 0; i < n; i++) {
                sum += g[i];
                ck_assert(d[i].usable || g[i] == 0);
                if (k == 0 && d[i].usable && total < 1u << 30) {
                    double exact = (double)total / usable, off = (double)g[i] - exact;
                    ck_assert(off < 2 * (double)grain + 1 && off > -2 * (double)grain - 1);
                }
            }
            ck_assert_uint_eq(sum, total);
        }
    }
}
END_TEST

START_TEST(shares_are_within_a_grain_of_exact)
{
    srand(5);
    for (int round = 0; round < 20000; round++) {
        struct yk_split_device d[8];
        double w[8], sum = 0;
        uint64_t g[8];
        unsigned n = 1 + (unsigned)rand() % 8;
        uint64_t grain = 1 + (uint64_t)rand() % 20, total = grain * (1 + (uint64_t)rand() % 100000);
        struct yk_split split = {n, d, total, grain};
        for (unsigned i = 0; i < n; i++) {
            w[i] = rand() % 5 ? rand() / 1e5 : 0;
            sum += w[i];
        }
        if (!(sum > 0))
            continue;
        yk_split_proportion(&split, w, g);
        for (unsigned i = 0; i < n; i++) {
            double off = (double)g[i] - (double)total * w[i] / sum;
            ck_assert(off < (double)grain * 1.0001 && off > -(double)grain * 1.0001);
            ck_assert_uint_eq(g[i] % grain, 0);
            ck_assert(w[i] > 0 || g[i] == 0);
        }
    }
}
END_TEST

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

YK_TEST_MAIN("strategy", texts_are_parsed, bad_texts_say_what_is_wrong, what_does_not_fit_the_devices_is_refused,
             divisions_by_hand, the_grain_is_kept, random_divisions_add_up, shares_are_within_a_grain_of_exact,
             times_are_predicted)
