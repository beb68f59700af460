/* Times of a slower device: when each command would have started and ended, from the driver's own times and the
 * script's factors. The driver runs at full speed; what the app hears of it comes later. So two modelled devices do not
 * hold each other up, and no thread sleeps but those that wait anyway. */
#include <time.h>
#include <utlist.h>
#include "base/clock.h"
#include "device/fault/slot.h"

void yk_fault_sleep_until(uint64_t ns)
{
    struct timespec t = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    while (ns && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) != 0)
        ;
}

static bool complete(struct yk_fault_slot *s, cl_event event)
{
    cl_int status = CL_QUEUED;
    cl_int rc = s->below->GetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    return rc != CL_SUCCESS || status <= CL_COMPLETE;
}

static uint64_t time_of(struct yk_fault_slot *s, cl_event event, cl_profiling_info name)
{
    cl_ulong t = 0;
    return s->below->GetEventProfilingInfo(event, name, sizeof t, &t, NULL) == CL_SUCCESS ? t : 0;
}

/* QUEUED is taken inside the enqueue call: the two clocks meet there, most closely in the call that is quickest. Once
 * for all commands, or the times of two would not be comparable to the microsecond. */
void yk_fault_calibrate(struct yk_fault_slot *s, cl_command_queue queue)
{
    int64_t clock = INT64_MIN;
    for (int i = 0; i < 8; i++) {
        cl_event e;
        uint64_t before = yk_now_ns();
        if (s->below->EnqueueMarkerWithWaitList(queue, 0, NULL, &e) != CL_SUCCESS)
            break;
        s->below->WaitForEvents(1, &e);
        uint64_t queued = time_of(s, e, CL_PROFILING_COMMAND_QUEUED);
        s->below->ReleaseEvent(e);
        if (queued && (int64_t)(before - queued) > clock)
            clock = (int64_t)(before - queued);
    }
    pthread_mutex_lock(&s->lock);
    if (!s->calibrated)
        s->clock = clock == INT64_MIN ? 0 : clock;
    s->calibrated = true;
    pthread_mutex_unlock(&s->lock);
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void settle_one(struct yk_fault_slot *s, struct yk_fault_record *r)
{
    uint64_t queued = time_of(s, r->event, CL_PROFILING_COMMAND_QUEUED);
    uint64_t start = time_of(s, r->event, CL_PROFILING_COMMAND_START);
    uint64_t end = time_of(s, r->event, CL_PROFILING_COMMAND_END);
    if (!queued || start < queued || end < start) /* a driver without times: the command takes none by itself */
        start = end = r->enqueued - (uint64_t)s->clock;
    uint64_t took = end - start, from = start + (uint64_t)s->clock;
    if (r->queue->in_order)
        from = later(from, r->queue->end);
    for (unsigned i = 0; i < r->waits; i++)
        from = later(from, r->wait[i]->end);
    if (r->kernel) {
        took = (uint64_t)((double)took * s->model.slow);
    } else if (r->transfer && s->model.bytes_per_ns > 0) {
        uint64_t *free = &s->link_free[r->in];
        from = later(from, *free);
        took = later(took, s->model.link_wait_ns + (uint64_t)((double)r->bytes / s->model.bytes_per_ns));
        *free = from + took;
    }
    r->start = from;
    r->end = from + took;
    r->queue->end = later(r->queue->end, r->end);
    r->settled = true;
    for (unsigned i = 0; i < r->waits; i++) {
        r->wait[i]->pins--;
        yk_fault_drop(s, r->wait[i]);
    }
    r->waits = 0;
}

/* In enqueue order, so that what a command waits for has its times before it. */
void yk_fault_settle(struct yk_fault_slot *s)
{
    struct yk_fault_record *r, *next;
    DL_FOREACH_SAFE(s->unsettled, r, next)
    {
        if (!complete(s, r->event))
            continue;
        settle_one(s, r);
        DL_DELETE(s->unsettled, r);
        s->below->ReleaseEvent(r->event);
        r->held = false;
        yk_fault_drop(s, r);
    }
}
