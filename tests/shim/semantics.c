/* What a program may rely on, whatever devices are behind: captured arguments, life times, events and their callbacks,
 * queues in and out of order. */
#include <unistd.h>
#include "tests/shim/semantics.h"
#include "tests/unit/main.h"

START_TEST(arguments_changed_between_pending_launches)
{
    struct cl c = open_cl(0);
    cl_int err, out[2][N];
    cl_event gate = clCreateUserEvent(c.context, &err);
    OK(err);
    cl_kernel k = kernel_of(&c, "fill");
    cl_mem a = buffer_of(&c, sizeof out[0]), b = buffer_of(&c, sizeof out[0]);
    set2(k, a, 100);
    launch(&c, k, 1, &gate, NULL);
    set2(k, b, 7);
    launch(&c, k, 0, NULL, NULL);
    cl_event done;
    OK(clEnqueueReadBuffer(c.queue, a, CL_FALSE, 0, sizeof out[0], out[0], 0, NULL, NULL));
    OK(clEnqueueReadBuffer(c.queue, b, CL_FALSE, 0, sizeof out[0], out[1], 0, NULL, &done));
    cl_int status;
    OK(clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    ck_assert_int_gt(status, CL_COMPLETE);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(1, &done));
    for (int i = 0; i < N; i++) {
        ck_assert_int_eq(out[0][i], 100 + i);
        ck_assert_int_eq(out[1][i], 7 + i);
    }
    OK(clReleaseEvent(done));
    OK(clReleaseEvent(gate));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
    OK(clReleaseKernel(k));
    close_cl(&c);
}
END_TEST

START_TEST(objects_released_while_commands_are_pending)
{
    struct cl c = open_cl(0);
    cl_int err, out[N];
    cl_event gate = clCreateUserEvent(c.context, &err), done;
    cl_kernel k = kernel_of(&c, "fill");
    cl_mem a = buffer_of(&c, sizeof out);
    set2(k, a, 5);
    launch(&c, k, 1, &gate, NULL);
    OK(clEnqueueReadBuffer(c.queue, a, CL_FALSE, 0, sizeof out, out, 0, NULL, &done));
    OK(clReleaseMemObject(a));
    OK(clReleaseKernel(k));
    close_cl(&c);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(1, &done));
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(out[i], 5 + i);
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(done));
}
END_TEST

/* Found again by queries, and as good as ever: a context by its queue, a program by its kernel, a buffer by its part,
 * a queue by an event. */
START_TEST(released_objects_live_while_others_need_them)
{
    struct cl c = open_cl(0), found = c;
    cl_int err, out[N], zero = 0;
    cl_uint devices = 0, refs = 0;
    cl_event e;
    cl_mem a = buffer_of(&c, sizeof out), whole;
    cl_buffer_region half = {sizeof out / 2, sizeof out / 2};
    cl_mem part = clCreateSubBuffer(a, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &half, &err);
    OK(err);
    cl_kernel fill = kernel_of(&c, "fill");
    OK(clEnqueueFillBuffer(c.queue, a, &zero, sizeof zero, 0, sizeof out, 0, NULL, &e));
    OK(clFinish(c.queue));
    OK(clReleaseMemObject(a));
    close_cl(&c);
    OK(clGetEventInfo(e, CL_EVENT_COMMAND_QUEUE, sizeof found.queue, &found.queue, NULL));
    OK(clGetCommandQueueInfo(found.queue, CL_QUEUE_CONTEXT, sizeof found.context, &found.context, NULL));
    OK(clGetKernelInfo(fill, CL_KERNEL_PROGRAM, sizeof found.program, &found.program, NULL));
    OK(clGetMemObjectInfo(part, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof whole, &whole, NULL));
    OK(clGetContextInfo(found.context, CL_CONTEXT_NUM_DEVICES, sizeof devices, &devices, NULL));
    OK(clGetContextInfo(found.context, CL_CONTEXT_REFERENCE_COUNT, sizeof refs, &refs, NULL));
    ck_assert_uint_eq(devices, 1);
    ck_assert_uint_ge(refs, 1);
    cl_kernel add = kernel_of(&found, "add");
    cl_mem b = buffer_of(&found, sizeof out);
    cl_event gate = clCreateUserEvent(found.context, &err), last;
    OK(err);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    set2(fill, whole, 5);
    for (int round = 0; round < 3; round++) { /* what a queue's thread does is over in between */
        launch(&found, fill, 1, &gate, NULL);
        OK(clFinish(found.queue));
    }
    OK(clEnqueueFillBuffer(found.queue, b, &zero, sizeof zero, 0, sizeof out, 0, NULL, NULL));
    OK(clSetKernelArg(add, 0, sizeof whole, &whole));
    OK(clSetKernelArg(add, 1, sizeof b, &b));
    launch(&found, add, 0, NULL, NULL);
    OK(clEnqueueReadBuffer(found.queue, b, CL_FALSE, 0, sizeof out, out, 0, NULL, &last));
    OK(clRetainContext(found.context));
    OK(clRetainMemObject(whole));
    OK(clReleaseEvent(e));
    OK(clReleaseMemObject(part));
    OK(clWaitForEvents(1, &last));
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(out[i], 5 + i);
    OK(clReleaseMemObject(whole));
    OK(clReleaseMemObject(b));
    OK(clReleaseKernel(fill));
    OK(clReleaseKernel(add));
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(last));
    OK(clReleaseContext(found.context));
}
END_TEST

static void on_complete(cl_event event, cl_int status, void *data)
{
    cl_uint refs = 0;
    cl_int ok = clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof refs, &refs, NULL);
    __atomic_store_n((int *)data, status == CL_COMPLETE && ok == CL_SUCCESS ? 1 : 2, __ATOMIC_RELEASE);
}

START_TEST(callbacks_may_call_opencl)
{
    struct cl c = open_cl(0);
    int seen[3] = {0};
    cl_kernel k = kernel_of(&c, "fill");
    cl_mem a = buffer_of(&c, N * 4);
    cl_event e;
    set2(k, a, 5);
    launch(&c, k, 0, NULL, &e);
    OK(clSetEventCallback(e, CL_COMPLETE, on_complete, &seen[0]));
    OK(clFlush(c.queue));
    OK(clWaitForEvents(1, &e));
    OK(clSetEventCallback(e, CL_COMPLETE, on_complete, &seen[1])); /* after completion it still comes */
    for (int i = 0; i < 2; i++)
        for (int n = 0; n < 2000 && !__atomic_load_n(&seen[i], __ATOMIC_ACQUIRE); n++)
            usleep(1000);
    ck_assert_int_eq(seen[0], 1);
    ck_assert_int_eq(seen[1], 1);
    OK(clReleaseEvent(e));
    OK(clReleaseMemObject(a));
    OK(clReleaseKernel(k));
    close_cl(&c);
}
END_TEST

START_TEST(failed_user_event_fails_what_waits_for_it)
{
    struct cl c = open_cl(0);
    cl_int err, status, out[N];
    cl_event gate = clCreateUserEvent(c.context, &err), e;
    cl_kernel k = kernel_of(&c, "fill");
    cl_mem a = buffer_of(&c, sizeof out);
    set2(k, a, 5);
    launch(&c, k, 1, &gate, &e);
    OK(clSetUserEventStatus(gate, -42));
    ck_assert_int_eq(clSetUserEventStatus(gate, CL_COMPLETE), CL_INVALID_OPERATION);
    ck_assert_int_eq(clWaitForEvents(1, &e), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    OK(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    ck_assert_int_lt(status, 0);
    OK(clReleaseEvent(e));
    OK(clReleaseEvent(gate));
    OK(clReleaseMemObject(a));
    OK(clReleaseKernel(k));
    close_cl(&c);
}
END_TEST

START_TEST(out_of_order_queue_obeys_events_and_barriers)
{
    struct cl c = open_cl(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_int err, out[N];
    cl_event gate = clCreateUserEvent(c.context, &err), other;
    cl_kernel fill = kernel_of(&c, "fill"), add = kernel_of(&c, "add");
    cl_mem a = buffer_of(&c, N * 4), b = buffer_of(&c, N * 4), d = buffer_of(&c, N * 4);
    set2(fill, a, 1);
    launch(&c, fill, 1, &gate, NULL);
    set2(fill, d, 3);
    launch(&c, fill, 0, NULL, &other); /* not held up by the gate */
    OK(clFlush(c.queue));
    OK(clWaitForEvents(1, &other));
    set2(fill, b, 2);
    launch(&c, fill, 0, NULL, NULL);
    OK(clEnqueueBarrierWithWaitList(c.queue, 0, NULL, NULL));
    OK(clSetKernelArg(add, 0, sizeof a, &a));
    OK(clSetKernelArg(add, 1, sizeof b, &b));
    launch(&c, add, 0, NULL, NULL);
    OK(clEnqueueBarrierWithWaitList(c.queue, 0, NULL, NULL));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clEnqueueReadBuffer(c.queue, b, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(out[i], 3 + 2 * i);
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(other));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
    OK(clReleaseMemObject(d));
    OK(clReleaseKernel(fill));
    OK(clReleaseKernel(add));
    close_cl(&c);
}
END_TEST

START_TEST(profiling_times_rise)
{
    struct cl c = open_cl(CL_QUEUE_PROFILING_ENABLE);
    cl_kernel k = kernel_of(&c, "slow");
    cl_mem a = buffer_of(&c, N * 4);
    cl_float one = 1;
    OK(clEnqueueFillBuffer(c.queue, a, &one, sizeof one, 0, N * 4, 0, NULL, NULL));
    set2(k, a, 1000);
    cl_ulong before = 0;
    for (int n = 0; n < 4; n++) {
        cl_event e;
        cl_ulong t[4];
        launch(&c, k, 0, NULL, &e);
        OK(clWaitForEvents(1, &e));
        for (cl_uint i = 0; i < 4; i++)
            OK(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_QUEUED + i, sizeof t[i], &t[i], NULL));
        ck_assert(before <= t[0] && t[0] <= t[1] && t[1] <= t[2] && t[2] <= t[3]);
        before = t[2];
        OK(clReleaseEvent(e));
    }
    OK(clReleaseMemObject(a));
    OK(clReleaseKernel(k));
    close_cl(&c);
}
END_TEST

START_TEST(wrong_arguments_get_the_specified_codes)
{
    struct cl c = open_cl(0);
    cl_int err;
    cl_kernel k = kernel_of(&c, "fill");
    cl_mem a = buffer_of(&c, 64);
    size_t global = 64;
    ck_assert_int_eq(clEnqueueNDRangeKernel(c.queue, k, 1, NULL, &global, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    ck_assert_int_eq(clEnqueueNDRangeKernel(NULL, k, 1, NULL, &global, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    set2(k, a, 1);
    ck_assert_int_eq(clEnqueueNDRangeKernel(c.queue, k, 4, NULL, &global, NULL, 0, NULL, NULL),
                     CL_INVALID_WORK_DIMENSION);
    ck_assert_int_eq(clSetKernelArg(k, 2, 4, &global), CL_INVALID_ARG_INDEX);
    ck_assert_int_eq(clSetKernelArg(k, 1, 8, &global), CL_INVALID_ARG_SIZE);
    ck_assert_int_eq(clEnqueueReadBuffer(c.queue, a, CL_TRUE, 60, 8, &err, 0, NULL, NULL), CL_INVALID_VALUE);
    ck_assert_int_eq(clEnqueueReadBuffer(c.queue, a, CL_TRUE, 0, 4, &err, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    ck_assert_int_eq(clReleaseMemObject(NULL), CL_INVALID_MEM_OBJECT);
    ck_assert_ptr_null(clCreateKernel(c.program, "no_such_kernel", &err));
    ck_assert_int_eq(err, CL_INVALID_KERNEL_NAME);
    OK(clReleaseMemObject(a));
    OK(clReleaseKernel(k));
    close_cl(&c);
}
END_TEST

YK_TEST_MAIN("semantics", arguments_changed_between_pending_launches, objects_released_while_commands_are_pending,
             released_objects_live_while_others_need_them, callbacks_may_call_opencl,
             failed_user_event_fails_what_waits_for_it, out_of_order_queue_obeys_events_and_barriers,
             profiling_times_rise, wrong_arguments_get_the_specified_codes)
