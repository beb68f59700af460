/* What only the shim's dlopen hook and tests need of the real loader; everyone else reads opencl/cl.h. */
#ifndef YK_DEVICE_OPENCL_REAL_H
#define YK_DEVICE_OPENCL_REAL_H

#include "device/opencl/cl.h"

/** Open the real loader with OPEN instead of the next dlopen after this object's (NULL: back to that). For a hook that
 * already holds libc's dlopen, and for tests. Thread: before the first yk_cl_real. */
void yk_cl_set_dlopen(void *(*open)(const char *path, int flags));

/** Table whose every entry says CL_INVALID_OPERATION (NULL, that code in errcode_ret). Thread: any. */
const struct yk_cl *yk_cl_missing(void);

#endif
