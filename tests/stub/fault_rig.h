/* One stub device behind a fault script, with a kernel and a buffer. Who uses it: test_fault.c, test_fault_times.c. */
#ifndef YK_TESTS_STUB_FAULT_RIG_H
#define YK_TESTS_STUB_FAULT_RIG_H

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

static inline const struct yk_cl *wrap(unsigned device, const struct yk_cl *below, const char *script)
{
    char err[256];
    const struct yk_cl *cl = yk_cl_fault(device, below, script, err, sizeof err);
    ck_assert_msg(cl != NULL, "%s", err);
    return cl;
}

/* One stub device behind SCRIPT, with kernel iota over a buffer of N zeroes. */
static inline void start(const char *script, cl_command_queue_properties properties)
{
    const uint32_t zero = 0;
    rig_open(&r, wrap(0, rig_load("gpu", NULL), script), properties);
    k = rig_kernel(&r, 0, "iota");
    m = rig_buffer(&r, 0, N * 4);
    rig_ok(r.cl->EnqueueFillBuffer(r.queue[0], m, &zero, 4, 0, N * 4, 0, NULL, NULL));
    rig_ok(r.cl->Finish(r.queue[0]));
    rig_ok(r.cl->SetKernelArg(k, 0, sizeof m, &m));
}

static inline void stop(void)
{
    rig_ok(r.cl->ReleaseKernel(k));
    rig_ok(r.cl->ReleaseMemObject(m));
    rig_close(&r);
}

static inline cl_int launch(cl_uint waits, const cl_event *wait, cl_event *event)
{
    return r.cl->EnqueueNDRangeKernel(r.queue[0], k, 1, NULL, (size_t[]){N}, NULL, waits, wait, event);
}

/* Did the kernel run? Resets the buffer. */
static inline bool ran(void)
{
    uint32_t out[N];
    const uint32_t zero = 0;
    rig_ok(r.cl->EnqueueReadBuffer(r.queue[0], m, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    rig_ok(r.cl->EnqueueFillBuffer(r.queue[0], m, &zero, 4, 0, N * 4, 0, NULL, NULL));
    return out[N - 1] == N - 1;
}

static inline cl_int status_of(cl_event e)
{
    cl_int status = 99;
    rig_ok(r.cl->GetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

static atomic_int seen;

static inline void CL_CALLBACK see(cl_event e, cl_int status, void *user)
{
    (void)e;
    atomic_store((atomic_int *)user, status == CL_COMPLETE ? 1 : status);
}

static inline void await(atomic_int *what, int want)
{
    for (int i = 0; i < 5000 && atomic_load(what) == 0; i++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    ck_assert_int_eq(atomic_load(what), want);
}

#endif
