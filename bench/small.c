/* Many small launches: a plain OpenCL program (small_probe.c, this program again) makes them in an in-order queue, bare
 * and with libyoke.so preloaded by turns. The time of many independent launches under yoke is set against that of one
 * large launch of the same work, bare; that of launches which depend on one
 * another, and of independent ones whose kernels are of different programs, against bare; and how long a short launch
 * takes which the program waits for, with long ones behind it, against its own time, bare. What a launch takes is
 * measured once, bare. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "bench/again.h"
#include "bench/figure.h"
#include "bench/median.h"
#include "bench/small_probe.h"

enum { MOST_CASES = 32, MOST_ROUNDS = 15 };

static struct one_case {
    char name[64];
    int n[2];
    double many[2][MOST_ROUNDS], one[2][MOST_ROUNDS];
} cases[MOST_CASES];
static int ncases;
static double unit[2]; /* nanoseconds per unit of work: compute, memory */

static void keep(const char *name, int way, double many, double one)
{
    int i = 0;
    while (i < ncases && strcmp(cases[i].name, name))
        i++;
    if (i == MOST_CASES || cases[i].n[way] == MOST_ROUNDS)
        return;
    if (i == ncases)
        snprintf(cases[ncases++].name, sizeof cases->name, "%s", name);
    cases[i].many[way][cases[i].n[way]] = many;
    cases[i].one[way][cases[i].n[way]++] = one;
}

static bool probe(int way, char *seconds, char *only, char *us)
{
    char unit_text[2][32];
    for (int i = 0; i < 2; i++)
        snprintf(unit_text[i], sizeof unit_text[i], "%.9f", unit[i]);
    char *argv[] = {again_self, (char[]){"--probe"}, seconds, only, us, unit_text[0], unit_text[1], NULL};
    if (!seconds)
        argv[2] = NULL;
    pid_t pid;
    FILE *f = again_start(argv, way, &pid);
    char line[160], name[64];
    double many, one;
    while (fgets(line, sizeof line, f))
        if (seconds && sscanf(line, "%63s %lf %lf", name, &many, &one) == 3)
            keep(name, way, many, one);
        else if (!seconds && sscanf(line, "%63s %lf", name, &one) == 2)
            unit[!strcmp(name, "memory")] = one;
    int status = again_end(f, pid);
    if (!WIFEXITED(status) || WEXITSTATUS(status)) {
        fprintf(stderr, "small: the probe failed %s\n", way ? "under yoke" : "bare");
        return false;
    }
    return true;
}

static void report(void)
{
    double product = 0, worst = 0, chain = 0, beside = 0, latency = 0;
    int n = 0;
    printf("%-32s %12s %12s %12s %8s %8s\n", "milliseconds", "bare, many", "yoke, many", "bare, one", "bare", "yoke");
    for (int i = 0; i < ncases; i++) {
        const struct one_case *c = &cases[i];
        if (!c->n[0] || !c->n[1])
            continue;
        double bare = median(c->many[0], (size_t)c->n[0]), yoke = median(c->many[1], (size_t)c->n[1]),
               one = median(c->one[0], (size_t)c->n[0]);
        double base = one > 0 ? one : bare;
        printf("%-32s %12.3f %12.3f %12.3f %8.3f %8.3f\n", c->name, bare, yoke, one, bare / base, yoke / base);
        if (!strncmp(c->name, "beside", 6)) {
            beside = yoke / bare;
        } else if (!strcmp(c->name, "latency")) {
            latency = yoke / one;
        } else if (one > 0) {
            product += log(yoke / one);
            worst = fmax(worst, yoke / one);
            n++;
        } else {
            chain = fmax(chain, yoke / bare);
        }
    }
    if (n) {
        figure("small.merged_over_single", exp(product / n), "ratio");
        figure("small.merged_over_single_worst", worst, "ratio");
    }
    if (beside > 0)
        figure("small.beside_over_bare", beside, "ratio");
    if (latency > 0)
        figure("small.latency_over_own", latency, "ratio");
    if (chain > 0)
        figure("small.chain_over_bare", chain, "ratio");
}

static const char help[] =
    "usage: small [--json FILE] [--rounds N] [--seconds S] [--us US] [--only PREFIX] [--library FILE]\n"
    "Independent small launches under yoke against one large launch, and chains of them against the bare driver.\n"
    "  --json FILE     write the figures to FILE too\n"
    "  --rounds N      processes per way, 1 to 15 (3)\n"
    "  --seconds S     per case and process, besides as long for warming up (1)\n"
    "  --us US         microseconds that a work-group takes (100, 25 and 5 for 32, 1,000 and 20,000 launches)\n"
    "  --only PREFIX   cases whose names begin so: merged_32_, merged_1000_memory, beside, latency, chain, ...\n"
    "  --library FILE  libyoke.so (default: of this build)\n";

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "--probe"))
        return small_calibrate();
    if (argc == 7 && !strcmp(argv[1], "--probe"))
        return small_probe(atof(argv[2]), argv[3], atof(argv[4]), (double[]){atof(argv[5]), atof(argv[6])});
    static const struct option options[] = {{"json", 1, 0, 'j'}, {"rounds", 1, 0, 'r'}, {"seconds", 1, 0, 's'},
                                            {"us", 1, 0, 'u'},   {"only", 1, 0, 'o'},   {"library", 1, 0, 'l'},
                                            {"help", 0, 0, 'h'}, {0, 0, 0, 0}};
    static char one_second[] = "1", all[] = "", usual[] = "0";
    char *seconds = one_second, *only = all, *us = usual;
    const char *json = NULL, *given = NULL;
    int rounds = 3;
    if (!again_find())
        return 1;
    for (int o; (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (o == 'j') {
            json = optarg;
        } else if (o == 'r') {
            rounds = atoi(optarg);
        } else if (o == 's') {
            seconds = optarg;
        } else if (o == 'u') {
            us = optarg;
        } else if (o == 'o') {
            only = optarg;
        } else if (o == 'l') {
            given = optarg;
        } else {
            fputs(help, o == 'h' ? stdout : stderr);
            return o == 'h' ? 0 : 2;
        }
    }
    if (optind != argc || rounds < 1 || rounds > MOST_ROUNDS || !(atof(seconds) > 0) ||
        (us != usual && !(atof(us) > 0))) {
        fputs(help, stderr);
        return 2;
    }
    if ((given && !realpath(given, again_library)) || access(again_library, R_OK)) {
        fprintf(stderr, "small: %s: %s\n", given ? given : again_library, strerror(errno));
        return 1;
    }
    bool ok = probe(0, NULL, NULL, NULL) && unit[0] > 0 && unit[1] > 0;
    for (int i = 0; i < rounds && ok; i++)
        for (int way = 0; way < 2 && ok; way++)
            ok = probe(way, seconds, only, us);
    if (!ok)
        return 1;
    report();
    return figure_finish(json);
}
