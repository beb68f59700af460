/* kernels/cpu: buckets in the papers' order (summed variables last, so that they are runs of cells), which the panels
 * turn a machine vector at a time: in double and float on every instruction set, against the naive reference. All
 * tables end where memory ends. */
#include <float.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "kernels/cpu/canon.h"
#include "kernels/cpu/panel.h"
#include "tests/unit/main.h"
#include "tests/unit/random_bucket.h"

enum { INPUTS = 3, OUTS = 5, SUMS = 4, RANK = OUTS + SUMS, MOST_CELLS = 20000 };

struct ordered {
    struct yk_bucket b;
    uint32_t domain[RANK], sum[SUMS], var[INPUTS + 1][RANK];
    struct yk_bucket_table input[INPUTS];
};

/* Memory for a table of doubles, behind which there is none. */
static char *edge(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (MOST_CELLS * sizeof(double) + page - 1) / page * page;
    char *base = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(base != MAP_FAILED);
    ck_assert_int_eq(mprotect(base + room, page, PROT_NONE), 0);
    return base + room;
}

/* Of each table, the output last; the same values in double. */
static char *end[INPUTS + 1];
static double exact[INPUTS][MOST_CELLS];
static long double want[MOST_CELLS];

static void draw(struct ordered *r, uint64_t seed)
{
    uint64_t z = seed * 0x9e3779b97f4a7c15u + 5;
    memset(r, 0, sizeof *r);
    const uint32_t nin = 2 + random_below(&z, INPUTS - 1), sums = 1 + random_below(&z, SUMS), rank = OUTS + sums;
    uint32_t scope[INPUTS + 1] = {0};
    double states = 1;
    for (uint32_t v = 0; v < rank; v++) {
        const uint32_t d = 1 + random_below(&z, v < OUTS ? 10 : 5) + (v >= OUTS);
        r->domain[v] = states * d <= MOST_CELLS ? d : 1; /* not too much for the reference */
        states *= r->domain[v];
    }
    for (uint32_t v = 0; v < rank; v++) {
        /* of the summed ones, half are in every table, as the bucket's variable is; others are one table's own */
        const bool all = v == OUTS || (v > OUTS && random_below(&z, 2));
        uint32_t in = all ? UINT32_MAX : v < OUTS ? 1 + random_below(&z, (1u << nin) - 1) : 1u << random_below(&z, nin);
        for (uint32_t t = 0; t < nin; t++)
            scope[t] |= (in >> t & 1) << v;
        scope[INPUTS] |= (uint32_t)(v < OUTS) << v;
    }
    /* one order for all tables; which summed variable is the fastest differs */
    uint32_t order[RANK];
    for (uint32_t v = 0; v < rank; v++)
        order[v] = v;
    random_shuffle(&z, order + OUTS, sums);
    for (uint32_t v = 0; v < sums; v++)
        r->sum[v] = OUTS + v;
    r->b = (struct yk_bucket){rank, r->domain, nin, r->input, {0}, sums, r->sum};
    for (uint32_t t = 0; t <= INPUTS; t++) {
        struct yk_bucket_table *to = t == INPUTS ? &r->b.out : &r->input[t];
        to->var = r->var[t];
        to->cells = 1;
        for (uint32_t i = 0; i < rank; i++)
            if (scope[t] >> order[i] & 1) {
                r->var[t][to->n++] = order[i];
                to->cells *= r->domain[order[i]];
            }
    }
}

static double tolerance(const struct yk_bucket *b, double eps)
{
    double terms = 1;
    for (uint32_t i = 0; i < b->nsum; i++)
        terms *= b->domain[b->sum[i]];
    return eps * (terms + b->ninputs);
}

static unsigned orders[YK_JOINT_K_SLOW + 1];

static void count_orders(const struct yk_canon *c, const struct yk_panel_isa *isa)
{
    struct yk_panel_shape s;
    ck_assert_int_eq(yk_panel_shape_init(&s, c, YK_PANEL_LANES, &isa->tile, 1), YK_OK);
    for (int side = 0; side < 2; side++)
        orders[s.joint_order[side]] += s.joint[side] && s.lanes != YK_K;
    yk_panel_shape_finish(&s);
}

#define CHECK(real, eps)                                                                                               \
    static void check_##real(const struct yk_panel_isa *isa, const struct ordered *r, uint64_t seed)                   \
    {                                                                                                                  \
        struct yk_canon c;                                                                                             \
        ck_assert_int_eq(yk_canon_init(&c, &r->b), YK_OK);                                                             \
        const real *value[INPUTS];                                                                                     \
        const double *doubles[INPUTS];                                                                                 \
        uint64_t z = seed;                                                                                             \
        for (uint32_t t = 0; t < r->b.ninputs; t++) {                                                                  \
            real *to = (real *)(void *)end[t] - r->input[t].cells;                                                     \
            for (size_t i = 0; i < r->input[t].cells; i++)                                                             \
                exact[t][i] = to[i] = (real)random_below(&z, 1000) / 999;                                              \
            value[t] = to;                                                                                             \
            doubles[t] = exact[t];                                                                                     \
        }                                                                                                              \
        yk_sumproduct_naive(&r->b, doubles, want);                                                                     \
        real *got = (real *)(void *)end[INPUTS] - r->b.out.cells;                                                      \
        for (size_t i = 0; c.nin && i < r->b.out.cells; i++)                                                           \
            got[i] = -7;                                                                                               \
        if (c.nin)                                                                                                     \
            ck_assert_int_eq(yk_panel_##real(isa, &c, value, got, 1 + (seed % 16 == 0)), YK_OK);                       \
        for (size_t i = 0; c.nin && i < r->b.out.cells; i++)                                                           \
            if (!(fabsl(got[i] - want[i]) <= (long double)tolerance(&r->b, eps) * want[i]))                            \
                ck_abort_msg("%s, " #real ", seed %llu, cell %zu: %.17g instead of %.17Lg", isa->name,                 \
                             (unsigned long long)seed, i, (double)got[i], want[i]);                                    \
        if (c.nin && sizeof(real) == sizeof(double))                                                                   \
            count_orders(&c, isa);                                                                                     \
        yk_canon_finish(&c);                                                                                           \
    }

CHECK(double, DBL_EPSILON)
CHECK(float, FLT_EPSILON)

START_TEST(ordered_buckets_agree_with_naive)
{
    const struct yk_panel_isa *all[] = {
        &yk_panel_base,
#if defined(__x86_64__)
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &yk_panel_avx2 : NULL,
        __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") ? &yk_panel_avx512 : NULL,
#endif
    };
    for (int t = 0; t <= INPUTS; t++)
        end[t] = edge();
    const uint64_t n = getenv("YOKE_NIGHTLY") ? 10000 : 1000;
    for (uint64_t seed = 0; seed < n; seed++) {
        struct ordered r;
        draw(&r, seed);
        ck_assert_int_eq(yk_bucket_check(&r.b, NULL, 0), YK_OK);
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            if (all[i]) {
                check_double(all[i], &r, seed);
                check_float(all[i], &r, seed);
            }
    }
    for (int i = 0; i <= YK_JOINT_K_SLOW; i++)
        ck_assert_msg(orders[i] > 0, "only %u buckets whose joint runs have order %d", orders[i], i);
}
END_TEST

YK_TEST_MAIN("panels", ordered_buckets_agree_with_naive)
