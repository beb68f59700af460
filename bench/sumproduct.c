/* Sum-products of random buckets in the ranges of ICS'08 (7.2.2): each implementation against the bucket's roofline and
 * against OpenBLAS on as many operations. */
#include <cblas.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "bench/bucket.h"
#include "bench/figure.h"
#include "bench/machine.h"
#include "kernels/cpu/canon.h"
#include "kernels/cpu/memo.h"
#include "kernels/cpu/model.h"
#include "kernels/cpu/stream.h"

static int threads = 1;
static double bucket_seconds = 0.05;
static volatile double sink;

/* Of one thread the processor time: other programs then cost at most cache space. */
static double now(void)
{
    struct timespec t;
    clock_gettime(threads > 1 ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What reading the clock takes: the smallest buckets take few times that. */
static double clock_seconds(void)
{
    double least = INFINITY;
    for (int i = 0; i < 1000; i++) {
        double from = now();
        least = fmin(least, now() - from);
    }
    return least;
}

enum way { WAY_CPU, WAY_FIRST, WAY_STREAM, WAY_FLOAT, WAY_LOG, WAY_DGEMM, WAYS };
static const char *const way_name[] = {"cpu", "first", "stream", "float", "log2", "dgemm"};

struct job {
    const struct yk_bucket *b;
    double *in[BENCH_INPUTS], *out, *log[BENCH_INPUTS];
    float *fin[BENCH_INPUTS], *fout;
    int m, n, k; /* of the dgemm beside it */
    double *ma, *mb, *mc;
};

static yk_status once(const struct job *j, enum way way)
{
    yk_status s = YK_OK;
    struct yk_canon c;
    switch (way) {
    case WAY_CPU:
    case WAY_FIRST:
        return yk_sumproduct_cpu(j->b, (const double *const *)j->in, j->out, threads);
    case WAY_STREAM:
        s = yk_canon_init(&c, j->b);
        if (s == YK_OK) {
            s = yk_stream_double(&c, (const double *const *)j->in, j->out, threads);
            yk_canon_finish(&c);
        }
        return s;
    case WAY_FLOAT:
        return yk_sumproduct_cpu_f(j->b, (const float *const *)j->fin, j->fout, threads);
    case WAY_LOG:
        return yk_sumproduct_cpu_log(j->b, (const double *const *)j->log, j->out, threads);
    default:
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, j->m, j->n, j->k, 1, j->ma, j->k, j->mb, j->n, 0, j->mc,
                    j->n);
        sink = j->mc[0];
        return s;
    }
}

/* Shortest time of each way, in turns, so that all see the same machine. */
static bool measure(const struct job *j, const bool *wanted, double *seconds)
{
    double spent[WAYS] = {0};
    int runs[WAYS] = {0};
    const double read = clock_seconds();
    for (int w = 0; w < WAYS; w++)
        seconds[w] = INFINITY;
    for (bool more = true; more;) {
        more = false;
        for (int w = 0; w < WAYS; w++) {
            if (!wanted[w] || (runs[w] >= 3 && spent[w] > bucket_seconds) || spent[w] > 20 * bucket_seconds)
                continue;
            if (w == WAY_FIRST)
                yk_memo_forget();
            double from = now();
            if (once(j, (enum way)w) != YK_OK)
                return false;
            double t = fmax(now() - from - read, 0.5 * read);
            spent[w] += t;
            runs[w]++;
            seconds[w] = fmin(seconds[w], t);
            more = true;
        }
    }
    return true;
}

static bool job_init(struct job *j, const struct yk_bucket *b, int m, int n, int k)
{
    memset(j, 0, sizeof *j);
    j->b = b;
    j->m = m;
    j->n = n;
    j->k = k;
    j->out = yk_table_alloc(b->out.cells * sizeof *j->out);
    j->fout = yk_table_alloc(b->out.cells * sizeof *j->fout);
    j->ma = calloc((size_t)m * k, sizeof *j->ma);
    j->mb = calloc((size_t)k * n, sizeof *j->mb);
    j->mc = calloc((size_t)m * n, sizeof *j->mc);
    bool ok = j->out && j->fout && j->ma && j->mb && j->mc;
    for (uint32_t i = 0; ok && i < b->ninputs; i++) {
        size_t cells = b->input[i].cells;
        j->in[i] = bench_table(&b->input[i], i + 1);
        j->log[i] = yk_table_alloc(cells * sizeof(double));
        j->fin[i] = yk_table_alloc(cells * sizeof(float));
        ok = j->in[i] && j->log[i] && j->fin[i];
        for (size_t x = 0; ok && x < cells; x++) {
            j->fin[i][x] = (float)j->in[i][x];
            j->log[i][x] = log2(j->in[i][x]);
        }
    }
    return ok;
}

static void job_finish(struct job *j)
{
    for (int i = 0; i < BENCH_INPUTS; i++) {
        free(j->in[i]);
        free(j->log[i]);
        free(j->fin[i]);
    }
    free(j->out);
    free(j->fout);
    free(j->ma);
    free(j->mb);
    free(j->mc);
}

/* A way's results against the streaming twin: a bench of wrong answers would be worth nothing. */
static bool agrees(const struct job *j)
{
    size_t n = j->b->out.cells;
    double *twin = malloc(n * sizeof *twin);
    if (!twin || once(j, WAY_STREAM) != YK_OK) {
        free(twin);
        return false;
    }
    memcpy(twin, j->out, n * sizeof *twin);
    bool ok = once(j, WAY_CPU) == YK_OK && once(j, WAY_FLOAT) == YK_OK;
    for (size_t i = 0; ok && i < n; i++)
        ok = fabs(j->out[i] - twin[i]) <= 1e-12 * twin[i] && fabs(j->fout[i] - twin[i]) <= 1e-3 * twin[i];
    free(twin);
    return ok;
}

/* OpenBLAS of a distribution does not know every processor; it reads its core type when it is loaded. What the
 * environment has may be meant for another machine. */
static void core_type(char **argv)
{
#if defined(__x86_64__)
    const char *type = __builtin_cpu_supports("avx512vl") ? "SKYLAKEX"
                       : __builtin_cpu_supports("avx2")   ? "HASWELL"
                                                          : "CORE2",
               *now_is = getenv("OPENBLAS_CORETYPE");
    if (now_is && strcmp(now_is, type) == 0)
        return;
    unsetenv("OPENBLAS_L2_SIZE");
    if (setenv("OPENBLAS_CORETYPE", type, 1) == 0)
        execv("/proc/self/exe", argv);
#else
    (void)argv;
#endif
}

static double roofline(const struct bench_machine *m, const struct yk_bucket *b)
{
    return fmax(bench_bucket_flops(b) / m->flops, yk_bucket_cells(b) * sizeof(double) / m->bytes);
}

static bool row(const struct bench_machine *m, const struct yk_bucket *b, const char *name, const bool *wanted, int mm,
                int nn, int kk, double *seconds)
{
    struct job j;
    bool ok = job_init(&j, b, mm, nn, kk) && agrees(&j) && measure(&j, wanted, seconds);
    job_finish(&j);
    if (!ok) {
        fprintf(stderr, "%s: no memory, or the implementations disagree\n", name);
        return false;
    }
    double flops = bench_bucket_flops(b), best = roofline(m, b);
    printf("%-24s %9.3g %9.3g %8.2f", name, flops, yk_bucket_cells(b) * sizeof(double), flops / best * 1e-9);
    for (int w = 0; w < WAYS; w++)
        if (wanted[w])
            printf(" %8.2f", flops / seconds[w] * 1e-9);
        else
            printf(" %8s", "-");
    printf(" %7.3f %7.2f\n", best / seconds[WAY_CPU], yk_sumproduct_cpu_seconds(b) / seconds[WAY_FIRST]);
    fflush(stdout);
    return true;
}

static void header(void)
{
    printf("%-24s %9s %9s %8s", "bucket", "flop", "bytes", "roofline");
    for (int w = 0; w < WAYS; w++)
        printf(" %8s", way_name[w]);
    printf(" %7s %7s\n", "of roof", "pred/is");
}

static bool random_buckets(const struct bench_machine *m, uint64_t seed, int per_decade, double most, double bytes)
{
    printf("\nGFLOP/s on random buckets, seed %llu: %s;\nat most %.3g bytes of tables, %d buckets for each factor of "
           "10 in "
           "operations. dgemm: a square product of as many operations;\n"
           "first: with making the plan, which cpu has from the run before, and what pred is of\n",
           (unsigned long long)seed, bench_bucket_ranges, bytes, per_decade);
    header();
    double sum = 0, capped = 0, capped_float = 0, first = 0, error = 0;
    int n = 0;
    for (double from = 1e4; from < most; from *= 10)
        for (int i = 0; i < per_decade; i++) {
            struct bench_bucket r;
            if (!bench_bucket_random(&r, &seed, from, from * 10, bytes)) {
                fprintf(stderr, "no bucket of %g operations drawn\n", from);
                return false;
            }
            char name[64];
            bench_bucket_name(&r.b, name, sizeof name);
            bool wanted[WAYS] = {true, true, true, true, from < 1e8, true};
            double seconds[WAYS];
            int side = (int)fmax(2, round(cbrt(bench_bucket_flops(&r.b) / 2)));
            if (!row(m, &r.b, name, wanted, side, side, side, seconds))
                return false;
            double part = roofline(m, &r.b) / seconds[WAY_CPU];
            sum += log(part);
            capped += log(fmin(part, 1));
            capped_float += log(fmin(0.5 * roofline(m, &r.b) / seconds[WAY_FLOAT], 1));
            first += log(fmin(roofline(m, &r.b) / seconds[WAY_FIRST], 1));
            error += fabs(log(yk_sumproduct_cpu_seconds(&r.b) / seconds[WAY_FIRST]));
            n++;
        }
    /* Above 1 where tables were still in a cache: such a bucket counts as 1. */
    printf("%d buckets; of the roofline, geometric mean: %.3f, %.3f with each bucket counted as 1 at most\n", n,
           exp(sum / n), exp(capped / n));
    figure("sumproduct.cpu_of_roofline", exp(capped / n), "ratio");
    figure("sumproduct.cpu_float_of_roofline", exp(capped_float / n), "ratio");
    figure("sumproduct.cpu_of_roofline_first", exp(first / n), "ratio");
    figure("sumproduct.cpu_prediction_error", exp(error / n), "factor");
    return true;
}

static bool matrices(const struct bench_machine *m)
{
    static const struct {
        uint32_t m, n, k;
        bool single;
    } shape[] = {{32, 32, 32, true},       {64, 64, 64, false},    {100, 100, 100, true},  {128, 128, 128, false},
                 {256, 256, 256, false},   {500, 300, 200, true},  {512, 512, 512, false}, {1024, 1024, 64, false},
                 {1024, 1024, 1024, true}, {4096, 64, 128, false}, {64, 4096, 128, false}};
    printf("\nGFLOP/s where the bucket is a plain matrix product, beside dgemm of the same shape\n");
    header();
    double sum = 0;
    int n = 0;
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
        for (int t = 0; t < 2; t++) {
            struct bench_bucket r;
            char name[64];
            bench_bucket_matrix(&r, shape[i].m, shape[i].n, shape[i].k, t ? "nn" : "nt", shape[i].single);
            snprintf(name, sizeof name, "%ux%ux%u %s%s", shape[i].m, shape[i].n, shape[i].k, t ? "nn" : "nt",
                     shape[i].single ? "" : " of 2s");
            bool wanted[WAYS] = {true, true, false, true, false, true};
            double seconds[WAYS];
            if (!row(m, &r.b, name, wanted, (int)shape[i].m, (int)shape[i].n, (int)shape[i].k, seconds))
                return false;
            sum += log(seconds[WAY_DGEMM] / seconds[WAY_CPU]);
            n++;
        }
    figure("sumproduct.matrix_vs_dgemm", exp(sum / n), "ratio");
    return true;
}

int main(int argc, char **argv)
{
    const char *json = NULL;
    uint64_t seed = 2008;
    int per_decade = 8;
    double most = 1e9, bytes = 1e9;
    static const struct option options[] = {{"json", 1, 0, 'j'},    {"seed", 1, 0, 's'},  {"count", 1, 0, 'n'},
                                            {"threads", 1, 0, 't'}, {"flops", 1, 0, 'f'}, {"memory", 1, 0, 'm'},
                                            {"seconds", 1, 0, 'c'}, {0, 0, 0, 0}};
    for (int o; (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (o) {
        case 'j':
            json = optarg;
            break;
        case 's':
            seed = strtoull(optarg, NULL, 10);
            break;
        case 'n':
            per_decade = atoi(optarg);
            break;
        case 't':
            threads = atoi(optarg);
            break;
        case 'f':
            most = atof(optarg);
            break;
        case 'm':
            bytes = atof(optarg);
            break;
        case 'c':
            bucket_seconds = atof(optarg);
            break;
        default:
            fprintf(stderr, "usage: sumproduct [--json FILE] [--seed N] [--count PER_DECADE] [--threads N]\n"
                            "       [--flops MOST] [--memory BYTES] [--seconds PER_BUCKET]\n");
            return 2;
        }
    }
    if (per_decade < 1 || threads < 1 || !(most > 1e4) || !(bytes > 0)) {
        fprintf(stderr, "sumproduct: --count and --threads at least 1, --flops above 1e4, --memory above 0\n");
        return 2;
    }
    core_type(argv);
    openblas_set_num_threads(threads);
    struct bench_machine m = bench_machine_measure(threads, 1);
    printf("%d thread%s: peak %.1f GFLOP/s, memory %.1f GB/s, OpenBLAS %s for %s\n", threads, threads > 1 ? "s" : "",
           m.flops * 1e-9, m.bytes * 1e-9, openblas_get_config(), openblas_get_corename());
    if (!random_buckets(&m, seed, per_decade, most, bytes) || !matrices(&m))
        return 1;
    return figure_finish(json);
}
