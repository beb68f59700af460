/* Body of yk_stream_*: included once per value type and arithmetic with REAL, NAME, LOG defined. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/cpu/stream.h"
#include "kernels/cpu/stream_shape.h"

/* p[j] = (first ? value : p[j] * value) for table T of one summation step; a sum of logarithms if LOG. */
static void multiply(REAL *restrict p, const REAL *restrict v, const int32_t *restrict off, enum yk_lane_kind kind,
                     uint32_t n, int first)
{
#if LOG
#define JOIN(a, b) ((a) + (b))
#else
#define JOIN(a, b) ((a) * (b))
#endif
    switch (kind) {
    case YK_LANE_SAME:
        for (uint32_t j = 0; j < n; j++)
            p[j] = first ? *v : JOIN(p[j], *v);
        break;
    case YK_LANE_RUN:
        for (uint32_t j = 0; j < n; j++)
            p[j] = first ? v[j] : JOIN(p[j], v[j]);
        break;
    case YK_LANE_ANY:
        for (uint32_t j = 0; j < n; j++)
            p[j] = first ? v[off[j]] : JOIN(p[j], v[off[j]]);
        break;
    }
#undef JOIN
}

struct walk {
    const struct yk_canon *c;
    const struct yk_stream_shape *s;
    const REAL **at; /* [nin] */
    uint64_t state[YK_BUCKET_MAX_RANK];
};

/* Move to the next of the summation steps; false after the last, then back at the first. */
static int step(struct walk *w)
{
    const struct yk_stream_shape *s = w->s;
    for (uint32_t i = s->ninner; i-- > 0;) {
        uint32_t var = s->inner_var[i];
        int64_t by = var == s->cut ? s->chunk : 1;
        if (++w->state[i] < s->inner[i]) {
            for (uint32_t t = 0; t < w->c->nin; t++)
                w->at[t] += by * yk_canon_stride(w->c, t)[var];
            return 1;
        }
        for (uint32_t t = 0; t < w->c->nin; t++)
            w->at[t] -= by * (int64_t)(s->inner[i] - 1) * yk_canon_stride(w->c, t)[var];
        w->state[i] = 0;
    }
    return 0;
}

/* Lanes of the present summation step: fewer at the ragged end of a cut summed variable. */
static uint32_t lanes_now(const struct walk *w, uint32_t full)
{
    const struct yk_stream_shape *s = w->s;
    if (!s->sum_lanes || s->cut == UINT32_MAX)
        return full;
    for (uint32_t i = 0; i < s->ninner; i++)
        if (s->inner_var[i] == s->cut && w->state[i] == s->inner[i] - 1)
            return (uint32_t)(w->c->domain[s->cut] - w->state[i] * s->chunk) * s->run;
    return full;
}

static void product(const struct walk *w, REAL *restrict p, uint32_t n)
{
    const struct yk_stream_shape *s = w->s;
    for (uint32_t t = 0; t < w->c->nin; t++)
        multiply(p, w->at[t], s->lane_offset + (size_t)t * s->lanes, s->kind[t], n, t == 0);
    if (!w->c->nin)
        for (uint32_t j = 0; j < n; j++)
            p[j] = LOG ? 0 : 1;
}

/* The sums of one block into ACC[n]. */
static void block(struct walk *w, REAL *restrict acc, REAL *restrict p, uint32_t full)
{
#if LOG
    REAL max[YK_LANES];
    for (uint32_t j = 0; j < full; j++)
        max[j] = -INFINITY;
    do {
        uint32_t n = lanes_now(w, full);
        product(w, p, n);
        for (uint32_t j = 0; j < n; j++)
            max[j] = p[j] > max[j] ? p[j] : max[j];
    } while (step(w));
    if (w->s->sum_lanes)
        for (uint32_t j = 1; j < full; j++)
            max[0] = max[j] > max[0] ? max[j] : max[0];
    for (uint32_t j = 0; j < full; j++) {
        acc[j] = 0;
        if (w->s->sum_lanes)
            max[j] = max[0];
    }
    do {
        uint32_t n = lanes_now(w, full);
        product(w, p, n);
        for (uint32_t j = 0; j < n; j++)
            acc[j] += p[j] > -INFINITY ? exp2(p[j] - max[j]) : 0;
    } while (step(w));
    if (w->s->sum_lanes)
        for (uint32_t j = 1; j < full; j++)
            acc[0] += acc[j];
    for (uint32_t j = 0; j < (w->s->sum_lanes ? 1 : full); j++)
        acc[j] = acc[j] > 0 ? max[j] + log2(acc[j]) : -INFINITY;
#else
    for (uint32_t j = 0; j < full; j++)
        acc[j] = 0;
    do {
        uint32_t n = lanes_now(w, full);
        product(w, p, n);
        for (uint32_t j = 0; j < n; j++)
            acc[j] += p[j];
    } while (step(w));
    if (w->s->sum_lanes)
        for (uint32_t j = 1; j < full; j++)
            acc[0] += acc[j];
#endif
}

static void blocks(const struct yk_canon *c, const struct yk_stream_shape *s, const REAL *const *in, const REAL **at,
                   REAL scale, REAL *out, uint64_t from, uint64_t to)
{
    struct walk w = {.c = c, .s = s, .at = at};
    REAL acc[YK_LANES], p[YK_LANES];
    for (uint64_t b = from; b < to; b++) {
        uint64_t rest = b;
        uint32_t n = s->lanes;
        int64_t to_out = 0;
        for (uint32_t t = 0; t < c->nin; t++)
            at[t] = in[c->input[t]];
        for (uint32_t i = s->nouter; i-- > 0;) {
            uint32_t var = s->outer_var[i];
            int64_t x = (int64_t)(rest % s->outer[i]);
            rest /= s->outer[i];
            if (var == s->cut) {
                x *= s->chunk;
                uint64_t left = c->domain[var] - (uint64_t)x;
                n = (uint32_t)(left < s->chunk ? left : s->chunk) * s->run;
            }
            for (uint32_t t = 0; t < c->nin; t++)
                at[t] += x * yk_canon_stride(c, t)[var];
            to_out += x * yk_canon_stride(c, c->nin)[var];
        }
        block(&w, acc, p, n);
        for (uint32_t j = 0; j < (s->sum_lanes ? 1 : n); j++)
            out[to_out + j] = LOG ? acc[j] + scale : acc[j] * scale;
    }
}

yk_status NAME(const struct yk_canon *c, const REAL *const *in, REAL *out, int threads)
{
    struct yk_stream_shape s;
    yk_status status = yk_stream_shape_init(&s, c);
    if (status != YK_OK)
        return status;
    REAL scale = LOG ? 0 : 1;
    for (uint32_t i = 0; i < c->nscalar; i++)
        scale = LOG ? scale + in[c->input[c->nin + i]][0] : scale * in[c->input[c->nin + i]][0];
    if ((uint64_t)threads > s.nblocks)
        threads = (int)s.nblocks;
    const REAL **at = malloc((c->nin + 8) * (size_t)threads * sizeof *at);
    if (!at) {
        yk_stream_shape_finish(&s);
        return YK_ENOMEM;
    }
    /* Consecutive blocks to one thread: cache lines of the output are shared at most at the seams. */
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
    for (int i = 0; i < threads; i++) {
        uint64_t n = s.nblocks, k = (uint64_t)threads, per = n / k, more = n % k, u = (uint64_t)i;
        uint64_t from = u * per + (u < more ? u : more);
        blocks(c, &s, in, at + (c->nin + 8) * u, scale, out, from, from + per + (u < more));
    }
    free(at);
    yk_stream_shape_finish(&s);
    return YK_OK;
}
