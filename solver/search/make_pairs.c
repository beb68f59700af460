/* Trees from greedy pairwise contraction (opt_einsum's and cotengra's greedy, on hyperedges): a heap of candidate
 * pairs, stale ones dropped when they come up. */
#include <math.h>
#include <stdlib.h>
#include "solver/search/make_work.h"

enum { LOOK = 16 }; /* tables between two looks at the clock */

static bool push(struct make_work *w, struct make_pair x)
{
    if (w->nheap == w->heap_cap) {
        size_t cap = w->heap_cap ? 2 * w->heap_cap : 1024;
        struct make_pair *h = realloc(w->heap, cap * sizeof *h);
        if (!h)
            return false;
        w->heap = h;
        w->heap_cap = cap;
    }
    size_t i = w->nheap++;
    for (; i && w->heap[(i - 1) / 2].score > x.score; i = (i - 1) / 2)
        w->heap[i] = w->heap[(i - 1) / 2];
    w->heap[i] = x;
    return true;
}

static struct make_pair pop(struct make_work *w)
{
    struct make_pair top = w->heap[0], x = w->heap[--w->nheap];
    size_t i = 0;
    for (;;) {
        size_t c = 2 * i + 1;
        if (c >= w->nheap)
            break;
        if (c + 1 < w->nheap && w->heap[c + 1].score < w->heap[c].score)
            c++;
        if (w->heap[c].score >= x.score)
            break;
        w->heap[i] = w->heap[c];
        i = c;
    }
    w->heap[i] = x;
    return top;
}

static bool consider(const struct problem *p, struct make_work *w, uint32_t a, uint32_t b, double alpha,
                     double temperature, struct rng *r)
{
    const uint64_t *x = w->legs + (size_t)a * p->words, *y = w->legs + (size_t)b * p->words;
    double out = 1;
    for (uint32_t k = 0; k < p->words; k++) {
        uint64_t u = x[k] | y[k];
        for (uint64_t both = x[k] & y[k]; both; both &= both - 1)
            if (w->count[k * 64 + (uint32_t)__builtin_ctzll(both)] == 2)
                u &= ~(both & -both);
        out *= p->power[k * YK_POWERS + (uint32_t)__builtin_popcountll(u)];
    }
    double s = out - alpha * (w->size[a] + w->size[b]);
    /* a logarithm with sign, so that noise counts in powers and not in cells */
    s = s < 0 ? -log1p(-s) : log1p(s);
    if (temperature > 0)
        s -= temperature * rng_gumbel(r);
    return push(w, (struct make_pair){s, a, b});
}

/* Every table that shares a variable with A becomes a candidate once; ONLY_ABOVE: those of larger id. */
static bool neighbours(const struct problem *p, struct make_work *w, uint32_t a, bool only_above, double alpha,
                       double temperature, struct rng *r)
{
    w->stamp++;
    w->mark[a] = w->stamp;
    BITS_FOREACH(v, w->legs + (size_t)a * p->words, p->words)
    for (uint32_t i = w->first[v]; i < w->first[v + 1]; i++) {
        uint32_t b = grow_find(w, w->leaf_of[i]);
        if (w->mark[b] == w->stamp)
            continue;
        w->mark[b] = w->stamp;
        if ((!only_above || b > a) && !consider(p, w, a, b, alpha, temperature, r))
            return false;
    }
    return true;
}

bool make_by_pairs(struct tree *t, const struct problem *p, struct make_work *w, double alpha, double temperature,
                   struct rng *r, const struct deadline *d)
{
    grow_begin(p, w);
    w->nheap = 0;
    bool room = true;
    for (uint32_t a = 0; a < p->nleaves && room; a++) {
        if (a % LOOK == LOOK - 1 && deadline_passed(d))
            return false;
        room = neighbours(p, w, a, true, alpha, temperature, r);
    }
    while (w->nheap && room) {
        struct make_pair x = pop(w);
        if (w->up[x.a] != x.a || w->up[x.b] != x.b)
            continue;
        if (w->next % LOOK == 0 && deadline_passed(d))
            return false;
        room = neighbours(p, w, grow_join(t, p, w, x.a, x.b), false, alpha, temperature, r);
    }
    grow_end(t, p, w); /* without memory for the heap the rest is joined as it comes: a poor tree, still a tree */
    return true;
}
