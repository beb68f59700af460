#include "shim/queue/ahead.h"
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include "base/clock.h"
#include "base/env.h"
#include "base/log.h"
#include "base/thread.h"
#include "shim/core/background.h"
#include "shim/core/stats.h"
#include "shim/core/trace.h"
#include "shim/memory/mailbox.h"
#include "shim/queue/box.h"
#include "shim/queue/bring.h"
#include "shim/queue/cut.h"
#include "shim/queue/remember.h"
#include "shim/queue/remember_program.h"
#include "shim/queue/share.h"
#include "shim/queue/use.h"

/* A context and a build on another GPU, measured on an H200: 130 to 280 ms and 40 ms. They must be done well before the
 * launch ends alone, or the program waits for them when it exits. A piece is long beside a launch's latency (10 us) and
 * short beside the preparation. */
static const double worth_s = 0.35, last_s = 0.04, piece_s = 0.015;
/* A driver loads a kernel at its first launch, 10 to 40 ms on an H100: a first piece that took no longer than this says
 * nothing of the next ones. */
static const double loading_s = 0.1;
enum { SPARE_CORES = 4, RESIDENT_ITEMS = 2048, LEAST_WAVES = 3, FIRST = 4, FORCED_PIECES = 8, FORCED_WAIT_S = 60 };
static const double from_ms = 700, proven_from_ms = 350;

static struct {
    pthread_once_t once;
    bool spare, forced;
} mode = {.once = PTHREAD_ONCE_INIT};

static void look(void)
{
    const char *text = yk_env_str("YOKE_AHEAD", "auto");
    const struct yk_device *p = yk_rt.primary;
    cpu_set_t set;
    mode.forced = !strcmp(text, "force");
    if (!mode.forced && strcmp(text, "off") && strcmp(text, "auto"))
        yk_warn("YOKE_AHEAD=%s is not off, auto or force; auto is used", text);
    mode.spare = strcmp(text, "off") && p->type & CL_DEVICE_TYPE_GPU && !p->host_memory &&
                 sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) >= SPARE_CORES;
}

bool yk_ahead_spare(void)
{
    pthread_once(&mode.once, look);
    return mode.spare;
}

bool yk_ahead_forced(void)
{
    pthread_once(&mode.once, look);
    return mode.forced;
}

static void *make_contexts(void *arg)
{
    struct yk_context *ctx = arg;
    if (!yk_background_enter())
        return NULL; /* the process exits: the hold is not given back, since that may call a driver */
    for (unsigned i = 0; i < yk_rt.machine->n && !yk_background_ending(); i++)
        if (i != yk_rt.machine->primary && yk_rt.machine->device[i].usable &&
            yk_rt.machine->device[i].type & CL_DEVICE_TYPE_GPU)
            (void)yk_context_real(ctx, i);
    if (!yk_background_ending())
        yk_mailbox_expect(ctx);
    yk_drop(&ctx->h);
    yk_background_leave();
    return NULL;
}

double yk_ahead_from_ms(bool proven)
{
    return proven ? proven_from_ms : from_ms;
}

void yk_ahead_contexts(struct yk_context *ctx)
{
    if (ctx->whole || !yk_rt.options.split || !yk_ahead_spare() ||
        yk_remember_process() < yk_ahead_from_ms(yk_use_proven_to_process()) || yk_use_none_to_process())
        return;
    yk_hold(&ctx->h);
    if (yk_thread_start(make_contexts, ctx))
        yk_drop(&ctx->h);
}

/* Work-groups that fill the primary once, as far as its work-items go. */
static uint64_t wave(const struct yk_decision *d)
{
    uint64_t group = d->local[0] * d->local[1] * d->local[2], n = RESIDENT_ITEMS / (group ? group : 1);
    return (n ? n : 1) * yk_rt.primary->compute_units;
}

static uint64_t rounded(const struct yk_decision *d, uint64_t n)
{
    uint64_t grain = d->grain ? d->grain : 1;
    return (n + grain - 1) / grain * grain;
}

bool yk_ahead_may(const struct yk_launch *l, const struct yk_facts_kernel *f, const struct yk_decision *d)
{
    unsigned others = 0;
    if (!(yk_ahead_spare() || yk_ahead_forced()) || yk_build_insisted() || yk_rt.options.verify ||
        (f->verdict != YK_VERDICT_SPLIT && f->verdict != YK_VERDICT_MERGE) || !d->takes[yk_rt.machine->primary])
        return false;
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        others += yk_rt.machine->device[i].usable;
    for (unsigned i = 0; i < l->nvalues; i++)
        if (l->value[i].kind != YK_VALUE_BYTES && l->value[i].kind != YK_VALUE_MEM &&
            l->value[i].kind != YK_VALUE_LOCAL)
            return false;
    if (yk_ahead_forced())
        return others > 1 && d->total >= FORCED_PIECES;
    double alone_ms = yk_remember_alone(l);
    return others > 1 && d->total >= LEAST_WAVES * wave(d) && !(alone_ms > 0 && alone_ms < last_s * 1e3);
}

struct ahead {
    struct yk_launch *l;
    struct yk_decision d;
    const struct yk_facts_kernel *facts;
    cl_command_queue queue;
    struct yk_code_kernel *kernel;
    uint64_t at;       /* first work-group that has not been enqueued */
    uint64_t done;     /* work-groups known to have ended and counted, */
    double seconds;    /* and how long they took */
    uint64_t last_end; /* when the last of them ended, ns */
    uint64_t flying;   /* work-groups enqueued and not known to have ended: those of EVENT */
    cl_event event;    /* the last box's; NULL: nothing is under way */
};

/* The next N work-groups on the primary. */
static cl_int enqueue(struct ahead *a, uint64_t n)
{
    const struct yk_cl *cl = yk_rt.primary->cl;
    struct yk_share share;
    uint64_t to = a->d.total - a->at <= n ? a->d.total : a->at + n;
    cl_int err = CL_SUCCESS;
    yk_range_cut(&a->d.range, a->at, to, &share);
    for (unsigned i = 0; i < share.n && err == CL_SUCCESS; i++)
        err = yk_box_enqueue(a->l, a->facts, &a->d, yk_rt.machine->primary, a->queue, a->kernel->real, &share.box[i],
                             i + 1 == share.n ? &a->event : NULL);
    if (err == CL_SUCCESS) {
        a->flying = to - a->at;
        a->at = to;
        err = cl->Flush(a->queue);
    }
    return err;
}

/* Wait for EVENT, which N work-groups end with. */
static cl_int wait_for(struct ahead *a, cl_event event, uint64_t n)
{
    const struct yk_cl *cl = yk_rt.primary->cl;
    cl_int err = cl->WaitForEvents(1, &event);
    uint64_t now = yk_now_ns();
    if (yk_trace_on())
        yk_trace_span(yk_track_device(yk_rt.machine->primary), "run", a->l->code->name, a->last_end, now,
                      "\"launch\":%llu,\"groups\":%llu,\"ahead\":true,\"predicted_ms\":0",
                      (unsigned long long)a->d.launch, (unsigned long long)n);
    a->seconds += (double)(now - a->last_end) * 1e-9;
    a->last_end = now;
    a->done += n;
    cl->ReleaseEvent(event);
    return err;
}

static cl_int land(struct ahead *a)
{
    cl_event event = a->event;
    a->event = NULL;
    return event ? wait_for(a, event, a->flying) : CL_SUCCESS;
}

/* Everybody who will ever be is ready. */
static bool ready(struct yk_build *b)
{
    if (!yk_ahead_forced())
        return yk_build_now(b) == YK_BUILD_READY;
    return yk_build_wait(b, YK_BUILD_READY, FORCED_WAIT_S * 1000000000ull) == YK_BUILD_READY;
}

/* The first piece, then more, two under way at a time, until all are, or what is left is better split: D->split. */
static cl_int go(struct ahead *a, struct yk_decision *rest)
{
    struct yk_build *build = a->l->code->build;
    /* A part of a wave of long work-groups says what a whole one would, sooner. */
    uint64_t first = yk_ahead_forced() ? a->d.total / FORCED_PIECES : (wave(&a->d) + FIRST - 1) / FIRST;
    cl_int err = enqueue(a, rounded(&a->d, first));
    bool asked = __atomic_load_n(&build->wanted, __ATOMIC_RELAXED);
    if (err == CL_SUCCESS)
        err = land(a);
    if (err == CL_SUCCESS && !yk_ahead_forced() && a->at < a->d.total && a->seconds < loading_s &&
        !__atomic_load_n(&a->l->code->warm[yk_rt.machine->primary], __ATOMIC_RELAXED)) {
        bool is_long = a->seconds > 2 * piece_s; /* and so the next part of a wave says enough */
        a->done = 0;
        a->seconds = 0;
        err = enqueue(a, rounded(&a->d, is_long ? first : wave(&a->d)));
        if (err == CL_SUCCESS)
            err = land(a);
    }
    while (err == CL_SUCCESS && a->at < a->d.total) {
        double rate = a->seconds > 0 ? (double)a->done / a->seconds : 0; /* work-groups per second */
        double left = rate > 0 ? (double)(a->d.total - a->at) / rate : 0;
        bool on = yk_ahead_forced() || left > (asked ? last_s : worth_s);
        if (on)
            yk_build_want(build);
        asked |= on;
        if (on && ready(build) && !(yk_ahead_forced() && a->at < 2 * first)) {
            yk_code_put(&a->l->code->rate[yk_rt.machine->primary],
                        rate * (double)(a->d.local[0] * a->d.local[1] * a->d.local[2]));
            if (yk_decide_rest(a->l, &a->d, a->at, rest))
                return land(a);
            on = false; /* it does not pay, and will not */
        }
        uint64_t n = !on ? a->d.total : yk_ahead_forced() ? first : (uint64_t)(rate * piece_s), before = a->flying;
        cl_event flying = a->event;
        a->event = NULL;
        err = enqueue(a, on && n < first ? rounded(&a->d, first) : on ? rounded(&a->d, n) : n);
        if (flying) {
            cl_int ended = wait_for(a, flying, before);
            err = err == CL_SUCCESS ? ended : err;
        }
    }
    cl_int landed = land(a);
    return err == CL_SUCCESS ? landed : err;
}

/* What L touches is on the primary, and nothing else is under way there. */
static cl_int begin(struct ahead *a)
{
    cl_int err = yk_bring(a->l, a->facts);
    if (err == CL_SUCCESS)
        err = yk_rt.primary->cl->Finish(a->queue);
    a->kernel = err == CL_SUCCESS ? yk_code_take(a->l->code, yk_rt.machine->primary, true) : NULL;
    if (err == CL_SUCCESS && !a->kernel)
        err = CL_OUT_OF_RESOURCES;
    if (err == CL_SUCCESS)
        err = yk_launch_set_args(a->l, a->kernel->real, yk_rt.machine->primary);
    return err;
}

/* Everybody who may take part one day: the cheapest dimension for them. It must stay. */
static void cut(struct ahead *a)
{
    struct yk_decision all = a->d;
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        all.takes[i] = yk_rt.machine->device[i].usable;
    yk_cut_choose(a->l, a->facts, &all);
    a->d.range.axis = all.range.axis;
    a->d.grain = yk_ahead_forced() ? 1 : yk_range_grain(&a->d.range, 24);
}

cl_int yk_ahead_run(struct yk_launch *l, const struct yk_decision *d)
{
    struct ahead a = {.l = l, .d = *d, .facts = yk_code_facts(l->code), .queue = l->c.queue->real};
    struct yk_decision rest = {.split = false};
    cut(&a);
    cl_int err = begin(&a);
    if (err == CL_SUCCESS) {
        yk_event_set(l->c.event, CL_RUNNING);
        a.last_end = yk_now_ns();
        yk_launch_primary_writes(l, a.facts);
        err = go(&a, &rest);
    }
    if (err == CL_SUCCESS && rest.split) {
        err = yk_share_run(l, &rest);
        if (err == YK_SHARE_UNTOUCHED) {
            rest.split = false;
            err = yk_bring(l, a.facts);
            yk_launch_primary_writes(l, a.facts);
            a.last_end = yk_now_ns();
            if (err == CL_SUCCESS && (err = enqueue(&a, a.d.total - a.at)) == CL_SUCCESS)
                err = land(&a);
        }
    }
    if (a.kernel)
        yk_code_give(l->code, yk_rt.machine->primary, true, a.kernel);
    if (err == CL_SUCCESS && a.done)
        yk_launch_measured(l, a.seconds * (double)a.d.total / (double)a.done);
    if (rest.split)
        yk_use_gained(l->code->build, (double)(yk_now_ns() - a.last_end) * 1e-9);
    else
        yk_stats_whole(yk_stats_reason(d->reason));
    return err;
}
