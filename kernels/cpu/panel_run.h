/* Whole runs of cells turned at once, for panel_pack.h and panel_sum.h: where the lanes begin and whether the table
 * ends is looked at once for all of them. Included per value type. */

/* Where the lanes of one machine vector begin: P + OFF[l]; from VALID on the first again. */
static inline __attribute__((always_inline)) void NAME(lanes_from)(const REAL **from, const REAL *p, const int64_t *off,
                                                                   uint32_t valid)
{
#pragma GCC unroll 16
    for (uint32_t l = 0; l < LANES; l++)
        from[l] = p + off[valid == LANES || l < valid ? l : 0];
}

/* Fetch what lies SOON cells behind N cells of each lane. */
static inline void NAME(fetch_lanes)(const REAL *const *from, uint32_t n, int64_t soon)
{
    const uint32_t line = 64 / REAL_BYTES;
    if (from[LANES - 1] - from[0] == (int64_t)(LANES - 1) * n) { /* all one run */
        for (uint32_t x = 0; x < LANES * n; x += line)
            NAME(fetch_soon)(from[0] + x, soon);
        return;
    }
    for (uint32_t l = 0; l < LANES; l++)
        for (uint32_t x = 0; x < n; x += line)
            NAME(fetch_soon)(from[l] + x, soon);
}

/* A run of N cells of each lane, cell x of all to DST + (TO ? TO[x] : x * STEP), times what is there if MORE. Reads
 * whole machine vectors: the caller knows that no lane's table ends before. */
static inline __attribute__((always_inline)) void NAME(turn_run)(REAL *dst, size_t step, const uint32_t *to,
                                                                 const REAL *const *from, uint32_t n, const bool more)
{
    uint32_t x = 0;
    VEC v[LANES_N];
    for (; x + LANES <= n; x += LANES) {
        NAME(turn_whole)(v, from, x);
#pragma GCC unroll 16
        for (uint32_t k = 0; k < LANES; k++) {
            REAL *at = dst + (to ? to[x + k] : (x + k) * step);
            STORE(at, more ? LOAD(at) * v[k] : v[k]);
        }
    }
    if (x == n)
        return;
#define LAST(size)                                                                                                     \
    _Pragma("GCC unroll 16") for (uint32_t k = 0; k < (size); k++) if (k < n - x)                                      \
    {                                                                                                                  \
        REAL *at = dst + (to ? to[x + k] : (x + k) * step);                                                            \
        STORE(at, more ? LOAD(at) * v[k] : v[k]);                                                                      \
    }
    /* Where vectors are long, no more pieces than needed. */
    const uint32_t half = LANES_N / 2, quarter = LANES_N / 4;
    if (LANES_N > 4 && n - x <= quarter) {
        NAME(turn_pieces)(v, from, x, quarter);
        LAST(quarter)
    } else if (LANES_N >= 4 && n - x <= half) {
        NAME(turn_pieces)(v, from, x, half);
        LAST(half)
    } else if (LANES_N > 4 && n - x <= half + quarter) {
        NAME(turn_pieces)(v, from, x, half);
        NAME(turn_pieces)(v + half, from, x + half, quarter);
        LAST(half + quarter)
    } else {
        NAME(turn_whole)(v, from, x);
        LAST(LANES_N)
    }
#undef LAST
}

/* One vector of lanes, N cells of each from P + OFF[l] on, to DST as in NAME(turn_run); false if their table may end
 * before the last machine vector that would be read. */
static inline __attribute__((always_inline)) bool NAME(pack_whole)(REAL *dst, size_t step, const uint32_t *to,
                                                                   const REAL *p, const int64_t *off, uint32_t valid,
                                                                   uint32_t n, const REAL *end, int64_t reach,
                                                                   int64_t soon, const bool more)
{
    if (__builtin_expect(end - p < reach + (int64_t)n + (int64_t)LANES, 0))
        return false;
    for (uint32_t u = 0; u < PARTS; u++) {
        const uint32_t some = valid < (u + 1) * LANES ? (valid > u * LANES ? valid - u * LANES : 0) : LANES;
        const REAL *from[LANES_N];
        if (!some) {
            for (uint32_t x = 0; x < n; x++)
                STORE(dst + (to ? to[x] : x * step) + u * LANES, SPLAT(0));
            continue;
        }
        NAME(lanes_from)(from, p, off + u * LANES, some);
        if (soon)
            NAME(fetch_lanes)(from, n, soon);
        NAME(turn_run)(dst + u * LANES, step, to, from, n, more);
    }
    return true;
}
