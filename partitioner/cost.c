#include "partitioner/cost.h"

struct yk_share_time yk_split_parts(const struct yk_split_device *d, double groups)
{
    struct yk_share_time t = {0, d->latency, 0};
    t.run += d->table.n >= 2 ? yk_table_ms(&d->table, groups) : groups / d->rate;
    if (d->bandwidth > 0) {
        t.in = (d->bytes + groups * d->bytes_per_group) / d->bandwidth;
        t.out = (d->back + groups * d->back_per_group) / d->bandwidth;
    }
    return t;
}

bool yk_split_time(const struct yk_split_device *d, uint64_t groups, double *ms)
{
    *ms = 0;
    if (!groups)
        return true;
    if (!yk_split_known(d))
        return false;
    struct yk_share_time t = yk_split_parts(d, (double)groups);
    *ms = t.in + t.run + t.out;
    return true;
}

/* A link: when each direction is free. Its number is searched for, since there are few. */
struct link {
    unsigned number;
    double in, out;
};

static struct link *link_of(struct link *links, unsigned *n, unsigned number)
{
    for (unsigned i = 0; number && i < *n; i++)
        if (links[i].number == number)
            return &links[i];
    links[*n] = (struct link){number, 0, 0};
    return &links[(*n)++];
}

bool yk_split_times(const struct yk_split *split, const uint64_t *groups, double *done, double *ms)
{
    struct link links[YK_SPLIT_MAX];
    unsigned nlinks = 0, sharers = 0;
    double merge = 0;
    *ms = 0;
    for (unsigned i = 0; i < split->n; i++) {
        const struct yk_split_device *d = &split->device[i];
        done[i] = 0;
        if (!groups[i])
            continue;
        if (!yk_split_known(d))
            return false;
        struct link *l = link_of(links, &nlinks, d->link);
        struct yk_share_time t = yk_split_parts(d, (double)groups[i]);
        l->in += t.in;
        double end = l->in + t.run;
        if (t.out > 0) {
            end = (end > l->out ? end : l->out) + t.out;
            l->out = end;
        }
        done[i] = end;
        *ms = end > *ms ? end : *ms;
        merge += d->merge;
        sharers++;
    }
    if (sharers > 1)
        *ms += merge;
    return true;
}

bool yk_split_makespan(const struct yk_split *split, const uint64_t *groups, double *ms)
{
    double done[YK_SPLIT_MAX];
    return yk_split_times(split, groups, done, ms);
}

bool yk_split_best_single(const struct yk_split *split, unsigned *device, double *ms)
{
    bool found = false;
    for (unsigned i = 0; i < split->n; i++) {
        double t;
        if (!split->device[i].usable || !yk_split_time(&split->device[i], split->total, &t) || (found && t >= *ms))
            continue;
        *device = i;
        *ms = t;
        found = true;
    }
    return found;
}

bool yk_split_nearly_even(const struct yk_split *split, const uint64_t *groups, const uint64_t *even, double part,
                          double extra_ms)
{
    double ms, even_ms;
    unsigned takers = 0;
    for (unsigned i = 0; i < split->n; i++)
        takers += groups[i] > 0;
    return takers > 1 && yk_split_makespan(split, groups, &ms) && yk_split_makespan(split, even, &even_ms) &&
           even_ms <= (1 + part) * ms + extra_ms;
}

bool yk_split_pays(const struct yk_split *split, const uint64_t *groups, double margin, unsigned *best)
{
    double single, together;
    if (!yk_split_best_single(split, best, &single) || !yk_split_makespan(split, groups, &together))
        return true;
    for (unsigned i = 0; i < split->n; i++)
        if (split->device[i].usable && !yk_split_known(&split->device[i]))
            return true;
    return together < (1 - margin) * single;
}
