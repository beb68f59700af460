#include "solver/place.h"
#include <math.h>
#include <string.h>
#include "solver/evaluate_work.h"

static yk_status predict(struct yk_place *p, struct run *r)
{
    struct yk_scaled z;
    r->ms = yk_arena_array(&p->arena, double, 2 * (size_t)r->nnodes);
    return r->ms ? run_forward(r, &z) : YK_ENOMEM;
}

static double table_bytes(const struct run *r, const struct run_table *t)
{
    double cells = 1;
    for (uint32_t i = 0; i < t->n; i++)
        cells *= r->net->domain[t->scope[i]];
    return cells * (double)r->cell;
}

static yk_status build(struct yk_place *p, struct run *r)
{
    struct yk_tree_node *node = yk_arena_array(&p->arena, struct yk_tree_node, r->nnodes);
    const struct yk_solver_device *d = r->opt->device;
    p->node = yk_arena_array(&p->arena, unsigned, r->nnodes);
    if (!node || !p->node)
        return YK_ENOMEM;
    for (uint32_t i = 0; i < r->nnodes; i++) {
        const struct yk_solver_plan_node *n = &r->plan->node[i];
        uint32_t parent = r->parent[i + r->nleaves];
        node[i].parent = parent == NO_PARENT ? YK_TREE_ROOT : parent;
        node[i].bytes = table_bytes(r, &r->forward[i]);
        node[i].result_bytes = parent == NO_PARENT ? node[i].bytes : 0;
        node[i].ms = r->ms + 2 * (size_t)i;
        for (uint32_t k = 0; k < n->nchildren; k++)
            if (n->child[k] < r->nleaves)
                node[i].input_bytes += table_bytes(r, &r->leaf[n->child[k]]);
    }
    p->device[1] = (struct yk_tree_device){fmin(d->in, d->out) * 1e-3, d->latency * 1e3, 0};
    p->tree = (struct yk_tree){r->nnodes, 2, node, p->device};
    return run_small_model(r, &p->arena, &p->batch);
}

void yk_place_greedy(const struct yk_tree *t, unsigned *place, double *bytes)
{
    for (unsigned i = 0; i < t->nodes; i++)
        bytes[i] = t->node[i].input_bytes + t->node[i].bytes;
    for (unsigned i = 0; i < t->nodes; i++)
        if (t->node[i].parent != YK_TREE_ROOT)
            bytes[t->node[i].parent] += t->node[i].bytes;
    for (unsigned i = 0; i < t->nodes; i++) {
        double best = INFINITY;
        for (unsigned d = 0; d < t->devices; d++) {
            double moved =
                t->device[d].bandwidth > 0 ? 2 * t->device[d].latency + bytes[i] / t->device[d].bandwidth : 0;
            if (t->node[i].ms[d] + moved < best) {
                best = t->node[i].ms[d] + moved;
                place[i] = d;
            }
        }
    }
}

static yk_status compare(struct yk_place *p)
{
    unsigned *other = yk_arena_array(&p->arena, unsigned, p->tree.nodes);
    double *bytes = yk_arena_array(&p->arena, double, p->tree.nodes);
    p->greedy = yk_arena_array(&p->arena, unsigned, p->tree.nodes);
    if (!other || !bytes || !p->greedy)
        return YK_ENOMEM;
    p->cpu_ms = yk_tree_sum(&p->tree, other); /* all 0 */
    yk_place_greedy(&p->tree, p->greedy, bytes);
    p->greedy_ms = yk_tree_sum(&p->tree, p->greedy);
    for (unsigned i = 0; i < p->tree.nodes; i++)
        other[i] = p->batch.level[i] ? YK_PLACE_TOGETHER : YK_PLACE_DEVICE;
    p->device_ms = yk_tree_batch_sum(&p->tree, &p->batch, other);
    yk_status st = yk_tree_batch_place(&p->tree, &p->batch, p->node);
    if (st != YK_OK)
        return st;
    p->ms = yk_tree_batch_sum(&p->tree, &p->batch, p->node);
    for (unsigned i = 0; i < p->tree.nodes; i++) {
        const bool together = p->node[i] == YK_PLACE_TOGETHER;
        p->on_device += p->node[i] != YK_PLACE_CPU;
        p->greedy_on_device += p->greedy[i] != YK_PLACE_CPU;
        p->together += together;
        p->levels = together && p->batch.level[i] > p->levels ? p->batch.level[i] : p->levels;
    }
    return YK_OK;
}

yk_status yk_place_init(struct yk_place *p, const struct yk_solver_plan *plan, const struct yk_network *net,
                        const struct yk_evaluate_options *opt)
{
    struct run r;
    memset(p, 0, sizeof *p);
    yk_status st = run_init(&r, plan, net, opt, false, true);
    if (st == YK_OK)
        st = predict(p, &r);
    if (st == YK_OK)
        st = build(p, &r);
    if (st == YK_OK && p->tree.nodes)
        st = compare(p);
    run_finish(&r);
    return st;
}

void yk_place_finish(struct yk_place *p)
{
    yk_arena_finish(&p->arena);
    memset(p, 0, sizeof *p);
}
