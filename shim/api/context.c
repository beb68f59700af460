/* Context entry points. */
#include "shim/core/context.h"
#include <stdlib.h>
#include "device/link/host_copy.h"
#include "shim/api/api.h"
#include "shim/core/subdevice.h"
#include "shim/core/unasked.h"
#include "shim/memory/store.h"
#include "shim/queue/ahead.h"
#include "shim/queue/callback.h"
#include "shim/queue/remember.h"

static cl_int check_properties(const cl_context_properties *p)
{
    bool platform = false;
    for (; p && *p; p += 2) {
        if (*p == CL_CONTEXT_PLATFORM) {
            if (platform)
                return CL_INVALID_PROPERTY;
            platform = true;
            if ((cl_platform_id)p[1] != yk_platform())
                return CL_INVALID_PLATFORM;
        }
    }
    return CL_SUCCESS;
}

typedef void(CL_CALLBACK *notify_fn)(const char *errinfo, const void *private_info, size_t cb, void *user_data);

static cl_context create(const cl_context_properties *properties, cl_uint num_devices, const cl_device_id *devices,
                         notify_fn fn, void *data, cl_int *errcode_ret)
{
    const struct yk_context_errors errors = {fn, data, yk_callback_post};
    cl_int err = check_properties(properties);
    if (err == CL_SUCCESS)
        yk_remember_start();
    struct yk_context *ctx =
        err == CL_SUCCESS ? yk_context_create(properties, num_devices, devices, fn ? &errors : NULL, &err) : NULL;
    if (ctx) {
        yk_ahead_contexts(ctx);
        yk_unasked_ask();
    }
    if (ctx && yk_store_in_masters())
        yk_host_copy_ready();
    yk_set_err(errcode_ret, err);
    return (cl_context)(void *)ctx;
}

cl_context
yk_api_CreateContext(const cl_context_properties *properties, cl_uint num_devices, const cl_device_id *devices,
                     void (*pfn_notify)(const char *errinfo, const void *private_info, size_t cb, void *user_data),
                     void *user_data, cl_int *errcode_ret)
{
    cl_int err = !devices || !num_devices || (!pfn_notify && user_data) ? CL_INVALID_VALUE : CL_SUCCESS;
    for (cl_uint i = 0; i < num_devices && err == CL_SUCCESS; i++)
        if (!yk_device_real(devices[i]))
            err = CL_INVALID_DEVICE;
    if (err != CL_SUCCESS) {
        yk_set_err(errcode_ret, err);
        return NULL;
    }
    return create(properties, num_devices, devices, pfn_notify, user_data, errcode_ret);
}

cl_context yk_api_CreateContextFromType(const cl_context_properties *properties, cl_device_type device_type,
                                        void (*pfn_notify)(const char *errinfo, const void *private_info, size_t cb,
                                                           void *user_data),
                                        void *user_data, cl_int *errcode_ret)
{
    cl_device_id device;
    cl_int err = !pfn_notify && user_data ? CL_INVALID_VALUE : yk_api_GetDeviceIDs(NULL, device_type, 1, &device, NULL);
    if (err != CL_SUCCESS) {
        yk_set_err(errcode_ret, err);
        return NULL;
    }
    return create(properties, 1, &device, pfn_notify, user_data, errcode_ret);
}

cl_int yk_api_RetainContext(cl_context context)
{
    struct yk_context *ctx = yk_context_from(context);
    if (!ctx)
        return CL_INVALID_CONTEXT;
    yk_handle_retain(&ctx->h);
    return CL_SUCCESS;
}

cl_int yk_api_ReleaseContext(cl_context context)
{
    struct yk_context *ctx = yk_context_from(context);
    if (!ctx || !yk_handle_owned(&ctx->h))
        return CL_INVALID_CONTEXT;
    yk_handle_release(&ctx->h);
    return CL_SUCCESS;
}

cl_int yk_api_GetContextInfo(cl_context context, cl_context_info param_name, size_t param_value_size, void *param_value,
                             size_t *param_value_size_ret)
{
    struct yk_context *ctx = yk_context_from(context);
    if (!ctx)
        return CL_INVALID_CONTEXT;
    switch (param_name) {
    case CL_CONTEXT_REFERENCE_COUNT:
        YK_INFO(cl_uint, yk_handle_refs(&ctx->h));
    case CL_CONTEXT_NUM_DEVICES:
        YK_INFO(cl_uint, ctx->ndevices);
    case CL_CONTEXT_DEVICES:
        return yk_answer(ctx->device, ctx->ndevices * sizeof *ctx->device, param_value_size, param_value,
                         param_value_size_ret);
    case CL_CONTEXT_PROPERTIES:
        return yk_answer(ctx->properties, ctx->nproperties * sizeof *ctx->properties, param_value_size, param_value,
                         param_value_size_ret);
    default:
        return YK_CL_P->GetContextInfo(ctx->real[YK_P], param_name, param_value_size, param_value,
                                       param_value_size_ret);
    }
}

cl_int yk_api_SetContextDestructorCallback(cl_context context, void (*pfn_notify)(cl_context context, void *user_data),
                                           void *user_data)
{
    struct yk_context *ctx = yk_context_from(context);
    if (!ctx)
        return CL_INVALID_CONTEXT;
    if (!pfn_notify)
        return CL_INVALID_VALUE;
    struct yk_context_notify *n = malloc(sizeof *n);
    if (!n)
        return CL_OUT_OF_HOST_MEMORY;
    n->fn = pfn_notify;
    n->data = user_data;
    yk_lock_take(&ctx->lock);
    n->next = ctx->on_destroy;
    ctx->on_destroy = n;
    yk_lock_drop(&ctx->lock);
    return CL_SUCCESS;
}
