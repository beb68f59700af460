/* Events as tests see them: their states, and callbacks that are counted. Included by them. */
#ifndef YK_TESTS_STUB_SHIM_SEEN_H
#define YK_TESTS_STUB_SHIM_SEEN_H

#include "tests/stub/shim/fixture.h"

/* Wait at most five seconds for *N to reach WANT. */
static inline void await(int *n, int want)
{
    for (int i = 0; i < 5000 && __atomic_load_n(n, __ATOMIC_ACQUIRE) < want; i++)
        usleep(1000);
    ck_assert_int_eq(__atomic_load_n(n, __ATOMIC_ACQUIRE), want);
}

static inline cl_int status_of(cl_event e)
{
    cl_int v = 77;
    OK(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof v, &v, NULL));
    return v;
}

struct seen {
    int calls;
    cl_int status;
    cl_event event;
};

static inline void CL_CALLBACK see(cl_event e, cl_int status, void *data)
{
    struct seen *seen = data;
    seen->status = status;
    seen->event = e;
    __atomic_add_fetch(&seen->calls, 1, __ATOMIC_RELEASE);
}

#endif
