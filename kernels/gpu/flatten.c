#include "kernels/gpu/flatten.h"
#include <stdlib.h>
#include <string.h>

yk_status yk_gpu_flatten(const struct yk_cache_plan *q, uint32_t threads, int32_t *meta, uint32_t *nmeta,
                         int32_t **table, size_t *ntable)
{
    uint32_t steps = q->pages * q->chunks, nin = q->nin;
    size_t n = (size_t)(nin + 1) * (q->lanes + q->block_lows + q->block_highs) + q->lanes + (size_t)nin * q->chunks;
    for (uint32_t f = 0; f < nin; f++)
        n += q->input[f].cached ? 2 * (size_t)q->input[f].rows + 4 * (size_t)threads + 4 : 0;
    int32_t *t = malloc(n * sizeof *t), *at = t;
    if (!t)
        return YK_ENOMEM;
    const struct yk_cache_function *fn[YK_CACHE_TABLES];
    unsigned a = 0, b = 0, cached = 0;
    for (uint32_t f = 0; f <= nin; f++)
        fn[f] = f < nin ? &q->input[f] : &q->out;
    for (uint32_t f = 0; f <= nin; f++, at += q->lanes)
        memcpy(at, fn[f]->lane, q->lanes * sizeof *at);
    for (uint32_t i = 0; i < q->lanes; i++)
        *at++ = q->cut ? (int32_t)q->cut[i] : 0;
    for (uint32_t f = 0; f <= nin; f++, at += q->block_lows)
        memcpy(at, fn[f]->block_low, q->block_lows * sizeof *at);
    for (uint32_t f = 0; f <= nin; f++, at += q->block_highs)
        memcpy(at, fn[f]->block_high, q->block_highs * sizeof *at);
    for (uint32_t c = 0; c < q->chunks; c++)
        for (uint32_t f = 0; f < nin; f++)
            *at++ = fn[f]->chunk[c];
    enum { SIDE_A = 16, SIDE_B = 160, FILL_ROWS = 304, FILL_AT = 312, FILL_STEP = 320, SECOND = 328, LOWS = 336 };
    memset(meta, 0, LOWS * sizeof *meta);
    for (uint32_t f = 0; f <= nin; f++) {
        memcpy(meta + SIDE_A + (size_t)YK_CACHE_SIDE * f, fn[f]->side[0], sizeof fn[f]->side[0]);
        memcpy(meta + SIDE_B + (size_t)YK_CACHE_SIDE * f, fn[f]->side[1], sizeof fn[f]->side[1]);
        if (f == nin)
            break;
        a |= (unsigned)q->input[f].on_a << f;
        b |= (unsigned)q->input[f].on_b << f;
        cached |= (unsigned)q->input[f].cached << f;
        if (!q->input[f].cached)
            continue;
        while ((at - t) % 4) /* read four at a time */
            *at++ = 0;
        const struct yk_cache_function *in = &q->input[f];
        const uint32_t abreast = threads / in->cols;
        meta[FILL_ROWS + f] = (int32_t)in->rows;
        meta[FILL_AT + f] = (int32_t)(at - t);
        meta[FILL_STEP + f] = (int32_t)abreast;
        meta[SECOND + f] = (int32_t)in->second;
        for (uint32_t i = 0; i < threads; i++, at += 4) {
            const uint32_t col = i % in->cols, row = i / in->cols;
            at[0] = in->col[0][col];
            at[1] = in->col[1][col];
            at[2] = (int32_t)(row < abreast ? row : in->rows);
            at[3] = 0;
        }
        for (uint32_t i = 0; i < in->rows; i++) {
            *at++ = in->row[0][i];
            *at++ = in->row[1][i];
        }
    }
    uint32_t low = LOWS, page = low + q->lows * nin, stale = page + q->pages * (nin + 1), end = stale + steps;
    const int32_t first[] = {(int32_t)q->lanes,
                             (int32_t)q->lows,
                             (int32_t)q->chunks,
                             (int32_t)q->pages,
                             (int32_t)q->block_lows,
                             (int32_t)q->block_highs,
                             (int32_t)q->cut_parts,
                             (int32_t)q->roles.cut_last,
                             (int32_t)page,
                             (int32_t)stale,
                             (int32_t)nin,
                             (int32_t)q->roles.a.extent,
                             (int32_t)q->roles.b.extent,
                             (int32_t)a,
                             (int32_t)b,
                             (int32_t)cached};
    memcpy(meta, first, sizeof first);
    for (uint32_t s = 0; s < q->lows; s++)
        for (uint32_t f = 0; f < nin; f++)
            meta[low + s * nin + f] = fn[f]->low[s];
    for (uint32_t s = 0; s < q->pages; s++)
        for (uint32_t f = 0; f <= nin; f++)
            meta[page + s * (nin + 1) + f] = fn[f]->page[s];
    for (uint32_t s = 0; s < steps; s++)
        meta[stale + s] = q->invalid[s];
    *nmeta = end;
    *table = t;
    *ntable = (size_t)(at - t);
    return YK_OK;
}
