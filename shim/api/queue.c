/* Command-queue entry points. */
#include "device/opencl/icd.h"
#include "shim/queue/gather.h"
#include "shim/queue/queue.h"
#include "shim/api/api.h"

/* Some drivers end the process instead of saying that they have no queues on the device. */
static bool unheard_of(cl_command_queue_properties bits)
{
    const struct yk_device *d = yk_rt.primary;
    cl_command_queue_properties there = 0;
    return bits & CL_QUEUE_ON_DEVICE && (d->cl->GetDeviceInfo(d->id, CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, sizeof there,
                                                              &there, NULL) != CL_SUCCESS ||
                                         !there);
}

static cl_command_queue create(cl_context context, cl_device_id device, cl_command_queue_properties properties,
                               const cl_queue_properties *list, cl_int *errcode_ret)
{
    struct yk_context *ctx = yk_context_from(context);
    cl_int err = !ctx                              ? CL_INVALID_CONTEXT
                 : !yk_context_device(ctx, device) ? CL_INVALID_DEVICE
                 : list && unheard_of(properties)  ? CL_INVALID_QUEUE_PROPERTIES
                                                   : CL_SUCCESS;
    struct yk_queue *q = err == CL_SUCCESS ? yk_queue_create(ctx, device, properties, list, &err) : NULL;
    yk_set_err(errcode_ret, err);
    return (cl_command_queue)(void *)q;
}

cl_command_queue yk_api_CreateCommandQueue(cl_context context, cl_device_id device,
                                           cl_command_queue_properties properties, cl_int *errcode_ret)
{
    return create(context, device, properties, NULL, errcode_ret);
}

cl_command_queue yk_api_CreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                         const cl_queue_properties *properties, cl_int *errcode_ret)
{
    static const cl_queue_properties none[] = {0};
    cl_command_queue_properties bits = 0;
    for (const cl_queue_properties *p = properties; p && *p; p += 2)
        if (*p == CL_QUEUE_PROPERTIES)
            bits = p[1];
    cl_command_queue q = create(context, device, bits, properties ? properties : none, errcode_ret);
    if (q && !properties) /* the answer to a query then */
        ((struct yk_queue *)(void *)q)->nproperty_list = 0;
    return q;
}

cl_int yk_api_RetainCommandQueue(cl_command_queue command_queue)
{
    struct yk_queue *q = yk_queue_from(command_queue);
    if (!q)
        return CL_INVALID_COMMAND_QUEUE;
    yk_handle_retain(&q->h);
    return CL_SUCCESS;
}

cl_int yk_api_ReleaseCommandQueue(cl_command_queue command_queue)
{
    struct yk_queue *q = yk_queue_from(command_queue);
    if (!q || !yk_handle_owned(&q->h))
        return CL_INVALID_COMMAND_QUEUE;
    yk_queue_release(q);
    return CL_SUCCESS;
}

cl_int yk_api_GetCommandQueueInfo(cl_command_queue command_queue, cl_command_queue_info param_name,
                                  size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
    struct yk_queue *q = yk_queue_from(command_queue);
    if (!q)
        return CL_INVALID_COMMAND_QUEUE;
    switch (param_name) {
    case CL_QUEUE_CONTEXT:
        YK_INFO(cl_context, (cl_context)(void *)q->ctx);
    case CL_QUEUE_DEVICE:
        YK_INFO(cl_device_id, q->device);
    case CL_QUEUE_REFERENCE_COUNT:
        YK_INFO(cl_uint, yk_handle_refs(&q->h));
    case CL_QUEUE_PROPERTIES_ARRAY:
        /* An empty list given is an answer of one 0; no list given, or the older call, one of nothing. */
        return yk_answer(q->property_list, q->nproperty_list * sizeof *q->property_list, param_value_size, param_value,
                         param_value_size_ret);
    case CL_QUEUE_DEVICE_DEFAULT: {
        cl_command_queue real = NULL; /* the driver's word on whether there is one; its handle is none of the app's */
        cl_int err = YK_CL_P->GetCommandQueueInfo(q->real, param_name, sizeof real, &real, NULL);
        if (err != CL_SUCCESS)
            return err;
        YK_INFO(cl_command_queue,
                real ? (cl_command_queue)__atomic_load_n(&q->ctx->default_queue, __ATOMIC_ACQUIRE) : NULL);
    }
    default:
        return YK_CL_P->GetCommandQueueInfo(q->real, param_name, param_value_size, param_value, param_value_size_ret);
    }
}

cl_int yk_api_SetCommandQueueProperty(cl_command_queue command_queue, cl_command_queue_properties properties,
                                      cl_bool enable, cl_command_queue_properties *old_properties)
{
    struct yk_queue *q = yk_queue_from(command_queue);
    if (!q)
        return CL_INVALID_COMMAND_QUEUE;
    if (properties & ~(cl_command_queue_properties)(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE))
        return CL_INVALID_VALUE;
    if (!yk_icd_sets_queue_property(YK_CL_P, yk_rt.primary->platform, q->real))
        return CL_INVALID_OPERATION;
    yk_gather_drain(q);
    cl_int err = YK_CL_P->SetCommandQueueProperty(q->real, properties, enable, old_properties);
    if (err == CL_SUCCESS)
        q->properties = enable ? q->properties | properties : q->properties & ~properties;
    return err;
}

cl_int yk_api_SetDefaultDeviceCommandQueue(cl_context context, cl_device_id device, cl_command_queue command_queue)
{
    struct yk_context *ctx = yk_context_from(context);
    struct yk_queue *q = yk_queue_from(command_queue);
    if (!ctx)
        return CL_INVALID_CONTEXT;
    /* Before everything else, where there are no such queues at all. */
    cl_device_device_enqueue_capabilities can = CL_DEVICE_QUEUE_SUPPORTED;
    if (yk_rt.primary->version >= 300)
        YK_CL_P->GetDeviceInfo(yk_rt.primary->id, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, sizeof can, &can, NULL);
    if (!can)
        return CL_INVALID_OPERATION;
    cl_device_id real = yk_context_device(ctx, device);
    if (!real)
        return CL_INVALID_DEVICE;
    if (!q)
        return CL_INVALID_COMMAND_QUEUE;
    cl_int err = YK_CL_P->SetDefaultDeviceCommandQueue(ctx->real[YK_P], real, q->real);
    if (err == CL_SUCCESS)
        __atomic_store_n(&ctx->default_queue, q, __ATOMIC_RELEASE);
    return err;
}

cl_int yk_api_Flush(cl_command_queue command_queue)
{
    struct yk_queue *q = yk_queue_from(command_queue);
    if (!q)
        return CL_INVALID_COMMAND_QUEUE;
    yk_gather_mark(q);
    yk_gather_drain(q);
    yk_queue_ask(q);
    return YK_CL_P->Flush(q->real);
}

cl_int yk_api_Finish(cl_command_queue command_queue)
{
    struct yk_queue *q = yk_queue_from(command_queue);
    return q ? yk_queue_finish(q) : CL_INVALID_COMMAND_QUEUE;
}
