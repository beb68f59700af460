/* Two variables that are chosen from the same values, each by a condition of its own, are two: what is read through
 * their difference. Knows nothing of yoke. */
#include <stdlib.h>
#include "tests/shim/plain.h"

enum { N = 1024, GROUP = 16 };

static const char source[] =
    "kernel void choose(global int *out, global const int *in, global const int *c)\n"
    "{ int i = get_global_id(0), n = get_global_size(0), x, y;\n"
    "  switch (c[i] & 3) { case 0: x = 0; break; case 1: x = n; break; default: x = 2 * n; }\n"
    "  switch ((c[i] >> 2) & 3) { case 0: y = 0; break; case 1: y = n; break; default: y = 2 * n; }\n"
    "  out[i] = in[x - y + i + 2 * n]; }\n";

static int choice(int c)
{
    return c == 0 ? 0 : c == 1 ? N : 2 * N;
}

int main(void)
{
    static cl_int in[5 * N], c[N], got[N];
    struct plain p = plain_open(0, source);
    cl_kernel k = plain_kernel(&p, "choose");
    cl_mem m[] = {plain_buffer(&p, sizeof got), plain_buffer(&p, sizeof in), plain_buffer(&p, sizeof c)};
    const size_t n = N, group = GROUP;
    for (int i = 0; i < 5 * N; i++)
        in[i] = i * 7 + 1;
    for (int i = 0; i < N; i++)
        c[i] = (int)(((unsigned)i * 2654435761u) >> 20);
    check(clEnqueueWriteBuffer(p.queue, m[1], CL_TRUE, 0, sizeof in, in, 0, NULL, NULL), "write");
    check(clEnqueueWriteBuffer(p.queue, m[2], CL_TRUE, 0, sizeof c, c, 0, NULL, NULL), "write");
    for (cl_uint i = 0; i < 3; i++)
        check(clSetKernelArg(k, i, sizeof m[i], &m[i]), "argument");
    check(clEnqueueNDRangeKernel(p.queue, k, 1, NULL, &n, &group, 0, NULL, NULL), "launch");
    check(clEnqueueReadBuffer(p.queue, m[0], CL_TRUE, 0, sizeof got, got, 0, NULL, NULL), "read");
    for (int i = 0; i < N; i++) {
        int want = in[choice(c[i] & 3) - choice(c[i] >> 2 & 3) + i + 2 * N];
        if (got[i] != want) {
            fprintf(stderr, "choices: item %d is %d, not %d\n", i, got[i], want);
            return 1;
        }
    }
    for (cl_uint i = 0; i < 3; i++)
        check(clReleaseMemObject(m[i]), "release");
    check(clReleaseKernel(k), "release");
    check(clReleaseProgram(p.program), "release");
    check(clReleaseCommandQueue(p.queue), "release");
    check(clReleaseContext(p.context), "release");
    return 0;
}
