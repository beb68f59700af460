/* How close a program whose data starts and ends on the host comes to the longest of its three stages: bytes in,
 * kernel, bytes out. Programs of apps/ with --rounds or rounds of their own, bare and with libyoke.so preloaded; the
 * stages are measured in the same run: copies at the link's rate (the driver's from pinned memory), the kernel by its
 * events in the bare run. Reachable: the same, but while bytes go both ways no more than the link carries both ways at
 * once (pinned, in the same run), half of it each way, which is less than one way alone. With --link the device is
 * taken for one with memory of its own behind a link of that rate (the fault backend), and "bare" is yoke without parts
 * and rings. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/env.h"
#include "base/temp.h"
#include "bench/again.h"
#include "bench/figure.h"
#include "bench/plot.h"
#include "bench/transfer_probe.h"

extern char **environ;

/* Bytes of one unit of --size in and out, and those that every part of the launch needs. */
static const struct program {
    const char *name, *mode;
    double in, out, fused;
    unsigned step; /* of the size */
    bool square;   /* the size is the side of a square */
} programs[] = {
    {"vector_add", "--rounds", 8, 4, 0, 256, false},
    {"black_scholes", "--rounds", 4, 8, 0, 1024, false},
    {"scalar_product", "--profile", 8192, 4, 0, 1, false},
    {"monte_carlo", "--profile", 16, 8, 4096, 256, false},
    {"dct", "--profile", 4, 4, 256, 32, true},
    {"filter_bank", "--profile", 4, 4, 32768, 256, false},
    {"fft", "--profile", 8192, 8192, 0, 1, false},
};
enum { PROGRAMS = sizeof programs / sizeof *programs, SWEEP_MOST = 8, FIRST_BYTES = 1 << 16 };

static const char *device = "0", *rounds = "31";
static double link_rate; /* GB/s of a modelled link; 0: the device's own */

/* What a run of a program says of itself. */
struct run {
    double round_ms, kernel_ms;
    char hash[24];
    double parts; /* of a launch, on average */
};

static void unset_all(void)
{
    static const char *const names[] = {"LD_PRELOAD", "YOKE_DEVICES", "YOKE_PIPELINE",
                                        "YOKE_RING",  "YOKE_FAULT",   "YOKE_JSON"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
}

/* PIPELINE: as YOKE_PIPELINE; NULL: bare. */
static void set_environment(const char *pipeline, const char *json)
{
    char text[PATH_MAX + 32];
    unset_all();
    if (!pipeline && link_rate <= 0)
        return;
    snprintf(text, sizeof text, "%s/libyoke.so", again_folder);
    setenv("LD_PRELOAD", text, 1);
    setenv("YOKE_DEVICES", device, 1);
    setenv("YOKE_PIPELINE", !pipeline ? "off" : link_rate > 0 && !strcmp(pipeline, "auto") ? "32" : pipeline, 1);
    setenv("YOKE_JSON", json, 1);
    if (link_rate <= 0)
        return;
    setenv("YOKE_RING", "off", 1);
    snprintf(text, sizeof text, "own@0;link@0=%.0f", link_rate * 1e9);
    setenv("YOKE_FAULT", text, 1);
}

/* Start ARGV and read its output into TEXT. */
static bool run_child(char *const *argv, char *text, size_t n)
{
    int out[2], status = 0;
    pid_t pid;
    posix_spawn_file_actions_t actions;
    if (pipe(out))
        return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, out[0]);
    int err = posix_spawn(&pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(out[1]);
    FILE *f = err ? NULL : fdopen(out[0], "r");
    size_t got = f ? fread(text, 1, n - 1, f) : 0;
    text[got] = 0;
    if (f)
        fclose(f);
    while (!err && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (err || !WIFEXITED(status) || WEXITSTATUS(status)) {
        fprintf(stderr, "pipeline: %s failed: %s\n", argv[0], err ? strerror(err) : text);
        return false;
    }
    return true;
}

static double value_of(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    return at ? strtod(at + strlen(name), NULL) : NAN;
}

static double parts_of(const char *json)
{
    char text[8192];
    FILE *f = fopen(json, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[n] = 0;
    if (f)
        fclose(f);
    const char *at = strstr(text, "\"in_parts\"");
    double launches = at ? value_of(at, "\"launches\": ") : 0, parts = at ? value_of(at, "\"parts\": ") : 0;
    return launches > 0 ? parts / launches : 1;
}

static bool run_program(const struct program *p, unsigned long long size, const char *pipeline, struct run *r)
{
    char path[PATH_MAX + 64], number[32], text[4096], json[PATH_MAX];
    snprintf(path, sizeof path, "%s/bench/apps/%s", again_folder, p->name);
    snprintf(number, sizeof number, "%llu", size);
    int file = yk_temp_name("pipeline", json, sizeof json) == YK_OK ? mkstemp(json) : -1;
    if (file < 0)
        return false;
    close(file);
    const char *which = pipeline || link_rate > 0 ? "0" : device;
    /* One run of each three is verified; the others must leave the same bytes. */
    bool verify = pipeline && !strcmp(pipeline, "auto");
    char *argv[] = {path,
                    (char[]){"--size"},
                    number,
                    (char[]){"--repeat"},
                    strdup(rounds),
                    (char[]){"--device"},
                    strdup(which),
                    strdup(p->mode),
                    verify ? NULL : (char[]){"--no-verify"},
                    NULL};
    set_environment(pipeline, json);
    bool ok = argv[4] && argv[6] && argv[7] && run_child(argv, text, sizeof text);
    unset_all();
    const char *hash = ok ? strstr(text, "hash=") : NULL;
    if (hash) {
        r->round_ms = value_of(text, "round_ms=");
        r->kernel_ms = value_of(text, "kernel_ms=") / atof(rounds);
        snprintf(r->hash, sizeof r->hash, "%.16s", hash + 5);
        r->parts = parts_of(json);
    }
    unlink(json);
    free(argv[4]);
    free(argv[6]);
    free(argv[7]);
    return hash != NULL;
}

/* Rates of the link in GB/s, into RATE: in, out, both directions at once together (0: no less than in and out). */
static bool measure_link(unsigned long long bytes, double *rate)
{
    rate[0] = rate[1] = link_rate;
    rate[2] = 0;
    if (link_rate > 0)
        return true;
    char number[32], text[4096];
    snprintf(number, sizeof number, "%llu", bytes);
    char *argv[] = {again_self, (char[]){"--probe"}, strdup(device), number, NULL};
    unset_all();
    bool ok = argv[2] && run_child(argv, text, sizeof text);
    free(argv[2]);
    rate[0] = value_of(text, "write_pinned ");
    rate[1] = value_of(text, "read_pinned ");
    rate[2] = value_of(text, "both_pinned ");
    return ok && rate[0] > 0 && rate[1] > 0;
}

static unsigned long long size_for(const struct program *p, double bytes)
{
    double units = bytes / fmax(p->in, p->out), n = p->square ? sqrt(units) : units;
    unsigned long long size = (unsigned long long)(n / p->step) * p->step;
    return size ? size : p->step;
}

/* Time against the size of a part, as YOKE_PIPELINE=2, 4, ...; and what yoke chose. */
static bool sweep(const struct program *p, unsigned long long size, double most_bytes, const struct run *chosen,
                  const char *to)
{
    static struct plot plot;
    char title[96], name[64];
    snprintf(title, sizeof title, "%s: time of a round against the size of a part", p->name);
    plot_init(&plot, title, "MB of a part, in or out", "ms");
    printf("  %-16s", p->name);
    for (int i = 1; i <= SWEEP_MOST; i++) {
        char parts[8];
        struct run r;
        snprintf(parts, sizeof parts, "%d", 1 << i);
        if (!run_program(p, size, parts, &r))
            return false;
        printf(" %d:%.2f", 1 << i, r.round_ms);
        plot_point(&plot, "in 2 to 256 parts", most_bytes / 1e6 / r.parts, r.round_ms);
    }
    printf(" ms; chosen %.0f: %.2f ms\n", chosen->parts, chosen->round_ms);
    plot_point(&plot, "chosen", most_bytes / 1e6 / chosen->parts, chosen->round_ms);
    snprintf(name, sizeof name, "pipeline_%s", p->name);
    return plot_write(&plot, to, name);
}

/* One program's line. PRODUCT[0] is multiplied by its longest stage over measured, PRODUCT[1] by what the link lets it
 * reach. False: it failed. */
static bool measure(const struct program *p, double bytes, const double *rate, const char *svg, double *product)
{
    unsigned long long size = size_for(p, bytes);
    double units = p->square ? (double)size * (double)size : (double)size, in = units * p->in, out = units * p->out;
    struct run bare, whole, parts, first;
    /* The first run of a program on a machine has its kernels read; the figure is of later ones. */
    if (!run_program(p, size_for(p, FIRST_BYTES), "force", &first) || !run_program(p, size, NULL, &bare) ||
        !run_program(p, size, "off", &whole) || !run_program(p, size, "auto", &parts))
        return false;
    double fused_ms = p->fused / rate[0] / 1e6, in_ms = in / rate[0] / 1e6, out_ms = out / rate[1] / 1e6;
    double stage_ms = fused_ms + fmax(fmax(in_ms, out_ms), bare.kernel_ms);
    /* Each way has half of what both carry, while there is something to go both ways. */
    double beside = fmin(in, out), after = in > out ? (in - out) / rate[0] : (out - in) / rate[1];
    double link_ms = rate[2] > 0 ? fmax(stage_ms, fused_ms + (2 * beside / rate[2] + after) / 1e6) : stage_ms;
    printf("%-15s %10llu %8.1f %8.1f %8.2f %8.2f %8.2f %9.2f %9.2f %9.2f %5.0f %7.3f %9.3f %7.2f%s\n", p->name, size,
           in / 1e6, out / 1e6, in_ms, bare.kernel_ms, out_ms, bare.round_ms, whole.round_ms, parts.round_ms,
           parts.parts, stage_ms / parts.round_ms, link_ms / parts.round_ms, bare.round_ms / parts.round_ms,
           strcmp(bare.hash, parts.hash) || strcmp(bare.hash, whole.hash) ? "  OTHER BYTES THAN BARE" : "");
    fflush(stdout);
    product[0] *= stage_ms / parts.round_ms;
    product[1] *= link_ms / parts.round_ms;
    if (strcmp(bare.hash, parts.hash) || strcmp(bare.hash, whole.hash))
        return false;
    return !svg || sweep(p, size, fmax(in, out), &parts, svg);
}

static const char help[] =
    "usage: pipeline [--device N] [--bytes N] [--rounds N] [--only NAME] [--link BYTES/S] [--svg FOLDER] [--json "
    "FILE]\n"
    "Programs whose data starts and ends on the host, against the longest of copy-in, kernel and copy-out.\n"
    "  --device N     the device, in the loader's order (0)\n"
    "  --bytes N      of a round, in or out, whichever is more (512M)\n"
    "  --rounds N     of a measurement; the median counts (31)\n"
    "  --only NAME    this program alone\n"
    "  --link RATE    the device stands for one with memory of its own behind such a link, as 200M; no bare run\n"
    "  --svg FOLDER   also time against the size of a part, to FOLDER/pipeline_NAME.svg\n"
    "  --json FILE    write the figures to FILE too\n";

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "--probe")) {
        unsigned on = (unsigned)atoi(argv[2]);
        unsigned long long each = strtoull(argv[3], NULL, 10);
        return transfer_probe("pinned", on, each, 5) || transfer_probe("both_pinned", on, each, 5);
    }
    static const struct option options[] = {{"device", 1, 0, 'd'}, {"bytes", 1, 0, 'b'}, {"rounds", 1, 0, 'r'},
                                            {"only", 1, 0, 'o'},   {"link", 1, 0, 'l'},  {"svg", 1, 0, 's'},
                                            {"json", 1, 0, 'j'},   {"help", 0, 0, 'h'},  {0, 0, 0, 0}};
    const char *json = NULL, *only = NULL, *svg = NULL;
    uint64_t bytes = 512 << 20, rate = 0;
    bool ok = again_find();
    for (int o; ok && (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (o) {
        case 'd':
            device = optarg;
            break;
        case 'b':
            ok = yk_parse_bytes(optarg, &bytes) == YK_OK && bytes > 0;
            break;
        case 'r':
            rounds = optarg;
            ok = atoi(optarg) > 0;
            break;
        case 'o':
            only = optarg;
            break;
        case 'l':
            ok = yk_parse_bytes(optarg, &rate) == YK_OK && rate > 0;
            link_rate = (double)rate * 1e-9;
            break;
        case 's':
            svg = optarg;
            break;
        case 'j':
            json = optarg;
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
    double product[2] = {1, 1}, link[3];
    int n = 0;
    if (!measure_link(bytes, link))
        return 1;
    printf("link: %.1f GB/s in, %.1f out, %.1f both ways at once\n", link[0], link[1],
           link[2] > 0 ? link[2] : link[0] + link[1]);
    printf("%-15s %10s %8s %8s %8s %8s %8s %9s %9s %9s %5s %7s %9s %7s\n", "", "size", "MB in", "MB out", "in ms",
           "kernel", "out ms", link_rate > 0 ? "plain" : "bare", "yoke off", "yoke", "parts", "of best", "reachable",
           "x bare");
    for (int i = 0; i < PROGRAMS; i++)
        if (!only || !strcmp(only, programs[i].name)) {
            if (!measure(&programs[i], (double)bytes, link, svg, product))
                return 1;
            n++;
        }
    if (!n) {
        fprintf(stderr, "pipeline: there is no program %s\n", only);
        return 2;
    }
    figure("pipeline.stage_over_measured", pow(product[0], 1.0 / n), "x");
    figure("pipeline.reachable_over_measured", pow(product[1], 1.0 / n), "x");
    return figure_finish(json);
}
