/* Packing of panel_body.h where a side is one table that is also summed over variables of its own, and those and K are
 * one run of cells: each cell is read once, turned in registers, and added to its row. Included per value type. */

/* One vector of lanes, all rows: the run from P + OFF[l] on of every lane l, N cells, cell x added to row ROW[x] of
 * DST, rows STEP cells apart. Only the first VALID lanes are there; KEEP cells of each row are written. */
static inline __attribute__((always_inline)) void NAME(sum_runs)(REAL *dst, size_t step, uint32_t keep, uint32_t rows,
                                                                 const REAL *p, const int64_t *off, uint32_t valid,
                                                                 const uint16_t *row, uint32_t n, const REAL *end,
                                                                 int64_t soon)
{
    REAL sum[ROWS_SUMMED * VL] __attribute__((aligned(64)));
    REAL *to = keep == VL ? dst : sum;
    const int64_t reach = NAME(reach)(off, valid);
    const size_t by = keep == VL ? step : VL;
    for (uint32_t k = 0; k < rows; k++)
        for (uint32_t u = 0; u < PARTS; u++)
            STORE(to + k * by + u * LANES, SPLAT(0));
    for (uint32_t u = 0; u < PARTS; u++) {
        const uint32_t some = valid < (u + 1) * LANES ? (valid > u * LANES ? valid - u * LANES : 0) : LANES;
        if (!some)
            break;
        VEC acc = SPLAT(0);
        uint32_t now = row[0];
        for (uint32_t x = 0; x < n; x += LANES) {
            const uint32_t m = n - x < LANES ? n - x : LANES;
            VEC v[LANES_N];
            NAME(turn_in)(v, p + x, off + u * LANES, some, m, end, reach, soon, LANES_N);
            for (uint32_t y = 0; y < m; y++) {
                if (row[x + y] != now) {
                    REAL *at = to + now * by + u * LANES;
                    STORE(at, LOAD(at) + acc);
                    acc = SPLAT(0);
                    now = row[x + y];
                }
                acc += v[y];
            }
        }
        REAL *at = to + now * by + u * LANES;
        STORE(at, LOAD(at) + acc);
    }
    for (uint32_t k = 0; keep < VL && k < rows; k++)
        memcpy(dst + k * step, sum + (size_t)k * VL, keep * sizeof *dst);
    /* lanes that are not there are 0 */
    for (uint32_t k = 0; keep == VL && valid % LANES && k < rows; k++)
        for (uint32_t l = valid; l < VL; l++)
            dst[k * step + l] = 0;
}

static void NAME(pack_summed)(struct NAME(work) * w, int side)
{
    const struct yk_panel_shape *s = w->s;
    const enum yk_class_id own = side ? YK_N : YK_M;
    const uint32_t t = s->group[side][0], most = side ? s->nr : s->mr, run = s->joint[side];
    const struct NAME(counts) n = NAME(count)(w);
    const uint32_t cols = side ? n.j : n.i;
    const int64_t *group = NAME(off)(w, YK_B, t), *col = NAME(off)(w, own, t);
    const bool scalars = side && s->lanes == YK_M;
    for (uint32_t g = 0; g < n.groups; g++) {
        const REAL *from = w->at[t] + (s->lanes == YK_B ? 0 : group[g]);
        REAL *dst = side ? w->b + g * w->b_step : w->a + g * w->a_step;
        for (uint32_t i = 0; i < cols; i += most) {
            const uint32_t now = cols - i < most ? cols - i : most;
            if (scalars) {
                NAME(sum_runs)
                (dst, now, now, n.rows, from, col + i, now, s->joint_row[side], run, w->end[t], w->soon[t]);
                dst += (size_t)n.rows * now;
                continue;
            }
            for (uint32_t j = 0; j < now; j++) {
                const bool b = s->lanes == YK_B;
                const int64_t *lane = b ? group + (size_t)g * VL : col + (size_t)(i + j) * VL;
                const uint32_t left = b ? w->n[YK_B] - g * VL : w->n[own] - (i + j) * VL;
                NAME(sum_runs)
                (dst + (size_t)j * VL, (size_t)now * VL, VL, n.rows, from + (b ? col[i + j] : 0), lane,
                 left < VL ? left : VL, s->joint_row[side], run, w->end[t], w->soon[t]);
            }
            dst += (size_t)n.rows * now * VL;
        }
    }
}
