/* Who waits for a queue may carry out its commands: what becomes of them when that thread is cancelled, when several
 * wait at once, and when one has a small stack. */
#include <limits.h>
#include <pthread.h>
#include "tests/stub/shim/fixture.h"
#include "tests/unit/main.h"

static cl_kernel k;
static cl_mem a;

static void begin(void)
{
    shim_open(&s, 0);
    k = kernel_on("fill", &a);
    shim_set_int(k, 1, 7);
}

static void end(void)
{
    OK(clReleaseMemObject(a));
    OK(clReleaseKernel(k));
    shim_close(&s);
}

static void expect_filled(cl_int with)
{
    cl_int out[N];
    OK(clEnqueueReadBuffer(s.queue, a, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(out[i], with + i);
}

static void *launch_and_wait(void *nothing)
{
    (void)nothing;
    size_t global = N, local = 64;
    cl_int err = clEnqueueNDRangeKernel(s.queue, k, 1, NULL, &global, &local, 0, NULL, NULL);
    err |= clFinish(s.queue);
    return (void *)(intptr_t)err;
}

static void *wait_only(void *nothing)
{
    (void)nothing;
    return (void *)(intptr_t)clFinish(s.queue);
}

/* The one carries the launch out, the other sleeps meanwhile. */
START_TEST(threads_that_wait_are_cancelled)
{
    pthread_t t, other_one;
    setenv("YOKE_FAULT", "clEnqueueNDRangeKernel@1=hang", 1); /* so long that it is cancelled meanwhile */
    setenv("YOKE_FAULT_HANG_MS", "400", 1);
    begin();
    ck_assert_int_eq(pthread_create(&t, NULL, launch_and_wait, NULL), 0);
    usleep(75000);
    ck_assert_int_eq(pthread_create(&other_one, NULL, wait_only, NULL), 0);
    usleep(75000);
    pthread_cancel(t);
    pthread_cancel(other_one);
    ck_assert_int_eq(pthread_join(t, NULL), 0);
    ck_assert_int_eq(pthread_join(other_one, NULL), 0);
    OK(clFinish(s.queue));
    expect_filled(7);
    shim_set_int(k, 1, 9);
    shim_launch(s.queue, k, N, 64, 0, NULL, NULL);
    OK(clFinish(s.queue));
    expect_filled(9);
    unsetenv("YOKE_FAULT");
    end();
}
END_TEST

static void *launch_and_wait_often(void *nothing)
{
    intptr_t err = 0;
    for (int i = 0; i < 200; i++)
        err |= (intptr_t)launch_and_wait(nothing);
    return (void *)err;
}

START_TEST(several_wait_for_one_queue)
{
    enum { THREADS = 6 };
    pthread_t t[THREADS];
    pthread_attr_t small;
    begin();
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 192 << 10);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&t[i], i % 2 ? &small : NULL, launch_and_wait_often, NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        void *err;
        ck_assert_int_eq(pthread_join(t[i], &err), 0);
        ck_assert_ptr_null(err);
    }
    pthread_attr_destroy(&small);
    expect_filled(7);
    end();
}
END_TEST

/* One gated command, and behind it launches: who waits carries out what the worker cannot begin on, and neither keeps
 * the other from it. */
static void *open_gate(void *gate)
{
    usleep(20000);
    return (void *)(intptr_t)clSetUserEventStatus(gate, CL_COMPLETE);
}

START_TEST(the_gate_is_opened_while_somebody_waits)
{
    begin();
    cl_int err;
    cl_command_queue other_queue = clCreateCommandQueue(s.context, s.device, 0, &err);
    OK(err);
    for (int i = 0; i < 5; i++) {
        cl_event gate = shim_gate(&s), e;
        pthread_t t;
        shim_set_int(k, 1, i);
        shim_launch(s.queue, k, N, 64, 1, &gate, &e);
        shim_set_int(k, 1, 100 + i);
        shim_launch(other_queue, k, N, 64, 1, &e, NULL);
        ck_assert_int_eq(pthread_create(&t, NULL, open_gate, gate), 0);
        OK(clFinish(i % 2 ? s.queue : other_queue));
        OK(clFinish(other_queue));
        expect_filled(100 + i);
        ck_assert_int_eq(pthread_join(t, NULL), 0);
        OK(clReleaseEvent(e));
        OK(clReleaseEvent(gate));
    }
    OK(clReleaseCommandQueue(other_queue));
    end();
}
END_TEST

YK_TEST_MAIN("waits", threads_that_wait_are_cancelled, several_wait_for_one_queue,
             the_gate_is_opened_while_somebody_waits)
