/* Simulated annealing on contraction trees by rotations ((A B) C) -> ((A C) B), the local move of Kalachev, Panteleev
 * and Yung (2021) and of TreeSA (Kalachev, Liu, Zhang). See README.md. */
#include <math.h>
#include "solver/search/improve.h"

enum { THRESHOLDS = 1024 };

/* One sweep at one temperature. A rotation is taken if new < old * FACTOR[random], FACTOR drawn so that this is the
 * Metropolis rule on the logarithm of the local cost; FLOOR is added to both. */
YK_INLINE void sweep_body(struct tree *t, const struct problem *p, const double *factor, double floor, struct rng *r,
                          uint32_t words)
{
    uint32_t n = t->nleaves;
    const double *power = p->power;
    double cell_cost = p->cell_cost, cells_max = p->cells_max;
    for (uint32_t k = 0; k + 2 < n; k++) {
        uint64_t bits = rng_next(r) >> 16;
        uint32_t x = n + (uint32_t)((bits & 0xffffffff) * (n - 2) >> 32); /* any inner node but the root */
        int side = (int)(bits >> 32 & 1);
        struct tree_node *nx = &t->node[x];
        uint32_t top = nx->parent;
        struct tree_node *nt = &t->node[top];
        int kc = nt->child[0] == x;
        uint32_t a = nx->child[side], b = nx->child[!side], c = nt->child[kc];
        const uint64_t *la = t->legs + (size_t)a * words, *lb = t->legs + (size_t)b * words;
        const uint64_t *lc = t->legs + (size_t)c * words, *lt = t->legs + (size_t)top * words;
        double u1 = 1, u2 = 1, out = 1;
        for (uint32_t w = 0; w < words; w++) {
            uint64_t u = la[w] | lc[w], l = u & (lb[w] | lt[w]);
            const double *pw = power + w * YK_POWERS;
            u1 *= pw[__builtin_popcountll(u)];
            u2 *= pw[__builtin_popcountll(l | lb[w])];
            out *= pw[__builtin_popcountll(l)];
        }
        double keep = keep_cost(out, cell_cost, cells_max);
        double old = nx->cost + nt->cost, new = u1 + keep + u2 + nt->keep;
        if (!(new + floor < (old + floor) * factor[bits >> 33 & (THRESHOLDS - 1)]))
            continue;
        uint64_t *lx = tree_legs(t, x);
        for (uint32_t w = 0; w < words; w++)
            lx[w] = (la[w] | lc[w]) & (lb[w] | lt[w]);
        nx->child[!side] = c;
        nt->child[kc] = b;
        t->node[c].parent = x;
        t->node[b].parent = top;
        nx->keep = keep;
        nx->cost = u1 + keep;
        nt->cost = u2 + nt->keep;
    }
}

/* Short sets get loops of constant length. */
YK_FAST_ISA static void sweep_fast(struct tree *t, const struct problem *p, const double *factor, double floor,
                                   struct rng *r)
{
    switch (t->words) {
    case 1:
        sweep_body(t, p, factor, floor, r, 1);
        break;
    case 2:
        sweep_body(t, p, factor, floor, r, 2);
        break;
    case 3:
        sweep_body(t, p, factor, floor, r, 3);
        break;
    case 4:
        sweep_body(t, p, factor, floor, r, 4);
        break;
    case 5:
        sweep_body(t, p, factor, floor, r, 5);
        break;
    case 6:
        sweep_body(t, p, factor, floor, r, 6);
        break;
    case 7:
        sweep_body(t, p, factor, floor, r, 7);
        break;
    case 8:
        sweep_body(t, p, factor, floor, r, 8);
        break;
    default:
        sweep_body(t, p, factor, floor, r, t->words);
        break;
    }
}

static void sweep_plain(struct tree *t, const struct problem *p, const double *factor, double floor, struct rng *r)
{
    sweep_body(t, p, factor, floor, r, t->words);
}

/* The total from the nodes' costs: adding up differences would keep the rounding of far worse trees. */
static double sum_costs(const struct tree *t)
{
    double sum = 0;
    for (uint32_t i = t->nleaves; i < t->nnodes; i++)
        sum += t->node[i].cost;
    return sum;
}

double anneal_sweep_seconds(const struct problem *p)
{
    return 1e-9 * (30 + 8 * (double)p->words) * p->nleaves;
}

bool anneal(struct tree *t, struct tree *best, const struct problem *p, const struct anneal_schedule *s, struct rng *r,
            const struct deadline *d)
{
    if (t->nleaves < 3)
        return false;
    double draw[THRESHOLDS], factor[THRESHOLDS];
    for (uint32_t i = 0; i < THRESHOLDS; i++) /* evenly spaced quantiles of the exponential distribution */
        draw[i] = -log2((i + 0.5) / THRESHOLDS) * 0.69314718055994531;
    bool better = false, fast = yk_fast_isa();
    const uint32_t look = anneal_sweep_seconds(p) > 1e-4 ? 1 : 16; /* sweeps between two looks at the clock */
    for (uint32_t k = 0; k < s->sweeps; k++) {
        double at = s->sweeps > 1 ? (double)k / (s->sweeps - 1) : 1;
        double temperature = s->hot * pow(s->cold / s->hot, at);
        if (k % 8 == 0)
            for (uint32_t i = 0; i < THRESHOLDS; i++)
                factor[i] = exp2(temperature * draw[i]);
        (fast ? sweep_fast : sweep_plain)(t, p, factor, t->total * s->floor, r);
        t->total = sum_costs(t);
        if (t->total < best->total * (1 - 1e-9)) {
            tree_copy(best, t);
            better = true;
        }
        if (k % look == look - 1 && deadline_passed(d))
            break;
    }
    return better;
}
