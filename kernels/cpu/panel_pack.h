/* Packing of panel_body.h: a block of the product of a group's tables, as DST[row][i][lane]. Included per value type.
 */

/* Where the vectors of one table lie: at p + row[r] + col[i] + lane[r * lane_row + i * lane_col][0 .. VL). */
struct NAME(lattice) {
    const int64_t *row, *col, *lane;
    uint32_t lane_row, lane_col;
    const uint8_t *layout; /* of the lane group; steps as the lanes do */
    const int64_t *reach;  /* the furthest lane of the group; likewise */
    uint32_t layout_row, layout_col;
    uint32_t valid_row, valid_col, valid; /* the group that has only VALID lanes: at that row or column */
    uint32_t row_run, row_left;           /* rows are runs of ROW_RUN cells; of the first run, so many are left */
    const REAL *end;                      /* of the table */
    int64_t soon;                         /* cells to what is packed next; 0: it need not be fetched */
};

/* One vector of a table into *DST, times what is there if MORE. Lanes from VALID on become 0. */
static inline __attribute__((always_inline)) void NAME(put)(REAL *restrict dst, const REAL *restrict p,
                                                            const int64_t *restrict off, uint8_t layout, uint32_t valid,
                                                            const bool more)
{
    if (__builtin_expect(valid < VL, 0)) {
#ifdef LOAD_SOME
        if (layout == YK_LAY_RUN) {
            VEC v = LOAD_SOME(p + off[0], valid);
            STORE(dst, more ? LOAD(dst) * v : v);
            return;
        }
#endif
        for (uint32_t l = 0; l < VL; l++)
            dst[l] = l < valid ? (more ? dst[l] : 1) * p[off[l]] : 0;
        return;
    }
    p += off[0];
    if (layout == YK_LAY_RUN) {
        for (uint32_t l = 0; l < VL; l++)
            dst[l] = more ? dst[l] * p[l] : p[l];
    } else if (layout == YK_LAY_SAME) {
        REAL v = *p;
        for (uint32_t l = 0; l < VL; l++)
            dst[l] = more ? dst[l] * v : v;
    } else if (!more && layout == YK_LAY_RUN4) {
        for (uint32_t l = 0; l < VL; l += 4)
            memcpy(dst + l, p + (off[l] - off[0]), 4 * sizeof *p);
    } else if (!more && layout == YK_LAY_RUN2) {
        for (uint32_t l = 0; l < VL; l += 2)
            memcpy(dst + l, p + (off[l] - off[0]), 2 * sizeof *p);
    } else {
        p -= off[0];
        /* Not stored one by one: what reads the vector would wait for the last of them. */
        for (uint32_t u = 0; u < PARTS; u++, dst += LANES, off += LANES) {
            VEC v = GATHER(p, off);
            STORE(dst, more ? LOAD(dst) * v : v);
        }
    }
}

static inline __attribute__((always_inline)) void NAME(put_vectors)(REAL *dst, size_t dst_row, const VEC *v, uint32_t n,
                                                                    const bool more)
{
    for (uint32_t x = 0; x < n; x++, dst += dst_row)
        STORE(dst, more ? LOAD(dst) * v[x] : v[x]);
}

/* One column of lanes whose cells are runs along the rows. */
static inline __attribute__((always_inline)) void NAME(pack_runs)(REAL *dst, size_t dst_row, const REAL *p,
                                                                  const struct NAME(lattice) * x, const int64_t *off,
                                                                  uint8_t layout, uint32_t valid, int64_t reach,
                                                                  uint32_t rows, const bool more)
{
    uint32_t left = x->row_left;
    if (left >= rows && rows > 1 && !(valid == VL && layout == YK_LAY_STEP + rows) &&
        NAME(pack_whole)(dst, dst_row, NULL, p + x->row[0], off, valid, rows, x->end, reach, x->soon, more))
        return;
    for (uint32_t r = 0; r < rows;) {
        uint32_t n = rows - r < left ? rows - r : left;
        REAL *to = dst + r * dst_row;
        const REAL *from = p + x->row[r];
        VEC v[LANES_N];
        if (valid == VL && n >= 2 && n <= 4 && layout == YK_LAY_STEP + n && LANES_N >= 4) {
            from += off[0];
            if (x->soon)
                for (uint32_t k = 0; k < n * VL; k += 64 / REAL_BYTES)
                    NAME(fetch_soon)(from + k, x->soon);
#define UNZIP(n)                                                                                                       \
    for (uint32_t u = 0; u < PARTS; u++) {                                                                             \
        NAME(unzip)(v, from + u * LANES * n, n);                                                                       \
        NAME(put_vectors)(to + u * LANES, dst_row, v, n, more);                                                        \
    }
            if (n == 2) {
                UNZIP(2)
            } else if (n == 3) {
                UNZIP(3)
            } else {
                UNZIP(4)
            }
#undef UNZIP
        } else if (n == 1) {
            NAME(put)(to, from, off, layout, valid, more);
        } else {
            n = n < LANES ? n : LANES;
#define TURN_IN(size)                                                                                                  \
    for (uint32_t u = 0; u < PARTS; u++) {                                                                             \
        uint32_t some = valid < (u + 1) * LANES ? (valid > u * LANES ? valid - u * LANES : 0) : LANES;                 \
        if (!some) {                                                                                                   \
            for (uint32_t k = 0; k < n; k++)                                                                           \
                STORE(to + k * dst_row + u * LANES, SPLAT(0));                                                         \
            continue;                                                                                                  \
        }                                                                                                              \
        NAME(turn_in)(v, from, off + u * LANES, some, n, x->end, reach, x->soon, size);                                \
        NAME(put_vectors)(to + u * LANES, dst_row, v, n, more);                                                        \
    }
            if (LANES_N > 2 && n <= 2) {
                TURN_IN(2)
            } else if (LANES_N > 4 && n <= 4) {
                TURN_IN(4)
            } else if (LANES_N == 8 && n <= 6) {
                TURN_IN(6)
            } else if (LANES_N > 8 && n <= 8) {
                TURN_IN(8)
            } else if (LANES_N > 8 && n <= 12) {
                TURN_IN(12)
            } else {
                TURN_IN(LANES_N)
            }
#undef TURN_IN
        }
        r += n;
        left = left > n ? left - n : x->row_run;
    }
}

static inline bool NAME(runs_on)(const int64_t *off, uint32_t n, int64_t step)
{
    for (uint32_t i = 1; i < n; i++)
        if (off[i] - off[0] != step * i)
            return false;
    return true;
}

/* Rows and columns that are one run of cells in a table, whatever the lanes are: where each cell of it goes. */
struct NAME(flat) {
    const int64_t *row, *col; /* what was looked at last */
    uint32_t rows, cols;
    uint32_t total; /* cells; 0: they are no run */
    uint32_t to[FLAT_MOST];
};

static void NAME(look_flat)(struct NAME(flat) * f, const int64_t *row, const int64_t *col, uint32_t rows, uint32_t cols)
{
    f->row = row;
    f->col = col;
    f->rows = rows;
    f->cols = cols;
    f->total = 0;
    if (rows * cols < 2 || rows * cols > FLAT_MOST)
        return;
    if (NAME(runs_on)(row, rows, 1) && NAME(runs_on)(col, cols, rows)) {
        for (uint32_t i = 0; i < cols; i++)
            for (uint32_t r = 0; r < rows; r++)
                f->to[f->total++] = (r * cols + i) * VL;
    } else if (NAME(runs_on)(col, cols, 1) && NAME(runs_on)(row, rows, cols))
        for (; f->total < rows * cols; f->total++)
            f->to[f->total] = f->total * VL;
}

/* All of F: P the first cell of its first lane. */
static inline __attribute__((always_inline)) void NAME(pack_flat)(REAL *dst, const REAL *p, const int64_t *off,
                                                                  uint32_t valid, uint8_t layout,
                                                                  const struct NAME(flat) * f, const REAL *end,
                                                                  int64_t reach, int64_t soon, const bool more)
{
    const uint32_t total = f->total;
    const uint32_t *to = f->to;
#define TURN_IN(size)                                                                                                  \
    NAME(turn_in)(v, p + e, off + u * LANES, some, n, end, reach, soon, size);                                         \
    _Pragma("GCC unroll 16") for (uint32_t k = 0; k < (size); k++) if (k < n)                                          \
    {                                                                                                                  \
        REAL *at = dst + to[e + k] + u * LANES;                                                                        \
        STORE(at, more ? LOAD(at) * v[k] : v[k]);                                                                      \
    }
    if (LANES_N >= 4 && valid == VL && total <= 4 && layout == YK_LAY_STEP + total) {
        p += off[0];
        if (soon)
            for (uint32_t k = 0; k < total * VL; k += 64 / REAL_BYTES)
                NAME(fetch_soon)(p + k, soon);
        for (uint32_t u = 0; u < PARTS; u++) {
            VEC v[LANES_N];
            NAME(unzip)(v, p + u * LANES * total, total);
            for (uint32_t k = 0; k < total; k++) {
                REAL *at = dst + to[k] + u * LANES;
                STORE(at, more ? LOAD(at) * v[k] : v[k]);
            }
        }
        return;
    }
    if (NAME(pack_whole)(dst, 0, to, p, off, valid, total, end, reach, soon, more))
        return;
    for (uint32_t e = 0; e < total;) {
        const uint32_t n = total - e < LANES ? total - e : LANES;
        for (uint32_t u = 0; u < PARTS; u++) {
            const uint32_t some = valid < (u + 1) * LANES ? (valid > u * LANES ? valid - u * LANES : 0) : LANES;
            VEC v[LANES_N];
            if (!some) {
                for (uint32_t k = 0; k < n; k++)
                    STORE(dst + to[e + k] + u * LANES, SPLAT(0));
                continue;
            }
            if (LANES_N >= 4 && n <= LANES_N / 2) {
                TURN_IN(LANES_N / 2)
            } else {
                TURN_IN(LANES_N)
            }
        }
        e += n;
    }
#undef TURN_IN
}

static inline __attribute__((always_inline)) void NAME(pack_table)(REAL *dst, const REAL *p,
                                                                   const struct NAME(lattice) * x,
                                                                   struct NAME(flat) * f, uint32_t rows, uint32_t cols,
                                                                   const bool more)
{
    if (x->lane_row) {
        for (uint32_t r = 0; r < rows; r++) {
            const int64_t *off = x->lane + (size_t)r * x->lane_row;
            uint8_t layout = x->layout[r * x->layout_row];
            uint32_t valid = r == x->valid_row ? x->valid : VL;
            for (uint32_t i = 0; i < cols; i++)
                NAME(put)(dst + ((size_t)r * cols + i) * VL, p + x->col[i], off, layout, valid, more);
        }
        return;
    }
    if (!x->lane_col && x->layout[0] != YK_LAY_RUN && x->layout[0] != YK_LAY_SAME) {
        if (f->row != x->row || f->col != x->col || f->rows != rows || f->cols != cols)
            NAME(look_flat)(f, x->row, x->col, rows, cols);
        if (f->total) {
            NAME(pack_flat)
            (dst, p + x->row[0] + x->col[0], x->lane, x->valid_col == 0 ? x->valid : VL, x->layout[0], f, x->end,
             x->reach[0], x->soon, more);
            return;
        }
    }
    /* The lanes of a column are the same in all rows. */
    for (uint32_t i = 0; i < cols; i++) {
        const int64_t *off = x->lane + (size_t)i * x->lane_col;
        uint8_t layout = x->layout[i * x->layout_col];
        uint32_t valid = i == x->valid_col || !x->lane_col ? x->valid : VL;
        if (layout != YK_LAY_RUN && layout != YK_LAY_SAME && x->row_run > 1) {
            NAME(pack_runs)
            (dst + (size_t)i * VL, (size_t)cols * VL, p + x->col[i], x, off, layout, valid, x->reach[i * x->layout_col],
             rows, more);
            continue;
        }
        if (x->soon && layout == YK_LAY_RUN)
            for (uint32_t r = 0; r < rows; r++)
                NAME(fetch_soon)(p + x->row[r] + x->col[i] + off[0], x->soon);
        for (uint32_t r = 0; r < rows; r++)
            NAME(put)(dst + ((size_t)r * cols + i) * VL, p + x->row[r] + x->col[i], off, layout, valid, more);
    }
}

/* DST[row][col] = p[row[r] + col[j]], times what is there if MORE: R where the lanes run along M. */
static inline __attribute__((always_inline)) void NAME(pack_scalars)(REAL *dst, const REAL *p, const int64_t *row,
                                                                     const int64_t *col, uint32_t rows, uint32_t cols,
                                                                     const bool more)
{
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t j = 0; j < cols; j++) {
            REAL v = p[row[r] + col[j]];
            dst[(size_t)r * cols + j] = more ? dst[(size_t)r * cols + j] * v : v;
        }
}

#ifdef STORE_SOME
/* The same where rows are runs: turned. OFF: of the columns, the first repeated up to LANES. */
static inline __attribute__((always_inline)) void NAME(pack_narrow)(REAL *dst, const REAL *p,
                                                                    const struct NAME(lattice) * x, const int64_t *off,
                                                                    int64_t reach, uint32_t rows, uint32_t cols,
                                                                    const bool more)
{
    uint32_t left = x->row_left;
    for (uint32_t r = 0; r < rows;) {
        uint32_t n = rows - r < left ? rows - r : left;
        n = n < 8 ? n : 8;
        VEC v[LANES_N];
#define TURN_IN(size)                                                                                                  \
    NAME(turn_in)(v, p + x->row[r], off, LANES, n, x->end, reach, x->soon, size);                                      \
    _Pragma("GCC unroll 8") for (uint32_t k = 0; k < (size); k++) if (k < n)                                           \
    {                                                                                                                  \
        REAL *to = dst + (size_t)(r + k) * cols;                                                                       \
        STORE_SOME(to, more ? LOAD_SOME(to, cols) * v[k] : v[k], cols);                                                \
    }
        if (n <= 2) {
            TURN_IN(2)
        } else if (n <= 4) {
            TURN_IN(4)
        } else {
            TURN_IN(8)
        }
#undef TURN_IN
        r += n;
        left = left > n ? left - n : x->row_run;
    }
}
#endif
