/* The tables that a kernel reads: offsets of lanes, sums, chunks, pages and blocks, and how a segment is filled. */
#include <stdlib.h>
#include <string.h>
#include "kernels/cache/cache.h"

/* Offsets of all values of the digits LIST in table T: the first digit changes fastest. */
static void offsets(const struct yk_cache_digits *list, uint32_t first, uint32_t n, uint32_t t, int32_t *out)
{
    uint32_t count = 1;
    out[0] = 0;
    for (uint32_t i = first; i < first + n; i++) {
        const struct yk_cache_digit *d = &list->digit[i];
        for (uint32_t x = 1; x < d->extent; x++)
            for (uint32_t k = 0; k < count; k++)
                out[x * count + k] = out[k] + (int32_t)x * d->stride[t];
        count *= d->extent;
    }
}

static void side_offsets(const struct yk_cache_side *side, uint32_t t, int32_t *out)
{
    uint32_t count = 1;
    out[0] = 0;
    for (uint32_t i = 0; i < side->n; i++)
        for (uint32_t x = 1, n = count; x < side->digit[i].extent; x++)
            for (uint32_t k = 0; k < n; k++)
                out[count++] = out[k] + (int32_t)x * side->digit[i].stride[t];
}

/* The cache tag of an input as digits with a place in the scratchpad, slowest in the table last. */
struct tag {
    uint32_t n, extent[YK_CACHE_DIGITS];
    int32_t in_table[YK_CACHE_DIGITS], in_local[YK_CACHE_DIGITS];
};

static void put(struct tag *g, uint32_t extent, int32_t in_table, int32_t in_local)
{
    uint32_t at = g->n++;
    for (; at > 0 && g->in_table[at - 1] > in_table; at--) {
        g->extent[at] = g->extent[at - 1];
        g->in_table[at] = g->in_table[at - 1];
        g->in_local[at] = g->in_local[at - 1];
    }
    g->extent[at] = extent;
    g->in_table[at] = in_table;
    g->in_local[at] = in_local;
}

/* Offsets of the digits FIRST to LAST of tag G, in the table and in the scratchpad. */
static void tag_offsets(const struct tag *g, uint32_t first, uint32_t last, int32_t *const out[2])
{
    uint32_t count = 1;
    out[0][0] = out[1][0] = 0;
    for (uint32_t i = first; i < last; i++) {
        for (uint32_t x = 1; x < g->extent[i]; x++)
            for (uint32_t k = 0; k < count; k++) {
                out[0][x * count + k] = out[0][k] + (int32_t)x * g->in_table[i];
                out[1][x * count + k] = out[1][k] + (int32_t)x * g->in_local[i];
            }
        count *= g->extent[i];
    }
}

/* How many of the digits, from the fastest on, make a row: THREADS go through rows side by side, as few threads as can
 * be without work. */
static uint32_t row_digits(const struct tag *g, uint32_t cells, uint32_t threads)
{
    uint32_t cols = 1, best = 0, least = UINT32_MAX;
    for (uint32_t i = 0; i <= g->n && cols <= threads; cols *= i < g->n ? g->extent[i] : 1, i++) {
        uint32_t abreast = threads / cols, turns = (cells / cols + abreast - 1) / abreast;
        if (turns <= least) {
            least = turns;
            best = i;
        }
    }
    return best;
}

/* A segment lies as [low][lane][tile]: the tile's cells side by side (constants in the kernel), lanes an odd number of
 * reads apart. Lane and low digits that the input does not have take no place. */
static void place(struct yk_cache_plan *p, uint32_t f)
{
    struct yk_cache_function *in = &p->input[f];
    const struct yk_cache_roles *r = &p->roles;
    struct tag g = {0};
    struct yk_cache_digits lane = r->lane, low = r->low;
    int32_t step = 1;
    const struct yk_cache_side *side[] = {&r->a, &r->b};
    for (int s = 2; s-- > 0;) {
        if (!(s ? in->on_b : in->on_a))
            continue;
        for (uint32_t i = 0; i < side[s]->extent; i++)
            in->side[s][i] = (int32_t)i * step;
        for (uint32_t k = 0; k < side[s]->n; k++) {
            put(&g, side[s]->digit[k].extent, side[s]->digit[k].stride[f], step);
            step *= (int32_t)side[s]->digit[k].extent;
        }
    }
    if (step > 1)
        step = (int32_t)yk_cache_step((uint32_t)step, p->cell);
    struct yk_cache_digits *group[] = {&lane, &low};
    for (int k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < group[k]->n; i++) {
            struct yk_cache_digit *d = &group[k]->digit[i];
            int32_t in_table = d->stride[f];
            d->stride[f] = in_table ? step : 0;
            if (in_table) {
                put(&g, d->extent, in_table, step);
                step *= (int32_t)d->extent;
            }
        }
        /* Filled in the table's order, where summed values often lie side by side: these too in different banks. */
        step = (int32_t)yk_cache_odd((uint32_t)step, in->wide);
    }
    offsets(&lane, 0, lane.n, f, in->lane);
    offsets(&low, 0, low.n, f, in->low);
    for (uint32_t i = 0; i < p->lanes; i++)
        in->lane[i] += (int32_t)in->at;
    const uint32_t first = row_digits(&g, in->cells, (p->lanes + 31) / 32 * 32);
    tag_offsets(&g, 0, first, in->col);
    tag_offsets(&g, first, g.n, in->row);
    in->cols = 1;
    for (uint32_t i = 0; i < first; i++)
        in->cols *= g.extent[i];
    in->rows = in->cells / in->cols;
    for (uint32_t i = 0; i < in->rows; i++)
        in->row[1][i] += (int32_t)in->at;
}

static int32_t *take(int32_t **at, size_t n)
{
    int32_t *p = *at;
    *at += n;
    return p;
}

yk_status yk_cache_tables(struct yk_cache_plan *p)
{
    const struct yk_cache_roles *r = &p->roles;
    size_t each = (size_t)p->lanes + p->lows + p->chunks + p->pages + p->block_lows + p->block_highs, fill = 0;
    for (uint32_t f = 0; f < p->nin; f++)
        fill += p->input[f].cached ? 2 * ((size_t)p->input[f].cells + p->lanes + 32) : 0;
    size_t ints = each * (p->nin + 1) + fill + p->lanes, steps = (size_t)p->pages * p->chunks;
    int32_t *at = malloc(ints * sizeof *at + steps);
    if (!at)
        return YK_ENOMEM;
    p->memory = at;
    p->invalid = (uint8_t *)(at + ints);
    uint32_t split = 0; /* block digits of the low table */
    for (uint32_t n = 1; n < p->block_lows; split++)
        n *= r->block.digit[split].extent;
    for (uint32_t f = 0; f <= p->nin; f++) {
        struct yk_cache_function *in = f < p->nin ? &p->input[f] : &p->out;
        in->lane = take(&at, p->lanes);
        in->low = take(&at, p->lows);
        in->chunk = take(&at, p->chunks);
        in->page = take(&at, p->pages);
        in->block_low = take(&at, p->block_lows);
        in->block_high = take(&at, p->block_highs);
        side_offsets(&r->a, f, in->side[0]);
        side_offsets(&r->b, f, in->side[1]);
        offsets(&r->chunk, 0, r->chunk.n, f, in->chunk);
        offsets(&r->page, 0, r->page.n, f, in->page);
        offsets(&r->block, 0, split, f, in->block_low);
        offsets(&r->block, split, r->block.n - split, f, in->block_high);
        if (f < p->nin && in->cached) {
            for (int k = 0; k < 2; k++) {
                in->row[k] = take(&at, in->cells);
                in->col[k] = take(&at, p->lanes + 32);
            }
            place(p, f);
        } else {
            offsets(&r->lane, 0, r->lane.n, f, in->lane);
            offsets(&r->low, 0, r->low.n, f, in->low);
        }
    }
    if (r->cut_lane) {
        p->cut = (uint32_t *)take(&at, p->lanes);
        uint32_t below = 1;
        for (uint32_t i = 0; i + 1 < r->cut_lane; i++)
            below *= r->lane.digit[i].extent;
        for (uint32_t i = 0; i < p->lanes; i++)
            p->cut[i] = i / below % r->lane.digit[r->cut_lane - 1].extent;
        p->cut_parts = r->block.digit[0].extent;
    }
    for (uint32_t page = 0; page < p->pages; page++)
        for (uint32_t chunk = 0; chunk < p->chunks; chunk++) {
            uint8_t mask = 0;
            uint32_t last_page = chunk ? page : page - 1, last_chunk = chunk ? chunk - 1 : p->chunks - 1;
            for (uint32_t f = 0; f < p->nin; f++) {
                const struct yk_cache_function *in = &p->input[f];
                if (in->cached && ((page == 0 && chunk == 0) || in->page[page] != in->page[last_page] ||
                                   in->chunk[chunk] != in->chunk[last_chunk]))
                    mask |= (uint8_t)(1u << f);
            }
            p->invalid[(size_t)page * p->chunks + chunk] = mask;
        }
    return YK_OK;
}

void yk_cache_plan_finish(struct yk_cache_plan *p)
{
    free(p->memory);
    memset(p, 0, sizeof *p);
}

uint32_t yk_cache_bank_conflicts(const struct yk_cache_plan *p, uint32_t f, uint32_t banks)
{
    const struct yk_cache_function *in = &p->input[f];
    if (!in->cached || banks > 64)
        return 0;
    /* Reads of 8 bytes are done for half a warp at a time, each from a pair of banks; of 16, for a quarter. */
    uint32_t words = in->wide * p->cell / 4, lanes = 32 / words, slots = banks / words, most = 1;
    for (uint32_t first = 0; first < p->lanes; first += lanes) {
        int32_t seen[64][32];
        uint32_t n[64] = {0};
        for (uint32_t i = first; i < first + lanes && i < p->lanes; i++) {
            uint32_t bank = (uint32_t)in->lane[i] / in->wide % slots, k = 0;
            while (k < n[bank] && seen[bank][k] != in->lane[i])
                k++;
            if (k == n[bank])
                seen[bank][n[bank]++] = in->lane[i];
            most = n[bank] > most ? n[bank] : most;
        }
    }
    return most;
}
