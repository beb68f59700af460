/* One sum-product with a software-managed cache; one text for OpenCL C and CUDA C++ (device.h of the two is the head
 * that is put in front of it). What it looks up is planned by kernels/cache; the names are the same there.
 *
 * Given on the command line:
 *   REAL, DOUBLE, LOG, NATIVE   arithmetic; LOG: values are base-2 logarithms
 *   NIN, RA, RB                 inputs and the tile; with GENERIC these and the masks are looked up at run time
 *   ON_A, ON_B, CACHED          masks of inputs
 *   TEXTURE                     uncached inputs through the texture path
 *   UNROLL                      of the summation loop */
#ifdef GENERIC
#define NIN meta[10]
#define RA meta[11]
#define RB meta[12]
#define ON_A meta[13]
#define ON_B meta[14]
#define CACHED meta[15]
#define MAX_IN 8
#define MAX_A 10
#define MAX_B 10
#define MAX_AB 64
#define UNROLLED
#else
#define MAX_IN NIN
#define MAX_A RA
#define MAX_B RB
#define MAX_AB (RA * RB)
#define UNROLLED PRAGMA_UNROLL
#endif

#define BIT(mask, f) (((mask) >> (f)) & 1)
#define HAVE_AB (((ON_A) & (ON_B)) != 0)
#define HAVE_B ((~(ON_A) & (ON_B)) != 0)
#define HAVE_A ((~(ON_B) & ((1 << NIN) - 1)) != 0)

/* meta: 16 numbers, where the values of the tile's sides lie (16 of each table), then the tables that all threads read
 * at the same place. */
#define LANES meta[0]
#define LOWS meta[1]
#define CHUNKS meta[2]
#define PAGES meta[3]
#define BLOCK_LOWS meta[4]
#define BLOCK_HIGHS meta[5]
#define CUT_PARTS meta[6]
#define CUT_LAST meta[7]
#define SIDE_A(f, i) meta[16 + 16 * (f) + (i)]
#define SIDE_B(f, i) meta[160 + 16 * (f) + (i)]
#define FILL_CELLS(f) meta[304 + (f)]
#define FILL_AT(f) meta[312 + (f)]
#define LOW_TABLE 320
#define PAGE_TABLE meta[8]

#if LOG
#define ONE ((REAL)0)
#define TIMES(x, y) ((x) + (y))
#else
#define ONE ((REAL)1)
#define TIMES(x, y) ((x) * (y))
#endif

#define LOAD(f, i) (BIT(CACHED, f) ? local_cells[i] : TABLE(f, i))

/* Adds the product of all inputs at summed value S to the sums of the tile. */
#define BODY(S)                                                                                                        \
    {                                                                                                                  \
        REAL a[MAX_A], b[MAX_B];                                                                                       \
        REAL ab[MAX_AB];                                                                                               \
        bool a_set = false, b_set = false, ab_set = false;                                                             \
        UNROLLED for (int f = 0; f < NIN; f++)                                                                         \
        {                                                                                                              \
            int i0 = at[f] + meta[LOW_TABLE + (S) * NIN + f];                                                          \
            if (BIT(ON_A, f) && BIT(ON_B, f)) {                                                                        \
                UNROLLED for (int i = 0; i < RA; i++)                                                                  \
                {                                                                                                      \
                    UNROLLED for (int j = 0; j < RB; j++)                                                              \
                    {                                                                                                  \
                        REAL v = LOAD(f, i0 + TILE_A(f, i) + TILE_B(f, j));                                            \
                        ab[i * RB + j] = ab_set ? TIMES(ab[i * RB + j], v) : v;                                        \
                    }                                                                                                  \
                }                                                                                                      \
                ab_set = true;                                                                                         \
            } else if (BIT(ON_B, f)) {                                                                                 \
                UNROLLED for (int j = 0; j < RB; j++)                                                                  \
                {                                                                                                      \
                    REAL v = LOAD(f, i0 + TILE_B(f, j));                                                               \
                    b[j] = b_set ? TIMES(b[j], v) : v;                                                                 \
                }                                                                                                      \
                b_set = true;                                                                                          \
            } else if (BIT(ON_A, f)) {                                                                                 \
                UNROLLED for (int i = 0; i < RA; i++)                                                                  \
                {                                                                                                      \
                    REAL v = LOAD(f, i0 + TILE_A(f, i));                                                               \
                    a[i] = a_set ? TIMES(a[i], v) : v;                                                                 \
                }                                                                                                      \
                a_set = true;                                                                                          \
            } else {                                                                                                   \
                REAL v = LOAD(f, i0);                                                                                  \
                UNROLLED for (int i = 0; i < RA; i++)                                                                  \
                    a[i] = a_set ? TIMES(a[i], v) : v;                                                                 \
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
                ADD(i * RB + j, x, y);                                                                                 \
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

/* Cells of the tile: constants where the input is cached. */
#define TILE_A(f, i) (BIT(CACHED, f) ? (i) * (BIT(ON_B, f) ? RB : 1) : SIDE_A(f, i))
#define TILE_B(f, j) (BIT(CACHED, f) ? (j) : SIDE_B(f, j))

KERNEL(sumproduct)
{
    LOCAL_CELLS
    INPUTS
    const int t = (int)LOCAL_ID, threads = (int)LOCAL_SIZE;
    const int block = (int)GROUP_ID, low = block % BLOCK_LOWS, high = block / BLOCK_LOWS;
    /* tables in global memory: lanes, blocks, chunks, invalid, fill */
    GLOBAL const int *lane_table = table, *cut = table + (NIN + 1) * LANES;
    GLOBAL const int *low_blocks = cut + LANES, *high_blocks = low_blocks + (NIN + 1) * BLOCK_LOWS;
    GLOBAL const int *chunk_table = high_blocks + (NIN + 1) * BLOCK_HIGHS, *invalid = chunk_table + NIN * CHUNKS;
    bool active = t < LANES;
    const int lane = active ? t : 0;
    if (CUT_PARTS && block % CUT_PARTS == CUT_PARTS - 1 && cut[lane] >= CUT_LAST)
        active = false;
    const int reader = active ? lane : 0;
    int base[MAX_IN], at[MAX_IN];
    UNROLLED for (int f = 0; f < NIN; f++)
        base[f] = low_blocks[f * BLOCK_LOWS + low] + high_blocks[f * BLOCK_HIGHS + high];
    const int to = low_blocks[NIN * BLOCK_LOWS + low] + high_blocks[NIN * BLOCK_HIGHS + high] +
                   lane_table[NIN * LANES + reader];
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
            UNROLLED for (int f = 0; f < NIN; f++)
                at[f] = base[f] + meta[PAGE_TABLE + page * (NIN + 1) + f] + chunk_table[chunk * NIN + f];
            if (CACHED) {
                const int stale = invalid[page * CHUNKS + chunk];
                BARRIER; /* nobody reads what is filled now, */
                UNROLLED for (int f = 0; f < NIN; f++)
                {
                    if (BIT(CACHED, f) && BIT(stale, f)) {
                        GLOBAL const int *from = table + FILL_AT(f), *into = from + FILL_CELLS(f);
                        for (int i = t; i < FILL_CELLS(f); i += threads)
                            local_cells[into[i]] = TABLE(f, at[f] + from[i]);
                    }
                }
                BARRIER; /* nor before it is */
            }
            UNROLLED for (int f = 0; f < NIN; f++)
                at[f] = lane_table[f * LANES + reader] + (BIT(CACHED, f) ? 0 : at[f]);
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
            const int o = to + meta[PAGE_TABLE + page * (NIN + 1) + NIN];
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
