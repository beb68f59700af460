/* Trees from nested dissection: METIS orders the graph of variables by recursive vertex separators. A separator of that
 * graph is a cut of the hypergraph of factors, so this is recursive hypergraph bisection with the cut variables last.
 */
#include <math.h>
#include <metis.h>
#include <pthread.h>
#include "base/lock.h"
#include "solver/search/make_work.h"

/* METIS keeps its random state and its signal handlers in the process. */
static struct yk_lock metis_lock = YK_LOCK_INIT(YK_RANK_LEAF);

/* Measured on grids and random graphs: 0.5 to 5 us for each vertex and end of an edge. Dense graphs, which have no
 * small separators, take up to 120 us. */
static bool worth_beginning(idx_t vertices, idx_t ends, const struct deadline *d)
{
    enum { DENSE = 64 };
    return ends / vertices < DENSE && 6e-6 * ((double)vertices + (double)ends) < deadline_left(d);
}

bool make_by_dissection(struct tree *t, const struct problem *p, struct make_work *w, struct rng *r,
                        const struct deadline *d)
{
    _Static_assert(sizeof(idx_t) == sizeof(int), "METIS built with another index width");
    idx_t n = 0, e = 0;
    uint32_t *bit = w->order; /* METIS's vertex -> bit */
    int *vertex = w->iperm;   /* bit -> METIS's vertex */
    for (uint32_t v = 0; v < p->nbits; v++)
        if (w->first[v + 1] > w->first[v]) {
            vertex[v] = n;
            bit[n++] = v;
        }
    if (n < 2)
        return false;
    for (idx_t i = 0; i < n; i++) {
        w->xadj[i] = e;
        BITS_FOREACH(u, w->graph + (size_t)bit[i] * p->words, p->words)
        w->adjncy[e++] = vertex[u];
        w->weight[i] = (int)lround(8 * log2(p->domain[bit[i]]));
    }
    w->xadj[n] = e;
    if (!worth_beginning(n, e, d))
        return false;
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = (idx_t)rng_below(r, 1u << 30);
    options[METIS_OPTION_UFACTOR] = 30 + (idx_t)rng_below(r, 600); /* imbalance in thousandths */
    options[METIS_OPTION_RTYPE] = rng_below(r, 2) ? METIS_RTYPE_SEP1SIDED : METIS_RTYPE_SEP2SIDED;
    options[METIS_OPTION_NSEPS] = 1 + (idx_t)rng_below(r, 4);
    options[METIS_OPTION_COMPRESS] = 0;
    yk_lock_take(&metis_lock);
    /* another thread's may have taken the time */
    int rc = worth_beginning(n, e, d) ? METIS_NodeND(&n, w->xadj, w->adjncy, w->weight, options, w->perm, w->iperm)
                                      : METIS_ERROR;
    yk_lock_drop(&metis_lock);
    if (rc != METIS_OK)
        return false;
    /* perm[k]: the vertex that goes k-th */
    for (idx_t k = 0; k < n; k++)
        w->count[k] = bit[w->perm[k]];
    memcpy(w->order, w->count, (size_t)n * sizeof *w->order);
    make_from_order(t, p, w, w->order, (uint32_t)n, d);
    return true;
}
