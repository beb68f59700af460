/* transform/facts_eval.c: operations on numbers of which bounds, or all, are known. */
#include "tests/unit/main.h"
#include "tests/unit/reach.h"

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
        {YK_NODE_XOR, 16, 23, 4, 4, 16, 23},      {YK_NODE_OR, 16, 23, 2, 2, 18, 23},
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
        ck_assert(within(op(cases[i].what, a, b), cases[i].lo, cases[i].hi));
    }
}
END_TEST

/* Known numbers stay known: what an index is made of. */
START_TEST(indices)
{
    begin();
    unsigned x = id(0), local = leaf(YK_NODE_LOCAL_ID, 0), group = leaf(YK_NODE_GROUP_ID, 0);
    unsigned first = op(YK_NODE_ADD, times(group, 4), local); /* of 4..11 */
    ck_assert(known(x, true));
    ck_assert(known(op(YK_NODE_UDIV, first, number(4)), true));
    ck_assert(within(op(YK_NODE_UREM, first, number(4)), 0, 3));
    ck_assert(known(op(YK_NODE_UREM, first, number(4)), true));
    ck_assert(known(op(YK_NODE_UDIV, first, number(8)), false));
    ck_assert(known(op(YK_NODE_AND, first, number(3)), true));
    ck_assert(known(op(YK_NODE_AND, first, number(-4)), true));
    ck_assert(known(op(YK_NODE_AND, first, number(5)), false));
    ck_assert(within(op(YK_NODE_AND, first, number(5)), 0, 5));
    ck_assert(known(op(YK_NODE_OR, times(group, 4), local), true));
    ck_assert(known(op(YK_NODE_XOR, local, times(group, 4)), true));
    ck_assert(known(op(YK_NODE_XOR, first, number(-1)), true));
    ck_assert(within(op(YK_NODE_XOR, local, number(-1)), -4, -1));
    ck_assert(known(op(YK_NODE_OR, times(group, 2), local), false));
    ck_assert(known(op(YK_NODE_SHL, first, number(2)), true));
    ck_assert(known(op(YK_NODE_LSHR, first, number(2)), true));
    ck_assert(known(op(YK_NODE_ASHR, first, number(2)), true));
    ck_assert(known(op(YK_NODE_SHL, first, local), false));
    ck_assert(known(op(YK_NODE_LSHR, first, number(64)), false));
    ck_assert(known(op(YK_NODE_UMIN, first, number(11)), true));
    ck_assert(known(op(YK_NODE_UMIN, first, number(10)), false));
    ck_assert(known(op(YK_NODE_JOIN, first, first), true));
    ck_assert(known(op(YK_NODE_JOIN, first, local), false));
    ck_assert(known(op(YK_NODE_BELOW, first, number(100)), true));
    unsigned yes = test(YK_NODE_ULT, first, number(100)), no = test(YK_NODE_ULT, number(100), first),
             maybe = test(YK_NODE_ULT, first, number(7));
    ck_assert(within(op3(YK_NODE_SELECT, 64, yes, first, x, 0), 4, 11));
    ck_assert(within(op3(YK_NODE_SELECT, 64, no, first, x, 0), 14, 21));
    ck_assert(within(op3(YK_NODE_SELECT, 64, maybe, first, x, 0), 4, 21));
    ck_assert(known(op3(YK_NODE_SELECT, 64, maybe, first, first, 0), true));
    ck_assert(within(op3(YK_NODE_ZEXT, 64, yes, 0, 0, 0), 1, 1));
    ck_assert(within(op3(YK_NODE_ZEXT, 64, no, 0, 0, 0), 0, 0));
    unsigned bit = op3(YK_NODE_ZEXT, 64, maybe, 0, 0, 0), again = op3(YK_NODE_ZEXT, 64, maybe, 0, 0, 0);
    ck_assert(within(bit, 0, 1));
    ck_assert(within(op(YK_NODE_SUB, bit, again), 0, 0)); /* it is one number */
    ck_assert(known(op3(YK_NODE_SOME, 64, first, 0, 0, 0), false));
    ck_assert(within(op3(YK_NODE_SOME, 64, first, 0, 0, 0), 4, 11));
    unsigned thin = op3(YK_NODE_TRUNC, 8, op(YK_NODE_SUB, first, number(6)), 0, 0, 0); /* -2..5 */
    ck_assert(within(op3(YK_NODE_SEXT, 64, thin, 0, 0, 0), -2, 5));
    ck_assert(known(op3(YK_NODE_SEXT, 64, thin, 0, 0, 0), true));
    ck_assert(within(op3(YK_NODE_ZEXT, 64, thin, 0, 0, 0), 0, 255));
    unsigned any = op3(YK_NODE_UNKNOWN, 64, 0, 0, 0, 0);
    ck_assert(within(op(YK_NODE_UMIN, any, number(9)), 0, 9));
    ck_assert(within(op(YK_NODE_UMIN, number(9), any), 0, 9));
    ck_assert(within(op(YK_NODE_AND, any, number(15)), 0, 15));
    ck_assert(within(op(YK_NODE_AND, number(15), any), 0, 15));
    ck_assert(within(op(YK_NODE_UREM, any, number(10)), 0, 9));
    ck_assert(within(op(YK_NODE_SREM, any, number(10)), -9, 9));
    ck_assert(known(op(YK_NODE_UMAX, any, number(9)), false));
    ck_assert(known(op(YK_NODE_OR, any, number(9)), false));
    ck_assert(known(op(YK_NODE_SDIV, first, number(0)), false));
    ck_assert(within(op3(YK_NODE_ZEXT, 64, op3(YK_NODE_TRUNC, 16, any, 0, 0, 0), 0, 0, 0), 0, 65535));
    for (unsigned by = 31; by <= 32; by++) { /* 32 bits are shifted by fewer than 32 */
        unsigned x32 = op3(YK_NODE_TRUNC, 32, first, 0, 0, 0), by32 = op3(YK_NODE_CONST, 32, 0, 0, 0, by);
        ck_assert(known(op3(YK_NODE_ZEXT, 64, op(YK_NODE_LSHR, x32, by32), 0, 0, 0), by < 32));
    }
    ck_assert(known(op(YK_NODE_SHL, number(1), number(59)), true));
    ck_assert(known(op(YK_NODE_LSHR, first, number(59)), true));
    ck_assert(known(op(YK_NODE_LSHR, first, number(60)), false));
    for (unsigned c = YK_NODE_EQ; c <= YK_NODE_SLE; c++) { /* each comparison as a number, and of two of them */
        unsigned is_so = test(c, first, number(100)), always = op3(YK_NODE_CONST, 1, 0, 0, 0, 1);
        ck_assert(
            within(op3(YK_NODE_SELECT, 64, is_so, first, x, 0), c == YK_NODE_EQ ? 14 : 4, c == YK_NODE_EQ ? 21 : 11));
        ck_assert(
            within(op3(YK_NODE_ZEXT, 64, test(YK_NODE_AND, is_so, always), 0, 0, 0), c != YK_NODE_EQ, c != YK_NODE_EQ));
        ck_assert(
            within(op3(YK_NODE_ZEXT, 64, test(YK_NODE_XOR, is_so, always), 0, 0, 0), c == YK_NODE_EQ, c == YK_NODE_EQ));
    }
    unsigned few = op(YK_NODE_BELOW, first, number(8)), minus_few = op(YK_NODE_SUB, number(0), few),
             minus = op(YK_NODE_SUB, number(0), first); /* the same sums, of which a part is taken */
    ck_assert(within(op(YK_NODE_JOIN, few, first), 4, 11));
    ck_assert(within(op(YK_NODE_JOIN, first, few), 4, 11));
    ck_assert(within(op(YK_NODE_JOIN, minus_few, minus), -11, -4));
    ck_assert(within(op(YK_NODE_JOIN, minus, minus_few), -11, -4));
    begin();
    narrow = 0x40000001; /* 2^30 + 1 times 2^29 of 32 bits: taken for negative it would be beyond all bounds */
    unsigned large = op(YK_NODE_MUL, op3(YK_NODE_ARG, 32, 2, 0, 0, 0), op3(YK_NODE_CONST, 32, 0, 0, 0, 1 << 29));
    ck_assert(within(op3(YK_NODE_SEXT, 64, large, 0, 0, 0), 1 << 29, 1 << 29));
    narrow = -7; /* -7 * 2^30 of 32 bits; without its sign it would be too */
    unsigned product = op(YK_NODE_MUL, op3(YK_NODE_ARG, 32, 2, 0, 0, 0), op3(YK_NODE_CONST, 32, 0, 0, 0, 1 << 30));
    ck_assert(within(op3(YK_NODE_SEXT, 64, product, 0, 0, 0), 1 << 30, 1 << 30));
    ck_assert(known(number(YK_FORM_MOST), true));
    ck_assert(known(number(YK_FORM_MOST + 1), false));
    ck_assert(known(number(-YK_FORM_MOST - 1), false));
}
END_TEST

YK_TEST_MAIN("arithmetic", arithmetic, indices)
