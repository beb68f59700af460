/* The plan search on the networks with published answers: multiply-adds of the plans found, beside the contraction
 * trees of the strongest peer and beside one plain pass of weighted min-fill.
 *
 *     search [--networks DIR] [--only PART-OF-NAME] [--seconds S] [--threads N] [--seed N] [--memory BYTES]
 *            [--plain] [--peer COMMAND] [--json FILE]
 *
 * --seconds: of search per network; without it each search ends by itself. --plain: networks as they are, evidence and
 * contained factors removed and nothing else, as the peer had them; without it as `yoke solve` simplifies them. --peer:
 * a second search of the same plain networks, --seconds long (default 4), as "python3 bench/search_peer.py". */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/env.h"
#include "base/temp.h"
#include "bench/figure.h"
#include "bench/networks.h"
#include "solver/read.h"
#include "solver/search/plan_tools.h"
#include "solver/search/search.h"
#include "solver/simplify.h"

static const char *folder = YK_BENCH_NETWORKS, *only, *json, *peer;
static struct yk_search_options options;
static bool plain;

struct found {
    double log10_operations, log2_largest, peak, log2_slices, seconds, search; /* search: seconds spent */
};

static void stop(const char *what)
{
    fprintf(stderr, "search: %s\n", what);
    exit(1);
}

static void search_part(const struct yk_network *net, const struct yk_search_options *o, struct found *f)
{
    char msg[400];
    struct yk_solver_plan p;
    uint64_t t0 = yk_now_ns();
    if (yk_solver_plan_search(net, o, &p, msg, sizeof msg) != YK_OK ||
        yk_solver_plan_check(&p, net, msg, sizeof msg) != YK_OK)
        stop(msg);
    f->search += 1e-9 * (double)(yk_now_ns() - t0);
    f->log10_operations = log10(pow(10, f->log10_operations) + pow(10, p.log10_operations));
    f->log2_largest = fmax(f->log2_largest, p.log2_largest);
    f->log2_slices = fmax(f->log2_slices, p.log2_slices);
    f->peak = fmax(f->peak, p.peak_bytes);
    f->seconds += p.seconds;
    yk_solver_plan_finish(&p);
}

static bool within(const struct yk_factor *a, const struct yk_factor *b)
{
    for (uint32_t i = 0; i < a->n; i++) {
        uint32_t k = 0;
        while (k < b->n && b->scope[k] != a->scope[i])
            k++;
        if (k == b->n)
            return false;
    }
    return true;
}

/* What the peer was given. Only scopes count: NET's values no longer fit them. */
static void remove_plainly(struct yk_network *net, const struct yk_evidence *ev)
{
    for (size_t i = 0; i < ev->n; i++)
        net->domain[ev->var[i]] = 1;
    for (size_t f = 0; f < net->nfactors; f++) {
        struct yk_factor *x = &net->factor[f];
        uint32_t n = 0;
        for (uint32_t i = 0; i < x->n; i++)
            if (net->domain[x->scope[i]] > 1)
                x->scope[n++] = x->scope[i];
        x->n = n;
    }
    for (size_t f = 0; f < net->nfactors;) {
        size_t g = 0;
        while (g < net->nfactors && (g == f || !within(&net->factor[f], &net->factor[g])))
            g++;
        if (g < net->nfactors)
            net->factor[f] = net->factor[--net->nfactors]; /* multiplied into factor g */
        else
            f++;
    }
}

/* The peer on NET: log10 of operations and seconds. */
static struct found ask_peer(const struct yk_network *net)
{
    char path[2048], command[4096];
    struct found f = {0};
    int fd = yk_temp_name("yoke-search", path, sizeof path) == YK_OK ? mkstemp(path) : -1;
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file)
        stop("no temporary file");
    for (uint32_t v = 0; v < net->nvars; v++)
        fprintf(file, "%u ", net->domain[v]);
    for (size_t i = 0; i < net->nfactors; i++) {
        fputc('\n', file);
        for (uint32_t k = 0; k < net->factor[i].n; k++)
            fprintf(file, "%u ", net->factor[i].scope[k]);
    }
    fclose(file);
    snprintf(command, sizeof command, "%s %g %ld < %s", peer, options.max_seconds > 0 ? options.max_seconds : 4,
             options.threads > 0 ? options.threads : sysconf(_SC_NPROCESSORS_ONLN), path);
    FILE *out = popen(command, "r");
    if (!out || fscanf(out, "%lf %lf", &f.log10_operations, &f.search) != 2 || pclose(out) != 0)
        stop("the peer gave no answer");
    unlink(path);
    return f;
}

static struct found measure(const char *name, const struct yk_search_options *o, struct found *of_peer)
{
    char path[4096], msg[400];
    struct yk_network net;
    struct yk_evidence ev;
    struct found f = {.log10_operations = -INFINITY};
    snprintf(path, sizeof path, "%s/%s.uai", folder, name);
    if (yk_read_network(path, &net, msg, sizeof msg) != YK_OK)
        stop(msg);
    strncat(path, ".evid", sizeof path - strlen(path) - 1);
    if (yk_read_evidence(path, &net, &ev, msg, sizeof msg) != YK_OK)
        stop(msg);
    if (of_peer) {
        remove_plainly(&net, &ev);
        *of_peer = ask_peer(&net);
    } else if (plain) {
        remove_plainly(&net, &ev);
        search_part(&net, o, &f);
    } else {
        struct yk_simplified s;
        if (yk_simplify(&net, &ev, false, &s) != YK_OK)
            stop("out of memory");
        for (size_t i = 0; i < s.nparts; i++)
            search_part(&s.part[i], o, &f);
        yk_simplified_finish(&s);
    }
    yk_evidence_finish(&ev);
    yk_network_finish(&net);
    return f;
}

static void parse(int argc, char **argv)
{
    static const struct option known[] = {{"networks", 1, NULL, 'n'}, {"only", 1, NULL, 'o'}, {"seconds", 1, NULL, 's'},
                                          {"threads", 1, NULL, 't'},  {"seed", 1, NULL, 'r'}, {"memory", 1, NULL, 'm'},
                                          {"plain", 0, NULL, 'p'},    {"peer", 1, NULL, 'e'}, {"json", 1, NULL, 'j'},
                                          {NULL, 0, NULL, 0}};
    uint64_t bytes;
    yk_search_options_init(&options);
    for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;)
        switch (c) {
        case 'n':
            folder = optarg;
            break;
        case 'o':
            only = optarg;
            break;
        case 's':
            options.max_seconds = atof(optarg);
            break;
        case 't':
            options.threads = atoi(optarg);
            break;
        case 'r':
            options.seed = strtoull(optarg, NULL, 10);
            break;
        case 'm':
            if (yk_parse_bytes(optarg, &bytes) != YK_OK)
                stop("--memory takes a number of bytes, with k, M or G");
            options.memory_bytes = (double)bytes;
            break;
        case 'p':
            plain = true;
            break;
        case 'e':
            peer = optarg;
            break;
        case 'j':
            json = optarg;
            break;
        default:
            stop("see the head of bench/search.c");
        }
}

struct sums {
    double ours, total, predicted, beside, peer_total; /* beside: ours over the peer's of this run */
    int n;
};

static void one(const struct yk_bench_network *x, struct sums *sum)
{
    struct yk_search_options none = options;
    none.max_seconds = 0;
    struct found first = measure(x->name, &none, NULL), f = measure(x->name, &options, NULL), other = {0};
    if (peer)
        measure(x->name, &options, &other);
    printf("%-36s %9.2f %9.2f %9.2f %9.1f %9.1f %9.1f %9.3f %9.3f", x->name, x->tree, first.log10_operations,
           f.log10_operations, f.log2_largest, f.log2_slices, f.peak / 1e6, f.search, f.seconds);
    if (peer)
        printf(" %9.2f %9.3f", other.log10_operations, other.search);
    printf("\n");
    fflush(stdout);
    sum->ours += f.log10_operations - x->tree;
    sum->beside += f.log10_operations - other.log10_operations;
    sum->total += f.search;
    sum->peer_total += other.search;
    sum->predicted += f.seconds;
    sum->n++;
}

int main(int argc, char **argv)
{
    struct sums sum = {0};
    parse(argc, argv);
    printf("%-36s %9s %9s %9s %9s %9s %9s %9s %9s%s\n", "log10 multiply-adds, log2 cells", "tree", "min-fill", "found",
           "largest", "slices", "peak MB", "search s", "run s", peer ? "      peer    peer s" : "");
    for (int i = 0; i < YK_BENCH_NETWORK_COUNT; i++)
        if (!only || strstr(yk_bench_networks[i].name, only))
            one(&yk_bench_networks[i], &sum);
    if (!sum.n)
        stop("no such network");
    figure("search.cost_over_tree", pow(10, sum.ours / sum.n), "ratio");
    figure("search.total_s", sum.total, "s");
    figure("search.predicted_run_s", sum.predicted, "s");
    if (peer) {
        figure("search.cost_over_peer", pow(10, sum.beside / sum.n), "ratio");
        figure("search.peer_total_s", sum.peer_total, "s");
    }
    return figure_finish(json);
}
