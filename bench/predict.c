/* How well is the time of a kernel predicted that nobody has run? Each program of bench/apps is run under yoke with a
 * trace, which has the measured whole launches and the counts of the kernels' instructions. Then each program in turn
 * is left out, a regression tree is grown from the others, and its launches are predicted. Beside it: one constant rate
 * per work-item, and one per instruction (as a device of constant capacity would have).
 *
 *     bench/predict [--json FILE] [TRACE...]
 *
 * With traces given (named PROGRAM.json) nothing is run. POCL_DEVICES: "basic basic" where it is not set; launches of
 * the only device there is are not analysed. */
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/temp.h"
#include "bench/figure.h"
#include "profiler/regress.h"

enum { MOST = 4096, COUNTS = 18 };
static const char *const apps[] = {
    "aes_encrypt",     "aes_decrypt",      "binomial_option", "black_scholes", "histogram",
    "matrix_multiply", "matrix_transpose", "quasi_random",    "reduction",     "scan",
    "vector_add",      "stencil2d",        "nbody",           "bfs",           "spmv",
    "kmeans",          "convolution"};
enum { APPS = sizeof apps / sizeof *apps };

static struct yk_regress_row row[MOST];
static int program[MOST];
static double work[MOST]; /* instructions of a work-item, each counted once */
static size_t n;

/* A launch: its decision (counts, items), then its run. */
static void read_trace(int app, const char *file)
{
    char line[8192];
    double counts[COUNTS], items = 0, local = 0, read = 0;
    long long launch = -1;
    FILE *f = fopen(file, "r");
    while (f && fgets(line, sizeof line, f)) {
        const char *c = strstr(line, "\"counts\":["), *at;
        if (c) {
            c += 10;
            for (int i = 0; i < COUNTS; i++) {
                char *end;
                counts[i] = strtod(c, &end);
                c = end + 1;
            }
            items = (at = strstr(line, "\"items\":")) ? atof(at + 8) : 0;
            local = (at = strstr(line, "\"local\":")) ? atof(at + 8) : 0;
            read = (at = strstr(line, "\"read\":")) ? atof(at + 7) : 0;
            launch = (at = strstr(line, "\"launch\":")) ? atoll(at + 9) : -1;
            continue;
        }
        at = strstr(line, "\"launch\":");
        if (!strstr(line, "\"whole\":true") || !at || atoll(at + 9) != launch || n == MOST)
            continue;
        double us = (at = strstr(line, "\"dur\":")) ? atof(at + 6) : 0;
        if (!(us > 0) || !(items > 0))
            continue;
        struct yk_regress_row *r = &row[n];
        memset(r, 0, sizeof *r);
        work[n] = 1;
        for (int i = 0; i < COUNTS; i++) {
            r->feature[i] = counts[i];
            work[n] += i < 16 ? counts[i] : 0;
        }
        r->feature[COUNTS] = log(items);
        r->feature[COUNTS + 1] = local;
        r->feature[COUNTS + 2] = log(read / items + 1);
        r->target = log(us / items);
        program[n++] = app;
    }
    if (f)
        fclose(f);
}

static void run_app(const char *build, int app, const char *trace)
{
    pid_t pid = fork();
    if (pid == 0) {
        char path[PATH_MAX + 64], library[PATH_MAX + 64];
        snprintf(path, sizeof path, "%s/bench/apps/%s", build, apps[app]);
        snprintf(library, sizeof library, "%s/libyoke.so", build);
        setenv("LD_PRELOAD", library, 1);
        setenv("YOKE_TRACE", trace, 1);
        setenv("YOKE_STRATEGY", "single:0", 1); /* whole, and analysed */
        execl(path, path, "--no-verify", "--repeat", "3", (char *)NULL);
        _exit(127);
    }
    int status;
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
        fprintf(stderr, "predict: %s fails\n", apps[app]);
}

static int compare(const void *a, const void *b)
{
    double d = *(const double *)a - *(const double *)b;
    return d < 0 ? -1 : d > 0;
}

static double median(double *v, size_t count)
{
    qsort(v, count, sizeof *v, compare);
    return count ? v[count / 2] : NAN;
}

/* |predicted - real| / real, of logarithms. */
static double off(double predicted, double real)
{
    return fabs(exp(predicted - real) - 1);
}

int main(int argc, char **argv)
{
    static struct yk_regress_row others[MOST];
    static double tree[MOST], items[MOST], instructions[MOST], rate[MOST], per[MOST];
    static struct yk_regress t;
    const char *json = NULL;
    char build[PATH_MAX], folder[PATH_MAX], trace[sizeof folder + 24];
    int given = 0;
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--json") && i + 1 < argc) {
            json = argv[++i];
        } else {
            given++;
            for (int a = 0; a < APPS; a++)
                if (strstr(argv[i], apps[a]))
                    read_trace(a, argv[i]);
        }
    ssize_t used = readlink("/proc/self/exe", build, sizeof build - 1);
    build[used > 0 ? used : 0] = 0;
    for (int up = 0; up < 2 && strrchr(build, '/'); up++)
        *strrchr(build, '/') = 0;
    if (!given && (yk_temp_name("predict", folder, sizeof folder) != YK_OK || !mkdtemp(folder))) {
        perror("predict: a folder for traces");
        return 1;
    }
    setenv("POCL_DEVICES", "basic basic", 0);
    for (int a = 0; a < APPS && !given; a++) {
        snprintf(trace, sizeof trace, "%s/%d.json", folder, a);
        for (int again = 0; again < 2; again++) { /* the first one fills the driver's cache */
            unlink(trace);
            run_app(build, a, trace);
        }
        read_trace(a, trace);
        unlink(trace);
    }
    if (!given)
        rmdir(folder);
    if (!n) {
        fprintf(stderr, "predict: no whole launch with its kernel's counts is in the traces: are there two devices?\n");
        return 1;
    }
    printf("%zu launches\n", n);
    size_t scored = 0;
    for (int a = 0; a < APPS; a++) {
        size_t k = 0, first = scored;
        for (size_t i = 0; i < n; i++)
            if (program[i] != a) {
                rate[k] = row[i].target;
                per[k] = row[i].target - log(work[i]);
                others[k++] = row[i];
            }
        if (!k || yk_regress_train(&t, others, k, 5, 3) != YK_OK)
            continue;
        double constant = median(rate, k), capacity = median(per, k);
        for (size_t i = 0; i < n; i++)
            if (program[i] == a) {
                tree[scored] = off(yk_regress_value(&t, row[i].feature), row[i].target);
                items[scored] = off(constant, row[i].target);
                instructions[scored++] = off(capacity + log(work[i]), row[i].target);
            }
        double own[MOST];
        memcpy(own, tree + first, (scored - first) * sizeof *own);
        printf("%-18s %5zu launches, median error %.2f\n", apps[a], scored - first, median(own, scored - first));
    }
    figure("predict.tree_median_error", median(tree, scored), "of_real");
    figure("predict.constant_rate_median_error", median(items, scored), "of_real");
    figure("predict.constant_capacity_median_error", median(instructions, scored), "of_real");
    return figure_finish(json);
}
