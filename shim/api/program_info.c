/* Queries of programs. */
#include <stdlib.h>
#include "shim/api/api.h"
#include "shim/object/program.h"

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
    case CL_PROGRAM_NUM_DEVICES: /* and not the driver's word: PoCL names the whole device for its parts */
        YK_INFO(cl_uint, p->ctx->ndevices);
    case CL_PROGRAM_DEVICES:
        return yk_answer(p->ctx->device, p->ctx->ndevices * sizeof *p->ctx->device, param_value_size, param_value,
                         param_value_size_ret);
    case CL_PROGRAM_BINARY_SIZES:
    case CL_PROGRAM_BINARIES: {
        cl_int err = CL_SUCCESS;
        struct yk_container_image image = yk_program_container(p, &err);
        if (err != CL_SUCCESS)
            return err;
        if (!image.bytes) /* not built from source: the driver's own */
            break;
        if (param_name == CL_PROGRAM_BINARIES) {
            if (param_value && param_value_size >= sizeof(void *) && *(void **)param_value)
                memcpy(*(void **)param_value, image.bytes, image.size);
            err = param_value && param_value_size < sizeof(void *) ? CL_INVALID_VALUE : CL_SUCCESS;
            if (param_value_size_ret && err == CL_SUCCESS)
                *param_value_size_ret = sizeof(void *);
        } else {
            err = yk_answer(&image.size, sizeof image.size, param_value_size, param_value, param_value_size_ret);
        }
        free(image.bytes);
        return err;
    }
    case CL_PROGRAM_SOURCE:
        if (p->asked)
            return yk_answer(p->asked, strlen(p->asked) + 1, param_value_size, param_value, param_value_size_ret);
        break;
    default: /* kernels */
        break;
    }
    return YK_CL_P->GetProgramInfo(p->real, param_name, param_value_size, param_value, param_value_size_ret);
}

cl_int yk_api_GetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info param_name,
                                  size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
    struct yk_program *p = yk_program_from(program);
    if (!p)
        return CL_INVALID_PROGRAM;
    cl_device_id real = yk_context_device(p->ctx, device);
    return real ? YK_CL_P->GetProgramBuildInfo(p->real, real, param_name, param_value_size, param_value,
                                               param_value_size_ret)
                : CL_INVALID_DEVICE;
}
