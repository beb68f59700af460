#include "shim/queue/gathered.h"
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/log.h"
#include "shim/core/stats.h"
#include "shim/core/trace.h"
#include "shim/queue/batch.h"

enum { MAX_ROWS = 8 }; /* more pieces than that are one */

bool yk_touches_rows(struct yk_known_row row[YK_TOUCHES], size_t *n, const struct yk_facts_kernel *f,
                     const struct yk_reach *r)
{
    *n = 0;
    for (size_t i = 0; i < r->touch.n; i++) {
        const struct yk_touch *a = &r->touch.v[i];
        bool one_piece =
            a->region.rows * a->region.slices > MAX_ROWS || (f->arg[a->arg].atomic && !f->arg[a->arg].reduces);
        uint64_t slices = one_piece ? 1 : a->region.slices, rows = one_piece ? 1 : a->region.rows;
        for (uint64_t z = 0; z < slices; z++)
            for (uint64_t y = 0; y < rows; y++) {
                uint64_t from = a->region.offset + z * a->region.slice_pitch + y * a->region.row_pitch;
                uint64_t to = from + (one_piece ? yk_region_end(&a->region) - a->region.offset : a->region.bytes);
                if (*n == YK_TOUCHES)
                    return false;
                row[(*n)++] = (struct yk_known_row){from, to, a->arg, a->kind != YK_ACCESS_READ};
            }
    }
    return true;
}

void yk_touches_make(struct yk_touches *t, const struct yk_launch *l, const struct yk_known_row *row, size_t n)
{
    for (t->n = 0; t->n < n; t->n++) {
        const struct yk_known_row *r = &row[t->n];
        const struct yk_mem *m = l->value[r->arg].u.mem;
        t->v[t->n] = (struct yk_levels_touch){.memory = (uint64_t)(uintptr_t)m->store,
                                              .from = m->origin + r->from,
                                              .to = m->origin + r->to,
                                              .write = r->write != 0};
    }
}

/* Is OBJECT new among those that G's launches use, as far as is remembered? */
static bool is_new(struct yk_gathered *g, const void *object)
{
    uintptr_t at = (uintptr_t)object >> 4;
    const void **seen = &g->seen[(at ^ at >> 6) % YK_KEPT_SEEN];
    if (*seen == object)
        return false;
    *seen = object;
    return true;
}

/* L's values behind those of G, its objects held. For all of it there is room. */
static bool capture(struct yk_gathered *g, const struct yk_launch *l, const struct yk_merged *m)
{
    struct yk_value *to = g->value.v + g->value.n;
    if (!m->large)
        memcpy(to, l->value, l->nvalues * sizeof *to);
    for (unsigned i = 0; i < l->nvalues && m->large; i++)
        if (!yk_value_copy_bytes(&to[i], &l->value[i])) {
            while (i--)
                yk_value_finish_bytes(&to[i]);
            return false;
        }
    g->large |= m->large;
    for (unsigned i = 0; i < m->nmems; i++) {
        struct yk_mem *mem = to[m->mem[i]].u.mem;
        if (is_new(g, mem)) {
            yk_hold(&mem->h);
            g->kept.v[g->kept.n++] = &mem->h;
        }
    }
    if (is_new(g, l->code)) {
        yk_code_hold(l->code);
        g->codes.v[g->codes.n++] = l->code;
    }
    g->value.n += l->nvalues;
    return true;
}

bool yk_gathered_add(struct yk_gathered *g, const struct yk_launch *l, struct yk_merged *m, const uint64_t *groups,
                     unsigned level, struct yk_event *ev)
{
    size_t first = g->value.n;
    if (!yk_array_reserve(g, g->n + 1) || !yk_array_reserve(&g->value, g->value.n + l->nvalues) ||
        !yk_array_reserve(&g->kept, g->kept.n + l->nvalues) || !yk_array_reserve(&g->codes, g->codes.n + 1) ||
        !capture(g, l, m))
        return false;
    struct yk_held *h = &g->v[g->n++];
    h->m = m;
    h->code = l->code;
    h->ev = ev;
    h->by = l->captured ? l->c.by : pthread_self();
    h->first = first;
    h->level = level;
    h->has_offset = l->has_offset;
    h->dims = (uint8_t)l->dims;
    for (unsigned i = 0; i < 3; i++) {
        h->groups[i] = (uint32_t)groups[i];
        h->local[i] = i < l->dims ? (uint32_t)l->local[i] : 1;
        h->offset[i] = i < l->dims && l->has_offset ? l->offset[i] : 0;
    }
    h->total = h->groups[0] * h->groups[1] * h->groups[2];
    if (ev)
        yk_hold(&ev->h);
    g->groups += h->total;
    return true;
}

bool yk_gathered_wanted(const struct yk_gathered *g)
{
    for (size_t i = 0; i < g->n; i++)
        if (g->v[i].ev)
            return true;
    return false;
}

void yk_gathered_clear(struct yk_gathered *g)
{
    for (size_t i = 0; i < g->n; i++)
        if (g->v[i].ev)
            yk_drop(&g->v[i].ev->h);
    for (size_t i = 0; i < g->value.n && g->large; i++)
        yk_value_finish_bytes(&g->value.v[i]);
    for (size_t i = 0; i < g->kept.n; i++)
        yk_drop(g->kept.v[i]);
    for (size_t i = 0; i < g->codes.n; i++)
        yk_code_drop(g->codes.v[i]);
    memset(g->seen, 0, sizeof g->seen);
    g->n = g->value.n = g->kept.n = g->codes.n = 0;
    g->large = false;
    g->groups = 0;
}

void yk_gathered_finish(struct yk_gathered *g)
{
    yk_gathered_clear(g);
    yk_array_finish(g);
    yk_array_finish(&g->value);
    yk_array_finish(&g->kept);
    yk_array_finish(&g->codes);
}

/* H as the launch that it was. */
static struct yk_launch launch_of(struct yk_gathered *g, const struct yk_held *h, struct yk_queue *q)
{
    struct yk_launch l = {.c = {.kind = &yk_launch_kind, .size = sizeof l, .queue = q, .by = h->by},
                          .code = h->code,
                          .nvalues = h->m->facts->nargs,
                          .value = g->value.v + h->first,
                          .captured = true,
                          .dims = h->dims,
                          .has_offset = h->has_offset,
                          .has_local = true};
    for (unsigned i = 0; i < h->dims; i++) {
        l.offset[i] = h->offset[i];
        l.local[i] = h->local[i];
        l.global[i] = (size_t)h->groups[i] * h->local[i];
    }
    return l;
}

static void failed(struct yk_held *h, struct yk_queue *q, cl_int err)
{
    yk_info("a launch that was held back failed: %s", yk_cl_error_name(err));
    yk_queue_failed_later(q, h->by, err);
    if (h->ev)
        yk_event_set(h->ev, err);
}

/* The events of held launches [FIRST, END) that have not failed stand for REAL, which is released. */
static void hand_out(struct yk_gathered *g, size_t first, size_t end, cl_event real)
{
    const struct yk_cl *cl = yk_rt.primary->cl;
    for (size_t i = first; i < end; i++) {
        struct yk_event *ev = g->v[i].ev;
        if (!ev || __atomic_load_n(&ev->status, __ATOMIC_ACQUIRE) < 0)
            continue;
        if (real && cl->RetainEvent(real) == CL_SUCCESS)
            yk_event_issued(ev, real);
        else
            yk_event_set(ev, CL_OUT_OF_RESOURCES);
    }
    if (real)
        cl->ReleaseEvent(real);
}

/* What has come of a window. */
struct issued {
    struct yk_gathered *g;
    struct yk_queue *q;
    struct yk_tables *tables;
    struct yk_side *side;
    unsigned merged, as, beside;
};

/* B to real queue ON. *REAL: the event of the last of it, where REAL is not NULL. */
static void issue_batch(struct issued *w, struct yk_batch *b, cl_command_queue on, cl_uint nwait, const cl_event *wait,
                        cl_event *real)
{
    cl_int err = CL_INVALID_OPERATION;
    if (b->n > 1 && __atomic_load_n(&b->code->able, __ATOMIC_RELAXED)) {
        err = yk_batch_issue(w->g, b, w->q->ctx, on, w->tables, nwait, wait, real);
        if (err != CL_SUCCESS && __atomic_exchange_n(&b->code->able, false, __ATOMIC_RELAXED))
            yk_info("launches are not merged by %s any more: %s", b->code->name, yk_cl_error_name(err));
        w->merged += err == CL_SUCCESS ? b->n : 0;
        w->as += err == CL_SUCCESS;
    }
    for (unsigned k = 0; k < b->n && err != CL_SUCCESS; k++) {
        struct yk_held *h = &w->g->v[b->o[k].index];
        struct yk_launch l = launch_of(w->g, h, w->q);
        cl_int e = yk_launch_whole_on(&l, on, k ? 0 : nwait, k ? NULL : wait, k + 1 == b->n ? real : NULL);
        if (e != CL_SUCCESS)
            failed(h, w->q, e);
    }
}

/* N batches that do not depend on one another. REAL: see issue_batch; may stay NULL. */
static void issue_level(struct issued *w, struct yk_batch *b, unsigned n, cl_event *real)
{
    if (!yk_side_begin(w->side, w->q, n)) {
        for (unsigned i = 0; i < n; i++)
            issue_batch(w, &b[i], w->q->real, 0, NULL, i + 1 == n ? real : NULL);
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        cl_uint nwait;
        const cl_event *wait;
        cl_event last = NULL;
        cl_command_queue on = yk_side_at(w->side, w->q, &nwait, &wait);
        issue_batch(w, &b[i], on, nwait, wait, on != w->q->real ? &last : NULL);
        yk_side_issued(w->side, last);
    }
    w->beside += n;
    cl_int err = yk_side_join(w->side, w->q);
    for (unsigned i = 0; i < n && err != CL_SUCCESS; i++)
        for (unsigned k = 0; k < b[i].n; k++)
            failed(&w->g->v[b[i].o[k].index], w->q, err);
}

void yk_gathered_issue(struct yk_gathered *g, struct yk_queue *q, struct yk_tables *t, struct yk_side *side)
{
    enum { BATCHES = 16 };
    const struct yk_cl *cl = yk_rt.primary->cl;
    struct issued w = {.g = g, .q = q, .tables = t, .side = side};
    bool wanted = false;
    uint64_t start = yk_trace_on() ? yk_now_ns() : 0;
    struct yk_order *o = yk_order_make(g), one;
    for (unsigned i = 0, segment = 0; i < g->n;) {
        struct yk_batch b[BATCHES];
        cl_event real = NULL;
        unsigned n = 0, first = i;
        one =
            (struct yk_order){.level = i, .family = i, .like = i, .index = i}; /* without memory: in their own order */
        do {
            b[n] = o ? yk_batch_take(g, o + i, (unsigned)g->n - i) : (struct yk_batch){.o = &one, .n = 1};
            i += b[n++].n;
        } while (o && n < BATCHES && i < g->n && o[i].segment == o[first].segment && o[i].level == o[first].level);
        bool last = i == g->n || (o && o[i].segment != o[first].segment);
        wanted = false;
        for (unsigned k = segment; k < i && last && !wanted; k++) /* a segment's launches are the same in any order */
            wanted = g->v[k].ev != NULL;
        issue_level(&w, b, n, wanted ? &real : NULL);
        if (wanted && !real && cl->EnqueueMarkerWithWaitList(q->real, 0, NULL, &real) != CL_SUCCESS)
            real = NULL;
        if (last)
            cl->Flush(q->real);
        if (wanted)
            hand_out(g, segment, i, real);
        segment = last ? i : segment;
    }
    if (w.merged)
        yk_stats_merged(w.merged, w.as);
    if (yk_trace_on())
        yk_trace_span(YK_TRACK_DECISIONS, "merge", "small launches", start, yk_now_ns(),
                      "\"launches\":%zu,\"merged\":%u,\"as\":%u,\"beside\":%u,\"levels\":%u", g->n, w.merged, w.as,
                      w.beside, o && g->n ? o[g->n - 1].level : 0);
    free(o);
}
