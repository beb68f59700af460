/* The vtable of a device: one function pointer per OpenCL entry point, with OpenCL's own names and meaning (CL 3.0
 * specification). Backends fill it: opencl/ (a real driver behind the system's loader), fault/ (wraps another table and
 * scripts failures, delays and limits). Who calls it: the shim's plan executor and its forwards, the solver, the
 * profiler. An entry that a driver or loader lacks is a function that returns CL_INVALID_OPERATION (or NULL with that
 * code), never a NULL pointer.
 *
 * Thread: as the specification says per call. Real handles only: virtual handles never pass this line. */
#ifndef YK_DEVICE_OPENCL_CL_H
#define YK_DEVICE_OPENCL_CL_H

#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_gl.h>
#include <CL/cl_egl.h>

struct yk_cl {
#define YK_CL(ret, name, version, params, args) ret(*name) params;
#include "device/opencl/api.def"
};

/** Depth of driver calls of this thread. While above 0, entry points of libyoke that the driver (or its loader) reaches
 * go straight on to the real ones. Set by the thunks of opencl/; read by shim/api. */
extern __thread int yk_driver_depth __attribute__((tls_model("initial-exec")));

/** Table of the real functions, unguarded (what the loader exports), resolved on first use.
 * NULL, with one logged error, where there is no loader. Aborts with one line if the loader's symbols are yoke's own.
 * Thread: any; cost after the first call: a load. */
const struct yk_cl *yk_cl_real(void);

/** The same functions, each raising yk_driver_depth around the call: what struct yk_device.cl points to. */
const struct yk_cl *yk_cl_guarded(void);

/** CL, or where it is the guarded table the one below it: for wrappers that raise yk_driver_depth themselves. */
const struct yk_cl *yk_cl_unguarded(const struct yk_cl *cl);

/** Name of an OpenCL error code ("CL_INVALID_VALUE"), or "unknown error". Thread: any. */
const char *yk_cl_error_name(cl_int code);

#endif
