#include "shim/queue/bring.h"
#include "base/clock.h"
#include "shim/core/stats.h"
#include "shim/memory/exclude.h"
#include "shim/memory/write_map.h"
#include "shim/queue/decide.h"
#include "shim/queue/part.h"

struct span {
    size_t from, to;
};

enum { SPANS = 16 };

/* Bytes in few pieces. */
struct spans {
    unsigned n;
    struct span at[SPANS];
};

/* S without [FROM, TO); where that makes too many pieces S stays. */
static void without(struct spans *s, size_t from, size_t to)
{
    struct spans rest = {.n = 0};
    for (unsigned i = 0; i < s->n; i++) {
        struct span a = s->at[i], left = {a.from, a.to < from ? a.to : from}, right = {a.from > to ? a.from : to, a.to};
        if (rest.n + 2 > SPANS)
            return;
        if (left.from < left.to)
            rest.at[rest.n++] = left;
        if (right.from < right.to)
            rest.at[rest.n++] = right;
    }
    *s = rest;
}

static bool is_read(const struct yk_parts *parts, const struct yk_part *p)
{
    for (size_t i = 0; i < parts->part.n; i++) {
        const struct yk_part *o = &parts->part.v[i];
        if (!o->write && o->store == p->store && o->region.offset < yk_region_end(&p->region) &&
            p->region.offset < yk_region_end(&o->region))
            return true;
    }
    return false;
}

/* What must have been brought of M before all of a launch that touches PARTS. */
static struct spans needed(const struct yk_parts *parts, const struct yk_mem *m)
{
    struct spans s = {.n = 1, .at = {{m->origin, m->origin + m->size}}};
    for (size_t i = 0; i < parts->part.n; i++) {
        const struct yk_part *p = &parts->part.v[i];
        if (p->store == m->store && p->write && p->exact && p->region.rows == 1 && p->region.slices == 1 &&
            !is_read(parts, p))
            without(&s, p->region.offset, p->region.offset + p->region.bytes);
    }
    return s;
}

/* What all of L touches, into PARTS; nothing where that is not known. */
static void touched(const struct yk_launch *l, const struct yk_facts_kernel *f, struct yk_parts *parts)
{
    struct yk_decision d = {.split = false};
    if (!f || f->verdict == YK_VERDICT_WHOLE || !yk_decide_shape(l, f, &d) ||
        yk_parts_add(parts, l, f, &d, yk_rt.machine->primary, 0, d.total) != YK_OK)
        parts->part.n = 0;
}

/* But for where the program is writing now. */
static cl_int bring_span(struct yk_store *s, struct span a, uint64_t *moved)
{
    cl_int err = CL_SUCCESS;
    for (size_t to; err == CL_SUCCESS && yk_write_map_beside(s, &a.from, a.to, &to); a.from = to)
        err = yk_store_need(s, yk_rt.primary->index, a.from, to - a.from, moved);
    return err;
}

/* LEFT: NULL where nothing is to be left. */
static cl_int bring(struct yk_launch *l, const struct yk_facts_kernel *f, struct yk_left *left)
{
    const struct yk_device *d = yk_rt.primary;
    struct yk_parts parts = {.part = {NULL, 0, 0}};
    uint64_t moved = 0;
    bool asked = false;
    cl_int err = CL_SUCCESS;
    for (unsigned i = 0; i < l->nvalues && err == CL_SUCCESS; i++) {
        const struct yk_mem *arg = l->value[i].kind == YK_VALUE_MEM ? l->value[i].u.mem : NULL,
                            *m = arg ? yk_mem_bytes(arg) : NULL;
        if (!m || yk_mem_at_primary(m) || yk_store_host_only(m->store)) /* windows of these: windows.h */
            continue;
        if (left && !asked)
            touched(l, f, &parts);
        asked = true;
        const struct spans all = {.n = 1, .at = {{m->origin, m->origin + m->size}}};
        struct spans s = left && left->n < YK_LEFT && arg == m ? needed(&parts, m) : all;
        if (s.n != 1 || s.at[0].to - s.at[0].from < m->size)
            left->store[left->n++] = m->store;
        if (!s.n)
            continue;
        /* What the primary's own queue still does to these bytes comes first. */
        if ((err = d->cl->Finish(l->c.queue->real)) != CL_SUCCESS)
            break;
        uint64_t before = moved, start = yk_now_ns();
        if (arg == m && f && i < f->nargs && f->arg[i].written && !f->arg[i].read && !f->arg[i].atomic)
            yk_store_forgive(m->store, d->index, m->origin, m->size);
        for (unsigned k = 0; k < s.n && err == CL_SUCCESS; k++)
            err = bring_span(m->store, s.at[k], &moved);
        if (moved == before)
            continue;
        uint64_t ns = yk_now_ns() - start;
        l->brought_ns += ns;
        yk_store_fetch_took(m->store, (uint64_t)((double)ns * yk_code_brought_part(l->code)));
    }
    yk_parts_finish(&parts);
    yk_stats_moved(moved);
    return err;
}

cl_int yk_bring(struct yk_launch *l, const struct yk_facts_kernel *f)
{
    return bring(l, f, NULL);
}

cl_int yk_bring_whole(struct yk_launch *l, const struct yk_facts_kernel *f, struct yk_left *left)
{
    left->n = 0;
    return bring(l, f, left);
}

void yk_bring_hold(struct yk_left *left)
{
    for (unsigned i = 0; i < left->n; i++)
        left->begun[i] = yk_write_begin(left->store[i]);
}

void yk_bring_let_go(struct yk_left *left)
{
    for (unsigned i = 0; i < left->n; i++)
        yk_write_end(left->store[i], left->begun[i]);
}

void yk_bring_wrote(const struct yk_launch *l, const struct yk_facts_kernel *f)
{
    struct yk_parts parts = {.part = {NULL, 0, 0}};
    touched(l, f, &parts);
    for (size_t i = 0; i < parts.part.n; i++) {
        const struct yk_part *p = &parts.part.v[i];
        if (p->write && p->exact)
            yk_store_wrote_region(p->store, yk_rt.machine->primary, &p->region);
    }
    yk_parts_finish(&parts);
}
