/* The performance model: cached arithmetic intensity (ICS'08, Eq. 6) and the time that follows from it (Eq. 5), with
 * what devices have gained since: second-level caches, and registers that hold a tile. */
#include <math.h>
#include "kernels/cache/cache.h"

static double table_cells(const struct yk_cache_bucket *b, uint32_t t)
{
    double cells = 1;
    for (uint32_t v = 0; v < b->nvars; v++)
        cells *= b->stride[t][v] ? b->domain[v] : 1;
    return cells;
}

/* Different lines of LINE cells that the first warp touches in table T in one access, and different cells. */
static void warp_access(const struct yk_cache_plan *p, uint32_t t, uint32_t line, double *lines, double *cells)
{
    int32_t at[32];
    uint32_t n = p->lanes < 32 ? p->lanes : 32, different = 0, different_lines = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t rest = i;
        at[i] = 0;
        for (uint32_t k = 0; k < p->roles.lane.n; k++) {
            const struct yk_cache_digit *d = &p->roles.lane.digit[k];
            at[i] += (int32_t)(rest % d->extent) * d->stride[t];
            rest /= d->extent;
        }
        bool cell = true, in_line = true;
        for (uint32_t k = 0; k < i; k++) {
            cell = cell && at[k] != at[i];
            in_line = in_line && at[k] / (int32_t)line != at[i] / (int32_t)line;
        }
        different += cell;
        different_lines += in_line;
    }
    *lines = different_lines;
    *cells = different;
}

void yk_cache_predict(struct yk_cache_plan *p, const struct yk_cache_bucket *b, const struct yk_cache_device *d)
{
    const struct yk_cache_roles *r = &p->roles;
    const double ra = r->a.extent, rb = r->b.extent, cell = p->cell, warp = 32, line = 128 / cell;
    const double blocks = p->blocks, steps = (double)p->pages * p->chunks, sums = (double)p->lows * p->chunks;
    const double warps = ceil(p->lanes / warp), turns = blocks * steps * p->lows * warps; /* warps' summation steps */
    double outputs = table_cells(b, p->nin), reads = 0, misses = 0, rate = 0, moved = outputs;
    double waits = 0, wavefronts = 0, instructions = 2 + ra * rb, products_a = 0, products_b = 0, traffic = 0,
           again = 0;
    p->fill_cells = 0;
    for (uint32_t f = 0; f < p->nin; f++) {
        struct yk_cache_function *in = &p->input[f];
        double tile = (in->on_a ? ra : 1) * (in->on_b ? rb : 1), lines, cells, table = table_cells(b, f);
        /* A segment is filled anew with every step from the first digit on that it depends on. */
        double page_steps = 1;
        bool same = true;
        for (uint32_t i = 0; i < r->chunk.n + r->page.n; i++) {
            const struct yk_cache_digit *g = i < r->chunk.n ? &r->chunk.digit[i] : &r->page.digit[i - r->chunk.n];
            same = same && !g->stride[f];
            page_steps *= same ? 1 : g->extent;
        }
        double fills = blocks * page_steps * in->cells, f_reads = outputs * sums * tile / (ra * rb);
        warp_access(p, f, (uint32_t)line, &lines, &cells);
        reads += f_reads;
        if (in->cached) {
            p->fill_cells += fills;
            misses += fills;
            rate += fills / (outputs * sums);
            wavefronts += turns * tile * ceil(cells / line) + fills / warp * (2 + 3 * cell / 4);
        } else {
            misses += f_reads;
            rate += f_reads / (outputs * sums);
            wavefronts += turns * tile * fmax(lines, ceil(cells / line));
            instructions += 2 * tile; /* addresses */
        }
        /* What a hardware cache misses at least: each block reads its part of the table once. */
        traffic += fills;
        if (in->cached) { /* and where each cell comes from and goes to; four loads of a thread are under way at once */
            traffic += fills * 8 / cell;
            waits += page_steps * ceil(in->cells / (4.0 * p->lanes)) * 0.3e-6;
        }
        if (table * cell > 32e6)
            again += 0.5 * (fills - table); /* the other half meets in the first or second level */
        moved += table;
        instructions += tile + 2;
        if (in->on_a && in->on_b)
            instructions += ra * rb;
        else if (in->on_b)
            products_b += rb;
        else
            products_a += in->on_a ? ra : 1;
    }
    instructions += fmax(0, products_a - ra) + fmax(0, products_b - rb);
    p->hit_rate = reads > 0 ? 1 - misses / reads : 1;
    p->intensity = (p->nin - 1 / sums) / (rate + 1 / sums);

    /* Stores in runs: each starts and ends inside a sector of 32 bytes. */
    double run = 1;
    for (uint32_t k = 0; k < r->lane.n && r->lane.digit[k].stride[p->nin] == (int32_t)run; k++)
        run *= r->lane.digit[k].extent;
    traffic += outputs * (1 + 24 / (run * cell));
    double per_thread = 24 + (ra * rb + ra + rb + p->nin) * cell / 4;
    double resident = fmin(d->threads, 65536 / per_thread), of_block = warps * warp;
    if (p->local_cells)
        resident = fmin(resident, floor(d->local_unit / (p->local_cells * cell + 1024)) * of_block);
    resident = fmin(fmax(resident, of_block), blocks * of_block / d->units);
    double busy = fmin(1, resident * fmin(4, sqrt(ra * rb)) / 1536) * p->lanes / of_block;
    double threads_turn = turns * warp, issue = d->local_bytes; /* 128 threads' instructions where 128 bytes go */
    double t_issue =
        (threads_turn * instructions + blocks * of_block * (p->pages * (20 + 4 * ra * rb) + 60) + p->fill_cells * 8) /
        issue;
    double multiply = threads_turn * ra * rb * fmax(1, 1 + (double)0), t_flops = multiply * 2 / d->flops;
    double t_local = wavefronts * 128 / d->local_bytes;
    double inside = fmax(fmax(t_issue, t_flops), t_local) / fmax(busy, 0.02);
    double outside = fmax((moved + fmax(0, again)) * cell / d->bytes, traffic * cell / d->inner_bytes);
    double wave = blocks * of_block / (d->units * fmax(resident, 1));
    /* A page is filled between two barriers: what a block waits for there, only other blocks can hide. The factor and
     * the time of a load were fitted to random buckets on an H200. */
    const double filled = p->local_cells ? 1.8 : 1, together = fmax(1, resident / of_block);
    p->seconds =
        filled * fmax(inside, outside / fmin(1, fmax(resident / 512, 0.05))) * (wave > 1 ? ceil(wave) / wave : 1) +
        blocks * waits / (d->units * together) + 3e-6;
}
