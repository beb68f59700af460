/* Placing bucket trees over CPU and device (the chapter's Table 2 on the linkage networks): CPU alone, device alone,
 * each bucket where it alone is sooner, and the dynamic program that sees transfers; the optimum by exhaustive search
 * on small subtrees, in the program's own model (one thing at a time) and in the one with overlap and links.
 *
 *     tree [--networks DIR] [--only PART-OF-NAME] [--search-time S] [--devices D] [--json FILE]
 *
 * Without a device, times are predicted for a described one (the figures of an H200 behind PCIe 5), nothing is run on
 * it; with one, its own are predicted, and every placement is run too. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "bench/figure.h"
#include "kernels/gpu/backend.h"
#include "solver/place.h"
#include "solver/read.h"
#include "solver/search/search.h"
#include "solver/simplify.h"

static const char *const names[] = {"linkage/Pedigree_11", "linkage/Pedigree_12", "linkage/linkage_11",
                                    "linkage/linkage_13",  "linkage/linkage_14",  "linkage/linkage_16",
                                    "linkage/linkage_19",  "linkage/linkage_21",  "linkage/linkage_24",
                                    "pedigree/pedigree1",  "pedigree/pedigree39"};
static const char *folder = YK_BENCH_NETWORKS;
static double over_greedy, over_cpu, over_optimum, over_overlap, over_optimum_worst = 1, trees, small_trees;
static double foretold_bias, foretold_error; /* logarithms of the CPU's foretold over measured time, summed */

/* The part of T below ROOT as a tree of its own: of the children seen so far always the one with the most work, up to
 * YK_TREE_EXACT_NODES nodes; results of children left out are inputs from the host. */
static unsigned subtree(const struct yk_tree *t, unsigned root, struct yk_tree_node *node, unsigned *number)
{
    unsigned n = 1;
    number[0] = root;
    for (bool more = true; more && n < YK_TREE_EXACT_NODES;) {
        unsigned best = YK_TREE_ROOT;
        for (unsigned i = 0; i < root; i++) {
            bool child = false, there = false;
            for (unsigned k = 0; k < n; k++) {
                child = child || t->node[i].parent == number[k];
                there = there || i == number[k];
            }
            if (child && !there && (best == YK_TREE_ROOT || t->node[i].ms[0] > t->node[best].ms[0]))
                best = i;
        }
        more = best != YK_TREE_ROOT;
        if (!more)
            break;
        unsigned at = n++; /* rising: children before parents */
        for (; at > 0 && number[at - 1] > best; at--)
            number[at] = number[at - 1];
        number[at] = best;
    }
    for (unsigned k = 0; k < n; k++) {
        node[k] = t->node[number[k]];
        unsigned parent = YK_TREE_ROOT;
        for (unsigned m = 0; m < n; m++)
            if (number[m] == node[k].parent)
                parent = m;
        node[k].parent = parent;
        node[k].result_bytes = parent == YK_TREE_ROOT ? node[k].bytes : 0;
        for (unsigned i = 0; i < number[k]; i++)
            if (t->node[i].parent == number[k]) {
                bool there = false;
                for (unsigned m = 0; m < n; m++)
                    there = there || number[m] == i;
                node[k].input_bytes += there ? 0 : t->node[i].bytes;
            }
    }
    return n;
}

/* Least sum over all placements, one by one: of the nodes from I on. */
static double exhaustive(const struct yk_tree *t, const struct yk_tree_batch *b, unsigned *place, unsigned i)
{
    double best = INFINITY;
    if (i == t->nodes)
        return yk_tree_batch_sum(t, b, place);
    for (place[i] = 0; place[i] <= (b->level[i] ? t->devices : t->devices - 1); place[i]++)
        best = fmin(best, exhaustive(t, b, place, i + 1));
    return best;
}

/* PLACE with everything going on at once that can: the batch comes first, its results then lie at the host. */
static yk_status overlapped(const struct yk_tree *tree, const struct yk_tree_batch *b, const unsigned *place,
                            double *ms)
{
    static const double no_time[2] = {0, 0};
    struct yk_tree t = *tree;
    struct yk_tree_node *node = calloc(t.nodes, sizeof *node);
    unsigned *after = calloc(t.nodes, sizeof *after);
    yk_status st = node && after ? YK_OK : YK_ENOMEM;
    double rest = 0;
    for (unsigned i = 0; i < t.nodes && st == YK_OK; i++) {
        node[i] = tree->node[i];
        after[i] = place[i] == YK_PLACE_TOGETHER ? YK_PLACE_CPU : place[i];
        if (place[i] == YK_PLACE_TOGETHER)
            node[i].ms = no_time;
    }
    t.node = node;
    if (st == YK_OK)
        st = yk_tree_time(&t, after, &rest);
    if (st == YK_OK)
        *ms = rest + yk_tree_batch_sum(tree, b, place) - yk_tree_sum(&t, after);
    free(node);
    free(after);
    return st;
}

/* Subtrees whose root some placement brings to the device: where all lies on the CPU, any rule is right. */
static void small(const struct yk_place *p)
{
    struct yk_tree_node node[YK_TREE_EXACT_NODES];
    unsigned place[YK_TREE_EXACT_NODES], number[YK_TREE_EXACT_NODES], level[YK_TREE_EXACT_NODES], done = 0;
    double ms[YK_TREE_EXACT_NODES];
    const struct yk_tree *t = &p->tree;
    for (unsigned i = t->nodes; i-- > 0 && done < 20;) {
        struct yk_tree s = *t;
        double best, ours;
        if (!p->node[i] && !p->greedy[i])
            continue;
        s.nodes = subtree(t, i, node, number);
        s.node = node;
        struct yk_tree_batch b = p->batch;
        for (unsigned k = 0; k < s.nodes; k++) {
            ms[k] = p->batch.ms[number[k]];
            level[k] = p->batch.level[number[k]] > 0;
            for (unsigned m = 0; m < k && level[k]; m++)
                if (node[m].parent == k && level[m] >= level[k])
                    level[k] = level[m] + 1;
        }
        b.level = level;
        b.ms = ms;
        if (s.nodes < 4 || yk_tree_batch_place(&s, &b, place) != YK_OK)
            continue;
        const double sum = yk_tree_batch_sum(&s, &b, place);
        double ratio = sum / exhaustive(&s, &b, (unsigned[YK_TREE_EXACT_NODES]){0}, 0);
        over_optimum += log(ratio);
        over_optimum_worst = fmax(over_optimum_worst, ratio);
        if (overlapped(&s, &b, place, &ours) == YK_OK && yk_tree_place(&s, place, &best) == YK_OK)
            over_overlap += log(ours / best);
        small_trees++;
        done++;
    }
}

/* All placements run, and the whole of a network by each implementation (the chapter's Table 3). */
static bool measured(const struct yk_solver_plan *plan, const struct yk_network *net, struct yk_solver_device *d)
{
    enum { AWARE, GREEDY, CPU, DEVICE, SINGLY, CPU_ONE, HARDWARE, SOFTWARE, WAYS };
    const enum yk_gpu_path path = d->options.path;
    double ms[WAYS];
    for (int way = 0; way < WAYS; way++) {
        struct yk_evaluate_options run = {.device = way == CPU || way == CPU_ONE ? NULL : d, .threads = way == CPU_ONE};
        struct yk_scaled z;
        d->greedy = way == GREEDY;
        d->always = way == DEVICE || way == SINGLY;
        d->one_by_one = way == SINGLY;
        d->options.path = way == HARDWARE ? YK_GPU_HARDWARE : way == SOFTWARE ? YK_GPU_SOFTWARE : path;
        ms[way] = INFINITY;
        for (int i = 0; i < 3; i++) {
            uint64_t from = yk_now_ns();
            if (yk_evaluate_pr(plan, net, &run, &z, NULL) != YK_OK)
                return false;
            ms[way] = fmin(ms[way], (double)(yk_now_ns() - from) * 1e-6);
        }
        printf(" %9.2f", ms[way]);
    }
    d->greedy = d->always = d->one_by_one = false;
    d->options.path = path;
    printf(" | %5.2f %5.2f %5.2f %5.2f", ms[CPU] / ms[CPU_ONE], ms[CPU] / ms[HARDWARE], ms[CPU] / ms[SOFTWARE],
           ms[CPU] / ms[AWARE]);
    return true;
}

/* Milliseconds of the whole tree on the CPU, the best of some runs; NAN: it failed. */
static double cpu_measured(const struct yk_solver_plan *plan, const struct yk_network *net)
{
    double best = INFINITY, spent = 0;
    for (int i = 0; i < 5 && spent < 2000; i++) {
        const struct yk_evaluate_options run = {.device = NULL};
        struct yk_scaled z;
        uint64_t from = yk_now_ns();
        if (yk_evaluate_pr(plan, net, &run, &z, NULL) != YK_OK)
            return NAN;
        double ms = (double)(yk_now_ns() - from) * 1e-6;
        spent += ms;
        best = fmin(best, ms);
    }
    return best;
}

static bool one(const char *name, struct yk_solver_device *d, bool real, double search)
{
    char path[4096], msg[512] = "";
    struct yk_network net;
    struct yk_evidence ev;
    struct yk_simplified simple;
    snprintf(path, sizeof path, "%s/%s.uai", folder, name);
    if (yk_read_network(path, &net, msg, sizeof msg) != YK_OK)
        goto failed;
    snprintf(path, sizeof path, "%s/%s.uai.evid", folder, name);
    if (yk_read_evidence(path, &net, &ev, msg, sizeof msg) != YK_OK || yk_simplify(&net, &ev, false, &simple) != YK_OK)
        goto failed;
    for (size_t k = 0; k < simple.nparts; k++) {
        struct yk_search_options so;
        struct yk_solver_plan plan;
        struct yk_place p;
        yk_search_options_init(&so);
        so.max_seconds = search;
        struct yk_evaluate_options eo = {.device = d};
        if (yk_solver_plan_search(&simple.part[k], &so, &plan, msg, sizeof msg) != YK_OK ||
            yk_place_init(&p, &plan, &simple.part[k], &eo) != YK_OK)
            goto failed;
        if (p.tree.nodes > 3) {
            double overlap = 0, is = cpu_measured(&plan, &simple.part[k]);
            if (isnan(is))
                goto failed;
            foretold_bias += log(p.cpu_ms / is);
            foretold_error += fabs(log(p.cpu_ms / is));
            if (overlapped(&p.tree, &p.batch, p.node, &overlap) != YK_OK)
                goto failed;
            printf("%-22s %5u %10.3f %10.3f %10.3f %10.3f %10.3f %10.3f %6u %6u %6u", name, p.tree.nodes, p.ms,
                   p.greedy_ms, p.cpu_ms, is, p.device_ms, overlap, p.on_device, p.greedy_on_device, p.together);
            over_greedy += log(p.ms / p.greedy_ms);
            over_cpu += log(p.ms / p.cpu_ms);
            trees++;
            small(&p);
            if (real && !measured(&plan, &simple.part[k], d))
                goto failed;
            printf("\n");
            fflush(stdout);
        }
        yk_place_finish(&p);
        yk_solver_plan_finish(&plan);
    }
    yk_simplified_finish(&simple);
    yk_evidence_finish(&ev);
    yk_network_finish(&net);
    return true;
failed:
    fprintf(stderr, "tree: %s: %s\n", name, msg);
    return false;
}

/* An H200 behind PCIe 5, as yk_gpu_calibrate and the driver describe it. */
static void describe(struct yk_gpu *g, struct yk_solver_device *d)
{
    snprintf(g->name, sizeof g->name, "a described H200 (nothing is run there)");
    g->has_double = true;
    g->bytes = 150e9;
    g->launch_seconds = 8e-6;
    for (int single = 0; single < 2; single++)
        g->shape[single] = (struct yk_cache_device){.units = 132,
                                                    .threads = 2048,
                                                    .group = 256,
                                                    .local_block = 232448,
                                                    .local_unit = 233472,
                                                    .flops = single ? 60e12 : 32e12,
                                                    .bytes = 4e12,
                                                    .inner_bytes = 5.2e12,
                                                    .local_bytes = 33.5e12};
    *d = (struct yk_solver_device){.gpu = g, .in = 23e9, .out = 14e9, .latency = 10e-6, .launch = 50e-6};
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"networks", 1, 0, 'n'}, {"only", 1, 0, 'o'}, {"search-time", 1, 0, 's'},
                                            {"devices", 1, 0, 'd'},  {"json", 1, 0, 'j'}, {0, 0, 0, 0}};
    const char *json = NULL, *devices = NULL, *only = NULL;
    double search = 1;
    for (int o; (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (o) {
        case 'n':
            folder = optarg;
            break;
        case 'o':
            only = optarg;
            break;
        case 's':
            search = atof(optarg);
            break;
        case 'd':
            devices = optarg;
            break;
        case 'j':
            json = optarg;
            break;
        default:
            fprintf(stderr, "usage: tree [--networks DIR] [--only PART-OF-NAME] [--search-time S] [--devices D] "
                            "[--json FILE]\n");
            return 2;
        }
    }
    char msg[300] = "";
    struct yk_gpu described = {.ops = NULL};
    struct yk_solver_device other, *d = &other;
    describe(&described, &other);
    if (devices && (yk_solver_device_open(devices, &d, msg, sizeof msg) != YK_OK || !d)) {
        fprintf(stderr, "tree: %s: %s\n", devices, *msg ? msg : "is no device beside the CPU");
        return 1;
    }
    printf("CPU and %s, transfers %.1f GB/s in, %.1f out, %.0f us each; ms foretold, one thing at a time\n",
           yk_gpu_name(d->gpu), d->in * 1e-9, d->out * 1e-9, d->latency * 1e6);
    printf("%-22s %5s %10s %10s %10s %10s %10s %10s %6s %6s %6s%s\n", "tree", "nodes", "aware", "greedy", "CPU only",
           "measured", "device", "overlapped", "on it", "greedy", "batch",
           devices ? "; measured: aware, greedy, CPU, device, its small buckets one by one, CPU one thread, hardware "
                     "caches, software cache | Table 3: over "
                     "the CPU's time, one thread, hardware, software, the best of each bucket"
                   : "");
    bool good = true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!only || strstr(names[i], only))
            good = one(names[i], d, devices != NULL, search) && good;
    if (trees > 0) {
        figure("tree.dp_over_greedy", exp(over_greedy / trees), "ratio");
        figure("tree.dp_over_cpu", exp(over_cpu / trees), "ratio");
        figure("tree.cpu_foretold_over_measured", exp(foretold_bias / trees), "ratio");
        figure("tree.cpu_foretold_error", exp(foretold_error / trees), "factor");
    }
    if (small_trees > 0) {
        printf("%.0f small subtrees, all placements of each tried\n", small_trees);
        figure("tree.dp_over_optimum", exp(over_optimum / small_trees), "ratio");
        figure("tree.dp_over_optimum_worst", over_optimum_worst, "ratio");
        figure("tree.dp_over_overlap_optimum", exp(over_overlap / small_trees), "ratio");
    }
    if (devices)
        yk_solver_device_close(d);
    return figure_finish(json) || !good;
}
