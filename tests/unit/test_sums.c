/* transform/facts_form.h against the same in 128 bits: random sums, of small numbers and of numbers near all bounds, of
 * as many terms as there is room for, with bounds that say more than the terms. What lies behind the terms of a form is
 * nothing, whatever is there. */
#include <stdlib.h>
#include <string.h>
#include "tests/unit/main.h"
#include "tests/unit/must.h"
#include "tests/unit/random.h"
#include "transform/facts_form.h"

enum { VARS = 12, ROUNDS = 60000 };
__extension__ typedef __int128 wide;

static struct yk_form_vars vars;

/* A sum by variable. */
struct model {
    bool top;
    wide c, lo, hi, k[YK_FORM_VARS];
};

static bool fits(wide x)
{
    return x <= YK_FORM_MOST && x >= -(wide)YK_FORM_MOST;
}

static wide floor_of(wide a, wide by)
{
    wide q = a / by;
    return q * by > a ? q - 1 : q;
}

static int64_t any(void)
{
    int64_t x;
    switch (below(8)) {
    case 0:
        x = YK_FORM_MOST - below(3);
        break;
    case 1:
        x = (INT64_C(1) << below(60)) - below(2);
        break;
    case 2:
        x = (int64_t)(random_next() >> 4 >> below(60));
        break;
    default:
        x = below(12);
    }
    return below(3) ? x : -x;
}

static void any_range(int64_t *lo, int64_t *hi)
{
    int64_t x = any(), y = below(4) ? x + below(9) : any();
    y = fits(y) ? y : x;
    *lo = x < y ? x : y;
    *hi = x < y ? y : x;
}

static void any_vars(void)
{
    unsigned last = below(3) ? VARS : YK_FORM_VARS - 1 + below(2); /* room for many, one, none */
    vars = (struct yk_form_vars){.n = last};
    for (unsigned i = 0; i < VARS; i++) {
        any_range(&vars.v[i].lo, &vars.v[i].hi);
        vars.v[i].free = below(2);
    }
}

/* What lies behind F's terms. */
static struct yk_form spoilt(struct yk_form f)
{
    for (unsigned i = f.n; i < YK_FORM_TERMS; i++) {
        f.var[i] = (uint8_t)below(VARS);
        f.k[i] = 1 + below(5);
    }
    return f;
}

static struct yk_form any_form(void)
{
    struct yk_form f = {.c = any()};
    if (below(16) == 0)
        return spoilt(yk_form_top());
    unsigned most = below(YK_FORM_TERMS + 1);
    for (unsigned i = below(4); i < VARS && f.n < most; i += 1 + below(2)) {
        f.var[f.n] = (uint8_t)i;
        f.k[f.n] = any();
        f.n += f.k[f.n] != 0;
    }
    any_range(&f.lo, &f.hi);
    if (!f.n)
        f.lo = f.hi = f.c;
    return spoilt(f);
}

static struct model of(const struct yk_form *f)
{
    struct model m = {.top = f->top, .c = f->c, .lo = f->lo, .hi = f->hi};
    for (unsigned i = 0; i < f->n; i++)
        m.k[f->var[i]] = f->k[i];
    return m;
}

static struct model number(wide c)
{
    return (struct model){.top = !fits(c), .c = c, .lo = c, .hi = c};
}

static unsigned terms(const struct model *m)
{
    unsigned n = 0;
    for (unsigned i = 0; i < YK_FORM_VARS; i++)
        n += m->k[i] != 0;
    return n;
}

/* Too large is top; a sum of no variable is its constant. */
static struct model tidy(struct model m)
{
    bool top = m.top || !fits(m.c) || !fits(m.lo) || !fits(m.hi) || terms(&m) > YK_FORM_TERMS;
    for (unsigned i = 0; i < YK_FORM_VARS; i++)
        top |= !fits(m.k[i]);
    if (!terms(&m))
        m.lo = m.hi = m.c;
    m.top = top;
    return m;
}

static struct model plus(const struct model *a, const struct model *b)
{
    struct model m = {.top = a->top || b->top, .c = a->c + b->c, .lo = a->lo + b->lo, .hi = a->hi + b->hi};
    for (unsigned i = 0; i < YK_FORM_VARS; i++)
        m.k[i] = a->k[i] + b->k[i];
    return tidy(m);
}

static struct model times(const struct model *a, int64_t by)
{
    if (by == 0)
        return number(0);
    struct model m = {.top = a->top, .c = a->c * by, .lo = (by < 0 ? a->hi : a->lo) * by};
    m.hi = (by < 0 ? a->lo : a->hi) * by;
    for (unsigned i = 0; i < YK_FORM_VARS; i++)
        m.k[i] = a->k[i] * by;
    return tidy(m);
}

/* What yk_form_new makes where there were N variables. */
static struct model fresh(unsigned n, wide lo, wide hi)
{
    struct model m = {.lo = lo, .hi = hi};
    if (lo == hi)
        return number(lo);
    m.top = n >= YK_FORM_VARS || lo > hi || !fits(lo) || !fits(hi);
    if (!m.top)
        m.k[n] = 1;
    return m;
}

static void same(const struct yk_form *f, const struct model *m)
{
    must(f->top == m->top);
    if (f->top) {
        must(f->lo == -YK_FORM_MOST && f->hi == YK_FORM_MOST && f->n == 0);
        return;
    }
    must(f->c == m->c && f->lo == m->lo && f->hi == m->hi && f->n == terms(m));
    for (unsigned i = 0; i < f->n; i++)
        must(f->k[i] == m->k[f->var[i]] && (i == 0 || f->var[i - 1] < f->var[i]));
}

/* The same, and a variable more where M is a new one of N before. */
static void same_new(const struct yk_form *f, const struct model *m, unsigned n)
{
    same(f, m);
    bool made = !m->top && n < YK_FORM_VARS && m->k[n];
    must(vars.n == n + made);
    if (made)
        must(vars.v[n].lo == m->lo && vars.v[n].hi == m->hi && vars.v[n].free);
}

START_TEST(sums)
{
    unsigned known = 0;
    for (must_round = 0; must_round < ROUNDS; must_round++) {
        random_begin(must_round);
        any_vars();
        struct yk_form a = any_form(), b = below(4) ? any_form() : spoilt(a), r;
        if (below(8) == 0) {
            r = yk_form_scale(&a, -1); /* its opposite: nothing is left of the sum */
            b = spoilt(r);
        }
        int64_t by = any();
        struct model x = of(&a), y = of(&b), m = plus(&x, &y), minus = times(&y, -1);
        r = yk_form_add(&a, &b);
        same(&r, &m);
        r = yk_form_sub(&a, &b);
        m = plus(&x, &minus);
        same(&r, &m);
        known += !m.top && terms(&m) > 1;
        r = yk_form_scale(&a, by);
        m = times(&x, by);
        same(&r, &m);
        bool equal = !x.top && !y.top && x.c == y.c && !memcmp(x.k, y.k, sizeof x.k);
        must(yk_form_equal(&a, &b) == equal);
        must(yk_form_is_const(&a) == (!x.top && (terms(&x) == 0 || x.lo == x.hi)));
        unsigned i = below(VARS);
        r = yk_form_var(&vars, i);
        m = vars.v[i].lo == vars.v[i].hi ? number(vars.v[i].lo)
                                         : (struct model){.lo = vars.v[i].lo, .hi = vars.v[i].hi};
        m.k[i] = vars.v[i].lo != vars.v[i].hi;
        same(&r, &m);
    }
    ck_assert_uint_gt(known, ROUNDS / 20);
}
END_TEST

START_TEST(products)
{
    unsigned known = 0;
    for (must_round = 0; must_round < ROUNDS; must_round++) {
        random_begin(must_round);
        any_vars();
        struct yk_form a = any_form(), b = any_form(), r;
        struct model x = of(&a), y = of(&b), m = {.top = true};
        unsigned n = vars.n;
        bool a_known = !x.top && !terms(&x), b_known = !y.top && !terms(&y);
        if (x.top || y.top) {
            if ((a_known && x.c == 0) || (b_known && y.c == 0))
                m = number(0);
        } else if (a_known || b_known) {
            m = a_known ? times(&y, (int64_t)x.c) : times(&x, (int64_t)y.c);
        } else {
            wide of[4] = {x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi}, lo = of[0], hi = of[0];
            for (unsigned i = 1; i < 4; i++) {
                lo = of[i] < lo ? of[i] : lo;
                hi = of[i] > hi ? of[i] : hi;
            }
            m = fresh(n, lo, hi);
        }
        r = yk_form_mul(&vars, &a, &b);
        same_new(&r, &m, n);
        known += !m.top && terms(&m);
    }
    ck_assert_uint_gt(known, ROUNDS / 20);
}
END_TEST

/* X = BY * whole + part. */
static bool divide(const struct model *x, int64_t by, struct model *whole, struct model *part)
{
    wide q = floor_of(x->c, by);
    *whole = number(q);
    *part = number(x->c - by * q);
    for (unsigned i = 0; i < VARS; i++) {
        bool all = x->k[i] % by == 0;
        wide k = all ? x->k[i] / by : x->k[i], lo = vars.v[i].lo, hi = vars.v[i].hi;
        struct model one = {.lo = k < 0 ? k * hi : k * lo, .hi = k < 0 ? k * lo : k * hi, .c = lo == hi ? k * lo : 0};
        one.k[i] = lo == hi ? 0 : k;
        if (k) {
            one = tidy(one);
            *(all ? whole : part) = plus(all ? whole : part, &one);
        }
    }
    return !whole->top && !part->top && part->lo >= 0 && part->hi < by;
}

START_TEST(quotients_and_remainders)
{
    unsigned known = 0;
    for (must_round = 0; must_round < ROUNDS; must_round++) {
        random_begin(must_round);
        any_vars();
        struct yk_form a = any_form(), r;
        int64_t by = below(3) ? 1 + below(9) : INT64_C(1) << below(50);
        for (unsigned i = 0; i < a.n && below(2); i++) /* as indices are */
            if (fits((wide)a.k[i] * by))
                a.k[i] *= by;
        struct model x = of(&a), whole, part, m = {.top = true};
        bool parts = !x.top && divide(&x, by, &whole, &part);
        wide first = floor_of(x.lo, by), last = floor_of(x.hi, by);
        unsigned n = vars.n;
        if (parts) {
            m = whole;
            if (terms(&m)) {
                m.lo = m.lo > first ? m.lo : first;
                m.hi = m.hi < last ? m.hi : last;
            }
        } else if (!x.top) {
            m = fresh(n, first, last);
        }
        r = yk_form_div(&vars, &a, by);
        same_new(&r, &m, n);
        n = vars.n;
        struct model base = number(-first * by);
        if (parts)
            m = part;
        else if (!x.top && first == last)
            m = plus(&x, &base);
        else
            m = fresh(n, 0, by - 1);
        r = yk_form_rem(&vars, &a, by);
        same_new(&r, &m, n);
        known += parts && a.n > 0;
    }
    ck_assert_uint_gt(known, ROUNDS / 20);
}
END_TEST

START_TEST(windows)
{
    static const unsigned widths[] = {1, 8, 16, 32, 57, 58, 59, 60, 61, 63, 64};
    unsigned known = 0;
    for (must_round = 0; must_round < ROUNDS; must_round++) {
        random_begin(must_round);
        any_vars();
        struct yk_form a = any_form(), r;
        unsigned bits = widths[below(sizeof widths / sizeof *widths)], n = vars.n;
        bool sign = below(2);
        wide size = (wide)1 << bits, lo = !sign ? 0 : bits >= 60 ? -(wide)YK_FORM_MOST : -size / 2;
        if (below(2) && !a.top && a.n && bits < 60) { /* near the window's ends */
            a.lo = (int64_t)lo - 2 + (int64_t)below(5);
            a.hi = a.lo + (below(2) ? (int64_t)below(9) : (int64_t)size - 3 + (int64_t)below(5));
            a.hi = a.hi < a.lo ? a.lo : a.hi;
        }
        struct model x = of(&a), m = {.top = true};
        if (bits >= 60) {
            if (!x.top && x.lo >= lo)
                m = x;
        } else {
            wide away = floor_of(x.lo - lo, size) * size;
            struct model by = number(-away), moved = plus(&x, &by);
            m = moved.top || moved.hi >= lo + size ? fresh(n, lo, lo + size - 1) : moved;
        }
        r = sign ? yk_form_signed(&vars, &a, bits) : yk_form_unsigned(&vars, &a, bits);
        same_new(&r, &m, n);
        known += !m.top && !(n < YK_FORM_VARS && m.k[n]);
    }
    ck_assert_uint_gt(known, ROUNDS / 20);
}
END_TEST

YK_TEST_MAIN("sums", sums, products, quotients_and_remainders, windows)
