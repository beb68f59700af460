/* The plan with the smallest predicted time among tiles, lanes and chunks that are worth a look. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/cache/cache.h"

enum { TILES = 12, MOST_TILE = 10 };

struct tile {
    uint32_t va, ra, vb, rb;
    double loads; /* per operation */
};

static double loads(const struct yk_cache_bucket *b, const struct tile *t)
{
    double all = 0;
    for (uint32_t f = 0; f < b->nin; f++)
        all += (t->ra > 1 && b->stride[f][t->va] ? t->ra : 1.0) * (t->rb > 1 && b->stride[f][t->vb] ? t->rb : 1.0);
    /* Variables near the output's fast end belong to the lanes: stores of a warp are then in one piece. */
    double near = 0;
    const uint32_t on[2] = {t->va, t->vb}, part[2] = {t->ra, t->rb};
    for (int i = 0; i < 2; i++) {
        double run = (double)b->stride[b->nin][on[i]] * (b->domain[on[i]] / part[i]);
        if (part[i] > 1 && run < 16)
            near += 0.5 * 16 / run;
    }
    return all / (t->ra * t->rb) + near + 2.0 / (t->ra * t->rb);
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

static uint32_t tiles(struct tile *best, const struct yk_cache_bucket *b, const struct yk_cache_options *o)
{
    uint32_t n = 0, most = o->cell == 8 ? 32 : 64;
    struct tile none = {0, 1, 0, 1, 0};
    if (o->no_tile || b->nout < 2) {
        consider(best, &n, b, none);
        return n;
    }
    /* Few outputs: registers would take threads away. */
    for (uint32_t va = 0; va < b->nout; va++)
        for (uint32_t ra = 2; ra <= MOST_TILE && ra <= b->domain[va]; ra++) {
            if (b->domain[va] % ra)
                continue;
            consider(best, &n, b, (struct tile){va, ra, 0, 1, 0});
            for (uint32_t vb = va + 1; vb < b->nout; vb++)
                for (uint32_t rb = 2; rb <= MOST_TILE && rb <= b->domain[vb] && ra * rb <= most; rb++)
                    if (b->domain[vb] % rb == 0)
                        consider(best, &n, b, (struct tile){va, ra, vb, rb, 0});
        }
    if (n == TILES)
        n--;
    none.loads = loads(b, &none);
    best[n++] = none;
    return n;
}

/* Below this many multiply-adds planning takes longer than what a better plan saves. */
static bool hasty(const struct yk_cache_bucket *b)
{
    double n = b->nin;
    for (uint32_t v = 0; v < b->nvars; v++)
        n *= b->domain[v];
    return n < 1 << 19;
}

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

yk_status yk_cache_plan_init(struct yk_cache_plan *p, const struct yk_cache_bucket *b, const struct yk_cache_device *d,
                             const struct yk_cache_options *o)
{
    static const uint32_t lane_steps[] = {64, 128, 256}, low_steps[] = {1024, 64, 32, 16, 8};
    memset(p, 0, sizeof *p);
    yk_status st = check(b);
    if (st != YK_OK)
        return st;
    struct tile tile[TILES + 1];
    uint32_t ntiles = tiles(tile, b, o);
    bool few = hasty(b);
    if (few && ntiles > 2) { /* the best and none */
        tile[1] = tile[ntiles - 1];
        ntiles = 2;
    }
    struct yk_cache_plan *trial = malloc(sizeof *trial);
    if (!trial)
        return YK_ENOMEM;
    bool found = false;
    for (uint32_t t = 0; t < ntiles; t++)
        for (uint32_t l = 0; l < 3; l++) {
            uint32_t lanes = o->threads ? o->threads : lane_steps[l], last = 0;
            lanes = lanes < d->group ? lanes : d->group;
            if (o->threads && l)
                break;
            if (few && l == 1 && !o->threads)
                continue;
            for (uint32_t s = 0; s < 5 && !(few && s && found); s++) {
                memset(trial, 0, sizeof *trial);
                trial->nin = b->nin;
                trial->cell = o->cell;
                yk_cache_roles_cut(&trial->roles, b, tile[t].va, tile[t].ra, tile[t].vb, tile[t].rb, lanes,
                                   low_steps[s]);
                /* Without a cache, chunks only cost. */
                if (trial->roles.low.count == last || !fits(&trial->roles, b->nin) ||
                    (s && found && o->policy == YK_CACHE_NONE && last))
                    continue;
                last = trial->roles.low.count;
                yk_cache_choose(trial, b, d, o);
                if (!found || trial->seconds < p->seconds)
                    *p = *trial;
                found = true;
            }
        }
    free(trial);
    if (!found)
        return YK_ELIMIT;
    st = yk_cache_tables(p);
    if (st != YK_OK)
        memset(p, 0, sizeof *p);
    return st;
}
