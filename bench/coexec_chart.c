/* Fig. 9(a), 9(b) and 10 of the SKMD paper, drawn from rows of bench/coexec: speed-up over the fastest device alone,
 * who computed how much, and what three programs spent their time on. One group of panels per pair of devices. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "bench/coexec.h"

enum { LEFT = 60, RIGHT = 170, STEP = 46, BAR = 9, TALL = 180, FIG10 = 300, BLOCK = 2 * (TALL + 130) + FIG10 };
enum { DEVICE_0, DEVICE_1, LINEAR, COLD, WARM, SERIES };

static const char *const series_name[SERIES] = {"device 0 alone", "device 1 alone", "linear", "yoke, first run",
                                                "yoke, warm"};
static const char *const colour[SERIES] = {"#0072b2", "#e69f00", "#999999", "#56b4e9", "#009e73"};
static const char *const part_name[] = {"alone", "transfers in", "kernels", "merge, transfers out"};
static const char *const part_colour[] = {"#dddddd", "#e69f00", "#0072b2", "#cc79a7"};
static const char *const broken_down[] = {"vector_add", "matrix_multiply", "histogram"};

static void text(FILE *f, double x, double y, const char *anchor, const char *what)
{
    fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, what);
}

static void bar(FILE *f, double x, double bottom, double width, double height, const char *fill, const char *what,
                double value)
{
    if (height > 0)
        fprintf(
            f,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"><title>%s: %.3g</title></rect>\n",
            x, bottom - height, width, height, fill, what, value);
}

static void slanted(FILE *f, double x, double y, const char *what)
{
    fprintf(f, "<text transform=\"translate(%.1f %.1f) rotate(-35)\" text-anchor=\"end\">%s</text>\n", x, y, what);
}

static void legend(FILE *f, double x, double y, const char *const *name, const char *const *fill, int n)
{
    for (int i = 0; i < n; i++) {
        bar(f, x, y + 16 * i, 10, 10, fill[i], name[i], 0);
        text(f, x + 15, y + 16 * i, "start", name[i]);
    }
}

/* Lines at multiples of EACH up to TOP, SCALE pixels for 1. */
static void grid(FILE *f, double bottom, double top, double each, double scale, double right, const char *unit)
{
    for (double v = 0; v <= top + each / 100; v += each) {
        double y = bottom - v * scale;
        char label[32];
        fprintf(f, "<path d=\"M%d %.1fH%.1f\" stroke=\"#ddd\"/>\n", LEFT, y, right);
        snprintf(label, sizeof label, "%.3g%s", v, unit);
        text(f, LEFT - 6, y + 4, "end", label);
    }
}

static double fastest_ms(const struct coexec_row *r)
{
    return fmin(r->bare[0].ms, r->bare[1].ms);
}

/* Speed over the fastest device alone; 0: not measured. */
static double speed(const struct coexec_row *r, int series)
{
    double ms = series == DEVICE_0   ? r->bare[0].ms
                : series == DEVICE_1 ? r->bare[1].ms
                : series == LINEAR   ? r->linear.ms
                : series == COLD     ? r->cold.ms
                                     : r->warm.ms;
    return ms > 0 ? fastest_ms(r) / ms : 0;
}

static void label_of(const struct coexec_row *r, char *out, size_t n)
{
    snprintf(out, n, "%s%s", r->app, strcmp(r->size, "table2") ? " x16" : "");
}

static void speeds(FILE *f, double bottom, const struct coexec_row *const *r, int n)
{
    double scale = TALL / 2.0, right = LEFT + (n + 1) * STEP, sum[SERIES] = {0}, of_ideal = 0;
    int count[SERIES] = {0};
    grid(f, bottom, 2, 0.25, scale, right, "");
    for (int i = 0; i <= n; i++) {
        char label[96] = "geometric mean";
        double x = LEFT + i * STEP, at = i < n ? fastest_ms(r[i]) / coexec_together(r[i]->bare) : exp(of_ideal / n);
        if (i < n)
            label_of(r[i], label, sizeof label);
        for (int s = 0; s < SERIES; s++) {
            double v = i < n ? speed(r[i], s) : count[s] ? exp(sum[s] / count[s]) : 0;
            if (i < n && v > 0) {
                sum[s] += log(v);
                count[s]++;
            }
            bar(f, x + 1 + (BAR - 1) * s, bottom, BAR - 1, fmin(v, 2.2) * scale, colour[s], series_name[s], v);
        }
        of_ideal += i < n ? log(at) : 0;
        fprintf(f, "<path d=\"M%.1f %.1fh%d\" stroke=\"black\" stroke-width=\"2\"><title>ideal: %.3g</title></path>\n",
                x, bottom - at * scale, STEP - 4, at);
        slanted(f, x + STEP / 2.0, bottom + 14, label);
    }
    legend(f, right + 12, bottom - TALL + 10, series_name, colour, SERIES);
    fprintf(f, "<path d=\"M%.1f %.1fh10\" stroke=\"black\" stroke-width=\"2\"/>\n", right + 12,
            bottom - TALL + 10 + 16 * SERIES - 5);
    text(f, right + 27, bottom - TALL + 10 + 16 * SERIES, "start", "ideal");
}

/* Left of each two: linear; right: yoke, warm. */
static void shares(FILE *f, double bottom, const struct coexec_row *const *r, int n)
{
    const char *const name[] = {"device 0", "device 1"};
    double scale = TALL / 100.0, right = LEFT + (n + 1) * STEP, sum[2][2] = {{0}};
    int count[2] = {0};
    grid(f, bottom, 100, 25, scale, right, " %");
    for (int i = 0; i <= n; i++) {
        char label[96] = "average";
        if (i < n)
            label_of(r[i], label, sizeof label);
        for (int which = 0; which < 2; which++) {
            double below = 0, x = LEFT + i * STEP + 4 + 19 * which;
            const struct coexec_work *w = i < n ? which ? &r[i]->work : &r[i]->linear_work : NULL;
            if (w ? w->share[0] < 0 : !count[which])
                continue;
            for (int d = 0; d < 2; d++) {
                double part = 100 * (w ? w->share[d] : sum[which][d] / count[which]);
                bar(f, x, bottom - below * scale, 17, part * scale, colour[d], name[d], part);
                below += part;
                sum[which][d] += w ? w->share[d] : 0;
            }
            count[which] += w != NULL;
        }
        slanted(f, LEFT + i * STEP + STEP / 2.0, bottom + 14, label);
    }
    legend(f, right + 12, bottom - TALL + 10, name, colour, 2);
    text(f, right + 12, bottom - TALL + 46, "start", "left: linear");
    text(f, right + 12, bottom - TALL + 62, "start", "right: yoke, warm");
}

/* Each device alone as one bar; then what each did of the warm run. */
static void times(FILE *f, double bottom, const struct coexec_row *const *r, int n)
{
    int panel = 0;
    for (unsigned b = 0; b < sizeof broken_down / sizeof *broken_down; b++)
        for (int i = 0; i < n; i++) {
            double left = LEFT + 260.0 * panel, most = 0, scale;
            char label[128];
            if (strcmp(r[i]->app, broken_down[b]) != 0 || strcmp(r[i]->size, "table2") != 0 || r[i]->work.share[0] < 0)
                continue;
            for (int d = 0; d < 2; d++)
                most = fmax(most,
                            fmax(r[i]->bare[d].ms, r[i]->work.in_ms[d] + r[i]->work.run_ms[d] + r[i]->work.merge_ms));
            scale = TALL / most;
            for (int d = 0; d < 2; d++) {
                double part[] = {0, r[i]->work.in_ms[d], r[i]->work.run_ms[d], d ? 0 : r[i]->work.merge_ms}, below = 0;
                snprintf(label, sizeof label, "%.3g ms", r[i]->bare[d].ms);
                bar(f, left + 46 * d, bottom, 34, r[i]->bare[d].ms * scale, part_colour[0], part_name[0],
                    r[i]->bare[d].ms);
                text(f, left + 46 * d + 17, bottom - r[i]->bare[d].ms * scale - 3, "middle", label);
                for (int k = 1; k < 4; k++) {
                    bar(f, left + 110 + 46 * d, bottom - below * scale, 34, part[k] * scale, part_colour[k],
                        part_name[k], part[k]);
                    below += part[k];
                }
                snprintf(label, sizeof label, "%.3g ms", below);
                text(f, left + 110 + 46 * d + 17, bottom - below * scale - 3, "middle", label);
                for (int k = 0; k < 2; k++)
                    text(f, left + 110 * k + 46 * d + 17, bottom + 14, "middle", d ? "1" : "0");
            }
            text(f, left + 40, bottom + 28, "middle", "alone");
            text(f, left + 150, bottom + 28, "middle", "together, warm");
            snprintf(label, sizeof label, "%s", r[i]->app);
            text(f, left + 95, bottom + 44, "middle", label);
            fprintf(f, "<path d=\"M%.1f %.1fh210\" stroke=\"#888\"/>\n", left - 6, bottom);
            panel++;
            break;
        }
    if (panel)
        legend(f, LEFT + 260.0 * panel, bottom - TALL + 10, part_name, part_colour, 4);
}

bool coexec_chart(const char *file, const struct coexec_row *row, int n)
{
    enum { MOST = 64 };
    int blocks = 0, widest = 12;
    char heading[160];
    for (int i = 0; i < n; i++) {
        int same = 0, before = 0;
        for (int k = 0; k < n; k++) {
            same += !strcmp(row[k].pair, row[i].pair);
            before += k < i && !strcmp(row[k].pair, row[i].pair);
        }
        blocks += !before;
        widest = same > widest ? same < MOST ? same : MOST : widest;
    }
    FILE *f = fopen(file, "w");
    if (!f)
        return false;
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
            "font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            LEFT + (widest + 1) * STEP + RIGHT, blocks * BLOCK + 20);
    for (int i = 0, block = 0; i < n; i++) {
        const struct coexec_row *of[MOST];
        int count = 0;
        bool before = false;
        for (int k = 0; k < n; k++)
            if (!strcmp(row[k].pair, row[i].pair)) {
                before |= k < i;
                if (count < MOST)
                    of[count++] = &row[k];
            }
        if (before)
            continue;
        double top = 20 + (double)BLOCK * block++;
        snprintf(heading, sizeof heading, "%s: speed, the fastest device alone is 1 (Fig. 9a)", row[i].pair);
        text(f, LEFT, top, "start", heading);
        speeds(f, top + TALL + 34, of, count);
        snprintf(heading, sizeof heading, "%s: where the work-items were computed (Fig. 9b)", row[i].pair);
        text(f, LEFT, top + TALL + 130, "start", heading);
        shares(f, top + 2 * TALL + 144, of, count);
        snprintf(heading, sizeof heading, "%s: time on each device (Fig. 10)", row[i].pair);
        text(f, LEFT, top + 2 * (TALL + 130) - 8, "start", heading);
        times(f, top + 2 * (TALL + 130) + TALL + 24, of, count);
    }
    fputs("</svg>\n", f);
    return fclose(f) == 0;
}
