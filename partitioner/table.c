#include "partitioner/table.h"

bool yk_table_good(const struct yk_table *t)
{
    if (t->n < 2 || t->n > YK_TABLE_POINTS || t->v[0].groups != 0 || !(t->v[0].ms >= 0))
        return false;
    for (unsigned i = 1; i < t->n; i++)
        if (!(t->v[i].groups > t->v[i - 1].groups) || !(t->v[i].ms >= t->v[i - 1].ms))
            return false;
    return t->v[t->n - 1].ms > t->v[t->n - 2].ms;
}

/* The line that a value lies on: the last point below it, but the last one. */
static unsigned line_of(const struct yk_table *t, double x, bool by_ms)
{
    unsigned low = 0, high = t->n - 1;
    while (high - low > 1) {
        unsigned mid = (low + high) / 2;
        if ((by_ms ? t->v[mid].ms : t->v[mid].groups) <= x)
            low = mid;
        else
            high = mid;
    }
    return low;
}

double yk_table_ms(const struct yk_table *t, double groups)
{
    const struct yk_point *p = &t->v[line_of(t, groups, false)];
    return p->ms + (groups - p->groups) * (p[1].ms - p->ms) / (p[1].groups - p->groups);
}

double yk_table_groups(const struct yk_table *t, double ms)
{
    if (ms < t->v[0].ms)
        return 0;
    const struct yk_point *p = &t->v[line_of(t, ms, true)];
    double rise = p[1].ms - p->ms;
    return rise > 0 ? p->groups + (ms - p->ms) * (p[1].groups - p->groups) / rise : p[1].groups;
}
