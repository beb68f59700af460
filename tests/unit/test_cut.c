/* transform/facts_cut.h: which dimension is the cheapest to cut along. The kernels are written as facts by hand. */
#include <string.h>
#include "tests/unit/main.h"
#include "tests/unit/random.h"
#include "transform/facts_cut.h"

enum { W = 256 };

/* Stands in for base's: arrays that grow, or not. */
static bool no_memory;
bool yk_array_grow_(void **v, size_t *cap, size_t need, size_t size)
{
    void *p = no_memory ? NULL : realloc(*v, need * size);
    if (p) {
        *v = p;
        *cap = need;
    }
    return p != NULL;
}

static struct yk_facts_node node[128];
static struct yk_facts_access access[16];
static struct yk_facts_arg arg[2] = {{.kind = YK_ARG_GLOBAL, .read = true, .bounded = true},
                                     {.kind = YK_ARG_GLOBAL, .written = true, .bounded = true}};
static struct yk_facts_kernel kernel;

static uint16_t put(unsigned op, unsigned a, unsigned b, int64_t imm)
{
    node[kernel.nnodes] = (struct yk_facts_node){(uint8_t)op, 64, (uint16_t)a, (uint16_t)b, 0, imm};
    return (uint16_t)kernel.nnodes++;
}

static void begin(void)
{
    kernel = (struct yk_facts_kernel){
        .verdict = YK_VERDICT_MERGE, .nargs = 2, .arg = arg, .node = node, .access = access, .guard = NULL};
    for (unsigned d = 0; d < 3; d++)
        put(YK_NODE_GLOBAL_ID, 0, 0, d); /* node d */
}

/* Four bytes of argument A at base + the sum of by[d] * get_global_id(d). */
static void touch(unsigned a, int64_t base, int64_t x, int64_t y, int64_t z)
{
    const int64_t by[3] = {x, y, z};
    uint16_t sum = put(YK_NODE_CONST, 0, 0, base);
    for (unsigned d = 0; d < 3; d++)
        sum = put(YK_NODE_ADD, sum, put(YK_NODE_MUL, d, put(YK_NODE_CONST, 0, 0, by[d]), 0), 0);
    access[kernel.naccesses++] = (struct yk_facts_access){
        .arg = (uint16_t)a, .kind = a ? YK_ACCESS_WRITE : YK_ACCESS_READ, .exact = a != 0, .bytes = 4, .node = sum};
}

static void evaluate(unsigned dims, const size_t groups[3], unsigned takers, struct yk_cut_cost cost[3])
{
    struct yk_reach reach = {0};
    struct yk_reach_arg size[2] = {{NULL, 1 << 26}, {NULL, 1 << 26}};
    struct yk_reach_launch l = {.dims = dims, .arg = size};
    struct yk_range r = {.dims = dims};
    for (unsigned d = 0; d < 3; d++) {
        l.groups[d] = r.groups[d] = d < dims ? groups[d] : 1;
        l.local[d] = d < dims ? 8 : 1;
    }
    for (unsigned d = 0; d < dims; d++) {
        r.axis = d + 1;
        ck_assert_int_eq(yk_cut_evaluate(&reach, &kernel, &l, &r, takers, &cost[d]), YK_OK);
    }
    yk_reach_finish(&reach);
}

static unsigned best(unsigned dims, const size_t groups[3], unsigned takers, bool same_memory)
{
    struct yk_cut_cost cost[3];
    struct yk_range r = {.dims = dims};
    memcpy(r.groups, groups, sizeof r.groups);
    evaluate(dims, groups, takers, cost);
    return yk_cut_best(&r, cost, same_memory);
}

static const size_t square[3] = {W / 8, W / 8, 1};

START_TEST(rows_stay_whole)
{
    begin();
    touch(0, 0, 4, 4 * W, 0);
    touch(1, 0, 4, 4 * W, 0);
    struct yk_cut_cost cost[3];
    evaluate(2, square, 2, cost);
    ck_assert_uint_eq(cost[0].bytes, 4 * W * W);
    ck_assert_uint_eq(cost[1].bytes, 4 * W * W);
    ck_assert_uint_eq(cost[0].pieces, 2 * W);
    ck_assert_uint_eq(cost[1].pieces, 2);
    ck_assert_uint_eq(cost[1].boxes, 2);
    ck_assert_uint_eq(best(2, square, 2, false), 1);
    ck_assert_uint_eq(best(2, square, 2, true), 1);
}
END_TEST

START_TEST(what_numbers_rows_by_dimension_0_is_cut_there)
{
    begin();
    touch(0, 0, 4 * W, 4, 0);
    touch(1, 0, 4 * W, 4, 0);
    ck_assert_uint_eq(best(2, square, 2, false), 0);
    ck_assert_uint_eq(best(2, square, 3, true), 0);
}
END_TEST

START_TEST(writes_count_more_than_reads)
{
    begin();
    touch(0, 0, 4, 4 * W, 0);
    touch(1, 0, 4 * W, 4, 0); /* a transposition */
    ck_assert_uint_eq(best(2, square, 2, false), 0);
}
END_TEST

START_TEST(small_halos_are_preferred)
{
    begin();
    for (int64_t i = 0; i <= 64; i += 8) /* eight rows of neighbours above and below, none beside */
        touch(0, i * 4 * W, 4, 4 * W, 0);
    touch(1, 0, 4, 4 * W, 0);
    struct yk_cut_cost cost[3];
    evaluate(2, square, 2, cost);
    ck_assert_uint_lt(cost[0].bytes, cost[1].bytes);
}
END_TEST

START_TEST(a_short_dimension_is_cut_into_boxes)
{
    const size_t flat[3] = {64, 64, 3};
    begin();
    touch(0, 0, 4, 4 * 512, 4 * 512 * 512);
    touch(1, 0, 4, 4 * 512, 4 * 512 * 512);
    struct yk_cut_cost cost[3];
    evaluate(3, flat, 2, cost);
    ck_assert_uint_eq(cost[2].boxes, 4); /* one plane and a half each */
    ck_assert_uint_eq(cost[1].boxes, 2);
    ck_assert_uint_eq(best(3, flat, 2, true), 1); /* fewer launches */
    const size_t thin[3] = {64, 64, 1};
    evaluate(3, thin, 2, cost);
    ck_assert_uint_eq(cost[2].boxes, 2); /* the plane's rows */
}
END_TEST

START_TEST(even_shares_are_disjoint_and_complete)
{
    for (unsigned takers = 1; takers < 9; takers++)
        for (size_t n = 1; n < 70; n += 3) {
            struct yk_range r = {.dims = 2, .groups = {n, 5, 1}, .axis = 1};
            uint64_t at = 0, from, to;
            for (unsigned i = 0; i < takers; i++) {
                yk_cut_even(&r, takers, i, &from, &to);
                ck_assert_uint_eq(from, at);
                ck_assert_uint_ge(to, from);
                at = to;
            }
            ck_assert_uint_eq(at, 5 * n);
        }
}
END_TEST

START_TEST(costs_add_up)
{
    struct yk_cut_cost c = {.bytes = 1000, .pieces = 3, .fetched = 5, .boxes = 7};
    ck_assert_uint_eq(yk_cut_weigh(&c, false), 1000 + 3 * 2048 + 5 * 512 + 7 * 16384);
    ck_assert_uint_eq(yk_cut_weigh(&c, true), 3 * 64 + 7 * 16384);
    struct yk_range cube = {.dims = 3, .groups = {8, 8, 8}};
    struct yk_cut_cost same[3] = {c, c, c};
    ck_assert_uint_eq(yk_cut_best(&cube, same, false), 2); /* the last of those that cost the same */
    struct yk_range r = {.dims = 1, .groups = {1000, 1, 1}, .axis = 1};
    uint64_t from, to;
    for (unsigned takers = 1; takers < 8; takers++)
        for (unsigned i = 0; i < takers; i++) { /* nobody has much more than another */
            yk_cut_even(&r, takers, i, &from, &to);
            ck_assert_uint_le(to - from, 1000 / takers + 42);
            ck_assert_uint_ge(to - from + 42, 1000 / takers);
            ck_assert(i + 1 < takers || to == 1000);
        }
    struct yk_region rows = {.offset = 0, .bytes = 4, .rows = 10, .row_pitch = 16, .slices = 3, .slice_pitch = 320};
    c = (struct yk_cut_cost){.bytes = 0};
    yk_cut_add(&c, &rows, false, false, 120);
    ck_assert(c.bytes == 120 && c.fetched == 30 && c.pieces == 0);
    yk_cut_add(&c, &rows, true, true, 0);
    ck_assert(c.bytes == 120 && c.fetched == 30 && c.pieces == 30);
}
END_TEST

START_TEST(shares_are_added_up)
{
    struct yk_cut_cost cost[3];
    begin();
    touch(0, 0, 4, 4 * W, 0);
    touch(1, 0, 4, 4 * W, 0);
    access[1].exact = false;
    evaluate(2, square, 2, cost); /* read, read before it is written, compared twice as much */
    ck_assert_uint_eq(cost[1].bytes, 4 * W * W * (1 + 1 + 2));
    ck_assert_uint_eq(cost[1].pieces, 2);
    ck_assert_uint_eq(cost[1].fetched, 4);
    begin();
    touch(0, 0, 4, 4 * W, 0);
    touch(1, 0, 4, 4 * W, 0);
    arg[1].reduces = true; /* each device has its own */
    evaluate(2, square, 2, cost);
    arg[1].reduces = false;
    ck_assert_uint_eq(cost[1].bytes, 4 * W * W);
    ck_assert_uint_eq(cost[1].pieces, 0);
}
END_TEST

/* What a share costs, added up by hand, for launches, kernels and shares of any kind. */
START_TEST(costs_as_their_twin)
{
    for (unsigned round = 0; round < 3000; round++) {
        struct yk_reach reach = {0};
        struct yk_reach_arg size[2] = {{NULL, 1 << 20}, {NULL, 1 << 20}};
        struct yk_reach_launch l = {.arg = size};
        struct yk_range r = {.axis = 0};
        struct yk_cut_cost have, want = {.bytes = 0};
        uint64_t total = 1, end = 0;
        random_begin(round);
        l.dims = r.dims = 1 + below(3);
        for (unsigned d = 0; d < 3; d++) {
            l.groups[d] = r.groups[d] = d < l.dims ? 1 + below(below(3) ? 9 : 90) : 1;
            l.local[d] = d < l.dims ? 1 + below(4) : 1;
            total *= l.groups[d];
        }
        r.axis = below(4) ? 1 + below(l.dims) : 0;
        begin();
        for (unsigned n = 1 + below(3); n; n--) {
            unsigned to = below(2);
            int64_t x = 4 * (int64_t)below(3), y = 4 * (int64_t)below(100), z = (int64_t)below(3) * 4000;
            touch(to, (int64_t)below(400), x, y, z);
            access[kernel.naccesses - 1].exact &= below(3) != 0;
        }
        arg[1].reduces = below(4) == 0;
        unsigned takers = 1 + below(5);
        uint64_t grain = yk_range_grain(&r, 24);
        for (unsigned i = 0; i < takers; i++) {
            struct yk_share share;
            uint64_t from, to;
            yk_cut_even(&r, takers, i, &from, &to);
            ck_assert_uint_eq(from, end);
            end = i + 1 == takers ? total : total / grain * (i + 1) / takers * grain;
            ck_assert_uint_eq(to, end);
            yk_range_cut(&r, from, to, &share);
            ck_assert_int_eq(yk_reach_share(&reach, &kernel, &l, &share), YK_OK);
            want.boxes += share.n;
            for (size_t t = 0; t < reach.touch.n; t++) {
                const struct yk_region *g = &reach.touch.v[t].region;
                bool write = reach.touch.v[t].arg == 1, exact = reach.touch.v[t].exact;
                uint64_t pieces = g->rows * g->slices, bytes = pieces * g->bytes,
                         extent = (g->slices - 1) * g->slice_pitch + (g->rows - 1) * g->row_pitch + g->bytes;
                if (write && arg[1].reduces)
                    continue;
                want.bytes += write && exact ? 0 : write ? bytes + 2 * extent : bytes;
                want.fetched += write && exact ? 0 : pieces;
                want.pieces += write && exact ? pieces : write;
            }
        }
        ck_assert_int_eq(yk_cut_evaluate(&reach, &kernel, &l, &r, takers, &have), YK_OK);
        ck_assert(have.bytes == want.bytes && have.pieces == want.pieces && have.fetched == want.fetched &&
                  have.boxes == want.boxes);
        arg[1].reduces = false;
        yk_reach_finish(&reach);
    }
}
END_TEST

START_TEST(the_best_is_the_least)
{
    for (unsigned round = 0; round < 5000; round++) {
        struct yk_cut_cost cost[3];
        uint64_t weight[2][3];
        random_begin(round);
        for (unsigned d = 0; d < 3; d++) {
            cost[d] = (struct yk_cut_cost){.bytes = below(3) * 4096, .pieces = below(4), .fetched = below(9)};
            cost[d].boxes = 1 + below(2);
            weight[0][d] = cost[d].bytes + cost[d].pieces * 2048 + cost[d].fetched * 512 + cost[d].boxes * 16384;
            weight[1][d] = cost[d].pieces * 64 + cost[d].boxes * 16384;
        }
        struct yk_range r = {.dims = 1 + below(3), .groups = {4, 4, 4}};
        for (unsigned same = 0; same < 2; same++) {
            unsigned least = 0;
            for (unsigned d = 0; d < r.dims; d++) {
                ck_assert_uint_eq(yk_cut_weigh(&cost[d], same), weight[same][d]);
                least = weight[same][d] <= weight[same][least] ? d : least;
            }
            ck_assert_uint_eq(yk_cut_best(&r, cost, same), least);
        }
    }
}
END_TEST

START_TEST(without_memory)
{
    struct yk_reach reach = {0};
    struct yk_reach_arg size[2] = {{NULL, 1 << 26}, {NULL, 1 << 26}};
    struct yk_reach_launch l = {.dims = 1, .groups = {8, 1, 1}, .local = {8, 1, 1}, .arg = size};
    struct yk_range r = {.dims = 1, .groups = {8, 1, 1}, .axis = 1};
    struct yk_cut_cost cost;
    begin();
    touch(1, 0, 4, 0, 0);
    no_memory = true;
    ck_assert_int_eq(yk_cut_evaluate(&reach, &kernel, &l, &r, 2, &cost), YK_ENOMEM);
    no_memory = false;
    ck_assert_int_eq(yk_cut_evaluate(&reach, &kernel, &l, &r, 2, &cost), YK_OK);
    yk_reach_finish(&reach);
}
END_TEST

START_TEST(what_may_be_written_is_compared)
{
    struct yk_cut_cost c = {.bytes = 0};
    struct yk_region r = {.offset = 100, .bytes = 4, .rows = 10, .row_pitch = 16, .slices = 1, .slice_pitch = 160};
    yk_cut_add(&c, &r, true, false, 40);
    ck_assert_uint_eq(c.bytes, 40 + 2 * 148);
    ck_assert_uint_eq(c.pieces, 1);
    ck_assert_uint_eq(c.fetched, 10);
    yk_cut_add(&c, &r, true, true, 0);
    ck_assert_uint_eq(c.pieces, 11);
    ck_assert_uint_eq(c.fetched, 10);
}
END_TEST

YK_TEST_MAIN("cut", rows_stay_whole, what_numbers_rows_by_dimension_0_is_cut_there, writes_count_more_than_reads,
             small_halos_are_preferred, a_short_dimension_is_cut_into_boxes, even_shares_are_disjoint_and_complete,
             costs_add_up, shares_are_added_up, costs_as_their_twin, the_best_is_the_least, without_memory,
             what_may_be_written_is_compared)
