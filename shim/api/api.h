/* The entry points as yoke implements them: yk_api_NAME for every line of api.def. Who calls them: exports.c (the names
 * the app sees) and entry points that are defined by others. They check what the specification says and hand on; see
 * shim/README.md for the file each one is in. */
#ifndef YK_SHIM_API_API_H
#define YK_SHIM_API_API_H

#include <string.h>
#include "shim/core/runtime.h"

#define YK_CL(ret, name, version, params, args) ret yk_api_##name params;
#include "device/opencl/api.def"

/** Answer an info query with the N bytes at SRC. */
static inline cl_int yk_answer(const void *src, size_t n, size_t size, void *value, size_t *size_ret)
{
    if (value && size < n)
        return CL_INVALID_VALUE;
    if (value && n)
        memcpy(value, src, n);
    if (size_ret)
        *size_ret = n;
    return CL_SUCCESS;
}

#define YK_INFO(type, expr)                                                                                            \
    do {                                                                                                               \
        type info_ = (expr);                                                                                           \
        return yk_answer(&info_, sizeof info_, param_value_size, param_value, param_value_size_ret);                   \
    } while (0)
#define YK_INFO_STR(text)                                                                                              \
    do {                                                                                                               \
        const char *info_ = (text);                                                                                    \
        return yk_answer(info_, strlen(info_) + 1, param_value_size, param_value, param_value_size_ret);               \
    } while (0)

/** Return V with *ERRCODE_RET set. */
static inline void yk_set_err(cl_int *errcode_ret, cl_int err)
{
    if (errcode_ret)
        *errcode_ret = err;
}

#define YK_P    (yk_rt.primary->index)
#define YK_CL_P (yk_rt.primary->cl)

#endif
