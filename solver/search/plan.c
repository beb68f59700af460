#include "solver/plan.h"
#include <math.h>
#include "solver/search/plan_tools.h"

void yk_solver_plan_finish(struct yk_solver_plan *p)
{
    yk_arena_finish(&p->arena);
    *p = (struct yk_solver_plan){0};
}

static double cells_over(const struct yk_solver_plan *p, const uint32_t *var, uint32_t n)
{
    double c = 1;
    for (uint32_t i = 0; i < n; i++)
        c *= p->domain[var[i]];
    return c;
}

double yk_solver_plan_node_operations(const struct yk_solver_plan *p, uint32_t i)
{
    const struct yk_solver_plan_node *n = &p->node[i];
    return cells_over(p, n->out, n->nout) * cells_over(p, n->sum, n->nsum) *
           (n->nchildren > 1 ? (double)(n->nchildren - 1) : 1.0);
}

/* Cells of child C's table in one slice. */
static double child_cells(const struct yk_solver_plan *p, const struct yk_network *net, uint32_t c)
{
    if (c >= p->nleaves) {
        const struct yk_solver_plan_node *n = &p->node[c - p->nleaves];
        return cells_over(p, n->out, n->nout);
    }
    double cells = cells_over(p, net->factor[c].scope, net->factor[c].n);
    for (uint32_t i = 0; i < net->factor[c].n; i++)
        for (uint32_t k = 0; k < p->nsliced; k++)
            if (net->factor[c].scope[i] == p->sliced[k])
                cells /= p->domain[p->sliced[k]];
    return cells;
}

/* Forward: a step's result is made while its inputs live; PR frees the inputs then, MAR keeps them. Backward (MAR): the
 * adjoints of a step's inner inputs are made while everything of the step lives, those of leaves one after another;
 * then the step's own adjoint and the inputs' tables go. */
static double peak_cells(const struct yk_solver_plan *p, const struct yk_network *net, bool marginals)
{
    double live = 0, peak = 0;
    for (uint32_t i = 0; i < p->nnodes; i++) {
        live += child_cells(p, net, p->nleaves + i);
        peak = fmax(peak, live);
        for (uint32_t k = 0; k < p->node[i].nchildren && !marginals; k++)
            if (p->node[i].child[k] >= p->nleaves)
                live -= child_cells(p, net, p->node[i].child[k]);
    }
    for (uint32_t i = p->nnodes; marginals && i-- > 0;) {
        double inner = 0, leaf = 0;
        for (uint32_t k = 0; k < p->node[i].nchildren; k++) {
            double c = child_cells(p, net, p->node[i].child[k]);
            if (p->node[i].child[k] >= p->nleaves)
                inner += c;
            else
                leaf = fmax(leaf, c);
        }
        peak = fmax(peak, live + inner + leaf);
        live -= child_cells(p, net, p->nleaves + i); /* adjoint of this step takes its table's place */
    }
    return peak;
}

void yk_solver_plan_account(struct yk_solver_plan *p, const struct yk_network *net, const struct yk_search_model *m,
                            bool marginals)
{
    double operations = 0, cells = 0, largest = 1, slices = 0;
    for (uint32_t i = 0; i < p->nsliced; i++)
        slices += log2(p->domain[p->sliced[i]]);
    for (uint32_t i = 0; i < p->nnodes; i++) {
        double out = child_cells(p, net, p->nleaves + i);
        operations += yk_solver_plan_node_operations(p, i);
        largest = fmax(largest, out);
        cells += out;
        for (uint32_t k = 0; k < p->node[i].nchildren; k++)
            cells += child_cells(p, net, p->node[i].child[k]);
    }
    p->log2_slices = slices;
    p->log10_operations = operations > 0 ? log10(operations) + slices * log10(2) : 0;
    p->log2_largest = log2(largest);
    p->peak_bytes = 8 * peak_cells(p, net, marginals);
    p->seconds = (m->per_node * p->nnodes + m->per_operation * operations + m->per_cell * cells) * exp2(slices) *
                 (marginals ? 3 : 1);
}
