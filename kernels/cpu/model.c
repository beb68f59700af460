/* Predicted time of the native CPU implementation: what choosing a way to compute a bucket estimates in cycles, and the
 * bytes that move. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "kernels/cpu/model.h"
#include "kernels/cpu/panel.h"
#include "kernels/cpu/panel_choice.h"

/* Fitted to 128 random buckets of 10^4 to 10^8 operations (bench/sumproduct's) on a Zen 4 core; times within a factor
 * of 1.26 on average, of those that a fit to half of them had not seen within 1.28. Elsewhere all but PER_FAR and
 * PER_FRESH are scaled by what three small buckets take. */
static const struct yk_cpu_model fitted = {.call = 1.7e-6,
                                           .per_step = 5e-10,
                                           .per_cycle = 4.9e-10,
                                           .per_near = 2.4e-11,
                                           .per_far = 3.4e-11,
                                           .per_fresh = 2e-10};
/* What the caches may hold of a bucket; the rest comes at less than half the rate of reading in order. */
static const double NEAR_BYTES = 4.8e6, FAR_TIMES = 2.5;
/* The three small buckets, their plans kept, to what is foretold of them where the rest was fitted. */
static const double SMALL_ONES = 0.91;
/* Of first writing to memory with small pages; more is measured only where the system is short of memory just now. */
static const double FRESH_MOST = 5e-10;
/* Smaller tables get memory that the process has had before. */
static const size_t FRESH_BYTES = (size_t)1 << 20;

double yk_cpu_model_seconds(const struct yk_cpu_model *m, const struct yk_bucket *b)
{
    struct yk_canon c;
    struct yk_panel_choice p;
    double joint = 1, seconds, bytes = yk_bucket_cells(b) * sizeof(double);
    for (uint32_t v = 0; v < b->rank; v++)
        joint *= b->domain[v];
    seconds = m->call + fmin(bytes, NEAR_BYTES) * m->per_near + fmax(bytes - NEAR_BYTES, 0) * m->per_far * FAR_TIMES;
    if (!yk_panels_pay(b) || yk_canon_init(&c, b) != YK_OK)
        return seconds + m->per_step * joint * b->ninputs;
    if (c.nin == 0 || c.nin > YK_PANEL_INPUTS) {
        seconds += m->per_step * joint * b->ninputs;
    } else {
        yk_canon_split(&c);
        yk_panel_choose(&p, &c, YK_PANEL_LANES, &yk_panel_isa()->tile);
        seconds += m->per_cycle * p.cost;
    }
    yk_canon_finish(&c);
    return seconds;
}

enum { PARTS = 6, PART = 1 << 20, SMALL_CELLS = 96 * 96 }; /* cells */

/* Seconds of one call on out[a, b] = sum over k of x[a, b, k] y[b, k], or with PRODUCT x[a, k] y[b, k]; the fastest of
 * RUNS. *RATIO: to what M says. */
static double measure(const struct yk_cpu_model *m, uint32_t a, uint32_t b, uint32_t k, bool product, int runs,
                      const double *in, double *out, double *ratio)
{
    const uint32_t domain[] = {a, b, k}, va[] = {0, 1, 2}, vp[] = {0, 2}, vb[] = {1, 2}, vo[] = {0, 1}, vs[] = {2};
    const struct yk_bucket_table x = {3, va, (size_t)a * b * k}, y = {2, vb, (size_t)b * k},
                                 input[] = {product ? (struct yk_bucket_table){2, vp, (size_t)a * k} : x, y};
    const struct yk_bucket bucket = {3, domain, 2, input, {2, vo, (size_t)a * b}, 1, vs};
    const double *tables[] = {in, in};
    double best = INFINITY;
    for (int i = 0; i < runs; i++) {
        uint64_t from = yk_now_ns();
        if (yk_sumproduct_cpu(&bucket, tables, out, 1) != YK_OK)
            return 0;
        best = fmin(best, (double)(yk_now_ns() - from) * 1e-9);
    }
    *ratio = best / yk_cpu_model_seconds(m, &bucket);
    return best;
}

static struct yk_cpu_model measured;

/* The rates of memory: of its first use, and of reading it in its order; the best of some parts and runs. */
static void measure_memory(struct yk_cpu_model *m, double *v)
{
    const double bytes = PART * sizeof *v;
    double fresh = INFINITY, far = INFINITY;
    for (size_t i = 0; i < PARTS; i++) {
        uint64_t from = yk_now_ns();
        /* Zeros that were never written would all be one page. */
        memset(v + i * PART, 0x3f, PART * sizeof *v);
        fresh = fmin(fresh, (double)(yk_now_ns() - from) * 1e-9 / bytes);
    }
    for (int run = 0; run < 3; run++) {
        uint64_t from = yk_now_ns();
        double sum[4] = {0};
        for (size_t i = 0; i < (size_t)PARTS * PART; i += 32)
            for (int k = 0; k < 4; k++)
                sum[k] += v[i + 8 * (size_t)k];
        volatile double sink = sum[0] + sum[1] + sum[2] + sum[3];
        (void)sink;
        far = fmin(far, (double)(yk_now_ns() - from) * 1e-9 / (PARTS * bytes));
    }
    m->per_far = fmax(far, m->per_near);
    m->per_fresh = fmin(fresh, FRESH_MOST) + far;
}

static void calibrate(void)
{
    double *in = yk_table_alloc((size_t)PARTS * PART * sizeof *in), *out = yk_table_alloc(SMALL_CELLS * sizeof *out),
           r[3];
    measured = fitted;
    if (in && out) {
        measure_memory(&measured, in);
        if (measure(&fitted, 96, 96, 32, true, 30, in, out, &r[0]) > 0 &&
            measure(&fitted, 64, 32, 6, false, 30, in, out, &r[1]) > 0 &&
            measure(&fitted, 1, 2048, 9, false, 30, in, out, &r[2]) > 0) {
            const double scale = cbrt(r[0] * r[1] * r[2]) / SMALL_ONES;
            measured.call *= scale;
            measured.per_step *= scale;
            measured.per_cycle *= scale;
            measured.per_near *= scale;
        }
    }
    free(in);
    free(out);
}

const struct yk_cpu_model *yk_cpu_model_measured(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, calibrate);
    return &measured;
}

double yk_sumproduct_cpu_seconds(const struct yk_bucket *b)
{
    return yk_cpu_model_seconds(yk_cpu_model_measured(), b);
}

double yk_table_seconds(size_t bytes)
{
    return bytes < FRESH_BYTES ? 0 : yk_cpu_model_measured()->per_fresh * (double)bytes;
}
