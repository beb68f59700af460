#include "transform/facts_domain.h"
#include <stdlib.h>
#include "base/least.h"

static int64_t gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t t = a % b;
        a = b;
        b = t;
    }
    return llabs(a);
}

int64_t yk_floor_div(int64_t a, int64_t by)
{
    return a >= 0 ? a / by : -((-a + by - 1) / by);
}

bool yk_form_add_range(int64_t k, int64_t lo, int64_t hi, int64_t *start, int64_t *end)
{
    int64_t a, b;
    return !__builtin_mul_overflow(k, lo, &a) && !__builtin_mul_overflow(k, hi, &b) &&
           !__builtin_add_overflow(*start, YK_MIN(a, b), start) && !__builtin_add_overflow(*end, YK_MAX(a, b), end);
}

/* Range and density of B's sum; its bounds are 0 before. False: it has no range in 64 bits. */
static bool measure(struct yk_bundle *b, const struct yk_form_vars *v)
{
    uint64_t span = 0;
    bool used[YK_FORM_TERMS] = {false};
    b->dense = true;
    for (unsigned i = 0; i < b->n; i++)
        if (!yk_form_add_range(b->k[i], v->v[b->var[i]].lo, v->v[b->var[i]].hi, &b->lo, &b->hi))
            return false;
    for (unsigned round = 0; round < b->n; round++) { /* from the smallest factor up, without gaps */
        unsigned least = YK_FORM_TERMS;
        for (unsigned i = 0; i < b->n; i++)
            if (!used[i] && (least == YK_FORM_TERMS || llabs(b->k[i]) < llabs(b->k[least])))
                least = i;
        uint64_t k = (uint64_t)llabs(b->k[least]),
                 range = (uint64_t)v->v[b->var[least]].hi - (uint64_t)v->v[b->var[least]].lo;
        used[least] = true;
        b->dense &= k <= span + 1;
        span += k * range;
    }
    return true;
}

static bool shares_variable(const struct yk_bundle *b, const struct yk_form *f)
{
    for (unsigned i = 0; i < b->n; i++)
        for (unsigned j = 0; j < f->n; j++)
            if (b->var[i] == f->var[j])
                return true;
    return false;
}

/* +1 or -1 where F's terms are G times those of B or of its opposite, else 0. */
static int same_direction(const struct yk_bundle *b, const struct yk_form *f, int64_t g)
{
    int sign = 0;
    if (b->n != f->n)
        return 0;
    for (unsigned i = 0; i < b->n; i++) {
        int64_t k = 0;
        bool fits = !__builtin_mul_overflow(g, b->k[i], &k);
        int one = !fits ? 0 : f->k[i] == k ? 1 : f->k[i] == -k ? -1 : 0;
        if (b->var[i] != f->var[i] || !one || (sign && sign != one))
            return 0;
        sign = one;
    }
    return sign;
}

bool yk_form_threshold(const struct yk_form_vars *v, const struct yk_form *f, unsigned i, int64_t *sure,
                       int64_t *possible)
{
    int64_t k = f->k[i], least = f->c, most = f->c;
    for (unsigned j = 0; j < f->n; j++)
        if (j != i && !yk_form_add_range(f->k[j], v->v[f->var[j]].lo, v->v[f->var[j]].hi, &least, &most))
            return false;
    *sure = k < 0 ? yk_floor_div(least, -k) : -yk_floor_div(least, k);
    *possible = k < 0 ? yk_floor_div(most, -k) : -yk_floor_div(most, k);
    return true;
}

/* F >= 0 as a bound of one of its variables alone, where the others move it less than a step of that: the rounds of a
 * loop that goes over the range again and again. */
static struct yk_form decided_by_one(const struct yk_form_vars *v, const struct yk_form *f)
{
    for (unsigned i = 0; i < f->n && f->n > 1; i++) {
        int64_t sure, possible;
        bool down = f->k[i] < 0;
        if (yk_form_threshold(v, f, i, &sure, &possible) && sure == possible)
            return (struct yk_form){.c = down ? sure : -sure, .n = 1, .var = {f->var[i]}, .k = {down ? -1 : 1}};
    }
    return *f;
}

/* F without those of its variables that have one value by now. */
static struct yk_form without_fixed(const struct yk_form_vars *v, const struct yk_form *f)
{
    struct yk_form r = {.c = f->c};
    for (unsigned i = 0; i < f->n; i++) {
        int64_t is = v->v[f->var[i]].lo, c = r.c, same = r.c;
        if (is == v->v[f->var[i]].hi && yk_form_add_range(f->k[i], is, is, &c, &same)) {
            r.c = c;
        } else {
            r.var[r.n] = f->var[i];
            r.k[r.n++] = f->k[i];
        }
    }
    return r;
}

void yk_domain_narrow(struct yk_domain *d, const struct yk_form_vars *v, const struct yk_form *condition)
{
    struct yk_form rest = without_fixed(v, condition), simple = decided_by_one(v, &rest), *f = &simple;
    int64_t g = 0;
    d->empty |= !f->n && f->c < 0;
    if (!f->n)
        return;
    for (unsigned i = 0; i < f->n; i++) {
        g = gcd(g, f->k[i]);
        if (v->v[f->var[i]].free) {
            d->loose = true;
            return;
        }
    }
    struct yk_bundle *b = NULL;
    int sign = 0;
    for (unsigned i = 0; i < d->n && !sign; i++) {
        sign = same_direction(&d->b[i], f, g);
        b = &d->b[i];
        if (!sign && shares_variable(b, f)) {
            d->loose = true; /* two conditions that cross: one of them is left out */
            return;
        }
    }
    if (!sign) {
        b = &d->b[d->n++];
        *b = (struct yk_bundle){.n = f->n};
        for (unsigned i = 0; i < f->n; i++) {
            b->var[i] = f->var[i];
            b->k[i] = f->k[i] / g;
        }
        if (!measure(b, v)) {
            d->n--;
            d->loose = true;
            return;
        }
        sign = 1;
    }
    /* g*u + c >= 0, or -g*u + c >= 0 */
    int64_t least = -yk_floor_div(f->c, g), most = yk_floor_div(f->c, g);
    if (sign > 0)
        b->lo = YK_MAX(b->lo, least);
    else
        b->hi = YK_MIN(b->hi, most);
    d->loose |= !b->dense;
    d->empty |= b->lo > b->hi;
}

static bool stride(struct yk_strides *s, int64_t *start, int64_t k, int64_t lo, int64_t hi)
{
    int64_t end = 0;
    s->v[s->n].k = llabs(k);
    s->v[s->n++].count = (uint64_t)hi - (uint64_t)lo + 1;
    return yk_form_add_range(k, lo, hi, start, &end);
}

/* How much F moves with bundle B; false: not with its sum alone. */
static bool along(const struct yk_bundle *b, const struct yk_form *f, int64_t *m)
{
    bool first = true;
    for (unsigned i = 0; i < b->n; i++) {
        int64_t k = 0;
        for (unsigned j = 0; j < f->n; j++)
            if (f->var[j] == b->var[i])
                k = f->k[j];
        if (k % b->k[i])
            return false;
        if (!first && *m != k / b->k[i])
            return false;
        *m = k / b->k[i];
        first = false;
    }
    return true;
}

bool yk_domain_strides(const struct yk_domain *d, const struct yk_form_vars *v, const struct yk_form *f,
                       struct yk_strides *s, int64_t *start, bool *exact)
{
    bool done[YK_FORM_TERMS] = {false};
    *start = f->c;
    s->n = 0;
    for (unsigned i = 0; i < d->n; i++) {
        const struct yk_bundle *b = &d->b[i];
        int64_t m = 0;
        if (!along(b, f, &m)) {
            *exact = false;
            continue;
        }
        if (!m)
            continue;
        if (!stride(s, start, m, b->lo, b->hi))
            return false;
        for (unsigned j = 0; j < f->n; j++)
            for (unsigned t = 0; t < b->n; t++)
                done[j] |= f->var[j] == b->var[t];
    }
    for (unsigned j = 0; j < f->n; j++) {
        if (done[j])
            continue;
        *exact &= !v->v[f->var[j]].free;
        if (!stride(s, start, f->k[j], v->v[f->var[j]].lo, v->v[f->var[j]].hi))
            return false;
    }
    return true;
}
