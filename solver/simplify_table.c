/* Simplification of one table: slices, sums, diagonals, products, and what its zeros say. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "solver/simplify_work.h"

/* Cells that differ by less are alike: sums of a conditional distribution are 1 up to rounding. */
static const double ALIKE = 8 * DBL_EPSILON;
/* Products beyond these could lose digits, or become a zero or an infinity that is none. */
static const double TINY = 1e-280, VAST = 1e280;

size_t work_stride(const struct work *w, const struct table *t, uint32_t at)
{
    size_t s = 1;
    for (uint32_t i = at + 1; i < t->n; i++)
        s *= w->var[t->var[i]].n;
    return s;
}

void work_rescale(struct work *w, struct table *t)
{
    double max = 0, min = INFINITY;
    for (size_t i = 0; i < t->cells; i++) {
        max = t->v[i] > max ? t->v[i] : max;
        min = t->v[i] > 0 && t->v[i] < min ? t->v[i] : min;
    }
    if (max == 0) {
        w->constant = (struct yk_scaled){0, 0};
        return;
    }
    int e = 0, least = 0;
    frexp(max, &e);
    frexp(min, &least);
    if (e - least > 900) /* both ends must stay in range */
        e = (e + least) / 2;
    w->constant.e += e;
    if (e != 0)
        for (size_t i = 0; i < t->cells; i++)
            t->v[i] = ldexp(t->v[i], -e);
}

/* The variable at AT leaves the scope; its tables list forgets T. */
static void leave_scope(struct work *w, struct table *t, uint32_t at)
{
    struct variable *v = &w->var[t->var[at]];
    uint32_t self = (uint32_t)(t - w->table);
    for (size_t i = 0; i < v->in.n; i++)
        if (v->in.v[i] == self) {
            v->in.v[i] = v->in.v[--v->in.n];
            break;
        }
    memmove(t->var + at, t->var + at + 1, (t->n - at - 1) * sizeof *t->var);
    t->n--;
}

void work_take_slices(struct work *w, struct table *t, uint32_t at, const uint32_t *keep, uint32_t nkeep)
{
    uint32_t d = w->var[t->var[at]].n;
    size_t inner = work_stride(w, t, at), outer = t->cells / inner / d;
    double *fresh = malloc((outer * nkeep * inner + 1) * sizeof *fresh);
    if (!fresh) {
        w->failed = true;
        return;
    }
    for (size_t o = 0; o < outer; o++)
        for (uint32_t k = 0; k < nkeep; k++)
            memcpy(fresh + (o * nkeep + k) * inner, t->v + (o * d + keep[k]) * inner, inner * sizeof *fresh);
    free(t->v);
    t->v = fresh;
    t->cells = outer * nkeep * inner;
}

void work_drop_var(struct work *w, struct table *t, uint32_t at, uint32_t slice)
{
    work_take_slices(w, t, at, &slice, 1);
    if (!w->failed)
        leave_scope(w, t, at);
}

void work_sum_out(struct work *w, struct table *t, uint32_t at)
{
    uint32_t d = w->var[t->var[at]].n;
    size_t inner = work_stride(w, t, at), outer = t->cells / inner / d;
    for (size_t o = 0; o < outer; o++)
        for (size_t i = 0; i < inner; i++) {
            double sum = 0;
            for (uint32_t k = 0; k < d; k++)
                sum += t->v[(o * d + k) * inner + i];
            t->v[o * inner + i] = sum; /* at or before what is still to be read */
        }
    t->cells = outer * inner;
    leave_scope(w, t, at);
    work_rescale(w, t);
}

void work_diagonal(struct work *w, struct table *t, uint32_t at, uint32_t other)
{
    uint32_t d = w->var[t->var[at]].n;
    size_t sa = work_stride(w, t, at), so = work_stride(w, t, other), inner = so, outer = t->cells / inner / d, n = 0;
    double *fresh = malloc((t->cells / d + 1) * sizeof *fresh);
    if (!fresh) {
        w->failed = true;
        return;
    }
    for (size_t o = 0; o < outer; o++)
        for (size_t i = 0; i < inner; i++) {
            size_t cell = o * d * inner + i; /* with OTHER in state 0 */
            fresh[n++] = t->v[cell + (cell / sa % d) * so];
        }
    free(t->v);
    t->v = fresh;
    t->cells /= d;
    leave_scope(w, t, other);
}

bool work_depends(const struct work *w, const struct table *t, uint32_t at)
{
    uint32_t d = w->var[t->var[at]].n;
    size_t inner = work_stride(w, t, at), outer = t->cells / inner / d;
    for (size_t o = 0; o < outer; o++)
        for (uint32_t k = 1; k < d; k++)
            for (size_t i = 0; i < inner; i++) {
                double a = t->v[o * d * inner + i], b = t->v[(o * d + k) * inner + i];
                if (fabs(a - b) > ALIKE * fmin(a, b))
                    return true;
            }
    return false;
}

/* Cell of SMALL for each cell of BIG in turn: strides of BIG's variables in SMALL. */
static void strides_in(const struct work *w, const struct table *small, const struct table *big, size_t *stride)
{
    for (uint32_t i = 0; i < big->n; i++) {
        int at = work_place(small, big->var[i]);
        stride[i] = at < 0 ? 0 : work_stride(w, small, (uint32_t)at);
    }
}

bool work_multiply_into(struct work *w, const struct table *small, struct table *big)
{
    size_t *stride = calloc((size_t)big->n + 1, sizeof *stride);
    uint32_t *x = calloc((size_t)big->n + 1, sizeof *x);
    bool safe = true;
    if (!stride || !x) {
        w->failed = true;
        safe = false;
        goto out;
    }
    strides_in(w, small, big, stride);
    for (int pass = 0; pass < 2 && safe; pass++) {
        size_t at = 0;
        memset(x, 0, big->n * sizeof *x);
        for (size_t c = 0; c < big->cells && safe; c++) {
            double p = big->v[c] * small->v[at];
            if (pass)
                big->v[c] = p;
            else if (p > VAST || (p < TINY && big->v[c] > 0 && small->v[at] > 0))
                safe = false;
            for (uint32_t i = big->n; i--;) {
                at += stride[i];
                if (++x[i] < w->var[big->var[i]].n)
                    break;
                at -= stride[i] * x[i];
                x[i] = 0;
            }
        }
    }
    if (safe)
        work_rescale(w, big);
out:
    free(stride);
    free(x);
    return safe;
}

void work_supported(const struct work *w, const struct table *t, unsigned char *const *supported)
{
    for (uint32_t i = 0; i < t->n; i++) {
        uint32_t d = w->var[t->var[i]].n;
        size_t inner = work_stride(w, t, i), outer = t->cells / inner / d;
        memset(supported[i], 0, d);
        for (size_t o = 0; o < outer; o++)
            for (uint32_t k = 0; k < d; k++)
                for (size_t j = 0; j < inner && !supported[i][k]; j++)
                    supported[i][k] = t->v[(o * d + k) * inner + j] > 0;
    }
}

bool work_is_bijection(const struct work *w, const struct table *t, uint32_t *to)
{
    if (t->n != 2 || w->var[t->var[0]].n != w->var[t->var[1]].n)
        return false;
    uint32_t d = w->var[t->var[0]].n;
    for (uint32_t r = 0; r < d; r++) {
        uint32_t hits = 0;
        for (uint32_t c = 0; c < d; c++)
            if (t->v[(size_t)r * d + c] > 0)
                to[r] = c, hits++;
        for (uint32_t before = 0; before < r; before++)
            hits += to[before] == to[r];
        if (hits != 1)
            return false;
    }
    return true;
}
