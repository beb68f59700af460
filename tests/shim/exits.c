/* A loop that is left by several exits: which of its values is used behind it is known of none, be it an index, a
 * condition or a pointer. Each work-item writes one of its sixteen numbers, the others stay. Knows nothing of yoke. */
#include <stdlib.h>
#include <string.h>
#include "tests/shim/plain.h"

enum { N = 1024, GROUP = 16, EACH = 16, LAST = 15 };

#define LOOP(type, first, second)                                                                                      \
    "{ int g = get_global_id(0), i; " type " k, a, b;\n"                                                               \
    "  for (i = 0;; i++) {\n"                                                                                          \
    "    a = " first "; b = " second ";\n"                                                                             \
    "    r[g] = i + i * stride;\n"                                                                                     \
    "    if (in[g + i] == 2) { k = a; goto out; }\n"                                                                   \
    "    r[g] = i - i * stride;\n"                                                                                     \
    "    if (i >= n) { k = b; goto out; }\n"                                                                           \
    "    r[g + get_global_size(0)] = i; }\n"

static const char source[] =
    "#define ARGS global int *o, global const int *in, global int *r, int n, int stride\n"
    "typedef global int *place;\n"
    "kernel void change(global int *o, int s) { int i = get_global_id(0); o[i] = o[i] * 7 + s; }\n"
    "kernel void number(ARGS)\n" LOOP(
        "int", "i", "i * stride") "out: o[(1023 - g) * 16 + k] = g + 1; }\n"
                                  "kernel void condition(ARGS)\n" LOOP(
                                      "int", "i",
                                      "i * stride") "out: if (k < 3) o[(1023 - g) * 16] = k + 1; }\n"
                                                    "kernel void pointer(ARGS)\n" LOOP(
                                                        "place", "o + (1023 - g) * 16 + i",
                                                        "o + (1023 - g) * 16 + i * stride") "out: *k = g + 1; }\n";

static int want[N * EACH], got[N * EACH], in[N + EACH];

static int last_round(int g)
{
    int i = 0;
    while (in[g + i] != 2 && i < LAST)
        i++;
    return i;
}

static void expect(const char *name)
{
    for (int g = 0; g < N; g++) {
        int k = last_round(g), *o = want + (N - 1 - g) * EACH; /* what another device wrote before */
        if (strcmp(name, "condition") != 0)
            o[k] = g + 1;
        else if (k < 3)
            *o = k + 1;
    }
}

int main(void)
{
    static const char *const names[] = {"number", "condition", "pointer"};
    struct plain p = plain_open(0, source);
    cl_kernel change = plain_kernel(&p, "change");
    cl_mem m[] = {plain_buffer(&p, sizeof got), plain_buffer(&p, sizeof in), plain_buffer(&p, 2 * N * sizeof(int))};
    const size_t all = N * EACH, n = N, group = GROUP;
    for (int i = 0; i < N + EACH; i++)
        in[i] = (int)(((unsigned)i * 2654435761u) >> 24) % 11;
    check(clEnqueueWriteBuffer(p.queue, m[1], CL_TRUE, 0, sizeof in, in, 0, NULL, NULL), "write");
    check(clEnqueueWriteBuffer(p.queue, m[0], CL_TRUE, 0, sizeof want, want, 0, NULL, NULL), "write");
    for (int round = 0; round < 6; round++) {
        const char *name = names[round % 3];
        const cl_int last = LAST, stride = 1;
        cl_kernel k = plain_kernel(&p, name);
        for (cl_uint i = 0; i < 3; i++)
            check(clSetKernelArg(k, i, sizeof m[i], &m[i]), "argument");
        check(clSetKernelArg(k, 3, sizeof last, &last), "argument");
        check(clSetKernelArg(k, 4, sizeof stride, &stride), "argument");
        check(clSetKernelArg(change, 0, sizeof m[0], &m[0]), "argument");
        check(clSetKernelArg(change, 1, sizeof round, &round), "argument");
        check(clEnqueueNDRangeKernel(p.queue, change, 1, NULL, &all, &group, 0, NULL, NULL), "launch");
        check(clEnqueueNDRangeKernel(p.queue, k, 1, NULL, &n, &group, 0, NULL, NULL), "launch");
        check(clEnqueueReadBuffer(p.queue, m[0], CL_TRUE, 0, sizeof got, got, 0, NULL, NULL), "read");
        for (int i = 0; i < N * EACH; i++)
            want[i] = (int)((unsigned)want[i] * 7 + (unsigned)round);
        expect(name);
        for (int i = 0; i < N * EACH; i++)
            if (got[i] != want[i]) {
                fprintf(stderr, "exits: %s, round %d: %d is %d, not %d\n", name, round, i, got[i], want[i]);
                return 1;
            }
        check(clReleaseKernel(k), "release");
    }
    for (cl_uint i = 0; i < 3; i++)
        check(clReleaseMemObject(m[i]), "release");
    check(clReleaseKernel(change), "release");
    check(clReleaseProgram(p.program), "release");
    check(clReleaseCommandQueue(p.queue), "release");
    check(clReleaseContext(p.context), "release");
    return 0;
}
