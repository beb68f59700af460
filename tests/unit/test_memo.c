/* kernels/gpu/memo.h: a choice comes back for the same bucket, device and options, and for nothing else. */
#include "kernels/gpu/memo.h"
#include <check.h>
#include <string.h>
#include "tests/unit/cache_device.h"
#include "tests/unit/main.h"

/* A matrix product: out[a b] = sum over k of x[a k] y[b k]. */
static const struct yk_cache_bucket bucket = {
    .nvars = 3, .nout = 2, .domain = {40, 50, 60}, .nin = 2, .stride = {{60, 0, 1}, {0, 60, 1}, {50, 1, 0}}};
static const struct yk_cache_options options = {.cell = 8, .policy = YK_CACHE_LIFETIME};

static bool same(struct yk_hash a, struct yk_hash b)
{
    return a.lo == b.lo && a.hi == b.hi;
}

/* Whatever the planner reads is in the key: change it, and the key is another. */
START_TEST(everything_counts)
{
    const struct yk_hash key = yk_gpu_memo_key(&bucket, &small, &options);
    ck_assert(same(key, yk_gpu_memo_key(&bucket, &small, &options)));
#define OTHER(what, change)                                                                                            \
    do {                                                                                                               \
        struct yk_cache_bucket b = bucket;                                                                             \
        struct yk_cache_device d = small;                                                                              \
        struct yk_cache_options o = options;                                                                           \
        what.change;                                                                                                   \
        ck_assert_msg(!same(key, yk_gpu_memo_key(&b, &d, &o)), #what "." #change);                                     \
    } while (0)
    OTHER(b, nvars = 2);
    OTHER(b, nout = 1);
    OTHER(b, nin = 1);
    for (int v = 0; v < 3; v++) {
        OTHER(b, domain[v]++);
        for (int t = 0; t < 3; t++)
            OTHER(b, stride[t][v]++);
    }
    OTHER(d, units++);
    OTHER(d, threads++);
    OTHER(d, group++);
    OTHER(d, local_block++);
    OTHER(d, local_unit++);
    OTHER(d, flops *= 2);
    OTHER(d, bytes *= 2);
    OTHER(d, inner_bytes *= 2);
    OTHER(d, local_bytes *= 2);
    OTHER(d, async = true);
    OTHER(o, cell = 4);
    OTHER(o, policy = YK_CACHE_SMALLEST);
    OTHER(o, policy = YK_CACHE_NONE);
    OTHER(o, no_tile = true);
    OTHER(o, threads = 32);
    OTHER(o, pages = 1);
    OTHER(o, local = 600);
#undef OTHER
    /* What lies behind the variables and tables there are does not. */
    struct yk_cache_bucket b = bucket;
    b.domain[3] = 7;
    b.stride[0][3] = 7;
    b.stride[3][0] = 7;
    ck_assert(same(key, yk_gpu_memo_key(&b, &small, &options)));
}
END_TEST

START_TEST(a_choice_comes_back)
{
    struct yk_gpu_memo m = {0};
    struct yk_gpu_choice c = {.key = {5, 6}, .software = true, .cut = {.lanes = 32, .fast = 16, .lows = 4}};
    ck_assert_ptr_null(yk_gpu_memo_get(&m, c.key)); /* nothing is there yet, no memory neither */
    yk_gpu_memo_put(&m, &c);
    const struct yk_gpu_choice *got = yk_gpu_memo_get(&m, c.key);
    ck_assert_ptr_nonnull(got);
    ck_assert(got->software && got->cut.lanes == 32 && got->cut.fast == 16 && got->cut.lows == 4);
    /* The same place under another name, and a place that nobody took, whose key happens to be the empty slot's. */
    ck_assert_ptr_null(yk_gpu_memo_get(&m, (struct yk_hash){5, 7}));
    ck_assert_ptr_null(yk_gpu_memo_get(&m, (struct yk_hash){5 + ((uint64_t)1 << 40), 6}));
    ck_assert_ptr_null(yk_gpu_memo_get(&m, (struct yk_hash){0, 0}));
    /* A later choice takes the place. */
    c.key.hi = 7;
    c.cut.lanes = 64;
    yk_gpu_memo_put(&m, &c);
    ck_assert_ptr_null(yk_gpu_memo_get(&m, (struct yk_hash){5, 6}));
    got = yk_gpu_memo_get(&m, c.key);
    ck_assert(got && got->cut.lanes == 64);
    yk_gpu_memo_finish(&m);
    ck_assert_ptr_null(yk_gpu_memo_get(&m, c.key));
    yk_gpu_memo_finish(&m);
}
END_TEST

/* A remembered cut gives the plan that the search found. */
START_TEST(a_remembered_cut_is_the_same_plan)
{
    struct yk_gpu_memo m = {0};
    for (uint32_t n = 2; n <= 64; n++) {
        struct yk_cache_bucket b = bucket;
        b.domain[0] = n;
        b.domain[2] = 66 - n;
        b.stride[0][0] = b.stride[1][1] = 66 - (int32_t)n;
        struct yk_cache_plan p, again;
        ck_assert_int_eq(yk_cache_plan_init(&p, &b, &small, &options), YK_OK);
        struct yk_gpu_choice c = {.key = yk_gpu_memo_key(&b, &small, &options), .software = true, .cut = p.taken};
        yk_gpu_memo_put(&m, &c);
        const struct yk_gpu_choice *got = yk_gpu_memo_get(&m, c.key);
        ck_assert_ptr_nonnull(got);
        ck_assert_int_eq(yk_cache_plan_again(&again, &b, &small, &options, &got->cut), YK_OK);
        ck_assert(p.seconds == again.seconds && p.lanes == again.lanes && p.lows == again.lows);
        ck_assert(p.chunks == again.chunks && p.pages == again.pages && p.blocks == again.blocks);
        ck_assert(p.local_cells == again.local_cells && p.hit_rate == again.hit_rate && p.ahead == again.ahead);
        ck_assert(p.roles.a.extent == again.roles.a.extent && p.roles.b.extent == again.roles.b.extent);
        for (uint32_t f = 0; f < p.nin; f++)
            ck_assert(p.input[f].cached == again.input[f].cached && p.input[f].cells == again.input[f].cells);
        yk_cache_plan_finish(&p);
        yk_cache_plan_finish(&again);
    }
    yk_gpu_memo_finish(&m);
}
END_TEST

YK_TEST_MAIN("memo", everything_counts, a_choice_comes_back, a_remembered_cut_is_the_same_plan)
