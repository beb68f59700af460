/* Trees of one sweep through the graph of variables, from one end to the other: breadth first, neighbours of least
 * degree first (Cuthill and McKee, "Reducing the bandwidth of sparse symmetric matrices", 1969). What is long and thin
 * (chains of slices, grids) then has a front as wide as it is thin. */
#include <string.h>
#include "solver/search/make_work.h"

static const uint64_t *near(const struct make_work *w, uint32_t v)
{
    return w->graph + (size_t)v * w->words;
}

/* The part of the graph that START is in, breadth first, from ORDER[N] on; the new N. What is in w->set has been. */
static uint32_t breadth_first(struct make_work *w, uint32_t start, uint32_t n)
{
    uint32_t head = n;
    w->order[n++] = start;
    bit_set(w->set, start);
    while (head < n) {
        const uint32_t v = w->order[head++], first = n;
        BITS_FOREACH(u, near(w, v), w->words)
        {
            if (bit_get(w->set, u))
                continue;
            bit_set(w->set, u);
            uint32_t at = n++;
            for (; at > first && w->score[w->order[at - 1]] > w->score[u]; at--)
                w->order[at] = w->order[at - 1];
            w->order[at] = u;
        }
    }
    return n;
}

void make_by_sweep(struct tree *t, const struct problem *p, struct make_work *w, const struct deadline *d)
{
    uint32_t n = 0;
    memset(w->set, 0, w->words * sizeof *w->set);
    for (uint32_t v = 0; v < p->nbits; v++)
        w->score[v] = (double)bits_count(near(w, v), w->words);
    for (uint32_t v = 0; v < p->nbits; v++) {
        if (w->first[v + 1] == w->first[v] || bit_get(w->set, v))
            continue;
        uint32_t start = v, end = n;
        for (int turn = 0; turn < 3; turn++) { /* the last one met lies far out: from there once more */
            for (uint32_t i = n; i < end; i++)
                bit_clear(w->set, w->order[i]);
            end = breadth_first(w, start, n);
            start = w->order[end - 1];
        }
        n = end;
    }
    make_from_order(t, p, w, w->order, n, d);
}
