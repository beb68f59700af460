/* The runs of bench/coexec: programs as processes of their own, bare, modelled and under yoke. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/temp.h"
#include "bench/coexec.h"

enum { PREPARE = 4 };
/* A process that takes less is run more often. */
static const double short_ms = 400;
enum way { DEVICE_0, DEVICE_1, YOKE, LINEAR };

/* A program under way; its output comes from FD. */
struct process {
    pid_t pid;
    int fd;
};

static char build[PATH_MAX], scratch[PATH_MAX / 2], library[PATH_MAX + 16];
static char intel_libraries[PATH_MAX], intel_driver[PATH_MAX]; /* "": not looked for yet */

static void die(const char *what)
{
    fprintf(stderr, "coexec: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* Is DEVICE's time alone a modelled one? */
static bool modelled(const struct coexec_pair *p, enum way device)
{
    char name[16];
    snprintf(name, sizeof name, "@%d", (int)device);
    return device <= DEVICE_1 && p->fault && strstr(p->fault, name);
}

static void drivers_of_intel(void)
{
    setenv("OCL_ICD_VENDORS", intel_driver, 1);
    setenv("LD_LIBRARY_PATH", intel_libraries, 1);
    setenv("DPCPP_CPU_NUM_CUS", "1", 1);
    setenv("POCL_DEVICES", "basic", 1);
    setenv("YOKE_NUMERICS", "any", 1);
}

static void environment(const struct coexec_pair *p, enum way way, const char *folder, const char *trace)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s/cache", scratch, folder);
    setenv("XDG_CACHE_HOME", path, 1);
    snprintf(path, sizeof path, "%s/%s/data", scratch, folder);
    setenv("XDG_DATA_HOME", path, 1);
    snprintf(path, sizeof path, "%s/%s/pocl", scratch, folder);
    setenv("POCL_CACHE_DIR", path, 1);
    if (p->intel)
        drivers_of_intel();
    else
        setenv("POCL_DEVICES", "basic basic", 0);
    if (way <= DEVICE_1 && !modelled(p, way))
        return;
    setenv("LD_PRELOAD", library, 1);
    if (p->fault)
        setenv("YOKE_FAULT", p->fault, 1);
    if (trace)
        setenv("YOKE_TRACE", trace, 1);
    if (way == LINEAR)
        setenv("YOKE_STRATEGY", "linear", 1);
    if (way <= DEVICE_1) { /* nothing but what the script makes of the device */
        setenv("YOKE_DEVICES", way == DEVICE_0 ? "0" : "1", 1);
        setenv("YOKE_SPLIT", "0", 1);
    }
}

static struct process start(const struct coexec_pair *pair, const struct coexec_row *r, enum way way,
                            const char *folder, const char *trace)
{
    int pipefd[2];
    char app[PATH_MAX + 128];
    if (pipe2(pipefd, O_CLOEXEC))
        die("pipe");
    snprintf(app, sizeof app, "%s/bench/apps/%s", build, r->app);
    struct process p = {fork(), pipefd[0]};
    if (p.pid < 0)
        die("fork");
    if (!p.pid) {
        environment(pair, way, folder, trace);
        dup2(pipefd[1], 1);
        execl(app, app, "--size", r->size, "--device", way == DEVICE_1 && !modelled(pair, way) ? "1" : "0",
              "--no-verify", (char *)NULL);
        _exit(127);
    }
    close(pipefd[1]);
    return p;
}

/* Processor time of all programs of the machine, in seconds; that of ours that have ended; time itself. */
struct clocks {
    double all, ours, now;
};

static struct clocks clocks(void)
{
    struct clocks c = {0};
    struct rusage u;
    struct timespec t;
    double v[8] = {0};
    FILE *f = fopen("/proc/stat", "r");
    if (f &&
        fscanf(f, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]) == 8)
        c.all =
            (v[0] + v[1] + v[2] + v[5] + v[6] + v[7]) / (double)sysconf(_SC_CLK_TCK); /* idle and waiting left out */
    if (f)
        fclose(f);
    getrusage(RUSAGE_CHILDREN, &u);
    clock_gettime(CLOCK_MONOTONIC, &t);
    c.ours = (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
    c.now = (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
    return c;
}

/* What others had while our programs ran alone: yoke's leave helpers behind that are nobody's children. */
static double others_s, alone_s;

/* False: it failed (PoCL 3.1 aborts now and then). */
static bool finish(struct process p, struct coexec_times *t)
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

static void give_up(const struct coexec_pair *pair, const struct coexec_row *r, const char *how)
{
    fprintf(stderr, "coexec: %s --size %s on the devices \"%s\" fails%s\n", r->app, r->size, pair->name, how);
    exit(1);
}

static void run(const struct coexec_pair *pair, const struct coexec_row *r, enum way way, const char *folder,
                const char *trace, struct coexec_times *t)
{
    for (int attempt = 0; attempt < 4; attempt++) {
        if (trace)
            unlink(trace);
        if (finish(start(pair, r, way, folder, trace), t))
            return;
    }
    give_up(pair, r, way >= YOKE ? " under yoke" : "");
}

/* What a modelled device leaves in the driver's cache is yoke's program of it, which a first run must not find. */
static const char *folder_of(const struct coexec_pair *pair, enum way device)
{
    return modelled(pair, device) ? "model" : "bare";
}

static void run_alone(const struct coexec_pair *pair, const struct coexec_row *r, enum way device,
                      struct coexec_times *t)
{
    struct clocks before = clocks();
    run(pair, r, device, folder_of(pair, device), NULL, t);
    struct clocks after = clocks();
    others_s += after.all - before.all - (after.ours - before.ours);
    alone_s += after.now - before.now;
}

/* Both devices, bare, at once. */
static void run_beside(const struct coexec_pair *pair, const struct coexec_row *r, struct coexec_times t[2])
{
    for (int attempt = 0; attempt < 4; attempt++) {
        struct process a = start(pair, r, DEVICE_0, folder_of(pair, DEVICE_0), NULL),
                       b = start(pair, r, DEVICE_1, folder_of(pair, DEVICE_1), NULL);
        bool first = finish(a, &t[0]), second = finish(b, &t[1]);
        if (first && second)
            return;
    }
    give_up(pair, r, " beside itself");
}

static int compare(const void *a, const void *b)
{
    double d = *(const double *)a - *(const double *)b;
    return d < 0 ? -1 : d > 0;
}

static struct coexec_times median(const struct coexec_times *t, int n)
{
    double a[2 * COEXEC_ROUNDS], b[2 * COEXEC_ROUNDS];
    for (int i = 0; i < n; i++)
        a[i] = t[i].ms, b[i] = t[i].total;
    qsort(a, (size_t)n, sizeof *a, compare);
    qsort(b, (size_t)n, sizeof *b, compare);
    return (struct coexec_times){a[n / 2], b[n / 2]};
}

/* Until nothing that a run has left to be compiled is at work any more. */
static void settle(void)
{
    for (int i = 0; i < 100; i++) {
        bool busy = false;
        FILE *f = popen("pgrep -x -r D,R,S yoke-warm", "r");
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
    char command[3 * PATH_MAX];
    snprintf(command, sizeof command, "mkdir -m 700 '%s/%s' && cp -r '%s/bare/pocl' '%s/%s/pocl'", scratch, folder,
             scratch, scratch, folder);
    if (system(command))
        die(folder);
}

/* Device 1 alone, bare, where its driver has compiled nothing before. */
static struct coexec_times fresh(const struct coexec_pair *pair, const struct coexec_row *r, int count)
{
    struct coexec_times t = {0};
    char folder[80], path[PATH_MAX];
    if (modelled(pair, DEVICE_1))
        return t;
    snprintf(folder, sizeof folder, "fresh%d", count);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s%s", scratch, folder, i ? "/pocl" : "");
        if (mkdir(path, 0700))
            die(path);
    }
    run(pair, r, DEVICE_1, folder, NULL, &t);
    return t;
}

/* The median of N values, which are sorted. */
static double middle(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, compare);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* N runs T against those of their rounds on each device alone. */
static struct coexec_against against(const struct coexec_times *t, const struct coexec_times *const *bare, int fastest,
                                     int n)
{
    double ideal[COEXEC_ROUNDS], end[COEXEC_ROUNDS];
    for (int i = 0; i < n; i++) {
        ideal[i] = coexec_together((struct coexec_times[]){bare[0][i], bare[1][i]}) / t[i].ms;
        end[i] = bare[fastest][i].total / t[i].total;
    }
    return (struct coexec_against){middle(ideal, n), middle(end, n)};
}

void coexec_measure(const struct coexec_pair *pair, struct coexec_row *r, int rounds)
{
    struct coexec_times bare[2][2 * COEXEC_ROUNDS], beside[2][COEXEC_ROUNDS], cold[COEXEC_ROUNDS], warm[COEXEC_ROUNDS],
        linear[COEXEC_ROUNDS], t;
    char folder[80], trace[PATH_MAX];
    static int count;
    others_s = alone_s = 0;
    for (int d = 0; d < 2; d++)
        run_alone(pair, r, d, &t); /* fills the driver's cache */
    int n = t.total < short_ms && 3 * rounds <= COEXEC_ROUNDS ? 3 * rounds : rounds;
    count++;
    for (int i = 0; i < rounds; i++) {
        struct coexec_times both[2];
        run_beside(pair, r, both);
        for (int d = 0; d < 2; d++)
            beside[d][i] = both[d];
    }
    r->fresh = fresh(pair, r, count);
    for (int i = 0; i < n; i++) {
        for (int d = 0; d < 2; d++)
            run_alone(pair, r, d, &bare[d][i]);
        snprintf(folder, sizeof folder, "cold%d-%d", count, i);
        begin(folder);
        run(pair, r, YOKE, folder, NULL, &cold[i]);
        settle();
    }
    snprintf(folder, sizeof folder, "warm%d", count);
    begin(folder);
    for (int i = 0; i < PREPARE; i++) {
        run(pair, r, YOKE, folder, NULL, &t);
        settle();
    }
    for (int i = 0; i < n; i++) { /* between the two, so that the machine's moods meet both */
        run_alone(pair, r, DEVICE_0, &bare[0][n + i]);
        run(pair, r, YOKE, folder, NULL, &warm[i]);
        run_alone(pair, r, DEVICE_1, &bare[1][n + i]);
    }
    snprintf(trace, sizeof trace, "%s/%s/trace", scratch, folder);
    run(pair, r, YOKE, folder, trace, &t);
    r->work = coexec_work_of(trace);
    for (int i = 0; i < rounds; i++)
        run(pair, r, LINEAR, folder, NULL, &linear[i]);
    run(pair, r, LINEAR, folder, trace, &t);
    r->linear_work = coexec_work_of(trace);
    for (int d = 0; d < 2; d++) {
        r->bare[d] = median(bare[d], 2 * n);
        r->beside[d] = median(beside[d], rounds);
    }
    r->cold = median(cold, n);
    r->warm = median(warm, n);
    r->linear = median(linear, rounds);
    int fastest = coexec_fastest(r);
    const struct coexec_times *of_cold[] = {bare[0], bare[1]}, *of_warm[] = {bare[0] + n, bare[1] + n};
    r->cold_against = against(cold, of_cold, fastest, n);
    r->warm_against = against(warm, of_warm, fastest, n);
    r->others = others_s > 0 ? others_s / alone_s : 0;
}

/* Both drivers in a folder of their own: others would add devices. */
static void find_intel(void)
{
    char command[3 * PATH_MAX], line[2 * PATH_MAX] = "";
    snprintf(command, sizeof command,
             "eval \"$('%s/../../scripts/intel-opencl' --only)\" && "
             "mkdir '%s/vendors' && cp /etc/OpenCL/vendors/pocl.icd \"$OCL_ICD_VENDORS/intel.icd\" '%s/vendors/' && "
             "echo \"$LD_LIBRARY_PATH\"",
             build, scratch, scratch);
    FILE *f = popen(command, "r");
    if (!f)
        die("intel");
    char *got = fgets(line, sizeof line, f);
    if (pclose(f) || !got) {
        fprintf(stderr, "coexec: Intel's runtime cannot be had; leave its pair out (--pairs)\n");
        exit(77);
    }
    line[strcspn(line, "\n")] = 0;
    snprintf(intel_libraries, sizeof intel_libraries, "%.*s", PATH_MAX - 1, line);
    snprintf(intel_driver, sizeof intel_driver, "%s/vendors", scratch);
}

double coexec_once(const struct coexec_pair *pair, const struct coexec_row *r)
{
    struct coexec_times t;
    if (pair->intel && !intel_driver[0])
        find_intel();
    run_alone(pair, r, DEVICE_0, &t);
    run_alone(pair, r, DEVICE_0, &t);
    return t.ms;
}

double coexec_together(const struct coexec_times *t)
{
    return 1 / (1 / t[0].ms + 1 / t[1].ms);
}

int coexec_fastest(const struct coexec_row *r)
{
    return r->bare[1].total < r->bare[0].total;
}

void coexec_open(void)
{
    static const char *const folders[] = {"bare", "bare/pocl", "model", "model/pocl"};
    char self[PATH_MAX], path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        die("/proc/self/exe");
    self[n] = 0;
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(self, '/');
        if (slash)
            *slash = 0;
    }
    snprintf(build, sizeof build, "%s", self);
    snprintf(library, sizeof library, "%s/libyoke.so", build);
    if (yk_temp_name("coexec", scratch, sizeof scratch) != YK_OK || !mkdtemp(scratch))
        die("a folder for temporary files");
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", scratch, folders[i]);
        if (mkdir(path, 0700))
            die(path);
    }
}

void coexec_close(void)
{
    char command[PATH_MAX];
    snprintf(command, sizeof command, "rm -rf '%s'", scratch);
    if (system(command))
        fprintf(stderr, "coexec: %s is left\n", scratch);
}
