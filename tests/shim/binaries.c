/* A program that keeps its binary between runs: `save FILE` builds from source, writes the binary and computes; `load
 * FILE` computes from the binary. Knows nothing of yoke; binaries.py says what must come out. */
#include <stdbool.h>
#include <string.h>
#include "tests/shim/kept.h"

enum { N = 1 << 16, LAUNCHES = 8 };

static const char source[] = "kernel void twist(global uint *a) { size_t i = get_global_id(0); uint x = a[i];\n"
                             "  for (int n = 0; n < ROUNDS; n++) x = x * 1664525u + (uint)i; a[i] = x; }\n";

int main(int argc, char **argv)
{
    cl_device_id d;
    cl_int err;
    const char *text = source;
    if (argc != 3)
        return 2;
    cl_context c;
    cl_command_queue q;
    begin(&d, &c, &q);
    bool from_source = !strcmp(argv[1], "save");
    cl_program p = from_source ? clCreateProgramWithSource(c, 1, &text, NULL, &err) : load(c, d, argv[2]);
    need(clBuildProgram(p, 1, &d, from_source ? "-DROUNDS=50" : NULL, NULL, NULL), "build");
    if (from_source)
        save(p, argv[2]);
    cl_kernel k = clCreateKernel(p, "twist", &err);
    need(err, "kernel");
    cl_mem m = clCreateBuffer(c, CL_MEM_READ_WRITE, N * sizeof(cl_uint), NULL, &err);
    cl_uint zero = 1, *got = malloc(N * sizeof *got), sum = 0;
    need(clEnqueueFillBuffer(q, m, &zero, sizeof zero, 0, N * sizeof zero, 0, NULL, NULL), "fill");
    need(clSetKernelArg(k, 0, sizeof m, &m), "argument");
    size_t n = N, local = 64;
    for (int i = 0; i < LAUNCHES; i++)
        need(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, &local, 0, NULL, NULL), "launch");
    need(clEnqueueReadBuffer(q, m, CL_TRUE, 0, N * sizeof *got, got, 0, NULL, NULL), "read");
    for (int i = 0; i < N; i++)
        sum = sum * 31 + got[i];
    printf("sum %08x\n", sum);
    free(got);
    clReleaseMemObject(m);
    clReleaseKernel(k);
    clReleaseProgram(p);
    clReleaseCommandQueue(q);
    clReleaseContext(c);
    return 0;
}
