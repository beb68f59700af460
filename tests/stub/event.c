/* Events: state, waiting, callbacks, user events, times. */
#include <stdlib.h>
#include "base/clock.h"
#include "tests/stub/stub.h"

/* Callbacks are called when the lock is left, each once, with the state it asked for or the error. */
static void call_back(cl_event e)
{
    struct stub_callback *c, *next;
    DL_FOREACH_SAFE(e->callbacks, c, next)
    {
        if (e->status > c->type)
            continue;
        DL_DELETE(e->callbacks, c);
        c->status = e->status < 0 ? e->status : c->type;
        stub_callback_due(c);
    }
}

void stub_event_step(cl_event e, cl_int status)
{
    e->status = status;
    call_back(e);
}

void stub_event_end(cl_event e, cl_int status)
{
    e->time[3] = yk_now_ns();
    stub_event_step(e, status);
    stub_changed();
}

cl_event stub_impl_CreateUserEvent(cl_context c, cl_int *err)
{
    cl_event e = NULL;
    cl_int rc = CL_INVALID_CONTEXT;
    stub_enter();
    if (stub_check(c, STUB_CONTEXT)) {
        e = stub_make(STUB_EVENT, sizeof *e, c->o.device);
        rc = e ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    if (e) {
        stub_use(c);
        e->context = c;
        e->type = CL_COMMAND_USER;
        e->status = CL_SUBMITTED;
    }
    stub_leave();
    if (err)
        *err = rc;
    return e;
}

cl_int stub_impl_SetUserEventStatus(cl_event e, cl_int status)
{
    cl_int rc = CL_INVALID_EVENT;
    if (e && status > CL_COMPLETE)
        return CL_INVALID_VALUE;
    stub_enter();
    if (stub_check(e, STUB_EVENT) && !e->queue) {
        rc = e->status > CL_COMPLETE ? CL_SUCCESS : CL_INVALID_OPERATION;
        if (rc == CL_SUCCESS)
            stub_event_end(e, status);
    }
    stub_leave();
    return rc;
}

cl_int stub_impl_RetainEvent(cl_event e)
{
    return stub_retain(e, STUB_EVENT, CL_INVALID_EVENT);
}

cl_int stub_impl_ReleaseEvent(cl_event e)
{
    return stub_release(e, STUB_EVENT, CL_INVALID_EVENT);
}

cl_int stub_impl_WaitForEvents(cl_uint n, const cl_event *list)
{
    if (!n || !list)
        return CL_INVALID_VALUE;
    cl_int rc = CL_SUCCESS;
    stub_enter();
    for (cl_uint i = 0; i < n && rc == CL_SUCCESS; i++)
        rc = !stub_check(list[i], STUB_EVENT)       ? CL_INVALID_EVENT
             : list[i]->context != list[0]->context ? CL_INVALID_CONTEXT
                                                    : CL_SUCCESS;
    for (cl_uint i = 0; i < n && rc == CL_SUCCESS; i++) {
        stub_use(list[i]);
        if (list[i]->queue)
            stub_flush(list[i]->queue);
    }
    for (cl_uint i = 0, ok = rc == CL_SUCCESS; i < n && ok; i++) {
        while (list[i]->status > CL_COMPLETE)
            stub_wait();
        if (list[i]->status < 0)
            rc = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        stub_unuse(list[i]);
    }
    stub_leave();
    return rc;
}

cl_int stub_impl_SetEventCallback(cl_event e, cl_int type, void (*fn)(cl_event, cl_int, void *), void *user)
{
    if (!fn || type < CL_COMPLETE || type > CL_SUBMITTED)
        return CL_INVALID_VALUE;
    struct stub_callback *c = malloc(sizeof *c);
    cl_int rc = c ? CL_INVALID_EVENT : CL_OUT_OF_HOST_MEMORY;
    stub_enter();
    if (c && stub_check(e, STUB_EVENT)) {
        *c = (struct stub_callback){.event = e, .type = type, .fn = fn, .user = user};
        stub_use(e);
        DL_APPEND(e->callbacks, c);
        call_back(e);
        c = NULL;
        rc = CL_SUCCESS;
    }
    stub_leave();
    free(c);
    return rc;
}

/* What a driver may say that has already said in clFinish that all is over (NVIDIA's 580). */
static const cl_int *status_told(cl_event e)
{
    static const cl_int running = CL_RUNNING;
    bool first = e->status == CL_COMPLETE && !e->asked;
    e->asked |= first;
    return first && e->queue && stub_device[e->o.device].late ? &running : &e->status;
}

cl_int stub_impl_GetEventInfo(cl_event e, cl_event_info name, size_t size, void *value, size_t *size_ret)
{
    cl_int rc = CL_INVALID_EVENT;
    stub_enter();
    if (stub_check(e, STUB_EVENT)) {
        switch (name) {
        case CL_EVENT_COMMAND_QUEUE:
            rc = stub_answer(&e->queue, sizeof e->queue, size, value, size_ret);
            break;
        case CL_EVENT_CONTEXT:
            rc = stub_answer(&e->context, sizeof e->context, size, value, size_ret);
            break;
        case CL_EVENT_COMMAND_TYPE:
            rc = stub_answer(&e->type, sizeof e->type, size, value, size_ret);
            break;
        case CL_EVENT_COMMAND_EXECUTION_STATUS:
            rc = stub_answer(status_told(e), sizeof e->status, size, value, size_ret);
            break;
        case CL_EVENT_REFERENCE_COUNT:
            rc = stub_answer(&e->o.refs, sizeof e->o.refs, size, value, size_ret);
            break;
        default:
            rc = CL_INVALID_VALUE;
        }
    }
    stub_leave();
    return rc;
}

cl_int stub_impl_GetEventProfilingInfo(cl_event e, cl_profiling_info name, size_t size, void *value, size_t *size_ret)
{
    static const cl_profiling_info names[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                              CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END,
                                              CL_PROFILING_COMMAND_COMPLETE};
    cl_int rc = CL_INVALID_EVENT;
    stub_enter();
    if (stub_check(e, STUB_EVENT)) {
        unsigned i = 0;
        while (i < 5 && names[i] != name)
            i++;
        if (!e->queue || !e->profiling || e->status != CL_COMPLETE)
            rc = CL_PROFILING_INFO_NOT_AVAILABLE;
        else if (i == 5)
            rc = CL_INVALID_VALUE;
        else
            rc = stub_answer(&e->time[i < 4 ? i : 3], sizeof *e->time, size, value, size_ret);
    }
    stub_leave();
    return rc;
}
