#include <math.h>
#include <string.h>
#include "kernels/cpu/panel_choice.h"

/* Beyond this many joint states, variables of one group are summed with the others instead of while packing. */
static const double PRESUM_MOST = 1024;
/* Inputs up to which all groupings are tried. */
enum { EXHAUSTIVE = 9 };

/* uint64_t bit t: the variable is in table t. */
static void memberships(const struct yk_canon *c, uint64_t *in)
{
    for (uint32_t v = 0; v < c->rank; v++) {
        in[v] = 0;
        for (uint32_t t = 0; t < c->nin; t++)
            in[v] |= (uint64_t)(yk_canon_stride(c, t)[v] != 0) << t;
    }
}

static enum yk_class_id class_of(bool out, bool l, bool r)
{
    if (out)
        return l && r ? YK_B : r ? YK_N : YK_M;
    return l && r ? YK_K : l ? YK_QL : r ? YK_QR : YK_CLASSES;
}

/* Vector operations of a grouping, without regard to layouts. */
static double rough(const struct yk_canon *c, const uint64_t *in, uint64_t right)
{
    uint64_t all = c->nin == 64 ? ~UINT64_C(0) : (UINT64_C(1) << c->nin) - 1, left = all & ~right;
    double size[YK_CLASSES + 1] = {1, 1, 1, 1, 1, 1, 1};
    for (uint32_t v = 0; v < c->rank; v++)
        size[class_of(v < c->nout, in[v] & left, in[v] & right)] *= (double)c->domain[v];
    double bk = size[YK_B] * size[YK_K], l = bk * size[YK_M] * size[YK_QL], r = bk * size[YK_N] * size[YK_QR];
    return 0.6 * bk * size[YK_M] * size[YK_N] + 1.5 * l * __builtin_popcountll(left) +
           1.5 * r * __builtin_popcountll(right);
}

static uint64_t group(const struct yk_canon *c, const uint64_t *in)
{
    uint64_t best = 0;
    double least = rough(c, in, 0);
    if (c->nin <= EXHAUSTIVE) {
        /* The last table stays left: the mirror image is looked at with the lanes. */
        for (uint64_t right = 1; right < UINT64_C(1) << (c->nin - 1); right++) {
            double cost = rough(c, in, right);
            if (cost < least) {
                least = cost;
                best = right;
            }
        }
        return best;
    }
    for (bool better = true; better;) {
        better = false;
        for (uint32_t t = 0; t < c->nin; t++) {
            uint64_t right = best ^ UINT64_C(1) << t;
            double cost = rough(c, in, right);
            if (cost < least) {
                least = cost;
                best = right;
                better = true;
            }
        }
    }
    return best;
}

uint32_t yk_panel_class_order(const struct yk_canon *c, const uint8_t *cls, enum yk_class_id id, uint32_t order,
                              uint8_t *var)
{
    const int64_t *stride = yk_canon_stride(c, order);
    uint32_t n = 0;
    for (uint32_t v = 0; v < c->rank; v++) {
        if (cls[v] != id)
            continue;
        uint64_t key = stride[v] ? (uint64_t)stride[v] : UINT64_MAX;
        uint32_t i = n++;
        for (; i > 0; i--) {
            uint64_t other = stride[var[i - 1]] ? (uint64_t)stride[var[i - 1]] : UINT64_MAX;
            if (other <= key)
                break;
            var[i] = var[i - 1];
        }
        var[i] = (uint8_t)v;
    }
    return n;
}

/* Cells of table T read at once by the first vector of lanes: the length of the run they start with. */
static double run_length(const struct yk_canon *c, const uint8_t *var, uint32_t n, uint32_t t, uint32_t vl)
{
    const int64_t *stride = yk_canon_stride(c, t);
    double run = 1;
    uint32_t i = 0;
    for (; i < n && run < vl && stride[var[i]] == 0; i++)
        run *= (double)c->domain[var[i]];
    if (run >= vl)
        return vl; /* one cell for all lanes */
    run = 1;
    for (i = 0; i < n && run < vl; i++) {
        if (stride[var[i]] != (int64_t)run)
            break;
        run *= (double)c->domain[var[i]];
    }
    return fmin(run, vl);
}

/* Consecutive cells of table T along the summed variables. */
static double row_run(const struct yk_canon *c, uint32_t t)
{
    const int64_t *stride = yk_canon_stride(c, t);
    double run = 1;
    for (uint32_t v = c->rank; v-- > c->nout;)
        if (stride[v] == (int64_t)run) {
            run *= (double)c->domain[v];
            v = c->rank;
        }
    return run;
}

struct sizes {
    double n[YK_CLASSES + 1];
};

static double cost_of(const struct yk_panel_choice *p, const struct yk_canon *c, const struct sizes *z, uint32_t vl,
                      const struct yk_panel_tile *tile)
{
    uint8_t var[YK_BUCKET_MAX_RANK];
    uint32_t nvar = yk_panel_class_order(c, p->cls, p->lanes, p->order, var);
    double g = z->n[YK_B], i = z->n[YK_M], j = z->n[YK_N], k = z->n[YK_K];
    double blocks_k = ceil(k / 256), repeats = ceil(j / 1024);
    double mr = tile->vmr, nr = tile->vnr;
    if (p->lanes == YK_B)
        g = ceil(g / vl);
    else if (p->lanes == YK_K)
        k = ceil(k / vl);
    else {
        i = ceil(i / vl);
        mr = tile->mr;
        nr = tile->nr;
    }
    mr = fmin(mr, i);
    nr = fmin(nr, j);
    double cost = g * i * j * k * fmax(0.5, (mr + nr) / (2 * mr * nr));
    cost += g * ceil(i / mr) * ceil(j / nr) * blocks_k * 15;
    double pack[2] = {0.5, 0.5};
    bool any = false;
    for (uint32_t t = 0; t < c->nin; t++) {
        int side = p->side[t];
        any |= side == 1;
        /* Runs along summed variables are turned in registers. */
        double turned = row_run(c, t) >= 3 ? 0.4 : 1;
        if (side == 1 && p->lanes == YK_M)
            pack[1] += 1.5 * turned; /* one by one */
        else if (p->lanes == YK_K)
            pack[side] += vl / run_length(c, var, nvar, t, vl);
        else
            pack[side] += fmin(vl / run_length(c, var, nvar, t, vl), turned * vl);
    }
    cost += g * i * k * z->n[YK_QL] * pack[0] * repeats;
    if (any)
        cost += g * j * k * z->n[YK_QR] * pack[1];
    double written = 14;
    if (p->lanes != YK_K) {
        /* Lanes that are no run of the output are turned if columns are. */
        uint8_t col[YK_BUCKET_MAX_RANK];
        const double run = run_length(c, var, nvar, c->nin, vl),
                     across = run_length(c, col, yk_panel_class_order(c, p->cls, YK_N, c->nin, col), c->nin, vl);
        written = 0.5 + fmin(1.2 * vl / run, 4 + 1.2 * vl / across);
    }
    cost += g * i * j * blocks_k * written;
    return cost + 200 + 20 * g;
}

static void classify(struct yk_panel_choice *p, const struct yk_canon *c, const uint64_t *in, uint64_t right,
                     struct sizes *z)
{
    uint64_t all = c->nin == 64 ? ~UINT64_C(0) : (UINT64_C(1) << c->nin) - 1, left = all & ~right;
    for (int k = 0; k <= YK_CLASSES; k++)
        z->n[k] = 1;
    for (uint32_t v = 0; v < c->rank; v++) {
        enum yk_class_id id = class_of(v < c->nout, in[v] & left, in[v] & right);
        if ((id == YK_QL && (!right || z->n[YK_QL] * (double)c->domain[v] > PRESUM_MOST)) ||
            (id == YK_QR && z->n[YK_QR] * (double)c->domain[v] > PRESUM_MOST))
            id = YK_K;
        p->cls[v] = (uint8_t)id;
        z->n[id] *= (double)c->domain[v];
    }
    double largest[2] = {0, 0};
    p->main[0] = p->main[1] = c->nin;
    for (uint32_t t = 0; t < c->nin; t++) {
        int side = p->side[t] = right >> t & 1;
        double cells = 1;
        for (uint32_t v = 0; v < c->rank; v++)
            if (in[v] >> t & 1)
                cells *= (double)c->domain[v];
        if (cells > largest[side]) {
            largest[side] = cells;
            p->main[side] = t;
        }
    }
}

void yk_panel_choose(struct yk_panel_choice *best, const struct yk_canon *c, uint32_t vl,
                     const struct yk_panel_tile *tile)
{
    uint64_t in[YK_BUCKET_MAX_RANK];
    memberships(c, in);
    uint64_t all = c->nin == 64 ? ~UINT64_C(0) : (UINT64_C(1) << c->nin) - 1, right = group(c, in);
    best->cost = INFINITY;
    struct yk_panel_choice p;
    for (int mirrored = 0; mirrored < (right ? 2 : 1); mirrored++) {
        struct sizes z;
        classify(&p, c, in, mirrored ? all & ~right : right, &z);
        static const enum yk_class_id kinds[] = {YK_M, YK_B, YK_K};
        for (int k = 0; k < 3; k++) {
            if (kinds[k] != YK_M && z.n[kinds[k]] < 2)
                continue;
            p.lanes = kinds[k];
            for (int o = 0; o < 3; o++) {
                p.order = o < 2 ? p.main[o] : c->nin;
                if ((o < 2 && p.order == c->nin) || (p.lanes == YK_K && o == 2) || (p.lanes == YK_M && o == 1))
                    continue;
                p.cost = cost_of(&p, c, &z, vl, tile);
                if (p.cost < best->cost)
                    *best = p;
            }
        }
    }
}
