#include <math.h>
#include <stdlib.h>
#include "base/array.h"
#include "solver/search/plan_tools.h"

static void print_vars(FILE *f, const struct yk_network *net, const uint32_t *v, uint32_t n)
{
    enum { MOST = 12 };
    for (uint32_t i = 0; i < n && i < MOST; i++) {
        if (net->name && net->name[v[i]])
            fprintf(f, "%s%s", i ? " " : "", net->name[v[i]]);
        else
            fprintf(f, "%s%u", i ? " " : "", v[i]);
    }
    if (n > MOST)
        fprintf(f, " ... (%u)", n);
}

struct frame {
    uint32_t node, depth;
};

static void print_node(FILE *f, const struct yk_solver_plan *p, const struct yk_network *net, struct frame x)
{
    const struct yk_solver_plan_node *n = &p->node[x.node];
    double cells = 0;
    uint32_t leaves = 0;
    for (uint32_t i = 0; i < n->nout; i++)
        cells += log2(p->domain[n->out[i]]);
    for (uint32_t i = 0; i < n->nchildren; i++)
        leaves += n->child[i] < p->nleaves;
    fprintf(f, "%*s#%u  10^%.2f operations, 2^%.1f cells, %u inputs (%u factors), sums ", (int)(2 * x.depth), "",
            x.node, log10(yk_solver_plan_node_operations(p, x.node)), cells, n->nchildren, leaves);
    print_vars(f, net, n->sum, n->nsum);
    fputc('\n', f);
}

void yk_solver_plan_print(FILE *f, const struct yk_solver_plan *p, const struct yk_network *net, uint32_t max_nodes)
{
    fprintf(f,
            "plan: %u steps over %u factors, 10^%.2f multiply-adds, largest table 2^%.1f cells, peak %.1f MB, %.3g s "
            "predicted\n",
            p->nnodes, p->nleaves, p->log10_operations, p->log2_largest, p->peak_bytes / 1e6, p->seconds);
    if (p->nsliced) {
        fprintf(f, "sliced on %u variables, 2^%.1f slices: ", p->nsliced, p->log2_slices);
        print_vars(f, net, p->sliced, p->nsliced);
        fputc('\n', f);
    }
    bool *used = calloc((size_t)p->nnodes + 1, sizeof *used);
    YK_ARRAY(struct frame) stack = {0};
    uint32_t lines = 0;
    bool room = used != NULL;
    for (uint32_t i = 0; i < p->nnodes && room; i++)
        for (uint32_t k = 0; k < p->node[i].nchildren; k++)
            if (p->node[i].child[k] >= p->nleaves)
                used[p->node[i].child[k] - p->nleaves] = true;
    for (uint32_t i = 0; i < p->nnodes && room; i++)
        if (!used[i])
            room = yk_array_push(&stack, ((struct frame){i, 0}));
    while (stack.n && room && (!max_nodes || lines < max_nodes)) {
        struct frame x = stack.v[--stack.n];
        print_node(f, p, net, x);
        lines++;
        for (uint32_t k = p->node[x.node].nchildren; k-- > 0 && room;)
            if (p->node[x.node].child[k] >= p->nleaves)
                room = yk_array_push(&stack, ((struct frame){p->node[x.node].child[k] - p->nleaves, x.depth + 1}));
    }
    if (!room)
        fprintf(f, "(out of memory: tree not printed)\n");
    else if (lines < p->nnodes)
        fprintf(f, "(%u more steps)\n", p->nnodes - lines);
    yk_array_finish(&stack);
    free(used);
}
