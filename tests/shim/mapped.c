/* Launches over one half of a buffer while the program writes into the other through a map, which it had mapped before
 * them: what it has written is there after the unmap. Knows nothing of yoke. */
#include "tests/shim/plain.h"

enum { N = 16384, GROUP = 64, KERNELS = 4 };

static const char source[] =
    "kernel void six(global uint *b, global const uint *five) { uint i = get_global_id(0); b[i] = five[i] + 1u; }\n"
    "kernel void count(global uint *b, global uint *a) { atomic_add(&b[a[get_global_id(0)] & 15u], 1u); }\n"
    "kernel void some(global uint *b, global uint *a) { uint i = get_global_id(0); if (a[i] & 1) b[i] = a[i]; }\n"
    "kernel void scatter(global uint *b, global uint *a) { b[a[get_global_id(0)]] = 7u; }\n"
    "kernel void gather(global uint *b, global uint *a) { uint i = get_global_id(0); a[i] = b[i] + b[a[i] % 16384u]; "
    "}\n";
static const char *const names[KERNELS] = {"count", "some", "scatter", "gather"};
static const cl_map_flags how[] = {CL_MAP_WRITE_INVALIDATE_REGION, CL_MAP_WRITE, CL_MAP_READ | CL_MAP_WRITE};

static cl_uint a[N], b[2 * N], want[N];

static void expect(const char *name)
{
    for (int i = 0; i < N; i++)
        want[i] = 6;
    for (int i = 0; i < N; i++)
        if (name[0] == 'c')
            want[a[i] & 15] += 2; /* it is launched twice */
        else if (name[0] == 's' && name[1] == 'o')
            want[i] = a[i] & 1 ? a[i] : 6;
        else if (name[0] == 's')
            want[a[i]] = 7;
}

static void launch(const struct plain *p, const char *name, size_t n, cl_mem first, cl_mem second)
{
    const size_t group = GROUP;
    cl_kernel k = plain_kernel(p, name);
    check(clSetKernelArg(k, 0, sizeof first, &first), "argument");
    check(clSetKernelArg(k, 1, sizeof second, &second), "argument");
    check(clEnqueueNDRangeKernel(p->queue, k, 1, NULL, &n, &group, 0, NULL, NULL), "launch");
    check(clReleaseKernel(k), "release");
}

static int wrong(const struct plain *p, const char *name, cl_map_flags flags)
{
    cl_int err;
    for (int i = 0; i < N; i++)
        a[i] = (cl_uint)i * 2654435761u % N;
    for (int i = 0; i < 2 * N; i++)
        b[i] = 5;
    cl_mem five = plain_filled(p, sizeof b, b), data = plain_filled(p, sizeof b, b),
           indices = plain_filled(p, sizeof a, a);
    launch(p, "six", 2 * N, data, five); /* on several devices */
    check(clFinish(p->queue), "finish");
    cl_uint *at = clEnqueueMapBuffer(p->queue, data, CL_TRUE, flags, sizeof a, sizeof a, 0, NULL, NULL, &err);
    check(err, "map");
    launch(p, name, N, data, indices);
    launch(p, name, N, data, indices);
    check(clFlush(p->queue), "flush");
    for (cl_uint i = 0; i < N; i++)
        at[i] = i + 1000000;
    check(clEnqueueUnmapMemObject(p->queue, data, at, 0, NULL, NULL), "unmap");
    check(clEnqueueReadBuffer(p->queue, data, CL_TRUE, 0, sizeof b, b, 0, NULL, NULL), "read");
    expect(name);
    int n = 0;
    for (cl_uint i = 0; i < N; i++)
        n += (b[i] != want[i]) + (b[N + i] != i + 1000000);
    check(clReleaseMemObject(five), "release");
    check(clReleaseMemObject(data), "release");
    check(clReleaseMemObject(indices), "release");
    return n;
}

int main(void)
{
    struct plain p = plain_open(0, source);
    int bad = 0;
    for (unsigned k = 0; k < KERNELS; k++)
        for (unsigned f = 0; f < sizeof how / sizeof *how; f++) {
            int n = wrong(&p, names[k], how[f]);
            if (n)
                fprintf(stderr, "mapped: %s, map %u: %d numbers are wrong\n", names[k], f, n);
            bad += n;
        }
    check(clReleaseProgram(p.program), "release");
    check(clReleaseCommandQueue(p.queue), "release");
    check(clReleaseContext(p.context), "release");
    return bad != 0;
}
