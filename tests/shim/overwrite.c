/* Launches of many work-groups, each followed by one of a single work-group of another kernel on the same buffer:
 *
 *     overwrite KERNEL [ITEMS]     the second kernel, and its work-items (all, unless given)
 *
 * Prints how many numbers are wrong. Knows nothing of yoke; overwrite.py says what is to be moved for it. */
#include <string.h>
#include "tests/shim/kept.h"

enum { N = 4096, LOCAL = 64, ROUNDS = 20 };

static const char source[] =
    "kernel void put(global int *a, int add) { size_t i = get_global_id(0); a[i] = (int)i * 3 + add; }\n"
    "kernel void more(global int *a, int add) { size_t i = get_global_id(0); a[i] = a[i] * 5 + add; }\n"
    "kernel void some(global int *a, int add) { size_t i = get_global_id(0); if (i % 3) a[i] = add; }\n"
    "kernel void late(global int *a, int add) { size_t i = get_global_id(0);\n"
    "    int last = i ? 0 : a[4095]; barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);\n"
    "    a[i] = (int)i + add + last; }\n";

/* The same on the host. */
static void second(const char *kernel, int *a, int items, int add)
{
    int last = a[N - 1];
    for (int i = 0; i < items; i++)
        if (!strcmp(kernel, "put"))
            a[i] = i * 3 + add;
        else if (!strcmp(kernel, "more"))
            a[i] = a[i] * 5 + add;
        else if (!strcmp(kernel, "late"))
            a[i] = i + add + (i ? 0 : last);
        else if (i % 3)
            a[i] = add;
}

int main(int argc, char **argv)
{
    static cl_int got[N], want[N];
    cl_device_id d;
    cl_int err, wrong = 0;
    const char *text = source, *name = argc > 1 ? argv[1] : "put";
    const size_t all = N, local = LOCAL, items = argc > 2 ? (size_t)atoi(argv[2]) : N;
    cl_context c;
    cl_command_queue q;
    begin(&d, &c, &q);
    cl_program p = clCreateProgramWithSource(c, 1, &text, NULL, &err);
    need(clBuildProgram(p, 1, &d, "", NULL, NULL), "build");
    cl_kernel first = clCreateKernel(p, "put", &err);
    need(err, "kernel");
    cl_kernel then = clCreateKernel(p, name, &err);
    need(err, "kernel");
    cl_mem m = clCreateBuffer(c, CL_MEM_READ_WRITE, sizeof got, NULL, &err);
    need(err, "buffer");
    need(clSetKernelArg(first, 0, sizeof m, &m), "argument");
    need(clSetKernelArg(then, 0, sizeof m, &m), "argument");
    for (int i = 0; i < ROUNDS; i++) {
        cl_int add = 7 * i, other = 11 * i + 1;
        need(clSetKernelArg(first, 1, sizeof add, &add), "argument");
        need(clSetKernelArg(then, 1, sizeof other, &other), "argument");
        need(clEnqueueNDRangeKernel(q, first, 1, NULL, &all, &local, 0, NULL, NULL), "launch");
        need(clEnqueueNDRangeKernel(q, then, 1, NULL, &items, &items, 0, NULL, NULL), "launch");
        second("put", want, N, add);
        second(name, want, (int)items, other);
    }
    need(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL), "read");
    for (int i = 0; i < N; i++)
        wrong += got[i] != want[i];
    printf("%d of %d wrong\n", wrong, N);
    clReleaseMemObject(m);
    clReleaseKernel(first);
    clReleaseKernel(then);
    clReleaseProgram(p);
    clReleaseCommandQueue(q);
    clReleaseContext(c);
    return wrong > 0;
}
