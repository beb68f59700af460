/* What tests of the shim over the stub start from: the environment of such a run, a context with a queue and a program
 * that has all of the stub's kernels, and the check that at the end no real object is left. The programs are plain
 * OpenCL programs with the shim linked in, so that sanitizers and valgrind see all of it. */
#ifndef YK_TESTS_STUB_SHIM_SHIM_H
#define YK_TESTS_STUB_SHIM_SHIM_H

#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <check.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/stub/room.h"

static const char shim_source[] =
    "kernel void vadd(global const float *a, global const float *b, global float *c) {}\n"
    "kernel void iota(global uint *out) {}\n"
    "kernel void scale_inplace(global float *a, float f) {}\n"
    "kernel void copy(global const uint *in, global uint *out) {}\n"
    "kernel void fill(global int *a, int v) {}\n"
    "kernel void add(global const int *a, global int *b) {}\n"
    "kernel void whole_ids(global uint *a) {}\n"
    "kernel void rows(global int *a, int w) {}\n"
    "kernel void set_flag(global const uint *in, global uint *flag) {}\n"
    "kernel void group_sum(global const uint *in, global uint *out, local uint *scratch) {}\n"
    "kernel void count_up(global uint *n) {}\n"
    "kernel void nothing(void) {}\n";

struct shim {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
};

#define OK(call) ck_assert_int_eq((call), CL_SUCCESS)

/* Before the first OpenCL call of the process. What the caller or ctest has set stays. */
static inline void shim_environment(void)
{
    setenv("YOKE_REAL_LIBOPENCL", YK_STUB_PATH, 0);
    setenv("YOKE_TRANSFORM", YK_STUB_TRANSFORM, 0);
    setenv("XDG_CACHE_HOME", YK_STUB_CACHE, 0);
    setenv("YOKE_STUB_DEVICES", "cpu,gpu", 0);
    stub_make_room();
}

static inline cl_program shim_program(struct shim *s, const char *text)
{
    cl_int err;
    cl_program p = clCreateProgramWithSource(s->context, 1, &text, NULL, &err);
    OK(err);
    OK(clBuildProgram(p, 1, &s->device, "", NULL, NULL));
    return p;
}

static inline void shim_open(struct shim *s, cl_command_queue_properties properties)
{
    cl_int err;
    shim_environment();
    OK(clGetPlatformIDs(1, &s->platform, NULL));
    OK(clGetDeviceIDs(s->platform, CL_DEVICE_TYPE_ALL, 1, &s->device, NULL));
    s->context = clCreateContext(NULL, 1, &s->device, NULL, NULL, &err);
    OK(err);
    s->queue = clCreateCommandQueue(s->context, s->device, properties, &err);
    OK(err);
    s->program = shim_program(s, shim_source);
}

/* Real objects that somebody still holds, waiting at most five seconds for background work to let go. */
static inline long shim_live(void)
{
    void *stub = dlopen(YK_STUB_PATH, RTLD_LAZY | RTLD_NOLOAD);
    ck_assert_ptr_nonnull(stub);
    long (*live)(void) = (long (*)(void))dlsym(stub, "stub_live");
    ck_assert(live != NULL);
    long n = 1;
    for (int i = 0; i < 5000 && (n = live()); i++)
        usleep(1000);
    dlclose(stub);
    return n;
}

static inline void shim_close(struct shim *s)
{
    OK(clReleaseProgram(s->program));
    OK(clReleaseCommandQueue(s->queue));
    OK(clReleaseContext(s->context));
    ck_assert_int_eq(shim_live(), 0);
}

static inline cl_kernel shim_kernel(struct shim *s, const char *name)
{
    cl_int err;
    cl_kernel k = clCreateKernel(s->program, name, &err);
    OK(err);
    return k;
}

static inline cl_mem shim_buffer(struct shim *s, size_t bytes)
{
    cl_int err;
    cl_mem m = clCreateBuffer(s->context, CL_MEM_READ_WRITE, bytes, NULL, &err);
    OK(err);
    return m;
}

static inline cl_event shim_gate(struct shim *s)
{
    cl_int err;
    cl_event e = clCreateUserEvent(s->context, &err);
    OK(err);
    return e;
}

static inline void shim_set(cl_kernel k, cl_uint i, cl_mem m)
{
    OK(clSetKernelArg(k, i, sizeof m, &m));
}

static inline void shim_set_int(cl_kernel k, cl_uint i, cl_int v)
{
    OK(clSetKernelArg(k, i, sizeof v, &v));
}

/* N work-items in groups of LOCAL (0: left open). */
static inline void shim_launch(cl_command_queue q, cl_kernel k, size_t n, size_t local, cl_uint nwait,
                               const cl_event *wait, cl_event *event)
{
    OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, local ? &local : NULL, nwait, wait, event));
}

#endif
