/* The OpenCL half of app.h. */
#include "app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cl_device_id app_device(const char *name, unsigned wanted);

static const char *error_name(cl_int error)
{
    static const struct {
        cl_int code;
        const char *name;
    } names[] = {
        {CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
        {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
        {CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE"},
        {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
        {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
        {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
        {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
        {CL_MAP_FAILURE, "CL_MAP_FAILURE"},
        {CL_MISALIGNED_SUB_BUFFER_OFFSET, "CL_MISALIGNED_SUB_BUFFER_OFFSET"},
        {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
        {CL_INVALID_VALUE, "CL_INVALID_VALUE"},
        {CL_INVALID_DEVICE, "CL_INVALID_DEVICE"},
        {CL_INVALID_CONTEXT, "CL_INVALID_CONTEXT"},
        {CL_INVALID_QUEUE_PROPERTIES, "CL_INVALID_QUEUE_PROPERTIES"},
        {CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE"},
        {CL_INVALID_MEM_OBJECT, "CL_INVALID_MEM_OBJECT"},
        {CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS"},
        {CL_INVALID_PROGRAM_EXECUTABLE, "CL_INVALID_PROGRAM_EXECUTABLE"},
        {CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME"},
        {CL_INVALID_KERNEL, "CL_INVALID_KERNEL"},
        {CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX"},
        {CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE"},
        {CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE"},
        {CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
        {CL_INVALID_WORK_DIMENSION, "CL_INVALID_WORK_DIMENSION"},
        {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
        {CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE"},
        {CL_INVALID_GLOBAL_OFFSET, "CL_INVALID_GLOBAL_OFFSET"},
        {CL_INVALID_EVENT_WAIT_LIST, "CL_INVALID_EVENT_WAIT_LIST"},
        {CL_INVALID_EVENT, "CL_INVALID_EVENT"},
        {CL_INVALID_OPERATION, "CL_INVALID_OPERATION"},
        {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
        {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (names[i].code == error) {
            return names[i].name;
        }
    }
    return "unknown error";
}

void app_check(cl_int error, const char *call)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "%s: %s (%d)\n", call, error_name(error), error);
        exit(1);
    }
}

cl_device_id app_device(const char *name, unsigned wanted)
{
    cl_platform_id platforms[64];
    cl_uint platform_count = 0;
    unsigned seen = 0;
    app_check(clGetPlatformIDs(64, platforms, &platform_count), "clGetPlatformIDs");
    for (cl_uint p = 0; p < platform_count && p < 64; p++) {
        cl_device_id devices[64];
        cl_uint count = 0;
        cl_int error = clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 64, devices, &count);
        if (error == CL_DEVICE_NOT_FOUND) {
            continue;
        }
        app_check(error, "clGetDeviceIDs");
        count = count < 64 ? count : 64;
        if (wanted < seen + count) {
            return devices[wanted - seen];
        }
        seen += count;
    }
    fprintf(stderr, "%s: no OpenCL device %u: there are %u\n", name, wanted, seen);
    exit(1);
}

cl_command_queue app_queue(const struct app *app, cl_command_queue_properties properties)
{
    cl_int error;
    /* Deprecated since 2.0, and what most programs call. */
    cl_command_queue queue = clCreateCommandQueue(app->context, app->device, properties, &error);
    app_check(error, "clCreateCommandQueue");
    return queue;
}

bool app_queue_can(const struct app *app, cl_command_queue_properties properties)
{
    cl_command_queue_properties have = 0;
    app_check(clGetDeviceInfo(app->device, CL_DEVICE_QUEUE_PROPERTIES, sizeof(have), &have, NULL), "clGetDeviceInfo");
    return (have & properties) == properties;
}

cl_program app_build(const struct app *app, const char *source, const char *options)
{
    cl_int error;
    cl_program program = clCreateProgramWithSource(app->context, 1, &source, NULL, &error);
    app_check(error, "clCreateProgramWithSource");
    error = clBuildProgram(program, 1, &app->device, options, NULL, NULL);
    if (error != CL_SUCCESS) {
        static char log[16384];
        if (clGetProgramBuildInfo(program, app->device, CL_PROGRAM_BUILD_LOG, sizeof(log) - 1, log, NULL) == 0) {
            fprintf(stderr, "%s\n", log);
        }
        app_check(error, "clBuildProgram");
    }
    return program;
}

cl_kernel app_kernel(cl_program program, const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    app_check(error, "clCreateKernel");
    return kernel;
}

cl_mem app_buffer(const struct app *app, cl_mem_flags flags, size_t bytes, void *host)
{
    cl_int error;
    cl_mem buffer = clCreateBuffer(app->context, flags, bytes, host, &error);
    app_check(error, "clCreateBuffer");
    return buffer;
}

void app_profile_add(struct app *app, cl_event event)
{
    static const cl_profiling_info which[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                              CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
    cl_ulong t[4];
    for (int i = 0; i < 4; i++) {
        app_check(clGetEventProfilingInfo(event, which[i], sizeof(t[i]), &t[i], NULL), "clGetEventProfilingInfo");
    }
    if (t[0] > t[1] || t[1] > t[2] || t[2] > t[3]) {
        fprintf(stderr, "%s: profiling times out of order: %llu %llu %llu %llu\n", app->spec->name,
                (unsigned long long)t[0], (unsigned long long)t[1], (unsigned long long)t[2], (unsigned long long)t[3]);
        app->failed = true;
    }
    app->kernel_ms = (app->kernel_ms < 0 ? 0 : app->kernel_ms) + (double)(t[3] - t[2]) * 1e-6;
}
