/* The dynamic program of tree.c with one more place, once for each number of levels that the batch may have: what it
 * costs at all is then known. */
#include "partitioner/tree_batch.h"
#include <math.h>
#include <stdlib.h>
#include "partitioner/tree_clock.h"

/* In the batch, besides children. */
static double together(const struct yk_tree *t, const struct yk_tree_batch *b, unsigned i)
{
    const struct yk_tree_node *v = &t->node[i];
    return b->ms[i] + v->input_bytes / b->in + (v->parent == YK_TREE_ROOT ? v->result_bytes / b->out : 0);
}

/* The result of a node at FROM to its parent at TO. */
static double moved(const struct yk_tree *t, const struct yk_tree_batch *b, double bytes, unsigned from, unsigned to)
{
    if (from == to)
        return 0;
    if (to == t->devices)
        return INFINITY; /* the batch runs before FROM does */
    return (from == t->devices ? bytes / b->out : yk_tree_leg(&t->device[from], bytes)) +
           yk_tree_leg(&t->device[to], bytes);
}

double yk_tree_batch_sum(const struct yk_tree *t, const struct yk_tree_batch *b, const unsigned *place)
{
    double sum = 0;
    unsigned levels = 0;
    for (unsigned i = 0; i < t->nodes; i++) {
        if (place[i] == t->devices) {
            sum += b->level[i] ? together(t, b, i) : INFINITY;
            levels = b->level[i] > levels ? b->level[i] : levels;
        } else
            sum += yk_tree_alone(t, i, place[i]);
        if (t->node[i].parent != YK_TREE_ROOT)
            sum += moved(t, b, t->node[i].bytes, place[i], place[t->node[i].parent]);
    }
    return sum + (levels ? b->fixed + levels * b->launch : 0);
}

struct program {
    double *best;        /* [nodes][places] least sum of a node's subtree with it there */
    double *give;        /* [nodes][places] the same with its result brought to where its parent is */
    unsigned char *from; /* [nodes][places] where the node then is */
};

/* At most LEVELS levels in the batch; unless ALL, P is what LEVELS - 1 of them gave. Returns the least sum. */
static double solve(const struct yk_tree *t, const struct yk_tree_batch *b, unsigned levels, bool all,
                    struct program *p)
{
    const unsigned n = t->devices + 1;
    double sum = levels ? b->fixed + levels * b->launch : 0;
    for (unsigned i = 0; i < t->nodes; i++) {
        for (unsigned d = 0; d < t->devices; d++)
            p->best[i * n + d] = yk_tree_alone(t, i, d);
        p->best[i * n + t->devices] = b->level[i] && b->level[i] <= levels ? together(t, b, i) : INFINITY;
    }
    for (unsigned i = 0; i < t->nodes; i++) {
        const unsigned parent = t->node[i].parent;
        const bool root = parent == YK_TREE_ROOT, same = !all && b->level[i] && b->level[i] < levels;
        for (unsigned d = 0; d < (root ? 1 : n); d++) {
            double *give = &p->give[i * n + d];
            for (unsigned k = 0; k < n && !same; k++) {
                const double ms = p->best[i * n + k] + (root ? 0 : moved(t, b, t->node[i].bytes, k, d));
                if (!k || ms < *give) {
                    *give = ms;
                    p->from[i * n + d] = (unsigned char)k;
                }
            }
            if (root)
                sum += *give;
            else
                p->best[parent * n + d] += *give;
        }
    }
    return sum;
}

yk_status yk_tree_batch_place(const struct yk_tree *t, const struct yk_tree_batch *b, unsigned *place)
{
    const size_t n = t->devices + 1, entries = t->nodes * n + 1;
    struct program p = {calloc(2 * entries, sizeof *p.best), NULL, calloc(entries, 1)};
    unsigned most = 0, levels = 0;
    if (!p.best || !p.from) {
        free(p.best);
        free(p.from);
        return YK_ENOMEM;
    }
    p.give = p.best + entries;
    for (unsigned i = 0; i < t->nodes; i++)
        most = b->level[i] > most ? b->level[i] : most;
    double least = INFINITY;
    for (unsigned l = 0; l <= most; l++) {
        const double sum = solve(t, b, l, l == 0, &p);
        if (sum < least) {
            least = sum;
            levels = l;
        }
    }
    solve(t, b, levels, true, &p);
    for (unsigned i = t->nodes; i-- > 0;) {
        const unsigned parent = t->node[i].parent;
        place[i] = p.from[i * n + (parent == YK_TREE_ROOT ? 0 : place[parent])];
    }
    free(p.best);
    free(p.from);
    return YK_OK;
}
