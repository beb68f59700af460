/* transform/facts_form.h: sums of variables, against every value that their variables take. */
#include <stdlib.h>
#include "tests/unit/main.h"
#include "tests/unit/must.h"
#include "transform/facts_form.h"

enum { VARS = 3 };

static struct yk_form_vars vars;

static void ranges(int64_t a, int64_t b, int64_t c)
{
    const int64_t hi[VARS] = {a, b, c};
    vars = (struct yk_form_vars){.n = VARS};
    for (unsigned i = 0; i < VARS; i++)
        vars.v[i].hi = hi[i];
}

/* c + k[0] * v0 + k[1] * v1 + k[2] * v2 */
static struct yk_form sum(int64_t c, const int64_t k[VARS])
{
    struct yk_form f = yk_form_const(c);
    for (unsigned i = 0; i < VARS; i++) {
        struct yk_form v = yk_form_var(&vars, i), kv = yk_form_scale(&v, k[i]);
        f = yk_form_add(&f, &kv);
    }
    return f;
}

static int64_t value(const struct yk_form *f, const int64_t at[VARS])
{
    int64_t x = f->c;
    for (unsigned i = 0; i < f->n; i++) {
        must(f->var[i] < VARS);
        must(f->k[i] != 0 && (i == 0 || f->var[i - 1] < f->var[i]));
        x += f->k[i] * at[f->var[i]];
    }
    return x;
}

/* Does F depend on what is not among the first variables, which nobody knows? */
static bool is_known(const struct yk_form *f)
{
    bool yes = !f->top;
    for (unsigned i = 0; i < f->n; i++)
        yes &= f->var[i] < VARS;
    return yes;
}

static bool next_point(int64_t at[VARS])
{
    for (unsigned i = 0; i < VARS; i++) {
        if (at[i] < vars.v[i].hi) {
            at[i]++;
            return true;
        }
        at[i] = 0;
    }
    return false;
}

START_TEST(sums_are_the_sums_of_their_values)
{
    unsigned long points = 0;
    srand(7);
    for (int round = 0; round < 2000; round++) {
        int64_t k[VARS], m[VARS], c = rand() % 21 - 10, d = rand() % 21 - 10, by = rand() % 9 - 4;
        ranges(rand() % 4, rand() % 3, rand() % 4);
        for (unsigned i = 0; i < VARS; i++) {
            k[i] = rand() % 7 - 3;
            m[i] = rand() % 2 ? -k[i] : rand() % 7 - 3;
        }
        struct yk_form a = sum(c, k), b = sum(d, m), plus = yk_form_add(&a, &b), minus = yk_form_sub(&a, &b),
                       times = yk_form_scale(&a, by);
        int64_t at[VARS] = {0}, lo = INT64_MAX, hi = INT64_MIN;
        do {
            int64_t x = c, y = d;
            for (unsigned i = 0; i < VARS; i++) {
                x += k[i] * at[i];
                y += m[i] * at[i];
            }
            must(value(&a, at) == x);
            must(value(&plus, at) == x + y);
            must(value(&minus, at) == x - y);
            must(value(&times, at) == x * by);
            must(plus.lo <= x + y && x + y <= plus.hi);
            must(minus.lo <= x - y && x - y <= minus.hi);
            lo = x < lo ? x : lo;
            hi = x > hi ? x : hi;
            points++;
        } while (next_point(at));
        must(a.lo == lo);
        must(a.hi == hi);
        must(times.lo == (by < 0 ? hi * by : lo * by));
        must(times.hi == (by < 0 ? lo * by : hi * by));
        struct yk_form none = yk_form_sub(&a, &a);
        must(yk_form_is_const(&none) && yk_form_value(&none) == 0 && none.n == 0 && none.hi == 0);
        must(yk_form_equal(&a, &a));
    }
    ck_assert_uint_gt(points, 20000); /* and at each of them all sums were right */
}
END_TEST

START_TEST(products)
{
    const int64_t x[VARS] = {1, 0, 0}, y[VARS] = {0, 2, 0};
    ranges(3, 4, 5);
    struct yk_form a = sum(-1, x), b = sum(-3, y), zero = yk_form_const(0), top = yk_form_top(),
                   five = yk_form_const(5);
    struct yk_form r = yk_form_mul(&vars, &a, &b); /* [-1, 2] * [-3, 5] */
    ck_assert(!r.top && r.n == 1 && r.var[0] == VARS && vars.v[VARS].free);
    ck_assert_int_eq(r.lo, -6);
    ck_assert_int_eq(r.hi, 10);
    struct yk_form left = yk_form_mul(&vars, &five, &b), right = yk_form_mul(&vars, &b, &five),
                   scaled = yk_form_scale(&b, 5);
    ck_assert(yk_form_equal(&left, &scaled) && yk_form_equal(&right, &scaled));
    r = yk_form_mul(&vars, &zero, &top);
    ck_assert(yk_form_is_const(&r) && yk_form_value(&r) == 0);
    r = yk_form_mul(&vars, &top, &zero);
    ck_assert(yk_form_is_const(&r) && yk_form_value(&r) == 0);
    ck_assert(yk_form_mul(&vars, &top, &five).top && yk_form_mul(&vars, &a, &top).top &&
              yk_form_mul(&vars, &top, &top).top);
    const int64_t large[VARS] = {INT64_C(1) << 40, 0, 0};
    a = sum(0, large);
    ck_assert(yk_form_mul(&vars, &a, &a).top);
}
END_TEST

/* Every form that is not negative: quotient and remainder are right, and known wherever what BY does not divide stays
 * below it. */
START_TEST(quotients_and_remainders)
{
    unsigned known = 0;
    for (int64_t by = 1; by <= 9; by++)
        for (int64_t k0 = 0; k0 <= 12; k0++)
            for (int64_t k1 = 0; k1 <= 6; k1++)
                for (int64_t c = 0; c <= 10; c++) {
                    const int64_t k[VARS] = {k0, k1, 0};
                    ranges(3, 2, 0);
                    struct yk_form a = sum(c, k), q = yk_form_div(&vars, &a, by), r = yk_form_rem(&vars, &a, by);
                    int64_t rest = c % by + (k0 % by ? 3 * k0 : 0) + (k1 % by ? 2 * k1 : 0);
                    bool whole = rest < by;
                    must(!whole || (is_known(&q) && is_known(&r)));
                    known += is_known(&q) + is_known(&r);
                    int64_t at[VARS] = {0}, least = INT64_MAX, most = INT64_MIN;
                    do {
                        int64_t x = c + k0 * at[0] + k1 * at[1];
                        least = x < least ? x : least;
                        most = x > most ? x : most;
                        must(q.lo <= x / by && x / by <= q.hi && r.lo <= x % by && x % by <= r.hi);
                        must(!is_known(&q) || value(&q, at) == x / by);
                        must(!is_known(&r) || value(&r, at) == x % by);
                    } while (next_point(at));
                    must(q.lo == least / by && q.hi == most / by);
                    must(r.hi < by && r.lo >= 0);
                }
    ck_assert_uint_ge(known, 1);
    const int64_t far[VARS] = {INT64_C(1) << 30, 0,
                               0}; /* of 2^40 numbers the first ten: their sum is bounded, not its terms */
    vars = (struct yk_form_vars){.n = VARS};
    vars.v[0].hi = INT64_C(1) << 20;
    struct yk_form few = sum(0, far);
    vars.v[0].hi = INT64_C(1) << 40;
    few.hi = 9 * far[0];
    struct yk_form part = yk_form_div(&vars, &few, 64);
    ck_assert(!part.top && part.lo == 0 && part.hi == few.hi / 64);
    const int64_t down[VARS] = {-4, 0, 0}; /* 16 - 4 v */
    ranges(3, 0, 0);
    struct yk_form d = sum(16, down), fourth = yk_form_div(&vars, &d, 4), none = yk_form_rem(&vars, &d, 4);
    ck_assert(is_known(&fourth) && fourth.c == 4 && fourth.k[0] == -1 && fourth.lo == 1 && fourth.hi == 4);
    ck_assert(yk_form_is_const(&none) && yk_form_value(&none) == 0);
    struct yk_form top = yk_form_top();
    ck_assert(yk_form_div(&vars, &top, 4).top);
    struct yk_form r = yk_form_rem(&vars, &top, 4);
    ck_assert(!r.top && r.lo == 0 && r.hi == 3 && !is_known(&r));
    r = yk_form_rem(&vars, &top, 1);
    ck_assert(yk_form_is_const(&r) && yk_form_value(&r) == 0);
}
END_TEST

/* F where the first variables are AT: others are quotients and remainders. */
static int64_t divided_value(const struct yk_form *f, const int64_t at[VARS])
{
    int64_t x = f->c;
    for (unsigned i = 0; i < f->n; i++) {
        int64_t v = 0;
        bool found = f->var[i] < VARS;
        if (found)
            v = at[f->var[i]];
        for (unsigned k = 0; k < vars.ndivisions && !found; k++) {
            const struct yk_form_division *d = &vars.division[k];
            found = d->quotient == f->var[i] || d->remainder == f->var[i];
            v = d->quotient == f->var[i] ? value(&d->of, at) / d->by : value(&d->of, at) % d->by;
        }
        must(found);
        x += f->k[i] * v;
    }
    return x;
}

/* times[0] * a + times[1] * (a / by) + times[2] * (a % by) + times[3] * (another % by), summed in some order. */
static struct yk_form of_parts(const struct yk_form part[4], const int64_t times[4], unsigned first)
{
    struct yk_form f = yk_form_const(0);
    for (unsigned i = 0; i < 4; i++) {
        struct yk_form one = yk_form_scale(&part[(first + i) % 4], times[(first + i) % 4]);
        f = yk_form_sum(&vars, &f, &one);
    }
    return f;
}

START_TEST(what_a_division_leaves_adds_up)
{
    static const int64_t factors[] = {-3, -1, 0, 1, 2};
    enum { FACTORS = sizeof factors / sizeof *factors };
    for (int64_t by = 2; by <= 7; by++)
        for (unsigned n = 0; n < FACTORS * FACTORS * FACTORS * 16; n++) {
            const int64_t k[VARS] = {1, 4, 0}, other[VARS] = {0, 5, 1};
            ranges(3, 2, 3);
            struct yk_form a = sum(1, k), b = sum(0, other),
                           part[4] = {a, yk_form_div(&vars, &a, by), yk_form_rem(&vars, &a, by),
                                      yk_form_rem(&vars, &b, by + 1)};
            const int64_t times[4] = {factors[n % FACTORS], n / 16 % 2 ? by : factors[n / FACTORS % FACTORS],
                                      factors[n / FACTORS / FACTORS % FACTORS], n & 1};
            struct yk_form f = of_parts(part, times, n % 4);
            int64_t at[VARS] = {0};
            do {
                int64_t x = value(&a, at), want = times[0] * x + times[1] * (x / by) + times[2] * (x % by) +
                                                  times[3] * (value(&b, at) % (by + 1));
                must(f.lo <= want && want <= f.hi);
                must(divided_value(&f, at) == want);
            } while (next_point(at));
        }
    ranges(99, 0, 0);
    const int64_t one[VARS] = {1, 0, 0};
    struct yk_form x = sum(0, one), r = yk_form_rem(&vars, &x, 7), minus = yk_form_scale(&r, -1),
                   f = yk_form_sum(&vars, &x, &minus); /* x - x % 7 */
    ck_assert(f.n == 1 && f.k[0] == 7 && f.lo == 0 && f.hi == 98);
    f = yk_form_sum(&vars, &f, &r);
    ck_assert(yk_form_equal(&f, &x));
    struct yk_form q = yk_form_div(&vars, &x, 7), sevens = yk_form_scale(&q, 7);
    f = yk_form_sum(&vars, &r, &sevens);
    ck_assert(yk_form_equal(&f, &x));
    x.hi = 50; /* the same where it is known to be less: its quotient is another number to be had of it */
    struct yk_form fewer = yk_form_div(&vars, &x, 7);
    ck_assert(fewer.hi == 7 && q.hi == 14 && !yk_form_equal(&fewer, &q));
}
END_TEST

static void window(int64_t lo, int64_t hi, unsigned bits, bool sign, int64_t want_lo, int64_t want_hi, bool known)
{
    vars = (struct yk_form_vars){.n = 1};
    vars.v[0].hi = hi - lo;
    struct yk_form v = yk_form_var(&vars, 0), c = yk_form_const(lo), a = yk_form_add(&v, &c),
                   r = sign ? yk_form_signed(&vars, &a, bits) : yk_form_unsigned(&vars, &a, bits);
    ck_assert(!r.top);
    ck_assert_int_eq(r.lo, want_lo);
    ck_assert_int_eq(r.hi, want_hi);
    ck_assert_int_eq(lo == hi || r.var[0] == 0, known);
}

START_TEST(numbers_of_some_bits)
{
    window(0, 255, 8, false, 0, 255, true);
    window(-1, 255, 8, false, 0, 255, false);
    window(0, 256, 8, false, 0, 255, false);
    window(256, 300, 8, false, 0, 44, true);
    window(-3, -1, 8, false, 253, 255, true);
    window(-256, -250, 8, false, 0, 6, true);
    window(-512, -257, 8, false, 0, 255, true);
    window(-128, 127, 8, true, -128, 127, true);
    window(-129, 127, 8, true, -128, 127, false);
    window(128, 255, 8, true, -128, -1, true);
    window(128, 128, 8, true, -128, -128, true);
    window(0, UINT32_MAX, 32, false, 0, UINT32_MAX, true);
    window(INT32_MAX, INT64_C(1) << 31, 32, true, INT32_MIN, INT32_MAX, false);
    window(-5, 5, 64, true, -5, 5, true);
    window(0, 5, 64, false, 0, 5, true);
    struct yk_form minus = yk_form_const(-1), top = yk_form_top();
    ck_assert(yk_form_unsigned(&vars, &minus, 64).top && yk_form_unsigned(&vars, &minus, 60).top);
    ck_assert(!yk_form_signed(&vars, &minus, 64).top && !yk_form_signed(&vars, &minus, 60).top);
    ck_assert(yk_form_unsigned(&vars, &top, 64).top && yk_form_signed(&vars, &top, 62).top);
    struct yk_form r = yk_form_unsigned(&vars, &top, 16);
    ck_assert(!r.top && r.lo == 0 && r.hi == 65535);
    r = yk_form_signed(&vars, &top, 59);
    ck_assert(!r.top && r.lo == -(INT64_C(1) << 58) && r.hi == (INT64_C(1) << 58) - 1);
}
END_TEST

START_TEST(what_is_too_large_is_not_known)
{
    ck_assert(!yk_form_const(YK_FORM_MOST).top && !yk_form_const(-YK_FORM_MOST).top);
    ck_assert(yk_form_const(YK_FORM_MOST + 1).top && yk_form_const(-YK_FORM_MOST - 1).top);
    struct yk_form most = yk_form_const(YK_FORM_MOST), one = yk_form_const(1), least = yk_form_const(-YK_FORM_MOST);
    ck_assert(yk_form_add(&most, &one).top && yk_form_sub(&least, &one).top && yk_form_scale(&most, 2).top);
    ck_assert(yk_form_scale(&most, INT64_MAX).top && yk_form_scale(&least, 16).top);
    struct yk_form top = yk_form_top();
    ck_assert(yk_form_add(&top, &one).top && yk_form_add(&one, &top).top && yk_form_scale(&top, 3).top);
    struct yk_form none = yk_form_scale(&top, 0);
    ck_assert(yk_form_is_const(&none) && !yk_form_is_const(&top));
    vars = (struct yk_form_vars){.n = 2}; /* one bound alone, or the constant alone */
    vars.v[0].hi = YK_FORM_MOST;
    vars.v[1].lo = -YK_FORM_MOST;
    struct yk_form up = yk_form_var(&vars, 0), down = yk_form_var(&vars, 1), near = yk_form_add(&most, &down);
    ck_assert(yk_form_add(&up, &one).top && yk_form_sub(&down, &one).top && !near.top && near.lo == 0);
    near.lo = near.hi - 5;
    ck_assert(yk_form_scale(&near, 2).top && yk_form_add(&near, &near).top && yk_form_scale(&up, 2).top &&
              yk_form_scale(&down, 2).top);
    const int64_t factor[VARS] = {INT64_C(1) << 40, 0, 0}; /* a factor alone, of a sum that is bounded otherwise */
    ranges(1, 0, 0);
    struct yk_form steep = sum(0, factor);
    steep.lo = steep.hi = 1;
    ck_assert(yk_form_scale(&steep, INT64_C(1) << 21).top && yk_form_scale(&steep, INT64_C(1) << 30).top &&
              !yk_form_scale(&steep, INT64_C(1) << 20).top);
    vars = (struct yk_form_vars){.n = 0};
    ck_assert(yk_form_new(&vars, 3, 2, false).top && yk_form_new(&vars, 0, YK_FORM_MOST + 1, false).top);
    ck_assert(yk_form_new(&vars, -YK_FORM_MOST - 1, 0, false).top && vars.n == 0);
    struct yk_form same = yk_form_new(&vars, 9, 9, true);
    ck_assert(yk_form_is_const(&same) && yk_form_value(&same) == 9 && vars.n == 0);
    /* As many terms, and as many variables, as there is room for. */
    struct yk_form f = yk_form_const(0);
    for (unsigned i = 0; i < YK_FORM_VARS; i++) {
        struct yk_form v = yk_form_new(&vars, 0, 1 + i, i % 2);
        ck_assert(!v.top && v.n == 1 && v.var[0] == i && v.k[0] == 1 && v.hi == 1 + i && vars.v[i].free == (i % 2));
        f = yk_form_add(&f, &v);
        ck_assert_int_eq(f.top, i >= YK_FORM_TERMS);
    }
    ck_assert(yk_form_new(&vars, 0, 1, false).top && vars.n == YK_FORM_VARS);
}
END_TEST

START_TEST(equal_forms)
{
    const int64_t k[VARS] = {1, 2, 0}, other[VARS] = {1, 3, 0}, fewer[VARS] = {1, 0, 0}, shifted[VARS] = {1, 0, 2};
    ranges(3, 4, 5);
    struct yk_form a = sum(1, k), b = sum(1, other), c = sum(1, fewer), d = sum(1, shifted), e = sum(2, k),
                   top = yk_form_top();
    ck_assert(yk_form_equal(&a, &a) && !yk_form_equal(&a, &b) && !yk_form_equal(&a, &c) && !yk_form_equal(&a, &d));
    struct yk_form same = a;
    same.var[same.n] = 7; /* what lies behind the terms is nothing */
    same.k[same.n] = 3;
    ck_assert(yk_form_equal(&a, &same));
    ck_assert(!yk_form_equal(&a, &e) && !yk_form_equal(&top, &a) && !yk_form_equal(&a, &top) &&
              !yk_form_equal(&top, &top));
}
END_TEST

YK_TEST_MAIN("form", sums_are_the_sums_of_their_values, products, quotients_and_remainders,
             what_a_division_leaves_adds_up, numbers_of_some_bits, what_is_too_large_is_not_known, equal_forms)
