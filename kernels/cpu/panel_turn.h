/* Turning squares of machine vectors (rows to lanes) for panel_pack.h and panel_body.h, in registers: so that tables
 * whose fastest variable is not the lanes' are read and written a vector at a time. Included per value type. */

#define LANES_N (VECTOR_BYTES / REAL_BYTES)
/* Interleave halves of two vectors; take every second cell of two; every third of three, in two steps. */
#if LANES_N == 2
#define ZIP_LO 0, 2
#define ZIP_HI 1, 3
#define EVEN   0, 2
#define ODD    1, 3
#elif LANES_N == 4
#define ZIP_LO   0, 4, 1, 5
#define ZIP_HI   2, 6, 3, 7
#define EVEN     0, 2, 4, 6
#define ODD      1, 3, 5, 7
#define THIRD_0A 0, 3, 6, 6
#define THIRD_0B 0, 1, 2, 5
#define THIRD_1A 1, 4, 7, 7
#define THIRD_1B 0, 1, 2, 6
#define THIRD_2A 2, 5, 5, 5
#define THIRD_2B 0, 1, 4, 7
#elif LANES_N == 8
#define ZIP_LO   0, 8, 1, 9, 2, 10, 3, 11
#define ZIP_HI   4, 12, 5, 13, 6, 14, 7, 15
#define EVEN     0, 2, 4, 6, 8, 10, 12, 14
#define ODD      1, 3, 5, 7, 9, 11, 13, 15
#define THIRD_0A 0, 3, 6, 9, 12, 15, 15, 15
#define THIRD_0B 0, 1, 2, 3, 4, 5, 10, 13
#define THIRD_1A 1, 4, 7, 10, 13, 13, 13, 13
#define THIRD_1B 0, 1, 2, 3, 4, 8, 11, 14
#define THIRD_2A 2, 5, 8, 11, 14, 14, 14, 14
#define THIRD_2B 0, 1, 2, 3, 4, 9, 12, 15
#elif LANES_N == 16
#define ZIP_LO   0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define ZIP_HI   8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define EVEN     0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define ODD      1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define THIRD_0A 0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 30, 30, 30, 30, 30
#define THIRD_0B 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17, 20, 23, 26, 29
#define THIRD_1A 1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31, 31, 31, 31, 31, 31
#define THIRD_1B 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 18, 21, 24, 27, 30
#define THIRD_2A 2, 5, 8, 11, 14, 17, 20, 23, 26, 29, 29, 29, 29, 29, 29, 29
#define THIRD_2B 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 19, 22, 25, 28, 31
#endif
#define PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

/* Transpose: log2 rounds, each interleaving vector i with vector i + LANES / 2. */
static inline __attribute__((always_inline)) void NAME(turn)(VEC *v)
{
    VEC t[LANES_N];
#pragma GCC unroll 4
    for (int round = 1; round < LANES_N; round *= 2) {
#pragma GCC unroll 8
        for (int i = 0; i < LANES_N / 2; i++) {
            t[2 * i] = PICK(v[i], v[i + LANES_N / 2], ZIP_LO);
            t[2 * i + 1] = PICK(v[i], v[i + LANES_N / 2], ZIP_HI);
        }
#pragma GCC unroll 16
        for (int i = 0; i < LANES_N; i++)
            v[i] = t[i];
    }
}

/* N consecutive cells from P + OFF[l] of every lane l of one machine vector: V[x] gets cell x of all lanes. Reads whole
 * vectors where they end before END; lanes from VALID on repeat the first. What lies AHEAD in memory is fetched into
 * the second-level cache: it is wanted soon, mostly by a later block, and the first level has too few misses at a time.
 */
static inline __attribute__((always_inline)) void NAME(turn_in)(VEC *v, const REAL *p, const int64_t *off,
                                                                uint32_t valid, uint32_t n, const REAL *end)
{
#pragma GCC unroll 16
    for (uint32_t l = 0; l < LANES; l++) {
        const REAL *from = p + off[l < valid ? l : 0];
        __builtin_prefetch((const void *)((uintptr_t)from + AHEAD * sizeof *from), 0, 2);
        if (__builtin_expect(end - from >= (ptrdiff_t)LANES, 1))
            v[l] = LOAD(from);
        else {
            REAL tail[LANES_N] = {0};
            memcpy(tail, from, n * sizeof *from);
            v[l] = LOAD(tail);
        }
    }
    NAME(turn)(v);
}

/* Lanes STEP (2, 3 or 4) cells apart and that many rows in between, all consecutive cells: V[r] gets row r. */
static inline __attribute__((always_inline)) void NAME(unzip)(VEC *v, const REAL *p, const uint32_t step)
{
    VEC a = LOAD(p), b = LOAD(p + LANES);
    if (step == 2) {
        v[0] = PICK(a, b, EVEN);
        v[1] = PICK(a, b, ODD);
    } else if (step == 4) {
        VEC c = LOAD(p + 2 * LANES), d = LOAD(p + 3 * LANES);
        VEC ae = PICK(a, b, EVEN), ao = PICK(a, b, ODD), ce = PICK(c, d, EVEN), co = PICK(c, d, ODD);
        v[0] = PICK(ae, ce, EVEN);
        v[1] = PICK(ao, co, EVEN);
        v[2] = PICK(ae, ce, ODD);
        v[3] = PICK(ao, co, ODD);
    }
#ifdef THIRD_0A
    else {
        VEC c = LOAD(p + 2 * LANES);
        v[0] = PICK(PICK(a, b, THIRD_0A), c, THIRD_0B);
        v[1] = PICK(PICK(a, b, THIRD_1A), c, THIRD_1B);
        v[2] = PICK(PICK(a, b, THIRD_2A), c, THIRD_2B);
    }
#endif
}

#if LANES_N >= 4
/* N (2 to 4) vectors of VL lanes, STEP cells apart at V, to runs of N cells at C + OFF[lane], VALID lanes. */
static inline void NAME(put_runs)(REAL *c, const int64_t *off, const REAL *v, size_t step, const uint32_t n,
                                  uint32_t valid)
{
    REAL turned[4 * VL] __attribute__((aligned(64)));
    if (n == 2) {
        for (uint32_t u = 0; u < PARTS; u++) {
            VEC a = LOAD(v + u * LANES), b = LOAD(v + u * LANES + step);
            STORE(turned + u * 2 * LANES, PICK(a, b, ZIP_LO));
            STORE(turned + u * 2 * LANES + LANES, PICK(a, b, ZIP_HI));
        }
        for (uint32_t l = 0; l < valid; l++)
            memcpy(c + off[l], turned + 2 * l, 2 * sizeof *c);
        return;
    }
    for (uint32_t u = 0; u < PARTS; u++) {
        const REAL *p = v + u * LANES;
        VEC a = LOAD(p), b = LOAD(p + step), d = LOAD(p + 2 * step), e = n == 4 ? LOAD(p + 3 * step) : d;
        VEC ad = PICK(a, d, ZIP_LO), be = PICK(b, e, ZIP_LO);
        REAL *to = turned + u * 4 * LANES;
        STORE(to, PICK(ad, be, ZIP_LO));
        STORE(to + LANES, PICK(ad, be, ZIP_HI));
        ad = PICK(a, d, ZIP_HI);
        be = PICK(b, e, ZIP_HI);
        STORE(to + 2 * LANES, PICK(ad, be, ZIP_LO));
        STORE(to + 3 * LANES, PICK(ad, be, ZIP_HI));
    }
    if (n == 4)
        for (uint32_t l = 0; l < valid; l++)
            memcpy(c + off[l], turned + 4 * l, 4 * sizeof *c);
    else
        for (uint32_t l = 0; l < valid; l++)
            memcpy(c + off[l], turned + 4 * l, 3 * sizeof *c);
}
#endif

#undef ZIP_LO
#undef ZIP_HI
#undef EVEN
#undef ODD
#undef THIRD_0A
#undef THIRD_0B
#undef THIRD_1A
#undef THIRD_1B
#undef THIRD_2A
#undef THIRD_2B
