/* A large launch, then launches of one work-group, in each of which a work-item tells its group and the whole range:
 *
 *     form N        N small launches
 *
 * Prints what the kernels write. Knows nothing of yoke; form.py says what may be compiled for it. */
#include "tests/shim/kept.h"

enum { LARGE = 1 << 17, LOCAL = 64 };

static const char source[] =
    "kernel void tell(global uint *a, uint add) { size_t i = get_global_id(0);\n"
    "    a[i] = a[i] * 5 + add + (uint)get_group_id(0) * 3 + (uint)get_global_size(0) + (uint)get_num_groups(0); }\n";

int main(int argc, char **argv)
{
    static cl_uint got[LARGE];
    cl_device_id d;
    cl_int err;
    const char *text = source;
    const int small = argc > 1 ? atoi(argv[1]) : 0;
    cl_uint zero = 0, sum = 0;
    cl_context c;
    cl_command_queue q;
    begin(&d, &c, &q);
    cl_program p = clCreateProgramWithSource(c, 1, &text, NULL, &err);
    need(clBuildProgram(p, 1, &d, "", NULL, NULL), "build");
    cl_kernel k = clCreateKernel(p, "tell", &err);
    need(err, "kernel");
    cl_mem m = clCreateBuffer(c, CL_MEM_READ_WRITE, sizeof got, NULL, &err);
    need(err, "buffer");
    need(clEnqueueFillBuffer(q, m, &zero, sizeof zero, 0, sizeof got, 0, NULL, NULL), "fill");
    need(clSetKernelArg(k, 0, sizeof m, &m), "argument");
    for (int i = 0; i <= small; i++) {
        const size_t n = i ? LOCAL : LARGE, local = LOCAL;
        cl_uint add = (cl_uint)i;
        need(clSetKernelArg(k, 1, sizeof add, &add), "argument");
        need(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, &local, 0, NULL, NULL), "launch");
        if (i % 2)
            need(clFinish(q), "finish");
    }
    need(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL), "read");
    for (int i = 0; i < LARGE; i++)
        sum = sum * 31 + got[i];
    printf("%08x, %u, %u and %u\n", sum, got[0], got[LARGE / 2], got[LARGE - 1]);
    clReleaseMemObject(m);
    clReleaseKernel(k);
    clReleaseProgram(p);
    clReleaseCommandQueue(q);
    clReleaseContext(c);
    return 0;
}
