/* transform/facts_condition.c, facts_regions.h: what accesses under conditions come to, exactly. */
#include "tests/unit/main.h"
#include "tests/unit/reach.h"

/* Bytes of the writes that are known. */
static uint64_t surely_written(void)
{
    run();
    uint64_t sum = 0;
    for (size_t t = 0; t < reach.touch.n; t++)
        sum += reach.touch.v[t].exact ? yk_region_bytes(&reach.touch.v[t].region) : 0;
    return sum;
}

/* All that is written is known, by box and by share: how much. */
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
            ck_assert(plain(cases[i].first * 4, cases[i].n * 4, true));
        else
            ck_assert(nothing());
    }
    for (int64_t hole = 13; hole <= 22; hole++) { /* one place of many is left out */
        begin();
        unsigned x = id(0);
        writes(4, times(x, 4));
        where(test(YK_NODE_EQ, x, number(hole)), false);
        bool at_an_end = hole % 4 == 1 || hole % 4 == 2; /* of a work-group: else only the other one is known */
        if (at_an_end)
            ck_assert_uint_eq(exact_bytes(), hole < 14 || hole > 21 ? 32 : 28);
        else
            ck_assert_uint_eq(surely_written(), 16);
        begin(); /* and two */
        x = id(0);
        writes(4, times(x, 4));
        where(test(YK_NODE_EQ, x, number(hole)), false);
        where(test(YK_NODE_EQ, x, number(hole + 4)), false);
        run();
        unsigned missing = (hole >= 14 && hole <= 21) + (hole + 4 <= 21);
        if (at_an_end)
            ck_assert_uint_eq(exact_bytes(), 32 - 4 * missing);
        else /* two places inside are not told apart */
            ck_assert_uint_eq(surely_written(), missing == 2 ? 0 : 16);
    }
    unsigned x;
    begin(); /* two bounds of the same, and one of another dimension */
    x = id(0);
    unsigned y = id(1);
    writes(4, op(YK_NODE_ADD, times(x, 4), times(y, 400)));
    where(test(YK_NODE_ULT, x, number(20)), true);
    where(test(YK_NODE_ULT, x, number(16)), false);
    where(test(YK_NODE_ULE, y, number(20)), true);
    ck_assert(plain(16 * 4 + 20 * 400, 16, true));
    begin(); /* 2 x < 37 and -3 x > -58 */
    x = id(0);
    writes(4, times(x, 4));
    where(test(YK_NODE_SLT, times(x, 2), number(37)), true);
    where(test(YK_NODE_SLT, number(-58), times(x, -3)), true);
    ck_assert(plain(14 * 4, 5 * 4, true));
    begin(); /* a bound beyond all others, from both sides */
    x = id(0);
    writes(4, times(x, 4));
    where(test(YK_NODE_SLT, number(17), x), true);
    where(test(YK_NODE_SLT, number(19), x), true);
    where(test(YK_NODE_SLT, number(15), x), true);
    ck_assert(plain(20 * 4, 8, true));
}
END_TEST

START_TEST(guards_of_several_dimensions)
{
    begin(); /* the rows' places in one number: x + 8 y < 172, with x of 14..21 and y of 20..21 */
    unsigned x = id(0), y = id(1), sum = op(YK_NODE_ADD, x, times(y, 8));
    writes(4, times(sum, 4));
    where(test(YK_NODE_ULT, sum, number(180)), true);
    ck_assert(plain((14 + 160) * 4, 6 * 4, true));
    begin(); /* with gaps between the rows, of which one has an end of its own */
    x = id(0);
    y = id(1);
    sum = op(YK_NODE_ADD, x, times(y, 100));
    writes(4, times(sum, 4));
    where(test(YK_NODE_ULT, sum, number(2020)), true);
    ck_assert(plain(2014 * 4, 6 * 4, true));
    begin(); /* a row of an access that moves with one of them alone, and one with both together */
    x = id(0);
    y = id(1);
    writes(4, times(y, 4));
    where(test(YK_NODE_ULT, op(YK_NODE_ADD, x, times(y, 8)), number(180)), true);
    ck_assert_uint_eq(surely_written(), 4);
    begin();
    x = id(0);
    y = id(1);
    writes(4, op(YK_NODE_ADD, times(x, 8), times(y, 64)));
    where(test(YK_NODE_ULT, op(YK_NODE_ADD, x, times(y, 8)), number(180)), true);
    ck_assert(rows((14 + 160) * 8, 4, 6, 8, true));
    begin(); /* a condition that crosses another: only one is used, so nothing is exact */
    x = id(0);
    y = id(1);
    writes(4, op(YK_NODE_ADD, times(x, 4), times(y, 400)));
    where(test(YK_NODE_ULT, x, number(18)), true);
    where(test(YK_NODE_ULT, op(YK_NODE_ADD, x, times(y, 2)), number(57)), true);
    ck_assert(rows(14 * 4 + 20 * 400, 16, 2, 400, false));
    begin(); /* a corner of one place alone */
    x = id(0);
    y = id(1);
    writes(4, op(YK_NODE_ADD, times(x, 4), times(y, 400)));
    where(test(YK_NODE_ULT, x, number(18)), true);
    where(test(YK_NODE_ULT, op(YK_NODE_ADD, x, y), number(38)), true);
    ck_assert_uint_eq(exact_bytes(), 28);
    begin(); /* one on what nobody knows */
    x = id(0);
    writes(4, times(x, 4));
    where(test(YK_NODE_ULT, op3(YK_NODE_ZEXT, 64, op3(YK_NODE_UNKNOWN, 8, 0, 0, 0, 0), 0, 0, 0), x), true);
    ck_assert(plain(56, 32, false));
    begin(); /* the sum, not its parts, is what the access moves with */
    x = id(0);
    y = id(1);
    writes(4, op(YK_NODE_ADD, times(x, 4), times(y, 4000)));
    where(test(YK_NODE_ULT, op(YK_NODE_ADD, x, times(y, 8)), number(178)), true);
    ck_assert(plain(14 * 4 + 20 * 4000, 16, true)); /* one row has some of it */
}
END_TEST

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
    ck_assert(plain(32, 40, true));
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
    begin(); /* all first items are below the end, and three of the others, whose places lie beyond other groups' */
    box = (struct yk_box){.first = {0, 0, 0}, .count = {8, 1, 1}};
    launch.groups[0] = 8;
    launch.local[0] = 2;
    i = op(YK_NODE_ADD, leaf(YK_NODE_GROUP_ID, 0), times(leaf(YK_NODE_LOCAL_ID, 0), 9));
    writes(4, times(i, 4));
    where(test(YK_NODE_ULT, i, number(12)), true);
    ck_assert_uint_eq(exact_bytes(), (8 + 3) * 4);
    begin(); /* the second work-items are on either side, by their work-groups */
    i = op(YK_NODE_ADD, times(leaf(YK_NODE_GROUP_ID, 0), 1), times(leaf(YK_NODE_LOCAL_ID, 0), 5));
    writes(4, times(i, 4));
    where(test(YK_NODE_ULT, i, number(7)), true);
    ck_assert_uint_eq(exact_bytes(), 12);
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
            ck_assert(plain(cases[i].first * 4, cases[i].n * 4, cases[i].exact));
        else
            ck_assert(nothing());
    }
    for (unsigned i = 0; i < 4; i++) { /* a && b and a || b, as selects; else nothing is known */
        begin();
        unsigned x = id(0), a = test(YK_NODE_ULT, x, number(20)), b = test(YK_NODE_ULT, x, number(17)),
                 no = op3(YK_NODE_CONST, 1, 0, 0, 0, 0), yes = op3(YK_NODE_CONST, 1, 0, 0, 0, 1);
        writes(4, times(x, 4));
        bool either = i >= 2, want = i % 2;
        where(either ? op3(YK_NODE_SELECT, 1, a, yes, b, 0) : op3(YK_NODE_SELECT, 1, a, b, no, 0), want);
        if (either == want)
            ck_assert(plain(14 * 4, 32, false));
        else if (want)
            ck_assert(plain(14 * 4, 12, true));
        else
            ck_assert(plain(20 * 4, 8, true));
    }
    for (unsigned i = 0; i < 4; i++) { /* what is always or never so */
        begin();
        unsigned x = id(0);
        writes(4, times(x, 4));
        where(op3(YK_NODE_CONST, 1, 0, 0, 0, i & 1), i >> 1);
        if ((i & 1) == i >> 1)
            ck_assert(plain(56, 32, true));
        else
            ck_assert(nothing());
    }
    for (unsigned i = 0; i < 2; i++) { /* a bit of an argument */
        begin();
        narrow = 6;
        unsigned x = id(0);
        writes(4, times(x, 4));
        where(op3(YK_NODE_TRUNC, 1, op3(YK_NODE_ARG, 32, 2, 0, 0, 0), 0, 0, 0), i);
        if (i == 0)
            ck_assert(plain(56, 32, true));
        else
            ck_assert(nothing());
    }
    begin();
    unsigned x = id(0);
    writes(4, times(x, 4));
    where(op3(YK_NODE_UNKNOWN, 1, 0, 0, 0, 0), true);
    ck_assert(plain(56, 32, false));
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
        ck_assert(plain(56, all ? 16 : 24, all));
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
            ck_assert(plain(56, deep == 8 ? 16 : 32, deep == 8));
        }
}
END_TEST

/* A number that wraps is a variable of its own in each condition on it, which is given back: there is room for 48. */
START_TEST(conditions_on_numbers_that_wrap)
{
    for (unsigned hole = 0; hole < 2; hole++) {
        begin();
        unsigned x = id(0), thin = op3(YK_NODE_TRUNC, 8, plus(x, 240), 0, 0, 0),
                 most = op3(YK_NODE_CONST, 8, 0, 0, 0, 255);
        for (unsigned i = 0; i < 8; i++) {
            writes(4, times(x, 4));
            for (unsigned k = 0; k < 6; k++)
                where(test(YK_NODE_ULE, thin, most), true);
            if (hole)
                where(test(YK_NODE_EQ, x, number(18)), false);
        }
        ck_assert_uint_eq(exact_bytes(), hole ? 28 : 32);
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
        ck_assert(plain(deep == 8 ? 72 : 56, deep == 8 ? 16 : 32, deep == 8));
        begin(); /* and yes && (yes && (... x < 18)) */
        x = id(0);
        c = test(YK_NODE_ULT, x, number(18));
        yes = op3(YK_NODE_CONST, 1, 0, 0, 0, 1);
        no = op3(YK_NODE_CONST, 1, 0, 0, 0, 0);
        writes(4, times(x, 4));
        for (unsigned k = 0; k < deep; k++)
            c = op3(YK_NODE_SELECT, 1, yes, c, no, 0);
        where(c, true);
        ck_assert(plain(56, deep == 8 ? 16 : 32, deep == 8));
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
                    ck_assert(plain(56, 32, false));
                else
                    ck_assert(plain(all ? 72 : 56, 16, true));
            }
}
END_TEST

YK_TEST_MAIN("conditions", guards_narrow, guards_of_several_dimensions, ragged_ends_are_by_themselves,
             conditions_of_conditions, conditions_beyond_what_is_followed, long_conditions_that_never_are,
             alternatives_to_the_right, conditions_on_numbers_that_wrap)
