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
    uint32_t n = p->lanes < 32 ? p->lanes : 32, different = 1, different_lines = 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t rest = i, k = i;
        int32_t cell = 0;
        for (uint32_t d = 0; d < p->roles.lane.n && rest; d++) {
            cell += (int32_t)(rest % p->roles.lane.digit[d].extent) * p->roles.lane.digit[d].stride[t];
            rest /= p->roles.lane.digit[d].extent;
        }
        for (; k > 0 && at[k - 1] > cell; k--) /* in order, which most are already */
            at[k] = at[k - 1];
        at[k] = cell;
    }
    for (uint32_t i = 1; i < n; i++) {
        different += at[i] != at[i - 1];
        different_lines += at[i] / (int32_t)line != at[i - 1] / (int32_t)line;
    }
    *lines = different_lines;
    *cells = different;
}

double yk_cache_resident(const struct yk_cache_plan *p, const struct yk_cache_device *d)
{
    const double ra = p->roles.a.extent, rb = p->roles.b.extent, cell = p->cell, of_block = ceil(p->lanes / 32.0) * 32;
    double registers = 24 + (ra * rb + ra + rb + p->nin) * cell / 4;
    double blocks = floor(fmin(d->threads, 65536 / registers) / of_block);
    if (p->local_cells)
        blocks = fmin(blocks, floor(d->local_unit / (p->local_cells * cell + 1024)));
    return fmax(blocks, 1) * of_block;
}

double yk_cache_fills(const struct yk_cache_plan *p, uint32_t f)
{
    const struct yk_cache_roles *r = &p->roles;
    double fills = 1;
    bool same = true; /* anew with every step from the first digit on that it depends on */
    for (uint32_t i = 0; i < r->chunk.n + r->page.n; i++) {
        const struct yk_cache_digit *g = i < r->chunk.n ? &r->chunk.digit[i] : &r->page.digit[i - r->chunk.n];
        same = same && !g->stride[f];
        fills *= same ? 1 : g->extent;
    }
    return fills;
}

/* Share of the uncached reads that the first-level cache does not hold until it is read again: what a
 * multiprocessor's blocks go through in one step against what their scratchpads leave of it. */
static double missed(const struct yk_cache_plan *p, const struct yk_cache_device *d, double blocks)
{
    double bytes = 0, left = d->local_unit - blocks * p->local_cells * p->cell;
    for (uint32_t f = 0; f < p->nin; f++)
        bytes += p->input[f].cached ? 0 : blocks * p->input[f].cells * p->cell;
    left = fmax(left, 16384);
    return bytes > left ? 1 - left / bytes : 0;
}

/* Fitted to plans of random buckets on an H200 (bench/cache_fit), half of them with a cache: in double 475 of 31
 * buckets, in float 685 of 45; these foretell them within a factor of 1.23 on average, ten other buckets' in float
 * within 1.27. */
static const struct rates {
    double issued,        /* instructions for each that is counted, */
        issued_cached,    /* or, of a kernel with a cache, */
        uncached, cached, /* and for each load */
        local, global,    /* cycles of a wavefront of loads from the scratchpad, from the tables */
        filled,           /* cycles that filling takes for each 32 cells, */
        copy_wait,        /* and seconds that a block waits for all of one table where copies go on by themselves; */
        inner,            /* what the second-level cache does of its rate as it is estimated */
        partly,           /* bytes moved for each of a sector that is written in part */
        missed_inner, missed, /* and for each that was not kept */
        resident;             /* threads that keep a multiprocessor's memory busy */
} rates[2] = {{2.4, 0.79, 0.5, 0.4, 0.63, 0.9, 27, 0.4e-6, 1.15, 3, 0.97, 0.86, 470},
              {2.45, 1.47, 0.13, 1.25, 0.52, 0.69, 25, 0.27e-6, 1.11, 3.2, 1, 0.86, 500}};
static const double FILL_WAIT = 0.64e-6, /* seconds that a block waits for each four loads of a thread, */
    STEP_WAIT = 0.2e-6,                  /* and for each step where they go on ahead */
    LAUNCH = 5.2e-6, INNER_BYTES = 32e6, SECTOR = 32;

void yk_cache_predict(struct yk_cache_plan *p, const struct yk_cache_bucket *b, const struct yk_cache_device *d)
{
    const struct yk_cache_roles *r = &p->roles;
    const struct rates *rate_of = &rates[p->cell == 4];
    const double ra = r->a.extent, rb = r->b.extent, cell = p->cell, warp = 32, line = 128 / cell;
    const double blocks = p->blocks, steps = (double)p->pages * p->chunks, sums = (double)p->lows * p->chunks;
    const double warps = ceil(p->lanes / warp), turns = blocks * steps * p->lows * warps; /* warps' summation steps */
    const double of_block = warps * warp, resident = fmin(yk_cache_resident(p, d), blocks / d->units * of_block);
    const double together = fmax(1, resident / of_block);
    double outputs = table_cells(b, p->nin), reads = 0, misses = 0, rate = 0, moved = outputs, waits = 0;
    double wavefronts = 0, products_a = 0, products_b = 0, traffic = 0, again = 0;
    const double miss = missed(p, d, together);
    double counted = 2 + ra * rb, loads = 0; /* instructions of a summation step; with what addresses take */
    p->fill_cells = 0;
    for (uint32_t f = 0; f < p->nin; f++) {
        struct yk_cache_function *in = &p->input[f];
        double tile = (in->on_a ? ra : 1) * (in->on_b ? rb : 1), lines, cells, sectors;
        const double page_steps = yk_cache_fills(p, f);
        double fills = blocks * page_steps * in->cells, f_reads = outputs * sums * tile / (ra * rb);
        warp_access(p, f, (uint32_t)line, &lines, &cells);
        warp_access(p, f, (uint32_t)(SECTOR / cell), &sectors, &cells);
        reads += f_reads;
        traffic += fills * cell; /* each block reads its part of the table once, */
        if (in->cached) {
            const double wide = in->wide, each = ceil(tile / wide);

            p->fill_cells += fills;
            misses += fills;
            rate += fills / (outputs * sums);
            wavefronts += turns * each * ceil(cells * wide / line) * rate_of->local + fills / warp * rate_of->filled;
            waits += d->async ? (p->ahead ? 1 : page_steps) * rate_of->copy_wait
                              : page_steps * ceil(in->cells / (4.0 * p->lanes)) * FILL_WAIT;
            loads += each * rate_of->cached;
            counted += each + 2;
        } else {
            misses += f_reads;
            rate += f_reads / (outputs * sums);
            wavefronts += turns * tile * fmax(lines, ceil(cells / line)) * rate_of->global;
            counted += 3 * tile + 2; /* with addresses */
            loads += tile * rate_of->uncached;
            /* What the first level does not keep is read again, in whole sectors. */
            again += miss * fmax(0, turns * tile * sectors * SECTOR - fills * cell);
        }
        moved += table_cells(b, f);
        if (in->on_a && in->on_b)
            counted += ra * rb;
        else if (in->on_b)
            products_b += rb;
        else
            products_a += in->on_a ? ra : 1;
    }
    waits += p->ahead ? (steps - 1) * STEP_WAIT : 0;
    counted += fmax(0, products_a - ra) + fmax(0, products_b - rb);
    p->hit_rate = reads > 0 ? 1 - misses / reads : 1;
    p->intensity = (p->nin - 1 / sums) / (rate + 1 / sums);

    /* Stores in runs: of one that is no multiple of a sector both ends are written in part. */
    double run = 1;
    for (uint32_t k = 0; k < r->lane.n && r->lane.digit[k].stride[p->nin] == (int32_t)run; k++)
        run *= r->lane.digit[k].extent;
    const double parts = fmod(run * cell, SECTOR) > 0 ? outputs / run * SECTOR * rate_of->partly : 0;
    traffic += outputs * cell + again * rate_of->missed_inner + parts;
    moved *= cell;
    moved += (moved > 3 * INNER_BYTES ? again * rate_of->missed : 0) + (outputs * cell > INNER_BYTES ? parts : 0);
    const double cycles =
        d->local_bytes / 128; /* a second, of all multiprocessors: each issues four warps' instructions */
    double t_issue = (turns * (counted * (p->local_cells ? rate_of->issued_cached : rate_of->issued) + loads) +
                      blocks * warps * (p->pages * (20 + 4 * ra * rb) + 60)) /
                     (4 * cycles);
    double t_flops = turns * warp * ra * rb * 2 / d->flops, t_reads = wavefronts / cycles;
    double outside = fmax(moved / d->bytes, traffic / (rate_of->inner * d->inner_bytes)) /
                     fmin(1, fmax(pow(resident / rate_of->resident, 1.35), 0.05));
    /* What overlaps does not do so wholly. */
    double all = sqrt(sqrt(pow(t_issue, 4) + pow(t_flops, 4) + pow(t_reads, 4)) + outside * outside);
    double wave = blocks * of_block / (d->units * fmax(resident, 1));
    p->seconds = all * (wave > 1 ? ceil(wave) / wave : 1) + blocks * waits / (d->units * together) + LAUNCH;
}
