/* The chart of `yoke report` as an SVG, and what its page shares with it. */
#include "cli/report.h"

enum { WIDTH = 1200, LEFT = 220, ROW = 26, TOP = 34 };

static const char *const colours[] = {"#4878a8", "#e08a3c", "#5a9e5a", "#b05a8a",
                                      "#8a7ab8", "#a88048", "#58a8a8", "#c05050"};

void yk_report_escape(const char *text, FILE *to)
{
    for (; *text; text++)
        switch (*text) {
        case '<':
            fputs("&lt;", to);
            break;
        case '>':
            fputs("&gt;", to);
            break;
        case '&':
            fputs("&amp;", to);
            break;
        case '"':
            fputs("&quot;", to);
            break;
        case '\'':
            fputs("&#39;", to);
            break;
        default:
            fputc(*text, to);
        }
}

static unsigned hash(const char *s)
{
    unsigned h = 5381;
    for (; *s; s++)
        h = h * 33 + (unsigned char)*s;
    return h % (sizeof colours / sizeof *colours);
}

const char *yk_report_colour(const struct yk_report_span *s)
{
    return s->kind == 'c'   ? "#999999"
           : s->kind == 'm' ? "#c0a030"
           : s->kind == 'd' ? "#404040"
                            : colours[hash(s->name)];
}

int yk_report_row(const struct yk_report *r, int track)
{
    int row = 0;
    if (!r->track[track][0])
        return -1;
    for (int t = 0; t < track; t++)
        row += r->track[t][0] != 0;
    return row;
}

static int rows_of(const struct yk_report *r)
{
    int rows = 0;
    for (size_t t = 0; t < sizeof r->track / sizeof *r->track; t++)
        rows += r->track[t][0] != 0;
    return rows;
}

void yk_report_svg(const struct yk_report *r, FILE *to)
{
    int rows = rows_of(r), height = TOP + rows * ROW + 30;
    double scale = r->end_ms > 0 ? (WIDTH - LEFT - 20) / r->end_ms : 0;
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
            WIDTH, height, WIDTH, height, WIDTH, height);
    for (size_t t = 0; t < sizeof r->track / sizeof *r->track; t++) {
        int row = yk_report_row(r, (int)t);
        if (row < 0)
            continue;
        fprintf(to, "<text x=\"6\" y=\"%d\">", TOP + row * ROW + 17);
        char name[40];
        snprintf(name, sizeof name, "%.34s", r->track[t]);
        yk_report_escape(name, to);
        fprintf(to, "</text>\n<line x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" stroke=\"#dddddd\"/>\n", LEFT, WIDTH - 20,
                TOP + (row + 1) * ROW, TOP + (row + 1) * ROW);
    }
    for (int i = 0; i <= 8; i++) {
        double x = LEFT + i * (WIDTH - LEFT - 20) / 8.0;
        fprintf(to,
                "<text x=\"%.1f\" y=\"20\" text-anchor=\"middle\">%.3g ms</text>\n"
                "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"26\" y2=\"%d\" stroke=\"#eeeeee\"/>\n",
                x, r->end_ms * i / 8, x, x, TOP + rows * ROW);
    }
    for (size_t i = 0; i < r->spans; i++) {
        const struct yk_report_span *s = &r->span[i];
        int row = yk_report_row(r, s->track);
        if (row < 0)
            continue;
        double w = s->ms * scale;
        fprintf(to, "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"%s\"><title>",
                LEFT + s->start * scale, TOP + row * ROW + 3, w > 0.5 ? w : 0.5, ROW - 6, yk_report_colour(s));
        yk_report_escape(s->name, to);
        fprintf(to, ": %.3f ms", s->ms);
        if (s->groups > 0)
            fprintf(to, ", %.0f work-groups", s->groups);
        if (s->predicted > 0)
            fprintf(to, ", predicted %.3f ms", s->predicted);
        if (s->bytes > 0)
            fprintf(to, ", %.0f bytes", s->bytes);
        fputs("</title></rect>\n", to);
    }
    fputs("</svg>\n", to);
}
