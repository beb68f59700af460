/* The way back. The adjoint of a table is the derivative of the partition function with respect to it: that of a root
 * is the product of the other roots, that of a node's child the sum-product of the node's adjoint with the child's
 * siblings. Table times adjoint is the unnormalised joint of its variables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "solver/evaluate_work.h"

/* Where a variable's marginal is taken: from the smallest node table that has it, or else, where only leaves have it,
 * at the node that sums it. */
struct cover {
    uint32_t *at;   /* [nvars] node, NO_PARENT: none (sliced) */
    bool *from_sum; /* [nvars] it is summed at that node */
    double *sum;    /* all states of all variables, scaled by 2^e[v] */
    size_t *first;  /* [nvars] of the variable's states in sum */
    int64_t *e;     /* [nvars] */
    bool *any;      /* [nvars] a state has a positive sum */
};

static yk_status cover_init(struct cover *c, struct run *r)
{
    const struct yk_solver_plan *p = r->plan;
    uint32_t nvars = r->net->nvars;
    size_t states = 0;
    double *best = yk_arena_array(&r->arena, double, nvars);
    c->at = yk_arena_array(&r->arena, uint32_t, nvars);
    c->from_sum = yk_arena_array(&r->arena, bool, nvars);
    c->first = yk_arena_array(&r->arena, size_t, nvars);
    c->e = yk_arena_array(&r->arena, int64_t, nvars);
    c->any = yk_arena_array(&r->arena, bool, nvars);
    if (!best || !c->at || !c->from_sum || !c->first || !c->e || !c->any)
        return YK_ENOMEM;
    for (uint32_t v = 0; v < nvars; v++) {
        c->at[v] = NO_PARENT;
        c->first[v] = states;
        states += r->net->domain[v];
    }
    if (!(c->sum = yk_arena_array(&r->arena, double, states)))
        return YK_ENOMEM;
    for (uint32_t i = 0; i < p->nnodes; i++) {
        const struct yk_solver_plan_node *n = &p->node[i];
        double cells = 1;
        for (uint32_t k = 0; k < n->nout; k++)
            cells *= r->net->domain[n->out[k]];
        for (uint32_t k = 0; k < n->nout; k++)
            if (c->at[n->out[k]] == NO_PARENT || cells < best[n->out[k]]) {
                c->at[n->out[k]] = i;
                best[n->out[k]] = cells;
            }
    }
    for (uint32_t i = 0; i < p->nnodes; i++)
        for (uint32_t k = 0; k < p->node[i].nsum; k++)
            if (c->at[p->node[i].sum[k]] == NO_PARENT) {
                c->at[p->node[i].sum[k]] = i;
                c->from_sum[p->node[i].sum[k]] = true;
            }
    return YK_OK;
}

/* Add VALUE to the sum of state X of V. */
static void cover_add(struct cover *c, uint32_t v, uint32_t domain, uint32_t x, struct yk_scaled value)
{
    double *sum = c->sum + c->first[v];
    if (value.m == 0)
        return;
    if (!c->any[v]) {
        c->any[v] = true;
        c->e[v] = value.e;
    }
    if (value.e > c->e[v]) {
        for (uint32_t k = 0; k < domain; k++)
            sum[k] = yk_scaled_shift(sum[k], c->e[v] - value.e);
        c->e[v] = value.e;
    }
    sum[x] += yk_scaled_shift(value.m, value.e - c->e[v]);
}

/* The marginal of V out of the product of the N tables IN. */
static yk_status take_marginal(struct run *r, struct cover *c, uint32_t v, struct run_table *const *in, uint32_t n)
{
    struct run_table out = {.n = 1, .scope = &v};
    yk_status st = run_bucket(r, in, n, &out);
    if (st == YK_OK)
        st = run_table_to_host(r, &out);
    for (uint32_t x = 0; st == YK_OK && !r->dry && x < r->net->domain[v]; x++)
        cover_add(c, v, r->net->domain[v], x, run_table_scalar(r, &out, x));
    run_table_free(r, &out);
    return st;
}

/* IN[0] is the node's adjoint, then its children's tables. */
static yk_status backward_children(struct run *r, const struct yk_solver_plan_node *n, struct run_table **in)
{
    yk_status st = YK_OK;
    for (uint32_t k = 0; k < n->nchildren && st == YK_OK; k++) {
        if (n->child[k] < r->nleaves)
            continue;
        struct run_table *own = in[k + 1];
        in[k + 1] = in[n->nchildren];
        st = run_bucket(r, in, n->nchildren, &r->adjoint[n->child[k] - r->nleaves]);
        in[k + 1] = own;
    }
    return st;
}

static yk_status backward_node(struct run *r, struct cover *c, uint32_t i)
{
    const struct yk_solver_plan_node *n = &r->plan->node[i];
    struct run_table **in = malloc(((size_t)n->nchildren + 1) * sizeof(struct run_table *));
    if (!in)
        return YK_ENOMEM;
    in[0] = &r->adjoint[i];
    for (uint32_t k = 0; k < n->nchildren; k++)
        in[k + 1] = run_child(r, n->child[k]);
    struct run_table *both[2] = {&r->adjoint[i], &r->forward[i]};
    yk_status st = YK_OK;
    for (uint32_t k = 0; k < n->nout && st == YK_OK; k++)
        if (c->at[n->out[k]] == i && !c->from_sum[n->out[k]])
            st = take_marginal(r, c, n->out[k], both, 2);
    run_table_free(r, &r->forward[i]);
    for (uint32_t k = 0; k < n->nsum && st == YK_OK; k++)
        if (c->at[n->sum[k]] == i && c->from_sum[n->sum[k]])
            st = take_marginal(r, c, n->sum[k], in, n->nchildren + 1);
    if (st == YK_OK)
        st = backward_children(r, n, in);
    run_table_free(r, &r->adjoint[i]);
    free(in);
    return st;
}

static yk_status init_root(struct run *r, uint32_t root)
{
    struct yk_scaled others = yk_scaled_make(1, 0);
    for (uint32_t i = 0; i < r->nleaves + r->nnodes && !r->dry; i++)
        if (r->parent[i] == NO_PARENT && i != root + r->nleaves)
            others = yk_scaled_multiply(others, run_table_scalar(r, run_child(r, i), 0));
    yk_status st = run_table_take(r, &r->adjoint[root]);
    if (st == YK_OK)
        run_table_set_scalar(r, &r->adjoint[root], others);
    return st;
}

static yk_status backward(struct run *r, struct cover *c)
{
    yk_status st = YK_OK;
    for (uint32_t i = 0; i < r->nnodes && st == YK_OK; i++)
        if (r->parent[i + r->nleaves] == NO_PARENT)
            st = init_root(r, i);
    for (uint32_t i = r->nnodes; i-- && st == YK_OK;) {
        st = backward_node(r, c, i);
        if (st == YK_OK)
            st = run_step_done(r, 2 * r->nnodes - i - 1);
    }
    return st;
}

static yk_status evaluate(struct run *r, struct cover *c, struct yk_scaled *z)
{
    *z = (struct yk_scaled){0, 0};
    do {
        struct yk_scaled slice;
        yk_status st = run_load_slice(r);
        if (st == YK_OK)
            st = run_forward(r, &slice);
        if (st == YK_OK && (r->dry || slice.m > 0))
            st = backward(r, c);
        if (st != YK_OK)
            return st;
        for (uint32_t i = 0; i < r->plan->nsliced && !r->dry; i++) {
            uint32_t v = r->plan->sliced[i];
            cover_add(c, v, r->net->domain[v], r->state[v], slice);
        }
        *z = yk_scaled_add(*z, slice);
    } while (!r->dry && run_next_slice(r));
    return YK_OK;
}

static void normalise(const struct run *r, const struct cover *c, double *const *marginal)
{
    for (uint32_t v = 0; v < r->net->nvars; v++) {
        double total = 0;
        for (uint32_t x = 0; x < r->net->domain[v]; x++)
            total += c->sum[c->first[v] + x];
        for (uint32_t x = 0; x < r->net->domain[v]; x++)
            marginal[v][x] = total > 0 ? c->sum[c->first[v] + x] / total : 0;
    }
}

static yk_status run_marginals(struct run *r, double *const *marginal, struct yk_scaled *z)
{
    struct cover c;
    yk_status st = cover_init(&c, r);
    if (st == YK_OK)
        st = evaluate(r, &c, z);
    if (st == YK_OK && !r->dry)
        normalise(r, &c, marginal);
    return st;
}

yk_status yk_evaluate_mar(const struct yk_solver_plan *plan, const struct yk_network *net,
                          const struct yk_evaluate_options *opt, struct yk_scaled *z, double *const *marginal,
                          struct yk_evaluate_stats *stats)
{
    struct yk_evaluate_stats forecast;
    yk_status st = yk_evaluate_forecast(plan, net, opt, true, &forecast);
    if (st != YK_OK)
        return st;
    struct run r;
    st = run_init(&r, plan, net, opt, true, false);
    r.total = forecast.operations;
    if (st == YK_OK)
        st = run_marginals(&r, marginal, z);
    if (stats)
        *stats = (struct yk_evaluate_stats){r.peak, r.done};
    run_finish(&r);
    return st;
}

yk_status yk_evaluate_forecast(const struct yk_solver_plan *plan, const struct yk_network *net,
                               const struct yk_evaluate_options *opt, bool marginals, struct yk_evaluate_stats *stats)
{
    struct run r;
    struct yk_scaled z;
    yk_status st = run_init(&r, plan, net, opt, marginals, true);
    if (st == YK_OK)
        st = marginals ? run_marginals(&r, NULL, &z) : run_forward(&r, &z);
    *stats = (struct yk_evaluate_stats){r.peak, r.done * r.slices};
    run_finish(&r);
    return st;
}
