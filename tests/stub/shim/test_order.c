/* What comes after what: failures along wait lists, polling, long lists over queues, markers and barriers, destructors.
 */
#include <pthread.h>
#include <stdint.h>
#include "tests/stub/shim/seen.h"
#include "tests/unit/main.h"

START_TEST(a_failure_travels_along_wait_lists_only)
{
    for (int order = 0; order < 2; order++) {
        shim_open(&s, order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
        cl_int out[N];
        cl_event gate = shim_gate(&s), e[4], both[2];
        cl_mem a;
        cl_kernel k = kernel_on("fill", &a);
        shim_set_int(k, 1, 1);
        shim_launch(s.queue, k, N, 64, 1, &gate, &e[0]);
        both[0] = e[0], both[1] = gate;
        OK(clEnqueueMarkerWithWaitList(s.queue, 2, both, &e[1]));
        shim_set_int(k, 1, 2);
        shim_launch(s.queue, k, N, 64, 0, NULL, &e[2]); /* waits for nothing that failed */
        shim_launch(s.queue, k, N, 64, 1, &e[1], &e[3]);
        struct seen seen[4] = {{0}};
        for (int i = 0; i < 4; i++)
            OK(clSetEventCallback(e[i], CL_COMPLETE, see, &seen[i]));
        OK(clSetUserEventStatus(gate, -3));
        for (int i = 0; i < 4; i++) {
            ck_assert_int_eq(clWaitForEvents(1, &e[i]),
                             i == 2 ? CL_SUCCESS : CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
            await(&seen[i].calls, 1);
            if (i != 2)
                ck_assert(seen[i].status < 0 && status_of(e[i]) < 0);
            else
                ck_assert(seen[i].status == 0 && status_of(e[i]) == 0);
        }
        ck_assert_int_eq(clWaitForEvents(4, e), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        OK(clFinish(s.queue));
        OK(clEnqueueReadBuffer(s.queue, a, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
        for (int i = 0; i < N; i++)
            ck_assert_int_eq(out[i], 2 + i);
        /* A blocking command that waits for a failed one says so. */
        ck_assert_int_eq(clEnqueueReadBuffer(s.queue, a, CL_TRUE, 0, sizeof out, out, 1, &gate, NULL),
                         CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        for (int i = 0; i < 4; i++)
            OK(clReleaseEvent(e[i]));
        OK(clReleaseEvent(gate));
        OK(clReleaseMemObject(a));
        OK(clReleaseKernel(k));
        shim_close(&s);
    }
}
END_TEST

START_TEST(polling_without_a_flush_gets_there)
{
    shim_open(&s, 0);
    cl_mem a;
    cl_kernel k = kernel_on("iota", &a);
    cl_event e[2];
    shim_launch(s.queue, k, N, 64, 0, NULL, &e[0]);
    shim_launch(s.queue, k, N, 64, 1, &e[0], &e[1]);
    int n = 0;
    while (status_of(e[1]) > CL_COMPLETE && n++ < 5000)
        usleep(1000);
    ck_assert_int_eq(status_of(e[1]), CL_COMPLETE);
    ck_assert_int_eq(status_of(e[0]), CL_COMPLETE);
    OK(clReleaseEvent(e[0]));
    OK(clReleaseEvent(e[1]));
    OK(clReleaseMemObject(a));
    OK(clReleaseKernel(k));
    shim_close(&s);
}
END_TEST

START_TEST(long_wait_lists_over_queues)
{
    shim_open(&s, 0);
    enum { MANY = 70, QUEUES = 4 };
    cl_int err, out[N];
    cl_command_queue q[QUEUES];
    cl_event e[2 * MANY], gate = shim_gate(&s), last;
    cl_mem m[MANY], sum = shim_buffer(&s, 4 * N);
    cl_kernel k = shim_kernel(&s, "fill"), add = shim_kernel(&s, "add");
    for (int i = 0; i < QUEUES; i++) {
        q[i] = clCreateCommandQueue(s.context, s.device, i % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &err);
        OK(err);
    }
    for (int i = 0; i < MANY; i++) {
        m[i] = shim_buffer(&s, 4 * N);
        shim_set(k, 0, m[i]);
        shim_set_int(k, 1, i);
        shim_launch(q[i % QUEUES], k, N, 64, i % 3 == 0, i % 3 ? NULL : &gate, &e[i]);
        e[MANY + i] = e[i]; /* twice in the list is allowed */
        OK(clFlush(q[i % QUEUES]));
    }
    shim_set(k, 0, sum);
    shim_set_int(k, 1, 0);
    shim_launch(s.queue, k, N, 64, 0, NULL, NULL);
    shim_set(add, 1, sum);
    for (int i = 0; i < MANY; i++) {
        shim_set(add, 0, m[i]);
        shim_launch(s.queue, add, N, 64, 2 * MANY, e, i == MANY - 1 ? &last : NULL);
        OK(clReleaseMemObject(m[i]));
    }
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clEnqueueReadBuffer(q[1], sum, CL_TRUE, 0, sizeof out, out, 1, &last, NULL));
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(out[i], i + MANY * (MANY - 1) / 2 + MANY * i);
    for (int i = 0; i < MANY; i++)
        OK(clReleaseEvent(e[i]));
    for (int i = 0; i < QUEUES; i++)
        OK(clReleaseCommandQueue(q[i]));
    RELEASE(clReleaseEvent, last, gate);
    OK(clReleaseMemObject(sum));
    RELEASE(clReleaseKernel, k, add);
    shim_close(&s);
}
END_TEST

START_TEST(markers_and_barriers_in_an_out_of_order_queue)
{
    shim_open(&s, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_int out[N];
    cl_event gate = shim_gate(&s), second = shim_gate(&s), marker, listed, early, late;
    cl_mem a;
    cl_kernel k = kernel_on("fill", &a);
    shim_set_int(k, 1, 5);
    shim_launch(s.queue, k, N, 64, 1, &gate, &early);
    OK(clEnqueueMarkerWithWaitList(s.queue, 0, NULL, &marker));    /* for all before it */
    OK(clEnqueueMarkerWithWaitList(s.queue, 1, &second, &listed)); /* for that one alone */
    OK(clEnqueueBarrierWithWaitList(s.queue, 1, &early, NULL));
    shim_set_int(k, 1, 6);
    shim_launch(s.queue, k, N, 64, 0, NULL, &late);
    OK(clFlush(s.queue));
    usleep(3000);
    ck_assert_int_gt(status_of(marker), CL_COMPLETE);
    ck_assert_int_gt(status_of(listed), CL_COMPLETE);
    ck_assert_int_gt(status_of(late), CL_COMPLETE);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(1, &marker));
    ck_assert_int_eq(status_of(early), CL_COMPLETE);
    OK(clSetUserEventStatus(second, CL_COMPLETE));
    OK(clWaitForEvents(1, &listed));
    OK(clEnqueueReadBuffer(s.queue, a, CL_TRUE, 0, sizeof out, out, 1, &late, NULL));
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(out[i], 6 + i);
    const cl_event all[] = {gate, second, marker, listed, early, late};
    for (int i = 0; i < 6; i++)
        OK(clReleaseEvent(all[i]));
    OK(clReleaseMemObject(a));
    OK(clReleaseKernel(k));
    shim_close(&s);
}
END_TEST

static int destroyed[3], order;

static void CL_CALLBACK on_mem(cl_mem m, void *data)
{
    (void)m;
    destroyed[(intptr_t)data] = order + 1; /* one after the other */
    __atomic_add_fetch(&order, 1, __ATOMIC_ACQ_REL);
}

static void CL_CALLBACK on_context(cl_context c, void *data)
{
    (void)c;
    __atomic_store_n((int *)data, 1, __ATOMIC_RELEASE);
}

START_TEST(destructors_are_called_last_first_and_late_enough)
{
    shim_open(&s, 0);
    cl_int err;
    cl_event gate = shim_gate(&s);
    int context_gone = 0;
    int *app = aligned_alloc(4096, 4096);
    cl_mem a = clCreateBuffer(s.context, CL_MEM_USE_HOST_PTR, 4096, app, &err);
    OK(err);
    cl_kernel k = shim_kernel(&s, "iota");
    for (intptr_t i = 0; i < 3; i++)
        OK(clSetMemObjectDestructorCallback(a, on_mem, (void *)i));
    OK(clSetContextDestructorCallback(s.context, on_context, &context_gone));
    shim_set(k, 0, a);
    shim_launch(s.queue, k, N, 64, 1, &gate, NULL);
    OK(clReleaseMemObject(a));
    OK(clReleaseKernel(k));
    usleep(3000);
    ck_assert_int_eq(__atomic_load_n(&order, __ATOMIC_ACQUIRE), 0);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clReleaseEvent(gate));
    OK(clFinish(s.queue));
    await(&order, 3);
    ck_assert_int_eq(destroyed[2], 1);
    ck_assert_int_eq(destroyed[1], 2);
    ck_assert_int_eq(destroyed[0], 3);
    memset(app, 0, 4096); /* nobody may touch it any more */
    free(app);
    shim_close(&s);
    await(&context_gone, 1);
}
END_TEST

/* A command handed to the driver and not run yet: the memory is in use although nobody holds the object. */
START_TEST(destructors_wait_for_what_the_driver_still_does)
{
    shim_open(&s, 0);
    cl_int err;
    int *app = aligned_alloc(4096, 4096);
    cl_mem a = clCreateBuffer(s.context, CL_MEM_USE_HOST_PTR, 4096, app, &err), b;
    OK(err);
    cl_buffer_region half = {2048, 1024};
    b = clCreateSubBuffer(a, 0, CL_BUFFER_CREATE_TYPE_REGION, &half, &err);
    OK(err);
    cl_int v = 7;
    for (intptr_t i = 0; i < 2; i++)
        OK(clSetMemObjectDestructorCallback(a, on_mem, (void *)i));
    OK(clSetMemObjectDestructorCallback(b, on_mem, (void *)2));
    OK(clEnqueueFillBuffer(s.queue, a, &v, 4, 0, 4096, 0, NULL, NULL));
    OK(clEnqueueFillBuffer(s.queue, b, &v, 4, 0, 1024, 0, NULL, NULL));
    RELEASE(clReleaseMemObject, a, b);
    usleep(3000);
    ck_assert_int_eq(__atomic_load_n(&order, __ATOMIC_ACQUIRE), 0);
    OK(clFinish(s.queue));
    await(&order, 3);
    ck_assert_int_eq(destroyed[2], 1);
    ck_assert_int_eq(destroyed[1], 2);
    ck_assert_int_eq(destroyed[0], 3);
    free(app);
    shim_close(&s);
}
END_TEST

static void *open_later(void *gate)
{
    usleep(20000);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    return NULL;
}

/* Also where the memory that the bytes go to is touched meanwhile. */
START_TEST(blocking_maps_wait_for_what_is_pending)
{
    shim_open(&s, 0);
    cl_event gate = shim_gate(&s);
    cl_mem a = shim_buffer(&s, 4 * N);
    cl_int v = 77, err;
    pthread_t t;
    OK(clEnqueueFillBuffer(s.queue, a, &v, sizeof v, 0, 4 * N, 1, &gate, NULL));
    ck_assert(!pthread_create(&t, NULL, open_later, gate));
    cl_int *p = clEnqueueMapBuffer(s.queue, a, CL_TRUE, CL_MAP_READ, 0, 4 * N, 0, NULL, NULL, &err);
    OK(err);
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(p[i], 77);
    OK(clEnqueueUnmapMemObject(s.queue, a, p, 0, NULL, NULL));
    pthread_join(t, NULL);
    OK(clReleaseEvent(gate));
    RELEASE(clReleaseMemObject, a);
    shim_close(&s);
}
END_TEST

/* Two more queues, and a command of s.queue on B that waits for one of Q[0] which is not flushed: *GATE. */
static void stand_behind_the_program(cl_command_queue q[2], cl_mem b, cl_event *gate)
{
    cl_int err, v = 7;
    for (int i = 0; i < 2; i++) {
        q[i] = clCreateCommandQueue(s.context, s.device, 0, &err);
        OK(err);
    }
    OK(clEnqueueFillBuffer(q[0], b, &v, sizeof v, 0, 2 * N, 0, NULL, gate));
    OK(clEnqueueFillBuffer(s.queue, b, &v, sizeof v, 2 * N, 2 * N, 1, gate, NULL));
}

/* A launch that is to be divided and stands behind a command that waits for one which the program has not flushed yet:
 * another queue's command on its buffer does not wait for it, or the program would wait for itself. */
START_TEST(what_waits_for_the_program_holds_up_no_other_queue)
{
    shim_open(&s, 0);
    cl_int v = 7, out[N];
    cl_event gate;
    cl_mem a, b = shim_buffer(&s, 4 * N);
    cl_kernel k = kernel_on("fill", &a);
    cl_command_queue q[2];
    shim_set_int(k, 1, 1);
    for (int i = 0; i < 3; i++)
        shim_launch(s.queue, k, N, 64, 0, NULL, NULL);
    OK(clFinish(s.queue));
    stand_behind_the_program(q, b, &gate);
    shim_launch(s.queue, k, N, 64, 0, NULL, NULL);
    usleep(50000); /* as far as it comes */
    OK(clEnqueueFillBuffer(q[1], a, &v, sizeof v, 0, sizeof v, 0, NULL, NULL));
    OK(clFlush(q[0]));
    OK(clFinish(s.queue));
    OK(clFinish(q[1]));
    OK(clEnqueueReadBuffer(s.queue, a, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 1; i < N; i++)
        ck_assert_int_eq(out[i], 1 + i);
    OK(clReleaseEvent(gate));
    RELEASE(clReleaseCommandQueue, q[0], q[1]);
    RELEASE(clReleaseMemObject, a, b);
    OK(clReleaseKernel(k));
    shim_close(&s);
}
END_TEST

/* A launch on more than the device has room for, behind such a command too: another queue's is over before the flush.
 */
START_TEST(what_waits_for_the_program_has_no_turn_in_the_devices_memory)
{
    enum { LARGE = 3 << 12 };
    shim_open(&s, 0);
    cl_int *out = malloc(4 * LARGE);
    cl_event gate;
    cl_mem there = shim_buffer(&s, 4 * LARGE), b = shim_buffer(&s, 4 * N);
    cl_mem a = shim_buffer(&s, 4 * LARGE), c = shim_buffer(&s, 4 * LARGE);
    cl_kernel k = shim_kernel(&s, "fill");
    cl_command_queue q[2];
    shim_set_int(k, 1, 1);
    shim_set(k, 0, there);
    shim_launch(s.queue, k, LARGE, 64, 0, NULL, NULL);
    OK(clFinish(s.queue));
    stand_behind_the_program(q, b, &gate);
    shim_set(k, 0, a);
    shim_launch(s.queue, k, LARGE, 64, 0, NULL, NULL);
    OK(clFlush(s.queue));
    usleep(50000); /* as far as it comes */
    shim_set(k, 0, c);
    shim_launch(q[1], k, LARGE, 64, 0, NULL, NULL);
    OK(clFinish(q[1]));
    OK(clFlush(q[0]));
    for (int i = 0; i < 2; i++) {
        OK(clEnqueueReadBuffer(i ? q[1] : s.queue, i ? c : a, CL_TRUE, 0, 4 * LARGE, out, 0, NULL, NULL));
        for (int j = 0; j < LARGE; j++)
            ck_assert_int_eq(out[j], 1 + j);
    }
    free(out);
    OK(clReleaseEvent(gate));
    RELEASE(clReleaseCommandQueue, q[0], q[1]);
    RELEASE(clReleaseMemObject, there, a, b, c);
    OK(clReleaseKernel(k));
    shim_close(&s);
}
END_TEST

YK_TEST_MAIN("order", what_waits_for_the_program_holds_up_no_other_queue,
             what_waits_for_the_program_has_no_turn_in_the_devices_memory, blocking_maps_wait_for_what_is_pending,
             a_failure_travels_along_wait_lists_only, polling_without_a_flush_gets_there, long_wait_lists_over_queues,
             markers_and_barriers_in_an_out_of_order_queue, destructors_are_called_last_first_and_late_enough,
             destructors_wait_for_what_the_driver_still_does)
