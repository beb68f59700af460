/* How fast partial outputs are put together, against memcpy of the same bytes in the same run.
 *
 * figure merge.exact: regions read from a CPU device's buffer of its own, in one piece and as rows; the worse
 * figure merge.kernel: merge kernels on a CPU device (they compute nothing any more, but find their way): a guard that
 * depends on data, which all or half of the work-items pass; the worse. It reads the guard's data besides
 * figure merge.kernel_indexed: one whose address is read from an index, number by number: no copy in one piece
 * figure merge.difference: byte difference (shim/merge), the worst of: nothing changed, half of the buffer changed in
 * one piece (what one of two devices leaves), every byte changed, one byte in eight changed everywhere. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "bench/figure.h"
#include "bench/merge_device.h"
#include "shim/merge/diff.h"

enum { ROUNDS = MERGE_ROUNDS };

static unsigned char *before, *device, *master;
static size_t bytes = 64u << 20;

static double best_ms(bool merge)
{
    double best = 1e30;
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t t = yk_now_ns();
        if (merge)
            yk_diff_merge(master, device, before, bytes);
        else
            memcpy(master, device, bytes);
        double ms = (double)(yk_now_ns() - t) * 1e-6;
        best = ms < best ? ms : best;
    }
    return best;
}

static void nothing(void)
{
    memcpy(device, before, bytes);
}

static void half(void)
{
    nothing();
    for (size_t i = 0; i < bytes / 2; i++)
        device[i] = (unsigned char)(before[i] + 1);
}

static void every(void)
{
    for (size_t i = 0; i < bytes; i++)
        device[i] = (unsigned char)(before[i] + 1);
}

static void scattered(void)
{
    nothing();
    for (size_t i = 0; i < bytes; i += 8)
        device[i] = (unsigned char)(before[i] + 1);
}

static const struct {
    const char *name;
    void (*make)(void);
} pattern[] = {{"nothing", nothing}, {"half", half}, {"every", every}, {"scattered", scattered}};

int main(int argc, char **argv)
{
    const char *json = argc == 3 && !strcmp(argv[1], "--json") ? argv[2] : NULL;
    if (argc != 1 && !json) {
        fprintf(stderr, "usage: merge [--json FILE]\n");
        return 2;
    }
    before = malloc(bytes);
    device = malloc(bytes);
    master = malloc(bytes);
    if (!before || !device || !master) {
        fprintf(stderr, "bench/merge: no memory\n");
        return 1;
    }
    unsigned x = 1;
    for (size_t i = 0; i < bytes; i++)
        before[i] = (unsigned char)((x = x * 1664525 + 1013904223) >> 24);
    double worst = 1e30;
    printf("%zu MiB: ms, of memcpy, ratio of speeds\n", bytes >> 20);
    for (size_t i = 0; i < sizeof pattern / sizeof *pattern; i++) {
        pattern[i].make();
        memcpy(master, before, bytes);
        double merge = best_ms(true), copy = best_ms(false), ratio = copy / merge;
        printf("  difference, %-10s %8.2f %8.2f %6.2f\n", pattern[i].name, merge, copy, ratio);
        worst = ratio < worst ? ratio : worst;
    }
    double exact = merge_exact(bytes);
    struct merge_kernel kernel = merge_kernel(bytes);
    if (exact >= 0)
        figure("merge.exact", exact, "x");
    if (kernel.worst >= 0) {
        figure("merge.kernel", kernel.worst, "x");
        figure("merge.kernel_indexed", kernel.indexed, "x");
    }
    figure("merge.difference", worst, "x");
    free(before);
    free(device);
    free(master);
    if (exact < 0 || kernel.worst < 0)
        fprintf(stderr, "bench/merge: no CPU device, or no yoke-transform beside libyoke.so\n");
    int status = figure_finish(json);
    return exact < 0 || kernel.worst < 0 ? 1 : status;
}
