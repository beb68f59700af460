/* Turning squares of machine vectors (rows to lanes) for panel_pack.h and panel_body.h, in registers: so that tables
 * whose fastest variable is not the lanes' are read and written a vector at a time. Included per value type. */

#define LANES_N (VECTOR_BYTES / REAL_BYTES)
/* Interleave halves of two vectors; take every second cell of two; every third of three, in two steps; three braided,
 * likewise. */
#if LANES_N == 2
#define ZIP_LO 0, 2
#define ZIP_HI 1, 3
#define EVEN   0, 2
#define ODD    1, 3
#elif LANES_N == 4
#define ZIP2_LO  0, 4, 2, 6
#define ZIP2_HI  1, 5, 3, 7
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
#define BRAID_0A 0, 4, 0, 1
#define BRAID_0B 0, 1, 4, 3
#define BRAID_1A 5, 1, 2, 6
#define BRAID_1B 0, 5, 2, 3
#define BRAID_2A 2, 3, 7, 3
#define BRAID_2B 6, 1, 2, 7
#elif LANES_N == 8
#define ZIP2_LO  0, 8, 2, 10, 4, 12, 6, 14
#define ZIP2_HI  1, 9, 3, 11, 5, 13, 7, 15
#define ZIP4_LO  0, 8, 1, 9, 4, 12, 5, 13
#define ZIP4_HI  2, 10, 3, 11, 6, 14, 7, 15
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
#define BRAID_0A 0, 8, 0, 1, 9, 1, 2, 10
#define BRAID_0B 0, 1, 8, 3, 4, 9, 6, 7
#define BRAID_1A 2, 3, 11, 3, 4, 12, 4, 5
#define BRAID_1B 10, 1, 2, 11, 4, 5, 12, 7
#define BRAID_2A 13, 5, 6, 14, 6, 7, 15, 7
#define BRAID_2B 0, 13, 2, 3, 14, 5, 6, 15
#elif LANES_N == 16
#define ZIP2_LO  0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30
#define ZIP2_HI  1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31
#define ZIP4_LO  0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29
#define ZIP4_HI  2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31
#define ZIP8_LO  0, 16, 1, 17, 2, 18, 3, 19, 8, 24, 9, 25, 10, 26, 11, 27
#define ZIP8_HI  4, 20, 5, 21, 6, 22, 7, 23, 12, 28, 13, 29, 14, 30, 15, 31
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
#define BRAID_0A 0, 16, 0, 1, 17, 1, 2, 18, 2, 3, 19, 3, 4, 20, 4, 5
#define BRAID_0B 0, 1, 16, 3, 4, 17, 6, 7, 18, 9, 10, 19, 12, 13, 20, 15
#define BRAID_1A 21, 5, 6, 22, 6, 7, 23, 7, 8, 24, 8, 9, 25, 9, 10, 26
#define BRAID_1B 0, 21, 2, 3, 22, 5, 6, 23, 8, 9, 24, 11, 12, 25, 14, 15
#define BRAID_2A 10, 11, 27, 11, 12, 28, 12, 13, 29, 13, 14, 30, 14, 15, 31, 15
#define BRAID_2B 26, 1, 2, 27, 4, 5, 28, 7, 8, 29, 10, 11, 30, 13, 14, 31
#endif
#define PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

/* Transpose N vectors in blocks of N lanes: log2 N rounds, each interleaving vector i with vector i + N / 2. */
#define TURN(n, lo, hi)                                                                                                \
    do {                                                                                                               \
        VEC t[n];                                                                                                      \
        _Pragma("GCC unroll 4") for (int round = 1; round < (n); round *= 2)                                           \
        {                                                                                                              \
            _Pragma("GCC unroll 8") for (int i = 0; i < (n) / 2; i++)                                                  \
            {                                                                                                          \
                t[2 * i] = PICK(v[i], v[i + (n) / 2], lo);                                                             \
                t[2 * i + 1] = PICK(v[i], v[i + (n) / 2], hi);                                                         \
            }                                                                                                          \
            _Pragma("GCC unroll 16") for (int i = 0; i < (n); i++) v[i] = t[i];                                        \
        }                                                                                                              \
    } while (0)

static inline __attribute__((always_inline)) void NAME(turn)(VEC *v)
{
    TURN(LANES_N, ZIP_LO, ZIP_HI);
}

/* A and B by turns. Two halves of 16 bytes cost a shuffle each only where both stay in their places: 32 bytes are
 * interleaved there first, and the halves are exchanged then. */
static inline __attribute__((always_inline)) void NAME(zip)(VEC a, VEC b, VEC *lo, VEC *hi)
{
#if VECTOR_BYTES == 32 && LANES_N == 4
    VEC x = PICK(a, b, ZIP2_LO), y = PICK(a, b, ZIP2_HI);
    *lo = PICK(x, y, 0, 1, 4, 5);
    *hi = PICK(x, y, 2, 3, 6, 7);
#elif VECTOR_BYTES == 32
    VEC x = PICK(a, b, ZIP4_LO), y = PICK(a, b, ZIP4_HI);
    *lo = PICK(x, y, 0, 1, 2, 3, 8, 9, 10, 11);
    *hi = PICK(x, y, 4, 5, 6, 7, 12, 13, 14, 15);
#else
    *lo = PICK(a, b, ZIP_LO);
    *hi = PICK(a, b, ZIP_HI);
#endif
}

/* Pieces of 2, 4 or 8 cells, and several of them as one vector. */
#define PIECE(n)                                                                                                       \
    typedef REAL NAME(piece##n) __attribute__((vector_size((n)*REAL_BYTES), aligned(sizeof(REAL)), may_alias))
#define GET(n, l)   (*(const NAME(piece##n) *)(const void *)(from[l] + at))
#define GET2(l)     GET(2, l)
#define GET4(l)     GET(4, l)
#define GET8(l)     GET(8, l)
#define CAT4(a, b)  PICK(a, b, 0, 1, 2, 3)
#define CAT8(a, b)  PICK(a, b, 0, 1, 2, 3, 4, 5, 6, 7)
#define CAT16(a, b) PICK(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#if LANES_N >= 4
PIECE(2);
#endif
#if LANES_N >= 8
PIECE(4);
#endif
#if LANES_N >= 16
PIECE(8);
#endif

/* SIZE consecutive cells from FROM[l] + AT on of each lane l: V[x] gets cell x of all lanes. Two halves take fewer
 * shuffles than the whole: pieces are put side by side while they are loaded. */
static inline __attribute__((always_inline)) void NAME(turn_pieces)(VEC *v, const REAL *const *from, const uint32_t at,
                                                                    const uint32_t size)
{
    (void)size;
#if LANES_N == 4
    if (size == 2) {
#pragma GCC unroll 2
        for (uint32_t l = 0; l < 2; l++)
            v[l] = CAT4(GET2(l), GET2(l + 2));
        TURN(2, ZIP2_LO, ZIP2_HI);
        return;
    }
#elif LANES_N == 8
    if (size == 2) {
#pragma GCC unroll 2
        for (uint32_t l = 0; l < 2; l++)
            v[l] = CAT8(CAT4(GET2(l), GET2(l + 2)), CAT4(GET2(l + 4), GET2(l + 6)));
        TURN(2, ZIP2_LO, ZIP2_HI);
        return;
    }
    if (size == 4) {
#pragma GCC unroll 4
        for (uint32_t l = 0; l < 4; l++)
            v[l] = CAT8(GET4(l), GET4(l + 4));
        TURN(4, ZIP4_LO, ZIP4_HI);
        return;
    }
#elif LANES_N == 16
    if (size == 2) {
#pragma GCC unroll 2
        for (uint32_t l = 0; l < 2; l++)
            v[l] = CAT16(CAT8(CAT4(GET2(l), GET2(l + 2)), CAT4(GET2(l + 4), GET2(l + 6))),
                         CAT8(CAT4(GET2(l + 8), GET2(l + 10)), CAT4(GET2(l + 12), GET2(l + 14))));
        TURN(2, ZIP2_LO, ZIP2_HI);
        return;
    }
    if (size == 4) {
#pragma GCC unroll 4
        for (uint32_t l = 0; l < 4; l++)
            v[l] = CAT16(CAT8(GET4(l), GET4(l + 4)), CAT8(GET4(l + 8), GET4(l + 12)));
        TURN(4, ZIP4_LO, ZIP4_HI);
        return;
    }
    if (size == 8) {
#pragma GCC unroll 8
        for (uint32_t l = 0; l < 8; l++)
            v[l] = CAT16(GET8(l), GET8(l + 8));
        TURN(8, ZIP8_LO, ZIP8_HI);
        return;
    }
#endif
#pragma GCC unroll 16
    for (uint32_t l = 0; l < LANES; l++)
        v[l] = LOAD(from[l] + at);
    NAME(turn)(v);
}

/* LANES cells of every lane. */
static inline __attribute__((always_inline)) void NAME(turn_whole)(VEC *v, const REAL *const *from, const uint32_t at)
{
#if LANES_N >= 4
    NAME(turn_pieces)(v, from, at, LANES_N / 2);
    NAME(turn_pieces)(v + LANES_N / 2, from, at + LANES_N / 2, LANES_N / 2);
#else
    NAME(turn_pieces)(v, from, at, LANES_N);
#endif
}

/* The furthest of the first VALID lanes. */
static inline __attribute__((always_inline)) int64_t NAME(reach)(const int64_t *off, uint32_t valid)
{
    int64_t most = off[0];
    for (uint32_t l = 1; l < valid; l++)
        most = off[l] > most ? off[l] : most;
    return most;
}

/* N cells from P + OFF[l] of each lane l, from VALID on those of the first, to TO[l]. */
static __attribute__((noinline)) void NAME(copy_tail)(REAL (*to)[LANES_N], const REAL *p, const int64_t *off,
                                                      uint32_t valid, uint32_t n)
{
    for (uint32_t l = 0; l < LANES; l++)
        memcpy(to[l], p + off[l < valid ? l : 0], n * sizeof *p);
}

/* What lies SOON cells behind P is packed next: into the second-level cache, since the first has too few misses at a
 * time. */
static inline __attribute__((always_inline)) void NAME(fetch_soon)(const REAL *p, int64_t soon)
{
    __builtin_prefetch((const void *)((uintptr_t)p + (uintptr_t)(soon * (int64_t)sizeof *p)), 0, 2);
}

/* N <= SIZE consecutive cells from P + OFF[l] of every lane l of one machine vector: V[x] gets cell x of all lanes.
 * Reads SIZE cells where they end before END, REACH being the furthest lane; lanes from VALID on repeat the first.
 * SOON: as in fetch_soon; 0: nothing is fetched. */
static inline __attribute__((always_inline)) void NAME(turn_in)(VEC *v, const REAL *p, const int64_t *off,
                                                                uint32_t valid, uint32_t n, const REAL *end,
                                                                int64_t reach, int64_t soon, const uint32_t size)
{
    static const int64_t in_tail[16] = {
        0 * LANES_N, 1 * LANES_N, 2 * LANES_N,  3 * LANES_N,  4 * LANES_N,  5 * LANES_N,  6 * LANES_N,  7 * LANES_N,
        8 * LANES_N, 9 * LANES_N, 10 * LANES_N, 11 * LANES_N, 12 * LANES_N, 13 * LANES_N, 14 * LANES_N, 15 * LANES_N};
    REAL tail[LANES_N][LANES_N];
    int64_t some[LANES_N];
    if (__builtin_expect(end - p < reach + (int64_t)size, 0)) {
        NAME(copy_tail)(tail, p, off, valid, n);
        p = tail[0];
        off = in_tail;
    } else if (valid < LANES) {
        for (uint32_t l = 0; l < LANES; l++)
            some[l] = off[l < valid ? l : 0];
        off = some;
    }
    const REAL *from[LANES_N];
#pragma GCC unroll 16
    for (uint32_t l = 0; l < LANES; l++)
        from[l] = p + off[l];
    if (soon) {
#pragma GCC unroll 16
        for (uint32_t l = 0; l < LANES; l++)
            NAME(fetch_soon)(from[l], soon);
    }
#if LANES_N >= 4
    if (size > LANES_N / 2) {
        NAME(turn_pieces)(v, from, 0, LANES_N / 2);
        NAME(turn_pieces)(v + LANES_N / 2, from, LANES_N / 2, size - LANES_N / 2);
        return;
    }
#endif
    NAME(turn_pieces)(v, from, 0, size);
}

/* Lanes STEP (2, 3 or 4) cells apart and that many rows in between, all consecutive cells: V[r] gets row r. */
static inline __attribute__((always_inline)) void NAME(unzip)(VEC *v, const REAL *p, const uint32_t step)
{
#if VECTOR_BYTES == 32
    if (LANES_N == 4 || step != 3) { /* in pieces: taking every second cell would cross the halves */
        const REAL *from[LANES_N];
#pragma GCC unroll 8
        for (uint32_t l = 0; l < LANES; l++)
            from[l] = p + l * step;
        if (step == 3) {
            VEC last[2];
            NAME(turn_pieces)(last, from, 1, 2);
            v[2] = last[1];
        }
        NAME(turn_pieces)(v, from, 0, step == 3 ? 2 : step < LANES_N ? step : LANES_N / 2);
        if (step == 4 && LANES_N == 4)
            NAME(turn_pieces)(v + 2, from, 2, 2);
        return;
    }
#endif
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

#include "kernels/cpu/panel_put.h"

#undef TURN
#undef PIECE
#undef GET
#undef CAT4
#undef CAT8
#undef CAT16
#undef GET2
#undef GET4
#undef GET8
#undef ZIP2_LO
#undef ZIP2_HI
#undef ZIP4_LO
#undef ZIP4_HI
#undef ZIP8_LO
#undef ZIP8_HI
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
#undef BRAID_2B
#undef BRAID_2A
#undef BRAID_1B
#undef BRAID_1A
#undef BRAID_0B
#undef BRAID_0A
