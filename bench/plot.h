/* A figure with logarithmic axes as SVG: points of named series, joined where they are few. For benches. */
#ifndef YK_BENCH_PLOT_H
#define YK_BENCH_PLOT_H

#include <stdbool.h>

enum { PLOT_POINTS = 8000, PLOT_SERIES = 8 };

struct plot {
    char title[120];
    const char *x, *y; /* axes; borrowed */
    const char *series[PLOT_SERIES];
    unsigned nseries, n;
    struct {
        unsigned series;
        double x, y;
    } point[PLOT_POINTS];
};

void plot_init(struct plot *p, const char *title, const char *x, const char *y);

/** Add a point to SERIES (a literal; the same text is the same series). What is not positive and finite is left out. */
void plot_point(struct plot *p, const char *series, double x, double y);

/** Write FOLDER/NAME.svg. False: that cannot be done. */
bool plot_write(const struct plot *p, const char *folder, const char *name);

#endif
