/* Variables cut into digits, and what each digit does. */
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

static void tile(struct yk_cache_digit *d, const struct yk_cache_bucket *b, uint32_t var, uint32_t extent)
{
    memset(d, 0, sizeof *d);
    d->extent = extent;
    d->var = var;
    /* The slow part of its variable: the fast part is left to the lanes. */
    for (uint32_t t = 0; t <= b->nin && extent > 1; t++)
        d->stride[t] = b->stride[t][var] * (int32_t)(b->domain[var] / extent);
}

static uint32_t divisor_within(uint32_t n, uint32_t most)
{
    for (uint32_t d = most < n ? most : n; d > 1; d--)
        if (n % d == 0)
            return d;
    return 1;
}

void yk_cache_roles_cut(struct yk_cache_roles *r, const struct yk_cache_bucket *b, uint32_t va, uint32_t ra,
                        uint32_t vb, uint32_t rb, uint32_t lanes, uint32_t lows)
{
    struct yk_cache_digits *group[] = {&r->lane, &r->low, &r->chunk, &r->page, &r->block};
    for (int i = 0; i < 5; i++) {
        group[i]->n = 0;
        group[i]->count = 1;
    }
    r->cut_lane = r->cut_last = 0;
    tile(&r->a, b, va, ra);
    tile(&r->b, b, vb, rb);
    bool full = false;
    for (uint32_t v = b->nout; v-- > 0;) {
        uint32_t done = (v == va ? ra : 1) * (v == vb ? rb : 1), left = b->domain[v] / done;
        uint32_t most = lanes / r->lane.count, take = full ? 1 : divisor_within(left, most);
        /* A large variable without a handy divisor: its last part is smaller. */
        if (!full && take < left && r->lane.count * take * 4 <= lanes && left > most && done == 1 && !r->cut_lane) {
            uint32_t parts = (left + most - 1) / most;
            take = (left + parts - 1) / parts;
            add(&r->lane, b, v, take, 1);
            r->cut_lane = r->lane.n;
            r->cut_last = left - (parts - 1) * take;
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
        full = full || take < left;
        add(&r->block, b, v, left / take, take);
    }
    for (uint32_t v = b->nvars; v-- > b->nout;) {
        uint32_t take = divisor_within(b->domain[v], lows / r->low.count);
        add(&r->low, b, v, take, 1);
        add(&r->chunk, b, v, b->domain[v] / take, take);
    }
}
