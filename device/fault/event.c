/* What a followed device's events say: the scripted end, at the modelled time. */
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "device/fault/slot.h"

/* The record of EVENT, its times filled where the driver is done with it, pinned. NULL: not followed. */
static struct yk_fault_record *look(struct yk_fault_slot *s, cl_event event)
{
    pthread_mutex_lock(&s->lock);
    struct yk_fault_record *r = yk_fault_find(s, event);
    if (r) {
        r->pins++;
        if (!r->settled)
            yk_fault_settle(s);
    }
    pthread_mutex_unlock(&s->lock);
    return r;
}

static void unlook(struct yk_fault_slot *s, struct yk_fault_record *r)
{
    pthread_mutex_lock(&s->lock);
    r->pins--;
    yk_fault_drop(s, r);
    pthread_mutex_unlock(&s->lock);
}

cl_int yk_fault_GetEventInfo(cl_event event, cl_event_info name, size_t size, void *value, size_t *size_ret)
{
    struct yk_fault_slot *s = yk_fault_current;
    cl_int rc = s->below->GetEventInfo(event, name, size, value, size_ret);
    if (rc != CL_SUCCESS || name != CL_EVENT_COMMAND_EXECUTION_STATUS || !value)
        return rc;
    cl_int status;
    memcpy(&status, value, sizeof status);
    if (status != CL_COMPLETE)
        return rc;
    struct yk_fault_record *r = look(s, event);
    if (!r)
        return rc;
    uint64_t now = yk_now_ns();
    if (s->timed && now < r->end)
        status = now < r->start ? CL_SUBMITTED : CL_RUNNING;
    else if (r->code)
        status = r->code;
    unlook(s, r);
    memcpy(value, &status, sizeof status);
    return rc;
}

cl_int yk_fault_WaitForEvents(cl_uint n, const cl_event *list)
{
    struct yk_fault_slot *s = yk_fault_current;
    cl_int rc = s->below->WaitForEvents(n, list);
    if (rc != CL_SUCCESS)
        return rc;
    uint64_t end = 0;
    for (cl_uint i = 0; i < n; i++) {
        struct yk_fault_record *r = look(s, list[i]);
        if (!r)
            continue;
        if (r->code)
            rc = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        if (r->end > end)
            end = r->end;
        unlook(s, r);
    }
    yk_fault_sleep_until(end);
    return rc;
}

cl_int yk_fault_SetEventCallback(cl_event event, cl_int type, void (*fn)(cl_event, cl_int, void *), void *user)
{
    struct yk_fault_slot *s = yk_fault_current;
    struct yk_fault_record *r = fn && type == CL_COMPLETE ? look(s, event) : NULL;
    if (!r)
        return s->below->SetEventCallback(event, type, fn, user);
    cl_int rc = yk_fault_callback_add(s, r, type, fn, user);
    unlook(s, r);
    return rc;
}

cl_int yk_fault_GetEventProfilingInfo(cl_event event, cl_profiling_info name, size_t size, void *value,
                                      size_t *size_ret)
{
    struct yk_fault_slot *s = yk_fault_current;
    cl_int rc = s->below->GetEventProfilingInfo(event, name, size, value, size_ret);
    struct yk_fault_record *r = rc == CL_SUCCESS ? look(s, event) : NULL;
    if (!r)
        return rc;
    bool late =
        name == CL_PROFILING_COMMAND_START || name == CL_PROFILING_COMMAND_END || name == CL_PROFILING_COMMAND_COMPLETE;
    if (r->code || (s->timed && (!r->queue->profiling || (late && yk_now_ns() < r->end)))) {
        rc = CL_PROFILING_INFO_NOT_AVAILABLE;
    } else if (s->timed && late && value) {
        cl_ulong at = (cl_ulong)((int64_t)(name == CL_PROFILING_COMMAND_START ? r->start : r->end) - s->clock);
        memcpy(value, &at, sizeof at);
    }
    unlook(s, r);
    return rc;
}

cl_int yk_fault_RetainEvent(cl_event event)
{
    struct yk_fault_slot *s = yk_fault_current;
    cl_int rc = s->below->RetainEvent(event);
    if (rc != CL_SUCCESS)
        return rc;
    pthread_mutex_lock(&s->lock);
    struct yk_fault_record *r = yk_fault_find(s, event);
    if (r)
        r->refs++;
    pthread_mutex_unlock(&s->lock);
    return rc;
}

cl_int yk_fault_ReleaseEvent(cl_event event)
{
    struct yk_fault_slot *s = yk_fault_current;
    pthread_mutex_lock(&s->lock);
    struct yk_fault_record *r = yk_fault_find(s, event);
    if (r && r->refs) {
        r->refs--;
        yk_fault_drop(s, r);
    }
    pthread_mutex_unlock(&s->lock);
    return s->below->ReleaseEvent(event);
}
