#include "shim/queue/part.h"
#include <stdlib.h>
#include "shim/queue/images.h"

static yk_status add_touches(struct yk_parts *s, const struct yk_launch *l, const struct yk_facts_kernel *f,
                             unsigned dev)
{
    for (size_t i = 0; i < s->reach.touch.n; i++) {
        const struct yk_touch *t = &s->reach.touch.v[i];
        const struct yk_value *v = &l->value[t->arg];
        const struct yk_mem *m = v->kind == YK_VALUE_MEM ? v->u.mem : NULL;
        if (f->arg[t->arg].reduces || !m || !m->store) /* through NULL, which the facts may allow, nothing is touched */
            continue;
        struct yk_part p = {.store = m->store,
                            .region = t->region,
                            .dev = dev,
                            .share = dev,
                            .write = t->kind != YK_ACCESS_READ,
                            .exact = t->exact};
        p.region.offset += m->origin;
        if (!yk_array_push(&s->part, p))
            return YK_ENOMEM;
    }
    return YK_OK;
}

yk_status yk_parts_reach(struct yk_parts *s, const struct yk_launch *l, const struct yk_facts_kernel *f,
                         const struct yk_decision *d, uint64_t from, uint64_t to)
{
    struct yk_reach_arg arg[64] = {{NULL, 0}};
    if (l->nvalues != f->nargs || f->nargs > 64)
        return YK_EINVAL;
    for (unsigned i = 0; i < f->nargs; i++) {
        const struct yk_value *v = &l->value[i];
        if ((f->arg[i].atomic && !f->arg[i].reduces) || v->kind == YK_VALUE_PRIMARY || v->kind == YK_VALUE_SVM ||
            v->kind == YK_VALUE_NONE)
            return YK_EINVAL;
        if (v->kind == YK_VALUE_BYTES)
            arg[i] = (struct yk_reach_arg){yk_value_bytes(v), v->size};
        else if (v->kind == YK_VALUE_MEM && !v->u.mem->store && !v->u.mem->image)
            return YK_EINVAL;
        else if (v->kind == YK_VALUE_MEM)
            arg[i].size = v->u.mem->size;
    }
    struct yk_reach_launch r = {.dims = l->dims, .arg = arg};
    struct yk_share share;
    for (unsigned i = 0; i < 3; i++) {
        r.groups[i] = d->range.groups[i];
        r.local[i] = d->local[i];
        r.offset[i] = l->has_offset && i < l->dims ? l->offset[i] : 0;
    }
    yk_range_cut(&d->range, from, to, &share);
    yk_lock_take(&l->code->lock);
    yk_status st = yk_recall_share(&l->code->recall, &s->reach, f, &r, &share);
    yk_lock_drop(&l->code->lock);
    return st;
}

yk_status yk_parts_add(struct yk_parts *s, const struct yk_launch *l, const struct yk_facts_kernel *f,
                       const struct yk_decision *d, unsigned dev, uint64_t from, uint64_t to)
{
    yk_status st = yk_parts_reach(s, l, f, d, from, to);
    return st == YK_OK ? add_touches(s, l, f, dev) : st;
}

bool yk_parts_bytes_of(const struct yk_launch *l, const struct yk_facts_kernel *f, const struct yk_decision *d,
                       unsigned dev, uint64_t from, uint64_t to, double *bytes, double *again)
{
    struct yk_parts s = {.part = {NULL, 0, 0}};
    bool any_own = false, known = yk_parts_add(&s, l, f, d, dev, from, to) == YK_OK;
    *bytes = *again = 0;
    for (size_t i = 0; i < s.part.n && known; i++) {
        const struct yk_part *p = &s.part.v[i];
        bool own = yk_store_apart(p->store, dev);
        any_own |= own;
        if (!p->exact)
            *bytes += (double)yk_store_lacks(p->store, dev, &p->region);
        if (p->write && !p->exact && own) /* read back and compared; brought again when next used */
            *again += 2 * (double)yk_region_bytes(&p->region);
    }
    if (dev != yk_rt.machine->primary)
        *bytes += yk_images_bytes(l, f, dev, again);
    *bytes += *again + any_own; /* never nothing where something may have to move */
    yk_parts_finish(&s);
    return known;
}

bool yk_parts_bytes(const struct yk_launch *l, const struct yk_facts_kernel *f, const struct yk_decision *d,
                    unsigned dev, double *bytes, double *again)
{
    uint64_t takers = 0, before = 0;
    for (unsigned i = 0; i < yk_rt.machine->n; i++) {
        before += d->takes[i] && i < dev;
        takers += d->takes[i];
    }
    uint64_t each = takers ? (d->total - d->begin) / takers : 0, from = d->begin + each * before;
    uint64_t to = before + 1 == takers ? d->total : from + each;
    return takers && yk_parts_bytes_of(l, f, d, dev, from, to, bytes, again);
}

void yk_parts_finish(struct yk_parts *s)
{
    yk_array_finish(&s->part);
    yk_reach_finish(&s->reach);
}
