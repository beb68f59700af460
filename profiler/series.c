#include "profiler/series.h"
#include <math.h>
#include <string.h>

static bool possible(double groups, double ms)
{
    return groups >= 1 && groups <= 1e18 && ms > 0 && ms <= 1e12;
}

/* So many measurements say all there is to be said. */
static const uint32_t known = 8;

/* What a sample of many measurements makes of another: one that is far longer met something else of the machine's. Were
 * it true, the next one would say so too, and is believed. */
static double believable(struct yk_sample *s, double ms)
{
    const double most = 1.5;
    if (s->count < known || ms <= most * s->ms)
        return ms;
    s->count = known - 2;
    return most * s->ms;
}

static void join(struct yk_sample *into, double groups, double ms)
{
    into->groups = (into->groups + groups) / 2;
    into->ms = (into->ms + ms) / 2;
    into->count += into->count < UINT32_MAX;
}

/* The pair of neighbours with the least ratio becomes one sample. */
static void make_room(struct yk_series *s)
{
    unsigned best = 0;
    for (unsigned i = 1; i + 1 < s->n; i++)
        if (s->at[i + 1].groups * s->at[best].groups < s->at[best + 1].groups * s->at[i].groups)
            best = i;
    join(&s->at[best], s->at[best + 1].groups, s->at[best + 1].ms);
    memmove(&s->at[best + 1], &s->at[best + 2], (s->n - best - 2) * sizeof *s->at);
    s->n--;
}

/* Samples closer together than this ratio are one point: their times differ by noise more than by their work-groups,
 * and a line through two of them would say anything about a launch twice as large. */
static const double apart = 1.4;

static bool close_by(double a, double b)
{
    return a <= apart * b && b <= apart * a;
}

/* The same number of work-groups keeps a sample's place; the time is what changes. */
static bool same(double a, double b)
{
    return fabs(a - b) <= 0.05 * b;
}

static void add(struct yk_series *s, double groups, double ms, bool least)
{
    unsigned i = 0;
    if (!possible(groups, ms))
        return;
    for (unsigned k = 0; k < s->n; k++)
        if (same(s->at[k].groups, groups)) {
            double old = s->at[k].ms;
            join(&s->at[k], s->at[k].groups, least ? ms : believable(&s->at[k], ms));
            if (least)
                s->at[k].ms = ms < old ? ms : old + (ms - old) / 10;
            return;
        }
    if (s->n == YK_SERIES_SAMPLES)
        make_room(s);
    while (i < s->n && s->at[i].groups < groups)
        i++;
    memmove(&s->at[i + 1], &s->at[i], (s->n - i) * sizeof *s->at);
    s->at[i] = (struct yk_sample){groups, ms, 1};
    s->n++;
}

void yk_series_add(struct yk_series *s, double groups, double ms)
{
    if (!possible(groups, ms))
        return;
    /* It says as much of the samples close by, or one that is never met again would be held to be true for ever. */
    for (unsigned i = 0; i < s->n; i++) {
        struct yk_sample *a = &s->at[i];
        if (close_by(a->groups, groups) && !same(a->groups, groups))
            a->ms = (a->ms + believable(a, ms * a->groups / groups)) / 2;
    }
    add(s, groups, ms, false);
}

void yk_series_lower(struct yk_series *s, double groups, double ms)
{
    for (unsigned i = 0; i < s->n && possible(groups, ms); i++) {
        struct yk_sample *a = &s->at[i];
        double now = ms * a->groups / groups;
        if (close_by(a->groups, groups) && now < a->ms)
            *a = (struct yk_sample){a->groups, now, 1};
    }
}

void yk_series_add_least(struct yk_series *s, double groups, double ms)
{
    add(s, groups, ms, true);
}

/* Beyond the last sample a work-group costs at least this part of what it costs on average. */
static const double least_slope = 0.5;

struct mean {
    double groups, ms, weight;
};

static void take(struct mean *m, double groups, double ms, double weight)
{
    m->groups += (groups - m->groups) * weight / (m->weight + weight);
    m->ms += (ms - m->ms) * weight / (m->weight + weight);
    m->weight += weight;
}

/* Neighbours that do not lie apart as one: between two of them noise alone says what a work-group costs, and what none
 * costs. */
static unsigned join_neighbours(struct mean *m, unsigned n)
{
    unsigned to = 0;
    for (unsigned i = 1; i < n; i++) {
        if (m[i].groups > apart * m[to].groups)
            m[++to] = m[i];
        else
            take(&m[to], m[i].groups, m[i].ms, m[i].weight);
    }
    return n ? to + 1 : 0;
}

/* S's samples as points that lie apart. */
static unsigned cluster(const struct yk_series *s, struct mean m[YK_SERIES_SAMPLES])
{
    unsigned n = 0;
    double first = 0;
    for (unsigned i = 0; i < s->n; i++) {
        const struct yk_sample *a = &s->at[i];
        if (!n || a->groups > apart * first) {
            first = a->groups;
            m[n++] = (struct mean){0, 0, 0};
        }
        take(&m[n - 1], a->groups, a->ms, a->count < known ? a->count ? a->count : 1 : known);
    }
    return join_neighbours(m, n);
}

unsigned yk_series_table(const struct yk_series *s, struct yk_series_point point[YK_SERIES_POINTS])
{
    struct mean m[YK_SERIES_SAMPLES], level[YK_SERIES_SAMPLES];
    unsigned n = cluster(s, m), from[YK_SERIES_SAMPLES], levels = 0;
    if (!n)
        return 0;
    for (unsigned i = 0; i < n; i++) { /* times that fall become their mean */
        level[levels] = m[i];
        from[levels++] = i;
        for (; levels > 1 && level[levels - 2].ms > level[levels - 1].ms; levels--)
            take(&level[levels - 2], level[levels - 1].groups, level[levels - 1].ms, level[levels - 1].weight);
    }
    for (unsigned k = 0; k < levels; k++)
        for (unsigned i = from[k], end = k + 1 < levels ? from[k + 1] : n; i < end; i++)
            point[i + 1] = (struct yk_series_point){m[i].groups, level[k].ms};
    double start = 0;
    if (n > 1) {
        start = point[1].ms - (point[2].ms - point[1].ms) / (point[2].groups - point[1].groups) * point[1].groups;
        start = start < 0 ? 0 : start;
    }
    point[0] = (struct yk_series_point){0, start};
    const struct yk_series_point *last = &point[n], *before = &point[n - 1];
    double slope = (last->ms - before->ms) / (last->groups - before->groups),
           least = least_slope * last->ms / last->groups;
    if (slope >= least)
        return n + 1;
    point[n + 1] = (struct yk_series_point){2 * last->groups, last->ms + least * last->groups};
    return n + 2;
}

double yk_series_ms(const struct yk_series *s, double groups)
{
    struct yk_series_point p[YK_SERIES_POINTS];
    unsigned n = yk_series_table(s, p), i = 0;
    if (!n)
        return -1;
    while (i + 2 < n && p[i + 1].groups <= groups)
        i++;
    return p[i].ms + (groups - p[i].groups) * (p[i + 1].ms - p[i].ms) / (p[i + 1].groups - p[i].groups);
}

bool yk_series_belied(const struct yk_series *s, double groups, double whole_ms)
{
    /* A device that is up to so many times slower has a share by right that is no smaller a part: its samples stand. */
    const double far = 16, too_slow = 2;
    return s->n && whole_ms > 0 && groups > far * s->at[s->n - 1].groups &&
           yk_series_ms(s, groups) > too_slow * whole_ms;
}

void yk_series_sift(struct yk_series *s, double groups, double whole_ms)
{
    const double far = 1.5;
    bool proven = false;
    for (unsigned i = 0; i < s->n; i++)
        proven |= s->at[i].count >= known && s->at[i].ms * groups <= far * whole_ms * s->at[i].groups;
    unsigned n = 0;
    for (unsigned i = 0; i < s->n; i++) {
        const struct yk_sample a = s->at[i];
        if (!proven || a.count >= known || a.groups > groups || a.ms <= far * whole_ms)
            s->at[n++] = a;
    }
    s->n = n;
}

uint64_t yk_series_count(const struct yk_series *s)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < s->n; i++)
        n += s->at[i].count;
    return n;
}

bool yk_series_good(const struct yk_series *s)
{
    if (s->n > YK_SERIES_SAMPLES)
        return false;
    for (unsigned i = 0; i < s->n; i++)
        if (!possible(s->at[i].groups, s->at[i].ms) || (i && !(s->at[i].groups > s->at[i - 1].groups)))
            return false;
    return true;
}
