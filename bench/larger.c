/* Data larger than the device: a plain OpenCL program that makes, changes and checks numbers in buffers of any size, of
 * which it keeps no copy of its own. Run it as `yoke run --memory host -- larger --gib 160`, or with --memory-limit on
 * less data. With --shifting or --turns it also goes on changing some buffers, or all by turns. It prints how fast each
 * pass went (bytes that a device without room must be given and must give back, over the time) and whether every number
 * is right. */
#include <CL/cl.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"

static const char source[] =
    "kernel void make(global uint *a) { size_t i = get_global_id(0); a[i] = (uint)(i * 2654435761u + (i >> 32)); }\n"
    "kernel void change(global uint *a) { size_t i = get_global_id(0); a[i] = a[i] * 3 + (uint)i; }\n"
    "kernel void join(global const uint *a, global const uint *b, global uint *c)\n"
    "{ size_t i = get_global_id(0); c[i] = a[i] ^ b[i]; }\n";

enum { BUFFERS = 64, LOCAL = 256, CHUNK = 64 << 20 };

static uint32_t made(uint64_t i)
{
    return (uint32_t)(i * 2654435761u + (i >> 32));
}

static unsigned changes[64]; /* of each buffer */

static uint32_t changed(uint64_t i, unsigned times)
{
    uint32_t v = made(i);
    while (times--)
        v = v * 3 + (uint32_t)i;
    return v;
}

static void check(cl_int err, const char *what)
{
    if (err == CL_SUCCESS)
        return;
    fprintf(stderr, "larger: %s: error %d\n", what, err);
    exit(1);
}

static cl_command_queue queue;
static cl_program program;
static cl_mem buffer[BUFFERS];
static size_t words; /* of each */

/* One launch over a buffer, or over the first three; returns its seconds. */
static double pass(const char *name, unsigned first, unsigned n)
{
    cl_int err;
    const size_t local = LOCAL;
    cl_kernel k = clCreateKernel(program, name, &err);
    check(err, name);
    for (unsigned i = 0; i < n; i++)
        check(clSetKernelArg(k, i, sizeof(cl_mem), &buffer[first + i]), "clSetKernelArg");
    uint64_t from = yk_now_ns();
    check(clEnqueueNDRangeKernel(queue, k, 1, NULL, &words, &local, 0, NULL, NULL), name);
    check(clFinish(queue), name);
    double seconds = (double)(yk_now_ns() - from) * 1e-9;
    check(clReleaseKernel(k), "clReleaseKernel");
    return seconds;
}

/* Buffer B: as often changed as it was, or all ZERO. */
static bool right(unsigned b, bool zero)
{
    uint32_t *got = malloc(CHUNK);
    bool good = got;
    for (size_t at = 0; at < words && good; at += CHUNK / 4) {
        size_t n = words - at < CHUNK / 4 ? words - at : CHUNK / 4;
        check(clEnqueueReadBuffer(queue, buffer[b], CL_TRUE, at * 4, n * 4, got, 0, NULL, NULL), "clEnqueueReadBuffer");
        uint32_t wrong = 0;
        for (size_t i = 0; i < n; i++)
            wrong |= got[i] ^ (zero ? 0 : changed(at + i, changes[b]));
        if (wrong)
            printf("buffer %u is wrong between words %zu and %zu\n", b, at, at + n);
        good = !wrong;
    }
    free(got);
    return good;
}

/* Changes each of SET neighbours PASSES times, then the next SET of the N; returns the seconds. */
static double work(unsigned n, unsigned set, unsigned passes)
{
    double seconds = 0;
    for (unsigned first = 0; first < n; first += set)
        for (unsigned i = 0; i < passes; i++)
            for (unsigned b = first; b < first + set && b < n; b++, changes[b - 1]++)
                seconds += pass("change", b, 1);
    return seconds;
}

static const char help[] =
    "usage: larger [--gib N] [--buffers N] [--shifting N] [--turns N]\n"
    "Makes, changes and checks numbers in OpenCL buffers of any size.\n"
    "  --gib N      all buffers together, in GiB; fractions are allowed (1)\n"
    "  --buffers N  1 to 64; with three or more, the first two are also joined into the third (3)\n"
    "  --shifting N change two buffers N times, then the next two, and so on\n"
    "  --turns N    change all of them one after the other, N times\n";

int main(int argc, char **argv)
{
    static const struct option options[] = {{"gib", 1, 0, 'g'},   {"buffers", 1, 0, 'b'}, {"shifting", 1, 0, 's'},
                                            {"turns", 1, 0, 't'}, {"help", 0, 0, 'h'},    {0, 0, 0, 0}};
    double gib = 1;
    unsigned n = 3, shifting = 0, turns = 0;
    for (int o; (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (o == 'g') {
            gib = atof(optarg);
        } else if (o == 'b') {
            n = (unsigned)atoi(optarg);
        } else if (o == 's') {
            shifting = (unsigned)atoi(optarg);
        } else if (o == 't') {
            turns = (unsigned)atoi(optarg);
        } else {
            fputs(help, o == 'h' ? stdout : stderr);
            return o == 'h' ? 0 : 2;
        }
    }
    if (optind != argc || !(gib > 0) || n < 1 || n > BUFFERS || shifting > 1000 || turns > 1000) {
        fputs(help, stderr);
        return 2;
    }
    words = (size_t)(gib * (1 << 28) / n) / LOCAL * LOCAL;
    cl_platform_id platform;
    cl_device_id device;
    cl_ulong memory = 0;
    cl_int err;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    check(clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL), "clGetDeviceInfo");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    check(err, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &err);
    check(err, "clCreateCommandQueue");
    const char *text = source;
    program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    check(err, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    double bytes = (double)words * 4 * n, giga = bytes * 1e-9;
    printf("%u buffers, %.1f GB; the device says that it has %.1f\n", n, giga, (double)memory * 1e-9);
    for (unsigned i = 0; i < n; i++) {
        buffer[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, words * 4, NULL, &err);
        check(err, "clCreateBuffer");
    }
    double make = 0;
    for (unsigned i = 0; i < n; i++)
        make += pass("make", i, 1);
    double change = work(n, n, 1);
    printf("made:    %8.2f s, %6.1f GB/s out\n", make, giga / make);
    printf("changed: %8.2f s, %6.1f GB/s in and as much out\n", change, giga / change);
    if (shifting) {
        double seconds = work(n, 2, shifting);
        printf("shifting: %7.2f s, %6.1f GB/s changed\n", seconds, giga * shifting / seconds);
    }
    if (turns) {
        double seconds = work(n, n, turns);
        printf("by turns: %7.2f s, %6.1f GB/s changed\n", seconds, giga * turns / seconds);
    }
    bool good = true;
    for (unsigned i = 0; i < n && good; i++)
        good = right(i, false);
    if (n >= 3) {
        double join = pass("join", 0, 3);
        printf("joined:  %8.2f s, %6.1f GB/s in, half as much out\n", join, giga / n * 2 / join);
        good = good && right(2, true);
    }
    puts(good ? "every number is right" : "WRONG");
    for (unsigned i = 0; i < n; i++)
        clReleaseMemObject(buffer[i]);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return !good;
}
