/* A native kernel is the program's own code: OpenCL calls that it makes are the program's, wherever the driver runs it.
 * A plain OpenCL program that knows nothing of yoke. */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/shim/plain.h"

static const char source[] = "kernel void twice(global int *o) { o[get_global_id(0)] *= 2; }\n";

/* What the native kernel is given, but for the memory object, which the driver puts in as an address. */
struct block {
    void *bytes;
    cl_mem buffer;
    cl_context context;
    cl_event user;
    int *told;
};

static void CL_CALLBACK call(void *args)
{
    struct block b;
    cl_uint refs = 0;
    cl_int err, *first;
    memcpy(&b, args, sizeof b);
    first = b.bytes;
    err = clGetMemObjectInfo(b.buffer, CL_MEM_REFERENCE_COUNT, sizeof refs, &refs, NULL);
    cl_mem made = clCreateBuffer(b.context, CL_MEM_READ_WRITE, 64, NULL, NULL);
    err |= made ? clReleaseMemObject(made) : CL_OUT_OF_RESOURCES;
    err |= clSetUserEventStatus(b.user, CL_COMPLETE);
    *b.told = err == CL_SUCCESS && refs > 0 && *first == 14 ? 1 : -1;
    *first = 5;
}

static void CL_CALLBACK bare(void *args)
{
    if (args)
        abort();
}

int main(void)
{
    enum { N = 256 };
    struct plain p = plain_open(0, source);
    cl_kernel twice = plain_kernel(&p, "twice");
    static int value[N];
    int told = 0;
    cl_int err;
    for (int i = 0; i < N; i++)
        value[i] = 7 + i;
    cl_mem m = plain_buffer(&p, sizeof value);
    cl_event user = clCreateUserEvent(p.context, &err);
    const size_t n = N, group = 64;
    if (err != CL_SUCCESS || clEnqueueWriteBuffer(p.queue, m, CL_TRUE, 0, sizeof value, value, 0, NULL, NULL) ||
        clSetKernelArg(twice, 0, sizeof m, &m) ||
        clEnqueueNDRangeKernel(p.queue, twice, 1, NULL, &n, &group, 0, NULL, NULL))
        return fprintf(stderr, "cannot launch\n"), 1;
    struct block b = {NULL, m, p.context, user, &told};
    const void *at = &b.bytes;
    if (clEnqueueNativeKernel(p.queue, call, &b, sizeof b, 1, &m, &at, 0, NULL, NULL) ||
        clEnqueueNativeKernel(p.queue, bare, NULL, 0, 0, NULL, NULL, 0, NULL, NULL) ||
        clEnqueueReadBuffer(p.queue, m, CL_TRUE, 0, sizeof value, value, 0, NULL, NULL))
        return fprintf(stderr, "cannot run a native kernel\n"), 1;
    for (int i = 0; i < N; i++)
        if (value[i] != (i ? 2 * (7 + i) : 5))
            return fprintf(stderr, "%d is %d\n", i, value[i]), 1;
    cl_int status = CL_QUEUED;
    clGetEventInfo(user, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    return told == 1 && status == CL_COMPLETE ? 0 : (fprintf(stderr, "told %d, status %d\n", told, status), 1);
}
