/* device/fault over the stub: do slowed devices and modelled links take the times that script.h says, and show nothing
 * else? */
#include "tests/stub/fault_rig.h"

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

YK_TEST_MAIN("fault_times", a_slow_link_delays_what_is_heard_of_it, modelled_times_are_the_profiled_ones,
             forced_profiling_does_not_show, slow_kernels_take_the_factor)
