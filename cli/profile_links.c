/* Links measured on purpose: bandwidth against size, both ways, of ordinary and of pinned memory; latency; which of
 * them two devices share. */
#include "cli/profile_links.h"
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include "cli/command.h"
#include "device/link/probe.h"
#include "profiler/profile.h"
#include "profiler/recent.h"

enum { SIZES = 5, KINDS = 4 };
static const size_t size_of[SIZES] = {4 << 10, 64 << 10, 1 << 20, 16 << 20, 128 << 20};
static const double each_ms = 30, longest_ms = 500, shared_ratio = 1.5;

static const struct {
    enum yk_probe_way way;
    bool pinned;
    enum yk_sample_kind kind;
} measured[KINDS] = {{YK_PROBE_IN, false, YK_SAMPLE_IN},
                     {YK_PROBE_IN, true, YK_SAMPLE_PINNED_IN},
                     {YK_PROBE_OUT, false, YK_SAMPLE_OUT},
                     {YK_PROBE_OUT, true, YK_SAMPLE_PINNED_OUT}};

struct link {
    const struct yk_device *device;
    struct yk_probe probe;
    unsigned sizes;
    double ms[KINDS][SIZES], both_ms; /* of the largest size each way */
};

/* Is the I-th size the largest to be measured? Larger ones would take too long over a slow link. */
static bool is_last(const struct link *l, unsigned i)
{
    double ms = 0;
    for (unsigned k = 0; k < KINDS; k++)
        ms = l->ms[k][i] > ms ? l->ms[k][i] : ms;
    return i + 1 == l->sizes || ms * (double)size_of[i + 1] / (double)size_of[i] > longest_ms;
}

static cl_int measure_one(struct link *l, unsigned i)
{
    cl_int err = CL_SUCCESS;
    for (unsigned k = 0; k < KINDS && err == CL_SUCCESS; k++)
        err = yk_probe_time(&l->probe, measured[k].way, measured[k].pinned, size_of[i], each_ms, &l->ms[k][i]);
    return err;
}

/* D's link into L, whose probe stays open. False: it cannot be measured. The larger sizes want memory that a slow link
 * had better not be asked for. */
static bool measure(struct link *l, const struct yk_device *d)
{
    enum { SMALLER = 3 };
    *l = (struct link){.device = d};
    while (l->sizes < SIZES && size_of[l->sizes] <= d->max_alloc && size_of[l->sizes] <= d->global_mem / 8)
        l->sizes++;
    cl_int err = l->sizes ? CL_SUCCESS : CL_INVALID_BUFFER_SIZE;
    for (unsigned i = 0; i < l->sizes && err == CL_SUCCESS; i++) {
        if (i == 0 || i == SMALLER) {
            yk_probe_close(&l->probe);
            unsigned most = i == 0 && l->sizes > SMALLER ? SMALLER : l->sizes;
            err = yk_probe_open(&l->probe, d, size_of[most - 1]);
        }
        if (err == CL_SUCCESS && (err = measure_one(l, i)) == CL_SUCCESS && is_last(l, i))
            l->sizes = i + 1;
    }
    if (err == CL_SUCCESS)
        err = yk_probe_both(&l->probe, size_of[l->sizes - 1], each_ms, &l->both_ms);
    if (err != CL_SUCCESS) {
        fprintf(stderr, "yoke profile links: device %u, %s: %s\n", d->index, d->name, yk_cl_error_name(err));
        yk_probe_close(&l->probe);
    }
    return err == CL_SUCCESS;
}

static double rate(const struct link *l, unsigned kind, unsigned size)
{
    return (double)size_of[size] / l->ms[kind][size] * 1e-6;
}

static void print(const struct link *l)
{
    unsigned last = l->sizes - 1;
    double one_ms = l->ms[1][last] > l->ms[3][last] ? l->ms[1][last] : l->ms[3][last];
    printf("device %u, %s: %.1f us in, %.1f us out for %zu bytes\n"
           "        bytes    in, GB/s   pinned   out, GB/s   pinned\n",
           l->device->index, l->device->name, l->ms[0][0] * 1e3, l->ms[2][0] * 1e3, size_of[0]);
    for (unsigned i = 0; i < l->sizes; i++)
        printf("    %9zu   %9.3f %8.3f   %9.3f %8.3f\n", size_of[i], rate(l, 0, i), rate(l, 1, i), rate(l, 2, i),
               rate(l, 3, i));
    printf("    both ways at once, pinned: %.3f GB/s, %.2f times the slower of them alone\n",
           2 * (double)size_of[last] / l->both_ms * 1e-6, 2 * one_ms / l->both_ms);
}

static json_t *as_json(const struct link *l)
{
    static const char *const name[KINDS] = {"in_ms", "pinned_in_ms", "out_ms", "pinned_out_ms"};
    json_t *sizes = json_array();
    for (unsigned i = 0; i < l->sizes; i++) {
        json_t *o = json_pack("{s:I}", "bytes", (json_int_t)size_of[i]);
        for (unsigned k = 0; k < KINDS; k++)
            json_object_set_new(o, name[k], json_real(l->ms[k][i]));
        json_array_append_new(sizes, o);
    }
    return json_pack("{s:i, s:s, s:f, s:f, s:o, s:f}", "index", (int)l->device->index, "device", l->device->name,
                     "latency_in_us", l->ms[0][0] * 1e3, "latency_out_us", l->ms[2][0] * 1e3, "sizes", sizes, "both_ms",
                     l->both_ms);
}

/* Do A and B share a link? *RATIO: how long both take at once, over the slower one alone. */
static bool together(struct link *a, struct link *b, double *ratio)
{
    unsigned at = (a->sizes < b->sizes ? a->sizes : b->sizes) - 1;
    double alone = a->ms[1][at] > b->ms[1][at] ? a->ms[1][at] : b->ms[1][at], both;
    cl_int err = yk_probe_together(&a->probe, &b->probe, size_of[at], each_ms, &both);
    if (err != CL_SUCCESS)
        fprintf(stderr, "yoke profile links: devices %u and %u at once: %s\n", a->device->index, b->device->index,
                yk_cl_error_name(err));
    else
        *ratio = both / alone;
    return err == CL_SUCCESS;
}

static bool keep(const struct link *link, unsigned n)
{
    struct yk_database *db = yk_database_open_default();
    yk_status s = db ? yk_database_begin(db) : YK_EIO;
    bool begun = s == YK_OK;
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < KINDS && s == YK_OK; k++) {
            struct yk_profile_key key = yk_profile_link_key(link[i].device, measured[k].kind);
            struct yk_database_key text;
            struct yk_series series = {0};
            yk_profile_key_text(&key, &text);
            for (unsigned j = 0; j < link[i].sizes; j++)
                series.at[series.n++] = (struct yk_sample){(double)size_of[j], link[i].ms[k][j], 1};
            s = yk_database_write(db, &text, &series);
        }
    if (begun) {
        yk_status end = yk_database_commit(db);
        s = s == YK_OK ? end : s;
    }
    if (s == YK_OK)
        s = yk_recent_fold(db);
    yk_database_close(db);
    if (s != YK_OK)
        fprintf(stderr, "yoke profile links: what was measured cannot be kept: %s\n", yk_status_text(s));
    return s == YK_OK;
}

int yk_profile_links(bool json)
{
    static struct link link[YK_MAX_DEVICES];
    yk_status s;
    const struct yk_machine *m = yk_machine_get(&s);
    unsigned n = 0;
    bool good = m != NULL;
    json_t *links = json_array(), *pairs = json_array();
    if (!m)
        fprintf(stderr, "yoke profile links: %s\n", yk_status_text(s));
    for (unsigned i = 0; m && i < m->n; i++) {
        const struct yk_device *d = &m->device[i];
        if (!d->usable || d->host_memory) {
            if (!json)
                printf("device %u, %s: %s\n", i, d->name,
                       d->usable ? "works in the host's memory, nothing goes over a link" : d->why_not);
            continue;
        }
        if (!measure(&link[n], d)) {
            good = false;
            continue;
        }
        if (json)
            json_array_append_new(links, as_json(&link[n]));
        else
            print(&link[n]);
        n++;
    }
    for (unsigned a = 0; a < n; a++)
        for (unsigned b = a + 1; b < n; b++) {
            double ratio;
            if (!together(&link[a], &link[b], &ratio)) {
                good = false;
                continue;
            }
            bool shared = ratio > shared_ratio;
            json_array_append_new(pairs,
                                  json_pack("{s:[i, i], s:f, s:b}", "devices", (int)link[a].device->index,
                                            (int)link[b].device->index, "both_over_slower", ratio, "shared", shared));
            if (!json)
                printf("devices %u and %u %s: both at once take %.2f times as long as the slower one alone\n",
                       link[a].device->index, link[b].device->index,
                       shared ? "share a link" : "have links of their own", ratio);
        }
    for (unsigned i = 0; i < n; i++)
        yk_probe_close(&link[i].probe);
    json_t *all = json_pack("{s:o, s:o}", "links", links, "pairs", pairs);
    if (m && json) {
        json_dumpf(all, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
        putchar('\n');
    }
    json_decref(all);
    return good && (!n || keep(link, n)) ? 0 : YK_EXIT_FAILED;
}
