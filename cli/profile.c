/* `yoke profile`: what is remembered of measured times, and filling it on purpose. A sweep runs the program itself,
 * once per point, with fixed shares: all of it real work with the program's own answers, no kernel is run for measuring
 * only. */
#include "cli/command.h"
#include "cli/locate.h"
#include "cli/profile_links.h"
#include "device/device.h"
#include "profiler/model.h"
#include "profiler/recent.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POINTS = 16, CHEAP_POINTS = 4 };

static struct yk_database *open_database(void)
{
    struct yk_database *db = yk_database_open_default();
    if (!db)
        fprintf(stderr, "yoke profile: no database can be had (is libsqlite3.so.0 there? see YOKE_LOG=info)\n");
    return db;
}

static int failed(yk_status s)
{
    fprintf(stderr, "yoke profile: %s\n",
            s == YK_EFORMAT ? "the database was damaged; it is set aside and begun anew" : yk_status_text(s));
    return YK_EXIT_FAILED;
}

static void show_one(void *arg, const struct yk_database_key *k, const struct yk_series *s)
{
    unsigned *lines = arg;
    const char *unit = k->kind == YK_SAMPLE_PARTS   ? "parts      "
                       : k->kind == YK_SAMPLE_APART ? "devices    "
                       : k->kind == YK_SAMPLE_OFTEN ? "launches   "
                       : k->kind == YK_SAMPLE_LEAST ? "work-groups"
                                                    : NULL;
    bool link = yk_sample_of_link(k->kind);
    if (link)
        unit = "bytes      ";
    if ((k->problem[0] && !unit) || k->kind == YK_SAMPLE_CODE)
        return; /* the same times once more, by problem; no times */
    printf("%s%-24s %.8s  %-11s %-12s %s\n",
           *lines ? "" : "kernel                   content   kind        local        device\n", k->name, k->kernel,
           yk_sample_kind_name(k->kind), k->local, k->device);
    ++*lines;
    for (unsigned i = 0; i < s->n; i++) {
        printf("    %14.0f %s %12.4f ms  (%u)", s->at[i].groups, unit ? unit : "work-groups", s->at[i].ms,
               s->at[i].count);
        if (link)
            printf("  %.2f GB/s", s->at[i].groups / s->at[i].ms * 1e-6);
        putchar('\n');
    }
}

static void export_one(void *arg, const struct yk_database_key *k, const struct yk_series *s)
{
    json_t *samples = json_array();
    for (unsigned i = 0; i < s->n; i++)
        json_array_append_new(samples, json_pack("[f, f, i]", s->at[i].groups, s->at[i].ms, (int)s->at[i].count));
    json_array_append_new(arg, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o}", "kernel", k->kernel, "name", k->name,
                                         "device", k->device, "local", k->local, "problem", k->problem, "kind",
                                         yk_sample_kind_name(k->kind), "samples", samples));
}

static int show(void)
{
    unsigned lines = 0;
    struct yk_database *db = open_database();
    yk_status s = db ? yk_database_read(db, NULL, show_one, &lines) : YK_EIO;
    if (db && s == YK_OK && !lines)
        puts("nothing is remembered yet");
    yk_database_close(db);
    return !db ? YK_EXIT_FAILED : s == YK_OK ? 0 : failed(s);
}

enum { MOST_DEVICES = 32, MOST_SAMPLES = 1 << 14 };

struct modelled {
    struct yk_model_data *data;
    char device[MOST_DEVICES][YK_DATABASE_TEXT];
    unsigned n;
    bool failed;
};

static void model_one(void *arg, const struct yk_database_key *k, const struct yk_series *s)
{
    struct modelled *m = arg;
    unsigned i = 0;
    m->failed |= !yk_model_data_add(m->data, k, s);
    while (i < m->n && strcmp(m->device[i], k->device))
        i++;
    if (k->kind == YK_SAMPLE_ALONE && i == m->n && i < MOST_DEVICES)
        memcpy(m->device[m->n++], k->device, sizeof k->device);
}

/* The tree of each device and how far off it is. */
static int model(bool json)
{
    struct modelled *m = calloc(1, sizeof *m);
    struct yk_database *db = m && (m->data = yk_model_data_new(MOST_SAMPLES)) ? open_database() : NULL;
    yk_status s = db ? yk_database_read(db, NULL, model_one, m) : YK_EIO;
    int status = !db ? YK_EXIT_FAILED : s != YK_OK ? failed(s) : 0;
    json_t *all = json_array();
    yk_database_close(db);
    for (unsigned i = 0; !status && i < m->n; i++) {
        struct yk_model tree;
        s = yk_model_train(m->data, m->device[i], &tree);
        if (json)
            json_array_append_new(all, json_pack("{s:s, s:i, s:i, s:o}", "device", m->device[i], "kernels",
                                                 (int)tree.kernels, "samples", (int)tree.samples, "factor",
                                                 s == YK_OK ? json_real(tree.factor) : json_null()));
        else if (s == YK_OK)
            printf("%s: %zu kernels, %zu samples; half of the kernels left out are predicted within a factor of %.2f\n",
                   m->device[i], tree.kernels, tree.samples, tree.factor);
        else
            printf("%s: %zu kernels whose code is known, %d are needed\n", m->device[i], tree.kernels,
                   YK_MODEL_KERNELS);
    }
    if (!status && m->failed)
        fprintf(stderr, "yoke profile: no memory for all of it\n");
    if (!status && json)
        json_dumpf(all, stdout, JSON_INDENT(1));
    else if (!status && !m->n)
        puts("nothing is remembered yet");
    json_decref(all);
    yk_model_data_free(m ? m->data : NULL);
    free(m);
    return status;
}

static int export(const char *file)
{
    struct yk_database *db = open_database();
    json_t *all = json_array();
    yk_status s = db ? yk_database_read(db, NULL, export_one, all) : YK_EIO;
    yk_database_close(db);
    int status = !db ? YK_EXIT_FAILED : s == YK_OK ? 0 : failed(s);
    if (!status && (file ? json_dump_file(all, file, JSON_INDENT(1)) : json_dumpf(all, stdout, JSON_INDENT(1)))) {
        fprintf(stderr, "yoke profile export: %s: %s\n", file ? file : "standard output", strerror(errno));
        status = YK_EXIT_FAILED;
    }
    json_decref(all);
    return status;
}

static bool text(const json_t *o, const char *key, char *out, size_t n)
{
    return yk_database_text(json_string_value(json_object_get(o, key)), out, n);
}

static bool take_one(const json_t *o, struct yk_database_key *k, struct yk_series *s)
{
    char kind[32];
    size_t i;
    json_t *sample;
    memset(k, 0, sizeof *k);
    memset(s, 0, sizeof *s);
    if (!text(o, "kernel", k->kernel, sizeof k->kernel) || !text(o, "name", k->name, sizeof k->name) ||
        !text(o, "device", k->device, sizeof k->device) || !text(o, "local", k->local, sizeof k->local) ||
        !text(o, "problem", k->problem, sizeof k->problem) || !text(o, "kind", kind, sizeof kind))
        return false;
    while (k->kind < YK_SAMPLE_KIND_COUNT && strcmp(kind, yk_sample_kind_name(k->kind)))
        k->kind++;
    const json_t *samples = json_object_get(o, "samples");
    json_array_foreach(samples, i, sample)
    {
        json_int_t count = json_integer_value(json_array_get(sample, 2));
        if (i >= YK_SERIES_SAMPLES)
            return false;
        s->at[s->n++] = (struct yk_sample){json_number_value(json_array_get(sample, 0)),
                                           json_number_value(json_array_get(sample, 1)),
                                           count > 0 && count < INT_MAX ? (uint32_t)count : 1};
    }
    return k->kind < YK_SAMPLE_KIND_COUNT && s->n && yk_series_good(s);
}

static int import(const char *file)
{
    json_error_t error;
    json_t *all = json_load_file(file, 0, &error), *o;
    struct yk_database *db = NULL;
    size_t i, good = 0;
    yk_status s = YK_OK;
    if (!json_is_array(all)) {
        fprintf(stderr, "yoke profile import: %s: line %d: %s\n", file, error.line, error.text);
        json_decref(all);
        return YK_EXIT_FAILED;
    }
    if ((db = open_database()) && (s = yk_database_begin(db)) == YK_OK) {
        json_array_foreach(all, i, o)
        {
            struct yk_database_key k;
            struct yk_series series;
            if (s == YK_OK && take_one(o, &k, &series) && (s = yk_database_write(db, &k, &series)) == YK_OK)
                good++;
        }
        yk_status end = yk_database_commit(db);
        s = s == YK_OK ? end : s;
        if (s == YK_OK)
            s = yk_recent_fold(db); /* one that was made meanwhile is of before */
    }
    printf("%zu of %zu series taken over\n", good, json_array_size(all));
    bool complete = good == json_array_size(all);
    json_decref(all);
    yk_database_close(db);
    return !db ? YK_EXIT_FAILED : s != YK_OK ? failed(s) : complete ? 0 : YK_EXIT_FAILED;
}

static int clear(const char *kernel)
{
    struct yk_database *db = open_database();
    yk_status s = db ? yk_database_clear(db, kernel) : YK_EIO;
    if (s == YK_OK)
        s = yk_recent_fold(db); /* one that was made meanwhile is of before */
    yk_database_close(db);
    return !db ? YK_EXIT_FAILED : s == YK_OK ? 0 : failed(s);
}

/* One run of the program with POINT of POINTS parts for device DEV, the others sharing the rest. */
static int run_point(char **argv, const char *self, unsigned devices, unsigned dev, unsigned point, unsigned points)
{
    char strategy[32 * 16] = "";
    size_t used = 0;
    int status;
    for (unsigned i = 0; i < devices; i++)
        used += (size_t)snprintf(strategy + used, sizeof strategy - used, "%s%u", i ? ":" : "",
                                 i == dev ? point * (devices - 1) : points - point);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        char run[] = "run", quiet[] = "--quiet", how[] = "--strategy", end[] = "--";
        char *name = strdup(self);
        size_t n = 0;
        while (argv[n])
            n++;
        char **args = calloc(n + 8, sizeof *args);
        if (!name || !args)
            _exit(YK_EXIT_SELF);
        char *head[] = {name, run, quiet, how, strategy, end};
        memcpy(args, head, sizeof head);
        memcpy(args + 6, argv, n * sizeof *args);
        execv(self, args);
        _exit(YK_EXIT_SELF);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return YK_EXIT_FAILED;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int sweep(char **argv, bool cheap)
{
    yk_status s;
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    const struct yk_machine *m = yk_machine_get(&s);
    unsigned points = cheap ? CHEAP_POINTS : POINTS, devices = m ? m->n : 0, bad = 0, runs = 0;
    if (n <= 0 || devices < 2) {
        fprintf(stderr, "yoke profile: %s\n",
                devices < 2 ? "there is one device: nothing is to be shared" : strerror(errno));
        return YK_EXIT_FAILED;
    }
    self[n] = 0;
    /* Two devices: what the one does not have the other has, so that one round measures both. */
    for (unsigned dev = 0; dev < (devices == 2 ? 1 : devices) && devices <= 16; dev++)
        for (unsigned point = 1; point <= points; point++) {
            int status = run_point(argv, self, devices, dev, point, points);
            runs++;
            fprintf(stderr, "yoke profile: device %u, %u of %u parts%s\n", dev, point, points,
                    status ? ": the program failed" : "");
            bad += status != 0;
            if (status == YK_EXIT_NOTFOUND || status == YK_EXIT_NOEXEC)
                return status;
        }
    fprintf(stderr, "yoke profile: %u runs, %u of them failed; see yoke profile show\n", runs, bad);
    return bad ? YK_EXIT_FAILED : 0;
}

static const struct yk_cli_option options[] = {
    {"cheap", 'c', NULL, NULL, "Four points instead of sixteen; what lies between and beyond is extrapolated.", NULL},
    {"json", 'j', NULL, NULL, "Print JSON, show in the form of export; may follow show, model or links.", NULL},
    {0}};

static int run(const struct yk_cli_command *self, int argc, char **argv)
{
    const char *values[YK_CLI_MAX_OPTIONS];
    int first = yk_cli_parse(self, argc, argv, values);
    if (first < 0)
        return -1 - first;
    const char *what = first < argc ? argv[first] : "", *arg = first + 1 < argc ? argv[first + 1] : NULL;
    int left = argc - first - 1;
    bool program = first > 0 && !strcmp(argv[first - 1], "--");
    if (program && first < argc)
        return sweep(argv + first, yk_cli_value(self, values, "cheap") != NULL);
    bool json = yk_cli_value(self, values, "json") != NULL;
    if ((!strcmp(what, "show") || !strcmp(what, "model") || !strcmp(what, "links")) && left == 1 &&
        (!strcmp(arg, "--json") || !strcmp(arg, "-j"))) {
        json = true;
        left = 0;
    }
    if (!strcmp(what, "show") && left == 0)
        return json ? export(NULL) : show();
    if (!strcmp(what, "model") && left == 0)
        return model(json);
    if (!strcmp(what, "links") && left == 0)
        return yk_profile_links(json);
    if (!strcmp(what, "export") && left <= 1)
        return export(arg);
    if (!strcmp(what, "import") && left == 1)
        return import(arg);
    if (!strcmp(what, "clear") && left <= 1)
        return clear(arg);
    return yk_cli_usage_error(self, "one of: show [--json], model [--json], links [--json], export [FILE], import "
                                    "FILE, clear [KERNEL], -- PROGRAM [ARGUMENT...]");
}

const struct yk_cli_command yk_cli_profile = {
    .name = "profile",
    .usage = "yoke profile show [--json] | model [--json] | links [--json]\n"
             "       yoke profile export [FILE] | import FILE | clear [KERNEL]\n"
             "       yoke profile [--cheap] -- PROGRAM [ARGUMENT...]",
    .summary = "measured times: show, model, links, export, import, clear, fill",
    .about =
        "yoke remembers how long kernels took on each device, by number of work-groups, and divides launches by that. "
        "It measures while programs run; nothing needs to be done for it.\n"
        "With a program, runs it sixteen times (per device, where there are more than two) with shares from a "
        "sixteenth to all, so that the table is full from then on. Every run is a normal run of the program.\n"
        "What a kernel may take that was never measured is presumed from those that were, by a regression tree over "
        "the "
        "instructions in them; model says for each device how far off that is.\n"
        "links measures what each device's link carries, by transfers made for that alone, a second or two each: by "
        "size, both ways, from ordinary and from pinned memory, and which devices share one. What programs move "
        "is remembered without it.",
    .more = "Example:\n"
            "  yoke profile -- ./app --size 1024\n"
            "  yoke profile show",
    .options = options,
    .run = run};
