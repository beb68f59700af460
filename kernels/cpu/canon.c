#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/cpu/canon.h"

static void strides_of(const struct yk_bucket *b, const struct yk_bucket_table *t, const int *place, int64_t *stride)
{
    int64_t step = 1;
    for (uint32_t i = t->n; i-- > 0;) {
        uint32_t v = t->var[i];
        if (place[v] >= 0)
            stride[place[v]] = step;
        step *= b->domain[v];
    }
}

/* Does SLOW continue where FAST ends, in every table? */
static bool mergeable(const struct yk_canon *c, uint32_t slow, uint32_t fast)
{
    for (uint32_t t = 0; t <= c->nin; t++) {
        const int64_t *s = yk_canon_stride(c, t);
        if (s[slow] != s[fast] * (int64_t)c->domain[fast])
            return false;
    }
    return true;
}

static void drop(struct yk_canon *c, uint32_t v)
{
    for (uint32_t t = 0; t <= c->nin; t++) {
        int64_t *s = yk_canon_stride(c, t);
        memmove(s + v, s + v + 1, (c->rank - v - 1) * sizeof *s);
    }
    memmove(c->domain + v, c->domain + v + 1, (c->rank - v - 1) * sizeof *c->domain);
    c->rank--;
    c->nout -= v < c->nout;
}

/* One pass is enough: what continues J depends on J's domain and on strides, and of these only J's domain changes. */
static void merge(struct yk_canon *c)
{
    for (uint32_t j = 0; j < c->rank; j++)
        for (uint32_t i = 0; i < c->rank;)
            if (i != j && (i < c->nout) == (j < c->nout) && mergeable(c, i, j)) {
                /* j keeps its strides and its place; sums may lie in any order */
                c->domain[j] *= c->domain[i];
                drop(c, i);
                j -= i < j;
                i = 0;
            } else
                i++;
}

yk_status yk_canon_init(struct yk_canon *c, const struct yk_bucket *b)
{
    yk_status s = yk_bucket_check(b, NULL, 0);
    if (s != YK_OK)
        return s;
    memset(c, 0, sizeof *c);
    c->input = malloc(b->ninputs * sizeof *c->input);
    c->stride = calloc((b->ninputs + 1) * (size_t)YK_BUCKET_MAX_RANK, sizeof *c->stride);
    if (!c->input || !c->stride) {
        yk_canon_finish(c);
        return YK_ENOMEM;
    }
    for (uint32_t i = 0; i < b->ninputs; i++)
        if (b->input[i].cells > 1)
            c->input[c->nin++] = i;
        else
            c->input[b->ninputs - 1 - c->nscalar++] = i;
    int place[YK_BUCKET_MAX_RANK];
    memset(place, -1, sizeof place);
    for (uint32_t i = 0; i < b->out.n; i++)
        if (b->domain[b->out.var[i]] > 1) {
            place[b->out.var[i]] = (int)c->rank;
            c->domain[c->rank++] = b->domain[b->out.var[i]];
        }
    c->nout = c->rank;
    for (uint32_t i = 0; i < b->nsum; i++)
        if (b->domain[b->sum[i]] > 1) {
            place[b->sum[i]] = (int)c->rank;
            c->domain[c->rank++] = b->domain[b->sum[i]];
        }
    for (uint32_t t = 0; t < c->nin; t++)
        strides_of(b, &b->input[c->input[t]], place, yk_canon_stride(c, t));
    strides_of(b, &b->out, place, yk_canon_stride(c, c->nin));
    merge(c);
    return YK_OK;
}

void yk_canon_finish(struct yk_canon *c)
{
    free(c->input);
    free(c->stride);
    memset(c, 0, sizeof *c);
}

/* The divisor of N in [16, 64] nearest to 32; 0: none. */
static uint64_t handy_divisor(uint64_t n)
{
    uint64_t best = 0;
    for (uint64_t d = 16; d <= 64; d++)
        if (n % d == 0 && (!best || (d <= 32 ? 32 - d : d / 2 - 16) <= (best <= 32 ? 32 - best : best / 2 - 16)))
            best = d;
    return best;
}

void yk_canon_split(struct yk_canon *c)
{
    for (uint32_t v = 0; v < c->rank && c->rank < YK_BUCKET_MAX_RANK; v++) {
        uint64_t d = c->domain[v] > 64 ? handy_divisor(c->domain[v]) : 0;
        if (!d)
            continue;
        /* v becomes the slow part, v + 1 the fast one */
        memmove(c->domain + v + 1, c->domain + v, (c->rank - v) * sizeof *c->domain);
        c->domain[v] /= d;
        c->domain[v + 1] = d;
        for (uint32_t t = 0; t <= c->nin; t++) {
            int64_t *s = yk_canon_stride(c, t);
            memmove(s + v + 1, s + v, (c->rank - v) * sizeof *s);
            s[v] *= (int64_t)d;
        }
        c->rank++;
        c->nout += v < c->nout;
        v++;
    }
}
