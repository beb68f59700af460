/* What only the shim's dlopen hook, whoever starts programs, and tests need of the real loader; everyone else reads
 * opencl/cl.h. */
#ifndef YK_DEVICE_OPENCL_REAL_H
#define YK_DEVICE_OPENCL_REAL_H

#include "device/opencl/cl.h"

/** Open the real loader with OPEN instead of the next dlopen after this object's (NULL: back to that). For a hook that
 * already holds libc's dlopen, and for tests. Thread: before the first yk_cl_real. */
void yk_cl_set_dlopen(void *(*open)(const char *path, int flags));

/** Loaders cut the lists in their variables (OCL_ICD_FILENAMES, OPENCL_LAYERS) at the first colon, in the environment
 * itself: a program started afterwards would lack devices. Put back what they have cut, where the app has not set
 * another value. Thread: any, as far as reading the environment allows. */
void yk_cl_mend_environment(void);

/** Table whose every entry says CL_INVALID_OPERATION (NULL, that code in errcode_ret). Thread: any. */
const struct yk_cl *yk_cl_missing(void);

#endif
