/* Kernel entry points. */
#include "shim/object/kernel.h"
#include <stdlib.h>
#include "shim/api/api.h"

static cl_kernel wrap(struct yk_program *p, cl_kernel real, cl_int err, cl_int *errcode_ret)
{
    struct yk_kernel *k = NULL;
    if (real) {
        struct yk_build *b = yk_program_build(p);
        if (!b && yk_program_is_built(p, NULL) == CL_SUCCESS) /* built by its creation (a binary of an executable) */
            b = yk_program_build(p);
        if (b) {
            k = yk_kernel_wrap(p, b, real, &err);
            yk_build_drop(b);
        } else {
            YK_CL_P->ReleaseKernel(real);
            err = CL_OUT_OF_HOST_MEMORY;
        }
    }
    yk_set_err(errcode_ret, err);
    return (cl_kernel)(void *)k;
}

cl_kernel yk_api_CreateKernel(cl_program program, const char *kernel_name, cl_int *errcode_ret)
{
    struct yk_program *p = yk_program_from(program);
    if (!p) {
        yk_set_err(errcode_ret, CL_INVALID_PROGRAM);
        return NULL;
    }
    cl_int err = CL_SUCCESS;
    cl_kernel real = YK_CL_P->CreateKernel(p->real, kernel_name, &err);
    return wrap(p, real, err, errcode_ret);
}

cl_int yk_api_CreateKernelsInProgram(cl_program program, cl_uint num_kernels, cl_kernel *kernels,
                                     cl_uint *num_kernels_ret)
{
    struct yk_program *p = yk_program_from(program);
    if (!p)
        return CL_INVALID_PROGRAM;
    cl_uint n = 0;
    cl_int err = YK_CL_P->CreateKernelsInProgram(p->real, num_kernels, kernels, &n);
    if (num_kernels_ret && err == CL_SUCCESS)
        *num_kernels_ret = n;
    if (err != CL_SUCCESS || !kernels)
        return err;
    for (cl_uint i = 0; i < n; i++) {
        cl_kernel real = kernels[i];
        kernels[i] = wrap(p, real, CL_SUCCESS, &err);
        if (!kernels[i]) {
            for (cl_uint j = 0; j < n; j++)
                if (j < i)
                    yk_handle_release((struct yk_handle *)(void *)kernels[j]);
                else if (j > i)
                    YK_CL_P->ReleaseKernel(kernels[j]);
            return err;
        }
    }
    return CL_SUCCESS;
}

cl_kernel yk_api_CloneKernel(cl_kernel source_kernel, cl_int *errcode_ret)
{
    struct yk_kernel *k = yk_kernel_from(source_kernel);
    if (!k) {
        yk_set_err(errcode_ret, CL_INVALID_KERNEL);
        return NULL;
    }
    cl_int err = yk_kernel_settle(k);
    cl_kernel real = err == CL_SUCCESS ? YK_CL_P->CloneKernel(k->fast.real, &err) : NULL;
    struct yk_kernel *c = real ? yk_kernel_wrap(k->program, k->code->build, real, &err) : NULL;
    for (unsigned i = 0; c && i < k->nargs; i++) {
        bool ok = true;
        if (k->value[i].kind == YK_VALUE_BYTES)
            ok = yk_value_copy(&c->value[i], &k->value[i]);
        else
            c->value[i] = k->value[i];
        if (!ok) {
            yk_handle_release(&c->h);
            c = NULL;
            err = CL_OUT_OF_HOST_MEMORY;
        }
    }
    if (c) {
        c->unset = k->unset;
        c->foreign = k->foreign;
        c->exec = yk_exec_info_hold(k->exec);
    }
    yk_set_err(errcode_ret, err);
    return (cl_kernel)(void *)c;
}

cl_int yk_api_RetainKernel(cl_kernel kernel)
{
    struct yk_kernel *k = yk_kernel_from(kernel);
    if (!k)
        return CL_INVALID_KERNEL;
    yk_handle_retain(&k->h);
    return CL_SUCCESS;
}

cl_int yk_api_ReleaseKernel(cl_kernel kernel)
{
    struct yk_kernel *k = yk_kernel_from(kernel);
    if (!k || !yk_handle_owned(&k->h))
        return CL_INVALID_KERNEL;
    yk_handle_release(&k->h);
    return CL_SUCCESS;
}

cl_int yk_api_SetKernelArg(cl_kernel kernel, cl_uint arg_index, size_t arg_size, const void *arg_value)
{
    struct yk_kernel *k = yk_kernel_from(kernel);
    return k ? yk_kernel_set(k, arg_index, arg_size, arg_value) : CL_INVALID_KERNEL;
}

cl_int yk_api_SetKernelArgSVMPointer(cl_kernel kernel, cl_uint arg_index, const void *arg_value)
{
    struct yk_kernel *k = yk_kernel_from(kernel);
    if (!k)
        return CL_INVALID_KERNEL;
    cl_int err = YK_CL_P->SetKernelArgSVMPointer(k->fast.real, arg_index, arg_value);
    if (err == CL_SUCCESS)
        yk_kernel_note_svm(k, arg_index, arg_value);
    return err;
}

cl_int yk_api_SetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info param_name, size_t param_value_size,
                                const void *param_value)
{
    struct yk_kernel *k = yk_kernel_from(kernel);
    if (!k)
        return CL_INVALID_KERNEL;
    cl_int err = YK_CL_P->SetKernelExecInfo(k->fast.real, param_name, param_value_size, param_value);
    struct yk_exec_info *exec =
        err == CL_SUCCESS && param_value ? yk_exec_info_with(k->exec, param_name, param_value_size, param_value) : NULL;
    if (exec)
        k->exec = exec;
    return err == CL_SUCCESS && param_value && !exec ? CL_OUT_OF_HOST_MEMORY : err;
}

cl_int yk_api_GetKernelInfo(cl_kernel kernel, cl_kernel_info param_name, size_t param_value_size, void *param_value,
                            size_t *param_value_size_ret)
{
    struct yk_kernel *k = yk_kernel_from(kernel);
    if (!k)
        return CL_INVALID_KERNEL;
    switch (param_name) {
    case CL_KERNEL_REFERENCE_COUNT:
        YK_INFO(cl_uint, yk_handle_refs(&k->h));
    case CL_KERNEL_CONTEXT:
        YK_INFO(cl_context, (cl_context)(void *)k->program->ctx);
    case CL_KERNEL_PROGRAM:
        YK_INFO(cl_program, (cl_program)(void *)k->program);
    default:
        return YK_CL_P->GetKernelInfo(k->fast.real, param_name, param_value_size, param_value, param_value_size_ret);
    }
}

cl_int yk_api_GetKernelArgInfo(cl_kernel kernel, cl_uint arg_indx, cl_kernel_arg_info param_name,
                               size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
    struct yk_kernel *k = yk_kernel_from(kernel);
    return k ? YK_CL_P->GetKernelArgInfo(k->fast.real, arg_indx, param_name, param_value_size, param_value,
                                         param_value_size_ret)
             : CL_INVALID_KERNEL;
}

/* The primary's device behind DEVICE; NULL means the one the context has. NULL: it is none of the program's. */
static cl_device_id device_of(const struct yk_kernel *k, cl_device_id device)
{
    const struct yk_context *ctx = k->program->ctx;
    if (!device)
        return ctx->ndevices == 1 ? ctx->real_device[0] : NULL;
    return yk_context_device(ctx, device);
}

cl_int yk_api_GetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info param_name,
                                     size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
    struct yk_kernel *k = yk_kernel_from(kernel);
    if (!k)
        return CL_INVALID_KERNEL;
    cl_device_id real = device_of(k, device);
    if (!real)
        return CL_INVALID_DEVICE;
    return YK_CL_P->GetKernelWorkGroupInfo(k->fast.real, real, param_name, param_value_size, param_value,
                                           param_value_size_ret);
}

cl_int yk_api_GetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info param_name,
                                    size_t input_value_size, const void *input_value, size_t param_value_size,
                                    void *param_value, size_t *param_value_size_ret)
{
    struct yk_kernel *k = yk_kernel_from(kernel);
    if (!k)
        return CL_INVALID_KERNEL;
    cl_device_id real = device_of(k, device);
    if (!real)
        return CL_INVALID_DEVICE;
    return YK_CL_P->GetKernelSubGroupInfo(k->fast.real, real, param_name, input_value_size, input_value,
                                          param_value_size, param_value, param_value_size_ret);
}

cl_int yk_api_GetKernelSubGroupInfoKHR(cl_kernel in_kernel, cl_device_id in_device, cl_kernel_sub_group_info param_name,
                                       size_t input_value_size, const void *input_value, size_t param_value_size,
                                       void *param_value, size_t *param_value_size_ret)
{
    return yk_api_GetKernelSubGroupInfo(in_kernel, in_device, param_name, input_value_size, input_value,
                                        param_value_size, param_value, param_value_size_ret);
}
