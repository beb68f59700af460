/* partitioner/strategy.h: texts and divisions; what they cost is told by cost.h (test_cost.c). */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
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

/* Is TEXT refused with a message that says BECAUSE? */
static bool refuses(const char *text, const char *because)
{
    struct yk_strategy s = {0};
    char msg[200] = "";
    bool yes = yk_strategy_parse(text, &s, msg, sizeof msg) == YK_EFORMAT && !s.ops && strstr(msg, because) &&
               yk_strategy_parse(text, &s, NULL, 0) == YK_EFORMAT;
    if (!yes)
        fprintf(stderr, "'%s' says: %s\n", text, msg);
    return yes;
}

START_TEST(texts_are_parsed)
{
    ck_assert_str_eq(parse("even").ops->name, "even");
    ck_assert_str_eq(parse("linear").ops->name, "linear");
    ck_assert_str_eq(parse("waterfill").ops->name, "waterfill");
    ck_assert_str_eq(parse("skmd").ops->name, "skmd");
    ck_assert_str_eq(parse("guided").ops->name, "guided");
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
    ck_assert(refuses("", "no strategy"));
    ck_assert(refuses("evenly", "no strategy"));
    ck_assert(refuses("percentages", "no strategy"));
    ck_assert(refuses("single", "no strategy"));
    ck_assert(refuses("single:", "which device"));
    ck_assert(refuses("70", "one share alone"));
    ck_assert(refuses("70:", "share 2 is not a number"));
    ck_assert(refuses("70:-30", "share 2 is not a number"));
    ck_assert(refuses("70:inf", "share 2 is not a number"));
    ck_assert(refuses("70:1.2.3", "share 2 is not a number"));
    ck_assert(refuses("70:0x10", "share 2 is not a number"));
    ck_assert(refuses("70,30", "separated by ':'"));
    ck_assert(refuses("0:0", "all shares are 0"));
    ck_assert(refuses("1e3:1", "share 1 is not a number"));
    ck_assert(refuses(".:1", "share 1 is not a number"));
    ck_assert(refuses("1:9999999999", "share 2 is not a number"));
    char many[200] = "1";
    for (int i = 0; i < 40; i++)
        strcat(many, ":1");
    ck_assert(refuses(many, "more than 32"));
    char name[300];
    memset(name, 'x', sizeof name);
    memcpy(name, "single:", 7);
    name[299] = 0;
    ck_assert(refuses(name, "too long"));
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

/* What each of three devices gets of TOTAL work-groups: "3 4 3". */
static const char *divided(const char *strategy, const struct yk_split_device d[3], uint64_t total)
{
    static char text[64];
    uint64_t g[3];
    divide(strategy, d, 3, total, 1, g);
    snprintf(text, sizeof text, "%" PRIu64 " %" PRIu64 " %" PRIu64, g[0], g[1], g[2]);
    return text;
}

START_TEST(divisions_by_hand)
{
    struct yk_split_device d[] = {{.usable = true}, {.usable = true}, {.usable = true}};
    ck_assert_str_eq(divided("even", d, 9), "3 3 3");
    ck_assert_str_eq(divided("even", d, 10), "3 4 3");
    ck_assert_str_eq(divided("70:30", d, 10), "7 3 0");
    ck_assert_str_eq(divided("50:25:25", d, 8), "4 2 2");
    ck_assert_str_eq(divided("0:1:0", d, 8), "0 8 0");
    ck_assert_str_eq(divided("single:1", d, 8), "0 8 0");
    ck_assert_str_eq(divided("linear", d, 9), "3 3 3"); /* nothing known */
    d[0].rate = 30, d[1].rate = 10, d[2].rate = 20;
    ck_assert_str_eq(divided("linear", d, 12), "6 2 4");
    d[2].rate = 0; /* counts as 20 */
    ck_assert_str_eq(divided("linear", d, 12), "6 2 4");
    d[0].usable = false;
    ck_assert_str_eq(divided("linear", d, 12), "0 6 6");
    ck_assert_str_eq(divided("even", d, 8), "0 4 4");
    ck_assert_str_eq(divided("60:10:30", d, 8), "0 2 6");
    ck_assert_str_eq(divided("100:0:0", d, 8), "0 4 4"); /* the only weight is of a device that may not */
    ck_assert_str_eq(divided("single:0", d, 8), "0 8 0");
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
                if (!strcmp(s.ops->name, "even") && d[i].usable && total < 1u << 30) {
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

static double best_of_all(const struct yk_split *s, unsigned i, uint64_t left, uint64_t *groups)
{
    double least = 1e300, ms;
    if (i + 1 == s->n) {
        groups[i] = left;
        return yk_split_makespan(s, groups, &ms) ? ms : least;
    }
    for (uint64_t k = 0; k <= left; k++) {
        groups[i] = k;
        ms = best_of_all(s, i + 1, left - k, groups);
        least = ms < least ? ms : least;
    }
    return least;
}

static double real(double low, double high)
{
    return low + (high - low) * rand() / RAND_MAX;
}

/* Exact where links are not shared and nothing is merged; close to it elsewhere. */
START_TEST(waterfill_against_all_divisions)
{
    double log_sum = 0;
    unsigned hard = 0;
    srand(11);
    for (int round = 0; round < 2000; round++) {
        struct yk_split_device d[4] = {{0}};
        struct yk_point p[4][4];
        unsigned n = 2 + (unsigned)rand() % 3;
        struct yk_split split = {n, d, 1 + (uint64_t)rand() % (n == 4 ? 25 : 60), 1};
        bool shared = rand() % 2, merges = rand() % 3 == 0;
        for (unsigned i = 0; i < n; i++) {
            d[i] =
                (struct yk_split_device){.usable = true, .rate = real(1, 20), .latency = rand() % 2 ? real(0, 1) : 0};
            if (rand() % 2) {
                p[i][0] = (struct yk_point){0, real(0, 1)};
                for (int k = 1; k < 4; k++)
                    p[i][k] = (struct yk_point){k * 10, p[i][k - 1].ms + real(0.1, 2)};
                d[i].table = (struct yk_table){4, p[i]};
            }
            if (i && rand() % 2) {
                d[i].bandwidth = real(1, 10);
                d[i].bytes = rand() % 2 ? real(0, 5) : 0;
                d[i].bytes_per_group = rand() % 2 ? real(0, 1) : 0;
                d[i].back_per_group = rand() % 2 ? real(0, 1) : 0;
                d[i].link = shared;
                d[i].merge = merges ? real(0, 1) : 0;
            }
        }
        uint64_t groups[4], sum = 0;
        double ms;
        struct yk_strategy s = parse("waterfill");
        yk_strategy_divide(&s, &split, groups);
        for (unsigned i = 0; i < n; i++)
            sum += groups[i];
        ck_assert_uint_eq(sum, split.total);
        ck_assert(yk_split_makespan(&split, groups, &ms));
        uint64_t scratch[4];
        double least = best_of_all(&split, 0, split.total, scratch);
        ck_assert_msg(ms <= least * (shared || merges ? 1.25 : 1 + 1e-9), "round %d: %g ms, best %g", round, ms, least);
        if (shared || merges) {
            log_sum += ms / least - 1;
            hard++;
        }
    }
    ck_assert_double_lt(log_sum / hard, 0.002);
}
END_TEST

START_TEST(skmd_walks_down)
{
    /* Equal devices: half each, to its granularity; a merge that costs more than it saves: all on one. */
    struct yk_split_device d[] = {{.usable = true, .rate = 10}, {.usable = true, .rate = 10}};
    uint64_t g[2];
    divide("skmd", d, 2, 4096, 1, g);
    ck_assert(g[0] >= 2046 && g[0] <= 2050 && g[0] + g[1] == 4096);
    d[1].merge = 300;
    divide("skmd", d, 2, 4096, 1, g);
    ck_assert(g[0] == 4096);
    d[1].merge = 0;
    d[1].latency = 100; /* one granule offloaded alone makes it slower: the tolerance steps find the way */
    divide("skmd", d, 2, 4096, 1, g);
    ck_assert(g[1] > 1400 && g[1] < 1600);
}
END_TEST

START_TEST(guided_chunks_shrink)
{
    uint64_t left = 1000, sum = 0, last = 1000;
    ck_assert_uint_eq(yk_guided_chunk(1000, 1000, 1, 5, 2, 0, 0), 15);
    while (left) {
        uint64_t n = yk_guided_chunk(1000, left, 4, 10, 2, 1, 2);
        ck_assert(n > 0 && n <= left && n <= last && (n >= 10 || n == left));
        last = n;
        left -= n;
        sum += n;
    }
    ck_assert_uint_eq(sum, 1000);
}
END_TEST

YK_TEST_MAIN("strategy", texts_are_parsed, bad_texts_say_what_is_wrong, what_does_not_fit_the_devices_is_refused,
             divisions_by_hand, the_grain_is_kept, random_divisions_add_up, shares_are_within_a_grain_of_exact,
             waterfill_against_all_divisions, skmd_walks_down, guided_chunks_shrink)
