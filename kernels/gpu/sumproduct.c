/* A bucket on a device: as loops, cut where its sums must be spread over threads, planned, launched. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "kernels/cpu/canon.h"
#include "kernels/gpu/backend.h"
#include "kernels/gpu/flatten.h"

/* Below this many outputs threads would idle; then summed variables join the output for a first pass. */
static const double FEW_OUTPUTS = 1 << 15;
enum { FEW_SUMS = 64 };

struct pass {
    struct yk_cache_bucket b;
    uint32_t input[YK_CACHE_INPUTS]; /* of the bucket */
    struct yk_cache_plan plan;
    struct yk_gpu_options o;
    bool software;
};

/* B as loops. Inputs of one cell take part like the others: their strides are 0. */
static yk_status loops(const struct yk_bucket *b, struct pass *p)
{
    struct yk_canon c;
    if (b->ninputs > YK_CACHE_INPUTS)
        return YK_ELIMIT;
    yk_status st = yk_canon_init(&c, b);
    if (st != YK_OK)
        return st;
    memset(&p->b, 0, sizeof p->b);
    p->b.nvars = c.rank;
    p->b.nout = c.nout;
    p->b.nin = b->ninputs;
    for (uint32_t v = 0; v < c.rank; v++) {
        if (c.domain[v] > INT32_MAX)
            st = YK_ELIMIT;
        p->b.domain[v] = (uint32_t)c.domain[v];
    }
    for (uint32_t t = 0; t < b->ninputs; t++) {
        p->input[t] = c.input[t];
        if (b->input[t].cells > INT32_MAX)
            st = YK_ELIMIT;
    }
    if (b->out.cells > INT32_MAX)
        st = YK_ELIMIT;
    for (uint32_t t = 0; t <= c.nin && st == YK_OK; t++)
        for (uint32_t v = 0; v < c.rank; v++)
            p->b.stride[t < c.nin ? t : p->b.nin][v] = (int32_t)yk_canon_stride(&c, t)[v];
    yk_canon_finish(&c);
    return st;
}

static double product(const struct yk_cache_bucket *b, uint32_t from, uint32_t to)
{
    double n = 1;
    for (uint32_t v = from; v < to; v++)
        n *= b->domain[v];
    return n;
}

static uint32_t divisor_from(uint32_t n, double least)
{
    for (uint32_t d = 2; d < 4096 && d < n; d++)
        if (n % d == 0 && d >= least)
            return d;
    return n;
}

/* Move summed digits to the front of the output until there is work for all threads. *SECOND: what remains to be done
 * with the output of the first pass (one input), *CELLS its size; false: nothing to move. */
static bool spread(struct yk_cache_bucket *b, struct yk_cache_bucket *second, size_t *cells)
{
    double outputs = product(b, 0, b->nout), sums = product(b, b->nout, b->nvars);
    if (outputs >= FEW_OUTPUTS || sums < FEW_SUMS)
        return false;
    memset(second, 0, sizeof *second);
    second->nin = 1;
    second->nout = second->nvars = b->nout;
    for (uint32_t v = 0; v < b->nout; v++) {
        second->domain[v] = b->domain[v];
        second->stride[0][v] = second->stride[1][v] = b->stride[b->nin][v];
    }
    int32_t step = (int32_t)outputs;
    uint32_t moved = 0;
    while (step < 2 * FEW_OUTPUTS && sums / moved >= 2 * 16 && b->nvars < YK_CACHE_VARS &&
           second->nvars < YK_CACHE_VARS) {
        if (b->nout == b->nvars)
            break;
        /* A slow part of the first summed variable, or all of it. */
        uint32_t v = b->nout, n = b->domain[v];
        uint32_t take = divisor_from(n, fmin(2 * FEW_OUTPUTS / step, sums / 16));
        if ((double)step * take > 0x1p27)
            break;
        sums /= take;
        if (take < n) { /* V becomes the part that stays summed, a new variable 0 the part that moves */
            b->domain[v] = n / take;
            memmove(b->domain + 1, b->domain, b->nvars * sizeof *b->domain);
            for (uint32_t t = 0; t <= b->nin; t++) {
                memmove(b->stride[t] + 1, b->stride[t], b->nvars * sizeof **b->stride);
                b->stride[t][0] = b->stride[t][v + 1] * (int32_t)(n / take);
            }
            b->nvars++;
        } else {
            int32_t stride[YK_CACHE_TABLES];
            for (uint32_t t = 0; t <= b->nin; t++) {
                stride[t] = b->stride[t][v];
                memmove(b->stride[t] + 1, b->stride[t], v * sizeof **b->stride);
                b->stride[t][0] = stride[t];
            }
            memmove(b->domain + 1, b->domain, v * sizeof *b->domain);
        }
        b->domain[0] = take;
        b->stride[b->nin][0] = step;
        b->nout++;
        second->domain[second->nvars] = take;
        second->stride[0][second->nvars] = step;
        second->nvars++;
        step *= (int32_t)take;
        moved = 1;
    }
    *cells = (size_t)step;
    return moved;
}

static struct yk_cache_options options_of(const struct pass *p, bool software)
{
    return (struct yk_cache_options){.cell = p->o.single ? 4 : 8,
                                     .policy = !software       ? YK_CACHE_NONE
                                               : p->o.smallest ? YK_CACHE_SMALLEST
                                                               : YK_CACHE_LIFETIME,
                                     .no_tile = p->o.no_tile,
                                     .threads = p->o.threads,
                                     .pages = p->o.pages,
                                     .local = p->o.local,
                                     .trial = p->o.trial};
}

/* The better of software cache and none, or the one asked for. */
static yk_status search(struct yk_gpu *g, struct pass *p)
{
    const bool best = p->o.path == YK_GPU_BEST;
    const struct yk_cache_device *d = &g->shape[p->o.single];
    struct yk_cache_options co = options_of(p, p->software = best || p->o.path == YK_GPU_SOFTWARE);
    struct yk_cache_plan other;
    yk_status st = yk_cache_plan_init(&p->plan, &p->b, d, &co);
    if (st != YK_OK || !best)
        return st;
    co = options_of(p, false);
    if (yk_cache_plan_init(&other, &p->b, d, &co) != YK_OK)
        return YK_OK;
    if (other.seconds <= p->plan.seconds) {
        struct yk_cache_plan software = p->plan;
        p->plan = other;
        other = software;
        p->software = false;
    }
    yk_cache_plan_finish(&other);
    return YK_OK;
}

static yk_status plan(struct yk_gpu *g, struct pass *p)
{
    const struct yk_cache_device *d = &g->shape[p->o.single];
    struct yk_cache_options co = options_of(p, p->o.path == YK_GPU_SOFTWARE);
    if (p->o.trial)
        return search(g, p);
    /* BEST is no policy of the cache: in the key it stands for itself. */
    co.policy = p->o.path == YK_GPU_BEST ? (enum yk_cache_policy)(YK_CACHE_NONE + 1 + p->o.smallest) : co.policy;
    struct yk_gpu_choice c = {.key = yk_gpu_memo_key(&p->b, d, &co)};
    const struct yk_gpu_choice *known = yk_gpu_memo_get(&g->memo, c.key);
    if (known) {
        co = options_of(p, p->software = known->software);
        return yk_cache_plan_again(&p->plan, &p->b, d, &co, &known->cut);
    }
    yk_status st = search(g, p);
    if (st == YK_OK) {
        c.software = p->software;
        c.cut = p->plan.taken;
        yk_gpu_memo_put(&g->memo, &c);
    }
    return st;
}

static yk_status kernel_for(struct yk_gpu *g, const struct pass *p, void **kernel, double *seconds)
{
    const struct yk_cache_plan *q = &p->plan;
    unsigned a = 0, b = 0, cached = 0;
    char options[400];
    for (uint32_t f = 0; f < q->nin; f++) {
        a |= (unsigned)q->input[f].on_a << f;
        b |= (unsigned)q->input[f].on_b << f;
        cached |= (unsigned)q->input[f].cached << f;
    }
    int n = snprintf(options, sizeof options,
                     "-DREAL=%s -DDOUBLE=%d -DLOG=%d -DNATIVE=%d -DTEXTURE=%d -DUNROLL=%u -DMETA_INTS=%d",
                     p->o.single ? "float" : "double", !p->o.single, p->o.log, p->o.native && p->o.single,
                     p->o.path == YK_GPU_TEXTURE, p->o.unroll ? p->o.unroll : 2, YK_GPU_META);
    snprintf(options + n, sizeof options - (size_t)n,
             " -DNIN=%u -DRA=%u -DRB=%u -DON_A=%uu -DON_B=%uu -DCACHED=%uu -DAHEAD=%d", q->nin, q->roles.a.extent,
             q->roles.b.extent, a, b, cached, q->ahead);
    /* What looks everything up is about that many times slower. */
    static const double GENERIC = 8;
    if (p->o.generic || (p->o.lazy && !yk_gpu_kernel_worth(g, yk_gpu_text_sumproduct, "sumproduct", options,
                                                           (GENERIC - 1) * q->seconds)))
        snprintf(options + n, sizeof options - (size_t)n, " -DGENERIC -DAHEAD=%d", p->o.generic && q->ahead);
    return yk_gpu_kernel_get(g, yk_gpu_text_sumproduct, "sumproduct", options, kernel, seconds);
}

static void note(struct yk_gpu_report *r, const struct pass *p, double seconds)
{
    const struct yk_cache_plan *q = &p->plan;
    r->measured += seconds;
    if (r->launches++)
        return; /* the first pass is the large one */
    r->software = p->software;
    for (uint32_t f = 0; f < q->nin; f++)
        r->cached += q->input[f].cached;
    r->lanes = q->lanes;
    r->tile = q->roles.a.extent * q->roles.b.extent;
    r->pages = q->pages;
    r->chunks = q->chunks;
    r->hit_rate = q->hit_rate;
    r->intensity = q->intensity;
}

static yk_status launch(struct yk_gpu *g, const struct pass *p, const yk_gpu_memory *in, const size_t *cells,
                        yk_gpu_memory out, struct yk_gpu_report *r)
{
    const struct yk_cache_plan *q = &p->plan;
    int32_t meta[YK_GPU_META], *table = NULL;
    size_t ntable;
    struct yk_gpu_launch l = {.meta = meta,
                              .out = out,
                              .blocks = q->blocks,
                              .threads = (q->lanes + 31) / 32 * 32,
                              .local_bytes = q->local_cells ? (size_t)q->local_cells * q->cell : 8,
                              .texture = p->o.path == YK_GPU_TEXTURE,
                              .single = p->o.single};
    /* Few different sizes: some drivers compile for each anew. */
    while (g->host_memory && l.threads & (l.threads - 1))
        l.threads += 32;
    for (uint32_t i = 0; i < YK_CACHE_INPUTS; i++) {
        l.in[i] = in[i < q->nin ? i : 0];
        l.in_cells[i] = cells[i < q->nin ? i : 0];
    }
    double seconds = 0;
    yk_status st = kernel_for(g, p, &l.kernel, &r->build);
    if (st == YK_OK)
        st = yk_gpu_flatten(q, l.threads, meta, &l.nmeta, &table, &ntable);
    if (st == YK_OK)
        st = yk_gpu_alloc(g, ntable * sizeof *table, &l.table);
    if (st == YK_OK)
        st = yk_gpu_write(g, l.table, table, ntable * sizeof *table);
    if (st == YK_OK)
        st = g->ops->launch(g, &l, &seconds);
    if (st == YK_OK)
        note(r, p, seconds);
    yk_gpu_free(g, l.table);
    free(table);
    return st;
}

static yk_status check(struct yk_gpu *g, const struct yk_bucket *b, const struct yk_gpu_options *o)
{
    if (!o->single && !g->has_double)
        return YK_ELIMIT;
    for (uint32_t i = 0; i < b->ninputs; i++)
        if (o->path == YK_GPU_TEXTURE && (b->input[i].cells > g->image_cells || (!o->single && !g->image_double)))
            return YK_ELIMIT;
    return YK_OK;
}

yk_status yk_gpu_sumproduct(struct yk_gpu *g, const struct yk_bucket *b, const yk_gpu_memory *in, yk_gpu_memory out,
                            const struct yk_gpu_options *o, struct yk_gpu_report *report)
{
    struct pass p = {.o = *o};
    struct yk_gpu_report r = {0};
    struct yk_cache_bucket second;
    yk_gpu_memory from[YK_CACHE_INPUTS], between = 0;
    size_t cells[YK_CACHE_INPUTS], spread_cells = 0;
    yk_status st = check(g, b, o);
    if (st == YK_OK)
        st = loops(b, &p);
    if (st != YK_OK)
        return st;
    for (uint32_t t = 0; t < b->ninputs; t++) {
        from[t] = in[p.input[t]];
        cells[t] = b->input[p.input[t]].cells;
    }
    for (bool more = true; more && st == YK_OK;) {
        yk_gpu_memory to = out, last = between;
        uint64_t start = yk_now_ns();
        more = spread(&p.b, &second, &spread_cells);
        if (more)
            st = yk_gpu_alloc(g, spread_cells * (o->single ? 4 : 8), &to);
        if (st == YK_OK)
            st = plan(g, &p);
        r.plan += (double)(yk_now_ns() - start) * 1e-9;
        if (st == YK_OK) {
            r.predicted += p.plan.seconds;
            st = launch(g, &p, from, cells, to, &r);
            yk_cache_plan_finish(&p.plan);
        }
        yk_gpu_free(g, last);
        between = more ? to : 0;
        p.b = second;
        from[0] = to;
        cells[0] = spread_cells;
    }
    yk_gpu_free(g, between);
    if (report)
        *report = r;
    return st;
}

double yk_gpu_predict(struct yk_gpu *g, const struct yk_bucket *b, const struct yk_gpu_options *o)
{
    struct pass p = {.o = *o};
    struct yk_cache_bucket second;
    size_t cells;
    double seconds = 0;
    if (check(g, b, o) != YK_OK || loops(b, &p) != YK_OK)
        return INFINITY;
    for (bool more = true; more;) {
        more = spread(&p.b, &second, &cells);
        if (plan(g, &p) != YK_OK)
            return INFINITY;
        seconds += p.plan.seconds + g->launch_seconds;
        yk_cache_plan_finish(&p.plan);
        p.b = second;
    }
    return seconds;
}
