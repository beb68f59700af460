#include "shim/queue/stages_apart.h"
#include "device/device.h"
#include "shim/core/stats.h"
#include "shim/memory/link.h"
#include "shim/memory/room.h"
#include "shim/queue/ahead.h"
#include "shim/queue/remember.h"

unsigned yk_stages_others(const struct yk_facts_kernel *f)
{
    unsigned n = 0;
    bool stays = f && yk_rt.options.numerics == YK_NUMERICS_STRICT && (f->inexact || f->float_arith);
    for (unsigned i = 0; i < yk_rt.machine->n; i++) {
        const struct yk_device *d = &yk_rt.machine->device[i];
        bool other = i != yk_rt.machine->primary && d->usable && yk_rt.options.split;
        n += other && (!(d->type & CL_DEVICE_TYPE_CPU) || (f && !stays));
    }
    return n;
}

/* How long so many bytes take over the primary's link. */
static double link_ms(size_t bytes)
{
    return bytes ? (double)bytes / yk_link_bandwidth(yk_rt.primary->index, (double)bytes) : 0;
}

double yk_stages_longer_ms(size_t in, size_t out)
{
    double in_ms = link_ms(in), out_ms = link_ms(out);
    return in_ms > out_ms ? in_ms : out_ms;
}

/* Others are there so long after a launch that begins alone has asked for them (ahead.c), about. */
static const double others_come_ms = 300;

bool yk_stages_rather_divided(const struct yk_launch *l, const struct yk_facts_kernel *f, size_t in, size_t out)
{
    unsigned n = yk_stages_others(f), p = yk_rt.machine->primary;
    if (!n || yk_rt.options.piping == YK_PIPING_FORCED)
        return false;
    if (yk_build_insisted() || yk_rt.options.verify)
        return true;
    bool ready = yk_build_now(l->code->build) == YK_BUILD_READY;
    double rate = yk_code_get(&l->code->rate[p]),
           alone_ms = rate > 0 ? (double)yk_decide_items(l) / rate * 1e3 : yk_remember_alone(l),
           wait_ms = ready ? 0 : others_come_ms, transfers = yk_stages_longer_ms(in, out),
           longest = transfers > alone_ms ? transfers : alone_ms;
    if (alone_ms <= wait_ms || (!ready && !yk_ahead_spare()))
        return false;
    return link_ms(in) + wait_ms + (alone_ms - wait_ms) / (n + 1) + link_ms(out) < longest;
}

bool yk_stages_all(const struct yk_part *p)
{
    return p->exact && yk_region_bytes(&p->region) == yk_region_end(&p->region) - p->region.offset;
}

static bool lies_apart(const struct yk_mem *m, const unsigned *dev, unsigned n)
{
    struct yk_store *s = m->store;
    if (!s || m->image || s->app_ptr || yk_store_host_only(s) || yk_store_pinned(s))
        return false;
    for (unsigned i = 0; i < n; i++)
        if (!yk_store_apart(s, dev[i]))
            return false;
    return true;
}

/* May the bytes of C lie on the N devices DEV, each in a memory of its own? */
static bool may_part(const struct yk_chain *c, const struct yk_facts_kernel *f, const unsigned *dev, unsigned n)
{
    const struct yk_launch *l = c->launch;
    if (f->verdict != YK_VERDICT_SPLIT && f->verdict != YK_VERDICT_MERGE) /* exact at a closer look, as a rule */
        return false;
    for (unsigned k = 0; k < f->nargs; k++)
        if (f->arg[k].reduces || f->arg[k].atomic)
            return false;
    for (unsigned i = 0; i < l->nvalues; i++) {
        const struct yk_value *v = &l->value[i];
        bool fits = v->kind == YK_VALUE_MEM
                        ? lies_apart(v->u.mem, dev, n)
                        : v->kind == YK_VALUE_BYTES || v->kind == YK_VALUE_LOCAL || v->kind == YK_VALUE_NULL;
        if (!fits)
            return false;
    }
    for (unsigned i = 0; i < c->nwrites + c->nreads; i++)
        if (!lies_apart((i < c->nwrites ? c->write[i] : c->read[i - c->nwrites])->mem, dev, n))
            return false;
    return true;
}

bool yk_stages_may_gather(const struct yk_chain *c, const struct yk_facts_kernel *f)
{
    return may_part(c, f, &yk_rt.primary->index, 1);
}

static bool make(const struct yk_launch *l, unsigned dev)
{
    bool made = true;
    for (unsigned i = 0; i < l->nvalues && made; i++)
        made = l->value[i].kind != YK_VALUE_MEM || yk_store_real(l->value[i].u.mem->store, dev);
    return made;
}

unsigned yk_stages_devices(const struct yk_chain *c, const struct yk_facts_kernel *f, unsigned *dev)
{
    const struct yk_device *p = yk_rt.primary;
    const bool forced = yk_rt.options.piping == YK_PIPING_FORCED;
    struct yk_decision d;
    unsigned n = 1;
    dev[0] = p->index;
    if (!yk_rt.options.split || yk_rt.options.verify || yk_rt.options.recover || !yk_decide_elsewhere(c->launch, &d))
        return 1;
    for (unsigned i = 0; i < yk_rt.machine->n; i++) {
        const struct yk_device *o = &yk_rt.machine->device[i];
        if (i != p->index && d.takes[i] && !o->host_memory &&
            (forced || (o->type & CL_DEVICE_TYPE_GPU && yk_device_same_kind(p, o))))
            dev[n++] = i;
    }
    if (n == 1 || !may_part(c, f, dev, n))
        return 1;
    for (unsigned k = 1; k < n; k++)
        if (!make(c->launch, dev[k]))
            return 1;
    return n;
}

static bool is_read(const struct yk_stages_plan *p, const struct yk_store *s)
{
    for (unsigned k = 0; k < p->nsides; k++)
        for (size_t i = 0; i < p->side[k].touched.part.n; i++)
            if (p->side[k].touched.part.v[i].store == s && !p->side[k].touched.part.v[i].write)
                return true;
    return false;
}

bool yk_stages_part(const struct yk_chain *c, const struct yk_facts_kernel *f, struct yk_stages_plan *p)
{
    for (unsigned k = 0; k < p->nsides; k++) {
        struct yk_stages_side *e = &p->side[k];
        if (yk_parts_add(&e->touched, c->launch, f, &p->d, e->dev, p->bound[e->from], p->bound[e->to]) != YK_OK)
            return false;
    }
    for (unsigned k = 0; k < p->nsides; k++)
        for (size_t i = 0; i < p->side[k].touched.part.n; i++) {
            const struct yk_part *t = &p->side[k].touched.part.v[i];
            if (t->write && (!yk_stages_all(t) || is_read(p, t->store)))
                return false;
        }
    return true;
}

/* Does a write of C bring all of what T reads? */
static bool comes(const struct yk_chain *c, const struct yk_part *t)
{
    for (unsigned i = 0; i < c->nwrites; i++) {
        const struct yk_transfer *w = c->write[i];
        size_t from = w->mem->origin + w->off;
        if (w->mem->store == t->store && from <= t->region.offset && yk_region_end(&t->region) <= from + w->len)
            return true;
    }
    return false;
}

cl_int yk_stages_bring(const struct yk_chain *c, struct yk_stages_plan *p)
{
    uint64_t moved = 0;
    cl_int err = CL_SUCCESS;
    for (unsigned k = 0; k < p->nsides && err == CL_SUCCESS; k++) {
        struct yk_stages_side *e = &p->side[k];
        for (size_t i = 0; i < e->touched.part.n && err == CL_SUCCESS; i++) {
            const struct yk_part *t = &e->touched.part.v[i];
            if (!t->write && !comes(c, t))
                err = yk_store_need_region(t->store, e->dev, &t->region, NULL, &moved);
        }
    }
    yk_stats_moved(moved);
    return err;
}

void yk_stages_record(const struct yk_stages_plan *p)
{
    /* What several have got is the primary's: others' copies of it are not known then. */
    for (unsigned k = p->nsides; k-- > 0;)
        for (size_t i = 0; i < p->side[k].held.n; i++) {
            const struct yk_stages_span *h = &p->side[k].held.v[i];
            yk_store_wrote(h->store, p->side[k].dev, h->from, h->to - h->from);
        }
    for (unsigned k = 0; k < p->nsides; k++)
        for (size_t i = 0; i < p->side[k].touched.part.n; i++) {
            const struct yk_part *t = &p->side[k].touched.part.v[i];
            if (t->write)
                yk_store_wrote_region(t->store, p->side[k].dev, &t->region);
        }
}
