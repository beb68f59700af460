/* A program with an access that Oclgrind reports and that harms nobody: each work-item reads one int behind the end of
 * a buffer. run.py must notice the report, bare and under yoke; selftest.py looks that it does. */
#include <CL/cl.h>
#include <stdio.h>

enum { ITEMS = 64 };

static const char *source = "__kernel void k(__global int *o, __global const int *in)\n"
                            "{\n"
                            "    size_t i = get_global_id(0);\n"
                            "    o[i] = in[i + 64] + (int)get_group_id(0);\n"
                            "}\n";

int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int err = clGetPlatformIDs(1, &platform, NULL);
    if (err == CL_SUCCESS)
        err = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    if (err != CL_SUCCESS)
        return 2;
    const size_t global = ITEMS, local = ITEMS / 4;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS)
        return 2;
    cl_kernel kernel = clCreateKernel(program, "k", NULL);
    cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, ITEMS * 4, NULL, NULL),
           in = clCreateBuffer(context, CL_MEM_READ_ONLY, ITEMS * 4, NULL, NULL);
    err = clSetKernelArg(kernel, 0, sizeof out, &out) | clSetKernelArg(kernel, 1, sizeof in, &in);
    if (err == CL_SUCCESS)
        err = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    if (err == CL_SUCCESS)
        err = clFinish(queue);
    return err == CL_SUCCESS ? 0 : 2;
}
