/* Sum-products of random buckets in the ranges of ICS'08 (7.2.2) on devices: each implementation against the bucket's
 * roofline (peak and bandwidth measured in the same run; compulsory traffic only). Tables are made on the device;
 * outputs are compared with sums that the host computes at random places. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "bench/figure.h"
#include "bench/on_device.h"

struct way {
    const char *name;
    struct yk_gpu_options o;
    int reference; /* way of the same precision that the prediction chooses among */
};

enum { SOFT_D, HARD_D, SOFT_F, HARD_F };
static const struct way ways[] = {
    {"sw", {.path = YK_GPU_SOFTWARE}, SOFT_D},
    {"hw", {.path = YK_GPU_HARDWARE}, SOFT_D},
    {"swF", {.path = YK_GPU_SOFTWARE, .single = true}, SOFT_F},
    {"hwF", {.path = YK_GPU_HARDWARE, .single = true}, SOFT_F},
    {"tex", {.path = YK_GPU_TEXTURE}, SOFT_D},
    {"texF", {.path = YK_GPU_TEXTURE, .single = true}, SOFT_F},
    {"sw1", {.path = YK_GPU_SOFTWARE, .no_tile = true}, SOFT_D},
    {"hw1", {.path = YK_GPU_HARDWARE, .no_tile = true}, SOFT_D},
    {"tex1", {.path = YK_GPU_TEXTURE, .no_tile = true}, SOFT_D},
    {"log", {.path = YK_GPU_SOFTWARE, .log = true}, SOFT_D},
    {"logF", {.path = YK_GPU_SOFTWARE, .log = true, .single = true}, SOFT_F},
    {"natF", {.path = YK_GPU_SOFTWARE, .log = true, .single = true, .native = true}, SOFT_F},
};
enum { WAYS = sizeof ways / sizeof *ways };
static const char legend[] =
    "sw software-managed cache, hw hardware caches only, tex texture path, with tiles of outputs in registers; sw1 hw1 "
    "tex1 one\noutput per thread as in the papers; F float; log base-2 logarithms, nat the device's fast exp2 and "
    "log2. best: what the\nprediction chooses of sw and hw. 'of roof' below: best\n";

static struct yk_gpu *gpu;
static double peak[2], bandwidth;

static double roofline(const struct yk_bucket *b, bool single)
{
    return fmax(bench_bucket_flops(b) / peak[single], yk_bucket_cells(b) * (single ? 4 : 8) / bandwidth);
}

/* OUT[cell] as the host computes it. */
static double exact(const struct yk_bucket *b, size_t cell)
{
    uint32_t x[YK_BUCKET_MAX_RANK] = {0};
    for (uint32_t i = b->out.n; i-- > 0;) {
        x[b->out.var[i]] = (uint32_t)(cell % b->domain[b->out.var[i]]);
        cell /= b->domain[b->out.var[i]];
    }
    double sum = 0;
    for (bool more = true; more;) {
        double product = 1;
        for (uint32_t t = 0; t < b->ninputs; t++) {
            size_t at = 0;
            for (uint32_t i = 0; i < b->input[t].n; i++)
                at = at * b->domain[b->input[t].var[i]] + x[b->input[t].var[i]];
            product *= yk_gpu_pattern_value(at, t + 1);
        }
        sum += product;
        more = false;
        for (uint32_t i = b->nsum; i-- > 0 && !more;) {
            more = ++x[b->sum[i]] < b->domain[b->sum[i]];
            x[b->sum[i]] = more ? x[b->sum[i]] : 0;
        }
    }
    return sum;
}

static bool right(const struct yk_bucket *b, const void *out, const struct yk_gpu_options *o)
{
    uint64_t z = 1;
    for (int i = 0; i < 200; i++) {
        size_t cell = i == 0   ? 0
                      : i == 1 ? b->out.cells - 1
                               : (size_t)((z = z * 6364136223846793005u + 1442695040888963407u) >> 16) % b->out.cells;
        double want = exact(b, cell),
               got = o->single ? (double)((const float *)out)[cell] : ((const double *)out)[cell];
        double error = o->log ? fabs(got - log2(want)) : fabs(got - want) / want;
        if (!(error <= (o->single ? 1e-3 : 1e-11)))
            return false;
    }
    return true;
}

struct result {
    double seconds; /* in kernels; NAN: not done */
    struct yk_gpu_report r;
    const char *why;
};

static struct result measure(struct bench_device_tables *t, const struct way *w, void *host, double spend)
{
    struct result x = {.seconds = NAN};
    yk_status st;
    double best = bench_device_run(t, &w->o, spend, &x.r, &st);
    if (st == YK_OK && host)
        st = yk_gpu_read(gpu, t->out, host, t->b->out.cells * (w->o.single ? 4 : 8));
    if (st != YK_OK)
        x.why = st == YK_ELIMIT ? "-" : "ERR";
    else if (host && !right(t->b, host, &w->o))
        x.why = "WRONG";
    else
        x.seconds = best;
    return x;
}

static double sums[2][3],
    counts[2]; /* by precision: of roofline in log: best predicted, best measured, prediction error */
static int wrong;

static bool row(const struct bench_bucket *r, uint32_t mask, double spend, double check_bytes, FILE *spec)
{
    const struct yk_bucket *b = &r->b;
    struct bench_device_tables tables;
    struct result x[WAYS];
    double flops = bench_bucket_flops(b);
    char name[64];
    const bool there = bench_device_init(&tables, gpu, b);
    void *host = (double)b->out.cells * 8 <= check_bytes ? malloc(b->out.cells * 8) : NULL;
    bench_bucket_name(b, name, sizeof name);
    printf("%-18s %8.2g %8.2g", name, flops, yk_bucket_cells(b) * 8);
    for (int w = 0; w < WAYS; w++) {
        x[w] = (struct result){.seconds = NAN, .why = "-"};
        if (!(mask >> w & 1) || !there)
            continue;
        x[w] = measure(&tables, &ways[w], host, spend);
        wrong += x[w].why && (strcmp(x[w].why, "WRONG") == 0 || strcmp(x[w].why, "ERR") == 0);
    }
    for (int w = 0; w < WAYS; w++)
        if (mask >> w & 1) {
            if (isnan(x[w].seconds))
                printf(" %7s", x[w].why);
            else
                printf(" %7.0f", flops / x[w].seconds * 1e-9);
        }
    for (int s = 0; s < 2; s++) {
        const struct result *soft = &x[s ? SOFT_F : SOFT_D], *hard = &x[s ? HARD_F : HARD_D];
        if (isnan(soft->seconds) || isnan(hard->seconds))
            continue;
        const struct result *chosen = soft->r.predicted < hard->r.predicted ? soft : hard;
        double roof = roofline(b, s), of = roof / chosen->seconds, most = roof / fmin(soft->seconds, hard->seconds);
        printf(" | %8.0f %5.3f %5.3f %s p/m %.2f %.2f", flops / roof * 1e-9, of, most, chosen == soft ? "sw" : "hw",
               soft->r.predicted / soft->seconds, hard->r.predicted / hard->seconds);
        printf(" t%u/%u l%u/%u c%u p%u k%u", soft->r.tile, hard->r.tile, soft->r.lanes, hard->r.lanes, soft->r.cached,
               soft->r.pages, soft->r.chunks);
        if (!s)
            printf(" plan %.2fms build %.0fms", soft->r.plan * 1e3, soft->r.build * 1e3);
        if (flops >= 1e8) { /* smaller ones: launching costs more than computing */
            sums[s][0] += log(fmin(1, of));
            sums[s][1] += log(fmin(1, most));
            sums[s][2] += fabs(log(chosen->r.predicted / chosen->seconds));
            counts[s]++;
        }
    }
    printf("\n");
    fflush(stdout);
    if (spec) { /* for a peer: operations, domains; scopes, the output last */
        fprintf(spec, "%.17g %.17g", flops, yk_bucket_cells(b));
        for (uint32_t v = 0; v < b->rank; v++)
            fprintf(spec, "%s%u", v ? "," : " ", b->domain[v]);
        for (uint32_t t = 0; t <= b->ninputs; t++) {
            const struct yk_bucket_table *q = t < b->ninputs ? &b->input[t] : &b->out;
            fprintf(spec, ";");
            for (uint32_t i = 0; i < q->n; i++)
                fprintf(spec, "%s%u", i ? "," : "", q->var[i]);
        }
        fprintf(spec, "\n");
        fflush(spec);
    }
    bench_device_finish(&tables);
    free(host);
    return there;
}

static const struct option options[] = {
    {"opencl", 1, 0, 'o'}, {"cuda", 1, 0, 'c'},   {"seed", 1, 0, 's'},    {"count", 1, 0, 'n'}, {"from", 1, 0, 'f'},
    {"to", 1, 0, 't'},     {"memory", 1, 0, 'm'}, {"seconds", 1, 0, 'd'}, {"ways", 1, 0, 'w'},  {"seeds", 1, 0, 'r'},
    {"list", 0, 0, 'l'},   {"spec", 1, 0, 'p'},   {"json", 1, 0, 'j'},    {"total", 1, 0, 'T'}, {0, 0, 0, 0}};

int main(int argc, char **argv)
{
    uint64_t seed = 2008;
    double from = 1e6, to = 1e9, memory = 4e9, spend = 0.02, total = 1e9;
    const char *cl = "0";
    int per_decade = 4, cuda = -1;
    uint32_t mask = (1u << WAYS) - 1;
    const char *json = NULL, *seeds = NULL, *spec_path = NULL;
    bool list = false;
    for (int o; (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (o) {
        case 'o':
            cl = optarg;
            break;
        case 'c':
            cuda = atoi(optarg);
            break;
        case 's':
            seed = strtoull(optarg, NULL, 10);
            break;
        case 'n':
            per_decade = atoi(optarg);
            break;
        case 'f':
            from = atof(optarg);
            break;
        case 't':
            to = atof(optarg);
            break;
        case 'm':
            memory = atof(optarg);
            break;
        case 'd':
            spend = atof(optarg);
            break;
        case 'w':
            mask = (uint32_t)strtoul(optarg, NULL, 0);
            break;
        case 'r':
            seeds = optarg;
            break;
        case 'l':
            list = true;
            break;
        case 'p':
            spec_path = optarg;
            break;
        case 'j':
            json = optarg;
            break;
        case 'T':
            total = atof(optarg);
            break;
        default:
            fprintf(stderr,
                    "usage: sumproduct_gpu [--opencl DEVICE | --cuda N] [--seed N] [--count PER_DECADE] [--from "
                    "FLOPS] [--to FLOPS]\n"
                    "       [--memory BYTES] [--seconds PER_WAY] [--total SECONDS] [--ways MASK] [--seeds FILE "
                    "| --list] [--spec FILE]\n"
                    "--list prints the seeds of the buckets, which a later run draws at once with --seeds\n");
            return 2;
        }
    }
    struct bench_bucket r;
    if (list) {
        for (; from < to; from *= 10)
            for (int i = 0; i < per_decade; i++)
                if (bench_bucket_random(&r, &seed, from, from * 10, memory)) {
                    printf("%llu\n", (unsigned long long)r.seed);
                    fflush(stdout);
                }
        return 0;
    }
    if (!(gpu = bench_device_open("sumproduct_gpu", cl, cuda)))
        return 1;
    double in = 0, out = 0;
    if (yk_gpu_calibrate(gpu, &in, &out) != YK_OK || yk_gpu_peak(gpu, true, &peak[1]) != YK_OK ||
        (yk_gpu_has_double(gpu) && yk_gpu_peak(gpu, false, &peak[0]) != YK_OK))
        return 1;
    bandwidth = yk_gpu_shape(gpu, false)->bytes;
    for (int s = 0; s < 2; s++)
        yk_gpu_shape(gpu, s)->flops = peak[s];
    printf("%s: double %.1f, float %.1f TFLOP/s, memory %.2f TB/s, transfers in %.1f, out %.1f GB/s\n",
           yk_gpu_name(gpu), peak[0] * 1e-12, peak[1] * 1e-12, bandwidth * 1e-12, in * 1e-9, out * 1e-9);
    const struct yk_cache_device *d = yk_gpu_shape(gpu, false);
    printf("%u units, %u threads each, scratchpad %u of %u bytes; inner %.2f local %.1f TB/s\n", d->units, d->threads,
           d->local_block, d->local_unit, d->inner_bytes * 1e-12, d->local_bytes * 1e-12);
    printf("GFLOP/s (time in kernels) on random buckets: %s\n%s", bench_bucket_ranges, legend);
    printf("%-18s %8s %8s", "bucket", "flop", "bytes");
    for (int w = 0; w < WAYS; w++)
        if (mask >> w & 1)
            printf(" %7s", ways[w].name);
    printf(" | roofline of-it best-of-it choice pred/meas(sw,hw) tile lanes cached pages chunks; the same for float\n");
    FILE *file = seeds ? fopen(seeds, "r") : NULL, *spec = spec_path ? fopen(spec_path, "w") : NULL;
    if (seeds && !file) {
        perror(seeds);
        return 1;
    }
    uint64_t began = yk_now_ns();
    if (file) {
        unsigned long long s;
        while (fscanf(file, "%llu", &s) == 1 && (double)(yk_now_ns() - began) * 1e-9 < total) {
            seed = s;
            if (bench_bucket_random(&r, &seed, 1, 1e18, memory) && r.seed == s && bench_bucket_flops(&r.b) >= from &&
                bench_bucket_flops(&r.b) < to)
                row(&r, mask, spend, 1e9, spec);
        }
        fclose(file);
    } else
        for (; from < to; from *= 10)
            for (int i = 0; i < per_decade && (double)(yk_now_ns() - began) * 1e-9 < total; i++)
                if (bench_bucket_random(&r, &seed, from, from * 10, memory))
                    row(&r, mask, spend, 1e9, spec);
    if (spec)
        fclose(spec);
    for (int s = 0; s < 2; s++)
        if (counts[s] > 0) {
            figure(s ? "sumproduct.float_large_of_roofline" : "sumproduct.double_large_of_roofline",
                   exp(sums[s][0] / counts[s]), "ratio");
            figure(s ? "sumproduct.float_large_best_of_roofline" : "sumproduct.double_large_best_of_roofline",
                   exp(sums[s][1] / counts[s]), "ratio");
            figure(s ? "sumproduct.float_prediction_error" : "sumproduct.double_prediction_error",
                   exp(sums[s][2] / counts[s]), "factor");
        }
    figure("sumproduct.wrong", wrong, "results");
    yk_gpu_close(gpu);
    return figure_finish(json) || wrong;
}
