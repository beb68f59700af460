#include "shim/queue/taker.h"
#include <time.h>
#include "base/clock.h"
#include "base/log.h"
#include "device/ask.h"
#include "shim/core/trace.h"
#include "shim/queue/box.h"
#include "shim/queue/form.h"
#include "shim/queue/remember.h"
#include "shim/queue/share.h"
#include "shim/queue/solo.h"
#include "shim/queue/takers.h"
#include "shim/queue/warm.h"

static const uint64_t late_wait_ns = 30ull * 1000000000u;
static const uint64_t most_asked_ns = 1000000000; /* then the driver is waited for, which may know of a loss */

/* How EVENT has ended, whose queue was FINISHED, or not: drivers do not all say in clFinish that a kernel failed, and
 * NVIDIA's may say of an event for a moment after it that it is under way. */
static cl_int ended(struct yk_taker *t, cl_event event, bool finished)
{
    const struct yk_cl *cl = yk_rt.machine->device[t->dev].cl;
    cl_int status = CL_QUEUED;
    if (finished)
        yk_ask_until_over(cl, event);
    cl_int err = cl->GetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    t->suspect |= status > CL_COMPLETE && (err == CL_SUCCESS || !finished);
    cl->ReleaseEvent(event);
    return err != CL_SUCCESS ? err : status > CL_COMPLETE ? CL_OUT_OF_RESOURCES : status;
}

/* A driver of a GPU spins on a core for as long as somebody waits in it, and that core may be one that another share
 * wants: most of a long wait for LAST is slept away. Less than is predicted, since the sleep must not outlast the
 * share; and never by the prediction alone, which would then be found to be true. */
static void sleep_through(const struct yk_taker *t, cl_command_queue q, cl_event last)
{
    const struct yk_device *d = &yk_rt.machine->device[t->dev];
    const double least_ms = 2, part = 0.8;
    double ms = t->work->d->guided ? 0 : t->work->d->run_ms[t->dev] * part;
    if (t->work->flight) /* it has begun behind another */
        ms -= (double)(yk_now_ns() - t->flown.start) * 1e-6;
    if (d->type & CL_DEVICE_TYPE_GPU && !d->host_memory && ms >= least_ms && d->cl->Flush(q) == CL_SUCCESS)
        yk_ask_asleep(d->cl, last, (uint64_t)(ms * 1e6));
}

/* Keep how long GROUPS work-groups took. */
static void note(struct yk_taker *t, uint64_t groups, double seconds)
{
    const double loading_ms = 10;
    struct yk_share_work *w = t->work;
    double per_group = (double)(w->d->local[0] * w->d->local[1] * w->d->local[2]);
    yk_lock_take(&w->lock);
    if (!t->cold && seconds > 0)
        w->rate[t->dev] = (double)groups / seconds;
    yk_lock_drop(&w->lock);
    double items = (double)groups * per_group;
    if (w->d->again)
        yk_remember_try(w->l, t->dev, t->cold, items, seconds * 1e3);
    else
        yk_remember(w->l, t->dev, t->cold ? YK_SAMPLE_FIRST : YK_SAMPLE_SHARED, items, seconds * 1e3);
    /* Of fewer what a launch costs would say more than they; of first ones what the driver compiles or, of short ones,
     * loads. */
    bool telling = !t->cold || (seconds * 1e3 > loading_ms &&
                                (t->dev == yk_rt.machine->primary || yk_warm_done(w->l, t->dev, w->d->local)));
    if (telling && yk_rt.primary->host_memory && groups * 16 >= w->d->total)
        yk_remember_least(w->l, t->dev, items, seconds * 1e3);
    t->cold = false;
    struct yk_code_local *of = yk_code_local(w->l->code, w->d->local);
    if (of)
        __atomic_fetch_or(&of->ran[yk_warm_wide_range(w->l)], 1ull << t->dev, __ATOMIC_RELAXED);
    __atomic_store_n(&w->l->code->shared[t->dev], true, __ATOMIC_RELAXED);
}

/* Is what has ended on T's device the kernel's first there, which a driver compiles or loads? The program's own kernel
 * is another one than that of shares, which is loaded by itself (20 ms on an H100), and on CPU devices each local size
 * is compiled apart. */
static bool is_first(struct yk_taker *t)
{
    struct yk_share_work *w = t->work;
    const struct yk_device *d = &yk_rt.machine->device[t->dev];
    bool first = !__atomic_exchange_n(&w->l->code->warm[t->dev], true, __ATOMIC_RELAXED);
    bool cpu = d->type & CL_DEVICE_TYPE_CPU,
         ran = cpu ? yk_code_ran(w->l->code, t->dev, w->d->local, yk_warm_wide_range(w->l))
                   : __atomic_load_n(&w->l->code->shared[t->dev], __ATOMIC_RELAXED);
    return first || (!ran && (t->dev == yk_rt.machine->primary ? w->facts->needs_variant : cpu));
}

/* Give work-groups C to T's driver. */
static void issue(struct yk_taker *t, struct yk_chunk c)
{
    struct yk_share_work *w = t->work;
    struct yk_flown *f = &t->flown;
    struct yk_share share;
    yk_range_cut(&w->d->range, c.from, c.to, &share);
    *f = (struct yk_flown){.chunk = c, .queue = yk_queue_share(w->l->c.queue, t->dev), .boxes = share.n};
    f->start = yk_now_ns();
    f->err = f->queue ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
    while (f->queue && f->n < share.n &&
           (f->err = yk_box_enqueue(w->l, w->facts, w->d, t->dev, f->queue, t->kernel->real, &share.box[f->n],
                                    &f->event[f->n])) == CL_SUCCESS)
        yk_form_shared(w->l, t->dev, w->d->local, &share.box[f->n++]);
    t->touched = f->n > 0;
}

static void trace(const struct yk_taker *t, uint64_t end)
{
    const struct yk_share_work *w = t->work;
    const struct yk_flown *f = &t->flown;
    if (!yk_trace_on())
        return;
    yk_trace_span(yk_track_device(t->dev), "run", w->l->code->name, f->start, end,
                  "\"launch\":%llu,\"from\":%llu,\"to\":%llu,\"boxes\":%u,\"predicted_ms\":%.6f,\"error\":%d",
                  (unsigned long long)w->d->launch, (unsigned long long)f->chunk.from, (unsigned long long)f->chunk.to,
                  f->boxes, w->d->guided ? 0 : w->d->share_ms[t->dev], f->err);
    yk_trace_flow(false, w->d->launch, yk_track_device(t->dev), f->start + 1);
}

/* Wait for what T's driver was given, and keep how it went. */
static cl_int settle(struct yk_taker *t)
{
    struct yk_share_work *w = t->work;
    struct yk_flown *f = &t->flown;
    const struct yk_cl *cl = yk_rt.machine->device[t->dev].cl;
    cl_int finished = !f->n ? CL_SUCCESS : w->flight ? cl->WaitForEvents(f->n, f->event) : cl->Finish(f->queue);
    if (f->err == CL_SUCCESS)
        f->err = finished;
    for (unsigned i = 0; i < f->n; i++) {
        cl_int end = ended(t, f->event[i], finished == CL_SUCCESS);
        if (f->err == CL_SUCCESS)
            f->err = end;
    }
    uint64_t end = f->end = yk_now_ns(), groups = f->chunk.to - f->chunk.from;
    double seconds = (double)(end - f->start) * 1e-9;
    trace(t, end);
    if (f->err == CL_SUCCESS) {
        t->groups += groups;
        t->seconds += seconds;
        t->cold |= is_first(t);
        if (!w->tail.on && !f->unsure)
            note(t, groups, seconds);
    } else {
        t->err = f->err;
        t->failed = f->chunk;
        yk_takers_quarantine(t->dev, f->err, !t->touched);
    }
    return f->err;
}

cl_int yk_taker_run(struct yk_taker *t, struct yk_chunk c)
{
    bool solo = yk_solo_begin(t->work->l->code, t->dev);
    issue(t, c);
    if (t->flown.n)
        sleep_through(t, t->flown.queue, t->flown.event[t->flown.n - 1]);
    cl_int err = settle(t);
    if (solo)
        yk_solo_end(t->work->l->code, t->dev);
    return err;
}

/* The next piece for T. */
static bool next_chunk(struct yk_taker *t, struct yk_chunk *c)
{
    struct yk_share_work *w = t->work;
    c->share = t->dev;
    if (w->tail.on) {
        yk_lock_take(&w->lock);
        bool got = yk_tail_take(&w->tail, t->dev, (double)yk_now_ns() * 1e-6, &c->from, &c->to);
        yk_lock_drop(&w->lock);
        return got;
    }
    if (!w->d->guided) {
        *c = (struct yk_chunk){w->d->from[t->dev], w->d->to[t->dev], t->dev};
        return !__atomic_exchange_n(&t->took, true, __ATOMIC_RELAXED) && c->from < c->to;
    }
    yk_lock_take(&w->lock);
    uint64_t rest = w->d->total - w->next, least = w->d->total / (64 * w->takers);
    double sum = 0;
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        sum += w->rate[i];
    /* Tiny tails cost more in launches than they balance. */
    uint64_t n = yk_guided_chunk(w->d->total, rest, w->d->grain, least, w->takers, w->rate[t->dev], sum);
    *c = (struct yk_chunk){w->next, w->next + n, t->dev};
    w->next += n;
    yk_lock_drop(&w->lock);
    return n > 0;
}

/* A real kernel with its arguments. */
cl_int yk_taker_equip(struct yk_taker *t)
{
    struct yk_share_work *w = t->work;
    t->kernel = yk_code_take(w->l->code, t->dev, true);
    if (!t->kernel)
        return YK_SHARE_UNTOUCHED;
    cl_int err = yk_launch_set_args(w->l, t->kernel->real, t->dev);
    if (err != CL_SUCCESS) {
        yk_info("device %u cannot take the arguments of %s: %s", t->dev, w->l->code->name, yk_cl_error_name(err));
        return YK_SHARE_UNTOUCHED;
    }
    bool home = t->dev == w->reductions.home;
    return home || yk_reductions_apart(&w->reductions, t->dev, t->kernel->real) == CL_SUCCESS ? CL_SUCCESS
                                                                                              : YK_SHARE_UNTOUCHED;
}

/* Has somebody begun everything? */
static bool all_taken(struct yk_share_work *w)
{
    yk_lock_take(&w->lock);
    bool all = w->tail.on && !yk_tail_any(&w->tail);
    yk_lock_drop(&w->lock);
    return all;
}

/* What one that has failed has left undone waits for who comes. */
static void is_done(struct yk_taker *t)
{
    if (t->err != CL_SUCCESS)
        return;
    if (t->works)
        __atomic_sub_fetch(&t->work->working, 1, __ATOMIC_RELAXED);
    t->works = false;
}

/* T's device is still being built for: wait until it is ready, or the others have taken its share meanwhile, or, where
 * nobody takes from another's, have nothing left to do. False: it cannot run anything. */
static bool await(struct yk_taker *t)
{
    const uint64_t look_ns = 500000, end = yk_now_ns() + late_wait_ns;
    struct yk_share_work *w = t->work;
    struct yk_build *b = w->l->code->build;
    while (!yk_build_wait_for(b, t->dev, look_ns)) {
        if (all_taken(w))
            return true;
        bool idle = !w->tail.on && !__atomic_load_n(&w->working, __ATOMIC_RELAXED);
        if (idle || yk_now_ns() >= end || yk_build_now(b) == YK_BUILD_NONE)
            return false;
    }
    return all_taken(w) || yk_taker_equip(t) == CL_SUCCESS;
}

/* T is brought what it lacks while others run already. False: it has not got it, and nothing of its share has begun. */
static bool bring_aside(struct yk_taker *t)
{
    struct yk_share_work *w = t->work;
    uint64_t start = yk_now_ns();
    cl_int err = yk_operands_bring_aside(w->operands, t->dev, &t->moved);
    if (err != CL_SUCCESS) {
        yk_takers_quarantine(t->dev, err, true);
        t->err = err;
        t->failed = (struct yk_chunk){w->d->from[t->dev], w->d->to[t->dev], t->dev};
        return false;
    }
    if (t->moved && yk_trace_on())
        yk_trace_span(yk_track_link(t->dev), "copy", "bring", start, yk_now_ns(), "\"launch\":%llu,\"bytes\":%llu",
                      (unsigned long long)w->d->launch, (unsigned long long)t->moved);
    return true;
}

static void take(struct yk_taker *t)
{
    struct yk_share_work *w = t->work;
    struct yk_chunk c;
    if (yk_taker_late(t) && !await(t)) {
        /* Nothing of it has begun: another takes its share, or has taken it from the tail. */
        t->err = CL_DEVICE_NOT_AVAILABLE;
        if (!w->tail.on)
            t->failed = (struct yk_chunk){w->d->from[t->dev], w->d->to[t->dev], t->dev};
        return;
    }
    if (yk_operands_aside(w->operands, t->dev) && !bring_aside(t))
        return;
    while (t->err == CL_SUCCESS && next_chunk(t, &c))
        yk_taker_run(t, c);
    if (w->tail.on && t->groups && t->err == CL_SUCCESS) /* as one: what few work-groups take says little of many */
        note(t, t->groups, t->seconds);
}

void yk_taker_take(struct yk_task *task)
{
    struct yk_taker *t = (struct yk_taker *)task;
    take(t);
    is_done(t);
}

static bool computes_by_itself(unsigned dev)
{
    const struct yk_device *d = &yk_rt.machine->device[dev];
    return d->type & CL_DEVICE_TYPE_GPU && !d->host_memory;
}

bool yk_taker_flies(unsigned dev, bool flight)
{
    return computes_by_itself(dev) || (flight && yk_rt.options.flying == YK_FLYING_FORCED);
}

bool yk_taker_fly(struct yk_taker *t)
{
    const struct yk_device *d = &yk_rt.machine->device[t->dev];
    struct yk_chunk c;
    if (!yk_taker_flies(t->dev, t->work->flight) || t->work->d->guided || t->work->tail.on || yk_taker_late(t) ||
        yk_operands_aside(t->work->operands, t->dev) || !next_chunk(t, &c))
        return false;
    issue(t, c);
    bool flushed = t->flown.n && d->cl->Flush(t->flown.queue) == CL_SUCCESS;
    t->flown.asked = flushed && computes_by_itself(t->dev); /* else it may never end by itself */
    return t->flying = true;
}

bool yk_taker_over(const struct yk_taker *t)
{
    const struct yk_flown *f = &t->flown;
    return !t->flying || !f->asked || yk_ask_over(yk_rt.machine->device[t->dev].cl, f->event[f->n - 1]);
}

/* The taker that is predicted to be over first. */
static struct yk_taker *first(struct yk_taker *t, unsigned n)
{
    struct yk_taker *found = NULL;
    for (unsigned i = 0; i < n; i++)
        if (t[i].flying && (!found || t[i].work->d->run_ms[t[i].dev] < found->work->d->run_ms[found->dev]))
            found = &t[i];
    return found;
}

void yk_takers_land(struct yk_taker *t, unsigned n)
{
    const uint64_t spin_ns = 1000000;
    struct yk_taker *f = first(t, n);
    if (f && f->flown.asked)
        sleep_through(f, f->flown.queue, f->flown.event[f->flown.n - 1]);
    uint64_t since = yk_now_ns();
    for (unsigned left = 1; left;) {
        left = 0;
        for (unsigned i = 0; i < n; i++) {
            struct yk_flown *v = &t[i].flown;
            if (!t[i].flying)
                continue;
            if (!yk_taker_over(&t[i]) && yk_now_ns() - since < most_asked_ns) {
                v->waited = true;
                left++;
                continue;
            }
            v->unsure |= t[i].work->flight && v->asked && !v->waited;
            t[i].flying = false;
            settle(&t[i]);
            is_done(&t[i]);
            since = yk_now_ns();
        }
        if (left && yk_now_ns() - since < spin_ns)
            yk_ask_pause();
        else if (left)
            nanosleep(&(struct timespec){0, 20000}, NULL);
    }
}
