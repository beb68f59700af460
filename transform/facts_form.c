#include "transform/facts_form.h"
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
    return yk_form_new(v, floor_div(a->lo, by), floor_div(a->hi, by), true);
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
    return yk_form_new(v, 0, by - 1, true);
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
