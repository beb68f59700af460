#include <stdlib.h>
#include <string.h>
#include "kernels/cpu/stream_shape.h"

/* Below this many lanes a block is too short to be worth its loop. */
static const uint64_t FEW_LANES = 32;

static uint64_t lanes_possible(const struct yk_canon *c, uint32_t first, uint32_t end)
{
    uint64_t n = 1;
    while (end-- > first && n < YK_LANES)
        n *= c->domain[end];
    return n;
}

static void tabulate(struct yk_stream_shape *s, const struct yk_canon *c, uint32_t first, uint32_t end)
{
    for (uint32_t t = 0; t < c->nin; t++) {
        const int64_t *stride = yk_canon_stride(c, t);
        int32_t *to = s->lane_offset + (size_t)t * s->lanes;
        bool same = true, run = true;
        for (uint32_t j = 0; j < s->lanes; j++) {
            uint64_t rest = j;
            int64_t at = 0;
            for (uint32_t v = end; v-- > first && rest;) {
                at += (int64_t)(rest % c->domain[v]) * stride[v];
                rest /= c->domain[v];
            }
            same &= at == 0;
            run &= at == j;
            to[j] = (int32_t)at;
            if (at > INT32_MAX)
                to[j] = -1; /* found by the caller: too far apart for a tabled offset */
        }
        s->kind[t] = same ? YK_LANE_SAME : run ? YK_LANE_RUN : YK_LANE_ANY;
    }
}

static bool offsets_fit(const struct yk_stream_shape *s, const struct yk_canon *c)
{
    for (size_t i = 0; i < (size_t)c->nin * s->lanes; i++)
        if (s->lane_offset[i] < 0)
            return false;
    return true;
}

static void shape(struct yk_stream_shape *s, const struct yk_canon *c, uint64_t most)
{
    uint64_t out = lanes_possible(c, 0, c->nout), sum = lanes_possible(c, c->nout, c->rank);
    s->sum_lanes = out < FEW_LANES && sum > out;
    uint32_t first = s->sum_lanes ? c->nout : 0, end = s->sum_lanes ? c->rank : c->nout, v = end;
    uint64_t lanes = 1;
    while (v > first && lanes * c->domain[v - 1] <= most)
        lanes *= c->domain[--v];
    s->cut = UINT32_MAX;
    s->run = (uint32_t)lanes;
    s->chunk = 1;
    if (v > first && lanes * 2 <= most) {
        s->cut = --v;
        s->chunk = (uint32_t)(most / lanes);
        lanes *= s->chunk;
    }
    s->lanes = (uint32_t)lanes;
    s->nouter = s->ninner = 0;
    s->nblocks = 1;
    for (uint32_t i = 0; i < c->rank; i++) {
        if (i >= first && i < end && i >= v && i != s->cut)
            continue;
        uint64_t n = i == s->cut ? (c->domain[i] + s->chunk - 1) / s->chunk : c->domain[i];
        if (i < c->nout) {
            s->outer_var[s->nouter] = (uint8_t)i;
            s->outer[s->nouter++] = n;
            s->nblocks *= n;
        } else {
            s->inner_var[s->ninner] = (uint8_t)i;
            s->inner[s->ninner++] = n;
        }
    }
    tabulate(s, c, v, end);
}

yk_status yk_stream_shape_init(struct yk_stream_shape *s, const struct yk_canon *c)
{
    memset(s, 0, sizeof *s);
    s->lane_offset = malloc((c->nin + 1) * (size_t)YK_LANES * sizeof *s->lane_offset);
    s->kind = malloc((c->nin + 1) * sizeof *s->kind);
    if (!s->lane_offset || !s->kind) {
        yk_stream_shape_finish(s);
        return YK_ENOMEM;
    }
    /* One lane always fits. */
    for (uint64_t most = YK_LANES; most; most /= 2) {
        shape(s, c, most);
        if (offsets_fit(s, c))
            break;
    }
    return YK_OK;
}

void yk_stream_shape_finish(struct yk_stream_shape *s)
{
    free(s->lane_offset);
    free(s->kind);
    memset(s, 0, sizeof *s);
}
