/* device/fault over the stub: does each action do what script.h says, and nothing else? Times: test_fault_times.c. */
#include <pthread.h>
#include "tests/stub/fault_rig.h"

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
             a_lost_device_fails_but_can_be_cleaned_up, a_hang_holds_its_call_only, many_threads_share_a_table,
             released_queues_and_events_in_any_order)
