/* kernels/gpu/pool.h: blocks are taken again, never given to two, and none is lost, against a driver that counts. */
#include "kernels/gpu/pool.h"
#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/main.h"
#include "tests/unit/random_bucket.h"

enum { BLOCKS = 4096 };

/* A driver with MEMORY bytes; addresses are never used twice. */
struct driver {
    size_t memory, taken;
    unsigned takes, returns, refusals;
    size_t bytes[BLOCKS]; /* of the block at address i + 1; 0: not taken */
};

static yk_status take(void *ctx, size_t bytes, uint64_t *at)
{
    struct driver *d = ctx;
    if (d->taken + bytes > d->memory) {
        d->refusals++;
        return YK_EDEVMEM;
    }
    ck_assert_uint_lt(d->takes, BLOCKS);
    d->bytes[d->takes] = bytes;
    d->taken += bytes;
    *at = ++d->takes;
    return YK_OK;
}

static void give_back(void *ctx, uint64_t at)
{
    struct driver *d = ctx;
    ck_assert_msg(at >= 1 && at <= d->takes && d->bytes[at - 1], "block %llu is not taken", (unsigned long long)at);
    d->taken -= d->bytes[at - 1];
    d->bytes[at - 1] = 0;
    d->returns++;
}

static struct driver driver;

static struct yk_gpu_pool pool(size_t memory, size_t most)
{
    memset(&driver, 0, sizeof driver);
    driver.memory = memory;
    return (struct yk_gpu_pool){.take = take, .give_back = give_back, .ctx = &driver, .most = most};
}

START_TEST(a_block_is_taken_again)
{
    struct yk_gpu_pool p = pool(1 << 20, 1 << 20);
    uint64_t a, b, c;
    ck_assert_int_eq(yk_gpu_pool_alloc(&p, 1000, &a), YK_OK);
    yk_gpu_pool_free(&p, a);
    ck_assert_uint_eq(p.kept, driver.taken);
    ck_assert_int_eq(yk_gpu_pool_alloc(&p, 1000, &b), YK_OK);
    ck_assert_uint_eq(a, b);
    ck_assert_uint_eq(p.kept, 0);
    /* In use: the next one is another. */
    ck_assert_int_eq(yk_gpu_pool_alloc(&p, 1000, &c), YK_OK);
    ck_assert(c != b);
    ck_assert_uint_eq(driver.takes, 2);
    /* What the pool does not know is none of its business; nor is a block that was freed already. */
    yk_gpu_pool_free(&p, 99);
    yk_gpu_pool_free(&p, c);
    yk_gpu_pool_free(&p, c);
    ck_assert_uint_eq(p.nidle, 1);
    ck_assert_uint_eq(driver.returns, 0);
    yk_gpu_pool_free(&p, b);
    yk_gpu_pool_finish(&p);
    ck_assert_uint_eq(driver.taken, 0);
    ck_assert_uint_eq(driver.returns, 2);
}
END_TEST

/* Each size gets at least what was asked for and at most an eighth more, a multiple of 256 from there on. */
START_TEST(sizes_are_rounded_up_by_little)
{
    struct yk_gpu_pool p = pool(SIZE_MAX, 0);
    for (size_t n = 0; n < (size_t)1 << 40; n = n < 600 ? n + 1 : n + n / 13 + 1) {
        uint64_t at;
        ck_assert_int_eq(yk_gpu_pool_alloc(&p, n, &at), YK_OK);
        size_t got = driver.bytes[at - 1];
        ck_assert_msg(got >= n && got >= 1 && got % 256 == 0, "%zu bytes for %zu", got, n);
        ck_assert_msg(n < 4096 ? got < n + 512 : got - n <= n / 8, "%zu bytes for %zu", got, n);
        yk_gpu_pool_free(&p, at);
        ck_assert_uint_eq(driver.taken, 0); /* none are kept */
    }
    /* What no rounding can hold is asked for as it is. */
    uint64_t at;
    driver.memory = 1 << 20;
    ck_assert_int_eq(yk_gpu_pool_alloc(&p, SIZE_MAX, &at), YK_EDEVMEM);
    ck_assert_uint_eq(p.nused, 0);
    yk_gpu_pool_finish(&p);
}
END_TEST

/* Where the driver has no more, what lies idle is given back and the driver asked again. */
START_TEST(idle_blocks_make_room)
{
    struct yk_gpu_pool p = pool(1 << 20, 1 << 20);
    uint64_t a, b, c;
    ck_assert_int_eq(yk_gpu_pool_alloc(&p, 400 << 10, &a), YK_OK);
    ck_assert_int_eq(yk_gpu_pool_alloc(&p, 500 << 10, &b), YK_OK);
    yk_gpu_pool_free(&p, a);
    ck_assert_int_eq(yk_gpu_pool_alloc(&p, 300 << 10, &c), YK_OK);
    ck_assert_uint_eq(driver.refusals, 1);
    ck_assert_uint_eq(driver.returns, 1);
    ck_assert_uint_eq(p.kept, 0);
    /* Nothing idle is left: the driver's word is final, and nobody's block is touched. */
    ck_assert_int_eq(yk_gpu_pool_alloc(&p, 300 << 10, &a), YK_EDEVMEM);
    ck_assert_uint_eq(driver.refusals, 2);
    ck_assert_uint_eq(driver.returns, 1);
    yk_gpu_pool_free(&p, b);
    yk_gpu_pool_free(&p, c);
    yk_gpu_pool_finish(&p);
    ck_assert_uint_eq(driver.taken, 0);
}
END_TEST

START_TEST(no_more_is_kept_than_allowed)
{
    struct yk_gpu_pool p = pool(1 << 20, 4096);
    uint64_t at[8];
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(yk_gpu_pool_alloc(&p, 1024, &at[i]), YK_OK);
    for (int i = 0; i < 8; i++)
        yk_gpu_pool_free(&p, at[i]);
    ck_assert_uint_eq(p.nidle, 4);
    ck_assert_uint_eq(p.kept, 4096);
    ck_assert_uint_eq(driver.taken, 4096);
    yk_gpu_pool_finish(&p);
    ck_assert_uint_eq(driver.taken, 0);
}
END_TEST

/* Random takes and frees: no two owners of one block, the books agree, nothing is lost. */
START_TEST(books_agree)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        uint64_t s = seed, have[200];
        size_t asked[200];
        unsigned n = 0, refused = 0;
        struct yk_gpu_pool p = pool(1 << 16, 1u << (10 + seed % 7));
        for (int i = 0; i < 1000; i++) {
            if (n < 200 && random_below(&s, 5) < 3) {
                size_t want = 1 + random_below(&s, 1u << (4 + random_below(&s, 9)));
                uint64_t at;
                yk_status st = yk_gpu_pool_alloc(&p, want, &at);
                if (st != YK_OK) {
                    ck_assert_int_eq(st, YK_EDEVMEM);
                    ck_assert_uint_eq(p.kept, 0);
                    refused++;
                    continue;
                }
                for (unsigned k = 0; k < n; k++)
                    ck_assert_msg(have[k] != at, "seed %llu: a block with two owners", (unsigned long long)seed);
                ck_assert_uint_ge(driver.bytes[at - 1], want);
                asked[n] = want;
                have[n++] = at;
            } else if (n) {
                unsigned k = random_below(&s, n);
                ck_assert_uint_ge(driver.bytes[have[k] - 1], asked[k]);
                yk_gpu_pool_free(&p, have[k]);
                have[k] = have[--n];
                asked[k] = asked[n];
            }
            size_t used = 0;
            for (size_t k = 0; k < p.nused; k++)
                used += p.used[k].bytes;
            ck_assert_uint_eq(p.nused, n);
            ck_assert_uint_eq(used + p.kept, driver.taken);
            ck_assert_uint_le(p.kept, p.most);
        }
        ck_assert_uint_gt(refused, 0);
        while (n)
            yk_gpu_pool_free(&p, have[--n]);
        yk_gpu_pool_finish(&p);
        ck_assert_uint_eq(driver.taken, 0);
    }
}
END_TEST

YK_TEST_MAIN("pool", a_block_is_taken_again, sizes_are_rounded_up_by_little, idle_blocks_make_room,
             no_more_is_kept_than_allowed, books_agree)
