/* clGetDeviceInfo: one table of numbers, one of texts. */
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "tests/stub/stub.h"

/* Kept in the width that the query answers with. */
static const struct {
    cl_device_info name;
    unsigned size;
    uint64_t value;
} number[] = {
    {CL_DEVICE_VENDOR_ID, 4, 0x5942},
    {CL_DEVICE_MAX_COMPUTE_UNITS, 4, 2},
    {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 4, 3},
    {CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t), 1024},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, 4, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, 4, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, 4, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, 4, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, 4, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, 4, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, 4, 0},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, 4, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, 4, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, 4, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, 4, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 4, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, 4, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, 4, 0},
    {CL_DEVICE_MAX_CLOCK_FREQUENCY, 4, 1000},
    {CL_DEVICE_ADDRESS_BITS, 4, 8 * sizeof(void *)},
    {CL_DEVICE_IMAGE_SUPPORT, 4, CL_FALSE},
    {CL_DEVICE_MAX_READ_IMAGE_ARGS, 4, 0},
    {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 4, 0},
    {CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, 4, 0},
    {CL_DEVICE_IMAGE2D_MAX_WIDTH, sizeof(size_t), 0},
    {CL_DEVICE_IMAGE2D_MAX_HEIGHT, sizeof(size_t), 0},
    {CL_DEVICE_IMAGE3D_MAX_WIDTH, sizeof(size_t), 0},
    {CL_DEVICE_IMAGE3D_MAX_HEIGHT, sizeof(size_t), 0},
    {CL_DEVICE_IMAGE3D_MAX_DEPTH, sizeof(size_t), 0},
    {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, sizeof(size_t), 0},
    {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, sizeof(size_t), 0},
    {CL_DEVICE_IMAGE_PITCH_ALIGNMENT, 4, 0},
    {CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, 4, 0},
    {CL_DEVICE_MAX_SAMPLERS, 4, 0},
    {CL_DEVICE_MAX_PARAMETER_SIZE, sizeof(size_t), 1024},
    {CL_DEVICE_MEM_BASE_ADDR_ALIGN, 4, 8 * STUB_ALIGN},
    {CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, 4, STUB_ALIGN},
    {CL_DEVICE_SINGLE_FP_CONFIG, 8, CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_DENORM},
    {CL_DEVICE_DOUBLE_FP_CONFIG, 8,
     CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_INF_NAN | CL_FP_DENORM | CL_FP_FMA},
    {CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, 4, CL_READ_WRITE_CACHE},
    {CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, 4, 64},
    {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, 8, 1 << 20},
    {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, 8, 65536},
    {CL_DEVICE_MAX_CONSTANT_ARGS, 4, 8},
    {CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, sizeof(size_t), 0},
    {CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, sizeof(size_t), 0},
    {CL_DEVICE_LOCAL_MEM_TYPE, 4, CL_GLOBAL},
    {CL_DEVICE_LOCAL_MEM_SIZE, 8, 65536},
    {CL_DEVICE_ERROR_CORRECTION_SUPPORT, 4, CL_FALSE},
    {CL_DEVICE_PROFILING_TIMER_RESOLUTION, sizeof(size_t), 1},
    {CL_DEVICE_ENDIAN_LITTLE, 4, CL_TRUE},
    {CL_DEVICE_AVAILABLE, 4, CL_TRUE},
    {CL_DEVICE_COMPILER_AVAILABLE, 4, CL_TRUE},
    {CL_DEVICE_LINKER_AVAILABLE, 4, CL_TRUE},
    {CL_DEVICE_EXECUTION_CAPABILITIES, 8, CL_EXEC_KERNEL},
    {CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, 8, CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE},
    {CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, 8, 0},
    {CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, 4, 0},
    {CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, 4, 0},
    {CL_DEVICE_MAX_ON_DEVICE_QUEUES, 4, 0},
    {CL_DEVICE_MAX_ON_DEVICE_EVENTS, 4, 0},
    {CL_DEVICE_PARENT_DEVICE, sizeof(void *), 0},
    {CL_DEVICE_PARTITION_MAX_SUB_DEVICES, 4, 0},
    {CL_DEVICE_PARTITION_PROPERTIES, sizeof(intptr_t), 0},
    {CL_DEVICE_PARTITION_AFFINITY_DOMAIN, 8, 0},
    {CL_DEVICE_REFERENCE_COUNT, 4, 1},
    {CL_DEVICE_PRINTF_BUFFER_SIZE, sizeof(size_t), 1 << 20},
    {CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, 4, CL_TRUE},
    {CL_DEVICE_SVM_CAPABILITIES, 8, 0},
    {CL_DEVICE_MAX_PIPE_ARGS, 4, 0},
    {CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, 4, 0},
    {CL_DEVICE_PIPE_MAX_PACKET_SIZE, 4, 0},
    {CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, 4, 0},
    {CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, 4, 0},
    {CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, 4, 0},
    {CL_DEVICE_MAX_NUM_SUB_GROUPS, 4, 0},
    {CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, 4, CL_FALSE},
    {CL_DEVICE_NUMERIC_VERSION, 4, CL_MAKE_VERSION(3, 0, 0)},
    {CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, 8, CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP},
    {CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, 8,
     CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP},
    {CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, 4, CL_FALSE},
    {CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof(size_t), 8},
    {CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, 4, CL_FALSE},
    {CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, 4, CL_FALSE},
    {CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, 8, 0},
    {CL_DEVICE_PIPE_SUPPORT, 4, CL_FALSE},
};

static const struct {
    cl_device_info name;
    const char *value;
} text[] = {
    {CL_DEVICE_VENDOR, "yoke tests"},
    {CL_DEVICE_PROFILE, "FULL_PROFILE"},
    {CL_DEVICE_VERSION, "OpenCL 3.0 stub"},
    {CL_DEVICE_OPENCL_C_VERSION, "OpenCL C 1.2 stub"},
    {CL_DEVICE_EXTENSIONS, "cl_khr_global_int32_base_atomics cl_khr_fp64"},
    {CL_DEVICE_BUILT_IN_KERNELS, ""},
    {CL_DEVICE_IL_VERSION, ""},
    {CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, ""},
};

cl_int stub_impl_GetDeviceInfo(cl_device_id d, cl_device_info name, size_t size, void *value, size_t *size_ret)
{
    if (!d)
        return CL_INVALID_DEVICE;
    stub_check(d, STUB_DEVICE);
    char device_name[64];
    const size_t items[3] = {1024, 1024, 64};
    const cl_ulong share = d->memory / 4;
    const cl_bool unified = d->host;
    switch (name) {
    case CL_DEVICE_TYPE:
        return stub_answer(&d->type, sizeof d->type, size, value, size_ret);
    case CL_DEVICE_NAME:
        snprintf(device_name, sizeof device_name, "stub %s %u", d->type == CL_DEVICE_TYPE_CPU ? "cpu" : "gpu",
                 d->o.device);
        return stub_answer(device_name, strlen(device_name) + 1, size, value, size_ret);
    case CL_DRIVER_VERSION:
        return stub_answer(d->odd ? "2.0" : "1.0", 4, size, value, size_ret);
    case CL_DEVICE_PLATFORM:
        return stub_answer(&d->platform, sizeof d->platform, size, value, size_ret);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
        return stub_answer(&d->memory, sizeof d->memory, size, value, size_ret);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        return stub_answer(&share, sizeof share, size, value, size_ret);
    case CL_DEVICE_HOST_UNIFIED_MEMORY:
        return stub_answer(&unified, sizeof unified, size, value, size_ret);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
        return stub_answer(items, sizeof items, size, value, size_ret);
    case CL_DEVICE_PARTITION_TYPE: /* none: an empty list */
        return stub_answer(NULL, 0, size, value, size_ret);
    default:
        break;
    }
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        if (number[i].name == name)
            return stub_answer(&number[i].value, number[i].size, size, value, size_ret); /* little-endian */
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        if (text[i].name == name)
            return stub_answer(text[i].value, strlen(text[i].value) + 1, size, value, size_ret);
    return CL_INVALID_VALUE;
}

cl_int stub_impl_RetainDevice(cl_device_id d)
{
    return stub_check(d, STUB_DEVICE) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

cl_int stub_impl_ReleaseDevice(cl_device_id d)
{
    return stub_check(d, STUB_DEVICE) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

cl_int stub_impl_GetHostTimer(cl_device_id d, cl_ulong *host)
{
    if (!stub_check(d, STUB_DEVICE))
        return CL_INVALID_DEVICE;
    if (!host)
        return CL_INVALID_VALUE;
    *host = yk_now_ns();
    return CL_SUCCESS;
}

cl_int stub_impl_GetDeviceAndHostTimer(cl_device_id d, cl_ulong *device, cl_ulong *host)
{
    if (!device)
        return CL_INVALID_VALUE;
    cl_int rc = stub_impl_GetHostTimer(d, host);
    if (rc == CL_SUCCESS)
        *device = *host;
    return rc;
}
