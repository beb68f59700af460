/* One random call each, of those that programs make less often. */
#include <string.h>
#include "tests/fuzz/entries/objects.h"

static int called; /* by yoke's thread */

static void CL_CALLBACK event_seen(cl_event e, cl_int status, void *data)
{
    cl_uint n;
    (void)status;
    (void)data;
    clGetEventInfo(e, CL_EVENT_REFERENCE_COUNT, sizeof n, &n, NULL);
    __atomic_add_fetch(&called, 1, __ATOMIC_RELAXED);
}

static void CL_CALLBACK object_gone(void *object_, void *data)
{
    (void)object_;
    (void)data;
    __atomic_add_fetch(&called, 1, __ATOMIC_RELAXED);
}

static void CL_CALLBACK program_built(cl_program p, void *data)
{
    (void)p;
    (void)data;
    __atomic_add_fetch(&called, 1, __ATOMIC_RELAXED);
}

static void CL_CALLBACK native(void *args)
{
    (void)args;
}

static void retain_and_release(void)
{
    unsigned kind = below(KINDS);
    void *o = any((enum kind)kind);
    switch (kind) {
    case CONTEXT:
        if (clRetainContext(o) == CL_SUCCESS)
            clReleaseContext(o);
        break;
    case QUEUE:
        if (clRetainCommandQueue(o) == CL_SUCCESS)
            clReleaseCommandQueue(o);
        break;
    case MEM:
        if (clRetainMemObject(o) == CL_SUCCESS)
            clReleaseMemObject(o);
        break;
    case PROGRAM:
        if (clRetainProgram(o) == CL_SUCCESS)
            clReleaseProgram(o);
        break;
    case KERNEL:
        if (clRetainKernel(o) == CL_SUCCESS)
            clReleaseKernel(o);
        break;
    default:
        if (clRetainEvent(o) == CL_SUCCESS)
            clReleaseEvent(o);
    }
}

/* Given out and taken in again, mostly as it was. */
static void binary(void)
{
    static unsigned char bytes[1 << 16];
    unsigned char *to = bytes;
    const unsigned char *from = bytes;
    size_t n = 0;
    cl_int err, status;
    cl_program p = any(PROGRAM);
    if (clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof n, &n, NULL) != CL_SUCCESS || !n || n > sizeof bytes ||
        clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof to, &to, NULL) != CL_SUCCESS)
        return;
    if (below(3) == 0)
        bytes[below((uint32_t)n)] ^= (unsigned char)(1u << below(8));
    if (below(6) == 0)
        n = below((uint32_t)n + 1);
    p = clCreateProgramWithBinary(any(CONTEXT), 1, &device, &n, below(30) ? &from : NULL, below(2) ? &status : NULL,
                                  &err);
    if (p && below(4))
        clBuildProgram(p, 1, &device, "", NULL, NULL);
    put(PROGRAM, p);
}

static void compile_and_link(void)
{
    const char *text = source;
    cl_int err;
    cl_context c = any(CONTEXT);
    cl_program p = clCreateProgramWithSource(c, 1, &text, NULL, &err);
    if (below(10))
        clCompileProgram(p, below(2), below(2) ? &device : NULL, below(2) ? "-DX=1" : NULL, 0, NULL, NULL, NULL, NULL);
    cl_program linked =
        clLinkProgram(c, below(2), below(2) ? &device : NULL, below(4) ? "" : "-create-library", below(10) ? 1 : 0,
                      below(10) ? &p : NULL, below(3) ? NULL : program_built, NULL, &err);
    put(PROGRAM, linked);
    if (p)
        clReleaseProgram(p);
}

static void more_kernels(void)
{
    cl_kernel k[16] = {NULL};
    cl_uint n = 0;
    cl_int err;
    if (below(2)) {
        put(KERNEL, clCloneKernel(any(KERNEL), &err));
        return;
    }
    if (clCreateKernelsInProgram(any(PROGRAM), below(16), below(10) ? k : NULL, &n) == CL_SUCCESS)
        for (int i = 0; i < 16; i++)
            put(KERNEL, k[i]);
}

static void watch(void)
{
    static const cl_int when[] = {CL_COMPLETE, CL_RUNNING, CL_SUBMITTED, CL_QUEUED, -1};
    switch (below(6)) {
    case 0:
        clSetMemObjectDestructorCallback(any(MEM), below(20) ? (void(CL_CALLBACK *)(cl_mem, void *))object_gone : NULL,
                                         NULL);
        break;
    case 1:
        clSetContextDestructorCallback(any(CONTEXT),
                                       below(20) ? (void(CL_CALLBACK *)(cl_context, void *))object_gone : NULL, NULL);
        break;
    default:
        clSetEventCallback(any(EVENT), when[below(5)], below(20) ? event_seen : NULL, NULL);
    }
}

static void new_queue(void)
{
    static const cl_queue_properties key[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_SIZE, 0, 77};
    cl_queue_properties list[7] = {0};
    cl_int err;
    for (unsigned i = 0; i < 4 && below(3); i += 2) {
        list[i] = key[below(4)];
        list[i + 1] = below(6);
    }
    put(QUEUE,
        clCreateCommandQueueWithProperties(any(CONTEXT), below(20) ? device : NULL, below(4) ? list : NULL, &err));
}

static void new_context(void)
{
    static const cl_device_type type[] = {CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_DEFAULT,
                                          CL_DEVICE_TYPE_CUSTOM, 0};
    cl_context_properties list[5] = {0};
    cl_platform_id platform = NULL;
    cl_device_id two[] = {device, device};
    cl_int err;
    clGetPlatformIDs(1, &platform, NULL);
    if (below(2)) {
        list[0] = below(10) ? CL_CONTEXT_PLATFORM : 77;
        list[1] = below(10) ? (cl_context_properties)platform : 0;
    }
    cl_context c = below(2) ? clCreateContextFromType(below(2) ? list : NULL, type[below(5)], NULL, NULL, &err)
                            : clCreateContext(below(2) ? list : NULL, below(10) ? 1 : below(3), below(20) ? two : NULL,
                                              NULL, NULL, &err);
    if (c)
        clReleaseContext(c);
}

static void sub_devices(void)
{
    cl_device_partition_property list[4] = {CL_DEVICE_PARTITION_EQUALLY + below(4), below(4), below(3), 0};
    cl_device_id part[8] = {NULL};
    cl_uint n = 0;
    if (clCreateSubDevices(below(20) ? device : NULL, below(20) ? list : NULL, below(9), part, &n) == CL_SUCCESS)
        for (unsigned i = 0; i < n && i < 8; i++)
            if (part[i])
                clReleaseDevice(part[i]);
}

static void other_enqueues(void)
{
    cl_event wait[4], e = NULL;
    cl_uint n = below(3);
    cl_int err;
    void *args[2] = {host, NULL};
    cl_mem m = object[MEM][below(EACH)];
    const void *where = &args[1];
    for (cl_uint i = 0; i < n; i++)
        wait[i] = any(EVENT);
    switch (below(6)) {
    case 0:
        err = clEnqueueTask(any(QUEUE), arranged(), n, n ? wait : NULL, &e);
        break;
    case 1:
        err = clEnqueueNativeKernel(any(QUEUE), below(20) ? native : NULL, args, sizeof args, m != NULL, &m, &where, n,
                                    n ? wait : NULL, &e);
        break;
    case 2:
        err = clEnqueueMarker(any(QUEUE), &e);
        break;
    case 3:
        err = clEnqueueWaitForEvents(any(QUEUE), n, n ? wait : NULL);
        break;
    case 4:
        err = clEnqueueBarrier(any(QUEUE));
        break;
    default:
        open_gates();
        clWaitForEvents(n, n ? wait : NULL);
        return;
    }
    ok_calls += err == CL_SUCCESS;
    if (err == CL_SUCCESS)
        put(EVENT, e);
}

static void other_queries(void)
{
    unsigned char text[512];
    size_t n, room = below(2) ? sizeof text : below(16);
    void *to = below(4) ? text : NULL;
    cl_ulong a, b;
    switch (below(9)) {
    case 0:
        clGetKernelArgInfo(any(KERNEL), below(5), CL_KERNEL_ARG_ADDRESS_QUALIFIER + below(6), room, to, &n);
        break;
    case 1:
        clGetKernelWorkGroupInfo(any(KERNEL), below(10) ? device : NULL, CL_KERNEL_WORK_GROUP_SIZE + below(7), room, to,
                                 &n);
        break;
    case 2:
        clGetKernelSubGroupInfo(any(KERNEL), device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE + below(4),
                                below(2) ? sizeof n : below(30), text, room, to, &n);
        break;
    case 3:
        clGetProgramBuildInfo(any(PROGRAM), below(10) ? device : NULL, CL_PROGRAM_BUILD_STATUS + below(6), room, to,
                              &n);
        break;
    case 4:
        clGetPlatformInfo(NULL, CL_PLATFORM_PROFILE + below(6), room, to, &n);
        break;
    case 5:
        clGetDeviceAndHostTimer(device, below(10) ? &a : NULL, &b);
        break;
    case 6:
        clGetEventInfo(any(EVENT), CL_EVENT_COMMAND_QUEUE + below(5), room, to, &n);
        break;
    case 7:
        clGetImageInfo(any(MEM), CL_IMAGE_FORMAT + below(10), room, to, &n);
        break;
    default:
        clGetSupportedImageFormats(any(CONTEXT), CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, NULL, (cl_uint *)text);
    }
}

/* What the stub's devices lack is refused, and nothing is left of it. */
static void refused(void)
{
    cl_int err;
    cl_image_format format = {CL_RGBA, CL_FLOAT};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = below(9), .image_height = below(9)};
    cl_context c = any(CONTEXT);
    void *p;
    switch (below(6)) {
    case 0:
        put(MEM, clCreateImage(c, 0, below(10) ? &format : NULL, below(10) ? &desc : NULL, NULL, &err));
        break;
    case 1:
        if ((p = clSVMAlloc(c, CL_MEM_READ_WRITE, edge() % 65536, 0)))
            clSVMFree(c, p);
        break;
    case 2:
        put(MEM, clCreatePipe(c, 0, below(9), below(9), NULL, &err));
        break;
    case 3:
        clSetKernelArgSVMPointer(any(KERNEL), below(3), NULL);
        break;
    case 4:
        (void)clCreateProgramWithIL(c, host, below(64), &err);
        break;
    default:
        (void)clCreateSamplerWithProperties(c, NULL, &err);
    }
}

void other(void)
{
    static void (*const call[])(void) = {retain_and_release,
                                         retain_and_release,
                                         binary,
                                         compile_and_link,
                                         more_kernels,
                                         watch,
                                         watch,
                                         new_queue,
                                         new_context,
                                         sub_devices,
                                         other_enqueues,
                                         other_enqueues,
                                         other_queries,
                                         other_queries,
                                         refused};
    call[below(sizeof call / sizeof *call)]();
}
