#include "shim/queue/flights.h"
#include <stdlib.h>
#include <time.h>
#include "base/clock.h"
#include "device/ask.h"
#include "shim/core/stats.h"
#include "shim/queue/busy.h"
#include "shim/queue/share_learn.h"
#include "shim/queue/share_mend.h"
#include "shim/queue/users.h"

/* What lasts longer loses little by being waited for. */
static const double longest_ms = 20;

struct yk_flights {
    struct yk_flight *first, **last;
    struct yk_flown_end {
        uint64_t ns;
        bool unsure;
    } end[YK_MAX_DEVICES]; /* of the last share on each device, */
    uint64_t landed;       /* and when the last of them was */
};

void yk_flights_finish(struct yk_flights *f)
{
    free(f);
}

bool yk_flights_possible(const struct yk_decision *d)
{
    const struct yk_options *o = &yk_rt.options;
    bool forced = o->flying == YK_FLYING_FORCED;
    if (o->flying == YK_FLYING_OFF || o->recover || o->verify || d->guided || d->begin || d->beside)
        return false;
    if (!forced && !(d->predicted_ms > 0 && d->predicted_ms < longest_ms))
        return false;
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        if (d->takes[i] && (d->late[i] || !yk_taker_flies(i, true)))
            return false;
    return true;
}

/* Is E complete, or that of a launch which flies, or is ABOUT to? */
static bool comes_before(const struct yk_queue *q, const struct yk_event *e, const struct yk_event *about)
{
    if (e == about || __atomic_load_n(&e->status, __ATOMIC_ACQUIRE) == CL_COMPLETE)
        return true;
    for (const struct yk_flight *f = q->nflying ? q->flights->first : NULL; f; f = f->next)
        if (f->sharing.work.l->c.event == e)
            return true;
    return false;
}

/* Is what is first in Q a launch that waits for nothing but those before it? */
static bool may_follow(const struct yk_queue *q, const struct yk_event *about)
{
    const struct yk_command *c = q->first;
    if (!c || c->kind != &yk_launch_kind)
        return false;
    for (cl_uint i = 0; i < c->nwait; i++)
        if (!comes_before(q, c->wait[i], about))
            return false;
    return true;
}

bool yk_flights_go_on(const struct yk_queue *q)
{
    return q->nflying < YK_FLIGHTS_MOST && may_follow(q, NULL);
}

static bool another_follows(struct yk_queue *q, const struct yk_event *about)
{
    yk_lock_take(&q->lock);
    bool follows = may_follow(q, about);
    yk_lock_drop(&q->lock);
    return follows;
}

static bool give_all(struct yk_sharing *s, bool *used)
{
    bool good = true;
    s->work.flight = true;
    for (unsigned i = 0; i < s->n && good; i++) {
        struct yk_taker *t = &s->taker[i];
        used[t->dev] = s->work.d->from[t->dev] < s->work.d->to[t->dev];
        good = !used[t->dev] || (yk_taker_fly(t) && t->flown.err == CL_SUCCESS);
    }
    return s->work.flight = good;
}

bool yk_flights_go(struct yk_queue *q, struct yk_flight *f)
{
    struct yk_sharing *s = &f->sharing;
    bool used[YK_MAX_DEVICES] = {0};
    unsigned bad;
    if (s->operands.post.n || s->work.tail.on || (!q->nflying && !another_follows(q, s->work.l->c.event)) ||
        (!q->flights && !(q->flights = calloc(1, sizeof *q->flights))) || !give_all(s, used))
        return false;
    struct yk_flights *all = q->flights;
    (void)yk_operands_merge(&s->operands, used, &bad); /* only a record, which cannot fail */
    s->work.begins = yk_busy_begins();
    yk_stats_flew();
    f->next = NULL;
    f->mended = false;
    if (!q->nflying++) {
        all->last = &all->first;
        yk_event_set(s->work.l->c.event, CL_RUNNING);
    }
    *all->last = f;
    all->last = &f->next;
    return true;
}

bool yk_flights_await(const struct yk_queue *q)
{
    const uint64_t spin_ns = 1000000, began = yk_now_ns();
    const struct yk_sharing *s = &q->flights->first->sharing;
    for (;;) {
        bool over = true;
        for (unsigned i = 0; i < s->n && over; i++)
            over = yk_taker_over(&s->taker[i]);
        if (over)
            return true;
        if ((__atomic_load_n(&q->npending, __ATOMIC_ACQUIRE) & ~(unsigned)YK_QUEUE_FAILED) > q->nflying)
            return false;
        if (yk_now_ns() - began < spin_ns)
            yk_ask_pause();
        else
            nanosleep(&(struct timespec){0, 20000}, NULL);
    }
}

/* F's shares have begun behind others'. */
static void note_begin(struct yk_flights *all, struct yk_flight *f)
{
    for (unsigned i = 0; i < f->sharing.n; i++) {
        struct yk_flown *v = &f->sharing.taker[i].flown;
        const struct yk_flown_end *before = &all->end[f->sharing.taker[i].dev];
        if (v->start < before->ns) {
            v->start = before->ns;
            v->unsure = before->unsure;
        }
    }
}

static bool land(struct yk_flights *all, struct yk_flight *f)
{
    bool good = true;
    note_begin(all, f);
    yk_takers_land(f->sharing.taker, f->sharing.n);
    for (unsigned i = 0; i < f->sharing.n; i++) {
        const struct yk_taker *t = &f->sharing.taker[i];
        if (t->flown.end)
            all->end[t->dev] = (struct yk_flown_end){t->flown.end, t->flown.unsure};
        good &= t->err == CL_SUCCESS;
    }
    return good;
}

static void learn(struct yk_flights *all, struct yk_flight *f)
{
    struct yk_sharing *s = &f->sharing;
    uint64_t began = UINT64_MAX;
    bool unsure = false, behind = s->started < all->landed;
    for (unsigned i = 0; i < s->n; i++) {
        const struct yk_flown *v = &s->taker[i].flown;
        unsure |= v->unsure;
        began = v->end && v->start < began ? v->start : began;
    }
    if (behind) { /* while the one before was under way */
        began = began > all->landed ? began : all->landed;
        s->work.deciding = 0;
        s->started = all->landed;
        s->asked = s->collected;
    }
    if (!unsure)
        yk_share_learn(&s->work, s->taker, s->n, (double)(yk_now_ns() - began) * 1e-9 + s->work.deciding);
    yk_sharing_ran(s, CL_SUCCESS);
    yk_launch_divided(s->work.l, &f->d, all->landed);
}

/* Does one of those from F on write what one before it reads? Then there is no running that one again. */
static bool entangled(const struct yk_flight *f)
{
    for (const struct yk_flight *b = f; b; b = b->next)
        for (const struct yk_flight *a = b->next; a; a = a->next)
            for (unsigned i = 0; i < a->sharing.operands.n; i++)
                for (unsigned k = 0; k < b->sharing.operands.n; k++) {
                    const struct yk_operand *x = &a->sharing.operands.v[i], *y = &b->sharing.operands.v[k];
                    if (x->written && y->read && x->store == y->store && x->off < y->off + y->len &&
                        y->off < x->off + x->len)
                        return true;
                }
    return false;
}

/* F anew, on a device that is well. */
static cl_int run_again(struct yk_flight *f)
{
    struct yk_sharing *s = &f->sharing;
    struct yk_launch *l = s->work.l;
    s->work.flight = false;
    yk_operands_lose(&s->operands); /* it was recorded where it may not be */
    cl_int err = yk_share_start_again(s->taker, s->n, &s->operands);
    if (err != YK_SHARE_UNTOUCHED)
        return err;
    err = yk_launch_whole(l, NULL);
    return err == CL_SUCCESS ? yk_rt.primary->cl->Finish(l->c.queue->real) : err;
}

static cl_int code_of(const struct yk_flight *f)
{
    for (unsigned i = 0; i < f->sharing.n; i++)
        if (f->sharing.taker[i].err != CL_SUCCESS)
            return f->sharing.taker[i].err;
    return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST; /* another's */
}

/* The first has failed: what becomes of all of them. */
static void mend(struct yk_flights *all)
{
    for (struct yk_flight *f = all->first->next; f; f = f->next)
        (void)land(all, f);
    bool lost = entangled(all->first);
    for (struct yk_flight *f = all->first; f; f = f->next) {
        f->mended = true;
        f->result = lost ? code_of(f) : run_again(f);
        if (lost)
            yk_operands_lose(&f->sharing.operands);
        lost |= f->result != CL_SUCCESS;
    }
}

void yk_flights_next(struct yk_queue *q)
{
    if (q->nflying)
        yk_event_set(q->flights->first->sharing.work.l->c.event, CL_RUNNING);
}

struct yk_command *yk_flights_land(struct yk_queue *q, cl_int *err)
{
    struct yk_flights *all = q->flights;
    struct yk_flight *f = all->first;
    struct yk_launch *l = f->sharing.work.l;
    *err = CL_SUCCESS;
    if (!f->mended && land(all, f))
        learn(all, f);
    else if (!f->mended)
        mend(all);
    if (f->mended) {
        *err = f->result;
        yk_sharing_ran(&f->sharing, *err);
    }
    all->landed = yk_now_ns();
    all->first = f->next;
    if (!--q->nflying)
        all->last = &all->first;
    yk_sharing_finish(&f->sharing);
    yk_users_end(l, yk_code_facts(l->code));
    free(f);
    return &l->c;
}
