/* solver/search: plans are valid, compute the right number, cost and hold what they say, obey the memory bound. */
#include <math.h>
#include <stdlib.h>
#include "solver/search/plan_tools.h"
#include "tests/unit/main.h"
#include "tests/unit/search_nets.h"

static char msg[400];

/* A table over a list of variables, by the obvious loops. */
struct table {
    uint32_t n;
    const uint32_t *var;
    double *value;
};

static double lookup(const struct table *t, const uint32_t *domain, const uint32_t *state)
{
    size_t at = 0;
    for (uint32_t i = 0; i < t->n; i++)
        at = at * domain[t->var[i]] + state[t->var[i]];
    return t->value[at];
}

/* Next joint state of the listed variables, the last fastest; false after the last one (then all are 0 again). */
static bool advance(uint32_t *state, const uint32_t *domain, const uint32_t *var, uint32_t n)
{
    while (n-- > 0) {
        if (++state[var[n]] < domain[var[n]])
            return true;
        state[var[n]] = 0;
    }
    return false;
}

static double brute_force(const struct yk_network *net)
{
    uint32_t *state = calloc(net->nvars, sizeof *state), *all = calloc(net->nvars, sizeof *all), n = 0;
    for (uint32_t i = 0; i < net->nvars; i++) {
        bool used = false;
        for (size_t f = 0; f < net->nfactors; f++)
            for (uint32_t k = 0; k < net->factor[f].n; k++)
                used |= net->factor[f].scope[k] == i;
        if (used)
            all[n++] = i;
    }
    double sum = 0;
    do {
        double x = 1;
        for (size_t f = 0; f < net->nfactors; f++) {
            struct table t = {net->factor[f].n, net->factor[f].scope, net->factor[f].value};
            x *= lookup(&t, net->domain, state);
        }
        sum += x;
    } while (advance(state, net->domain, all, n));
    free(state);
    free(all);
    return sum;
}

/* Run the plan as its header defines it. */
static double run_plan(const struct yk_solver_plan *p, const struct yk_network *net)
{
    uint32_t *state = calloc(net->nvars, sizeof *state), total = p->nleaves + p->nnodes;
    struct table *t = calloc(total, sizeof *t);
    bool *used = calloc(total, sizeof *used);
    double sum = 0;
    for (uint32_t i = 0; i < p->nleaves; i++)
        t[i] = (struct table){net->factor[i].n, net->factor[i].scope, net->factor[i].value};
    do {
        double result = 1;
        for (uint32_t i = 0; i < p->nnodes; i++) {
            const struct yk_solver_plan_node *n = &p->node[i];
            size_t cells = 1, at = 0;
            for (uint32_t k = 0; k < n->nout; k++)
                cells *= p->domain[n->out[k]];
            double *value = calloc(cells, sizeof *value);
            do {
                do {
                    double x = 1;
                    for (uint32_t k = 0; k < n->nchildren; k++)
                        x *= lookup(&t[n->child[k]], p->domain, state);
                    value[at] += x;
                } while (advance(state, p->domain, n->sum, n->nsum));
                at++;
            } while (advance(state, p->domain, n->out, n->nout));
            ck_assert_uint_eq(at, cells);
            t[p->nleaves + i] = (struct table){n->nout, n->out, value};
            for (uint32_t k = 0; k < n->nchildren; k++)
                used[n->child[k]] = true;
        }
        for (uint32_t i = 0; i < total; i++)
            if (!used[i])
                result *= lookup(&t[i], p->domain, state);
        for (uint32_t i = p->nleaves; i < total; i++)
            free(t[i].value);
        sum += result;
    } while (advance(state, p->domain, p->sliced, p->nsliced));
    free(state);
    free(t);
    free(used);
    return sum;
}

static void check_value(int i)
{
    struct net_shape s = {2 + (uint32_t)i % 9, 1 + (uint32_t)i % 14, 1 + (uint32_t)i % 4, 1 + (uint32_t)i % 3, true};
    struct yk_network net = random_network(s, (uint64_t)i);
    struct yk_search_options o = quick_options((uint64_t)i);
    if (i % 3 == 0)
        o.memory_bytes = 64; /* tables of eight cells together: sliced to the bone */
    if (i % 5 == 0)
        o.model.per_node = 1e-3, o.model.per_operation = 1e-9; /* large buckets */
    struct yk_solver_plan p;
    yk_status st = yk_solver_plan_search(&net, &o, &p, msg, sizeof msg);
    ck_assert_msg(st == YK_OK, "%s", msg);
    ck_assert_msg(yk_solver_plan_check(&p, &net, msg, sizeof msg) == YK_OK, "%s", msg);
    double want = brute_force(&net), got = run_plan(&p, &net);
    ck_assert_msg(fabs(got / want - 1) < 1e-10, "%g instead of %g", got, want);
    yk_solver_plan_finish(&p);
    network_drop(&net);
}

START_TEST(plan_computes_the_partition_function)
{
    for (int i = 0; i < 150; i++)
        check_value(i);
}
END_TEST

/* Cost and memory again, by sets of variables and with every table's life written down. */
static void recount(const struct yk_solver_plan *p, const struct yk_network *net, bool marginals, double *operations,
                    double *peak)
{
    uint32_t total = p->nleaves + p->nnodes;
    bool *in = calloc((size_t)total * p->nvars, sizeof *in);
    double *forward = calloc(total, sizeof *forward), *adjoint = calloc(total, sizeof *adjoint);
    double *size = calloc(total, sizeof *size);
    *operations = *peak = 0;
    for (uint32_t i = 0; i < total; i++) {
        bool *s = in + (size_t)i * p->nvars;
        size[i] = 1;
        if (i < p->nleaves) {
            for (uint32_t k = 0; k < net->factor[i].n; k++)
                s[net->factor[i].scope[k]] = true;
            for (uint32_t k = 0; k < p->nsliced; k++)
                s[p->sliced[k]] = false;
            for (uint32_t v = 0; v < p->nvars; v++)
                size[i] *= s[v] ? p->domain[v] : 1;
            continue;
        }
        const struct yk_solver_plan_node *n = &p->node[i - p->nleaves];
        double all = 1;
        for (uint32_t k = 0; k < n->nchildren; k++)
            for (uint32_t v = 0; v < p->nvars; v++)
                s[v] |= in[(size_t)n->child[k] * p->nvars + v];
        for (uint32_t v = 0; v < p->nvars; v++)
            all *= s[v] ? p->domain[v] : 1;
        for (uint32_t k = 0; k < n->nsum; k++)
            s[n->sum[k]] = false;
        for (uint32_t v = 0; v < p->nvars; v++)
            size[i] *= s[v] ? p->domain[v] : 1;
        *operations += all * fmax(1, n->nchildren - 1.0);
        forward[i] = size[i];
        for (int pass = 0; pass < 2; pass++) {
            double live = 0;
            for (uint32_t k = 0; k < total; k++)
                live += forward[k];
            *peak = fmax(*peak, live);
            for (uint32_t k = 0; k < n->nchildren && !marginals; k++)
                forward[n->child[k]] = 0;
        }
    }
    for (uint32_t i = total; marginals && i-- > p->nleaves;) {
        const struct yk_solver_plan_node *n = &p->node[i - p->nleaves];
        double leaf = 0, live = 0;
        for (uint32_t k = 0; k < n->nchildren; k++) {
            if (n->child[k] >= p->nleaves)
                adjoint[n->child[k]] = size[n->child[k]];
            else
                leaf = fmax(leaf, size[n->child[k]]);
        }
        for (uint32_t k = 0; k < total; k++)
            live += forward[k] + adjoint[k];
        *peak = fmax(*peak, live + leaf);
        for (uint32_t k = 0; k < n->nchildren; k++)
            forward[n->child[k]] = 0;
        forward[i] = adjoint[i] = 0; /* a root goes when it has been differentiated */
    }
    for (uint32_t k = 0; k < p->nsliced; k++)
        *operations *= p->domain[p->sliced[k]];
    *peak *= 8;
    free(in);
    free(forward);
    free(adjoint);
    free(size);
}

static void check_figures(int i)
{
    struct net_shape s = {30 + 5 * (uint32_t)i, 60 + 5 * (uint32_t)i, 3, 4, false};
    struct yk_network net = random_network(s, 1000 + (uint64_t)i);
    struct yk_search_options o = quick_options((uint64_t)i);
    o.marginals = i % 2;
    if (i % 4 >= 2)
        o.memory_bytes = 4096;
    struct yk_solver_plan p;
    yk_status st = yk_solver_plan_search(&net, &o, &p, msg, sizeof msg);
    ck_assert_msg(st == YK_OK, "%s", msg);
    ck_assert_msg(yk_solver_plan_check(&p, &net, msg, sizeof msg) == YK_OK, "%s", msg);
    double operations, peak;
    recount(&p, &net, o.marginals, &operations, &peak);
    ck_assert_msg(fabs(p.log10_operations - log10(operations)) < 1e-9, "%g, recounted %g", p.log10_operations,
                  log10(operations));
    ck_assert_msg(fabs(p.peak_bytes - peak) <= 1e-9 * peak, "%g bytes, recounted %g", p.peak_bytes, peak);
    if (o.memory_bytes > 0)
        ck_assert_msg(p.peak_bytes <= o.memory_bytes, "%g bytes of %g", p.peak_bytes, o.memory_bytes);
    yk_solver_plan_finish(&p);
    network_drop(&net);
}

START_TEST(figures_equal_a_slow_recount)
{
    for (int i = 0; i < 12; i++)
        check_figures(i);
}
END_TEST

START_TEST(slicing_obeys_the_bound)
{
    struct yk_network net = grid_network(10, 2);
    struct yk_search_options o = quick_options(3);
    o.max_trials = 10;
    struct yk_solver_plan whole, p;
    ck_assert_int_eq(yk_solver_plan_search(&net, &o, &whole, msg, sizeof msg), YK_OK);
    ck_assert_uint_eq(whole.nsliced, 0);
    double before = whole.log10_operations;
    for (double part = 0.5; part > 0.03; part /= 4) {
        o.memory_bytes = whole.peak_bytes * part;
        yk_status st = yk_solver_plan_search(&net, &o, &p, msg, sizeof msg);
        ck_assert_msg(st == YK_OK, "%s", msg);
        ck_assert_msg(yk_solver_plan_check(&p, &net, msg, sizeof msg) == YK_OK, "%s", msg);
        ck_assert(p.peak_bytes <= o.memory_bytes);
        double states = 0;
        for (uint32_t i = 0; i < p.nsliced; i++)
            states += log2(net.domain[p.sliced[i]]);
        ck_assert(fabs(states - p.log2_slices) < 1e-12);
        /* memory is bought with work, at a fair price: far below the square of what was saved */
        ck_assert_msg(p.log10_operations < before - 2 * log10(part) + 0.5,
                      "10^%g operations at %g of the memory, 10^%g", p.log10_operations, part, before);
        yk_solver_plan_finish(&p);
    }
    yk_solver_plan_finish(&whole);
    network_drop(&net);
}
END_TEST

START_TEST(same_seed_gives_the_same_plan)
{
    struct yk_network net = random_network((struct net_shape){80, 150, 3, 3, false}, 5);
    struct yk_search_options o = quick_options(42);
    o.max_trials = 6;
    struct yk_solver_plan a, b;
    ck_assert_int_eq(yk_solver_plan_search(&net, &o, &a, msg, sizeof msg), YK_OK);
    ck_assert_int_eq(yk_solver_plan_search(&net, &o, &b, msg, sizeof msg), YK_OK);
    ck_assert_uint_eq(a.nnodes, b.nnodes);
    for (uint32_t i = 0; i < a.nnodes; i++) {
        ck_assert_uint_eq(a.node[i].nchildren, b.node[i].nchildren);
        ck_assert_mem_eq(a.node[i].child, b.node[i].child, a.node[i].nchildren * sizeof(uint32_t));
        ck_assert_uint_eq(a.node[i].nout, b.node[i].nout);
        ck_assert_mem_eq(a.node[i].out, b.node[i].out, a.node[i].nout * sizeof(uint32_t));
    }
    yk_solver_plan_finish(&a);
    yk_solver_plan_finish(&b);
    network_drop(&net);
}
END_TEST

START_TEST(more_trials_never_cost_more)
{
    struct yk_network net = random_network((struct net_shape){120, 200, 3, 3, false}, 9);
    double before = INFINITY;
    for (uint64_t trials = 1; trials <= 16; trials *= 4) {
        struct yk_search_options o = quick_options(7);
        o.max_trials = trials;
        o.model = (struct yk_search_model){.per_operation = 1e-9}; /* pure operations: steps stay pairs */
        struct yk_solver_plan p;
        ck_assert_int_eq(yk_solver_plan_search(&net, &o, &p, msg, sizeof msg), YK_OK);
        ck_assert_msg(p.log10_operations <= before + 1e-12, "10^%g after 10^%g", p.log10_operations, before);
        before = p.log10_operations;
        yk_solver_plan_finish(&p);
    }
    network_drop(&net);
}
END_TEST

START_TEST(empty_and_scalar_networks)
{
    struct yk_search_options o = quick_options(1);
    struct yk_solver_plan p;
    struct yk_network none = {0};
    ck_assert_int_eq(yk_solver_plan_search(&none, &o, &p, msg, sizeof msg), YK_OK);
    ck_assert_uint_eq(p.nnodes, 0);
    yk_solver_plan_finish(&p);
    struct yk_network net = random_network((struct net_shape){3, 4, 0, 2, true}, 1);
    ck_assert_int_eq(yk_solver_plan_search(&net, &o, &p, msg, sizeof msg), YK_OK);
    ck_assert_uint_eq(p.nnodes, 0);
    ck_assert_int_eq(yk_solver_plan_check(&p, &net, msg, sizeof msg), YK_OK);
    yk_solver_plan_finish(&p);
    network_drop(&net);
}
END_TEST

YK_TEST_MAIN("search", plan_computes_the_partition_function, figures_equal_a_slow_recount, slicing_obeys_the_bound,
             same_seed_gives_the_same_plan, more_trials_never_cost_more, empty_and_scalar_networks)
