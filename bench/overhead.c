/* What yoke costs a program that it does not help: each measurement is made by a plain OpenCL program
 * (overhead_probe.c, this program again), bare and with libyoke.so preloaded by turns, round after round; medians over
 * the rounds. The figures are medians of the rounds' differences. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/temp.h"
#include "bench/again.h"
#include "bench/figure.h"
#include "bench/median.h"
#include "bench/overhead_probe.h"

enum { MOST_ROUNDS = 99, MOST_ROWS = 32, NAME_MAX_ = 32, LINGER_MS = 2000, CACHED_RUNS = 8 };

static int rounds = 9, exec_rounds = 100, build_rounds = 5, call_ms = 40;

/* One measurement: a value per round and way. */
static struct row {
    char name[NAME_MAX_];
    int n[2];
    double value[2][MOST_ROUNDS];
} row[MOST_ROWS];
static int nrows;

static void keep(const char *name, int way, double value)
{
    int i = 0;
    while (i < nrows && strcmp(row[i].name, name))
        i++;
    if (i == MOST_ROWS || row[i].n[way] == MOST_ROUNDS)
        return;
    if (i == nrows)
        snprintf(row[nrows++].name, NAME_MAX_, "%s", name);
    row[i].value[way][row[i].n[way]++] = value;
}

/* Start this program as the probe KIND, WAY 1 under yoke, and read what it prints. SUFFIX is put behind the names.
 * False, with a message: it failed. */
static bool probe(const char *kind, int arg, int way, const char *suffix)
{
    char number[16];
    snprintf(number, sizeof number, "%d", arg);
    char *argv[] = {again_self, (char[]){"--probe"}, strdup(kind), number, NULL};
    pid_t pid;
    if (!argv[2]) {
        perror("overhead");
        exit(1);
    }
    uint64_t from = yk_now_ns();
    FILE *f = again_start(argv, way, &pid);
    free(argv[2]);
    char line[128], name[NAME_MAX_ - 8], full[NAME_MAX_];
    double value;
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "%23s %lf", name, &value) == 2) {
            snprintf(full, sizeof full, "%s%s", name, suffix);
            keep(full, way, value);
        }
    int status = again_end(f, pid);
    if (!strcmp(kind, "nothing") || !strcmp(kind, "platforms"))
        keep(kind, way, (double)(yk_now_ns() - from) * 1e-6);
    if (!WIFEXITED(status) || WEXITSTATUS(status)) {
        fprintf(stderr, "overhead: the probe '%s' failed %s\n", kind, way ? "under yoke" : "bare");
        return false;
    }
    return true;
}

/* Build and first launch, with caches that are empty, and again with what those runs have left in them: so often, by
 * turns and each first as often as the other, since one differs from the next by several times what is looked for. */
static bool build_round(void)
{
    char folder[2][PATH_MAX] = {"", ""};
    bool ok = true;
    for (int i = -1; i < CACHED_RUNS && ok; i++)
        for (int k = 0; k < 2 && ok; k++) {
            int way = k ^ (i & 1);
            if (i < 0)
                (void)yk_temp_name("overhead", folder[way], PATH_MAX);
            if (i < 0 && !mkdtemp(folder[way])) {
                perror("overhead: a folder for caches");
                exit(1);
            }
            setenv("POCL_CACHE_DIR", folder[way], 1);
            setenv("XDG_CACHE_HOME", folder[way], 1);
            setenv("XDG_DATA_HOME", folder[way], 1);
            ok = i < 0 ? probe("build", LINGER_MS, way, "") : probe("build", 0, way, "_cached");
        }
    for (int way = 0; way < 2; way++)
        again_remove(folder[way]);
    return ok;
}

static const struct {
    const char *row, *unit, *what;
    double scale;
    const char *figure; /* NULL: shown only */
} table[] = {
    {"setarg_scalar", "ns", "clSetKernelArg, 4 bytes", 1, "setarg_ns"},
    {"setarg_mem", "ns", "clSetKernelArg, buffer", 1, "setarg_mem_ns"},
    {"launch_finish", "ns", "empty kernel, enqueue + finish", 1, "launch_finish_ns"},
    {"set_launch_finish", "ns", "4 arguments, small kernel, finish", 1, NULL},
    {"launch_event", "ns", "empty kernel, wait for its event", 1, NULL},
    {"read64", "ns", "blocking read of 64 bytes", 1, "read64_ns"},
    {"write64", "ns", "blocking write of 64 bytes", 1, NULL},
    {"in_flight", "us", "1000 empty kernels, then finish", 1e-3, "in_flight_1000_us"},
    {"build_first", "ms", "build + first launch", 1, "build_first_ms"},
    {"build_first_cached", "ms", "build + first launch, cached", 1, "build_first_cached_ms"},
    {"nothing", "ms", "process without an OpenCL call", 1, "exec_ms"},
    {"platforms", "ms", "process that lists platforms", 1, "platforms_ms"},
    {"memory_buffer", "B", "heap per buffer of 64 bytes", 1, "memory_buffer"},
    {"memory_kernel", "B", "heap per kernel", 1, "memory_kernel"},
    {"memory_event", "B", "heap per event of a launch", 1, "memory_event"},
    {"memory_queue", "B", "heap per command-queue", 1, "memory_queue"},
};

static const struct row *find_row(const char *name)
{
    for (int i = 0; i < nrows; i++)
        if (!strcmp(row[i].name, name))
            return &row[i];
    return NULL;
}

/* Median of the rounds' differences; false: no rounds. */
static bool difference(const struct row *r, double *median, double *low, double *high)
{
    double d[MOST_ROUNDS];
    int n = r ? (r->n[0] < r->n[1] ? r->n[0] : r->n[1]) : 0;
    for (int i = 0; i < n; i++)
        d[i] = r->value[1][i] - r->value[0][i];
    if (!n)
        return false;
    *median = quantile(d, (size_t)n, 0.5);
    *low = quantile(d, (size_t)n, 0.25);
    *high = quantile(d, (size_t)n, 0.75);
    return true;
}

static void print_table(const char *devices)
{
    printf("\nPOCL_DEVICES=\"%s\"%47s\n", devices, "difference");
    printf("%-34s %4s %10s %10s %10s  %s\n", "", "unit", "bare", "yoke", "median", "half of the rounds between");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct row *r = find_row(table[i].row);
        double d, low, high, s = table[i].scale;
        if (difference(r, &d, &low, &high))
            printf("%-34s %4s %10.4g %10.4g %10.4g  %.4g and %.4g\n", table[i].what, table[i].unit,
                   s * quantile(r->value[0], (size_t)r->n[0], 0.5), s * quantile(r->value[1], (size_t)r->n[1], 0.5),
                   s * d, s * low, s * high);
    }
    fflush(stdout);
}

/* Figures are kept by name until the end. */
static struct {
    char name[64];
    const char *unit;
    double value;
} due[2 * sizeof table / sizeof *table];
static size_t ndue;

static void note_figures(const char *prefix)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        double d, low, high;
        if (table[i].figure && difference(find_row(table[i].row), &d, &low, &high)) {
            snprintf(due[ndue].name, sizeof due[ndue].name, "%s.%s", prefix, table[i].figure);
            due[ndue].unit = table[i].unit;
            due[ndue++].value = d * table[i].scale;
        }
    }
}

static bool run(const char *devices, const char *prefix)
{
    bool ok = true;
    memset(row, 0, sizeof row);
    nrows = 0;
    if (devices)
        setenv("POCL_DEVICES", devices, 1);
    for (int i = 0; i < build_rounds && ok; i++)
        ok = build_round();
    unsetenv("POCL_CACHE_DIR");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("XDG_DATA_HOME");
    for (int i = 0; i < rounds && ok; i++)
        for (int way = 0; way < 2 && ok; way++)
            ok = probe("calls", call_ms, way, "");
    for (int i = 0; i < exec_rounds && ok; i++)
        for (int way = 0; way < 2 && ok; way++)
            ok = probe("nothing", 0, way, "") && (i >= rounds || probe("platforms", 0, way, ""));
    if (!ok)
        return false;
    print_table(getenv("POCL_DEVICES"));
    note_figures(prefix);
    return true;
}

static const char help[] =
    "usage: overhead [--json FILE] [--rounds N] [--build-rounds N] [--exec-rounds N] [--ms N] [--library FILE]\n"
    "What yoke costs per call, per build, per process and per object, against the bare driver. POCL_DEVICES is left "
    "as\n"
    "it is where set; else the figures are those of \"basic\", and a second table and figures overhead.two.* show\n"
    "\"basic basic\".\n"
    "  --json FILE       write the figures to FILE too\n"
    "  --rounds N        processes per way for the calls, 1 to 99 (9)\n"
    "  --build-rounds N  the same for build and first launch, 0 to 99 (5)\n"
    "  --exec-rounds N   the same for process start, 0 to 99 (99)\n"
    "  --ms N            time per call measured and process (40)\n"
    "  --library FILE    libyoke.so (default: of this build)\n";

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "--probe"))
        return overhead_probe(argv[2], atoi(argv[3]));
    static const struct option options[] = {
        {"json", 1, 0, 'j'}, {"rounds", 1, 0, 'r'},  {"build-rounds", 1, 0, 'b'}, {"exec-rounds", 1, 0, 'e'},
        {"ms", 1, 0, 'm'},   {"library", 1, 0, 'l'}, {"help", 0, 0, 'h'},         {0, 0, 0, 0}};
    const char *json = NULL, *given = NULL;
    exec_rounds = MOST_ROUNDS;
    bool ok = again_find();
    for (int o; ok && (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (o) {
        case 'j':
            json = optarg;
            break;
        case 'r':
            ok = again_number(optarg, 1, MOST_ROUNDS, &rounds);
            break;
        case 'b':
            ok = again_number(optarg, 0, MOST_ROUNDS, &build_rounds);
            break;
        case 'e':
            ok = again_number(optarg, 0, MOST_ROUNDS, &exec_rounds);
            break;
        case 'm':
            ok = again_number(optarg, 1, 10000, &call_ms);
            break;
        case 'l':
            given = optarg;
            break;
        case 'h':
            fputs(help, stdout);
            return 0;
        default:
            ok = false;
        }
    }
    if (!ok || optind != argc) {
        fputs(help, stderr);
        return 2;
    }
    if (given && !realpath(given, again_library)) {
        fprintf(stderr, "overhead: %s: %s\n", given, strerror(errno));
        return 1;
    }
    if (access(again_library, R_OK)) {
        fprintf(stderr, "overhead: %s: %s\n", again_library, strerror(errno));
        return 1;
    }
    const char *devices = getenv("POCL_DEVICES");
    if (devices && *devices)
        ok = run(NULL, "overhead");
    else
        ok = run("basic", "overhead") && run("basic basic", "overhead.two");
    if (!ok)
        return 1;
    for (size_t i = ndue; i--;) /* the one-device figures last */
        if (strncmp(due[i].name, "overhead.two.", 13) == 0)
            figure(due[i].name, due[i].value, due[i].unit);
    for (size_t i = 0; i < ndue; i++)
        if (strncmp(due[i].name, "overhead.two.", 13) != 0)
            figure(due[i].name, due[i].value, due[i].unit);
    return figure_finish(json);
}
