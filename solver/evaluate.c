#include "solver/evaluate.h"
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include "solver/evaluate_work.h"
#include "solver/place.h"

struct run_table *run_child(struct run *r, uint32_t child)
{
    return child < r->nleaves ? &r->leaf[child] : &r->forward[child - r->nleaves];
}

yk_status run_step_done(struct run *r, uint32_t step)
{
    if (r->dry || !r->opt->progress)
        return YK_OK;
    struct yk_evaluate_progress p = {step, r->keep ? 2 * r->nnodes : r->nnodes, r->done, r->total};
    return r->opt->progress(r->opt->ctx, &p) ? YK_OK : YK_ECANCELED;
}

/* Leaf tables without sliced variables; those that need none of that and no other arithmetic are the network's own. */
static yk_status init_leaves(struct run *r)
{
    for (uint32_t i = 0; i < r->nleaves; i++) {
        const struct yk_factor *f = &r->net->factor[i];
        struct run_table *t = &r->leaf[i];
        uint32_t *scope = yk_arena_array(&r->arena, uint32_t, f->n);
        if (!scope)
            return YK_ENOMEM;
        t->scope = scope;
        for (uint32_t k = 0; k < f->n; k++)
            if (r->state[f->scope[k]] == NO_STATE)
                scope[t->n++] = f->scope[k];
        if (t->n == f->n && r->opt->arithmetic == YK_ARITH_DOUBLE) {
            t->v = f->value;
            t->cells = f->cells;
            continue;
        }
        yk_status st = run_table_take(r, t);
        if (st != YK_OK)
            return st;
    }
    return YK_OK;
}

yk_status run_init(struct run *r, const struct yk_solver_plan *plan, const struct yk_network *net,
                   const struct yk_evaluate_options *opt, bool keep, bool dry)
{
    *r = (struct run){.plan = plan, .net = net, .opt = opt, .keep = keep, .dry = dry, .slices = 1};
    r->threads = omp_get_max_threads();
    r->cell = opt->arithmetic == YK_ARITH_FLOAT ? sizeof(float) : sizeof(double);
    r->nleaves = plan->nleaves;
    r->nnodes = plan->nnodes;
    r->leaf = yk_arena_array(&r->arena, struct run_table, r->nleaves);
    r->forward = yk_arena_array(&r->arena, struct run_table, r->nnodes);
    r->adjoint = yk_arena_array(&r->arena, struct run_table, r->nnodes);
    r->parent = yk_arena_array(&r->arena, uint32_t, (size_t)r->nleaves + r->nnodes);
    r->local = yk_arena_array(&r->arena, uint32_t, net->nvars);
    r->state = yk_arena_array(&r->arena, uint32_t, net->nvars);
    if (!r->leaf || !r->forward || !r->adjoint || !r->parent || !r->local || !r->state)
        return YK_ENOMEM;
    memset(r->parent, 0xff, ((size_t)r->nleaves + r->nnodes) * sizeof *r->parent);
    memset(r->local, 0xff, net->nvars * sizeof *r->local);
    memset(r->state, 0xff, net->nvars * sizeof *r->state);
    for (uint32_t i = 0; i < plan->nsliced; i++) {
        r->state[plan->sliced[i]] = 0;
        r->slices *= net->domain[plan->sliced[i]];
    }
    for (uint32_t i = 0; i < r->nnodes; i++) {
        r->forward[i].n = r->adjoint[i].n = plan->node[i].nout;
        r->forward[i].scope = r->adjoint[i].scope = plan->node[i].out;
        for (uint32_t k = 0; k < plan->node[i].nchildren; k++)
            r->parent[plan->node[i].child[k]] = i;
    }
    return init_leaves(r);
}

void run_finish(struct run *r)
{
    for (uint32_t i = 0; r->leaf && i < r->nleaves; i++)
        run_table_free(r, &r->leaf[i]);
    for (uint32_t i = 0; r->adjoint && i < r->nnodes; i++) {
        run_table_free(r, &r->forward[i]);
        run_table_free(r, &r->adjoint[i]);
    }
    run_small_finish(r);
    yk_arena_finish(&r->arena);
    yk_arena_finish(&r->scratch);
}

static void put_cell(const struct run *r, struct run_table *t, size_t cell, double value)
{
    switch (r->opt->arithmetic) {
    case YK_ARITH_DOUBLE:
        ((double *)t->v)[cell] = value;
        break;
    case YK_ARITH_FLOAT:
        ((float *)t->v)[cell] = (float)value;
        break;
    case YK_ARITH_LOG:
        ((double *)t->v)[cell] = value > 0 ? log2(value) : -INFINITY;
        break;
    }
}

/* The cells of factor I in the present slice. */
static yk_status load_leaf(struct run *r, uint32_t i)
{
    const struct yk_factor *f = &r->net->factor[i];
    struct run_table *t = &r->leaf[i];
    size_t *stride = malloc(((size_t)f->n + 1) * sizeof *stride), base = 0, s = 1;
    uint32_t *x = calloc((size_t)f->n + 1, sizeof *x), n = 0;
    if (!stride || !x) {
        free(stride);
        free(x);
        return YK_ENOMEM;
    }
    for (uint32_t k = f->n; k--; s *= r->net->domain[f->scope[k]])
        if (r->state[f->scope[k]] == NO_STATE)
            stride[k] = s;
        else
            base += s * r->state[f->scope[k]];
    for (uint32_t k = 0; k < f->n; k++)
        if (r->state[f->scope[k]] == NO_STATE)
            stride[n++] = stride[k];
    size_t at = base;
    for (size_t c = 0; c < t->cells; c++) {
        put_cell(r, t, c, f->value[at]);
        for (uint32_t k = n; k--;) {
            at += stride[k];
            if (++x[k] < r->net->domain[t->scope[k]])
                break;
            at -= stride[k] * x[k];
            x[k] = 0;
        }
    }
    free(stride);
    free(x);
    return YK_OK;
}

yk_status run_load_slice(struct run *r)
{
    for (uint32_t i = 0; i < r->nleaves && !r->dry; i++)
        if (r->leaf[i].owned) {
            r->leaf[i].bounded = false;
            run_table_off_device(r, &r->leaf[i]); /* of the last slice */
            yk_status st = load_leaf(r, i);
            if (st != YK_OK)
                return st;
        }
    return YK_OK;
}

bool run_next_slice(struct run *r)
{
    for (uint32_t i = r->plan->nsliced; i--;) {
        uint32_t v = r->plan->sliced[i];
        if (++r->state[v] < r->net->domain[v])
            return true;
        r->state[v] = 0;
    }
    return false;
}

static void free_forward(struct run *r)
{
    for (uint32_t i = 0; i < r->nnodes; i++)
        run_table_free(r, &r->forward[i]);
}

static yk_status forward_node(struct run *r, uint32_t i)
{
    const struct yk_solver_plan_node *n = &r->plan->node[i];
    struct run_table **in = malloc(((size_t)n->nchildren + 1) * sizeof(struct run_table *));
    if (!in)
        return YK_ENOMEM;
    for (uint32_t k = 0; k < n->nchildren; k++)
        in[k] = run_child(r, n->child[k]);
    r->node = i;
    r->forward_node = true;
    yk_status st = run_small_has(r, i) ? run_small_take(r, i) : run_bucket(r, in, n->nchildren, &r->forward[i]);
    r->forward_node = false;
    for (uint32_t k = 0; k < n->nchildren && !r->keep; k++)
        if (n->child[k] >= r->nleaves)
            run_table_free(r, in[k]);
        else if (r->slices == 1)
            run_table_off_device(r, in[k]);
    free(in);
    return st == YK_OK ? run_step_done(r, i) : st;
}

yk_status run_forward(struct run *r, struct yk_scaled *z)
{
    *z = yk_scaled_make(1, 0);
    run_small_finish(r); /* of the last slice */
    yk_status st = run_small_start(r);
    if (st != YK_OK)
        return st;
    for (uint32_t i = 0; i < r->nnodes; i++) {
        st = forward_node(r, i);
        if (st != YK_OK)
            return st;
        if (r->zero) { /* a factor of everything is 0 */
            *z = (struct yk_scaled){0, 0};
            free_forward(r);
            return YK_OK;
        }
    }
    for (uint32_t i = 0; i < r->nleaves + r->nnodes && !r->dry; i++)
        if (r->parent[i] == NO_PARENT) {
            st = run_table_to_host(r, run_child(r, i));
            if (st != YK_OK)
                return st;
            *z = yk_scaled_multiply(*z, run_table_scalar(r, run_child(r, i), 0));
        }
    run_small_taken(r);
    if (!r->keep || z->m == 0) /* a leaf that is a root may be 0 as well: then there is no way back */
        free_forward(r);
    return YK_OK;
}

static yk_status evaluate(struct run *r, struct yk_scaled *z)
{
    *z = (struct yk_scaled){0, 0};
    do {
        struct yk_scaled slice;
        yk_status st = run_load_slice(r);
        if (st == YK_OK)
            st = run_forward(r, &slice);
        if (st != YK_OK)
            return st;
        *z = yk_scaled_add(*z, slice);
    } while (!r->dry && run_next_slice(r));
    return YK_OK;
}

yk_status yk_evaluate_pr(const struct yk_solver_plan *plan, const struct yk_network *net,
                         const struct yk_evaluate_options *opt, struct yk_scaled *z, struct yk_evaluate_stats *stats)
{
    struct yk_evaluate_stats forecast;
    yk_status st = yk_evaluate_forecast(plan, net, opt, false, &forecast);
    if (st != YK_OK)
        return st;
    struct run r;
    st = run_init(&r, plan, net, opt, false, false);
    r.total = forecast.operations;
    struct yk_place place = {0};
    if (st == YK_OK && opt->device && !opt->device->always) {
        st = yk_place_init(&place, plan, net, opt);
        r.place = opt->device->greedy ? place.greedy : place.node;
    }
    if (st == YK_OK)
        st = evaluate(&r, z);
    yk_place_finish(&place);
    if (stats)
        *stats = (struct yk_evaluate_stats){r.peak, r.done};
    run_finish(&r);
    return st;
}
