#include "shim/queue/cut.h"
#include <string.h>
#include "shim/queue/part.h"
#include "transform/facts_cut.h"

/* Does DEV work in a memory of its own for the buffers of L? */
static bool apart(const struct yk_launch *l, unsigned dev)
{
    for (unsigned i = 0; i < l->nvalues; i++) {
        const struct yk_store *s = l->value[i].kind == YK_VALUE_MEM ? l->value[i].u.mem->store : NULL;
        if (s && yk_store_apart(s, dev))
            return true;
    }
    return false;
}

/* What cutting as D->range says costs. False: not known. */
static bool evaluate(const struct yk_launch *l, const struct yk_facts_kernel *f, const struct yk_decision *d,
                     unsigned takers, bool any_apart, struct yk_cut_cost *c)
{
    struct yk_parts s = {.part = {NULL, 0, 0}};
    bool known = true;
    *c = (struct yk_cut_cost){.bytes = 0};
    for (unsigned dev = 0, i = 0; dev < yk_rt.machine->n && known; dev++) {
        uint64_t from, to;
        struct yk_share share;
        if (!d->takes[dev])
            continue;
        yk_cut_even(&d->range, takers, i++, &from, &to);
        yk_range_cut(&d->range, from, to, &share);
        c->boxes += share.n;
        known = yk_parts_add(&s, l, f, d, dev, from, to) == YK_OK;
    }
    for (size_t i = 0; i < s.part.n && known; i++) {
        const struct yk_part *p = &s.part.v[i];
        bool own = any_apart && apart(l, p->dev);
        if (own || p->write)
            yk_cut_add(c, &p->region, p->write, p->exact || !own,
                       own && !p->exact ? yk_store_lacks(p->store, p->dev, &p->region) : 0);
    }
    yk_parts_finish(&s);
    return known;
}

void yk_cut_choose(const struct yk_launch *l, const struct yk_facts_kernel *f, struct yk_decision *d)
{
    struct yk_cut_cost cost[3];
    unsigned takers = 0, forced = yk_rt.options.cut;
    bool any_apart = false;
    if (forced && forced <= l->dims)
        d->range.axis = forced;
    if (l->dims < 2 || forced)
        return;
    for (unsigned dev = 0; dev < yk_rt.machine->n; dev++) {
        takers += d->takes[dev];
        any_apart |= d->takes[dev] && apart(l, dev);
    }
    struct yk_code_cut *last = &l->code->cut;
    struct yk_code_cut key = {.takers = takers, .dims = l->dims};
    memcpy(key.groups, d->range.groups, sizeof key.groups);
    memcpy(key.local, d->local, sizeof key.local);
    yk_lock_take(&l->code->lock);
    key.axis = last->axis;
    bool same = !any_apart && !memcmp(&key, last, sizeof key); /* where bytes are does not matter */
    yk_lock_drop(&l->code->lock);
    if (same) {
        d->range.axis = (unsigned)key.axis;
        return;
    }
    for (unsigned axis = 0; axis < l->dims; axis++) {
        d->range.axis = axis + 1;
        if (!evaluate(l, f, d, takers, any_apart, &cost[axis])) {
            d->range.axis = 0;
            return;
        }
    }
    key.axis = d->range.axis = yk_cut_best(&d->range, cost, !any_apart) + 1;
    yk_lock_take(&l->code->lock);
    *last = key;
    yk_lock_drop(&l->code->lock);
}
