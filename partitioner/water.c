#include "partitioner/water.h"
#include <math.h>

/* Time of X work-groups with A + B * X on top; *PER: of one more. */
double yk_water_rise(const struct yk_water_taker *t, double x, double a, double b, double *per)
{
    unsigned low = 0, high = t->n - 1;
    while (high - low > 1) {
        unsigned mid = (low + high) / 2;
        if (t->v[mid].groups <= x)
            low = mid;
        else
            high = mid;
    }
    const struct yk_point *p = &t->v[low];
    double slope = (p[1].ms - p->ms) / (p[1].groups - p->groups);
    *per = slope + b;
    return a + p->ms + b * x + (x - p->groups) * slope;
}

/* The most work-groups with A + B * X on top by MS; 0: none. */
static double reach(const struct yk_water_taker *t, double ms, double a, double b, double *per)
{
    unsigned low = 0, high = t->n - 1;
    ms -= a;
    while (high - low > 1) {
        unsigned mid = (low + high) / 2;
        if (t->v[mid].ms + b * t->v[mid].groups <= ms)
            low = mid;
        else
            high = mid;
    }
    const struct yk_point *p = &t->v[low];
    double base = p->ms + b * p->groups, width = p[1].groups - p->groups, up = p[1].ms - p->ms + b * width;
    if (ms <= base && !low) {
        *per = 0;
        return 0;
    }
    *per = up > 0 ? width / up : 0;
    return up > 0 ? p->groups + (ms - base) * width / up : p[1].groups;
}

double yk_water_alone(const struct yk_water_taker *t, double ms, double *per)
{
    return reach(t, ms, t->in + t->run + t->out, t->in_per + t->out_per, per);
}

struct flow {
    double ms, groups, ms_per, groups_per; /* and by how much both rise with the first share */
};

/* The group G with SHARE for its taker FIRST, all others ending together with it. */
static struct flow chain(struct yk_water *w, const struct yk_water_group *g, unsigned first, double share)
{
    double per, d = 1;
    const struct yk_water_taker *t = &w->taker[g->first + first];
    struct flow f = {.groups = share, .groups_per = 1};
    double follow = yk_water_rise(t, share, t->run + t->out, t->out_per, &per);
    f.ms = follow + t->in + t->in_per * share;
    f.ms_per = per + t->in_per;
    w->groups[g->first + first] = share;
    for (unsigned i = first + 1; i < g->n; i++) {
        if (g->left_out >> i & 1)
            continue;
        double here, slope;
        t = &w->taker[g->first + i];
        here = reach(t, follow, t->in + t->run, t->in_per, &slope);
        w->groups[g->first + i] = here;
        if (here <= 0)
            continue;
        d *= per * slope;
        f.groups += here;
        f.groups_per += d;
        f.ms += t->out + t->out_per * here;
        f.ms_per += t->out_per * d;
        follow = yk_water_rise(t, here, t->run + t->out, t->out_per, &per);
    }
    return f;
}

/* What group G can do by MS with FIRST as its first share, which is at most HIGH; 0 where the others then end too late
 * however small that share is. */
static double chain_reach(struct yk_water *w, struct yk_water_group *g, unsigned first, double high, double ms,
                          double *per)
{
    double low = 0, share = g->share > 0 && g->share < high ? g->share : high;
    struct flow f;
    bool fits = false;
    for (int step = 0;; step++) {
        f = chain(w, g, first, share);
        double off = f.ms - ms;
        fits |= off <= 1e-7 * ms;
        if (fabs(off) <= 1e-7 * ms || step == 24)
            break;
        if (off > 0)
            high = share;
        else
            low = share;
        share -= f.ms_per > 0 ? off / f.ms_per : 0;
        if (!(share > low && share < high))
            share = (low + high) / 2;
    }
    g->share = share;
    *per = f.ms_per > 0 ? f.groups_per / f.ms_per : 0;
    return fits ? f.groups : 0;
}

/* What group G can do by MS, into w->groups, and how that rises. Where the first device cannot begin a chain, it alone
 * or those behind it do what they can. */
double yk_water_group(struct yk_water *w, struct yk_water_group *g, double ms, double *per)
{
    double best = 0, best_per = 0, kept[YK_SPLIT_MAX] = {0};
    for (unsigned first = 0; first < g->n; first++) {
        double high, slope, sum;
        for (unsigned i = 0; i < g->n; i++)
            w->groups[g->first + i] = 0;
        if (g->left_out >> first & 1 || (high = yk_water_alone(&w->taker[g->first + first], ms, &slope)) <= 0)
            continue;
        w->groups[g->first + first] = sum = high;
        if (g->n > 1) {
            double chain_slope;
            double together = chain_reach(w, g, first, high, ms, &chain_slope);
            bool chained = together > 0;
            if (chained) {
                sum = together;
                slope = chain_slope;
            } else {
                for (unsigned i = 0; i < g->n; i++)
                    w->groups[g->first + i] = 0;
                w->groups[g->first + first] = high;
            }
            if (sum > best) {
                best = sum;
                best_per = slope;
                for (unsigned i = 0; i < g->n; i++)
                    kept[i] = w->groups[g->first + i];
            }
            if (chained)
                break;
        } else {
            *per = slope;
            return sum;
        }
    }
    for (unsigned i = 0; i < g->n; i++)
        w->groups[g->first + i] = kept[i];
    *per = best_per;
    return best;
}

double yk_water_all(struct yk_water *w, double ms, double *per)
{
    double sum = 0, slope;
    *per = 0;
    for (unsigned i = 0; i < w->ngroups; i++) {
        sum += yk_water_group(w, &w->group[i], ms, &slope);
        *per += slope;
    }
    return sum;
}

/* The level at which all is done, between 0 and HIGH; begins at GUESS. */
double yk_water_level(struct yk_water *w, double high, double guess)
{
    double low = 0, ms = guess;
    for (int step = 0; step < 40; step++) {
        double per, off = yk_water_all(w, ms, &per) - w->total;
        if (fabs(off) <= 1e-7 * w->total)
            break;
        if (off > 0)
            high = ms;
        else
            low = ms;
        ms -= per > 0 ? off / per : 0;
        if (!(ms > low && ms < high))
            ms = (low + high) / 2;
        if (high - low <= 1e-9 * high)
            break;
    }
    return ms;
}
