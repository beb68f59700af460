/* The register-blocked kernels of panel_body.h: C[i][j] (+)= scale * sum over p of A[p][i] * B[p][j], A, B, C vectors
 * (B one value for all lanes unless vectors). Included per value type: uses REAL, VL. */

typedef REAL NAME(vec) __attribute__((vector_size(VECTOR_BYTES)));
typedef REAL NAME(uvec) __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(REAL)), may_alias));

#define VEC         NAME(vec)
#define LANES       ((uint32_t)(VECTOR_BYTES / sizeof(REAL)))
#define PARTS       ((uint32_t)(VL / LANES)) /* machine vectors that make one of VL lanes */
#define LOAD(p)     ((VEC)(*(const NAME(uvec) *)(const void *)(p)))
#define STORE(p, v) (*(NAME(uvec) *)(void *)(p) = (v))

/* X in all lanes, not as {0} + x: that adds. P[OFF[l]] of each lane l. */
#if VECTOR_BYTES / REAL_BYTES == 2
#define SPLAT(x)       ((VEC){x, x})
#define GATHER(p, off) ((VEC){p[off[0]], p[off[1]]})
#elif VECTOR_BYTES / REAL_BYTES == 4
#define SPLAT(x)       ((VEC){x, x, x, x})
#define GATHER(p, off) ((VEC){p[off[0]], p[off[1]], p[off[2]], p[off[3]]})
#elif VECTOR_BYTES / REAL_BYTES == 8
#define SPLAT(x)       ((VEC){x, x, x, x, x, x, x, x})
#define GATHER(p, off) ((VEC){p[off[0]], p[off[1]], p[off[2]], p[off[3]], p[off[4]], p[off[5]], p[off[6]], p[off[7]]})
#else
#define SPLAT(x) ((VEC){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x})
#define GATHER(p, off)                                                                                                 \
    ((VEC){p[off[0]], p[off[1]], p[off[2]], p[off[3]], p[off[4]], p[off[5]], p[off[6]], p[off[7]], p[off[8]],          \
           p[off[9]], p[off[10]], p[off[11]], p[off[12]], p[off[13]], p[off[14]], p[off[15]]})
#endif

#if defined(__SSE2__) && VECTOR_BYTES == 64
#define STREAM(p, v) _mm512_stream_pd((double *)(void *)(p), (__m512d)(v))
#elif defined(__SSE2__) && VECTOR_BYTES == 32
#define STREAM(p, v) _mm256_stream_pd((double *)(void *)(p), (__m256d)(v))
#elif defined(__SSE2__)
#define STREAM(p, v) _mm_stream_pd((double *)(void *)(p), (__m128d)(v))
#else
#define STREAM STORE
#endif

/* The first N < VL cells at P, zeros behind them; V to the first N cells at P, or
 * to those of the bits M; three cells from Q to P. */
#if defined(__AVX512F__) && VECTOR_BYTES == 64
#if REAL_BYTES == 8
#define LOAD_SOME(p, n)     ((VEC)_mm512_maskz_loadu_pd((__mmask8)((1u << (n)) - 1), (p)))
#define STORE_SOME(p, v, n) _mm512_mask_storeu_pd((p), (__mmask8)((1u << (n)) - 1), (__m512d)(v))
#define STORE_MASK(p, v, m) _mm512_mask_storeu_pd((p), (__mmask8)(m), (__m512d)(v))
#define STORE_THREE(p, q)   _mm256_mask_storeu_pd((p), 7, _mm256_loadu_pd(q))
#else
#define LOAD_SOME(p, n)     ((VEC)_mm512_maskz_loadu_ps((__mmask16)((1u << (n)) - 1), (p)))
#define STORE_SOME(p, v, n) _mm512_mask_storeu_ps((p), (__mmask16)((1u << (n)) - 1), (__m512)(v))
#define STORE_MASK(p, v, m) _mm512_mask_storeu_ps((p), (__mmask16)(m), (__m512)(v))
#define STORE_THREE(p, q)   _mm_mask_storeu_ps((p), 7, _mm_loadu_ps(q))
#endif
#endif

struct NAME(target) {
    REAL *c;           /* with the offsets of everything but i and j */
    const int64_t *ci; /* of row i: ci[i * step] */
    const int64_t *cj;
    uint32_t step;
    uint32_t direct; /* bit i: row i is a run of VL cells; else its sums go to SPILL[j][i][lane] */
    bool add;        /* C has the sums of earlier blocks of p */
    bool stream;     /* past the caches: C is larger than they are */
    bool plain;      /* neither, and SCALE is 1 */
    REAL scale;
    REAL *spill;
};

static inline __attribute__((always_inline)) void NAME(tile)(const REAL *a, const REAL *b, uint32_t k,
                                                             const uint32_t mr, const uint32_t nr, const bool vectors,
                                                             const struct NAME(target) * to)
{
    VEC acc[32 * PARTS], av[4 * PARTS];
#pragma GCC unroll 64
    for (uint32_t x = 0; x < mr * nr * PARTS; x++)
        acc[x] = SPLAT(0);
    for (; k; k--) {
#pragma GCC unroll 16
        for (uint32_t i = 0; i < mr * PARTS; i++)
            av[i] = LOAD(a + i * LANES);
#pragma GCC unroll 8
        for (uint32_t j = 0; j < nr; j++) {
            if (vectors) {
#pragma GCC unroll 4
                for (uint32_t u = 0; u < PARTS; u++) {
                    VEC bv = LOAD(b + (j * PARTS + u) * LANES);
#pragma GCC unroll 8
                    for (uint32_t i = 0; i < mr; i++)
                        acc[(j * mr + i) * PARTS + u] += av[i * PARTS + u] * bv;
                }
            } else {
                VEC bv = SPLAT(b[j]);
#pragma GCC unroll 16
                for (uint32_t i = 0; i < mr * PARTS; i++)
                    acc[j * mr * PARTS + i] += av[i] * bv;
            }
        }
        a += mr * VL;
        b += nr * (vectors ? VL : 1);
    }
    const uint32_t direct = to->direct;
    if (to->plain && direct == (1u << mr) - 1) {
        int64_t off[4];
        REAL *const c = to->c;
#pragma GCC unroll 4
        for (uint32_t i = 0; i < mr; i++)
            off[i] = to->ci[i * to->step];
        const int64_t *const cj = to->cj;
#pragma GCC unroll 8
        for (uint32_t j = 0; j < nr; j++) {
            REAL *at = c + cj[j];
#pragma GCC unroll 16
            for (uint32_t x = 0; x < mr * PARTS; x++)
                STORE(at + off[x / PARTS] + x % PARTS * LANES, acc[j * mr * PARTS + x]);
        }
        return;
    }
    VEC scale = SPLAT(to->scale);
    if (direct != (1u << mr) - 1) {
#pragma GCC unroll 64
        for (uint32_t x = 0; x < mr * nr * PARTS; x++)
            STORE(to->spill + x * LANES, acc[x] * scale);
        if (!direct)
            return;
    }
#pragma GCC unroll 8
    for (uint32_t j = 0; j < nr; j++) {
        REAL *c = to->c + to->cj[j];
#pragma GCC unroll 8
        for (uint32_t i = 0; i < mr; i++) {
            if (!(direct >> i & 1))
                continue;
            REAL *at = c + to->ci[i * to->step];
#pragma GCC unroll 4
            for (uint32_t u = 0; u < PARTS; u++) {
                VEC v = acc[(j * mr + i) * PARTS + u] * scale;
                if (to->add)
                    v += LOAD(at + u * LANES);
                if (to->stream && (uintptr_t)at % 64 == 0)
                    STREAM(at + u * LANES, v);
                else
                    STORE(at + u * LANES, v);
            }
        }
    }
}

typedef void (*NAME(kernel))(const REAL *a, const REAL *b, uint32_t k, const struct NAME(target) * to);

#define TILE(m, n, v)                                                                                                  \
    static void NAME(tile_##m##_##n##_##v)(const REAL *a, const REAL *b, uint32_t k, const struct NAME(target) * to)   \
    {                                                                                                                  \
        NAME(tile)(a, b, k, m, n, v, to);                                                                              \
    }
#define ROW4(n, v) TILE(1, n, v) TILE(2, n, v) TILE(3, n, v) TILE(4, n, v)
ROW4(1, 0)
ROW4(2, 0)
ROW4(3, 0)
ROW4(4, 0)
ROW4(5, 0)
ROW4(6, 0)
ROW4(7, 0)
ROW4(8, 0)
ROW4(1, 1)
ROW4(2, 1)
ROW4(3, 1)
ROW4(4, 1)
#undef TILE
#undef ROW4

#define PTR(m, n, v) NAME(tile_##m##_##n##_##v)
#define PTR4(n, v)                                                                                                     \
    {                                                                                                                  \
        PTR(1, n, v), PTR(2, n, v), PTR(3, n, v), PTR(4, n, v)                                                         \
    }
static const NAME(kernel) NAME(scalars)[8][4] = {PTR4(1, 0), PTR4(2, 0), PTR4(3, 0), PTR4(4, 0),
                                                 PTR4(5, 0), PTR4(6, 0), PTR4(7, 0), PTR4(8, 0)};
static const NAME(kernel) NAME(vectors)[4][4] = {PTR4(1, 1), PTR4(2, 1), PTR4(3, 1), PTR4(4, 1)};
#undef PTR
#undef PTR4
