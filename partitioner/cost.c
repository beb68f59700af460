#include "partitioner/cost.h"

bool yk_split_time(const struct yk_split_device *d, uint64_t groups, double *ms)
{
    *ms = 0;
    if (!groups)
        return true;
    if (!(d->rate > 0))
        return false;
    double bytes = d->bytes + (double)groups * d->bytes_per_group;
    *ms = d->latency + (double)groups / d->rate + (d->bandwidth > 0 ? bytes / d->bandwidth : 0);
    return true;
}

bool yk_split_makespan(const struct yk_split *split, const uint64_t *groups, double *ms)
{
    *ms = 0;
    for (unsigned i = 0; i < split->n; i++) {
        double t;
        if (!yk_split_time(&split->device[i], groups[i], &t))
            return false;
        *ms = t > *ms ? t : *ms;
    }
    return true;
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

bool yk_split_pays(const struct yk_split *split, const uint64_t *groups, double margin, unsigned *best)
{
    double single, together;
    if (!yk_split_best_single(split, best, &single) || !yk_split_makespan(split, groups, &together))
        return true;
    for (unsigned i = 0; i < split->n; i++)
        if (split->device[i].usable && !(split->device[i].rate > 0))
            return true;
    return together < (1 - margin) * single;
}
