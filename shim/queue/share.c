#include "shim/queue/share.h"
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/log.h"
#include "device/ask.h"
#include "shim/core/stats.h"
#include "shim/core/trace.h"
#include "shim/queue/box.h"
#include "shim/queue/crew.h"
#include "shim/queue/operand.h"
#include "shim/queue/reduction.h"
#include "shim/queue/remember.h"
#include "shim/queue/share_tail.h"

static const uint64_t late_wait_ns = 30ull * 1000000000u;

struct chunk {
    uint64_t from, to;
    unsigned share; /* device whose share it was to be */
};

/* What all takers of one launch share. */
struct work {
    struct yk_launch *l;
    const struct yk_decision *d;
    const struct yk_facts_kernel *facts;
    struct yk_reductions reductions;
    struct yk_lock lock;         /* guards the next three */
    uint64_t next;               /* first work-group that nobody has (guided) */
    double rate[YK_MAX_DEVICES]; /* work-groups per second, of the last chunk */
    unsigned takers;
    struct yk_tail tail;
};

struct taker {
    struct yk_task task;
    struct work *work;
    unsigned dev;
    struct yk_code_kernel *kernel;
    struct chunk failed; /* what it had when it failed */
    bool touched;        /* its device may have begun that */
    bool suspect;        /* its device may still be at it */
    bool took;           /* fixed shares: it has had its one */
    bool cold;           /* its first piece was the first of this kernel there */
    cl_int err;
    uint64_t groups;
    double seconds;
    bool started;
};

static bool is_late(const struct taker *t)
{
    return t->work->d->late[t->dev];
}

/* How EVENT has ended, whose queue was FINISHED, or not: drivers do not all say in clFinish that a kernel failed. */
static cl_int ended(struct taker *t, cl_event event, bool finished)
{
    const struct yk_cl *cl = yk_rt.machine->device[t->dev].cl;
    cl_int status = CL_QUEUED;
    cl_int err = cl->GetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    t->suspect |= status > CL_COMPLETE && (err == CL_SUCCESS || !finished);
    cl->ReleaseEvent(event);
    return err != CL_SUCCESS ? err : status > CL_COMPLETE ? CL_OUT_OF_RESOURCES : status;
}

/* A driver of a GPU spins on a core for as long as somebody waits in it, and that core may be one that another share
 * wants: most of a long wait for LAST is slept away. Less than is predicted, since the sleep must not outlast the
 * share; and never by the prediction alone, which would then be found to be true. */
static void sleep_through(const struct taker *t, cl_command_queue q, cl_event last)
{
    const struct yk_device *d = &yk_rt.machine->device[t->dev];
    const double least_ms = 2, part = 0.8;
    double ms = t->work->d->guided ? 0 : t->work->d->run_ms[t->dev] * part;
    if (d->type & CL_DEVICE_TYPE_GPU && !d->host_memory && ms >= least_ms && d->cl->Flush(q) == CL_SUCCESS)
        yk_ask_asleep(d->cl, last, (uint64_t)(ms * 1e6));
}

/* Keep how long GROUPS work-groups took. */
static void note(struct taker *t, uint64_t groups, double seconds)
{
    struct work *w = t->work;
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
    t->cold = false;
    __atomic_store_n(&w->l->code->shared[t->dev], true, __ATOMIC_RELAXED);
}

/* Run work-groups [from, to) on T's device and wait. */
static cl_int run_chunk(struct taker *t, struct chunk c)
{
    struct work *w = t->work;
    const struct yk_cl *cl = yk_rt.machine->device[t->dev].cl;
    cl_command_queue q = yk_queue_share(w->l->c.queue, t->dev);
    struct yk_share share;
    cl_event event[YK_SHARE_BOXES];
    yk_range_cut(&w->d->range, c.from, c.to, &share);
    uint64_t start = yk_now_ns();
    cl_int err = q ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
    unsigned n = 0;
    while (q && n < share.n &&
           (err = yk_box_enqueue(w->l, w->facts, w->d, t->dev, q, t->kernel->real, &share.box[n], &event[n])) ==
               CL_SUCCESS)
        n++;
    t->touched = n > 0;
    if (n)
        sleep_through(t, q, event[n - 1]);
    cl_int finished = n ? cl->Finish(q) : CL_SUCCESS;
    if (err == CL_SUCCESS)
        err = finished;
    for (unsigned i = 0; i < n; i++) {
        cl_int end = ended(t, event[i], finished == CL_SUCCESS);
        if (err == CL_SUCCESS)
            err = end;
    }
    uint64_t end = yk_now_ns();
    double seconds = (double)(end - start) * 1e-9;
    if (yk_trace_on()) {
        yk_trace_span(yk_track_device(t->dev), "run", w->l->code->name, start, end,
                      "\"launch\":%llu,\"from\":%llu,\"to\":%llu,\"boxes\":%u,\"predicted_ms\":%.6f,\"error\":%d",
                      (unsigned long long)w->d->launch, (unsigned long long)c.from, (unsigned long long)c.to, share.n,
                      w->d->guided ? 0 : w->d->share_ms[t->dev], err);
        yk_trace_flow(false, w->d->launch, yk_track_device(t->dev), start + 1);
    }
    if (err == CL_SUCCESS) {
        t->groups += c.to - c.from;
        t->seconds += seconds;
        t->cold |= !__atomic_exchange_n(&w->l->code->warm[t->dev], true, __ATOMIC_RELAXED); /* a first one compiles */
        if (!w->tail.on)
            note(t, c.to - c.from, seconds);
    } else {
        t->err = err;
        t->failed = c;
        yk_decide_quarantine(t->dev, err, !t->touched);
    }
    return err;
}

/* The next piece for T. */
static bool next_chunk(struct taker *t, struct chunk *c)
{
    struct work *w = t->work;
    c->share = t->dev;
    if (w->tail.on) {
        yk_lock_take(&w->lock);
        bool got = yk_tail_take(&w->tail, t->dev, &c->from, &c->to);
        yk_lock_drop(&w->lock);
        return got;
    }
    if (!w->d->guided) {
        *c = (struct chunk){w->d->from[t->dev], w->d->to[t->dev], t->dev};
        return !__atomic_exchange_n(&t->took, true, __ATOMIC_RELAXED) && c->from < c->to;
    }
    yk_lock_take(&w->lock);
    uint64_t rest = w->d->total - w->next, least = w->d->total / (64 * w->takers);
    double sum = 0;
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        sum += w->rate[i];
    /* Tiny tails cost more in launches than they balance. */
    uint64_t n = yk_guided_chunk(w->d->total, rest, w->d->grain, least, w->takers, w->rate[t->dev], sum);
    *c = (struct chunk){w->next, w->next + n, t->dev};
    w->next += n;
    yk_lock_drop(&w->lock);
    return n > 0;
}

/* A real kernel with its arguments. */
static cl_int equip(struct taker *t)
{
    struct work *w = t->work;
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

static void take(struct yk_task *task)
{
    struct taker *t = (struct taker *)task;
    struct work *w = t->work;
    struct chunk c;
    if (is_late(t) && (yk_build_wait(t->work->l->code->build, YK_BUILD_READY, late_wait_ns) != YK_BUILD_READY ||
                       equip(t) != CL_SUCCESS)) {
        /* Nothing of it has begun: another takes its share. */
        t->err = CL_DEVICE_NOT_AVAILABLE;
        t->failed = (struct chunk){t->work->d->from[t->dev], t->work->d->to[t->dev], t->dev};
        return;
    }
    while (t->err == CL_SUCCESS && next_chunk(t, &c))
        run_chunk(t, c);
    if (w->tail.on && t->groups && t->err == CL_SUCCESS) /* as one: what few work-groups take says little of many */
        note(t, t->groups, t->seconds);
}

/* Somebody who has not failed; the primary where it can. */
static struct taker *healthy(struct taker *t, unsigned n)
{
    struct taker *found = NULL;
    for (unsigned i = 0; i < n; i++)
        if (t[i].err == CL_SUCCESS && (!found || t[i].dev == yk_rt.machine->primary))
            found = &t[i];
    return found;
}

/* Chunks that no device has begun go to one that is well, and so does what nobody has taken. False: some chunk was
 * begun and not done, or nobody is well. */
static bool fill_in(struct taker *t, unsigned n, struct yk_operands *operands)
{
    struct work *w = t->work;
    struct chunk rest = {w->d->guided ? w->next : w->d->total, w->d->total, 0};
    for (;;) {
        struct taker *next = healthy(t, n);
        struct chunk *c = &rest;
        for (unsigned i = 0; i < n; i++) {
            if (t[i].err == CL_SUCCESS || t[i].failed.from == t[i].failed.to)
                continue;
            if (t[i].touched)
                return false;
            c = &t[i].failed;
        }
        if (c->from == c->to && !(w->tail.on && yk_tail_left(&w->tail, &c->from, &c->to, &c->share)))
            return true;
        if (!next)
            return false;
        struct chunk todo = *c;
        c->from = c->to; /* where NEXT fails it is NEXT's */
        next->err = w->d->guided ? CL_SUCCESS : yk_operands_move(operands, todo.share, next->dev);
        next->touched = false;
        next->failed = todo;
        if (next->err == CL_SUCCESS)
            run_chunk(next, todo);
        else
            yk_decide_quarantine(next->dev, next->err, true);
    }
}

/* Put the outputs together; a device whose part cannot be had has failed. */
static cl_int merge(struct taker *t, unsigned n, struct yk_operands *operands, const bool *used)
{
    unsigned bad = 0;
    cl_int err = yk_operands_merge(operands, used, &bad);
    if (err == CL_SUCCESS)
        err = yk_reductions_merge(&t->work->reductions, used, &bad, &operands->moved);
    for (unsigned i = 0; i < n && err != CL_SUCCESS; i++)
        if (t[i].dev == bad) {
            t[i].err = err;
            yk_decide_quarantine(bad, err, err == CL_OUT_OF_HOST_MEMORY);
        }
    return err;
}

/* May the launch be run again, and are the bytes before it there? */
static bool may_start_again(const struct taker *t, unsigned n, struct yk_operands *operands)
{
    bool left = false;
    for (unsigned i = 0; i < n; i++) {
        /* Nobody can stop a device that is still at it, and it may still write over these. */
        if (t[i].suspect && (yk_operands_in_master(operands, t[i].dev) || t->work->reductions.n))
            return false;
        left |= t[i].err == CL_SUCCESS || (t[i].dev == yk_rt.machine->primary && !t[i].suspect);
    }
    if (!left || !yk_operands_restore(operands))
        return false;
    yk_reductions_restore(&t->work->reductions);
    return true;
}

/* The launch from its beginning, from the bytes before it, on a device that is well. YK_SHARE_UNTOUCHED: that is the
 * primary, who runs it whole; also if it failed its share, for want of a better one. */
static cl_int start_again(struct taker *t, unsigned n, struct yk_operands *operands)
{
    while (may_start_again(t, n, operands)) {
        struct taker *next = healthy(t, n);
        if (!next || next->dev == yk_rt.machine->primary)
            return YK_SHARE_UNTOUCHED;
        bool used[YK_MAX_DEVICES] = {0};
        struct work *w = t->work;
        struct yk_decision all = *w->d;
        unsigned bad;
        memset(all.takes, 0, sizeof all.takes);
        used[next->dev] = all.takes[next->dev] = true;
        all.from[next->dev] = all.begin;
        all.to[next->dev] = all.total;
        cl_int err = yk_operands_plan(w->l, w->facts, &all, operands) == YK_OK ? yk_operands_bring(operands, &all, &bad)
                                                                               : CL_OUT_OF_HOST_MEMORY;
        if (err == CL_SUCCESS)
            err = yk_reductions_bring(&w->reductions, next->dev, &operands->moved);
        if (err == CL_SUCCESS)
            err = yk_launch_set_args(w->l, next->kernel->real, next->dev);
        if (err == CL_SUCCESS)
            err = run_chunk(next, (struct chunk){all.begin, all.total, next->dev});
        if (err == CL_SUCCESS)
            err = merge(t, n, operands, used);
        if (err == CL_SUCCESS)
            return err;
        next->err = err;
    }
    yk_operands_lose(operands);
    yk_reductions_lose(&t->work->reductions);
    for (unsigned i = 0; i < n; i++)
        if (t[i].err != CL_SUCCESS)
            return t[i].err;
    return CL_OUT_OF_RESOURCES;
}

/* Keep what was measured, and notice launches for which splitting does not pay. */
static void learn(struct work *w, double wall)
{
    struct yk_code *code = w->l->code;
    double per_group = (double)(w->d->local[0] * w->d->local[1] * w->d->local[2]),
           items = (double)w->d->total * per_group;
    double alone = w->rate[yk_rt.machine->primary] > 0 ? (double)w->d->total / w->rate[yk_rt.machine->primary] : 0;
    yk_lock_take(&code->lock);
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        if (w->rate[i] > 0)
            yk_code_put(&code->rate[i],
                        code->rate[i] > 0 ? (code->rate[i] + w->rate[i] * per_group) / 2 : w->rate[i] * per_group);
    if (alone > 0 && !yk_rt.options.strategy && !yk_rt.options.reproducible) {
        bool lost = alone < 300e-6 || (!w->d->guided && wall > alone);
        unsigned losses = lost ? code->losses + 1 : 0;
        __atomic_store_n(&code->losses, losses, __ATOMIC_RELAXED);
        if (losses >= YK_LOSSES && alone < 1e-3)
            yk_code_is_small(code, items);
    }
    yk_lock_drop(&code->lock);
    if (wall * 1e3 < w->d->alone_ms)
        yk_remember_won(w->l);
}

/* A launch for which bytes were moved has taken SECONDS with what was brought before and put together after it. Times
 * of levels, of rounds that shrink and of links scatter: not each loss counts, but what all of them have cost. */
static void settle(struct yk_code *code, const struct yk_decision *d, double seconds)
{
    const double much = 3, most = 10;
    double lost = seconds * 1e3 - d->alone_ms;
    if (d->guided || d->invests || !(d->alone_ms > 0))
        return;
    yk_lock_take(&code->lock);
    double owed = d->again && lost < 0 ? 0 : code->owed_ms + lost;
    owed = owed > 0 ? owed : 0;
    code->owed_ms = owed < most * d->alone_ms ? owed : most * d->alone_ms;
    if (code->owed_ms > much * d->alone_ms)
        __atomic_store_n(&code->losses, YK_LOSSES, __ATOMIC_RELAXED);
    yk_lock_drop(&code->lock);
}

static cl_int prepare(struct work *w, struct taker *t, unsigned *n)
{
    for (unsigned dev = 0; dev < yk_rt.machine->n; dev++) {
        if (!w->d->takes[dev])
            continue;
        t[*n] = (struct taker){.task = {.run = take}, .work = w, .dev = dev};
        (*n)++;
        cl_int err = w->d->late[dev] ? CL_SUCCESS : equip(&t[*n - 1]);
        if (err != CL_SUCCESS)
            return err;
    }
    w->takers = *n;
    return CL_SUCCESS;
}

static cl_int run_all(struct work *w, struct taker *t, unsigned n, struct yk_operands *operands)
{
    unsigned here = 0;
    for (unsigned i = 0; i < n; i++)
        if (t[i].dev == yk_rt.machine->primary)
            here = i;
    uint64_t start = yk_now_ns();
    bool failed = false, used[YK_MAX_DEVICES] = {0};
    for (unsigned i = 0; i < n; i++)
        if (i != here)
            t[i].started =
                yk_crew_start(t[i].dev, &t[i].task, yk_rt.machine->device[t[i].dev].type & CL_DEVICE_TYPE_CPU);
    take(&t[here].task);
    for (unsigned i = 0; i < n; i++) {
        if (t[i].started)
            yk_crew_wait(&t[i].task);
        else if (i != here)
            take(&t[i].task);
    }
    double wall = (double)(yk_now_ns() - start) * 1e-9;
    for (unsigned i = 0; i < n; i++)
        failed |= t[i].err != CL_SUCCESS;
    if (failed && !fill_in(t, n, operands))
        return start_again(t, n, operands);
    for (unsigned i = 0; i < n; i++)
        used[t[i].dev] = t[i].groups > 0 || w->tail.on; /* somebody has run its share */
    uint64_t merge_start = yk_now_ns(), moved = operands->moved;
    cl_int err = merge(t, n, operands, used);
    if (yk_trace_on() && operands->moved > moved)
        yk_trace_span(YK_TRACK_MERGES, "merge", w->l->code->name, merge_start, yk_now_ns(),
                      "\"launch\":%llu,\"bytes\":%llu,\"method\":\"%s\"", (unsigned long long)w->d->launch,
                      (unsigned long long)(operands->moved - moved),
                      operands->by_kernel ? "kernel"
                      : w->reductions.n   ? "combined"
                                          : "difference");
    if (err == CL_SUCCESS && !failed)
        learn(w, wall);
    return err == CL_SUCCESS ? err : start_again(t, n, operands);
}

/* The link that bytes are brought over: that of the first taker with memory of its own. */
static unsigned bring_track(const struct yk_decision *d)
{
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        if (d->takes[i] && !yk_rt.machine->device[i].host_memory)
            return i;
    return yk_rt.machine->primary;
}

/* Who works on the buffers of reductions themselves: the primary where it takes part. */
static unsigned home_of(const struct yk_decision *d)
{
    unsigned home = yk_rt.machine->primary;
    for (unsigned i = 0; i < yk_rt.machine->n && !d->takes[home]; i++)
        if (d->takes[i])
            home = i;
    return home;
}

cl_int yk_share_run(struct yk_launch *l, const struct yk_decision *d)
{
    struct work w = {.l = l, .d = d, .facts = yk_code_facts(l->code), .next = d->begin};
    struct taker t[YK_MAX_DEVICES];
    struct yk_operands operands;
    unsigned n = 0;
    if (yk_reductions_collect(l, w.facts, d, &w.reductions) != YK_OK ||
        yk_operands_collect(l, w.facts, d, &operands) != YK_OK) {
        yk_reductions_finish(&w.reductions);
        return YK_SHARE_UNTOUCHED;
    }
    yk_lock_init(&w.lock, YK_RANK_LEAF);
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        w.rate[i] =
            d->takes[i] ? yk_code_get(&l->code->rate[i]) / (double)(d->local[0] * d->local[1] * d->local[2]) : 0;
    /* What this queue has already given to the primary's driver comes first. */
    cl_int err = yk_rt.primary->cl->Finish(l->c.queue->real);
    unsigned bad = yk_rt.machine->primary;
    uint64_t start = yk_now_ns();
    cl_int brought = err == CL_SUCCESS ? yk_operands_bring(&operands, d, &bad) : CL_SUCCESS;
    if (err == CL_SUCCESS && brought == CL_SUCCESS)
        brought = yk_reductions_bring(&w.reductions, bad = home_of(d), &operands.moved);
    if (brought != CL_SUCCESS) {
        if (bad != yk_rt.machine->primary)
            yk_decide_quarantine(bad, brought, true);
        err = YK_SHARE_UNTOUCHED;
    }
    if (yk_trace_on() && operands.moved)
        yk_trace_span(yk_track_link(bring_track(d)), "copy", "bring", start, yk_now_ns(),
                      "\"launch\":%llu,\"bytes\":%llu", (unsigned long long)d->launch,
                      (unsigned long long)operands.moved);
    if (err == CL_SUCCESS)
        err = prepare(&w, t, &n);
    yk_share_tail(&w.tail, l, d, &operands);
    if (err == CL_SUCCESS) {
        yk_event_set(l->c.event, CL_RUNNING);
        err = run_all(&w, t, n, &operands);
        unsigned shares = 0;
        for (unsigned i = 0; i < n; i++)
            shares += t[i].groups > 0;
        if (err == CL_SUCCESS && operands.moved)
            settle(l->code, d, (double)(yk_now_ns() - start) * 1e-9);
        if (err == CL_SUCCESS && shares > 1)
            yk_stats_split();
        else if (err == CL_SUCCESS)
            yk_stats_whole(yk_stats_reason("one device was done before another was ready for its share"));
    }
    for (unsigned i = 0; i < n; i++) {
        if (t[i].groups)
            yk_stats_share(t[i].dev, t[i].groups, t[i].seconds);
        if (t[i].kernel)
            yk_code_give(l->code, t[i].dev, true, t[i].kernel);
    }
    yk_stats_moved(operands.moved);
    for (unsigned i = 0; i < n && w.tail.on; i++)
        __atomic_store_n(&l->code->tailed[t[i].dev], true, __ATOMIC_RELAXED);
    yk_operands_finish(&operands);
    yk_reductions_finish(&w.reductions);
    yk_lock_finish(&w.lock);
    return err;
}
