#include "shim/queue/share.h"
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "shim/core/stats.h"
#include "shim/core/trace.h"
#include "shim/queue/beside.h"
#include "shim/queue/busy.h"
#include "shim/queue/flights.h"
#include "shim/queue/remember.h"
#include "shim/queue/share_learn.h"
#include "shim/queue/share_mend.h"
#include "shim/queue/takers.h"
#include "shim/queue/use.h"
#include "shim/queue/users.h"
#include "shim/queue/worker.h"

static cl_int prepare(struct yk_share_work *w, struct yk_taker *t, unsigned *n)
{
    for (unsigned dev = 0; dev < yk_rt.machine->n; dev++) {
        if (!w->d->takes[dev])
            continue;
        bool works = !w->d->late[dev] || dev == yk_rt.machine->primary;
        t[*n] = (struct yk_taker){.task = {.run = yk_taker_take}, .work = w, .dev = dev, .works = works};
        (*n)++;
        w->working += works;
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
    double wall = (double)(yk_now_ns() - start) * 1e-9, longest = 0;
    bool aside = false;
    for (unsigned i = 0; i < n; i++) {
        operands->moved += t[i].moved;
        aside |= t[i].moved > 0;
        longest = t[i].seconds > longest ? t[i].seconds : longest;
    }
    if (aside) /* what was brought is no part of what such launches take */
        wall = longest;
    uint32_t lost = yk_operands_lost(operands);
    for (unsigned i = 0; i < n; i++) {
        if (lost >> t[i].dev & 1)
            ran_on_nothing(&t[i]);
        failed |= t[i].err != CL_SUCCESS;
    }
    if (failed && nothing_begun(t, n))
        return YK_SHARE_UNTOUCHED;
    if (failed && !yk_share_fill_in(t, n, operands))
        return yk_share_start_again(t, n, operands);
    for (unsigned i = 0; i < n; i++)
        used[t[i].dev] = t[i].groups > 0 || w->tail.on; /* somebody has run its share */
    uint64_t merge_start = yk_now_ns(), moved = operands->moved;
    cl_int err = yk_share_merge(t, n, operands, used);
    if (yk_trace_on() && operands->moved > moved)
        yk_trace_span(YK_TRACK_MERGES, "merge", w->l->code->name, merge_start, yk_now_ns(),
                      "\"launch\":%llu,\"bytes\":%llu,\"method\":\"%s\"", (unsigned long long)w->d->launch,
                      (unsigned long long)(operands->moved - moved),
                      operands->by_kernel ? "kernel"
                      : w->reductions.n   ? "combined"
                                          : "difference");
    if (err == CL_SUCCESS && !failed)
        yk_share_learn(w, t, n, wall + w->deciding);
    return err == CL_SUCCESS ? err : yk_share_start_again(t, n, operands);
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

/* WAITED is no part of what deciding takes. Errors: YK_SHARE_UNTOUCHED; S is nothing then. */
static cl_int collect(struct yk_sharing *s, struct yk_launch *l, const struct yk_decision *d, uint64_t waited)
{
    struct yk_share_work *w = &s->work;
    *w = (struct yk_share_work){
        .l = l, .d = d, .facts = yk_code_facts(l->code), .next = d->begin, .operands = &s->operands};
    s->n = 0;
    s->brought_ms = 0;
    s->asked = d->asked ? d->asked + waited : yk_now_ns();
    if (yk_reductions_collect(l, w->facts, d, &w->reductions) != YK_OK ||
        yk_operands_collect(l, w->facts, d, &s->operands) != YK_OK) {
        yk_reductions_finish(&w->reductions);
        return YK_SHARE_UNTOUCHED;
    }
    s->operands.waits = w->reductions.n > 0;
    yk_lock_init(&w->lock, YK_RANK_LEAF);
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        w->rate[i] =
            d->takes[i] ? yk_code_get(&l->code->rate[i]) / (double)(d->local[0] * d->local[1] * d->local[2]) : 0;
    s->collected = yk_now_ns();
    w->deciding = (double)(s->collected - s->asked) * 1e-9;
    return CL_SUCCESS;
}

/* Errors: YK_SHARE_UNTOUCHED. */
static cl_int bring(struct yk_sharing *s)
{
    const struct yk_decision *d = s->work.d;
    unsigned bad = yk_rt.machine->primary;
    if (d->beside)
        yk_beside_bring();
    s->started = yk_now_ns();
    cl_int err = yk_operands_bring(&s->operands, d, &bad);
    if (err == CL_SUCCESS)
        err = yk_reductions_bring(&s->work.reductions, bad = home_of(d), &s->operands.moved);
    s->brought_ms = s->operands.moved ? (double)(yk_now_ns() - s->started) * 1e-6 : 0;
    if (d->beside)
        yk_beside_brought();
    if (yk_trace_on() && s->operands.moved)
        yk_trace_span(yk_track_link(bring_track(d)), "copy", "bring", s->started, yk_now_ns(),
                      "\"launch\":%llu,\"bytes\":%llu", (unsigned long long)d->launch,
                      (unsigned long long)s->operands.moved);
    if (err == CL_SUCCESS)
        return err;
    if (bad != yk_rt.machine->primary)
        yk_takers_quarantine(bad, err, true);
    return YK_SHARE_UNTOUCHED;
}

void yk_sharing_ran(struct yk_sharing *s, cl_int err)
{
    struct yk_share_work *w = &s->work;
    struct yk_launch *l = w->l;
    unsigned shares = 0;
    for (unsigned i = 0; i < s->n; i++)
        shares += s->taker[i].groups > 0;
    double fetched_ms = yk_share_fetched(l, w->facts);
    if (!yk_rt.primary->host_memory) {
        yk_remember_move(l, s->brought_ms, fetched_ms);
        yk_use_gained(l->code->build, -fetched_ms * 1e-3);
    }
    if (err == CL_SUCCESS && (s->operands.moved || fetched_ms > 0))
        yk_share_settle(l->code, w->d, (double)(yk_now_ns() - s->started + s->collected - s->asked) * 1e-9, fetched_ms);
    if (err == CL_SUCCESS && w->d->beside)
        yk_stats_whole(yk_stats_reason(YK_BESIDE_REASON));
    else if (err == CL_SUCCESS && shares > 1)
        yk_stats_split();
    else if (err == CL_SUCCESS)
        yk_stats_whole(yk_stats_reason("one device was done before another was ready for its share"));
}

void yk_sharing_finish(struct yk_sharing *s)
{
    struct yk_share_work *w = &s->work;
    struct yk_code *code = w->l->code;
    for (unsigned i = 0; i < s->n; i++) {
        struct yk_taker *t = &s->taker[i];
        if (t->groups)
            yk_stats_share(t->dev, t->groups, t->seconds);
        if (t->kernel)
            yk_code_give(code, t->dev, true, t->kernel);
        if (t->groups && w->tail.on)
            __atomic_store_n(&code->tailed[t->dev], true, __ATOMIC_RELAXED);
    }
    yk_stats_moved(s->operands.moved);
    yk_operands_finish(&s->operands);
    yk_reductions_finish(&w->reductions);
    yk_lock_finish(&w->lock);
}

static cl_int run_and_wait(struct yk_sharing *s)
{
    struct yk_share_work *w = &s->work;
    const struct yk_decision *d = w->d;
    struct yk_queue *q = w->l->c.queue;
    yk_event_set(w->l->c.event, CL_RUNNING);
    for (unsigned i = 0; i < s->n && !d->beside; i++)
        yk_busy_begin(q, s->taker[i].dev, d->guided ? d->alone_ms / s->n : d->share_ms[s->taker[i].dev]);
    w->begins = yk_busy_begins();
    cl_int err = run_all(w, s->taker, s->n, &s->operands);
    if (!d->beside)
        yk_busy_end(q);
    yk_sharing_ran(s, err);
    return err;
}

/* Those before it that fly are over, but for a launch that may go behind them. */
static cl_int come_next(struct yk_queue *q, bool behind)
{
    if (!q->nflying || behind)
        return CL_SUCCESS;
    yk_worker_land(q);
    return yk_queue_failed(q) ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS;
}

/* WAITED: ns between the decision and this. F: S is its; it may fly. */
static cl_int run(struct yk_sharing *s, struct yk_launch *l, const struct yk_decision *d, uint64_t waited,
                  struct yk_flight *f)
{
    struct yk_queue *q = l->c.queue;
    cl_int err = collect(s, l, d, waited);
    if (err != CL_SUCCESS)
        return err;
    bool flies = f && yk_operands_flying(&s->operands, d) && !s->work.reductions.n;
    err = come_next(q, flies && yk_operands_there(&s->operands, d));
    if (err == CL_SUCCESS && !flies && !d->beside)
        yk_operands_set_aside(&s->operands, d);
    if (err == CL_SUCCESS && !yk_operands_may_wait(&s->operands, d))
        err = YK_SHARE_UNTOUCHED;
    if (err == CL_SUCCESS)
        err = bring(s);
    if (err == CL_SUCCESS)
        err = prepare(&s->work, s->taker, &s->n);
    yk_share_tail(&s->work.tail, l, d, &s->operands);
    if (err == CL_SUCCESS && flies && yk_flights_go(q, f))
        return YK_CARRY_FLYING;
    bool prepared = err == CL_SUCCESS;
    if (prepared)
        err = come_next(q, false);
    if (err == CL_SUCCESS) {
        err = run_and_wait(s);
    } else if (prepared) { /* some shares may be under way, of a launch that is not to be */
        yk_takers_land(s->taker, s->n);
        yk_operands_lose(&s->operands);
    }
    yk_sharing_finish(s);
    return err;
}

/* What its queue has already given to the primary's driver comes first (users.h); where launches fly, they have come
 * behind that. *WAITED: ns. Errors: YK_SHARE_UNTOUCHED, the driver's. */
static cl_int be_alone(struct yk_launch *l, const struct yk_facts_kernel *f, const struct yk_decision *d,
                       uint64_t *waited)
{
    uint64_t start = yk_now_ns();
    cl_int err = d->beside || l->c.queue->nflying ? CL_SUCCESS : yk_rt.primary->cl->Finish(l->c.queue->real);
    *waited = yk_now_ns() - start;
    return err != CL_SUCCESS || yk_users_begin(l, f) ? err : YK_SHARE_UNTOUCHED;
}

cl_int yk_share_run(struct yk_launch *l, const struct yk_decision *d)
{
    const struct yk_facts_kernel *f = yk_code_facts(l->code);
    struct yk_sharing s;
    uint64_t waited;
    cl_int err = be_alone(l, f, d, &waited);
    if (err != CL_SUCCESS)
        return err;
    err = run(&s, l, d, waited, NULL);
    yk_users_end(l, f);
    return err;
}

bool yk_share_any_late(const struct yk_decision *d)
{
    bool any = false;
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        any |= d->late[i] && d->takes[i];
    return any;
}

bool yk_share_await(const struct yk_launch *l, struct yk_decision *d)
{
    const double part = 0.25;
    struct yk_build *b = l->code->build;
    double ms = part * (d->alone_ms - d->predicted_ms);
    uint64_t end = yk_now_ns() + (ms > 0 ? (uint64_t)(ms * 1e6) : 0);
    if (!yk_share_any_late(d))
        return false;
    for (unsigned i = 0; i < yk_rt.machine->n; i++) {
        uint64_t now = yk_now_ns();
        if (d->takes[i] && d->late[i] &&
            !(yk_build_wait_for(b, i, end > now ? end - now : 0) &&
              yk_build_has(b, i, yk_code_facts(l->code)->needs_variant)))
            return false;
    }
    memset(d->late, 0, sizeof d->late);
    return true;
}

cl_int yk_share_fly(struct yk_launch *l, const struct yk_decision *d)
{
    struct yk_flight *flight = yk_flights_possible(d) ? malloc(sizeof *flight) : NULL;
    if (!flight)
        return yk_share_run(l, d);
    const struct yk_facts_kernel *f = yk_code_facts(l->code);
    uint64_t waited;
    cl_int err = be_alone(l, f, d, &waited);
    if (err == CL_SUCCESS) {
        flight->d = *d;
        err = run(&flight->sharing, l, &flight->d, waited, flight);
        if (err == YK_CARRY_FLYING)
            return err;
        yk_users_end(l, f);
    }
    free(flight);
    return err;
}
