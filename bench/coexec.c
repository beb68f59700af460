/* Programs of bench/apps on two devices that run side by side, under yoke, beside each device alone on the bare driver
 * in the same run. Ideal: 1 / (1/T0 + 1/T1), T from the first enqueue to the last finish. Cold: nothing remembered of
 * yoke's (new cache and data folders; the driver's own cache as the bare runs have left it). Warm: after some runs and
 * what they have left to be compiled beside them. End to end: from the start of the process to the last finish.
 * Reachable: the ideal of T with both devices running the whole program at once, bare: what they share besides yoke
 * (memory, caches) is in it.
 *
 *     POCL_DEVICES="basic basic" bench/coexec [--apps A,B] [--sizes table2,table2x16] [--rounds N] [--keep FILE]
 * [--json FILE] bench/coexec --from FILE
 *
 * --keep appends a line per program, --from makes the figures from such lines, so that a long run can be cut in pieces.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "bench/figure.h"

enum { ROUNDS = 15, PREPARE = 4 };
static const char all_apps[] =
    "aes_encrypt,aes_decrypt,binomial_option,black_scholes,histogram,matrix_multiply,"
    "matrix_transpose,quasi_random,reduction,scan,vector_add,stencil2d,nbody,bfs,spmv,kmeans,"
    "convolution";
/* Beyond this, 16 times the size is not run. */
static const double longest_ms = 1000;

struct times {
    double ms, total;
};

struct row {
    char app[64], size[32];
    struct times bare[2], beside[2], cold, warm;
};

/* A program under way; its output comes from FD. */
struct process {
    pid_t pid;
    int fd;
};

static char build[PATH_MAX], scratch[64] = "/tmp/coexec.XXXXXX", library[PATH_MAX + 16];

static void die(const char *what)
{
    fprintf(stderr, "coexec: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void environment(bool yoke, const char *folder)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s/cache", scratch, folder);
    setenv("XDG_CACHE_HOME", path, 1);
    snprintf(path, sizeof path, "%s/%s/data", scratch, folder);
    setenv("XDG_DATA_HOME", path, 1);
    snprintf(path, sizeof path, "%s/%s/pocl", scratch, folder);
    setenv("POCL_CACHE_DIR", path, 1);
    if (yoke)
        setenv("LD_PRELOAD", library, 1);
}

/* DEVICE below 0: under yoke. */
static struct process start(const struct row *r, int device, const char *folder)
{
    int pipefd[2];
    char number[16], app[PATH_MAX + 128];
    if (pipe2(pipefd, O_CLOEXEC))
        die("pipe");
    snprintf(app, sizeof app, "%s/bench/apps/%s", build, r->app);
    snprintf(number, sizeof number, "%d", device < 0 ? 0 : device);
    struct process p = {fork(), pipefd[0]};
    if (p.pid < 0)
        die("fork");
    if (!p.pid) {
        environment(device < 0, folder);
        dup2(pipefd[1], 1);
        execl(app, app, "--size", r->size, "--device", number, "--no-verify", (char *)NULL);
        _exit(127);
    }
    close(pipefd[1]);
    return p;
}

/* False: it failed (PoCL 3.1 aborts now and then). */
static bool finish(struct process p, struct times *t)
{
    int status;
    char text[4096] = "";
    size_t used = 0;
    for (ssize_t n; (n = read(p.fd, text + used, sizeof text - 1 - used)) > 0;)
        used += (size_t)n;
    close(p.fd);
    if (waitpid(p.pid, &status, 0) != p.pid || !WIFEXITED(status) || WEXITSTATUS(status))
        return false;
    const char *a = strstr(text, "time_ms="), *b = strstr(text, "total_ms=");
    return a && b && sscanf(a, "time_ms=%lf", &t->ms) == 1 && sscanf(b, "total_ms=%lf", &t->total) == 1;
}

static void give_up(const struct row *r, const char *how)
{
    fprintf(stderr, "coexec: %s --size %s fails%s\n", r->app, r->size, how);
    exit(1);
}

static void run(const struct row *r, int device, const char *folder, struct times *t)
{
    for (int attempt = 0; attempt < 4; attempt++)
        if (finish(start(r, device, folder), t))
            return;
    give_up(r, device < 0 ? " under yoke" : "");
}

/* Both devices, bare, at once. */
static void run_beside(const struct row *r, struct times t[2])
{
    for (int attempt = 0; attempt < 4; attempt++) {
        struct process a = start(r, 0, "bare"), b = start(r, 1, "bare");
        bool first = finish(a, &t[0]), second = finish(b, &t[1]);
        if (first && second)
            return;
    }
    give_up(r, " beside itself");
}

static int compare(const void *a, const void *b)
{
    double d = *(const double *)a - *(const double *)b;
    return d < 0 ? -1 : d > 0;
}

static struct times median(const struct times *t, int n)
{
    double a[2 * ROUNDS], b[2 * ROUNDS];
    for (int i = 0; i < n; i++)
        a[i] = t[i].ms, b[i] = t[i].total;
    qsort(a, (size_t)n, sizeof *a, compare);
    qsort(b, (size_t)n, sizeof *b, compare);
    return (struct times){a[n / 2], b[n / 2]};
}

/* Until nothing that a run has left to be compiled is at work any more. */
static void settle(void)
{
    for (int i = 0; i < 100; i++) {
        bool busy = false;
        FILE *f = popen("pgrep -x yoke-warm", "r");
        busy = f && fgetc(f) != EOF;
        if (f)
            pclose(f);
        if (!busy)
            return;
        nanosleep(&(struct timespec){0, 200000000}, NULL);
    }
}

/* A new folder whose driver's cache is as the bare runs have left it. */
static void begin(const char *folder)
{
    char command[512];
    snprintf(command, sizeof command, "mkdir -m 700 '%s/%s' && cp -r '%s/bare/pocl' '%s/%s/pocl'", scratch, folder,
             scratch, scratch, folder);
    if (system(command))
        die(folder);
}

static void measure(struct row *r, int rounds)
{
    struct times bare[2][2 * ROUNDS], beside[2][ROUNDS], cold[ROUNDS], warm[ROUNDS], t;
    char folder[80];
    static int number;
    for (int d = 0; d < 2; d++)
        run(r, d, "bare", &t); /* fills the driver's cache */
    number++;
    for (int i = 0; i < rounds; i++) {
        for (int d = 0; d < 2; d++)
            run(r, d, "bare", &bare[d][i]);
        struct times both[2];
        run_beside(r, both);
        for (int d = 0; d < 2; d++)
            beside[d][i] = both[d];
        snprintf(folder, sizeof folder, "cold%d-%d", number, i);
        begin(folder);
        run(r, -1, folder, &cold[i]);
        settle();
    }
    snprintf(folder, sizeof folder, "warm%d", number);
    begin(folder);
    for (int i = 0; i < PREPARE; i++) {
        run(r, -1, folder, &t);
        settle();
    }
    for (int i = 0; i < rounds; i++) {
        run(r, -1, folder, &warm[i]);
        for (int d = 0; d < 2; d++) /* the machine's moods meet both */
            run(r, d, "bare", &bare[d][rounds + i]);
    }
    for (int d = 0; d < 2; d++) {
        r->bare[d] = median(bare[d], 2 * rounds);
        r->beside[d] = median(beside[d], rounds);
    }
    r->cold = median(cold, rounds);
    r->warm = median(warm, rounds);
}

static double together(const struct times t[2])
{
    return 1 / (1 / t[0].ms + 1 / t[1].ms);
}

static double ideal(const struct row *r)
{
    return together(r->bare);
}

static const struct times *fastest(const struct row *r)
{
    return r->bare[0].total < r->bare[1].total ? &r->bare[0] : &r->bare[1];
}

static void print(const struct row *r)
{
    printf("%-17s%-10s %9.2f %9.2f %9.2f %9.2f | cold %9.2f %5.3f %5.3f | warm %9.2f %5.3f %5.3f\n", r->app, r->size,
           r->bare[0].ms, r->bare[1].ms, ideal(r), together(r->beside), r->cold.ms, ideal(r) / r->cold.ms,
           fastest(r)->total / r->cold.total, r->warm.ms, ideal(r) / r->warm.ms, fastest(r)->total / r->warm.total);
    fflush(stdout);
}

static void keep(const char *file, const struct row *r)
{
    FILE *f = fopen(file, "a");
    if (!f)
        die(file);
    fprintf(f, "%s %s", r->app, r->size);
    const struct times *t[] = {&r->bare[0], &r->bare[1], &r->beside[0], &r->beside[1], &r->cold, &r->warm};
    for (int i = 0; i < 6; i++)
        fprintf(f, " %.4f %.4f", t[i]->ms, t[i]->total);
    fputc('\n', f);
    if (fclose(f))
        die(file);
}

struct sums {
    double warm, cold, warm_gain, reachable, n, worst, worst_cold, worst_warm;
};

static void add(struct sums *s, const struct row *r)
{
    double cold = fastest(r)->total / r->cold.total, warm = fastest(r)->total / r->warm.total;
    s->warm += log(ideal(r) / r->warm.ms);
    s->cold += log(ideal(r) / r->cold.ms);
    s->reachable += log(ideal(r) / together(r->beside));
    s->warm_gain += log(fmin(r->bare[0].ms, r->bare[1].ms) / r->warm.ms);
    s->n++;
    s->worst_cold = fmin(s->worst_cold, cold);
    s->worst_warm = fmin(s->worst_warm, warm);
    s->worst = fmin(s->worst, fmin(cold, warm));
}

static int figures(const struct sums *s, const char *json)
{
    if (!s->n)
        return 1;
    figure("coexec.warm_geomean", exp(s->warm / s->n), "of_ideal");
    figure("coexec.cold_geomean", exp(s->cold / s->n), "of_ideal");
    figure("coexec.reachable_geomean", exp(s->reachable / s->n), "of_ideal");
    figure("coexec.warm_over_fastest", exp(s->warm_gain / s->n), "times");
    figure("coexec.worst_vs_fastest", s->worst, "ratio");
    figure("coexec.worst_vs_fastest_cold", s->worst_cold, "ratio");
    figure("coexec.worst_vs_fastest_warm", s->worst_warm, "ratio");
    return figure_finish(json);
}

static void from(const char *file, struct sums *s)
{
    struct row r;
    FILE *f = fopen(file, "r");
    if (!f)
        die(file);
    while (fscanf(f, "%63s %31s %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf", r.app, r.size, &r.bare[0].ms,
                  &r.bare[0].total, &r.bare[1].ms, &r.bare[1].total, &r.beside[0].ms, &r.beside[0].total,
                  &r.beside[1].ms, &r.beside[1].total, &r.cold.ms, &r.cold.total, &r.warm.ms, &r.warm.total) == 14) {
        print(&r);
        add(s, &r);
    }
    fclose(f);
}

static int usage(FILE *to)
{
    fputs("usage: coexec [--apps A,B] [--sizes table2,table2x16] [--rounds N] [--keep FILE] [--json FILE]\n"
          "       coexec --from FILE [--json FILE]\n"
          "Programs of bench/apps on two devices under yoke, beside each device alone on the bare driver, cold and "
          "warm.\n"
          "--keep appends a line per program to FILE, --from makes the figures from such lines. POCL_DEVICES: \"basic\n"
          "basic\" where it is not set. Takes 20 minutes on a quiet machine.\n",
          to);
    return to == stdout ? 0 : 2;
}

static void places(const char *argv0)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        die(argv0);
    self[n] = 0;
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(self, '/');
        if (slash)
            *slash = 0;
    }
    snprintf(build, sizeof build, "%s", self);
    snprintf(library, sizeof library, "%s/libyoke.so", build);
    if (!mkdtemp(scratch))
        die(scratch);
    char path[128];
    snprintf(path, sizeof path, "%s/bare", scratch);
    if (mkdir(path, 0700))
        die(path);
    snprintf(path, sizeof path, "%s/bare/pocl", scratch);
    if (mkdir(path, 0700))
        die(path);
}

static void remove_scratch(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", scratch);
    if (system(command))
        fprintf(stderr, "coexec: %s is left\n", scratch);
}

int main(int argc, char **argv)
{
    const char *apps = all_apps, *sizes = "table2,table2x16", *file = NULL, *json = NULL, *old = NULL;
    int rounds = 5;
    struct sums s = {.worst = 1e9, .worst_cold = 1e9, .worst_warm = 1e9};
    for (int i = 1; i < argc; i += 2) {
        if (!strcmp(argv[i], "--help"))
            return usage(stdout);
        const char *v = i + 1 < argc ? argv[i + 1] : NULL;
        if (!v)
            return usage(stderr);
        if (!strcmp(argv[i], "--apps"))
            apps = v;
        else if (!strcmp(argv[i], "--sizes"))
            sizes = v;
        else if (!strcmp(argv[i], "--rounds"))
            rounds = atoi(v) < 1 ? 1 : atoi(v) > ROUNDS ? ROUNDS : atoi(v);
        else if (!strcmp(argv[i], "--keep"))
            file = v;
        else if (!strcmp(argv[i], "--json"))
            json = v;
        else if (!strcmp(argv[i], "--from"))
            old = v;
        else
            return usage(stderr);
    }
    if (!getenv("POCL_DEVICES"))
        setenv("POCL_DEVICES", "basic basic", 1);
    printf("%-17s%-10s %9s %9s %9s %9s | ms, of ideal, end to end over the fastest device\n", "", "", "T0 ms", "T1 ms",
           "ideal", "reachable");
    if (old) {
        from(old, &s);
        return figures(&s, json);
    }
    places(argv[0]);
    char list[1024], *next;
    snprintf(list, sizeof list, "%s", apps);
    for (char *app = strtok_r(list, ",", &next); app; app = strtok_r(NULL, ",", &next)) {
        char two[128], *size_next;
        snprintf(two, sizeof two, "%s", sizes);
        for (char *size = strtok_r(two, ",", &size_next); size; size = strtok_r(NULL, ",", &size_next)) {
            struct row r = {0};
            struct times t;
            snprintf(r.app, sizeof r.app, "%s", app);
            snprintf(r.size, sizeof r.size, "%s", size);
            run(&r, 0, "bare", &t);
            run(&r, 0, "bare", &t);
            if (strcmp(size, "table2") && t.ms > longest_ms) {
                printf("%-17s%-10s %9.2f  longer than is asked for\n", app, size, t.ms);
                continue;
            }
            measure(&r, rounds);
            print(&r);
            add(&s, &r);
            if (file)
                keep(file, &r);
        }
    }
    remove_scratch();
    return figures(&s, json);
}
