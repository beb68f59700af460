/* Objects made and asked with wrong arguments: the code that the specification names, nothing leaked. */
#include <stdbool.h>
#include <stdint.h>
#include "tests/stub/shim/codes.h"
#include "tests/unit/main.h"

START_TEST(platforms_and_devices)
{
    open_two();
    cl_platform_id p[2];
    cl_device_id d[2];
    cl_uint n = 0;
    char text[256];
    size_t size;
    ck_assert_code(CL_INVALID_VALUE, clGetPlatformIDs(0, NULL, NULL));
    ck_assert_code(CL_INVALID_VALUE, clGetPlatformIDs(0, p, NULL));
    ck_assert_code(CL_SUCCESS, clGetPlatformIDs(2, p, &n));
    ck_assert_uint_eq(n, 1);
    ck_assert_code(CL_INVALID_PLATFORM,
                   clGetPlatformInfo((cl_platform_id)(void *)s.device, CL_PLATFORM_NAME, 0, NULL, &size));
    ck_assert_code(CL_INVALID_VALUE, clGetPlatformInfo(s.platform, 0xffff, sizeof text, text, NULL));
    ck_assert_code(CL_INVALID_VALUE, clGetPlatformInfo(s.platform, CL_PLATFORM_NAME, 1, text, NULL));
    ck_assert_code(CL_INVALID_PLATFORM,
                   clGetDeviceIDs((cl_platform_id)(void *)s.device, CL_DEVICE_TYPE_ALL, 1, d, NULL));
    ck_assert_code(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(s.platform, 0, 1, d, NULL));
    ck_assert_code(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(s.platform, (cl_device_type)1 << 40, 1, d, NULL));
    ck_assert_code(CL_INVALID_VALUE, clGetDeviceIDs(s.platform, CL_DEVICE_TYPE_ALL, 0, d, NULL));
    ck_assert_code(CL_INVALID_VALUE, clGetDeviceIDs(s.platform, CL_DEVICE_TYPE_ALL, 0, NULL, NULL));
    ck_assert_code(CL_DEVICE_NOT_FOUND, clGetDeviceIDs(s.platform, CL_DEVICE_TYPE_CUSTOM, 1, d, &n));
    ck_assert_code(CL_SUCCESS, clGetDeviceIDs(s.platform, CL_DEVICE_TYPE_DEFAULT, 2, d, &n));
    ck_assert_uint_eq(n, 1);
    ck_assert_code(CL_INVALID_DEVICE, clGetDeviceInfo(NULL, CL_DEVICE_NAME, 0, NULL, &size));
    ck_assert_code(CL_INVALID_DEVICE, clGetDeviceInfo((cl_device_id)(void *)s.context, CL_DEVICE_NAME, 0, NULL, &size));
    ck_assert_code(CL_INVALID_VALUE, clGetDeviceInfo(s.device, 0xffff, sizeof text, text, NULL));
    ck_assert_code(CL_INVALID_VALUE, clGetDeviceInfo(s.device, CL_DEVICE_NAME, 1, text, NULL));
    ck_assert_code(CL_INVALID_DEVICE, clRetainDevice(NULL));
    ck_assert_code(CL_INVALID_DEVICE, clReleaseDevice(NULL));
    ck_assert_code(CL_SUCCESS, clRetainDevice(s.device));
    ck_assert_code(CL_SUCCESS, clReleaseDevice(s.device));
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    ck_assert_code(CL_INVALID_DEVICE, clCreateSubDevices(NULL, equally, 0, NULL, &n));
    ck_assert_code(CL_INVALID_VALUE, clCreateSubDevices(s.device, equally, 0, NULL, &n));
    ck_assert_code(CL_INVALID_VALUE, clCreateSubDevices(s.device, NULL, 0, NULL, &n));
    cl_ulong t[2];
    ck_assert_code(CL_INVALID_DEVICE, clGetDeviceAndHostTimer(NULL, &t[0], &t[1]));
    ck_assert_code(CL_INVALID_DEVICE, clGetHostTimer(NULL, &t[0]));
    ck_assert_code(CL_INVALID_VALUE, clGetHostTimer(s.device, NULL));
    ck_assert_code(CL_INVALID_PLATFORM, clUnloadPlatformCompiler(NULL));
    ck_assert_ptr_null(clGetExtensionFunctionAddressForPlatform(s.platform, "clNoSuchThing"));
    ck_assert_ptr_null(clGetExtensionFunctionAddressForPlatform(s.platform, NULL));
    ck_assert_ptr_null(clGetExtensionFunctionAddressForPlatform(NULL, "clCreateBuffer"));
    close_two();
}
END_TEST

static void CL_CALLBACK on_context(const char *text, const void *info, size_t n, void *data)
{
    (void)text, (void)info, (void)n, (void)data;
}

START_TEST(contexts)
{
    open_two();
    size_t size;
    cl_device_id d = s.device, wrong = (cl_device_id)(void *)s.platform;
    cl_context_properties no_platform[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)s.device, 0};
    cl_context_properties twice[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)s.platform, CL_CONTEXT_PLATFORM,
                                     (cl_context_properties)s.platform, 0};
    cl_context_properties unknown[] = {0x7654, 1, 0};
    ck_assert_none(CL_INVALID_VALUE, clCreateContext(NULL, 0, &d, NULL, NULL, err));
    ck_assert_none(CL_INVALID_VALUE, clCreateContext(NULL, 1, NULL, NULL, NULL, err));
    ck_assert_none(CL_INVALID_VALUE, clCreateContext(NULL, 1, &d, NULL, &size, err));
    ck_assert_none(CL_INVALID_DEVICE, clCreateContext(NULL, 1, &wrong, NULL, NULL, err));
    ck_assert_none(CL_INVALID_PLATFORM, clCreateContext(no_platform, 1, &d, NULL, NULL, err));
    ck_assert_none(CL_INVALID_PROPERTY, clCreateContext(twice, 1, &d, NULL, NULL, err));
    ck_assert_none(CL_INVALID_PROPERTY, clCreateContext(unknown, 1, &d, NULL, NULL, err));
    ck_assert_none(CL_INVALID_VALUE, clCreateContextFromType(NULL, CL_DEVICE_TYPE_ALL, NULL, &size, err));
    ck_assert_none(CL_INVALID_DEVICE_TYPE, clCreateContextFromType(NULL, 0, NULL, NULL, err));
    ck_assert_none(CL_DEVICE_NOT_FOUND, clCreateContextFromType(NULL, CL_DEVICE_TYPE_CUSTOM, NULL, NULL, err));
    ck_assert_none(CL_INVALID_PLATFORM, clCreateContextFromType(no_platform, CL_DEVICE_TYPE_ALL, NULL, NULL, err));
    cl_context_properties right[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)s.platform, 0};
    cl_int err;
    cl_context c = clCreateContextFromType(right, CL_DEVICE_TYPE_ALL, on_context, &size, &err);
    OK(err);
    OK(clReleaseContext(c));
    ck_assert_code(CL_INVALID_CONTEXT, clRetainContext(NULL));
    ck_assert_code(CL_INVALID_CONTEXT, clReleaseContext((cl_context)(void *)s.queue));
    ck_assert_code(CL_INVALID_CONTEXT, clGetContextInfo(NULL, CL_CONTEXT_DEVICES, 0, NULL, &size));
    ck_assert_code(CL_INVALID_VALUE, clGetContextInfo(s.context, 0xffff, 0, NULL, &size));
    ck_assert_code(CL_INVALID_VALUE, clGetContextInfo(s.context, CL_CONTEXT_DEVICES, 1, &d, NULL));
    ck_assert_code(CL_INVALID_CONTEXT, clSetContextDestructorCallback(NULL, NULL, NULL));
    ck_assert_code(CL_INVALID_VALUE, clSetContextDestructorCallback(s.context, NULL, NULL));
    close_two();
}
END_TEST

START_TEST(queues)
{
    open_two();
    size_t size;
    const cl_queue_properties bad_bits[] = {CL_QUEUE_PROPERTIES, (cl_queue_properties)1 << 40, 0};
    const cl_queue_properties unknown[] = {0x7777, 1, 0};
    const cl_queue_properties on_device[] = {CL_QUEUE_PROPERTIES,
                                             CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    ck_assert_none(CL_INVALID_CONTEXT, clCreateCommandQueue(NULL, s.device, 0, err));
    ck_assert_none(CL_INVALID_DEVICE, clCreateCommandQueue(s.context, NULL, 0, err));
    ck_assert_none(CL_INVALID_VALUE,
                   clCreateCommandQueue(s.context, s.device, (cl_command_queue_properties)1 << 40, err));
    ck_assert_none(CL_INVALID_CONTEXT, clCreateCommandQueueWithProperties(NULL, s.device, NULL, err));
    ck_assert_none(CL_INVALID_DEVICE, clCreateCommandQueueWithProperties(s.context, NULL, NULL, err));
    ck_assert_none(CL_INVALID_VALUE, clCreateCommandQueueWithProperties(s.context, s.device, bad_bits, err));
    ck_assert_none(CL_INVALID_VALUE, clCreateCommandQueueWithProperties(s.context, s.device, unknown, err));
    ck_assert_none(CL_INVALID_QUEUE_PROPERTIES,
                   clCreateCommandQueueWithProperties(s.context, s.device, on_device, err));
    ck_assert_code(CL_INVALID_COMMAND_QUEUE, clRetainCommandQueue(NULL));
    ck_assert_code(CL_INVALID_COMMAND_QUEUE, clReleaseCommandQueue(NULL));
    ck_assert_code(CL_INVALID_COMMAND_QUEUE, clReleaseCommandQueue((cl_command_queue)(void *)s.context));
    ck_assert_code(CL_INVALID_COMMAND_QUEUE, clGetCommandQueueInfo(NULL, CL_QUEUE_CONTEXT, 0, NULL, &size));
    ck_assert_code(CL_INVALID_VALUE, clGetCommandQueueInfo(s.queue, 0xffff, 0, NULL, &size));
    ck_assert_code(CL_INVALID_VALUE, clGetCommandQueueInfo(s.queue, CL_QUEUE_CONTEXT, 1, &size, NULL));
    ck_assert_code(CL_INVALID_COMMAND_QUEUE, clFlush(NULL));
    ck_assert_code(CL_INVALID_COMMAND_QUEUE, clFinish(NULL));
    ck_assert_code(CL_INVALID_CONTEXT, clSetDefaultDeviceCommandQueue(NULL, s.device, s.queue));
    ck_assert_code(CL_INVALID_OPERATION, clSetDefaultDeviceCommandQueue(s.context, NULL, s.queue));
    ck_assert_code(CL_INVALID_OPERATION, clSetDefaultDeviceCommandQueue(s.context, s.device, NULL));
    close_two();
}
END_TEST

static cl_command_queue_properties properties_of(cl_command_queue q)
{
    cl_command_queue_properties got = 0;
    OK(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES, sizeof got, &got, NULL));
    return got;
}

/* What a queue's property is set with, the queue then as it must be. ICD: what drivers the stub stands for. It aborts
 * where a loader would jump to nothing. */
static cl_int set_property(const char *icd)
{
    const cl_command_queue_properties profiling = CL_QUEUE_PROFILING_ENABLE;
    cl_command_queue_properties old = 77;
    setenv("YOKE_STUB_ICD", icd, 1);
    open_two();
    ck_assert_code(CL_INVALID_COMMAND_QUEUE, clSetCommandQueueProperty(NULL, profiling, CL_TRUE, &old));
    ck_assert_code(CL_INVALID_VALUE, clSetCommandQueueProperty(s.queue, ~profiling, CL_TRUE, NULL));
    cl_int code = clSetCommandQueueProperty(s.queue, profiling, CL_TRUE, &old);
    bool refused = code != CL_SUCCESS;
    ck_assert_uint_eq(old, refused ? 77 : 0);
    ck_assert_uint_eq(properties_of(s.queue), refused ? 0 : profiling);
    ck_assert_code(code, clSetCommandQueueProperty(s.queue, profiling, CL_FALSE, NULL));
    ck_assert_uint_eq(properties_of(s.queue), 0);
    close_two();
    return code;
}

START_TEST(queue_property)
{
    ck_assert_int_eq(set_property("full"), CL_SUCCESS);
}
END_TEST

START_TEST(queue_property_without_a_loader)
{
    ck_assert_int_eq(set_property(""), CL_SUCCESS);
}
END_TEST

START_TEST(queue_property_that_the_driver_lacks)
{
    ck_assert_int_eq(set_property("gap"), CL_INVALID_OPERATION);
}
END_TEST

START_TEST(memory_objects)
{
    open_two();
    char bytes[256];
    size_t size;
    cl_mem m = shim_buffer(&s, 1024);
    ck_assert_none(CL_INVALID_CONTEXT, clCreateBuffer(NULL, 0, 64, NULL, err));
    ck_assert_none(CL_INVALID_BUFFER_SIZE, clCreateBuffer(s.context, 0, 0, NULL, err));
    ck_assert_none(CL_INVALID_VALUE, clCreateBuffer(s.context, (cl_mem_flags)1 << 40, 64, NULL, err));
    ck_assert_none(CL_INVALID_VALUE, clCreateBuffer(s.context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, NULL, err));
    ck_assert_none(CL_INVALID_VALUE,
                   clCreateBuffer(s.context, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 64, bytes, err));
    ck_assert_none(CL_INVALID_VALUE,
                   clCreateBuffer(s.context, CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_READ_ONLY, 64, NULL, err));
    ck_assert_none(CL_INVALID_HOST_PTR, clCreateBuffer(s.context, CL_MEM_USE_HOST_PTR, 64, NULL, err));
    ck_assert_none(CL_INVALID_HOST_PTR, clCreateBuffer(s.context, CL_MEM_COPY_HOST_PTR, 64, NULL, err));
    ck_assert_none(CL_INVALID_HOST_PTR, clCreateBuffer(s.context, 0, 64, bytes, err));
    const cl_mem_properties odd[] = {0x7777, 1, 0};
    ck_assert_none(CL_INVALID_PROPERTY, clCreateBufferWithProperties(s.context, odd, 0, 64, NULL, err));
    cl_buffer_region whole = {0, 1024}, beyond = {512, 1024}, empty = {0, 0}, misaligned = {4, 64};
    ck_assert_none(CL_INVALID_MEM_OBJECT, clCreateSubBuffer(NULL, 0, CL_BUFFER_CREATE_TYPE_REGION, &whole, err));
    ck_assert_none(CL_INVALID_VALUE, clCreateSubBuffer(m, 0, 0x7777, &whole, err));
    ck_assert_none(CL_INVALID_VALUE, clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, NULL, err));
    ck_assert_none(CL_INVALID_VALUE, clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &beyond, err));
    ck_assert_none(CL_INVALID_BUFFER_SIZE, clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &empty, err));
    ck_assert_none(CL_MISALIGNED_SUB_BUFFER_OFFSET,
                   clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &misaligned, err));
    ck_assert_none(CL_INVALID_VALUE,
                   clCreateSubBuffer(m, CL_MEM_USE_HOST_PTR, CL_BUFFER_CREATE_TYPE_REGION, &whole, err));
    cl_int rc;
    cl_mem read_only = clCreateBuffer(s.context, CL_MEM_READ_ONLY, 1024, NULL, &rc);
    OK(rc);
    ck_assert_none(CL_INVALID_VALUE,
                   clCreateSubBuffer(read_only, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &whole, err));
    ck_assert_none(CL_INVALID_VALUE,
                   clCreateSubBuffer(read_only, CL_MEM_WRITE_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &whole, err));
    cl_mem sub = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &whole, &rc);
    OK(rc);
    ck_assert_none(CL_INVALID_MEM_OBJECT, clCreateSubBuffer(sub, 0, CL_BUFFER_CREATE_TYPE_REGION, &whole, err));
    ck_assert_code(CL_INVALID_MEM_OBJECT, clRetainMemObject(NULL));
    ck_assert_code(CL_INVALID_MEM_OBJECT, clReleaseMemObject((cl_mem)(void *)s.queue));
    ck_assert_code(CL_INVALID_MEM_OBJECT, clGetMemObjectInfo(NULL, CL_MEM_SIZE, 0, NULL, &size));
    ck_assert_code(CL_INVALID_VALUE, clGetMemObjectInfo(m, 0xffff, 0, NULL, &size));
    ck_assert_code(CL_INVALID_VALUE, clGetMemObjectInfo(m, CL_MEM_SIZE, 1, &size, NULL));
    ck_assert_code(CL_INVALID_MEM_OBJECT, clSetMemObjectDestructorCallback(NULL, NULL, NULL));
    ck_assert_code(CL_INVALID_VALUE, clSetMemObjectDestructorCallback(m, NULL, NULL));
    ck_assert_code(CL_INVALID_MEM_OBJECT, clGetImageInfo(NULL, CL_IMAGE_FORMAT, 0, NULL, &size));
    ck_assert_code(CL_INVALID_MEM_OBJECT, clGetImageInfo(m, CL_IMAGE_FORMAT, 0, NULL, &size));
    ck_assert_code(CL_INVALID_MEM_OBJECT, clGetPipeInfo(NULL, CL_PIPE_PACKET_SIZE, 0, NULL, &size));
    ck_assert_code(CL_INVALID_MEM_OBJECT, clGetPipeInfo(m, CL_PIPE_PACKET_SIZE, 0, NULL, &size));
    ck_assert_code(CL_INVALID_CONTEXT, clGetSupportedImageFormats(NULL, 0, CL_MEM_OBJECT_IMAGE2D, 0, NULL, NULL));
    ck_assert_none(CL_INVALID_CONTEXT, clCreateImage(NULL, 0, NULL, NULL, NULL, err));
    ck_assert_none(CL_INVALID_CONTEXT, clCreatePipe(NULL, 0, 4, 4, NULL, err));
    ck_assert_none(CL_INVALID_CONTEXT, clCreateSampler(NULL, CL_TRUE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, err));
    ck_assert_code(CL_INVALID_SAMPLER, clRetainSampler(NULL));
    ck_assert_code(CL_INVALID_SAMPLER, clReleaseSampler(NULL));
    ck_assert_code(CL_INVALID_SAMPLER, clGetSamplerInfo(NULL, CL_SAMPLER_CONTEXT, 0, NULL, &size));
    ck_assert_ptr_null(clSVMAlloc(NULL, 0, 64, 0));
    clSVMFree(NULL, NULL);
    RELEASE(clReleaseMemObject, sub, read_only, m);
    close_two();
}
END_TEST

static void CL_CALLBACK on_program(cl_program p, void *data)
{
    (void)p, (void)data;
}

static void CL_CALLBACK on_link(cl_program p, void *data)
{
    __atomic_store_n((int *)data, p ? 1 : 2, __ATOMIC_RELEASE);
}

/* Called with what the driver calls with: here, as NVIDIA's, with no program. */
START_TEST(a_link_that_fails_is_told_of)
{
    open_two();
    const char *text = shim_source;
    cl_int code = CL_SUCCESS;
    int called = 0;
    cl_program p = clCreateProgramWithSource(s.context, 1, &text, NULL, &code);
    OK(code);
    OK(clCompileProgram(p, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    ck_assert_ptr_null(clLinkProgram(s.context, 0, NULL, "nonsense", 1, &p, on_link, &called, &code));
    ck_assert_int_eq(code, CL_INVALID_LINKER_OPTIONS);
    while (!__atomic_load_n(&called, __ATOMIC_ACQUIRE))
        usleep(1000);
    ck_assert_int_eq(called, 2);
    OK(clReleaseProgram(p));
    close_two();
}
END_TEST

START_TEST(programs)
{
    open_two();
    const char *text = shim_source, *null = NULL, *bad = "kernel void broken(void) { #error no\n }";
    size_t size, zero = 0, length = 5;
    const unsigned char *binary = (const unsigned char *)"xxxxx", *no_binary = NULL;
    cl_device_id wrong = (cl_device_id)(void *)s.platform;
    cl_int status, rc;
    ck_assert_none(CL_INVALID_CONTEXT, clCreateProgramWithSource(NULL, 1, &text, NULL, err));
    ck_assert_none(CL_INVALID_VALUE, clCreateProgramWithSource(s.context, 0, &text, NULL, err));
    ck_assert_none(CL_INVALID_VALUE, clCreateProgramWithSource(s.context, 1, NULL, NULL, err));
    ck_assert_none(CL_INVALID_VALUE, clCreateProgramWithSource(s.context, 1, &null, NULL, err));
    ck_assert_none(CL_INVALID_CONTEXT, clCreateProgramWithBinary(NULL, 1, &s.device, &length, &binary, &status, err));
    ck_assert_none(CL_INVALID_VALUE,
                   clCreateProgramWithBinary(s.context, 0, &s.device, &length, &binary, &status, err));
    ck_assert_none(CL_INVALID_VALUE, clCreateProgramWithBinary(s.context, 1, NULL, &length, &binary, &status, err));
    ck_assert_none(CL_INVALID_VALUE, clCreateProgramWithBinary(s.context, 1, &s.device, &zero, &binary, &status, err));
    ck_assert_none(CL_INVALID_VALUE,
                   clCreateProgramWithBinary(s.context, 1, &s.device, &length, &no_binary, &status, err));
    ck_assert_none(CL_INVALID_DEVICE, clCreateProgramWithBinary(s.context, 1, &wrong, &length, &binary, &status, err));
    ck_assert_none(CL_INVALID_BINARY,
                   clCreateProgramWithBinary(s.context, 1, &s.device, &length, &binary, &status, err));
    ck_assert_int_eq(status, CL_INVALID_BINARY);
    ck_assert_none(CL_INVALID_CONTEXT, clCreateProgramWithIL(NULL, binary, 5, err));
    ck_assert_none(CL_INVALID_CONTEXT, clCreateProgramWithBuiltInKernels(NULL, 1, &s.device, "x", err));
    ck_assert_none(CL_INVALID_VALUE, clCreateProgramWithBuiltInKernels(s.context, 1, &s.device, NULL, err));
    ck_assert_none(CL_INVALID_DEVICE, clCreateProgramWithBuiltInKernels(s.context, 1, &wrong, "x", err));
    ck_assert_code(CL_INVALID_PROGRAM, clRetainProgram(NULL));
    ck_assert_code(CL_INVALID_PROGRAM, clReleaseProgram((cl_program)(void *)s.context));
    cl_program p = clCreateProgramWithSource(s.context, 1, &text, NULL, &rc);
    OK(rc);
    ck_assert_code(CL_INVALID_PROGRAM, clBuildProgram(NULL, 0, NULL, "", NULL, NULL));
    ck_assert_code(CL_INVALID_VALUE, clBuildProgram(p, 1, NULL, "", NULL, NULL));
    ck_assert_code(CL_INVALID_VALUE, clBuildProgram(p, 0, &s.device, "", NULL, NULL));
    ck_assert_code(CL_INVALID_VALUE, clBuildProgram(p, 1, &s.device, "", NULL, &size));
    ck_assert_code(CL_INVALID_DEVICE, clBuildProgram(p, 1, &wrong, "", NULL, NULL));
    ck_assert_code(CL_INVALID_BUILD_OPTIONS, clBuildProgram(p, 1, &s.device, "nonsense", NULL, NULL));
    ck_assert_none(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernel(p, "iota", err));
    cl_uint n;
    ck_assert_code(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernelsInProgram(p, 0, NULL, &n));
    OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    cl_kernel k = clCreateKernel(p, "iota", &rc);
    OK(rc);
    ck_assert_code(CL_INVALID_OPERATION, clBuildProgram(p, 0, NULL, NULL, NULL, NULL)); /* kernels are attached */
    ck_assert_code(CL_INVALID_OPERATION, clCompileProgram(p, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    OK(clReleaseKernel(k));
    OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    OK(clReleaseProgram(p));
    p = clCreateProgramWithSource(s.context, 1, &bad, NULL, &rc);
    OK(rc);
    ck_assert_code(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(p, 1, &s.device, "", NULL, NULL));
    char log[256] = "";
    OK(clGetProgramBuildInfo(p, s.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    ck_assert_ptr_nonnull(strstr(log, "#error no"));
    ck_assert_code(CL_INVALID_DEVICE, clGetProgramBuildInfo(p, NULL, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    ck_assert_code(CL_INVALID_DEVICE, clGetProgramBuildInfo(p, wrong, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    ck_assert_code(CL_INVALID_PROGRAM,
                   clGetProgramBuildInfo(NULL, s.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    ck_assert_code(CL_INVALID_VALUE, clGetProgramBuildInfo(p, s.device, 0xffff, sizeof log, log, NULL));
    ck_assert_none(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernel(p, "broken", err));
    ck_assert_none(CL_INVALID_PROGRAM, clCreateKernel(NULL, "broken", err));
    ck_assert_code(CL_INVALID_PROGRAM, clGetProgramInfo(NULL, CL_PROGRAM_SOURCE, 0, NULL, &size));
    ck_assert_code(CL_INVALID_VALUE, clGetProgramInfo(p, 0xffff, 0, NULL, &size));
    ck_assert_code(CL_INVALID_PROGRAM, clCompileProgram(NULL, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    ck_assert_code(CL_INVALID_VALUE, clCompileProgram(p, 0, NULL, NULL, 1, NULL, NULL, NULL, NULL));
    ck_assert_code(CL_INVALID_VALUE, clCompileProgram(p, 0, NULL, NULL, 0, &p, NULL, NULL, NULL));
    ck_assert_code(CL_INVALID_VALUE, clCompileProgram(p, 0, NULL, NULL, 0, NULL, NULL, NULL, &size));
    ck_assert_code(CL_INVALID_DEVICE, clCompileProgram(p, 1, &wrong, NULL, 0, NULL, NULL, NULL, NULL));
    ck_assert_code(CL_COMPILE_PROGRAM_FAILURE, clCompileProgram(p, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    ck_assert_none(CL_INVALID_CONTEXT, clLinkProgram(NULL, 0, NULL, NULL, 1, &p, NULL, NULL, err));
    ck_assert_none(CL_INVALID_VALUE, clLinkProgram(s.context, 0, NULL, NULL, 0, &p, NULL, NULL, err));
    ck_assert_none(CL_INVALID_VALUE, clLinkProgram(s.context, 0, NULL, NULL, 1, NULL, NULL, NULL, err));
    ck_assert_none(CL_INVALID_VALUE, clLinkProgram(s.context, 0, NULL, NULL, 1, &p, NULL, &size, err));
    ck_assert_none(CL_INVALID_OPERATION, clLinkProgram(s.context, 0, NULL, NULL, 1, &p, NULL, NULL, err));
    cl_program no_program = NULL;
    ck_assert_none(CL_INVALID_PROGRAM, clLinkProgram(s.context, 0, NULL, NULL, 1, &no_program, NULL, NULL, err));
    ck_assert_code(CL_INVALID_PROGRAM, clSetProgramReleaseCallback(NULL, on_program, NULL));
    ck_assert_code(CL_INVALID_VALUE, clSetProgramReleaseCallback(p, NULL, NULL));
    ck_assert_code(CL_INVALID_PROGRAM, clSetProgramSpecializationConstant(NULL, 0, 4, &size));
    OK(clReleaseProgram(p));
    close_two();
}
END_TEST

START_TEST(kernels)
{
    open_two();
    size_t size;
    cl_uint n;
    cl_kernel list[4], k = shim_kernel(&s, "scale_inplace"), sum = shim_kernel(&s, "group_sum");
    cl_mem m = shim_buffer(&s, 256), null = NULL, queue = (cl_mem)(void *)s.queue;
    cl_float f = 1;
    ck_assert_none(CL_INVALID_VALUE, clCreateKernel(s.program, NULL, err));
    ck_assert_none(CL_INVALID_KERNEL_NAME, clCreateKernel(s.program, "no_such", err));
    ck_assert_code(CL_INVALID_PROGRAM, clCreateKernelsInProgram(NULL, 0, NULL, &n));
    ck_assert_code(CL_INVALID_VALUE, clCreateKernelsInProgram(s.program, 4, list, &n));
    ck_assert_code(CL_INVALID_KERNEL, clRetainKernel(NULL));
    ck_assert_code(CL_INVALID_KERNEL, clReleaseKernel((cl_kernel)(void *)s.program));
    ck_assert_code(CL_INVALID_KERNEL, clSetKernelArg(NULL, 0, sizeof m, &m));
    ck_assert_code(CL_INVALID_ARG_INDEX, clSetKernelArg(k, 2, sizeof m, &m));
    ck_assert_code(CL_INVALID_ARG_INDEX, clSetKernelArg(k, 0xffffffff, sizeof m, &m));
    ck_assert_code(CL_INVALID_ARG_SIZE, clSetKernelArg(k, 0, 4, &m));
    ck_assert_code(CL_INVALID_ARG_SIZE, clSetKernelArg(k, 1, 8, &f));
    ck_assert_code(CL_INVALID_ARG_VALUE, clSetKernelArg(k, 1, 4, NULL));
    ck_assert_code(CL_INVALID_MEM_OBJECT, clSetKernelArg(k, 0, sizeof queue, &queue));
    ck_assert_code(CL_INVALID_ARG_VALUE, clSetKernelArg(sum, 2, 64, &f));
    ck_assert_code(CL_INVALID_ARG_SIZE, clSetKernelArg(sum, 2, 0, NULL));
    ck_assert_code(CL_SUCCESS, clSetKernelArg(k, 0, sizeof null, &null));
    ck_assert_code(CL_SUCCESS, clSetKernelArg(k, 0, sizeof null, NULL));
    ck_assert_code(CL_INVALID_KERNEL, clGetKernelInfo(NULL, CL_KERNEL_NUM_ARGS, 0, NULL, &size));
    ck_assert_code(CL_INVALID_VALUE, clGetKernelInfo(k, 0xffff, 0, NULL, &size));
    ck_assert_code(CL_INVALID_VALUE, clGetKernelInfo(k, CL_KERNEL_NUM_ARGS, 1, &size, NULL));
    ck_assert_code(CL_INVALID_KERNEL, clGetKernelArgInfo(NULL, 0, CL_KERNEL_ARG_NAME, 0, NULL, &size));
    ck_assert_code(CL_INVALID_ARG_INDEX, clGetKernelArgInfo(k, 2, CL_KERNEL_ARG_NAME, 0, NULL, &size));
    ck_assert_code(CL_INVALID_VALUE, clGetKernelArgInfo(k, 0, 0xffff, 0, NULL, &size));
    ck_assert_code(CL_INVALID_KERNEL,
                   clGetKernelWorkGroupInfo(NULL, s.device, CL_KERNEL_WORK_GROUP_SIZE, 0, NULL, &size));
    ck_assert_code(CL_INVALID_DEVICE, clGetKernelWorkGroupInfo(k, (cl_device_id)(void *)s.platform,
                                                               CL_KERNEL_WORK_GROUP_SIZE, 0, NULL, &size));
    ck_assert_code(CL_INVALID_VALUE, clGetKernelWorkGroupInfo(k, NULL, 0xffff, 0, NULL, &size));
    ck_assert_none(CL_INVALID_KERNEL, clCloneKernel(NULL, err));
    ck_assert_code(CL_INVALID_KERNEL, clSetKernelArgSVMPointer(NULL, 0, NULL));
    ck_assert_code(CL_INVALID_KERNEL, clSetKernelExecInfo(NULL, 0, 0, NULL));
    RELEASE(clReleaseKernel, k, sum);
    OK(clReleaseMemObject(m));
    close_two();
}
END_TEST

YK_TEST_MAIN("codes", platforms_and_devices, contexts, queues, queue_property, queue_property_without_a_loader,
             queue_property_that_the_driver_lacks, memory_objects, programs, a_link_that_fails_is_told_of, kernels)
