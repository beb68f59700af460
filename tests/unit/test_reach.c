/* transform/facts_regions.h: what usual accesses come to, exactly. */
#include "tests/unit/main.h"
#include "tests/unit/reach.h"

/* One byte at X, which is known. */
static bool is(unsigned x, int64_t want)
{
    writes(1, plus(x, 1000));
    return plain((uint64_t)(1000 + want), 1, true);
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
            ck_assert(is(leaf(sizes[i].what, d), sizes[i].want[d]));
        }
        for (unsigned i = 0; i < 3; i++) {
            begin();
            writes(1, leaf(ids[i].what, d));
            ck_assert(plain(ids[i].first[d], ids[i].n[d], true));
        }
    }
    for (unsigned dims = 1; dims <= 3; dims++) {
        begin();
        launch.dims = dims;
        ck_assert(is(leaf(YK_NODE_WORK_DIM, 0), dims));
    }
    for (uint64_t more = 0; more < 2; more++) { /* nothing real, and more is not to be computed with */
        begin();
        launch.offset[0] = (uint64_t)YK_FORM_MOST + more;
        unsigned offset = leaf(YK_NODE_GLOBAL_OFFSET, 0);
        writes(1, id(0));
        ck_assert(whole());
        ck_assert_int_eq(reach.form[offset].top, more);
    }
}
END_TEST

START_TEST(arguments_are_signed_numbers_of_their_bytes)
{
    begin();
    narrow = -7;
    ck_assert(is(op3(YK_NODE_SEXT, 64, op3(YK_NODE_ARG, 32, 2, 0, 0, 0), 0, 0, 0), -7));
    begin();
    narrow = 0x7fff0012;
    ck_assert(is(op3(YK_NODE_ZEXT, 64, op3(YK_NODE_ARG, 16, 2, 0, 0, 0), 0, 0, 0), 0x12));
    begin();
    wide[0] = 5;
    wide[1] = 600;
    ck_assert(is(op3(YK_NODE_ARG, 64, 3, 0, 0, 8), 600)); /* a struct's second field */
    begin();
    writes(1, op3(YK_NODE_ARG, 64, 3, 0, 0, 12)); /* not all of it was given */
    ck_assert(whole());
    begin();
    writes(1, op3(YK_NODE_ARG, 64, 0, 0, 0, 0)); /* a buffer is no number */
    ck_assert(whole());
    begin();
    writes(1, op3(YK_NODE_ZEXT, 64, op3(YK_NODE_ARG, 16, 0, 0, 0, 0), 0, 0, 0));
    ck_assert(plain(0, 65536, false));
    begin();
    wide[0] = INT64_MAX;
    writes(1, op3(YK_NODE_ARG, 64, 3, 0, 0, 0));
    ck_assert(whole());
}
END_TEST

START_TEST(rows_and_planes)
{
    begin();
    writes(4, op(YK_NODE_ADD, times(id(0), 4), times(id(1), 400)));
    ck_assert(rows(14 * 4 + 20 * 400, 32, 2, 400, true));
    begin();
    writes(4, op(YK_NODE_ADD, times(id(0), 4), times(id(1), 32))); /* rows without a gap */
    ck_assert(plain(14 * 4 + 20 * 32, 64, true));
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
    ck_assert(plain(4000 - 21 * 4, 32, true));
    begin();
    writes(4, times(id(0), 12));
    ck_assert(rows(14 * 12, 4, 8, 12, true));
    begin();
    touches(YK_ACCESS_READ, 0, 4, times(id(0), 24));
    ck_assert(rows(14 * 24, 4, 8, 24, false));
    begin();
    touches(YK_ACCESS_READ, 0, 4, times(id(0), 12)); /* a few bytes here and there: one piece too */
    ck_assert(plain(14 * 12, 88, false));
    begin();
    touches(YK_ACCESS_READ, 0, 96, times(id(0), 100)); /* hardly anything between the rows: one piece */
    ck_assert(plain(1400, 796, false));
    begin();
    touches(YK_ACCESS_READ, 0, 95, times(id(0), 100)); /* 19 of 20 bytes still are */
    ck_assert(plain(1400, 795, false));
    begin();
    touches(YK_ACCESS_READ, 0, 94, times(id(0), 100));
    ck_assert(rows(1400, 94, 8, 100, false));
    begin();
    writes(96, times(id(0), 100));
    ck_assert(rows(1400, 96, 8, 100, true));
}
END_TEST

START_TEST(outside_of_the_buffer)
{
    begin();
    value[0].size = 60;
    writes(4, times(id(0), 4)); /* bytes 56 to 87 */
    ck_assert(plain(56, 4, false));
    static const uint64_t enough[] = {88, YK_FORM_MOST}; /* of more than that nothing is known */
    for (unsigned i = 0; i < 2; i++) {
        begin();
        value[0].size = enough[i];
        writes(4, times(id(0), 4));
        ck_assert(plain(56, 32, true));
    }
    begin();
    value[0].size = 56;
    writes(4, times(id(0), 4));
    ck_assert(nothing());
    begin();
    writes(4, op(YK_NODE_SUB, times(id(0), 4), number(68)));
    ck_assert(plain(0, 20, false));
    begin();
    writes(4, op(YK_NODE_SUB, times(id(0), 4), number(88)));
    ck_assert(nothing());
    begin();
    value[0].size = 0;
    writes(4, times(id(0), 4));
    ck_assert(nothing());
    begin();
    touches(YK_ACCESS_READ, 0, 4, times(id(0), 12)); /* rows up to 256, of which the buffer has less */
    value[0].size = 255;
    ck_assert(plain(168, 87, false));
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

START_TEST(neighbours_are_joined)
{
    begin();
    for (unsigned i = 0; i < 3; i++)
        touches(YK_ACCESS_READ, 0, 4, plus(times(id(0), 4), i * 4)); /* p[i], p[i + 1], p[i + 2] */
    ck_assert(plain(56, 40, false));
    begin();
    touches(YK_ACCESS_READ, 0, 4, times(id(0), 4));
    touches(YK_ACCESS_READ, 0, 4, plus(times(id(0), 4), 64)); /* apart */
    touches(YK_ACCESS_READ, 0, 4, plus(times(id(0), 4), 32)); /* and now they meet */
    ck_assert(plain(56, 96, false));
    begin();
    touches(YK_ACCESS_READ, 0, 4, times(id(0), 4));
    touches(YK_ACCESS_READ, 1, 4, times(id(0), 4));
    touches(YK_ACCESS_WRITE, 0, 4, times(id(0), 4));
    run();
    ck_assert_uint_eq(reach.touch.n, 3);
    begin(); /* the fields of structs, one after the other */
    for (unsigned i = 0; i < 3; i++)
        writes(4, plus(times(id(0), 12), i * 4));
    ck_assert(plain(14 * 12, 8 * 12, true));
    begin(); /* one of them less: rows */
    for (unsigned i = 0; i < 2; i++)
        writes(4, plus(times(id(0), 12), i * 4));
    ck_assert(rows(14 * 12, 8, 8, 12, true));
    begin(); /* rows above and below */
    for (unsigned i = 0; i < 3; i++)
        touches(YK_ACCESS_READ, 0, 4, plus(op(YK_NODE_ADD, times(id(0), 4), times(id(1), 400)), (int64_t)i * 400));
    ck_assert(rows(56 + 8000, 32, 4, 400, false));
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
    ck_assert(nothing());
    begin(); /* what is no argument of the kernel */
    kernel.nargs = 1;
    arg[1].bounded = false;
    arg[1].read = true;
    ck_assert(nothing());
    begin();
    arg[0].bounded = false;
    arg[0].kind = YK_ARG_CONSTANT;
    arg[0].read = true;
    ck_assert(whole());
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

YK_TEST_MAIN("reach", ids_and_sizes, arguments_are_signed_numbers_of_their_bytes, rows_and_planes,
             outside_of_the_buffer, many_rows_that_are_not_exact_are_one_piece, neighbours_are_joined,
             what_is_not_bounded_is_the_whole_buffer, boxes_of_a_share_are_one)
