/* `yoke report`: options, and the forms of text and JSON. */
#include "cli/command.h"
#include "cli/report.h"

#include <errno.h>
#include <string.h>

enum { TRACK_DEVICE = 10 };

static double groups_of(const struct yk_report *r, const struct yk_report_kernel *k)
{
    double sum = 0;
    for (unsigned d = 0; d < r->devices; d++)
        sum += k->groups[d];
    return sum;
}

void yk_report_text(const struct yk_report *r, FILE *to)
{
    fprintf(to, "%.3f ms traced%s\n", r->end_ms,
            r->complete ? "" : "; the program did not end by itself, or still runs");
    for (unsigned i = 0; i < r->uses; i++) {
        const struct yk_report_use *u = &r->use[i];
        double share = r->end_ms > 0 ? 100 * u->busy_ms / r->end_ms : 0;
        fprintf(to, "%s: busy %.3f ms (%.1f %%)", r->track[u->track], u->busy_ms, share);
        fprintf(to, u->link ? ", %.3f MB\n" : "\n", u->bytes / 1e6);
    }
    for (size_t i = 0; i < r->spans; i++)
        if (r->span[i].kind == 'p')
            fprintf(to, "made ready for device %d: %s, %.3f ms from %.3f ms on\n", r->span[i].device, r->span[i].name,
                    r->span[i].ms, r->span[i].start);
    for (size_t i = 0; i < r->kernels; i++) {
        const struct yk_report_kernel *k = &r->kernel[i];
        double all = groups_of(r, k);
        fprintf(to, "\n%s: %u launches, %u split", k->name, k->launches, k->split);
        if (k->staged)
            fprintf(to, ", %u in parts beside their transfers", k->staged);
        fprintf(to, k->verdict[0] ? "; verdict %s\n" : "\n", k->verdict);
        if (k->split) {
            fprintf(to, "  shares");
            for (unsigned d = 0; d < r->devices; d++)
                fprintf(to, " %s%.1f %% (%.3f ms)", d ? "| " : "", all > 0 ? 100 * k->groups[d] / all : 0, k->ms[d]);
            fprintf(to, "\n  real %.3f ms, ideal for these devices %.3f ms: efficiency %.3f\n", k->real_ms, k->ideal_ms,
                    k->real_ms > 0 ? k->ideal_ms / k->real_ms : 0);
            if (k->predicted_ms > 0)
                fprintf(to, "  predicted %.3f ms, then took %.3f ms\n", k->predicted_ms, k->predicted_real_ms);
        }
        if (k->whole_ms > 0)
            fprintf(to, "  whole and measured: %.3f ms\n", k->whole_ms);
        if (k->bytes > 0)
            fprintf(to, k->staged ? "  moved: %.3f MB\n" : "  moved and merged: %.3f MB\n", k->bytes / 1e6);
        fprintf(to, "  deciding took %.3f ms\n", k->decide_ms);
        for (unsigned j = 0; j < k->reasons; j++)
            fprintf(to, "  %u whole: %s\n", k->reason[j].n, k->reason[j].text);
    }
}

void yk_report_json(const struct yk_report *r, FILE *to)
{
    json_t *all = json_object(), *kernels = json_array(), *devices = json_array(), *tracks = json_array();
    json_object_set_new(all, "ms", json_real(r->end_ms));
    json_object_set_new(all, "complete", json_boolean(r->complete));
    for (unsigned d = 0; d < r->devices; d++)
        json_array_append_new(devices, json_string(r->track[TRACK_DEVICE + 2 * d]));
    json_object_set_new(all, "devices", devices);
    for (unsigned i = 0; i < r->uses; i++) {
        const struct yk_report_use *u = &r->use[i];
        json_array_append_new(tracks, json_pack("{s:s, s:s, s:f, s:f, s:f, s:i}", "name", r->track[u->track], "kind",
                                                u->link ? "link" : "device", "busy_ms", u->busy_ms, "groups", u->groups,
                                                "bytes", u->bytes, "spans", (int)u->spans));
    }
    json_object_set_new(all, "tracks", tracks);
    json_t *prepared = json_array();
    for (size_t i = 0; i < r->spans; i++)
        if (r->span[i].kind == 'p')
            json_array_append_new(prepared,
                                  json_pack("{s:s, s:i, s:f, s:f}", "what", r->span[i].name, "device",
                                            r->span[i].device, "start_ms", r->span[i].start, "ms", r->span[i].ms));
    json_object_set_new(all, "prepared", prepared);
    for (size_t i = 0; i < r->kernels; i++) {
        const struct yk_report_kernel *k = &r->kernel[i];
        json_t *o = json_object(), *shares = json_array(), *reasons = json_array();
        double sum = groups_of(r, k);
        for (unsigned d = 0; d < r->devices; d++)
            json_array_append_new(shares, json_pack("{s:f, s:f, s:f}", "groups", k->groups[d], "share",
                                                    sum > 0 ? k->groups[d] / sum : 0.0, "ms", k->ms[d]));
        for (unsigned j = 0; j < k->reasons; j++)
            json_array_append_new(
                reasons, json_pack("{s:s, s:i}", "reason", k->reason[j].text, "launches", (int)k->reason[j].n));
        json_object_set_new(o, "name", json_string(k->name));
        json_object_set_new(o, "verdict", json_string(k->verdict));
        json_object_set_new(o, "launches", json_integer(k->launches));
        json_object_set_new(o, "split", json_integer(k->split));
        json_object_set_new(o, "staged", json_integer(k->staged));
        json_object_set_new(o, "real_ms", json_real(k->real_ms));
        json_object_set_new(o, "ideal_ms", json_real(k->ideal_ms));
        json_object_set_new(o, "predicted_ms", json_real(k->predicted_ms));
        json_object_set_new(o, "predicted_real_ms", json_real(k->predicted_real_ms));
        json_object_set_new(o, "whole_ms", json_real(k->whole_ms));
        json_object_set_new(o, "decide_ms", json_real(k->decide_ms));
        json_object_set_new(o, "bytes", json_real(k->bytes));
        json_object_set_new(o, "devices", shares);
        json_object_set_new(o, "whole", reasons);
        json_array_append_new(kernels, o);
    }
    json_object_set_new(all, "kernels", kernels);
    json_dumpf(all, to, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    fputc('\n', to);
    json_decref(all);
}

static const struct yk_cli_option options[] = {
    {"json", 'j', NULL, NULL, "Print JSON instead of text.", NULL},
    {"svg", 's', "FILE", NULL, "Draw the chart of devices and links over time to FILE.", NULL},
    {"html", 'w', "FILE", NULL, "Write one page with chart and tables to FILE; it needs no network.", NULL},
    {0}};

static int write_to(const char *file, const struct yk_report *r, void (*form)(const struct yk_report *, FILE *))
{
    FILE *f = fopen(file, "we");
    if (f)
        form(r, f);
    if (!f || ferror(f) | fclose(f)) {
        fprintf(stderr, "yoke report: %s: %s\n", file, strerror(errno));
        return YK_EXIT_FAILED;
    }
    return 0;
}

static int run(const struct yk_cli_command *self, int argc, char **argv)
{
    const char *values[YK_CLI_MAX_OPTIONS], *svg, *html;
    char msg[512];
    struct yk_report r;
    int first = yk_cli_parse(self, argc, argv, values), status = 0;
    if (first < 0)
        return -1 - first;
    if (first + 1 != argc)
        return yk_cli_usage_error(self, "which trace? (yoke run --trace FILE writes one)");
    if (!yk_report_read(argv[first], &r, msg, sizeof msg)) {
        fprintf(stderr, "yoke report: %s\n", msg);
        yk_report_finish(&r);
        return YK_EXIT_FAILED;
    }
    if ((svg = yk_cli_value(self, values, "svg")))
        status = write_to(svg, &r, yk_report_svg);
    if (!status && (html = yk_cli_value(self, values, "html")))
        status = write_to(html, &r, yk_report_html);
    if (yk_cli_value(self, values, "json"))
        yk_report_json(&r, stdout);
    else if (!svg && !yk_cli_value(self, values, "html"))
        yk_report_text(&r, stdout);
    yk_report_finish(&r);
    return status;
}

const struct yk_cli_command yk_cli_report = {
    .name = "report",
    .usage = "yoke report [options] TRACE",
    .summary = "what a trace says: shares, times, reasons",
    .about =
        "Reads what 'yoke run --trace FILE' wrote and prints for each kernel how its launches were shared, what was "
        "predicted and what they took, how far that is from the ideal of the same devices, what was moved, and why "
        "launches ran whole. A trace that a crash has cut is read up to there. The same file opens in Perfetto.",
    .more = "Example:\n"
            "  yoke run --trace t.json -- ./app\n"
            "  yoke report t.json\n"
            "  yoke report --html t.html t.json",
    .options = options,
    .run = run};
