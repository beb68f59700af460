#include "solver/solve.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "solver/place.h"
#include "solver/search/plan_tools.h"
#include "solver/search/search.h"
#include "solver/simplify.h"

struct solve {
    const struct yk_solve_options *opt;
    struct yk_solve_result *out;
    struct yk_simplified simple;
    struct yk_solver_plan *plan; /* [nparts] */
    size_t part;
    uint64_t began;     /* of the phase */
    double total, done; /* multiply-adds of all parts, of those that are ready */
    double cells;       /* of the factors of the parts that have no plan yet */
    bool canceled;
    char *msg;
    size_t n;
};

static double seconds_since(uint64_t t)
{
    return (double)(yk_now_ns() - t) * 1e-9;
}

/* First number of the file PATH, -1 where there is none. */
static double first_number(const char *path, const char *key)
{
    FILE *f = fopen(path, "r");
    double value = -1;
    char line[256];
    if (!f)
        return -1;
    while (fgets(line, sizeof line, f))
        if (strncmp(line, key, strlen(key)) == 0 && sscanf(line + strlen(key), "%lf", &value) == 1)
            break;
    fclose(f);
    return value;
}

double yk_solve_machine_memory(void)
{
    double available = first_number("/proc/meminfo", "MemAvailable:") * 1024;
    if (available <= 0)
        available = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 2;
    double limit = first_number("/sys/fs/cgroup/memory.max", ""),
           used = first_number("/sys/fs/cgroup/memory.current", "");
    if (limit > 0 && used >= 0 && limit - used < available)
        available = limit - used;
    return available > 0 ? 0.9 * available : 0;
}

static yk_status fail(struct solve *s, yk_status st, const char *what)
{
    if (s->n)
        snprintf(s->msg, s->n, "%s", what);
    return st;
}

static bool report(struct solve *s, struct yk_solve_progress p)
{
    p.part = s->part;
    p.nparts = s->simple.nparts;
    p.seconds = seconds_since(s->began);
    if (s->opt->progress && !s->opt->progress(s->opt->ctx, &p))
        s->canceled = true;
    return !s->canceled;
}

static bool on_search(void *ctx, const struct yk_search_progress *p)
{
    return report(ctx, (struct yk_solve_progress){.phase = YK_SOLVE_SEARCH, .log10_operations = p->log10_operations});
}

static bool on_run(void *ctx, const struct yk_evaluate_progress *p)
{
    struct solve *s = ctx;
    return report(s, (struct yk_solve_progress){.phase = YK_SOLVE_RUN,
                                                .log10_operations = s->out->log10_operations,
                                                .done = s->total > 0 ? fmin(1, (s->done + p->done) / s->total) : 1,
                                                .node = p->node,
                                                .nnodes = p->nnodes});
}

static void plan_path(const struct solve *s, size_t part, char *path, size_t n)
{
    if (part == 0)
        snprintf(path, n, "%s", s->opt->plan_path);
    else
        snprintf(path, n, "%s.%zu", s->opt->plan_path, part);
}

/* The plan of a part: from its file if there is one, else searched and saved. */
static yk_status make_plan(struct solve *s, size_t part, double memory)
{
    const struct yk_network *net = &s->simple.part[part];
    char path[4096];
    struct yk_search_options so;
    yk_search_options_init(&so);
    if (s->opt->plan_path) {
        plan_path(s, part, path, sizeof path);
        if (access(path, F_OK) == 0) {
            s->out->plan_reused = true;
            return yk_solver_plan_load(&s->plan[part], net, path, &yk_search_model_default, s->opt->marginals, s->msg,
                                       s->n);
        }
    }
    double cells = 0;
    for (size_t i = 0; i < net->nfactors; i++)
        cells += (double)net->factor[i].cells;
    /* what is left of the time, shared with the parts to come by their size */
    so.max_seconds =
        s->opt->search_seconds < 0 ? -1 : fmax(0, s->opt->search_seconds - seconds_since(s->began)) * cells / s->cells;
    s->cells -= cells;
    /* Slices and other arithmetics take copies of the factors, which the search does not count. */
    so.memory_bytes = fmax(memory - 8 * cells, memory / 2);
    so.threads = s->opt->threads;
    so.marginals = s->opt->marginals;
    so.progress = on_search;
    so.ctx = s;
    yk_status st = yk_solver_plan_search(net, &so, &s->plan[part], s->msg, s->n);
    if (st == YK_OK && s->opt->plan_path && !s->canceled)
        st = yk_solver_plan_save(&s->plan[part], net, path, s->msg, s->n);
    return st;
}

static struct yk_evaluate_options evaluate_options(struct solve *s, enum yk_arithmetic arithmetic)
{
    return (struct yk_evaluate_options){
        .threads = s->opt->threads, .device = s->opt->device, .arithmetic = arithmetic, .progress = on_run, .ctx = s};
}

/* Getting a device going takes longer than the CPU takes for a small plan: its kernels are read or compiled, and both
 * are measured before anything is placed (20 ms; 2 s with a compiler). Multiply-adds that a processor makes of a tree
 * meanwhile. */
static const double SMALL_PLAN_OPERATIONS = 5e8;

static bool device_pays(const struct solve *s)
{
    const struct yk_solver_device *d = s->opt->device;
    return d && (d->always || s->total >= SMALL_PLAN_OPERATIONS);
}

/* Where the nodes would run, and what the other placements come to. */
static yk_status explain_place(struct solve *s, const struct yk_solver_plan *p, const struct yk_network *net,
                               const struct yk_evaluate_options *eo)
{
    struct yk_place place;
    FILE *f = s->opt->explain;
    yk_status st = yk_place_init(&place, p, net, eo);
    if (st == YK_OK && place.tree.nodes) {
        fprintf(f,
                "placement on CPU and %s: %u of %u nodes on the device, %u of them together in %u launches, foretold "
                "%.3g ms",
                yk_gpu_name(eo->device->gpu), place.on_device, place.tree.nodes, place.together, place.levels,
                place.ms);
        fprintf(f, " (CPU alone %.3g, device alone %.3g, greedy %.3g)\n", place.cpu_ms, place.device_ms,
                place.greedy_ms);
        for (uint32_t i = 0; i < place.tree.nodes; i++)
            if (place.node[i] == YK_PLACE_DEVICE)
                fprintf(f, "  #%u on the device: %.3g ms, on the CPU %.3g ms\n", i, place.tree.node[i].ms[1],
                        place.tree.node[i].ms[0]);
    }
    yk_place_finish(&place);
    return st;
}

static yk_status make_plans(struct solve *s)
{
    double memory = s->opt->memory_bytes > 0 ? s->opt->memory_bytes : yk_solve_machine_memory(), log2_sum = 0;
    struct yk_solve_result *out = s->out;
    out->log10_operations = -INFINITY;
    for (size_t i = 0; i < s->simple.nparts; i++)
        for (size_t f = 0; f < s->simple.part[i].nfactors; f++)
            s->cells += (double)s->simple.part[i].factor[f].cells;
    for (size_t i = 0; i < s->simple.nparts; i++) {
        struct yk_evaluate_options eo = evaluate_options(s, s->opt->arithmetic);
        struct yk_evaluate_stats stats;
        s->part = i;
        yk_status st = make_plan(s, i, memory);
        if (st == YK_OK && s->canceled)
            st = YK_ECANCELED;
        if (st == YK_OK)
            st = yk_evaluate_forecast(&s->plan[i], &s->simple.part[i], &eo, s->opt->marginals, &stats);
        if (st == YK_ENOMEM)
            fail(s, st, "not enough memory for a plan");
        if (st != YK_OK)
            return st;
        const struct yk_solver_plan *p = &s->plan[i];
        double ops =
            pow(10, p->log10_operations) + (isfinite(out->log10_operations) ? pow(10, out->log10_operations) : 0);
        out->log10_operations = log10(ops);
        out->log2_largest = fmax(out->log2_largest, p->log2_largest);
        log2_sum = fmax(log2_sum, p->log2_slices);
        out->forecast_bytes = fmax(out->forecast_bytes, stats.peak_bytes);
        s->total += stats.operations;
        if (s->opt->explain) {
            fprintf(s->opt->explain, "part %zu of %zu: %u variables, %zu factors\n", i + 1, s->simple.nparts,
                    s->simple.part[i].nvars, s->simple.part[i].nfactors);
            yk_solver_plan_print(s->opt->explain, p, &s->simple.part[i], 0);
            if (eo.device && (st = explain_place(s, p, &s->simple.part[i], &eo)) != YK_OK)
                return st;
        }
        if (stats.peak_bytes > memory) {
            snprintf(s->msg, s->n,
                     "the plan needs %.0f bytes of memory, more than the %.0f that may be used (see --memory)",
                     stats.peak_bytes, memory);
            return YK_ELIMIT;
        }
    }
    out->log2_slices = log2_sum;
    return YK_OK;
}

static yk_status run_part(struct solve *s, size_t part, double *const *marginal, struct yk_scaled *z)
{
    const struct yk_network *net = &s->simple.part[part];
    struct yk_evaluate_stats stats = {0};
    enum yk_arithmetic arithmetic = s->opt->arithmetic;
    yk_status st;
    for (;;) {
        struct yk_evaluate_options eo = evaluate_options(s, arithmetic);
        if (!device_pays(s)) {
            s->out->device_spared = eo.device != NULL;
            eo.device = NULL;
        }
        st = s->opt->marginals ? yk_evaluate_mar(&s->plan[part], net, &eo, z, marginal, &stats)
                               : yk_evaluate_pr(&s->plan[part], net, &eo, z, &stats);
        if (st != YK_ELIMIT || arithmetic == YK_ARITH_LOG)
            break;
        /* Values left the range. Logarithms take copies of the factors, for which make_plan has left room. */
        struct yk_evaluate_stats logs;
        arithmetic = YK_ARITH_LOG;
        eo.arithmetic = arithmetic;
        s->out->logs_used = true;
        st = yk_evaluate_forecast(&s->plan[part], net, &eo, s->opt->marginals, &logs);
        if (st != YK_OK)
            break;
        s->out->forecast_bytes = fmax(s->out->forecast_bytes, logs.peak_bytes);
    }
    s->done += stats.operations;
    s->out->operations += stats.operations;
    s->out->peak_bytes = fmax(s->out->peak_bytes, stats.peak_bytes);
    if (st == YK_ENOMEM)
        fail(s, st, "not enough memory: the system gave less than it said it has (see --memory)");
    else if (st == YK_ECANCELED)
        fail(s, st, "ended by request");
    else if (st != YK_OK)
        fail(s, st, "a step of the plan is beyond what the kernels can do");
    return st;
}

/* The marginals of all parts' variables: MARGINAL[part][var]. */
static double ***take_marginals(struct solve *s)
{
    struct yk_arena *a = &s->out->arena;
    double ***m = yk_arena_array(a, double **, s->simple.nparts);
    for (size_t p = 0; m && p < s->simple.nparts; p++) {
        const struct yk_network *net = &s->simple.part[p];
        if (!(m[p] = yk_arena_array(a, double *, net->nvars)))
            return NULL;
        for (uint32_t v = 0; v < net->nvars; v++)
            if (!(m[p][v] = yk_arena_array(a, double, net->domain[v])))
                return NULL;
    }
    return m;
}

static yk_status map_back(struct solve *s, const struct yk_network *net, double ***part)
{
    struct yk_solve_result *out = s->out;
    out->marginal = yk_arena_array(&out->arena, double *, net->nvars);
    if (!out->marginal)
        return YK_ENOMEM;
    for (uint32_t v = 0; v < net->nvars; v++) {
        const struct yk_simplified_var *m = &s->simple.var[v];
        double *to = out->marginal[v] = yk_arena_array(&out->arena, double, net->domain[v]);
        if (!to)
            return YK_ENOMEM;
        for (uint32_t x = 0; x < m->n; x++)
            to[m->state[x]] = m->part >= 0 ? part[m->part][m->var][x] : 1.0 / m->n;
    }
    return YK_OK;
}

static yk_status run(struct solve *s, const struct yk_network *net)
{
    double ***marginal = NULL;
    if (s->opt->marginals && !(marginal = take_marginals(s)))
        return fail(s, YK_ENOMEM, "not enough memory for the marginals");
    struct yk_scaled z = s->simple.constant;
    for (size_t i = 0; i < s->simple.nparts && z.m > 0; i++) {
        struct yk_scaled part;
        s->part = i;
        yk_status st = run_part(s, i, marginal ? marginal[i] : NULL, &part);
        if (st != YK_OK)
            return st;
        z = yk_scaled_multiply(z, part);
    }
    s->out->log10_pr = yk_scaled_log10(z);
    if (s->opt->marginals && z.m > 0 && map_back(s, net, marginal) != YK_OK)
        return fail(s, YK_ENOMEM, "not enough memory for the marginals");
    return YK_OK;
}

static yk_status solve(struct solve *s, const struct yk_network *net, const struct yk_evidence *ev)
{
    struct yk_solve_result *out = s->out;
    s->began = yk_now_ns();
    if (yk_simplify(net, ev, s->opt->marginals, &s->simple) != YK_OK)
        return fail(s, YK_ENOMEM, "not enough memory to simplify the network");
    out->nparts = s->simple.nparts;
    out->states_removed = s->simple.removed_states;
    out->factors_merged = s->simple.merged_factors;
    for (size_t i = 0; i < s->simple.nparts; i++) {
        out->vars_left += s->simple.part[i].nvars;
        out->factors_left += s->simple.part[i].nfactors;
    }
    out->simplify_seconds = seconds_since(s->began);
    if (!(s->plan = calloc(s->simple.nparts + 1, sizeof *s->plan)))
        return fail(s, YK_ENOMEM, "not enough memory for the plans");

    s->began = yk_now_ns();
    yk_status st = make_plans(s);
    out->search_seconds = seconds_since(s->began);
    if (st == YK_ECANCELED)
        return fail(s, st, "ended by request");
    if (st != YK_OK || s->opt->plan_only)
        return st;

    s->began = yk_now_ns();
    st = run(s, net);
    out->run_seconds = seconds_since(s->began);
    return st;
}

yk_status yk_solve(const struct yk_network *net, const struct yk_evidence *ev, const struct yk_solve_options *opt,
                   struct yk_solve_result *out, char *msg, size_t n)
{
    *out = (struct yk_solve_result){.log10_pr = -INFINITY, .nvars = net->nvars, .domain = net->domain};
    struct solve s = {.opt = opt, .out = out, .msg = msg, .n = n};
    yk_status st = solve(&s, net, ev);
    for (size_t i = 0; s.plan && i < s.simple.nparts; i++)
        yk_solver_plan_finish(&s.plan[i]);
    free(s.plan);
    yk_simplified_finish(&s.simple);
    return st;
}

void yk_solve_result_finish(struct yk_solve_result *r)
{
    yk_arena_finish(&r->arena);
    *r = (struct yk_solve_result){0};
}
