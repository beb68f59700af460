/* Entry points that the stub does not implement: refused, as a driver without them would. */
#include "tests/stub/stub.h"

#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-parameter"
static cl_int *const errcode_ret = NULL;

#define YK_CL(ret, name, version, params, args)                                                                        \
    __attribute__((weak)) ret stub_impl_##name params                                                                  \
    {                                                                                                                  \
        if (errcode_ret)                                                                                               \
            *errcode_ret = CL_INVALID_OPERATION;                                                                       \
        return (ret)(intptr_t)(__builtin_types_compatible_p(ret, cl_int) ? CL_INVALID_OPERATION : 0);                  \
    }
#include "device/opencl/api.def"
