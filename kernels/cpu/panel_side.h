/* Packing one side of the present block of panel_body.h: all tables of the side, or its sums, as panels. Included per
 * value type. */

/* A part of one side's panels: groups of B, columns (vectors where the lanes are the side's), rows. */
struct NAME(part) {
    uint32_t g0, g1, i0, i1, r0, rows;
    int64_t presum; /* state of the side's own summed variables */
    REAL *dst;      /* of group g0, column i0, row r0 */
    size_t dst_group, dst_col;
};

/* Table T over the part P, times what is there if MORE. */
static inline __attribute__((always_inline)) void NAME(pack_part)(struct NAME(work) * w, int side, uint32_t t,
                                                                  const struct NAME(part) * p, const bool more)
{
    const struct yk_panel_shape *s = w->s;
    enum yk_class_id own = side ? YK_N : YK_M;
    uint32_t most = side ? s->nr : s->mr;
    const uint8_t *layout = s->layout + (size_t)t * s->lane_groups;
    const int64_t *group = NAME(off)(w, YK_B, t), *row = NAME(off)(w, YK_K, t), *col = NAME(off)(w, own, t);
    const REAL *start = w->at[t] + NAME(off)(w, side ? YK_QR : YK_QL, t)[p->presum];
    struct NAME(lattice) l = {.row = row + p->r0, .col = NAME(zeros), .end = w->end[t]};
    const int64_t *reach = s->reach + (size_t)t * s->lane_groups;
    l.reach = reach;
    l.soon = w->soon[t];
    l.row_run = s->run[t];
    l.row_left = l.row_run - p->r0 % l.row_run;
    struct NAME(flat) *flat = w->flat[t % FLAT_TABLES];
    uint32_t ahead = AHEAD_BYTES / (w->n[YK_K] * VL * (uint32_t)sizeof(REAL));
    ahead = ahead < 1 ? 1 : ahead > 16 ? 16 : ahead;
    if (s->lanes == YK_M) {
        l.lane_col = VL;
        l.layout_col = 1;
    } else if (s->lanes == YK_K) {
        l.row = NAME(zeros);
        l.lane = row + (size_t)p->r0 * VL;
        l.lane_row = VL;
        l.layout = layout + p->r0;
        l.layout_row = 1;
        l.valid_row = (p->r0 + p->rows) * VL > w->n[YK_K] ? p->rows - 1 : UINT32_MAX;
        l.valid = w->n[YK_K] % VL;
    }
    for (uint32_t g = p->g0; g < p->g1; g++) {
        const REAL *from = start;
        if (s->lanes == YK_B) {
            l.lane = group + (size_t)g * VL;
            l.layout = layout + g;
            l.reach = reach + g;
            l.valid = (g + 1) * VL > w->n[YK_B] ? w->n[YK_B] % VL : VL;
            l.valid_col = 0;
        } else
            from += group[g];
        for (uint32_t i = p->i0; i < p->i1; i += most) {
            uint32_t cols = p->i1 - i < most ? p->i1 - i : most;
            REAL *dst = p->dst + (g - p->g0) * p->dst_group + (i - p->i0) * p->dst_col;
            if (s->lanes == YK_M && side) {
                uint32_t soon = i + cols * ahead + cols <= w->n[own] ? cols * ahead : 0;
                if (cols == VL && l.row_run >= 3) {
                    /* a column of values for each row: as if the lanes ran along N */
                    NAME(pack_runs)
                    (dst, VL, from, &l, col + i, YK_LAY_ANY, VL, NAME(reach)(col + i, VL), p->rows, more);
                    continue;
                }
#ifdef STORE_SOME
                if (cols > 1 && l.row_run > 1) {
                    int64_t wide[VL];
                    for (uint32_t j = 0; j < VL; j++)
                        wide[j] = col[i + (j < cols ? j : 0)];
                    NAME(pack_narrow)(dst, from, &l, wide, NAME(reach)(wide, cols), p->rows, cols, more);
                    continue;
                }
#endif
                for (uint32_t j = 0; soon && j < cols; j++)
                    for (uint32_t r = 0; r < p->rows; r += 64 / sizeof(REAL))
                        __builtin_prefetch(from + l.row[r] + col[i + soon + j]);
                NAME(pack_scalars)(dst, from, l.row, col + i, p->rows, cols, more);
                continue;
            }
            if (s->lanes == YK_M) {
                l.lane = col + (size_t)i * VL;
                l.layout = layout + i;
                l.reach = reach + i;
                l.valid_col = (i + cols) * VL > w->n[own] ? cols - 1 : UINT32_MAX;
                l.valid = w->n[own] % VL;
            } else
                l.col = col + i;
            NAME(pack_table)(dst, from, &l, &flat[i / most % FLATS], p->rows, cols, more);
        }
    }
}

static void NAME(pack_tables)(struct NAME(work) * w, int side, const struct NAME(part) * p)
{
    const struct yk_panel_shape *s = w->s;
    NAME(pack_part)(w, side, s->group[side][0], p, false);
    for (uint32_t x = 1; x < s->ngroup[side]; x++)
        NAME(pack_part)(w, side, s->group[side][x], p, true);
}

/* All panels of SIDE for the present block. Where several tables are multiplied, or presummed, they go part by part, so
 * that the part is in the first-level cache when the next table comes. */
static void NAME(pack)(struct NAME(work) * w, int side)
{
    const struct yk_panel_shape *s = w->s;
    enum yk_class_id own = side ? YK_N : YK_M;
    if (!s->ngroup[side])
        return; /* ones, since the beginning */
    for (uint32_t x = 0; x < s->ngroup[side]; x++) {
        uint32_t t = s->group[side][x];
        w->at[t] = w->in[s->c->input[t]] + w->base[YK_B][t] + w->base[YK_K][t] + w->base[own][t];
    }
    if (s->joint[side] && s->lanes != YK_K) {
        NAME(pack_summed)(w, side);
        return;
    }
    struct NAME(counts) n = NAME(count)(w);
    uint32_t cols = side ? n.j : n.i, most = side ? s->nr : s->mr, nq = s->cls[side ? YK_QR : YK_QL].n;
    size_t wide = side && s->lanes == YK_M ? 1 : VL, step = side ? w->b_step : w->a_step;
    REAL *buffer = side ? w->b : w->a;
    struct NAME(part) p = {.dst_group = step, .dst_col = (size_t)n.rows * wide};
    uint32_t groups = n.groups, width = cols, rows = n.rows;
    if (nq > 1 || s->ngroup[side] > 1) {
        groups = (uint32_t)(PART / step);
        if (!groups) {
            groups = 1;
            width = (uint32_t)(PART / (n.rows * wide)) / most * most;
            if (!width) {
                width = most;
                rows = ROWS;
            }
        }
    }
    for (p.g0 = 0; p.g0 < n.groups; p.g0 = p.g1) {
        p.g1 = n.groups - p.g0 < groups ? n.groups : p.g0 + groups;
        for (p.i0 = 0; p.i0 < cols; p.i0 = p.i1) {
            p.i1 = cols - p.i0 < width ? cols : p.i0 + width;
            for (p.r0 = 0; p.r0 < n.rows; p.r0 += p.rows) {
                p.rows = n.rows - p.r0 < rows ? n.rows - p.r0 : rows;
                REAL *to = buffer + p.g0 * step + p.i0 * p.dst_col + (size_t)p.r0 * (p.i1 - p.i0) * wide;
                p.dst = to;
                p.presum = 0;
                NAME(pack_tables)(w, side, &p);
                size_t cells = p.g1 - p.g0 > 1 ? (p.g1 - p.g0) * step : (size_t)(p.i1 - p.i0) * p.rows * wide;
                for (uint32_t q = 1; q < nq; q++) {
                    p.dst = w->part;
                    p.presum = q;
                    NAME(pack_tables)(w, side, &p);
                    for (size_t i = 0; i < cells; i++)
                        to[i] += w->part[i];
                }
            }
        }
    }
}
