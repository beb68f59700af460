#include "solver/search/tree.h"
#include <stdlib.h>

yk_status tree_init(struct tree *t, const struct problem *p)
{
    *t = (struct tree){.nleaves = p->nleaves, .nnodes = 2 * p->nleaves - 1, .words = p->words};
    t->node = calloc(t->nnodes, sizeof *t->node);
    t->legs = calloc((size_t)t->nnodes * t->words, sizeof *t->legs);
    t->order = calloc(t->nleaves, sizeof *t->order);
    if (!t->node || !t->legs || !t->order) {
        tree_finish(t);
        return YK_ENOMEM;
    }
    return YK_OK;
}

void tree_finish(struct tree *t)
{
    free(t->node);
    free(t->legs);
    free(t->order);
    *t = (struct tree){0};
}

void tree_copy(struct tree *to, const struct tree *from)
{
    memcpy(to->node, from->node, from->nnodes * sizeof *to->node);
    memcpy(to->legs, from->legs, (size_t)from->nnodes * from->words * sizeof *to->legs);
    to->total = from->total;
}

void tree_postorder(const struct tree *t, uint32_t *order)
{
    if (t->nleaves < 2)
        return;
    /* Root first, then backwards: a node is written after its parent, the array filled from the end. */
    uint32_t at = t->nleaves - 1, read = at;
    order[--at] = t->nnodes - 1;
    while (read > at) {
        const struct tree_node *n = &t->node[order[--read]];
        for (int k = 0; k < 2; k++)
            if (n->child[k] >= t->nleaves)
                order[--at] = n->child[k];
    }
}

/* Bottom up a set holds what occurs in the subtree; top down it keeps what the sibling or the parent's result has. */
void tree_recount(struct tree *t, const struct problem *p)
{
    uint32_t n = t->nleaves, words = t->words;
    memcpy(t->legs, p->legs, (size_t)n * words * sizeof *t->legs);
    t->node[t->nnodes - 1].parent = YK_NO_NODE;
    t->total = 0;
    tree_postorder(t, t->order);
    for (uint32_t k = 0; k + 1 < n; k++) {
        uint32_t i = t->order[k];
        const uint64_t *a = tree_legs(t, t->node[i].child[0]), *b = tree_legs(t, t->node[i].child[1]);
        uint64_t *u = tree_legs(t, i);
        for (uint32_t w = 0; w < words; w++)
            u[w] = a[w] | b[w];
    }
    memset(tree_legs(t, t->nnodes - 1), 0, words * sizeof *t->legs);
    for (uint32_t k = n - 1; k-- > 0;) {
        struct tree_node *node = &t->node[t->order[k]];
        uint64_t *a = tree_legs(t, node->child[0]), *b = tree_legs(t, node->child[1]);
        const uint64_t *out = tree_legs(t, t->order[k]);
        double u = 1;
        for (uint32_t w = 0; w < words; w++) {
            uint64_t x = a[w], y = b[w];
            a[w] = x & (y | out[w]);
            b[w] = y & (x | out[w]);
            u *= p->power[w * YK_POWERS + (uint32_t)__builtin_popcountll(a[w] | b[w])];
        }
        t->node[node->child[0]].parent = t->node[node->child[1]].parent = t->order[k];
        node->keep = keep_cost(bits_cells(out, p->power, words), p->cell_cost, p->cells_max);
        node->cost = u + node->keep;
        t->total += node->cost;
    }
}

double tree_operations(const struct tree *t, const struct problem *p)
{
    double sum = 0;
    for (uint32_t i = t->nleaves; i < t->nnodes; i++) {
        const uint64_t *a = tree_legs(t, t->node[i].child[0]), *b = tree_legs(t, t->node[i].child[1]);
        double u = 1;
        for (uint32_t w = 0; w < t->words; w++)
            u *= p->power[w * YK_POWERS + (uint32_t)__builtin_popcountll(a[w] | b[w])];
        sum += u;
    }
    return sum;
}

double tree_largest(const struct tree *t, const struct problem *p)
{
    double most = 1;
    for (uint32_t i = t->nleaves; i < t->nnodes; i++) {
        double c = bits_cells(tree_legs(t, i), p->power, t->words);
        if (c > most)
            most = c;
    }
    return most;
}
