/* Numbers of dimensions that no range has: drivers do not agree on them (PoCL 3.1 says 0 groups where the specification
 * says 1), and what is read by them must be there whatever the driver says. Each work-item writes the number and what
 * it has read by it. */
#include <CL/cl.h>
#include <stdlib.h>
#include "tests/unit/main.h"

enum { ITEMS = 1024, LOCAL = 16, SIZES = 3, CELLS = 4096 };

#define CL(call) ck_assert_msg((call) == CL_SUCCESS, "%s", #call)

static const char source[] =
    "__kernel void read(__global uint *out, __global const uint *by_groups, __global const uint *by_local,\n"
    "                   __global const uint *by_size)\n"
    "{\n"
    "    size_t i = get_global_id(0) * 6;\n"
    "    uint g = (uint)get_num_groups(3), l = (uint)get_local_size(4), n = (uint)get_global_size(5);\n"
    "    out[i] = g; out[i + 1] = by_groups[g * 1000];\n"
    "    out[i + 2] = l; out[i + 3] = by_local[l * 1000];\n"
    "    out[i + 4] = n; out[i + 5] = by_size[n * 1000];\n"
    "}\n";

START_TEST(what_is_read_by_them_is_there)
{
    static cl_uint in[SIZES][CELLS], out[ITEMS * 2 * SIZES];
    const char *text = source;
    size_t global = ITEMS, local = LOCAL;
    cl_platform_id platform;
    cl_device_id device;
    cl_int e;
    cl_mem mem[SIZES + 1];
    CL(clGetPlatformIDs(1, &platform, NULL));
    CL(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context c = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    CL(e);
    cl_command_queue q = clCreateCommandQueue(c, device, 0, &e);
    CL(e);
    cl_program p = clCreateProgramWithSource(c, 1, &text, NULL, &e);
    CL(e);
    CL(clBuildProgram(p, 1, &device, "", NULL, NULL));
    cl_kernel k = clCreateKernel(p, "read", &e);
    CL(e);
    mem[0] = clCreateBuffer(c, CL_MEM_WRITE_ONLY, sizeof out, NULL, &e);
    CL(e);
    for (unsigned b = 0; b < SIZES; b++) {
        for (unsigned i = 0; i < CELLS; i++)
            in[b][i] = (b + 1) * 100000 + i;
        mem[b + 1] = clCreateBuffer(c, CL_MEM_READ_ONLY, sizeof in[b], NULL, &e);
        CL(e);
        CL(clEnqueueWriteBuffer(q, mem[b + 1], CL_TRUE, 0, sizeof in[b], in[b], 0, NULL, NULL));
    }
    for (cl_uint b = 0; b <= SIZES; b++)
        CL(clSetKernelArg(k, b, sizeof mem[b], &mem[b]));
    CL(clEnqueueNDRangeKernel(q, k, 1, NULL, &global, &local, 0, NULL, NULL));
    CL(clEnqueueReadBuffer(q, mem[0], CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (unsigned i = 0; i < ITEMS; i++)
        for (unsigned b = 0; b < SIZES; b++) {
            const cl_uint *pair = &out[i * 2 * SIZES + 2 * b];
            ck_assert_uint_le(pair[0], 1);
            ck_assert_msg(pair[1] == in[b][pair[0] * 1000], "item %u, buffer %u: by %u %u was read", i, b, pair[0],
                          pair[1]);
        }
    for (unsigned b = 0; b <= SIZES; b++)
        clReleaseMemObject(mem[b]);
    clReleaseKernel(k);
    clReleaseProgram(p);
    clReleaseCommandQueue(q);
    clReleaseContext(c);
}
END_TEST

YK_TEST_MAIN("beyond", what_is_read_by_them_is_there)
