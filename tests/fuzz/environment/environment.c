/* Environments that nobody would set, over the stub: every variable that yoke reads, with right values, wrong ones, and
 * right ones that have been damaged. A wrong variable never stops a program: its answer is right in each of them.
 * Only where failures were asked for, the loader was taken away or no device is left may a call err, and even then no
 * byte is wrong. Each environment is a process of its own; a bad one can be run again by its number.
 *
 *     fuzz_environment SECONDS [FIRST]     as many as fit, from number FIRST (default 1)
 *     fuzz_environment = NUMBER            that one, which is printed */
#include <CL/cl.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/temp.h"

enum { N = 4096, LIMIT_S = 30, LONG = 20000, RIGHT = 0, WRONG = 3, ERRED = 4 };

/* MAY_ERR: with it a call may fail. FILE: a place where something is written: only names inside the folder of the run.
 * Words are separated by bars. */
static const struct variable {
    const char *name, *words;
    bool may_err, file;
} variables[] = {
    {"YOKE_DEVICES", "0|1|0,1|cpu|gpu|cpu,gpu|7|nothing|,|0,,1", true, false},
    {"YOKE_PRIMARY", "0|1|stub|9|-1|gpu", false, false},
    {"YOKE_STRATEGY",
     "waterfill|skmd|linear|even|guided|70:30|50:25:25|single:0|single:stub|single:9|1e99:1|nan:1|0:0|:", false, false},
    {"YOKE_NUMERICS", "strict|mixed|any|STRICT|loose", false, false},
    {"YOKE_FORCE_SPLIT", "0|1|yes|no|2|maybe", false, false},
    {"YOKE_SPLIT", "0|1|on|off|-1", false, false},
    {"YOKE_REPRODUCIBLE", "0|1|true|x", false, false},
    {"YOKE_RECOVER", "0|1|TRUE|x", false, false},
    {"YOKE_VERIFY", "0|1|x", false, false},
    {"YOKE_SUMMARY", "0|1|x", false, false},
    {"YOKE_QUIET", "0|1|x", false, false},
    {"YOKE_PROFILE", "0|1|x", false, false},
    {"YOKE_AS", "gpu|cpu|tpu", false, false},
    {"YOKE_CPU_PARTS", "1|2|64|65|0|-1|numa|99999999999999999999|2x", false, false},
    {"YOKE_MEMORY", "device|sum|host|64M|1.5G|0|-1|all|64X", false, false},
    {"YOKE_MEMORY_LIMIT", "0=64M|1=2M|gpu=4M,cpu=8M|0=1M|0=|=1|x|7=1G|,|0=1M,", true, false},
    {"YOKE_LOG", "error|warn|info|debug|loud", false, false},
    {"YOKE_JSON", "summary|/dev/full|.|nowhere/summary|/proc/self/mem", false, true},
    {"YOKE_TRACE", "trace|/dev/full|.|nowhere/trace", false, true},
    {"YOKE_TRANSFORM", "/nonexistent|/dev/null|/bin/false|.|transform", false, false},
    {"YOKE_TRANSFORM_TIMEOUT", "1|2|0|-1|1k|99999999999|1.5", false, false},
    {"YOKE_CPU_ISA", "avx2|sse2|avx512|none|x", false, false},
    {"YOKE_NVRTC", "/nonexistent|/dev/null", false, false},
    {"YOKE_REAL_LIBOPENCL", "/nonexistent|/dev/null|.|/etc/passwd", true, false},
    {"YOKE_FAULT",
     "clEnqueueNDRangeKernel@1:1=error(-5)|@1:lost|@*:20+=error(-6)|clFinish@0:2=error(CL_OUT_OF_RESOURCES)|slow@1=2|"
     "link@1=1G,20us|own@1|clEnqueueReadBuffer@*=event(-5)|clCreateBuffer@1=error(-4);@0:40=error(-5)|@|=;:",
     true, false},
    {"YOKE_STUB_DEVICES", "cpu|cpu,gpu|gpu,gpu:64M|gpu,cpu,gpu|gpu,accelerator|none", true, false},
    {"XDG_CACHE_HOME", "relative|/dev/null|cache/yoke|/proc", false, true},
    {"XDG_DATA_HOME", "relative|/dev/null|data/yoke|/proc", false, true},
    {"HOME", "/nonexistent|home|/dev/null", false, true},
    {"TMPDIR", "/nonexistent|tmp", false, true},
    {"LANG", "de_DE.UTF-8|tr_TR.UTF-8|C", false, false},
    {"OCL_ICD_VENDORS", "/nonexistent|vendors", false, false},
};
enum { VARIABLES = sizeof variables / sizeof *variables };

static uint64_t state;
static bool show;

static uint32_t below(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

static void pick_word(const char *words, char *to)
{
    unsigned n = 1;
    for (const char *p = words; *p; p++)
        n += *p == '|';
    for (n = below(n); n; n--)
        words = strchr(words, '|') + 1;
    size_t len = strcspn(words, "|");
    memcpy(to, words, len);
    to[len] = 0;
}

static void damage(char *v, bool file)
{
    static const char *const pieces[] = {
        "%s%n", "\xff\xfe", "0", "-", "1e400", ",", ";", "@*", ":", "=", " ", "\n", "18446744073709551616", "\t1"};
    char old[LONG + 64];
    size_t n = strlen(v), at = below((uint32_t)n + 1);
    memcpy(old, v, n + 1);
    switch (below(5)) {
    case 0:
        v[at] = 0;
        break;
    case 1:
        if (at < n)
            v[at] = (char)(1 + below(255));
        break;
    case 2: {
        const char *p = pieces[below(sizeof pieces / sizeof *pieces)];
        snprintf(v + at, 2 * LONG, "%s%s", p, old + at);
        break;
    }
    case 3:
        memcpy(v + n, old, n + 1);
        break;
    default:
        memset(v, file ? 'x' : "x0,:;@"[below(6)], LONG - 1);
        v[LONG - 1] = 0;
    }
    for (char *p = v; file && *p; p++)
        if (*p == '/') /* it stays in the folder */
            *p = '_';
}

/* Sets some variables; whether a call may fail with them. */
static bool set_some(void)
{
    static char v[4 * LONG];
    bool may_err = false;
    for (uint32_t n = 1 + below(6); n; n--) {
        const struct variable *var = &variables[below(VARIABLES)];
        pick_word(var->words, v);
        bool of_stub = !strcmp(var->name, "YOKE_STUB_DEVICES"); /* which says no to what is wrong */
        if (!below(3) && !of_stub)
            damage(v, var->file && v[0] != '/');
        if (var->file && v[0] == '/' && strncmp(v, "/dev/", 5) != 0 && strncmp(v, "/proc", 5) != 0 &&
            strncmp(v, "/nonexistent", 12) != 0)
            continue;
        bool loader = !strcmp(var->name, "YOKE_REAL_LIBOPENCL"); /* without it the system's runs the stub's sources */
        bool keep = of_stub || loader || below(20);
        setenv(var->name, loader && !v[0] ? "/nonexistent" : keep ? v : "", 1);
        may_err |= var->may_err;
        if (show) /* at once: LSan ends a process before its buffers are written */
            fprintf(stderr, "%s='%s'\n", var->name, getenv(var->name));
    }
    if (strstr(getenv("YOKE_FAULT") ? getenv("YOKE_FAULT") : "", "hang"))
        setenv("YOKE_FAULT_HANG_MS", "20", 1);
    return may_err;
}

/* What the program makes; what could not be made is NULL. */
struct objects {
    cl_context c;
    cl_command_queue q;
    cl_program p;
    cl_kernel fill, add;
    cl_mem a, b;
};

/* Whether all of it could be made. */
static bool make(struct objects *o)
{
    static const char *source = "kernel void fill(global int *a, int v) {}\n"
                                "kernel void add(global const int *a, global int *b) {}\n";
    cl_platform_id platform;
    cl_device_id device;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
        return false;
    if (!(o->c = clCreateContext(NULL, 1, &device, NULL, NULL, NULL)))
        return false;
    o->q = clCreateCommandQueue(o->c, device, 0, NULL);
    o->p = clCreateProgramWithSource(o->c, 1, &source, NULL, NULL);
    if (!o->q || !o->p || clBuildProgram(o->p, 1, &device, "", NULL, NULL) != CL_SUCCESS)
        return false;
    o->fill = clCreateKernel(o->p, "fill", NULL);
    o->add = clCreateKernel(o->p, "add", NULL);
    o->a = clCreateBuffer(o->c, 0, N * sizeof(cl_int), NULL, NULL);
    o->b = clCreateBuffer(o->c, 0, N * sizeof(cl_int), NULL, NULL);
    return o->fill && o->add && o->a && o->b;
}

/* Two kernels on one buffer, the bytes checked. */
static int compute(const struct objects *o)
{
    static cl_int out[N];
    const cl_int seven = 7;
    const size_t global = N, local = 64;
    cl_int bad = clSetKernelArg(o->fill, 0, sizeof o->a, &o->a) | clSetKernelArg(o->fill, 1, sizeof seven, &seven);
    bad |= clEnqueueNDRangeKernel(o->q, o->fill, 1, NULL, &global, &local, 0, NULL, NULL);
    bad |= clSetKernelArg(o->fill, 0, sizeof o->b, &o->b);
    bad |= clEnqueueNDRangeKernel(o->q, o->fill, 1, NULL, &global, NULL, 0, NULL, NULL);
    bad |= clSetKernelArg(o->add, 0, sizeof o->a, &o->a) | clSetKernelArg(o->add, 1, sizeof o->b, &o->b);
    bad |= clEnqueueNDRangeKernel(o->q, o->add, 1, NULL, &global, &local, 0, NULL, NULL);
    bad |= clEnqueueReadBuffer(o->q, o->b, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
    bad |= clFinish(o->q);
    for (int i = 0; !bad && i < N; i++)
        if (out[i] != 2 * (7 + i)) {
            fprintf(stderr, "item %d is %d\n", i, out[i]);
            return WRONG;
        }
    return bad ? ERRED : RIGHT;
}

/* Whether every release of what there is went well. */
static bool release(const struct objects *o)
{
    cl_int bad = 0;
    bad |= o->fill ? clReleaseKernel(o->fill) : 0;
    bad |= o->add ? clReleaseKernel(o->add) : 0;
    bad |= o->a ? clReleaseMemObject(o->a) : 0;
    bad |= o->b ? clReleaseMemObject(o->b) : 0;
    bad |= o->p ? clReleaseProgram(o->p) : 0;
    bad |= o->q ? clReleaseCommandQueue(o->q) : 0;
    bad |= o->c ? clReleaseContext(o->c) : 0;
    return !bad;
}

/* An ordinary program, which releases what it made also where a call errs: what is left is a leak of yoke's. */
static int work(void)
{
    struct objects o = {0};
    int r = make(&o) ? compute(&o) : ERRED;
    return !release(&o) && r == RIGHT ? ERRED : r;
}

static int run(unsigned long long number)
{
    state = number * 0x9e3779b97f4a7c15u;
    setenv("YOKE_STUB_DEVICES", "cpu,gpu", 1);
    bool may_err = set_some();
    int r = work();
    return r == ERRED && may_err ? RIGHT : r;
}

/* In a process of its own, its output in FILE. */
static int apart(unsigned long long number, int file)
{
    pid_t pid = fork();
    if (pid < 0)
        return -1;
    if (!pid) {
        alarm(LIMIT_S);
        if (file >= 0) {
            if (ftruncate(file, 0) || dup2(file, 1) < 0 || dup2(file, 2) < 0)
                _exit(2);
            lseek(file, 0, SEEK_SET);
        }
        exit(run(number));
    }
    int status;
    waitpid(pid, &status, 0);
    return status;
}

static void tell(unsigned long long number, int status, int file)
{
    char text[4096];
    fprintf(stderr, "environment %llu: %s\n", number,
            !WIFSIGNALED(status)          ? WEXITSTATUS(status) == WRONG   ? "wrong bytes"
                                            : WEXITSTATUS(status) == ERRED ? "a call erred"
                                                                           : "ended badly"
            : WTERMSIG(status) == SIGALRM ? "hung"
                                          : strsignal(WTERMSIG(status)));
    ssize_t n = pread(file, text, sizeof text, 0);
    if (n > 0)
        fprintf(stderr, "%.*s\n", (int)n, text);
}

int main(int argc, char **argv)
{
    char folder[2048];
    if (argc < 2) {
        fprintf(stderr, "usage: fuzz_environment SECONDS [FIRST] | fuzz_environment = NUMBER\n");
        return 2;
    }
    setenv("YOKE_REAL_LIBOPENCL", YK_STUB_PATH, 1);
    setenv("YOKE_TRANSFORM", YK_STUB_TRANSFORM, 1);
    if (yk_temp_name("yoke-environment", folder, sizeof folder) != YK_OK) {
        fprintf(stderr, "TMPDIR is too long\n");
        return 2;
    }
    if (!mkdtemp(folder) || chdir(folder) || mkdir("cache", 0700) || mkdir("data", 0700) || mkdir("home", 0700)) {
        perror(folder);
        return 2;
    }
    char path[sizeof folder + 16];
    snprintf(path, sizeof path, "%s/cache", folder);
    setenv("XDG_CACHE_HOME", path, 1);
    snprintf(path, sizeof path, "%s/data", folder);
    setenv("XDG_DATA_HOME", path, 1);
    int result = 0;
    if (!strcmp(argv[1], "=") && argc > 2) {
        show = true;
        result = apart(strtoull(argv[2], NULL, 10), -1);
        printf("status %d\n", result);
    } else {
        int file = memfd_create("output", 0);
        time_t end = time(NULL) + strtol(argv[1], NULL, 10);
        unsigned long long first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1, n = first;
        unsigned bad = 0;
        for (; time(NULL) < end && bad < 10; n++) {
            fflush(NULL);
            int status = apart(n, file);
            if (status) {
                bad++;
                tell(n, status, file);
            }
        }
        printf("%llu environments, %u bad\n", n - first, bad);
        result = bad != 0;
    }
    if (chdir("/") == 0 && !fork())
        execlp("rm", "rm", "-rf", folder, (char *)NULL);
    wait(NULL);
    return result != 0;
}
