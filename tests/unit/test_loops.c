/* transform/facts_eval.c: how often loops go round, and what their bodies touch. */
#include "tests/unit/main.h"
#include "tests/unit/reach.h"

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
        ck_assert(
            within(op3(YK_NODE_TRIP, 64, from, number(cases[i].by), to, YK_TRIP(cases[i].test, 64)), 0, cases[i].most));
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
    ck_assert(plain(0, 24, true));
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
    ck_assert(whole());
    for (int64_t more = 0; more < 2; more++) { /* of any number, as long as it can be computed with */
        begin();
        unsigned most = number(YK_FORM_MOST / 2 + more), any = op3(YK_NODE_UNKNOWN, 64, 0, 0, 0, 0),
                 i = op3(YK_NODE_IOTA, 64, op(YK_NODE_UMIN, any, most), 0, 0, 0);
        run();
        ck_assert_int_eq(reach.form[i].top, more);
    }
}
END_TEST

YK_TEST_MAIN("loops", loops, loops_that_are_not_bounded, how_often_a_loop_goes_round, each_in_turn)
