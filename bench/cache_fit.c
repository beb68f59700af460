/* The model of kernels/cache (Eq. 5-6) against a device: of random buckets, plans that the planner looks at and does
 * not only the one that it takes, each measured beside what is foretold, so that the model can be fitted to them.
 *
 *     cache_fit (--cuda N | --opencl DEVICE) --seeds FILE [--trials N] [--memory BYTES] [--total SECONDS]
 *               [--part K/N] [--ways MASK] > MEASURED
 *     cache_fit --against MEASURED
 *
 * A line per plan: seed, precision, path, number of the plan, seconds measured, seconds foretold. --against foretells
 * the plans of such a file with the present model for a device of the rates in its first line, and needs no device.
 * --ways: 1 and 2 software-managed cache and hardware caches alone in double, 4 and 8 in float.
 * --part: every N-th bucket alone, to fill the cache of compiled kernels from several processes. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "bench/figure.h"
#include "bench/on_device.h"
#include "kernels/gpu/backend.h"

static struct yk_gpu *gpu;

struct trial {
    uint32_t number;
    double seconds; /* foretold */
};

static int sooner(const void *a, const void *b)
{
    double x = ((const struct trial *)a)->seconds, y = ((const struct trial *)b)->seconds;
    return (x > y) - (x < y);
}

/* All plans of B with options O, the best foretold first. */
static uint32_t foretell_all(const struct yk_bucket *b, struct yk_gpu_options o, struct trial *t, uint32_t most)
{
    uint32_t n = 0;
    for (o.trial = 1; n < most; o.trial++, n++) {
        double s = yk_gpu_predict(gpu, b, &o);
        if (isinf(s))
            break;
        t[n] = (struct trial){o.trial, s};
    }
    qsort(t, n, sizeof *t, sooner);
    return n;
}

static void bucket(const struct bench_bucket *r, uint32_t trials, uint32_t ways)
{
    enum { MOST = 1024 };
    static struct trial all[MOST];
    struct bench_device_tables t;
    const bool there = bench_device_init(&t, gpu, &r->b);
    for (int kind = 0; kind < 4 && there; kind++) {
        if (!(ways >> kind & 1))
            continue;
        struct yk_gpu_options o = {.path = kind & 1 ? YK_GPU_HARDWARE : YK_GPU_SOFTWARE, .single = kind >> 1};
        uint32_t n = foretell_all(&r->b, o, all, MOST);
        for (uint32_t i = 0, at = 0; i < trials && at < n; i++) {
            struct yk_gpu_report report;
            yk_status st;
            o.trial = all[at].number;
            double s = bench_device_run(&t, &o, 0.002, &report, &st);
            if (isfinite(s))
                printf("%llu %d %d %u %.9g %.9g\n", (unsigned long long)r->seed, (int)o.single, (int)o.path, o.trial, s,
                       all[at].seconds - gpu->launch_seconds);
            fflush(stdout);
            /* Close together among the best, far apart further down. */
            at = at + 1 + (uint32_t)((double)n * i * i / (2.0 * trials * trials));
        }
    }
    bench_device_finish(&t);
}

static void measure(const char *seeds, double memory, double total, uint32_t trials, uint32_t ways, uint32_t part,
                    uint32_t parts)
{
    FILE *f = fopen(seeds, "r");
    unsigned long long seed;
    struct bench_bucket r;
    uint64_t began = yk_now_ns();
    double peak[2] = {0};
    if (!f || yk_gpu_calibrate(gpu, NULL, NULL) != YK_OK || yk_gpu_peak(gpu, false, &peak[0]) != YK_OK ||
        yk_gpu_peak(gpu, true, &peak[1]) != YK_OK) {
        fprintf(stderr, "cache_fit: no seeds, or the device failed\n");
        exit(1);
    }
    for (int s = 0; s < 2; s++) {
        struct yk_cache_device *d = yk_gpu_shape(gpu, s);
        d->flops = peak[s];
        printf("# %d %u %u %u %u %u %.9g %.9g %.9g %.9g %d\n", s, d->units, d->threads, d->group, d->local_block,
               d->local_unit, d->flops, d->bytes, d->inner_bytes, d->local_bytes, d->async);
    }
    for (uint32_t i = 0; fscanf(f, "%llu", &seed) == 1 && (double)(yk_now_ns() - began) * 1e-9 < total; i++) {
        uint64_t from = seed;
        if (i % parts == part && bench_bucket_random(&r, &from, 1, 1e18, memory) && r.seed == seed)
            bucket(&r, trials, ways);
    }
    fclose(f);
}

/* What a file's plans of one bucket and precision come to. */
struct group {
    unsigned long long seed;
    int single;
    double roof, best, chosen, chosen_foretold, errors;
    int n;
};

static double logs[2][4];
static int groups[2];

static void close_group(const struct group *g)
{
    if (!g->n)
        return;
    logs[g->single][0] += log(g->roof / g->best);
    logs[g->single][1] += log(g->roof / g->chosen);
    logs[g->single][2] += g->errors / g->n;
    logs[g->single][3] += fabs(log(g->chosen_foretold / g->chosen));
    groups[g->single]++;
    printf("%20llu %s: best %.3f of the roofline, first foretold %.3f, foretold/measured %.2f; plans' error %.2f\n",
           g->seed, g->single ? "float " : "double", g->roof / g->best, g->roof / g->chosen,
           g->chosen_foretold / g->chosen, exp(g->errors / g->n));
}

static void against(const char *path, bool each)
{
    static struct yk_gpu described = {.bytes = UINT64_MAX, .has_double = true, .host_memory = false};
    FILE *f = fopen(path, "r");
    char line[400];
    struct group g = {0};
    struct bench_bucket r;
    if (!f) {
        perror(path);
        exit(1);
    }
    gpu = &described;
    while (fgets(line, sizeof line, f)) {
        unsigned long long seed;
        int s, way;
        uint32_t trial;
        double measured, old;
        struct yk_cache_device d = {0};
        int async = 0;
        if (sscanf(line, "# %d %u %u %u %u %u %lf %lf %lf %lf %d", &s, &d.units, &d.threads, &d.group, &d.local_block,
                   &d.local_unit, &d.flops, &d.bytes, &d.inner_bytes, &d.local_bytes, &async) >= 10) {
            d.async = async != 0;
            gpu->shape[s != 0] = d;
            continue;
        }
        if (sscanf(line, "%llu %d %d %u %lf %lf", &seed, &s, &way, &trial, &measured, &old) != 6)
            continue;
        if (seed != g.seed || s != g.single) {
            close_group(&g);
            uint64_t from = seed;
            if (seed != g.seed && !bench_bucket_random(&r, &from, 1, 1e18, 1e12))
                break;
            const struct yk_cache_device *shape = &gpu->shape[s];
            g = (struct group){.seed = seed, .single = s, .best = INFINITY, .chosen_foretold = INFINITY};
            g.roof = fmax(bench_bucket_flops(&r.b) / shape->flops, yk_bucket_cells(&r.b) * (s ? 4 : 8) / shape->bytes);
        }
        struct yk_gpu_options o = {.path = (enum yk_gpu_path)way, .single = s, .trial = trial};
        double foretold = yk_gpu_predict(gpu, &r.b, &o);
        if (each)
            printf("  %s%u %.3g of %.3g s: %.2f\n", way == YK_GPU_HARDWARE ? "hw" : "sw", trial, foretold, measured,
                   foretold / measured);
        g.best = fmin(g.best, measured);
        if (foretold < g.chosen_foretold) {
            g.chosen_foretold = foretold;
            g.chosen = measured;
        }
        g.errors += fabs(log(foretold / measured));
        g.n++;
    }
    close_group(&g);
    fclose(f);
    for (int s = 0; s < 2; s++)
        if (groups[s]) {
            figure(s ? "cache_fit.float_best_of_roofline" : "cache_fit.double_best_of_roofline",
                   exp(logs[s][0] / groups[s]), "ratio");
            figure(s ? "cache_fit.float_of_roofline" : "cache_fit.double_of_roofline", exp(logs[s][1] / groups[s]),
                   "ratio");
            figure(s ? "cache_fit.float_error" : "cache_fit.double_error", exp(logs[s][2] / groups[s]), "factor");
        }
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"opencl", 1, 0, 'o'}, {"cuda", 1, 0, 'c'},  {"seeds", 1, 0, 'r'}, {"trials", 1, 0, 'n'},
        {"memory", 1, 0, 'm'}, {"total", 1, 0, 'T'}, {"part", 1, 0, 'p'},  {"against", 1, 0, 'a'},
        {"each", 0, 0, 'e'},   {"ways", 1, 0, 'w'},  {0, 0, 0, 0}};
    const char *cl = "0", *seeds = NULL, *file = NULL;
    int cuda = -1;
    uint32_t trials = 8, ways = 15, part = 0, parts = 1;
    double memory = 4e9, total = 1e9;
    bool each = false;
    for (int o; (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (o) {
        case 'o':
            cl = optarg;
            break;
        case 'c':
            cuda = atoi(optarg);
            break;
        case 'r':
            seeds = optarg;
            break;
        case 'n':
            trials = (uint32_t)atoi(optarg);
            break;
        case 'w':
            ways = (uint32_t)strtoul(optarg, NULL, 0);
            break;
        case 'm':
            memory = atof(optarg);
            break;
        case 'T':
            total = atof(optarg);
            break;
        case 'p':
            if (sscanf(optarg, "%u/%u", &part, &parts) != 2 || !parts)
                return 2;
            break;
        case 'a':
            file = optarg;
            break;
        case 'e':
            each = true;
            break;
        default:
            fprintf(stderr,
                    "usage: cache_fit (--cuda N | --opencl DEVICE) --seeds FILE [--trials N] [--memory BYTES]\n"
                    "                 [--total SECONDS] [--part K/N] [--ways MASK] | --against FILE [--each]\n");
            return 2;
        }
    }
    if (file) {
        against(file, each);
        return figure_finish(NULL);
    }
    if (!seeds || !(gpu = bench_device_open("cache_fit", cl, cuda)))
        return 1;
    measure(seeds, memory, total, trials, ways, part, parts);
    yk_gpu_close(gpu);
    return 0;
}
