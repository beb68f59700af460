/* Which functions are cached, and how many pages a block goes through. */
#include <string.h>
#include "kernels/cache/cache.h"

static uint32_t within(const struct yk_cache_digits *list, uint32_t t)
{
    uint32_t count = 1;
    for (uint32_t i = 0; i < list->n; i++)
        count *= list->digit[i].stride[t] ? list->digit[i].extent : 1;
    return count;
}

/* Consecutive steps that share a segment of F, if the digits PAGES follow the chunks. */
static uint32_t lifetime(const struct yk_cache_plan *p, uint32_t f, const struct yk_cache_digits *pages)
{
    const struct yk_cache_digits *list[] = {&p->roles.chunk, pages};
    uint32_t steps = 1;
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < list[k]->n; i++) {
            if (list[k]->digit[i].stride[f] || steps > UINT32_MAX / 4096)
                return steps;
            steps *= list[k]->digit[i].extent < 4096 ? list[k]->digit[i].extent : 4096;
        }
    return steps;
}

static void segments(struct yk_cache_plan *p)
{
    const struct yk_cache_roles *r = &p->roles;
    for (uint32_t f = 0; f < p->nin; f++) {
        struct yk_cache_function *in = &p->input[f];
        in->on_a = r->a.n && r->a.digit[0].stride[f];
        in->on_b = r->b.n && r->b.digit[0].stride[f];
        uint32_t tile = (in->on_a ? r->a.extent : 1) * (in->on_b ? r->b.extent : 1);
        uint32_t rest = within(&r->lane, f) * within(&r->low, f);
        in->cells = tile * rest;
        in->wide = yk_cache_wide(tile, p->cell);
        in->size = yk_cache_odd(yk_cache_step(tile, p->cell) * within(&r->lane, f), in->wide) * within(&r->low, f);
        in->size = (in->size + 3) / 4 * 4; /* reads of four stay in line */
        in->lifetime = lifetime(p, f, &r->block);
        in->cached = false;
    }
}

/* Is F better than G to be cached? The greedy knapsack of ICS'08, or the chapter's rule. */
static bool better(const struct yk_cache_function *f, const struct yk_cache_function *g, enum yk_cache_policy policy)
{
    if (policy == YK_CACHE_SMALLEST || f->lifetime == g->lifetime)
        return f->size < g->size;
    return (double)f->lifetime / f->size > (double)g->lifetime / g->size;
}

static void knapsack(struct yk_cache_plan *p, uint32_t cells, enum yk_cache_policy policy)
{
    uint32_t left = cells, looked = 0;
    /* A segment in the last part of a cut lane digit would reach beyond the table. */
    uint32_t cut = p->roles.cut_lane ? p->roles.lane.digit[p->roles.cut_lane - 1].var : UINT32_MAX;
    p->local_cells = 0;
    if (policy == YK_CACHE_NONE)
        return;
    for (;;) {
        uint32_t best = UINT32_MAX;
        for (uint32_t f = 0; f < p->nin; f++)
            if (!(looked >> f & 1) && (best == UINT32_MAX || better(&p->input[f], &p->input[best], policy)))
                best = f;
        if (best == UINT32_MAX)
            return;
        looked |= 1u << best;
        struct yk_cache_function *in = &p->input[best];
        if (in->size > left || (cut != UINT32_MAX && p->roles.lane.digit[p->roles.cut_lane - 1].stride[best]))
            continue;
        in->cached = true;
        in->at = p->local_cells;
        p->local_cells += in->size;
        left -= in->size;
    }
}

/* Cells that need not be filled again when digit D is a page digit. */
static double saved_by(const struct yk_cache_plan *p, const struct yk_cache_digit *d)
{
    double saved = 0;
    for (uint32_t f = 0; f < p->nin; f++)
        if (p->input[f].cached && !d->stride[f] && within(&p->roles.chunk, f) == 1)
            saved += p->input[f].cells;
    return saved;
}

static uint32_t divisor_within(uint32_t n, uint32_t most)
{
    for (uint32_t d = most < n ? most : n; d > 1; d--)
        if (n % d == 0)
            return d;
    return 1;
}

/* Pages for a block as long as the remaining threads fill the device (ICS'08, 6). The digit that saves most fills comes
 * first: it then changes fastest, and what it saves lives longest. */
static void pages(struct yk_cache_plan *p, const struct yk_cache_device *d, uint32_t most)
{
    struct yk_cache_roles *r = &p->roles;
    /* Twice what runs at once, so that the last blocks do not leave multiprocessors idle for long. */
    double fill = 2.0 * d->units * yk_cache_resident(p, d);
    uint32_t steps = 4096 / p->chunks, limit = most ? most : 64;
    steps = steps < YK_CACHE_PAGES ? steps : YK_CACHE_PAGES;
    limit = limit < steps ? limit : steps;
    for (;;) {
        uint32_t room = limit / r->page.count, best = UINT32_MAX, take = 1;
        double threads = (double)r->block.count * p->lanes, most_saved = 0;
        if (!most && threads / fill < room)
            room = threads > fill ? (uint32_t)(threads / fill) : 1;
        for (uint32_t i = r->cut_lane ? 1 : 0; i < r->block.n; i++) {
            uint32_t part = divisor_within(r->block.digit[i].extent, room);
            /* Nothing to save: a few pages still share the setting up of a block, more where they are filled ahead. */
            double saved = saved_by(p, &r->block.digit[i]) +
                           (r->page.count * part <= (p->local_cells && d->async ? 16u : 4u) || most ? 0.5 : 0);
            if (part > 1 && saved * (1 - 1.0 / part) > most_saved) {
                most_saved = saved * (1 - 1.0 / part);
                best = i;
                take = part;
            }
        }
        if (best == UINT32_MAX)
            return;
        struct yk_cache_digit *from = &r->block.digit[best], *to = &r->page.digit[r->page.n++];
        *to = *from;
        to->extent = take;
        r->page.count *= take;
        r->block.count /= take;
        from->extent /= take;
        for (uint32_t t = 0; t <= p->nin; t++)
            from->stride[t] *= (int32_t)take;
        if (from->extent == 1) {
            memmove(from, from + 1, (r->block.n - best - 1) * sizeof *from);
            r->block.n--;
        }
    }
}

/* A second copy of what is filled more than once; false: there is none, or no room. */
static bool ahead(struct yk_cache_plan *p, uint32_t cells)
{
    for (uint32_t f = 0; f < p->nin; f++) {
        struct yk_cache_function *in = &p->input[f];
        if (!in->cached || yk_cache_fills(p, f) < 2)
            continue;
        for (uint32_t g = 0; g < p->nin; g++)
            p->input[g].at += p->input[g].at > in->at ? in->size : 0;
        in->second = in->size;
        p->local_cells += in->size;
        p->ahead = true;
    }
    return p->ahead && p->local_cells <= cells;
}

bool yk_cache_choose(struct yk_cache_plan *p, const struct yk_cache_bucket *b, const struct yk_cache_device *d,
                     const struct yk_cache_options *o, bool filled_ahead)
{
    struct yk_cache_roles *r = &p->roles;
    uint32_t local = o->local && o->local < d->local_block ? o->local : d->local_block;
    p->lanes = r->lane.count;
    p->lows = r->low.count;
    p->chunks = r->chunk.count;
    segments(p);
    knapsack(p, local / p->cell, o->policy);
    pages(p, d, o->pages);
    p->pages = r->page.count;
    p->blocks = r->block.count;
    for (uint32_t f = 0; f < p->nin; f++)
        p->input[f].lifetime = lifetime(p, f, &r->page);
    /* Two tables of about the square root of the blocks each. */
    uint32_t split = 0;
    p->block_lows = 1;
    while (split < r->block.n && (double)p->block_lows * p->block_lows < p->blocks)
        p->block_lows *= r->block.digit[split++].extent;
    p->block_highs = p->blocks / p->block_lows;
    if (filled_ahead && !ahead(p, local / p->cell))
        return false;
    yk_cache_predict(p, b, d);
    return true;
}
