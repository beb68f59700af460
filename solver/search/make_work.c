#include "solver/search/make_work.h"
#include <stdlib.h>

static bool leaves_of_variables(const struct problem *p, struct make_work *w)
{
    w->first = yk_arena_array(&w->arena, uint32_t, p->nbits + 1);
    size_t total = 0;
    for (uint32_t i = 0; i < p->nleaves; i++)
        total += bits_count(p->legs + (size_t)i * p->words, p->words);
    w->leaf_of = yk_arena_array(&w->arena, uint32_t, total + 1);
    if (!w->first || !w->leaf_of)
        return false;
    for (uint32_t i = 0; i < p->nleaves; i++)
        BITS_FOREACH(v, p->legs + (size_t)i * p->words, p->words)
    w->first[v + 1]++;
    for (uint32_t v = 0; v < p->nbits; v++)
        w->first[v + 1] += w->first[v];
    for (uint32_t i = p->nleaves; i-- > 0;) /* filled from the end of each list, then first[] is right again */
        BITS_FOREACH(v, p->legs + (size_t)i * p->words, p->words)
    w->leaf_of[--w->first[v + 1]] = i;
    for (uint32_t v = 0; v < p->nbits; v++)
        w->first[v] = w->first[v + 1];
    w->first[p->nbits] = (uint32_t)total;
    return true;
}

static bool graph_of_variables(const struct problem *p, struct make_work *w)
{
    w->graph = yk_arena_array(&w->arena, uint64_t, (size_t)p->nbits * p->words);
    if (!w->graph)
        return false;
    size_t edges = 0;
    for (uint32_t i = 0; i < p->nleaves; i++) {
        const uint64_t *s = p->legs + (size_t)i * p->words;
        BITS_FOREACH(v, s, p->words)
        for (uint32_t x = 0; x < p->words; x++)
            w->graph[(size_t)v * p->words + x] |= s[x];
    }
    for (uint32_t v = 0; v < p->nbits; v++) {
        bit_clear(w->graph + (size_t)v * p->words, v);
        edges += bits_count(w->graph + (size_t)v * p->words, p->words);
    }
    w->xadj = yk_arena_array(&w->arena, int, p->nbits + 1);
    w->adjncy = yk_arena_array(&w->arena, int, edges + 1);
    w->weight = yk_arena_array(&w->arena, int, p->nbits + 1);
    w->perm = yk_arena_array(&w->arena, int, p->nbits + 1);
    w->iperm = yk_arena_array(&w->arena, int, p->nbits + 1);
    return w->xadj && w->adjncy && w->weight && w->perm && w->iperm;
}

struct make_work *make_work_new(const struct problem *p)
{
    struct make_work *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->words = p->words;
    w->nbits = p->nbits;
    w->nleaves = p->nleaves;
    struct yk_arena *a = &w->arena;
    size_t nodes = 2 * (size_t)p->nleaves;
    bool ok =
        graph_of_variables(p, w) && leaves_of_variables(p, w) &&
        (w->adj = yk_arena_array(a, uint64_t, (size_t)p->nbits * p->words)) &&
        (w->score = yk_arena_array(a, double, p->nbits)) && (w->noise = yk_arena_array(a, double, p->nbits)) &&
        (w->alive = yk_arena_array(a, uint64_t, p->words)) && (w->dirty = yk_arena_array(a, uint64_t, p->words)) &&
        (w->set = yk_arena_array(a, uint64_t, p->words)) && (w->ones = yk_arena_array(a, uint64_t, p->words)) &&
        (w->twos = yk_arena_array(a, uint64_t, p->words)) && (w->order = yk_arena_array(a, uint32_t, p->nbits)) &&
        (w->legs = yk_arena_array(a, uint64_t, nodes * p->words)) && (w->up = yk_arena_array(a, uint32_t, nodes)) &&
        (w->count = yk_arena_array(a, uint32_t, p->nbits)) && (w->bucket = yk_arena_array(a, uint32_t, nodes)) &&
        (w->size = yk_arena_array(a, double, nodes)) && (w->mark = yk_arena_array(a, uint64_t, nodes));
    if (!ok) {
        make_work_free(w);
        return NULL;
    }
    return w;
}

void make_work_free(struct make_work *w)
{
    if (!w)
        return;
    yk_arena_finish(&w->arena);
    free(w->heap);
    free(w);
}

void grow_begin(const struct problem *p, struct make_work *w)
{
    uint32_t n = p->nleaves;
    memcpy(w->legs, p->legs, (size_t)n * p->words * sizeof *w->legs);
    for (uint32_t i = 0; i < 2 * n; i++)
        w->up[i] = i;
    for (uint32_t i = 0; i < n; i++)
        w->size[i] = bits_cells(w->legs + (size_t)i * p->words, p->power, p->words);
    for (uint32_t v = 0; v < p->nbits; v++)
        w->count[v] = w->first[v + 1] - w->first[v];
    w->next = n;
}

uint32_t grow_find(struct make_work *w, uint32_t i)
{
    while (w->up[i] != i)
        i = w->up[i] = w->up[w->up[i]];
    return i;
}

uint32_t grow_join(struct tree *t, const struct problem *p, struct make_work *w, uint32_t a, uint32_t b)
{
    uint32_t id = w->next++;
    const uint64_t *x = w->legs + (size_t)a * p->words, *y = w->legs + (size_t)b * p->words;
    uint64_t *z = w->legs + (size_t)id * p->words;
    for (uint32_t i = 0; i < p->words; i++) {
        z[i] = x[i] | y[i];
        for (uint64_t both = x[i] & y[i]; both; both &= both - 1) {
            uint32_t v = i * 64 + (uint32_t)__builtin_ctzll(both);
            if (--w->count[v] == 1)
                z[i] &= ~(both & -both);
        }
    }
    w->size[id] = bits_cells(z, p->power, p->words);
    w->up[a] = w->up[b] = id;
    t->node[id].child[0] = a;
    t->node[id].child[1] = b;
    return id;
}

void grow_end(struct tree *t, const struct problem *p, struct make_work *w)
{
    uint32_t last = w->next, have = YK_NO_NODE;
    for (uint32_t i = 0; i < last; i++)
        if (w->up[i] == i)
            have = have == YK_NO_NODE ? i : grow_join(t, p, w, have, i);
    tree_recount(t, p);
}
