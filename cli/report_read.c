#include "cli/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TRACK_DECISIONS = 1, TRACK_MERGES = 2, TRACK_DEVICE = 10 };

/* The whole of FILE with what a crash leaves out put back: the last line may be cut, the bracket may be missing. */
static char *load(const char *file, bool *complete, char *msg, size_t n)
{
    FILE *f = fopen(file, "re");
    char *text = NULL;
    size_t used = 0, cap = 0;
    if (!f) {
        snprintf(msg, n, "%s: %s", file, strerror(errno));
        return NULL;
    }
    for (;;) {
        if (cap - used < 65536) {
            char *more = realloc(text, cap = 2 * cap + 131072);
            if (!more) {
                snprintf(msg, n, "no memory");
                free(text);
                fclose(f);
                return NULL;
            }
            text = more;
        }
        size_t got = fread(text + used, 1, cap - used - 8, f);
        used += got;
        if (!got)
            break;
    }
    fclose(f);
    text[used] = 0;
    while (used && strchr(" \n\t", text[used - 1]))
        used--;
    *complete = used && text[used - 1] == ']';
    if (*complete)
        return text;
    /* A line per event, each ends with a comma. */
    while (used && !(used > 1 && text[used - 1] == ',' && text[used] == '\n'))
        used--;
    if (used)
        used--;
    else
        text[used++] = '[';
    strcpy(text + used, "]");
    return text;
}

static double number(const json_t *o, const char *key)
{
    return json_number_value(json_object_get(o, key));
}

static const char *text(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

static struct yk_report_kernel *kernel_of(struct yk_report *r, const char *name)
{
    for (size_t i = 0; i < r->kernels; i++)
        if (!strcmp(r->kernel[i].name, name))
            return &r->kernel[i];
    struct yk_report_kernel *more = realloc(r->kernel, (r->kernels + 1) * sizeof *more);
    if (!more)
        return NULL;
    r->kernel = more;
    memset(&r->kernel[r->kernels], 0, sizeof *more);
    r->kernel[r->kernels].name = name;
    r->kernel[r->kernels].verdict = "";
    return &r->kernel[r->kernels++];
}

static void add_verdict(struct yk_report_kernel *k, const json_t *args)
{
    const char *verdict = text(args, "verdict");
    if (verdict[0])
        k->verdict = verdict;
}

static void add_reason(struct yk_report_kernel *k, const char *reason)
{
    unsigned i = 0;
    while (i < k->reasons && strcmp(k->reason[i].text, reason))
        i++;
    if (i == YK_REPORT_REASONS)
        return;
    k->reason[i].text = reason;
    k->reason[i].n++;
    k->reasons += i == k->reasons;
}

/* What is gathered of one launch while its events come. */
struct launch {
    struct yk_report_kernel *kernel;
    bool split;
    double predicted, begin, end, groups[YK_REPORT_DEVICES], ms[YK_REPORT_DEVICES];
};

static bool valid_track(const struct yk_report *r, int track)
{
    return track >= 0 && (size_t)track < sizeof r->track / sizeof *r->track;
}

static void take_run(struct launch *l, const struct yk_report_span *s, const json_t *args)
{
    unsigned dev = (unsigned)(s->track - TRACK_DEVICE) / 2;
    if (s->track < TRACK_DEVICE || dev >= YK_REPORT_DEVICES || !l->kernel)
        return;
    if (json_is_true(json_object_get(args, "whole"))) {
        l->kernel->whole_ms += s->ms;
        return;
    }
    l->groups[dev] += s->groups;
    l->ms[dev] += s->ms;
    l->begin = l->end > 0 && l->begin < s->start ? l->begin : s->start;
    l->end = l->end > s->start + s->ms ? l->end : s->start + s->ms;
}

static void finish_launch(struct launch *l)
{
    double rates = 0, groups = 0, real = l->end - l->begin;
    if (!l->kernel || !l->split || !(real > 0))
        return;
    for (unsigned i = 0; i < YK_REPORT_DEVICES; i++) {
        l->kernel->groups[i] += l->groups[i];
        l->kernel->ms[i] += l->ms[i];
        groups += l->groups[i];
        rates += l->ms[i] > 0 ? l->groups[i] / l->ms[i] : 0;
    }
    l->kernel->real_ms += real;
    l->kernel->ideal_ms += rates > 0 ? groups / rates : real;
    if (l->predicted > 0) {
        l->kernel->predicted_ms += l->predicted;
        l->kernel->predicted_real_ms += real;
    }
}

static bool take(struct yk_report *r, struct launch *launches, size_t n, const json_t *e, double first)
{
    const json_t *args = json_object_get(e, "args");
    const char *cat = text(e, "cat"), *ph = text(e, "ph");
    struct yk_report_span s = {.track = (int)number(e, "tid"),
                               .start = number(e, "ts") / 1e3 - first,
                               .ms = number(e, "dur") / 1e3,
                               .name = text(e, "name"),
                               .launch = (long long)number(args, "launch"),
                               .predicted = number(args, "predicted_ms"),
                               .bytes = number(args, "bytes"),
                               .device = (int)number(args, "device")};
    if (!strcmp(ph, "i")) {
        if (!json_object_get(args, "kernel"))
            return true;
        struct yk_report_kernel *k = kernel_of(r, text(args, "kernel"));
        if (!k)
            return false;
        k->launches++;
        add_verdict(k, args);
        add_reason(k, text(args, "reason"));
        return true;
    }
    if (strcmp(ph, "X") || !valid_track(r, s.track))
        return true;
    struct launch *l = s.launch > 0 && (size_t)s.launch < n ? &launches[s.launch] : NULL;
    s.groups = number(args, "to") - number(args, "from");
    s.kind = cat[0];
    if (!strcmp(cat, "decision") && l) {
        l->kernel = kernel_of(r, text(args, "kernel"));
        if (!l->kernel)
            return false;
        l->split = json_is_true(json_object_get(args, "split"));
        l->predicted = s.predicted;
        l->kernel->launches++;
        l->kernel->split += l->split;
        l->kernel->decide_ms += s.ms;
        add_verdict(l->kernel, args);
        if (!l->split)
            add_reason(l->kernel, text(args, "reason"));
    } else if (!strcmp(cat, "stage") && json_object_get(args, "parts")) {
        struct yk_report_kernel *k = kernel_of(r, text(args, "kernel"));
        if (!k)
            return false;
        k->launches++;
        k->staged++;
        k->bytes += s.bytes;
    } else if (!strcmp(cat, "run") && l) {
        take_run(l, &s, args);
    } else if (l && l->kernel) {
        l->kernel->bytes += s.bytes;
    }
    r->span[r->spans++] = s;
    r->end_ms = s.start + s.ms > r->end_ms ? s.start + s.ms : r->end_ms;
    return true;
}

static void count_uses(struct yk_report *r)
{
    for (int track = TRACK_DEVICE; track < TRACK_DEVICE + 2 * (int)r->devices; track++) {
        struct yk_report_use u = {.track = track, .link = (track - TRACK_DEVICE) % 2};
        for (size_t i = 0; i < r->spans; i++)
            if (r->span[i].track == track && r->span[i].kind == (u.link ? 'c' : 'r')) {
                u.spans++;
                u.busy_ms += r->span[i].ms;
                u.groups += r->span[i].groups;
                u.bytes += r->span[i].bytes;
            }
        if (!u.link || u.spans)
            r->use[r->uses++] = u;
    }
}

bool yk_report_read(const char *file, struct yk_report *r, char *msg, size_t n)
{
    memset(r, 0, sizeof *r);
    json_error_t error;
    char *all = load(file, &r->complete, msg, n);
    if (!all)
        return false;
    r->events = json_loads(all, 0, &error);
    free(all);
    if (!json_is_array(r->events)) {
        snprintf(msg, n, "%s: no trace: line %d: %s", file, error.line, error.text);
        return false;
    }
    size_t events = json_array_size(r->events), launches = 1, i;
    json_t *e;
    double first = -1;
    json_array_foreach(r->events, i, e)
    {
        long long launch = (long long)number(json_object_get(e, "args"), "launch");
        if (launch > 0 && launch < 1 << 24 && (size_t)launch >= launches)
            launches = (size_t)launch + 1;
        if (json_object_get(e, "ts") && (first < 0 || number(e, "ts") < first))
            first = number(e, "ts");
        int track = (int)number(e, "tid");
        if (!strcmp(text(e, "name"), "thread_name") && valid_track(r, track))
            snprintf(r->track[track], sizeof r->track[track], "%s", text(json_object_get(e, "args"), "name"));
        unsigned device = (unsigned)(track - TRACK_DEVICE) / 2;
        if (valid_track(r, track) && track >= TRACK_DEVICE && device < YK_REPORT_DEVICES && device + 1 > r->devices)
            r->devices = device + 1;
    }
    struct launch *l = calloc(launches, sizeof *l);
    r->span = calloc(events + 1, sizeof *r->span);
    bool ok = l && r->span;
    /* Kernels lie in an array that moves while it grows: their names first. */
    json_array_foreach(r->events, i, e) if (json_object_get(json_object_get(e, "args"), "kernel")) ok =
        ok && kernel_of(r, text(json_object_get(e, "args"), "kernel"));
    json_array_foreach(r->events, i, e) ok = ok && take(r, l, launches, e, first / 1e3);
    for (i = 0; ok && i < launches; i++)
        finish_launch(&l[i]);
    free(l);
    count_uses(r);
    if (!ok)
        snprintf(msg, n, "no memory");
    return ok;
}

void yk_report_finish(struct yk_report *r)
{
    json_decref(r->events);
    free(r->span);
    free(r->kernel);
    memset(r, 0, sizeof *r);
}
