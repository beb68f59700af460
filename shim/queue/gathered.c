#include "shim/queue/gathered.h"
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/log.h"
#include "shim/core/stats.h"
#include "shim/core/trace.h"

enum { MAX_ROWS = 8 }; /* more pieces than that are one */

bool yk_touches_make(struct yk_touches *t, const struct yk_launch *l, const struct yk_facts_kernel *f,
                     const struct yk_reach *r)
{
    t->n = 0;
    for (size_t i = 0; i < r->touch.n; i++) {
        const struct yk_touch *a = &r->touch.v[i];
        const struct yk_mem *m = l->value[a->arg].u.mem;
        struct yk_levels_touch one = {.memory = (uint64_t)(uintptr_t)m->store, .write = a->kind != YK_ACCESS_READ};
        uint64_t base = m->origin + a->region.offset;
        bool one_piece =
            a->region.rows * a->region.slices > MAX_ROWS || (f->arg[a->arg].atomic && !f->arg[a->arg].reduces);
        uint64_t slices = one_piece ? 1 : a->region.slices, rows = one_piece ? 1 : a->region.rows;
        for (uint64_t z = 0; z < slices; z++)
            for (uint64_t y = 0; y < rows; y++) {
                one.from = base + z * a->region.slice_pitch + y * a->region.row_pitch;
                one.to = one.from + (one_piece ? yk_region_end(&a->region) - a->region.offset : a->region.bytes);
                if (t->n == YK_TOUCHES)
                    return false;
                t->v[t->n++] = one;
            }
    }
    return true;
}

bool yk_gathered_add(struct yk_gathered *g, const struct yk_launch *l, struct yk_merged *m, const uint64_t *groups,
                     unsigned level, struct yk_event *ev)
{
    if (!yk_array_reserve(g, g->n + 1) || !yk_array_reserve(&g->value, g->value.n + l->nvalues))
        return false;
    struct yk_held *h = &g->v[g->n];
    *h = (struct yk_held){.l = *l, .m = m, .ev = ev, .first = g->value.n, .level = level, .total = 1};
    for (unsigned i = 0; i < l->nvalues; i++)
        if (!yk_value_copy(&g->value.v[h->first + i], &l->value[i])) {
            while (i--)
                yk_value_finish(&g->value.v[h->first + i]);
            return false;
        }
    for (unsigned i = 0; i < 3; i++) {
        h->groups[i] = (uint32_t)groups[i];
        h->total *= (uint32_t)groups[i];
    }
    h->l.value = NULL;
    h->l.fast = NULL;
    h->l.captured = true;
    h->l.c.by = pthread_self();
    yk_code_hold(l->code);
    if (ev)
        yk_hold(&ev->h);
    g->value.n += l->nvalues;
    g->groups += h->total;
    g->n++;
    return true;
}

void yk_gathered_clear(struct yk_gathered *g)
{
    for (size_t i = 0; i < g->n; i++) {
        yk_code_drop(g->v[i].l.code);
        if (g->v[i].ev)
            yk_drop(&g->v[i].ev->h);
    }
    for (size_t i = 0; i < g->value.n; i++)
        yk_value_finish(&g->value.v[i]);
    g->n = g->value.n = 0;
    g->groups = 0;
}

void yk_gathered_finish(struct yk_gathered *g)
{
    yk_gathered_clear(g);
    yk_array_finish(g);
    yk_array_finish(&g->value);
}

/* May A and B be one merged launch, their levels and buffers aside? */
static bool alike(const struct yk_held *a, const struct yk_held *b)
{
    if (a->m != b->m)
        return false;
    for (unsigned i = 0; i < 3; i++)
        if ((i < a->l.dims ? a->l.local[i] : 1) != (i < b->l.dims ? b->l.local[i] : 1))
            return false;
    for (unsigned i = 0; i < a->m->facts->nargs; i++)
        if (a->m->facts->arg[i].kind == YK_ARG_CONSTANT && a->l.value[i].u.mem != b->l.value[i].u.mem)
            return false;
    return true;
}

struct order {
    unsigned level, like, index;
};

static int by_order(const void *x, const void *y)
{
    const struct order *a = x, *b = y;
    if (a->level != b->level)
        return a->level < b->level ? -1 : 1;
    if (a->like != b->like)
        return a->like < b->like ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* Launches by level, those that can be merged side by side. NULL: no memory. */
static struct order *sort(const struct yk_gathered *g)
{
    enum { LIKES = 32 };
    unsigned like[LIKES], n = 0;
    struct order *o = malloc(g->n * sizeof *o);
    for (unsigned i = 0; o && i < g->n; i++) {
        unsigned k = 0;
        while (k < n && !alike(&g->v[like[k]], &g->v[i]))
            k++;
        if (k == n && n < LIKES)
            like[n++] = i;
        o[i] = (struct order){g->v[i].level, k < n ? k : LIKES + i, i};
    }
    if (o)
        qsort(o, g->n, sizeof *o, by_order);
    return o;
}

/* Launches O[0 .. n) as one: what the driver gets. */
struct batch {
    const struct order *o;
    unsigned n, nstores;
    uint64_t groups;
    struct yk_store *store[YK_MERGED_SLOTS];
};

static int slot_of(struct batch *b, struct yk_store *s)
{
    for (unsigned i = 0; i < b->nstores; i++)
        if (b->store[i] == s)
            return (int)i;
    if (b->nstores == YK_MERGED_SLOTS)
        return -1;
    b->store[b->nstores] = s;
    return (int)b->nstores++;
}

/* As many of O[0 .. n) as have room for their buffers. */
static struct batch take(const struct yk_gathered *g, const struct order *o, unsigned n)
{
    struct batch b = {.o = o};
    const struct yk_facts_kernel *f = g->v[o[0].index].m->facts;
    for (; b.n < n && o[b.n].level == o[0].level && o[b.n].like == o[0].like; b.n++) {
        const struct yk_held *h = &g->v[o[b.n].index];
        unsigned before = b.nstores;
        for (unsigned i = 0; i < f->nargs; i++)
            if (f->arg[i].kind == YK_ARG_GLOBAL && slot_of(&b, h->l.value[i].u.mem->store) < 0) {
                b.nstores = before;
                return b;
            }
        b.groups += h->total;
    }
    return b;
}

void yk_tables_finish(struct yk_tables *t)
{
    const struct yk_cl *cl = yk_rt.primary->cl;
    for (unsigned i = 0; i < YK_TABLES; i++) {
        if (t->table[i].used) {
            cl->WaitForEvents(1, &t->table[i].used);
            cl->ReleaseEvent(t->table[i].used);
        }
        if (t->table[i].real)
            cl->ReleaseMemObject(t->table[i].real);
        yk_array_finish(&t->table[i].host);
    }
}

/* The table of B, see facts_merged.h, into TABLE. False: no memory. */
static bool fill(const struct yk_gathered *g, struct batch *b, unsigned char **table, size_t *cap, size_t *size)
{
    const struct yk_merged *m = g->v[b->o[0].index].m;
    size_t map = (size_t)b->groups * 16, records = (map + YK_MERGED_UNIT - 1) & ~(size_t)(YK_MERGED_UNIT - 1);
    size_t bytes = records + (size_t)b->n * m->layout.bytes;
    if (bytes > *cap && !yk_array_grow_((void **)table, cap, bytes, 1))
        return false;
    *size = bytes;
    uint32_t *group = (uint32_t *)(void *)*table;
    for (unsigned k = 0; k < b->n; k++) {
        const struct yk_held *h = &g->v[b->o[k].index];
        size_t at = records + (size_t)k * m->layout.bytes;
        unsigned char *record = *table + at;
        uint64_t head[YK_MERGED_HEAD / 8] = {0};
        for (unsigned i = 0; i < 3; i++) {
            head[i] = h->groups[i];
            head[3 + i] = h->l.has_offset && i < h->l.dims ? h->l.offset[i] : 0;
        }
        head[6] = h->l.dims;
        memcpy(record, head, sizeof head);
        for (unsigned i = 0; i < m->facts->nargs; i++) {
            const struct yk_value *v = &h->l.value[i];
            if (m->facts->arg[i].kind == YK_ARG_VALUE) {
                memcpy(record + m->layout.at[i], yk_value_bytes(v), v->size);
            } else if (m->facts->arg[i].kind == YK_ARG_GLOBAL) {
                uint64_t word = (uint64_t)slot_of(b, v->u.mem->store) << YK_MERGED_SHIFT | v->u.mem->origin;
                memcpy(record + m->layout.at[i], &word, sizeof word);
            }
        }
        for (uint32_t z = 0; z < h->groups[2]; z++)
            for (uint32_t y = 0; y < h->groups[1]; y++)
                for (uint32_t x = 0; x < h->groups[0]; x++, group += 4) {
                    group[0] = (uint32_t)(at / YK_MERGED_UNIT);
                    group[1] = x;
                    group[2] = y;
                    group[3] = z;
                }
    }
    return true;
}

static cl_int set_args(struct yk_gathered *g, const struct batch *b, cl_kernel k, cl_mem table)
{
    const struct yk_device *d = yk_rt.primary;
    const struct yk_held *first = &g->v[b->o[0].index];
    const struct yk_merged *m = first->m;
    cl_int err = d->cl->SetKernelArg(k, 0, sizeof table, &table);
    for (unsigned i = 0; i < YK_MERGED_SLOTS && err == CL_SUCCESS; i++) {
        cl_mem real = i < b->nstores ? yk_store_real(b->store[i], d->index) : table;
        err = real ? d->cl->SetKernelArg(k, 1 + i, sizeof real, &real) : CL_MEM_OBJECT_ALLOCATION_FAILURE;
    }
    for (unsigned i = 0; i < m->facts->nargs && err == CL_SUCCESS; i++) {
        if (m->facts->arg[i].kind == YK_ARG_CONSTANT) {
            cl_mem real = yk_mem_real(first->l.value[i].u.mem, d->index);
            err = real ? d->cl->SetKernelArg(k, m->layout.at[i], sizeof real, &real) : CL_MEM_OBJECT_ALLOCATION_FAILURE;
        } else if (m->facts->arg[i].kind == YK_ARG_LOCAL) {
            size_t most = 0;
            for (unsigned n = 0; n < b->n; n++) {
                size_t size = g->v[b->o[n].index].l.value[i].size;
                most = size > most ? size : most;
            }
            err = d->cl->SetKernelArg(k, m->layout.at[i], most, NULL);
        }
    }
    return err;
}

/* The next table that no launch reads any more, with B in it, on its way to the device. */
static cl_int write_table(const struct yk_gathered *g, struct batch *b, struct yk_queue *q, struct yk_tables *t,
                          unsigned *number)
{
    const struct yk_device *d = yk_rt.primary;
    const size_t least = 65536;
    unsigned i = *number = t->next++ % YK_TABLES;
    size_t size = 0;
    cl_int err = CL_SUCCESS;
    if (t->table[i].used) {
        d->cl->WaitForEvents(1, &t->table[i].used);
        d->cl->ReleaseEvent(t->table[i].used);
        t->table[i].used = NULL;
    }
    if (!fill(g, b, &t->table[i].host.v, &t->table[i].host.cap, &size))
        return CL_OUT_OF_HOST_MEMORY;
    if (t->table[i].size < size) {
        if (t->table[i].real)
            d->cl->ReleaseMemObject(t->table[i].real);
        t->table[i].size = size > least ? 2 * size : least;
        t->table[i].real = d->cl->CreateBuffer(q->ctx->real[d->index], CL_MEM_READ_ONLY, t->table[i].size, NULL, &err);
        if (!t->table[i].real) {
            t->table[i].size = 0;
            return err;
        }
    }
    return d->cl->EnqueueWriteBuffer(q->real, t->table[i].real, CL_FALSE, 0, size, t->table[i].host.v, 0, NULL, NULL);
}

static cl_int issue_merged(struct yk_gathered *g, struct batch *b, struct yk_queue *q, struct yk_tables *t,
                           cl_event *real)
{
    const struct yk_device *d = yk_rt.primary;
    struct yk_held *first = &g->v[b->o[0].index];
    struct yk_code_kernel *k = yk_merged_take(first->m);
    unsigned i = 0;
    cl_int err = k ? write_table(g, b, q, t, &i) : CL_OUT_OF_RESOURCES;
    if (err == CL_SUCCESS)
        err = set_args(g, b, k->real, t->table[i].real);
    if (err == CL_SUCCESS) {
        size_t local[3] = {1, 1, 1};
        for (unsigned n = 0; n < first->l.dims; n++)
            local[n] = first->l.local[n];
        size_t global[3] = {local[0] * (size_t)b->groups, local[1], local[2]};
        err = d->cl->EnqueueNDRangeKernel(q->real, k->real, 3, NULL, global, local, 0, NULL, &t->table[i].used);
    } else if (k && t->table[i].size) {
        d->cl->Finish(q->real); /* the table may be on its way */
    }
    if (k)
        yk_merged_give(first->m, k);
    if (err == CL_SUCCESS && real && d->cl->RetainEvent(t->table[i].used) == CL_SUCCESS)
        *real = t->table[i].used;
    for (unsigned n = 0; n < b->n && err == CL_SUCCESS; n++)
        yk_launch_primary_writes(&g->v[b->o[n].index].l, first->m->facts);
    return err;
}

static void failed(struct yk_held *h, struct yk_queue *q, cl_int err)
{
    yk_info("a launch that was held back failed: %s", yk_cl_error_name(err));
    yk_queue_failed_later(q, h->l.c.by, err);
    if (h->ev)
        yk_event_set(h->ev, err);
}

/* Every event that has not failed stands for REAL, which is released. */
static void hand_out(struct yk_gathered *g, cl_event real)
{
    const struct yk_cl *cl = yk_rt.primary->cl;
    for (size_t i = 0; i < g->n; i++) {
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

void yk_gathered_issue(struct yk_gathered *g, struct yk_queue *q, struct yk_tables *t)
{
    const struct yk_cl *cl = yk_rt.primary->cl;
    bool wanted = false;
    uint64_t start = yk_trace_on() ? yk_now_ns() : 0;
    for (size_t i = 0; i < g->n; i++) {
        g->v[i].l.value = g->value.v + g->v[i].first;
        wanted |= g->v[i].ev != NULL;
    }
    struct order *o = sort(g), one;
    cl_event real = NULL;
    unsigned merged = 0, as = 0;
    for (unsigned i = 0; i < g->n;) {
        one = (struct order){0, i, i}; /* without memory: one by one, in their own order */
        struct batch b = o ? take(g, o + i, (unsigned)g->n - i) : (struct batch){.o = &one, .n = 1};
        unsigned n = b.n ? b.n : 1;
        bool last = wanted && i + n == g->n;
        struct yk_held *first = &g->v[o ? o[i].index : i];
        cl_int err = CL_INVALID_OPERATION;
        if (b.n > 1 && __atomic_load_n(&first->m->able, __ATOMIC_RELAXED)) {
            err = issue_merged(g, &b, q, t, last ? &real : NULL);
            if (err != CL_SUCCESS && __atomic_exchange_n(&first->m->able, false, __ATOMIC_RELAXED))
                yk_info("launches of %s are not merged any more: %s", first->m->facts->name, yk_cl_error_name(err));
            merged += err == CL_SUCCESS ? b.n : 0;
            as += err == CL_SUCCESS;
        }
        for (unsigned k = 0; k < n && err != CL_SUCCESS; k++) {
            struct yk_held *h = &g->v[o ? o[i + k].index : i];
            cl_int e = yk_launch_whole(&h->l, last && k + 1 == n ? &real : NULL);
            if (e != CL_SUCCESS)
                failed(h, q, e);
        }
        i += n;
    }
    if (wanted && !real && cl->EnqueueMarkerWithWaitList(q->real, 0, NULL, &real) != CL_SUCCESS)
        real = NULL;
    cl->Flush(q->real);
    if (wanted)
        hand_out(g, real);
    if (merged)
        yk_stats_merged(merged, as);
    if (yk_trace_on())
        yk_trace_span(YK_TRACK_DECISIONS, "merge", "small launches", start, yk_now_ns(),
                      "\"launches\":%zu,\"merged\":%u,\"as\":%u,\"levels\":%u", g->n, merged, as,
                      o ? o[g->n - 1].level : 0);
    free(o);
}
