/* Is any way of using memory and commands slower under yoke? Each pattern (patterns_rounds.c) is a plain OpenCL
 * program, this one again, run bare and with libyoke.so preloaded by turns, round after round; ratios are of the two of
 * a round, medians over the rounds. Caches and what yoke learns last from one round to the next; a first one does not
 * count. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/temp.h"
#include "bench/again.h"
#include "bench/figure.h"
#include "bench/median.h"
#include "bench/patterns_probe.h"

enum { MOST_ROUNDS = 99, ATTEMPTS = 3 /* PoCL 3.1 aborts now and then */ };

static char scratch[PATH_MAX];
static int rounds = 5, ms = 400, device;

struct took {
    double first, later;
    char none[64]; /* why the device cannot do it; else "" */
    char on[64];   /* the device's name */
};

static void caches(int way)
{
    static const char *const variable[] = {"POCL_CACHE_DIR", "XDG_CACHE_HOME", "XDG_DATA_HOME"};
    static const char *const name[] = {"pocl", "cache", "data"};
    char path[PATH_MAX + 32];
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%d", scratch, way);
        mkdir(path, 0700);
        snprintf(path, sizeof path, "%s/%d/%s", scratch, way, name[i]);
        mkdir(path, 0700);
        setenv(variable[i], path, 1);
    }
}

/* False: it has aborted. */
static bool run_once(const char *name, int way, struct took *t)
{
    char number[16], time[16], line[128];
    char *argv[] = {again_self, (char[]){"--probe"}, strdup(name), number, time, NULL};
    pid_t pid;
    snprintf(number, sizeof number, "%d", way ? 0 : device); /* yoke's is the only one */
    snprintf(time, sizeof time, "%d", ms);
    if (!argv[2]) {
        perror("patterns");
        exit(1);
    }
    caches(way);
    FILE *f = again_start(argv, way, &pid);
    free(argv[2]);
    *t = (struct took){0};
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "first %lf", &t->first) != 1 && sscanf(line, "later %lf", &t->later) != 1)
            if (sscanf(line, "none %63[^\n]", t->none) != 1)
                sscanf(line, "on %63[^\n]", t->on);
    int status = again_end(f, pid);
    if (WIFEXITED(status) && !WEXITSTATUS(status))
        return true;
    int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    fprintf(stderr, "patterns: %s failed, %s%s%s\n", name, way ? "under yoke" : "bare", sig ? ": " : "",
            sig ? strsignal(sig) : "");
    if (sig != SIGABRT) /* a wrong result, an error, a crash: final */
        exit(1);
    return false;
}

static void run(const char *name, int way, struct took *t)
{
    for (int i = 0; i < ATTEMPTS; i++)
        if (run_once(name, way, t))
            return;
    exit(1);
}

/* Bare time over yoke's, of first rounds and later ones; false: the device cannot do it. */
static bool measure(const struct patterns_pattern *p, double *first, double *later)
{
    static double f[3][MOST_ROUNDS], l[3][MOST_ROUNDS];
    struct took t[2];
    double least = 1e9, most = 0;
    for (int way = 0; way < 2; way++)
        run(p->name, way, &t[way]);
    static bool told;
    if (!told)
        printf("bare: device %d, %s; under yoke: %s\n", device, t[0].on, t[1].on);
    told = true;
    if (*t[0].none) {
        printf("%-16s %s\n", p->name, t[0].none);
        return false;
    }
    for (int i = 0; i < rounds; i++) {
        for (int k = 0; k < 2; k++)
            run(p->name, k ^ (i & 1), &t[k ^ (i & 1)]);
        for (int way = 0; way < 2; way++) {
            f[way][i] = t[way].first;
            l[way][i] = t[way].later;
        }
        f[2][i] = f[0][i] / f[1][i];
        l[2][i] = l[0][i] / l[1][i];
        least = l[2][i] < least ? l[2][i] : least;
        most = l[2][i] > most ? l[2][i] : most;
    }
    *first = median(f[2], (size_t)rounds);
    *later = median(l[2], (size_t)rounds);
    printf("%-16s %9.3f %9.3f %7.3f | %9.3f %9.3f %7.3f  %.2f to %.2f  %s\n", p->name, median(f[0], (size_t)rounds),
           median(f[1], (size_t)rounds), *first, median(l[0], (size_t)rounds), median(l[1], (size_t)rounds), *later,
           least, most, p->what);
    fflush(stdout);
    return true;
}

static const char help[] =
    "usage: patterns [--device N] [--only PREFIX] [--rounds N] [--ms N] [--library FILE] [--json FILE]\n"
    "Programs that differ in how they use memory and commands, bare and under yoke by turns: milliseconds of a "
    "program's\n"
    "first round and of later ones, and bare time over yoke's. Results are looked at. POCL_DEVICES: \"basic basic\" "
    "where\n"
    "it is not set.\n"
    "  --device N      bare: the N-th device of all platforms (0)\n"
    "  --only PREFIX   only patterns whose name begins so\n"
    "  --rounds N      pairs of processes for each, 1 to 99 (5)\n"
    "  --ms N          how long each process goes on (400)\n"
    "  --library FILE  libyoke.so (default: of this build)\n"
    "  --json FILE     write the figures to FILE too\n";

static void clean_up(void)
{
    again_remove(scratch);
}

static int probe(char **argv)
{
    for (unsigned i = 0; i < patterns_n; i++)
        if (!strcmp(argv[2], patterns[i].name))
            return patterns_probe(&patterns[i], (unsigned)atoi(argv[3]), atoi(argv[4]));
    return 2;
}

int main(int argc, char **argv)
{
    if (argc == 5 && !strcmp(argv[1], "--probe"))
        return probe(argv);
    static const struct option options[] = {{"device", 1, 0, 'd'}, {"only", 1, 0, 'o'}, {"rounds", 1, 0, 'r'},
                                            {"ms", 1, 0, 'm'},     {"json", 1, 0, 'j'}, {"library", 1, 0, 'l'},
                                            {"help", 0, 0, 'h'},   {0, 0, 0, 0}};
    const char *json = NULL, *only = "";
    bool ok = again_find();
    for (int o; ok && (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (o == 'h') {
            fputs(help, stdout);
            return 0;
        }
        if (o == 'l' && !realpath(optarg, again_library)) {
            fprintf(stderr, "patterns: %s: %s\n", optarg, strerror(errno));
            return 2;
        }
        only = o == 'o' ? optarg : only;
        json = o == 'j' ? optarg : json;
        ok = o != '?' && (o != 'd' || again_number(optarg, 0, 255, &device)) &&
             (o != 'r' || again_number(optarg, 1, MOST_ROUNDS, &rounds)) &&
             (o != 'm' || again_number(optarg, 1, 60000, &ms));
    }
    if (!ok || optind < argc) {
        fputs(help, stderr);
        return 2;
    }
    setenv("POCL_DEVICES", "basic basic", 0);
    (void)yk_temp_name("patterns", scratch, sizeof scratch);
    if (!mkdtemp(scratch)) {
        perror("patterns: a folder for caches");
        return 1;
    }
    atexit(clean_up);
    static double all[2][256];
    size_t n = 0;
    printf("%-16s %9s %9s %7s | %9s %9s %7s  %s\n", "", "bare ms", "yoke ms", "first", "bare ms", "yoke ms", "later",
           "from to");
    for (unsigned i = 0; i < patterns_n; i++)
        if (!strncmp(patterns[i].name, only, strlen(only)) && measure(&patterns[i], &all[0][n], &all[1][n]))
            n++;
    if (!n) {
        fprintf(stderr, "patterns: nothing measured\n");
        return 1;
    }
    figure("patterns.worst_first", quantile(all[0], n, 0), "ratio");
    figure("patterns.worst", quantile(all[1], n, 0), "ratio");
    figure("patterns.median", median(all[1], n), "ratio");
    return figure_finish(json);
}
