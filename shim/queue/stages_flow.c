#include "shim/queue/stages_flow.h"
#include <limits.h>
#include <stdlib.h>
#include "base/clock.h"
#include "base/thread.h"
#include "device/ask.h"
#include "shim/core/trace.h"
#include "shim/memory/link.h"
#include "shim/queue/box.h"
#include "shim/queue/solo.h"

/* Parts given to the driver at a time; on a GPU a kernel begins when all writes are over that its queue's neighbours
 * were given before, half a millisecond's worth. */
enum { AHEAD = 2, AHEAD_ASKING = 16 };
/* How long a thread looks before it sleeps, beside a GPU: stages follow one another within microseconds, and waking a
 * thread takes tens of them. */
enum { LOOK_NS = 500000 };

/* What happens to a part, as the trace shows it. */
enum mark { MARK_IN, MARK_ISSUED, MARK_RUN, MARK_OUT, MARKS };

static void mark(const struct yk_stages_flow *f, unsigned part, enum mark what)
{
    if (f->at && part < f->plan->n)
        f->at[part * MARKS + what] = yk_now_ns();
}

static void tell(struct yk_stages_flow *f, unsigned *what, unsigned below)
{
    yk_lock_take(&f->lock);
    __atomic_store_n(what, below, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&f->changed);
    yk_lock_drop(&f->lock);
}

static void end(struct yk_stages_flow *f, bool *over, cl_int *at, cl_int err, bool stop)
{
    yk_lock_take(&f->lock);
    *at = err;
    __atomic_store_n(over, true, __ATOMIC_RELEASE);
    if (stop)
        __atomic_store_n(&f->stop, true, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&f->changed);
    yk_lock_drop(&f->lock);
}

static cl_int await_end(struct yk_stages_flow *f, const bool *over, const cl_int *err)
{
    uint64_t until = f->asks ? yk_now_ns() + LOOK_NS : 0;
    while (f->asks && !__atomic_load_n(over, __ATOMIC_ACQUIRE) && yk_now_ns() < until)
        yk_ask_pause();
    yk_lock_take(&f->lock);
    while (!*over)
        yk_lock_wait(&f->lock, &f->changed);
    cl_int was = *err;
    yk_lock_drop(&f->lock);
    return was;
}

static enum yk_ring_gate look(const struct yk_stages_flow *f, const unsigned *what, unsigned step)
{
    if (__atomic_load_n(&f->stop, __ATOMIC_ACQUIRE))
        return YK_RING_STOP;
    return __atomic_load_n(what, __ATOMIC_ACQUIRE) > step ? YK_RING_OPEN : YK_RING_SHUT;
}

/* Has what *WHAT counts come past STEP? */
static enum yk_ring_gate past(struct yk_stages_flow *f, const unsigned *what, unsigned step, bool wait)
{
    enum yk_ring_gate g = look(f, what, step);
    bool looks = wait && f->asks && g == YK_RING_SHUT;
    uint64_t until = looks ? yk_now_ns() + LOOK_NS : 0;
    while (looks && g == YK_RING_SHUT && yk_now_ns() < until) {
        yk_ask_pause();
        g = look(f, what, step);
    }
    if (!wait || g != YK_RING_SHUT)
        return g;
    yk_lock_take(&f->lock);
    while ((g = look(f, what, step)) == YK_RING_SHUT)
        yk_lock_wait(&f->lock, &f->changed);
    yk_lock_drop(&f->lock);
    return g;
}

static void bytes_arrived(void *arg, unsigned below)
{
    struct yk_stages_flow *f = arg;
    for (unsigned i = f->arrived; i < below && i < f->plan->n; i++)
        mark(f, i, MARK_IN);
    tell(f, &f->arrived, below);
}

static enum yk_ring_gate has_run(void *arg, unsigned step, bool wait)
{
    struct yk_stages_flow *f = arg;
    enum yk_ring_gate g = past(f, &f->run, step, wait);
    if (g == YK_RING_OPEN)
        mark(f, step, MARK_OUT);
    return g;
}

/* The commands of a part. */
struct issued {
    cl_event event[YK_SHARE_BOXES];
    unsigned n;
    uint64_t at;
};

static cl_int issue(struct yk_stages_flow *f, unsigned part, struct issued *e)
{
    const struct yk_cl *cl = yk_rt.machine->device[f->side->dev].cl;
    cl_command_queue q = f->queue[part % 2];
    struct yk_share share;
    cl_int err = CL_SUCCESS;
    e->n = 0;
    e->at = yk_now_ns();
    yk_range_cut(&f->plan->d.range, f->plan->bound[part], f->plan->bound[part + 1], &share);
    while (e->n < share.n && err == CL_SUCCESS) {
        err = yk_box_enqueue(f->chain->launch, f->facts, &f->plan->d, f->side->dev, q, f->kernel, &share.box[e->n],
                             &e->event[e->n]);
        e->n += err == CL_SUCCESS;
    }
    if (e->n)
        tell(f, &f->begun, part + 1);
    mark(f, part, MARK_ISSUED);
    return err == CL_SUCCESS ? cl->Flush(q) : err;
}

static bool is_over(const struct yk_stages_flow *f, const struct issued *e)
{
    bool over = true;
    for (unsigned i = 0; i < e->n && over; i++)
        over = yk_ask_over(yk_rt.machine->device[f->side->dev].cl, e->event[i]);
    return over;
}

/* Wait for the commands of a part; their events are gone then. */
static cl_int await_part(const struct yk_stages_flow *f, struct issued *e)
{
    const struct yk_cl *cl = yk_rt.machine->device[f->side->dev].cl;
    for (unsigned i = 0; i < e->n && f->asks; i++)
        yk_ask_until_over(cl, e->event[i]);
    cl_int err = e->n ? cl->WaitForEvents(e->n, e->event) : CL_SUCCESS;
    for (unsigned i = 0; i < e->n; i++) {
        cl_int status = CL_QUEUED;
        if (cl->GetEventInfo(e->event[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL) ==
                CL_SUCCESS &&
            status < 0)
            err = status;
        cl->ReleaseEvent(e->event[i]);
    }
    e->n = 0;
    return err;
}

/* The parts one after the other, each when its bytes are in. Some are given to the driver before the last one is over,
 * so that the device is never idle. */
static cl_int run_parts(struct yk_stages_flow *f)
{
    struct issued event[AHEAD_ASKING] = {{.n = 0}};
    const unsigned ahead = f->asks ? AHEAD_ASKING : AHEAD, n = f->side->to;
    unsigned issued = f->side->from, over = f->side->from;
    uint64_t until = 0; /* asking instead of waiting */
    uint64_t last = 0;  /* when a part was over */
    cl_int err = CL_SUCCESS;
    while (over < n && err == CL_SUCCESS) {
        bool more = issued < n && issued < over + ahead;
        enum yk_ring_gate g = more ? past(f, &f->arrived, issued, issued == over) : YK_RING_SHUT;
        if (g == YK_RING_STOP) {
            err = CL_OUT_OF_RESOURCES;
        } else if (g == YK_RING_OPEN) {
            err = issue(f, issued, &event[issued % ahead]);
            issued++;
        } else {
            if (more && f->asks && !is_over(f, &event[over % ahead])) { /* the next bytes may come before that */
                uint64_t now = yk_now_ns();
                until = until ? until : now + LOOK_NS;
                if (now < until) {
                    yk_ask_pause();
                    continue;
                }
            }
            until = 0;
            struct issued *e = &event[over % ahead];
            uint64_t from = e->at > last ? e->at : last;
            err = await_part(f, e);
            last = yk_now_ns();
            f->busy += last - from;
            mark(f, over, MARK_RUN);
            if (err == CL_SUCCESS)
                tell(f, &f->run, ++over);
        }
    }
    for (unsigned i = 0; i < ahead; i++) /* after an error: nothing stays under way */
        (void)await_part(f, &event[i]);
    return err;
}

static void *out_stage(void *arg)
{
    struct yk_stages_flow *f = arg;
    const struct yk_ring_steps steps = {.gate = has_run, .arg = f};
    const struct yk_stages_side *e = f->side;
    cl_int err = yk_link_read_steps(f->chain->launch->c.queue->ctx, e->dev, e->out.v, e->out.n, e->in_bytes, &steps);
    end(f, &f->out_over, &f->out_err, err, false); /* the others do not depend on it */
    return NULL;
}

static void *run_stage(void *arg)
{
    struct yk_stages_flow *f = arg;
    f->beside_out = yk_thread_start(out_stage, f) == 0;
    cl_int err = run_parts(f);
    end(f, &f->run_over, &f->run_err, err, err != CL_SUCCESS);
    return NULL;
}

static void *in_stage(void *arg)
{
    struct yk_stages_flow *f = arg;
    const struct yk_ring_steps steps = {.passed = bytes_arrived, .arg = f};
    const struct yk_stages_side *e = f->side;
    cl_int err = yk_link_write_steps(f->chain->launch->c.queue->ctx, e->dev, e->in.v, e->in.n, e->out_bytes, &steps);
    if (err == CL_SUCCESS)
        tell(f, &f->arrived, UINT_MAX);
    end(f, &f->in_over, &f->in_err, err, err != CL_SUCCESS);
    return NULL;
}

/* Parts of one launch do not depend on one another: on a GPU the next one begins where the last work-groups of one
 * leave room, from a queue of its own. */
static bool side_by_side(unsigned dev)
{
    return yk_rt.machine->device[dev].type & CL_DEVICE_TYPE_GPU && !yk_solo_wanted(dev);
}

bool yk_stages_flow_open(struct yk_stages_flow *f, const struct yk_chain *chain, const struct yk_stages_plan *plan,
                         const struct yk_stages_side *side, const struct yk_facts_kernel *facts, cl_kernel kernel)
{
    *f = (struct yk_stages_flow){.chain = chain,
                                 .plan = plan,
                                 .side = side,
                                 .facts = facts,
                                 .kernel = kernel,
                                 .queue = {yk_queue_share(chain->launch->c.queue, side->dev)},
                                 .asks = yk_link_asks(side->dev),
                                 .arrived = side->in.n ? side->in.v[0].step : UINT_MAX,
                                 .run = side->from};
    if (side_by_side(side->dev))
        f->queue[1] = yk_queue_share_beside(chain->launch->c.queue, side->dev);
    if (!f->queue[1])
        f->queue[1] = f->queue[0];
    yk_lock_init(&f->lock, YK_RANK_LEAF);
    pthread_cond_init(&f->changed, NULL);
    f->at = yk_trace_on() ? calloc((size_t)plan->n * MARKS, sizeof *f->at) : NULL;
    return f->queue[0] != NULL;
}

void yk_stages_flow_finish(struct yk_stages_flow *f)
{
    free(f->at);
    pthread_cond_destroy(&f->changed);
    yk_lock_finish(&f->lock);
}

void yk_stages_flow_start(struct yk_stages_flow *f, bool in)
{
    f->beside_run = yk_thread_start(run_stage, f) == 0;
    f->beside_in = in && yk_thread_start(in_stage, f) == 0;
}

cl_int yk_stages_flow_in(struct yk_stages_flow *f)
{
    if (!f->beside_in)
        in_stage(f);
    return await_end(f, &f->in_over, &f->in_err);
}

cl_int yk_stages_flow_ran(struct yk_stages_flow *f)
{
    if (!f->beside_run)
        run_stage(f);
    return await_end(f, &f->run_over, &f->run_err);
}

cl_int yk_stages_flow_out(struct yk_stages_flow *f)
{
    if (!f->beside_out) /* written before the end of the run */
        out_stage(f);
    return await_end(f, &f->out_over, &f->out_err);
}

/* When each part's bytes were in, its kernel was given to the driver and was over, and its last chunk might come out.
 */
void yk_stages_flow_trace(struct yk_stages_flow *f, uint64_t start)
{
    int run = yk_track_device(f->side->dev), link = yk_track_link(f->side->dev);
    uint64_t from = start;
    for (unsigned i = f->side->from; f->at && i < f->side->to; i++) {
        const uint64_t *at = &f->at[i * MARKS];
        if (at[MARK_IN] >= from)
            yk_trace_span(link, "stage", "in", from, at[MARK_IN], "\"part\":%u", i);
        from = at[MARK_IN];
        if (at[MARK_RUN] >= at[MARK_ISSUED])
            yk_trace_span(run, "stage", "part", at[MARK_ISSUED], at[MARK_RUN], "\"part\":%u", i);
        if (at[MARK_OUT])
            yk_trace_instant(link, "stage", "out", at[MARK_OUT], "\"part\":%u", i);
    }
}
