/* `yoke simulate`: a recorded trace on a described machine. Each launch that was measured is divided anew by the same
 * strategies, over the described devices, and takes what the partitioner predicts there. Nothing is run. */
#include "cli/command.h"
#include "cli/report.h"
#include "partitioner/cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRACK_PRIMARY = 10, POINTS = 9 };

struct machine {
    unsigned n;
    char name[YK_SPLIT_MAX][64];
    double speed[YK_SPLIT_MAX], knee[YK_SPLIT_MAX];
    struct yk_split_device device[YK_SPLIT_MAX]; /* links and latencies */
};

static double real(const json_t *o, const char *key, double dflt)
{
    const json_t *v = json_object_get(o, key);
    return json_is_number(v) ? json_number_value(v) : dflt;
}

static bool read_machine(const char *file, struct machine *m)
{
    json_error_t error;
    json_t *all = json_load_file(file, 0, &error), *list = json_object_get(all, "devices"), *d;
    size_t i;
    memset(m, 0, sizeof *m);
    if (!all || json_array_size(list) < 1 || json_array_size(list) > YK_SPLIT_MAX) {
        fprintf(stderr, "yoke simulate: %s: %s\n", file,
                all ? "\"devices\" must be a list of 1 to 32 devices" : error.text);
        json_decref(all);
        return false;
    }
    bool ok = true;
    json_array_foreach(list, i, d)
    {
        const char *name = json_string_value(json_object_get(d, "name"));
        snprintf(m->name[i], sizeof m->name[i], "%s", name ? name : "(no name)");
        m->speed[i] = real(d, "speed", 0);
        m->knee[i] = real(d, "knee", 0);
        m->device[i] = (struct yk_split_device){.usable = true,
                                                .latency = real(d, "latency_ms", 0),
                                                .bandwidth = real(d, "bandwidth_gb_s", 0) * 1e6,
                                                .link = (unsigned)real(d, "link", 0)};
        if (!(m->speed[i] > 0) || !(m->knee[i] >= 0 && m->knee[i] < 1) || !(m->device[i].latency >= 0) ||
            !(m->device[i].bandwidth >= 0)) {
            fprintf(
                stderr,
                "yoke simulate: %s: device %zu: speed must be above 0, knee from 0 to below 1, the rest not negative\n",
                file, i);
            ok = false;
        }
        m->n++;
    }
    json_decref(all);
    return ok;
}

/* One launch of the trace. */
struct launch {
    const char *kernel;
    double groups, read, written;
    double primary_groups, primary_ms; /* what the primary did of it */
    double begin, end;
};

static void take(struct launch *l, size_t n, const json_t *e)
{
    const json_t *args = json_object_get(e, "args");
    const char *cat = json_string_value(json_object_get(e, "cat"));
    size_t id = (size_t)real(args, "launch", 0);
    if (!cat || !id || id >= n)
        return;
    double start = real(e, "ts", 0) / 1e3, ms = real(e, "dur", 0) / 1e3;
    if (!strcmp(cat, "decision")) {
        l[id].kernel = json_string_value(json_object_get(args, "kernel"));
        l[id].groups = real(args, "groups", 0);
        if (!(l[id].groups >= 1))
            l[id].groups = fmax(1, ceil(real(args, "items", 1) / 64)); /* whole: cut into groups of the usual size */
        l[id].read = real(args, "read", 0);
        l[id].written = real(args, "written", 0);
    } else if (!strcmp(cat, "run")) {
        bool whole = json_is_true(json_object_get(args, "whole"));
        if ((int)real(e, "tid", 0) == TRACK_PRIMARY) {
            l[id].primary_groups += whole ? l[id].groups : real(args, "to", 0) - real(args, "from", 0);
            l[id].primary_ms += ms;
        }
        l[id].begin = l[id].end > 0 && l[id].begin < start ? l[id].begin : start;
        l[id].end = fmax(l[id].end, start + ms);
    }
}

struct total {
    const char *kernel;
    unsigned launches;
    double recorded, simulated, single, share[YK_SPLIT_MAX];
};

/* L on M: devices whose rate falls off below KNEE of the launch have a table (SKMD, Fig. 7). */
static double simulate(const struct machine *m, const struct yk_strategy *s, const struct launch *l, uint64_t *groups,
                       double *single)
{
    struct yk_split_device d[YK_SPLIT_MAX];
    struct yk_point point[YK_SPLIT_MAX][POINTS];
    struct yk_split split = {.n = m->n, .device = d, .total = (uint64_t)l->groups, .grain = 1};
    double reference = l->primary_groups / l->primary_ms, ms = 0; /* work-groups per ms */
    unsigned best;
    for (unsigned i = 0; i < m->n; i++) {
        double full = l->groups / (reference * m->speed[i]);
        d[i] = m->device[i];
        for (unsigned k = 0; k < POINTS; k++) {
            double part = k / (POINTS - 1.0);
            point[i][k] = (struct yk_point){part * l->groups, full * (m->knee[i] + (1 - m->knee[i]) * part)};
        }
        d[i].table = (struct yk_table){POINTS, point[i]};
        d[i].bytes_per_group = l->read / l->groups;
        d[i].back_per_group = l->written / l->groups;
    }
    yk_strategy_divide(s, &split, groups);
    if (!yk_split_makespan(&split, groups, &ms) || !yk_split_best_single(&split, &best, single))
        *single = 0;
    return ms;
}

static void print(const struct machine *m, const struct total *t, size_t n)
{
    struct total all = {0};
    printf("%-20s %9s %14s %14s %14s  shares\n", "kernel", "launches", "recorded ms", "one device ms", "simulated ms");
    for (size_t i = 0; i < n; i++) {
        printf("%-20s %9u %14.3f %14.3f %14.3f ", t[i].kernel, t[i].launches, t[i].recorded, t[i].single,
               t[i].simulated);
        for (unsigned d = 0; d < m->n; d++)
            printf(" %s %.1f %%", m->name[d], 100 * t[i].share[d] / t[i].launches);
        putchar('\n');
        all.recorded += t[i].recorded;
        all.single += t[i].single;
        all.simulated += t[i].simulated;
    }
    printf("all: recorded %.3f ms, best single device %.3f ms, simulated %.3f ms: %.3f times as fast as recorded, %.3f "
           "times as "
           "the best device alone\n",
           all.recorded, all.single, all.simulated, all.simulated > 0 ? all.recorded / all.simulated : 0,
           all.simulated > 0 ? all.single / all.simulated : 0);
}

static int replay(const struct machine *m, const struct yk_strategy *s, const struct yk_report *r)
{
    enum { KERNELS = 256 };
    static struct total total[KERNELS];
    size_t n = json_array_size(r->events) + 1, i, kernels = 0;
    struct launch *l = calloc(n, sizeof *l);
    json_t *e;
    if (!l)
        return YK_EXIT_FAILED;
    json_array_foreach(r->events, i, e) take(l, n, e);
    for (i = 1; i < n; i++) {
        uint64_t groups[YK_SPLIT_MAX];
        double single;
        size_t k = 0;
        if (!l[i].kernel || !(l[i].primary_ms > 0) || !(l[i].primary_groups > 0))
            continue; /* not measured */
        while (k < kernels && strcmp(total[k].kernel, l[i].kernel))
            k++;
        if (k == KERNELS)
            continue;
        kernels += k == kernels;
        total[k].kernel = l[i].kernel;
        total[k].launches++;
        total[k].recorded += l[i].end - l[i].begin;
        total[k].simulated += simulate(m, s, &l[i], groups, &single);
        total[k].single += single;
        for (unsigned d = 0; d < m->n; d++)
            total[k].share[d] += (double)groups[d] / l[i].groups;
    }
    print(m, total, kernels);
    free(l);
    return 0;
}

static bool check_strategy(const char *value, char *msg)
{
    struct yk_strategy s;
    return yk_strategy_parse(value, &s, msg, YK_CLI_MSG) == YK_OK;
}

static const struct yk_cli_option options[] = {
    {"machine", 'm', "FILE", NULL, "The machine: JSON, see below.", NULL},
    {"trace", 't', "FILE", NULL, "What 'yoke run --trace' has written.", NULL},
    {"strategy", 's', "HOW", NULL, "As for 'yoke run' (default: waterfill).", check_strategy},
    {0}};

static int run(const struct yk_cli_command *self, int argc, char **argv)
{
    const char *values[YK_CLI_MAX_OPTIONS];
    char msg[512];
    static struct machine m;
    struct yk_strategy s;
    struct yk_report r;
    int first = yk_cli_parse(self, argc, argv, values);
    if (first < 0)
        return -1 - first;
    const char *machine = yk_cli_value(self, values, "machine"), *trace = yk_cli_value(self, values, "trace"),
               *how = yk_cli_value(self, values, "strategy");
    if (first != argc || !machine || !trace)
        return yk_cli_usage_error(self, "--machine FILE and --trace FILE are needed");
    if (!read_machine(machine, &m))
        return YK_EXIT_FAILED;
    if (yk_strategy_parse(how ? how : "waterfill", &s, msg, sizeof msg) != YK_OK ||
        yk_strategy_check(&s, m.n, msg, sizeof msg) != YK_OK) {
        fprintf(stderr, "yoke simulate: %s\n", msg);
        return YK_EXIT_FAILED;
    }
    int status = YK_EXIT_FAILED;
    if (yk_report_read(trace, &r, msg, sizeof msg))
        status = replay(&m, &s, &r);
    else
        fprintf(stderr, "yoke simulate: %s\n", msg);
    yk_report_finish(&r);
    return status;
}

const struct yk_cli_command yk_cli_simulate = {
    .name = "simulate",
    .usage = "yoke simulate --machine FILE --trace FILE [--strategy HOW]",
    .summary = "what a recorded program would take on a described machine",
    .about =
        "Replays the measured launches of a trace on described devices, divided by the same strategies with the same "
        "prediction of time: what would a second GPU bring? Nothing is run.",
    .more = "The machine: {\"devices\": [{\"name\": \"A\", \"speed\": 1}, {\"name\": \"B\",\n"
            "\"speed\": 2.5, \"latency_ms\": 0.02, \"bandwidth_gb_s\": 6, \"link\": 1, \"knee\": 0.2}]}\n"
            "speed: times the traced primary; knee: part of the full time that the smallest\n"
            "share takes; devices with the same link take turns; no bandwidth: host memory.\n"
            "Examples of it are in share/doc/yoke/machines (cli/machines in the source).\n"
            "\n"
            "Example:\n"
            "  yoke simulate --machine skmd.json --trace t.json",
    .options = options,
    .run = run};
