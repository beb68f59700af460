/* Blocks of buckets that are mostly one large table, read once: it is swept in its own order. */
#include "kernels/cpu/panel_sweep.h"

/* Tables that a second-level cache holds need no sweep; nor do those whose cells are used more often than this. Bytes
 * of a block: what is fetched ahead (AHEAD in panel_isa.h) then arrives while the block before is multiplied. */
static const double FAR_CELLS = 128 << 10, FEW_USES = 16, BLOCK_BYTES = 24 << 10, OWN_MOST = 128;
enum { LANE_VECTORS = 3 };

static uint32_t by_stride(const struct yk_canon *c, uint32_t table, const uint8_t *cls, uint8_t *var)
{
    const int64_t *stride = yk_canon_stride(c, table);
    uint32_t n = 0;
    for (uint32_t v = 0; v < c->rank; v++) {
        if (!stride[v] || cls[v] > YK_N)
            continue;
        uint32_t i = n++;
        for (; i > 0 && stride[var[i - 1]] > stride[v]; i--)
            var[i] = var[i - 1];
        var[i] = (uint8_t)v;
    }
    return n;
}

bool yk_panel_sweep(const struct yk_panel_choice *p, const struct yk_canon *c, uint32_t vl, const double *total,
                    struct yk_panel_caps *cap, uint32_t *table)
{
    double cells[2] = {0, 0}, out = 1;
    for (uint32_t v = 0; v < c->nout; v++)
        out *= (double)c->domain[v];
    for (int side = 0; side < 2; side++)
        if (p->main[side] < c->nin) {
            cells[side] = 1;
            for (uint32_t v = 0; v < c->rank; v++)
                if (yk_canon_stride(c, p->main[side])[v])
                    cells[side] *= (double)c->domain[v];
        }
    const int side = cells[1] > cells[0];
    const enum yk_class_id own = side ? YK_N : YK_M, other = side ? YK_M : YK_N;
    double *states[] = {[YK_B] = &cap->b, [YK_M] = &cap->m, [YK_N] = &cap->n};
    if (p->lanes == YK_K || cells[side] < FAR_CELLS || cells[side] < out || total[other] > FEW_USES ||
        *states[other] < total[other] || cap->k < total[YK_K])
        return false;
    *table = p->main[side];
    uint8_t var[YK_BUCKET_MAX_RANK];
    const uint32_t n = by_stride(c, *table, p->cls, var);
    const double most_cells = BLOCK_BYTES / (64.0 / vl); /* a vector has 64 bytes */
    double block = 1, most[YK_CLASSES] = {1, 1, 1, 1, 1, 1};
    for (uint32_t v = 0; v < c->rank; v++)
        if (p->cls[v] > YK_N && yk_canon_stride(c, *table)[v])
            block *= (double)c->domain[v];
    for (uint32_t i = 0; i < n; i++) {
        double d = (double)c->domain[var[i]];
        if (block * d > most_cells) {
            d = most_cells / block;
            most[p->cls[var[i]]] *= d >= 2 ? (double)(uint64_t)d : 1;
            break;
        }
        block *= d;
        most[p->cls[var[i]]] *= d;
    }
    /* The other side's panels are packed for each block: let that be little beside this one's. */
    if (most[own] < 4 * total[other])
        most[own] = total[own] <= OWN_MOST ? total[own] : 4 * total[other];
    if (most[p->lanes] < LANE_VECTORS * vl)
        most[p->lanes] = LANE_VECTORS * vl;
    for (int k = YK_B; k <= YK_N; k++)
        if (k != (int)other)
            *states[k] = most[k] < total[k] ? most[k] : total[k];
    return true;
}

void yk_panel_sweep_order(struct yk_panel_shape *s, uint32_t table)
{
    const int64_t *stride = yk_canon_stride(s->c, table);
    s->nloops = 0;
    for (int k = YK_B; k <= YK_N; k++) {
        uint64_t weight = 1;
        for (uint32_t i = s->cls[k].nloops; i-- > 0;) {
            struct yk_panel_loop l = {(uint8_t)k, s->cls[k].var[i], s->cls[k].extent[i], weight};
            uint32_t at = s->nloops++;
            weight *= l.extent;
            for (; at > 0 && stride[s->loop[at - 1].var] < stride[l.var]; at--)
                s->loop[at] = s->loop[at - 1];
            s->loop[at] = l;
        }
    }
}
