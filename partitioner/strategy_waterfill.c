/* Waterfill: the least time at which all shares fit. Water of one level, the time T, is poured over all devices: what a
 * device can do by T rises with T, so the T at which all together can do the launch is found by bracketed Newton steps
 * on lines.
 *
 * Devices behind one link wait for one another. If those that take part all end at T, each begins its results where the
 * one before it ends its own (nobody waits and no link idles), which ties the share of each to that of the one before:
 * the whole group hangs on its first share. For straight lines the best division of a group is of this form for some
 * subset of it (a vertex of the linear program), so subsets are tried by leaving devices out while that helps, which
 * also weighs the merges that a device brings. */
#include <math.h>
#include "partitioner/cost.h"
#include "partitioner/settle.h"
#include "partitioner/water.h"

/* Would it be done sooner without taker I of group G? */
static bool better_without(struct yk_water *w, struct yk_water_group *g, unsigned i, double ms)
{
    double merge = w->taker[g->first + i].merge, per, now, then;
    if (w->groups[g->first + i] <= 0)
        return true; /* it does nothing: nothing is lost */
    if (g->n == 1 && merge <= 0)
        return false;
    struct yk_water_group copy = *g;
    double kept[YK_SPLIT_MAX];
    for (unsigned k = 0; k < w->ntakers; k++)
        kept[k] = w->groups[k];
    copy.left_out |= 1u << i;
    if (merge > 0) {
        struct yk_water_group was = *g;
        *g = copy;
        then = yk_water_all(w, ms + merge, &per);
        *g = was;
        now = w->total;
    } else {
        now = 0;
        for (unsigned k = 0; k < g->n; k++)
            now += kept[g->first + k];
        then = yk_water_group(w, &copy, ms, &per);
    }
    for (unsigned k = 0; k < w->ntakers; k++)
        w->groups[k] = kept[k];
    return then > now * (1 + 1e-6);
}

static bool leave_one_out(struct yk_water *w, double ms)
{
    for (unsigned k = 0; k < w->ngroups; k++) {
        struct yk_water_group *g = &w->group[k];
        for (unsigned i = 0; i < g->n; i++)
            if (!(g->left_out >> i & 1) && better_without(w, g, i, ms)) {
                bool idle = w->groups[g->first + i] <= 0;
                g->left_out |= 1u << i;
                if (!idle)
                    return true;
            }
    }
    return false;
}

/* Devices that bring merges are worth it in the order of what they do for each ms of merge: try the first none, one,
 * two,
 * ... of them. Returns the level of the best choice. */
static double choose_merging(struct yk_water *w, double high, double ms)
{
    struct {
        unsigned group, member;
        double worth, merge;
    } m[YK_SPLIT_MAX], swap;
    unsigned n = 0, best = 0;
    double least = INFINITY, best_ms = ms, merge = 0, per;
    for (unsigned k = 0; k < w->ngroups; k++)
        for (unsigned i = 0; i < w->group[k].n; i++) {
            const struct yk_water_taker *t = &w->taker[w->group[k].first + i];
            if (!(t->merge > 0))
                continue;
            m[n].group = k;
            m[n].member = i;
            m[n].merge = t->merge;
            m[n].worth = yk_water_alone(t, ms, &per) / t->merge;
            for (unsigned j = n++; j > 0 && m[j].worth > m[j - 1].worth; j--) {
                swap = m[j];
                m[j] = m[j - 1];
                m[j - 1] = swap;
            }
        }
    for (unsigned i = 0; i < n; i++)
        w->group[m[i].group].left_out |= 1u << m[i].member;
    for (unsigned i = 0; i <= n; i++) {
        if (i) {
            w->group[m[i - 1].group].left_out &= ~(1u << m[i - 1].member);
            merge += m[i - 1].merge;
        }
        if (merge >= least)
            break;
        double now = yk_water_level(w, high, ms);
        if (yk_water_all(w, now, &per) >= w->total * (1 - 1e-5) && now + merge < least) {
            least = now + merge;
            best_ms = now;
            best = i;
        }
    }
    for (unsigned i = 0; i < n; i++)
        if (i < best)
            w->group[m[i].group].left_out &= ~(1u << m[i].member);
        else
            w->group[m[i].group].left_out |= 1u << m[i].member;
    return n ? yk_water_level(w, high, best_ms) : ms;
}

/* Does a level not say all? */
static bool coupled(const struct yk_water *w, uint64_t rest)
{
    bool is = rest > 0;
    for (unsigned k = 0; k < w->ngroups; k++)
        is |= w->group[k].n > 1;
    for (unsigned k = 0; k < w->ntakers; k++)
        is |= w->taker[k].merge > 0;
    return is;
}

static void add_taker(struct yk_water *w, const struct yk_split_device *d, unsigned index)
{
    struct yk_water_taker *t = &w->taker[w->ntakers++];
    *t =
        (struct yk_water_taker){.v = d->table.v, .n = d->table.n, .index = index, .run = d->latency, .merge = d->merge};
    if (t->n < 2) {
        t->two[1] = (struct yk_point){1, 1 / d->rate};
        t->v = t->two;
        t->n = 2;
    }
    if (d->bandwidth > 0) {
        t->in = d->bytes / d->bandwidth;
        t->in_per = d->bytes_per_group / d->bandwidth;
        t->out = d->back / d->bandwidth;
        t->out_per = d->back_per_group / d->bandwidth;
    }
    w->groups[w->ntakers - 1] = 0;
    w->group[w->ngroups - 1].n++;
}

static void collect(struct yk_water *w, const struct yk_split *split, const struct yk_split_device *d)
{
    w->ntakers = w->ngroups = 0;
    w->total = (double)split->total;
    for (unsigned i = 0; i < split->n; i++) {
        bool seen = false;
        for (unsigned k = 0; k < i && d[i].link; k++)
            seen |= d[k].usable && d[k].link == d[i].link;
        if (!d[i].usable || seen)
            continue;
        w->group[w->ngroups++] = (struct yk_water_group){.first = w->ntakers, .number = d[i].link};
        for (unsigned k = i; k < split->n; k++)
            if (k == i || (d[k].usable && d[i].link && d[k].link == d[i].link))
                add_taker(w, &d[k], k);
    }
}

/* Whole grains: each share down to one, the rest to whoever is then done first. */
static void round_shares(const struct yk_water *w, const struct yk_split *s, uint64_t rest, uint64_t *groups)
{
    uint64_t grain = s->grain ? s->grain : 1, left = s->total / grain, most = 0;
    unsigned largest = YK_SPLIT_NONE, last = 0;
    for (unsigned i = 0; i < s->n; i++)
        groups[i] = 0;
    for (unsigned k = 0; k < w->ntakers; k++)
        last = w->groups[k] >= (double)grain && w->taker[k].index > last ? w->taker[k].index : last;
    for (unsigned k = 0; k < w->ntakers; k++) {
        double most_of_it = w->groups[k] - (w->taker[k].index == last ? (double)rest : 0);
        uint64_t units = most_of_it > 0 ? (uint64_t)(most_of_it / (double)grain) : 0;
        units = units < left ? units : left;
        groups[w->taker[k].index] = units * grain;
        left -= units;
        if (largest == YK_SPLIT_NONE || units > most) {
            largest = k;
            most = units;
        }
    }
    if (left > w->ntakers) { /* what the search left over, if it ended early */
        groups[w->taker[largest].index] += (left - w->ntakers) * grain;
        left = w->ntakers;
    }
    for (; left; left--) {
        double least = INFINITY;
        unsigned to = w->taker[largest].index;
        for (unsigned k = 0; k < w->ntakers; k++) {
            const struct yk_water_taker *t = &w->taker[k];
            double per, ms;
            if (w->groups[k] <= 0 && coupled(w, 0))
                continue; /* left out, and not for lack of time */
            ms = yk_water_rise(t, (double)(groups[t->index] + grain + (t->index == last ? rest : 0)),
                               t->in + t->run + t->out, t->in_per + t->out_per, &per);
            if (ms < least) {
                least = ms;
                to = t->index;
            }
        }
        groups[to] += grain;
    }
}

void yk_divide_waterfill(const struct yk_strategy *strategy, const struct yk_split *split, uint64_t *groups)
{
    struct yk_water w;
    struct yk_split_device d[YK_SPLIT_MAX];
    struct yk_split s = *split;
    double single, ms, ideal = 0;
    unsigned best = 0;
    (void)strategy;
    if (!yk_split_presume(split, d)) {
        struct yk_strategy even;
        if (yk_strategy_parse("even", &even, NULL, 0) == YK_OK)
            yk_strategy_divide(&even, split, groups);
        return;
    }
    s.device = d;
    collect(&w, &s, d);
    yk_split_best_single(&s, &best, &single);
    for (unsigned i = 0; i < s.n; i++)
        if (d[i].usable && yk_split_time(&d[i], s.total, &ms))
            ideal += 1 / ms;
    ms = yk_water_level(&w, single, 1 / ideal);
    ms = choose_merging(&w, 2 * single, ms);
    for (unsigned step = 0; step < w.ntakers && leave_one_out(&w, ms); step++)
        ms = yk_water_level(&w, 2 * single, ms);
    uint64_t rest = s.grain ? s.total % s.grain : 0;
    round_shares(&w, &s, rest, groups);
    if (coupled(&w, rest))
        yk_split_settle(&s, rest, groups);
    unsigned last = 0;
    for (unsigned i = 0; i < s.n; i++)
        last = groups[i] ? i : last;
    groups[last] += rest;
    if (!yk_split_makespan(&s, groups, &ms) || ms >= single) {
        for (unsigned i = 0; i < s.n; i++)
            groups[i] = 0;
        groups[best] = s.total;
    }
}
