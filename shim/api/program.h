/* What the entry points that make programs and those that build them share. Who uses it: program.c, program_build.c. */
#ifndef YK_SHIM_API_PROGRAM_H
#define YK_SHIM_API_PROGRAM_H

#include "shim/object/program.h"

/** The primary's devices for an app's list (NULL: all of the context); few need no memory. */
struct yk_program_devices {
    cl_uint n;
    const cl_device_id *id;
    cl_device_id few[4], *more;
};

/** CL_SUCCESS, or why a device list is wrong; then D needs no finish. Thread: any. */
cl_int yk_program_devices_get(const struct yk_context *ctx, cl_uint num_devices, const cl_device_id *list,
                              struct yk_program_devices *d);
void yk_program_devices_finish(struct yk_program_devices *d);

/** The app's program for REAL (taken over; NULL: ERR says why there is none), SOURCE copied. Sets *ERRCODE_RET. */
cl_program yk_program_made(struct yk_context *ctx, enum yk_program_origin origin, cl_program real, const char *source,
                           cl_int err, cl_int *errcode_ret);

#endif
