#include "bench/small_probe.h"
#include <CL/cl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "bench/median.h"

enum { LOCAL = 64, KERNELS = 4, WORDS = 1 << 24, MOST_ROUNDS = 400 };

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_kernel compute[KERNELS], memory[KERNELS], apart[KERNELS], step;
static cl_mem in, out;

/* Four kernels of each kind that differ in a constant; work items write one number each. */
static const char source[] =
    "#define COMPUTE(n)                                                                              \\\n"
    "    __kernel void compute##n(__global float *out, int base, int work)                           \\\n"
    "    {                                                                                           \\\n"
    "        int i = base + (int)get_global_id(0);                                                   \\\n"
    "        float x = i & 1023;                                                                     \\\n"
    "        for (int k = 0; k < work; k++)                                                          \\\n"
    "            x = x * 0.99f + (n + 1);                                                            \\\n"
    "        out[i] = x;                                                                             \\\n"
    "    }\n"
    "#define MEMORY(n)                                                                               \\\n"
    "    __kernel void memory##n(__global float *out, __global const float *in, int base, int work)  \\\n"
    "    {                                                                                           \\\n"
    "        int i = base + (int)get_global_id(0);                                                   \\\n"
    "        float x = n;                                                                            \\\n"
    "        for (int k = 0; k < work; k++)                                                          \\\n"
    "            x += in[(((uint)i >> 6) * 262336u + k * 64 + (i & 63)) & 0xffffff];                      \\\n"
    "        out[i] = x;                                                                             \\\n"
    "    }\n"
    "COMPUTE(0) COMPUTE(1) COMPUTE(2) COMPUTE(3) MEMORY(0) MEMORY(1) MEMORY(2) MEMORY(3)\n"
    "__kernel void chained(__global float *out, int work)\n"
    "{\n"
    "    int i = (int)get_global_id(0);\n"
    "    float x = out[i];\n"
    "    for (int k = 0; k < work; k++)\n"
    "        x = x * 0.99f + 1;\n"
    "    out[i] = x;\n"
    "}\n";

static void check(cl_int err, const char *what)
{
    if (err == CL_SUCCESS)
        return;
    fprintf(stderr, "small: %s: error %d\n", what, err);
    exit(1);
}

static cl_kernel kernel(cl_program p, const char *name)
{
    cl_int err;
    cl_kernel k = clCreateKernel(p, name, &err);
    check(err, name);
    return k;
}

static cl_program build(void)
{
    const char *text = source;
    cl_int err;
    cl_program p = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    check(err, "clCreateProgramWithSource");
    check(clBuildProgram(p, 1, &device, "", NULL, NULL), "clBuildProgram");
    return p;
}

static void set_up(void)
{
    cl_platform_id platform[8];
    cl_uint n = 0;
    cl_int err;
    check(clGetPlatformIDs(8, platform, &n), "clGetPlatformIDs");
    for (cl_uint i = 0; i < n && i < 8 && !device; i++) /* a GPU where there is one */
        if (clGetDeviceIDs(platform[i], CL_DEVICE_TYPE_GPU, 1, &device, NULL) != CL_SUCCESS)
            device = NULL;
    if (!device)
        check(clGetDeviceIDs(platform[0], CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    check(err, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &err);
    check(err, "clCreateCommandQueue");
    cl_program p = build();
    for (int i = 0; i < KERNELS; i++) {
        char name[24];
        snprintf(name, sizeof name, "compute%d", i);
        compute[i] = kernel(p, name);
        snprintf(name, sizeof name, "memory%d", i);
        memory[i] = kernel(p, name);
    }
    step = kernel(p, "chained");
    float *zeros = calloc(WORDS, sizeof *zeros);
    if (!zeros)
        exit(1);
    in = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, WORDS * sizeof *zeros, zeros, &err);
    check(err, "clCreateBuffer");
    out = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, WORDS * sizeof *zeros, zeros, &err);
    check(err, "clCreateBuffer");
    free(zeros);
}

struct kind {
    cl_kernel *kernel;
    bool reads;
    int kernels; /* how many different ones */
};

static void launch_as(const struct kind *k, int which, int first, int groups, int work, cl_event *event)
{
    cl_kernel f = k->kernel[which];
    cl_int base = first * LOCAL, w = work;
    cl_uint at = 0;
    size_t global = (size_t)groups * LOCAL, local = LOCAL;
    check(clSetKernelArg(f, at++, sizeof out, &out), "clSetKernelArg");
    if (k->reads)
        check(clSetKernelArg(f, at++, sizeof in, &in), "clSetKernelArg");
    check(clSetKernelArg(f, at++, sizeof base, &base), "clSetKernelArg");
    check(clSetKernelArg(f, at++, sizeof w, &w), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, f, 1, NULL, &global, &local, 0, NULL, event), "clEnqueueNDRangeKernel");
}

static void launch(const struct kind *k, int which, int first, int groups, int work)
{
    launch_as(k, which, first, groups, work, NULL);
}

static int groups_of(int i)
{
    return 1 + i * 7 % 16;
}

/* N launches of 1 to 16 groups; milliseconds. */
static double many(const struct kind *k, int n, int work)
{
    uint64_t from = yk_now_ns();
    int first = 0;
    for (int i = 0; i < n; first += groups_of(i++))
        launch(k, i % k->kernels, first, groups_of(i), work);
    check(clFinish(queue), "clFinish");
    return (double)(yk_now_ns() - from) * 1e-6;
}

/* The same work-items in one launch per kernel. */
static double one(const struct kind *k, int n, int work)
{
    int total[KERNELS] = {0}, first = 0;
    for (int i = 0; i < n; i++)
        total[i % k->kernels] += groups_of(i);
    uint64_t from = yk_now_ns();
    for (int i = 0; i < k->kernels; first += total[i++])
        launch(k, i, first, total[i], work);
    check(clFinish(queue), "clFinish");
    return (double)(yk_now_ns() - from) * 1e-6;
}

/* N launches of which each needs the one before; FINISH: and is waited for. */
static double chain(int n, int work, bool finish)
{
    size_t global = 16 * LOCAL, local = LOCAL;
    cl_int w = work;
    uint64_t from = yk_now_ns();
    check(clSetKernelArg(step, 0, sizeof out, &out), "clSetKernelArg");
    check(clSetKernelArg(step, 1, sizeof w, &w), "clSetKernelArg");
    for (int i = 0; i < n; i++) {
        check(clEnqueueNDRangeKernel(queue, step, 1, NULL, &global, &local, 0, NULL, NULL), "clEnqueueNDRangeKernel");
        if (finish)
            check(clFinish(queue), "clFinish");
    }
    check(clFinish(queue), "clFinish");
    return (double)(yk_now_ns() - from) * 1e-6;
}

/* The latency of a short launch, which the program waits for; LONGER: a long one has been enqueued behind it. */
static double latency(const struct kind *k, int work, bool longer)
{
    cl_event e;
    uint64_t from = yk_now_ns();
    launch_as(k, 0, 0, 1, work, &e);
    for (int i = 1; i < 8 && longer; i++)
        launch(k, 0, i, 1, 64 * work);
    check(clWaitForEvents(1, &e), "clWaitForEvents");
    double ms = (double)(yk_now_ns() - from) * 1e-6;
    check(clFinish(queue), "clFinish");
    check(clReleaseEvent(e), "clReleaseEvent");
    return ms;
}

/* Nanoseconds that a group takes per unit of work when it is alone; the best of some tries. */
static double unit_ns(const struct kind *k)
{
    for (int work = 1024;; work *= 2) {
        double best = 1e9;
        for (int i = 0; i < 6; i++) {
            uint64_t from = yk_now_ns();
            launch(k, 0, 0, 1, work);
            check(clFinish(queue), "clFinish");
            double took = (double)(yk_now_ns() - from);
            best = took < best ? took : best;
        }
        if (best > 3e6 || work >= 1 << 26)
            return best / work;
    }
}

int small_calibrate(void)
{
    set_up();
    for (int reads = 0; reads < 2; reads++)
        printf("%s %.9f\n", reads ? "memory" : "compute",
               unit_ns(&(struct kind){.kernel = reads ? memory : compute, .reads = reads, .kernels = 1}));
    return 0;
}

static void run_case(const char *name, const struct kind *k, int n, int work, double seconds)
{
    static double m[MOST_ROUNDS], o[MOST_ROUNDS];
    int rounds = 0;
    uint64_t from = yk_now_ns(), warm = (uint64_t)(seconds * 1e9);
    for (int i = 0; i < 2 || yk_now_ns() - from < warm; i++)
        many(k, n, work);
    one(k, n, work);
    from = yk_now_ns();
    while (rounds < 3 || (rounds < MOST_ROUNDS && yk_now_ns() - from < warm)) {
        m[rounds] = many(k, n, work);
        o[rounds++] = one(k, n, work);
    }
    printf("%s %.6f %.6f\n", name, median(m, (size_t)rounds), median(o, (size_t)rounds));
    fflush(stdout);
}

static void run_latency(const struct kind *k, int work, double seconds)
{
    static double m[MOST_ROUNDS], o[MOST_ROUNDS];
    int rounds = 0;
    uint64_t from = yk_now_ns(), warm = (uint64_t)(seconds * 1e9);
    while (yk_now_ns() - from < warm)
        latency(k, work, true);
    from = yk_now_ns();
    while (rounds < 3 || (rounds < MOST_ROUNDS && yk_now_ns() - from < warm)) {
        m[rounds] = latency(k, work, true);
        o[rounds++] = latency(k, work, false);
    }
    printf("latency %.6f %.6f\n", median(m, (size_t)rounds), median(o, (size_t)rounds));
    fflush(stdout);
}

int small_probe(double seconds, const char *only, double us, const double *unit)
{
    static const struct {
        int n;
        double us;
    } sizes[] = {{32, 100}, {1000, 25}, {20000, 5}}; /* microseconds that a group takes */
    set_up();
    for (int i = 0; i < 3; i++)
        for (int reads = 0; reads < 2; reads++)
            for (int different = 0; different < 2; different++) {
                struct kind k = {reads ? memory : compute, reads, different ? KERNELS : 1};
                char name[64];
                snprintf(name, sizeof name, "merged_%d_%s_%s", sizes[i].n, reads ? "memory" : "compute",
                         different ? "different" : "same");
                if (!strncmp(name, only, strlen(only)))
                    run_case(name, &k, sizes[i].n, 1 + (int)((us > 0 ? us : sizes[i].us) * 1e3 / unit[reads]), seconds);
            }
    if (!strncmp("beside_32_compute", only, strlen(only))) { /* each kernel is of another program */
        for (int i = 0; i < KERNELS; i++)
            apart[i] = kernel(build(), "compute0");
        struct kind k = {apart, false, KERNELS};
        run_case("beside_32_compute", &k, 32, 1 + (int)(1e5 / unit[0]), seconds);
    }
    if (!strncmp("latency", only, strlen(only)))
        run_latency(&(struct kind){compute, false, 1}, 1 + (int)(2e4 / unit[0]), seconds);
    for (int finish = 0; finish < 2; finish++) {
        static double m[MOST_ROUNDS];
        int rounds = 0, n = finish ? 200 : 2000;
        const char *name = finish ? "chain_finished" : "chain_enqueued";
        if (strncmp(name, only, strlen(only)))
            continue;
        uint64_t from = yk_now_ns(), warm = (uint64_t)(seconds * 1e9);
        while (yk_now_ns() - from < warm)
            chain(n, 200, finish);
        from = yk_now_ns();
        while (rounds < 3 || (rounds < MOST_ROUNDS && yk_now_ns() - from < warm))
            m[rounds++] = chain(n, 200, finish);
        printf("%s %.6f 0\n", name, median(m, (size_t)rounds));
        fflush(stdout);
    }
    return 0;
}
