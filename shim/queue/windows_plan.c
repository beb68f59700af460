#include "shim/queue/windows_plan.h"
#include <stdlib.h>
#include <string.h>
#include "shim/memory/tenant.h"

/* A part's windows should be no larger than this, where more parts make them smaller: then three sets of them move
 * while others are computed on, and little is lost at either end. */
enum { PART = 128 << 20, PARTS_MOST = 1 << 14, LOCAL_MOST = 256 };

static bool is_empty(struct yk_window_span s)
{
    return s.from == s.to;
}

static void widen(struct yk_window_span *s, size_t from, size_t to)
{
    if (from == to)
        return;
    bool none = is_empty(*s);
    s->from = none || from < s->from ? from : s->from;
    s->to = none || to > s->to ? to : s->to;
}

static int number_of(const struct yk_windows_plan *p, const struct yk_store *s)
{
    for (unsigned i = 0; i < p->nstores; i++)
        if (p->store[i] == s)
            return (int)i;
    return -1;
}

static bool list_stores(const struct yk_launch *l, bool tenants, struct yk_windows_plan *p)
{
    for (unsigned i = 0; i < l->nvalues; i++) {
        struct yk_mem *m = l->value[i].kind == YK_VALUE_MEM ? l->value[i].u.mem : NULL;
        if (!m || !yk_store_host_only(m->store) || number_of(p, m->store) >= 0)
            continue;
        if (p->nstores == YK_WINDOWS)
            return false;
        p->tenant[p->nstores] = tenants && yk_tenant_buffer(m->store) != NULL;
        p->store[p->nstores++] = m->store;
    }
    return true;
}

/* Where the program left the local size open, and the result does not depend on it: one that divides the range. */
static size_t choose_local(const struct yk_launch *l)
{
    size_t n = LOCAL_MOST < yk_rt.primary->max_group ? LOCAL_MOST : yk_rt.primary->max_group;
    n = n < yk_rt.primary->max_item[0] ? n : yk_rt.primary->max_item[0];
    while (n > 1 && l->global[0] % n)
        n--;
    return n ? n : 1;
}

static bool range_of(const struct yk_launch *l, const struct yk_facts_kernel *f, struct yk_decision *d)
{
    if (!yk_range_ids_fit(l->dims, l->has_offset ? l->offset : NULL, l->global))
        return false;
    d->range.dims = l->dims;
    for (unsigned i = 0; i < 3; i++) {
        bool used = i < l->dims;
        if (used && !l->has_local && f->local_size_matters)
            return false;
        d->local[i] = !used ? 1 : l->has_local ? l->local[i] : i ? 1 : choose_local(l);
        if (used && (!d->local[i] || !l->global[i] || l->global[i] % d->local[i]))
            return false;
        d->range.groups[i] = used ? l->global[i] / d->local[i] : 1;
    }
    return yk_range_total(&d->range, &d->total) && d->total;
}

/* The whole of what M may have of W's store, read and perhaps written. */
static void take_all(struct yk_window *w, const struct yk_mem *m, bool written)
{
    widen(&w->in, m->origin, m->origin + m->size);
    if (written) {
        widen(&w->out, m->origin, m->origin + m->size);
        w->covered = false;
    }
}

static bool is_plain(const struct yk_region *r)
{
    return (r->rows == 1 || r->row_pitch == r->bytes) && (r->slices == 1 || r->slice_pitch == r->rows * r->row_pitch);
}

/* What is done to W's store by a region of a part. */
static void take(struct yk_window *w, const struct yk_part *q)
{
    struct yk_window_span s = {(size_t)q->region.offset, (size_t)yk_region_end(&q->region)};
    if (!q->write) {
        widen(&w->in, s.from, s.to);
        return;
    }
    /* Two writes side by side may leave something between them. */
    w->covered = is_empty(w->out) && q->exact && is_plain(&q->region);
    widen(&w->out, s.from, s.to);
}

/* What of it must be there before, and where the window begins and ends. */
static void close_window(struct yk_window *w, const struct yk_store *s)
{
    if (!w->covered)
        widen(&w->in, w->out.from, w->out.to);
    w->all = w->in;
    widen(&w->all, w->out.from, w->out.to);
    w->all.from -= w->all.from % YK_WINDOW_ALIGN;
    if (w->all.to > s->size)
        w->all.to = s->size;
}

/* Fill the windows of PART from what SCRATCH says that it touches. */
static bool plan_part(const struct yk_launch *l, const struct yk_facts_kernel *f, struct yk_windows_plan *p,
                      struct yk_parts *scratch, struct yk_window_part *part)
{
    scratch->part.n = 0;
    if (yk_parts_add(scratch, l, f, &p->d, yk_rt.primary->index, part->from, part->to) != YK_OK)
        return false;
    for (size_t i = 0; i < scratch->part.n; i++) {
        int at = number_of(p, scratch->part.v[i].store);
        if (at >= 0 && !p->tenant[at])
            take(&part->window[at], &scratch->part.v[i]);
    }
    for (unsigned i = 0; i < f->nargs; i++) {
        const struct yk_mem *m = l->value[i].kind == YK_VALUE_MEM ? l->value[i].u.mem : NULL;
        int at = m ? number_of(p, m->store) : -1;
        if (at >= 0 && !p->tenant[at] && (f->arg[i].reduces || f->arg[i].kind == YK_ARG_CONSTANT))
            take_all(&part->window[at], m, f->arg[i].reduces);
    }
    for (unsigned i = 0; i < p->nstores; i++)
        close_window(&part->window[i], p->store[i]);
    return true;
}

static uint64_t bytes_of(const struct yk_window_part *part, unsigned nstores)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < nstores; i++)
        bytes += part->window[i].all.to - part->window[i].all.from;
    return bytes;
}

/* Cut into N parts; *LARGEST: bytes of the windows of the part that has most. */
static bool cut(const struct yk_launch *l, const struct yk_facts_kernel *f, unsigned n, struct yk_windows_plan *p,
                uint64_t *largest)
{
    uint64_t grain = yk_range_grain(&p->d.range, n), units = p->d.total / grain;
    struct yk_parts scratch = {.part = {NULL, 0, 0}};
    p->n = units < n ? (unsigned)units : n;
    free(p->part);
    p->windows.n = 0;
    p->part = calloc(p->n, sizeof *p->part);
    bool ok = p->part && yk_array_reserve(&p->windows, (size_t)p->n * p->nstores);
    *largest = 0;
    memset(p->most, 0, sizeof p->most);
    for (unsigned i = 0; i < p->n && ok; i++) {
        struct yk_window_part *part = &p->part[i];
        part->from = units * i / p->n * grain;
        part->to = i + 1 < p->n ? units * (i + 1) / p->n * grain : p->d.total;
        part->window = &p->windows.v[(size_t)i * p->nstores];
        memset(part->window, 0, p->nstores * sizeof *part->window);
        ok = plan_part(l, f, p, &scratch, part);
        uint64_t bytes = bytes_of(part, p->nstores);
        *largest = bytes > *largest ? bytes : *largest;
        for (unsigned k = 0; k < p->nstores; k++) {
            size_t has = part->window[k].all.to - part->window[k].all.from;
            p->most[k] = has > p->most[k] ? has : p->most[k];
            p->written[k] |= !is_empty(part->window[k].out);
        }
    }
    yk_parts_finish(&scratch);
    return ok;
}

/* What some part writes of a store. */
struct written {
    struct yk_window_span span;
    unsigned part;
};

static int by_place(const void *a, const void *b)
{
    const struct written *p = a, *q = b;
    return (p->span.from > q->span.from) - (p->span.from < q->span.from);
}

/* Does another part than PART write some of S? N of W, in order, none over another. */
static bool others_write(const struct written *w, size_t n, struct yk_window_span s, unsigned part)
{
    size_t low = 0, high = n;
    while (low < high) { /* the first that ends behind the beginning of S */
        size_t middle = low + (high - low) / 2;
        if (w[middle].span.to <= s.from)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < n && w[low].span.from < s.to; low++)
        if (w[low].part != part)
            return true;
    return false;
}

/* May parts be under way side by side? Not where two take back bytes of one place, nor where one is brought what
 * another one takes back: it would matter which comes first. W: room for a span per part. */
static bool store_apart(const struct yk_windows_plan *p, unsigned store, struct written *w)
{
    size_t n = 0;
    for (unsigned i = 0; i < p->n; i++)
        if (!is_empty(p->part[i].window[store].out))
            w[n++] = (struct written){p->part[i].window[store].out, i};
    if (n)
        qsort(w, n, sizeof *w, by_place);
    for (size_t i = 1; i < n; i++)
        if (w[i].span.from < w[i - 1].span.to)
            return false;
    for (unsigned i = 0; i < p->n; i++) {
        struct yk_window_span in = p->part[i].window[store].in;
        if (!is_empty(in) && others_write(w, n, in, i))
            return false;
    }
    return true;
}

static bool apart(const struct yk_windows_plan *p)
{
    struct written *w = malloc(p->n * sizeof *w);
    bool yes = w;
    for (unsigned i = 0; i < p->nstores && yes; i++)
        yes = store_apart(p, i, w);
    free(w);
    return yes;
}

static uint64_t all_bytes(const struct yk_windows_plan *p)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < p->nstores; i++)
        bytes += p->most[i];
    return bytes;
}

static bool fits(struct yk_windows_plan *p, uint64_t room, uint64_t largest)
{
    for (unsigned i = 0; i < p->nstores; i++)
        if (p->most[i] > largest)
            return false;
    p->sets = p->n > 1 && apart(p) ? YK_WINDOW_SETS : 1;
    p->sets = p->sets < p->n ? p->sets : p->n;
    while (p->sets > 1 && all_bytes(p) > room / p->sets)
        p->sets--;
    return all_bytes(p) <= room / p->sets;
}

static bool plan_parts(const struct yk_launch *l, const struct yk_facts_kernel *f, uint64_t room, uint64_t largest,
                       struct yk_windows_plan *p)
{
    uint64_t has, wanted = room / YK_WINDOW_SETS < PART ? room / YK_WINDOW_SETS : PART, before = UINT64_MAX;
    if (!range_of(l, f, &p->d))
        return false;
    for (uint64_t n = 1;;) {
        unsigned was = p->n;
        if (!cut(l, f, (unsigned)n, p, &has))
            return false;
        /* No smaller for being cut further: enough if it fits. */
        bool last =
            p->n == was || n >= PARTS_MOST || n >= p->d.total || (has > before / 10 * 9 && fits(p, room, largest));
        if (has <= wanted || last)
            return fits(p, room, largest);
        before = has;
        uint64_t more = n * (has / wanted + 1);
        n = more > 2 * n ? more : 2 * n;
        n = n < PARTS_MOST ? n : PARTS_MOST;
        n = n < p->d.total ? n : p->d.total;
    }
}

/* One part, which sees all of all buffers; what is not known to be only read is taken back. */
static bool plan_whole(const struct yk_launch *l, const struct yk_facts_kernel *f, uint64_t room, uint64_t largest,
                       struct yk_windows_plan *p)
{
    p->n = 1;
    p->part = calloc(1, sizeof *p->part);
    if (!p->part || !yk_array_reserve(&p->windows, p->nstores))
        return false;
    p->part->window = p->windows.v;
    memset(p->windows.v, 0, p->nstores * sizeof *p->windows.v);
    for (unsigned i = 0; i < l->nvalues; i++) {
        const struct yk_mem *m = l->value[i].kind == YK_VALUE_MEM ? l->value[i].u.mem : NULL;
        int at = m ? number_of(p, m->store) : -1;
        bool known = f && i < f->nargs;
        if (at < 0 || p->tenant[at])
            continue;
        bool written = known ? f->arg[i].written || f->arg[i].atomic : !(m->flags & CL_MEM_READ_ONLY);
        struct yk_window *w = &p->part->window[at];
        take_all(w, m, written);
        p->written[at] |= written;
        w->all = (struct yk_window_span){0, m->store->size};
        p->most[at] = m->store->size;
    }
    return fits(p, room, largest);
}

static bool plan(const struct yk_launch *l, const struct yk_facts_kernel *f, bool tenants, uint64_t room,
                 uint64_t largest, struct yk_windows_plan *p)
{
    memset(p, 0, sizeof *p);
    if (!list_stores(l, tenants, p))
        return false;
    return f && f->verdict != YK_VERDICT_WHOLE ? plan_parts(l, f, room, largest, p)
                                               : plan_whole(l, f, room, largest, p);
}

bool yk_windows_plan(struct yk_launch *l, const struct yk_facts_kernel *f, uint64_t room, uint64_t largest,
                     struct yk_windows_plan *p)
{
    return plan(l, f, true, room, largest, p);
}

bool yk_windows_plan_ever(const struct yk_launch *l, const struct yk_facts_kernel *f)
{
    const struct yk_device *d = yk_rt.primary;
    uint64_t room = d->global_mem;
    for (unsigned i = 0; i < l->nvalues; i++) {
        const struct yk_mem *m = l->value[i].kind == YK_VALUE_MEM ? l->value[i].u.mem : NULL;
        bool stays = m && m->store && !yk_store_host_only(m->store);
        for (unsigned k = 0; k < i && stays; k++)
            stays = l->value[k].kind != YK_VALUE_MEM || l->value[k].u.mem->store != m->store;
        room -= !stays ? 0 : m->store->size < room ? m->store->size : room;
    }
    struct yk_windows_plan p;
    bool fits = plan(l, f, false, room, d->max_alloc, &p);
    yk_windows_plan_finish(&p);
    return fits;
}

void yk_windows_plan_finish(struct yk_windows_plan *p)
{
    free(p->part);
    yk_array_finish(&p->windows);
}

uint64_t yk_windows_plan_bytes(const struct yk_windows_plan *p)
{
    return all_bytes(p) * p->sets;
}
