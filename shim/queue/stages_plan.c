#include "shim/queue/stages_plan.h"
#include <stdlib.h>
#include <string.h>
#include "shim/queue/stages_apart.h"

/* Bytes of a transfer that no part has claimed yet. */
struct span {
    const struct yk_transfer *t;
    size_t from, to; /* of the store */
};
typedef YK_ARRAY(struct span) spans;

/* What one part touches of a store: the hull of each region, since transfers are of contiguous bytes. */
struct touch {
    struct yk_store *store;
    size_t from, to;
    bool read, write, all; /* all: every byte of it is written */
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
        struct touch one = {q->store, (size_t)q->region.offset,    (size_t)yk_region_end(&q->region), !q->write,
                            q->write, q->write && yk_stages_all(q)};
        if (!yk_array_push(t, one))
            return false;
    }
    for (unsigned k = 0; k < f->nargs; k++) { /* atomics: anywhere */
        const struct yk_mem *m = l->value[k].kind == YK_VALUE_MEM ? l->value[k].u.mem : NULL;
        struct touch all = {m ? m->store : NULL, m ? m->origin : 0, m ? m->origin + m->size : 0, true, true, false};
        if (m && f->arg[k].reduces && !yk_array_push(t, all))
            return false;
    }
    return true;
}

/* [from, to) of HOST's transfer as a piece for DEV's buffer, behind those of OUT. */
static bool add_piece(struct yk_store *store, unsigned dev, unsigned char *host, size_t from, size_t to, unsigned step,
                      struct yk_stages_pieces *out)
{
    struct yk_ring_piece piece = {
        .buffer = store->real[dev], .off = from, .host = host, .len = to - from, .step = step};
    struct yk_ring_piece *last = out->n ? &out->v[out->n - 1] : NULL;
    if (!last || last->step != step || last->buffer != piece.buffer || last->off + last->len != from ||
        last->host + last->len != host)
        return yk_array_push(out, piece);
    last->len += to - from;
    return true;
}

/* Who claims bytes: a side, on its way IN or out. Without one they are merely taken off. */
struct claimer {
    struct yk_stages_side *side;
    bool in, held;
};

/* [from, to) of STORE, as far as LEFT has it, goes with STEP. */
static bool claim(spans *left, struct yk_store *store, size_t from, size_t to, unsigned step, const struct claimer *c)
{
    for (size_t i = 0; i < left->n; i++) {
        struct span s = left->v[i];
        if (s.t->mem->store != store || !meet(s.from, s.to, from, to))
            continue;
        size_t a = s.from > from ? s.from : from, b = s.to < to ? s.to : to;
        unsigned char *host = (unsigned char *)s.t->ptr + (a - s.t->mem->origin - s.t->off);
        struct yk_stages_span held = {store, a, b};
        if (c && (!add_piece(store, c->side->dev, host, a, b, step, c->in ? &c->side->in : &c->side->out) ||
                  (c->in && c->held && !yk_array_push(&c->side->held, held))))
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

static bool claim_rest(spans *left, unsigned step, const struct claimer *c)
{
    while (left->n) {
        struct span s = left->v[0];
        if (!claim(left, s.t->mem->store, s.from, s.to, step, c))
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

static size_t total(const struct yk_stages_pieces *v)
{
    size_t n = 0;
    for (size_t i = 0; i < v->n; i++)
        n += v->v[i].len;
    return n;
}

static void count(struct yk_stages_plan *p)
{
    for (unsigned k = 0; k < p->nsides; k++) {
        struct yk_stages_side *e = &p->side[k];
        e->in_bytes = total(&e->in);
        e->out_bytes = total(&e->out);
        for (size_t i = 0; i < e->in.n; i++)
            p->beside += e->in.v[i].step > e->from ? e->in.v[i].len : 0;
        for (size_t i = 0; i < e->out.n; i++)
            p->beside += e->out.v[i].step + 1 < e->to ? e->out.v[i].len : 0;
    }
}

static int by_step(const void *a, const void *b)
{
    const struct yk_ring_piece *p = a, *q = b;
    return p->step != q->step ? (p->step > q->step) - (p->step < q->step) : (p->host > q->host) - (p->host < q->host);
}

/* What the parts of a side touch goes in to it, whoever else has it too; REST loses that. */
static bool assign_in(const struct yk_chain *c, struct yk_stages_plan *p, struct yk_stages_side *e, const touches *t,
                      spans *rest)
{
    spans in = {NULL, 0, 0};
    const struct claimer to = {e, true, p->apart};
    size_t bytes = 0;
    bool ok = fill(&in, c->write, c->nwrites, &bytes);
    for (unsigned i = e->from; i < e->to; i++)
        for (size_t k = 0; k < t[i].n && ok; k++) {
            const struct touch *o = &t[i].v[k];
            ok = claim(&in, o->store, o->from, o->to, i, &to) && claim(rest, o->store, o->from, o->to, i, NULL);
        }
    yk_array_finish(&in);
    return ok;
}

/* The parts in their order claim what goes in, and in the opposite order what comes out. What none touches goes last,
 * by the primary. */
static bool assign(const struct yk_chain *c, struct yk_stages_plan *p, const touches *t)
{
    spans rest = {NULL, 0, 0}, out = {NULL, 0, 0};
    struct yk_stages_side *first = &p->side[0];
    const struct claimer last_in = {first, true, p->apart}, last_out = {first, false, false};
    bool ok = fill(&rest, c->write, c->nwrites, &p->in_bytes) && fill(&out, c->read, c->nreads, &p->out_bytes);
    for (unsigned k = 0; k < p->nsides && ok; k++)
        ok = assign_in(c, p, &p->side[k], t, &rest);
    for (unsigned k = p->nsides; k-- > 0;) {
        const struct claimer to = {&p->side[k], false, false};
        for (unsigned i = p->side[k].to; i-- > p->side[k].from;)
            for (size_t j = 0; j < t[i].n && ok; j++)
                ok = !t[i].v[j].write || claim(&out, t[i].v[j].store, t[i].v[j].from, t[i].v[j].to, i, &to);
    }
    ok = ok && claim_rest(&rest, first->to - 1, &last_in);
    /* The primary need not have what no part writes. */
    ok = ok && (!p->apart || !out.n) && claim_rest(&out, first->to - 1, &last_out);
    for (unsigned k = 0; k < p->nsides && ok; k++)
        if (p->side[k].out.n)
            qsort(p->side[k].out.v, p->side[k].out.n, sizeof *p->side[k].out.v, by_step);
    yk_array_finish(&rest);
    yk_array_finish(&out);
    return ok;
}

/* Even shares of the parts: devices of one kind. */
static bool share_out(struct yk_stages_plan *p, const unsigned *dev, unsigned n)
{
    p->nsides = n;
    for (unsigned k = 0; k < n; k++) {
        p->side[k].dev = dev[k];
        p->side[k].from = p->n * k / n;
        p->side[k].to = p->n * (k + 1) / n;
    }
    return p->n >= 2 * n;
}

static bool all_written(const struct yk_stages_plan *p, const touches *t)
{
    for (unsigned i = 0; i < p->n; i++)
        for (size_t k = 0; k < t[i].n; k++)
            if (t[i].v[k].write && !t[i].v[k].all)
                return false;
    return true;
}

bool yk_stages_plan(const struct yk_chain *chain, const struct yk_facts_kernel *f, unsigned wanted, const unsigned *dev,
                    unsigned n, bool apart, struct yk_stages_plan *p)
{
    memset(p, 0, sizeof *p);
    p->apart = apart;
    if ((!apart && !plain(chain)) || entangled(chain) || !cut(chain->launch, wanted, p) ||
        (!share_out(p, dev, n) && n > 1))
        return false;
    struct yk_parts s = {.part = {NULL, 0, 0}};
    touches *t = calloc(p->n, sizeof *t);
    bool ok = t;
    for (unsigned i = 0; i < p->n && ok; i++)
        ok = touch_part(&s, chain->launch, f, p, i, &t[i]);
    ok = ok && (!apart || (all_written(p, t) && yk_stages_part(chain, f, p))) && assign(chain, p, t);
    for (unsigned i = 0; t && i < p->n; i++)
        yk_array_finish(&t[i]);
    free(t);
    yk_parts_finish(&s);
    count(p);
    return ok;
}

void yk_stages_plan_finish(struct yk_stages_plan *p)
{
    for (unsigned k = 0; k < p->nsides; k++) {
        yk_array_finish(&p->side[k].in);
        yk_array_finish(&p->side[k].out);
        yk_array_finish(&p->side[k].held);
        yk_parts_finish(&p->side[k].touched);
    }
}
