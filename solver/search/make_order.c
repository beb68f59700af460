/* Trees from elimination orders: the min-fill family with random ties and noise. */
#include <math.h>
#include "solver/search/make_work.h"

/* Tables of the bucket W->bucket[0..n) joined pairwise. Up to EXACT tables the pair of the least union goes first. */
static void join_bucket(struct tree *t, const struct problem *p, struct make_work *w, uint32_t n,
                        const struct deadline *d)
{
    enum { EXACT = 12, LOOK = 256 };
    bool late = false;
    while (n > 1) {
        uint32_t bi = 0, bj = 1;
        if (n <= EXACT) {
            double best = INFINITY;
            for (uint32_t i = 0; i < n; i++) {
                const uint64_t *x = w->legs + (size_t)w->bucket[i] * p->words;
                for (uint32_t j = i + 1; j < n; j++) {
                    const uint64_t *y = w->legs + (size_t)w->bucket[j] * p->words;
                    double u = 1;
                    for (uint32_t k = 0; k < p->words; k++)
                        u *= p->power[k * YK_POWERS + (uint32_t)__builtin_popcountll(x[k] | y[k])];
                    /* equal unions: the smaller tables first */
                    u += 1e-9 * (w->size[w->bucket[i]] + w->size[w->bucket[j]]);
                    if (u < best)
                        best = u, bi = i, bj = j;
                }
            }
        } else if (late || (late = n % LOOK == 0 && deadline_passed(d))) {
            bi = n - 1, bj = n - 2;
        } else {
            for (uint32_t i = 0; i < n; i++) { /* the two smallest */
                double s = w->size[w->bucket[i]];
                if (i != bi && i != bj && (s < w->size[w->bucket[bi]] || s < w->size[w->bucket[bj]])) {
                    if (w->size[w->bucket[bi]] > w->size[w->bucket[bj]])
                        bi = i;
                    else
                        bj = i;
                }
            }
        }
        if (bi > bj) {
            uint32_t x = bi;
            bi = bj;
            bj = x;
        }
        w->bucket[bi] = grow_join(t, p, w, w->bucket[bi], w->bucket[bj]);
        w->bucket[bj] = w->bucket[--n];
    }
}

void make_from_order(struct tree *t, const struct problem *p, struct make_work *w, const uint32_t *order, uint32_t nv,
                     const struct deadline *d)
{
    grow_begin(p, w);
    for (uint32_t k = 0; k < nv; k++) {
        uint32_t n = 0;
        w->stamp++;
        for (uint32_t i = w->first[order[k]]; i < w->first[order[k] + 1]; i++) {
            uint32_t table = grow_find(w, w->leaf_of[i]);
            if (w->mark[table] != w->stamp) {
                w->mark[table] = w->stamp;
                w->bucket[n++] = table;
            }
        }
        join_bucket(t, p, w, n, d);
    }
    grow_end(t, p, w);
}

/* Edges missing among the neighbours of V; WEIGHTED: each counts the product of its ends' domains. */
YK_INLINE double fill_of(const struct make_work *w, const double *domain, uint32_t v, bool weighted, uint32_t words)
{
    enum { FEW = 64 };
    const uint64_t *a = w->adj + (size_t)v * words;
    double sum = 0;
    uint32_t some[FEW], n_some = 0; /* words with a neighbour: of a large network a few */
    for (uint32_t k = 0; k < words && words > 16 && n_some <= FEW; k++)
        if (a[k] && n_some++ < FEW)
            some[n_some - 1] = k;
    const bool few = words > 16 && n_some <= FEW;
    BITS_FOREACH(u, a, words)
    {
        const uint64_t *b = w->adj + (size_t)u * words;
        double s = 0;
        for (uint32_t i = 0; i < n_some && few; i++) {
            double n = (double)__builtin_popcountll(a[some[i]] & ~b[some[i]]);
            s += weighted ? n * domain[some[i] * 64] : n;
        }
        for (uint32_t k = 0; k < words && !few; k++) {
            double n = (double)__builtin_popcountll(a[k] & ~b[k]);
            s += weighted ? n * domain[k * 64] : n;
        }
        /* u itself was counted */
        sum += weighted ? (s - domain[u]) * domain[u] : s - 1;
    }
    return sum / 2;
}

YK_INLINE double score_of(const struct make_work *w, const struct problem *p, uint32_t v, enum make_rule rule)
{
    const uint64_t *a = w->adj + (size_t)v * p->words;
    switch (rule) {
    case MAKE_FILL:
        return fill_of(w, p->domain, v, false, p->words);
    case MAKE_WEIGHTED_FILL:
        return fill_of(w, p->domain, v, true, p->words);
    case MAKE_WEIGHT:
        return log2(bits_cells(a, p->power, p->words) * p->domain[v]);
    default:
        return (double)bits_count(a, p->words);
    }
}

/* Neighbours of V become a clique without V. Marks whose score may have changed. */
YK_INLINE void eliminate(struct make_work *w, const struct problem *p, uint32_t v)
{
    uint32_t words = p->words;
    uint64_t *nv = w->set;
    memcpy(nv, w->adj + (size_t)v * words, words * sizeof *nv);
    bit_clear(w->alive, v);
    uint64_t *ones = w->ones, *twos = w->twos; /* adjacent to one, to two or more of the neighbours */
    memset(ones, 0, words * sizeof *ones);
    memset(twos, 0, words * sizeof *twos);
    bool filled = false;
    BITS_FOREACH(u, nv, words)
    {
        uint64_t *a = w->adj + (size_t)u * words, more = 0;
        for (uint32_t k = 0; k < words; k++) {
            more |= nv[k] & ~a[k] & ~(k == u / 64 ? UINT64_C(1) << u % 64 : 0);
            twos[k] |= ones[k] & a[k];
            ones[k] |= a[k];
            a[k] |= nv[k];
        }
        bit_clear(a, u);
        bit_clear(a, v);
        filled |= more != 0;
    }
    for (uint32_t k = 0; k < words; k++) /* new edges are seen by who is adjacent to both ends */
        w->dirty[k] |= nv[k] | (filled ? twos[k] : 0);
}

/* Without fill, V adjacent to all others: the rest is a clique, which every order leaves as it is. */
YK_INLINE bool clique_of(const struct make_work *w, uint32_t v, enum make_rule rule, uint32_t others, uint32_t words)
{
    return (rule == MAKE_FILL || rule == MAKE_WEIGHTED_FILL) && w->score[v] == 0 &&
           bits_count(w->adj + (size_t)v * words, words) == others;
}

/* The order into w->order; its length, or 0: the deadline passed. */
YK_INLINE uint32_t order_body(const struct problem *p, struct make_work *w, enum make_rule rule, double noise,
                              struct rng *r, const struct deadline *d)
{
    enum { LOOK = 16 }; /* variables between two looks at the clock */
    uint32_t words = p->words, n = 0, alive = 0, looked = 0;
    memcpy(w->adj, w->graph, (size_t)p->nbits * words * sizeof *w->adj);
    memset(w->alive, 0, words * sizeof *w->alive);
    for (uint32_t v = 0; v < p->nbits; v++) {
        if (w->first[v + 1] == w->first[v])
            continue;
        bit_set(w->alive, v);
        alive++;
        w->noise[v] = 1 + noise * rng_unit(r);
    }
    memcpy(w->dirty, w->alive, words * sizeof *w->dirty);
    for (;;) {
        BITS_FOREACH(v, w->dirty, words)
        {
            if (!bit_get(w->alive, v))
                continue;
            w->score[v] = score_of(w, p, v, rule) * w->noise[v];
            if (++looked % LOOK == 0 && words > 4 && deadline_passed(d))
                return 0;
        }
        memset(w->dirty, 0, words * sizeof *w->dirty);
        double best = INFINITY;
        uint32_t ties = 0, pick = YK_NO_VAR;
        BITS_FOREACH(v, w->alive, words)
        {
            if (w->score[v] > best)
                continue;
            if (w->score[v] < best)
                best = w->score[v], ties = 0;
            if (rng_below(r, ++ties) == 0)
                pick = v;
        }
        if (pick == YK_NO_VAR)
            return n;
        if (clique_of(w, pick, rule, alive - n - 1, words)) {
            BITS_FOREACH(v, w->alive, words)
            w->order[n++] = v;
            return n;
        }
        w->order[n++] = pick;
        eliminate(w, p, pick);
    }
}

YK_FAST_ISA static uint32_t order_fast(const struct problem *p, struct make_work *w, enum make_rule rule, double noise,
                                       struct rng *r, const struct deadline *d)
{
    return order_body(p, w, rule, noise, r, d);
}

static uint32_t order_plain(const struct problem *p, struct make_work *w, enum make_rule rule, double noise,
                            struct rng *r, const struct deadline *d)
{
    return order_body(p, w, rule, noise, r, d);
}

bool make_by_order_rule(struct tree *t, const struct problem *p, struct make_work *w, enum make_rule rule, double noise,
                        struct rng *r, const struct deadline *d)
{
    uint32_t n = (yk_fast_isa() ? order_fast : order_plain)(p, w, rule, noise, r, d);
    if (!n)
        return false;
    make_from_order(t, p, w, w->order, n, d);
    return true;
}
