#include "app.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

void *app_alloc(size_t bytes)
{
    size_t rounded = (bytes + 4095) / 4096 * 4096;
    void *memory = aligned_alloc(4096, rounded ? rounded : 4096);
    if (!memory) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        exit(1);
    }
    memset(memory, 0, rounded);
    return memory;
}

void app_clock_start(struct app *app)
{
    app->first_ms = now_ms();
}

void app_clock_stop(struct app *app)
{
    app->last_ms = now_ms();
}

void app_round_start(struct app *app)
{
    if (!app->round_ms) {
        app->round_ms = app_alloc(app->repeat * sizeof(*app->round_ms));
    }
    app->round_ms[app->rounds] = now_ms();
}

void app_round_stop(struct app *app)
{
    app->round_ms[app->rounds] = now_ms() - app->round_ms[app->rounds];
    app->rounds++;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

uint64_t app_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

float app_random_float(uint64_t *state)
{
    return (float)(app_random(state) >> 40) * 0x1p-24f;
}

size_t app_check_step(struct app *app, size_t count, size_t limit)
{
    size_t step = 1;
    if (count > limit) {
        /* Odd: so that the sample meets every place of a power-of-two tile. */
        step = ((count + limit - 1) / limit) | 1;
    }
    if (step > app->checked_one_of) {
        app->checked_one_of = step;
    }
    return step;
}

void app_wrong(struct app *app, size_t index, double got, double want)
{
    if (!app->failed) {
        fprintf(stderr, "%s: output %zu is %.9g, expected %.9g\n", app->spec->name, index, got, want);
    }
    app->failed = true;
}

bool app_near(double got, double want, double tolerance)
{
    return fabs(got - want) <= tolerance;
}

/* 64 bits of BYTES, eight at a time; the same on every little-endian machine. */
static uint64_t hash_of(const void *data, size_t bytes)
{
    const unsigned char *at = data;
    uint64_t hash = 0x2545f4914f6cdd1du ^ bytes;
    while (bytes > 0) {
        uint64_t word = 0;
        size_t n = bytes < 8 ? bytes : 8;
        memcpy(&word, at, n);
        hash = (hash ^ word) * 0xd6e8feb86659fd93u;
        hash ^= hash >> 32;
        at += n;
        bytes -= n;
    }
    hash *= 0xd6e8feb86659fd93u;
    return hash ^ (hash >> 32);
}

static void usage(const struct app_spec *spec, FILE *to)
{
    fprintf(to, "%s: %s\n\n  --size NAME|N   %s:", spec->name, spec->what, spec->unit);
    for (int i = 0; i < APP_SIZES; i++) {
        fprintf(to, " %s (%zu)%s", spec->sizes[i].name, spec->sizes[i].n, i + 1 < APP_SIZES ? "," : "");
    }
    fprintf(to, ",\n                  or %zu to %zu", spec->min, spec->max);
    if (spec->multiple > 1) {
        fprintf(to, " in steps of %zu", spec->multiple);
    }
    fprintf(to,
            "; default table2\n"
            "  --repeat K      %s; default %u\n"
            "  --device N      the N-th device of all platforms, from 0; default 0\n",
            spec->repeat_unit, spec->repeat);
    if (spec->mode) {
        fprintf(to, "  --%-13s %s\n", spec->mode, spec->mode_help);
    }
    fprintf(to, "  --no-verify     do not compare with the plain C computation (result=UNVERIFIED)\n"
                "  --help          this text\n\n"
                "Status 0: verified (or --no-verify). 1: wrong output or an OpenCL error. 2: bad usage.\n");
}

static void bad_usage(const struct app_spec *spec, const char *what, const char *text)
{
    fprintf(stderr, "%s: %s '%s' (see --help)\n", spec->name, what, text);
    exit(2);
}

static size_t parse_number(const struct app_spec *spec, const char *option, const char *text, size_t min, size_t max)
{
    char *end;
    unsigned long long value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || value < min || value > max) {
        bad_usage(spec, option, text);
    }
    return (size_t)value;
}

static void parse_size(struct app *app, const char *text)
{
    const struct app_spec *spec = app->spec;
    for (int i = 0; i < APP_SIZES; i++) {
        if (strcmp(text, spec->sizes[i].name) == 0) {
            app->size = spec->sizes[i].n;
            return;
        }
    }
    app->size = parse_number(spec, "no such size:", text, spec->min, spec->max);
    if (app->size % spec->multiple) {
        bad_usage(spec, "size is not in the steps that --help gives:", text);
    }
}

/* The value of option NAME, given as "--name value" or "--name=value", or NULL. */
static const char *value_of(const struct app_spec *spec, const char *name, int argc, char **argv, int *i)
{
    size_t n = strlen(name);
    if (strncmp(argv[*i], name, n) != 0) {
        return NULL;
    }
    if (argv[*i][n] == '=') {
        return argv[*i] + n + 1;
    }
    if (argv[*i][n]) {
        return NULL;
    }
    if (*i + 1 >= argc) {
        bad_usage(spec, "no value for", name);
    }
    return argv[++*i];
}

static unsigned parse(struct app *app, int argc, char **argv)
{
    const struct app_spec *spec = app->spec;
    unsigned device = 0;
    const char *value;
    parse_size(app, "table2");
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            usage(spec, stdout);
            exit(0);
        } else if (strcmp(argv[i], "--no-verify") == 0) {
            app->verify = false;
        } else if (spec->mode && strncmp(argv[i], "--", 2) == 0 && strcmp(argv[i] + 2, spec->mode) == 0) {
            app->mode = true;
        } else if ((value = value_of(spec, "--size", argc, argv, &i))) {
            parse_size(app, value);
        } else if ((value = value_of(spec, "--repeat", argc, argv, &i))) {
            app->repeat = (unsigned)parse_number(spec, "bad number for --repeat:", value, 1, 1000000);
        } else if ((value = value_of(spec, "--device", argc, argv, &i))) {
            device = (unsigned)parse_number(spec, "bad number for --device:", value, 0, 1023);
        } else {
            bad_usage(spec, "unknown option", argv[i]);
        }
    }
    return device;
}

cl_device_id app_device(const char *name, unsigned wanted);

void app_start(struct app *app, const struct app_spec *spec, int argc, char **argv)
{
    memset(app, 0, sizeof(*app));
    app->began_ms = now_ms();
    app->spec = spec;
    app->repeat = spec->repeat;
    app->verify = true;
    app->checked_one_of = 1;
    app->kernel_ms = -1;
    app->device = app_device(spec->name, parse(app, argc, argv));
    cl_int error;
    app->context = clCreateContext(NULL, 1, &app->device, NULL, NULL, &error);
    app_check(error, "clCreateContext");
}

int app_end(struct app *app, const void *output, size_t bytes)
{
    app_check(clReleaseContext(app->context), "clReleaseContext");
    const char *result = app->failed ? "FAILED" : app->verify ? "OK" : "UNVERIFIED";
    printf("%s size=%zu repeat=%u time_ms=%.3f total_ms=%.3f result=%s hash=%016llx", app->spec->name, app->size,
           app->repeat, app->last_ms - app->first_ms, app->last_ms - app->began_ms, result,
           (unsigned long long)hash_of(output, bytes));
    if (app->verify) {
        printf(app->checked_one_of == 1 ? " checked=all" : " checked=1/%zu", app->checked_one_of);
    }
    if (app->kernel_ms >= 0) {
        printf(" kernel_ms=%.3f", app->kernel_ms);
    }
    if (app->rounds) {
        qsort(app->round_ms, app->rounds, sizeof(*app->round_ms), by_value);
        printf(" round_ms=%.3f", app->round_ms[app->rounds / 2]);
        free(app->round_ms);
    }
    if (app->mode) {
        printf(" mode=%s", app->spec->mode);
    }
    putchar('\n');
    return app->failed ? 1 : 0;
}
