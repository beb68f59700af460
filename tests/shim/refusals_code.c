/* refusals.c's programs, kernels and launches. */
#include "tests/shim/refusals.h"

static void CL_CALLBACK built(cl_program p, void *data)
{
    (void)p, (void)data;
}

static void refuse_creations(struct world *w)
{
    const cl_context c = w->x.context;
    const char *text = "kernel void k(global int *a) { a[0] = 1; }\n", *none = NULL, *two[2] = {text, NULL};
    const unsigned char bytes[64] = {1, 2, 3}, *binary = bytes, *nothing = NULL;
    const size_t length = sizeof bytes, zero = 0;
    cl_int status = 77;
    cl_device_id no_device = NULL;
    MADE(clReleaseProgram, clCreateProgramWithSource(NULL, 1, &text, NULL, &err));
    MADE(clReleaseProgram, clCreateProgramWithSource(c, 0, &text, NULL, &err));
    MADE(clReleaseProgram, clCreateProgramWithSource(c, 1, &none, NULL, &err));
    MADE(clReleaseProgram, clCreateProgramWithSource(c, 2, two, NULL, &err));
    MADE(clReleaseProgram, clCreateProgramWithSource(c, 1, &text, &zero, &err));
    MADE(clReleaseProgram, clCreateProgramWithBinary(NULL, 1, &w->device, &length, &binary, &status, &err));
    MADE(clReleaseProgram, clCreateProgramWithBinary(c, 0, &w->device, &length, &binary, &status, &err));
    MADE(clReleaseProgram, clCreateProgramWithBinary(c, 1, NULL, &length, &binary, &status, &err));
    MADE(clReleaseProgram, clCreateProgramWithBinary(c, 1, &no_device, &length, &binary, &status, &err));
    MADE(clReleaseProgram, clCreateProgramWithBinary(c, 1, &w->device, NULL, &binary, &status, &err));
    MADE(clReleaseProgram, clCreateProgramWithBinary(c, 1, &w->device, &zero, &binary, &status, &err));
    MADE(clReleaseProgram, clCreateProgramWithBinary(c, 1, &w->device, &length, &nothing, &status, &err));
    MADE(clReleaseProgram, clCreateProgramWithBinary(c, 1, &w->device, &length, &binary, &status, &err));
    printf("status of a binary of noise: %d\n", status);
    MADE(clReleaseProgram, clCreateProgramWithBinary(c, 1, &w->device, &length, &binary, NULL, &err));
    MADE(clReleaseProgram, clCreateProgramWithIL(NULL, bytes, length, &err));
    MADE(clReleaseProgram, clCreateProgramWithIL(c, NULL, length, &err));
    MADE(clReleaseProgram, clCreateProgramWithIL(c, bytes, 0, &err));
    MADE(clReleaseProgram, clCreateProgramWithIL(c, bytes, length, &err));
    MADE(clReleaseProgram, clCreateProgramWithBuiltInKernels(NULL, 1, &w->device, "k", &err));
    MADE(clReleaseProgram, clCreateProgramWithBuiltInKernels(c, 0, &w->device, "k", &err));
    MADE(clReleaseProgram, clCreateProgramWithBuiltInKernels(c, 1, NULL, "k", &err));
    MADE(clReleaseProgram, clCreateProgramWithBuiltInKernels(c, 1, &w->device, NULL, &err));
    MADE(clReleaseProgram, clCreateProgramWithBuiltInKernels(c, 1, &w->device, "no such kernel", &err));
}

static void refuse_builds(struct world *w)
{
    const cl_program p = w->unbuilt;
    cl_program x = w->x.program;
    cl_uint n;
    char text[8];
    size_t size;
    CODE(clBuildProgram(NULL, 1, &w->device, "", NULL, NULL));
    CODE(clBuildProgram(p, 0, &w->device, "", NULL, NULL));
    CODE(clBuildProgram(p, 1, NULL, "", NULL, NULL));
    CODE(clBuildProgram(p, 1, &w->device, "", NULL, &n));
    CODE(clBuildProgram(p, 1, &w->device, "-no-such-option", NULL, NULL));
    CODE(clBuildProgram(w->broken, 1, &w->device, "", NULL, NULL));
    CODE(clBuildProgram(w->broken, 0, NULL, NULL, NULL, NULL));
    CODE(clBuildProgram(w->x.program, 1, &w->device, "", NULL, NULL)); /* has kernels */
    CODE(clCompileProgram(NULL, 1, &w->device, "", 0, NULL, NULL, NULL, NULL));
    CODE(clCompileProgram(p, 1, &w->device, "", 0, NULL, NULL, NULL, &n));
    CODE(clCompileProgram(p, 1, &w->device, "-no-such-option", 0, NULL, NULL, NULL, NULL));
    CODE(clCompileProgram(w->broken, 1, &w->device, "", 0, NULL, NULL, NULL, NULL));
    CODE(clCompileProgram(w->x.program, 1, &w->device, "", 0, NULL, NULL, NULL, NULL));
    MADE(clReleaseProgram, clLinkProgram(NULL, 1, &w->device, "", 1, &x, NULL, NULL, &err));
    MADE(clReleaseProgram, clLinkProgram(w->x.context, 1, &w->device, "", 0, NULL, NULL, NULL, &err));
    MADE(clReleaseProgram, clLinkProgram(w->x.context, 1, &w->device, "", 1, NULL, NULL, NULL, &err));
    MADE(clReleaseProgram, clLinkProgram(w->x.context, 1, &w->device, "", 1, &w->other.program, NULL, NULL, &err));
    MADE(clReleaseProgram, clLinkProgram(w->x.context, 1, &w->device, "", 1, &p, NULL, NULL, &err));
    MADE(clReleaseProgram, clLinkProgram(w->x.context, 1, &w->device, "", 1, &x, NULL, &n, &err));
    CODE(clGetProgramInfo(NULL, CL_PROGRAM_NUM_DEVICES, sizeof n, &n, NULL));
    CODE(clGetProgramInfo(p, 0x7777, sizeof n, &n, NULL));
    CODE(clGetProgramInfo(p, CL_PROGRAM_SOURCE, sizeof text, text, NULL));
    CODE(clGetProgramInfo(w->broken, CL_PROGRAM_NUM_KERNELS, sizeof size, &size, NULL));
    CODE(clGetProgramInfo(w->broken, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &size));
    CODE(clGetProgramInfo(w->broken, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    CODE(clGetProgramBuildInfo(NULL, w->device, CL_PROGRAM_BUILD_STATUS, sizeof n, &n, NULL));
    CODE(clGetProgramBuildInfo(p, NULL, CL_PROGRAM_BUILD_STATUS, sizeof n, &n, NULL));
    CODE(clGetProgramBuildInfo(p, w->device, 0x7777, sizeof n, &n, NULL));
    CODE(clGetProgramBuildInfo(p, w->device, CL_PROGRAM_BUILD_STATUS, 1, &n, NULL));
    CODE(clRetainProgram(NULL));
    CODE(clReleaseProgram(NULL));
    CODE(clSetProgramReleaseCallback(NULL, built, NULL));
    CODE(clSetProgramReleaseCallback(p, NULL, NULL));
    CODE(clSetProgramSpecializationConstant(NULL, 1, 4, &n));
    CODE(clUnloadPlatformCompiler(NULL));
}

void refuse_programs(struct world *w)
{
    refuse_creations(w);
    refuse_builds(w);
}

void refuse_kernels(struct world *w)
{
    cl_kernel few[2];
    cl_uint n;
    size_t size, sizes[3];
    char text[2];
    MADE(clReleaseKernel, clCreateKernel(NULL, "set", &err));
    MADE(clReleaseKernel, clCreateKernel(w->x.program, NULL, &err));
    MADE(clReleaseKernel, clCreateKernel(w->x.program, "", &err));
    MADE(clReleaseKernel, clCreateKernel(w->x.program, "no_such_kernel", &err));
    MADE(clReleaseKernel, clCreateKernel(w->unbuilt, "set", &err));
    MADE(clReleaseKernel, clCreateKernel(w->broken, "wrong", &err));
    CODE(clBuildProgram(w->broken, 1, &w->device, "", NULL, NULL));
    MADE(clReleaseKernel, clCreateKernel(w->broken, "wrong", &err));
    CODE(clCreateKernelsInProgram(NULL, 0, NULL, &n));
    CODE(clCreateKernelsInProgram(w->unbuilt, 0, NULL, &n));
    CODE(clCreateKernelsInProgram(w->broken, 0, NULL, &n));
    CODE(clCreateKernelsInProgram(w->x.program, 1, few, &n));
    MADE(clReleaseKernel, clCloneKernel(NULL, &err));
    CODE(clGetKernelInfo(NULL, CL_KERNEL_NUM_ARGS, sizeof n, &n, NULL));
    CODE(clGetKernelInfo(w->bare, 0x7777, sizeof n, &n, NULL));
    CODE(clGetKernelInfo(w->bare, CL_KERNEL_FUNCTION_NAME, sizeof text, text, NULL));
    CODE(clGetKernelArgInfo(NULL, 0, CL_KERNEL_ARG_NAME, 0, NULL, &size));
    CODE(clGetKernelArgInfo(w->bare, 9, CL_KERNEL_ARG_NAME, 0, NULL, &size));
    CODE(clGetKernelArgInfo(w->bare, 0, 0x7777, 0, NULL, &size));
    CODE(clGetKernelWorkGroupInfo(NULL, w->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, NULL));
    CODE(clGetKernelWorkGroupInfo(w->bare, w->device, 0x7777, sizeof size, &size, NULL));
    CODE(clGetKernelWorkGroupInfo(w->bare, w->device, CL_KERNEL_WORK_GROUP_SIZE, 1, &size, NULL));
    CODE(clGetKernelWorkGroupInfo(w->bare, NULL, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, NULL));
    CODE(clGetKernelWorkGroupInfo(w->bare, w->device, CL_KERNEL_GLOBAL_WORK_SIZE, sizeof sizes, sizes, NULL));
    CODE(clGetKernelSubGroupInfo(NULL, w->device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof size, &size, NULL));
    CODE(clRetainKernel(NULL));
    CODE(clReleaseKernel(NULL));
}

void refuse_arguments(struct world *w)
{
    const cl_kernel k = w->bare, l = w->locals, i = w->images;
    const cl_mem none = NULL;
    const cl_int v = 1;
    const cl_long big = 1;
    const cl_float4 f = {{1, 2, 3, 4}};
    CODE(clSetKernelArg(NULL, 0, sizeof w->x.buffer, &w->x.buffer));
    CODE(clSetKernelArg(k, 2, sizeof v, &v));
    CODE(clSetKernelArg(k, 99, sizeof v, &v));
    CODE(clSetKernelArg(k, 0, sizeof v, &v));
    CODE(clSetKernelArg(k, 0, 0, NULL));
    CODE(clSetKernelArg(k, 0, sizeof none, NULL));
    CODE(clSetKernelArg(k, 0, sizeof none, &none));
    CODE(clSetKernelArg(k, 0, 1, &w->x.buffer));
    CODE(clSetKernelArg(k, 0, sizeof w->x.buffer, &w->x.buffer));
    CODE(clSetKernelArg(k, 0, sizeof w->sub, &w->sub));
    CODE(clSetKernelArg(k, 1, sizeof big, &big));
    CODE(clSetKernelArg(k, 1, 0, &v));
    CODE(clSetKernelArg(k, 1, sizeof v, NULL));
    CODE(clSetKernelArg(k, 1, sizeof v, &v));
    CODE(clSetKernelArg(l, 0, 0, NULL));
    CODE(clSetKernelArg(l, 0, 64, &v));
    CODE(clSetKernelArg(l, 0, 64, NULL));
    CODE(clSetKernelArg(l, 1, sizeof none, NULL));
    CODE(clSetKernelArg(l, 1, sizeof w->x.buffer, &w->x.buffer));
    CODE(clSetKernelArg(l, 2, sizeof v, &v));
    CODE(clSetKernelArg(l, 2, sizeof f, &f));
    if (!i)
        return;
    CODE(clSetKernelArg(i, 0, sizeof w->x.image, &w->x.image));
    CODE(clSetKernelArg(i, 0, 1, &w->x.image));
    CODE(clSetKernelArg(i, 2, sizeof w->x.sampler, &w->x.sampler));
    CODE(clSetKernelArg(i, 2, 1, &w->x.sampler));
}

static void CL_CALLBACK native(void *args)
{
    (void)args;
}

void refuse_launches(struct world *w)
{
    const cl_command_queue q = w->x.queue;
    const cl_kernel k = w->x.kernel;
    size_t most = 1, items[16] = {1};
    clGetDeviceInfo(w->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof most, &most, NULL);
    clGetDeviceInfo(w->device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof items, items, NULL);
    const size_t n = 64, four = 4, eight = 8, odd = 63, none = 0, large[3] = {2 * most, 1, 1}, half[3] = {most, 2, 1},
                 many[3] = {4 * most, 2, 1}, far = SIZE_MAX, item[3] = {1, 1, items[2] + 1};
    const struct side *o = &w->other;
    ENQUEUED(clEnqueueNDRangeKernel(NULL, k, 1, NULL, &n, NULL, 0, NULL, &event));
    ENQUEUED(clEnqueueNDRangeKernel(o->queue, k, 1, NULL, &n, NULL, 0, NULL, &event));
    ENQUEUED(clEnqueueNDRangeKernel(q, o->kernel, 1, NULL, &n, NULL, 0, NULL, &event));
    ENQUEUED(clEnqueueNDRangeKernel(q, w->bare, 1, NULL, &n, NULL, 0, NULL, &event));
    ENQUEUED(clEnqueueNDRangeKernel(q, k, 0, NULL, &n, NULL, 0, NULL, &event));
    ENQUEUED(clEnqueueNDRangeKernel(q, k, 4, NULL, many, NULL, 0, NULL, &event));
    ENQUEUED(clEnqueueNDRangeKernel(q, k, 1, NULL, NULL, NULL, 0, NULL, &event));
    ENQUEUED(clEnqueueNDRangeKernel(q, k, 1, NULL, &none, NULL, 0, NULL, &event));
    ENQUEUED(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, &four, 0, &w->x.event, &event));
    ENQUEUED(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, &four, 1, &o->event, &event));
    ENQUEUED(clEnqueueNDRangeKernel(q, k, 1, &far, &n, &four, 0, NULL, &event));
    ENQUEUED(clEnqueueNDRangeKernel(q, k, 2, NULL, large, large, 0, NULL, &event));
    ENQUEUED(clEnqueueNDRangeKernel(q, k, 2, NULL, many, half, 0, NULL, &event));
    ENQUEUED(clEnqueueNDRangeKernel(q, k, 3, NULL, item, item, 0, NULL, &event));
    CODE(clSetKernelArg(w->fixed, 0, sizeof w->x.buffer, &w->x.buffer));
    ENQUEUED(clEnqueueNDRangeKernel(q, w->fixed, 1, NULL, &n, NULL, 0, NULL, &event));
    ENQUEUED(clEnqueueNDRangeKernel(q, w->fixed, 1, NULL, &n, &four, 0, NULL, &event));
    ENQUEUED(clEnqueueNDRangeKernel(q, w->fixed, 1, NULL, &n, &eight, 0, NULL, &event));
    ENQUEUED(clEnqueueNDRangeKernel(q, w->fixed, 1, NULL, &odd, &eight, 0, NULL, &event));
    CODE(clSetKernelArg(w->flat, 0, sizeof w->x.buffer, &w->x.buffer));
    ENQUEUED(clEnqueueNDRangeKernel(q, w->flat, 1, NULL, &n, &eight, 0, NULL, &event));
    ENQUEUED(clEnqueueTask(NULL, k, 0, NULL, &event));
    ENQUEUED(clEnqueueTask(q, w->bare, 0, NULL, &event));
    ENQUEUED(clEnqueueTask(q, k, 0, NULL, &event));
    cl_mem m = w->x.buffer, nothing = NULL;
    const void *at = &m;
    ENQUEUED(clEnqueueNativeKernel(NULL, native, &m, sizeof m, 1, &m, &at, 0, NULL, &event));
    ENQUEUED(clEnqueueNativeKernel(q, NULL, &m, sizeof m, 1, &m, &at, 0, NULL, &event));
    ENQUEUED(clEnqueueNativeKernel(q, native, NULL, sizeof m, 0, NULL, NULL, 0, NULL, &event));
    ENQUEUED(clEnqueueNativeKernel(q, native, &m, 0, 0, NULL, NULL, 0, NULL, &event));
    ENQUEUED(clEnqueueNativeKernel(q, native, NULL, 0, 1, &m, &at, 0, NULL, &event));
    ENQUEUED(clEnqueueNativeKernel(q, native, &m, sizeof m, 1, NULL, &at, 0, NULL, &event));
    ENQUEUED(clEnqueueNativeKernel(q, native, &m, sizeof m, 1, &m, NULL, 0, NULL, &event));
    ENQUEUED(clEnqueueNativeKernel(q, native, &m, sizeof m, 0, &m, NULL, 0, NULL, &event));
    ENQUEUED(clEnqueueNativeKernel(q, native, &m, sizeof m, 1, &nothing, &at, 0, NULL, &event));
    ENQUEUED(clEnqueueNativeKernel(q, native, &m, sizeof m, 1, &m, &at, 1, NULL, &event));
    ENQUEUED(clEnqueueNativeKernel(q, native, NULL, 0, 0, NULL, NULL, 0, NULL, &event));
}
