/* What the conform_*.c programs start from: a context with a queue and a program, and short ways to launch and check.
 * They are plain OpenCL programs that know nothing of yoke; each test is a process of its own. What the device lacks is
 * left out, bare and under yoke alike. */
#ifndef YK_TESTS_SHIM_CONFORM_H
#define YK_TESTS_SHIM_CONFORM_H

#include <CL/cl.h>
#include <check.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "tests/unit/main.h"

static const char source[] =
    "kernel void add(global const int *a, global int *b) { size_t i = get_global_id(0); b[i] += a[i]; }\n"
    "kernel void set(global int *a, int v) { a[get_global_id(0)] = v + (int)get_global_id(0); }\n"
    "kernel void lds(global int *a, local int *t) { int l = get_local_id(0); t[l] = a[get_global_id(0)];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE); a[get_global_id(0)] = t[get_local_size(0) - 1 - l]; }\n";

enum { N = 4096, BYTES = N * sizeof(cl_int), LOCAL = 64 };

/* PoCL 3.1, bare, counts the maps of a buffer's parts at the buffer, takes regions without a size, calls nobody back
 * for a status that is there already nor for a failure, waits for ever behind an event that has failed before, and
 * crashes where it is asked to skip a binary or to compile for all devices. */
static inline bool lenient(void)
{
    return getenv("YOKE_TEST_BARE") != NULL;
}

struct cl {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
};

#define OK(call)       ck_assert_int_eq((call), CL_SUCCESS)
#define IS(code, call) ck_assert_int_eq((call), (code))

static inline cl_program build_with(struct cl *c, const char *text, const char *options)
{
    cl_int err;
    cl_program p = clCreateProgramWithSource(c->context, 1, &text, NULL, &err);
    OK(err);
    OK(clBuildProgram(p, 1, &c->device, options, NULL, NULL));
    return p;
}

static inline cl_program build(struct cl *c, const char *text)
{
    return build_with(c, text, "");
}

static inline struct cl open_cl(cl_command_queue_properties properties)
{
    struct cl c;
    cl_platform_id platform;
    cl_int err;
    OK(clGetPlatformIDs(1, &platform, NULL));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &c.device, NULL));
    c.context = clCreateContext(NULL, 1, &c.device, NULL, NULL, &err);
    OK(err);
    c.queue = clCreateCommandQueue(c.context, c.device, properties, &err);
    OK(err);
    c.program = build(&c, source);
    return c;
}

static inline void close_cl(struct cl *c)
{
    OK(clReleaseProgram(c->program));
    OK(clReleaseCommandQueue(c->queue));
    OK(clReleaseContext(c->context));
}

static inline cl_kernel kernel_of(cl_program p, const char *name)
{
    cl_int err;
    cl_kernel k = clCreateKernel(p, name, &err);
    OK(err);
    return k;
}

static inline cl_mem buffer_of(struct cl *c, cl_mem_flags flags, size_t bytes, void *host)
{
    cl_int err;
    cl_mem m = clCreateBuffer(c->context, flags, bytes, host, &err);
    OK(err);
    return m;
}

static inline void run(struct cl *c, cl_kernel k, cl_event *event)
{
    const size_t global = N, local = LOCAL;
    OK(clEnqueueNDRangeKernel(c->queue, k, 1, NULL, &global, &local, 0, NULL, event));
}

static inline void set_to(struct cl *c, cl_mem m, cl_int v)
{
    cl_kernel k = kernel_of(c->program, "set");
    OK(clSetKernelArg(k, 0, sizeof m, &m));
    OK(clSetKernelArg(k, 1, sizeof v, &v));
    run(c, k, NULL);
    OK(clReleaseKernel(k));
}

/* How many words of M come before the first that does not count on from FIRST: N where all do. */
static inline int counted_from(struct cl *c, cl_mem m, cl_int first)
{
    int i = 0;
    cl_int *got = malloc(BYTES);
    OK(clEnqueueReadBuffer(c->queue, m, CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
    while (i < N && got[i] == first + i)
        i++;
    if (i < N)
        fprintf(stderr, "word %d is %d, not %d\n", i, got[i], first + i);
    free(got);
    return i;
}

static inline cl_uint info_uint(struct cl *c, cl_device_info what)
{
    cl_uint v = 0;
    OK(clGetDeviceInfo(c->device, what, sizeof v, &v, NULL));
    return v;
}

#endif
