/* What plain OpenCL programs of these tests begin with: errors end them, with the call's name; the first device of the
 * first platform, a queue, a program. */
#ifndef YK_TESTS_SHIM_PLAIN_H
#define YK_TESTS_SHIM_PLAIN_H

#include <CL/cl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static inline void check(cl_int err, const char *what)
{
    if (err == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: %s: error %d\n", program_invocation_short_name, what, err);
    exit(1);
}

struct plain {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
};

/* Its queue has PROPERTIES, its program is SOURCE's. */
static inline struct plain plain_open(cl_command_queue_properties properties, const char *source)
{
    struct plain p;
    cl_platform_id platform;
    cl_int err;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &p.device, NULL), "clGetDeviceIDs");
    p.context = clCreateContext(NULL, 1, &p.device, NULL, NULL, &err);
    check(err, "clCreateContext");
    p.queue = clCreateCommandQueue(p.context, p.device, properties, &err);
    check(err, "clCreateCommandQueue");
    p.program = clCreateProgramWithSource(p.context, 1, &source, NULL, &err);
    check(err, "clCreateProgramWithSource");
    check(clBuildProgram(p.program, 1, &p.device, "", NULL, NULL), "clBuildProgram");
    return p;
}

static inline cl_kernel plain_kernel(const struct plain *p, const char *name)
{
    cl_int err;
    cl_kernel k = clCreateKernel(p->program, name, &err);
    check(err, name);
    return k;
}

static inline cl_mem plain_buffer(const struct plain *p, size_t bytes)
{
    cl_int err;
    cl_mem m = clCreateBuffer(p->context, CL_MEM_READ_WRITE, bytes, NULL, &err);
    check(err, "clCreateBuffer");
    return m;
}

/* A buffer that begins with the BYTES at WITH. */
static inline cl_mem plain_filled(const struct plain *p, size_t bytes, void *with)
{
    cl_int err;
    cl_mem m = clCreateBuffer(p->context, CL_MEM_COPY_HOST_PTR, bytes, with, &err);
    check(err, "clCreateBuffer");
    return m;
}

#endif
