/* partitioner/schedule.h: times against a twin that lets time pass event by event, placements against all there are. */
#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include "partitioner/schedule.h"
#include "tests/unit/main.h"

enum { DEVICES = 3, SMALL = 7 };

struct window {
    double ms[YK_SCHEDULE_TASKS][DEVICES];
    struct yk_schedule_task task[YK_SCHEDULE_TASKS];
    unsigned n;
};

static double below(double x)
{
    return x * (rand() / (RAND_MAX + 1.0));
}

/* EDGES: chance in 100 of a dependency on each earlier task; EQUAL: devices are equally fast. */
static void make(struct window *w, unsigned n, unsigned edges, bool equal)
{
    w->n = n;
    for (unsigned i = 0; i < n; i++) {
        w->task[i] = (struct yk_schedule_task){w->ms[i], 0};
        double ms = 0.3 + below(3);
        for (unsigned d = 0; d < DEVICES; d++)
            w->ms[i][d] = equal ? ms : below(10) < 1 && d ? INFINITY : ms * (0.5 + below(2));
        for (unsigned k = 0; k < i; k++)
            if (below(100) < edges)
                w->task[i].after |= 1ull << k;
    }
}

/* The obvious twin: each device takes its next task when that may begin; whatever ends next ends. */
static double twin(const struct window *w, const unsigned *place)
{
    double now = 0, left[DEVICES] = {0};
    int at[DEVICES] = {-1, -1, -1};
    uint64_t begun = 0, done = 0;
    for (unsigned over = 0; over < w->n;) {
        for (unsigned d = 0; d < DEVICES; d++)
            for (unsigned i = 0; i < w->n && at[d] < 0; i++) {
                if (place[i] != d || begun >> i & 1)
                    continue;
                if (w->task[i].after & ~done)
                    break;
                begun |= 1ull << i;
                at[d] = (int)i;
                left[d] = w->ms[i][d];
            }
        double next = INFINITY;
        for (unsigned d = 0; d < DEVICES; d++)
            next = at[d] >= 0 && left[d] < next ? left[d] : next;
        if (!(next < INFINITY))
            return INFINITY;
        now += next;
        for (unsigned d = 0; d < DEVICES; d++) {
            if (at[d] < 0 || (left[d] -= next) > 1e-12)
                continue;
            done |= 1ull << at[d];
            at[d] = -1;
            over++;
        }
    }
    return now;
}

static double least(const struct window *w)
{
    unsigned place[SMALL] = {0};
    double best = INFINITY;
    for (;;) {
        double ms = yk_schedule_ms(w->task, w->n, DEVICES, place);
        best = ms < best ? ms : best;
        unsigned i = 0;
        while (i < w->n && ++place[i] == DEVICES)
            place[i++] = 0;
        if (i == w->n)
            return best;
    }
}

START_TEST(times_are_those_of_the_twin)
{
    struct window w;
    unsigned place[YK_SCHEDULE_TASKS];
    srand(1);
    for (unsigned round = 0; round < 2000; round++) {
        make(&w, 1 + (unsigned)below(40), round % 40, round % 2);
        for (unsigned i = 0; i < w.n; i++)
            place[i] = (unsigned)below(DEVICES);
        double ms = yk_schedule_ms(w.task, w.n, DEVICES, place), other = INFINITY;
        bool can = true;
        for (unsigned i = 0; i < w.n; i++)
            can = can && w.ms[i][place[i]] < INFINITY;
        if (can)
            other = twin(&w, place);
        ck_assert(can ? fabs(ms - other) < 1e-9 : ms == INFINITY);
    }
}
END_TEST

START_TEST(placements_are_near_the_least)
{
    struct window w;
    unsigned place[SMALL];
    double sum = 0, most = 1;
    const unsigned rounds = 500;
    srand(2);
    for (unsigned round = 0; round < rounds; round++) {
        make(&w, 1 + round % SMALL, round % 5 * 15, round % 2);
        double ms = yk_schedule(w.task, w.n, DEVICES, 0, place), best = least(&w);
        ck_assert_double_eq(ms, yk_schedule_ms(w.task, w.n, DEVICES, place));
        ck_assert(ms >= best * (1 - 1e-12));
        sum += ms / best;
        most = ms / best > most ? ms / best : most;
    }
    ck_assert_msg(sum / rounds < 1.03 && most < 1.7, "mean %.3f, most %.3f", sum / rounds, most);
}
END_TEST

START_TEST(nothing_leaves_home_in_vain)
{
    struct window w;
    unsigned place[YK_SCHEDULE_TASKS];
    make(&w, 40, 0, true);
    for (unsigned i = 1; i < w.n; i++)
        w.task[i].after = 1ull << (i - 1); /* a chain */
    double ms = yk_schedule(w.task, w.n, DEVICES, 1, place), all = 0;
    for (unsigned i = 0; i < w.n; i++) {
        ck_assert_uint_eq(place[i], 1);
        all += w.ms[i][1];
    }
    ck_assert(fabs(ms - all) < 1e-9);
    for (unsigned i = 0; i < w.n; i++) /* only home can run them */
        w.task[i].after = 0, w.ms[i][0] = w.ms[i][2] = INFINITY;
    ck_assert(fabs(yk_schedule(w.task, w.n, DEVICES, 1, place) - all) < 1e-9);
    for (unsigned i = 0; i < w.n; i++)
        ck_assert_uint_eq(place[i], 1);
}
END_TEST

START_TEST(equal_independent_ones_are_shared_out_evenly)
{
    struct window w;
    unsigned place[YK_SCHEDULE_TASKS], on[DEVICES] = {0};
    make(&w, 60, 0, true);
    for (unsigned i = 0; i < w.n; i++)
        for (unsigned d = 0; d < DEVICES; d++)
            w.ms[i][d] = 2;
    ck_assert(fabs(yk_schedule(w.task, w.n, DEVICES, 0, place) - 40) < 1e-9);
    for (unsigned i = 0; i < w.n; i++)
        on[place[i]]++;
    for (unsigned d = 0; d < DEVICES; d++)
        ck_assert_uint_eq(on[d], 20);
}
END_TEST

YK_TEST_MAIN("schedule", times_are_those_of_the_twin, placements_are_near_the_least, nothing_leaves_home_in_vain,
             equal_independent_ones_are_shared_out_evenly)
