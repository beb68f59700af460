/* Buffers over the program's memory, wherever it begins: the kernel's results are there once they are mapped, what the
 * program writes through a map is seen by the kernel, and the bytes around them stay as they are. given [ROUNDS]. Knows
 * nothing of yoke. */
#include <stdbool.h>
#include <string.h>
#include "tests/shim/plain.h"

enum { N = 4096, GROUP = 64, PAGE = 4096, ROUNDS = 10, AROUND = 0x6b };

static const char source[] = "kernel void turn(global const uint *a, global uint *b, uint k)\n"
                             "{ uint i = get_global_id(0); b[i] = a[(i * 5 + k) % get_global_size(0)] * 3 + k; }\n";

static cl_mem over(const struct plain *p, void *at)
{
    cl_int err;
    cl_mem m = clCreateBuffer(p->context, CL_MEM_USE_HOST_PTR, sizeof(cl_uint) * N, at, &err);
    check(err, "clCreateBuffer");
    return m;
}

static cl_uint *map(const struct plain *p, cl_mem m, cl_map_flags flags, const void *at)
{
    cl_int err;
    void *got = clEnqueueMapBuffer(p->queue, m, CL_TRUE, flags, 0, sizeof(cl_uint) * N, 0, NULL, NULL, &err);
    check(err, "clEnqueueMapBuffer");
    if (got != at) {
        fprintf(stderr, "given: mapped elsewhere than in the program's memory\n");
        exit(1);
    }
    return got;
}

static void unmap(const struct plain *p, cl_mem m, void *at)
{
    check(clEnqueueUnmapMemObject(p->queue, m, at, 0, NULL, NULL), "clEnqueueUnmapMemObject");
}

static bool untouched(const unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] != AROUND)
            return false;
    return true;
}

static void run(const struct plain *p, unsigned char *memory, size_t offset, cl_uint rounds)
{
    static cl_uint is[2][N];
    const size_t n = N, group = GROUP, bytes = sizeof *is;
    memset(memory, AROUND, 4 * PAGE + 2 * bytes);
    unsigned char *at[] = {memory + offset, memory + 2 * PAGE + bytes + offset};
    for (cl_uint i = 0; i < N; i++)
        is[0][i] = i * i;
    memcpy(at[0], is[0], bytes);
    memset(at[1], 0, bytes);
    cl_mem m[] = {over(p, at[0]), over(p, at[1])};
    cl_kernel k = plain_kernel(p, "turn");
    for (cl_uint r = 0; r < rounds; r++) {
        unsigned from = r % 2, to = !from;
        check(clSetKernelArg(k, 0, sizeof m[from], &m[from]), "a");
        check(clSetKernelArg(k, 1, sizeof m[to], &m[to]), "b");
        check(clSetKernelArg(k, 2, sizeof r, &r), "k");
        check(clEnqueueNDRangeKernel(p->queue, k, 1, NULL, &n, &group, 0, NULL, NULL), "turn");
        for (cl_uint i = 0; i < N; i++)
            is[to][i] = is[from][(i * 5 + r) % N] * 3 + r;
        if (r % 3 == 1) {
            cl_uint *b = map(p, m[to], CL_MAP_READ | CL_MAP_WRITE, at[to]);
            is[to][r * 7] = b[r * 7] += 11;
            unmap(p, m[to], b);
        }
        if (r % 3 == 2 || r + 1 == rounds) {
            cl_uint *b = map(p, m[to], CL_MAP_READ, at[to]);
            if (memcmp(b, is[to], bytes) != 0) {
                fprintf(stderr, "given: wrong after round %u, memory %zu bytes behind a page's beginning\n", r, offset);
                exit(1);
            }
            unmap(p, m[to], b);
        }
    }
    check(clFinish(p->queue), "clFinish");
    check(clReleaseKernel(k), "release");
    check(clReleaseMemObject(m[0]), "release");
    check(clReleaseMemObject(m[1]), "release");
    const unsigned char *end[] = {at[0] + bytes, at[1] + bytes};
    if (!untouched(memory, offset) || !untouched(end[0], (size_t)(at[1] - end[0])) || !untouched(end[1], PAGE)) {
        fprintf(stderr, "given: bytes beside the buffers were written\n");
        exit(1);
    }
}

int main(int argc, char **argv)
{
    static const size_t offsets[] = {0, 64, 16, 4, 20, 1028};
    struct plain p = plain_open(0, source);
    unsigned char *memory = aligned_alloc(PAGE, 4 * PAGE + 2 * sizeof(cl_uint) * N);
    if (!memory)
        return 2;
    for (unsigned i = 0; i < sizeof offsets / sizeof *offsets; i++)
        run(&p, memory, offsets[i], argc > 1 ? (cl_uint)atoi(argv[1]) : ROUNDS);
    free(memory);
    check(clReleaseProgram(p.program), "release");
    check(clReleaseCommandQueue(p.queue), "release");
    check(clReleaseContext(p.context), "release");
    printf("as it should be\n");
    return 0;
}
