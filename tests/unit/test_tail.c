/* partitioner/tail.h: every work-group is run once, whoever is quick, and pieces are no smaller than is worth it. */
#include "partitioner/tail.h"
#include <check.h>
#include <stdio.h>
#include <string.h>
#include "tests/unit/main.h"
#include "tests/unit/random.h"

enum { MOST = 3000 };

static struct yk_tail tail;
static unsigned char run[MOST + 1];
static uint64_t total, bound[5];

/* Random shares of [0, total) for N devices, some perhaps empty. */
static void begin(unsigned n, uint64_t grain)
{
    memset(run, 0, sizeof run);
    tail = (struct yk_tail){.grain = grain, .piece_ms = below(2) ? 0.5 : 0, .on = true};
    total = 1 + below(MOST);
    bound[0] = 0;
    bound[n] = total;
    for (unsigned i = 1; i < n; i++)
        bound[i] = bound[i - 1] + below((unsigned)(total - bound[i - 1]) + 1);
    for (unsigned i = 0; i < n; i++)
        yk_tail_share(&tail, i, bound[i], bound[i + 1], 0.1 + below(1000), !below(3));
}

static void count(uint64_t from, uint64_t to)
{
    ck_assert_uint_lt(from, to);
    ck_assert_uint_le(to, total);
    for (uint64_t i = from; i < to; i++)
        run[i]++;
}

START_TEST(each_once)
{
    for (unsigned seed = 0; seed < 3000; seed++) {
        random_begin(seed);
        unsigned n = 1 + below(4), running = n, fails = below(4) ? n : below(n), share;
        uint64_t from, to;
        double now = below(1000);
        bool over[4] = {false};
        begin(n, below(3) ? 0 : 1 + below(64));
        while (running) {
            unsigned dev = below(n);
            now += below(3) ? 0 : below(50) * 0.1; /* a clock may stand, too */
            if (over[dev])
                continue;
            if (dev == fails && !below(3)) { /* with what it has not begun left behind */
                over[dev] = true;
            } else if (yk_tail_take(&tail, dev, now, &from, &to)) {
                count(from, to);
            } else {
                over[dev] = true;
            }
            running -= over[dev];
        }
        while (yk_tail_left(&tail, &from, &to, &share)) {
            ck_assert(share == fails || (tail.of[share].over && fails < n)); /* left to the one that failed */
            count(from, to);
        }
        ck_assert(!yk_tail_any(&tail));
        uint64_t wrong = 0;
        while (wrong < total && run[wrong] == 1)
            wrong++;
        ck_assert_msg(wrong == total, "seed %u: group %u of %u is run %u times", seed, (unsigned)wrong, (unsigned)total,
                      run[wrong]);
    }
}
END_TEST

/* One does nothing at all: the other does all but what would be no piece of its own. */
START_TEST(who_is_quick_helps)
{
    uint64_t from, to, done = 0;
    unsigned pieces = 0;
    tail = (struct yk_tail){.piece_ms = 1, .on = true};
    yk_tail_share(&tail, 0, 0, 1000, 100, false);
    yk_tail_share(&tail, 1, 1000, 2000, 100, false);
    ck_assert(yk_tail_take(&tail, 1, 0, &from, &to));
    ck_assert_uint_eq(from, 1000);
    ck_assert_uint_eq(to, 1750);
    while (yk_tail_take(&tail, 0, 0, &from, &to)) {
        ck_assert_uint_ge(to - from, 10);
        ck_assert_msg(pieces || !from, "the first piece begins where the share does");
        done += to - from;
        pieces++;
    }
    ck_assert_uint_ge(done, 1230);
    ck_assert_uint_le(pieces, 16);
    while (yk_tail_take(&tail, 1, 0, &from, &to))
        done += to - from;
    ck_assert_uint_eq(done, 1250);
}
END_TEST

/* However little the share of one that is not ready is: who is done waits for nobody. */
START_TEST(who_has_not_begun_is_left_nothing)
{
    for (uint64_t groups = 1; groups < 300; groups++) {
        uint64_t from, to, done = 0;
        tail = (struct yk_tail){.piece_ms = 1, .on = true};
        yk_tail_share(&tail, 0, 0, 100, 10, false);
        yk_tail_share(&tail, 1, 100, 100 + groups, (double)groups / (1 + (double)(groups % 40)), false);
        while (yk_tail_take(&tail, 0, 0, &from, &to)) {
            ck_assert(yk_tail_any(&tail) || done + to - from == 100 + groups);
            done += to - from;
        }
        ck_assert_uint_eq(done, 100 + groups);
        ck_assert(!yk_tail_any(&tail));
        ck_assert(!yk_tail_take(&tail, 1, 0, &from, &to));
    }
}
END_TEST

START_TEST(each_may_be_left_its_own)
{
    uint64_t from, to;
    tail = (struct yk_tail){.each = true, .on = true};
    yk_tail_share(&tail, 0, 0, 8, 1, false);
    yk_tail_share(&tail, 1, 8, 16, 1, false);
    while (yk_tail_take(&tail, 0, 0, &from, &to))
        ck_assert_uint_le(to, 8);
    ck_assert(yk_tail_take(&tail, 1, 0, &from, &to));
    ck_assert_uint_eq(from, 8);
    ck_assert(yk_tail_take(&tail, 0, 0, &from, &to));
    ck_assert_uint_eq(to, 16);
}
END_TEST

START_TEST(pieces_begin_at_multiples)
{
    for (unsigned seed = 0; seed < 300; seed++) {
        random_begin(seed);
        uint64_t from, to, grain = 2 + below(30), rows = 4 + below(90), cut = grain * (1 + below((unsigned)rows - 1));
        tail = (struct yk_tail){.grain = grain, .on = true};
        yk_tail_share(&tail, 0, 0, cut, 1 + below(100), !below(3));
        yk_tail_share(&tail, 1, cut, grain * rows, 1 + below(100), !below(3));
        for (unsigned dev = below(2), idle = 0; idle < 2;) {
            bool got = yk_tail_take(&tail, dev, (double)below(50), &from, &to);
            ck_assert_msg(!got || (from % grain == 0 && to % grain == 0), "seed %u: %u to %u of rows of %u", seed,
                          (unsigned)from, (unsigned)to, (unsigned)grain);
            idle = got ? 0 : idle + 1;
            dev = got ? below(2) : 1 - dev;
        }
    }
}
END_TEST

/* N devices that are RATE work-groups a ms fast, whatever was predicted, each launch OVER ms long besides: when the
 * last is done, in ms. */
static double played(unsigned n, const double *rate, double over, unsigned *pieces)
{
    double at[4] = {0}, end = 0;
    bool out[4] = {false};
    uint64_t from, to, done = 0;
    *pieces = 0;
    for (;;) {
        unsigned next = n;
        for (unsigned i = 0; i < n; i++)
            if (!out[i] && (next == n || at[i] < at[next]))
                next = i;
        if (next == n)
            break;
        end = at[next] > end ? at[next] : end;
        if (!yk_tail_take(&tail, next, at[next], &from, &to)) {
            out[next] = true;
            continue;
        }
        at[next] += over + (double)(to - from) / rate[next];
        done += to - from;
        ++*pieces;
    }
    ck_assert_uint_eq(done, total);
    return end;
}

/* One of two devices is up to ten times slower than its share was made for, which nobody knew. Ideal: all that both can
 * do. */
START_TEST(a_slow_one_is_found_out)
{
    const double over = 0.03, first_ms = 5;
    for (unsigned seed = 0; seed < 3000; seed++) {
        random_begin(seed);
        unsigned pieces;
        double ms = 20 + below(400), slower = 1 + below(91) * 0.1, rate[2] = {0, 0};
        total = 500 + below(5000);
        tail = (struct yk_tail){.piece_ms = 0.5, .on = true};
        rate[0] = (double)total / ms;
        rate[1] = rate[0] / slower;
        yk_tail_share(&tail, 0, 0, total / 2, ms / 2, false);
        yk_tail_share(&tail, 1, total / 2, total, ms / 2, true);
        double took = played(2, rate, over, &pieces), ideal = (double)total / (rate[0] + rate[1]),
               first = ms / 16 * slower; /* that is known only when it is over */
        double most = 1.06 * (first > ideal ? first : ideal) + first_ms;
        ck_assert_msg(took <= most, "seed %u: %.1f times slower, %.1f ms, ideal %.1f", seed, slower, took, ideal);
        ck_assert_uint_le(pieces, 40);
    }
}
END_TEST

/* Devices that are as fast as predicted, and one that has other work for a while: few pieces, and nobody waits long. */
START_TEST(predicted_well_it_is_done_at_once)
{
    const double over = 0.03;
    for (unsigned seed = 0; seed < 3000; seed++) {
        random_begin(seed);
        unsigned pieces, n = 2 + below(3);
        double ms = 10 + below(300), rate[4], all = 0;
        total = 500 + below(5000);
        tail = (struct yk_tail){.piece_ms = 0.5, .on = true};
        for (unsigned i = 0; i < n; i++)
            all += rate[i] = 1 + below(30) * 0.1;
        uint64_t from = 0;
        for (unsigned i = 0; i < n; i++) {
            uint64_t to = i + 1 == n ? total : from + (uint64_t)((double)total * rate[i] / all);
            yk_tail_share(&tail, i, from, to, ms, false);
            rate[i] = (double)(to - from) / ms * (0.9 + below(20) * 0.01);
            from = to;
        }
        double speeds = 0;
        for (unsigned i = 0; i < n; i++)
            speeds += rate[i];
        double took = played(n, rate, over, &pieces), ideal = (double)total / speeds;
        ck_assert_msg(took <= 1.06 * ideal + 1.5, "seed %u: %.1f ms, ideal %.1f", seed, took, ideal);
        ck_assert_uint_le(pieces, 16 * n);
    }
}
END_TEST

YK_TEST_MAIN("tail", a_slow_one_is_found_out, predicted_well_it_is_done_at_once, each_once, who_is_quick_helps,
             who_has_not_begun_is_left_nothing, each_may_be_left_its_own, pieces_begin_at_multiples)
