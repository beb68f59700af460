/* race [TYPE]: work-groups that race: each adds one to the same number without atomics. What comes out depends on who
 * runs where, which `yoke run --verify` must say. TYPE float or double: the number is the unit in the last place of
 * one, so that what comes out is apart by as many of them as there are work-groups before a share. Exit status 77: no
 * device. */
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    static const char *source =
        "#if defined(BITS)\n"
        "__kernel void race(__global NUMBER *n, __global NUMBER *out)\n"
        "{ n[0] = as_NUMBER(as_BITS(n[0]) + 1); out[get_global_id(0)] = n[0]; }\n"
        "#else\n"
        "__kernel void race(__global int *n, __global int *out) { n[0] = n[0] + 1; out[get_global_id(0)] = 7; }\n"
        "#endif\n";
    const char *type = argc > 1 ? argv[1] : "int",
               *options = strcmp(type, "float") == 0
                              ? "-D BITS=int -D NUMBER=float -D as_BITS=as_int -D as_NUMBER=as_float"
                          : strcmp(type, "double") == 0
                              ? "-D BITS=long -D NUMBER=double -D as_BITS=as_long -D as_NUMBER=as_double"
                              : "";
    cl_platform_id platform;
    cl_device_id device;
    cl_int err;
    unsigned char n[8] = {0};
    const float narrow = 1;
    const double wide = 1;
    size_t global = 64, local = 1, size = strcmp(type, "double") == 0 ? sizeof wide : sizeof narrow;
    if (strcmp(type, "float") == 0)
        memcpy(n, &narrow, sizeof narrow);
    if (strcmp(type, "double") == 0)
        memcpy(n, &wide, sizeof wide);
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
        return 77;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    if (clBuildProgram(program, 1, &device, options, NULL, NULL) != CL_SUCCESS)
        return 1;
    cl_kernel kernel = clCreateKernel(program, "race", &err);
    cl_mem one = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, size, n, &err),
           out = clCreateBuffer(context, CL_MEM_READ_WRITE, size * global, NULL, &err);
    clSetKernelArg(kernel, 0, sizeof one, &one);
    clSetKernelArg(kernel, 1, sizeof out, &out);
    if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL) != CL_SUCCESS ||
        clEnqueueReadBuffer(queue, one, CL_TRUE, 0, size, n, 0, NULL, NULL) != CL_SUCCESS)
        return 1;
    printf("%d\n", n[0]); /* the lowest bits */
    return 0;
}
