/* Exact re-ordering of subtrees: dynamic programming over the subsets of a few subtree roots (cotengra's "subtree
 * reconfiguration", after the optimal contraction search of Pfeifer, Haegeman and Verstraete, 2014). */
#include <math.h>
#include <stdlib.h>
#include "solver/search/improve.h"

enum { SUBSETS = 1 << RECONF_MAX };

struct reconf_work {
    uint32_t words; /* most words of the problem */
    uint32_t nroot, ninner;
    uint32_t root[RECONF_MAX];  /* the subtree's leaves: roots of further subtrees */
    uint32_t inner[RECONF_MAX]; /* nodes whose ids are reused; [0] is the top */
    uint32_t local;             /* words of the local sets */
    uint64_t *set;              /* [(RECONF_MAX + 1) * words] local legs of the roots, then of the top's result */
    uint64_t *all;              /* [SUBSETS * words] union over the subset */
    uint64_t *legs;             /* [SUBSETS * words] what the subset's result keeps */
    double *power;              /* [words * YK_POWERS] of the local words */
    double best[SUBSETS], keep[SUBSETS], cells[SUBSETS];
    uint16_t split[SUBSETS];
};

struct reconf_work *reconf_work_new(const struct problem *p)
{
    struct reconf_work *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->words = p->words;
    w->set = calloc((RECONF_MAX + 1) * (size_t)p->words, sizeof *w->set);
    w->all = calloc(SUBSETS * (size_t)p->words, sizeof *w->all);
    w->legs = calloc(SUBSETS * (size_t)p->words, sizeof *w->legs);
    w->power = calloc(YK_POWERS * (size_t)p->words, sizeof *w->power);
    if (!w->set || !w->all || !w->legs || !w->power) {
        reconf_work_free(w);
        return NULL;
    }
    return w;
}

void reconf_work_free(struct reconf_work *w)
{
    if (!w)
        return;
    free(w->set);
    free(w->all);
    free(w->legs);
    free(w->power);
    free(w);
}

/* Expand nodes below TOP until there are LEAVES roots. Returns the cost of the expanded nodes. */
static double gather(const struct tree *t, struct reconf_work *w, uint32_t top, uint32_t leaves, bool random,
                     struct rng *r)
{
    double cost = t->node[top].cost;
    w->inner[0] = top;
    w->ninner = 1;
    w->root[0] = t->node[top].child[0];
    w->root[1] = t->node[top].child[1];
    w->nroot = 2;
    while (w->nroot < leaves) {
        uint32_t pick = YK_NO_NODE, seen = 0;
        double most = -1;
        for (uint32_t i = 0; i < w->nroot; i++) {
            if (w->root[i] < t->nleaves)
                continue;
            double c = t->node[w->root[i]].cost;
            if (random ? rng_below(r, ++seen) == 0 : c > most)
                pick = i, most = c;
        }
        if (pick == YK_NO_NODE)
            break;
        uint32_t node = w->root[pick];
        cost += t->node[node].cost;
        w->inner[w->ninner++] = node;
        w->root[pick] = t->node[node].child[0];
        w->root[w->nroot++] = t->node[node].child[1];
    }
    return cost;
}

/* The roots' legs over the variables that occur in them, packed: few words, still one domain per word. */
YK_INLINE void pack(const struct tree *t, const struct problem *p, struct reconf_work *w)
{
    uint32_t n = w->nroot, words = p->words, at = 0, local = 0;
    const double *before = NULL;
    uint64_t *out = w->set + (size_t)n * words;
    memset(w->set, 0, (size_t)(n + 1) * words * sizeof *w->set);
    const uint64_t *top = tree_legs(t, w->inner[0]);
    for (uint32_t k = 0; k < words; k++) {
        uint64_t any = 0;
        for (uint32_t i = 0; i < n; i++)
            any |= tree_legs(t, w->root[i])[k];
        if (!any)
            continue;
        const double *power = p->power + k * YK_POWERS;
        if (before && before[1] != power[1] && at % 64)
            at = (at + 63) / 64 * 64;
        before = power;
        for (; any; any &= any - 1, at++) {
            uint32_t b = (uint32_t)__builtin_ctzll(any);
            if (at % 64 == 0) {
                memcpy(w->power + (size_t)(at / 64) * YK_POWERS, power, YK_POWERS * sizeof *power);
                local = at / 64 + 1;
            }
            for (uint32_t i = 0; i < n; i++)
                w->set[(size_t)i * words + at / 64] |= (tree_legs(t, w->root[i])[k] >> b & 1) << at % 64;
            out[at / 64] |= (top[k] >> b & 1) << at % 64;
        }
    }
    w->local = local;
}

YK_INLINE void subsets(const struct problem *p, struct reconf_work *w)
{
    uint32_t n = w->nroot, full = (1u << n) - 1, l = w->local, words = p->words;
    const uint64_t *out = w->set + (size_t)n * words;
    memset(w->all, 0, l * sizeof *w->all);
    for (uint32_t s = 1; s <= full; s++) {
        const uint64_t *rest = w->all + (size_t)(s & (s - 1)) * l;
        const uint64_t *one = w->set + (size_t)__builtin_ctz(s) * words;
        for (uint32_t k = 0; k < l; k++)
            w->all[(size_t)s * l + k] = rest[k] | one[k];
    }
    for (uint32_t s = 1; s <= full; s++) {
        const uint64_t *in = w->all + (size_t)s * l, *others = w->all + (size_t)(full ^ s) * l;
        uint64_t *legs = w->legs + (size_t)s * l;
        for (uint32_t k = 0; k < l; k++)
            legs[k] = in[k] & (others[k] | out[k]);
        w->cells[s] = bits_cells(legs, w->power, l);
        w->keep[s] = keep_cost(w->cells[s], p->cell_cost, p->cells_max);
    }
}

/* best[] and split[] for all subsets; subsets that cost BOUND or more count as impossible. */
YK_INLINE void solve(struct reconf_work *w, double bound, uint32_t l)
{
    uint32_t n = w->nroot, full = (1u << n) - 1;
    for (uint32_t i = 0; i < n; i++)
        w->best[1u << i] = 0;
    for (uint32_t s = 3; s <= full; s++) {
        if (!(s & (s - 1)))
            continue;
        double best = bound - w->keep[s];
        uint32_t split = 0, top = 1u << (31 - __builtin_clz(s)), low = s ^ top;
        /* the part that holds the highest root, then every subset of the others */
        for (uint32_t sub = low; sub; sub = (sub - 1) & low) {
            uint32_t a = s ^ sub; /* holds top */
            double c = w->best[a] + w->best[sub];
            /* the union has at least the cells of either */
            if (c + (w->cells[a] > w->cells[sub] ? w->cells[a] : w->cells[sub]) >= best)
                continue;
            const uint64_t *x = w->legs + (size_t)a * l, *y = w->legs + (size_t)sub * l;
            double u = 1;
            for (uint32_t k = 0; k < l; k++)
                u *= w->power[k * YK_POWERS + (uint32_t)__builtin_popcountll(x[k] | y[k])];
            if (c + u < best)
                best = c + u, split = sub;
        }
        w->best[s] = split ? best + w->keep[s] : INFINITY;
        w->split[s] = (uint16_t)split;
    }
}

YK_INLINE void solve_body(const struct tree *t, const struct problem *p, struct reconf_work *w, double bound)
{
    pack(t, p, w);
    subsets(p, w);
    if (w->local == 1)
        solve(w, bound, 1);
    else if (w->local == 2)
        solve(w, bound, 2);
    else
        solve(w, bound, w->local);
}
YK_FAST_ISA static void solve_fast(const struct tree *t, const struct problem *p, struct reconf_work *w, double bound)
{
    solve_body(t, p, w, bound);
}
static void solve_plain(const struct tree *t, const struct problem *p, struct reconf_work *w, double bound)
{
    solve_body(t, p, w, bound);
}

/* Build the subtree of subset S on node ID; further ids from inner[*NEXT...]. */
static void rebuild(struct tree *t, const struct problem *p, struct reconf_work *w, uint32_t s, uint32_t id,
                    uint32_t *next)
{
    uint32_t part[2] = {s ^ w->split[s], w->split[s]};
    for (int k = 0; k < 2; k++) {
        uint32_t child = (part[k] & (part[k] - 1)) ? w->inner[(*next)++] : w->root[__builtin_ctz(part[k])];
        t->node[id].child[k] = child;
        t->node[child].parent = id;
        if (part[k] & (part[k] - 1))
            rebuild(t, p, w, part[k], child, next);
    }
}

/* Legs and costs of the rebuilt nodes: a node's own legs come from the subset's union (packed sets hold too little). */
static void refresh(struct tree *t, const struct problem *p, struct reconf_work *w)
{
    uint32_t words = p->words;
    /* inner[] was handed out parents first: bottom up is backwards */
    for (uint32_t i = w->ninner; i-- > 1;) {
        struct tree_node *n = &t->node[w->inner[i]];
        const uint64_t *a = tree_legs(t, n->child[0]), *b = tree_legs(t, n->child[1]);
        uint64_t *u = tree_legs(t, w->inner[i]);
        for (uint32_t k = 0; k < words; k++)
            u[k] = a[k] | b[k];
    }
    for (uint32_t i = 0; i < w->ninner; i++) {
        struct tree_node *n = &t->node[w->inner[i]];
        const uint64_t *out = tree_legs(t, w->inner[i]);
        uint64_t *a = tree_legs(t, n->child[0]), *b = tree_legs(t, n->child[1]);
        double u = 1;
        for (uint32_t k = 0; k < words; k++) {
            uint64_t x = a[k], y = b[k];
            a[k] = x & (y | out[k]);
            b[k] = y & (x | out[k]);
            u *= p->power[k * YK_POWERS + (uint32_t)__builtin_popcountll(a[k] | b[k])];
        }
        n->keep = keep_cost(bits_cells(out, p->power, words), p->cell_cost, p->cells_max);
        n->cost = u + n->keep;
    }
}

double reconf_node(struct tree *t, const struct problem *p, struct reconf_work *w, uint32_t top, uint32_t leaves,
                   bool random, struct rng *r)
{
    double cost = gather(t, w, top, leaves, random, r);
    if (w->nroot < 3)
        return 0;
    (yk_fast_isa() ? solve_fast : solve_plain)(t, p, w, cost * (1 - 1e-12));
    uint32_t full = (1u << w->nroot) - 1, next = 1;
    double saved = cost - w->best[full];
    if (!(saved > cost * 1e-10))
        return 0;
    rebuild(t, p, w, full, top, &next);
    refresh(t, p, w);
    t->total -= saved;
    return saved;
}

void reconf_tree(struct tree *t, const struct problem *p, struct reconf_work *w, uint32_t leaves, double gain,
                 bool random, struct rng *r, const struct deadline *d)
{
    if (t->nleaves < 3)
        return;
    if (leaves > RECONF_MAX)
        leaves = RECONF_MAX;
    for (int round = 0; round < 100; round++) {
        double before = t->total;
        tree_postorder(t, t->order);
        for (uint32_t k = 0; k + 1 < t->nleaves; k++) {
            uint32_t i = t->order[k];
            if (t->node[i].cost < 0.02 * gain * t->total) /* even for nothing it would hardly count */
                continue;
            reconf_node(t, p, w, i, leaves, random, r);
            if (deadline_passed(d))
                return;
        }
        double total = 0;
        for (uint32_t i = t->nleaves; i < t->nnodes; i++)
            total += t->node[i].cost;
        t->total = total;
        if (before - total < gain * before)
            return;
    }
}
