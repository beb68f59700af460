#include "shim/queue/round_trip.h"
#include <pthread.h>
#include "base/clock.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local const struct yk_queue *idle;
static double seconds;

/* False: the driver refuses. */
static bool one(cl_command_queue q, uint64_t *ns)
{
    const struct yk_cl *cl = yk_rt.primary->cl;
    uint64_t start = yk_now_ns();
    cl_event ev = NULL;
    if (cl->EnqueueMarkerWithWaitList(q, 0, NULL, &ev) != CL_SUCCESS)
        return false;
    bool well = cl->WaitForEvents(1, &ev) == CL_SUCCESS;
    *ns = yk_now_ns() - start;
    cl->ReleaseEvent(ev);
    return well;
}

static void take(void)
{
    uint64_t least = 0;
    for (unsigned i = 0; i < 5; i++) {
        uint64_t ns;
        if (!one(idle->real, &ns))
            return;
        least = !least || ns < least ? ns : least;
    }
    seconds = (double)least * 1e-9;
}

double yk_round_trip(const struct yk_queue *q)
{
    if (yk_rt.primary->host_memory)
        return 0;
    idle = q;
    pthread_once(&once, take);
    return seconds;
}
