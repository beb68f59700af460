/* The plan with the smallest predicted time among tiles, lanes and chunks that are worth a look. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/cache/cache.h"

enum { TILES = 12, MOST_SIDE = 10 };

struct tile {
    struct yk_cache_parts a, b;
    double loads; /* per operation */
};

/* Variables of the output that the same inputs have: any of them may make up one side of a tile together. */
struct kind {
    uint32_t inputs; /* mask */
    uint32_t n, var[YK_CACHE_VARS];
};

static uint32_t kinds(struct kind *kind, const struct yk_cache_bucket *b)
{
    uint32_t n = 0;
    for (uint32_t v = 0; v < b->nout; v++) {
        uint32_t inputs = 0, k = 0;
        for (uint32_t f = 0; f < b->nin; f++)
            inputs |= (uint32_t)(b->stride[f][v] != 0) << f;
        while (k < n && kind[k].inputs != inputs)
            k++;
        if (k == n)
            kind[n++] = (struct kind){.inputs = inputs};
        kind[k].var[kind[k].n++] = v;
    }
    return n;
}

/* EXTENT values of variables of kind K, of slow ones first: the fast ones are left to the lanes. */
static bool parts_of(struct yk_cache_parts *p, const struct yk_cache_bucket *b, const struct kind *k, uint32_t extent)
{
    *p = (struct yk_cache_parts){.extent = 1};
    for (uint32_t i = 0; i < k->n && p->n < YK_CACHE_SIDE_DIGITS && p->extent < extent; i++) {
        uint32_t rest = extent / p->extent, d = rest;
        while (d > 1 && (rest % d || b->domain[k->var[i]] % d))
            d--;
        if (d == 1)
            continue;
        p->var[p->n] = k->var[i];
        p->part[p->n++] = d;
        p->extent *= d;
    }
    return p->extent == extent;
}

static double loads(const struct yk_cache_bucket *b, const struct tile *t)
{
    double all = 0, outputs = t->a.extent * t->b.extent;
    for (uint32_t f = 0; f < b->nin; f++)
        all += (t->a.n && b->stride[f][t->a.var[0]] ? t->a.extent : 1.0) *
               (t->b.n && b->stride[f][t->b.var[0]] ? t->b.extent : 1.0);
    /* Variables near the output's fast end belong to the lanes: stores of a warp are then in one piece. */
    double near = 0;
    const struct yk_cache_parts *side[] = {&t->a, &t->b};
    for (int s = 0; s < 2; s++)
        for (uint32_t k = 0; k < side[s]->n; k++) {
            uint32_t v = side[s]->var[k];
            double run = (double)b->stride[b->nin][v] * (b->domain[v] / side[s]->part[k]);
            if (run < 16)
                near += 0.5 * 16 / run;
        }
    return all / outputs + near + 2.0 / outputs;
}

static void consider(struct tile *best, uint32_t *n, const struct yk_cache_bucket *b, struct tile t)
{
    t.loads = loads(b, &t);
    uint32_t at = *n < TILES ? (*n)++ : TILES;
    if (at == TILES) {
        if (best[TILES - 1].loads <= t.loads)
            return;
        at = TILES - 1;
    }
    for (; at > 0 && best[at - 1].loads > t.loads; at--)
        best[at] = best[at - 1];
    best[at] = t;
}

static uint32_t tiles(struct tile *best, const struct yk_cache_bucket *b, const struct yk_cache_options *o, bool few)
{
    /* A small bucket is to be computed by many threads, and compiled soon. */
    uint32_t n = 0, most = few ? 16 : o->cell == 8 ? 32 : 64;
    const struct tile none = {.a.extent = 1, .b.extent = 1};
    if (o->no_tile || b->nout < 2) {
        consider(best, &n, b, none);
        return n;
    }
    struct kind kind[YK_CACHE_VARS];
    uint32_t nkinds = kinds(kind, b);
    for (uint32_t i = 0; i < nkinds; i++)
        for (uint32_t ra = 2; ra <= MOST_SIDE; ra++) {
            struct tile t = none;
            if (!parts_of(&t.a, b, &kind[i], ra))
                continue;
            consider(best, &n, b, t);
            for (uint32_t j = i + 1; j < nkinds; j++)
                for (uint32_t rb = 2; rb <= MOST_SIDE && ra * rb <= most; rb++)
                    if (parts_of(&t.b, b, &kind[j], rb))
                        consider(best, &n, b, t);
        }
    if (n == TILES)
        n--;
    best[n] = none;
    best[n].loads = loads(b, &none);
    return n + 1;
}

/* Below these many multiply-adds planning takes longer than what a better plan saves. */
static bool below(const struct yk_cache_bucket *b, double most)
{
    double n = b->nin;
    for (uint32_t v = 0; v < b->nvars; v++)
        n *= b->domain[v];
    return n < most;
}
static const double HASTY = 1 << 19, SHORT = 1 << 25;

static yk_status check(const struct yk_cache_bucket *b)
{
    if (b->nin < 1 || b->nin > YK_CACHE_INPUTS || b->nvars > YK_CACHE_VARS || b->nout > b->nvars)
        return YK_ELIMIT;
    for (uint32_t t = 0; t <= b->nin; t++) {
        double cells = 1;
        for (uint32_t v = 0; v < b->nvars; v++)
            cells *= b->stride[t][v] ? b->domain[v] : 1;
        if (cells >= 0x1p31)
            return YK_ELIMIT;
    }
    return YK_OK;
}

/* Summed values in a page: table entries in constant memory, steps of a block in one table. */
static bool fits(const struct yk_cache_roles *r, uint32_t nin)
{
    return r->low.count * nin <= 4096 && r->chunk.count <= 4096;
}

static const uint32_t LANES[] = {64, 128, 256}, LOWS[] = {1024, 64, 32, 16, 8}, FAST[] = {0, 16, 32};
enum { LANE_STEPS = 3, LOW_STEPS = 5, FAST_STEPS = 3 };

struct trials {
    const struct yk_cache_bucket *b;
    const struct yk_cache_device *d;
    const struct yk_cache_options *o;
    struct yk_cache_plan *best, *next;
    uint32_t number; /* of trials so far */
    bool few, found; /* FEW: no more than what comes first */
};

/* The plan of T->NEXT, whose roles are cut by C. */
static void consider_plan(struct trials *t, const struct yk_cache_cut *c)
{
    struct yk_cache_plan *p = t->next;
    if (c->ahead) { /* choosing has changed the roles */
        *p = (struct yk_cache_plan){.nin = t->b->nin, .cell = t->o->cell};
        yk_cache_roles_cut(&p->roles, t->b, c);
    }
    p->taken = *c;
    if (!yk_cache_choose(p, t->b, t->d, t->o, c->ahead))
        return;
    t->number++;
    if (t->o->trial && t->number != t->o->trial)
        return;
    if (!t->found || p->seconds < t->best->seconds)
        *t->best = *p;
    t->found = true;
}

/* All depths of a page for this tile and these lanes. */
static void try_lows(struct trials *t, struct yk_cache_cut c)
{
    uint32_t last = 0;
    for (uint32_t s = 0; s < LOW_STEPS && !(t->few && last); s++) {
        struct yk_cache_plan *p = t->next;
        memset(p, 0, sizeof *p);
        p->nin = t->b->nin;
        p->cell = t->o->cell;
        c.lows = LOWS[s];
        yk_cache_roles_cut(&p->roles, t->b, &c);
        /* Without a cache, chunks only cost. */
        if (p->roles.low.count == last || !fits(&p->roles, t->b->nin) || (last && t->o->policy == YK_CACHE_NONE))
            continue;
        last = p->roles.low.count;
        consider_plan(t, &c);
        if (t->d->async && t->o->policy != YK_CACHE_NONE) {
            c.ahead = true;
            consider_plan(t, &c);
            c.ahead = false;
        }
    }
}

yk_status yk_cache_plan_again(struct yk_cache_plan *p, const struct yk_cache_bucket *b, const struct yk_cache_device *d,
                              const struct yk_cache_options *o, const struct yk_cache_cut *taken)
{
    *p = (struct yk_cache_plan){.nin = b->nin, .cell = o->cell, .taken = *taken};
    yk_cache_roles_cut(&p->roles, b, taken);
    yk_status st = yk_cache_choose(p, b, d, o, taken->ahead) ? yk_cache_tables(p) : YK_ELIMIT;
    if (st != YK_OK)
        memset(p, 0, sizeof *p);
    return st;
}

yk_status yk_cache_plan_init(struct yk_cache_plan *p, const struct yk_cache_bucket *b, const struct yk_cache_device *d,
                             const struct yk_cache_options *o)
{
    memset(p, 0, sizeof *p);
    yk_status st = check(b);
    if (st != YK_OK)
        return st;
    struct tile tile[TILES + 1];
    const bool hurry = below(b, SHORT) && !below(b, HASTY);
    uint32_t ntiles = tiles(tile, b, o, below(b, HASTY)), most_tiles = below(b, HASTY) ? 2 : hurry ? 6 : TILES + 1;
    if (ntiles > most_tiles) { /* the best and none */
        tile[most_tiles - 1] = tile[ntiles - 1];
        ntiles = most_tiles;
    }
    struct trials t = {.b = b, .d = d, .o = o, .best = p, .few = below(b, HASTY)};
    if (!(t.next = malloc(sizeof *t.next)))
        return YK_ENOMEM;
    for (uint32_t i = 0; i < ntiles; i++)
        for (uint32_t l = 0; l < (o->threads ? 1 : LANE_STEPS); l++)
            for (uint32_t k = 0; k < FAST_STEPS; k++) {
                uint32_t lanes = o->threads ? o->threads : LANES[l];
                lanes = lanes < d->group ? lanes : d->group;
                /* The papers' kernel has its threads in line. */
                if (FAST[k] >= lanes || (k && o->no_tile) || (t.few && (k || (l == 1 && !o->threads))) ||
                    (hurry && !o->no_tile && (k == 2 || (l == 0 && !o->threads))))
                    continue;
                try_lows(&t, (struct yk_cache_cut){tile[i].a, tile[i].b, lanes, FAST[k], 0, false});
            }
    free(t.next);
    if (!t.found)
        return YK_ELIMIT;
    st = yk_cache_tables(p);
    if (st != YK_OK)
        memset(p, 0, sizeof *p);
    return st;
}
