/* queries.c's queues, memory objects, samplers and events. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/shim/queries.h"

enum { BYTES = 65536 };

static const struct range mem_ranges[] = {{0x1100, 0x110f, false}, {0x2010, 0x2020, false}, {0}};
static const struct range image_ranges[] = {{0x1110, 0x111f, false}, {0}};
static const struct range pipe_ranges[] = {{0x1120, 0x1128, false}, {0}};
static const struct range sampler_ranges[] = {{0x1150, 0x115f, false}, {0}};
static const struct range queue_ranges[] = {{0x1090, 0x109f, false}, {0}};
static const struct range event_ranges[] = {{0x11d0, 0x11d8, false}, {0}};
static const struct range profiling_ranges[] = {{0x1280, 0x1284, true}, {0}};

static cl_int of_mem(void *o, cl_uint what, size_t n, void *v, size_t *ret)
{
    return clGetMemObjectInfo(o, what, n, v, ret);
}

static cl_int of_image(void *o, cl_uint what, size_t n, void *v, size_t *ret)
{
    return clGetImageInfo(o, what, n, v, ret);
}

static cl_int of_pipe(void *o, cl_uint what, size_t n, void *v, size_t *ret)
{
    return clGetPipeInfo(o, what, n, v, ret);
}

static cl_int of_sampler(void *o, cl_uint what, size_t n, void *v, size_t *ret)
{
    return clGetSamplerInfo(o, what, n, v, ret);
}

static cl_int of_queue(void *o, cl_uint what, size_t n, void *v, size_t *ret)
{
    return clGetCommandQueueInfo(o, what, n, v, ret);
}

static cl_int of_event(void *o, cl_uint what, size_t n, void *v, size_t *ret)
{
    return clGetEventInfo(o, what, n, v, ret);
}

static cl_int of_profiling(void *o, cl_uint what, size_t n, void *v, size_t *ret)
{
    return clGetEventProfilingInfo(o, what, n, v, ret);
}

static cl_mem ask_mem(const char *name, cl_mem m, cl_int err)
{
    say("%s made %d", name, err);
    if (!m)
        return NULL;
    name_handle(m, name);
    ask_all(name, of_mem, m, mem_ranges);
    if (!strncmp(name, "image", 5)) /* PoCL answers for anything */
        ask_all(name, of_image, m, image_ranges);
    if (!strncmp(name, "pipe", 4))
        ask_all(name, of_pipe, m, pipe_ranges);
    return m;
}

static void ask_buffers(cl_context c, char *host)
{
    static const struct {
        const char *name;
        cl_mem_flags flags;
        bool host;
    } made[] = {{"buffer", 0, false},
                {"buffer-r", CL_MEM_READ_ONLY, false},
                {"buffer-w", CL_MEM_WRITE_ONLY | CL_MEM_HOST_READ_ONLY, false},
                {"buffer-alloc", CL_MEM_ALLOC_HOST_PTR | CL_MEM_HOST_NO_ACCESS, false},
                {"buffer-copy", CL_MEM_COPY_HOST_PTR, true},
                {"buffer-both", CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_HOST_WRITE_ONLY, true},
                {"buffer-use", CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY, true}};
    static const cl_mem_flags sub_flags[] = {0, CL_MEM_READ_ONLY, CL_MEM_HOST_READ_ONLY | CL_MEM_READ_WRITE};
    const cl_mem_properties none[] = {0};
    const cl_buffer_region region = {4096, 8192};
    cl_int err;
    name_handle(host, "host");
    name_handle(host + region.origin, "host+origin");
    for (unsigned i = 0; i < sizeof made / sizeof *made; i++) {
        cl_mem m = clCreateBuffer(c, made[i].flags, BYTES, made[i].host ? host : NULL, &err);
        ask_mem(made[i].name, m, err);
        for (unsigned j = 0; m && j < sizeof sub_flags / sizeof *sub_flags; j++) {
            char name[64];
            snprintf(name, sizeof name, "%s-sub%u", made[i].name, j);
            cl_mem s = clCreateSubBuffer(m, sub_flags[j], CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
            if (ask_mem(name, s, err))
                clReleaseMemObject(s);
        }
        if (m)
            clReleaseMemObject(m);
    }
    for (int i = 0; i < 2; i++) {
        cl_mem m = clCreateBufferWithProperties(c, i ? none : NULL, CL_MEM_READ_WRITE, BYTES, NULL, &err);
        if (ask_mem(i ? "buffer-properties" : "buffer-no-properties", m, err))
            clReleaseMemObject(m);
    }
}

static void ask_images(cl_context c, char *host)
{
    static const cl_mem_object_type types[] = {
        CL_MEM_OBJECT_IMAGE1D,       CL_MEM_OBJECT_IMAGE2D,        CL_MEM_OBJECT_IMAGE3D, CL_MEM_OBJECT_IMAGE1D_ARRAY,
        CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_MEM_OBJECT_IMAGE2D /* of a buffer */};
    static const cl_mem_flags flags[] = {CL_MEM_READ_WRITE, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR,
                                         CL_MEM_WRITE_ONLY | CL_MEM_COPY_HOST_PTR, 0};
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    cl_int err;
    cl_mem store = clCreateBuffer(c, CL_MEM_READ_WRITE, BYTES, NULL, &err);
    name_handle(store, "store");
    for (unsigned t = 0; t < sizeof types / sizeof *types; t++)
        for (unsigned f = 0; f < sizeof flags / sizeof *flags; f++) {
            bool of_buffer = t >= 5, has_host = flags[f] & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
            if (of_buffer && has_host)
                continue;
            bool rows = t != 0 && t != 3 && t != 5;
            const cl_image_desc d = {.image_type = types[t],
                                     .image_width = 64,
                                     .image_height = rows ? 16 : 0,
                                     .image_depth = types[t] == CL_MEM_OBJECT_IMAGE3D ? 2 : 0,
                                     .image_array_size = t == 3 || t == 4 ? 3 : 0,
                                     .image_row_pitch = t == 6             ? 256
                                                        : has_host && rows ? 512
                                                                           : 0,
                                     .mem_object = of_buffer ? store : NULL};
            cl_mem m = clCreateImage(c, flags[f], &format, &d, has_host ? host : NULL, &err);
            char name[64];
            snprintf(name, sizeof name, "image%u-%u", t, f);
            if (ask_mem(name, m, err))
                clReleaseMemObject(m);
        }
    const cl_image_desc plain = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
    const cl_mem_properties none[] = {0};
    cl_mem old[] = {clCreateImage2D(c, CL_MEM_READ_ONLY, &format, 8, 8, 0, NULL, &err),
                    clCreateImage3D(c, CL_MEM_READ_ONLY, &format, 8, 8, 4, 0, 0, NULL, &err),
                    clCreateImageWithProperties(c, none, CL_MEM_READ_ONLY, &format, &plain, NULL, &err),
                    clCreateImageWithProperties(c, NULL, CL_MEM_READ_ONLY, &format, &plain, NULL, &err)};
    for (unsigned i = 0; i < 4; i++) {
        char name[64];
        snprintf(name, sizeof name, "image-made%u", i);
        if (ask_mem(name, old[i], old[i] ? 0 : 1))
            clReleaseMemObject(old[i]);
    }
    clReleaseMemObject(store);
}

static void ask_pipe_and_samplers(cl_context c)
{
    cl_int err;
    cl_mem pipe = clCreatePipe(c, 0, 8, 32, NULL, &err);
    if (ask_mem("pipe", pipe, err))
        clReleaseMemObject(pipe);
    const cl_sampler_properties empty[] = {0}, list[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                                         CL_FALSE,
                                                         CL_SAMPLER_ADDRESSING_MODE,
                                                         CL_ADDRESS_CLAMP,
                                                         CL_SAMPLER_FILTER_MODE,
                                                         CL_FILTER_NEAREST,
                                                         0};
    for (int i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "sampler%d", i);
        err = 77;
        cl_sampler s = i ? clCreateSamplerWithProperties(c,
                                                         i == 1   ? list
                                                         : i == 2 ? empty
                                                                  : NULL,
                                                         &err)
                         : clCreateSampler(c, CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, &err);
        say("%s made %d", name, err);
        if (!s)
            continue;
        name_handle(s, name);
        ask_all(name, of_sampler, s, sampler_ranges);
        clRetainSampler(s);
        ask_all(name, of_sampler, s, sampler_ranges);
        clReleaseSampler(s);
        clReleaseSampler(s);
    }
}

static void ask_queues(cl_context c, cl_device_id device)
{
    const cl_queue_properties empty[] = {0}, list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0},
                              both[] = {CL_QUEUE_PROPERTIES,
                                        CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0},
                              on_device[] = {CL_QUEUE_PROPERTIES,
                                             CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_SIZE,
                                             4096, 0},
                              unknown[] = {0x7777, 1, 0};
    const cl_queue_properties *lists[] = {NULL, NULL, NULL, empty, list, both, on_device, unknown};
    for (unsigned i = 0; i < sizeof lists / sizeof *lists; i++) {
        cl_int err = 77;
        cl_command_queue q = i < 2 ? clCreateCommandQueue(c, device, i ? CL_QUEUE_PROFILING_ENABLE : 0, &err)
                                   : clCreateCommandQueueWithProperties(c, device, lists[i], &err);
        char name[32];
        snprintf(name, sizeof name, "queue%u", i);
        say("%s made %d", name, err);
        if (!q)
            continue;
        name_handle(q, name);
        ask_all(name, of_queue, q, queue_ranges);
        say("%s default: %d", name, clSetDefaultDeviceCommandQueue(c, device, q));
        ask_all(name, of_queue, q, queue_ranges);
        clReleaseCommandQueue(q);
    }
}

static void ask_event(const char *name, cl_int err, cl_event *e)
{
    say("%s made %d", name, err);
    if (!*e)
        return;
    name_handle(*e, name);
    clWaitForEvents(1, e);
    ask_all(name, of_event, *e, event_ranges);
    ask_all(name, of_profiling, *e, profiling_ranges);
    clReleaseEvent(*e);
    *e = NULL;
}

static void ask_events_of(cl_context c, cl_command_queue q, char *host)
{
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16};
    const size_t zero[3] = {0, 0, 0}, region[3] = {16, 16, 1};
    size_t pitch, slice;
    cl_int err, v = 5;
    cl_event e = NULL;
    cl_mem a = clCreateBuffer(c, 0, BYTES, NULL, &err), b = clCreateBuffer(c, 0, BYTES, NULL, &err);
    cl_mem image = clCreateImage(c, CL_MEM_READ_WRITE, &format, &desc, NULL, &err);
    void *p;
    ask_event("write", clEnqueueWriteBuffer(q, a, CL_TRUE, 0, 1024, host, 0, NULL, &e), &e);
    ask_event("read", clEnqueueReadBuffer(q, a, CL_FALSE, 0, 1024, host, 0, NULL, &e), &e);
    ask_event("copy", clEnqueueCopyBuffer(q, a, b, 0, 0, 1024, 0, NULL, &e), &e);
    ask_event("fill", clEnqueueFillBuffer(q, a, &v, sizeof v, 0, 1024, 0, NULL, &e), &e);
    ask_event("write-rect", clEnqueueWriteBufferRect(q, a, CL_TRUE, zero, zero, region, 0, 0, 0, 0, host, 0, NULL, &e),
              &e);
    ask_event("read-rect", clEnqueueReadBufferRect(q, a, CL_TRUE, zero, zero, region, 0, 0, 0, 0, host, 0, NULL, &e),
              &e);
    ask_event("copy-rect", clEnqueueCopyBufferRect(q, a, b, zero, zero, region, 0, 0, 0, 0, 0, NULL, &e), &e);
    p = clEnqueueMapBuffer(q, a, CL_TRUE, CL_MAP_READ, 0, 1024, 0, NULL, &e, &err);
    ask_event("map", err, &e);
    name_handle(a, "mapped");
    ask_all("mapped", of_mem, a, (const struct range[]){{0x1102, 0x1102, false}, {0x1104, 0x1109, false}, {0}});
    ask_event("unmap", clEnqueueUnmapMemObject(q, a, p, 0, NULL, &e), &e);
    if (image) {
        ask_event("write-image", clEnqueueWriteImage(q, image, CL_TRUE, zero, region, 0, 0, host, 0, NULL, &e), &e);
        ask_event("read-image", clEnqueueReadImage(q, image, CL_TRUE, zero, region, 0, 0, host, 0, NULL, &e), &e);
        ask_event("fill-image", clEnqueueFillImage(q, image, (cl_uint[4]){1, 2, 3, 4}, zero, region, 0, NULL, &e), &e);
        ask_event("image-to-buffer", clEnqueueCopyImageToBuffer(q, image, a, zero, region, 0, 0, NULL, &e), &e);
        ask_event("buffer-to-image", clEnqueueCopyBufferToImage(q, a, image, 0, zero, region, 0, NULL, &e), &e);
        p = clEnqueueMapImage(q, image, CL_TRUE, CL_MAP_READ, zero, region, &pitch, &slice, 0, NULL, &e, &err);
        ask_event("map-image", err, &e);
        say("pitches %zu %zu", pitch, slice);
        ask_event("unmap-image", clEnqueueUnmapMemObject(q, image, p, 0, NULL, &e), &e);
        clReleaseMemObject(image);
    }
    ask_event("marker", clEnqueueMarker(q, &e), &e);
    ask_event("marker-list", clEnqueueMarkerWithWaitList(q, 0, NULL, &e), &e);
    ask_event("barrier", clEnqueueBarrierWithWaitList(q, 0, NULL, &e), &e);
    ask_event("migrate", clEnqueueMigrateMemObjects(q, 1, &a, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, &e), &e);
    void *svm = clSVMAlloc(c, CL_MEM_READ_WRITE, 4096, 0);
    if (svm) {
        ask_event("svm-fill", clEnqueueSVMMemFill(q, svm, &v, sizeof v, 4096, 0, NULL, &e), &e);
        ask_event("svm-copy", clEnqueueSVMMemcpy(q, CL_TRUE, host, svm, 4096, 0, NULL, &e), &e);
        ask_event("svm-map", clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ, svm, 4096, 0, NULL, &e), &e);
        ask_event("svm-unmap", clEnqueueSVMUnmap(q, svm, 0, NULL, &e), &e);
        cl_mem over = clCreateBuffer(c, CL_MEM_USE_HOST_PTR, 4096, svm, &err);
        name_handle(svm, "svm");
        if (ask_mem("buffer-svm", over, err))
            clReleaseMemObject(over);
        clFinish(q);
        ask_event("svm-free", clEnqueueSVMFree(q, 1, &svm, NULL, NULL, 0, NULL, &e), &e);
    }
    clFinish(q);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
}

void ask_of_memory(cl_context c, cl_device_id device)
{
    char *host = aligned_alloc(4096, BYTES);
    memset(host, 1, BYTES);
    ask_buffers(c, host);
    ask_images(c, host);
    ask_pipe_and_samplers(c);
    ask_queues(c, device);
    for (int profiled = 0; profiled < 2; profiled++) {
        cl_int err;
        cl_command_queue q = clCreateCommandQueue(c, device, profiled ? CL_QUEUE_PROFILING_ENABLE : 0, &err);
        name_handle(q, profiled ? "profiled" : "queue");
        ask_events_of(c, q, host);
        clReleaseCommandQueue(q);
    }
    cl_int err;
    cl_event user = clCreateUserEvent(c, &err);
    name_handle(user, "user");
    ask_all("user", of_event, user, event_ranges);
    ask_all("user", of_profiling, user, profiling_ranges);
    say("user set %d, again %d", clSetUserEventStatus(user, CL_COMPLETE), clSetUserEventStatus(user, CL_COMPLETE));
    ask_all("user", of_event, user, event_ranges);
    clReleaseEvent(user);
    free(host);
}
