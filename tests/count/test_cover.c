/* Tiling: what countcheck rests on. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "tests/count/cover.h"
#include "tests/unit/main.h"

static struct count_log split;

static struct count_launch box(unsigned device, uint64_t x, uint64_t y, uint64_t w, uint64_t h)
{
    return (struct count_launch){"k", device, 2, {x, y, 0}, {w, h, 1}, {4, 2, 1}, true, -1};
}

static void add(unsigned device, uint64_t x, uint64_t y, uint64_t w, uint64_t h)
{
    ck_assert(yk_array_push(&split.launch, box(device, x, y, w, h)));
}

static bool covers(uint64_t w, uint64_t h, long number)
{
    struct count_launch want = box(0, 0, 0, w, h);
    return cover(&want, &split, number).ok;
}

static void clear(void)
{
    count_log_finish(&split);
    split = (struct count_log){0};
}

START_TEST(shares_are_counted)
{
    add(0, 0, 0, 16, 4);
    add(0, 0, 4, 8, 2);
    add(2, 8, 4, 8, 2);
    add(2, 0, 6, 16, 2);
    struct count_launch want = box(0, 0, 0, 16, 8);
    struct cover_result r = cover(&want, &split, 5);
    ck_assert_msg(r.ok, "%s", r.why);
    ck_assert_uint_eq(r.devices, 2);
    ck_assert_uint_eq(r.boxes, 4);
    ck_assert_uint_eq(r.groups[0], 10);
    ck_assert_uint_eq(r.groups[2], 6);
    ck_assert_uint_eq(r.total, 16);
    ck_assert_int_eq(split.launch.v[3].launch, 5);
    ck_assert(!cover(&want, &split, 6).ok); /* owned */
    clear();
}
END_TEST

START_TEST(wrong_cuts_are_seen)
{
    add(0, 0, 0, 8, 8);
    add(1, 8, 0, 8, 6); /* short */
    ck_assert(!covers(16, 8, 0));
    clear();
    add(0, 0, 0, 8, 8);
    add(1, 4, 0, 12, 8); /* overlaps */
    ck_assert(!covers(16, 8, 0));
    clear();
    add(0, 0, 0, 6, 8); /* cuts a group */
    add(1, 6, 0, 10, 8);
    ck_assert(!covers(16, 8, 0));
    clear();
    add(0, 0, 0, 16, 8);
    split.launch.v[0].local[0] = 8; /* another group size */
    ck_assert(!covers(16, 8, 0));
    clear();
    add(0, 0, 0, 16, 8);
    strcpy(split.launch.v[0].kernel, "other");
    ck_assert(!covers(16, 8, 0));
    clear();
}
END_TEST

START_TEST(a_ragged_end_belongs_to_the_last_box)
{
    add(0, 0, 0, 8, 8);
    add(1, 8, 0, 6, 8);
    ck_assert(covers(14, 8, 0));
    clear();
}
END_TEST

START_TEST(two_launches_may_interleave)
{
    add(0, 0, 0, 8, 8); /* first launch: halves; second: quarter and three */
    add(0, 0, 0, 4, 8);
    add(1, 4, 0, 12, 8);
    add(1, 8, 0, 8, 8);
    ck_assert(covers(16, 8, 0));
    ck_assert(covers(16, 8, 1));
    clear();
    /* Taking boxes in order leads astray here: 0-8 and 8-12 leave no box for 12-16 of the first. */
    add(0, 0, 0, 8, 8);
    add(0, 8, 0, 4, 8);
    add(1, 8, 0, 8, 8);
    add(1, 0, 0, 8, 8);
    add(1, 12, 0, 4, 8);
    ck_assert(covers(16, 8, 0));
    ck_assert(covers(16, 8, 1));
    clear();
}
END_TEST

/* Random guillotine cuts always cover; without one of their boxes they never do. */
START_TEST(random_cuts)
{
    srand(1);
    for (int round = 0; round < 300; round++) {
        uint64_t w = 4 * (1 + (uint64_t)rand() % 16), h = 2 * (1 + (uint64_t)rand() % 16);
        add(0, 0, 0, w, h);
        for (int cut = rand() % 12; cut > 0; cut--) {
            struct count_launch *b = &split.launch.v[(size_t)rand() % split.launch.n];
            int d = rand() % 2;
            uint64_t local = d ? 2 : 4, groups = b->global[d] / local;
            if (groups < 2)
                continue;
            uint64_t at = local * (1 + (uint64_t)rand() % (groups - 1));
            struct count_launch rest = *b;
            rest.device = (unsigned)rand() % 3;
            rest.offset[d] += at;
            rest.global[d] -= at;
            b->global[d] = at;
            ck_assert(yk_array_push(&split.launch, rest));
        }
        for (size_t i = split.launch.n; i > 1; i--) {
            size_t j = (size_t)rand() % i;
            struct count_launch t = split.launch.v[i - 1];
            split.launch.v[i - 1] = split.launch.v[j];
            split.launch.v[j] = t;
        }
        struct count_launch lost = split.launch.v[--split.launch.n];
        ck_assert(!covers(w, h, 0));
        ck_assert(yk_array_push(&split.launch, lost));
        ck_assert(covers(w, h, 0));
        clear();
    }
}
END_TEST

YK_TEST_MAIN("cover", shares_are_counted, wrong_cuts_are_seen, a_ragged_end_belongs_to_the_last_box,
             two_launches_may_interleave, random_cuts)
