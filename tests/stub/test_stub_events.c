/* The stub's queues: when commands begin, what holds them, what their events say. */
#include <stdatomic.h>
#include <time.h>
#include "tests/stub/rig.h"
#include "tests/unit/main.h"

static struct rig r;

static cl_int status_of(cl_event e)
{
    cl_int status = 99;
    rig_ok(r.cl->GetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

static atomic_int seen;

static void CL_CALLBACK see(cl_event e, cl_int status, void *user)
{
    (void)user;
    /* Callbacks may call OpenCL here. */
    ck_assert_int_eq(status_of(e), status);
    atomic_store(&seen, status == CL_COMPLETE ? 1 : status);
}

static void await_seen(int want)
{
    for (int i = 0; i < 5000 && atomic_load(&seen) != want; i++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    ck_assert_int_eq(atomic_load(&seen), want);
}

START_TEST(nothing_starts_before_a_flush)
{
    rig_open(&r, rig_load("cpu", NULL), CL_QUEUE_PROFILING_ENABLE);
    cl_kernel k = rig_kernel(&r, 0, "nothing");
    cl_event e;
    rig_ok(r.cl->EnqueueNDRangeKernel(r.queue[0], k, 1, NULL, (size_t[]){1}, NULL, 0, NULL, &e));
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    ck_assert_int_eq(status_of(e), CL_QUEUED);
    rig_ok(r.cl->SetEventCallback(e, CL_COMPLETE, see, NULL));
    rig_ok(r.cl->Flush(r.queue[0]));
    await_seen(1);
    rig_ok(r.cl->WaitForEvents(1, &e));
    cl_ulong t[4];
    for (unsigned i = 0; i < 4; i++)
        rig_ok(r.cl->GetEventProfilingInfo(e, CL_PROFILING_COMMAND_QUEUED + i, sizeof *t, &t[i], NULL));
    ck_assert(t[0] <= t[1] && t[1] <= t[2] && t[2] <= t[3]);
    rig_ok(r.cl->ReleaseEvent(e));
    rig_ok(r.cl->ReleaseKernel(k));
    rig_close(&r);
}
END_TEST

START_TEST(user_events_hold_commands_and_pass_failures_on)
{
    rig_open(&r, rig_load("cpu", NULL), CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_kernel k = rig_kernel(&r, 0, "nothing");
    for (int fails = 0; fails < 2; fails++) {
        cl_int rc;
        cl_event gate = r.cl->CreateUserEvent(r.context[0], &rc), e, free_one;
        rig_ok(rc);
        rig_ok(r.cl->EnqueueNDRangeKernel(r.queue[0], k, 1, NULL, (size_t[]){1}, NULL, 1, &gate, &e));
        rig_ok(r.cl->EnqueueNDRangeKernel(r.queue[0], k, 1, NULL, (size_t[]){1}, NULL, 0, NULL, &free_one));
        rig_ok(r.cl->Flush(r.queue[0]));
        rig_ok(r.cl->WaitForEvents(1, &free_one)); /* out of order: not behind the first */
        ck_assert_int_gt(status_of(e), CL_COMPLETE);
        rig_ok(r.cl->SetUserEventStatus(gate, fails ? -7 : CL_COMPLETE));
        ck_assert_int_eq(r.cl->SetUserEventStatus(gate, CL_COMPLETE), CL_INVALID_OPERATION);
        ck_assert_int_eq(r.cl->WaitForEvents(1, &e), fails ? -14 : CL_SUCCESS);
        ck_assert_int_eq(status_of(e), fails ? -14 : CL_COMPLETE);
        rig_ok(r.cl->ReleaseEvent(gate));
        rig_ok(r.cl->ReleaseEvent(free_one));
        rig_ok(r.cl->ReleaseEvent(e));
    }
    rig_ok(r.cl->ReleaseKernel(k));
    rig_close(&r);
}
END_TEST

START_TEST(barriers_hold_what_follows)
{
    rig_open(&r, rig_load("cpu", NULL), CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_kernel k = rig_kernel(&r, 0, "nothing");
    cl_int rc;
    cl_event gate = r.cl->CreateUserEvent(r.context[0], &rc), e;
    rig_ok(r.cl->EnqueueBarrierWithWaitList(r.queue[0], 1, &gate, NULL));
    rig_ok(r.cl->EnqueueNDRangeKernel(r.queue[0], k, 1, NULL, (size_t[]){1}, NULL, 0, NULL, &e));
    rig_ok(r.cl->Flush(r.queue[0]));
    nanosleep(&(struct timespec){0, 10000000}, NULL);
    ck_assert_int_gt(status_of(e), CL_COMPLETE);
    rig_ok(r.cl->SetUserEventStatus(gate, CL_COMPLETE));
    rig_ok(r.cl->WaitForEvents(1, &e));
    rig_ok(r.cl->ReleaseEvent(gate));
    rig_ok(r.cl->ReleaseEvent(e));
    rig_ok(r.cl->ReleaseKernel(k));
    rig_close(&r);
}
END_TEST

YK_TEST_MAIN("stub events", nothing_starts_before_a_flush, user_events_hold_commands_and_pass_failures_on,
             barriers_hold_what_follows)
