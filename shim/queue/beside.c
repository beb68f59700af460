#include "shim/queue/beside.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/log.h"
#include "partitioner/cost.h"
#include "partitioner/schedule.h"
#include "shim/core/stats.h"
#include "shim/core/trace.h"
#include "shim/queue/busy.h"
#include "shim/queue/crew.h"
#include "shim/queue/form.h"
#include "shim/queue/part.h"
#include "shim/queue/predict.h"
#include "shim/queue/remember.h"
#include "shim/queue/share.h"
#include "shim/queue/warm.h"
#include "shim/queue/windows.h"
#include "shim/queue/worth.h"

enum { MOST = YK_SCHEDULE_TASKS, PAUSE = 16, PAUSE_MOST = 1 << 14, HOPE = 4 };

/* A device is woken, and its share equipped: some tens of microseconds. */
static const double least_ms = 0.2;

/* A launch of so many work-groups per device and of so many ms is better divided, which needs no second launch. */
static const double divided_groups = 8, divided_ms = 1;

/* How long a window waits for its second launch. */
static const long lull_ns = 100000;

/* Bytes [from, to) of a store that a launch touches. */
struct touch {
    const struct yk_store *store;
    uint64_t from, to;
    bool write;
};

struct entry {
    struct yk_launch *l; /* the queue's */
    struct yk_decision d;
    size_t touch, ntouches;
    struct yk_hash problem;        /* its arguments, as samples tell them apart: yk_profile_key */
    double run_ms[YK_MAX_DEVICES]; /* but for what a first launch costs; INFINITY: unknown */
    double ms[YK_MAX_DEVICES];     /* INFINITY: not there */
    cl_int err;
};

struct yk_beside {
    struct yk_queue *q;
    unsigned n, place[MOST];
    struct entry e[MOST];
    struct yk_schedule_task task[MOST];
    YK_ARRAY(struct touch) touch;
    struct yk_parts parts; /* scratch */
    unsigned hope;         /* windows that may turn out to be single launches before none is expected any more */
    unsigned pause, next_pause;
    /* While it runs: */
    struct yk_lock lock; /* guards the next three, and the entries' err */
    pthread_cond_t changed;
    uint64_t done; /* bit per launch */
    unsigned told; /* events that have been */
    bool telling;
};

struct list {
    struct yk_task task;
    struct yk_beside *b;
    uint64_t mine; /* of the window */
    bool started;
};

static struct yk_beside *beside_of(struct yk_queue *q)
{
    if (!q->beside && (q->beside = calloc(1, sizeof *q->beside))) {
        q->beside->q = q;
        yk_lock_init(&q->beside->lock, YK_RANK_LEAF);
        pthread_cond_init(&q->beside->changed, NULL);
    }
    return q->beside;
}

void yk_beside_finish(struct yk_beside *b)
{
    if (!b)
        return;
    yk_array_finish(&b->touch);
    yk_parts_finish(&b->parts);
    pthread_cond_destroy(&b->changed);
    yk_lock_finish(&b->lock);
    free(b);
}

/* Launches at the head of Q that wait for nothing but one another. With the lock held. */
static unsigned pending(const struct yk_queue *q, unsigned enough)
{
    unsigned n = 0;
    for (const struct yk_command *c = q->first; c && n < enough && c->kind->gathers && !c->nwait && !c->decided;
         c = c->next)
        n++;
    return n;
}

/* Is C a launch of one work-group, which comes to the worker only to be looked at? */
static bool is_lone(const struct yk_command *c)
{
    const struct yk_launch *l = (const struct yk_launch *)c;
    for (cl_uint i = 0; l->has_local && i < l->dims; i++)
        if (l->local[i] != l->global[i])
            return false;
    return l->has_local;
}

bool yk_beside_begins(struct yk_queue *q)
{
    struct yk_beside *b = q->beside;
    if (!yk_beside_possible())
        return false;
    unsigned n = pending(q, 2), pushed = q->pushed;
    if (n == 1 && (yk_beside_forced() || (b && b->hope) || is_lone(q->first)) && q->asked != pushed && !q->stop) {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        t.tv_nsec += lull_ns;
        if (t.tv_nsec >= 1000000000)
            t.tv_sec++, t.tv_nsec -= 1000000000;
        yk_lock_timedwait(&q->lock, &q->work, &t);
        n = pending(q, 2);
    }
    if (n < 2) {
        if (b)
            b->hope -= b->hope > 0;
        return false;
    }
    if (b && b->pause && !yk_beside_forced()) {
        b->pause--;
        return false;
    }
    return true;
}

/* Would L rather be divided? */
static bool rather_divided(const struct yk_launch *l, const struct yk_decision *d, double alone_ms)
{
    return alone_ms >= divided_ms && (double)d->total >= divided_groups * yk_rt.machine->n &&
           __atomic_load_n(&l->code->losses, __ATOMIC_RELAXED) < YK_LOSSES;
}

/* Is some buffer of L where DEV does not work? */
static bool apart(const struct yk_launch *l, unsigned dev)
{
    for (unsigned i = 0; i < l->nvalues; i++)
        if (l->value[i].kind == YK_VALUE_MEM && yk_store_apart(l->value[i].u.mem->store, dev))
            return true;
    return false;
}

/* How long DEV takes for GROUPS work-groups, its first launch aside. Of devices of one kind a difference that is not
 * large is noise. */
static double run_ms(const struct yk_prediction *p, unsigned dev, double groups)
{
    const double large = 1.6;
    double ms = yk_split_parts(&p->device[dev], groups).run - p->device[dev].latency;
    bool same = yk_predict_same_kind(&yk_rt.machine->device[dev], yk_rt.primary);
    return same && ms < large * p->alone_ms ? p->alone_ms : ms;
}

/* An earlier launch of the window that takes as long as E; NULL: none. *OF_ONE: some is of the same kernel. */
static const struct entry *like(const struct yk_beside *b, const struct entry *e, bool *of_one)
{
    *of_one = false;
    for (const struct entry *o = e; o-- > b->e;) {
        if (o->l->code != e->l->code)
            continue;
        *of_one = true;
        if (!memcmp(&o->problem, &e->problem, sizeof e->problem) && o->d.total == e->d.total &&
            !memcmp(o->d.local, e->d.local, sizeof e->d.local))
            return o;
    }
    return NULL;
}

/* How long E takes wherever it may run. False: it is not known, or E is better left alone. */
static bool ask(struct yk_beside *b, struct entry *e)
{
    const double none[YK_MAX_DEVICES] = {0};
    struct yk_launch *l = e->l;
    struct yk_prediction p;
    bool of_one;
    e->problem = yk_remember_key(l, yk_rt.machine->primary, YK_SAMPLE_ALONE).problem;
    const struct entry *same = like(b, e, &of_one);
    if (same) {
        memcpy(e->run_ms, same->run_ms, sizeof e->run_ms);
        memcpy(e->ms, same->run_ms, sizeof e->ms);
        e->d.alone_ms = same->d.alone_ms;
        e->d.again = same->d.again;
        return true;
    }
    yk_predict(l, &e->d, none, &p);
    e->d.alone_ms = p.alone_ms;
    e->d.again = p.again;
    for (unsigned i = 0; i < yk_rt.machine->n; i++) {
        e->run_ms[i] = INFINITY;
        if (i == yk_rt.machine->primary && p.alone_ms > 0)
            e->run_ms[i] = p.alone_ms;
        else if (yk_split_known(&p.device[i]))
            e->run_ms[i] = run_ms(&p, i, (double)e->d.total);
        /* What a driver does at a kernel's first launch. */
        e->ms[i] = e->run_ms[i] + (of_one || i == yk_rt.machine->primary ? 0 : p.device[i].latency);
        if (p.unseen[i] && yk_rt.machine->device[i].type & CL_DEVICE_TYPE_CPU && p.alone_ms > yk_warm_from_ms)
            yk_warm_ask(l, i, e->d.local);
    }
    return yk_beside_forced() || (p.alone_ms >= least_ms && !p.guessed && !rather_divided(l, &e->d, p.alone_ms));
}

/* Whether and how long E may run where. False: nobody but the primary may have it, or it is better left alone. */
static bool predict(struct yk_beside *b, struct entry *e)
{
    const double unknown_ms = 1; /* of those that are forced to */
    bool others = false;
    if (!ask(b, e))
        return false;
    for (unsigned i = 0; i < yk_rt.machine->n; i++) {
        if (!e->d.takes[i] || apart(e->l, i))
            e->ms[i] = INFINITY;
        else if (yk_beside_forced() && !(e->ms[i] < INFINITY))
            e->ms[i] = unknown_ms;
        others |= i != yk_rt.machine->primary && e->ms[i] < INFINITY;
    }
    return others && e->ms[yk_rt.machine->primary] < INFINITY;
}

static bool add_touch(struct yk_beside *b, const struct yk_store *s, uint64_t from, uint64_t to, bool write)
{
    struct touch t = {s, from, to, write};
    return yk_array_push(&b->touch, t);
}

/* What E touches: by the facts, or else all of its buffers. */
static bool find_touches(struct yk_beside *b, struct entry *e)
{
    const struct yk_launch *l = e->l;
    const struct yk_facts_kernel *f = yk_code_facts(l->code);
    e->touch = b->touch.n;
    b->parts.part.n = 0;
    yk_status s = yk_parts_add(&b->parts, l, f, &e->d, 0, 0, e->d.total);
    bool ok = s != YK_ENOMEM;
    for (size_t i = 0; s == YK_OK && ok && i < b->parts.part.n; i++) {
        const struct yk_part *p = &b->parts.part.v[i];
        ok = add_touch(b, p->store, p->region.offset, yk_region_end(&p->region), p->write);
    }
    for (unsigned i = 0; s != YK_OK && ok && i < l->nvalues; i++) {
        const struct yk_mem *m = l->value[i].kind == YK_VALUE_MEM ? l->value[i].u.mem : NULL;
        if (m)
            ok = add_touch(b, m->store, m->origin, m->origin + m->size,
                           i >= f->nargs || f->arg[i].written || f->arg[i].atomic);
    }
    e->ntouches = b->touch.n - e->touch;
    return ok;
}

static bool conflict(const struct yk_beside *b, const struct entry *x, const struct entry *y)
{
    const struct touch *v = b->touch.v;
    for (size_t i = x->touch; i < x->touch + x->ntouches; i++)
        for (size_t k = y->touch; k < y->touch + y->ntouches; k++)
            if ((v[i].write || v[k].write) && v[i].store == v[k].store && v[i].from < v[k].to && v[k].from < v[i].to)
                return true;
    return false;
}

/* May C be one of a window? Into the next entry. */
static bool take(struct yk_beside *b, struct yk_command *c)
{
    struct yk_queue *q = b->q;
    struct entry *e = &b->e[b->n];
    struct yk_launch *l = (struct yk_launch *)c;
    if (q->properties & CL_QUEUE_PROFILING_ENABLE && c->wanted) /* whose times are to be its own */
        return false;
    *e = (struct entry){.l = l};
    if (yk_windows_wanted(l) || !yk_decide_elsewhere(l, &e->d) || !predict(b, e) || !find_touches(b, e))
        return false;
    b->task[b->n] = (struct yk_schedule_task){e->ms, 0};
    for (unsigned i = 0; i < b->n; i++)
        if (conflict(b, &b->e[i], e))
            b->task[b->n].after |= 1ull << i;
    b->n++;
    return true;
}

/* The window at the head of its queue. Returns how many commands have been looked at. */
static unsigned collect(struct yk_beside *b)
{
    struct yk_queue *q = b->q;
    struct yk_command *c[MOST];
    unsigned n;
    b->n = 0;
    b->touch.n = 0;
    yk_lock_take(&q->lock);
    n = pending(q, MOST);
    for (unsigned i = 0; i < n; i++)
        c[i] = i ? c[i - 1]->next : q->first;
    yk_lock_drop(&q->lock);
    for (unsigned i = 0; i < n; i++)
        if (!take(b, c[i]))
            return i + 1;
    return n;
}

/* By turns, whoever may. */
static void place_forced(struct yk_beside *b)
{
    unsigned n = yk_rt.machine->n, dev = yk_rt.machine->primary;
    for (unsigned i = 0; i < b->n; i++) {
        do
            dev = (dev + 1) % n;
        while (!(b->e[i].ms[dev] < INFINITY));
        b->place[i] = dev;
    }
}

/* Who carries out what. False: the primary had better do it all. */
static bool place(struct yk_beside *b)
{
    const double margin = 0.05, extra_ms = 0.1;
    double all = 0;
    if (b->n < 2)
        return false;
    if (yk_beside_forced()) {
        place_forced(b);
        return true;
    }
    for (unsigned i = 0; i < b->n; i++)
        all += b->e[i].ms[yk_rt.machine->primary];
    return yk_schedule(b->task, b->n, yk_rt.machine->n, yk_rt.machine->primary, b->place) + extra_ms <
           (1 - margin) * all;
}

/* Nothing was won: the next windows are not looked at. Where launches were independent, a device was once slow. */
static void pause_for(struct yk_beside *b)
{
    bool independent = b->n > 1;
    for (unsigned i = 0; i < b->n; i++)
        independent &= !b->task[i].after;
    for (unsigned i = 0; i < b->n && independent; i++)
        yk_remember_declined(b->e[i].l, b->e[i].d.alone_ms, b->e[i].d.again);
    b->hope = 0;
    b->next_pause = b->next_pause < PAUSE ? PAUSE : b->next_pause < PAUSE_MOST ? 2 * b->next_pause : PAUSE_MOST;
    b->pause = b->next_pause;
}

/* I is over with ERR. The events of those that are over, and all before them, are told. */
static void over(struct yk_beside *b, unsigned i, cl_int err)
{
    yk_lock_take(&b->lock);
    b->e[i].err = err;
    b->done |= 1ull << i;
    pthread_cond_broadcast(&b->changed);
    while (!b->telling && b->told < b->n && b->done >> b->told & 1) {
        struct entry *e = &b->e[b->told++];
        b->telling = true;
        yk_lock_drop(&b->lock);
        if (e->err == CL_SUCCESS)
            yk_event_set(e->l->c.event, CL_RUNNING);
        yk_event_set(e->l->c.event, e->err < 0 ? e->err : CL_COMPLETE);
        yk_lock_take(&b->lock);
        b->telling = false;
    }
    yk_lock_drop(&b->lock);
}

/* Wait until the launches in AFTER are over. False: one before I has failed, and the queue with it. */
static bool await(struct yk_beside *b, unsigned i, uint64_t after)
{
    bool well = true;
    yk_lock_take(&b->lock);
    while (after & ~b->done)
        yk_lock_wait(&b->lock, &b->changed);
    for (unsigned k = 0; k < i; k++)
        well &= !(b->done >> k & 1) || b->e[k].err >= 0;
    yk_lock_drop(&b->lock);
    return well;
}

/* Whole on the primary, whose queue's other commands may be at work; waited for. */
static cl_int on_primary(struct yk_launch *l)
{
    cl_event real = NULL;
    cl_int err = yk_launch_whole(l, &real);
    if (err == CL_SUCCESS) {
        err = yk_rt.primary->cl->WaitForEvents(1, &real);
        yk_rt.primary->cl->ReleaseEvent(real);
    }
    return err;
}

static void failed(struct yk_launch *l, cl_int err)
{
    yk_info("a command failed in its queue: %s", yk_cl_error_name(err));
    yk_queue_failed_later(l->c.queue, l->c.by, err);
}

/* What DEV, which is not the primary, is to do. */
static void run_list(struct yk_task *t)
{
    struct list *list = (struct list *)t;
    struct yk_beside *b = list->b;
    for (unsigned i = 0; i < b->n; i++) {
        struct entry *e = &b->e[i];
        if (!(list->mine >> i & 1))
            continue;
        cl_int err = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        if (await(b, i, b->task[i].after)) {
            yk_event_set(e->l->c.event, CL_SUBMITTED);
            err = yk_share_run(e->l, &e->d);
            if (err == CL_SUCCESS) {
                yk_stats_elsewhere();
            } else if (err == YK_SHARE_UNTOUCHED) {
                yk_stats_whole(yk_stats_reason("a device could not be prepared for its share, or failed in it"));
                err = on_primary(e->l);
            }
            if (err < 0)
                failed(e->l, err);
        }
        over(b, i, err);
    }
}

/* The launch that the primary has been given last is waited for. */
static void land(struct yk_beside *b, unsigned i, cl_event *real)
{
    const struct yk_cl *cl = yk_rt.primary->cl;
    if (!*real)
        return;
    cl_int err = cl->WaitForEvents(1, real);
    cl->ReleaseEvent(*real);
    *real = NULL;
    if (err < 0)
        failed(b->e[i].l, err);
    over(b, i, err);
}

/* What the primary is to do: the next is given to it before the last is waited for, unless it needs what others do. */
static void run_primary(struct yk_beside *b, uint64_t mine)
{
    unsigned last = 0;
    cl_event flying = NULL;
    for (unsigned i = 0; i < b->n; i++) {
        struct entry *e = &b->e[i];
        cl_event real = NULL;
        if (!(mine >> i & 1))
            continue;
        if (b->task[i].after & ~mine)
            land(b, last, &flying);
        cl_int err = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        if (await(b, i, b->task[i].after & ~mine)) {
            yk_event_set(e->l->c.event, CL_SUBMITTED);
            yk_stats_whole(yk_stats_reason(YK_BESIDE_REASON));
            err = yk_form_whole(e->l, &real);
            if (err == CL_SUCCESS)
                yk_rt.primary->cl->Flush(b->q->real);
            else
                failed(e->l, err);
        }
        land(b, last, &flying);
        flying = real;
        last = i;
        if (!real)
            over(b, i, err);
    }
    land(b, last, &flying);
}

/* What was decided of each, for whoever carries it out. */
static void prepare(struct yk_beside *b, uint64_t asked)
{
    double all = yk_schedule_ms(b->task, b->n, yk_rt.machine->n, b->place);
    for (unsigned i = 0; i < b->n; i++) {
        struct yk_decision *d = &b->e[i].d;
        unsigned dev = b->place[i];
        memset(d->takes, 0, sizeof d->takes);
        d->takes[dev] = d->beside = d->invests = true;
        d->split = dev != yk_rt.machine->primary;
        d->reason = YK_BESIDE_REASON;
        d->to[dev] = d->total;
        d->grain = 1;
        d->share_ms[dev] = b->e[i].ms[dev];
        d->predicted_ms = b->e[i].ms[dev];
        if (yk_trace_on())
            yk_launch_trace(b->e[i].l, d, asked);
        yk_worth_predicted(b->e[i].l->code, d->alone_ms * 1e-3);
        yk_code_lone_found(b->e[i].l->code);
    }
    yk_debug("%u launches beside one another, predicted to take %.3f ms", b->n, all);
}

/* What a device has no thread for is the primary's. */
static void run(struct yk_beside *b)
{
    const double long_ms = 1e6; /* of what nobody knows */
    struct list list[YK_MAX_DEVICES];
    unsigned primary = yk_rt.machine->primary;
    b->done = 0;
    b->told = 0;
    b->hope = HOPE;
    b->next_pause = 0;
    for (unsigned dev = 0; dev < yk_rt.machine->n; dev++)
        list[dev] = (struct list){.task = {.run = run_list}, .b = b};
    for (unsigned i = 0; i < b->n; i++)
        list[b->place[i]].mine |= 1ull << i;
    for (unsigned dev = 0; dev < yk_rt.machine->n; dev++) {
        if (dev == primary || !list[dev].mine)
            continue;
        list[dev].started = yk_crew_start(dev, &list[dev].task, yk_rt.machine->device[dev].type & CL_DEVICE_TYPE_CPU);
        list[primary].mine |= list[dev].started ? 0 : list[dev].mine;
    }
    for (unsigned dev = 0; dev < yk_rt.machine->n; dev++) {
        double ms = 0;
        for (unsigned i = 0; i < b->n; i++)
            ms += list[dev].mine >> i & 1 ? b->e[i].run_ms[dev] : 0;
        if (ms > 0)
            yk_busy_begin(b->q, dev, ms < long_ms ? ms : long_ms);
    }
    run_primary(b, list[primary].mine);
    for (unsigned dev = 0; dev < yk_rt.machine->n; dev++)
        if (list[dev].started)
            yk_crew_wait(&list[dev].task);
    yk_busy_end(b->q);
}

unsigned yk_beside_run(struct yk_queue *q, unsigned *plain)
{
    uint64_t asked = yk_now_ns();
    struct yk_beside *b = beside_of(q);
    *plain = 2;
    if (!b)
        return 0;
    unsigned looked = collect(b);
    if (!place(b)) {
        *plain = looked;
        if (looked > 1)
            pause_for(b);
        return 0;
    }
    prepare(b, asked);
    uint64_t decided = yk_now_ns();
    if (yk_rt.primary->cl->Finish(q->real) != CL_SUCCESS) { /* the next command will be told */
        *plain = looked;
        return 0;
    }
    run(b);
    yk_stats_decided(decided - asked, yk_now_ns() - asked);
    return b->n;
}
