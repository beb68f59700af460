/* `yoke report`: a trace (YOKE_TRACE) read back, and what it says of each kernel and device. Who uses it: report*.c. */
#ifndef YK_CLI_REPORT_H
#define YK_CLI_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

enum { YK_REPORT_DEVICES = 32, YK_REPORT_REASONS = 12 };

/* One bar of the chart. Times in ms from the first event. */
struct yk_report_span {
    int track;
    char kind;  /* 'r'un, 'c'opy, 'm'erge, 'd'ecision, 'p'reparation, 's'tage */
    int device; /* of a preparation */
    double start, ms, predicted;
    long long launch;
    double groups, bytes;
    const char *name; /* borrowed from the JSON */
};

/* One track that is a device or its link. */
struct yk_report_use {
    int track;
    bool link;
    unsigned spans;
    double busy_ms, groups, bytes;
};

struct yk_report_kernel {
    const char *name, *verdict;       /* verdict: of the analysis; "" where nobody asked for one */
    unsigned launches, split, staged; /* staged: in parts, beside their own transfers */
    double groups[YK_REPORT_DEVICES], ms[YK_REPORT_DEVICES]; /* of split launches */
    double real_ms, predicted_ms, ideal_ms; /* of split launches with a prediction; of all split ones */
    double predicted_real_ms;               /* real time of those with a prediction */
    double whole_ms, decide_ms, bytes;
    struct {
        const char *text;
        unsigned n;
    } reason[YK_REPORT_REASONS];
    unsigned reasons;
};

struct yk_report {
    json_t *events;
    struct yk_report_span *span;
    size_t spans;
    struct yk_report_kernel *kernel;
    size_t kernels;
    char track[2 * YK_REPORT_DEVICES + 16][160]; /* names; "" where there is none */
    unsigned devices;
    struct yk_report_use use[2 * YK_REPORT_DEVICES];
    unsigned uses; /* those that did something, and every device */
    double end_ms;
    bool complete; /* the program ended well: the trace has its end */
};

/** Read FILE. False: MSG (N bytes) says why. A trace that a crash has cut is read up to there. */
bool yk_report_read(const char *file, struct yk_report *r, char *msg, size_t n);
void yk_report_finish(struct yk_report *r);

void yk_report_text(const struct yk_report *r, FILE *to);
void yk_report_json(const struct yk_report *r, FILE *to);
void yk_report_svg(const struct yk_report *r, FILE *to);
void yk_report_html(const struct yk_report *r, FILE *to);

/** TEXT with <, >, & and quotes replaced. */
void yk_report_escape(const char *text, FILE *to);

/** The row of TRACK in charts, from 0 in the order of the tracks that have a name; -1: it has none. */
int yk_report_row(const struct yk_report *r, int track);

/** The colour of a bar, as in CSS: one per kind of transfer and decision, and for runs one per kernel. */
const char *yk_report_colour(const struct yk_report_span *s);

#endif
