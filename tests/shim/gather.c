/* Many small launches, of which gather.py checks how many yoke ran as one: gather HOW
 *   alone   a launch whose event is waited for by itself, with others behind it
 *   mixed   launches of four kernels by turns
 *   many    more different launches than yoke remembers, each with a value of its own
 * Every result is checked here. */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOCAL = 16, LAUNCHES = 32, ROUNDS = 20, MANY = 60000, CELLS = MANY * LOCAL };

static void check(cl_int err, const char *what)
{
    if (err == CL_SUCCESS)
        return;
    fprintf(stderr, "gather: %s: error %d\n", what, err);
    exit(1);
}

static const char source[] =
    "#define K(n) __kernel void put##n(__global int *out, int base, int value)                       \\\n"
    "    { out[base + (int)get_global_id(0)] = value * (n + 2) + (int)get_local_id(0); }\n"
    "K(0) K(1) K(2) K(3)\n";

static cl_command_queue queue;
static cl_kernel kernel[4];
static cl_mem out;
static int host[CELLS];

static void launch(int which, int place, int value, cl_event *event)
{
    size_t size = LOCAL;
    int base = place * LOCAL;
    check(clSetKernelArg(kernel[which], 0, sizeof out, &out), "clSetKernelArg");
    check(clSetKernelArg(kernel[which], 1, sizeof base, &base), "clSetKernelArg");
    check(clSetKernelArg(kernel[which], 2, sizeof value, &value), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, kernel[which], 1, NULL, &size, &size, 0, NULL, event),
          "clEnqueueNDRangeKernel");
}

/* The first N places hold what launches of kernel I % KERNELS with value FIRST + I have left. */
static void expect(int n, int kernels, int first)
{
    size_t bytes = (size_t)n * LOCAL * sizeof *host;
    check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, bytes, host, 0, NULL, NULL), "clEnqueueReadBuffer");
    for (int i = 0; i < n * LOCAL; i++)
        if (host[i] != (first + i / LOCAL) * (i / LOCAL % kernels + 2) + i % LOCAL) {
            fprintf(stderr, "gather: cell %d holds %d\n", i, host[i]);
            exit(1);
        }
}

int main(int argc, char **argv)
{
    const char *how = argc == 2 ? argv[1] : "", *text = source;
    cl_platform_id platform;
    cl_device_id device;
    cl_int err;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    check(err, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &err);
    check(err, "clCreateCommandQueue");
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    check(err, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    for (int i = 0; i < 4; i++) {
        char name[8];
        snprintf(name, sizeof name, "put%d", i);
        kernel[i] = clCreateKernel(program, name, &err);
        check(err, name);
    }
    out = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof host, NULL, &err);
    check(err, "clCreateBuffer");
    for (int round = 0; round < ROUNDS && !strcmp(how, "alone"); round++) {
        cl_event e;
        launch(0, 0, round, &e);
        for (int i = 1; i < LAUNCHES; i++)
            launch(0, i, round + i, NULL);
        check(clWaitForEvents(1, &e), "clWaitForEvents");
        check(clReleaseEvent(e), "clReleaseEvent");
        expect(LAUNCHES, 1, round);
    }
    for (int round = 0; round < ROUNDS && !strcmp(how, "mixed"); round++) {
        for (int i = 0; i < LAUNCHES; i++)
            launch(i % 4, i, round + i, NULL);
        expect(LAUNCHES, 4, round);
    }
    for (int round = 0; round < 3 && !strcmp(how, "many"); round++) {
        for (int i = 0; i < MANY; i++)
            launch(0, i, round % 2 + i, NULL);
        expect(MANY, 1, round % 2);
    }
    return 0;
}
