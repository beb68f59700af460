/* A program that exits with launches under way and whose static destructors use OpenCL then, as those of C++ programs
 * do. Prints "ok" at the end of the last one. */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { N = 4096 };

static const char *text = "kernel void turn(global uint *a, uint n) {\n"
                          "    size_t i = get_global_id(0);\n"
                          "    for (uint k = 0; k < n; k++)\n"
                          "        a[i] = a[i] * 1664525u + 1013904223u;\n"
                          "}\n";

static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_kernel kernel;
static cl_mem buffer;

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        cl_int rc_ = (call);                                                                                           \
        if (rc_ != CL_SUCCESS) {                                                                                       \
            printf("%s: %d\n", #call, rc_);                                                                            \
            fflush(stdout);                                                                                            \
            _exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)

static void late(void)
{
    cl_uint one;
    OK(clFinish(queue));
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof one, &one, 0, NULL, NULL));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    OK(clReleaseMemObject(buffer));
    OK(clReleaseCommandQueue(queue));
    OK(clReleaseContext(context));
    puts("ok");
}

int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int err;
    const size_t global = N, local = 64;
    const cl_uint rounds = 20000;
    atexit(late); /* it runs after all that drivers register */
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
        _exit(77);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    OK(err);
    queue = clCreateCommandQueue(context, device, 0, &err);
    OK(err);
    program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    OK(err);
    OK(clBuildProgram(program, 1, &device, "", NULL, NULL));
    kernel = clCreateKernel(program, "turn", &err);
    OK(err);
    buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, N * sizeof(cl_uint), NULL, &err);
    OK(err);
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    OK(clSetKernelArg(kernel, 1, sizeof rounds, &rounds));
    for (int i = 0; i < 4; i++)
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    OK(clFlush(queue));
    exit(0);
}
