/* solver/: simplify, evaluate and solve against enumeration of all joint states; forecasts against what is taken. */
#include <math.h>
#include "solver/device.h"
#include "solver/search/search.h"
#include "solver/simplify.h"
#include "solver/solve.h"
#include "tests/unit/main.h"
#include "tests/unit/search_nets.h"
#include "tests/unit/solver_nets.h"

static char msg[512];

static uint64_t count(void)
{
    return getenv("YOKE_NIGHTLY") ? 10000 : 1000;
}

static struct yk_solve_options random_options(uint64_t seed)
{
    uint64_t s = seed * 977 + 5;
    struct yk_solve_options o = {.threads = 1};
    o.marginals = random_below(&s, 2);
    o.arithmetic = random_below(&s, 4) == 0 ? YK_ARITH_LOG : YK_ARITH_DOUBLE;
    if (random_below(&s, 3) == 0)
        o.memory_bytes = 16 + random_below(&s, seed % 4 ? 120 : 4000); /* many of these are sliced */
    return o;
}

static void check_answer(uint64_t seed, const struct yk_network *net, const struct yk_evidence *ev,
                         const struct yk_solve_result *r)
{
    static long double marginal[SMALL_VARS][4];
    long double z = enumerate(net, ev, marginal);
    if (z == 0) {
        ck_assert_msg(isinf(r->log10_pr) && r->log10_pr < 0, "seed %lu: %g for an impossible network",
                      (unsigned long)seed, r->log10_pr);
        ck_assert_ptr_null(r->marginal);
        return;
    }
    double want = (double)log10l(z);
    ck_assert_msg(fabs(r->log10_pr - want) <= 1e-11 * fmax(1, fabs(want)), "seed %lu: %.15g, expected %.15g",
                  (unsigned long)seed, r->log10_pr, want);
    for (uint32_t v = 0; r->marginal && v < net->nvars; v++)
        for (uint32_t x = 0; x < net->domain[v]; x++)
            ck_assert_msg(fabs(r->marginal[v][x] - (double)(marginal[v][x] / z)) <= 1e-11,
                          "seed %lu: P(%u=%u) %.15g, expected %.15g", (unsigned long)seed, v, x, r->marginal[v][x],
                          (double)(marginal[v][x] / z));
}

START_TEST(answers_are_those_of_enumeration)
{
    uint64_t sliced = 0, refused = 0, bounded = 0, marginals = 0;
    for (uint64_t seed = 1; seed <= count(); seed++) {
        struct yk_network net = small_network(seed);
        struct yk_evidence ev = small_evidence(seed, &net);
        struct yk_solve_options o = random_options(seed);
        struct yk_solve_result r;
        yk_status st = yk_solve(&net, &ev, &o, &r, msg, sizeof msg);
        bounded += o.memory_bytes > 0;
        if (st == YK_ELIMIT && o.memory_bytes > 0) {
            refused++;
        } else {
            ck_assert_msg(st == YK_OK, "seed %lu: %s", (unsigned long)seed, msg);
            check_answer(seed, &net, &ev, &r);
            ck_assert_msg(r.peak_bytes <= r.forecast_bytes,
                          "seed %lu: %g bytes, foretold %g; logs %d, MAR %d, slices %g", (unsigned long)seed,
                          r.peak_bytes, r.forecast_bytes, r.logs_used, o.marginals, r.log2_slices);
            ck_assert(o.memory_bytes == 0 || r.peak_bytes <= o.memory_bytes);
            sliced += r.log2_slices > 0;
            marginals += r.marginal != NULL;
        }
        yk_solve_result_finish(&r);
        yk_evidence_finish(&ev);
        yk_network_finish(&net);
    }
    /* The test is worth something only if these occur. */
    ck_assert_msg(sliced >= count() / 250 && refused * 2 < bounded && marginals > count() / 10,
                  "%lu sliced, %lu of %lu refused, %lu with marginals", (unsigned long)sliced, (unsigned long)refused,
                  (unsigned long)bounded, (unsigned long)marginals);
}
END_TEST

START_TEST(simplification_leaves_connected_parts_without_small_domains)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct yk_network net = small_network(seed);
        struct yk_simplified s;
        ck_assert(yk_simplify(&net, NULL, seed % 2, &s) == YK_OK);
        for (size_t p = 0; p < s.nparts; p++) {
            bool used[SMALL_VARS] = {0};
            for (size_t f = 0; f < s.part[p].nfactors; f++) {
                const struct yk_factor *x = &s.part[p].factor[f];
                ck_assert(x->n > 0);
                double max = 0;
                for (size_t i = 0; i < x->cells; i++)
                    max = fmax(max, x->value[i]);
                ck_assert(max >= 0.5 && max < 1.5);
                for (uint32_t k = 0; k < x->n; k++)
                    used[x->scope[k]] = true;
            }
            for (uint32_t v = 0; v < s.part[p].nvars; v++)
                ck_assert(used[v] && s.part[p].domain[v] >= 2);
        }
        yk_simplified_finish(&s);
        yk_network_finish(&net);
    }
}
END_TEST

/* f(x, y) with y = 1 - x, and g(y, z): y goes away, z keeps its meaning. */
START_TEST(tied_variables_are_substituted)
{
    uint32_t domain[] = {2, 2, 2}, s0[] = {0, 1}, s1[] = {1, 2}, s2[] = {2};
    double f[] = {0, 0.3, 0.7, 0}, g[] = {0.9, 0.1, 0.2, 0.8}, h[] = {0.5, 0.25};
    struct yk_factor factor[] = {{2, s0, 4, f}, {2, s1, 4, g}, {1, s2, 2, h}};
    struct yk_network net = {.nvars = 3, .domain = domain, .nfactors = 3, .factor = factor};
    struct yk_simplified s;
    ck_assert(yk_simplify(&net, NULL, true, &s) == YK_OK);
    ck_assert_uint_eq(s.nparts, 1);
    ck_assert_uint_eq(s.part[0].nvars, 2);
    ck_assert_uint_eq(s.part[0].nfactors, 1);
    ck_assert_uint_eq(s.var[0].var, s.var[1].var);
    ck_assert_uint_eq(s.var[0].state[0], 1 - s.var[1].state[0]);
    yk_simplified_finish(&s);
}
END_TEST

static void fill_grid(struct yk_network *net, uint64_t seed)
{
    for (size_t f = 0; f < net->nfactors; f++) {
        net->factor[f].value = yk_arena_array(&net->arena, double, net->factor[f].cells);
        for (size_t i = 0; i < net->factor[f].cells; i++)
            net->factor[f].value[i] = (1 + random_below(&seed, 1000)) * 1e-3;
    }
}

START_TEST(memory_is_what_was_foretold)
{
    struct yk_network net = grid_network(8, 2);
    fill_grid(&net, 3);
    double pr = 0, *marginal[64], state[64][2], first[64][2];
    for (uint32_t v = 0; v < 64; v++)
        marginal[v] = state[v];
    for (int i = 0; i < 6; i++) {
        struct yk_search_options so;
        yk_search_options_init(&so);
        so.max_trials = 3;
        so.max_seconds = 5;
        so.threads = 1;
        so.marginals = i % 2;
        so.memory_bytes = i < 2 ? 0 : i < 4 ? 4000 : 2500;
        struct yk_solver_plan plan;
        ck_assert_msg(yk_solver_plan_search(&net, &so, &plan, msg, sizeof msg) == YK_OK, "%d: %s", i, msg);
        struct yk_evaluate_options eo = {.threads = 1};
        struct yk_evaluate_stats forecast, measured;
        struct yk_scaled z;
        ck_assert(yk_evaluate_forecast(&plan, &net, &eo, so.marginals, &forecast) == YK_OK);
        if (so.marginals)
            ck_assert(yk_evaluate_mar(&plan, &net, &eo, &z, marginal, &measured) == YK_OK);
        else
            ck_assert(yk_evaluate_pr(&plan, &net, &eo, &z, &measured) == YK_OK);
        ck_assert_double_eq(forecast.peak_bytes, measured.peak_bytes);
        ck_assert_double_eq_tol(forecast.operations, measured.operations, 1e-6 * forecast.operations);
        ck_assert((plan.nsliced > 0) == (i > 1));
        if (plan.nsliced == 0 && !so.marginals)
            ck_assert_double_eq(plan.peak_bytes, measured.peak_bytes);
        pr = i ? pr : yk_scaled_log10(z);
        ck_assert_double_eq_tol(pr, yk_scaled_log10(z), 1e-12);
        if (i == 1)
            memcpy(first, state, sizeof first);
        for (uint32_t v = 0; i > 1 && i % 2 && v < 64; v++)
            ck_assert_double_eq_tol(first[v][0], state[v][0], 1e-12);
        yk_solver_plan_finish(&plan);
    }
    network_drop(&net);
}
END_TEST

/* 60 factors on one variable, each of 10^-200 and less: beyond a double in any order. */
START_TEST(nothing_underflows)
{
    uint32_t domain[61], scope[60][2];
    double value[60][4];
    struct yk_factor factor[60];
    domain[60] = 2;
    for (uint32_t i = 0; i < 60; i++) {
        domain[i] = 2;
        scope[i][0] = 60;
        scope[i][1] = i;
        double *v = value[i];
        v[0] = i % 2 ? 1e-200 : 1e200, v[1] = i % 2 ? 2e-200 : 2e200;
        v[2] = i % 2 ? 1e200 : 1e-200, v[3] = i % 2 ? 2e200 : 2e-200;
        factor[i] = (struct yk_factor){2, scope[i], 4, v};
    }
    struct yk_network net = {.nvars = 61, .domain = domain, .nfactors = 60, .factor = factor};
    for (int marginals = 0; marginals < 2; marginals++) {
        struct yk_solve_options o = {.threads = 1, .marginals = marginals};
        struct yk_solve_result r;
        ck_assert_msg(yk_solve(&net, NULL, &o, &r, msg, sizeof msg) == YK_OK, "%s", msg);
        ck_assert_double_eq_tol(r.log10_pr, 60 * log10(3) + log10(2), 1e-9);
        if (marginals)
            ck_assert_double_eq_tol(r.marginal[60][0], 0.5, 1e-9);
        if (marginals)
            ck_assert_double_eq_tol(r.marginal[7][1], 2.0 / 3, 1e-9);
        yk_solve_result_finish(&r);
    }
}
END_TEST

static bool stop(void *ctx, const struct yk_solve_progress *p)
{
    (void)ctx;
    return p->phase == YK_SOLVE_SEARCH;
}

START_TEST(a_run_ends_when_asked)
{
    struct yk_network net = grid_network(6, 2);
    fill_grid(&net, 4);
    struct yk_solve_options o = {.threads = 1, .progress = stop};
    struct yk_solve_result r;
    ck_assert(yk_solve(&net, NULL, &o, &r, msg, sizeof msg) == YK_ECANCELED);
    yk_solve_result_finish(&r);
    network_drop(&net);
}
END_TEST

/* A device that would crash whoever used it: a small plan does not. */
START_TEST(a_small_plan_leaves_the_device_alone)
{
    struct yk_network net = grid_network(6, 2);
    fill_grid(&net, 4);
    struct yk_solver_device none = {.in = 1e12, .out = 1e12};
    struct yk_solve_options o = {.threads = 1, .marginals = true};
    struct yk_solve_result alone, beside;
    ck_assert_msg(yk_solve(&net, NULL, &o, &alone, msg, sizeof msg) == YK_OK, "%s", msg);
    ck_assert(!alone.device_spared);
    o.device = &none;
    ck_assert_msg(yk_solve(&net, NULL, &o, &beside, msg, sizeof msg) == YK_OK, "%s", msg);
    ck_assert(beside.device_spared && none.buckets == 0);
    ck_assert(fabs(beside.log10_pr - alone.log10_pr) < 1e-9);
    yk_solve_result_finish(&alone);
    yk_solve_result_finish(&beside);
    network_drop(&net);
}
END_TEST

/* Marginals of a variable of very many states: a quadratic step would take minutes, and the test's time limit. */
START_TEST(many_states_are_no_obstacle)
{
    enum { STATES = 1 << 18 };
    struct yk_network net = {.nvars = 2, .nfactors = 1};
    net.domain = yk_arena_array(&net.arena, uint32_t, 2);
    net.factor = yk_arena_array(&net.arena, struct yk_factor, 1);
    net.domain[0] = 2;
    net.domain[1] = STATES;
    struct yk_factor *f = net.factor;
    *f = (struct yk_factor){.n = 2, .cells = 2 * STATES};
    f->scope = yk_arena_array(&net.arena, uint32_t, 2);
    f->value = yk_arena_array(&net.arena, double, f->cells);
    f->scope[1] = 1;
    for (size_t i = 0; i < f->cells; i++)
        f->value[i] = i < STATES ? 1 : 3;
    struct yk_solve_options o = {.threads = 1, .marginals = true};
    struct yk_solve_result r;
    ck_assert_msg(yk_solve(&net, NULL, &o, &r, msg, sizeof msg) == YK_OK, "%s", msg);
    ck_assert(fabs(r.marginal[0][1] - 0.75) < 1e-12);
    ck_assert(fabs(r.marginal[1][STATES - 1] * STATES - 1) < 1e-9);
    yk_solve_result_finish(&r);
    yk_network_finish(&net);
}
END_TEST

YK_TEST_MAIN("solve", answers_are_those_of_enumeration, simplification_leaves_connected_parts_without_small_domains,
             tied_variables_are_substituted, memory_is_what_was_foretold, nothing_underflows, a_run_ends_when_asked,
             a_small_plan_leaves_the_device_alone, many_states_are_no_obstacle)
