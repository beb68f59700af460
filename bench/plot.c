#include "bench/plot.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 720, HEIGHT = 440, LEFT = 70, RIGHT = 180, TOP = 40, BOTTOM = 50, JOINED = 40 };
static const char *const color[PLOT_SERIES] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                               "#e69f00", "#56b4e9", "#000000", "#999999"};

void plot_init(struct plot *p, const char *title, const char *x, const char *y)
{
    p->n = p->nseries = 0;
    snprintf(p->title, sizeof p->title, "%s", title);
    p->x = x;
    p->y = y;
}

void plot_point(struct plot *p, const char *series, double x, double y)
{
    unsigned s = 0;
    if (!(x > 0 && y > 0) || isinf(x) || isinf(y) || p->n == PLOT_POINTS)
        return;
    while (s < p->nseries && strcmp(p->series[s], series) != 0)
        s++;
    if (s == PLOT_SERIES)
        return;
    if (s == p->nseries)
        p->series[p->nseries++] = series;
    p->point[p->n].series = s;
    p->point[p->n].x = log10(x);
    p->point[p->n++].y = log10(y);
}

static double place(double v, const double *range, double from, double to)
{
    return from + (v - range[0]) / (range[1] - range[0]) * (to - from);
}

bool plot_write(const struct plot *p, const char *folder, const char *name)
{
    char path[4096];
    double x[2] = {INFINITY, -INFINITY}, y[2] = {INFINITY, -INFINITY};
    snprintf(path, sizeof path, "%s/%s.svg", folder, name);
    FILE *f = fopen(path, "w");
    if (!f)
        return false;
    for (unsigned i = 0; i < p->n; i++) {
        x[0] = fmin(x[0], floor(p->point[i].x));
        x[1] = fmax(x[1], ceil(p->point[i].x + 1e-9));
        y[0] = fmin(y[0], floor(p->point[i].y));
        y[1] = fmax(y[1], ceil(p->point[i].y + 1e-9));
    }
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
            "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
            "<text x=\"%d\" y=\"22\" font-size=\"14\">%s</text>\n",
            WIDTH, HEIGHT, LEFT, p->title);
    for (double d = p->n ? x[0] : 1; d <= x[1]; d++) {
        double at = place(d, x, LEFT, WIDTH - RIGHT);
        fprintf(
            f,
            "<path d=\"M%.1f %dV%d\" stroke=\"#ddd\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">1e%g</text>\n",
            at, TOP, HEIGHT - BOTTOM, at, HEIGHT - BOTTOM + 16, d);
    }
    for (double d = p->n ? y[0] : 1; d <= y[1]; d++) {
        double at = place(d, y, HEIGHT - BOTTOM, TOP);
        fprintf(f,
                "<path d=\"M%d %.1fH%d\" stroke=\"#ddd\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">1e%g</text>\n",
                LEFT, at, WIDTH - RIGHT, LEFT - 6, at + 4, d);
    }
    for (unsigned s = 0; s < p->nseries; s++) {
        unsigned n = 0;
        for (unsigned i = 0; i < p->n; i++)
            n += p->point[i].series == s;
        if (n <= JOINED)
            fprintf(f, "<polyline fill=\"none\" stroke=\"%s\" points=\"", color[s]);
        for (unsigned i = 0; i < p->n && n <= JOINED; i++)
            if (p->point[i].series == s)
                fprintf(f, "%.1f,%.1f ", place(p->point[i].x, x, LEFT, WIDTH - RIGHT),
                        place(p->point[i].y, y, HEIGHT - BOTTOM, TOP));
        if (n <= JOINED)
            fprintf(f, "\"/>\n");
        for (unsigned i = 0; i < p->n; i++)
            if (p->point[i].series == s)
                fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\"/>\n",
                        place(p->point[i].x, x, LEFT, WIDTH - RIGHT), place(p->point[i].y, y, HEIGHT - BOTTOM, TOP),
                        color[s]);
        fprintf(f, "<text x=\"%d\" y=\"%u\" fill=\"%s\">%s</text>\n", WIDTH - RIGHT + 10, TOP + 12 + 16 * s, color[s],
                p->series[s]);
    }
    fprintf(f,
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text><text transform=\"translate(18 %d) rotate(-90)\" "
            "text-anchor=\"middle\">%s</text>\n</svg>\n",
            (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, p->x, (TOP + HEIGHT - BOTTOM) / 2, p->y);
    return fclose(f) == 0;
}
