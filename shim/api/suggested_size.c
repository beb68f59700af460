/* cl_khr_suggested_local_work_size: the local size that the primary's driver takes where a launch names none. */
#include "shim/api/api.h"
#include "shim/api/extensions.h"
#include "shim/object/kernel.h"

typedef cl_int(CL_API_CALL *suggest_fn)(cl_command_queue queue, cl_kernel kernel, cl_uint dims, const size_t *offset,
                                        const size_t *global, size_t *local);

static suggest_fn real_function(void)
{
    void *p = YK_CL_P->GetExtensionFunctionAddressForPlatform(yk_rt.primary->platform,
                                                              "clGetKernelSuggestedLocalWorkSizeKHR");
    suggest_fn real;
    memcpy(&real, &p, sizeof p);
    return real;
}

/* Local memory counts: the driver's kernel is to have all of its arguments. */
static cl_int CL_API_CALL suggest(cl_command_queue queue, cl_kernel kernel, cl_uint dims, const size_t *offset,
                                  const size_t *global, size_t *local)
{
    struct yk_queue *q = yk_queue_from(queue);
    struct yk_kernel *k = yk_kernel_from(kernel);
    if (!q)
        return CL_INVALID_COMMAND_QUEUE;
    if (!k)
        return CL_INVALID_KERNEL;
    if (q->ctx != k->program->ctx)
        return CL_INVALID_CONTEXT;
    suggest_fn real = real_function();
    cl_int err = real ? yk_kernel_settle(k) : CL_INVALID_OPERATION;
    if (err != CL_SUCCESS)
        return err;
    yk_driver_depth++;
    err = real(q->real, k->fast.real, dims, offset, global, local);
    yk_driver_depth--;
    return err;
}

void *yk_suggested_size_function(const char *name)
{
    return !strcmp(name, "clGetKernelSuggestedLocalWorkSizeKHR") && real_function() ? (void *)suggest : NULL;
}
