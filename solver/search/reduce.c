#include "solver/search/reduce.h"
#include <stdlib.h>
#include "solver/search/make_work.h"

/* Joins over more cells are left to the search. */
static const double SMALL = 1024;
enum { MOST_TABLES = 6 };

struct reducer {
    const struct problem *p;
    struct make_work *w;
    struct tree t; /* only its nodes' children are used */
    uint64_t *out; /* [words] */
    bool changed;
};

/* Distinct tables that hold V, into w->bucket. */
static uint32_t tables_of(struct make_work *w, uint32_t v)
{
    uint32_t n = 0;
    w->stamp++;
    for (uint32_t i = w->first[v]; i < w->first[v + 1]; i++) {
        uint32_t table = grow_find(w, w->leaf_of[i]);
        if (w->mark[table] != w->stamp) {
            w->mark[table] = w->stamp;
            w->bucket[n++] = table;
        }
    }
    return n;
}

static const uint64_t *legs_of(const struct reducer *r, uint32_t table)
{
    return r->w->legs + (size_t)table * r->p->words;
}

/* All tables of V joined, if that is small and the result no larger than the largest of them. */
static void try_variable(struct reducer *r, uint32_t v)
{
    struct make_work *w = r->w;
    uint32_t words = r->p->words;
    if (w->count[v] < 2 || w->count[v] > MOST_TABLES)
        return;
    uint32_t n = tables_of(w, v);
    double largest = 0;
    memset(r->out, 0, words * sizeof *r->out);
    for (uint32_t i = 0; i < n; i++) {
        largest = w->size[w->bucket[i]] > largest ? w->size[w->bucket[i]] : largest;
        for (uint32_t k = 0; k < words; k++)
            r->out[k] |= legs_of(r, w->bucket[i])[k];
    }
    if (bits_cells(r->out, r->p->power, words) > SMALL)
        return;
    for (uint32_t k = 0; k < words; k++) /* what all its tables are among these disappears */
        for (uint64_t x = r->out[k]; x; x &= x - 1) {
            uint32_t u = k * 64 + (uint32_t)__builtin_ctzll(x), here = 0;
            for (uint32_t i = 0; i < n; i++)
                here += bit_get(legs_of(r, w->bucket[i]), u);
            if (here == w->count[u])
                r->out[k] &= ~(x & -x);
        }
    if (bits_cells(r->out, r->p->power, words) > largest)
        return;
    while (n > 1) { /* the two smallest first */
        uint32_t a = 0, b = 1;
        for (uint32_t i = 2; i < n; i++) {
            uint32_t *worse = w->size[w->bucket[a]] > w->size[w->bucket[b]] ? &a : &b;
            if (w->size[w->bucket[i]] < w->size[w->bucket[*worse]])
                *worse = i;
        }
        uint32_t joined = grow_join(&r->t, r->p, w, w->bucket[a], w->bucket[b]);
        w->bucket[a < b ? a : b] = joined;
        w->bucket[a < b ? b : a] = w->bucket[--n];
    }
    r->changed = true;
}

/* Table A joined to one that holds all its variables. */
static void try_table(struct reducer *r, uint32_t a)
{
    struct make_work *w = r->w;
    uint32_t words = r->p->words, rarest = YK_NO_VAR;
    if (w->up[a] != a)
        return;
    BITS_FOREACH(v, legs_of(r, a), words)
    if (rarest == YK_NO_VAR || w->count[v] < w->count[rarest])
        rarest = v;
    if (rarest == YK_NO_VAR)
        return;
    uint32_t n = tables_of(w, rarest);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t b = w->bucket[i];
        uint64_t outside = 0;
        for (uint32_t k = 0; k < words; k++)
            outside |= legs_of(r, a)[k] & ~legs_of(r, b)[k];
        if (b == a || outside || w->size[b] > SMALL)
            continue;
        grow_join(&r->t, r->p, w, a, b);
        r->changed = true;
        return;
    }
}

/* The core: the tables that are left, over the variables that are left, packed anew. */
static yk_status make_core(struct reduction *out, const struct reducer *r)
{
    const struct problem *p = r->p;
    struct make_work *w = r->w;
    struct problem *c = &out->core;
    uint32_t *bit = yk_arena_array(&c->arena, uint32_t, p->nbits);
    uint32_t at = 0;
    double before = 0;
    if (!bit)
        return YK_ENOMEM;
    for (uint32_t v = 0; v < p->nbits; v++) {
        bool left = w->first[v + 1] > w->first[v] && w->count[v] >= 2;
        bit[v] = YK_NO_VAR;
        if (!left)
            continue;
        /* the full problem's order has equal domains together */
        if (p->domain[v] > before)
            at = (at + 63) / 64 * 64;
        before = p->domain[v];
        bit[v] = at++;
        c->nvars++;
    }
    c->words = at ? (at + 63) / 64 : 1;
    for (uint32_t i = 0; i < w->next; i++)
        c->nleaves += w->up[i] == i && !bits_empty(legs_of(r, i), p->words);
    c->net = p->net;
    c->cell_cost = p->cell_cost;
    c->cells_max = p->cells_max;
    c->nbits = 64 * c->words;
    out->table = yk_arena_array(&c->arena, uint32_t, c->nleaves);
    out->place = yk_arena_array(&c->arena, uint32_t, 2 * (size_t)c->nleaves);
    out->used = yk_arena_array(&c->arena, bool, 2 * (size_t)p->nleaves);
    if (!out->table || !out->place || !out->used || !problem_allocate(c))
        return YK_ENOMEM;
    for (uint32_t b = 0; b < c->nbits; b++) {
        c->var[b] = YK_NO_VAR;
        c->domain[b] = 1;
    }
    for (uint32_t v = 0; v < p->nbits; v++)
        if (bit[v] != YK_NO_VAR) {
            c->domain[bit[v]] = p->domain[v];
            c->var[bit[v]] = p->var[v];
        }
    problem_fill_powers(c);
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->next; i++) {
        if (w->up[i] != i || bits_empty(legs_of(r, i), p->words))
            continue;
        BITS_FOREACH(v, legs_of(r, i), p->words)
        bit_set(c->legs + (size_t)n * c->words, bit[v]);
        out->table[n++] = i;
    }
    return YK_OK;
}

static yk_status keep_joins(struct reduction *out, const struct reducer *r)
{
    out->njoins = r->w->next - r->p->nleaves;
    out->join = yk_arena_alloc(&out->core.arena, out->njoins * sizeof *out->join);
    if (!out->join)
        return YK_ENOMEM;
    for (uint32_t i = 0; i < out->njoins; i++)
        memcpy(out->join[i], r->t.node[r->p->nleaves + i].child, sizeof *out->join);
    return YK_OK;
}

/* Until nothing more can be joined. */
static void join_small(struct reducer *r, const struct deadline *d)
{
    enum { LOOK = 64 };
    do {
        r->changed = false;
        for (uint32_t v = 0; v < r->p->nbits; v++) {
            if (v % LOOK == 0 && deadline_passed(d))
                return;
            if (r->w->first[v + 1] > r->w->first[v])
                try_variable(r, v);
        }
        for (uint32_t i = 0, last = r->w->next; i < last; i++) {
            if (i % LOOK == 0 && deadline_passed(d))
                return;
            try_table(r, i);
        }
    } while (r->changed);
}

yk_status reduce(struct reduction *out, const struct problem *full, const struct deadline *d)
{
    struct reducer r = {.p = full, .w = make_work_new(full)};
    *out = (struct reduction){0};
    r.t.node = calloc(2 * (size_t)full->nleaves, sizeof *r.t.node);
    r.out = calloc(full->words, sizeof *r.out);
    yk_status st = YK_ENOMEM;
    if (r.w && r.t.node && r.out) {
        grow_begin(full, r.w);
        join_small(&r, d);
        st = make_core(out, &r);
        if (st == YK_OK)
            st = keep_joins(out, &r);
    }
    make_work_free(r.w);
    free(r.t.node);
    free(r.out);
    if (st != YK_OK)
        reduction_finish(out);
    return st;
}

void reduction_finish(struct reduction *r)
{
    problem_finish(&r->core);
    *r = (struct reduction){0};
}

/* One more inner node over A and B; returns its id. */
static uint32_t put(struct reduction *r, struct tree *t, uint32_t id, uint32_t a, uint32_t b)
{
    t->node[id].child[0] = a;
    t->node[id].child[1] = b;
    r->used[a] = r->used[b] = true;
    return id;
}

void reduction_expand(struct reduction *r, struct tree *t, const struct problem *full, const struct tree *core)
{
    uint32_t n = full->nleaves, next = n, nc = r->core.nleaves, top = YK_NO_NODE;
    memset(r->used, 0, t->nnodes * sizeof *r->used);
    for (uint32_t i = 0; i < r->njoins; i++)
        put(r, t, next++, r->join[i][0], r->join[i][1]);
    for (uint32_t i = 0; i < nc; i++)
        top = r->place[i] = r->table[i];
    if (nc > 1)
        tree_postorder(core, core->order);
    for (uint32_t k = 0; k + 1 < nc; k++) {
        const struct tree_node *node = &core->node[core->order[k]];
        top = r->place[core->order[k]] = put(r, t, next++, r->place[node->child[0]], r->place[node->child[1]]);
    }
    for (uint32_t i = 0; i < n + r->njoins; i++) /* the scalars that whole parts came down to */
        if (!r->used[i] && i != top)
            top = top == YK_NO_NODE ? i : put(r, t, next++, top, i);
    tree_recount(t, full);
}
