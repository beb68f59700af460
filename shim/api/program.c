/* Program entry points. */
#include "shim/object/program.h"
#include <stdlib.h>
#include "base/clock.h"
#include "shim/api/api.h"
#include "shim/queue/callback.h"

/* The strings of clCreateProgramWithSource as one. NULL: no memory. */
static char *join(cl_uint count, const char **strings, const size_t *lengths)
{
    size_t n = 1;
    for (cl_uint i = 0; i < count; i++)
        n += lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
    char *all = malloc(n), *p = all;
    for (cl_uint i = 0; all && i < count; i++) {
        size_t k = lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
        memcpy(p, strings[i], k);
        p += k;
    }
    if (all)
        *p = 0;
    return all;
}

static cl_program wrap(struct yk_context *ctx, enum yk_program_origin origin, cl_program real, const char *source,
                       cl_int err, cl_int *errcode_ret)
{
    struct yk_program *p = real ? yk_program_wrap(ctx, origin, real, source) : NULL;
    yk_set_err(errcode_ret, real && !p ? CL_OUT_OF_HOST_MEMORY : err);
    return (cl_program)(void *)p;
}

static bool only_our_device(cl_uint num_devices, const cl_device_id *device_list)
{
    for (cl_uint i = 0; i < num_devices; i++)
        if (device_list[i] != yk_device())
            return false;
    return true;
}

/* CL_SUCCESS, or why a device list is wrong. */
static cl_int check_devices(cl_uint num_devices, const cl_device_id *device_list)
{
    if ((device_list == NULL) != (num_devices == 0))
        return CL_INVALID_VALUE;
    return only_our_device(num_devices, device_list) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

cl_program yk_api_CreateProgramWithSource(cl_context context, cl_uint count, const char **strings,
                                          const size_t *lengths, cl_int *errcode_ret)
{
    struct yk_context *ctx = yk_context_from(context);
    cl_int err = !ctx ? CL_INVALID_CONTEXT : !count || !strings ? CL_INVALID_VALUE : CL_SUCCESS;
    for (cl_uint i = 0; err == CL_SUCCESS && i < count; i++)
        if (!strings[i])
            err = CL_INVALID_VALUE;
    char *source = err == CL_SUCCESS ? join(count, strings, lengths) : NULL;
    if (err == CL_SUCCESS && !source)
        err = CL_OUT_OF_HOST_MEMORY;
    if (err != CL_SUCCESS) {
        yk_set_err(errcode_ret, err);
        return NULL;
    }
    cl_program real = YK_CL_P->CreateProgramWithSource(ctx->real[YK_P], count, strings, lengths, &err);
    cl_program p = wrap(ctx, YK_PROGRAM_SOURCE, real, source, err, errcode_ret);
    free(source);
    return p;
}

cl_program yk_api_CreateProgramWithBinary(cl_context context, cl_uint num_devices, const cl_device_id *device_list,
                                          const size_t *lengths, const unsigned char **binaries, cl_int *binary_status,
                                          cl_int *errcode_ret)
{
    struct yk_context *ctx = yk_context_from(context);
    cl_int err = !ctx                                                        ? CL_INVALID_CONTEXT
                 : !device_list || num_devices != 1 || !lengths || !binaries ? CL_INVALID_VALUE
                 : only_our_device(num_devices, device_list)                 ? CL_SUCCESS
                                                                             : CL_INVALID_DEVICE;
    if (err != CL_SUCCESS) {
        yk_set_err(errcode_ret, err);
        return NULL;
    }
    cl_program real = YK_CL_P->CreateProgramWithBinary(ctx->real[YK_P], 1, &yk_rt.primary->id, lengths, binaries,
                                                       binary_status, &err);
    return wrap(ctx, YK_PROGRAM_BINARY, real, NULL, err, errcode_ret);
}

cl_program yk_api_CreateProgramWithIL(cl_context context, const void *il, size_t length, cl_int *errcode_ret)
{
    struct yk_context *ctx = yk_context_from(context);
    if (!ctx) {
        yk_set_err(errcode_ret, CL_INVALID_CONTEXT);
        return NULL;
    }
    cl_int err = CL_SUCCESS;
    cl_program real = YK_CL_P->CreateProgramWithIL(ctx->real[YK_P], il, length, &err);
    return wrap(ctx, YK_PROGRAM_IL, real, NULL, err, errcode_ret);
}

cl_program yk_api_CreateProgramWithBuiltInKernels(cl_context context, cl_uint num_devices,
                                                  const cl_device_id *device_list, const char *kernel_names,
                                                  cl_int *errcode_ret)
{
    struct yk_context *ctx = yk_context_from(context);
    cl_int err = !ctx                                                ? CL_INVALID_CONTEXT
                 : !device_list || num_devices != 1 || !kernel_names ? CL_INVALID_VALUE
                 : only_our_device(num_devices, device_list)         ? CL_SUCCESS
                                                                     : CL_INVALID_DEVICE;
    if (err != CL_SUCCESS) {
        yk_set_err(errcode_ret, err);
        return NULL;
    }
    cl_program real =
        YK_CL_P->CreateProgramWithBuiltInKernels(ctx->real[YK_P], 1, &yk_rt.primary->id, kernel_names, &err);
    cl_program p = wrap(ctx, YK_PROGRAM_BUILTIN, real, NULL, err, errcode_ret);
    if (p && yk_program_built((struct yk_program *)(void *)p, NULL, 0) != CL_SUCCESS) {
        yk_handle_release((struct yk_handle *)(void *)p);
        yk_set_err(errcode_ret, CL_OUT_OF_HOST_MEMORY);
        return NULL;
    }
    return p;
}

cl_int yk_api_RetainProgram(cl_program program)
{
    struct yk_program *p = yk_program_from(program);
    if (!p)
        return CL_INVALID_PROGRAM;
    yk_handle_retain(&p->h);
    return CL_SUCCESS;
}

cl_int yk_api_ReleaseProgram(cl_program program)
{
    struct yk_program *p = yk_program_from(program);
    if (!p)
        return CL_INVALID_PROGRAM;
    yk_handle_release(&p->h);
    return CL_SUCCESS;
}

/* The app's notify function, called from yoke's own thread. */
struct notify {
    struct yk_program *p;
    char *options;
    void (*fn)(cl_program, void *);
    void *data;
    bool build; /* else compile or link: nothing is left to do */
};

static cl_int build_now(struct yk_program *p, const char *options)
{
    uint64_t start = yk_now_ns();
    cl_int err = YK_CL_P->BuildProgram(p->real, 1, &yk_rt.primary->id, options, NULL, NULL);
    return err == CL_SUCCESS ? yk_program_built(p, options, (double)(yk_now_ns() - start) * 1e-9) : err;
}

static void run_notify(void *arg)
{
    struct notify *n = arg;
    if (n->build)
        build_now(n->p, n->options);
    n->fn((cl_program)(void *)n->p, n->data);
    yk_drop(&n->p->h);
    free(n->options);
    free(n);
}

/* Call FN on the callback thread, for BUILD after building there. */
static cl_int notify_later(struct yk_program *p, const char *options, void (*fn)(cl_program, void *), void *data,
                           bool build)
{
    struct notify *n = calloc(1, sizeof *n);
    if (!n)
        return CL_OUT_OF_HOST_MEMORY;
    *n = (struct notify){p, options ? strdup(options) : NULL, fn, data, build};
    if (options && !n->options) {
        free(n);
        return CL_OUT_OF_HOST_MEMORY;
    }
    yk_hold(&p->h);
    if (yk_callback_post(run_notify, n))
        return CL_SUCCESS;
    yk_drop(&p->h);
    free(n->options);
    free(n);
    return CL_OUT_OF_RESOURCES;
}

cl_int yk_api_BuildProgram(cl_program program, cl_uint num_devices, const cl_device_id *device_list,
                           const char *options, void (*pfn_notify)(cl_program program, void *user_data),
                           void *user_data)
{
    struct yk_program *p = yk_program_from(program);
    if (!p)
        return CL_INVALID_PROGRAM;
    cl_int err = !pfn_notify && user_data ? CL_INVALID_VALUE : check_devices(num_devices, device_list);
    if (err != CL_SUCCESS)
        return err;
    if (__atomic_load_n(&p->kernels, __ATOMIC_RELAXED))
        return CL_INVALID_OPERATION;
    if (pfn_notify)
        return notify_later(p, options, pfn_notify, user_data, true);
    return build_now(p, options);
}

cl_int yk_api_CompileProgram(cl_program program, cl_uint num_devices, const cl_device_id *device_list,
                             const char *options, cl_uint num_input_headers, const cl_program *input_headers,
                             const char **header_include_names, void (*pfn_notify)(cl_program program, void *user_data),
                             void *user_data)
{
    struct yk_program *p = yk_program_from(program);
    if (!p)
        return CL_INVALID_PROGRAM;
    cl_int err = !pfn_notify && user_data ? CL_INVALID_VALUE : check_devices(num_devices, device_list);
    if (err == CL_SUCCESS && (!num_input_headers != !input_headers || !num_input_headers != !header_include_names))
        err = CL_INVALID_VALUE;
    if (err == CL_SUCCESS && __atomic_load_n(&p->kernels, __ATOMIC_RELAXED))
        err = CL_INVALID_OPERATION;
    if (err != CL_SUCCESS)
        return err;
    cl_program *headers = num_input_headers && input_headers ? malloc(num_input_headers * sizeof *headers) : NULL;
    if (num_input_headers && input_headers && !headers)
        return CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; headers && i < num_input_headers; i++) {
        struct yk_program *h = yk_program_from(input_headers[i]);
        if (!h) {
            free(headers);
            return CL_INVALID_PROGRAM;
        }
        headers[i] = h->real;
    }
    err = YK_CL_P->CompileProgram(p->real, 1, &yk_rt.primary->id, options, num_input_headers, headers,
                                  header_include_names, NULL, NULL);
    free(headers);
    if (pfn_notify && (err == CL_SUCCESS || err == CL_COMPILE_PROGRAM_FAILURE))
        return notify_later(p, NULL, pfn_notify, user_data, false);
    return err;
}

cl_program yk_api_LinkProgram(cl_context context, cl_uint num_devices, const cl_device_id *device_list,
                              const char *options, cl_uint num_input_programs, const cl_program *input_programs,
                              void (*pfn_notify)(cl_program program, void *user_data), void *user_data,
                              cl_int *errcode_ret)
{
    struct yk_context *ctx = yk_context_from(context);
    cl_int err = !ctx                                                                   ? CL_INVALID_CONTEXT
                 : !num_input_programs || !input_programs || (!pfn_notify && user_data) ? CL_INVALID_VALUE
                                                                                        : CL_SUCCESS;
    if (err == CL_SUCCESS)
        err = check_devices(num_devices, device_list);
    cl_program *inputs = err == CL_SUCCESS ? malloc(num_input_programs * sizeof *inputs) : NULL;
    if (err == CL_SUCCESS && !inputs)
        err = CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; err == CL_SUCCESS && i < num_input_programs; i++) {
        struct yk_program *in = yk_program_from(input_programs[i]);
        if (in)
            inputs[i] = in->real;
        else
            err = CL_INVALID_PROGRAM;
    }
    cl_program real = NULL;
    if (err == CL_SUCCESS)
        real = YK_CL_P->LinkProgram(ctx->real[YK_P], 1, &yk_rt.primary->id, options, num_input_programs, inputs, NULL,
                                    NULL, &err);
    free(inputs);
    cl_program p = ctx ? wrap(ctx, YK_PROGRAM_LINKED, real, NULL, err, errcode_ret) : NULL;
    if (!ctx)
        yk_set_err(errcode_ret, err);
    if (p && err == CL_SUCCESS)
        yk_program_built((struct yk_program *)(void *)p, options, 0);
    if (p && pfn_notify)
        notify_later((struct yk_program *)(void *)p, NULL, pfn_notify, user_data, false);
    return p;
}

cl_int yk_api_SetProgramReleaseCallback(cl_program program, void (*pfn_notify)(cl_program program, void *user_data),
                                        void *user_data)
{
    (void)user_data;
    if (!yk_program_from(program))
        return CL_INVALID_PROGRAM;
    /* Deprecated and optional: for destructors of program-scope objects, which no device here has. */
    return pfn_notify ? CL_INVALID_OPERATION : CL_INVALID_VALUE;
}

cl_int yk_api_SetProgramSpecializationConstant(cl_program program, cl_uint spec_id, size_t spec_size,
                                               const void *spec_value)
{
    struct yk_program *p = yk_program_from(program);
    return p ? YK_CL_P->SetProgramSpecializationConstant(p->real, spec_id, spec_size, spec_value) : CL_INVALID_PROGRAM;
}

cl_int yk_api_GetProgramInfo(cl_program program, cl_program_info param_name, size_t param_value_size, void *param_value,
                             size_t *param_value_size_ret)
{
    struct yk_program *p = yk_program_from(program);
    if (!p)
        return CL_INVALID_PROGRAM;
    switch (param_name) {
    case CL_PROGRAM_REFERENCE_COUNT:
        YK_INFO(cl_uint, yk_handle_refs(&p->h));
    case CL_PROGRAM_CONTEXT:
        YK_INFO(cl_context, (cl_context)(void *)p->ctx);
    case CL_PROGRAM_NUM_DEVICES:
        YK_INFO(cl_uint, 1);
    case CL_PROGRAM_DEVICES:
        YK_INFO(cl_device_id, yk_device());
    default: /* source, binaries (the primary's), kernels */
        return YK_CL_P->GetProgramInfo(p->real, param_name, param_value_size, param_value, param_value_size_ret);
    }
}

cl_int yk_api_GetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info param_name,
                                  size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
    struct yk_program *p = yk_program_from(program);
    if (!p)
        return CL_INVALID_PROGRAM;
    if (device != yk_device())
        return CL_INVALID_DEVICE;
    return YK_CL_P->GetProgramBuildInfo(p->real, yk_rt.primary->id, param_name, param_value_size, param_value,
                                        param_value_size_ret);
}
