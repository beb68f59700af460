/* The way back of panel_turn.h, with its macros: lanes to rows, whose cells are then written side by side. Included by
 * it, per value type. */

#if LANES_N >= 4
/* N (5 to LANES_N) vectors of VL lanes, STEP cells apart at V, to runs of N cells at C + OFF[lane], VALID lanes. */
static inline void NAME(put_wide)(REAL *c, const int64_t *off, const REAL *v, size_t step, const uint32_t n,
                                  uint32_t valid)
{
    for (uint32_t u = 0; u < PARTS && u * LANES < valid; u++) {
        const uint32_t some = valid - u * LANES < LANES ? valid - u * LANES : LANES;
        VEC t[LANES_N];
#pragma GCC unroll 16
        for (uint32_t x = 0; x < LANES; x++)
            t[x] = LOAD(v + u * LANES + (x < n ? x : 0) * step);
        NAME(turn)(t);
        if (n == LANES && some == LANES) {
#pragma GCC unroll 16
            for (uint32_t l = 0; l < LANES; l++)
                STORE(c + off[u * LANES + l], t[l]);
            continue;
        }
#pragma GCC unroll 16
        for (uint32_t l = 0; l < LANES; l++)
            if (l < some) {
#ifdef STORE_SOME
                STORE_SOME(c + off[u * LANES + l], t[l], n);
#elif LANES_N == 8
                /* two halves that overlap */
                REAL cells[LANES_N], *at = c + off[u * LANES + l];
                STORE(cells, t[l]);
                memcpy(at, cells, 4 * sizeof *c);
                memcpy(at + n - 4, cells + n - 4, 4 * sizeof *c);
#else
                memcpy(c + off[u * LANES + l], &t[l], n * sizeof *c);
#endif
            }
    }
}

#ifdef STORE_SOME
/* Bit l: lane l, below VALID, is not STEP cells behind the one before. */
static inline uint32_t NAME(starts)(const int64_t *off, int64_t step, uint32_t valid)
{
    uint32_t follows = 0;
    for (uint32_t u = 0; u < VL; u += 8) {
        const __mmask8 more = u + 8 < VL ? 0xff : 0x7f;
        const __m512i gap = _mm512_sub_epi64(_mm512_maskz_loadu_epi64(more, off + u + 1), _mm512_loadu_si512(off + u));
        follows |= (uint32_t)_mm512_mask_cmpeq_epi64_mask(more, gap, _mm512_set1_epi64(step)) << (u + 1);
    }
    return ~follows & ((1u << valid) - 1);
}

/* N vectors that are runs of N cells of each lane by turns, VALID lanes: the lanes in a few runs that begin at STARTS.
 */
static inline __attribute__((always_inline)) void NAME(put_braided)(REAL *c, const int64_t *off, const VEC *t,
                                                                    const uint32_t n, uint32_t starts, uint32_t valid)
{
    while (starts) {
        const uint32_t lane = (uint32_t)__builtin_ctz(starts), low = lane * n;
        starts &= starts - 1;
        const uint32_t high = (starts ? (uint32_t)__builtin_ctz(starts) : valid) * n;
        REAL *at = c + (off[lane] - (int64_t)low);
#pragma GCC unroll 4
        for (uint32_t x = 0; x < n; x++) {
            const uint32_t from = x * LANES < low ? low - x * LANES : 0,
                           to = high < (x + 1) * LANES ? (high > x * LANES ? high - x * LANES : 0) : LANES;
            if (from < to)
                STORE_MASK(at + x * LANES, t[x], (1u << to) - (1u << from));
        }
    }
}
#endif

#if VECTOR_BYTES == 32
/* As NAME(put_runs), one vector of the machine whose lanes are all there and no run of each other: the halves go to the
 * output as they are. */
static inline __attribute__((always_inline)) void NAME(put_halves)(REAL *c, const int64_t *off, const REAL *v,
                                                                   size_t step, const uint32_t n)
{
    VEC a = LOAD(v), b = LOAD(v + step), d = n > 2 ? LOAD(v + 2 * step) : b, e = n > 3 ? LOAD(v + 3 * step) : d;
#if LANES_N == 4
    VEC ab[2] = {PICK(a, b, ZIP2_LO), PICK(a, b, ZIP2_HI)}, de[2] = {PICK(d, e, ZIP2_LO), PICK(d, e, ZIP2_HI)};
#pragma GCC unroll 4
    for (uint32_t l = 0; l < 4; l++) {
        const __m256d x = (__m256d)ab[l & 1], y = (__m256d)de[l & 1];
        REAL *at = c + off[l];
        if (n == 4)
            STORE(at, l < 2 ? PICK(ab[l & 1], de[l & 1], 0, 1, 4, 5) : PICK(ab[l & 1], de[l & 1], 2, 3, 6, 7));
        else
            _mm_storeu_pd(at, l < 2 ? _mm256_castpd256_pd128(x) : _mm256_extractf128_pd(x, 1));
        if (n == 3)
            _mm_store_sd(at + 2, l < 2 ? _mm256_castpd256_pd128(y) : _mm256_extractf128_pd(y, 1));
    }
#else
    VEC ab[2] = {PICK(a, b, ZIP4_LO), PICK(a, b, ZIP4_HI)}, de[2] = {PICK(d, e, ZIP4_LO), PICK(d, e, ZIP4_HI)};
#pragma GCC unroll 4
    for (uint32_t l = 0; l < 4; l++) { /* lanes l and l + 4 */
        const __m256d x = (__m256d)ab[l >> 1], y = (__m256d)de[l >> 1];
        const __m256d xy = l & 1 ? _mm256_unpackhi_pd(x, y) : _mm256_unpacklo_pd(x, y);
        const __m128 h[2] = {_mm256_castps256_ps128((__m256)xy), _mm256_extractf128_ps((__m256)xy, 1)};
#pragma GCC unroll 2
        for (uint32_t u = 0; u < 2; u++) {
            REAL *at = c + off[l + 4 * u];
            if (n == 4)
                _mm_storeu_ps(at, h[u]);
            else
                _mm_storel_pi((__m64 *)(void *)at, h[u]);
            if (n == 3)
                _mm_store_ss(at + 2, _mm_movehl_ps(h[u], h[u]));
        }
    }
#endif
}
#endif

/* N (2 to 4) vectors of VL lanes, STEP cells apart at V, to runs of N cells at C + OFF[lane], VALID lanes. FLAT: all
 * runs are one. */
static inline void NAME(put_runs)(REAL *c, const int64_t *off, const REAL *v, size_t step, const uint32_t n,
                                  uint32_t valid, bool flat)
{
    REAL turned[4 * VL] __attribute__((aligned(64)));
#ifdef STORE_SOME
    if (!flat) {
        const uint32_t starts = NAME(starts)(off, n, valid);
        if ((uint32_t)__builtin_popcount(starts) * 2 <= valid) {
            VEC a = LOAD(v), b = LOAD(v + step);
            if (n == 2) {
                const VEC t[] = {PICK(a, b, ZIP_LO), PICK(a, b, ZIP_HI)};
                NAME(put_braided)(c, off, t, 2, starts, valid);
            } else if (n == 3) {
                const VEC d = LOAD(v + 2 * step),
                          t[] = {PICK(PICK(a, b, BRAID_0A), d, BRAID_0B), PICK(PICK(a, b, BRAID_1A), d, BRAID_1B),
                                 PICK(PICK(a, b, BRAID_2A), d, BRAID_2B)};
                NAME(put_braided)(c, off, t, 3, starts, valid);
            } else {
                const VEC d = LOAD(v + 2 * step), e = LOAD(v + 3 * step);
                const VEC ad = PICK(a, d, ZIP_LO), be = PICK(b, e, ZIP_LO), da = PICK(a, d, ZIP_HI),
                          eb = PICK(b, e, ZIP_HI);
                const VEC t[] = {PICK(ad, be, ZIP_LO), PICK(ad, be, ZIP_HI), PICK(da, eb, ZIP_LO),
                                 PICK(da, eb, ZIP_HI)};
                NAME(put_braided)(c, off, t, 4, starts, valid);
            }
            return;
        }
    }
#endif
#if VECTOR_BYTES == 32
    if (!flat) {
        uint32_t u = 0;
        for (; u + LANES <= valid; u += LANES)
            if (n == 2)
                NAME(put_halves)(c, off + u, v + u, step, 2);
            else if (n == 3)
                NAME(put_halves)(c, off + u, v + u, step, 3);
            else
                NAME(put_halves)(c, off + u, v + u, step, 4);
        for (; u < valid; u++)
            for (uint32_t x = 0; x < n; x++)
                c[off[u] + x] = v[x * step + u];
        return;
    }
#endif
    if (n == 2) {
        for (uint32_t u = 0; u < PARTS; u++) {
            VEC a = LOAD(v + u * LANES), b = LOAD(v + u * LANES + step);
            VEC lo, hi;
            NAME(zip)(a, b, &lo, &hi);
            STORE(turned + u * 2 * LANES, lo);
            STORE(turned + u * 2 * LANES + LANES, hi);
        }
        if (flat)
            memcpy(c + off[0], turned, 2 * VL * sizeof *c);
        else
            for (uint32_t l = 0; l < valid; l++)
                memcpy(c + off[l], turned + 2 * l, 2 * sizeof *c);
        return;
    }
    if (n == 3 && flat) {
        for (uint32_t u = 0; u < PARTS; u++) {
            const REAL *p = v + u * LANES;
            REAL *to = c + off[0] + u * 3 * LANES;
            VEC a = LOAD(p), b = LOAD(p + step), d = LOAD(p + 2 * step);
            STORE(to, PICK(PICK(a, b, BRAID_0A), d, BRAID_0B));
            STORE(to + LANES, PICK(PICK(a, b, BRAID_1A), d, BRAID_1B));
            STORE(to + 2 * LANES, PICK(PICK(a, b, BRAID_2A), d, BRAID_2B));
        }
        return;
    }
    for (uint32_t u = 0; u < PARTS; u++) {
        const REAL *p = v + u * LANES;
        VEC a = LOAD(p), b = LOAD(p + step), d = LOAD(p + 2 * step), e = n == 4 ? LOAD(p + 3 * step) : d;
        VEC ad[2], be[2], t[4];
        NAME(zip)(a, d, &ad[0], &ad[1]);
        NAME(zip)(b, e, &be[0], &be[1]);
        NAME(zip)(ad[0], be[0], &t[0], &t[1]);
        NAME(zip)(ad[1], be[1], &t[2], &t[3]);
        REAL *to = turned + u * 4 * LANES;
#pragma GCC unroll 4
        for (uint32_t x = 0; x < 4; x++)
            STORE(to + x * LANES, t[x]);
    }
    if (n == 4 && flat)
        memcpy(c + off[0], turned, 4 * VL * sizeof *c);
    else if (n == 4)
        for (uint32_t l = 0; l < valid; l++)
            memcpy(c + off[l], turned + 4 * l, 4 * sizeof *c);
    else
        for (uint32_t l = 0; l < valid; l++)
#ifdef STORE_THREE
            STORE_THREE(c + off[l], turned + 4 * l);
#else
            memcpy(c + off[l], turned + 4 * l, 3 * sizeof *c);
#endif
}
#endif
