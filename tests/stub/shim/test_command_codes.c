/* Commands and events with wrong arguments: the code that the specification names, nothing enqueued, nothing leaked. */
#include <stdbool.h>
#include <stdint.h>
#include "tests/stub/shim/codes.h"
#include "tests/unit/main.h"

/* Launches: codes of a driver at the call, also where the launch is captured and carried out later. */
START_TEST(launches)
{
    open_two();
    for (int pending = 0; pending < 2; pending++) {
        cl_event gate = shim_gate(&s), foreign = shim_gate(&other), null = NULL;
        cl_uint nwait = (cl_uint)pending;
        const cl_event *wait = pending ? &gate : NULL;
        cl_kernel k = shim_kernel(&s, "iota");
        cl_mem m = shim_buffer(&s, 4096), abroad = shim_buffer(&other, 4096);
        size_t n = 64, l = 8, zero = 0, wide[2] = {64, 32}, many[3] = {8, 8, 128}, deep[3] = {1, 1, 128},
               top = SIZE_MAX;
        const size_t *none = NULL;
#define LAUNCH(queue, kernel, dims, offset, global, local)                                                             \
    clEnqueueNDRangeKernel(queue, kernel, dims, offset, global, local, nwait, wait, NULL)
        ck_assert_code(CL_INVALID_KERNEL_ARGS, LAUNCH(s.queue, k, 1, NULL, &n, NULL));
        shim_set(k, 0, m);
        ck_assert_code(CL_INVALID_COMMAND_QUEUE, LAUNCH(NULL, k, 1, NULL, &n, NULL));
        ck_assert_code(CL_INVALID_KERNEL, LAUNCH(s.queue, NULL, 1, NULL, &n, NULL));
        ck_assert_code(CL_INVALID_CONTEXT, clEnqueueNDRangeKernel(other.queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
        ck_assert_code(CL_INVALID_WORK_DIMENSION, LAUNCH(s.queue, k, 0, NULL, &n, NULL));
        ck_assert_code(CL_INVALID_WORK_DIMENSION, LAUNCH(s.queue, k, 4, NULL, &n, NULL));
        OK(LAUNCH(s.queue, k, 1, NULL, none, NULL)); /* a range of nothing */
        ck_assert_code(CL_INVALID_WORK_GROUP_SIZE, LAUNCH(s.queue, k, 1, NULL, &n, &zero));
        ck_assert_code(CL_INVALID_WORK_GROUP_SIZE, LAUNCH(s.queue, k, 2, NULL, wide, wide));
        ck_assert_code(CL_INVALID_WORK_ITEM_SIZE, LAUNCH(s.queue, k, 3, NULL, many, deep));
        ck_assert_code(CL_INVALID_GLOBAL_OFFSET, LAUNCH(s.queue, k, 1, &top, &n, NULL));
        ck_assert_code(CL_INVALID_EVENT_WAIT_LIST, clEnqueueNDRangeKernel(s.queue, k, 1, NULL, &n, &l, 1, NULL, NULL));
        ck_assert_code(CL_INVALID_EVENT_WAIT_LIST, clEnqueueNDRangeKernel(s.queue, k, 1, NULL, &n, &l, 0, &gate, NULL));
        ck_assert_code(CL_INVALID_EVENT_WAIT_LIST, clEnqueueNDRangeKernel(s.queue, k, 1, NULL, &n, &l, 1, &null, NULL));
        ck_assert_code(CL_INVALID_CONTEXT, clEnqueueNDRangeKernel(s.queue, k, 1, NULL, &n, &l, 1, &foreign, NULL));
        ck_assert_code(CL_INVALID_COMMAND_QUEUE, clEnqueueTask(NULL, k, 0, NULL, NULL));
        ck_assert_code(CL_INVALID_KERNEL, clEnqueueTask(s.queue, NULL, 0, NULL, NULL));
        /* An argument of another context is wrong at the enqueue. */
        shim_set(k, 0, abroad);
        ck_assert_code(CL_INVALID_CONTEXT, LAUNCH(s.queue, k, 1, NULL, &n, NULL));
        pass_gate(gate);
        OK(clReleaseEvent(foreign));
        RELEASE(clReleaseMemObject, m, abroad);
        OK(clReleaseKernel(k));
    }
    close_two();
}
END_TEST

START_TEST(buffer_commands)
{
    open_two();
    cl_int rc;
    char to[4096];
    cl_mem m = shim_buffer(&s, 1024), m2 = shim_buffer(&s, 1024), abroad = shim_buffer(&other, 1024);
    cl_mem sealed = clCreateBuffer(s.context, CL_MEM_HOST_NO_ACCESS, 1024, NULL, &rc);
    OK(rc);
    for (int pending = 0; pending < 2; pending++) {
        cl_event gate = shim_gate(&s), foreign = shim_gate(&other);
        cl_uint n = (cl_uint)pending;
        const cl_event *w = pending ? &gate : NULL;
        const size_t o[3] = {0, 0, 0}, r[3] = {16, 4, 1}, zero[3] = {0, 1, 1}, high[3] = {1020, 0, 0};
#define BOTH(code, queue, mem, off, size, ptr, nw, wl)                                                                 \
    do {                                                                                                               \
        ck_assert_code(code, clEnqueueReadBuffer(queue, mem, CL_FALSE, off, size, ptr, nw, wl, NULL));                 \
        ck_assert_code(code, clEnqueueWriteBuffer(queue, mem, CL_FALSE, off, size, ptr, nw, wl, NULL));                \
    } while (0)
        BOTH(CL_INVALID_COMMAND_QUEUE, NULL, m, 0, 4, to, n, w);
        BOTH(CL_INVALID_MEM_OBJECT, s.queue, NULL, 0, 4, to, n, w);
        BOTH(CL_INVALID_CONTEXT, s.queue, abroad, 0, 4, to, n, w);
        BOTH(CL_INVALID_VALUE, s.queue, m, 1021, 4, to, n, w);
        BOTH(CL_INVALID_VALUE, s.queue, m, SIZE_MAX, 4, to, n, w);
        BOTH(CL_INVALID_VALUE, s.queue, m, 4, SIZE_MAX, to, n, w);
        BOTH(CL_INVALID_VALUE, s.queue, m, 0, 4, NULL, n, w);
        if (!pending) /* newer versions allow it: the driver's to judge */
            BOTH(CL_INVALID_VALUE, s.queue, m, 0, 0, to, n, w);
        BOTH(CL_INVALID_OPERATION, s.queue, sealed, 0, 4, to, n, w);
        BOTH(CL_INVALID_EVENT_WAIT_LIST, s.queue, m, 0, 4, to, 1, NULL);
        BOTH(CL_INVALID_EVENT_WAIT_LIST, s.queue, m, 0, 4, to, 0, &gate);
        BOTH(CL_INVALID_CONTEXT, s.queue, m, 0, 4, to, 1, &foreign);
#define RECTS(code, queue, mem, mo, ho, reg, mrow, msl, hrow, hsl, ptr)                                                \
    ck_assert_code(code,                                                                                               \
                   clEnqueueReadBufferRect(queue, mem, CL_FALSE, mo, ho, reg, mrow, msl, hrow, hsl, ptr, n, w, NULL)); \
    ck_assert_code(code,                                                                                               \
                   clEnqueueWriteBufferRect(queue, mem, CL_FALSE, mo, ho, reg, mrow, msl, hrow, hsl, ptr, n, w, NULL))
        RECTS(CL_INVALID_COMMAND_QUEUE, NULL, m, o, o, r, 0, 0, 0, 0, to);
        RECTS(CL_INVALID_MEM_OBJECT, s.queue, NULL, o, o, r, 0, 0, 0, 0, to);
        RECTS(CL_INVALID_CONTEXT, s.queue, abroad, o, o, r, 0, 0, 0, 0, to);
        RECTS(CL_INVALID_VALUE, s.queue, m, NULL, o, r, 0, 0, 0, 0, to);
        RECTS(CL_INVALID_VALUE, s.queue, m, o, NULL, r, 0, 0, 0, 0, to);
        RECTS(CL_INVALID_VALUE, s.queue, m, o, o, NULL, 0, 0, 0, 0, to);
        RECTS(CL_INVALID_VALUE, s.queue, m, o, o, zero, 0, 0, 0, 0, to);
        RECTS(CL_INVALID_VALUE, s.queue, m, high, o, r, 0, 0, 0, 0, to);
        RECTS(CL_INVALID_VALUE, s.queue, m, o, o, r, 8, 0, 0, 0, to);
        RECTS(CL_INVALID_VALUE, s.queue, m, o, o, r, 0, 65, 0, 0, to);
        RECTS(CL_INVALID_VALUE, s.queue, m, o, o, r, 0, 0, 8, 0, to);
        RECTS(CL_INVALID_VALUE, s.queue, m, o, o, r, 0, 0, 0, 65, to);
        RECTS(CL_INVALID_VALUE, s.queue, m, o, o, r, 0, 0, 0, 0, NULL);
        RECTS(CL_INVALID_OPERATION, s.queue, sealed, o, o, r, 0, 0, 0, 0, to);
        ck_assert_code(CL_INVALID_COMMAND_QUEUE, clEnqueueCopyBuffer(NULL, m, m2, 0, 0, 4, n, w, NULL));
        ck_assert_code(CL_INVALID_MEM_OBJECT, clEnqueueCopyBuffer(s.queue, NULL, m2, 0, 0, 4, n, w, NULL));
        ck_assert_code(CL_INVALID_MEM_OBJECT, clEnqueueCopyBuffer(s.queue, m, NULL, 0, 0, 4, n, w, NULL));
        ck_assert_code(CL_INVALID_CONTEXT, clEnqueueCopyBuffer(s.queue, m, abroad, 0, 0, 4, n, w, NULL));
        ck_assert_code(CL_INVALID_VALUE, clEnqueueCopyBuffer(s.queue, m, m2, 1021, 0, 4, n, w, NULL));
        ck_assert_code(CL_INVALID_VALUE, clEnqueueCopyBuffer(s.queue, m, m2, 0, 1021, 4, n, w, NULL));
        ck_assert_code(CL_INVALID_VALUE, clEnqueueCopyBuffer(s.queue, m, m2, 0, SIZE_MAX, 4, n, w, NULL));
        ck_assert_code(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(s.queue, m, m, 0, 2, 4, n, w, NULL));
        ck_assert_code(CL_INVALID_COMMAND_QUEUE, clEnqueueCopyBufferRect(NULL, m, m2, o, o, r, 0, 0, 0, 0, n, w, NULL));
        ck_assert_code(CL_INVALID_MEM_OBJECT,
                       clEnqueueCopyBufferRect(s.queue, NULL, m2, o, o, r, 0, 0, 0, 0, n, w, NULL));
        ck_assert_code(CL_INVALID_MEM_OBJECT,
                       clEnqueueCopyBufferRect(s.queue, m, NULL, o, o, r, 0, 0, 0, 0, n, w, NULL));
        ck_assert_code(CL_INVALID_CONTEXT,
                       clEnqueueCopyBufferRect(s.queue, m, abroad, o, o, r, 0, 0, 0, 0, n, w, NULL));
        ck_assert_code(CL_INVALID_VALUE, clEnqueueCopyBufferRect(s.queue, m, m2, NULL, o, r, 0, 0, 0, 0, n, w, NULL));
        ck_assert_code(CL_INVALID_VALUE, clEnqueueCopyBufferRect(s.queue, m, m2, o, o, zero, 0, 0, 0, 0, n, w, NULL));
        ck_assert_code(CL_INVALID_VALUE, clEnqueueCopyBufferRect(s.queue, m, m2, o, high, r, 0, 0, 0, 0, n, w, NULL));
        ck_assert_code(CL_INVALID_VALUE, clEnqueueCopyBufferRect(s.queue, m, m2, o, o, r, 8, 0, 0, 0, n, w, NULL));
        ck_assert_code(CL_INVALID_VALUE, clEnqueueCopyBufferRect(s.queue, m, m, o, o, r, 32, 0, 16, 0, n, w, NULL));
        ck_assert_code(CL_MEM_COPY_OVERLAP,
                       clEnqueueCopyBufferRect(s.queue, m, m, o, (size_t[3]){8, 1, 0}, r, 32, 0, 32, 0, n, w, NULL));
        ck_assert_code(CL_INVALID_COMMAND_QUEUE, clEnqueueFillBuffer(NULL, m, to, 4, 0, 16, n, w, NULL));
        ck_assert_code(CL_INVALID_MEM_OBJECT, clEnqueueFillBuffer(s.queue, NULL, to, 4, 0, 16, n, w, NULL));
        ck_assert_code(CL_INVALID_CONTEXT, clEnqueueFillBuffer(s.queue, abroad, to, 4, 0, 16, n, w, NULL));
        ck_assert_code(CL_INVALID_VALUE, clEnqueueFillBuffer(s.queue, m, NULL, 4, 0, 16, n, w, NULL));
        ck_assert_code(CL_INVALID_VALUE, clEnqueueFillBuffer(s.queue, m, to, 0, 0, 16, n, w, NULL));
        ck_assert_code(CL_INVALID_VALUE, clEnqueueFillBuffer(s.queue, m, to, 3, 0, 12, n, w, NULL));
        ck_assert_code(CL_INVALID_VALUE, clEnqueueFillBuffer(s.queue, m, to, 256, 0, 256, n, w, NULL));
        ck_assert_code(CL_INVALID_VALUE, clEnqueueFillBuffer(s.queue, m, to, 4, 2, 16, n, w, NULL));
        ck_assert_code(CL_INVALID_VALUE, clEnqueueFillBuffer(s.queue, m, to, 4, 0, 18, n, w, NULL));
        ck_assert_code(CL_INVALID_VALUE, clEnqueueFillBuffer(s.queue, m, to, 4, 1020, 8, n, w, NULL));
        ck_assert_code(CL_INVALID_COMMAND_QUEUE, clEnqueueMigrateMemObjects(NULL, 1, &m, 0, n, w, NULL));
        ck_assert_code(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(s.queue, 0, &m, 0, n, w, NULL));
        ck_assert_code(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(s.queue, 1, NULL, 0, n, w, NULL));
        ck_assert_code(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(s.queue, 1, &m, 0x7000, n, w, NULL));
        ck_assert_code(CL_INVALID_CONTEXT, clEnqueueMigrateMemObjects(s.queue, 1, &abroad, 0, n, w, NULL));
        cl_mem none = NULL;
        ck_assert_code(CL_INVALID_MEM_OBJECT, clEnqueueMigrateMemObjects(s.queue, 1, &none, 0, n, w, NULL));
        pass_gate(gate);
        OK(clReleaseEvent(foreign));
    }
    RELEASE(clReleaseMemObject, m, m2, abroad, sealed);
    close_two();
}
END_TEST

START_TEST(maps)
{
    open_two();
    cl_int rc;
    cl_mem m = shim_buffer(&s, 1024), abroad = shim_buffer(&other, 1024);
    cl_mem no_read = clCreateBuffer(s.context, CL_MEM_HOST_WRITE_ONLY, 1024, NULL, &rc);
    cl_mem no_write = clCreateBuffer(s.context, CL_MEM_HOST_READ_ONLY, 1024, NULL, &rc);
    for (int pending = 0; pending < 2; pending++) {
        cl_event gate = shim_gate(&s);
        cl_uint n = (cl_uint)pending;
        const cl_event *w = pending ? &gate : NULL;
        ck_assert_none(CL_INVALID_COMMAND_QUEUE,
                       clEnqueueMapBuffer(NULL, m, CL_FALSE, CL_MAP_READ, 0, 4, n, w, NULL, err));
        ck_assert_none(CL_INVALID_MEM_OBJECT,
                       clEnqueueMapBuffer(s.queue, NULL, CL_FALSE, CL_MAP_READ, 0, 4, n, w, NULL, err));
        ck_assert_none(CL_INVALID_CONTEXT,
                       clEnqueueMapBuffer(s.queue, abroad, CL_FALSE, CL_MAP_READ, 0, 4, n, w, NULL, err));
        ck_assert_none(CL_INVALID_VALUE,
                       clEnqueueMapBuffer(s.queue, m, CL_FALSE, CL_MAP_READ, 1021, 4, n, w, NULL, err));
        ck_assert_none(CL_INVALID_VALUE, clEnqueueMapBuffer(s.queue, m, CL_FALSE, CL_MAP_READ, 0, 0, n, w, NULL, err));
        ck_assert_none(CL_INVALID_VALUE, clEnqueueMapBuffer(s.queue, m, CL_FALSE, 0x700, 0, 4, n, w, NULL, err));
        ck_assert_none(CL_INVALID_VALUE,
                       clEnqueueMapBuffer(s.queue, m, CL_FALSE, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 4, n,
                                          w, NULL, err));
        ck_assert_none(CL_INVALID_OPERATION,
                       clEnqueueMapBuffer(s.queue, no_read, CL_FALSE, CL_MAP_READ, 0, 4, n, w, NULL, err));
        ck_assert_none(CL_INVALID_OPERATION,
                       clEnqueueMapBuffer(s.queue, no_write, CL_FALSE, CL_MAP_WRITE, 0, 4, n, w, NULL, err));
        ck_assert_none(CL_INVALID_EVENT_WAIT_LIST,
                       clEnqueueMapBuffer(s.queue, m, CL_FALSE, CL_MAP_READ, 0, 4, 1, NULL, NULL, err));
        ck_assert_code(CL_INVALID_COMMAND_QUEUE, clEnqueueUnmapMemObject(NULL, m, &rc, n, w, NULL));
        ck_assert_code(CL_INVALID_MEM_OBJECT, clEnqueueUnmapMemObject(s.queue, NULL, &rc, n, w, NULL));
        ck_assert_code(CL_INVALID_CONTEXT, clEnqueueUnmapMemObject(s.queue, abroad, &rc, n, w, NULL));
        ck_assert_code(CL_INVALID_VALUE, clEnqueueUnmapMemObject(s.queue, m, &rc, n, w, NULL));
        ck_assert_code(CL_INVALID_VALUE, clEnqueueUnmapMemObject(s.queue, m, NULL, n, w, NULL));
        cl_uint count = 7;
        OK(clGetMemObjectInfo(m, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
        ck_assert_uint_eq(count, 0);
        pass_gate(gate);
    }
    RELEASE(clReleaseMemObject, m, abroad, no_read, no_write);
    close_two();
}
END_TEST

static void CL_CALLBACK on_event(cl_event e, cl_int status, void *data)
{
    (void)e, (void)status, (void)data;
}

START_TEST(events)
{
    open_two();
    size_t size;
    cl_ulong t;
    cl_event gate = shim_gate(&s), foreign = shim_gate(&other), null = NULL, e, two[2] = {gate, foreign};
    ck_assert_none(CL_INVALID_CONTEXT, clCreateUserEvent(NULL, err));
    ck_assert_code(CL_INVALID_EVENT, clRetainEvent(NULL));
    ck_assert_code(CL_INVALID_EVENT, clReleaseEvent((cl_event)(void *)s.queue));
    ck_assert_code(CL_INVALID_EVENT, clGetEventInfo(NULL, CL_EVENT_CONTEXT, 0, NULL, &size));
    ck_assert_code(CL_INVALID_VALUE, clGetEventInfo(gate, 0xffff, 0, NULL, &size));
    ck_assert_code(CL_INVALID_VALUE, clGetEventInfo(gate, CL_EVENT_CONTEXT, 1, &size, NULL));
    ck_assert_code(CL_INVALID_EVENT, clGetEventProfilingInfo(NULL, CL_PROFILING_COMMAND_END, sizeof t, &t, NULL));
    ck_assert_code(CL_PROFILING_INFO_NOT_AVAILABLE,
                   clGetEventProfilingInfo(gate, CL_PROFILING_COMMAND_END, sizeof t, &t, NULL));
    ck_assert_code(CL_INVALID_VALUE, clWaitForEvents(0, &gate));
    ck_assert_code(CL_INVALID_VALUE, clWaitForEvents(1, NULL));
    ck_assert_code(CL_INVALID_EVENT, clWaitForEvents(1, &null));
    ck_assert_code(CL_INVALID_CONTEXT, clWaitForEvents(2, two));
    ck_assert_code(CL_INVALID_EVENT, clSetUserEventStatus(NULL, CL_COMPLETE));
    ck_assert_code(CL_INVALID_VALUE, clSetUserEventStatus(gate, CL_QUEUED));
    ck_assert_code(CL_INVALID_VALUE, clSetUserEventStatus(gate, CL_RUNNING));
    ck_assert_code(CL_INVALID_EVENT, clSetEventCallback(NULL, CL_COMPLETE, on_event, NULL));
    ck_assert_code(CL_INVALID_VALUE, clSetEventCallback(gate, CL_COMPLETE, NULL, NULL));
    ck_assert_code(CL_INVALID_VALUE, clSetEventCallback(gate, CL_QUEUED, on_event, NULL));
    ck_assert_code(CL_INVALID_VALUE, clSetEventCallback(gate, -1, on_event, NULL));
    ck_assert_code(CL_INVALID_COMMAND_QUEUE, clEnqueueMarker(NULL, &e));
    ck_assert_code(CL_INVALID_VALUE, clEnqueueMarker(s.queue, NULL));
    ck_assert_code(CL_INVALID_COMMAND_QUEUE, clEnqueueBarrier(NULL));
    ck_assert_code(CL_INVALID_COMMAND_QUEUE, clEnqueueWaitForEvents(NULL, 1, &gate));
    ck_assert_code(CL_INVALID_VALUE, clEnqueueWaitForEvents(s.queue, 0, &gate));
    ck_assert_code(CL_INVALID_VALUE, clEnqueueWaitForEvents(s.queue, 1, NULL));
    ck_assert_code(CL_INVALID_EVENT, clEnqueueWaitForEvents(s.queue, 1, &null));
    ck_assert_code(CL_INVALID_CONTEXT, clEnqueueWaitForEvents(s.queue, 1, &foreign));
    ck_assert_code(CL_INVALID_COMMAND_QUEUE, clEnqueueMarkerWithWaitList(NULL, 0, NULL, &e));
    ck_assert_code(CL_INVALID_EVENT_WAIT_LIST, clEnqueueMarkerWithWaitList(s.queue, 1, NULL, &e));
    ck_assert_code(CL_INVALID_EVENT_WAIT_LIST, clEnqueueMarkerWithWaitList(s.queue, 1, &null, &e));
    ck_assert_code(CL_INVALID_COMMAND_QUEUE, clEnqueueBarrierWithWaitList(NULL, 0, NULL, &e));
    ck_assert_code(CL_INVALID_EVENT_WAIT_LIST, clEnqueueBarrierWithWaitList(s.queue, 0, &gate, &e));
    OK(clEnqueueMarkerWithWaitList(s.queue, 0, NULL, &e));
    ck_assert_code(CL_INVALID_EVENT, clSetUserEventStatus(e, CL_COMPLETE));
    OK(clFinish(s.queue));
    ck_assert_code(CL_PROFILING_INFO_NOT_AVAILABLE,
                   clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof t, &t, NULL));
    OK(clReleaseEvent(e));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    ck_assert_code(CL_INVALID_OPERATION, clSetUserEventStatus(gate, CL_COMPLETE));
    ck_assert_code(CL_INVALID_OPERATION, clSetUserEventStatus(gate, -1));
    RELEASE(clReleaseEvent, gate, foreign);
    close_two();
}
END_TEST

/* What the devices here lack: images, pipes, shared memory, native kernels; wrong handles in their commands. */
START_TEST(what_devices_lack)
{
    open_two();
    cl_mem m = shim_buffer(&s, 256);
    const size_t o[3] = {0, 0, 0}, r[3] = {1, 1, 1};
    char to[256];
    size_t pitch;
    cl_event gate = shim_gate(&s);
    void *p = to;
    const void *const_p = to;
    ck_assert_code(CL_INVALID_COMMAND_QUEUE, clEnqueueReadImage(NULL, m, CL_TRUE, o, r, 0, 0, to, 0, NULL, NULL));
    ck_assert_code(CL_INVALID_MEM_OBJECT, clEnqueueReadImage(s.queue, m, CL_TRUE, o, r, 0, 0, to, 0, NULL, NULL));
    ck_assert_code(CL_INVALID_MEM_OBJECT, clEnqueueReadImage(s.queue, NULL, CL_TRUE, o, r, 0, 0, to, 0, NULL, NULL));
    ck_assert_code(CL_INVALID_MEM_OBJECT, clEnqueueWriteImage(s.queue, m, CL_TRUE, o, r, 0, 0, to, 0, NULL, NULL));
    ck_assert_code(CL_INVALID_MEM_OBJECT, clEnqueueFillImage(s.queue, m, to, o, r, 0, NULL, NULL));
    ck_assert_code(CL_INVALID_MEM_OBJECT, clEnqueueCopyImage(s.queue, m, m, o, o, r, 0, NULL, NULL));
    ck_assert_code(CL_INVALID_MEM_OBJECT, clEnqueueCopyImageToBuffer(s.queue, m, m, o, r, 0, 0, NULL, NULL));
    ck_assert_code(CL_INVALID_MEM_OBJECT, clEnqueueCopyBufferToImage(s.queue, m, m, 0, o, r, 0, NULL, NULL));
    ck_assert_none(CL_INVALID_MEM_OBJECT,
                   clEnqueueMapImage(s.queue, m, CL_TRUE, CL_MAP_READ, o, r, &pitch, NULL, 0, NULL, NULL, err));
    ck_assert_code(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMMemcpy(NULL, CL_TRUE, to, to, 4, 0, NULL, NULL));
    ck_assert_code(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMMemFill(NULL, to, to, 4, 4, 0, NULL, NULL));
    ck_assert_code(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMMap(NULL, CL_TRUE, CL_MAP_READ, to, 4, 0, NULL, NULL));
    ck_assert_code(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMUnmap(NULL, to, 0, NULL, NULL));
    ck_assert_code(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMFree(NULL, 1, &p, NULL, NULL, 0, NULL, NULL));
    ck_assert_code(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMMigrateMem(NULL, 1, &const_p, NULL, 0, 0, NULL, NULL));
    ck_assert_code(CL_INVALID_OPERATION, clEnqueueSVMMemcpy(s.queue, CL_TRUE, to, to, 4, 0, NULL, NULL));
    ck_assert_code(CL_INVALID_OPERATION,
                   clEnqueueSVMMemcpy(s.queue, CL_FALSE, to, to, 4, 1, &gate, NULL)); /* known at once */
    ck_assert_code(CL_INVALID_COMMAND_QUEUE,
                   clEnqueueNativeKernel(NULL, (void (*)(void *))free, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
    ck_assert_code(CL_INVALID_VALUE, clEnqueueNativeKernel(s.queue, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
    ck_assert_code(CL_INVALID_OPERATION,
                   clEnqueueNativeKernel(s.queue, (void (*)(void *))free, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clReleaseEvent(gate));
    OK(clReleaseMemObject(m));
    close_two();
}
END_TEST

YK_TEST_MAIN("command codes", launches, buffer_commands, maps, events, what_devices_lack)
