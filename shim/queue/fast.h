/* The primary's kernel of a virtual one, which launches that go straight to the driver use. Who uses it:
 * object/kernel.c sets its arguments, launch.c launches it, gather.c says when that can wait. */
#ifndef YK_SHIM_QUEUE_FAST_H
#define YK_SHIM_QUEUE_FAST_H

#include "shim/queue/value.h"

/* The primary's kernel that clSetKernelArg works on; only from the caller's thread. Values that are given anew, of the
 * size that the driver has accepted before, come late: with the first launch that goes straight to it. Many never need
 * to come: the next value does, or the launch is divided and other kernels are given it. So do buffers while launches
 * are held back (gather.h), where a driver's clSetKernelArg costs as much as all of yoke's own work; else the driver
 * gets them at once, since some drivers hold what a program releases before it launches. */
struct yk_fast {
    cl_kernel real;
    uint64_t may;  /* a bit per buffer that may come late: none unless the last launch was held; atomic */
    uint64_t late; /* a bit per argument that REAL has not been given yet, and YK_LATE_BUSY; atomic */
};
#define YK_LATE_ARGS 63
#define YK_LATE_BUSY (UINT64_C(1) << YK_LATE_ARGS) /* a thread is giving them */

/** REAL gets what of the N values V it has not been given yet; values of buffers that are no more are left out. Errors:
 * CL_OUT_OF_RESOURCES or the driver's word on memory; they are still late then. Thread: any; waits for another that is
 * at it. Cost: a load where nothing is late. */
cl_int yk_fast_settle_now(struct yk_fast *f, const struct yk_value *v, unsigned n);
static inline cl_int yk_fast_settle(struct yk_fast *f, const struct yk_value *v, unsigned n)
{
    bool late = __atomic_load_n(&f->late, __ATOMIC_ACQUIRE);
    return __builtin_expect(late, 0) ? yk_fast_settle_now(f, v, n) : CL_SUCCESS;
}

/** A launch of it goes straight to the driver: buffers are given at once again. Cost: a load. */
static inline void yk_fast_not_held(struct yk_fast *f)
{
    if (__atomic_load_n(&f->may, __ATOMIC_RELAXED))
        __atomic_store_n(&f->may, 0, __ATOMIC_RELAXED);
}

#endif
