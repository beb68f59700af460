#include "shim/queue/beside_window.h"
#include <math.h>
#include <string.h>
#include "partitioner/cost.h"
#include "shim/memory/link.h"
#include "shim/queue/predict.h"
#include "shim/queue/remember.h"
#include "shim/queue/warm.h"
#include "shim/queue/windows.h"

/* A launch of so many work-groups per device and of so many ms is better divided, which needs no second launch. */
static const double divided_groups = 8, divided_ms = 1;

unsigned yk_beside_pending(const struct yk_queue *q, unsigned enough)
{
    unsigned n = 0;
    for (const struct yk_command *c = q->first; c && n < enough && c->kind->gathers && !c->nwait && !c->decided;
         c = c->next)
        n++;
    return n;
}

/* Would L rather be divided? */
static bool rather_divided(const struct yk_launch *l, const struct yk_decision *d, double alone_ms)
{
    return alone_ms >= divided_ms && (double)d->total >= divided_groups * yk_rt.machine->n &&
           __atomic_load_n(&l->code->losses, __ATOMIC_RELAXED) < YK_LOSSES;
}

/* Does some device that may take L work in a memory of its own for some buffer of it? */
static bool apart(const struct yk_launch *l, const struct yk_decision *d)
{
    for (unsigned i = 0; i < l->nvalues; i++)
        for (unsigned dev = 0; dev < yk_rt.machine->n && l->value[i].kind == YK_VALUE_MEM; dev++)
            if (d->takes[dev] && yk_store_apart(l->value[i].u.mem->store, dev))
                return true;
    return false;
}

/* How long moving bytes takes if DEV has E, which comes after others of its window (AFTER: then all that it reads lies
 * elsewhere), and somebody else wants its results; less than that where they stay. INFINITY: not known. */
static double moving_ms(struct yk_beside *b, const struct yk_beside_entry *e, unsigned dev, bool after)
{
    double bytes = 0;
    b->parts.part.n = 0;
    if (yk_parts_add(&b->parts, e->l, yk_code_facts(e->l->code), &e->d, dev, 0, e->d.total) != YK_OK)
        return dev == yk_rt.machine->primary ? 0 : INFINITY;
    for (size_t i = 0; i < b->parts.part.n; i++) {
        const struct yk_part *p = &b->parts.part.v[i];
        double all = (double)yk_region_bytes(&p->region);
        bool own = yk_store_apart(p->store, dev), home = dev == yk_rt.machine->primary;
        if (!p->exact)
            bytes += after && own && !home ? all : (double)yk_store_lacks(p->store, dev, &p->region);
        if (p->write && own && !home)
            bytes += p->exact ? all : 2 * all; /* read back, or read back to be compared and brought again */
    }
    return bytes > 0 ? bytes / yk_link_bandwidth(dev, bytes) : 0;
}

/* How long DEV takes for GROUPS work-groups, its first launch aside. Of devices of one kind a difference that is not
 * large is noise. */
static double run_ms(const struct yk_prediction *p, unsigned dev, double groups)
{
    const double large = 1.6;
    double ms = yk_split_parts(&p->device[dev], groups).run - p->device[dev].latency;
    bool same = yk_device_same_kind(&yk_rt.machine->device[dev], yk_rt.primary);
    return same && ms < large * p->alone_ms ? p->alone_ms : ms;
}

/* An earlier launch of the window that takes as long as E; NULL: none. *OF_ONE: some is of the same kernel. */
static const struct yk_beside_entry *like(const struct yk_beside *b, const struct yk_beside_entry *e, bool *of_one)
{
    *of_one = false;
    for (const struct yk_beside_entry *o = e; o-- > b->e;) {
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
static bool ask(struct yk_beside *b, struct yk_beside_entry *e)
{
    const double none[YK_MAX_DEVICES] = {0};
    struct yk_launch *l = e->l;
    struct yk_prediction p;
    bool of_one;
    e->problem = yk_remember_key(l, yk_rt.machine->primary, YK_SAMPLE_ALONE).problem;
    const struct yk_beside_entry *same = like(b, e, &of_one);
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
    return yk_beside_forced() ||
           (p.alone_ms >= yk_beside_least_ms && !p.guessed && !rather_divided(l, &e->d, p.alone_ms));
}

/* Whether and how long E, which comes after others of its window or not, may run where. False: nobody but the primary
 * may have it. */
static bool may_go_elsewhere(struct yk_beside *b, struct yk_beside_entry *e, bool after)
{
    const double unknown_ms = 1; /* of those that are forced to */
    bool others = false;
    for (unsigned i = 0; i < yk_rt.machine->n; i++) {
        if (!e->d.takes[i])
            e->ms[i] = INFINITY;
        else if (yk_beside_forced() && !(e->ms[i] < INFINITY))
            e->ms[i] = unknown_ms;
        else if (e->apart && !yk_beside_forced())
            e->ms[i] += moving_ms(b, e, i, after);
        others |= i != yk_rt.machine->primary && e->ms[i] < INFINITY;
    }
    return others && e->ms[yk_rt.machine->primary] < INFINITY;
}

static bool add_touch(struct yk_beside *b, const struct yk_store *s, uint64_t from, uint64_t to, bool write)
{
    struct yk_beside_touch t = {s, from, to, write};
    return yk_array_push(&b->touch, t);
}

/* What E touches: by the facts, or else all of its buffers. */
static bool find_touches(struct yk_beside *b, struct yk_beside_entry *e)
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

/* Where devices have memory of their own, what the primary has written counts by whole buffers. */
static bool conflict(const struct yk_beside *b, const struct yk_beside_entry *x, const struct yk_beside_entry *y)
{
    const struct yk_beside_touch *v = b->touch.v;
    bool whole = x->apart || y->apart;
    for (size_t i = x->touch; i < x->touch + x->ntouches; i++)
        for (size_t k = y->touch; k < y->touch + y->ntouches; k++)
            if ((v[i].write || v[k].write) && v[i].store == v[k].store &&
                (whole || (v[i].from < v[k].to && v[k].from < v[i].to)))
                return true;
    return false;
}

/* May C be one of a window? Into the next entry. */
static bool take(struct yk_beside *b, struct yk_command *c)
{
    struct yk_queue *q = b->q;
    struct yk_beside_entry *e = &b->e[b->n];
    struct yk_launch *l = (struct yk_launch *)c;
    if (q->properties & CL_QUEUE_PROFILING_ENABLE && c->wanted) /* whose times are to be its own */
        return false;
    *e = (struct yk_beside_entry){.l = l};
    if (yk_windows_wanted(l) || !yk_decide_elsewhere(l, &e->d) || !ask(b, e) || !find_touches(b, e))
        return false;
    e->apart = apart(l, &e->d);
    b->task[b->n] = (struct yk_schedule_task){e->ms, 0};
    for (unsigned i = 0; i < b->n; i++)
        if (conflict(b, &b->e[i], e))
            b->task[b->n].after |= 1ull << i;
    if (!may_go_elsewhere(b, e, b->task[b->n].after))
        return false;
    b->n++;
    return true;
}

unsigned yk_beside_collect(struct yk_beside *b)
{
    struct yk_queue *q = b->q;
    struct yk_command *c[YK_BESIDE_MOST];
    unsigned n;
    b->n = 0;
    b->touch.n = 0;
    yk_lock_take(&q->lock);
    n = yk_beside_pending(q, YK_BESIDE_MOST);
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

bool yk_beside_place(struct yk_beside *b)
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
