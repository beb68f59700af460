#include "bench/overhead_probe.h"
#include <CL/cl.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "bench/median.h"

enum { MOST_BATCHES = 4096, IN_FLIGHT = 1000, OBJECTS = 1000, QUEUES = 100 };

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_program program;
static cl_kernel empty, work;
static cl_mem buffer;

static const char source[] = "__kernel void empty(void) {}\n"
                             "__kernel void work(__global float *out, __global const float *in, int n, float f)\n"
                             "{\n"
                             "    int i = get_global_id(0);\n"
                             "    float sum = 0;\n"
                             "    for (int k = 0; k < n; k++)\n"
                             "        sum += in[(i + k) % 16] * f;\n"
                             "    out[i] = sum;\n"
                             "}\n";

static void check(cl_int err, const char *what)
{
    if (err == CL_SUCCESS)
        return;
    fprintf(stderr, "overhead: %s: error %d\n", what, err);
    exit(1);
}

static void find_device(void)
{
    cl_platform_id platform;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
}

static void open_context(void)
{
    cl_int err;
    find_device();
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    check(err, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &err);
    check(err, "clCreateCommandQueue");
    buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &err);
    check(err, "clCreateBuffer");
}

static void set_all(cl_int n, cl_float f)
{
    check(clSetKernelArg(work, 0, sizeof buffer, &buffer), "clSetKernelArg");
    check(clSetKernelArg(work, 1, sizeof buffer, &buffer), "clSetKernelArg");
    check(clSetKernelArg(work, 2, sizeof n, &n), "clSetKernelArg");
    check(clSetKernelArg(work, 3, sizeof f, &f), "clSetKernelArg");
}

static void build(void)
{
    const char *text = source;
    cl_int err;
    program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    check(err, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    work = clCreateKernel(program, "work", &err);
    check(err, "clCreateKernel");
    set_all(4, 1.0f);
}

static void launch(cl_kernel k, cl_event *event)
{
    static const size_t global = 64, local = 64;
    check(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, &local, 0, NULL, event), "clEnqueueNDRangeKernel");
}

static void finish(void)
{
    check(clFinish(queue), "clFinish");
}

/* The calls measured: N times each. */
static void setarg_scalar(int n)
{
    for (int i = 0; i < n; i++)
        check(clSetKernelArg(work, 2, sizeof i, &i), "clSetKernelArg");
}

static void setarg_mem(int n)
{
    for (int i = 0; i < n; i++)
        check(clSetKernelArg(work, 0, sizeof buffer, &buffer), "clSetKernelArg");
}

static void launch_finish(int n)
{
    for (int i = 0; i < n; i++) {
        launch(empty, NULL);
        finish();
    }
}

static void set_launch_finish(int n)
{
    for (int i = 0; i < n; i++) {
        set_all(i & 3, 0.5f);
        launch(work, NULL);
        finish();
    }
}

static void launch_event(int n)
{
    for (int i = 0; i < n; i++) {
        cl_event event;
        launch(empty, &event);
        check(clWaitForEvents(1, &event), "clWaitForEvents");
        check(clReleaseEvent(event), "clReleaseEvent");
    }
}

static void read64(int n)
{
    unsigned char to[64];
    for (int i = 0; i < n; i++)
        check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof to, to, 0, NULL, NULL), "clEnqueueReadBuffer");
}

static void write64(int n)
{
    static const unsigned char from[64];
    for (int i = 0; i < n; i++)
        check(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof from, from, 0, NULL, NULL),
              "clEnqueueWriteBuffer");
}

static void in_flight(int n)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < IN_FLIGHT; k++)
            launch(empty, NULL);
        finish();
    }
}

static const struct {
    const char *name;
    void (*run)(int n);
    int batch; /* calls between two looks at the clock: some 50 µs, far below a time slice */
} calls[] = {{"setarg_scalar", setarg_scalar, 2000},
             {"setarg_mem", setarg_mem, 2000},
             {"launch_finish", launch_finish, 100},
             {"set_launch_finish", set_launch_finish, 50},
             {"launch_event", launch_event, 50},
             {"read64", read64, 200},
             {"write64", write64, 200},
             {"in_flight", in_flight, 1}};

static void measure(size_t which, int ms)
{
    static double batch[MOST_BATCHES];
    size_t n = 0;
    calls[which].run(calls[which].batch * 10); /* warm: what is decided or learnt at the first calls is over */
    for (uint64_t end = yk_now_ns() + (uint64_t)ms * 1000000u, from; (from = yk_now_ns()) < end && n < MOST_BATCHES;) {
        calls[which].run(calls[which].batch);
        batch[n++] = (double)(yk_now_ns() - from) / calls[which].batch;
    }
    if (!n)
        return;
    printf("%s %.3f\n", calls[which].name, median(batch, n));
}

/* Bytes of the heap in use, memory of threads and of large blocks included. */
static double heap(void)
{
    struct mallinfo2 m = mallinfo2();
    return (double)m.uordblks + (double)m.hblkhd;
}

static void memory(void)
{
    static cl_mem mem[OBJECTS];
    static cl_kernel kernel[OBJECTS];
    static cl_event event[OBJECTS];
    static cl_command_queue queues[QUEUES];
    cl_int err;
    double before = heap();
    for (int i = 0; i < OBJECTS; i++) {
        mem[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, &err);
        check(err, "clCreateBuffer");
    }
    printf("memory_buffer %.0f\n", (heap() - before) / OBJECTS);
    before = heap();
    for (int i = 0; i < OBJECTS; i++) {
        kernel[i] = clCreateKernel(program, "work", &err);
        check(err, "clCreateKernel");
    }
    printf("memory_kernel %.0f\n", (heap() - before) / OBJECTS);
    before = heap();
    for (int i = 0; i < OBJECTS; i++)
        launch(empty, &event[i]);
    finish();
    printf("memory_event %.0f\n", (heap() - before) / OBJECTS);
    before = heap();
    for (int i = 0; i < QUEUES; i++) {
        queues[i] = clCreateCommandQueue(context, device, 0, &err);
        check(err, "clCreateCommandQueue");
    }
    printf("memory_queue %.0f\n", (heap() - before) / QUEUES);
    for (int i = 0; i < OBJECTS; i++) {
        clReleaseMemObject(mem[i]);
        clReleaseKernel(kernel[i]);
        clReleaseEvent(event[i]);
    }
    for (int i = 0; i < QUEUES; i++)
        clReleaseCommandQueue(queues[i]);
}

int overhead_probe(const char *kind, int arg)
{
    if (!strcmp(kind, "nothing"))
        return 0;
    if (!strcmp(kind, "platforms")) {
        find_device();
        return 0;
    }
    open_context();
    uint64_t from = yk_now_ns();
    build();
    launch(work, NULL);
    finish();
    if (!strcmp(kind, "build")) {
        printf("build_first %.6f\n", (double)(yk_now_ns() - from) * 1e-6);
        fflush(stdout);
        usleep((unsigned)arg * 1000u); /* what goes on in the background fills its caches */
        return 0;
    }
    cl_int err;
    empty = clCreateKernel(program, "empty", &err);
    check(err, "clCreateKernel");
    launch(empty, NULL);
    finish();
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        measure(i, arg);
    memory();
    return 0;
}
