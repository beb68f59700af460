/* What programs that keep their binary between runs start from: calls that must not fail, a binary written to a file
 * and taken in from it, kernels launched on ones. Status 3: the binary is refused. */
#ifndef YK_TESTS_SHIM_KEPT_H
#define YK_TESTS_SHIM_KEPT_H

#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static inline void need(cl_int err, const char *what)
{
    if (err == CL_SUCCESS)
        return;
    printf("%s: %d\n", what, err);
    exit(err == CL_INVALID_BINARY ? 3 : 1);
}

/* The first device, with a context and an in-order queue, which the caller releases. */
static inline void begin(cl_device_id *d, cl_context *c, cl_command_queue *q)
{
    cl_platform_id platform;
    cl_int err;
    need(clGetPlatformIDs(1, &platform, NULL), "platform");
    need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, d, NULL), "device");
    *c = clCreateContext(NULL, 1, d, NULL, NULL, &err);
    need(err, "context");
    *q = clCreateCommandQueue(*c, *d, 0, &err);
    need(err, "queue");
}

/* What LAUNCHES of kernel NAME make of so many ones, 64 at a time; its second argument is *FACTOR (NULL: it has none).
 */
enum { ONES = 1 << 16 };
static inline void print_of_ones(cl_context c, cl_command_queue q, cl_program p, const char *name, int launches,
                                 const cl_uint *factor)
{
    static cl_uint got[ONES];
    cl_int err;
    cl_uint sum = 0, one = 1;
    const size_t n = ONES, local = 64;
    cl_kernel k = clCreateKernel(p, name, &err);
    need(err, "kernel");
    cl_mem m = clCreateBuffer(c, CL_MEM_READ_WRITE, sizeof got, NULL, &err);
    need(err, "buffer");
    need(clEnqueueFillBuffer(q, m, &one, sizeof one, 0, sizeof got, 0, NULL, NULL), "fill");
    need(clSetKernelArg(k, 0, sizeof m, &m), "argument");
    if (factor)
        need(clSetKernelArg(k, 1, sizeof *factor, factor), "argument");
    for (int i = 0; i < launches; i++)
        need(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, &local, 0, NULL, NULL), "launch");
    need(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL), "read");
    for (int i = 0; i < ONES; i++)
        sum = sum * 31 + got[i];
    printf("%s %08x, %u and %u\n", name, sum, got[0], got[ONES - 1]);
    clReleaseMemObject(m);
    clReleaseKernel(k);
}

static inline void save(cl_program p, const char *path)
{
    size_t size;
    need(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL), "size");
    unsigned char *bytes = malloc(size);
    need(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL), "binary");
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes, 1, size, f) != size || fclose(f))
        exit(2);
    free(bytes);
}

static inline cl_program load(cl_context c, cl_device_id d, const char *path)
{
    static unsigned char bytes[1 << 20];
    const unsigned char *given = bytes;
    FILE *f = fopen(path, "rb");
    size_t size = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    if (f)
        fclose(f);
    cl_int err, status = 0;
    cl_program p = clCreateProgramWithBinary(c, 1, &d, &size, &given, &status, &err);
    need(err, "load");
    return p;
}

#endif
