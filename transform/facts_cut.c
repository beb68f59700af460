#include "transform/facts_cut.h"

/* What a piece, of a transfer or a record, and a launch are worth in bytes: a few microseconds of a link's time each.
 * What is written in pieces stays in pieces for whoever needs it next, so that it weighs more than what is read so. */
enum { WRITTEN_PIECE = 2048, FETCHED_PIECE = 512, SHARED_LINE = 64, LAUNCH = 16384, LEAST_UNITS = 24 };

uint64_t yk_cut_weigh(const struct yk_cut_cost *c, bool same_memory)
{
    if (same_memory)
        return c->pieces * SHARED_LINE + c->boxes * LAUNCH;
    return c->bytes + c->pieces * WRITTEN_PIECE + c->fetched * FETCHED_PIECE + c->boxes * LAUNCH;
}

void yk_cut_even(const struct yk_range *r, unsigned takers, unsigned i, uint64_t *from, uint64_t *to)
{
    uint64_t total = 1, unit = yk_range_grain(r, LEAST_UNITS);
    yk_range_total(r, &total);
    uint64_t units = total / unit;
    *from = units * i / takers * unit;
    *to = i + 1 == takers ? total : units * (i + 1) / takers * unit;
}

void yk_cut_add(struct yk_cut_cost *c, const struct yk_region *region, bool write, bool exact, uint64_t lacks)
{
    c->bytes += lacks;
    c->fetched += lacks ? region->rows * region->slices : 0;
    if (write && !exact)
        c->bytes += 2 * (yk_region_end(region) - region->offset);
    if (write)
        c->pieces += exact ? region->rows * region->slices : 1;
}

yk_status yk_cut_evaluate(struct yk_reach *reach, const struct yk_facts_kernel *k, const struct yk_reach_launch *l,
                          const struct yk_range *r, unsigned takers, struct yk_cut_cost *c)
{
    *c = (struct yk_cut_cost){.bytes = 0};
    for (unsigned i = 0; i < takers; i++) {
        struct yk_share share;
        uint64_t from, to;
        yk_cut_even(r, takers, i, &from, &to);
        yk_range_cut(r, from, to, &share);
        c->boxes += share.n;
        yk_status st = yk_reach_share(reach, k, l, &share);
        if (st != YK_OK)
            return st;
        for (size_t t = 0; t < reach->touch.n; t++) {
            const struct yk_touch *touch = &reach->touch.v[t];
            if (k->arg[touch->arg].reduces)
                continue;
            bool write = touch->kind != YK_ACCESS_READ;
            yk_cut_add(c, &touch->region, write, touch->exact,
                       write && touch->exact ? 0 : yk_region_bytes(&touch->region));
        }
    }
    return YK_OK;
}

unsigned yk_cut_best(const struct yk_range *r, const struct yk_cut_cost *cost, bool same_memory)
{
    unsigned best = r->dims - 1;
    for (unsigned d = r->dims - 1; d-- > 0;)
        if (yk_cut_weigh(&cost[d], same_memory) < yk_cut_weigh(&cost[best], same_memory))
            best = d;
    return best;
}
