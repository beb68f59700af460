/* A device that works in the host's memory shows it to programs without a map, after every blocking call; so must
 * several devices, of which some do not work there. A plain OpenCL program that knows nothing of yoke. */
#include <CL/cl.h>
#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include "tests/unit/main.h"

enum { N = 4096, LOCAL = 64 };

static const char source[] =
    "kernel void fill(global int *a, int v) { a[get_global_id(0)] = v + (int)get_global_id(0); }\n";

#define OK(call) ck_assert_int_eq((call), CL_SUCCESS)

START_TEST(host_memory_is_current_after_blocking_calls)
{
    cl_platform_id platform;
    cl_device_id device;
    const char *text = source;
    cl_int err, *host = aligned_alloc(4096, N * sizeof *host), probe = 77, got;
    OK(clGetPlatformIDs(1, &platform, NULL));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context c = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    OK(err);
    cl_command_queue q = clCreateCommandQueue(c, device, 0, &err);
    OK(err);
    cl_program p = clCreateProgramWithSource(c, 1, &text, NULL, &err);
    OK(err);
    OK(clBuildProgram(p, 1, &device, "", NULL, NULL));
    cl_kernel k = clCreateKernel(p, "fill", &err);
    OK(err);
    cl_mem a = clCreateBuffer(c, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, N * sizeof *host, host, &err);
    OK(err);
    cl_mem other = clCreateBuffer(c, CL_MEM_READ_WRITE, sizeof got, NULL, &err);
    OK(err);
    OK(clEnqueueFillBuffer(q, a, &probe, sizeof probe, 0, N * sizeof *host, 0, NULL, NULL));
    OK(clEnqueueFillBuffer(q, other, &probe, sizeof probe, 0, sizeof got, 0, NULL, NULL));
    OK(clFinish(q));
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(host[i], 77); /* else the device has a memory of its own: not one for this test */
    for (int how = 0; how < 3; how++) {
        const size_t n = N, local = LOCAL;
        const cl_int v = 1000 * how;
        cl_event e;
        OK(clSetKernelArg(k, 0, sizeof a, &a));
        OK(clSetKernelArg(k, 1, sizeof v, &v));
        OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, &local, 0, NULL, &e));
        if (how == 0)
            OK(clFinish(q));
        else if (how == 1)
            OK(clWaitForEvents(1, &e));
        else
            OK(clEnqueueReadBuffer(q, other, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL));
        for (int i = 0; i < N; i++)
            ck_assert_int_eq(host[i], v + i);
        OK(clReleaseEvent(e));
    }
    OK(clReleaseKernel(k));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(other));
    OK(clReleaseProgram(p));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
    free(host);
}
END_TEST

YK_TEST_MAIN("hostptr", host_memory_is_current_after_blocking_calls)
