/* Time against work-groups as a table: points with lines between them, rising. Made by the profiler from samples, read
 * by the strategies. Pure. Work-groups are real numbers here; who needs whole ones rounds. */
#ifndef YK_PARTITIONER_TABLE_H
#define YK_PARTITIONER_TABLE_H

#include <stdbool.h>

enum { YK_TABLE_POINTS = 32 };

struct yk_point {
    double groups, ms;
};

/* groups[] strictly rising from 0, ms[] never falling, the last two points not of one height: beyond the last point the
 * last line goes on. v[0].ms is what any launch costs. n < 2: no table. */
struct yk_table {
    unsigned n;
    const struct yk_point *v; /* borrowed */
};

/** Is T as the comment above says? */
bool yk_table_good(const struct yk_table *t);

/** Time of GROUPS (> 0) in ms. Cost: O(log points). */
double yk_table_ms(const struct yk_table *t, double groups);

/** The most work-groups done by MS; 0 where even the first point is later. */
double yk_table_groups(const struct yk_table *t, double ms);

#endif
