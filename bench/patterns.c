/* Is any way of using memory and commands slower under yoke? Each pattern (patterns_probe.c) is a plain OpenCL program,
 * this one again, run bare and with libyoke.so preloaded by turns, round after round; ratios are of the two of a round,
 * medians over the rounds. Caches and what yoke learns last from one round to the next; a first one does not count. */
#include <errno.h>
#include <ftw.h>
#include <getopt.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/temp.h"
#include "bench/figure.h"
#include "bench/patterns_probe.h"

enum { MOST_ROUNDS = 99, ATTEMPTS = 3 /* PoCL 3.1 aborts now and then */ };

extern char **environ;

static char self[PATH_MAX], library[PATH_MAX + 16], scratch[PATH_MAX];
static int rounds = 5, ms = 400, device;

struct took {
    double first, later;
    char none[64]; /* why the device cannot do it; else "" */
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
    if (way)
        setenv("LD_PRELOAD", library, 1);
    else
        unsetenv("LD_PRELOAD");
}

/* False: ended by a signal. */
static bool run_once(const char *name, int way, struct took *t)
{
    char number[16], time[16], line[128];
    char *argv[] = {self, (char[]){"--probe"}, strdup(name), number, time, NULL};
    int out[2], status = 0;
    pid_t pid;
    posix_spawn_file_actions_t actions;
    snprintf(number, sizeof number, "%d", device);
    snprintf(time, sizeof time, "%d", ms);
    if (!argv[2] || pipe(out)) {
        perror("patterns");
        exit(1);
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, out[0]);
    caches(way);
    int err = posix_spawn(&pid, self, &actions, NULL, argv, environ);
    close(out[1]);
    posix_spawn_file_actions_destroy(&actions);
    free(argv[2]);
    FILE *f = fdopen(out[0], "r");
    if (err || !f) {
        fprintf(stderr, "patterns: %s: %s\n", self, strerror(err ? err : errno));
        exit(1);
    }
    *t = (struct took){0};
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "first %lf", &t->first) != 1 && sscanf(line, "later %lf", &t->later) != 1)
            sscanf(line, "none %63[^\n]", t->none);
    fclose(f);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && !WEXITSTATUS(status))
        return true;
    if (!WIFSIGNALED(status)) { /* a wrong result, or an error: final */
        fprintf(stderr, "patterns: %s failed, %s\n", name, way ? "under yoke" : "bare");
        exit(1);
    }
    fprintf(stderr, "patterns: %s ended by signal %d, %s\n", name, WTERMSIG(status), way ? "under yoke" : "bare");
    return false;
}

static void run(const char *name, int way, struct took *t)
{
    for (int i = 0; i < ATTEMPTS; i++)
        if (run_once(name, way, t))
            return;
    exit(1);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *v, int n)
{
    double sorted[MOST_ROUNDS];
    memcpy(sorted, v, (size_t)n * sizeof *v);
    qsort(sorted, (size_t)n, sizeof *v, by_value);
    return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/* Bare time over yoke's, of first rounds and later ones; false: the device cannot do it. */
static bool measure(const struct patterns_pattern *p, double *first, double *later)
{
    static double f[3][MOST_ROUNDS], l[3][MOST_ROUNDS];
    struct took t[2];
    double least = 1e9, most = 0;
    for (int way = 0; way < 2; way++)
        run(p->name, way, &t[way]);
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
    *first = median(f[2], rounds);
    *later = median(l[2], rounds);
    printf("%-16s %9.3f %9.3f %7.3f | %9.3f %9.3f %7.3f  %.2f to %.2f  %s\n", p->name, median(f[0], rounds),
           median(f[1], rounds), *first, median(l[0], rounds), median(l[1], rounds), *later, least, most, p->what);
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

static bool number(const char *text, int low, int high, int *out)
{
    char *end;
    errno = 0;
    long v = strtol(text, &end, 10);
    if (errno || end == text || *end || v < low || v > high) {
        fprintf(stderr, "patterns: %s is no number from %d to %d\n", text, low, high);
        return false;
    }
    *out = (int)v;
    return true;
}

static bool find_self(void)
{
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return false;
    self[n] = 0;
    snprintf(library, sizeof library, "%s", self);
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(library, '/');
        if (slash)
            *slash = 0;
    }
    strcat(library, "/libyoke.so");
    return true;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path);
}

static void clean_up(void)
{
    nftw(scratch, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
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
    bool ok = find_self();
    for (int o; ok && (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (o == 'h') {
            fputs(help, stdout);
            return 0;
        }
        if (o == 'l' && !realpath(optarg, library)) {
            fprintf(stderr, "patterns: %s: %s\n", optarg, strerror(errno));
            return 2;
        }
        only = o == 'o' ? optarg : only;
        json = o == 'j' ? optarg : json;
        ok = o != '?' && (o != 'd' || number(optarg, 0, 255, &device)) &&
             (o != 'r' || number(optarg, 1, MOST_ROUNDS, &rounds)) && (o != 'm' || number(optarg, 1, 60000, &ms));
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
    int n = 0;
    printf("%-16s %9s %9s %7s | %9s %9s %7s  %s\n", "", "bare ms", "yoke ms", "first", "bare ms", "yoke ms", "later",
           "from to");
    for (unsigned i = 0; i < patterns_n; i++)
        if (!strncmp(patterns[i].name, only, strlen(only)) && measure(&patterns[i], &all[0][n], &all[1][n]))
            n++;
    if (!n) {
        fprintf(stderr, "patterns: nothing measured\n");
        return 1;
    }
    for (int k = 0; k < 2; k++)
        qsort(all[k], (size_t)n, sizeof all[k][0], by_value);
    figure("patterns.worst_first", all[0][0], "ratio");
    figure("patterns.worst", all[1][0], "ratio");
    figure("patterns.median", median(all[1], n < MOST_ROUNDS ? n : MOST_ROUNDS), "ratio");
    return figure_finish(json);
}
