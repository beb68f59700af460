/* device/fault over the stub: does each action do what script.h says, and nothing else? */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include "base/clock.h"
#include "device/fault/fault.h"
#include "tests/stub/rig.h"
#include "tests/unit/main.h"

enum { N = 64 };

static struct rig r;
static cl_kernel k;
static cl_mem m;

static const struct yk_cl *wrap(unsigned device, const struct yk_cl *below, const char *script)
{
    char err[256];
    const struct yk_cl *cl = yk_cl_fault(device, below, script, err, sizeof err);
    ck_assert_msg(cl != NULL, "%s", err);
    return cl;
}

/* One stub device behind SCRIPT, with kernel iota over a buffer of N zeroes. */
static void start(const char *script, cl_command_queue_properties properties)
{
    const uint32_t zero = 0;
    rig_open(&r, wrap(0, rig_load("gpu", NULL), script), properties);
    k = rig_kernel(&r, 0, "iota");
    m = rig_buffer(&r, 0, N * 4);
    rig_ok(r.cl->EnqueueFillBuffer(r.queue[0], m, &zero, 4, 0, N * 4, 0, NULL, NULL));
    rig_ok(r.cl->Finish(r.queue[0]));
    rig_ok(r.cl->SetKernelArg(k, 0, sizeof m, &m));
}

static void stop(void)
{
    rig_ok(r.cl->ReleaseKernel(k));
    rig_ok(r.cl->ReleaseMemObject(m));
    rig_close(&r);
}

static cl_int launch(cl_uint waits, const cl_event *wait, cl_event *event)
{
    return r.cl->EnqueueNDRangeKernel(r.queue[0], k, 1, NULL, (size_t[]){N}, NULL, waits, wait, event);
}

/* Did the kernel run? Resets the buffer. */
static bool ran(void)
{
    uint32_t out[N];
    const uint32_t zero = 0;
    rig_ok(r.cl->EnqueueReadBuffer(r.queue[0], m, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    rig_ok(r.cl->EnqueueFillBuffer(r.queue[0], m, &zero, 4, 0, N * 4, 0, NULL, NULL));
    return out[N - 1] == N - 1;
}

static cl_int status_of(cl_event e)
{
    cl_int status = 99;
    rig_ok(r.cl->GetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

START_TEST(devices_that_are_not_named_keep_their_table)
{
    const struct yk_cl *below = rig_load("gpu", NULL);
    char err[256];
    ck_assert_ptr_eq(wrap(0, below, NULL), below);
    ck_assert_ptr_eq(wrap(0, below, ""), below);
    ck_assert_ptr_eq(wrap(0, below, "clFinish@1=hang"), below);
    ck_assert_ptr_ne(wrap(1, below, "clFinish@1=hang"), below);
    ck_assert_ptr_ne(wrap(7, below, "clFinish@*=hang"), below);
    ck_assert_ptr_null(yk_cl_fault(0, below, "clFinish@0=hung", err, sizeof err));
    ck_assert_ptr_nonnull(strstr(err, "no such action"));
}
END_TEST

START_TEST(tables_are_counted_apart)
{
    const struct yk_cl *below = rig_load("cpu", NULL);
    const char *script = "clFlush@0:2=error(-5); clFlush@1:1=error(-6)";
    const struct yk_cl *a = wrap(0, below, script), *b = wrap(1, below, script);
    rig_open(&r, below, 0);
    rig_ok(a->Flush(r.queue[0]));
    ck_assert_int_eq(b->Flush(r.queue[0]), -6);
    ck_assert_int_eq(a->Flush(r.queue[0]), -5);
    rig_ok(b->Flush(r.queue[0]));
    rig_ok(below->Flush(r.queue[0]));
    rig_close(&r);
}
END_TEST

START_TEST(more_tables_than_there_are_is_an_error)
{
    const struct yk_cl *below = rig_load("cpu", NULL);
    char err[256];
    for (int i = 0; i < 32; i++)
        wrap((unsigned)i, below, "@*:1=hang");
    ck_assert_ptr_null(yk_cl_fault(0, below, "@*:1=hang", err, sizeof err));
    ck_assert_ptr_nonnull(strstr(err, "32"));
}
END_TEST

START_TEST(errors_come_through_every_kind_of_return)
{
    start("clCreateBuffer@0:2=error(-4); clEnqueueMapBuffer@0:1=error(CL_MAP_FAILURE); clFinish@0:2=error(-36);"
          "clSVMAlloc@0=error(-5)",
          0);
    cl_int rc = 0;
    ck_assert_ptr_null(r.cl->CreateBuffer(r.context[0], 0, 4, NULL, &rc));
    ck_assert_int_eq(rc, -4);
    ck_assert_ptr_null(r.cl->EnqueueMapBuffer(r.queue[0], m, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &rc));
    ck_assert_int_eq(rc, CL_MAP_FAILURE);
    ck_assert_int_eq(r.cl->Finish(r.queue[0]), CL_INVALID_COMMAND_QUEUE);
    ck_assert_ptr_null(r.cl->SVMAlloc(r.context[0], 0, 4, 0));
    rig_ok(launch(0, NULL, NULL));
    ck_assert(ran());
    stop();
}
END_TEST

static atomic_int seen;

static void CL_CALLBACK see(cl_event e, cl_int status, void *user)
{
    (void)e;
    atomic_store((atomic_int *)user, status == CL_COMPLETE ? 1 : status);
}

static void await(atomic_int *what, int want)
{
    for (int i = 0; i < 5000 && atomic_load(what) == 0; i++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    ck_assert_int_eq(atomic_load(what), want);
}

START_TEST(an_event_can_end_badly)
{
    start("clEnqueueNDRangeKernel@0:2=event(-9); clEnqueueNDRangeKernel@0:3=event(-9,ran)", CL_QUEUE_PROFILING_ENABLE);
    for (int i = 1; i <= 4; i++) {
        const bool bad = i == 2 || i == 3;
        cl_event e, marker;
        cl_ulong t;
        rig_ok(launch(0, NULL, &e));
        rig_ok(r.cl->EnqueueMarkerWithWaitList(r.queue[0], 1, &e, &marker));
        atomic_store(&seen, 0);
        rig_ok(r.cl->SetEventCallback(e, CL_COMPLETE, see, &seen));
        ck_assert_int_eq(r.cl->WaitForEvents(1, &e), bad ? -14 : CL_SUCCESS);
        ck_assert_int_eq(status_of(e), bad ? -9 : CL_COMPLETE);
        await(&seen, bad ? -9 : 1);
        ck_assert_int_eq(r.cl->WaitForEvents(1, &marker), bad ? -14 : CL_SUCCESS);
        ck_assert_int_eq(status_of(marker), bad ? -14 : CL_COMPLETE);
        ck_assert_int_eq(r.cl->GetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof t, &t, NULL),
                         bad ? CL_PROFILING_INFO_NOT_AVAILABLE : CL_SUCCESS);
        ck_assert(ran() == (i != 2));
        rig_ok(r.cl->ReleaseEvent(marker));
        rig_ok(r.cl->ReleaseEvent(e));
    }
    rig_ok(r.cl->Finish(r.queue[0]));
    stop();
}
END_TEST

START_TEST(what_waits_for_a_bad_event_does_not_run)
{
    start("clEnqueueNDRangeKernel@0:1=event(-9)", 0);
    cl_event first, second;
    rig_ok(launch(0, NULL, &first));
    rig_ok(launch(1, &first, &second));
    ck_assert_int_eq(r.cl->WaitForEvents(1, &second), -14);
    ck_assert_int_eq(status_of(second), -14);
    ck_assert(!ran());
    rig_ok(r.cl->RetainEvent(first)); /* what it says outlives one release */
    rig_ok(r.cl->ReleaseEvent(first));
    ck_assert_int_eq(status_of(first), -9);
    rig_ok(r.cl->ReleaseEvent(first));
    rig_ok(r.cl->ReleaseEvent(second));
    stop();
}
END_TEST

START_TEST(without_an_event_the_queue_tells)
{
    start("clEnqueueNDRangeKernel@0:1=event(-9); clEnqueueReadBuffer@0:1=event(-5)", 0);
    uint32_t out[N] = {5};
    rig_ok(launch(0, NULL, NULL));
    ck_assert_int_eq(r.cl->Finish(r.queue[0]), -9);
    rig_ok(r.cl->Finish(r.queue[0]));
    ck_assert_int_eq(r.cl->EnqueueReadBuffer(r.queue[0], m, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL), -5);
    ck_assert_uint_eq(out[0], 5);
    rig_ok(r.cl->Finish(r.queue[0]));
    stop();
}
END_TEST

START_TEST(a_lost_device_fails_but_can_be_cleaned_up)
{
    start("clEnqueueNDRangeKernel@0:2=lost", 0);
    cl_event e;
    cl_int rc;
    rig_ok(launch(0, NULL, &e));
    rig_ok(r.cl->WaitForEvents(1, &e));
    ck_assert_int_eq(launch(0, NULL, NULL), CL_OUT_OF_RESOURCES);
    ck_assert_int_eq(r.cl->Finish(r.queue[0]), CL_OUT_OF_RESOURCES);
    ck_assert_int_eq(r.cl->WaitForEvents(1, &e), CL_OUT_OF_RESOURCES);
    ck_assert_ptr_null(r.cl->CreateBuffer(r.context[0], 0, 4, NULL, &rc));
    ck_assert_int_eq(rc, CL_DEVICE_NOT_AVAILABLE);
    ck_assert_int_eq(status_of(e), CL_COMPLETE);
    rig_ok(r.cl->ReleaseEvent(e));
    stop();
}
END_TEST

START_TEST(a_hang_holds_its_call_only)
{
    setenv("YOKE_FAULT_HANG_MS", "50", 1);
    start("clFinish@0:2=hang", 0);
    rig_ok(launch(0, NULL, NULL));
    uint64_t t = yk_now_ns();
    rig_ok(r.cl->Finish(r.queue[0]));
    ck_assert_uint_ge(yk_now_ns() - t, 50000000);
    ck_assert(ran());
    stop();
}
END_TEST

/* 40 ms in the stub's own queue thread per launch, by the stub's script; F times that by the backend's. */
static void start_slow(const char *script, cl_command_queue_properties properties)
{
    setenv("YOKE_STUB_FAULT", "link@0=1T,20ms", 1);
    start(script, properties);
}

static double write_ms(cl_event *event, bool blocking)
{
    static const uint32_t bytes[N];
    uint64_t t = yk_now_ns();
    rig_ok(r.cl->EnqueueWriteBuffer(r.queue[0], m, blocking, 0, sizeof bytes, bytes, 0, NULL, event));
    return (double)(yk_now_ns() - t) / 1e6;
}

START_TEST(a_slow_link_delays_what_is_heard_of_it)
{
    start_slow("link@0=1T,60ms", 0);
    ck_assert_double_ge(write_ms(NULL, true), 60);
    cl_event e[2];
    uint64_t t = yk_now_ns();
    ck_assert_double_lt(write_ms(&e[0], false), 20);
    write_ms(&e[1], false);
    rig_ok(r.cl->Flush(r.queue[0]));
    atomic_store(&seen, 0);
    rig_ok(r.cl->SetEventCallback(e[1], CL_COMPLETE, see, &seen));
    nanosleep(&(struct timespec){0, 70000000}, NULL); /* the stub is done with both by now: 2 x 20 */
    ck_assert_int_gt(status_of(e[1]), CL_COMPLETE);
    ck_assert_int_eq(atomic_load(&seen), 0);
    await(&seen, 1);
    ck_assert_uint_ge(yk_now_ns() - t, 120000000); /* one after the other */
    rig_ok(r.cl->WaitForEvents(2, e));
    ck_assert_int_eq(status_of(e[0]), CL_COMPLETE);
    rig_ok(r.cl->ReleaseEvent(e[0]));
    rig_ok(r.cl->ReleaseEvent(e[1]));
    stop();
}
END_TEST

START_TEST(modelled_times_are_the_profiled_ones)
{
    start_slow("link@0=1T,60ms", CL_QUEUE_PROFILING_ENABLE);
    cl_event e[2];
    cl_ulong at[2][4];
    write_ms(&e[0], false);
    write_ms(&e[1], false);
    rig_ok(r.cl->Finish(r.queue[0]));
    for (int i = 0; i < 2; i++)
        for (unsigned n = 0; n < 4; n++)
            rig_ok(
                r.cl->GetEventProfilingInfo(e[i], CL_PROFILING_COMMAND_QUEUED + n, sizeof(cl_ulong), &at[i][n], NULL));
    ck_assert_uint_ge(at[0][3] - at[0][2], 60000000);
    ck_assert_uint_lt(at[0][3] - at[0][2], 80000000);
    ck_assert_uint_ge(at[1][2], at[0][3]);
    ck_assert(at[1][0] <= at[1][1] && at[1][1] <= at[1][2]);
    rig_ok(r.cl->ReleaseEvent(e[0]));
    rig_ok(r.cl->ReleaseEvent(e[1]));
    stop();
}
END_TEST

START_TEST(forced_profiling_does_not_show)
{
    start("slow@0=2", 0);
    cl_command_queue_properties p = 9;
    cl_event e;
    cl_ulong t;
    rig_ok(r.cl->GetCommandQueueInfo(r.queue[0], CL_QUEUE_PROPERTIES, sizeof p, &p, NULL));
    ck_assert_uint_eq(p, 0);
    rig_ok(launch(0, NULL, &e));
    rig_ok(r.cl->WaitForEvents(1, &e));
    ck_assert_int_eq(r.cl->GetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof t, &t, NULL),
                     CL_PROFILING_INFO_NOT_AVAILABLE);
    rig_ok(r.cl->ReleaseEvent(e));
    stop();
}
END_TEST

/* The stub's kernel times are stretched by the stub (20 times) so that they can be measured, and by the backend (3
 * times). */
START_TEST(slow_kernels_take_the_factor)
{
    setenv("YOKE_STUB_FAULT", "slow@0=200", 1);
    start("slow@0=3", CL_QUEUE_PROFILING_ENABLE);
    size_t many = 1 << 14;
    cl_int rc;
    cl_mem big = r.cl->CreateBuffer(r.context[0], 0, many * 4, NULL, &rc);
    rig_ok(rc);
    rig_ok(r.cl->SetKernelArg(k, 0, sizeof big, &big));
    cl_event e;
    cl_ulong from, to;
    uint64_t t = yk_now_ns();
    rig_ok(r.cl->EnqueueNDRangeKernel(r.queue[0], k, 1, NULL, &many, NULL, 0, NULL, &e));
    rig_ok(r.cl->WaitForEvents(1, &e));
    uint64_t took = yk_now_ns() - t;
    rig_ok(r.cl->GetEventProfilingInfo(e, CL_PROFILING_COMMAND_START, sizeof from, &from, NULL));
    rig_ok(r.cl->GetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof to, &to, NULL));
    ck_assert_uint_ge(took, to - from);
    ck_assert_uint_ge(to - from, 3000000); /* 16384 items x 200 x 3: never under a ns each */
    rig_ok(r.cl->ReleaseEvent(e));
    rig_ok(r.cl->ReleaseMemObject(big));
    stop();
}
END_TEST

/* Two modelled devices wait at the same time, not one after the other. */
static void *write_and_finish(void *arg)
{
    static const uint32_t bytes[N];
    unsigned d = *(unsigned *)arg;
    struct rig *two = &r;
    cl_mem mem = rig_buffer(two, d, sizeof bytes);
    ck_assert_int_eq(two->cl->EnqueueWriteBuffer(two->queue[d], mem, CL_FALSE, 0, sizeof bytes, bytes, 0, NULL, NULL),
                     CL_SUCCESS);
    ck_assert_int_eq(two->cl->Finish(two->queue[d]), CL_SUCCESS);
    two->cl->ReleaseMemObject(mem);
    return NULL;
}

START_TEST(many_threads_share_a_table)
{
    rig_open(&r, wrap(0, rig_load("gpu,gpu", NULL), "link@0=1T,1ms; clFlush@0:99=error(-5)"), 0);
    pthread_t thread[8];
    unsigned number[8];
    for (int round = 0; round < 5; round++) {
        for (unsigned i = 0; i < 8; i++) {
            number[i] = i % 2;
            ck_assert(!pthread_create(&thread[i], NULL, write_and_finish, &number[i]));
        }
        for (unsigned i = 0; i < 8; i++)
            pthread_join(thread[i], NULL);
    }
    rig_close(&r);
}
END_TEST

START_TEST(released_queues_and_events_in_any_order)
{
    start("link@0=1T,5ms; clEnqueueNDRangeKernel@0:1=event(-9)", 0);
    for (int i = 0; i < 20; i++) {
        cl_int rc;
        cl_event e;
        cl_command_queue q = r.cl->CreateCommandQueueWithProperties(
            r.context[0], r.device[0], i % 2 ? (const cl_queue_properties[]){CL_QUEUE_PROPERTIES, 0, 0} : NULL, &rc);
        rig_ok(rc);
        static const uint32_t bytes[N];
        cl_mem own = rig_buffer(&r, 0, sizeof bytes);
        rig_ok(r.cl->EnqueueWriteBuffer(q, own, CL_FALSE, 0, sizeof bytes, bytes, 0, NULL, i % 3 ? &e : NULL));
        rig_ok(r.cl->Flush(q));
        if (i % 3 == 1)
            rig_ok(r.cl->ReleaseEvent(e));
        rig_ok(r.cl->ReleaseMemObject(own));
        rig_ok(r.cl->ReleaseCommandQueue(q));
        if (i % 3 == 2) {
            ck_assert_int_eq(r.cl->WaitForEvents(1, &e), CL_SUCCESS);
            ck_assert_int_eq(status_of(e), CL_COMPLETE);
            ck_assert_int_eq(r.cl->ReleaseEvent(e), CL_SUCCESS);
        }
    }
    ck_assert_int_eq(r.cl->Finish(r.queue[0]), CL_SUCCESS);
    ck_assert(!ran()); /* no launch came, and the first buffer is as it was */
    stop();
}
END_TEST

YK_TEST_MAIN("fault", devices_that_are_not_named_keep_their_table, tables_are_counted_apart,
             more_tables_than_there_are_is_an_error, errors_come_through_every_kind_of_return, an_event_can_end_badly,
             what_waits_for_a_bad_event_does_not_run, without_an_event_the_queue_tells,
             a_lost_device_fails_but_can_be_cleaned_up, a_hang_holds_its_call_only,
             a_slow_link_delays_what_is_heard_of_it, modelled_times_are_the_profiled_ones,
             forced_profiling_does_not_show, slow_kernels_take_the_factor, many_threads_share_a_table,
             released_queues_and_events_in_any_order)
