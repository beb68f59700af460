#include "shim/queue/batch.h"
#include <stdlib.h>
#include <string.h>

static bool same_local(const struct yk_held *a, const struct yk_held *b)
{
    return a->local[0] == b->local[0] && a->local[1] == b->local[1] && a->local[2] == b->local[2];
}

/* Launches of one kernel: do they have the same __constant buffers? */
static bool same_constants(const struct yk_gathered *g, const struct yk_held *a, const struct yk_held *b)
{
    const struct yk_value *x = yk_held_value(g, a), *y = yk_held_value(g, b);
    for (unsigned i = 0; a->m->code.nconstants && i < a->m->facts->nargs; i++)
        if (a->m->facts->arg[i].kind == YK_ARG_CONSTANT && x[i].u.mem != y[i].u.mem)
            return false;
    return true;
}

/* May A and B be one launch of their kernel's merged variant, their levels and buffers aside? */
static bool alike(const struct yk_gathered *g, const struct yk_held *a, const struct yk_held *b)
{
    return a->m == b->m && same_local(a, b) && same_constants(g, a, b);
}

/* May they be one launch of the mixed kernel? */
static bool related(const struct yk_held *a, const struct yk_held *b)
{
    return a->m->of == b->m->of && a->m->facts->mixed && b->m->facts->mixed && same_local(a, b);
}

static int by_order(const void *x, const void *y)
{
    const struct yk_order *a = x, *b = y;
    if (a->segment != b->segment)
        return a->segment < b->segment ? -1 : 1;
    if (a->level != b->level)
        return a->level < b->level ? -1 : 1;
    if (a->family != b->family)
        return a->family < b->family ? -1 : 1;
    if (a->like != b->like)
        return a->like < b->like ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* The first family of N kinds that H, of a new kind, is related to. A kernel is in a family once: with other __constant
 * buffers it is not in the same launch. N: none. */
static unsigned family_of(const struct yk_gathered *g, const unsigned *like, const unsigned *family, unsigned n,
                          const struct yk_held *h)
{
    for (unsigned f = 0; f < n; f++) {
        bool fits = family[f] == f && related(&g->v[like[f]], h);
        for (unsigned k = f; k < n && fits; k++)
            fits = family[k] != f || g->v[like[k]].m != h->m;
        if (fits)
            return f;
    }
    return n;
}

/* Are there so few events that each is likely to be asked for by itself? Then what was enqueued behind it, which may
 * take long, is not in the same launch. */
static bool has_few_events(const struct yk_gathered *g)
{
    enum { RARE = 8 };
    size_t n = 0;
    for (size_t i = 0; i < g->n; i++)
        n += g->v[i].ev != NULL;
    return n * RARE <= g->n;
}

struct yk_order *yk_order_make(const struct yk_gathered *g)
{
    enum { LIKES = 32 };
    unsigned like[LIKES], family[LIKES], n = 0;
    bool sorted = true, few = has_few_events(g);
    unsigned segment = 0;
    struct yk_order *o = malloc(g->n * sizeof *o);
    for (unsigned i = 0; o && i < g->n; i++) {
        const struct yk_held *h = &g->v[i];
        unsigned k = 0;
        while (k < n && !alike(g, &g->v[like[k]], h))
            k++;
        if (k == n && n < LIKES) {
            like[n] = i;
            family[n] = family_of(g, like, family, n, h);
            n++;
        }
        o[i] = k < n ? (struct yk_order){segment, h->level, family[k], k, i}
                     : (struct yk_order){segment, h->level, LIKES + i, LIKES + i, i};
        segment += h->ev && (few || __atomic_load_n(&h->ev->alone, __ATOMIC_RELAXED));
        sorted &= !i || by_order(&o[i - 1], &o[i]) < 0;
    }
    if (o && !sorted)
        qsort(o, g->n, sizeof *o, by_order);
    return o;
}

static int slot_of(struct yk_batch *b, struct yk_store *s)
{
    for (unsigned i = 0; i < b->nstores; i++)
        if (b->store[i] == s)
            return (int)i;
    if (b->nstores == YK_MERGED_SLOTS)
        return -1;
    b->store[b->nstores] = s;
    return (int)b->nstores++;
}

/* Room in B for the buffers of H? */
static bool add_buffers(struct yk_batch *b, const struct yk_gathered *g, const struct yk_held *h)
{
    const struct yk_facts_kernel *f = h->m->facts;
    const struct yk_value *v = yk_held_value(g, h);
    unsigned before = b->nstores;
    for (unsigned i = 0; i < f->nargs; i++)
        if (f->arg[i].kind == YK_ARG_GLOBAL && slot_of(b, v[i].u.mem->store) < 0) {
            b->nstores = before;
            return false;
        }
    return true;
}

/* Do B's launches leave CODE room on the device? Mixed kernels need the registers of the one that needs most: so they
 * run what such a device runs all at once, and launches that fill it are none the slower by themselves. */
static bool has_room(const struct yk_batch *b, const struct yk_merged_code *code, const struct yk_held *first)
{
    uint64_t items = b->groups * first->local[0] * first->local[1] * first->local[2];
    return yk_rt.options.gather == YK_GATHER_FORCED || items < code->room * (uint64_t)yk_rt.primary->compute_units;
}

/* May launches of another kernel, of which H is the first, be added to B, which begins with FIRST? */
static bool begin_mixing(struct yk_batch *b, const struct yk_held *first, const struct yk_held *h)
{
    if (!related(first, h))
        return false;
    if (b->code == &first->m->of->mixed)
        return true;
    struct yk_merged_code *mixed =
        yk_merge_mixed(first->m->of, (size_t[3]){first->local[0], first->local[1], first->local[2]});
    if (!mixed || !has_room(b, mixed, first))
        return false;
    b->code = mixed;
    return true;
}

struct yk_batch yk_batch_take(const struct yk_gathered *g, const struct yk_order *o, unsigned n)
{
    struct yk_batch b = {.o = o};
    const struct yk_held *first = &g->v[o[0].index];
    b.code = &first->m->code;
    for (; b.n < n && o[b.n].segment == o[0].segment && o[b.n].level == o[0].level && o[b.n].family == o[0].family;
         b.n++) {
        const struct yk_held *h = &g->v[o[b.n].index];
        if (b.n && o[b.n].like != o[b.n - 1].like && !begin_mixing(&b, first, h))
            break;
        if ((b.code != &first->m->code && !has_room(&b, b.code, first)) || !add_buffers(&b, g, h))
            break;
        b.groups += h->total;
    }
    if (!b.n) /* more buffers than a merged kernel takes */
        b.n = 1, b.code = NULL;
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
    if (t->none)
        cl->ReleaseMemObject(t->none);
}

/* The table of B, see facts_merged.h, into TABLE. False: no memory. */
static bool fill(const struct yk_gathered *g, struct yk_batch *b, unsigned char **table, size_t *cap, size_t *size)
{
    size_t map = (size_t)b->groups * 16, at = (map + YK_MERGED_UNIT - 1) & ~(size_t)(YK_MERGED_UNIT - 1), bytes = at;
    for (unsigned k = 0; k < b->n; k++)
        bytes += g->v[b->o[k].index].m->layout.bytes;
    if (bytes > *cap && !yk_array_grow_((void **)table, cap, bytes, 1))
        return false;
    *size = bytes;
    uint32_t *group = (uint32_t *)(void *)*table;
    for (unsigned k = 0; k < b->n; k++) {
        const struct yk_held *h = &g->v[b->o[k].index];
        const struct yk_merged *m = h->m;
        unsigned char *record = *table + at;
        uint64_t head[YK_MERGED_HEAD / 8] = {h->groups[0], h->groups[1], h->groups[2], h->offset[0],
                                             h->offset[1], h->offset[2], h->dims,      m->number};
        memcpy(record, head, sizeof head);
        for (unsigned i = 0; i < m->facts->nargs; i++) {
            const struct yk_value *v = yk_held_value(g, h) + i;
            if (m->facts->arg[i].kind == YK_ARG_VALUE) {
                yk_value_bytes_to(record + m->layout.at[i], v);
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
        at += m->layout.bytes;
    }
    return true;
}

/* What the __local and __constant parameters get, of which B's launches use some. */
struct shared {
    size_t local[YK_MERGED_ARGS];
    cl_mem constant[YK_MERGED_ARGS];
};

static cl_int share(const struct yk_gathered *g, const struct yk_batch *b, struct shared *s)
{
    bool mixed = false;
    *s = (struct shared){.local = {0}};
    for (unsigned n = 0; n < b->n; n++) {
        const struct yk_held *h = &g->v[b->o[n].index];
        mixed = b->code != &h->m->code;
        unsigned local = 0, constant = mixed ? h->m->constant : 0;
        for (unsigned i = 0; i < h->m->facts->nargs; i++) {
            const struct yk_value *v = yk_held_value(g, h) + i;
            if (h->m->facts->arg[i].kind == YK_ARG_LOCAL) {
                size_t size = (v->size + YK_MERGED_UNIT - 1) & ~(size_t)(YK_MERGED_UNIT - 1);
                s->local[local] = size > s->local[local] ? size : s->local[local];
                local++;
            } else if (h->m->facts->arg[i].kind == YK_ARG_CONSTANT) {
                cl_mem *real = &s->constant[constant++];
                if (!*real && !(*real = yk_mem_real(v->u.mem, yk_rt.primary->index)))
                    return CL_MEM_OBJECT_ALLOCATION_FAILURE;
            }
        }
    }
    return CL_SUCCESS;
}

static cl_int set_args(const struct yk_gathered *g, const struct yk_batch *b, struct yk_context *ctx, cl_kernel k,
                       struct yk_tables *t, cl_mem table)
{
    const struct yk_device *d = yk_rt.primary;
    struct shared s;
    unsigned at = 0;
    cl_int err = share(g, b, &s);
    if (err == CL_SUCCESS)
        err = d->cl->SetKernelArg(k, at++, sizeof table, &table);
    for (unsigned i = 0; i < YK_MERGED_SLOTS && err == CL_SUCCESS; i++) {
        cl_mem real = i < b->nstores ? yk_store_real(b->store[i], d->index) : table;
        err = real ? d->cl->SetKernelArg(k, at++, sizeof real, &real) : CL_MEM_OBJECT_ALLOCATION_FAILURE;
    }
    for (unsigned i = 0; i < b->code->nlocals && err == CL_SUCCESS; i++)
        err = d->cl->SetKernelArg(k, at++, s.local[i] ? s.local[i] : YK_MERGED_UNIT, NULL);
    for (unsigned i = 0; i < b->code->nconstants && err == CL_SUCCESS; i++) {
        cl_mem real = s.constant[i];
        if (!real && !t->none)
            t->none = d->cl->CreateBuffer(ctx->real[d->index], CL_MEM_READ_ONLY, YK_MERGED_UNIT, NULL, &err);
        real = real ? real : t->none;
        if (err == CL_SUCCESS)
            err = d->cl->SetKernelArg(k, at++, sizeof real, &real);
    }
    return err;
}

/* The next table that no launch reads any more, with B in it, on its way to the device. */
static cl_int write_table(const struct yk_gathered *g, struct yk_batch *b, struct yk_context *ctx,
                          cl_command_queue real, struct yk_tables *t, unsigned *number, cl_uint nwait,
                          const cl_event *wait)
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
        t->table[i].real = d->cl->CreateBuffer(ctx->real[d->index], CL_MEM_READ_ONLY, t->table[i].size, NULL, &err);
        if (!t->table[i].real) {
            t->table[i].size = 0;
            return err;
        }
    }
    return d->cl->EnqueueWriteBuffer(real, t->table[i].real, CL_FALSE, 0, size, t->table[i].host.v, nwait, wait, NULL);
}

/* B has been ordered on the primary. */
static void primary_writes(const struct yk_gathered *g, const struct yk_batch *b)
{
    bool copies = false; /* somebody else has one */
    for (unsigned i = 0; i < b->nstores; i++)
        copies |= !__atomic_load_n(&b->store[i]->only_primary, __ATOMIC_ACQUIRE);
    for (unsigned n = 0; n < b->n && copies; n++) {
        const struct yk_held *h = &g->v[b->o[n].index];
        yk_values_primary_writes(yk_held_value(g, h), h->m->facts->nargs, h->m->facts);
    }
}

cl_int yk_batch_issue(struct yk_gathered *g, struct yk_batch *b, struct yk_context *ctx, cl_command_queue real,
                      struct yk_tables *t, cl_uint nwait, const cl_event *wait, cl_event *event)
{
    const struct yk_device *d = yk_rt.primary;
    struct yk_held *first = &g->v[b->o[0].index];
    struct yk_code_kernel *k = yk_merged_code_take(b->code);
    unsigned i = 0;
    cl_int err = k ? write_table(g, b, ctx, real, t, &i, nwait, wait) : CL_OUT_OF_RESOURCES;
    if (err == CL_SUCCESS)
        err = set_args(g, b, ctx, k->real, t, t->table[i].real);
    if (err == CL_SUCCESS) {
        size_t local[3] = {first->local[0], first->local[1], first->local[2]};
        size_t global[3] = {local[0] * (size_t)b->groups, local[1], local[2]};
        err = d->cl->EnqueueNDRangeKernel(real, k->real, 3, NULL, global, local, 0, NULL, &t->table[i].used);
    } else if (k && t->table[i].size) {
        d->cl->Finish(real); /* the table may be on its way */
    }
    if (k)
        yk_merged_code_give(b->code, k);
    if (err == CL_SUCCESS && event && d->cl->RetainEvent(t->table[i].used) == CL_SUCCESS)
        *event = t->table[i].used;
    if (err == CL_SUCCESS)
        primary_writes(g, b);
    return err;
}
