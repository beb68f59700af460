#include "shim/queue/stages_plan.h"
#include <stdlib.h>
#include <string.h>
#include "shim/queue/part.h"

/* Bytes of a transfer that no part has claimed yet. */
struct span {
    const struct yk_transfer *t;
    size_t from, to; /* of the store */
};
typedef YK_ARRAY(struct span) spans;

/* What one part touches of a store: the hull of each region, since transfers are of contiguous bytes. */
struct touch {
    const struct yk_store *store;
    size_t from, to;
    bool read, write;
};
typedef YK_ARRAY(struct touch) touches;

static bool meet(size_t a, size_t a_end, size_t b, size_t b_end)
{
    return a < b_end && b < a_end;
}

static bool host_meets(const struct yk_transfer *a, const struct yk_transfer *b)
{
    uintptr_t p = (uintptr_t)a->ptr, q = (uintptr_t)b->ptr;
    return meet(p, p + a->len, q, q + b->len);
}

static bool device_meets(const struct yk_transfer *a, const struct yk_transfer *b)
{
    size_t p = a->mem->origin + a->off, q = b->mem->origin + b->off;
    return a->mem->store == b->mem->store && meet(p, p + a->len, q, q + b->len);
}

/* Would the order of transfers, other than writes before reads, show in the result? */
static bool entangled(const struct yk_chain *c)
{
    for (unsigned i = 0; i < c->nwrites; i++) {
        for (unsigned k = 0; k < i; k++)
            if (device_meets(c->write[i], c->write[k]))
                return true;
        for (unsigned k = 0; k < c->nreads; k++)
            if (host_meets(c->write[i], c->read[k]))
                return true;
    }
    for (unsigned i = 0; i < c->nreads; i++)
        for (unsigned k = 0; k < i; k++)
            if (host_meets(c->read[i], c->read[k]))
                return true;
    return false;
}

static bool at_primary(const struct yk_mem *m)
{
    return m->store && !m->store->app_ptr && yk_mem_at_primary(m);
}

/* Only buffers, of which the primary has all bytes, and values. */
static bool plain(const struct yk_chain *c)
{
    const struct yk_launch *l = c->launch;
    for (unsigned i = 0; i < l->nvalues; i++) {
        const struct yk_value *v = &l->value[i];
        bool fits = v->kind == YK_VALUE_MEM
                        ? at_primary(v->u.mem)
                        : v->kind == YK_VALUE_BYTES || v->kind == YK_VALUE_LOCAL || v->kind == YK_VALUE_NULL;
        if (!fits)
            return false;
    }
    for (unsigned i = 0; i < c->nwrites + c->nreads; i++) {
        const struct yk_transfer *t = i < c->nwrites ? c->write[i] : c->read[i - c->nwrites];
        if (!at_primary(t->mem))
            return false;
    }
    return true;
}

static bool cut(const struct yk_launch *l, unsigned wanted, struct yk_stages_plan *p)
{
    struct yk_decision *d = &p->d;
    if (!yk_range_ids_fit(l->dims, l->has_offset ? l->offset : NULL, l->global))
        return false;
    d->range.dims = l->dims;
    for (unsigned i = 0; i < 3; i++) {
        bool used = i < l->dims;
        if (used && (!l->has_local || !l->local[i] || !l->global[i] || l->global[i] % l->local[i]))
            return false;
        d->local[i] = used ? l->local[i] : 1;
        d->range.groups[i] = used ? l->global[i] / l->local[i] : 1;
    }
    if (!yk_range_total(&d->range, &d->total) || d->total < 2)
        return false;
    wanted = wanted < YK_STAGES_PARTS ? wanted : YK_STAGES_PARTS;
    uint64_t grain = yk_range_grain(&d->range, wanted), units = d->total / grain;
    p->n = units < wanted ? (unsigned)units : wanted;
    for (unsigned i = 0; i <= p->n; i++)
        p->bound[i] = units * i / p->n * grain;
    p->bound[p->n] = d->total;
    return p->n > 1;
}

/* What part I touches, into T. */
static bool touch_part(struct yk_parts *s, const struct yk_launch *l, const struct yk_facts_kernel *f,
                       const struct yk_stages_plan *p, unsigned i, touches *t)
{
    s->part.n = t->n = 0;
    if (yk_parts_add(s, l, f, &p->d, yk_rt.primary->index, p->bound[i], p->bound[i + 1]) != YK_OK)
        return false;
    for (size_t k = 0; k < s->part.n; k++) {
        const struct yk_part *q = &s->part.v[k];
        struct touch one = {q->store, (size_t)q->region.offset, (size_t)yk_region_end(&q->region), !q->write, q->write};
        if (!yk_array_push(t, one))
            return false;
    }
    for (unsigned k = 0; k < f->nargs; k++) { /* atomics: anywhere */
        const struct yk_mem *m = l->value[k].kind == YK_VALUE_MEM ? l->value[k].u.mem : NULL;
        struct touch all = {m ? m->store : NULL, m ? m->origin : 0, m ? m->origin + m->size : 0, true, true};
        if (m && f->arg[k].reduces && !yk_array_push(t, all))
            return false;
    }
    return true;
}

/* [from, to) of STORE, as far as LEFT has it, goes with STEP. */
static bool claim(spans *left, const struct yk_store *store, size_t from, size_t to, unsigned step,
                  struct yk_stages_pieces *out)
{
    for (size_t i = 0; i < left->n; i++) {
        struct span s = left->v[i];
        if (s.t->mem->store != store || !meet(s.from, s.to, from, to))
            continue;
        size_t a = s.from > from ? s.from : from, b = s.to < to ? s.to : to;
        unsigned char *host = (unsigned char *)s.t->ptr + (a - s.t->mem->origin - s.t->off);
        struct yk_ring_piece piece = {store->real[yk_rt.primary->index], a, host, b - a, step};
        struct yk_ring_piece *last = out->n ? &out->v[out->n - 1] : NULL;
        if (last && last->step == step && last->buffer == piece.buffer && last->off + last->len == a &&
            last->host + last->len == host)
            last->len += b - a;
        else if (!yk_array_push(out, piece))
            return false;
        struct span after = {s.t, b, s.to};
        left->v[i].to = a;
        if (a == s.from) /* nothing is left before */
            left->v[i] = b < s.to ? after : left->v[--left->n];
        else if (b < s.to && !yk_array_push(left, after))
            return false;
        if (a == s.from && b >= s.to)
            i--;
    }
    return true;
}

static bool claim_rest(spans *left, unsigned step, struct yk_stages_pieces *out)
{
    while (left->n) {
        struct span s = left->v[0];
        if (!claim(left, s.t->mem->store, s.from, s.to, step, out))
            return false;
    }
    return true;
}

static bool fill(spans *left, struct yk_transfer *const *t, unsigned n, size_t *bytes)
{
    for (unsigned i = 0; i < n; i++) {
        size_t from = t[i]->mem->origin + t[i]->off;
        struct span s = {t[i], from, from + t[i]->len};
        *bytes += t[i]->len;
        if (t[i]->len && !yk_array_push(left, s))
            return false;
    }
    return true;
}

static void count_beside(struct yk_stages_plan *p)
{
    for (size_t i = 0; i < p->in.n; i++)
        p->beside += p->in.v[i].step > 0 ? p->in.v[i].len : 0;
    for (size_t i = 0; i < p->out.n; i++)
        p->beside += p->out.v[i].step + 1 < p->n ? p->out.v[i].len : 0;
}

static int by_step(const void *a, const void *b)
{
    const struct yk_ring_piece *p = a, *q = b;
    return p->step != q->step ? (p->step > q->step) - (p->step < q->step) : (p->host > q->host) - (p->host < q->host);
}

/* The parts in their order claim what goes in, and in the opposite order what comes out. What none touches goes last.
 */
static bool assign(const struct yk_chain *c, struct yk_stages_plan *p, const touches *t)
{
    spans in = {NULL, 0, 0}, out = {NULL, 0, 0};
    bool ok = fill(&in, c->write, c->nwrites, &p->in_bytes) && fill(&out, c->read, c->nreads, &p->out_bytes);
    for (unsigned i = 0; i < p->n; i++)
        for (size_t k = 0; k < t[i].n && ok; k++)
            ok = claim(&in, t[i].v[k].store, t[i].v[k].from, t[i].v[k].to, i, &p->in);
    for (unsigned i = p->n; i-- > 0;)
        for (size_t k = 0; k < t[i].n && ok; k++)
            ok = !t[i].v[k].write || claim(&out, t[i].v[k].store, t[i].v[k].from, t[i].v[k].to, i, &p->out);
    ok = ok && claim_rest(&in, p->n - 1, &p->in) && claim_rest(&out, p->n - 1, &p->out);
    if (ok && p->out.n)
        qsort(p->out.v, p->out.n, sizeof *p->out.v, by_step);
    yk_array_finish(&in);
    yk_array_finish(&out);
    return ok;
}

bool yk_stages_plan(const struct yk_chain *chain, const struct yk_facts_kernel *f, unsigned wanted,
                    struct yk_stages_plan *p)
{
    memset(p, 0, sizeof *p);
    if (!plain(chain) || entangled(chain) || !cut(chain->launch, wanted, p))
        return false;
    struct yk_parts s = {.part = {NULL, 0, 0}};
    touches *t = calloc(p->n, sizeof *t);
    bool ok = t;
    for (unsigned i = 0; i < p->n && ok; i++)
        ok = touch_part(&s, chain->launch, f, p, i, &t[i]);
    ok = ok && assign(chain, p, t);
    for (unsigned i = 0; t && i < p->n; i++)
        yk_array_finish(&t[i]);
    free(t);
    yk_parts_finish(&s);
    count_beside(p);
    return ok;
}

void yk_stages_plan_finish(struct yk_stages_plan *p)
{
    yk_array_finish(&p->in);
    yk_array_finish(&p->out);
}
