/* partitioner/range.h: cutting work-groups into boxes, exhaustively for small ranges and at random for large ones. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "partitioner/range.h"
#include "tests/unit/main.h"

/* The dimensions of R from the fastest to the slowest, written independently of range.c. */
static const unsigned *order_of(const struct yk_range *r)
{
    static const unsigned by[4][3] = {{0, 1, 2}, {1, 2, 0}, {0, 2, 1}, {0, 1, 2}};
    return by[r->axis];
}

/* Number of the work-group at AT of R. */
static uint64_t number(const struct yk_range *r, const size_t at[3])
{
    const unsigned *by = order_of(r);
    return at[by[0]] + r->groups[by[0]] * (at[by[1]] + (uint64_t)r->groups[by[1]] * at[by[2]]);
}

/* Boxes of S hold exactly [FROM, TO), each once, in order. */
static void check_share(const struct yk_range *r, const struct yk_share *s, uint64_t from, uint64_t to)
{
    const unsigned *by = order_of(r);
    uint64_t next = from;
    for (unsigned i = 0; i < s->n; i++) {
        const struct yk_box *b = &s->box[i];
        for (size_t z = 0; z < b->count[by[2]]; z++)
            for (size_t y = 0; y < b->count[by[1]]; y++)
                for (size_t x = 0; x < b->count[by[0]]; x++) {
                    size_t at[3] = {b->first[0], b->first[1], b->first[2]};
                    at[by[0]] += x;
                    at[by[1]] += y;
                    at[by[2]] += z;
                    bool inside = at[0] < r->groups[0] && at[1] < r->groups[1] && at[2] < r->groups[2];
                    if (!inside || number(r, at) != next++) /* ck_assert is slow */
                        ck_abort_msg("%zu %zu %zu is not %llu", at[0], at[1], at[2], (unsigned long long)next - 1);
                }
    }
    ck_assert_uint_eq(next, to);
    ck_assert_uint_eq(yk_share_groups(s), to - from);
    ck_assert_uint_le(s->n, 2 * r->dims - 1);
}

/* Is the run [from, to) a box? Found from the coordinates alone. */
static bool run_is_box(const struct yk_range *r, uint64_t from, uint64_t to)
{
    const unsigned *by = order_of(r);
    size_t lo[3] = {SIZE_MAX, SIZE_MAX, SIZE_MAX}, hi[3] = {0, 0, 0}, x = r->groups[by[0]], y = r->groups[by[1]];
    for (uint64_t i = from; i < to; i++) {
        size_t at[3] = {i % x, i / x % y, i / x / y};
        for (unsigned d = 0; d < 3; d++) {
            lo[d] = at[d] < lo[d] ? at[d] : lo[d];
            hi[d] = at[d] > hi[d] ? at[d] : hi[d];
        }
    }
    return (hi[0] - lo[0] + 1) * (hi[1] - lo[1] + 1) * (hi[2] - lo[2] + 1) == to - from;
}

START_TEST(small_ranges_are_cut_exactly_and_into_the_fewest_boxes)
{
    for (size_t a = 1; a <= 4; a++)
        for (size_t b = 1; b <= 4; b++)
            for (size_t c = 1; c <= 12; c++) {
                struct yk_range r = {.dims = 3, .groups = {a, b, 1 + c % 3}, .axis = (unsigned)(c - 1) / 3};
                uint64_t total;
                ck_assert(yk_range_total(&r, &total));
                ck_assert_uint_eq(total, a * b * (1 + c % 3));
                for (uint64_t from = 0; from <= total; from++) {
                    unsigned fewest[64] = {0}; /* boxes for [from, from + i) */
                    for (uint64_t to = from; to <= total; to++) {
                        struct yk_share s;
                        yk_range_cut(&r, from, to, &s);
                        check_share(&r, &s, from, to);
                        fewest[to - from] = to == from ? 0 : 99;
                        for (uint64_t mid = from; mid < to; mid++)
                            if (run_is_box(&r, mid, to) && fewest[mid - from] + 1 < fewest[to - from])
                                fewest[to - from] = fewest[mid - from] + 1;
                        ck_assert_uint_eq(s.n, fewest[to - from]);
                    }
                }
            }
}
END_TEST

START_TEST(fewer_dimensions_need_fewer_boxes)
{
    struct yk_share s;
    struct yk_range line = {.dims = 1, .groups = {100, 1, 1}}, plane = {.dims = 2, .groups = {10, 10, 1}};
    yk_range_cut(&line, 13, 77, &s);
    ck_assert_uint_eq(s.n, 1);
    yk_range_cut(&plane, 13, 77, &s);
    ck_assert_uint_eq(s.n, 3);
    yk_range_cut(&plane, 20, 70, &s);
    ck_assert_uint_eq(s.n, 1);
    ck_assert_uint_eq(s.box[0].first[1], 2);
    ck_assert_uint_eq(s.box[0].count[1], 5);
}
END_TEST

START_TEST(random_cuts_are_disjoint_and_complete)
{
    srand(7);
    for (int round = 0; round < 2000; round++) {
        struct yk_range r = {.dims = 1 + (unsigned)rand() % 3, .groups = {1, 1, 1}};
        for (unsigned d = 0; d < r.dims; d++)
            r.groups[d] = 1 + (size_t)rand() % 23;
        r.axis = (unsigned)rand() % (r.dims + 1);
        uint64_t total, at = 0;
        ck_assert(yk_range_total(&r, &total));
        while (at < total) {
            uint64_t to = at + 1 + (uint64_t)rand() % (total - at);
            struct yk_share s;
            yk_range_cut(&r, at, to, &s);
            check_share(&r, &s, at, to);
            at = to;
        }
    }
}
END_TEST

START_TEST(huge_ranges_do_not_overflow)
{
    struct yk_range r = {.dims = 3, .groups = {1u << 20, 1u << 21, 1u << 22}};
    uint64_t total;
    struct yk_share s;
    ck_assert(yk_range_total(&r, &total));
    ck_assert_uint_eq(total, 1ull << 63);
    yk_range_cut(&r, 5, total - 7, &s);
    ck_assert_uint_eq(s.n, 5);
    ck_assert_uint_eq(yk_share_groups(&s), total - 12);
    r.groups[2] = 1u << 23;
    ck_assert(!yk_range_total(&r, &total));
}
END_TEST

START_TEST(ids_that_need_more_than_32_bits_are_seen)
{
    const size_t fits[3] = {1ull << 32, 1, 1}, not [3] = {64, (1ull << 32) + 1, 1}, at[3] = {1, 0, 0};
    ck_assert(yk_range_ids_fit(1, NULL, fits));
    ck_assert(yk_range_ids_fit(3, NULL, fits));
    ck_assert(!yk_range_ids_fit(1, at, fits));
    ck_assert(yk_range_ids_fit(1, NULL, not ));
    ck_assert(!yk_range_ids_fit(2, NULL, not ));
    ck_assert(yk_range_ids_fit(1, at, (const size_t[]){0}));
}
END_TEST

START_TEST(bad_ranges_are_refused)
{
    uint64_t total;
    struct yk_range r[] = {{.dims = 0, .groups = {1, 1, 1}}, {.dims = 4, .groups = {1, 1, 1}},
                           {.dims = 1, .groups = {0, 1, 1}}, {.dims = 1, .groups = {4, 2, 1}},
                           {.dims = 2, .groups = {4, 2, 2}}, {.dims = 2, .groups = {4, 2, 1}, .axis = 3}};
    for (size_t i = 0; i < sizeof r / sizeof *r; i++)
        ck_assert(!yk_range_total(&r[i], &total));
}
END_TEST

START_TEST(layers_of_one_axis)
{
    struct yk_range r = {.dims = 3, .groups = {5, 6, 7}};
    for (unsigned axis = 0; axis < 3; axis++) {
        struct yk_box b = yk_range_cut_axis(&r, axis, 1, 4);
        for (unsigned d = 0; d < 3; d++) {
            ck_assert_uint_eq(b.first[d], d == axis ? 1 : 0);
            ck_assert_uint_eq(b.count[d], d == axis ? 3 : r.groups[d]);
        }
    }
    struct yk_box whole = yk_range_box(&r);
    ck_assert_uint_eq(yk_box_groups(&whole), 210);
}
END_TEST

START_TEST(shares_at_the_grain_are_single_boxes)
{
    struct yk_range r = {.dims = 3, .groups = {5, 6, 7}};
    ck_assert_uint_eq(yk_range_grain(&r, 7), 30);
    ck_assert_uint_eq(yk_range_grain(&r, 8), 5);
    ck_assert_uint_eq(yk_range_grain(&r, 42), 5);
    ck_assert_uint_eq(yk_range_grain(&r, 43), 1);
    struct yk_range line = {.dims = 1, .groups = {100, 1, 1}}, flat = {.dims = 2, .groups = {64, 1, 1}};
    ck_assert_uint_eq(yk_range_grain(&line, 1), 1);
    ck_assert_uint_eq(yk_range_grain(&flat, 1), 1);
    for (uint64_t from = 0; from < 7; from++)
        for (uint64_t to = from + 1; to <= 7; to++) {
            struct yk_share s;
            yk_range_cut(&r, from * 30, to * 30, &s);
            ck_assert_uint_eq(s.n, 1);
        }
    r.axis = 1;
    ck_assert_uint_eq(yk_range_axis(&r), 0);
    ck_assert_uint_eq(yk_range_grain(&r, 5), 42);
    ck_assert_uint_eq(yk_range_grain(&r, 6), 6);
    struct yk_share s;
    yk_range_cut(&r, 42, 3 * 42, &s);
    ck_assert_uint_eq(s.n, 1);
    ck_assert_uint_eq(s.box[0].first[0], 1);
    ck_assert_uint_eq(s.box[0].count[0], 2);
    ck_assert_uint_eq(s.box[0].count[1], 6);
    ck_assert_uint_eq(s.box[0].count[2], 7);
    r.axis = 0;
    ck_assert_uint_eq(yk_range_axis(&r), 2);
}
END_TEST

YK_TEST_MAIN("range", small_ranges_are_cut_exactly_and_into_the_fewest_boxes, fewer_dimensions_need_fewer_boxes,
             random_cuts_are_disjoint_and_complete, huge_ranges_do_not_overflow,
             ids_that_need_more_than_32_bits_are_seen, bad_ranges_are_refused, layers_of_one_axis,
             shares_at_the_grain_are_single_boxes)
