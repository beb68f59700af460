#include "shim/queue/operand.h"
#include <stdlib.h>

static bool touches(const struct yk_operand *a, const struct yk_operand *b)
{
    return a->store == b->store && a->off < b->off + b->len && b->off < a->off + a->len;
}

/* Join B into the list; operands that it connects become one. */
static void add(struct yk_operands *s, struct yk_operand b)
{
    for (unsigned i = 0; i < s->n;) {
        struct yk_operand *a = &s->v[i];
        if (!touches(a, &b)) {
            i++;
            continue;
        }
        size_t end = a->off + a->len > b.off + b.len ? a->off + a->len : b.off + b.len;
        b.off = a->off < b.off ? a->off : b.off;
        b.len = end - b.off;
        b.read |= a->read;
        b.written |= a->written;
        *a = s->v[--s->n];
        i = 0;
    }
    s->v[s->n++] = b;
}

static void make_plain(struct yk_part *p)
{
    p->region = yk_region_plain(p->region.offset, yk_part_length(p));
}

/* Does another device write between the first and the last byte of P? */
static bool others_within(const struct yk_operands *s, const struct yk_part *p)
{
    for (size_t i = 0; i < s->parts.part.n; i++) {
        const struct yk_part *o = &s->parts.part.v[i];
        if (o->write && o->dev != p->dev && o->store == p->store && o->region.offset < yk_region_end(&p->region) &&
            p->region.offset < yk_region_end(&o->region))
            return true;
    }
    return false;
}

/* What lies between the rows of R, which has no slices; where the rows are short all of it, as one piece. */
static struct yk_region between(const struct yk_region *r)
{
    enum { SHORT = 64 };
    struct yk_region gaps = *r;
    if (r->row_pitch < SHORT)
        return yk_region_plain(r->offset, yk_region_end(r) - r->offset);
    if (r->rows == 2)
        return yk_region_plain(r->offset + r->bytes, r->row_pitch - r->bytes);
    gaps.offset += r->bytes;
    gaps.bytes = r->row_pitch - r->bytes;
    gaps.rows--;
    gaps.slice_pitch = gaps.rows * gaps.row_pitch;
    return gaps;
}

/* Rows with little between them are written as one piece where nobody else writes between: what lies between is brought
 * as if it were read, and stays as it is. Errors: YK_ENOMEM. */
static yk_status close_gaps(struct yk_operands *s, size_t i)
{
    struct yk_part p = s->parts.part.v[i];
    if (p.region.rows == 1 && p.region.slices == 1)
        return YK_OK;
    if (p.region.slices == 1 && p.region.bytes >= p.region.row_pitch / 20 * 19 && !others_within(s, &p)) {
        struct yk_region gaps = between(&p.region);
        make_plain(&p);
        s->parts.part.v[i] = p;
        p.write = p.exact = false;
        p.region = gaps;
        return yk_array_push(&s->parts.part, p) ? YK_OK : YK_ENOMEM;
    }
    if (yk_region_scattered(&p.region)) { /* differences are cheaper */
        make_plain(&p);
        p.exact = false;
        s->parts.part.v[i] = p;
    }
    return YK_OK;
}

/* One plain write part per device and operand: what will be compared. */
static void join_bounds(struct yk_operands *s, const struct yk_operand *a)
{
    struct yk_part *v = s->parts.part.v;
    for (size_t i = 0; i < s->parts.part.n; i++) {
        if (!v[i].write || !yk_operand_has(&v[i], a))
            continue;
        make_plain(&v[i]);
        v[i].exact = false;
        for (size_t j = i + 1; j < s->parts.part.n;) {
            if (!v[j].write || v[j].dev != v[i].dev || !yk_operand_has(&v[j], a)) {
                j++;
                continue;
            }
            uint64_t end = yk_region_end(&v[j].region), from = v[j].region.offset;
            end = end > yk_region_end(&v[i].region) ? end : yk_region_end(&v[i].region);
            from = from < v[i].region.offset ? from : v[i].region.offset;
            v[i].region = yk_region_plain(from, end - from);
            v[j] = v[--s->parts.part.n];
        }
    }
}

yk_status yk_operands_plan(struct yk_launch *l, const struct yk_facts_kernel *f, const struct yk_decision *d,
                           struct yk_operands *s)
{
    yk_status st = YK_OK;
    s->parts.part.n = 0;
    s->by_kernel = false;
    s->aside = 0;
    s->launch = l;
    s->facts = f;
    s->decision = d;
    for (unsigned dev = 0; dev < YK_MAX_DEVICES; dev++)
        s->runs[dev] = dev;
    for (unsigned dev = 0; dev < yk_rt.machine->n && st == YK_OK; dev++)
        if (d->takes[dev]) /* of chunks nobody knows beforehand who runs them: each taker gets what the launch touches
                            */
            st = yk_parts_add(&s->parts, l, f, d, dev, d->guided ? d->begin : d->from[dev],
                              d->guided ? d->total : d->to[dev]);
    for (size_t i = 0; i < s->parts.part.n && d->guided; i++)
        s->parts.part.v[i].exact = false;
    if (st == YK_ENOMEM)
        return st;
    for (unsigned i = 0; i < s->n; i++) {
        free(s->v[i].snapshot);
        s->v[i].snapshot = NULL;
        s->v[i].how = st == YK_OK ? YK_OPERAND_EXACT : YK_OPERAND_WHOLE;
    }
    if (st != YK_OK) {
        s->parts.part.n = 0;
        return YK_OK;
    }
    for (size_t i = 0, n = s->parts.part.n; i < n; i++)
        if (s->parts.part.v[i].exact && close_gaps(s, i) != YK_OK)
            return YK_ENOMEM;
    for (unsigned i = 0; i < s->n; i++) {
        for (size_t k = 0; k < s->parts.part.n; k++) {
            const struct yk_part *p = &s->parts.part.v[k];
            if (p->write && !p->exact && yk_operand_has(p, &s->v[i]))
                s->v[i].how = YK_OPERAND_BOUNDS;
        }
        if (s->v[i].how == YK_OPERAND_BOUNDS)
            join_bounds(s, &s->v[i]);
    }
    return YK_OK;
}

yk_status yk_operands_collect(struct yk_launch *l, const struct yk_facts_kernel *f, const struct yk_decision *d,
                              struct yk_operands *s)
{
    *s = (struct yk_operands){.v = calloc(l->nvalues + 1, sizeof *s->v)};
    if (!s->v)
        return YK_ENOMEM;
    for (unsigned i = 0; i < l->nvalues; i++) {
        const struct yk_value *v = &l->value[i];
        if (v->kind != YK_VALUE_MEM || !v->u.mem->store)
            continue;
        bool known = i < f->nargs;
        if (known && f->arg[i].reduces)
            continue;
        add(s, (struct yk_operand){.store = v->u.mem->store,
                                   .off = v->u.mem->origin,
                                   .len = v->u.mem->size,
                                   .read = !known || f->arg[i].read || f->arg[i].atomic,
                                   .written = !known || f->arg[i].written || f->arg[i].atomic});
    }
    yk_status st = yk_operands_plan(l, f, d, s);
    if (st == YK_OK)
        yk_operands_choose(s);
    return st;
}
