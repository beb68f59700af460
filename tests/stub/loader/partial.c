/* Odd loaders for test_loader.c. As "partial": a loader of few entries, as old ones are. As "own" it also holds yoke's
 * code (yk_device is linked in), so that the "real" loader and yoke are one object. */
#include "device/opencl/cl.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT cl_int clGetPlatformIDs(cl_uint n, cl_platform_id *out, cl_uint *n_ret)
{
    (void)n;
    (void)out;
    if (n_ret)
        *n_ret = 7;
    return CL_SUCCESS;
}

EXPORT cl_int clFinish(cl_command_queue q)
{
    (void)q;
    return yk_driver_depth;
}

#ifdef YK_OWN
EXPORT const void *own_real(void);
EXPORT const void *own_real(void)
{
    return yk_cl_real();
}
#else
__thread int yk_driver_depth __attribute__((tls_model("initial-exec"))) = 40;
#endif
