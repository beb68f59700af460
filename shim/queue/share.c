#include "shim/queue/share.h"
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "shim/core/stats.h"
#include "shim/core/trace.h"
#include "shim/queue/beside.h"
#include "shim/queue/busy.h"
#include "shim/queue/predict.h"
#include "shim/queue/remember.h"
#include "shim/queue/taker.h"
#include "shim/queue/takers.h"
#include "shim/queue/use.h"
#include "shim/queue/users.h"

/* May T run something? Not one that has failed, nor one that came when all had been taken: it has no kernel. */
static bool is_well(const struct yk_taker *t)
{
    return t->err == CL_SUCCESS && t->kernel;
}

/* Somebody who is well; the primary where it can. */
static struct yk_taker *healthy(struct yk_taker *t, unsigned n)
{
    struct yk_taker *found = NULL;
    for (unsigned i = 0; i < n; i++)
        if (is_well(&t[i]) && (!found || t[i].dev == yk_rt.machine->primary))
            found = &t[i];
    return found;
}

/* Chunks that no device has begun go to one that is well, and so does what nobody has taken. False: some chunk was
 * begun and not done, or nobody is well. */
static bool fill_in(struct yk_taker *t, unsigned n, struct yk_operands *operands)
{
    struct yk_share_work *w = t->work;
    struct yk_chunk rest = {w->d->guided ? w->next : w->d->total, w->d->total, 0};
    for (;;) {
        struct yk_taker *next = healthy(t, n);
        struct yk_chunk *c = &rest;
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
        struct yk_chunk todo = *c;
        c->from = c->to; /* where NEXT fails it is NEXT's */
        next->err = w->d->guided ? CL_SUCCESS : yk_operands_move(operands, todo.share, next->dev);
        next->touched = false;
        next->failed = todo;
        if (next->err == CL_SUCCESS)
            yk_taker_run(next, todo);
        else
            yk_takers_quarantine(next->dev, next->err, true);
    }
}

/* Put the outputs together; a device whose part cannot be had has failed. */
static cl_int merge(struct yk_taker *t, unsigned n, struct yk_operands *operands, const bool *used)
{
    unsigned bad = 0;
    cl_int err = yk_operands_merge(operands, used, &bad);
    if (err == CL_SUCCESS)
        err = yk_reductions_merge(&t->work->reductions, used, &bad, &operands->moved);
    for (unsigned i = 0; i < n && err != CL_SUCCESS; i++)
        if (t[i].dev == bad) {
            t[i].err = err;
            yk_takers_quarantine(bad, err, err == CL_OUT_OF_HOST_MEMORY);
        }
    return err;
}

/* May the launch be run again, and are the bytes before it there? */
static bool may_start_again(const struct yk_taker *t, unsigned n, struct yk_operands *operands)
{
    bool left = false;
    for (unsigned i = 0; i < n; i++) {
        /* Nobody can stop a device that is still at it, and it may still write over these. */
        if (t[i].suspect && (yk_operands_in_master(operands, t[i].dev) || t->work->reductions.n))
            return false;
        left |= is_well(&t[i]) || (t[i].dev == yk_rt.machine->primary && !t[i].suspect);
    }
    left |= !t->work->d->takes[yk_rt.machine->primary]; /* it has failed in nothing */
    if (!left || !yk_operands_restore(operands))
        return false;
    yk_reductions_restore(&t->work->reductions);
    return true;
}

/* The launch from its beginning, from the bytes before it, on a device that is well. YK_SHARE_UNTOUCHED: that is the
 * primary, who runs it whole; also if it failed its share, for want of a better one. */
static cl_int start_again(struct yk_taker *t, unsigned n, struct yk_operands *operands)
{
    while (may_start_again(t, n, operands)) {
        struct yk_taker *next = healthy(t, n);
        if (!next || next->dev == yk_rt.machine->primary)
            return YK_SHARE_UNTOUCHED;
        bool used[YK_MAX_DEVICES] = {0};
        struct yk_share_work *w = t->work;
        struct yk_decision all = *w->d;
        unsigned bad;
        memset(all.takes, 0, sizeof all.takes);
        used[next->dev] = all.takes[next->dev] = true;
        all.from[next->dev] = all.begin;
        all.to[next->dev] = all.total;
        operands->waits = true;
        cl_int err = yk_operands_plan(w->l, w->facts, &all, operands) == YK_OK ? yk_operands_bring(operands, &all, &bad)
                                                                               : CL_OUT_OF_HOST_MEMORY;
        if (err == CL_SUCCESS)
            err = yk_reductions_bring(&w->reductions, next->dev, &operands->moved);
        if (err == CL_SUCCESS)
            err = yk_launch_set_args(w->l, next->kernel->real, next->dev);
        if (err == CL_SUCCESS)
            err = yk_taker_run(next, (struct yk_chunk){all.begin, all.total, next->dev});
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

/* Devices of the primary's kind have taken less time, all of them together, than the launch is believed to take alone:
 * that was measured while something else was, and would divide the kernel for ever. */
static void believe_less(struct yk_share_work *w, const struct yk_taker *t, unsigned n, double items)
{
    const double far = 2;
    double ms = 0;
    for (unsigned i = 0; i < n; i++) {
        if (!yk_predict_same_kind(&yk_rt.machine->device[t[i].dev], yk_rt.primary))
            return;
        ms += t[i].seconds * 1e3;
    }
    if (ms > 0 && w->d->alone_ms > far * ms)
        yk_remember(w->l, yk_rt.machine->primary, YK_SAMPLE_ALONE, items, ms);
}

/* Keep what was measured, and notice launches for which splitting does not pay: WALL seconds have gone by since it was
 * begun to be decided on, but for what was brought. */
static void learn(struct yk_share_work *w, const struct yk_taker *t, unsigned n, double wall)
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
    bool crowded = w->d->crowded || yk_busy_begins() != w->begins; /* by other queues */
    /* A share's rate has what a launch costs in it, however small the share: four GPUs seem faster than they are. Where
     * devices compute on the host's processors, how fast these are changes more than that. */
    if (!yk_rt.primary->host_memory && w->d->alone_ms > 0 && !w->d->begin && alone > w->d->alone_ms * 1e-3)
        alone = w->d->alone_ms * 1e-3;
    if (alone > 0 && !crowded && !yk_rt.options.strategy && !yk_rt.options.reproducible)
        yk_code_divided(code, w->d->guided ? 0 : wall * 1e3, alone * 1e3, items);
    yk_lock_drop(&code->lock);
    if (!crowded)
        believe_less(w, t, n, items);
    if (wall * 1e3 < w->d->alone_ms)
        yk_remember_won(w->l);
}

/* What whole launches have waited for since, because the last such launch left its results on several devices. */
static double fetched_since(const struct yk_launch *l, const struct yk_facts_kernel *f)
{
    double ms = 0;
    for (unsigned i = 0; i < l->nvalues && i < f->nargs; i++)
        if (l->value[i].kind == YK_VALUE_MEM && f->arg[i].written)
            ms += yk_store_fetched(l->value[i].u.mem->store);
    return ms;
}

/* A launch has taken SECONDS from the decision on, with what was brought and put together, and FETCHED_MS of others. */
static void settle(struct yk_code *code, const struct yk_decision *d, double seconds, double fetched_ms)
{
    if (d->guided || d->invests || !(d->alone_ms > 0))
        return;
    double ms = seconds * 1e3 + fetched_ms;
    yk_lock_take(&code->lock);
    if (!yk_code_is_cold(code, ms, d->alone_ms) &&
        yk_moves_lost(&code->moves, ms - d->alone_ms, d->alone_ms, yk_code_get(&code->spent) * 1e3, d->again))
        yk_code_close(code);
    yk_lock_drop(&code->lock);
}

static cl_int prepare(struct yk_share_work *w, struct yk_taker *t, unsigned *n)
{
    for (unsigned dev = 0; dev < yk_rt.machine->n; dev++) {
        if (!w->d->takes[dev])
            continue;
        t[*n] = (struct yk_taker){.task = {.run = yk_taker_take}, .work = w, .dev = dev};
        (*n)++;
        cl_int err = w->d->late[dev] ? CL_SUCCESS : yk_taker_equip(&t[*n - 1]);
        if (err != CL_SUCCESS)
            return err;
    }
    w->takers = *n;
    return CL_SUCCESS;
}

/* What T read had not come when it ran. */
static void ran_on_nothing(struct yk_taker *t)
{
    if (t->err == CL_SUCCESS)
        t->err = CL_OUT_OF_RESOURCES;
    t->failed = (struct yk_chunk){t->work->d->from[t->dev], t->work->d->to[t->dev], t->dev};
    t->touched = true;
}

/* Have all of T failed before they had begun anything, and the primary is not among them? */
static bool nothing_begun(const struct yk_taker *t, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (t[i].err == CL_SUCCESS || t[i].touched || t[i].groups || t[i].dev == yk_rt.machine->primary)
            return false;
    return true;
}

static cl_int run_all(struct yk_share_work *w, struct yk_taker *t, unsigned n, struct yk_operands *operands)
{
    unsigned here = 0;
    for (unsigned i = 0; i < n; i++)
        if (t[i].dev == yk_rt.machine->primary)
            here = i;
    uint64_t start = yk_now_ns();
    bool failed = false, used[YK_MAX_DEVICES] = {0};
    for (unsigned i = 0; i < n; i++) /* first of all those that no thread waits for */
        (void)yk_taker_fly(&t[i]);
    for (unsigned i = 0; i < n; i++)
        if (i != here && !t[i].flying)
            t[i].started =
                yk_crew_start(t[i].dev, &t[i].task, yk_rt.machine->device[t[i].dev].type & CL_DEVICE_TYPE_CPU);
    if (!t[here].flying)
        yk_taker_take(&t[here].task);
    yk_takers_land(t, n);
    for (unsigned i = 0; i < n; i++) {
        if (t[i].started)
            yk_crew_wait(&t[i].task);
        else if (i != here)
            yk_taker_take(&t[i].task);
    }
    double wall = (double)(yk_now_ns() - start) * 1e-9;
    uint32_t lost = yk_operands_lost(operands);
    for (unsigned i = 0; i < n; i++) {
        if (lost >> t[i].dev & 1)
            ran_on_nothing(&t[i]);
        failed |= t[i].err != CL_SUCCESS;
    }
    if (failed && nothing_begun(t, n))
        return YK_SHARE_UNTOUCHED;
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
        learn(w, t, n, wall + w->deciding);
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

static cl_int run(struct yk_launch *l, const struct yk_decision *d)
{
    struct yk_share_work w = {.l = l, .d = d, .facts = yk_code_facts(l->code), .next = d->begin};
    struct yk_taker t[YK_MAX_DEVICES];
    struct yk_operands operands;
    unsigned n = 0;
    uint64_t asked = d->asked ? d->asked : yk_now_ns();
    if (yk_reductions_collect(l, w.facts, d, &w.reductions) != YK_OK ||
        yk_operands_collect(l, w.facts, d, &operands) != YK_OK) {
        yk_reductions_finish(&w.reductions);
        return YK_SHARE_UNTOUCHED;
    }
    operands.waits = w.reductions.n > 0;
    yk_lock_init(&w.lock, YK_RANK_LEAF);
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        w.rate[i] =
            d->takes[i] ? yk_code_get(&l->code->rate[i]) / (double)(d->local[0] * d->local[1] * d->local[2]) : 0;
    /* What this queue has already given to the primary's driver comes first. */
    uint64_t collected = yk_now_ns();
    w.deciding = (double)(collected - asked) * 1e-9;
    cl_int err = d->beside ? CL_SUCCESS : yk_rt.primary->cl->Finish(l->c.queue->real);
    unsigned bad = yk_rt.machine->primary;
    if (d->beside)
        yk_beside_bring();
    uint64_t start = yk_now_ns();
    cl_int brought = err == CL_SUCCESS ? yk_operands_bring(&operands, d, &bad) : CL_SUCCESS;
    if (err == CL_SUCCESS && brought == CL_SUCCESS)
        brought = yk_reductions_bring(&w.reductions, bad = home_of(d), &operands.moved);
    double brought_ms = operands.moved ? (double)(yk_now_ns() - start) * 1e-6 : 0;
    if (d->beside)
        yk_beside_brought();
    if (brought != CL_SUCCESS) {
        if (bad != yk_rt.machine->primary)
            yk_takers_quarantine(bad, brought, true);
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
        for (unsigned i = 0; i < n && !d->beside; i++)
            yk_busy_begin(l->c.queue, t[i].dev, d->guided ? d->alone_ms / n : d->share_ms[t[i].dev]);
        w.begins = yk_busy_begins();
        err = run_all(&w, t, n, &operands);
        unsigned shares = 0;
        for (unsigned i = 0; i < n; i++)
            shares += t[i].groups > 0;
        if (!d->beside)
            yk_busy_end(l->c.queue);
        double fetched_ms = fetched_since(l, w.facts);
        if (!yk_rt.primary->host_memory) {
            yk_remember_move(l, brought_ms, fetched_ms);
            yk_use_gained(l->code->build, -fetched_ms * 1e-3);
        }
        if (err == CL_SUCCESS && (operands.moved || fetched_ms > 0))
            settle(l->code, d, (double)(yk_now_ns() - start + collected - asked) * 1e-9, fetched_ms);
        if (err == CL_SUCCESS && d->beside)
            yk_stats_whole(yk_stats_reason(YK_BESIDE_REASON));
        else if (err == CL_SUCCESS && shares > 1)
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
        if (t[i].groups)
            __atomic_store_n(&l->code->tailed[t[i].dev], true, __ATOMIC_RELAXED);
    yk_operands_finish(&operands);
    yk_reductions_finish(&w.reductions);
    yk_lock_finish(&w.lock);
    return err;
}

cl_int yk_share_run(struct yk_launch *l, const struct yk_decision *d)
{
    const struct yk_facts_kernel *f = yk_code_facts(l->code);
    if (!yk_users_begin(l, f))
        return YK_SHARE_UNTOUCHED;
    cl_int err = run(l, d);
    yk_users_end(l, f);
    return err;
}
