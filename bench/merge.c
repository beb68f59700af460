/* How fast partial outputs are put together, against memcpy of the same bytes in the same run.
 *
 * figure merge.difference: byte difference (shim/merge), the worst of: nothing changed, half of the buffer changed in
 * one piece (what one of two devices leaves), every byte changed, one byte in eight changed everywhere. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "shim/merge/diff.h"

enum { ROUNDS = 15 };

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
    FILE *json = NULL;
    if (argc == 3 && !strcmp(argv[1], "--json")) {
        json = fopen(argv[2], "w");
        if (!json) {
            fprintf(stderr, "bench/merge: %s: %s\n", argv[2], strerror(errno));
            return 1;
        }
    } else if (argc != 1) {
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
    printf("%zu MiB: ms of byte difference, of memcpy, ratio of speeds\n", bytes >> 20);
    for (size_t i = 0; i < sizeof pattern / sizeof *pattern; i++) {
        pattern[i].make();
        memcpy(master, before, bytes);
        double merge = best_ms(true), copy = best_ms(false), ratio = copy / merge;
        printf("  %-10s %8.2f %8.2f %6.2f\n", pattern[i].name, merge, copy, ratio);
        worst = ratio < worst ? ratio : worst;
    }
    printf("figure merge.difference %.3f x\n", worst);
    if (json) {
        fprintf(json, "{\"merge.difference\": %.3f}\n", worst);
        fclose(json);
    }
    free(before);
    free(device);
    free(master);
    return 0;
}
