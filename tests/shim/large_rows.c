/* Loops over the range again and again: what a share has written is rows of some megabytes (of some KiB where
 * YOKE_TEST_ITEMS says so), and the next launch reads the other half of each. A plain OpenCL program that checks its
 * bytes. */
#include <CL/cl.h>
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/main.h"

enum { ITEMS = 1 << 20, MOST = ITEMS * 5, LOCAL = 64, ROUNDS = 3 };

#define OK(call) ck_assert_int_eq((call), CL_SUCCESS)

static const char source[] = "kernel void put(global uint *a, uint n, uint k) {\n"
                             "    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) a[i] = i * 5 + k;\n"
                             "}\n"
                             "kernel void take(global uint *b, global const uint *a, uint n) {\n"
                             "    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {\n"
                             "        uint other = i ^ (uint)get_global_size(0) / 2;\n"
                             "        b[i] = other < n ? a[other] + i : i;\n"
                             "    }\n"
                             "}\n"
                             "kernel void own(global uint *b, global const uint *a, uint n) {\n"
                             "    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) b[i] = a[i] * 3;\n"
                             "}\n";

static cl_kernel kernel_of(cl_program p, const char *name)
{
    cl_int err;
    cl_kernel k = clCreateKernel(p, name, &err);
    OK(err);
    return k;
}

static cl_mem buffer_of(cl_context c)
{
    cl_int err;
    cl_mem m = clCreateBuffer(c, CL_MEM_READ_WRITE, sizeof(cl_uint) * MOST, NULL, &err);
    OK(err);
    return m;
}

START_TEST(rows_of_megabytes_change_places)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int err;
    const char *text = source;
    /* The last row has an end of its own, or none. */
    const cl_uint n = getenv("YOKE_TEST_RAGGED") ? MOST - 12345 : MOST;
    const size_t items = getenv("YOKE_TEST_ITEMS") ? (size_t)atoi(getenv("YOKE_TEST_ITEMS")) : ITEMS, local = LOCAL;
    OK(clGetPlatformIDs(1, &platform, NULL));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    OK(err);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &err);
    OK(err);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    OK(err);
    OK(clBuildProgram(program, 1, &device, "", NULL, NULL));
    cl_kernel put = kernel_of(program, "put"), take = kernel_of(program, "take"), own = kernel_of(program, "own");
    cl_mem a = buffer_of(context), b = buffer_of(context);
    cl_uint *got = malloc(sizeof *got * MOST);
    OK(clSetKernelArg(put, 0, sizeof a, &a));
    OK(clSetKernelArg(put, 1, sizeof n, &n));
    OK(clSetKernelArg(take, 0, sizeof b, &b));
    OK(clSetKernelArg(take, 1, sizeof a, &a));
    OK(clSetKernelArg(take, 2, sizeof n, &n));
    OK(clSetKernelArg(own, 0, sizeof b, &b));
    OK(clSetKernelArg(own, 1, sizeof a, &a));
    OK(clSetKernelArg(own, 2, sizeof n, &n));
    for (cl_uint round = 0; round < ROUNDS; round++) {
        OK(clSetKernelArg(put, 2, sizeof round, &round));
        OK(clEnqueueNDRangeKernel(queue, put, 1, NULL, &items, &local, 0, NULL, NULL));
        OK(clEnqueueNDRangeKernel(queue, take, 1, NULL, &items, &local, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, b, CL_TRUE, 0, sizeof *got * n, got, 0, NULL, NULL));
        unsigned wrong = 0;
        for (cl_uint i = 0; i < n; i++) {
            cl_uint other = i ^ (cl_uint)items / 2;
            wrong += got[i] != (other < n ? other * 5 + round + i : i);
        }
        ck_assert_uint_eq(wrong, 0);
        /* Rows of what the host has written in place, and reads there. */
        const size_t bytes = sizeof *got * n;
        cl_uint *at =
            clEnqueueMapBuffer(queue, a, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, bytes, 0, NULL, NULL, &err);
        OK(err);
        memcpy(at, got, bytes);
        OK(clEnqueueUnmapMemObject(queue, a, at, 0, NULL, NULL));
        OK(clEnqueueNDRangeKernel(queue, own, 1, NULL, &items, &local, 0, NULL, NULL));
        at = clEnqueueMapBuffer(queue, b, CL_TRUE, CL_MAP_READ, 0, bytes, 0, NULL, NULL, &err);
        OK(err);
        for (cl_uint i = 0; i < n; i++)
            wrong += at[i] != got[i] * 3;
        OK(clEnqueueUnmapMemObject(queue, b, at, 0, NULL, NULL));
        ck_assert_uint_eq(wrong, 0);
    }
    free(got);
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
    OK(clReleaseKernel(put));
    OK(clReleaseKernel(take));
    OK(clReleaseKernel(own));
    OK(clReleaseProgram(program));
    OK(clReleaseCommandQueue(queue));
    OK(clReleaseContext(context));
}
END_TEST

YK_TEST_MAIN("large_rows", rows_of_megabytes_change_places)
