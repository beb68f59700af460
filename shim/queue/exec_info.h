/* What clSetKernelExecInfo has told of a kernel, for launches that the worker makes with kernels of its own. Immutable
 * once made: a list with one entry per kind of information. Who uses it: object/kernel.c makes it, launches hold it. */
#ifndef YK_SHIM_QUEUE_EXEC_INFO_H
#define YK_SHIM_QUEUE_EXEC_INFO_H

#include <stdbool.h>
#include "device/opencl/cl.h"

struct yk_exec_info {
    int32_t holds;
    struct yk_exec_info *next; /* held */
    cl_kernel_exec_info what;
    size_t size;
    unsigned char bytes[];
};

/** OLD (may be NULL; held by the caller, taken over) with WHAT as given now. NULL: no memory, OLD is as before. */
struct yk_exec_info *yk_exec_info_with(struct yk_exec_info *old, cl_kernel_exec_info what, size_t size,
                                       const void *value);

/** Hold or give back all of E; NULL: nothing. */
struct yk_exec_info *yk_exec_info_hold(struct yk_exec_info *e);
void yk_exec_info_drop(struct yk_exec_info *e);

/** Tell real kernel K of driver CL all of E. The driver's error. */
cl_int yk_exec_info_set(const struct yk_exec_info *e, const struct yk_cl *cl, cl_kernel k);

#endif
