/* One sum-product with a software-managed cache; one text for OpenCL C and CUDA C++ (device.h of the two is the head
 * that is put in front of it). What it looks up is planned by kernels/cache; the names are the same there.
 *
 * Given on the command line:
 *   REAL, DOUBLE, LOG, NATIVE   arithmetic; LOG: values are base-2 logarithms
 *   NIN, RA, RB                 inputs and the tile; with GENERIC these and the masks are looked up at run time
 *   ON_A, ON_B, CACHED          masks of inputs
 *   TEXTURE                     uncached inputs through the texture path
 *   AHEAD                       what the next step needs is filled while this one is computed
 *   UNROLL                      of the summation loop */
#ifndef AHEAD
#define AHEAD 0
#endif
#ifdef GENERIC
#define NIN    meta[10]
#define RA     meta[11]
#define RB     meta[12]
#define ON_A   meta[13]
#define ON_B   meta[14]
#define CACHED meta[15]
#define MAX_IN 8
#define MAX_A  10
#define MAX_B  10
#define MAX_AB 64
#define UNROLLED
#define WIDE(n) 1
#else
#define MAX_IN   NIN
#define MAX_A    RA
#define MAX_B    RB
#define MAX_AB   (RA * RB)
#define UNROLLED PRAGMA_UNROLL
#define WIDE(n)  ((n) < 2 ? 1 : DOUBLE || (n) < 7 ? 2 : 4)
#endif

#define BIT(mask, f) (((mask) >> (f)) & 1)
#define HAVE_AB      (((ON_A) & (ON_B)) != 0)
#define HAVE_B       ((~(ON_A) & (ON_B)) != 0)
#define HAVE_A       ((~(ON_B) & ((1 << NIN) - 1)) != 0)

/* meta: 16 numbers, where the values of the tile's sides lie (16 of each table), then the tables that all threads read
 * at the same place. */
#define LANES            meta[0]
#define LOWS             meta[1]
#define CHUNKS           meta[2]
#define PAGES            meta[3]
#define BLOCK_LOWS       meta[4]
#define BLOCK_HIGHS      meta[5]
#define CUT_PARTS        meta[6]
#define CUT_LAST         meta[7]
#define SIDE_A(f, i)     meta[16 + 16 * (f) + (i)]
#define SIDE_B(f, i)     meta[160 + 16 * (f) + (i)]
#define FILL_ROWS(f)     meta[304 + (f)]
#define FILL_AT(f)       meta[312 + (f)]
#define FILL_STEP(f)     meta[320 + (f)]
#define SECOND(f)        meta[328 + (f)]
#define LOW_TABLE        336
#define PAGE_TABLE       meta[8]
#define OF_PAGE(f, page) meta[PAGE_TABLE + (page) * (NIN + 1) + (f)]
#define STALE(step)      meta[meta[9] + (step)]

#if LOG
#define ONE         ((REAL)0)
#define TIMES(x, y) ((x) + (y))
#else
#define ONE         ((REAL)1)
#define TIMES(x, y) ((x) * (y))
#endif

/* V[0..N) = the cells from I on of the scratchpad; I is a multiple of WIDE(N). */
#define READ(v, n, i)                                                                                                  \
    {                                                                                                                  \
        if (WIDE(n) == 4) {                                                                                            \
            UNROLLED for (int k = 0; k < (n); k += 4)                                                                  \
            {                                                                                                          \
                const real4 w = LOCAL4((i) + k);                                                                       \
                v[k] = w.x;                                                                                            \
                if (k + 1 < (n))                                                                                       \
                    v[k + 1] = w.y;                                                                                    \
                if (k + 2 < (n))                                                                                       \
                    v[k + 2] = w.z;                                                                                    \
                if (k + 3 < (n))                                                                                       \
                    v[k + 3] = w.w;                                                                                    \
            }                                                                                                          \
        } else if (WIDE(n) == 2) {                                                                                     \
            UNROLLED for (int k = 0; k < (n); k += 2)                                                                  \
            {                                                                                                          \
                const real2 w = LOCAL2((i) + k);                                                                       \
                v[k] = w.x;                                                                                            \
                if (k + 1 < (n))                                                                                       \
                    v[k + 1] = w.y;                                                                                    \
            }                                                                                                          \
        } else {                                                                                                       \
            UNROLLED for (int k = 0; k < (n); k++) v[k] = local_cells[(i) + k];                                        \
        }                                                                                                              \
    }

#define MULTIPLY(to, set, n)                                                                                           \
    UNROLLED for (int k = 0; k < (n); k++) to[k] = set ? TIMES(to[k], v[k]) : v[k];                                    \
    set = true;

/* Adds the product of all inputs at summed value S to the sums of the tile. */
#define BODY(S)                                                                                                        \
    {                                                                                                                  \
        REAL a[MAX_A], b[MAX_B];                                                                                       \
        REAL ab[MAX_AB];                                                                                               \
        bool a_set = false, b_set = false, ab_set = false;                                                             \
        UNROLLED for (int f = 0; f < NIN; f++)                                                                         \
        {                                                                                                              \
            int i0 = at[f] + meta[LOW_TABLE + (S)*NIN + f];                                                            \
            if (BIT(ON_A, f) && BIT(ON_B, f)) {                                                                        \
                REAL v[MAX_AB];                                                                                        \
                if (BIT(CACHED, f)) {                                                                                  \
                    READ(v, RA *RB, i0)                                                                                \
                } else {                                                                                               \
                    UNROLLED for (int i = 0; i < RA; i++)                                                              \
                    {                                                                                                  \
                        UNROLLED for (int j = 0; j < RB; j++) v[i * RB + j] =                                          \
                            TABLE(f, i0 + SIDE_A(f, i) + SIDE_B(f, j));                                                \
                    }                                                                                                  \
                }                                                                                                      \
                MULTIPLY(ab, ab_set, RA *RB)                                                                           \
            } else if (BIT(ON_B, f)) {                                                                                 \
                REAL v[MAX_B];                                                                                         \
                if (BIT(CACHED, f)) {                                                                                  \
                    READ(v, RB, i0)                                                                                    \
                } else {                                                                                               \
                    UNROLLED for (int j = 0; j < RB; j++) v[j] = TABLE(f, i0 + SIDE_B(f, j));                          \
                }                                                                                                      \
                MULTIPLY(b, b_set, RB)                                                                                 \
            } else if (BIT(ON_A, f)) {                                                                                 \
                REAL v[MAX_A];                                                                                         \
                if (BIT(CACHED, f)) {                                                                                  \
                    READ(v, RA, i0)                                                                                    \
                } else {                                                                                               \
                    UNROLLED for (int i = 0; i < RA; i++) v[i] = TABLE(f, i0 + SIDE_A(f, i));                          \
                }                                                                                                      \
                MULTIPLY(a, a_set, RA)                                                                                 \
            } else {                                                                                                   \
                const REAL x = BIT(CACHED, f) ? local_cells[i0] : TABLE(f, i0);                                        \
                UNROLLED for (int i = 0; i < RA; i++) a[i] = a_set ? TIMES(a[i], x) : x;                               \
                a_set = true;                                                                                          \
            }                                                                                                          \
        }                                                                                                              \
        UNROLLED for (int i = 0; i < RA; i++)                                                                          \
        {                                                                                                              \
            UNROLLED for (int j = 0; j < RB; j++)                                                                      \
            {                                                                                                          \
                REAL x = HAVE_A ? a[i] : ONE, y = HAVE_B ? b[j] : ONE;                                                 \
                if (HAVE_AB) {                                                                                         \
                    x = HAVE_A && HAVE_B ? TIMES(x, y) : HAVE_A ? x : y;                                               \
                    y = ab[i * RB + j];                                                                                \
                }                                                                                                      \
                ADD(i *RB + j, x, y);                                                                                  \
            }                                                                                                          \
        }                                                                                                              \
    }

#if LOG
/* Relative to the largest term so far: nothing underflows. */
#define ADD(k, x, y)                                                                                                   \
    {                                                                                                                  \
        REAL term = (x) + (y);                                                                                         \
        if (term > top[k]) {                                                                                           \
            sum[k] = sum[k] * EXP2(top[k] - term) + 1;                                                                 \
            top[k] = term;                                                                                             \
        } else if (term > -INFINITY) {                                                                                 \
            sum[k] += EXP2(term - top[k]);                                                                             \
        }                                                                                                              \
    }
#else
#define ADD(k, x, y) sum[k] = FMA(x, y, sum[k])
#endif

/* This thread's part of filling input F from cell FROM of its table on, TO cells behind its place in the scratchpad. */
#define FILL(f, from, to)                                                                                              \
    {                                                                                                                  \
        GLOBAL const int2 *row = (GLOBAL const int2 *)(table + FILL_AT(f) + 4 * threads);                              \
        const int rows = FILL_ROWS(f), step = FILL_STEP(f);                                                            \
        COPIES(f, mine[f].x + (from), mine[f].y + (to))                                                                \
        int r = mine[f].z;                                                                                             \
        for (; r + 3 * step < rows; r += 4 * step) {                                                                   \
            const int2 x0 = row[r], x1 = row[r + step], x2 = row[r + 2 * step], x3 = row[r + 3 * step];                \
            COPY(f, x0);                                                                                               \
            COPY(f, x1);                                                                                               \
            COPY(f, x2);                                                                                               \
            COPY(f, x3);                                                                                               \
        }                                                                                                              \
        for (; r < rows; r += step) {                                                                                  \
            const int2 x0 = row[r];                                                                                    \
            COPY(f, x0);                                                                                               \
        }                                                                                                              \
    }

KERNEL(sumproduct)
{
    LOCAL_CELLS
    INPUTS
    const int t = (int)LOCAL_ID, threads = (int)LOCAL_SIZE;
    const int block = (int)GROUP_ID, low = block % BLOCK_LOWS, high = block / BLOCK_LOWS;
    /* tables in global memory: lanes, blocks, chunks, fill */
    GLOBAL const int *lane_table = table, *cut = table + (NIN + 1) * LANES;
    GLOBAL const int *low_blocks = cut + LANES, *high_blocks = low_blocks + (NIN + 1) * BLOCK_LOWS;
    GLOBAL const int *chunk_table = high_blocks + (NIN + 1) * BLOCK_HIGHS;
    bool active = t < LANES;
    const int lane = active ? t : 0;
    if (CUT_PARTS && block % CUT_PARTS == CUT_PARTS - 1 && cut[lane] >= CUT_LAST)
        active = false;
    const int reader = active ? lane : 0;
    int base[MAX_IN], lane_at[MAX_IN], at[MAX_IN];
    int4 mine[MAX_IN]; /* of a segment: where this thread's column lies, and its first row */
#if AHEAD
    int copy[MAX_IN]; /* which of the two copies is read: 0 or SECOND */
#endif
    UNROLLED for (int f = 0; f < NIN; f++)
    {
        base[f] = low_blocks[f * BLOCK_LOWS + low] + high_blocks[f * BLOCK_HIGHS + high];
        lane_at[f] = lane_table[f * LANES + reader];
        if (BIT(CACHED, f))
            mine[f] = ((GLOBAL const int4 *)(table + FILL_AT(f)))[t];
    }
    const int to =
        low_blocks[NIN * BLOCK_LOWS + low] + high_blocks[NIN * BLOCK_HIGHS + high] + lane_table[NIN * LANES + reader];
#if AHEAD
    UNROLLED for (int f = 0; f < NIN; f++)
    {
        copy[f] = 0;
        if (BIT(CACHED, f))
            FILL(f, base[f] + OF_PAGE(f, 0) + chunk_table[f], 0)
    }
#endif
    for (int page = 0; page < PAGES; page++) {
        REAL sum[MAX_AB];
#if LOG
        REAL top[MAX_AB];
#endif
        UNROLLED for (int k = 0; k < RA * RB; k++)
        {
            sum[k] = 0;
#if LOG
            top[k] = -INFINITY;
#endif
        }
        for (int chunk = 0; chunk < CHUNKS; chunk++) {
#if AHEAD
            UNROLLED for (int f = 0; f < NIN; f++) at[f] =
                lane_at[f] + (BIT(CACHED, f) ? copy[f] : base[f] + OF_PAGE(f, page) + chunk_table[chunk * NIN + f]);
            COPIED;  /* of this thread; */
            BARRIER; /* of all, and nobody reads the other copies any more */
            const int last = chunk == CHUNKS - 1, next_page = page + last, next_chunk = last ? 0 : chunk + 1;
            if (next_page < PAGES) {
                const int stale = STALE(next_page * CHUNKS + next_chunk);
                UNROLLED for (int f = 0; f < NIN; f++)
                {
                    if (BIT(CACHED, f) && BIT(stale, f)) {
                        copy[f] = SECOND(f) - copy[f];
                        FILL(f, base[f] + OF_PAGE(f, next_page) + chunk_table[next_chunk * NIN + f], copy[f])
                    }
                }
            }
#else
            UNROLLED for (int f = 0; f < NIN; f++) at[f] = base[f] + OF_PAGE(f, page) + chunk_table[chunk * NIN + f];
            if (CACHED) {
                const int stale = STALE(page * CHUNKS + chunk);
                BARRIER; /* nobody reads what is filled now, */
                UNROLLED for (int f = 0; f < NIN; f++)
                {
                    if (BIT(CACHED, f) && BIT(stale, f))
                        FILL(f, at[f], 0)
                }
                COPIED;
                BARRIER; /* nor before it is */
            }
            UNROLLED for (int f = 0; f < NIN; f++) at[f] = lane_at[f] + (BIT(CACHED, f) ? 0 : at[f]);
#endif
            int s = 0;
#if UNROLL > 1
            for (; s + UNROLL <= LOWS; s += UNROLL) {
                BODY(s)
                BODY(s + 1)
#if UNROLL > 2
                BODY(s + 2)
                BODY(s + 3)
#endif
            }
#endif
            for (; s < LOWS; s++)
                BODY(s)
        }
        if (active) {
            const int o = to + OF_PAGE(NIN, page);
            UNROLLED for (int i = 0; i < RA; i++)
            {
                UNROLLED for (int j = 0; j < RB; j++)
#if LOG
                    out[o + SIDE_A(NIN, i) + SIDE_B(NIN, j)] =
                        sum[i * RB + j] > 0 ? top[i * RB + j] + LOG2(sum[i * RB + j]) : -INFINITY;
#else
                    out[o + SIDE_A(NIN, i) + SIDE_B(NIN, j)] = sum[i * RB + j];
#endif
            }
        }
    }
}
