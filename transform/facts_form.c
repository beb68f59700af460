#include "transform/facts_form.h"
#include <stddef.h>
#include "base/least.h"

struct yk_form yk_form_const(int64_t c)
{
    if (c > YK_FORM_MOST || c < -YK_FORM_MOST)
        return yk_form_top();
    return (struct yk_form){.c = c, .lo = c, .hi = c};
}

struct yk_form yk_form_top(void)
{
    return (struct yk_form){.top = true, .lo = -YK_FORM_MOST, .hi = YK_FORM_MOST};
}

static bool fits(int64_t x)
{
    return x <= YK_FORM_MOST && x >= -YK_FORM_MOST;
}

struct yk_form yk_form_new(struct yk_form_vars *v, int64_t lo, int64_t hi, bool is_free)
{
    if (lo == hi)
        return yk_form_const(lo);
    if (v->n >= YK_FORM_VARS || lo > hi || !fits(lo) || !fits(hi))
        return yk_form_top();
    v->v[v->n].lo = lo;
    v->v[v->n].hi = hi;
    v->v[v->n].free = is_free;
    return yk_form_var(v, v->n++);
}

struct yk_form yk_form_var(const struct yk_form_vars *v, unsigned i)
{
    if (v->v[i].lo == v->v[i].hi)
        return yk_form_const(v->v[i].lo);
    return (struct yk_form){.lo = v->v[i].lo, .hi = v->v[i].hi, .n = 1, .var = {(uint8_t)i}, .k = {1}};
}

struct yk_form yk_form_add(const struct yk_form *a, const struct yk_form *b)
{
    struct yk_form r = {.c = a->c + b->c, .lo = a->lo + b->lo, .hi = a->hi + b->hi};
    if (a->top || b->top || !fits(r.c) || !fits(r.lo) || !fits(r.hi))
        return yk_form_top();
    unsigned i = 0, j = 0;
    while (i < a->n || j < b->n) {
        bool left = j == b->n || (i < a->n && a->var[i] <= b->var[j]);
        bool right = i == a->n || (j < b->n && b->var[j] <= a->var[i]);
        int64_t k = (left ? a->k[i] : 0) + (right ? b->k[j] : 0);
        uint8_t var = left ? a->var[i] : b->var[j];
        i += left;
        j += right;
        if (!k)
            continue;
        if (r.n == YK_FORM_TERMS || !fits(k))
            return yk_form_top();
        r.var[r.n] = var;
        r.k[r.n++] = k;
    }
    if (!r.n)
        r.lo = r.hi = r.c; /* what depended on variables has cancelled */
    return r;
}

struct yk_form yk_form_scale(const struct yk_form *a, int64_t by)
{
    struct yk_form r = *a;
    if (by == 0)
        return yk_form_const(0);
    int64_t lo, hi;
    if (a->top || __builtin_mul_overflow(a->c, by, &r.c) || __builtin_mul_overflow(a->lo, by, &lo) ||
        __builtin_mul_overflow(a->hi, by, &hi) || !fits(r.c) || !fits(lo) || !fits(hi))
        return yk_form_top();
    r.lo = YK_MIN(lo, hi);
    r.hi = YK_MAX(lo, hi);
    for (unsigned i = 0; i < r.n; i++)
        if (__builtin_mul_overflow(r.k[i], by, &r.k[i]) || !fits(r.k[i]))
            return yk_form_top();
    return r;
}

struct yk_form yk_form_sub(const struct yk_form *a, const struct yk_form *b)
{
    struct yk_form minus = yk_form_scale(b, -1);
    return yk_form_add(a, &minus);
}

struct yk_form yk_form_mul(struct yk_form_vars *v, const struct yk_form *a, const struct yk_form *b)
{
    if (a->top || b->top) {
        bool zero = (!a->top && a->n == 0 && a->c == 0) || (!b->top && b->n == 0 && b->c == 0);
        return zero ? yk_form_const(0) : yk_form_top();
    }
    if (a->n == 0)
        return yk_form_scale(b, a->c);
    if (b->n == 0)
        return yk_form_scale(a, b->c);
    int64_t x, lo = INT64_MAX, hi = INT64_MIN;
    for (unsigned i = 0; i < 4; i++) {
        if (__builtin_mul_overflow(i & 1 ? a->lo : a->hi, i & 2 ? b->lo : b->hi, &x))
            return yk_form_top();
        lo = YK_MIN(lo, x);
        hi = YK_MAX(hi, x);
    }
    return yk_form_new(v, lo, hi, true);
}

static int64_t floor_div(int64_t a, int64_t by)
{
    return a >= 0 ? a / by : -((-a + by - 1) / by);
}

/* A = BY * whole + part, where all that BY divides is in WHOLE. False: PART is not in [0, BY). */
static bool divide(const struct yk_form_vars *v, const struct yk_form *a, int64_t by, struct yk_form *whole,
                   struct yk_form *part)
{
    *whole = yk_form_const(floor_div(a->c, by));
    *part = yk_form_const(a->c - by * whole->c);
    for (unsigned i = 0; i < a->n; i++) {
        int64_t q = floor_div(a->k[i], by);
        bool all = a->k[i] == q * by;
        struct yk_form one = yk_form_var(v, a->var[i]);
        one = yk_form_scale(&one, all ? q : a->k[i]);
        struct yk_form *to = all ? whole : part;
        *to = yk_form_add(to, &one);
    }
    return !whole->top && part->lo >= 0 && part->hi < by; /* of top they are not */
}

/* That of A by BY, made if there is room. Bounds count: quotients of what has others are other numbers. */
static struct yk_form_division *division(struct yk_form_vars *v, const struct yk_form *a, int64_t by)
{
    for (unsigned i = 0; i < v->ndivisions; i++) {
        struct yk_form_division *d = &v->division[i];
        if (d->by == by && d->of.lo == a->lo && d->of.hi == a->hi && yk_form_equal(&d->of, a))
            return d;
    }
    if (a->top || v->ndivisions == YK_FORM_DIVISIONS)
        return NULL;
    v->division[v->ndivisions] = (struct yk_form_division){*a, by, YK_FORM_NO_VAR, YK_FORM_NO_VAR};
    return &v->division[v->ndivisions++];
}

/* A new variable of [LO, HI], or the one that IS has already. */
static struct yk_form known_as(struct yk_form_vars *v, uint8_t *is, int64_t lo, int64_t hi)
{
    if (is && *is != YK_FORM_NO_VAR)
        return yk_form_var(v, *is);
    struct yk_form r = yk_form_new(v, lo, hi, true);
    if (is && !r.top && r.n)
        *is = r.var[0];
    return r;
}

static struct yk_form quotient(struct yk_form_vars *v, struct yk_form_division *d)
{
    return known_as(v, &d->quotient, floor_div(d->of.lo, d->by), floor_div(d->of.hi, d->by));
}

static int64_t factor_of(const struct yk_form *a, unsigned var)
{
    for (unsigned i = 0; i < a->n; i++)
        if (a->var[i] == var)
            return a->k[i];
    return 0;
}

/* What the terms of A say of its bounds. */
static void bound(const struct yk_form_vars *v, struct yk_form *a)
{
    int64_t lo = a->c, hi = a->c;
    for (unsigned i = 0; i < a->n; i++) {
        struct yk_form one = yk_form_var(v, a->var[i]);
        one = yk_form_scale(&one, a->k[i]);
        if (one.top || !fits(lo += one.lo) || !fits(hi += one.hi))
            return;
    }
    a->lo = YK_MAX(a->lo, lo);
    a->hi = YK_MIN(a->hi, hi);
}

/* A with D's remainder as what is left of the number without the multiple, if that makes it simpler. */
static bool simplify(struct yk_form_vars *v, struct yk_form_division *d, struct yk_form *a)
{
    int64_t k = d->remainder == YK_FORM_NO_VAR ? 0 : factor_of(a, d->remainder), times;
    if (!k || __builtin_mul_overflow(-k, d->by, &times))
        return false;
    unsigned before = v->n;
    uint8_t had = d->quotient;
    struct yk_form q = quotient(v, d), r = yk_form_var(v, d->remainder), of = yk_form_scale(&d->of, k), sum = *a;
    r = yk_form_scale(&r, -k);
    sum = yk_form_add(&sum, &r);
    sum = yk_form_add(&sum, &of);
    of = yk_form_scale(&q, times);
    sum = yk_form_add(&sum, &of);
    bool simpler = !sum.top && (sum.n < a->n || (sum.n == a->n && q.n && !factor_of(&sum, q.var[0])));
    if (!simpler) { /* a variable that nobody has seen */
        v->n = before;
        d->quotient = had;
        return false;
    }
    sum.lo = YK_MAX(sum.lo, a->lo);
    sum.hi = YK_MIN(sum.hi, a->hi);
    bound(v, &sum);
    *a = sum;
    return true;
}

struct yk_form yk_form_sum(struct yk_form_vars *v, const struct yk_form *a, const struct yk_form *b)
{
    struct yk_form sum = yk_form_add(a, b);
    for (unsigned i = 0; i < v->ndivisions && !sum.top && sum.n; i++)
        (void)simplify(v, &v->division[i], &sum);
    return sum;
}

struct yk_form yk_form_div(struct yk_form_vars *v, const struct yk_form *a, int64_t by)
{
    struct yk_form whole, part;
    if (a->top)
        return yk_form_top();
    if (divide(v, a, by, &whole, &part)) {
        if (whole.n) {
            whole.lo = YK_MAX(whole.lo, floor_div(a->lo, by));
            whole.hi = YK_MIN(whole.hi, floor_div(a->hi, by));
        }
        return whole;
    }
    struct yk_form_division *d = division(v, a, by);
    return known_as(v, d ? &d->quotient : NULL, floor_div(a->lo, by), floor_div(a->hi, by));
}

struct yk_form yk_form_rem(struct yk_form_vars *v, const struct yk_form *a, int64_t by)
{
    struct yk_form whole, part;
    if (!a->top && divide(v, a, by, &whole, &part))
        return part;
    int64_t q = floor_div(a->lo, by);
    if (!a->top && q == floor_div(a->hi, by)) {
        struct yk_form base = yk_form_const(by * q);
        return yk_form_sub(a, &base);
    }
    struct yk_form_division *d = division(v, a, by);
    return known_as(v, d ? &d->remainder : NULL, 0, by - 1);
}

bool yk_form_equal(const struct yk_form *a, const struct yk_form *b)
{
    if (a->top || b->top || a->n != b->n || a->c != b->c)
        return false;
    for (unsigned i = 0; i < a->n; i++)
        if (a->var[i] != b->var[i] || a->k[i] != b->k[i])
            return false;
    return true;
}

static struct yk_form in_window(struct yk_form_vars *v, const struct yk_form *a, unsigned bits, int64_t lo)
{
    if (bits >= 60) /* the bounds are those of a number that has not wrapped */
        return a->top || a->lo < lo ? yk_form_top() : *a;
    int64_t size = INT64_C(1) << bits;
    int64_t away = floor_div(a->lo - lo, size) * size;
    struct yk_form by = yk_form_const(-away), r = yk_form_add(a, &by);
    if (!r.top && r.hi < lo + size)
        return r;
    return yk_form_new(v, lo, lo + size - 1, true);
}

struct yk_form yk_form_unsigned(struct yk_form_vars *v, const struct yk_form *a, unsigned bits)
{
    return in_window(v, a, bits, 0);
}

struct yk_form yk_form_signed(struct yk_form_vars *v, const struct yk_form *a, unsigned bits)
{
    return in_window(v, a, bits, bits >= 60 ? -YK_FORM_MOST : -(INT64_C(1) << (bits - 1)));
}
