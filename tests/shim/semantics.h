/* What the tests of semantics start from: a context with a queue and a program of small kernels. Their programs are
 * plain OpenCL programs that know nothing of yoke; each test is a process of its own. */
#ifndef YK_TESTS_SHIM_SEMANTICS_H
#define YK_TESTS_SHIM_SEMANTICS_H

#include <CL/cl.h>
#include <check.h>

static const char source[] =
    "kernel void fill(global int *a, int v) { a[get_global_id(0)] = v + (int)get_global_id(0); }\n"
    "kernel void add(global const int *a, global int *b) { size_t i = get_global_id(0); b[i] += a[i]; }\n"
    "kernel void whole_ids(global uint *a) { size_t i = get_global_id(0) - get_global_offset(0);\n"
    "  a[i] = (uint)(get_group_id(0) * 1000 + get_local_id(0)) ^ (uint)(get_num_groups(0) << 20)\n"
    "       ^ (uint)(get_global_size(0) << 8) ^ (uint)get_global_offset(0); }\n"
    "kernel void rows(global int *a, int w) { a[get_global_id(1) * w + get_global_id(0)] += (int)get_group_id(1); }\n"
    "kernel void slow(global float *a, int n) { float x = a[get_global_id(0)];\n"
    "  for (int i = 0; i < n; i++) x = x * 0.5f + 1.0f; a[get_global_id(0)] = x; }\n";

enum { N = 4096, LOCAL = 64 };

struct cl {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
};

#define OK(call) ck_assert_int_eq((call), CL_SUCCESS)

static inline struct cl open_cl(cl_command_queue_properties properties)
{
    struct cl c;
    cl_platform_id platform;
    cl_int err;
    const char *text = source;
    OK(clGetPlatformIDs(1, &platform, NULL));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &c.device, NULL));
    c.context = clCreateContext(NULL, 1, &c.device, NULL, NULL, &err);
    OK(err);
    c.queue = clCreateCommandQueue(c.context, c.device, properties, &err);
    OK(err);
    c.program = clCreateProgramWithSource(c.context, 1, &text, NULL, &err);
    OK(err);
    OK(clBuildProgram(c.program, 1, &c.device, "", NULL, NULL));
    return c;
}

static inline void close_cl(struct cl *c)
{
    OK(clReleaseProgram(c->program));
    OK(clReleaseCommandQueue(c->queue));
    OK(clReleaseContext(c->context));
}

static inline cl_kernel kernel_of(struct cl *c, const char *name)
{
    cl_int err;
    cl_kernel k = clCreateKernel(c->program, name, &err);
    OK(err);
    return k;
}

static inline cl_mem buffer_of(struct cl *c, size_t bytes)
{
    cl_int err;
    cl_mem m = clCreateBuffer(c->context, CL_MEM_READ_WRITE, bytes, NULL, &err);
    OK(err);
    return m;
}

static inline void set2(cl_kernel k, cl_mem m, cl_int v)
{
    OK(clSetKernelArg(k, 0, sizeof m, &m));
    OK(clSetKernelArg(k, 1, sizeof v, &v));
}

static inline void launch(struct cl *c, cl_kernel k, cl_uint nwait, const cl_event *wait, cl_event *event)
{
    size_t global = N, local = LOCAL;
    OK(clEnqueueNDRangeKernel(c->queue, k, 1, NULL, &global, &local, nwait, wait, event));
}

#endif
