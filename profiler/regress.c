#include "profiler/regress.h"
#include <stdlib.h>
#include <string.h>

struct grow {
    struct yk_regress *t;
    const struct yk_regress_row *row;
    size_t *index; /* rows in the order of the leaves so far */
    size_t least;
    int by; /* feature that the comparison sorts by */
};

static int compare(const void *a, const void *b, void *arg)
{
    const struct grow *g = arg;
    double x = g->row[*(const size_t *)a].feature[g->by], y = g->row[*(const size_t *)b].feature[g->by];
    return x < y ? -1 : x > y;
}

static void sort_by(struct grow *g, int feature, size_t from, size_t n)
{
    g->by = feature;
    qsort_r(g->index + from, n, sizeof *g->index, compare, g);
}

/* The best place to cut rows [from, from + n): largest fall of the squared error. False: none helps. */
static bool best_cut(struct grow *g, size_t from, size_t n, int *feature, size_t *left)
{
    double best = 1e-12, sum = 0;
    bool found = false;
    for (size_t i = 0; i < n; i++)
        sum += g->row[g->index[from + i]].target;
    for (int f = 0; f < YK_REGRESS_FEATURES; f++) {
        double before = 0;
        sort_by(g, f, from, n);
        for (size_t i = 1; i < n; i++) {
            const struct yk_regress_row *a = &g->row[g->index[from + i - 1]], *b = &g->row[g->index[from + i]];
            before += a->target;
            if (i < g->least || n - i < g->least || !(b->feature[f] > a->feature[f]))
                continue;
            double rest = sum - before,
                   gain = before * before / (double)i + rest * rest / (double)(n - i) - sum * sum / (double)n;
            if (gain > best) {
                best = gain;
                *feature = f;
                *left = i;
                found = true;
            }
        }
    }
    return found;
}

static unsigned grow(struct grow *g, size_t from, size_t n, unsigned depth)
{
    unsigned self = g->t->n++;
    struct yk_regress_node *node = &g->t->node[self];
    int feature = 0;
    size_t left = 0;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += g->row[g->index[from + i]].target;
    *node = (struct yk_regress_node){.feature = -1, .value = sum / (double)n};
    if (!depth || g->t->n + 2 > YK_REGRESS_NODES || !best_cut(g, from, n, &feature, &left))
        return self;
    sort_by(g, feature, from, n);
    const double *a = g->row[g->index[from + left - 1]].feature, *b = g->row[g->index[from + left]].feature;
    node->feature = feature;
    node->threshold = a[feature] + (b[feature] - a[feature]) / 2;
    node->left = grow(g, from, left, depth - 1);
    node->right = g->t->n < YK_REGRESS_NODES ? grow(g, from + left, n - left, depth - 1) : node->left;
    return self;
}

yk_status yk_regress_train(struct yk_regress *t, const struct yk_regress_row *row, size_t n, unsigned depth,
                           size_t least)
{
    memset(t, 0, sizeof *t);
    if (!n)
        return YK_EINVAL;
    struct grow g = {t, row, malloc(n * sizeof *g.index), least ? least : 1, 0};
    if (!g.index)
        return YK_ENOMEM;
    for (size_t i = 0; i < n; i++)
        g.index[i] = i;
    grow(&g, 0, n, depth < 7 ? depth : 7); /* 2^8 - 1 nodes */
    free(g.index);
    return YK_OK;
}

double yk_regress_value(const struct yk_regress *t, const double *feature)
{
    const struct yk_regress_node *n = &t->node[0];
    while (n->feature >= 0)
        n = &t->node[feature[n->feature] <= n->threshold ? n->left : n->right];
    return n->value;
}
