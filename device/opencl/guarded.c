/* Driver calls with yk_driver_depth raised around them. */
#include "device/opencl/cl.h"

#include <pthread.h>

__thread int yk_driver_depth __attribute__((tls_model("initial-exec")));

static const struct yk_cl *below;
static const struct yk_cl *published;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* By cleanup, so that entries returning void need no form of their own. Stores of known values instead of an increment
 * and a decrement, which would wait for each other from call to call. */
static inline void leave(const int *outside)
{
    yk_driver_depth = *outside;
}

#define YK_CL(ret, name, version, params, args)                                                                        \
    static ret guarded_##name params                                                                                   \
    {                                                                                                                  \
        const int outside __attribute__((cleanup(leave), unused)) = yk_driver_depth;                                   \
        yk_driver_depth = outside + 1;                                                                                 \
        return below->name args;                                                                                       \
    }
#include "device/opencl/api.def"

static const struct yk_cl guarded = {
#define YK_CL(ret, name, version, params, args) guarded_##name,
#include "device/opencl/api.def"
};

static void resolve(void)
{
    below = yk_cl_real();
    if (below)
        __atomic_store_n(&published, &guarded, __ATOMIC_RELEASE);
}

const struct yk_cl *yk_cl_guarded(void)
{
    const struct yk_cl *table = __atomic_load_n(&published, __ATOMIC_ACQUIRE);
    if (table)
        return table;
    pthread_once(&once, resolve);
    return __atomic_load_n(&published, __ATOMIC_ACQUIRE);
}

const struct yk_cl *yk_cl_unguarded(const struct yk_cl *cl)
{
    return cl == &guarded ? below : cl;
}
