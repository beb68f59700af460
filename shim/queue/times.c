#include "shim/queue/times.h"
#include <stdbool.h>

enum { QUEUED, SUBMIT, START, END };

/* Host clock minus the primary's. A command is handed to the driver after our look at the host's clock, so that the
 * difference of the two is at most the true one: what the driver ends, it ends before it sees it end by this measure.
 * One difference for all events: their order is the driver's. Taken anew only where the clocks have drifted apart. */
static int64_t difference;
static bool known;

/* GOOD: SAMPLE is of when a command was handed over; else of something later, which serves until there is a good one.
 */
static int64_t difference_for(int64_t sample, bool good)
{
    const int64_t drift_ns = 1000000;
    int64_t now = __atomic_load_n(&difference, __ATOMIC_RELAXED);
    bool is_known = __atomic_load_n(&known, __ATOMIC_ACQUIRE);
    if (!good)
        return is_known ? now : sample;
    if (!is_known || sample - now > drift_ns) {
        __atomic_store_n(&difference, sample, __ATOMIC_RELAXED);
        __atomic_store_n(&known, true, __ATOMIC_RELEASE);
        return sample;
    }
    return now;
}

cl_int yk_event_time(struct yk_event *ev, cl_profiling_info what, cl_ulong *ns)
{
    if (what < CL_PROFILING_COMMAND_QUEUED || what > CL_PROFILING_COMMAND_COMPLETE)
        return CL_INVALID_VALUE;
    unsigned last = what == CL_PROFILING_COMMAND_COMPLETE ? END : what - CL_PROFILING_COMMAND_QUEUED;
    cl_event real = __atomic_load_n(&ev->real, __ATOMIC_ACQUIRE);
    uint64_t handed_over = ev->time[SUBMIT] ? ev->time[SUBMIT] : ev->time[QUEUED], time = ev->time[QUEUED];
    if (!real) {
        /* Ours from beginning to end; what was not worth a time of its own happened at the next that was. */
        for (unsigned i = QUEUED; i <= last; i++)
            time = ev->time[i] > time ? ev->time[i] : time;
        *ns = time;
        return CL_SUCCESS;
    }
    const struct yk_cl *cl = yk_rt.primary->cl;
    cl_ulong theirs[END + 1];
    for (unsigned i = QUEUED; i <= END; i++) {
        cl_int err =
            cl->GetEventProfilingInfo(real, CL_PROFILING_COMMAND_QUEUED + i, sizeof theirs[i], &theirs[i], NULL);
        if (err != CL_SUCCESS)
            return err;
    }
    /* Some drivers tell no time of what computes nothing, or not when it was queued (Intel's of markers: 0). */
    unsigned first = QUEUED;
    while (first < END && !theirs[first])
        first++;
    int64_t shift = theirs[first] ? difference_for((int64_t)(handed_over - theirs[first]), first == QUEUED) : 0;
    for (unsigned i = SUBMIT; i <= last; i++) {
        uint64_t here = theirs[i] ? (uint64_t)((int64_t)theirs[i] + shift) : handed_over;
        time = here > time ? here : time;
        time = handed_over > time ? handed_over : time;
    }
    *ns = time;
    return CL_SUCCESS;
}
