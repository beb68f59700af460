/* shim/merge/diff.h: against its slow twin, at any alignment, and against what devices really leave behind. */
#include <check.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "shim/merge/diff.h"
#include "tests/unit/main.h"

enum { MAX = 700 };

/* Stands in for base's: arrays that cannot grow, once so many have. */
static unsigned allocations = UINT_MAX;
bool yk_array_grow_(void **v, size_t *cap, size_t need, size_t size)
{
    if (!allocations)
        return false;
    allocations--;
    void *p = realloc(*v, 2 * need * size);
    if (p) {
        *v = p;
        *cap = 2 * need;
    }
    return p != NULL;
}

/* Change some bytes of D: single ones, runs, whole blocks, or none. */
static void scatter(unsigned char *d, size_t n)
{
    for (int k = rand() % 6; k-- > 0 && n;) {
        size_t at = (size_t)rand() % n, len = rand() % 3 ? 1 : (size_t)rand() % (n - at) + 1;
        for (size_t i = at; i < at + len; i++)
            d[i] = (unsigned char)rand();
    }
}

static void fill(unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (unsigned char)rand();
}

START_TEST(merge_equals_its_twin)
{
    static unsigned char s[MAX + 64], d[MAX + 64], m[MAX + 64], want[MAX + 64];
    srand(1);
    for (int round = 0; round < 60000; round++) {
        size_t n = (size_t)rand() % MAX, a = rand() % 40, b = rand() % 40, c = rand() % 40;
        fill(s + a, n);
        memcpy(d + b, s + a, n);
        scatter(d + b, n);
        fill(m, sizeof m);
        memcpy(want, m, sizeof m);
        size_t changed = yk_diff_merge_slow(want + c, d + b, s + a, n);
        ck_assert_uint_eq(yk_diff_merge(m + c, d + b, s + a, n), changed);
        if (memcmp(m, want, sizeof m)) /* the bytes around it too */
            ck_abort_msg("n %zu, alignments %zu %zu %zu", n, a, b, c);
    }
}
END_TEST

START_TEST(the_twin_by_hand)
{
    unsigned char s[] = "aaaaaa", d[] = "abaaca", m[] = "xyzuvw";
    ck_assert_uint_eq(yk_diff_merge_slow(m, d, s, 6), 2);
    ck_assert_str_eq((char *)m, "xbzucw");
    ck_assert_uint_eq(yk_diff_merge_slow(m, d, s, 0), 0);
}
END_TEST

/* Nothing but one byte tells a block from the one before, and half of it from the other. */
START_TEST(one_byte_among_equal_ones)
{
    enum { N = 256 };
    static unsigned char s[N], d[N], m[N];
    for (size_t at = 0; at < N; at++) {
        struct yk_diff_runs r = {0};
        d[at] = 1;
        ck_assert_int_eq(yk_diff_find(d, s, N, 0, 1, &r), YK_OK);
        ck_assert(r.run.n == 1 && r.run.v[0].off == at && r.run.v[0].len == 1);
        yk_array_finish(&r.run);
        ck_assert_uint_eq(yk_diff_merge(m, d, s, N), 1);
        ck_assert(!memcmp(m, d, N));
        d[at] = m[at] = 0;
    }
    memset(s, 1, N);
    memset(d, 1, N);
    for (size_t at = 0; at < N; at++) { /* and what was there before it too */
        struct yk_diff_runs r = {0};
        s[at] = 0;
        ck_assert_int_eq(yk_diff_find(d, s, N, 0, 1, &r), YK_OK);
        ck_assert(r.run.n == 1 && r.run.v[0].off == at && r.run.v[0].len == 1);
        yk_array_finish(&r.run);
        s[at] = 1;
    }
}
END_TEST

START_TEST(without_memory_for_runs)
{
    enum { N = 256 };
    static unsigned char s[N], d[N];
    for (size_t i = 0; i < N; i += 2)
        d[i] = 1;
    for (unsigned left = 0;; left++) {
        struct yk_diff_runs r = {0};
        allocations = left;
        yk_status st = yk_diff_find(d, s, N, 0, 1, &r);
        bool all = st == YK_OK;
        allocations = UINT_MAX;
        ck_assert(all || st == YK_ENOMEM);
        ck_assert(!all || r.run.n == N / 2);
        yk_array_finish(&r.run);
        if (all) {
            ck_assert_uint_gt(left, 0);
            break;
        }
    }
}
END_TEST

START_TEST(merging_into_the_snapshot)
{
    unsigned char s[300], d[300];
    fill(s, sizeof s);
    fill(d, sizeof d);
    memcpy(d + 100, s + 100, 90);
    yk_diff_merge(s, d, s, sizeof s);
    ck_assert(!memcmp(s, d, sizeof s));
}
END_TEST

START_TEST(every_byte_changed_is_counted)
{
    static unsigned char s[100000], d[100000], m[100000];
    memset(d, 255, sizeof d);
    ck_assert_uint_eq(yk_diff_merge(m, d, s, sizeof s), sizeof s);
    ck_assert(!memcmp(m, d, sizeof m));
}
END_TEST

/* Devices own bytes at random, in place: the merge of all gives what one device would. */
START_TEST(shares_of_a_race_free_kernel_come_together)
{
    enum { N = 500, DEVICES = 4 };
    static unsigned char before[N], want[N], out[DEVICES][N], master[N];
    srand(2);
    for (int round = 0; round < 3000; round++) {
        fill(before, N);
        memcpy(want, before, N);
        memcpy(master, before, N);
        for (int k = 0; k < DEVICES; k++)
            memcpy(out[k], before, N);
        for (size_t i = 0; i < N; i++) {
            int owner = rand() % (DEVICES + 1); /* DEVICES: written by nobody */
            unsigned char value = rand() % 4 ? (unsigned char)rand() : before[i];
            if (owner < DEVICES)
                want[i] = out[owner][i] = value;
        }
        for (int k = 0; k < DEVICES; k++)
            yk_diff_merge(master, out[k], before, N);
        ck_assert(!memcmp(master, want, N));
    }
}
END_TEST

START_TEST(runs_are_exactly_the_changed_bytes)
{
    static unsigned char s[MAX + 64], d[MAX + 64];
    srand(4);
    for (int round = 0; round < 20000; round++) {
        size_t n = (size_t)rand() % MAX, a = rand() % 40, b = rand() % 40, gap = (size_t)rand() % 80, base = rand() % 9;
        fill(s + a, n);
        memcpy(d + b, s + a, n);
        scatter(d + b, n);
        struct yk_diff_runs r = {0};
        ck_assert_int_eq(yk_diff_find(d + b, s + a, n, base, gap, &r), YK_OK);
        size_t at = 0;
        for (size_t k = 0; k < r.run.n; k++) {
            size_t off = r.run.v[k].off - base, end = off + r.run.v[k].len, equal = 0;
            if (end > n || off < at || (k && off - at < (gap ? gap : 1)))
                ck_abort_msg("run %zu", k);
            for (; at < off; at++)
                if (d[b + at] != s[a + at])
                    ck_abort_msg("byte %zu is in no run", at);
            if (d[b + off] == s[a + off] || d[b + end - 1] == s[a + end - 1])
                ck_abort_msg("run %zu does not begin and end with a change", k);
            for (; at < end; at++) {
                equal = d[b + at] == s[a + at] ? equal + 1 : 0;
                if (equal && equal >= (gap ? gap : 1))
                    ck_abort_msg("run %zu spans a gap", k);
            }
        }
        for (; at < n; at++)
            if (d[b + at] != s[a + at])
                ck_abort_msg("byte %zu is in no run", at);
        yk_array_finish(&r.run);
    }
}
END_TEST

START_TEST(runs_of_two_calls_are_kept_apart)
{
    struct yk_diff_runs r = {0};
    ck_assert_int_eq(yk_diff_find("bb", "aa", 2, 0, 100, &r), YK_OK);
    ck_assert_int_eq(yk_diff_find("bb", "aa", 2, 2, 100, &r), YK_OK);
    ck_assert_uint_eq(r.run.n, 2);
    ck_assert_uint_eq(r.run.v[1].off, 2);
    yk_array_finish(&r.run);
}
END_TEST

YK_TEST_MAIN("diff", merge_equals_its_twin, the_twin_by_hand, one_byte_among_equal_ones, without_memory_for_runs,
             merging_into_the_snapshot, every_byte_changed_is_counted, shares_of_a_race_free_kernel_come_together,
             runs_are_exactly_the_changed_bytes, runs_of_two_calls_are_kept_apart)
