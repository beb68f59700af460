/* Event entry points. */
#include "shim/queue/event.h"
#include "shim/api/api.h"
#include "shim/memory/store.h"
#include "shim/queue/callback.h"
#include "shim/queue/queue.h"
#include "shim/queue/times.h"

/* Commands that an app waits for must have been handed to the device. */
static void flush_of(struct yk_event *ev)
{
    if (ev->queue && __atomic_load_n(&ev->real, __ATOMIC_ACQUIRE))
        YK_CL_P->Flush(ev->queue->real);
}

cl_int yk_api_WaitForEvents(cl_uint num_events, const cl_event *event_list)
{
    if (!num_events || !event_list)
        return CL_INVALID_VALUE;
    struct yk_event *first = yk_event_from(event_list[0]);
    for (cl_uint i = 0; i < num_events; i++) {
        struct yk_event *ev = yk_event_from(event_list[i]);
        if (!ev)
            return CL_INVALID_EVENT;
        if (ev->ctx != first->ctx)
            return CL_INVALID_CONTEXT;
    }
    cl_int err = CL_SUCCESS;
    for (cl_uint i = 0; i < num_events; i++)
        if (num_events > 1)
            flush_of((struct yk_event *)(void *)event_list[i]);
    for (cl_uint i = 0; i < num_events; i++)
        if (yk_event_wait((struct yk_event *)(void *)event_list[i]) < 0)
            err = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    for (cl_uint i = 0; i < num_events && err != CL_SUCCESS; i++)
        if (((struct yk_event *)(void *)event_list[i])->queue)
            yk_queue_tell(((struct yk_event *)(void *)event_list[i])->queue);
    for (cl_uint i = 0; i < num_events; i++) {
        struct yk_event *ev = (struct yk_event *)(void *)event_list[i];
        yk_lock_take(&ev->lock); /* who has told the status has posted what is to be called by now */
        yk_lock_drop(&ev->lock);
        if (ev->queue)
            yk_callback_due_in(ev->queue);
        else
            yk_callback_due();
    }
    if (err == CL_SUCCESS)
        err = yk_store_gather(first->ctx);
    return err;
}

cl_int yk_api_GetEventInfo(cl_event event, cl_event_info param_name, size_t param_value_size, void *param_value,
                           size_t *param_value_size_ret)
{
    struct yk_event *ev = yk_event_from(event);
    if (!ev)
        return CL_INVALID_EVENT;
    switch (param_name) {
    case CL_EVENT_COMMAND_QUEUE:
        YK_INFO(cl_command_queue, (cl_command_queue)(void *)ev->queue);
    case CL_EVENT_CONTEXT:
        YK_INFO(cl_context, (cl_context)(void *)ev->ctx);
    case CL_EVENT_COMMAND_TYPE:
        YK_INFO(cl_command_type, ev->type);
    case CL_EVENT_COMMAND_EXECUTION_STATUS:
        YK_INFO(cl_int, yk_event_status(ev));
    case CL_EVENT_REFERENCE_COUNT:
        YK_INFO(cl_uint, yk_handle_refs(&ev->h));
    default:
        return CL_INVALID_VALUE;
    }
}

cl_event yk_api_CreateUserEvent(cl_context context, cl_int *errcode_ret)
{
    struct yk_context *ctx = yk_context_from(context);
    struct yk_event *ev = ctx ? yk_event_create(ctx, NULL, CL_COMMAND_USER) : NULL;
    if (ev)
        __atomic_add_fetch(&ctx->open_user_events, 1, __ATOMIC_RELAXED);
    yk_set_err(errcode_ret, !ctx ? CL_INVALID_CONTEXT : !ev ? CL_OUT_OF_HOST_MEMORY : CL_SUCCESS);
    return (cl_event)(void *)ev;
}

cl_int yk_api_RetainEvent(cl_event event)
{
    struct yk_event *ev = yk_event_from(event);
    if (!ev)
        return CL_INVALID_EVENT;
    yk_handle_retain(&ev->h);
    return CL_SUCCESS;
}

cl_int yk_api_ReleaseEvent(cl_event event)
{
    struct yk_event *ev = yk_event_from(event);
    if (!ev || !yk_handle_owned(&ev->h))
        return CL_INVALID_EVENT;
    yk_handle_release(&ev->h);
    return CL_SUCCESS;
}

cl_int yk_api_SetUserEventStatus(cl_event event, cl_int execution_status)
{
    struct yk_event *ev = yk_event_from(event);
    if (!ev || ev->type != CL_COMMAND_USER)
        return CL_INVALID_EVENT;
    if (execution_status > CL_COMPLETE)
        return CL_INVALID_VALUE;
    cl_int expected = CL_SUBMITTED;
    /* Only once; the winner tells the waiters. */
    yk_lock_take(&ev->lock);
    bool first = __atomic_compare_exchange_n(&ev->status, &expected, execution_status, false, __ATOMIC_ACQ_REL,
                                             __ATOMIC_ACQUIRE);
    yk_lock_drop(&ev->lock);
    if (!first)
        return CL_INVALID_OPERATION;
    __atomic_sub_fetch(&ev->ctx->open_user_events, 1, __ATOMIC_RELAXED); /* who is woken next may release EV */
    yk_event_set(ev, execution_status);
    yk_callback_due();
    return CL_SUCCESS;
}

cl_int yk_api_SetEventCallback(cl_event event, cl_int command_exec_callback_type,
                               void (*pfn_notify)(cl_event event, cl_int event_command_status, void *user_data),
                               void *user_data)
{
    struct yk_event *ev = yk_event_from(event);
    if (!ev)
        return CL_INVALID_EVENT;
    if (!pfn_notify || command_exec_callback_type < CL_COMPLETE || command_exec_callback_type > CL_SUBMITTED)
        return CL_INVALID_VALUE;
    return yk_event_on(ev, command_exec_callback_type, pfn_notify, user_data);
}

cl_int yk_api_GetEventProfilingInfo(cl_event event, cl_profiling_info param_name, size_t param_value_size,
                                    void *param_value, size_t *param_value_size_ret)
{
    struct yk_event *ev = yk_event_from(event);
    if (!ev)
        return CL_INVALID_EVENT;
    if (!ev->profiled || yk_event_status(ev) != CL_COMPLETE)
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    cl_ulong t;
    cl_int err = yk_event_time(ev, param_name, &t);
    return err == CL_SUCCESS ? yk_answer(&t, sizeof t, param_value_size, param_value, param_value_size_ret) : err;
}
