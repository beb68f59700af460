#include "kernels/gpu/memo.h"
#include <stdlib.h>

enum { SLOTS = 1 << 13 };

struct yk_hash yk_gpu_memo_key(const struct yk_cache_bucket *b, const struct yk_cache_device *d,
                               const struct yk_cache_options *o)
{
    const uint32_t counts[] = {b->nvars,   b->nout,    b->nin,         o->cell,       (uint32_t)o->policy,
                               o->no_tile, o->threads, o->pages,       o->local,      d->units,
                               d->threads, d->group,   d->local_block, d->local_unit, d->async};
    const double rates[] = {d->flops, d->bytes, d->inner_bytes, d->local_bytes};
    struct yk_hash h = yk_hash_bytes((struct yk_hash){0, 0}, counts, sizeof counts);
    h = yk_hash_bytes(h, rates, sizeof rates);
    h = yk_hash_bytes(h, b->domain, b->nvars * sizeof *b->domain);
    for (uint32_t t = 0; t <= b->nin; t++)
        h = yk_hash_bytes(h, b->stride[t], b->nvars * sizeof **b->stride);
    return h;
}

const struct yk_gpu_choice *yk_gpu_memo_get(const struct yk_gpu_memo *m, struct yk_hash key)
{
    const struct yk_gpu_choice *c = m->slot ? &m->slot[key.lo % SLOTS] : NULL;
    return c && c->there && c->key.lo == key.lo && c->key.hi == key.hi ? c : NULL;
}

void yk_gpu_memo_put(struct yk_gpu_memo *m, const struct yk_gpu_choice *c)
{
    if (!m->slot && !(m->slot = calloc(SLOTS, sizeof *m->slot)))
        return;
    m->slot[c->key.lo % SLOTS] = *c;
    m->slot[c->key.lo % SLOTS].there = true;
}

void yk_gpu_memo_finish(struct yk_gpu_memo *m)
{
    free(m->slot);
    m->slot = NULL;
}
