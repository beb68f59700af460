#include "shim/queue/side.h"
#include "base/log.h"

/* Marker, barrier and the driver's waits between queues come to about so much: less is no gain. */
static const uint64_t least_gain_ns = 20000;
/* Levels that are not tried after one that gained nothing, then twice as many. */
enum { PAUSE = 16, PAUSE_MOST = 1 << 12 };

static bool make_queues(struct yk_side *s, struct yk_queue *q)
{
    const struct yk_device *d = yk_rt.primary;
    for (unsigned i = 0; i < YK_SIDES && !s->failed; i++) {
        cl_int err = CL_SUCCESS;
        if (!s->queue[i])
            s->queue[i] = d->cl->CreateCommandQueue(q->ctx->real[d->index], yk_context_device(q->ctx, q->device),
                                                    CL_QUEUE_PROFILING_ENABLE, &err);
        s->failed = !s->queue[i];
    }
    return !s->failed;
}

static void drop(const struct yk_cl *cl, cl_event *e)
{
    if (*e)
        cl->ReleaseEvent(*e);
    *e = NULL;
}

/* What the last probes say, once they are complete: did they overlap? */
static void learn(struct yk_side *s)
{
    const struct yk_cl *cl = yk_rt.primary->cl;
    cl_ulong first = ~(cl_ulong)0, end = 0, sum = 0;
    bool good = s->nprobe > 1;
    for (unsigned i = 0; i < s->nprobe && good; i++) {
        cl_int status = CL_QUEUED;
        if (cl->GetEventInfo(s->probe[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL) ==
                CL_SUCCESS &&
            status > CL_COMPLETE)
            return; /* later */
        cl_ulong from = 0, to = 0;
        good = status == CL_COMPLETE &&
               cl->GetEventProfilingInfo(s->probe[i], CL_PROFILING_COMMAND_START, sizeof from, &from, NULL) ==
                   CL_SUCCESS &&
               cl->GetEventProfilingInfo(s->probe[i], CL_PROFILING_COMMAND_END, sizeof to, &to, NULL) == CL_SUCCESS &&
               to >= from;
        first = from < first ? from : first;
        end = to > end ? to : end;
        sum += to - from;
    }
    if (s->nprobe > 1) {
        bool gained = good && sum > end - first + least_gain_ns;
        s->next_pause = gained                       ? 0
                        : !s->next_pause             ? PAUSE
                        : s->next_pause < PAUSE_MOST ? 2 * s->next_pause
                                                     : PAUSE_MOST;
        s->pause = s->next_pause;
    }
    for (unsigned i = 0; i < s->nprobe; i++)
        drop(cl, &s->probe[i]);
    s->nprobe = 0;
}

static bool set_out(struct yk_side *s, struct yk_queue *q)
{
    const struct yk_cl *cl = yk_rt.primary->cl;
    bool forced = yk_rt.options.gather == YK_GATHER_FORCED;
    if (s->failed || (!forced && !(yk_rt.primary->type & CL_DEVICE_TYPE_GPU)))
        return false;
    if (s->nprobe)
        learn(s);
    if (s->pause && !forced) {
        s->pause--;
        return false;
    }
    if (!make_queues(s, q) || cl->EnqueueMarkerWithWaitList(q->real, 0, NULL, &s->fork) != CL_SUCCESS)
        return false;
    cl->Flush(q->real);
    s->turn = 0;
    return true;
}

bool yk_side_begin(struct yk_side *s, struct yk_queue *q, unsigned n)
{
    return s->open || (n > 1 && set_out(s, q));
}

bool yk_side_open(struct yk_side *s, struct yk_queue *q)
{
    return s->open = set_out(s, q);
}

/* The hidden queue of the next batch; YK_SIDES: it goes to the queue itself. */
static unsigned side_of(const struct yk_side *s)
{
    return s->turn % (YK_SIDES + 1);
}

cl_command_queue yk_side_at(struct yk_side *s, struct yk_queue *q, cl_uint *nwait, const cl_event **wait)
{
    unsigned k = side_of(s);
    *nwait = k < YK_SIDES && !s->last[k];
    *wait = *nwait ? &s->fork : NULL;
    return k < YK_SIDES ? s->queue[k] : q->real;
}

void yk_side_issued(struct yk_side *s, cl_event last)
{
    unsigned k = side_of(s);
    s->turn++;
    if (!last)
        return;
    drop(yk_rt.primary->cl, &s->last[k]);
    s->last[k] = last;
}

cl_int yk_side_close(struct yk_side *s, struct yk_queue *q)
{
    s->open = false;
    return yk_side_join(s, q);
}

cl_int yk_side_join(struct yk_side *s, struct yk_queue *q)
{
    const struct yk_cl *cl = yk_rt.primary->cl;
    cl_event list[YK_SIDES];
    cl_uint n = 0;
    cl_int err = CL_SUCCESS;
    if (s->open) {
        for (unsigned i = 0; i < YK_SIDES; i++)
            if (s->last[i])
                cl->Flush(s->queue[i]);
        return CL_SUCCESS;
    }
    drop(cl, &s->fork);
    for (unsigned i = 0; i < YK_SIDES; i++) {
        if (!s->last[i])
            continue;
        cl->Flush(s->queue[i]);
        list[n++] = s->last[i];
        s->last[i] = NULL;
    }
    if (n)
        err = cl->EnqueueBarrierWithWaitList(q->real, n, list, NULL);
    if (err != CL_SUCCESS) {
        yk_info("a queue cannot wait for the ones beside it (%s)", yk_cl_error_name(err));
        s->failed = true;
        err = cl->WaitForEvents(n, list);
    }
    bool keep = !s->nprobe;
    for (cl_uint i = 0; i < n; i++)
        if (keep)
            s->probe[s->nprobe++] = list[i];
        else
            cl->ReleaseEvent(list[i]);
    return err;
}

void yk_side_finish(struct yk_side *s)
{
    const struct yk_cl *cl = yk_rt.primary->cl;
    drop(cl, &s->fork);
    for (unsigned i = 0; i < YK_SIDES; i++) {
        drop(cl, &s->last[i]);
        drop(cl, &s->probe[i]);
        if (s->queue[i])
            cl->ReleaseCommandQueue(s->queue[i]);
    }
}
