/* Work-groups that race: each adds one to the same number without atomics. What comes out depends on who runs where,
 * which `yoke run --verify` must say. Exit status 77: no device. */
#include <CL/cl.h>
#include <stdio.h>

int main(void)
{
    static const char *source = "__kernel void race(__global int *n, __global int *out)\n"
                                "{ n[0] = n[0] + 1; out[get_global_id(0)] = 7; }";
    cl_platform_id platform;
    cl_device_id device;
    cl_int err, n = 0;
    size_t global = 64, local = 1;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
        return 77;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS)
        return 1;
    cl_kernel kernel = clCreateKernel(program, "race", &err);
    cl_mem one = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof n, &n, &err),
           out = clCreateBuffer(context, CL_MEM_READ_WRITE, 4 * global, NULL, &err);
    clSetKernelArg(kernel, 0, sizeof one, &one);
    clSetKernelArg(kernel, 1, sizeof out, &out);
    if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL) != CL_SUCCESS ||
        clEnqueueReadBuffer(queue, one, CL_TRUE, 0, sizeof n, &n, 0, NULL, NULL) != CL_SUCCESS)
        return 1;
    printf("%d\n", n);
    return 0;
}
