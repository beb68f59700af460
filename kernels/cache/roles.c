/* Variables cut into digits, and what each digit does. */
#include <math.h>
#include <string.h>
#include "kernels/cache/cache.h"

static void add(struct yk_cache_digits *list, const struct yk_cache_bucket *b, uint32_t var, uint32_t extent,
                uint32_t step)
{
    if (extent == 1)
        return;
    struct yk_cache_digit *d = &list->digit[list->n++];
    d->extent = extent;
    d->var = var;
    for (uint32_t t = 0; t <= b->nin; t++)
        d->stride[t] = b->stride[t][var] * (int32_t)step;
    list->count *= extent;
}

static void tile(struct yk_cache_side *side, const struct yk_cache_bucket *b, const struct yk_cache_parts *parts,
                 uint32_t *left)
{
    memset(side, 0, sizeof *side);
    side->n = parts->n;
    side->extent = parts->extent;
    for (uint32_t k = 0; k < parts->n; k++) {
        uint32_t v = parts->var[k];
        struct yk_cache_digit *d = &side->digit[k];
        d->extent = parts->part[k];
        d->var = v;
        left[v] /= d->extent;
        /* The slow part of its variable: the fast part is left to the lanes. */
        for (uint32_t t = 0; t <= b->nin; t++)
            d->stride[t] = b->stride[t][v] * (int32_t)left[v];
    }
}

static uint32_t divisor_within(uint32_t n, uint32_t most)
{
    for (uint32_t d = most < n ? most : n; d > 1; d--)
        if (n % d == 0)
            return d;
    return 1;
}

/* Lanes of the variables from the output's fast end on, one after the other. A large variable without a handy divisor:
 * its last part is smaller. */
static void lanes_in_line(struct yk_cache_roles *r, const struct yk_cache_bucket *b, const uint32_t *left,
                          uint32_t lanes)
{
    bool full = false;
    for (uint32_t v = b->nout; v-- > 0;) {
        uint32_t most = lanes / r->lane.count, take = full ? 1 : divisor_within(left[v], most);
        if (!full && take < left[v] && r->lane.count * take * 4 <= lanes && left[v] > most && left[v] == b->domain[v] &&
            !r->cut_lane) {
            uint32_t parts = (left[v] + most - 1) / most;
            take = (left[v] + parts - 1) / parts;
            add(&r->lane, b, v, take, 1);
            r->cut_lane = r->lane.n;
            r->cut_last = left[v] - (parts - 1) * take;
            /* its parts are the fastest block digit */
            memmove(r->block.digit + 1, r->block.digit, r->block.n * sizeof *r->block.digit);
            struct yk_cache_digits first = {.n = 0, .count = 1};
            add(&first, b, v, parts, take);
            r->block.digit[0] = first.digit[0];
            r->block.n++;
            r->block.count *= parts;
            full = true;
            continue;
        }
        add(&r->lane, b, v, take, 1);
        full = full || take < left[v];
        add(&r->block, b, v, left[v] / take, take);
    }
}

static uint32_t least_factor(uint32_t n)
{
    for (uint32_t d = 2; d * d <= n; d++)
        if (n % d == 0)
            return d;
    return n;
}

/* FAST lanes from the output's fast end on, for stores in one piece; the others where a block reads least for what it
 * computes, which makes its part of the output square. */
static void lanes_square(struct yk_cache_roles *r, const struct yk_cache_bucket *b, const uint32_t *left,
                         uint32_t lanes, uint32_t fast)
{
    uint32_t take[YK_CACHE_VARS], count = 1;
    double reads[YK_CACHE_TABLES];
    bool full = false;
    for (uint32_t v = b->nout; v-- > 0;) {
        take[v] = full ? 1 : divisor_within(left[v], fast / count);
        full = full || take[v] < left[v];
        count *= take[v];
    }
    for (uint32_t f = 0; f < b->nin; f++) {
        reads[f] = 1;
        for (uint32_t v = 0; v < b->nvars; v++) /* beside the lanes: the tile and all that is summed */
            if (b->stride[f][v])
                reads[f] *= v < b->nout ? take[v] * (b->domain[v] / left[v]) : b->domain[v];
    }
    for (;;) {
        uint32_t best = UINT32_MAX, by = 1;
        double least = INFINITY;
        for (uint32_t v = b->nout; v-- > 0;) {
            uint32_t p = least_factor(left[v] / take[v]);
            double all = 0;
            if (p == 1 || count * p > lanes)
                continue;
            for (uint32_t f = 0; f < b->nin; f++)
                all += reads[f] / (b->stride[f][v] ? 1 : p);
            if (all < least) {
                least = all;
                best = v;
                by = p;
            }
        }
        if (best == UINT32_MAX)
            break;
        take[best] *= by;
        count *= by;
        for (uint32_t f = 0; f < b->nin; f++)
            reads[f] *= b->stride[f][best] ? by : 1;
    }
    for (uint32_t v = b->nout; v-- > 0;) {
        add(&r->lane, b, v, take[v], 1);
        add(&r->block, b, v, left[v] / take[v], take[v]);
    }
}

void yk_cache_roles_cut(struct yk_cache_roles *r, const struct yk_cache_bucket *b, const struct yk_cache_cut *c)
{
    struct yk_cache_digits *group[] = {&r->lane, &r->low, &r->chunk, &r->page, &r->block};
    uint32_t left[YK_CACHE_VARS];
    for (int i = 0; i < 5; i++) {
        group[i]->n = 0;
        group[i]->count = 1;
    }
    r->cut_lane = r->cut_last = 0;
    memcpy(left, b->domain, b->nvars * sizeof *left);
    tile(&r->a, b, &c->a, left);
    tile(&r->b, b, &c->b, left);
    if (c->fast)
        lanes_square(r, b, left, c->lanes, c->fast);
    else
        lanes_in_line(r, b, left, c->lanes);
    for (uint32_t v = b->nvars; v-- > b->nout;) {
        uint32_t take = divisor_within(b->domain[v], c->lows / r->low.count);
        add(&r->low, b, v, take, 1);
        add(&r->chunk, b, v, b->domain[v] / take, take);
    }
}
