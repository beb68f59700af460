/* Events: what they say of their commands, profiling, callbacks of theirs, of user events and of builds. */
#include "tests/stub/shim/seen.h"
#include "tests/unit/main.h"

/* A command of each kind with its event, behind a gate or not. */
static cl_event command(unsigned kind, cl_kernel k, cl_mem a, cl_mem b, cl_uint n, const cl_event *w)
{
    static unsigned char bytes[4 * N];
    static const size_t zero[3] = {0, 0, 0}, region[3] = {16, 2, 1};
    cl_event e = NULL;
    cl_int err;
    void *p;
    cl_int seven = 7;
    switch (kind) {
    case 0:
        shim_launch(s.queue, k, N, 64, n, w, &e);
        break;
    case 1:
        OK(clEnqueueReadBuffer(s.queue, a, CL_FALSE, 0, 64, bytes, n, w, &e));
        break;
    case 2:
        OK(clEnqueueWriteBuffer(s.queue, b, CL_FALSE, 0, 64, bytes, n, w, &e));
        break;
    case 3:
        OK(clEnqueueCopyBuffer(s.queue, a, b, 0, 0, 64, n, w, &e));
        break;
    case 4:
        OK(clEnqueueFillBuffer(s.queue, b, &seven, 4, 0, 64, n, w, &e));
        break;
    case 5:
        OK(clEnqueueReadBufferRect(s.queue, a, CL_FALSE, zero, zero, region, 0, 0, 0, 0, bytes, n, w, &e));
        break;
    case 6:
        OK(clEnqueueWriteBufferRect(s.queue, b, CL_FALSE, zero, zero, region, 0, 0, 0, 0, bytes, n, w, &e));
        break;
    case 7:
        OK(clEnqueueCopyBufferRect(s.queue, a, b, zero, zero, region, 0, 0, 0, 0, n, w, &e));
        break;
    case 8:
        p = clEnqueueMapBuffer(s.queue, b, CL_FALSE, CL_MAP_READ, 0, 64, n, w, &e, &err);
        OK(err);
        OK(clEnqueueUnmapMemObject(s.queue, b, p, 1, &e, NULL));
        break;
    case 9:
        p = clEnqueueMapBuffer(s.queue, b, CL_FALSE, CL_MAP_READ, 0, 64, n, w, NULL, &err);
        OK(err);
        OK(clEnqueueUnmapMemObject(s.queue, b, p, n, w, &e));
        break;
    case 10:
        OK(clEnqueueMigrateMemObjects(s.queue, 1, &b, 0, n, w, &e));
        break;
    case 11:
        OK(clEnqueueMarkerWithWaitList(s.queue, n, w, &e));
        break;
    case 12:
        OK(clEnqueueBarrierWithWaitList(s.queue, n, w, &e));
        break;
    default:
        OK(clEnqueueTask(s.queue, k, n, w, &e));
    }
    return e;
}

static const cl_command_type type_of[] = {CL_COMMAND_NDRANGE_KERNEL,
                                          CL_COMMAND_READ_BUFFER,
                                          CL_COMMAND_WRITE_BUFFER,
                                          CL_COMMAND_COPY_BUFFER,
                                          CL_COMMAND_FILL_BUFFER,
                                          CL_COMMAND_READ_BUFFER_RECT,
                                          CL_COMMAND_WRITE_BUFFER_RECT,
                                          CL_COMMAND_COPY_BUFFER_RECT,
                                          CL_COMMAND_MAP_BUFFER,
                                          CL_COMMAND_UNMAP_MEM_OBJECT,
                                          CL_COMMAND_MIGRATE_MEM_OBJECTS,
                                          CL_COMMAND_MARKER,
                                          CL_COMMAND_BARRIER,
                                          CL_COMMAND_TASK};
enum { KINDS = sizeof type_of / sizeof *type_of };

START_TEST(an_event_speaks_of_its_command)
{
    shim_open(&s, CL_QUEUE_PROFILING_ENABLE);
    cl_mem a, b = shim_buffer(&s, 4 * N);
    cl_kernel k = kernel_on("iota", &a);
    for (unsigned gated = 0; gated < 2; gated++)
        for (unsigned i = 0; i < KINDS; i++) {
            cl_event gate = shim_gate(&s), e = command(i, k, a, b, gated, gated ? &gate : NULL);
            cl_command_type type;
            cl_command_queue q;
            cl_context c;
            cl_uint refs;
            OK(clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
            OK(clGetEventInfo(e, CL_EVENT_COMMAND_QUEUE, sizeof q, &q, NULL));
            OK(clGetEventInfo(e, CL_EVENT_CONTEXT, sizeof c, &c, NULL));
            OK(clGetEventInfo(e, CL_EVENT_REFERENCE_COUNT, sizeof refs, &refs, NULL));
            ck_assert_uint_eq(type, type_of[i]);
            ck_assert(q == s.queue && c == s.context && refs == 1);
            if (gated)
                ck_assert_int_gt(status_of(e), CL_COMPLETE);
            OK(clSetUserEventStatus(gate, CL_COMPLETE));
            OK(clWaitForEvents(1, &e));
            ck_assert_int_eq(status_of(e), CL_COMPLETE);
            cl_ulong t[4];
            for (cl_uint n = 0; n < 4; n++)
                OK(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_QUEUED + n, sizeof t[n], &t[n], NULL));
            ck_assert_msg(t[0] && t[0] <= t[1] && t[1] <= t[2] && t[2] <= t[3], "%u %u: %lu %lu %lu %lu", gated, i,
                          (unsigned long)t[0], (unsigned long)t[1], (unsigned long)t[2], (unsigned long)t[3]);
            RELEASE(clReleaseEvent, e, gate);
        }
    RELEASE(clReleaseMemObject, a, b);
    OK(clReleaseKernel(k));
    shim_close(&s);
}
END_TEST

START_TEST(callbacks_come_once_for_every_status)
{
    shim_open(&s, 0);
    cl_mem a, b = shim_buffer(&s, 4 * N);
    cl_kernel k = kernel_on("iota", &a);
    for (unsigned gated = 0; gated < 2; gated++)
        for (unsigned i = 0; i < KINDS; i++) {
            cl_event gate = shim_gate(&s), e = command(i, k, a, b, gated, gated ? &gate : NULL);
            struct seen seen[4] = {{0}};
            for (int n = 0; n < 3; n++)
                OK(clSetEventCallback(e, n, see, &seen[n]));
            OK(clSetUserEventStatus(gate, CL_COMPLETE));
            OK(clFlush(s.queue));
            await(&seen[0].calls, 1);
            OK(clSetEventCallback(e, CL_SUBMITTED, see, &seen[3])); /* long past */
            for (int n = 0; n < 4; n++) {
                await(&seen[n].calls, 1);
                ck_assert_int_eq(seen[n].status, n < 3 ? n : CL_SUBMITTED);
                ck_assert(seen[n].event == e);
            }
            OK(clFinish(s.queue));
            RELEASE(clReleaseEvent, e, gate);
        }
    RELEASE(clReleaseMemObject, a, b);
    OK(clReleaseKernel(k));
    shim_close(&s);
}
END_TEST

START_TEST(user_events_call_back)
{
    shim_open(&s, 0);
    for (cl_int end = -5; end <= 0; end += 5) {
        cl_event gate = shim_gate(&s);
        struct seen seen[3] = {{0}};
        for (int n = 0; n < 3; n++)
            OK(clSetEventCallback(gate, n, see, &seen[n]));
        await(&seen[2].calls, 1); /* a user event is submitted from the start */
        ck_assert_int_eq(status_of(gate), CL_SUBMITTED);
        ck_assert_int_eq(seen[0].calls, 0);
        OK(clSetUserEventStatus(gate, end));
        await(&seen[0].calls, 1);
        await(&seen[1].calls, 1);
        ck_assert_int_eq(seen[0].status, end);
        ck_assert_int_eq(seen[1].status, end < 0 ? end : CL_RUNNING);
        ck_assert_int_eq(clWaitForEvents(1, &gate), end ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS);
        OK(clReleaseEvent(gate));
    }
    shim_close(&s);
}
END_TEST

static struct {
    int calls;
    cl_event next;
    cl_mem mem;
} in_callback;

/* A callback that uses OpenCL: releases its own event, enqueues, opens a gate, waits for another command. */
static void CL_CALLBACK busy_callback(cl_event e, cl_int status, void *data)
{
    cl_int v = 9, err = status;
    cl_event done = NULL;
    err |= clReleaseEvent(e);
    err |= clEnqueueFillBuffer(data, in_callback.mem, &v, 4, 0, 64, 0, NULL, &done);
    err |= clFlush(data);
    err |= clReleaseEvent(done);
    err |= clSetUserEventStatus(in_callback.next, CL_COMPLETE);
    __atomic_store_n(&in_callback.calls, err == CL_SUCCESS ? 1 : 100, __ATOMIC_RELEASE);
}

START_TEST(callbacks_use_opencl)
{
    shim_open(&s, 0);
    cl_int err, out[16];
    cl_command_queue second = clCreateCommandQueue(s.context, s.device, 0, &err);
    OK(err);
    cl_kernel k = shim_kernel(&s, "iota");
    cl_mem a = shim_buffer(&s, 4 * N);
    cl_event e, last;
    in_callback.next = shim_gate(&s);
    in_callback.mem = shim_buffer(&s, 64);
    shim_set(k, 0, a);
    shim_launch(s.queue, k, N, 64, 0, NULL, &e);
    OK(clSetEventCallback(e, CL_COMPLETE, busy_callback, second)); /* the event is released by it */
    OK(clEnqueueMarkerWithWaitList(s.queue, 1, &in_callback.next, &last));
    OK(clFlush(s.queue));
    OK(clWaitForEvents(1, &last));
    await(&in_callback.calls, 1);
    OK(clEnqueueReadBuffer(second, in_callback.mem, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < 16; i++)
        ck_assert_int_eq(out[i], 9);
    OK(clReleaseEvent(last));
    OK(clReleaseEvent(in_callback.next));
    OK(clReleaseMemObject(in_callback.mem));
    OK(clReleaseMemObject(a));
    OK(clReleaseKernel(k));
    OK(clReleaseCommandQueue(second));
    shim_close(&s);
}
END_TEST

static void CL_CALLBACK on_build(cl_program p, void *data)
{
    struct seen *seen = data;
    (void)p;
    __atomic_add_fetch(&seen->calls, 1, __ATOMIC_RELEASE);
}

START_TEST(builds_call_back)
{
    shim_open(&s, 0);
    const char *text = shim_source, *bad = "#error no\n";
    cl_int err;
    for (int i = 0; i < 4; i++) {
        struct seen seen = {0};
        cl_program p = clCreateProgramWithSource(s.context, 1, i % 2 ? &bad : &text, NULL, &err);
        OK(err);
        if (i < 2)
            OK(clBuildProgram(p, 0, NULL, "", on_build, &seen));
        else
            OK(clCompileProgram(p, 0, NULL, "", 0, NULL, NULL, on_build, &seen));
        await(&seen.calls, 1);
        cl_build_status status;
        OK(clGetProgramBuildInfo(p, s.device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
        ck_assert_int_eq(status, i % 2 ? CL_BUILD_ERROR : CL_BUILD_SUCCESS);
        OK(clReleaseProgram(p));
    }
    shim_close(&s);
}
END_TEST

YK_TEST_MAIN("events", an_event_speaks_of_its_command, callbacks_come_once_for_every_status, user_events_call_back,
             callbacks_use_opencl, builds_call_back)
