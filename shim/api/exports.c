/* The symbols the app sees: one per line of api.def. Each goes straight on to the real function where yoke is off or
 * the call comes from inside a driver (yk_driver_depth), else to yoke's own. */
#include <pthread.h>
#include "device/opencl/real.h"
#include "shim/api/api.h"
#include "profiler/profile.h"
#include "shim/core/stats.h"
#include "shim/core/trace.h"

#define EXPORT __attribute__((visibility("default")))

/* On, and called by the app: the only question on the fast path. */
static inline bool on(void)
{
    return __builtin_expect(__atomic_load_n(&yk_mode, __ATOMIC_ACQUIRE) == YK_MODE_ON && !yk_driver_depth, 1);
}

/* Off, not yet decided, or called from inside a driver. */
static bool pass(void)
{
    return yk_driver_depth || yk_runtime_start() != YK_MODE_ON;
}

/* What a program sees on a machine without OpenCL. */
static cl_int no_platform(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
    if ((!platforms && !num_platforms) || (platforms && !num_entries))
        return CL_INVALID_VALUE;
    if (num_platforms)
        *num_platforms = 0;
    return CL_PLATFORM_NOT_FOUND_KHR;
}

static cl_int nothing(void)
{
    return CL_SUCCESS;
}

static struct yk_cl none, ended;

static void make_tables(void)
{
    none = *yk_cl_missing();
    none.GetPlatformIDs = no_platform;
    ended = none;
#define DO_NOTHING(name) ended.name = (void *)nothing
    DO_NOTHING(ReleaseDevice);
    DO_NOTHING(ReleaseContext);
    DO_NOTHING(ReleaseCommandQueue);
    DO_NOTHING(ReleaseMemObject);
    DO_NOTHING(ReleaseSampler);
    DO_NOTHING(ReleaseProgram);
    DO_NOTHING(ReleaseKernel);
    DO_NOTHING(ReleaseEvent);
#undef DO_NOTHING
}

static const struct yk_cl *below(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    enum yk_mode mode = __atomic_load_n(&yk_mode, __ATOMIC_ACQUIRE);
    if (mode != YK_MODE_ENDED && (yk_driver_depth || (mode != YK_MODE_NONE && mode != YK_MODE_FORKED))) {
        const struct yk_cl *real = yk_cl_real();
        if (real)
            return real;
    }
    pthread_once(&once, make_tables);
    return mode == YK_MODE_ENDED ? &ended : &none;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
/* The questions that call something are in functions of their own, so that the common way is two loads and a jump. */
#define YK_CL(ret, name, version, params, args)                                                                        \
    static __attribute__((cold, noinline)) ret slow_##name params                                                      \
    {                                                                                                                  \
        if (pass())                                                                                                    \
            return below()->name args;                                                                                 \
        return yk_api_##name args;                                                                                     \
    }                                                                                                                  \
    EXPORT ret cl##name params                                                                                         \
    {                                                                                                                  \
        if (!on())                                                                                                     \
            return slow_##name args;                                                                                   \
        return yk_api_##name args;                                                                                     \
    }
#include "device/opencl/api.def"
#pragma GCC diagnostic pop

__attribute__((destructor)) static void at_exit(void)
{
    yk_stats_report();
    if (__atomic_load_n(&yk_mode, __ATOMIC_ACQUIRE) == YK_MODE_ON) {
        yk_profile_save();
        yk_trace_finish();
    }
}
