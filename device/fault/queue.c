/* Command-queues of a followed device: failures without an event come at clFinish; a modelled device needs the driver's
 * times, so its queues profile whether the app asked for it or not. */
#include <stdlib.h>
#include <string.h>
#include "device/fault/slot.h"

cl_int yk_fault_Finish(cl_command_queue queue)
{
    struct yk_fault_slot *s = yk_fault_current;
    cl_int rc = s->below->Finish(queue);
    if (rc != CL_SUCCESS)
        return rc;
    uint64_t end = 0;
    pthread_mutex_lock(&s->lock);
    if (s->timed)
        yk_fault_settle(s);
    for (struct yk_fault_queue *q = s->queues; q; q = q->next) {
        if (q->handle != queue)
            continue;
        rc = q->failure;
        q->failure = CL_SUCCESS;
        end = q->end;
    }
    pthread_mutex_unlock(&s->lock);
    yk_fault_sleep_until(end);
    return rc;
}

static cl_command_queue note(struct yk_fault_slot *s, cl_command_queue queue, cl_command_queue_properties p,
                             cl_int *err)
{
    if (!queue)
        return NULL;
    pthread_mutex_lock(&s->lock);
    struct yk_fault_queue *q = yk_fault_queue_of(s, queue);
    if (q) {
        q->profiling = p & CL_QUEUE_PROFILING_ENABLE;
        q->in_order = !(p & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    }
    bool calibrate = q && s->timed && !s->calibrated;
    pthread_mutex_unlock(&s->lock);
    if (calibrate)
        yk_fault_calibrate(s, queue);
    if (q)
        return queue;
    s->below->ReleaseCommandQueue(queue);
    if (err)
        *err = CL_OUT_OF_HOST_MEMORY;
    return NULL;
}

cl_command_queue yk_fault_CreateCommandQueue(cl_context context, cl_device_id device,
                                             cl_command_queue_properties properties, cl_int *err)
{
    struct yk_fault_slot *s = yk_fault_current;
    cl_command_queue_properties real = properties | (s->timed ? CL_QUEUE_PROFILING_ENABLE : 0);
    return note(s, s->below->CreateCommandQueue(context, device, real, err), properties, err);
}

cl_command_queue yk_fault_CreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                           const cl_queue_properties *properties, cl_int *err)
{
    struct yk_fault_slot *s = yk_fault_current;
    cl_queue_properties real[32] = {CL_QUEUE_PROPERTIES, 0}; /* more pairs than OpenCL has names for */
    cl_command_queue_properties asked = 0;
    size_t n = 2;
    for (const cl_queue_properties *p = properties; p && *p && n + 3 < sizeof real / sizeof *real; p += 2) {
        if (*p == CL_QUEUE_PROPERTIES) {
            asked = p[1];
            continue;
        }
        real[n++] = p[0];
        real[n++] = p[1];
    }
    real[1] = asked | (s->timed ? CL_QUEUE_PROFILING_ENABLE : 0);
    return note(s, s->below->CreateCommandQueueWithProperties(context, device, s->timed ? real : properties, err),
                asked, err);
}

cl_int yk_fault_ReleaseCommandQueue(cl_command_queue queue)
{
    struct yk_fault_slot *s = yk_fault_current;
    cl_uint refs = 0;
    bool last =
        s->below->GetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof refs, &refs, NULL) == CL_SUCCESS &&
        refs == 1;
    if (last) {
        /* What it still holds keeps its times, under no handle: the driver may give the handle to a new queue. */
        pthread_mutex_lock(&s->lock);
        for (struct yk_fault_queue **at = &s->queues, *q; (q = *at);) {
            if (q->handle == queue)
                q->handle = NULL;
            if (!q->handle && !q->records) {
                *at = q->next;
                free(q);
            } else {
                at = &q->next;
            }
        }
        pthread_mutex_unlock(&s->lock);
    }
    return s->below->ReleaseCommandQueue(queue);
}

cl_int yk_fault_GetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info name, size_t size, void *value,
                                    size_t *size_ret)
{
    struct yk_fault_slot *s = yk_fault_current;
    cl_int rc = s->below->GetCommandQueueInfo(queue, name, size, value, size_ret);
    if (rc != CL_SUCCESS || name != CL_QUEUE_PROPERTIES || !value || !s->timed)
        return rc;
    pthread_mutex_lock(&s->lock);
    struct yk_fault_queue *q = yk_fault_queue_of(s, queue);
    if (q && !q->profiling)
        *(cl_command_queue_properties *)value &= ~(cl_command_queue_properties)CL_QUEUE_PROFILING_ENABLE;
    pthread_mutex_unlock(&s->lock);
    return rc;
}
