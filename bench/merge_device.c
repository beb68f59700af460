#include "bench/merge_device.h"
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "transform/client.h"

static const char *const source = "__kernel void guarded(__global const float *in, __global float *out, float least)\n"
                                  "{\n"
                                  "    size_t i = get_global_id(0);\n"
                                  "    float x = in[i], sum = 0;\n"
                                  "    for (int k = 0; k < 64; k++)\n"
                                  "        sum = sum * x + sqrt(x + k);\n"
                                  "    if (x > least)\n"
                                  "        out[i] = sum;\n"
                                  "}\n"
                                  "__kernel void indexed(__global const uint *to, __global float *out, float least)\n"
                                  "{\n"
                                  "    size_t i = get_global_id(0);\n"
                                  "    float sum = least;\n"
                                  "    for (int k = 0; k < 64; k++)\n"
                                  "        sum = sum * least + sqrt((float)i + k);\n"
                                  "    out[to[i]] = sum;\n"
                                  "}\n";

static struct {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
} cl;

static bool open_device(void)
{
    cl_platform_id platform[16];
    cl_uint n = 0;
    cl_int err;
    if (cl.queue)
        return true;
    if (clGetPlatformIDs(16, platform, &n) != CL_SUCCESS)
        return false;
    for (cl_uint i = 0; i < n && i < 16; i++)
        if (clGetDeviceIDs(platform[i], CL_DEVICE_TYPE_CPU, 1, &cl.device, NULL) == CL_SUCCESS) {
            cl.context = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &err);
            cl.queue = cl.context ? clCreateCommandQueue(cl.context, cl.device, 0, &err) : NULL;
            return cl.queue != NULL;
        }
    return false;
}

static void check(cl_int err, const char *what)
{
    if (err == CL_SUCCESS)
        return;
    fprintf(stderr, "bench/merge: %s: %d\n", what, err);
    exit(1);
}

static void *memory(size_t n)
{
    void *p = NULL;
    if (posix_memalign(&p, 4096, n)) {
        fprintf(stderr, "bench/merge: no memory\n");
        exit(1);
    }
    memset(p, 1, n);
    return p;
}

static double ms_since(uint64_t t)
{
    return (double)(yk_now_ns() - t) * 1e-6;
}

static double report(const char *name, double ms, double copy)
{
    printf("  %-22s %8.2f %8.2f %6.2f\n", name, ms, copy, copy / ms);
    return copy / ms;
}

/* Half of a device's buffer to the host: in one piece, or as rows of ROW bytes. */
static double exact(cl_mem device, unsigned char *master, unsigned char *other, size_t bytes, size_t row)
{
    double best = 1e30, copy = 1e30;
    for (int i = 0; i < MERGE_ROUNDS; i++) {
        const size_t at[3] = {0, 0, 0}, size[3] = {row, bytes / row / 2, 1};
        uint64_t t = yk_now_ns();
        check(row ? clEnqueueReadBufferRect(cl.queue, device, CL_TRUE, at, at, size, 2 * row, 0, 2 * row, 0, master, 0,
                                            NULL, NULL)
                  : clEnqueueReadBuffer(cl.queue, device, CL_TRUE, 0, bytes / 2, master, 0, NULL, NULL),
              "reading");
        double ms = ms_since(t);
        best = ms < best ? ms : best;
        t = yk_now_ns();
        if (!row)
            memcpy(master, other, bytes / 2);
        for (size_t y = 0; row && y < bytes / row / 2; y++)
            memcpy(master + 2 * row * y, other + 2 * row * y, row);
        ms = ms_since(t);
        copy = ms < copy ? ms : copy;
    }
    return report(row ? "exact, rows of 4 KiB" : "exact, one piece", best, copy);
}

double merge_exact(size_t bytes)
{
    cl_int err;
    if (!open_device())
        return -1;
    unsigned char *master = memory(bytes), *other = memory(bytes);
    cl_mem device = clCreateBuffer(cl.context, CL_MEM_COPY_HOST_PTR, bytes, other, &err);
    check(err, "a buffer");
    double one = exact(device, master, other, bytes, 0), rows = exact(device, master, other, bytes, 4096);
    clReleaseMemObject(device);
    free(master);
    free(other);
    return one < rows ? one : rows;
}

static cl_program build(struct yk_facts *f)
{
    static const struct yk_transform_target target = {.c_version = "OpenCL C 1.2 ",
                                                      .version = "OpenCL 3.0 ",
                                                      .extensions = "cl_khr_fp64",
                                                      .driver = "bench",
                                                      .address_bits = 64,
                                                      .little_endian = true};
    struct yk_transform_request req = {
        .source = source, .size = strlen(source), .target = &target, .ntargets = 1, .library_dir = YK_BENCH_LIBRARY};
    cl_int err;
    if (yk_transform_run(&req, f) != YK_OK || !f->merge_source)
        return NULL;
    cl_program p = clCreateProgramWithSource(cl.context, 1, &f->merge_source, NULL, &err);
    check(err, "the merge program");
    check(clBuildProgram(p, 1, &cl.device, f->variant_options, NULL, NULL), "building it");
    return p;
}

struct operands {
    size_t n; /* numbers */
    float *in, *master, *other;
    uint32_t *to;
    cl_mem in_real, to_real, master_real, other_real;
};

static cl_mem over(void *p, size_t n)
{
    cl_int err;
    cl_mem m = clCreateBuffer(cl.context, CL_MEM_USE_HOST_PTR, n, p, &err);
    check(err, "a buffer");
    return m;
}

static void make(struct operands *o, size_t bytes)
{
    o->n = bytes / sizeof(float);
    o->in = memory(bytes);
    o->master = memory(bytes);
    o->other = memory(bytes);
    o->to = memory(bytes);
    unsigned x = 1;
    for (size_t i = 0; i < o->n; i++) {
        o->in[i] = (float)((x = x * 1664525 + 1013904223) >> 8) / (1 << 24);
        o->other[i] = (float)i;
        o->to[i] = (uint32_t)(i ^ 5); /* not in order, but near */
    }
    o->in_real = over(o->in, bytes);
    o->master_real = over(o->master, bytes);
    o->other_real = over(o->other, bytes);
    o->to_real = over(o->to, bytes);
}

static double run(cl_program p, struct operands *o, const char *name, const char *kernel, float least)
{
    cl_int err;
    const size_t local = 256, bytes = o->n * sizeof(float);
    cl_ulong size = bytes;
    bool indexed = !strcmp(kernel, YK_MERGE_PREFIX "indexed");
    cl_kernel k = clCreateKernel(p, kernel, &err);
    check(err, kernel);
    check(clSetKernelArg(k, 0, sizeof(cl_mem), indexed ? &o->to_real : &o->in_real), "argument 0");
    check(clSetKernelArg(k, 1, sizeof(cl_mem), &o->master_real), "argument 1");
    check(clSetKernelArg(k, 2, sizeof least, &least), "argument 2");
    check(clSetKernelArg(k, 3, sizeof(cl_mem), &o->other_real), "argument 3");
    check(clSetKernelArg(k, 4, sizeof size, &size), "argument 4");
    double best = 1e30, copy = 1e30;
    for (int i = 0; i < MERGE_ROUNDS; i++) {
        uint64_t t = yk_now_ns();
        check(clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, &o->n, &local, 0, NULL, NULL), "launching");
        check(clFinish(cl.queue), "waiting");
        double ms = ms_since(t);
        best = ms < best ? ms : best;
        for (size_t w = 0; i == 0 && w < o->n; w++)
            if (o->master[w] != o->other[w] && (indexed || o->in[w] > least)) {
                fprintf(stderr, "bench/merge: %s: number %zu is wrong\n", name, w);
                exit(1);
            }
        t = yk_now_ns();
        memcpy(o->master, o->other, bytes);
        ms = ms_since(t);
        copy = ms < copy ? ms : copy;
    }
    clReleaseKernel(k);
    memset(o->master, 1, bytes);
    return report(name, best, copy);
}

struct merge_kernel merge_kernel(size_t bytes)
{
    struct yk_facts f;
    struct operands o;
    cl_program p = open_device() ? build(&f) : NULL;
    if (!p)
        return (struct merge_kernel){-1, -1};
    make(&o, bytes);
    double all = run(p, &o, "kernel, guard on all", YK_MERGE_PREFIX "guarded", -1),
           half = run(p, &o, "kernel, guard on half", YK_MERGE_PREFIX "guarded", 0.5f),
           indexed = run(p, &o, "kernel, through index", YK_MERGE_PREFIX "indexed", 1);
    clReleaseMemObject(o.in_real);
    clReleaseMemObject(o.to_real);
    clReleaseMemObject(o.master_real);
    clReleaseMemObject(o.other_real);
    free(o.in);
    free(o.to);
    free(o.master);
    free(o.other);
    clReleaseProgram(p);
    yk_facts_finish(&f);
    return (struct merge_kernel){all < half ? all : half, indexed};
}
