/* `yoke devices`: the machine as yoke sees it, and how it would use it. */
#include "cli/command.h"
#include "device/device.h"
#include "device/numeric.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 9, CELL = 160 };

static const struct yk_cli_option options[] = {{"json", 'j', NULL, NULL, "Print the same as JSON.", NULL}, {0}};

static const char *type_name(cl_device_type type)
{
    if (type & CL_DEVICE_TYPE_GPU)
        return "GPU";
    if (type & CL_DEVICE_TYPE_ACCELERATOR)
        return "accelerator";
    return type & CL_DEVICE_TYPE_CPU ? "CPU" : "custom";
}

/* 23622320128 -> "22.0 GiB". */
static void print_bytes(char *out, size_t n, uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    unsigned u = 0;
    while (value >= 1024 && u < 4)
        value /= 1024, u++;
    snprintf(out, n, u ? "%.1f %s" : "%.0f %s", value, units[u]);
}

/* 0 -> A, 1 -> B, ... : a class is a name, not a rank. */
static void print_class(char *out, size_t n, const struct yk_device *d)
{
    if (!d->usable)
        snprintf(out, n, "-");
    else if (yk_numeric_class(d) < 26)
        snprintf(out, n, "%c", 'A' + (int)yk_numeric_class(d));
    else
        snprintf(out, n, "%u", yk_numeric_class(d));
}

static void fill_row(const struct yk_machine *m, const struct yk_device *d, char row[COLUMNS][CELL])
{
    bool primary = d->index == m->primary && d->usable;
    snprintf(row[0], CELL, "%u", d->index);
    snprintf(row[1], CELL, "%.40s", d->name);
    snprintf(row[2], CELL, "%.28s", d->platform_name);
    snprintf(row[3], CELL, "%.16s", d->driver);
    snprintf(row[4], CELL, "%s", type_name(d->type));
    snprintf(row[5], CELL, "%u", d->compute_units);
    print_bytes(row[6], CELL, d->global_mem);
    print_class(row[7], CELL, d);
    if (d->usable)
        snprintf(row[8], CELL, "%s%s", primary ? "primary" : "takes shares", d->host_memory ? ", host memory" : "");
    else
        snprintf(row[8], CELL, "left out: %s", d->why_not);
}

static void print_table(const struct yk_machine *m)
{
    static const char *const heads[COLUMNS] = {"#",     "device", "platform", "driver", "type",
                                               "units", "memory", "class",    "use"};
    char rows[YK_MAX_DEVICES][COLUMNS][CELL];
    size_t width[COLUMNS];
    for (unsigned c = 0; c < COLUMNS; c++)
        width[c] = strlen(heads[c]);
    for (unsigned i = 0; i < m->n; i++) {
        fill_row(m, &m->device[i], rows[i]);
        for (unsigned c = 0; c < COLUMNS; c++)
            if (strlen(rows[i][c]) > width[c])
                width[c] = strlen(rows[i][c]);
    }
    for (unsigned c = 0; c < COLUMNS - 1; c++)
        printf("%-*s  ", (int)width[c], heads[c]);
    printf("%s\n", heads[COLUMNS - 1]);
    for (unsigned i = 0; i < m->n; i++) {
        for (unsigned c = 0; c < COLUMNS - 1; c++) /* numbers to the right */
            printf(c == 0 || c == 5 || c == 6 ? "%*s  " : "%-*s  ", (int)width[c], rows[i][c]);
        printf("%s\n", rows[i][COLUMNS - 1]);
    }
}

static void print_text(const struct yk_machine *m)
{
    unsigned usable = 0, classmates = 0;
    for (unsigned i = 0; i < m->n; i++) {
        const struct yk_device *d = &m->device[i];
        usable += d->usable;
        classmates += d->usable && yk_numeric_class(d) == yk_numeric_class(&m->device[m->primary]);
    }
    print_table(m);
    printf("\n%u of %u devices used as one.", usable, m->n);
    if (usable > 1 && classmates == usable)
        printf(" All compute the same bits (one class), so every kernel may be split over all.");
    else if (usable > 1)
        printf(" Kernels with inexact operations stay on the %u of the primary's class\n"
               "unless 'yoke run --numerics mixed' or 'any' lets the others in.",
               classmates);
    printf("\n");
}

static json_t *device_json(const struct yk_machine *m, const struct yk_device *d)
{
    return json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:I, s:I, s:I, s:b, s:i, s:b, s:b, s:s}", "index",
                     (int)d->index, "name", d->name, "platform", d->platform_name, "vendor", d->vendor, "driver",
                     d->driver, "type", type_name(d->type), "opencl_version", (int)d->version, "compute_units",
                     (int)d->compute_units, "global_mem", (json_int_t)d->global_mem, "max_alloc",
                     (json_int_t)d->max_alloc, "local_mem", (json_int_t)d->local_mem, "host_memory",
                     (int)d->host_memory, "numeric_class", (int)yk_numeric_class(d), "primary",
                     (int)(d->usable && d->index == m->primary), "usable", (int)d->usable, "why_not", d->why_not);
}

static int print_json(const struct yk_machine *m)
{
    char id[33];
    yk_hash_hex(m->id, id);
    json_t *list = json_array();
    for (unsigned i = 0; i < m->n; i++)
        json_array_append_new(list, device_json(m, &m->device[i]));
    json_t *all = json_pack("{s:s, s:s, s:o}", "version", YOKE_VERSION, "id", id, "devices", list);
    int status = all && json_dumpf(all, stdout, JSON_INDENT(2)) == 0 ? 0 : YK_EXIT_FAILED;
    putchar('\n');
    json_decref(all);
    if (status)
        fprintf(stderr, "yoke devices: cannot print JSON (a driver's name is not UTF-8?)\n");
    return status;
}

static int run(const struct yk_cli_command *self, int argc, char **argv)
{
    const char *values[YK_CLI_MAX_OPTIONS];
    int first = yk_cli_parse(self, argc, argv, values);
    if (first < 0)
        return -1 - first;
    if (first != argc)
        return yk_cli_usage_error(self, "%s: no argument is expected", argv[first]);
    yk_status status;
    const struct yk_machine *m = yk_machine_get(&status);
    if (!m || m->n == 0) {
        const char *chosen = getenv("YOKE_DEVICES");
        fprintf(stderr, "yoke devices: no OpenCL device to use (%s).\n", yk_status_text(m ? YK_ENOTFOUND : status));
        if (!chosen || !*chosen) /* else what was said above names the mistake */
            fputs("A loader and a driver are needed. On Debian: ocl-icd-libopencl1 and, for the CPU,\n"
                  "pocl-opencl-icd; for a GPU its vendor's driver. 'clinfo -l' should then list a device.\n",
                  stderr);
        return YK_EXIT_FAILED;
    }
    yk_numeric_probe(m); /* where it fails it has said so; such a device is a class of its own */
    int result = 0;
    if (yk_cli_value(self, values, "json"))
        result = print_json(m);
    else
        print_text(m);
    return result;
}

const struct yk_cli_command yk_cli_devices = {
    .name = "devices",
    .usage = "yoke devices [--json]",
    .summary = "which OpenCL devices there are and how yoke uses them",
    .about =
        "One line per device of the system's OpenCL loader: what it is, whether yoke uses it and why not, which one is "
        "the primary (yoke speaks for it; it runs what cannot be split) and its numeric class: devices of one class "
        "compute the same bits from the same kernel. \"host memory\" marks a device that works in the program's own "
        "memory, so that nothing is copied for it.\n"
        "YOKE_DEVICES, YOKE_PRIMARY and YOKE_CPU_PARTS count as in 'yoke run'.",
    .more = "Exit status: 0; 1: no device or no loader; 2: a wrong option.",
    .options = options,
    .run = run};
