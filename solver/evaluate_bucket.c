/* Tables of an evaluation and the one operation on them. */
#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include "solver/evaluate_work.h"

/* A table is scaled only when its largest value has left this range: most need no second pass. Below the limit digits
 * may have been lost already. */
static const double SCALE_BELOW = 0x1p-60, SCALE_ABOVE = 0x1p60, LOST_BELOW = 0x1p-900;
static const float SCALE_BELOW_F = 0x1p-20f, SCALE_ABOVE_F = 0x1p20f;
static const float LOST_BELOW_F = 0x1p-100f;

/* Operations, or cells, from which on several threads work on one table. */
static const double LARGE = 1 << 20;

double run_table_cells(const struct run *r, const struct run_table *t)
{
    double cells = 1;
    for (uint32_t i = 0; i < t->n; i++)
        cells *= r->net->domain[t->scope[i]];
    return cells;
}

/* A table of this run, wherever its memory will be. */
static yk_status count_table(struct run *r, struct run_table *t)
{
    const double cells = run_table_cells(r, t);
    if (cells * (double)r->cell > 0x1p60)
        return YK_ELIMIT;
    t->cells = (size_t)cells;
    t->owned = true;
    t->bounded = false;
    t->e = 0;
    r->now += cells * (double)r->cell;
    r->peak = r->now > r->peak ? r->now : r->peak;
    t->v = NULL;
    return YK_OK;
}

yk_status run_table_take(struct run *r, struct run_table *t)
{
    yk_status st = count_table(r, t);
    if (st != YK_OK || r->dry)
        return st;
    t->v = yk_table_alloc(t->cells * r->cell);
    return t->v ? YK_OK : YK_ENOMEM;
}

void run_table_free(struct run *r, struct run_table *t)
{
    run_table_off_device(r, t);
    if (!t->owned)
        return;
    r->now -= (double)t->cells * (double)r->cell;
    free(t->v);
    t->v = NULL;
    t->owned = false;
}

void run_table_set_scalar(struct run *r, struct run_table *t, struct yk_scaled value)
{
    if (r->dry)
        return;
    switch (r->opt->arithmetic) {
    case YK_ARITH_DOUBLE:
        *(double *)t->v = value.m;
        t->e = value.e;
        break;
    case YK_ARITH_FLOAT:
        *(float *)t->v = (float)value.m;
        t->e = value.e;
        break;
    case YK_ARITH_LOG:
        *(double *)t->v = value.m > 0 ? log2(value.m) + (double)value.e : -INFINITY;
        break;
    }
}

struct yk_scaled run_table_scalar(const struct run *r, const struct run_table *t, size_t cell)
{
    if (r->opt->arithmetic == YK_ARITH_DOUBLE)
        return yk_scaled_make(((const double *)t->v)[cell], t->e);
    if (r->opt->arithmetic == YK_ARITH_FLOAT)
        return yk_scaled_make((double)((const float *)t->v)[cell], t->e);
    double l = ((const double *)t->v)[cell];
    if (isinf(l))
        return (struct yk_scaled){0, 0};
    return yk_scaled_make(exp2(l - floor(l)), (int64_t)floor(l));
}

/* log2 of the smallest and the largest positive value of T; 0 where there is none. */
static yk_status measure(struct run *r, struct run_table *t)
{
    double min = INFINITY, max = 0;
    if (!t->v && t->on_device) {
        yk_status st = run_device_range(r, t, &min, &max);
        if (st != YK_OK)
            return st;
        min = min > 0 ? min : INFINITY;
    }
    for (size_t i = 0; t->v && i < t->cells; i++) {
        double x = r->opt->arithmetic == YK_ARITH_FLOAT ? (double)((const float *)t->v)[i] : ((const double *)t->v)[i];
        min = x > 0 && x < min ? x : min;
        max = x > max ? x : max;
    }
    t->least = isinf(min) ? 0 : log2(min);
    t->most = max > 0 ? log2(max) : 0;
    t->bounded = true;
    return YK_OK;
}

/* Bounds in log2 of all products of positive values of the inputs, so that a product that leaves the range is seen and
 * not taken for 0, or for something after infinity times 0: however small beside the rest of its table, a later factor
 * may lift it. Known bounds first: tables are read only where these are too weak. */
static yk_status bound_products(struct run *r, struct run_table *const *in, uint32_t n, double safe, double *least,
                                double *most)
{
    yk_status st;
    *least = *most = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!in[i]->bounded && (st = measure(r, in[i])) != YK_OK)
            return st;
        *least += fmin(in[i]->least, 0);
        *most += fmax(in[i]->most, 0);
    }
    if (*least > -safe)
        return YK_OK;
    *least = 0;
    for (uint32_t i = 0; i < n; i++) {
        if ((st = measure(r, in[i])) != YK_OK)
            return st;
        *least += fmin(in[i]->least, 0);
    }
    return YK_OK;
}

/* Largest value of T, brought into range. */
static double scale_double(struct run_table *t, int threads)
{
    double *v = t->v, max = 0;
#pragma omp parallel for simd reduction(max : max) num_threads(threads) if ((double)t->cells >= LARGE)
    for (size_t i = 0; i < t->cells; i++)
        max = v[i] > max ? v[i] : max;
    if (max < LOST_BELOW || isinf(max) || (max > SCALE_BELOW && max < SCALE_ABOVE))
        return max;
    int e;
    frexp(max, &e);
    double by = ldexp(1, -e);
#pragma omp parallel for simd num_threads(threads) if ((double)t->cells >= LARGE)
    for (size_t i = 0; i < t->cells; i++)
        v[i] *= by;
    t->e += e;
    return max;
}

static double scale_float(struct run_table *t, int threads)
{
    float *v = t->v, max = 0;
#pragma omp parallel for simd reduction(max : max) num_threads(threads) if ((double)t->cells >= LARGE)
    for (size_t i = 0; i < t->cells; i++)
        max = v[i] > max ? v[i] : max;
    if (max < LOST_BELOW_F || isinf(max) || (max > SCALE_BELOW_F && max < SCALE_ABOVE_F))
        return (double)max;
    int e;
    frexpf(max, &e);
    float by = ldexpf(1, -e);
#pragma omp parallel for simd num_threads(threads) if ((double)t->cells >= LARGE)
    for (size_t i = 0; i < t->cells; i++)
        v[i] *= by;
    t->e += e;
    return (double)max;
}

static bool log_is_zero(const struct run_table *t)
{
    for (size_t i = 0; i < t->cells; i++)
        if (!isinf(((const double *)t->v)[i]))
            return false;
    return true;
}

static uint32_t number_scope(struct run *r, const struct run_table *t, uint32_t *domain, uint32_t *global,
                             uint32_t rank)
{
    for (uint32_t i = 0; i < t->n; i++)
        if (r->local[t->scope[i]] == NO_LOCAL) {
            if (rank >= YK_BUCKET_MAX_RANK)
                return YK_BUCKET_MAX_RANK + 1;
            r->local[t->scope[i]] = rank;
            global[rank] = t->scope[i];
            domain[rank++] = r->net->domain[t->scope[i]];
        }
    return rank;
}

static yk_status describe(struct run *r, const struct run_table *t, struct yk_bucket_table *bt)
{
    uint32_t *var = yk_arena_array(&r->scratch, uint32_t, t->n);
    if (!var)
        return YK_ENOMEM;
    for (uint32_t i = 0; i < t->n; i++)
        var[i] = r->local[t->scope[i]];
    *bt = (struct yk_bucket_table){t->n, var, t->cells};
    return YK_OK;
}

/* In log2, far enough from either end of the range. */
static double safe_of(const struct run *r)
{
    return r->opt->arithmetic == YK_ARITH_FLOAT ? 120 : 1000;
}

/* Is OUT, whose largest value was MAX before it was scaled and its exponent E, to be relied on? */
static yk_status judge(struct run *r, const struct run_table *out, double max, int64_t e)
{
    const double lost = r->opt->arithmetic == YK_ARITH_FLOAT ? (double)LOST_BELOW_F : LOST_BELOW;
    r->zero = r->zero || max == 0;
    return max > 0 && (max < lost || isinf(max) || (out->e > e && out->least <= -safe_of(r))) ? YK_ELIMIT : YK_OK;
}

yk_status run_table_settle(struct run *r, struct run_table *out, int threads)
{
    const int64_t e = out->e;
    const double max = r->opt->arithmetic == YK_ARITH_FLOAT ? scale_float(out, threads) : scale_double(out, threads);
    out->least -= (double)(out->e - e);
    out->most = max > 0 && !isinf(max) ? log2(max) - (double)(out->e - e) : 0;
    out->bounded = true;
    return judge(r, out, max, e);
}

bool run_products_safe(struct run *r, struct run_table *const *in, uint32_t n, double *least, double *most)
{
    const double safe = safe_of(r);
    return bound_products(r, in, n, safe, least, most) == YK_OK && *least > -safe && *most < safe;
}

static yk_status compute_on_cpu(struct run *r, const struct yk_bucket *b, struct run_table *const *in,
                                struct run_table *out)
{
    yk_status st = YK_OK;
    /* Below this, a team of threads costs more than it saves, above all where others use the processor too. */
    const int all = r->opt->threads > 0 ? r->opt->threads : omp_get_max_threads(),
              threads = yk_bucket_operations(b) + yk_bucket_cells(b) < LARGE ? 1 : all;
    const void **v = calloc(b->ninputs, sizeof *v);
    if (!v)
        return YK_ENOMEM;
    for (uint32_t i = 0; i < b->ninputs && st == YK_OK; i++) {
        st = run_table_to_host(r, in[i]);
        v[i] = in[i]->v;
    }
    if (st == YK_OK && !(out->v = yk_table_alloc(out->cells * r->cell)))
        st = YK_ENOMEM;
    if (st == YK_OK)
        switch (r->opt->arithmetic) {
        case YK_ARITH_DOUBLE:
            st = yk_sumproduct_cpu(b, (const double *const *)v, out->v, threads);
            break;
        case YK_ARITH_FLOAT:
            st = yk_sumproduct_cpu_f(b, (const float *const *)v, out->v, threads);
            break;
        case YK_ARITH_LOG:
            st = yk_sumproduct_cpu_log(b, (const double *const *)v, out->v, threads);
            break;
        }
    free(v);
    if (st == YK_OK && r->opt->arithmetic == YK_ARITH_LOG)
        r->zero = log_is_zero(out);
    else if (st == YK_OK)
        st = run_table_settle(r, out, threads);
    return st;
}

static yk_status compute(struct run *r, const struct yk_bucket *b, bool device, struct run_table *const *in,
                         struct run_table *out)
{
    double max = 1, most = 0;
    for (uint32_t i = 0; i < b->ninputs; i++)
        out->e += in[i]->e;
    const int64_t e = out->e;
    if (r->opt->arithmetic != YK_ARITH_LOG) {
        yk_status st = bound_products(r, in, b->ninputs, safe_of(r), &out->least, &most);
        if (st != YK_OK)
            return st;
        if (out->least <= -safe_of(r) || most >= safe_of(r))
            return YK_ELIMIT;
    }
    const double least = out->least;
    if (device) {
        for (uint32_t i = 0; i < b->nsum; i++)
            most += log2(b->domain[b->sum[i]]);
        out->most = most;
        if (run_on_device(r, b, in, out, &max) == YK_OK)
            return judge(r, out, max, e);
        /* What the device cannot do, or has no memory for, the CPU does. */
        out->least = least;
        out->e = e;
    }
    return compute_on_cpu(r, b, in, out);
}

yk_status run_describe(struct run *r, struct run_table *const *in, uint32_t n, const struct run_table *out,
                       struct yk_bucket *b)
{
    uint32_t *domain = yk_arena_array(&r->scratch, uint32_t, YK_BUCKET_MAX_RANK),
             *sum = yk_arena_array(&r->scratch, uint32_t, YK_BUCKET_MAX_RANK), global[YK_BUCKET_MAX_RANK], rank = 0;
    struct yk_bucket_table *tables = yk_arena_array(&r->scratch, struct yk_bucket_table, n);
    *b = (struct yk_bucket){.domain = domain, .ninputs = n, .input = tables, .sum = sum};
    if (!domain || !sum || !tables)
        return YK_ENOMEM;
    rank = number_scope(r, out, domain, global, rank);
    for (uint32_t i = 0; i < n && rank <= YK_BUCKET_MAX_RANK; i++)
        rank = number_scope(r, in[i], domain, global, rank);
    yk_status st = rank > YK_BUCKET_MAX_RANK ? YK_ELIMIT : YK_OK;
    if (st == YK_OK) {
        b->rank = rank;
        for (uint32_t i = out->n; i < rank; i++)
            sum[b->nsum++] = i;
        st = describe(r, out, &b->out);
        for (uint32_t i = 0; i < n && st == YK_OK; i++)
            st = describe(r, in[i], &tables[i]);
    }
    for (uint32_t i = 0; i < rank && i < YK_BUCKET_MAX_RANK; i++)
        r->local[global[i]] = NO_LOCAL;
    return st;
}

yk_status run_bucket(struct run *r, struct run_table *const *in, uint32_t n, struct run_table *out)
{
    struct yk_bucket b;
    r->zero = false;
    yk_status st = count_table(r, out);
    if (st == YK_OK)
        st = run_describe(r, in, n, out, &b);
    if (st == YK_OK) {
        r->done += yk_bucket_operations(&b);
        if (r->ms && r->forward_node)
            run_predict(r, &b);
        if (!r->dry)
            st = compute(r, &b, run_prefers_device(r, &b, in), in, out);
    }
    yk_arena_finish(&r->scratch);
    return st;
}
