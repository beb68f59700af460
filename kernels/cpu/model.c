/* Predicted time of the native CPU implementation. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include "base/clock.h"
#include "kernels/cpu/model.h"

double yk_cpu_model_seconds(const struct yk_cpu_model *m, const struct yk_bucket *b)
{
    double joint = 1;
    for (uint32_t v = 0; v < b->rank; v++)
        joint *= b->domain[v];
    return m->call + m->per_step * joint * b->ninputs + m->per_cell * yk_bucket_cells(b);
}

/* Seconds of one call on C[a b] = sum over k of A[a k] B[b k], the fastest of some. */
static double measure(uint32_t a, uint32_t b, uint32_t k, const double *in, double *out)
{
    const uint32_t domain[] = {a, b, k}, va[] = {0, 2}, vb[] = {1, 2}, vo[] = {0, 1}, vs[] = {2};
    const struct yk_bucket_table input[] = {{2, va, (size_t)a * k}, {2, vb, (size_t)b * k}};
    const struct yk_bucket bucket = {3, domain, 2, input, {2, vo, (size_t)a * b}, 1, vs};
    const double *tables[] = {in, in};
    double best = INFINITY;
    for (int i = 0; i < 5; i++) {
        uint64_t from = yk_now_ns();
        if (yk_sumproduct_cpu(&bucket, tables, out, 1) != YK_OK)
            return 0;
        best = fmin(best, (double)(yk_now_ns() - from) * 1e-9);
    }
    return best;
}

static struct yk_cpu_model measured = {.call = 1e-6, .per_step = 1e-9, .per_cell = 1e-9};

static void calibrate(void)
{
    enum { CELLS = 1 << 18 };
    double *in = calloc(CELLS, sizeof *in), *out = calloc(CELLS, sizeof *out);
    if (in && out) {
        double call = measure(2, 2, 2, in, out), steps = measure(128, 128, 32, in, out),
               cells = measure(512, 512, 1, in, out);
        if (call > 0 && steps > call && cells > call) {
            measured.call = call;
            measured.per_step = (steps - call) / (128.0 * 128 * 32 * 2);
            measured.per_cell = fmax(0, cells - call - measured.per_step * 512 * 512 * 2) / (512.0 * 512 + 1024);
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
