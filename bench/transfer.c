/* How fast a program's ordinary memory gets to and from a device: a plain OpenCL program (transfer_probe.c, this
 * program again), bare and with libyoke.so preloaded, against the driver's own rate from pinned memory in the same run;
 * and GPU to GPU through the ring and through mailboxes (transfer_ring.c). */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/env.h"
#include "bench/again.h"
#include "bench/figure.h"
#include "bench/transfer_probe.h"
#include "bench/transfer_ring.h"

enum { MOST = 128, SMALL_RUNS = 9 };

static const char *device = "0";
static uint64_t bytes = 1 << 30;
static int repeat = 21;

static struct row {
    char name[32];
    double value[2]; /* bare, under yoke; 0: not measured */
} row[MOST];
static int nrows;

static struct row *row_of(const char *name)
{
    int i = 0;
    while (i < nrows && strcmp(row[i].name, name))
        i++;
    if (i == nrows && nrows < MOST)
        snprintf(row[nrows++].name, sizeof row[i].name, "%s", name);
    return i < MOST ? &row[i] : &row[MOST - 1];
}

static double value(const char *name, int way)
{
    return row_of(name)->value[way];
}

static void set_environment(bool yoke)
{
    if (yoke) {
        setenv("YOKE_DEVICES", device, 1);
    } else {
        unsetenv("YOKE_DEVICES");
    }
}

/* Start this program as the probe KIND, WAY 1 under yoke, and read what it prints; of small times the best of
 * several runs by turns is kept, since where a process comes to lie makes a fifth of them. */
static bool probe(const char *kind, int way)
{
    char n[32], r[16], which[16];
    snprintf(n, sizeof n, "%llu", (unsigned long long)bytes);
    snprintf(r, sizeof r, "%d", repeat);
    snprintf(which, sizeof which, "%s", way ? "0" : device);
    char *argv[] = {again_self, (char[]){"--probe"}, strdup(kind), which, n, r, NULL};
    pid_t pid;
    if (!argv[2]) {
        perror("transfer");
        exit(1);
    }
    set_environment(way);
    FILE *f = again_start(argv, way, &pid);
    set_environment(false);
    free(argv[2]);
    char line[128], name[32];
    double v;
    bool small = !strcmp(kind, "small");
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "%31s %lf", name, &v) == 2) {
            struct row *at = row_of(name);
            if (!small || at->value[way] == 0 || v < at->value[way])
                at->value[way] = v;
        }
    int status = again_end(f, pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    fprintf(stderr, "transfer: the probe '%s' failed %s\n", kind, way ? "under yoke" : "bare");
    return false;
}

static void print_table(void)
{
    printf("%-16s %10s %10s\n", "", "bare", "yoke");
    for (int i = 0; i < nrows; i++)
        printf("%-16s %10.4g %10.4g  %s\n", row[i].name, row[i].value[0], row[i].value[1],
               strpbrk(row[i].name, "0123456789") ? "us" : "GB/s");
}

static double worst_small(void)
{
    double worst = 0;
    for (int i = 0; i < nrows; i++)
        if (strpbrk(row[i].name, "0123456789") && row[i].value[0] > 0 && row[i].value[1] / row[i].value[0] > worst)
            worst = row[i].value[1] / row[i].value[0];
    return worst;
}

static const char help[] =
    "usage: transfer [--device N] [--to N] [--bytes N] [--repeat N] [--sweep] [--json FILE]\n"
    "Rates between ordinary memory and a device, bare and under yoke, beside the driver's rate from pinned memory.\n"
    "  --device N   the device, in the loader's order (0)\n"
    "  --to N       also from the device to this one, through a ring and through mailboxes\n"
    "  --bytes N    of a large transfer (1G)\n"
    "  --repeat N   transfers per measurement, 1 to 60 (21)\n"
    "  --sweep      instead: rates of the ring by chunk, slots, threads and size\n"
    "  --json FILE  write the figures to FILE too\n";

int main(int argc, char **argv)
{
    if (argc == 6 && !strcmp(argv[1], "--probe"))
        return transfer_probe(argv[2], (unsigned)atoi(argv[3]), strtoull(argv[4], NULL, 10), atoi(argv[5]));
    static const struct option options[] = {{"device", 1, 0, 'd'}, {"to", 1, 0, 't'},    {"bytes", 1, 0, 'b'},
                                            {"repeat", 1, 0, 'r'}, {"sweep", 0, 0, 's'}, {"json", 1, 0, 'j'},
                                            {"help", 0, 0, 'h'},   {0, 0, 0, 0}};
    const char *json = NULL, *to = NULL;
    bool ok = again_find(), sweep = false;
    for (int o; ok && (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (o) {
        case 'd':
            device = optarg;
            break;
        case 't':
            to = optarg;
            break;
        case 'b':
            ok = yk_parse_bytes(optarg, &bytes) == YK_OK && bytes > 0;
            break;
        case 'r':
            repeat = atoi(optarg);
            ok = repeat > 0 && repeat <= 60;
            break;
        case 's':
            sweep = true;
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
    if (sweep)
        return transfer_sweep((unsigned)atoi(device), bytes, repeat);
    ok = probe("pinned", 0) && probe("both_pinned", 0) && probe("large", 0) && probe("large", 1) && probe("both", 0) &&
         probe("both", 1) && probe("made", 0) && probe("made", 1) && probe("mapped", 0) && probe("mapped", 1);
    for (int i = 0; i < 2 * SMALL_RUNS && ok; i++)
        ok = probe("small", i % 2);
    if (!ok)
        return 1;
    print_table();
    figure("transfer.write_of_pinned", value("write", 1) / value("write_pinned", 0), "x");
    figure("transfer.read_of_pinned", value("read", 1) / value("read_pinned", 0), "x");
    figure("transfer.write_over_bare", value("write", 1) / value("write", 0), "x");
    figure("transfer.read_over_bare", value("read", 1) / value("read", 0), "x");
    figure("transfer.both_over_one", value("both", 1) / value("one", 1), "x");
    figure("transfer.both_of_pinned", value("both", 1) / value("both_pinned", 0), "x");
    figure("transfer.made_over_bare", value("made", 1) / value("made", 0), "x");
    figure("transfer.rows_over_bare", value("rows", 1) / value("rows", 0), "x");
    figure("transfer.mapped_first_over_bare", value("mapped_first", 1) / value("mapped_first", 0), "x");
    figure("transfer.mapped_over_bare", value("mapped", 1) / value("mapped", 0), "x");
    figure("transfer.host_ptr_over_bare", value("host_ptr", 1) / value("host_ptr", 0), "x");
    figure("transfer.small_worst", worst_small(), "x");
    if (to) {
        double gbs = transfer_between((unsigned)atoi(device), (unsigned)atoi(to), bytes, repeat);
        if (gbs < 0) {
            fprintf(stderr, "transfer: device %s to %s through a ring failed\n", device, to);
            return 1;
        }
        figure("transfer.gpu_to_gpu_ring", gbs, "GB/s");
        gbs = transfer_by_mailbox((unsigned)atoi(device), (unsigned)atoi(to), bytes, repeat);
        if (gbs < 0) {
            fprintf(stderr, "transfer: device %s to %s through mailboxes failed\n", device, to);
            return 1;
        }
        if (gbs > 0)
            figure("transfer.gpu_to_gpu_mailbox", gbs, "GB/s");
    }
    return figure_finish(json);
}
