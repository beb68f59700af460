#include "profiler/series.h"
#include <math.h>
#include <string.h>

static bool possible(double groups, double ms)
{
    return groups >= 1 && groups <= 1e18 && ms > 0 && ms <= 1e12;
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

static void add(struct yk_series *s, double groups, double ms, bool least)
{
    unsigned i = 0;
    if (!possible(groups, ms))
        return;
    for (unsigned k = 0; k < s->n; k++)
        if (fabs(s->at[k].groups - groups) <= 0.05 * groups) {
            /* The same number of work-groups keeps the sample's place; the time is what changes. */
            double old = s->at[k].ms;
            join(&s->at[k], s->at[k].groups, ms);
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
    add(s, groups, ms, false);
}

void yk_series_add_least(struct yk_series *s, double groups, double ms)
{
    add(s, groups, ms, true);
}

unsigned yk_series_table(const struct yk_series *s, struct yk_series_point point[YK_SERIES_POINTS])
{
    if (!s->n)
        return 0;
    double start = 0;
    if (s->n > 1) {
        const struct yk_sample *a = &s->at[0], *b = &s->at[1];
        start = a->ms - (b->ms - a->ms) / (b->groups - a->groups) * a->groups;
        start = start < 0 ? 0 : start > a->ms ? a->ms : start;
    }
    point[0] = (struct yk_series_point){0, start};
    for (unsigned i = 0; i < s->n; i++) {
        double ms = s->at[i].ms;
        point[i + 1] = (struct yk_series_point){s->at[i].groups, ms > point[i].ms ? ms : point[i].ms};
    }
    /* Beyond the last sample time must go on: if no line there rises, by the mean of all. */
    struct yk_series_point *last = &point[s->n], *before = &point[s->n - 1];
    double mean = last->ms / last->groups * (last->groups - before->groups);
    if (last->ms - before->ms < 0.01 * mean)
        last->ms = before->ms + 0.01 * mean;
    return s->n + 1;
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

bool yk_series_good(const struct yk_series *s)
{
    if (s->n > YK_SERIES_SAMPLES)
        return false;
    for (unsigned i = 0; i < s->n; i++)
        if (!possible(s->at[i].groups, s->at[i].ms) || (i && !(s->at[i].groups > s->at[i - 1].groups)))
            return false;
    return true;
}
