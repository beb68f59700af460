/* The software-managed cache on a device, as ICS'08 (Fig. 5-9, 7.2.1) and the chapter (Fig. 5, Tables 1 and 3) look at
 * it: against cache size and pages per block, predicted beside measured; software against hardware caches and the
 * texture path; log against linear; unrolling; overheads; speedup over the CPU.
 *
 *     cache [--opencl DEVICE | --cuda N] [--count N] [--seed N] [--most FLOPS] [--total SECONDS] [--svg FOLDER]
 *           [--json FILE]
 *
 * --most: operations of the largest random bucket; --count: random buckets; no bucket starts after --total seconds.
 * Text is printed; --svg writes each figure. Single precision in the figures of ICS'08, double in the chapter's, as
 * there.
 */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "bench/figure.h"
#include "bench/on_device.h"
#include "bench/plot.h"

static struct yk_gpu *gpu;
static const char *svg;
static uint64_t began;
static double total = 1e9, spend = 0.01;

static double run(struct bench_device_tables *t, const struct yk_gpu_options *o, struct yk_gpu_report *r)
{
    yk_status st;
    return bench_device_run(t, o, spend, r, &st);
}

/* Is PART of the time over? */
static bool late(double part)
{
    return (double)(yk_now_ns() - began) * 1e-9 > part * total;
}

static void save(struct plot *p, const char *name)
{
    if (svg && !plot_write(p, svg, name))
        fprintf(stderr, "cache: %s/%s.svg cannot be written\n", svg, name);
}

/* One bucket of three functions (ICS'08, 7.3), several sizes: FLOPS and up. */
static bool three(struct bench_bucket *r, double flops)
{
    uint64_t seed = 3;
    for (int i = 0; i < 200; i++)
        if (bench_bucket_random(r, &seed, flops, 8 * flops, 2e9) && r->b.ninputs == 3)
            return true;
    return false;
}

/* ICS'08, Fig. 6: cache size, pages per block. */
static void knobs(double flops)
{
    static const uint32_t local[] = {8, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 49152, 98304, 196608};
    static const uint32_t page[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};
    struct bench_bucket r;
    struct bench_device_tables t;
    if (late(1) || !three(&r, flops) || !bench_device_init(&t, gpu, &r.b))
        return;
    flops = bench_bucket_flops(&r.b);
    for (int what = 0; what < 2; what++) {
        char title[120];
        snprintf(title, sizeof title, "GFLOP/s against %s (3 functions, %.2g operations)",
                 what ? "cache pages per block" : "bytes of cache per block", flops);
        static struct plot p;
        plot_init(&p, title, what ? "pages" : "bytes", "GFLOP/s");
        printf("\n%s; hit: of reads, foretold; A: cached arithmetic intensity\n", title);
        printf("%8s %10s %10s %6s %6s | %10s %10s %6s %6s\n", what ? "pages" : "bytes", "papers'", "foretold", "hit",
               "A", "with tiles", "foretold", "hit", "A");
        for (size_t i = 0; i < (what ? sizeof page / sizeof *page : sizeof local / sizeof *local); i++) {
            if (!what && local[i] > yk_gpu_shape(gpu, true)->local_block)
                break;
            printf("%8u", what ? page[i] : local[i]);
            for (int tile = 0; tile < 2; tile++) {
                struct yk_gpu_report report = {0};
                struct yk_gpu_options o = {.path = YK_GPU_SOFTWARE, .single = true, .no_tile = !tile, .threads = 128};
                if (what)
                    o.pages = page[i];
                else
                    o.local = local[i];
                double s = run(&t, &o, &report);
                printf("%s %10.1f %10.1f %6.3f %6.1f", tile ? " |" : "", flops / s * 1e-9,
                       flops / report.predicted * 1e-9, report.hit_rate, report.intensity);
                plot_point(&p, tile ? "with tiles" : "papers'", what ? page[i] : local[i], flops / s * 1e-9);
                plot_point(&p, tile ? "with tiles, foretold" : "papers', foretold", what ? page[i] : local[i],
                           flops / report.predicted * 1e-9);
            }
            printf("\n");
        }
        save(&p, what ? "ics08_fig6b" : "ics08_fig6a");
    }
    bench_device_finish(&t);
}

/* Seconds of one bucket on the CPU in double. */
static double on_cpu(const struct yk_bucket *b, bool logs)
{
    double *table[BENCH_INPUTS] = {NULL};
    const double *in[BENCH_INPUTS] = {NULL};
    double *out = malloc(b->out.cells * sizeof *out), best = NAN;
    bool there = out != NULL;
    for (uint32_t i = 0; i < b->ninputs; i++)
        there = (in[i] = table[i] = bench_table(&b->input[i], i + 1)) && there;
    for (int i = 0; i < 3 && there; i++) {
        uint64_t from = yk_now_ns();
        if ((logs ? yk_sumproduct_cpu_log(b, in, out, 0) : yk_sumproduct_cpu(b, in, out, 0)) != YK_OK)
            break;
        double s = (double)(yk_now_ns() - from) * 1e-9;
        best = i && best < s ? best : s;
        if (s > 0.3)
            break;
    }
    for (uint32_t i = 0; i < b->ninputs; i++)
        free(table[i]);
    free(out);
    return best;
}

/* Products of matrices: unrolling (Fig. 7), the texture path (Fig. 8), overheads (Fig. 9). */
static void matrices(void)
{
    static struct plot p7, p8, p9, p9b;
    plot_init(&p7, "Unrolling of the summation loop (ICS'08, Fig. 7)", "operations", "GFLOP/s");
    plot_init(&p8, "Software cache, hardware caches, texture path (ICS'08, Fig. 8)", "operations", "GFLOP/s");
    plot_init(&p9, "Parts of a first call (ICS'08, Fig. 9a)", "operations", "ms");
    plot_init(&p9b, "Speedup over the CPU, with and without plan and transfers (ICS'08, Fig. 9b)", "operations",
              "ratio");
    printf("\nproducts of square matrices of 2^k x 2^k, variables of domain 2, GFLOP/s in kernels; one output per "
           "thread as in "
           "the papers\n%4s %10s %8s %8s %8s | %8s %8s %8s | %8s | %8s %8s %8s ms | over the CPU %8s %8s\n",
           "k", "operations", "unroll 1", "2", "4", "software", "hardware", "texture", "tiles", "plan", "transfer",
           "kernel", "kernel", "all");
    double in = 1e10, out = 1e10;
    yk_gpu_calibrate(gpu, &in, &out);
    for (uint32_t k = 4; k <= 11 && !late(0.4); k++) {
        struct bench_bucket r;
        struct bench_device_tables t;
        struct yk_gpu_report x = {0};
        bench_bucket_matrix(&r, 1u << k, 1u << k, 1u << k, "nt", false);
        if (!bench_device_init(&t, gpu, &r.b))
            break;
        double flops = bench_bucket_flops(&r.b);
        printf("%4u %10.3g", k, flops);
        for (uint32_t u = 1; u <= 4; u *= 2) {
            struct yk_gpu_options o = {.path = YK_GPU_SOFTWARE, .single = true, .no_tile = true, .unroll = u};
            double s = run(&t, &o, &x);
            printf(" %8.1f", flops / s * 1e-9);
            plot_point(&p7, u == 1 ? "1" : u == 2 ? "2" : "4", flops, flops / s * 1e-9);
        }
        printf(" |");
        for (int path = 0; path < 3; path++) {
            struct yk_gpu_options o = {.path = (enum yk_gpu_path)path, .single = true, .no_tile = true};
            double s = run(&t, &o, &x);
            static const char *const names[] = {"software", "hardware", "texture"};
            printf(" %8.1f", flops / s * 1e-9);
            plot_point(&p8, names[path], flops, flops / s * 1e-9);
        }
        struct yk_gpu_options o = {.path = YK_GPU_SOFTWARE, .single = true};
        double s = run(&t, &o, &x), moved = (double)(2 * (1 << 2 * k)) * 4 / in + (double)(1 << 2 * k) * 4 / out;
        double cpu = on_cpu(&r.b, false);
        printf(" | %8.1f | %8.3f %8.3f %8.3f    |              %8.2f %8.2f\n", flops / s * 1e-9, x.plan * 1e3,
               moved * 1e3, s * 1e3, cpu / s, cpu / (s + x.plan + moved));
        plot_point(&p9b, "kernel", flops, cpu / s);
        plot_point(&p9b, "with overheads", flops, cpu / (s + x.plan + moved));
        plot_point(&p8, "software, tiles", flops, flops / s * 1e-9);
        plot_point(&p9, "cache plan", flops, x.plan * 1e3);
        plot_point(&p9, "transfers", flops, moved * 1e3);
        plot_point(&p9, "kernel", flops, s * 1e3);
        fflush(stdout);
        bench_device_finish(&t);
    }
    save(&p7, "ics08_fig7");
    save(&p8, "ics08_fig8");
    save(&p9, "ics08_fig9a");
    save(&p9b, "ics08_fig9b");
}

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void summary(const char *what, double *ratio, int n)
{
    double logs = 0, sum = 0;
    if (!n)
        return;
    qsort(ratio, (size_t)n, sizeof *ratio, rising);
    for (int i = 0; i < n; i++) {
        logs += log(ratio[i]);
        sum += ratio[i];
    }
    printf("%-52s %9.2f %9.2f %9.2f %9.2f %9.2f\n", what, ratio[n - 1], sum / n, exp(logs / n), ratio[n / 2], ratio[0]);
}

/* Random buckets (ICS'08, Fig. 5 and the table of 7.2.1; the chapter's Fig. 5, Table 1, and Table 3's columns by
 * bucket). */
static void random_buckets(int count, uint64_t seed, double most)
{
    enum { MOST = 1000, CPU, CPU_LOG, SOFT, HARD, TEX, SOFT1, HARD1, TEX1, LOG, NATIVE, RATES };
    static const struct yk_gpu_options options[RATES] = {
        [SOFT] = {.path = YK_GPU_SOFTWARE},
        [HARD] = {.path = YK_GPU_HARDWARE},
        [TEX] = {.path = YK_GPU_TEXTURE},
        [SOFT1] = {.path = YK_GPU_SOFTWARE, .no_tile = true},
        [HARD1] = {.path = YK_GPU_HARDWARE, .no_tile = true},
        [TEX1] = {.path = YK_GPU_TEXTURE, .no_tile = true},
        [LOG] = {.path = YK_GPU_SOFTWARE, .log = true},
        [NATIVE] = {.path = YK_GPU_SOFTWARE, .log = true, .single = true, .native = true}};
    static double ratio[9][MOST];
    static const int above[9] = {SOFT, LOG, NATIVE, SOFT1, SOFT1, SOFT, SOFT, SOFT, LOG},
                     below[9] = {CPU, CPU_LOG, CPU_LOG, HARD1, TEX1, HARD, TEX, SOFT1, SOFT};
    static const char *const words[9] = {"device over CPU, linear",
                                         "device over CPU, logarithms",
                                         "device over CPU, logarithms, native, float",
                                         "software cache over hardware caches, papers' kernel",
                                         "software cache over texture path, papers' kernel",
                                         "software cache over hardware caches, tiles",
                                         "software cache over texture path, tiles",
                                         "tiles over one output per thread",
                                         "logarithms over linear"};
    int n[9] = {0};
    double peak[RATES] = {0};
    static struct plot p5, c5;
    plot_init(&p5, "Random buckets (ICS'08, Fig. 5; the chapter, Fig. 5 a and b), double", "operations", "GFLOP/s");
    plot_init(&c5, "Software cache over the others (the chapter, Fig. 5 c and d), double", "operations", "ratio");
    printf("\nrandom buckets, double, GFLOP/s; kernels' time alone; 1: one output per thread; log in base 2\n%s\n",
           bench_bucket_ranges);
    printf("%10s %8s %8s %8s %8s %8s %8s %8s %8s %8s %8s\n", "operations", "CPU", "CPU log", "software", "hardware",
           "texture", "soft1", "hard1", "tex1", "log", "nat log");
    for (int i = 0; i < count && i < MOST && !late(1); i++) {
        struct bench_bucket r;
        struct bench_device_tables t;
        double from = pow(10, 4 + (log10(most) - 4) * (i + 0.5) / count), rate[RATES];
        if (!bench_bucket_random(&r, &seed, from, from * 3, 1e9) || !bench_device_init(&t, gpu, &r.b))
            continue;
        double flops = bench_bucket_flops(&r.b);
        printf("%10.3g", flops);
        for (int k = CPU; k < RATES; k++) {
            struct yk_gpu_report x = {0};
            double s = k <= CPU_LOG ? (k == CPU_LOG && flops > 2e9 ? NAN : on_cpu(&r.b, k == CPU_LOG))
                                    : run(&t, &options[k], &x);
            rate[k] = flops / s * 1e-9;
            peak[k] = fmax(peak[k], rate[k]);
            printf(" %8.2f", rate[k]);
        }
        printf("\n");
        fflush(stdout);
        for (int k = 0; k < 9; k++)
            if (isfinite(rate[above[k]] / rate[below[k]]))
                ratio[k][n[k]++] = rate[above[k]] / rate[below[k]];
        plot_point(&p5, "CPU", flops, rate[CPU]);
        plot_point(&p5, "device", flops, rate[SOFT]);
        plot_point(&p5, "device, papers' kernel", flops, rate[SOFT1]);
        plot_point(&p5, "device, logarithms", flops, rate[LOG]);
        plot_point(&c5, "hardware caches", flops, rate[SOFT1] / rate[HARD1]);
        plot_point(&c5, "texture", flops, rate[SOFT1] / rate[TEX1]);
        bench_device_finish(&t);
    }
    printf("\n%-52s %9s %9s %9s %9s %9s\n", "ratio", "peak", "average", "geometric", "median", "least");
    for (int k = 0; k < 9; k++)
        summary(words[k], ratio[k], n[k]);
    printf("\npeak GFLOP/s, double: CPU (all cores) %.1f, device %.1f, with one output per thread %.1f\n", peak[CPU],
           peak[SOFT], peak[SOFT1]);
    if (!n[0])
        return;
    figure("cache.peak_double", peak[SOFT], "GFLOP/s");
    figure("cache.peak_double_cpu", peak[CPU], "GFLOP/s");
    if (n[3])
        figure("cache.software_over_hardware_papers_kernel", ratio[3][n[3] / 2], "median ratio");
    if (n[5])
        figure("cache.software_over_hardware", ratio[5][n[5] / 2], "median ratio");
    save(&p5, "ics08_fig5");
    save(&c5, "chapter_fig5");
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"opencl", 1, 0, 'o'}, {"cuda", 1, 0, 'c'}, {"count", 1, 0, 'n'},
                                            {"seed", 1, 0, 's'},   {"most", 1, 0, 'm'}, {"total", 1, 0, 'T'},
                                            {"svg", 1, 0, 'g'},    {"json", 1, 0, 'j'}, {0, 0, 0, 0}};
    const char *cl = "0", *json = NULL;
    int cuda = -1, count = 30;
    uint64_t seed = 2008;
    double most = 1e9;
    for (int o; (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (o) {
        case 'o':
            cl = optarg;
            break;
        case 'c':
            cuda = atoi(optarg);
            break;
        case 'n':
            count = atoi(optarg);
            break;
        case 's':
            seed = strtoull(optarg, NULL, 10);
            break;
        case 'm':
            most = atof(optarg);
            break;
        case 'T':
            total = atof(optarg);
            break;
        case 'g':
            svg = optarg;
            break;
        case 'j':
            json = optarg;
            break;
        default:
            fprintf(stderr, "usage: cache [--opencl DEVICE | --cuda N] [--count N] [--seed N] [--most FLOPS] [--total "
                            "SECONDS] [--svg FOLDER] [--json FILE]\n");
            return 2;
        }
    }
    if (!(gpu = bench_device_open("cache", cl, cuda)))
        return 1;
    printf("%s\n", yk_gpu_name(gpu));
    began = yk_now_ns();
    knobs(fmin(most, yk_gpu_host_memory(gpu) ? 2e7 : 5e8));
    matrices();
    random_buckets(count, seed, most);
    yk_gpu_close(gpu);
    return figure_finish(json);
}
