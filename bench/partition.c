/* How good are the strategies? Simulation only: random machines and launches of 2 to 8 devices (tables that do not
 * scale down, shared links, bytes already there, merges), and the cases of the SKMD paper: its three devices, its
 * benchmarks' sizes, rates that fall off for small shares as in its Fig. 7. Each strategy's predicted time is held
 * against the optimum: by trying all divisions where there are few, else against a bound that no division beats.
 *
 *     bench/partition [--instances N] [--json FILE] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "bench/figure.h"
#include "partitioner/cost.h"

enum { DEVICES = 8, STRATEGIES = 4, MOST_DIVISIONS = 60000 };
static const char *const names[STRATEGIES] = {"waterfill", "skmd", "linear", "even"};

struct instance {
    struct yk_split split;
    struct yk_split_device device[DEVICES];
    struct yk_point point[DEVICES][17];
};

static double uniform(double low, double high)
{
    return low + (high - low) * (double)random() / 2147483648.0;
}

static double spread(double low, double high)
{
    return exp(uniform(log(low), log(high)));
}

/* RATE work-groups per ms for large shares; a share of less than KNEE of TOTAL work-groups is no faster than that. */
static void table(struct instance *x, unsigned i, double rate, double knee, double total)
{
    double full = total / rate;
    x->device[i].table = (struct yk_table){17, x->point[i]};
    for (unsigned k = 0; k <= 16; k++) {
        double part = k / 16.0, smooth = part + knee * exp(-part / (knee + 0.02));
        x->point[i][k] = (struct yk_point){part * total, full * smooth / (1 + knee * exp(-1 / (knee + 0.02)))};
        if (k && x->point[i][k].ms < x->point[i][k - 1].ms)
            x->point[i][k].ms = x->point[i][k - 1].ms;
    }
}

static double divisions(double units, unsigned n)
{
    double r = 1;
    for (unsigned i = 1; i < n; i++)
        r = r * (units + i) / i;
    return r;
}

/* Shared links and merges have no tight bound: few units then, so that all divisions can be tried. */
static void make_random(struct instance *x, unsigned n)
{
    memset(x, 0, sizeof *x);
    double total = floor(spread(20, 200000)), units;
    bool shared = random() % 2, merges = random() % 3 == 0, shared_or_few = shared || merges || random() % 4 == 0;
    for (unsigned i = 0; i < n; i++) {
        struct yk_split_device *d = &x->device[i];
        double rate = total / spread(1, 40);
        d->usable = true;
        d->latency = random() % 2 ? spread(0.001, 0.5) : 0;
        if (random() % 2)
            table(x, i, rate, uniform(0, 0.4), total);
        else
            d->rate = rate;
        if (i && random() % 4) { /* memory of its own */
            d->bandwidth = 1e6 * spread(1, 50);
            d->link = shared ? 1 + (unsigned)random() % 2 : 0;
            double all = d->bandwidth * spread(0.01, 20);
            if (random() % 3)
                d->bytes_per_group = all / total;
            if (random() % 3 == 0)
                d->bytes = all * uniform(0, 1);
            if (random() % 2)
                d->back_per_group = all / total * uniform(0, 1);
            d->merge = merges ? spread(0.01, 1) : 0;
        }
    }
    for (units = 400; shared_or_few && divisions(units, n) > MOST_DIVISIONS; units--)
        ;
    x->split = (struct yk_split){n, x->device, (uint64_t)total, 1};
    if (shared_or_few && total > units)
        x->split.grain = (uint64_t)ceil(total / units);
}

/* Table I and II of the paper: work-groups, bytes in and out, contiguous?, operations per byte (not printed there:
 * what such kernels have). Peak rates and PCIe of its text; memory bandwidths of the devices' data sheets. */
static const struct {
    const char *name;
    double groups, in, out;
    bool contiguous;
    double per_byte;
} paper[] = {{"aes", 4096, 4e6, 4e6, false, 60},
             {"binomial", 16384, 2.6e5, 2.6e5, true, 9000},
             {"blackscholes", 1024, 4e6, 8e6, true, 12},
             {"histogram", 512, 16e6, 1e3, false, 1},
             {"matrixmultiply", 1024, 8e6, 4e6, false, 170},
             {"transpose", 1024, 4e6, 4e6, false, 0.2},
             {"quasirandom", 64, 8e3, 32e6, false, 4},
             {"reduction", 2048, 16e6, 3.2e4, false, 0.25},
             {"scan", 4096, 4e6, 4e6, true, 1},
             {"vectoradd", 16384, 32e6, 16e6, true, 0.1}};
enum { PAPER = sizeof paper / sizeof *paper };

static void make_paper(struct instance *x, unsigned k)
{
    static const double flops[] = {409e6, 1088e6, 245e6}, memory[] = {21e6, 128e6, 25.6e6}; /* per ms */
    static const double knee[] = {0, 0.25, 0.15}, link = 6e6, merge = 20e6;
    memset(x, 0, sizeof *x);
    double bytes = paper[k].in + paper[k].out;
    for (unsigned i = 0; i < 3; i++) {
        struct yk_split_device *d = &x->device[i];
        double ms = fmax(bytes / memory[i], bytes * paper[k].per_byte / (0.3 * flops[i]));
        d->usable = true;
        table(x, i, paper[k].groups / ms, knee[i], paper[k].groups);
        if (!i)
            continue;
        d->bandwidth = link;
        d->link = 1;
        d->latency = 0.02;
        if (paper[k].contiguous) {
            d->bytes_per_group = paper[k].in / paper[k].groups;
            d->back_per_group = paper[k].out / paper[k].groups;
        } else {
            d->bytes = paper[k].in;
            d->back = paper[k].out;
            d->merge = paper[k].out / merge;
        }
    }
    double units = paper[k].groups < 340 ? paper[k].groups : 340; /* 58,311 divisions */
    x->split = (struct yk_split){3, x->device, (uint64_t)paper[k].groups, (uint64_t)ceil(paper[k].groups / units)};
}

static void try_all(const struct yk_split *s, unsigned i, uint64_t units, uint64_t *groups, double *least)
{
    double ms;
    if (i + 1 < s->n) {
        for (uint64_t k = 0; k <= units; k++) {
            groups[i] = k * s->grain;
            try_all(s, i + 1, units - k, groups, least);
        }
        return;
    }
    groups[i] = units * s->grain;
    unsigned last = 0;
    for (unsigned k = 0; k < s->n; k++)
        last = groups[k] ? k : last;
    groups[last] += s->total % s->grain;
    if (yk_split_makespan(s, groups, &ms) && ms < *least)
        *least = ms;
    groups[last] -= s->total % s->grain;
}

/* Links of their own, no merges: the level at which the whole grains fit, by plain bisection; the rest of the range
 * aside. */
static double lower_bound(const struct yk_split *s)
{
    double low = 0, high = 1e12;
    for (int step = 0; step < 100; step++) {
        double mid = (low + high) / 2, sum = 0;
        for (unsigned i = 0; i < s->n; i++) {
            double few = 0, many = (double)s->total + 1;
            for (int k = 0; k < 60; k++) {
                double half = (few + many) / 2;
                struct yk_share_time t = yk_split_parts(&s->device[i], half);
                if (t.in + t.run + t.out <= mid)
                    few = half;
                else
                    many = half;
            }
            sum += floor(many / (double)s->grain + 1e-9);
        }
        if (sum >= (double)(s->total / s->grain))
            high = mid;
        else
            low = mid;
    }
    return low;
}

static double optimum(const struct yk_split *s, bool *exact)
{
    uint64_t groups[DEVICES];
    double least = INFINITY, units = (double)(s->total / s->grain);
    bool simple = true;
    for (unsigned i = 0; i < s->n; i++)
        simple &= !s->device[i].link && !s->device[i].merge;
    *exact = divisions(units, s->n) <= MOST_DIVISIONS;
    if (!*exact && !simple) {
        fprintf(stderr, "partition: an instance without a bound\n");
        exit(1);
    }
    if (!*exact)
        return lower_bound(s);
    try_all(s, 0, s->total / s->grain, groups, &least);
    return least;
}

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

struct result {
    double sum, worst, us8, n, n8, over; /* over: instances more than 0.5 % above the optimum */
    double us8_worst;
};

static void measure(const struct instance *x, double least, struct result *r, bool print)
{
    for (unsigned k = 0; k < STRATEGIES; k++) {
        struct yk_strategy s;
        uint64_t groups[DEVICES], sum = 0;
        double ms = 0, best = INFINITY;
        if (yk_strategy_parse(names[k], &s, NULL, 0) != YK_OK)
            exit(1);
        for (int again = 0; again < (x->split.n == DEVICES ? 3 : 1); again++) {
            double start = now_us();
            yk_strategy_divide(&s, &x->split, groups);
            double us = now_us() - start;
            best = us < best ? us : best;
        }
        for (unsigned i = 0; i < x->split.n; i++)
            sum += groups[i];
        if (sum != x->split.total || !yk_split_makespan(&x->split, groups, &ms) || ms < least * (1 - 1e-6)) {
            fprintf(stderr, "partition: %s gives %g ms, the optimum is %g\n", names[k], ms, least);
            exit(1);
        }
        double ratio = ms / least;
        r[k].sum += log(ratio);
        r[k].worst = ratio > r[k].worst ? ratio : r[k].worst;
        r[k].over += ratio > 1.005;
        r[k].n++;
        if (x->split.n == DEVICES) {
            r[k].us8 += best;
            r[k].n8++;
            r[k].us8_worst = best > r[k].us8_worst ? best : r[k].us8_worst;
        }
        if (print)
            printf(" %9.4f", ratio);
    }
}

int main(int argc, char **argv)
{
    const char *json = NULL;
    long instances = 10000, exact = 0;
    for (int i = 1; i + 1 < argc; i += 2)
        if (!strcmp(argv[i], "--json"))
            json = argv[i + 1];
        else if (!strcmp(argv[i], "--instances"))
            instances = atol(argv[i + 1]);
    struct result r[STRATEGIES] = {{0}}, p[STRATEGIES] = {{0}};
    static struct instance x;
    bool is_exact;
    printf("cases of the paper, time over the optimum\n%-16s %9s %9s %9s %9s\n", "", names[0], names[1], names[2],
           names[3]);
    for (unsigned k = 0; k < PAPER; k++) {
        make_paper(&x, k);
        printf("%-16s", paper[k].name);
        measure(&x, optimum(&x.split, &is_exact), p, true);
        putchar('\n');
    }
    srandom(1);
    for (long k = 0; k < instances; k++) {
        make_random(&x, 2 + (unsigned)random() % (DEVICES - 1));
        double least = optimum(&x.split, &is_exact);
        exact += is_exact;
        measure(&x, least, r, false);
    }
    printf("%ld random instances, %ld of them against all divisions, the others against a lower bound\n", instances,
           exact);
    for (unsigned k = 0; k < STRATEGIES; k++)
        printf("%-10s worst %.4f, %.0f instances over 1.005; 8 devices: mean %.2f us, worst %.1f us\n", names[k],
               r[k].worst, r[k].over, r[k].us8 / r[k].n8, r[k].us8_worst);
    static const char *const over[STRATEGIES] = {"partition.waterfill_over_optimum", "partition.skmd_over_optimum",
                                                 "partition.linear_over_optimum", "partition.even_over_optimum"};
    static const char *const worst[STRATEGIES] = {"partition.waterfill_worst", "partition.skmd_worst",
                                                  "partition.linear_worst", "partition.even_worst"};
    static const char *const us[STRATEGIES] = {"partition.waterfill_us", "partition.skmd_us", "partition.linear_us",
                                               "partition.even_us"};
    static const char *const fig7[STRATEGIES] = {"partition.paper.waterfill", "partition.paper.skmd",
                                                 "partition.paper.linear", "partition.paper.even"};
    for (unsigned k = 0; k < STRATEGIES; k++) {
        figure(over[k], exp(r[k].sum / r[k].n), "ratio");
        figure(worst[k], r[k].worst, "ratio");
        figure(us[k], r[k].us8 / r[k].n8, "us");
        figure(fig7[k], exp(p[k].sum / p[k].n), "ratio");
    }
    return figure_finish(json);
}
