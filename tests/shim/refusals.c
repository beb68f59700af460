/* Calls with something wrong in them, and what each of them is told: refusals.h. Each group is a process of its own. */
#include "tests/shim/refusals.h"
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

const size_t zero3[3] = {0, 0, 0}, one3[3] = {1, 1, 1}, image3[3] = {W, H, 1};

/* What a driver takes although it should not (an offset that makes the ids wrap) must not write outside of a buffer. */
static const char source[] =
    "kernel void set(global int *a, int v) { if (get_global_id(0) < 64) a[get_global_id(0)] = v; }\n"
    "kernel __attribute__((reqd_work_group_size(8, 1, 1))) void fixed(global int *a) { a[get_global_id(0)] = 1; }\n"
    "kernel __attribute__((reqd_work_group_size(8, 2, 1))) void flat(global int *a) { a[get_global_id(0)] = 1; }\n"
    "kernel void locals(local int *t, constant int *c, float4 f, global int *a) { t[get_local_id(0)] = c[0] + "
    "(int)f.x;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE); a[get_global_id(0)] = t[0]; }\n"
    "kernel void images(read_only image2d_t in, write_only image2d_t out, sampler_t s) {\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1)); write_imageui(out, at, read_imageui(in, s, at)); }\n";

static cl_program program_of(cl_context context, const char *text)
{
    return clCreateProgramWithSource(context, 1, &text, NULL, NULL);
}

static struct side side_of(cl_device_id device)
{
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H};
    const cl_int v = 3;
    cl_int err;
    struct side s = {.context = clCreateContext(NULL, 1, &device, NULL, NULL, &err)};
    s.queue = clCreateCommandQueue(s.context, device, 0, &err);
    s.buffer = clCreateBuffer(s.context, CL_MEM_READ_WRITE, BYTES, NULL, &err);
    s.image = clCreateImage(s.context, CL_MEM_READ_WRITE, &format, &desc, NULL, &err);
    s.program = program_of(s.context, source);
    clBuildProgram(s.program, 1, &device, "", NULL, NULL);
    s.kernel = clCreateKernel(s.program, "set", &err);
    clSetKernelArg(s.kernel, 0, sizeof s.buffer, &s.buffer);
    clSetKernelArg(s.kernel, 1, sizeof v, &v);
    s.sampler = clCreateSampler(s.context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &err);
    clEnqueueMarkerWithWaitList(s.queue, 0, NULL, &s.event);
    clFinish(s.queue);
    s.user = clCreateUserEvent(s.context, &err);
    return s;
}

static void open_world(struct world *w)
{
    const cl_buffer_region region = {1024, 1024};
    cl_int err;
    if (clGetPlatformIDs(1, &w->platform, NULL) || clGetDeviceIDs(w->platform, CL_DEVICE_TYPE_ALL, 1, &w->device, NULL))
        exit(1);
    w->x = side_of(w->device);
    w->other = side_of(w->device);
    w->sub = clCreateSubBuffer(w->x.buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
    w->host_read_only = clCreateBuffer(w->x.context, CL_MEM_HOST_READ_ONLY, BYTES, NULL, &err);
    w->host_write_only = clCreateBuffer(w->x.context, CL_MEM_HOST_WRITE_ONLY, BYTES, NULL, &err);
    w->host_no_access = clCreateBuffer(w->x.context, CL_MEM_HOST_NO_ACCESS, BYTES, NULL, &err);
    w->read_only = clCreateBuffer(w->x.context, CL_MEM_READ_ONLY, BYTES, NULL, &err);
    w->unbuilt = program_of(w->x.context, source);
    w->broken = program_of(w->x.context, "kernel void wrong(global int *a) { a[0] = nowhere; }\n");
    w->bare = clCreateKernel(w->x.program, "set", &err);
    w->flat = clCreateKernel(w->x.program, "flat", &err);
    w->fixed = clCreateKernel(w->x.program, "fixed", &err);
    w->locals = clCreateKernel(w->x.program, "locals", &err);
    w->images = clCreateKernel(w->x.program, "images", &err);
}

static void refuse_platforms(struct world *w)
{
    cl_platform_id p;
    cl_device_id d;
    cl_uint n;
    size_t size;
    char text[4];
    CODE(clGetPlatformIDs(0, &p, NULL));
    CODE(clGetPlatformIDs(0, NULL, NULL));
    CODE(clGetPlatformIDs(0, NULL, &n));
    CODE(clGetPlatformInfo(w->platform, 0x4321, 0, NULL, &size));
    CODE(clGetPlatformInfo(w->platform, CL_PLATFORM_VERSION, sizeof text, text, NULL));
    CODE(clGetDeviceIDs(w->platform, CL_DEVICE_TYPE_ALL, 0, &d, NULL));
    CODE(clGetDeviceIDs(w->platform, CL_DEVICE_TYPE_ALL, 0, NULL, NULL));
    CODE(clGetDeviceIDs(w->platform, CL_DEVICE_TYPE_ALL, 5, NULL, &n));
    CODE(clGetDeviceInfo(w->device, 0x4321, 0, NULL, &size));
    CODE(clGetDeviceInfo(w->device, CL_DEVICE_VERSION, sizeof text, text, NULL));
    CODE(clGetDeviceInfo(NULL, CL_DEVICE_VERSION, 0, NULL, &size));
    CODE(clRetainDevice(w->device));
    CODE(clReleaseDevice(w->device));
    CODE(clReleaseDevice(NULL));
    CODE(clUnloadPlatformCompiler(w->platform));
    const cl_device_partition_property none[] = {0}, odd[] = {0x7777, 1, 0};
    CODE(clCreateSubDevices(NULL, none, 1, &d, &n));
    CODE(clCreateSubDevices(w->device, NULL, 1, &d, &n));
    CODE(clCreateSubDevices(w->device, none, 1, &d, &n));
    CODE(clCreateSubDevices(w->device, odd, 1, &d, &n));
}

static void CL_CALLBACK notified(const char *text, const void *info, size_t n, void *data)
{
    (void)text, (void)info, (void)n, (void)data;
}

static void CL_CALLBACK context_gone(cl_context context, void *data)
{
    (void)context, (void)data;
}

static void refuse_contexts(struct world *w)
{
    const cl_context_properties good[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)w->platform, 0},
                                twice[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)w->platform, CL_CONTEXT_PLATFORM,
                                           (cl_context_properties)w->platform, 0},
                                unknown[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)w->platform, 0x7777, 1, 0},
                                sync[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)w->platform,
                                          CL_CONTEXT_INTEROP_USER_SYNC, 5, 0};
    cl_device_id none = NULL, same[2] = {w->device, w->device};
    size_t size;
    cl_uint n;
    MADE(clReleaseContext, clCreateContext(good, 0, &w->device, NULL, NULL, &err));
    MADE(clReleaseContext, clCreateContext(good, 1, NULL, NULL, NULL, &err));
    MADE(clReleaseContext, clCreateContext(good, 1, &none, NULL, NULL, &err));
    MADE(clReleaseContext, clCreateContext(good, 1, &w->device, NULL, &size, &err));
    MADE(clReleaseContext, clCreateContext(good, 1, &w->device, notified, &size, &err));
    MADE(clReleaseContext, clCreateContext(good, 2, same, NULL, NULL, &err));
    MADE(clReleaseContext, clCreateContext(twice, 1, &w->device, NULL, NULL, &err));
    MADE(clReleaseContext, clCreateContext(unknown, 1, &w->device, NULL, NULL, &err));
    MADE(clReleaseContext, clCreateContext(sync, 1, &w->device, NULL, NULL, &err));
    MADE(clReleaseContext, clCreateContextFromType(good, CL_DEVICE_TYPE_CUSTOM, NULL, NULL, &err));
    MADE(clReleaseContext, clCreateContextFromType(good, CL_DEVICE_TYPE_DEFAULT, NULL, &size, &err));
    MADE(clReleaseContext, clCreateContextFromType(twice, CL_DEVICE_TYPE_DEFAULT, NULL, NULL, &err));
    CODE(clGetContextInfo(NULL, CL_CONTEXT_NUM_DEVICES, sizeof n, &n, NULL));
    CODE(clGetContextInfo(w->x.context, 0x7777, sizeof n, &n, NULL));
    CODE(clGetContextInfo(w->x.context, CL_CONTEXT_NUM_DEVICES, 1, &n, NULL));
    CODE(clGetContextInfo(w->x.context, CL_CONTEXT_DEVICES, 1, &n, NULL));
    CODE(clRetainContext(NULL));
    CODE(clReleaseContext(NULL));
    CODE(clSetContextDestructorCallback(NULL, context_gone, NULL));
    CODE(clSetContextDestructorCallback(w->x.context, NULL, NULL));
    CODE(clSetContextDestructorCallback(w->x.context, context_gone, NULL));
}

static void refuse_queues(struct world *w)
{
    const cl_queue_properties unknown[] = {0x7777, 1, 0}, bad[] = {CL_QUEUE_PROPERTIES, 1 << 20, 0},
                              size_alone[] = {CL_QUEUE_SIZE, 1024, 0};
    cl_uint n;
    cl_command_queue_properties old;
    MADE(clReleaseCommandQueue, clCreateCommandQueue(NULL, w->device, 0, &err));
    MADE(clReleaseCommandQueue, clCreateCommandQueue(w->x.context, NULL, 0, &err));
    MADE(clReleaseCommandQueue, clCreateCommandQueue(w->x.context, w->device, 1 << 20, &err));
    MADE(clReleaseCommandQueue, clCreateCommandQueue(w->x.context, w->device, CL_QUEUE_ON_DEVICE, &err));
    MADE(clReleaseCommandQueue, clCreateCommandQueue(w->x.context, w->device, 3, &err));
    MADE(clReleaseCommandQueue, clCreateCommandQueueWithProperties(NULL, w->device, NULL, &err));
    MADE(clReleaseCommandQueue, clCreateCommandQueueWithProperties(w->x.context, NULL, NULL, &err));
    MADE(clReleaseCommandQueue, clCreateCommandQueueWithProperties(w->x.context, w->device, unknown, &err));
    MADE(clReleaseCommandQueue, clCreateCommandQueueWithProperties(w->x.context, w->device, bad, &err));
    MADE(clReleaseCommandQueue, clCreateCommandQueueWithProperties(w->x.context, w->device, size_alone, &err));
    CODE(clGetCommandQueueInfo(NULL, CL_QUEUE_CONTEXT, sizeof n, &n, NULL));
    CODE(clGetCommandQueueInfo(w->x.queue, 0x7777, sizeof n, &n, NULL));
    CODE(clGetCommandQueueInfo(w->x.queue, CL_QUEUE_CONTEXT, 1, &n, NULL));
    CODE(clSetDefaultDeviceCommandQueue(NULL, w->device, w->x.queue));
    CODE(clSetDefaultDeviceCommandQueue(w->x.context, NULL, w->x.queue));
    CODE(clSetDefaultDeviceCommandQueue(w->x.context, w->device, NULL));
    CODE(clSetDefaultDeviceCommandQueue(w->x.context, w->device, w->x.queue));
    CODE(clSetCommandQueueProperty(NULL, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, &old));
    CODE(clRetainCommandQueue(NULL));
    CODE(clReleaseCommandQueue(NULL));
    CODE(clFlush(NULL));
    CODE(clFinish(NULL));
}

static void CL_CALLBACK on_event(cl_event e, cl_int status, void *data)
{
    (void)e, (void)status, (void)data;
}

static void refuse_events(struct world *w)
{
    cl_event none = NULL, mixed[2] = {w->x.event, w->other.event}, half[2] = {w->x.event, NULL};
    cl_uint n;
    cl_ulong t;
    MADE(clReleaseEvent, clCreateUserEvent(NULL, &err));
    CODE(clWaitForEvents(0, &w->x.event));
    CODE(clWaitForEvents(1, NULL));
    CODE(clWaitForEvents(1, &none));
    CODE(clWaitForEvents(2, mixed));
    CODE(clWaitForEvents(2, half));
    CODE(clGetEventInfo(NULL, CL_EVENT_CONTEXT, sizeof n, &n, NULL));
    CODE(clGetEventInfo(w->x.event, 0x7777, sizeof n, &n, NULL));
    CODE(clGetEventInfo(w->x.event, CL_EVENT_COMMAND_TYPE, 1, &n, NULL));
    CODE(clSetUserEventStatus(NULL, CL_COMPLETE));
    CODE(clSetUserEventStatus(w->x.event, CL_COMPLETE));
    CODE(clSetUserEventStatus(w->x.user, CL_QUEUED));
    CODE(clSetUserEventStatus(w->x.user, CL_RUNNING));
    CODE(clSetEventCallback(NULL, CL_COMPLETE, on_event, NULL));
    CODE(clSetEventCallback(w->x.event, CL_COMPLETE, NULL, NULL));
    CODE(clSetEventCallback(w->x.event, CL_QUEUED, on_event, NULL));
    CODE(clSetEventCallback(w->x.event, -1, on_event, NULL));
    CODE(clSetEventCallback(w->x.event, 17, on_event, NULL));
    CODE(clGetEventProfilingInfo(NULL, CL_PROFILING_COMMAND_START, sizeof t, &t, NULL));
    CODE(clGetEventProfilingInfo(w->x.event, CL_PROFILING_COMMAND_START, sizeof t, &t, NULL));
    CODE(clGetEventProfilingInfo(w->x.user, CL_PROFILING_COMMAND_START, sizeof t, &t, NULL));
    CODE(clRetainEvent(NULL));
    CODE(clReleaseEvent(NULL));
    ENQUEUED(clEnqueueMarkerWithWaitList(NULL, 0, NULL, &event));
    ENQUEUED(clEnqueueMarkerWithWaitList(w->x.queue, 1, NULL, &event));
    ENQUEUED(clEnqueueMarkerWithWaitList(w->x.queue, 0, &w->x.event, &event));
    ENQUEUED(clEnqueueMarkerWithWaitList(w->x.queue, 1, &none, &event));
    ENQUEUED(clEnqueueMarkerWithWaitList(w->x.queue, 1, &w->other.event, &event));
    ENQUEUED(clEnqueueMarkerWithWaitList(w->x.queue, 2, half, &event));
    ENQUEUED(clEnqueueBarrierWithWaitList(NULL, 0, NULL, &event));
    ENQUEUED(clEnqueueBarrierWithWaitList(w->x.queue, 1, NULL, &event));
    ENQUEUED(clEnqueueBarrierWithWaitList(w->x.queue, 0, &w->x.event, &event));
    ENQUEUED(clEnqueueBarrierWithWaitList(w->x.queue, 1, &w->other.event, &event));
    CODE(clEnqueueMarker(w->x.queue, NULL));
    CODE(clEnqueueWaitForEvents(w->x.queue, 0, &w->x.event));
    CODE(clEnqueueWaitForEvents(w->x.queue, 1, NULL));
    CODE(clEnqueueWaitForEvents(w->x.queue, 1, &none));
    CODE(clEnqueueWaitForEvents(w->x.queue, 1, &w->other.event));
    CODE(clSetUserEventStatus(w->x.user, -5));
    CODE(clSetUserEventStatus(w->x.user, CL_COMPLETE));
    CODE(clWaitForEvents(1, &w->x.user));
}

static const struct group {
    const char *name;
    void (*refuse)(struct world *w);
    bool gated;
} groups[] = {{"platforms", refuse_platforms, false},
              {"contexts", refuse_contexts, false},
              {"queues", refuse_queues, false},
              {"events", refuse_events, false},
              {"buffers", refuse_buffers, false},
              {"images", refuse_images, false},
              {"buffer commands", refuse_buffer_commands, false},
              {"image commands", refuse_image_commands, false},
              {"shared memory", refuse_shared_memory, false},
              {"programs", refuse_programs, false},
              {"kernels", refuse_kernels, false},
              {"arguments", refuse_arguments, false},
              {"launches", refuse_launches, false},
              {"buffer commands behind a gate", refuse_buffer_commands, true},
              {"image commands behind a gate", refuse_image_commands, true},
              {"shared memory behind a gate", refuse_shared_memory, true},
              {"launches behind a gate", refuse_launches, true}};

static void run_group(const struct group *g)
{
    struct world w = {0};
    open_world(&w);
    if (g->gated) {
        cl_int err;
        w.gate = clCreateUserEvent(w.x.context, &err);
        clEnqueueMarkerWithWaitList(w.x.queue, 1, &w.gate, NULL);
    }
    g->refuse(&w);
    if (g->gated) {
        printf("%s: opened %d", g->name, clSetUserEventStatus(w.gate, CL_COMPLETE));
        printf(", all done %d\n", clFinish(w.x.queue));
    }
    fflush(stdout);
    _exit(0);
}

int main(int argc, char **argv)
{
    for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (argc > 1 && strcmp(argv[1], groups[i].name) != 0)
            continue;
        printf("group %s\n", groups[i].name);
        fflush(stdout);
        pid_t child = fork(); /* before anything of OpenCL is begun */
        if (!child)
            run_group(&groups[i]);
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) < 0)
            return 1;
        if (WIFSIGNALED(status))
            printf("group %s: ended by signal %d\n", groups[i].name, WTERMSIG(status));
        else if (status)
            return 1;
    }
    return 0;
}
