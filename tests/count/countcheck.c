/* countcheck LOG: what reached the drivers. countcheck --bare LOG LOG: the launches of a program in the first log, run
 * bare, are exactly made up of boxes in the second. Exit status: 0 so it is, 1 it is not, 2 wrong use. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/count/cover.h"

static const char usage[] =
    "usage: countcheck [options] LOG\n"
    "  --bare LOG           log of the same program run without yoke: check each of its launches\n"
    "  --split-at-least N   at least N launches on two and more devices\n"
    "  --min-share PERCENT  each device of a split launch has at least that much of its work-groups\n"
    "  --devices N          split launches use N devices each\n"
    "  --extra-ok           further launches of the same kernels are no error (repeats after a fault)\n"
    "  --json               on stdout, as one object\n"
    "  --pid N, --bare-pid N  only that process of a log\n";

struct wanted {
    const char *bare;
    long split_at_least, devices, pid, bare_pid;
    double min_share;
    bool extra_ok, json;
};

static void quoted(const char *s)
{
    putchar('"');
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            putchar('\\');
        if ((unsigned char)*s >= ' ')
            putchar(*s);
    }
    putchar('"');
}

static void totals(const struct count_log *log, bool json)
{
    if (json)
        printf("\"devices\": [");
    for (unsigned d = 0; d < log->devices; d++) {
        unsigned long launches = 0;
        for (size_t i = 0; i < log->launch.n; i++)
            launches += log->launch.v[i].device == d;
        if (json) {
            printf("%s{\"name\": ", d ? ", " : "");
            quoted(log->device[d]);
            printf(", \"launches\": %lu", launches);
        } else {
            printf("device %u (%s): %lu launches", d, log->device[d], launches);
        }
        for (int k = 0; k < COUNT_KINDS; k++) {
            if (json)
                printf(", \"%s\": {\"calls\": %lu, \"bytes\": %lu}", count_kind[k], (unsigned long)log->calls[d][k],
                       (unsigned long)log->bytes[d][k]);
            else if (log->calls[d][k])
                printf(", %s %lu x %lu B", count_kind[k], (unsigned long)log->calls[d][k],
                       (unsigned long)log->bytes[d][k]);
        }
        printf(json ? "}" : "\n");
    }
    if (json)
        printf("]");
}

static double smallest(const struct cover_result *r)
{
    uint64_t least = r->total;
    for (unsigned d = 0; d < COUNT_DEVICES; d++)
        if (r->groups[d] && r->groups[d] < least)
            least = r->groups[d];
    return r->total ? 100. * (double)least / (double)r->total : 0;
}

static void report(size_t i, const struct count_launch *l, const struct cover_result *r, bool json)
{
    const char *sep = "";
    if (json) {
        printf("%s{\"kernel\": \"%s\", \"ok\": %s, \"boxes\": %u, \"smallest_share\": %.2f, \"shares\": {",
               i ? ", " : "", l->kernel, r->ok ? "true" : "false", r->boxes, r->ok ? smallest(r) : 0);
    } else if (!r->ok) {
        printf("launch %zu of %s: WRONG: %s\n", i, l->kernel, r->why);
        return;
    } else {
        printf("launch %zu of %s: %u boxes, work-groups", i, l->kernel, r->boxes);
    }
    for (unsigned d = 0; d < COUNT_DEVICES; d++) {
        if (!r->groups[d])
            continue;
        printf(json ? "%s\"%u\": %lu" : "%s %u:%lu", sep, d, (unsigned long)r->groups[d]);
        sep = json ? ", " : "";
    }
    if (json)
        printf("}}");
    else
        printf(", smallest share %.1f %%\n", smallest(r));
}

/* Launches of kernels of the program that no launch of it owns. */
static unsigned long extras(const struct count_log *bare, const struct count_log *log)
{
    unsigned long n = 0;
    for (size_t i = 0; i < log->launch.n; i++) {
        if (log->launch.v[i].launch >= 0)
            continue;
        bool known = false;
        for (size_t b = 0; b < bare->launch.n && !known; b++)
            known = !strcmp(bare->launch.v[b].kernel, log->launch.v[i].kernel);
        n += known;
    }
    return n;
}

static bool check(struct count_log *bare, struct count_log *log, const struct wanted *w)
{
    unsigned long split = 0, wrong = 0;
    bool ok = true;
    if (w->json)
        printf("\"launches\": [");
    for (size_t i = 0; i < bare->launch.n; i++) {
        struct cover_result r = cover(&bare->launch.v[i], log, (long)i);
        report(i, &bare->launch.v[i], &r, w->json);
        wrong += !r.ok;
        if (!r.ok || r.devices < 2)
            continue;
        split++;
        if (smallest(&r) < w->min_share || (w->devices && r.devices != (unsigned long)w->devices)) {
            fprintf(stderr, "countcheck: launch %zu of %s: %u devices, smallest share %.1f %%\n", i,
                    bare->launch.v[i].kernel, r.devices, smallest(&r));
            ok = false;
        }
    }
    unsigned long extra = extras(bare, log);
    if (w->json)
        printf("], \"split\": %lu, \"whole\": %lu, \"wrong\": %lu, \"extra\": %lu, ", split,
               (unsigned long)bare->launch.n - split - wrong, wrong, extra);
    else
        printf("%zu launches: %lu split, %lu whole, %lu wrong; %lu further launches of these kernels\n", bare->launch.n,
               split, (unsigned long)bare->launch.n - split - wrong, wrong, extra);
    if (split < (unsigned long)w->split_at_least) {
        fprintf(stderr, "countcheck: %lu launches split, %ld wanted\n", split, w->split_at_least);
        ok = false;
    }
    if (extra && !w->extra_ok) {
        fprintf(stderr, "countcheck: %lu launches that the program did not make\n", extra);
        ok = false;
    }
    if (!bare->launch.n) {
        fprintf(stderr, "countcheck: the bare log has no launch: nothing is shown\n");
        ok = false;
    }
    return ok && !wrong;
}

static bool number(const char *text, double max, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && !*end && *value >= 0 && *value <= max;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"bare", 1, NULL, 'b'},    {"split-at-least", 1, NULL, 's'}, {"min-share", 1, NULL, 'm'},
        {"devices", 1, NULL, 'd'}, {"extra-ok", 0, NULL, 'x'},       {"json", 0, NULL, 'j'},
        {"pid", 1, NULL, 'p'},     {"bare-pid", 1, NULL, 'q'},       {NULL, 0, NULL, 0}};
    struct wanted w = {0};
    double v = 0;
    bool good = true;
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (strchr("smdpq", c))
            good = good && number(optarg, c == 'm' ? 100 : 1e15, &v);
        switch (c) {
        case 'b':
            w.bare = optarg;
            break;
        case 's':
            w.split_at_least = (long)v;
            break;
        case 'm':
            w.min_share = v;
            break;
        case 'd':
            w.devices = (long)v;
            break;
        case 'x':
            w.extra_ok = true;
            break;
        case 'j':
            w.json = true;
            break;
        case 'p':
            w.pid = (long)v;
            break;
        case 'q':
            w.bare_pid = (long)v;
            break;
        default:
            good = false;
        }
    }
    if (!good || optind + 1 != argc) {
        fputs(usage, stderr);
        return 2;
    }
    static struct count_log log, bare;
    char err[512];
    if (!count_log_read(argv[optind], w.pid, &log, err, sizeof err) ||
        (w.bare && !count_log_read(w.bare, w.bare_pid, &bare, err, sizeof err))) {
        fprintf(stderr, "countcheck: %s\n", err);
        return 2;
    }
    bool ok = true;
    if (w.json)
        printf("{");
    if (w.bare)
        ok = check(&bare, &log, &w);
    totals(&log, w.json);
    if (w.json)
        printf("}\n");
    count_log_finish(&log);
    count_log_finish(&bare);
    return ok ? 0 : 1;
}
