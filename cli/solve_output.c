/* Answers as text: UAI's PR and MAR, JSON, and the summary for a person. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>
#include "cli/solve_work.h"

void solve_print_uai(const struct yk_solve_result *r, bool marginals)
{
    if (!marginals) {
        printf("PR\n%.10g\n", r->log10_pr);
        return;
    }
    printf("MAR\n%u", r->nvars);
    for (uint32_t v = 0; v < r->nvars; v++) {
        printf(" %u", r->domain[v]);
        for (uint32_t x = 0; x < r->domain[v]; x++)
            printf(" %.8g", r->marginal[v][x]);
    }
    putchar('\n');
}

/* JSON has no infinities: they are null. */
static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *marginals_of(const struct yk_solve_result *r)
{
    json_t *all = json_array();
    for (uint32_t v = 0; v < r->nvars; v++) {
        json_t *one = json_array();
        for (uint32_t x = 0; x < r->domain[v]; x++)
            json_array_append_new(one, number(r->marginal[v][x]));
        json_array_append_new(all, one);
    }
    return all;
}

static json_t *named_marginals(const struct yk_network *net, const struct yk_solve_result *r)
{
    json_t *all = json_object();
    for (uint32_t v = 0; v < r->nvars; v++) {
        json_t *one = json_object();
        for (uint32_t x = 0; x < r->domain[v]; x++)
            json_object_set_new(one, net->state_name[v][x], number(r->marginal[v][x]));
        json_object_set_new(all, net->name[v], one);
    }
    return all;
}

const char *solve_write_json(const char *path, json_t *o)
{
    errno = 0;
    FILE *f = o ? strcmp(path, "-") == 0 ? stdout : fopen(path, "w") : NULL;
    bool ok = f && json_dumpf(o, f, JSON_INDENT(1) | JSON_REAL_PRECISION(15)) == 0 && fputc('\n', f) != EOF;
    if (f && f != stdout && fclose(f) != 0)
        ok = false;
    json_decref(o);
    return ok ? NULL : strerror(errno ? errno : EIO);
}

const char *solve_print_json(const char *path, const struct solve_settings *set, const struct yk_network *net,
                             const struct yk_solve_result *r)
{
    json_t *o = json_object();
    json_object_set_new(o, "network", json_string(set->network));
    json_object_set_new(o, "task", json_string(set->options.marginals ? "MAR" : "PR"));
    json_object_set_new(o, "log10_pr", number(r->log10_pr));
    if (r->marginal) {
        json_object_set_new(o, "marginals", marginals_of(r));
        if (net->name && net->state_name)
            json_object_set_new(o, "named_marginals", named_marginals(net, r));
    }
    json_object_set_new(o, "plan",
                        json_pack("{s:I, s:I, s:I, s:o, s:o, s:f, s:b}", "parts", (json_int_t)r->nparts, "variables",
                                  (json_int_t)r->vars_left, "factors", (json_int_t)r->factors_left, "log10_operations",
                                  number(r->log10_operations), "log2_largest_table", number(r->log2_largest),
                                  "log2_slices", r->log2_slices, "reused", (int)r->plan_reused));
    json_object_set_new(o, "forecast_bytes", number(r->forecast_bytes));
    json_object_set_new(o, "peak_bytes", number(r->peak_bytes));
    json_object_set_new(o, "operations", number(r->operations));
    json_object_set_new(o, "logarithms_used", json_boolean(r->logs_used));
    json_object_set_new(o, "seconds",
                        json_pack("{s:f, s:f, s:f}", "simplify", r->simplify_seconds, "search", r->search_seconds,
                                  "run", r->run_seconds));
    return solve_write_json(path, o);
}

void solve_print_summary(const struct solve_settings *set, const struct yk_network *net,
                         const struct yk_solve_result *r)
{
    fprintf(stderr, "%s: %u variables, %zu factors; %zu and %zu left in %zu parts after simplification (%.2f s)\n",
            set->network, net->nvars, net->nfactors, r->vars_left, r->factors_left, r->nparts, r->simplify_seconds);
    if (r->nparts)
        fprintf(stderr, "plan: 10^%.2f multiply-adds, largest table 2^%.1f cells, 2^%.1f slices, %s %.2f s\n",
                r->log10_operations, r->log2_largest, r->log2_slices, r->plan_reused ? "read in" : "found in",
                r->search_seconds);
    fprintf(stderr, "memory: %.1f MB foretold", r->forecast_bytes * 1e-6);
    if (!set->options.plan_only)
        fprintf(stderr, ", %.1f MB at the peak; run %.2f s, %.2f Gop/s", r->peak_bytes * 1e-6, r->run_seconds,
                r->run_seconds > 0 ? r->operations / r->run_seconds * 1e-9 : 0);
    fputc('\n', stderr);
    const struct yk_solver_device *d = set->options.device;
    if (r->device_spared)
        fprintf(stderr, "device: not used; the plan is done on the CPU before the device gets going\n");
    else if (d && !set->options.plan_only)
        fprintf(stderr,
                "device: %llu buckets, %llu of them together in %llu launches, in %.2f s (planning %.2f, compiling "
                "%.2f), %.1f MB in, %.1f MB out\n",
                (unsigned long long)d->buckets, (unsigned long long)d->batched, (unsigned long long)d->batches,
                d->seconds, d->plan_seconds, d->build_seconds, d->bytes_in * 1e-6, d->bytes_out * 1e-6);
    if (r->logs_used)
        fprintf(stderr, "note: values left the range of linear arithmetic; logarithms were used\n");
}
