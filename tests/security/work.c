/* An ordinary OpenCL program: says which platform it sees and whether a split launch gives the right bytes. */
#include <CL/cl.h>
#include <stdio.h>

enum { N = 4096 };

int main(void)
{
    static const char *source = "kernel void copy(global const uint *in, global uint *out) {}\n"
                                "kernel void fill(global int *a, int v) {}\n";
    static cl_int out[N];
    cl_platform_id platform;
    cl_device_id device;
    char name[128] = "";
    cl_int err = clGetPlatformIDs(1, &platform, NULL), v = 3;
    if (err != CL_SUCCESS) {
        printf("no platform: %d\n", err);
        return 0;
    }
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL);
    printf("platform %s\n", name);
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
        return 0;
    cl_context c = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_command_queue q = clCreateCommandQueue(c, device, 0, &err);
    cl_program p = clCreateProgramWithSource(c, 1, &source, NULL, &err);
    err |= clBuildProgram(p, 1, &device, "", NULL, NULL);
    cl_kernel k = clCreateKernel(p, "fill", &err);
    cl_mem a = clCreateBuffer(c, 0, sizeof out, NULL, &err);
    size_t global = N, local = 64;
    err |= clSetKernelArg(k, 0, sizeof a, &a) | clSetKernelArg(k, 1, sizeof v, &v);
    err |= clEnqueueNDRangeKernel(q, k, 1, NULL, &global, &local, 0, NULL, NULL);
    err |= clEnqueueReadBuffer(q, a, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
    for (int i = 0; i < N; i++)
        err |= out[i] != v + i;
    err |= clReleaseMemObject(a) | clReleaseKernel(k) | clReleaseProgram(p) | clReleaseCommandQueue(q) |
           clReleaseContext(c);
    puts(err ? "WRONG" : "right");
    return err != 0;
}
