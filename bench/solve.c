/* The solver on the networks with published answers: probabilities and marginals, search and run together, and the cost
 * of the plans beside the contraction trees of the strongest peer.
 *
 *     solve [--networks DIR] [--only PART-OF-NAME] [--task PR|MAR] [--search-time S] [--memory BYTES] [--json FILE]
 *
 * Status 1 if an answer is wrong or refused. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include "base/clock.h"
#include "base/env.h"
#include "bench/figure.h"
#include "bench/networks.h"
#include "solver/read.h"
#include "solver/solve.h"

/* CPU seconds of Merlin 1.7 (bucket-tree elimination, one thread, 14 GB allowed) on those of them for which the same
 * README gives them; not measured in this run. */
static const struct {
    const char *name;
    double seconds;
} merlin[] = {{"linkage/linkage_24", 8.2}, {"pedigree/pedigree1", 0.27}, {"promedus/Promedus_19", 48},
              {"grids/Grids_15", 62},      {"dbn/DBN_13", 7.4},          {"objectdetection/ObjectDetection_14", 16.8}};
enum { MERLIN_COUNT = sizeof merlin / sizeof *merlin };

struct settings {
    const char *folder, *only, *json;
    double search_seconds, memory;
    bool pr, mar;
};

struct measured {
    double seconds, cpu_seconds, error;
    struct yk_solve_result r;
};

static struct settings set = {.folder = YK_BENCH_NETWORKS, .search_seconds = -1, .pr = true, .mar = true};

static void stop(const char *what)
{
    fprintf(stderr, "solve: %s\n", what);
    exit(1);
}

static char *path_of(const char *name, const char *suffix)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s.uai%s", set.folder, name, suffix);
    return path;
}

/* Relative to the tolerance: 1e-4 of the value, or half of the file's last digit. */
static double pr_error(const char *name, double found)
{
    char word[64] = "";
    FILE *f = fopen(path_of(name, ".PR"), "r");
    if (!f || fscanf(f, "PR %63s", word) != 1)
        stop(path_of(name, ".PR cannot be read"));
    fclose(f);
    double expected = strtod(word, NULL);
    const char *dot = strchr(word, '.');
    double digit = pow(10, dot ? -(double)strlen(dot + 1) : 0);
    return fabs(found - expected) / fmax(1e-4 * fabs(expected), 0.51 * digit);
}

/* Largest difference relative to 1e-5; -1 where nothing is published. */
static double mar_error(const char *name, const struct yk_solve_result *r)
{
    FILE *f = fopen(path_of(name, ".MAR"), "r");
    unsigned n, d;
    double worst = 0, p;
    if (!f)
        return -1;
    if (fscanf(f, "MAR %u", &n) != 1 || n != r->nvars)
        stop(path_of(name, ".MAR is of another network"));
    for (uint32_t v = 0; v < n; v++) {
        if (fscanf(f, "%u", &d) != 1 || d != r->domain[v])
            stop(path_of(name, ".MAR is of another network"));
        for (uint32_t x = 0; x < d; x++) {
            if (fscanf(f, "%lf", &p) != 1)
                stop(path_of(name, ".MAR ends early"));
            worst = fmax(worst, fabs(p - r->marginal[v][x]) / 1e-5);
        }
    }
    fclose(f);
    return worst;
}

static double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool measure(const char *name, bool marginals, int threads, struct measured *m)
{
    char msg[512] = "";
    struct yk_network net;
    struct yk_evidence ev;
    uint64_t began = yk_now_ns();
    double cpu_began = cpu_now();
    struct yk_solve_options o = {
        .marginals = marginals, .threads = threads, .search_seconds = set.search_seconds, .memory_bytes = set.memory};
    if (yk_read_network(path_of(name, ""), &net, msg, sizeof msg) != YK_OK ||
        yk_read_evidence(path_of(name, ".evid"), &net, &ev, msg, sizeof msg) != YK_OK)
        stop(msg);
    yk_status st = yk_solve(&net, &ev, &o, &m->r, msg, sizeof msg);
    m->seconds = (double)(yk_now_ns() - began) * 1e-9;
    m->cpu_seconds = cpu_now() - cpu_began;
    if (st != YK_OK)
        printf("%s: %s\n", name, msg);
    else if (marginals)
        m->error = mar_error(name, &m->r);
    else
        m->error = pr_error(name, m->r.log10_pr);
    m->r.domain = NULL;
    yk_evidence_finish(&ev);
    yk_network_finish(&net);
    return st == YK_OK && m->error <= 1;
}

static void print_head(bool marginals)
{
    printf("%s: times in seconds, memory of tables in MB, costs in log10 of multiply-adds\n",
           marginals ? "Marginals of all variables" : "Probability of evidence or partition function");
    printf("%-34s %8s %8s %8s %8s %8s %7s %7s %9s %s\n", "network", "log10 PR", "search", "run", "total", "Gop/s",
           "cost", "tree", "peak MB", "answer");
}

static void print_row(int i, bool ok, const struct measured *m)
{
    const struct yk_solve_result *r = &m->r;
    printf("%-34s %8.3f %8.2f %8.2f %8.2f %8.3f %7.2f %7.2f %9.1f %s\n", yk_bench_networks[i].name, r->log10_pr,
           r->search_seconds, r->run_seconds, m->seconds,
           r->run_seconds > 0 ? r->operations / r->run_seconds * 1e-9 : 0, r->log10_operations,
           yk_bench_networks[i].tree, r->peak_bytes * 1e-6,
           !ok            ? "WRONG"
           : m->error < 0 ? "nothing published"
                          : "as published");
    fflush(stdout);
}

/* One task over all networks; false if an answer was wrong. */
static bool run_task(bool marginals)
{
    double total = 0, ratio = 0, linkage_11 = NAN;
    int n = 0;
    bool all = true;
    print_head(marginals);
    for (int i = 0; i < YK_BENCH_NETWORK_COUNT; i++) {
        if (set.only && !strcasestr(yk_bench_networks[i].name, set.only))
            continue;
        struct measured m = {0};
        bool ok = measure(yk_bench_networks[i].name, marginals, 0, &m);
        print_row(i, ok, &m);
        all &= ok;
        n++;
        total += m.seconds;
        ratio += m.r.log10_operations - yk_bench_networks[i].tree;
        if (strcmp(yk_bench_networks[i].name, "linkage/linkage_11") == 0)
            linkage_11 = m.seconds;
        yk_solve_result_finish(&m.r);
    }
    if (!n)
        stop("no network has such a name");
    if (marginals) {
        figure("solve.mar_total_s", total, "s");
        return all;
    }
    figure("solve.total_s", total, "s");
    figure("solve.cost_over_tree", pow(10, ratio / n), "ratio");
    if (!isnan(linkage_11))
        figure("solve.linkage_11_s", linkage_11, "s");
    return all;
}

/* One thread, search included, in processor time on either side. */
static bool run_merlin(void)
{
    double ratio = 0;
    bool all = true;
    int n = 0;
    printf("Probability beside Merlin 1.7: CPU seconds, one thread\n%-34s %10s %10s %8s\n", "network", "Merlin", "yoke",
           "ratio");
    for (int i = 0; i < MERLIN_COUNT; i++) {
        struct measured m = {0};
        if (set.only && !strcasestr(merlin[i].name, set.only))
            continue;
        all &= measure(merlin[i].name, false, 1, &m);
        printf("%-34s %10.2f %10.3f %8.0f\n", merlin[i].name, merlin[i].seconds, m.cpu_seconds,
               merlin[i].seconds / m.cpu_seconds);
        ratio += log(merlin[i].seconds / m.cpu_seconds);
        n++;
        yk_solve_result_finish(&m.r);
    }
    if (n)
        figure("solve.cpu_merlin_over_ours", exp(ratio / n), "ratio");
    return all;
}

static void parse(int argc, char **argv)
{
    static const struct option longs[] = {{"networks", required_argument, NULL, 'n'},
                                          {"only", required_argument, NULL, 'o'},
                                          {"task", required_argument, NULL, 't'},
                                          {"search-time", required_argument, NULL, 's'},
                                          {"memory", required_argument, NULL, 'm'},
                                          {"json", required_argument, NULL, 'j'},
                                          {0}};
    uint64_t bytes;
    for (int c; (c = getopt_long(argc, argv, "", longs, NULL)) != -1;)
        switch (c) {
        case 'n':
            set.folder = optarg;
            break;
        case 'o':
            set.only = optarg;
            break;
        case 't':
            set.pr = strcasecmp(optarg, "PR") == 0;
            set.mar = !set.pr;
            break;
        case 's':
            set.search_seconds = strtod(optarg, NULL);
            break;
        case 'm':
            if (yk_parse_bytes(optarg, &bytes) != YK_OK)
                stop("--memory: a number of bytes, as 12G");
            set.memory = (double)bytes;
            break;
        case 'j':
            set.json = optarg;
            break;
        default:
            exit(2);
        }
}

int main(int argc, char **argv)
{
    struct stat st;
    parse(argc, argv);
    if (stat(set.folder, &st) != 0) {
        fprintf(stderr, "solve: skipped: there is no %s (give --networks DIR)\n", set.folder);
        return 77;
    }
    bool ok = true;
    if (set.pr) {
        ok &= run_task(false);
        ok &= run_merlin();
    }
    if (set.mar)
        ok &= run_task(true);
    int status = figure_finish(set.json);
    return ok ? status : 1;
}
