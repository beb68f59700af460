/* A plain OpenCL program that moves the same memory again and again, as what yoke pins (YOKE_PIN), and then changes
 * what lies at its address in every way there is: bytes that come from, or go to, pages of before show.
 *
 *     pinned [MIB]        of each range (1); for a GPU, where ranges of 16 MiB and more are pinned, 64 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/shim/plain.h"

enum { TIMES = 20, LITTLE = 4096 };

static cl_context context;
static cl_command_queue queue;
static cl_mem device_memory;
static size_t bytes = 1 << 20;
static int wrong;

static unsigned char *map_at(void *at)
{
    void *p = mmap(at, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);
    if (p == MAP_FAILED) {
        perror("pinned");
        exit(1);
    }
    return p;
}

static void fill(unsigned char *p, size_t n, uint64_t seed)
{
    uint64_t *w = (uint64_t *)(void *)p;
    for (size_t i = 0; i < n / 8; i++)
        w[i] = (seed + i) * 0x9e3779b97f4a7c15u;
}

static void expect(const unsigned char *p, size_t n, uint64_t seed, const char *what)
{
    const uint64_t *w = (const uint64_t *)(const void *)p;
    size_t bad = 0;
    for (size_t i = 0; i < n / 8; i++)
        bad += w[i] != (seed + i) * 0x9e3779b97f4a7c15u;
    if (bad)
        fprintf(stderr, "pinned: %s: %zu of %zu words are wrong\n", what, bad, n / 8);
    wrong += bad > 0;
}

/* P's bytes to the device and, by other memory, back; then other bytes into P. */
static void there_and_back(unsigned char *p, size_t n, uint64_t seed, const char *what)
{
    static unsigned char *other;
    if (!other)
        other = malloc(2 * bytes); /* never given back, and used as often */
    fill(p, n, seed);
    check(clEnqueueWriteBuffer(queue, device_memory, CL_FALSE, 0, n, p, 0, NULL, NULL), "a write");
    check(clFinish(queue), "clFinish");
    check(clEnqueueReadBuffer(queue, device_memory, CL_TRUE, 0, n, other, 0, NULL, NULL), "a read");
    expect(other, n, seed, what);
    fill(other, n, seed + 77);
    check(clEnqueueWriteBuffer(queue, device_memory, CL_TRUE, 0, n, other, 0, NULL, NULL), "a write");
    memset(p, 0, n);
    check(clEnqueueReadBuffer(queue, device_memory, CL_FALSE, 0, n, p, 0, NULL, NULL), "a read");
    check(clFinish(queue), "clFinish");
    expect(p, n, seed + 77, what);
}

static const char *const ways[] = {"unmapped and mapped again", "a page replaced",    "mapped over", "emptied",
                                   "emptied in the end",        "moved and replaced", "forked",      "allocated anew"};

static void change(unsigned way)
{
    const char *what = ways[way];
    unsigned char *p = way == 7 ? malloc(bytes) : map_at(NULL), *to = NULL;
    pid_t child;
    int status = 0;
    for (int i = 0; i < TIMES; i++)
        there_and_back(p, bytes, way * 1000 + (unsigned)i, "before anything has changed");
    switch (way) {
    case 0:
        munmap(p, 2 * bytes);
        map_at(p);
        break;
    case 1:
        munmap(p + bytes / 2, 4096);
        if (mmap(p + bytes / 2, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
            MAP_FAILED)
            exit(1);
        break;
    case 2:
        map_at(p);
        break;
    case 3:
        madvise(p, bytes, MADV_DONTNEED);
        break;
    case 4:
        madvise(p + bytes - 8192, 4096, MADV_DONTNEED);
        break;
    case 5:
        to = map_at(NULL);
        if (mremap(p, 2 * bytes, 2 * bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to)
            wrong++;
        map_at(p);
        expect(to, bytes, way * 1000 + TIMES - 1 + 77, what);
        there_and_back(to, bytes, 31, "moved");
        break;
    case 6:
        if (!(child = fork()))
            _exit(p[0] + p[bytes - 1] > 600);
        fill(p, bytes, 5); /* copies of what the child still reads */
        if (waitpid(child, &status, 0) != child || status)
            wrong++;
        break;
    default:
        free(p);
        p = malloc(bytes);
    }
    there_and_back(p, LITTLE, way * 1000 + 500, what);
    for (int i = 0; i < TIMES; i++)
        there_and_back(p, bytes, way * 1000 + 600 + (unsigned)i, what);
    if (way == 7)
        free(p);
    else
        munmap(p, 2 * bytes);
    if (to)
        munmap(to, 2 * bytes);
}

/* Memory comes and goes in each round, most of it to where other has been. */
static void come_and_go(void)
{
    for (int i = 0; i < 4 * TIMES; i++) {
        unsigned char *p = malloc(bytes + (size_t)(i % 3) * 8192);
        there_and_back(p, bytes, 9000 + (unsigned)i, "memory that comes and goes");
        if (i % 4 == 1) {
            p = realloc(p, 2 * bytes);
            expect(p, bytes, 9000 + (unsigned)i + 77, "memory that has grown");
            there_and_back(p, 2 * bytes, 9500 + (unsigned)i, "memory that has grown");
        }
        free(p);
    }
}

int main(int argc, char **argv)
{
    cl_platform_id platform[8];
    cl_device_id device = NULL;
    cl_uint n = 0;
    cl_int err;
    if (argc > 1)
        bytes = (size_t)strtoul(argv[1], NULL, 10) << 20;
    check(clGetPlatformIDs(8, platform, &n), "clGetPlatformIDs");
    for (cl_uint i = 0; i < n && i < 8 && !device; i++) /* a GPU where there is one */
        if (clGetDeviceIDs(platform[i], CL_DEVICE_TYPE_GPU, 1, &device, NULL) != CL_SUCCESS)
            device = NULL;
    if (!device)
        check(clGetDeviceIDs(platform[0], CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    check(err, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &err);
    check(err, "clCreateCommandQueue");
    device_memory = clCreateBuffer(context, CL_MEM_READ_WRITE, 2 * bytes, NULL, &err);
    check(err, "clCreateBuffer");
    for (unsigned way = 0; way < sizeof ways / sizeof *ways; way++)
        change(way);
    come_and_go();
    check(clReleaseMemObject(device_memory), "clReleaseMemObject");
    check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
    check(clReleaseContext(context), "clReleaseContext");
    printf("pinned: %s\n", wrong ? "WRONG" : "all bytes are right");
    return wrong > 0;
}
