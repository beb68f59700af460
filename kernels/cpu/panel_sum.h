/* Packing of panel_body.h where a side is one table that is also summed over variables of its own, and those and K are
 * one run of cells: each cell is read once, turned in registers, and added to its row. Included per value type. */

/* The sums of one machine vector, BY cells apart from TO on, where K is the fast part of the run of N cells, or the
 * slow one. Reads up to a machine vector behind the run. */
static inline __attribute__((always_inline)) void NAME(sum_fast)(REAL *to, size_t by, uint32_t rows,
                                                                 const REAL *const *from, uint32_t n)
{
    for (uint32_t k = 0; k < rows; k += LANES) {
        const uint32_t some = rows - k < LANES ? rows - k : LANES;
        VEC acc[LANES_N], v[LANES_N];
#pragma GCC unroll 16
        for (uint32_t x = 0; x < LANES; x++)
            acc[x] = SPLAT(0);
        if (LANES_N >= 4 && some <= LANES_N / 2) {
            for (uint32_t e = k; e < n; e += rows) {
                NAME(turn_pieces)(v, from, e, LANES_N >= 4 ? LANES_N / 2 : 2);
#pragma GCC unroll 16
                for (uint32_t x = 0; x < LANES_N / 2; x++)
                    acc[x] += v[x];
            }
        } else
            for (uint32_t e = k; e < n; e += rows) {
                NAME(turn_whole)(v, from, e);
#pragma GCC unroll 16
                for (uint32_t x = 0; x < LANES; x++)
                    acc[x] += v[x];
            }
#pragma GCC unroll 16
        for (uint32_t x = 0; x < LANES; x++)
            if (x < some)
                STORE(to + (k + x) * by, acc[x]);
    }
}

static inline __attribute__((always_inline)) void NAME(sum_slow)(REAL *to, size_t by, uint32_t rows,
                                                                 const REAL *const *from, uint32_t n)
{
    const uint32_t each = n / rows;
    for (uint32_t k = 0, e = 0; k < rows; k++) {
        VEC acc = SPLAT(0), v[LANES_N];
        const uint32_t to_cell = e + each;
        for (; e + LANES <= to_cell; e += LANES) {
            NAME(turn_whole)(v, from, e);
#pragma GCC unroll 16
            for (uint32_t x = 1; x < LANES; x++)
                v[0] += v[x];
            acc += v[0];
        }
        const uint32_t left = to_cell - e;
        if (LANES_N >= 4 && left && left <= LANES_N / 2) {
            NAME(turn_pieces)(v, from, e, LANES_N >= 4 ? LANES_N / 2 : 2);
#pragma GCC unroll 16
            for (uint32_t x = 0; x < LANES_N / 2; x++)
                if (x < left)
                    acc += v[x];
        } else if (left) {
            NAME(turn_whole)(v, from, e);
#pragma GCC unroll 16
            for (uint32_t x = 0; x < LANES; x++)
                if (x < left)
                    acc += v[x];
        }
        e = to_cell;
        STORE(to + k * by, acc);
    }
}

/* One vector of lanes, all rows: the run from P + OFF[l] on of every lane l, N cells, cell x added to row ROW[x] of
 * DST, rows STEP cells apart. Only the first VALID lanes are there; KEEP cells of each row are written. */
static inline __attribute__((always_inline)) void NAME(sum_runs)(REAL *dst, size_t step, uint32_t keep, uint32_t rows,
                                                                 const REAL *p, const int64_t *off, uint32_t valid,
                                                                 const uint16_t *row, uint32_t n, const REAL *end,
                                                                 int64_t soon, enum yk_joint order)
{
    REAL sum[ROWS_SUMMED * VL] __attribute__((aligned(64)));
    REAL *to = keep == VL ? dst : sum;
    const int64_t reach = NAME(reach)(off, valid);
    const size_t by = keep == VL ? step : VL;
    const bool whole = order != YK_JOINT_ANY && end - p >= reach + (int64_t)n + (int64_t)LANES;
    if (!whole || valid <= VL - LANES)
        for (uint32_t k = 0; k < rows; k++)
            for (uint32_t u = 0; u < PARTS; u++)
                STORE(to + k * by + u * LANES, SPLAT(0));
    for (uint32_t u = 0; u < PARTS; u++) {
        const uint32_t some = valid < (u + 1) * LANES ? (valid > u * LANES ? valid - u * LANES : 0) : LANES;
        if (!some)
            break;
        if (whole) {
            const REAL *from[LANES_N];
            NAME(lanes_from)(from, p, off + u * LANES, some);
            if (soon)
                NAME(fetch_lanes)(from, n, soon);
            if (order == YK_JOINT_K_FAST)
                NAME(sum_fast)(to + u * LANES, by, rows, from, n);
            else
                NAME(sum_slow)(to + u * LANES, by, rows, from, n);
            continue;
        }
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
                (dst, now, now, n.rows, from, col + i, now, s->joint_row[side], run, w->end[t], w->soon[t],
                 s->joint_order[side]);
                dst += (size_t)n.rows * now;
                continue;
            }
            for (uint32_t j = 0; j < now; j++) {
                const bool b = s->lanes == YK_B;
                const int64_t *lane = b ? group + (size_t)g * VL : col + (size_t)(i + j) * VL;
                const uint32_t left = b ? w->n[YK_B] - g * VL : w->n[own] - (i + j) * VL;
                NAME(sum_runs)
                (dst + (size_t)j * VL, (size_t)now * VL, VL, n.rows, from + (b ? col[i + j] : 0), lane,
                 left < VL ? left : VL, s->joint_row[side], run, w->end[t], w->soon[t], s->joint_order[side]);
            }
            dst += (size_t)n.rows * now * VL;
        }
    }
}
