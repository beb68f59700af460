/* transform/facts_regions.h, facts_recall.h: what usual accesses come to, exactly. Kernels are written as facts by
 * hand; launches are of 3 x 2 x 2 work-groups of 4 x 2 x 1 from (10, 20, 0), of which a box is asked for. */
#include <stdlib.h>
#include <string.h>
#include "tests/unit/main.h"
#include "transform/facts_recall.h"
#include "transform/facts_regions.h"

enum { NODES = 256, SIZE = 1 << 20, NONE = 0 };

/* Stands in for base's: arrays that cannot grow, once so many have. */
static unsigned allocations = 1000000;
bool yk_array_grow_(void **v, size_t *cap, size_t need, size_t size)
{
    if (!allocations)
        return false;
    allocations--;
    void *p = realloc(*v, need * size);
    if (p) {
        *v = p;
        *cap = need;
    }
    return p != NULL;
}

static struct yk_facts_node node[NODES];
static struct yk_facts_access access[8];
static struct yk_facts_guard guard[64];
static struct yk_facts_arg arg[4];
static struct yk_facts_kernel kernel;
static struct yk_reach_arg value[4];
static struct yk_reach_launch launch;
static struct yk_box box;
static struct yk_reach reach;
static int32_t narrow;
static int64_t wide[2];

static void begin(void)
{
    kernel = (struct yk_facts_kernel){.nargs = 4, .arg = arg, .node = node, .access = access, .guard = guard};
    for (unsigned i = 0; i < 4; i++)
        arg[i] = (struct yk_facts_arg){.kind = i < 2 ? YK_ARG_GLOBAL : YK_ARG_VALUE, .bounded = true};
    value[0] = (struct yk_reach_arg){NULL, SIZE};
    value[1] = (struct yk_reach_arg){NULL, SIZE};
    value[2] = (struct yk_reach_arg){&narrow, sizeof narrow};
    value[3] = (struct yk_reach_arg){wide, sizeof wide};
    launch = (struct yk_reach_launch){
        .dims = 3, .groups = {3, 2, 2}, .local = {4, 2, 1}, .offset = {10, 20, 0}, .arg = value};
    box = (struct yk_box){.first = {1, 0, 1}, .count = {2, 1, 1}}; /* ids 14..21, 20..21, 1 */
}

static unsigned op3(unsigned op, unsigned bits, unsigned a, unsigned b, unsigned c, int64_t imm)
{
    unsigned i = kernel.nnodes++;
    ck_assert_uint_lt(i, NODES);
    node[i] = (struct yk_facts_node){(uint8_t)op, (uint8_t)bits, (uint16_t)a, (uint16_t)b, (uint16_t)c, imm};
    ck_assert(yk_node_valid(node, i));
    return i;
}

static unsigned op(unsigned what, unsigned a, unsigned b)
{
    return op3(what, node[a].bits, a, b, 0, 0);
}

static unsigned test(unsigned what, unsigned a, unsigned b)
{
    return op3(what, 1, a, b, 0, 0);
}

static unsigned leaf(unsigned what, unsigned d)
{
    return op3(what, 64, 0, 0, 0, d);
}

static unsigned id(unsigned d)
{
    return leaf(YK_NODE_GLOBAL_ID, d);
}

static unsigned number(int64_t x)
{
    return op3(YK_NODE_CONST, 64, 0, 0, 0, x);
}

static unsigned times(unsigned a, int64_t by)
{
    return op(YK_NODE_MUL, a, number(by));
}

static unsigned plus(unsigned a, int64_t by)
{
    return op(YK_NODE_ADD, a, number(by));
}

static unsigned touches(unsigned kind, unsigned of, unsigned bytes, unsigned at)
{
    access[kernel.naccesses] = (struct yk_facts_access){.arg = (uint16_t)of,
                                                        .kind = (uint8_t)kind,
                                                        .bytes = bytes,
                                                        .node = (uint16_t)at,
                                                        .exact = kind == YK_ACCESS_WRITE,
                                                        .guard = (uint16_t)kernel.nguards};
    return kernel.naccesses++;
}

static void writes(unsigned bytes, unsigned at)
{
    touches(YK_ACCESS_WRITE, 0, bytes, at);
}

/* A condition on the access that came last. */
static void where(unsigned condition, bool want)
{
    guard[kernel.nguards++] = (struct yk_facts_guard){(uint16_t)condition, want};
    access[kernel.naccesses - 1].nguards++;
}

static void run(void)
{
    ck_assert_int_eq(yk_reach_box(&reach, &kernel, &launch, &box), YK_OK);
}

static const struct yk_touch *only(void)
{
    run();
    ck_assert_uint_eq(reach.touch.n, 1);
    return &reach.touch.v[0];
}

static void plain(uint64_t offset, uint64_t bytes, bool exact)
{
    const struct yk_touch *t = only();
    ck_assert_uint_eq(t->region.offset, offset);
    ck_assert_uint_eq(t->region.bytes, bytes);
    ck_assert(t->region.rows == 1 && t->region.slices == 1);
    ck_assert_int_eq(t->exact, exact);
    ck_assert(!t->whole);
}

static void rows(uint64_t offset, uint64_t bytes, uint64_t n, uint64_t pitch, bool exact)
{
    const struct yk_touch *t = only();
    ck_assert_uint_eq(t->region.offset, offset);
    ck_assert_uint_eq(t->region.bytes, bytes);
    ck_assert_uint_eq(t->region.rows, n);
    ck_assert_uint_eq(t->region.row_pitch, pitch);
    ck_assert_uint_eq(t->region.slices, 1);
    ck_assert_int_eq(t->exact, exact);
}

static void nothing(void)
{
    run();
    ck_assert_uint_eq(reach.touch.n, 0);
}

static void whole(void)
{
    const struct yk_touch *t = only();
    ck_assert(t->whole && !t->exact && t->region.offset == 0 && t->region.bytes == SIZE);
}

/* One byte at X, which is known. */
static void is(unsigned x, int64_t want)
{
    writes(1, plus(x, 1000));
    plain((uint64_t)(1000 + want), 1, true);
}

START_TEST(ids_and_sizes)
{
    static const struct {
        unsigned what;
        int64_t want[3];
    } sizes[] = {{YK_NODE_LOCAL_SIZE, {4, 2, 1}},
                 {YK_NODE_NUM_GROUPS, {3, 2, 2}},
                 {YK_NODE_GLOBAL_SIZE, {12, 4, 2}},
                 {YK_NODE_GLOBAL_OFFSET, {10, 20, 0}}};
    static const struct {
        unsigned what;
        uint64_t first[3], n[3];
    } ids[] = {{YK_NODE_GLOBAL_ID, {14, 20, 1}, {8, 2, 1}},
               {YK_NODE_LOCAL_ID, {0, 0, 0}, {4, 2, 1}},
               {YK_NODE_GROUP_ID, {1, 0, 1}, {2, 1, 1}}};
    for (unsigned d = 0; d < 3; d++) {
        for (unsigned i = 0; i < 4; i++) {
            begin();
            is(leaf(sizes[i].what, d), sizes[i].want[d]);
        }
        for (unsigned i = 0; i < 3; i++) {
            begin();
            writes(1, leaf(ids[i].what, d));
            plain(ids[i].first[d], ids[i].n[d], true);
        }
    }
    for (unsigned dims = 1; dims <= 3; dims++) {
        begin();
        launch.dims = dims;
        is(leaf(YK_NODE_WORK_DIM, 0), dims);
    }
    for (uint64_t more = 0; more < 2; more++) { /* nothing real, and more is not to be computed with */
        begin();
        launch.offset[0] = (uint64_t)YK_FORM_MOST + more;
        unsigned offset = leaf(YK_NODE_GLOBAL_OFFSET, 0);
        writes(1, id(0));
        whole();
        ck_assert_int_eq(reach.form[offset].top, more);
    }
}
END_TEST

START_TEST(arguments_are_signed_numbers_of_their_bytes)
{
    begin();
    narrow = -7;
    is(op3(YK_NODE_SEXT, 64, op3(YK_NODE_ARG, 32, 2, 0, 0, 0), 0, 0, 0), -7);
    begin();
    narrow = 0x7fff0012;
    is(op3(YK_NODE_ZEXT, 64, op3(YK_NODE_ARG, 16, 2, 0, 0, 0), 0, 0, 0), 0x12);
    begin();
    wide[0] = 5;
    wide[1] = 600;
    is(op3(YK_NODE_ARG, 64, 3, 0, 0, 8), 600); /* a struct's second field */
    begin();
    writes(1, op3(YK_NODE_ARG, 64, 3, 0, 0, 12)); /* not all of it was given */
    whole();
    begin();
    writes(1, op3(YK_NODE_ARG, 64, 0, 0, 0, 0)); /* a buffer is no number */
    whole();
    begin();
    writes(1, op3(YK_NODE_ZEXT, 64, op3(YK_NODE_ARG, 16, 0, 0, 0, 0), 0, 0, 0));
    plain(0, 65536, false);
    begin();
    wide[0] = INT64_MAX;
    writes(1, op3(YK_NODE_ARG, 64, 3, 0, 0, 0));
    whole();
}
END_TEST

START_TEST(rows_and_planes)
{
    begin();
    writes(4, op(YK_NODE_ADD, times(id(0), 4), times(id(1), 400)));
    rows(14 * 4 + 20 * 400, 32, 2, 400, true);
    begin();
    writes(4, op(YK_NODE_ADD, times(id(0), 4), times(id(1), 32))); /* rows without a gap */
    plain(14 * 4 + 20 * 32, 64, true);
    begin();
    box.count[2] = 1;
    box.first[2] = 0;
    launch.local[2] = 3;
    writes(4, op(YK_NODE_ADD, op(YK_NODE_ADD, times(id(0), 4), times(id(1), 100)), times(id(2), 10000)));
    const struct yk_touch *t = only();
    ck_assert(t->exact && t->region.offset == 14 * 4 + 20 * 100 && t->region.bytes == 32 && t->region.rows == 2 &&
              t->region.row_pitch == 100 && t->region.slices == 3 && t->region.slice_pitch == 10000);
    begin();
    writes(4, op(YK_NODE_SUB, number(4000), times(id(0), 4))); /* backwards */
    plain(4000 - 21 * 4, 32, true);
    begin();
    writes(4, times(id(0), 12));
    rows(14 * 12, 4, 8, 12, true);
    begin();
    touches(YK_ACCESS_READ, 0, 4, times(id(0), 24));
    rows(14 * 24, 4, 8, 24, false);
    begin();
    touches(YK_ACCESS_READ, 0, 4, times(id(0), 12)); /* a few bytes here and there: one piece too */
    plain(14 * 12, 88, false);
    begin();
    touches(YK_ACCESS_READ, 0, 96, times(id(0), 100)); /* hardly anything between the rows: one piece */
    plain(1400, 796, false);
    begin();
    touches(YK_ACCESS_READ, 0, 95, times(id(0), 100)); /* 19 of 20 bytes still are */
    plain(1400, 795, false);
    begin();
    touches(YK_ACCESS_READ, 0, 94, times(id(0), 100));
    rows(1400, 94, 8, 100, false);
    begin();
    writes(96, times(id(0), 100));
    rows(1400, 96, 8, 100, true);
}
END_TEST

START_TEST(outside_of_the_buffer)
{
    begin();
    value[0].size = 60;
    writes(4, times(id(0), 4)); /* bytes 56 to 87 */
    plain(56, 4, false);
    static const uint64_t enough[] = {88, YK_FORM_MOST}; /* of more than that nothing is known */
    for (unsigned i = 0; i < 2; i++) {
        begin();
        value[0].size = enough[i];
        writes(4, times(id(0), 4));
        plain(56, 32, true);
    }
    begin();
    value[0].size = 56;
    writes(4, times(id(0), 4));
    nothing();
    begin();
    writes(4, op(YK_NODE_SUB, times(id(0), 4), number(68)));
    plain(0, 20, false);
    begin();
    writes(4, op(YK_NODE_SUB, times(id(0), 4), number(88)));
    nothing();
    begin();
    value[0].size = 0;
    writes(4, times(id(0), 4));
    nothing();
    begin();
    touches(YK_ACCESS_READ, 0, 4, times(id(0), 12)); /* rows up to 256, of which the buffer has less */
    value[0].size = 255;
    plain(168, 87, false);
}
END_TEST

START_TEST(many_rows_that_are_not_exact_are_one_piece)
{
    for (unsigned n = 1024; n <= 1028; n += 4)
        for (unsigned kind = YK_ACCESS_READ; kind <= YK_ACCESS_WRITE; kind++) {
            begin();
            box.first[0] = 0;
            box.count[0] = n / 4;
            launch.groups[0] = n;
            touches(kind, 0, 4, times(id(0), 400));
            const struct yk_touch *t = only();
            bool piece = n > 1024 && kind == YK_ACCESS_READ;
            ck_assert_uint_eq(t->region.rows, piece ? 1 : n);
            ck_assert_uint_eq(t->region.bytes, piece ? (n - 1) * 400 + 4 : 4);
        }
    for (unsigned n = 25; n <= 26; n++) { /* 40 rows in each of so many planes */
        begin();
        box = (struct yk_box){.first = {0, 0, 0}, .count = {10, 1, n}};
        launch.groups[2] = n;
        launch.groups[0] = 10;
        launch.local[1] = 1;
        touches(YK_ACCESS_READ, 0, 4, op(YK_NODE_ADD, times(leaf(YK_NODE_GROUP_ID, 2), 8000), times(id(0), 100)));
        const struct yk_touch *t = only();
        ck_assert_uint_eq(t->region.rows, n > 25 ? 1 : 40);
        ck_assert_uint_eq(t->region.slices, n > 25 ? 1 : n);
    }
}
END_TEST

START_TEST(guards_narrow)
{
    static const struct {
        unsigned what;
        bool want;
        int64_t with;
        uint64_t first, n; /* of ids 14..21 */
    } cases[] = {
        {YK_NODE_ULT, true, 18, 14, 4},  {YK_NODE_ULT, false, 18, 18, 4}, {YK_NODE_ULE, true, 18, 14, 5},
        {YK_NODE_ULE, false, 18, 19, 3}, {YK_NODE_SLT, true, 18, 14, 4},  {YK_NODE_SLT, false, 18, 18, 4},
        {YK_NODE_SLE, true, 18, 14, 5},  {YK_NODE_SLE, false, 18, 19, 3}, {YK_NODE_EQ, true, 18, 18, 1},
        {YK_NODE_NE, false, 18, 18, 1},  {YK_NODE_ULT, true, 22, 14, 8},  {YK_NODE_ULT, true, 14, 0, 0},
        {YK_NODE_EQ, true, 22, 0, 0},    {YK_NODE_ULE, false, 21, 0, 0},  {YK_NODE_NE, true, 22, 14, 8},
        {YK_NODE_EQ, false, 13, 14, 8},  {YK_NODE_SLT, true, -1, 0, 0},   {YK_NODE_SLT, false, -1, 14, 8},
        {YK_NODE_ULE, true, 21, 14, 8},  {YK_NODE_SLE, true, 13, 0, 0},   {YK_NODE_EQ, true, 14, 14, 1},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin();
        unsigned x = id(0), with = number(cases[i].with);
        writes(4, times(x, 4));
        where(test(cases[i].what, x, with), cases[i].want);
        if (cases[i].n)
            plain(cases[i].first * 4, cases[i].n * 4, true);
        else
            nothing();
    }
    begin(); /* one place of many is left out: not exact */
    unsigned x = id(0);
    writes(4, times(x, 4));
    where(test(YK_NODE_EQ, x, number(18)), false);
    plain(56, 32, false);
    begin(); /* two bounds of the same, and one of another dimension */
    x = id(0);
    unsigned y = id(1);
    writes(4, op(YK_NODE_ADD, times(x, 4), times(y, 400)));
    where(test(YK_NODE_ULT, x, number(20)), true);
    where(test(YK_NODE_ULT, x, number(16)), false);
    where(test(YK_NODE_ULE, y, number(20)), true);
    plain(16 * 4 + 20 * 400, 16, true);
    begin(); /* 2 x < 37 and -3 x > -58 */
    x = id(0);
    writes(4, times(x, 4));
    where(test(YK_NODE_SLT, times(x, 2), number(37)), true);
    where(test(YK_NODE_SLT, number(-58), times(x, -3)), true);
    plain(14 * 4, 5 * 4, true);
    begin(); /* a bound beyond all others, from both sides */
    x = id(0);
    writes(4, times(x, 4));
    where(test(YK_NODE_SLT, number(17), x), true);
    where(test(YK_NODE_SLT, number(19), x), true);
    where(test(YK_NODE_SLT, number(15), x), true);
    plain(20 * 4, 8, true);
}
END_TEST

START_TEST(guards_of_several_dimensions)
{
    begin(); /* the rows' places in one number: x + 8 y < 172, with x of 14..21 and y of 20..21 */
    unsigned x = id(0), y = id(1), sum = op(YK_NODE_ADD, x, times(y, 8));
    writes(4, times(sum, 4));
    where(test(YK_NODE_ULT, sum, number(180)), true);
    plain((14 + 160) * 4, 6 * 4, true);
    begin(); /* with gaps between the rows: all that is known is that it is in them */
    x = id(0);
    y = id(1);
    sum = op(YK_NODE_ADD, x, times(y, 100));
    writes(4, times(sum, 4));
    where(test(YK_NODE_ULT, sum, number(2020)), true);
    run();
    ck_assert_uint_eq(reach.touch.n, 1);
    ck_assert(!reach.touch.v[0].exact && reach.touch.v[0].region.offset == 2014 * 4);
    begin(); /* a row of an access that moves with one of them alone, and one with both together */
    x = id(0);
    y = id(1);
    writes(4, times(y, 4));
    where(test(YK_NODE_ULT, op(YK_NODE_ADD, x, times(y, 8)), number(180)), true);
    plain(80, 8, false);
    begin();
    x = id(0);
    y = id(1);
    writes(4, op(YK_NODE_ADD, times(x, 8), times(y, 64)));
    where(test(YK_NODE_ULT, op(YK_NODE_ADD, x, times(y, 8)), number(180)), true);
    rows((14 + 160) * 8, 4, 6, 8, true);
    begin(); /* a condition that crosses another: only one is used, so nothing is exact */
    x = id(0);
    y = id(1);
    writes(4, op(YK_NODE_ADD, times(x, 4), times(y, 400)));
    where(test(YK_NODE_ULT, x, number(18)), true);
    where(test(YK_NODE_ULT, op(YK_NODE_ADD, x, y), number(38)), true);
    rows(14 * 4 + 20 * 400, 16, 2, 400, false);
    begin(); /* one on what nobody knows */
    x = id(0);
    writes(4, times(x, 4));
    where(test(YK_NODE_ULT, op3(YK_NODE_ZEXT, 64, op3(YK_NODE_UNKNOWN, 8, 0, 0, 0, 0), 0, 0, 0), x), true);
    plain(56, 32, false);
    begin(); /* the sum, not its parts, is what the access moves with */
    x = id(0);
    y = id(1);
    writes(4, op(YK_NODE_ADD, times(x, 4), times(y, 4000)));
    where(test(YK_NODE_ULT, op(YK_NODE_ADD, x, times(y, 8)), number(178)), true);
    run();
    ck_assert_uint_eq(reach.touch.n, 1);
    ck_assert(!reach.touch.v[0].exact);
}
END_TEST

static uint64_t exact_bytes(void)
{
    uint64_t sum[2] = {0};
    for (unsigned way = 0; way < 2; way++) {
        struct yk_share share = {.n = 1, .box = {box}};
        if (way)
            ck_assert_int_eq(yk_reach_share(&reach, &kernel, &launch, &share), YK_OK);
        else
            run();
        for (size_t i = 0; i < reach.touch.n; i++) {
            ck_assert(reach.touch.v[i].exact);
            sum[way] += yk_region_bytes(&reach.touch.v[i].region);
        }
    }
    ck_assert_uint_eq(sum[0], sum[1]);
    return sum[0];
}

/* A work-group's items lie apart from the next one's, and a condition holds for some of them: the work-groups for which
 * it holds or fails altogether are known apart from that one. */
START_TEST(ragged_ends_are_by_themselves)
{
    begin(); /* two numbers per work-item, of 18: 8..11 and 12..15, 16..17 and none */
    unsigned i = op(YK_NODE_ADD, times(leaf(YK_NODE_GROUP_ID, 0), 8), leaf(YK_NODE_LOCAL_ID, 0)), j = plus(i, 4);
    writes(4, times(i, 4));
    where(test(YK_NODE_ULT, i, number(18)), true);
    writes(4, times(j, 4));
    where(test(YK_NODE_ULT, j, number(18)), true);
    plain(32, 40, true);
    for (int64_t from = 9; from <= 19; from++) { /* from a number on: the first work-group is the ragged one */
        begin();
        i = op(YK_NODE_ADD, times(leaf(YK_NODE_GROUP_ID, 0), 8), leaf(YK_NODE_LOCAL_ID, 0));
        writes(4, times(i, 4));
        where(test(YK_NODE_ULE, number(from), i), true);
        ck_assert_uint_eq(exact_bytes(), 4 * (uint64_t)((from < 12 ? 12 - from : 0) + (from < 16 ? 4 : 20 - from)));
    }
    for (unsigned dims = 1; dims <= 3; dims++) { /* in every dimension, and some work-groups are beyond the end */
        begin();
        launch.groups[0] = 4;
        launch.local[2] = 2;
        box = (struct yk_box){.first = {0, 0, 0}, .count = {4, 2, 2}};
        static const int64_t end[3] = {18, 5, 5};
        static const uint64_t numbers[4] = {0, 10, 10 + 3, 10 + 3 + 3};
        for (unsigned d = 0; d < dims; d++) {
            unsigned x = op(YK_NODE_ADD, times(leaf(YK_NODE_GROUP_ID, d), d ? 4 : 8), leaf(YK_NODE_LOCAL_ID, d));
            writes(4, plus(times(x, 4), 1000 * (int64_t)d));
            where(test(YK_NODE_ULT, x, number(end[d])), true);
        }
        ck_assert_uint_eq(exact_bytes(), 4 * numbers[dims]);
    }
    begin(); /* three work-groups whose items are all below the end, though their places lie beyond other groups' */
    box = (struct yk_box){.first = {0, 0, 0}, .count = {8, 1, 1}};
    launch.groups[0] = 8;
    launch.local[0] = 2;
    i = op(YK_NODE_ADD, leaf(YK_NODE_GROUP_ID, 0), times(leaf(YK_NODE_LOCAL_ID, 0), 9));
    writes(4, times(i, 4));
    where(test(YK_NODE_ULT, i, number(12)), true);
    run();
    uint64_t for_sure = 0;
    for (size_t t = 0; t < reach.touch.n; t++)
        for_sure += reach.touch.v[t].exact ? yk_region_bytes(&reach.touch.v[t].region) : 0;
    ck_assert_uint_eq(for_sure, 3 * 2 * 4);
    begin(); /* two work-items of one work-group may be on either side, of several work-groups: nothing is to be cut */
    i = op(YK_NODE_ADD, times(leaf(YK_NODE_GROUP_ID, 0), 1), times(leaf(YK_NODE_LOCAL_ID, 0), 5));
    writes(4, times(i, 4));
    where(test(YK_NODE_ULT, i, number(6)), true);
    run();
    ck_assert(reach.touch.n == 1 && !reach.touch.v[0].exact);
}
END_TEST

/* Of a condition's value as of a number: NOT, AND, OR, XOR, a select of conditions, comparisons of them. */
START_TEST(conditions_of_conditions)
{
    enum { NOT = 100 };
    static const struct {
        unsigned what;
        bool want;
        int64_t a, b; /* id < a, id < b */
        uint64_t first, n;
        bool exact;
    } cases[] = {
        {YK_NODE_AND, true, 18, 20, 14, 4, true},  {YK_NODE_OR, false, 18, 16, 18, 4, true},
        {YK_NODE_OR, true, 18, 10, 14, 4, true},   {YK_NODE_OR, true, 10, 18, 14, 4, true},
        {YK_NODE_OR, true, 10, 12, 0, 0, true},    {YK_NODE_OR, true, 18, 20, 14, 8, false},
        {YK_NODE_AND, false, 18, 30, 18, 4, true}, {YK_NODE_AND, false, 30, 18, 18, 4, true},
        {YK_NODE_AND, false, 30, 40, 0, 0, true},  {YK_NODE_OR, true, 30, 18, 14, 8, true},
        {YK_NODE_XOR, true, 18, NOT, 18, 4, true}, {YK_NODE_XOR, false, 18, NOT, 14, 4, true},
        {YK_NODE_XOR, true, 18, 20, 14, 8, false}, {YK_NODE_EQ, true, 18, NOT, 14, 4, true},
        {YK_NODE_EQ, false, 18, NOT, 18, 4, true}, {YK_NODE_NE, true, 18, NOT, 18, 4, true},
        {YK_NODE_NE, false, 18, NOT, 14, 4, true}, {YK_NODE_EQ, true, 18, 20, 14, 8, false},
        {YK_NODE_ULT, true, 18, 20, 14, 8, false},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin();
        unsigned x = id(0), a = test(YK_NODE_ULT, x, number(cases[i].a)),
                 b = cases[i].b == NOT ? op3(YK_NODE_CONST, 1, 0, 0, 0, 1) : test(YK_NODE_ULT, x, number(cases[i].b));
        writes(4, times(x, 4));
        where(test(cases[i].what, a, b), cases[i].want);
        if (cases[i].n)
            plain(cases[i].first * 4, cases[i].n * 4, cases[i].exact);
        else
            nothing();
    }
    for (unsigned i = 0; i < 4; i++) { /* a && b and a || b, as selects; else nothing is known */
        begin();
        unsigned x = id(0), a = test(YK_NODE_ULT, x, number(20)), b = test(YK_NODE_ULT, x, number(17)),
                 no = op3(YK_NODE_CONST, 1, 0, 0, 0, 0), yes = op3(YK_NODE_CONST, 1, 0, 0, 0, 1);
        writes(4, times(x, 4));
        bool either = i >= 2, want = i % 2;
        where(either ? op3(YK_NODE_SELECT, 1, a, yes, b, 0) : op3(YK_NODE_SELECT, 1, a, b, no, 0), want);
        if (either == want)
            plain(14 * 4, 32, false);
        else if (want)
            plain(14 * 4, 12, true);
        else
            plain(20 * 4, 8, true);
    }
    for (unsigned i = 0; i < 4; i++) { /* what is always or never so */
        begin();
        unsigned x = id(0);
        writes(4, times(x, 4));
        where(op3(YK_NODE_CONST, 1, 0, 0, 0, i & 1), i >> 1);
        if ((i & 1) == i >> 1)
            plain(56, 32, true);
        else
            nothing();
    }
    for (unsigned i = 0; i < 2; i++) { /* a bit of an argument */
        begin();
        narrow = 6;
        unsigned x = id(0);
        writes(4, times(x, 4));
        where(op3(YK_NODE_TRUNC, 1, op3(YK_NODE_ARG, 32, 2, 0, 0, 0), 0, 0, 0), i);
        if (i == 0)
            plain(56, 32, true);
        else
            nothing();
    }
    begin();
    unsigned x = id(0);
    writes(4, times(x, 4));
    where(op3(YK_NODE_UNKNOWN, 1, 0, 0, 0, 0), true);
    plain(56, 32, false);
}
END_TEST

START_TEST(conditions_beyond_what_is_followed)
{
    for (unsigned n = YK_REACH_CONDITIONS; n <= YK_REACH_CONDITIONS + 1; n++) {
        begin();
        unsigned x = id(0);
        writes(4, times(x, 4));
        for (unsigned i = 0; i < n; i++)
            where(test(YK_NODE_ULT, x, number(i + 1 < n ? 20 : 18)), true);
        bool all = n <= YK_REACH_CONDITIONS;
        plain(56, all ? 16 : 24, all);
    }
    static const unsigned chains[] = {YK_NODE_XOR,    YK_NODE_EQ,  YK_NODE_AND, YK_NODE_OR,
                                      YK_NODE_SELECT, YK_NODE_AND, YK_NODE_OR};
    for (unsigned i = 0; i < 7; i++)
        for (unsigned deep = 8; deep <= 9; deep++) {
            begin();
            unsigned x = id(0), c = test(YK_NODE_ULT, x, number(18)), yes = op3(YK_NODE_CONST, 1, 0, 0, 0, 1),
                     no = op3(YK_NODE_CONST, 1, 0, 0, 0, 0);
            writes(4, times(x, 4));
            bool turns = chains[i] == YK_NODE_XOR || chains[i] == YK_NODE_EQ; /* with each one more */
            unsigned with = chains[i] == YK_NODE_XOR || chains[i] == YK_NODE_AND ? yes : no;
            for (unsigned k = 0; k < deep; k++)
                c = chains[i] == YK_NODE_SELECT ? op3(YK_NODE_SELECT, 1, c, yes, no, 0)
                    : i < 5                     ? test(chains[i], c, with)
                                                : test(chains[i], with, c); /* the chain is to the right */
            where(c, !turns || deep % 2 == 0);
            plain(56, deep == 8 ? 16 : 32, deep == 8);
        }
}
END_TEST

/* no || (no || (... x < 18)), as selects, is not so. */
START_TEST(alternatives_to_the_right)
{
    for (unsigned deep = 8; deep <= 9; deep++) {
        begin();
        unsigned x = id(0), c = test(YK_NODE_ULT, x, number(18)), yes = op3(YK_NODE_CONST, 1, 0, 0, 0, 1),
                 no = op3(YK_NODE_CONST, 1, 0, 0, 0, 0);
        writes(4, times(x, 4));
        for (unsigned k = 0; k < deep; k++)
            c = op3(YK_NODE_SELECT, 1, no, yes, c, 0);
        where(c, false);
        plain(deep == 8 ? 72 : 56, deep == 8 ? 16 : 32, deep == 8);
        begin(); /* and yes && (yes && (... x < 18)) */
        x = id(0);
        c = test(YK_NODE_ULT, x, number(18));
        yes = op3(YK_NODE_CONST, 1, 0, 0, 0, 1);
        no = op3(YK_NODE_CONST, 1, 0, 0, 0, 0);
        writes(4, times(x, 4));
        for (unsigned k = 0; k < deep; k++)
            c = op3(YK_NODE_SELECT, 1, yes, c, no, 0);
        where(c, true);
        plain(56, deep == 8 ? 16 : 32, deep == 8);
    }
}
END_TEST

/* x < 0 || no || no ..., which never is, beside a condition that is wanted; and the opposite. */
START_TEST(long_conditions_that_never_are)
{
    for (unsigned deep = 7; deep <= 8; deep++)
        for (unsigned all = 0; all < 2; all++)
            for (unsigned right = 0; right < 2; right++) {
                begin();
                unsigned x = id(0), never = test(YK_NODE_ULT, x, number(all ? 100 : 0)),
                         no = op3(YK_NODE_CONST, 1, 0, 0, 0, all), some = test(YK_NODE_ULT, x, number(18)),
                         what = all ? YK_NODE_AND : YK_NODE_OR;
                for (unsigned k = 0; k < deep; k++)
                    never = right ? test(what, no, never) : test(what, never, no);
                writes(4, times(x, 4));
                where(right ? test(what, some, never) : test(what, never, some), !all);
                if (deep == 8)
                    plain(56, 32, false);
                else
                    plain(all ? 72 : 56, 16, true);
            }
}
END_TEST

/* for (i = from; i TEST to; i += by) p[i] = ...; with 64 bits and with 32, the counter as wide as the sum or not. */
START_TEST(loops)
{
    static const struct {
        unsigned test;
        int64_t from, by, to, first, n;
    } cases[] = {
        {YK_TRIP_ULT, 100, 1, 110, 100, 10},  {YK_TRIP_ULE, 100, 1, 110, 100, 11}, {YK_TRIP_SLT, 100, 3, 110, 100, 4},
        {YK_TRIP_SLE, 100, 3, 109, 100, 4},   {YK_TRIP_SLE, 100, 3, 108, 100, 3},  {YK_TRIP_UGT, 110, -1, 100, 101, 10},
        {YK_TRIP_UGE, 110, -1, 100, 100, 11}, {YK_TRIP_SGT, 110, -3, 100, 101, 4}, {YK_TRIP_SGE, 110, -3, 101, 101, 4},
        {YK_TRIP_SGE, 110, -3, 102, 104, 3},  {YK_TRIP_NE, 100, 2, 110, 100, 5},   {YK_TRIP_NE, 110, -2, 100, 102, 5},
        {YK_TRIP_ULT, 100, 1, 100, 0, 0},     {YK_TRIP_SGT, 100, -1, 100, 0, 0},
    };
    static const unsigned tests[] = {YK_NODE_ULT, YK_NODE_ULE, YK_NODE_ULT, YK_NODE_ULE, YK_NODE_SLT,
                                     YK_NODE_SLE, YK_NODE_SLT, YK_NODE_SLE, YK_NODE_NE};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned bits = 32; bits <= 64; bits += 32) {
            begin();
            unsigned from = op3(YK_NODE_CONST, bits, 0, 0, 0, cases[i].from),
                     by = op3(YK_NODE_CONST, bits, 0, 0, 0, cases[i].by),
                     to = op3(YK_NODE_CONST, bits, 0, 0, 0, cases[i].to),
                     trip = op3(YK_NODE_TRIP, 64, from, by, to, YK_TRIP(cases[i].test, bits)), t = trip;
            if (bits < 64)
                t = op3(YK_NODE_TRUNC, bits, trip, 0, 0, 0);
            unsigned counter = op(YK_NODE_ADD, from, op(YK_NODE_MUL, t, by)), at = counter;
            bool down = cases[i].test == YK_TRIP_UGT || cases[i].test == YK_TRIP_UGE || cases[i].test == YK_TRIP_SGT ||
                        cases[i].test == YK_TRIP_SGE;
            unsigned goes_on = down ? test(tests[cases[i].test], to, counter) : test(tests[cases[i].test], counter, to);
            if (bits < 64)
                at = op3(YK_NODE_SEXT, 64, counter, 0, 0, 0);
            writes(4, times(at, 4));
            where(goes_on, true);
            uint64_t step = (uint64_t)llabs(cases[i].by);
            run();
            if (!cases[i].n) {
                ck_assert_uint_eq(reach.touch.n, 0);
                continue;
            }
            ck_assert_uint_eq(reach.touch.n, 1);
            const struct yk_region *r = &reach.touch.v[0].region;
            if (cases[i].test == YK_TRIP_NE) { /* the round after the last is not told apart */
                ck_assert(!reach.touch.v[0].exact);
                continue;
            }
            ck_assert_msg(reach.touch.v[0].exact, "case %u, %u bits", i, bits);
            ck_assert_uint_eq(r->offset, (uint64_t)cases[i].first * 4);
            ck_assert_uint_eq(r->bytes * r->rows, (uint64_t)cases[i].n * 4);
            ck_assert(step == 1 || r->row_pitch == step * 4 || r->rows == 1);
        }
}
END_TEST

/* A counter that may wrap, or a loop that nobody understands: any round. */
START_TEST(loops_that_are_not_bounded)
{
    static const struct {
        unsigned test, wide, bits;
        int64_t from, by, to;
        bool known;
    } cases[] = {
        {YK_TRIP_ULT, 32, 32, 0, 2, UINT32_MAX, false},
        {YK_TRIP_ULT, 32, 32, 0, 1, UINT32_MAX, true},
        {YK_TRIP_SLT, 32, 32, 0, 1, INT32_MAX, true},
        {YK_TRIP_SLT, 32, 32, 0, 2, INT32_MAX, false},
        {YK_TRIP_SLE, 32, 32, 0, 1, INT32_MAX, false},
        {YK_TRIP_ULT, 32, 32, 9, -1, 100, false},
        {YK_TRIP_UGT, 32, 32, 100, 1, 9, false},
        {YK_TRIP_UGE, 32, 32, 100, -1, 0, false},
        {YK_TRIP_UGT, 32, 32, 100, -1, 0, true},
        {YK_TRIP_SGE, 32, 32, 100, -1, INT32_MIN, false},
        {YK_TRIP_SGT, 32, 32, 100, -1, INT32_MIN, true},
        {YK_TRIP_ULT, 32, 32, 0, 0, 100, false},
        {YK_TRIP_NE, 32, 32, 0, 3, 10, false},
        {YK_TRIP_NE, 32, 32, 10, 2, 0, false},
        {YK_TRIP_NE, 32, 32, 0, 2, 10, true},
        {YK_TRIP_UNKNOWN, 32, 32, 0, 1, 10, false},
        {YK_TRIP_ULT, 32, 16, 0, 1, 32767, true},
        {YK_TRIP_ULT, 32, 16, 0, 1, 32768, false},
        {YK_TRIP_SLT, 32, 16, 0, 1, 32767, true},
        {YK_TRIP_SLT, 32, 16, 0, 1, 32768, false},
        {YK_TRIP_ULT, 64, 64, 0, 1, INT64_C(1) << 50, true},
        {YK_TRIP_UGT, 32, 32, 100, -2, 0, false},
        {YK_TRIP_UGT, 32, 32, 100, -2, 1, true},
        {YK_TRIP_SGT, 32, 32, 100, -2, INT32_MIN, false},
        {YK_TRIP_SGT, 32, 32, 100, -2, INT32_MIN + 1, true},
        {YK_TRIP_ULT, 32, 32, 0, 2, UINT32_MAX - 1, true},
        {YK_TRIP_SLT, 32, 32, 0, 2, INT32_MAX - 1, true},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin();
        unsigned bits = cases[i].wide, from = op3(YK_NODE_CONST, bits, 0, 0, 0, cases[i].from),
                 by = op3(YK_NODE_CONST, bits, 0, 0, 0, cases[i].by),
                 to = op3(YK_NODE_CONST, bits, 0, 0, 0, cases[i].to),
                 trip = op3(YK_NODE_TRIP, 64, from, by, to, YK_TRIP(cases[i].test, cases[i].bits));
        run();
        ck_assert_msg(reach.form[trip].top != cases[i].known, "case %u", i);
    }
}
END_TEST

/* An unknown number from LO to HI. */
static unsigned some(int64_t lo, int64_t hi)
{
    unsigned n = op3(YK_NODE_UREM, 64, op3(YK_NODE_ZEXT, 64, op3(YK_NODE_UNKNOWN, 32, 0, 0, 0, 0), 0, 0, 0),
                     number(hi - lo + 1), 0, 0);
    return plus(n, lo);
}

static void within(unsigned x, int64_t lo, int64_t hi)
{
    run();
    ck_assert(!reach.form[x].top);
    ck_assert_int_eq(reach.form[x].lo, lo);
    ck_assert_int_eq(reach.form[x].hi, hi);
}

static void known(unsigned x, bool yes)
{
    run();
    bool all = !reach.form[x].top;
    for (unsigned i = 0; i < reach.form[x].n; i++)
        all &= !reach.vars.v[reach.form[x].var[i]].free;
    ck_assert_int_eq(all, yes);
}

START_TEST(how_often_a_loop_goes_round)
{
    static const struct {
        unsigned test;
        int64_t from_lo, from_hi, by, to_lo, to_hi, most;
    } cases[] = {
        {YK_TRIP_ULT, 10, 10, 3, 10, 10, 0},  {YK_TRIP_ULT, 10, 10, 3, 11, 11, 1}, {YK_TRIP_ULT, 10, 10, 3, 13, 13, 1},
        {YK_TRIP_ULT, 10, 10, 3, 14, 14, 2},  {YK_TRIP_ULE, 10, 10, 3, 9, 9, 0},   {YK_TRIP_ULE, 10, 10, 3, 10, 10, 1},
        {YK_TRIP_SLE, 10, 10, 3, 13, 13, 2},  {YK_TRIP_SLT, 10, 10, 3, 2, 2, 0},   {YK_TRIP_UGT, 10, 10, -3, 10, 10, 0},
        {YK_TRIP_UGT, 10, 10, -3, 9, 9, 1},   {YK_TRIP_UGT, 10, 10, -3, 7, 7, 1},  {YK_TRIP_UGT, 10, 10, -3, 6, 6, 2},
        {YK_TRIP_UGE, 10, 10, -3, 11, 11, 0}, {YK_TRIP_SGE, 10, 10, -3, 7, 7, 2},  {YK_TRIP_SGT, 10, 10, -3, 20, 20, 0},
        {YK_TRIP_NE, 10, 10, 3, 10, 10, 0},   {YK_TRIP_NE, 10, 10, -3, 1, 1, 3},   {YK_TRIP_ULT, 2, 5, 2, 6, 9, 4},
        {YK_TRIP_UGT, 6, 9, -2, 2, 5, 4},     {YK_TRIP_ULE, 2, 5, 2, 6, 9, 4},     {YK_TRIP_UGE, 6, 9, -2, 2, 5, 4},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin();
        unsigned from = some(cases[i].from_lo, cases[i].from_hi), to = some(cases[i].to_lo, cases[i].to_hi);
        within(op3(YK_NODE_TRIP, 64, from, number(cases[i].by), to, YK_TRIP(cases[i].test, 64)), 0, cases[i].most);
    }
    begin(); /* from or to a number that is not known */
    unsigned trip = op3(YK_NODE_TRIP, 64, some(2, 5), number(1), number(5), YK_TRIP(YK_TRIP_NE, 64)),
             other = op3(YK_NODE_TRIP, 64, number(5), number(1), some(7, 9), YK_TRIP(YK_TRIP_NE, 64)),
             by = op3(YK_NODE_TRIP, 64, number(5), some(1, 2), number(9), YK_TRIP(YK_TRIP_ULT, 64)),
             any = op3(YK_NODE_UNKNOWN, 64, 0, 0, 0, 0),
             beyond = op3(YK_NODE_TRIP, 64, number(5), number(1), any, YK_TRIP(YK_TRIP_ULT, 64)),
             before = op3(YK_NODE_TRIP, 64, any, number(1), number(5), YK_TRIP(YK_TRIP_ULT, 64));
    run();
    ck_assert(reach.form[trip].top && reach.form[other].top && reach.form[by].top && reach.form[beyond].top &&
              reach.form[before].top);
}
END_TEST

START_TEST(each_in_turn)
{
    begin();
    writes(4, times(op3(YK_NODE_IOTA, 64, number(6), 0, 0, 0), 4));
    plain(0, 24, true);
    begin();
    writes(4, times(op3(YK_NODE_IOTA, 64, id(0), 0, 0, 0), 4)); /* as many as the id says */
    run();
    ck_assert(reach.touch.n == 1 && !reach.touch.v[0].exact && reach.touch.v[0].region.offset == 0 &&
              reach.touch.v[0].region.bytes >= 84 && reach.touch.v[0].region.bytes <= 88);
    begin();
    writes(4, op3(YK_NODE_IOTA, 64, number(0), 0, 0, 0));
    run();
    ck_assert(reach.touch.n == 1 && !reach.touch.v[0].exact && reach.touch.v[0].region.bytes == 5);
    begin();
    writes(4, op3(YK_NODE_IOTA, 64, number(YK_FORM_MOST), 0, 0, 0));
    whole();
    for (int64_t more = 0; more < 2; more++) { /* of any number, as long as it can be computed with */
        begin();
        unsigned most = number(YK_FORM_MOST / 2 + more), any = op3(YK_NODE_UNKNOWN, 64, 0, 0, 0, 0),
                 i = op3(YK_NODE_IOTA, 64, op(YK_NODE_UMIN, any, most), 0, 0, 0);
        run();
        ck_assert_int_eq(reach.form[i].top, more);
    }
}
END_TEST

START_TEST(arithmetic)
{
    static const struct {
        unsigned what;
        int64_t a_lo, a_hi, b_lo, b_hi, lo, hi;
    } cases[] = {
        {YK_NODE_ADD, 1, 5, 10, 20, 11, 25},      {YK_NODE_SUB, 1, 5, 10, 20, -19, -5},
        {YK_NODE_MUL, -2, 5, 10, 20, -40, 100},   {YK_NODE_MUL, 3, 5, 7, 7, 21, 35},
        {YK_NODE_UDIV, 10, 50, 3, 5, 2, 16},      {YK_NODE_UDIV, 10, 50, 8, 8, 1, 6},
        {YK_NODE_SDIV, -50, 20, 3, 5, -50, 50},   {YK_NODE_SDIV, 10, 50, 3, 5, 2, 16},
        {YK_NODE_UREM, 10, 50, 3, 5, 0, 4},       {YK_NODE_UREM, 0, 3, 8, 20, 0, 3},
        {YK_NODE_UREM, 10, 50, 8, 8, 0, 7},       {YK_NODE_SREM, -50, 20, 3, 5, -4, 4},
        {YK_NODE_SREM, 10, 50, 6, 6, 0, 5},       {YK_NODE_AND, 0, 50, 7, 7, 0, 7},
        {YK_NODE_AND, 0, 50, 0, 9, 0, 9},         {YK_NODE_AND, 0, 8, 0, 90, 0, 8},
        {YK_NODE_OR, 0, 50, 0, 9, 0, 63},         {YK_NODE_XOR, 0, 63, 0, 64, 0, 127},
        {YK_NODE_OR, 0, 15, 16, 16, 16, 31},      {YK_NODE_XOR, 32, 32, 0, 31, 32, 63},
        {YK_NODE_SHL, 1, 5, 3, 3, 8, 40},         {YK_NODE_LSHR, 9, 50, 2, 2, 2, 12},
        {YK_NODE_LSHR, 9, 50, 1, 2, 0, 50},       {YK_NODE_ASHR, -9, 50, 2, 2, -3, 12},
        {YK_NODE_UMIN, 1, 5, 3, 9, 1, 5},         {YK_NODE_UMIN, 1, 5, 7, 9, 1, 5},
        {YK_NODE_UMIN, 7, 9, 1, 5, 1, 5},         {YK_NODE_UMAX, 1, 5, 3, 9, 3, 9},
        {YK_NODE_UMAX, 1, 5, 7, 9, 7, 9},         {YK_NODE_UMAX, 7, 9, 1, 5, 7, 9},
        {YK_NODE_SMIN, -5, 5, -3, 9, -5, 5},      {YK_NODE_SMAX, -5, 5, -3, 9, -3, 9},
        {YK_NODE_SMIN, -3, 9, -5, 5, -5, 5},      {YK_NODE_SMAX, -3, 9, -5, 5, -3, 9},
        {YK_NODE_JOIN, 1, 5, 10, 20, 1, 20},      {YK_NODE_JOIN, 10, 20, 1, 5, 1, 20},
        {YK_NODE_BELOW, 1, 50, 10, 20, 1, 19},    {YK_NODE_BELOW, 1, 5, 10, 20, 1, 5},
        {YK_NODE_SBELOW, -9, 50, 10, 20, -9, 19}, {YK_NODE_BELOW, 8, 50, 3, 5, 8, 8},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin();
        unsigned a = some(cases[i].a_lo, cases[i].a_hi), b = some(cases[i].b_lo, cases[i].b_hi);
        within(op(cases[i].what, a, b), cases[i].lo, cases[i].hi);
    }
}
END_TEST

/* Known numbers stay known: what an index is made of. */
START_TEST(indices)
{
    begin();
    unsigned x = id(0), local = leaf(YK_NODE_LOCAL_ID, 0), group = leaf(YK_NODE_GROUP_ID, 0);
    unsigned first = op(YK_NODE_ADD, times(group, 4), local); /* of 4..11 */
    known(x, true);
    known(op(YK_NODE_UDIV, first, number(4)), true);
    within(op(YK_NODE_UREM, first, number(4)), 0, 3);
    known(op(YK_NODE_UREM, first, number(4)), true);
    known(op(YK_NODE_UDIV, first, number(8)), false);
    known(op(YK_NODE_AND, first, number(3)), true);
    known(op(YK_NODE_AND, first, number(-4)), true);
    known(op(YK_NODE_AND, first, number(5)), false);
    within(op(YK_NODE_AND, first, number(5)), 0, 5);
    known(op(YK_NODE_OR, times(group, 4), local), true);
    known(op(YK_NODE_XOR, local, times(group, 4)), true);
    known(op(YK_NODE_OR, times(group, 2), local), false);
    known(op(YK_NODE_SHL, first, number(2)), true);
    known(op(YK_NODE_LSHR, first, number(2)), true);
    known(op(YK_NODE_ASHR, first, number(2)), true);
    known(op(YK_NODE_SHL, first, local), false);
    known(op(YK_NODE_LSHR, first, number(64)), false);
    known(op(YK_NODE_UMIN, first, number(11)), true);
    known(op(YK_NODE_UMIN, first, number(10)), false);
    known(op(YK_NODE_JOIN, first, first), true);
    known(op(YK_NODE_JOIN, first, local), false);
    known(op(YK_NODE_BELOW, first, number(100)), true);
    unsigned yes = test(YK_NODE_ULT, first, number(100)), no = test(YK_NODE_ULT, number(100), first),
             maybe = test(YK_NODE_ULT, first, number(7));
    within(op3(YK_NODE_SELECT, 64, yes, first, x, 0), 4, 11);
    within(op3(YK_NODE_SELECT, 64, no, first, x, 0), 14, 21);
    within(op3(YK_NODE_SELECT, 64, maybe, first, x, 0), 4, 21);
    known(op3(YK_NODE_SELECT, 64, maybe, first, first, 0), true);
    within(op3(YK_NODE_ZEXT, 64, yes, 0, 0, 0), 1, 1);
    within(op3(YK_NODE_ZEXT, 64, no, 0, 0, 0), 0, 0);
    within(op3(YK_NODE_ZEXT, 64, maybe, 0, 0, 0), 0, 1);
    known(op3(YK_NODE_SOME, 64, first, 0, 0, 0), false);
    within(op3(YK_NODE_SOME, 64, first, 0, 0, 0), 4, 11);
    unsigned thin = op3(YK_NODE_TRUNC, 8, op(YK_NODE_SUB, first, number(6)), 0, 0, 0); /* -2..5 */
    within(op3(YK_NODE_SEXT, 64, thin, 0, 0, 0), -2, 5);
    known(op3(YK_NODE_SEXT, 64, thin, 0, 0, 0), true);
    within(op3(YK_NODE_ZEXT, 64, thin, 0, 0, 0), 0, 255);
    unsigned any = op3(YK_NODE_UNKNOWN, 64, 0, 0, 0, 0);
    within(op(YK_NODE_UMIN, any, number(9)), 0, 9);
    within(op(YK_NODE_UMIN, number(9), any), 0, 9);
    within(op(YK_NODE_AND, any, number(15)), 0, 15);
    within(op(YK_NODE_AND, number(15), any), 0, 15);
    within(op(YK_NODE_UREM, any, number(10)), 0, 9);
    within(op(YK_NODE_SREM, any, number(10)), -9, 9);
    known(op(YK_NODE_UMAX, any, number(9)), false);
    known(op(YK_NODE_OR, any, number(9)), false);
    known(op(YK_NODE_SDIV, first, number(0)), false);
    within(op3(YK_NODE_ZEXT, 64, op3(YK_NODE_TRUNC, 16, any, 0, 0, 0), 0, 0, 0), 0, 65535);
    for (unsigned by = 31; by <= 32; by++) { /* 32 bits are shifted by fewer than 32 */
        unsigned x32 = op3(YK_NODE_TRUNC, 32, first, 0, 0, 0), by32 = op3(YK_NODE_CONST, 32, 0, 0, 0, by);
        known(op3(YK_NODE_ZEXT, 64, op(YK_NODE_LSHR, x32, by32), 0, 0, 0), by < 32);
    }
    known(op(YK_NODE_SHL, number(1), number(59)), true);
    known(op(YK_NODE_LSHR, first, number(59)), true);
    known(op(YK_NODE_LSHR, first, number(60)), false);
    for (unsigned c = YK_NODE_EQ; c <= YK_NODE_SLE; c++) { /* each comparison as a number, and of two of them */
        unsigned is_so = test(c, first, number(100)), always = op3(YK_NODE_CONST, 1, 0, 0, 0, 1);
        within(op3(YK_NODE_SELECT, 64, is_so, first, x, 0), c == YK_NODE_EQ ? 14 : 4, c == YK_NODE_EQ ? 21 : 11);
        within(op3(YK_NODE_ZEXT, 64, test(YK_NODE_AND, is_so, always), 0, 0, 0), c != YK_NODE_EQ, c != YK_NODE_EQ);
        within(op3(YK_NODE_ZEXT, 64, test(YK_NODE_XOR, is_so, always), 0, 0, 0), c == YK_NODE_EQ, c == YK_NODE_EQ);
    }
    unsigned few = op(YK_NODE_BELOW, first, number(8)), minus_few = op(YK_NODE_SUB, number(0), few),
             minus = op(YK_NODE_SUB, number(0), first); /* the same sums, of which a part is taken */
    within(op(YK_NODE_JOIN, few, first), 4, 11);
    within(op(YK_NODE_JOIN, first, few), 4, 11);
    within(op(YK_NODE_JOIN, minus_few, minus), -11, -4);
    within(op(YK_NODE_JOIN, minus, minus_few), -11, -4);
    begin();
    narrow = 0x40000001; /* 2^30 + 1 times 2^29 of 32 bits: taken for negative it would be beyond all bounds */
    unsigned large = op(YK_NODE_MUL, op3(YK_NODE_ARG, 32, 2, 0, 0, 0), op3(YK_NODE_CONST, 32, 0, 0, 0, 1 << 29));
    within(op3(YK_NODE_SEXT, 64, large, 0, 0, 0), 1 << 29, 1 << 29);
    narrow = -7; /* -7 * 2^30 of 32 bits; without its sign it would be too */
    unsigned product = op(YK_NODE_MUL, op3(YK_NODE_ARG, 32, 2, 0, 0, 0), op3(YK_NODE_CONST, 32, 0, 0, 0, 1 << 30));
    within(op3(YK_NODE_SEXT, 64, product, 0, 0, 0), 1 << 30, 1 << 30);
    known(number(YK_FORM_MOST), true);
    known(number(YK_FORM_MOST + 1), false);
    known(number(-YK_FORM_MOST - 1), false);
}
END_TEST

START_TEST(neighbours_are_joined)
{
    begin();
    for (unsigned i = 0; i < 3; i++)
        touches(YK_ACCESS_READ, 0, 4, plus(times(id(0), 4), i * 4)); /* p[i], p[i + 1], p[i + 2] */
    plain(56, 40, false);
    begin();
    touches(YK_ACCESS_READ, 0, 4, times(id(0), 4));
    touches(YK_ACCESS_READ, 0, 4, plus(times(id(0), 4), 64)); /* apart */
    touches(YK_ACCESS_READ, 0, 4, plus(times(id(0), 4), 32)); /* and now they meet */
    plain(56, 96, false);
    begin();
    touches(YK_ACCESS_READ, 0, 4, times(id(0), 4));
    touches(YK_ACCESS_READ, 1, 4, times(id(0), 4));
    touches(YK_ACCESS_WRITE, 0, 4, times(id(0), 4));
    run();
    ck_assert_uint_eq(reach.touch.n, 3);
    begin(); /* the fields of structs, one after the other */
    for (unsigned i = 0; i < 3; i++)
        writes(4, plus(times(id(0), 12), i * 4));
    plain(14 * 12, 8 * 12, true);
    begin(); /* one of them less: rows */
    for (unsigned i = 0; i < 2; i++)
        writes(4, plus(times(id(0), 12), i * 4));
    rows(14 * 12, 8, 8, 12, true);
    begin(); /* rows above and below */
    for (unsigned i = 0; i < 3; i++)
        touches(YK_ACCESS_READ, 0, 4, plus(op(YK_NODE_ADD, times(id(0), 4), times(id(1), 400)), (int64_t)i * 400));
    rows(56 + 8000, 32, 4, 400, false);
    begin(); /* rows far apart are two */
    for (unsigned i = 0; i < 2; i++)
        touches(YK_ACCESS_READ, 0, 4, plus(op(YK_NODE_ADD, times(id(0), 4), times(id(1), 400)), (int64_t)i * 1200));
    run();
    ck_assert_uint_eq(reach.touch.n, 2);
}
END_TEST

START_TEST(what_is_not_bounded_is_the_whole_buffer)
{
    begin();
    for (unsigned i = 0; i < 2; i++) {
        arg[i].bounded = false;
        arg[i].read = arg[i].written = true;
    }
    writes(4, times(id(0), 4)); /* of an argument that others touch too: not looked at */
    arg[1].written = false;
    value[1].size = 77;
    run();
    ck_assert_uint_eq(reach.touch.n, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct yk_touch *t = &reach.touch.v[i];
        ck_assert(t->whole && !t->exact && t->region.offset == 0 && t->region.bytes == (t->arg ? 77 : SIZE));
        ck_assert(t->kind == (i == 1 ? YK_ACCESS_WRITE : YK_ACCESS_READ) && t->arg == (i == 2));
    }
    begin();
    arg[0].bounded = false;
    arg[0].atomic = true;
    const struct yk_touch *t = only();
    ck_assert(t->whole && t->kind == YK_ACCESS_ATOMIC);
    begin();
    arg[0].bounded = arg[1].bounded = arg[2].bounded = false;
    arg[0].read = arg[0].written = arg[1].read = arg[2].read = true;
    arg[1].kind = YK_ARG_LOCAL;
    value[0].size = 0;
    nothing();
    begin(); /* what is no argument of the kernel */
    kernel.nargs = 1;
    arg[1].bounded = false;
    arg[1].read = true;
    nothing();
    begin();
    arg[0].bounded = false;
    arg[0].kind = YK_ARG_CONSTANT;
    arg[0].read = true;
    whole();
}
END_TEST

START_TEST(boxes_of_a_share_are_one)
{
    begin();
    writes(4, times(id(0), 4));
    struct yk_share share = {.n = 2};
    share.box[0] = (struct yk_box){.first = {0, 0, 0}, .count = {1, 2, 2}};
    share.box[1] = (struct yk_box){.first = {1, 0, 0}, .count = {2, 2, 2}};
    ck_assert_int_eq(yk_reach_share(&reach, &kernel, &launch, &share), YK_OK);
    ck_assert(reach.touch.n == 1 && reach.touch.v[0].region.offset == 40 && reach.touch.v[0].region.bytes == 48);
    share.n = 0;
    ck_assert_int_eq(yk_reach_share(&reach, &kernel, &launch, &share), YK_OK);
    ck_assert_uint_eq(reach.touch.n, 0);
}
END_TEST

static struct yk_recall recall;

static uint64_t recalled(const struct yk_share *share)
{
    ck_assert_int_eq(yk_recall_share(&recall, &reach, &kernel, &launch, share), YK_OK);
    ck_assert_uint_eq(reach.touch.n, 1);
    return reach.touch.v[0].region.offset;
}

static unsigned kept(void)
{
    unsigned n = 0;
    for (unsigned i = 0; i < YK_RECALL_ENTRIES; i++)
        n += recall.entry[i].key.n > 0;
    return n;
}

START_TEST(what_was_asked_before_is_remembered)
{
    begin();
    narrow = 3;
    writes(4, plus(op(YK_NODE_ADD, times(id(0), 4), op3(YK_NODE_SEXT, 64, op3(YK_NODE_ARG, 32, 2, 0, 0, 0), 0, 0, 0)),
                   100));
    struct yk_share share = {.n = 1};
    share.box[0] = (struct yk_box){.first = {0, 0, 0}, .count = {1, 1, 1}};
    ck_assert_uint_eq(recalled(&share), 143);
    ck_assert_uint_eq(kept(), 1);
    kernel.naccesses = 0; /* so that what is not remembered shows */
    ck_assert_uint_eq(recalled(&share), 143);
    ck_assert_uint_eq(recalled(&share), 143);
    ck_assert_uint_eq(kept(), 1);
    kernel.naccesses = 1;
    narrow = 4; /* another scalar, box, offset, size of a group, number of groups, of dimensions, of a buffer's bytes */
    ck_assert_uint_eq(recalled(&share), 144);
    share.box[0].first[0] = 1;
    ck_assert_uint_eq(recalled(&share), 160);
    launch.offset[0] = 11;
    ck_assert_uint_eq(recalled(&share), 164);
    launch.local[0] = 5;
    ck_assert_uint_eq(recalled(&share), 168);
    launch.groups[0] = 4;
    launch.dims = 2;
    ck_assert_uint_eq(recalled(&share), 168);
    value[0].size = 170;
    ck_assert_uint_eq(recalled(&share), 168);
    ck_assert_uint_eq(reach.touch.v[0].region.bytes, 2);
    ck_assert_uint_eq(kept(), 7);
    value[0].size = SIZE;
    for (narrow = 100; narrow < 100 + YK_RECALL_ENTRIES; narrow++)
        recalled(&share);
    ck_assert_uint_eq(kept(), YK_RECALL_ENTRIES);
    kernel.naccesses = 0; /* the last ones are there, the first is gone */
    for (narrow = 100; narrow < 100 + YK_RECALL_ENTRIES; narrow++)
        ck_assert_uint_eq(recalled(&share), 164 + (uint64_t)narrow);
    narrow = 4;
    ck_assert_int_eq(yk_recall_share(&recall, &reach, &kernel, &launch, &share), YK_OK);
    ck_assert_uint_eq(reach.touch.n, 0);
    ck_assert_int_eq(yk_recall_share(&recall, &reach, &kernel, &launch, &share),
                     YK_OK); /* nothing can be remembered too */
    ck_assert_uint_eq(reach.touch.n, 0);
    yk_recall_finish(&recall);
    ck_assert_uint_eq(kept(), 0);
    yk_reach_finish(&reach);
    ck_assert(!reach.form && reach.touch.n == 0);
}
END_TEST

/* Every allocation in turn fails: that is said, and the next time all is there. */
START_TEST(without_memory)
{
    for (unsigned remember = 0; remember < 2; remember++)
        for (unsigned unbounded = 0; unbounded < 2; unbounded++)
            for (unsigned left = 0;; left++) {
                begin();
                writes(4, times(id(0), 400));
                if (unbounded) {
                    arg[1].bounded = false;
                    arg[1].read = arg[1].written = true;
                }
                struct yk_share share = {.n = 1, .box = {box}};
                allocations = left;
                yk_status s = remember ? yk_recall_share(&recall, &reach, &kernel, &launch, &share)
                                       : yk_reach_share(&reach, &kernel, &launch, &share);
                bool all = allocations > 0;
                allocations = 1000000;
                ck_assert(s == YK_OK || s == YK_ENOMEM);
                ck_assert(s == YK_OK || !all);
                ck_assert_int_eq(yk_recall_share(&recall, &reach, &kernel, &launch, &share), YK_OK);
                ck_assert_uint_eq(reach.touch.n, unbounded ? 3 : 1);
                ck_assert_uint_eq(reach.touch.v[reach.touch.n - 1].region.rows, 8);
                yk_reach_finish(&reach); /* what is remembered needs memory too */
                allocations = 0;
                ck_assert_int_eq(yk_recall_share(&recall, &reach, &kernel, &launch, &share), YK_ENOMEM);
                allocations = 1000000;
                ck_assert_int_eq(yk_recall_share(&recall, &reach, &kernel, &launch, &share), YK_OK);
                ck_assert_uint_eq(reach.touch.n, unbounded ? 3 : 1);
                share.n = 0;
                ck_assert_int_eq(yk_recall_share(&recall, &reach, &kernel, &launch, &share), YK_OK);
                ck_assert_uint_eq(reach.touch.n, unbounded ? 2 : 0);
                yk_recall_finish(&recall);
                yk_reach_finish(&reach);
                if (all)
                    break;
            }
}
END_TEST

YK_TEST_MAIN("reach", without_memory, ids_and_sizes, arguments_are_signed_numbers_of_their_bytes, rows_and_planes,
             outside_of_the_buffer, many_rows_that_are_not_exact_are_one_piece, guards_narrow,
             guards_of_several_dimensions, ragged_ends_are_by_themselves, conditions_of_conditions,
             conditions_beyond_what_is_followed, long_conditions_that_never_are, alternatives_to_the_right, loops,
             loops_that_are_not_bounded, how_often_a_loop_goes_round, each_in_turn, arithmetic, indices,
             neighbours_are_joined, what_is_not_bounded_is_the_whole_buffer, boxes_of_a_share_are_one,
             what_was_asked_before_is_remembered)
