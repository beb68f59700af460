/* Events as programs lean on them: dependencies across queues of both kinds, failure that travels, callbacks of user
 * events and of failed commands, waiting in several threads, and what an event tells of its command. */
#include <unistd.h>
#include "tests/shim/conform.h"

static cl_int status_of(cl_event e)
{
    cl_int s = 99;
    OK(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof s, &s, NULL));
    return s;
}

static cl_event user_event(struct cl *c)
{
    cl_int err;
    cl_event e = clCreateUserEvent(c->context, &err);
    OK(err);
    return e;
}

static cl_command_queue queue_of(struct cl *c, cl_command_queue_properties properties)
{
    cl_int err;
    cl_command_queue q = clCreateCommandQueue(c->context, c->device, properties, &err);
    OK(err);
    return q;
}

struct heard {
    int status, times;
};

static void CL_CALLBACK hear(cl_event e, cl_int status, void *data)
{
    struct heard *h = data;
    (void)e;
    __atomic_store_n(&h->status, status, __ATOMIC_RELAXED);
    __atomic_add_fetch(&h->times, 1, __ATOMIC_RELEASE);
}

static void await(struct heard *h, int times)
{
    for (int i = 0; i < 20000 && __atomic_load_n(&h->times, __ATOMIC_ACQUIRE) < times; i++)
        usleep(1000);
    ck_assert_int_eq(h->times, times);
}

START_TEST(two_queues_go_by_turns)
{
    for (int properties = 0; properties < 2; properties++) {
        struct cl c = open_cl(0);
        cl_command_queue q[2];
        for (int i = 0; i < 2; i++)
            q[i] = queue_of(&c, properties ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
        cl_mem a = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL), b = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
        cl_kernel add = kernel_of(c.program, "add");
        const size_t n = N, local = LOCAL;
        cl_event last = user_event(&c), first = last;
        set_to(&c, a, 1);
        cl_int zero = 0;
        OK(clEnqueueFillBuffer(c.queue, b, &zero, sizeof zero, 0, BYTES, 0, NULL, NULL));
        OK(clFinish(c.queue));
        OK(clRetainEvent(first));
        /* b += a, a += b, ...: each waits for the one before it, in the other queue. */
        for (int i = 0; i < 20; i++) {
            cl_event next;
            OK(clSetKernelArg(add, 0, sizeof(cl_mem), i % 2 ? &b : &a));
            OK(clSetKernelArg(add, 1, sizeof(cl_mem), i % 2 ? &a : &b));
            OK(clEnqueueNDRangeKernel(q[i % 2], add, 1, NULL, &n, &local, 1, &last, &next));
            OK(clReleaseEvent(last));
            last = next;
        }
        OK(clFlush(q[0]));
        OK(clFlush(q[1]));
        ck_assert_int_gt(status_of(last), CL_COMPLETE);
        OK(clSetUserEventStatus(first, CL_COMPLETE));
        OK(clWaitForEvents(1, &last));
        cl_int *x = malloc(BYTES), *y = malloc(BYTES);
        OK(clEnqueueReadBuffer(q[0], a, CL_TRUE, 0, BYTES, x, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(q[0], b, CL_TRUE, 0, BYTES, y, 0, NULL, NULL));
        for (cl_uint i = 0; i < N; i++) {
            cl_uint s = 1 + i, t = 0;
            for (int k = 0; k < 20; k++)
                if (k % 2)
                    s += t;
                else
                    t += s;
            ck_assert_uint_eq((cl_uint)x[i], s);
            ck_assert_uint_eq((cl_uint)y[i], t);
        }
        free(x);
        free(y);
        OK(clReleaseEvent(last));
        OK(clReleaseEvent(first));
        OK(clReleaseKernel(add));
        OK(clReleaseMemObject(a));
        OK(clReleaseMemObject(b));
        OK(clReleaseCommandQueue(q[0]));
        OK(clReleaseCommandQueue(q[1]));
        close_cl(&c);
    }
}
END_TEST

START_TEST(failure_travels_and_is_heard)
{
    struct cl c = open_cl(0);
    cl_command_queue q = queue_of(&c, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_mem a = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
    cl_kernel k = kernel_of(c.program, "set");
    cl_int v = 5, *host = malloc(BYTES);
    const size_t n = N, local = LOCAL;
    set_to(&c, a, 3);
    OK(clFinish(c.queue));
    OK(clSetKernelArg(k, 0, sizeof a, &a));
    OK(clSetKernelArg(k, 1, sizeof v, &v));
    cl_event gate = user_event(&c), e[4];
    OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, &local, 1, &gate, &e[0]));
    OK(clEnqueueReadBuffer(q, a, CL_FALSE, 0, BYTES, host, 1, &e[0], &e[1]));
    OK(clEnqueueMarkerWithWaitList(q, 1, &e[1], &e[2]));
    OK(clEnqueueMarkerWithWaitList(q, 1, &gate, &e[3]));
    struct heard heard[5] = {{1, 0}};
    for (int i = 0; i < 4; i++)
        OK(clSetEventCallback(e[i], CL_COMPLETE, hear, &heard[i]));
    OK(clSetEventCallback(gate, CL_COMPLETE, hear, &heard[4]));
    OK(clSetUserEventStatus(gate, -77));
    for (int i = 0; i < 4; i++) {
        IS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &e[i]));
        ck_assert_int_lt(status_of(e[i]), 0);
    }
    ck_assert_int_eq(status_of(gate), -77);
    IS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &gate));
    for (int i = 0; i < 5 && !lenient(); i++) {
        await(&heard[i], 1);
        ck_assert_int_lt(heard[i].status, 0);
    }
    ck_assert(heard[4].status == -77 || lenient());
    /* A failed event is taken in a list, and fails what waits for it. */
    cl_event later;
    if (!lenient() && clEnqueueMarkerWithWaitList(q, 1, &gate, &later) == CL_SUCCESS) {
        IS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &later));
        OK(clReleaseEvent(later));
    }
    /* Nothing was written, and the context is as good as before. */
    ck_assert_int_eq(counted_from(&c, a, 3), N);
    struct heard late = {1, 0};
    OK(clSetEventCallback(e[0], CL_COMPLETE, hear, &late));
    if (!lenient())
        await(&late, 1);
    ck_assert(late.status < 0 || lenient());
    for (int i = 0; i < 4; i++)
        OK(clReleaseEvent(e[i]));
    OK(clReleaseEvent(gate));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseKernel(k));
    OK(clReleaseMemObject(a));
    free(host);
    close_cl(&c);
}
END_TEST

START_TEST(user_events_tell_what_they_are)
{
    struct cl c = open_cl(0);
    cl_event e = user_event(&c);
    cl_command_type type;
    cl_command_queue of = c.queue;
    cl_uint refs;
    cl_context context;
    struct heard heard[3] = {{0, 0}};
    OK(clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    ck_assert_uint_eq(type, CL_COMMAND_USER);
    OK(clGetEventInfo(e, CL_EVENT_COMMAND_QUEUE, sizeof of, &of, NULL));
    ck_assert_ptr_null(of);
    OK(clGetEventInfo(e, CL_EVENT_CONTEXT, sizeof context, &context, NULL));
    ck_assert_ptr_eq(context, c.context);
    OK(clGetEventInfo(e, CL_EVENT_REFERENCE_COUNT, sizeof refs, &refs, NULL));
    ck_assert_uint_eq(refs, 1);
    ck_assert_int_eq(status_of(e), CL_SUBMITTED);
    OK(clSetEventCallback(e, CL_SUBMITTED, hear, &heard[0])); /* it is that already */
    OK(clSetEventCallback(e, CL_RUNNING, hear, &heard[1]));
    OK(clSetEventCallback(e, CL_COMPLETE, hear, &heard[2]));
    if (!lenient())
        await(&heard[0], 1);
    OK(clSetUserEventStatus(e, CL_COMPLETE));
    if (!lenient())
        await(&heard[1], 1);
    await(&heard[2], 1);
    ck_assert_int_eq(heard[2].status, CL_COMPLETE);
    IS(CL_INVALID_OPERATION, clSetUserEventStatus(e, CL_COMPLETE));
    OK(clReleaseEvent(e));
    close_cl(&c);
}
END_TEST

static void *wait_for(void *e)
{
    return (void *)(intptr_t)clWaitForEvents(1, (cl_event *)e);
}

static void *set_soon(void *e)
{
    usleep(20000);
    return (void *)(intptr_t)clSetUserEventStatus(*(cl_event *)e, CL_COMPLETE);
}

START_TEST(threads_wait_for_one_event)
{
    struct cl c = open_cl(0);
    enum { THREADS = 6 };
    cl_mem a = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
    cl_event gate = user_event(&c), done;
    pthread_t t[THREADS];
    OK(clEnqueueMarkerWithWaitList(c.queue, 1, &gate, NULL));
    set_to(&c, a, 8);
    OK(clEnqueueMarkerWithWaitList(c.queue, 0, NULL, &done));
    for (int i = 0; i < THREADS; i++)
        ck_assert(!pthread_create(&t[i], NULL, i ? wait_for : set_soon, i % 2 ? &done : &gate));
    for (int i = 0; i < THREADS; i++) {
        void *err;
        pthread_join(t[i], &err);
        ck_assert_ptr_null(err);
    }
    ck_assert_int_eq(counted_from(&c, a, 8), N);
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(done));
    OK(clReleaseMemObject(a));
    close_cl(&c);
}
END_TEST

/* A barrier holds back what comes after it in an out-of-order queue, a marker with a list does not. */
START_TEST(barriers_hold_and_markers_do_not)
{
    struct cl c = open_cl(0);
    cl_command_queue q = queue_of(&c, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_event gate = user_event(&c), marker, barrier, after[2];
    cl_mem a = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
    cl_int v = 3;
    OK(clEnqueueMarkerWithWaitList(q, 1, &gate, &marker));
    OK(clEnqueueFillBuffer(q, a, &v, sizeof v, 0, BYTES, 0, NULL, &after[0]));
    OK(clFlush(q));
    OK(clWaitForEvents(1, &after[0]));
    ck_assert_int_gt(status_of(marker), CL_COMPLETE);
    OK(clEnqueueBarrierWithWaitList(q, 1, &gate, &barrier));
    OK(clEnqueueFillBuffer(q, a, &v, sizeof v, 0, BYTES, 0, NULL, &after[1]));
    OK(clFlush(q));
    usleep(20000);
    ck_assert_int_gt(status_of(barrier), CL_COMPLETE);
    ck_assert_int_gt(status_of(after[1]), CL_COMPLETE);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(1, &after[1]));
    ck_assert_int_eq(status_of(barrier), CL_COMPLETE);
    OK(clWaitForEvents(1, &marker));
    ck_assert_int_eq(status_of(marker), CL_COMPLETE);
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(marker));
    OK(clReleaseEvent(barrier));
    OK(clReleaseEvent(after[0]));
    OK(clReleaseEvent(after[1]));
    OK(clReleaseMemObject(a));
    OK(clReleaseCommandQueue(q));
    close_cl(&c);
}
END_TEST

/* Device and host timers rise together, and a command's times lie between readings of them. */
START_TEST(timers_and_times_are_of_one_clock)
{
    struct cl c = open_cl(CL_QUEUE_PROFILING_ENABLE);
    cl_ulong device[2], host[2], only, t[4];
    cl_int err = clGetDeviceAndHostTimer(c.device, &device[0], &host[0]);
    if (err == CL_SUCCESS) {
        cl_mem a = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
        cl_event e;
        cl_int v = 3;
        cl_kernel k = kernel_of(c.program, "set");
        OK(clSetKernelArg(k, 0, sizeof a, &a));
        OK(clSetKernelArg(k, 1, sizeof v, &v));
        run(&c, k, &e);
        OK(clWaitForEvents(1, &e));
        OK(clGetHostTimer(c.device, &only));
        OK(clGetDeviceAndHostTimer(c.device, &device[1], &host[1]));
        ck_assert_uint_lt(device[0], device[1]);
        ck_assert_uint_le(host[0], only);
        ck_assert_uint_le(only, host[1]);
        for (cl_uint i = 0; i < 4; i++)
            OK(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_QUEUED + i, sizeof t[i], &t[i], NULL));
        for (int i = 0; i < 3; i++)
            ck_assert_uint_le(t[i], t[i + 1]);
        ck_assert_uint_le(device[0], t[0]);
        ck_assert_uint_le(t[3], device[1]);
        OK(clReleaseEvent(e));
        OK(clReleaseKernel(k));
        OK(clReleaseMemObject(a));
    }
    close_cl(&c);
}
END_TEST

YK_TEST_MAIN("conform_events", two_queues_go_by_turns, failure_travels_and_is_heard, user_events_tell_what_they_are,
             threads_wait_for_one_event, barriers_hold_and_markers_do_not, timers_and_times_are_of_one_clock)
