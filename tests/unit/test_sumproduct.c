/* kernels/: every implementation of the sum-product against the naive reference on random buckets. */
#include <float.h>
#include <stdio.h>
#include "kernels/cpu/canon.h"
#include "kernels/cpu/memo.h"
#include "kernels/cpu/model.h"
#include "kernels/cpu/panel.h"
#include "kernels/cpu/stream.h"
#include "tests/unit/main.h"
#include "tests/unit/random_bucket.h"

/* Under a sanitizer the first of them: what it looks for does not depend on how many there are, and it is ten times
 * slower. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { PER_COMMIT = 250 };
#else
enum { PER_COMMIT = 1000 };
#endif

static uint64_t buckets(void)
{
    return getenv("YOKE_NIGHTLY") ? 10 * PER_COMMIT : PER_COMMIT;
}

static void *take(size_t n)
{
    void *p = malloc(n + 1);
    ck_assert(p);
    return p;
}

/* Rounding steps of one output: every product and every addition rounds once; a term with ninputs factors has ninputs -
 * 1 of the former. Non-negative values only: there is no cancellation. */
static double bound(const struct yk_bucket *b, double eps)
{
    double terms = 1;
    for (uint32_t i = 0; i < b->nsum; i++)
        terms *= b->domain[b->sum[i]];
    return eps * (terms + b->ninputs);
}

static void compare(const struct random_bucket *r, uint64_t seed, const char *what, const double *got,
                    const long double *want, double rel, double abs)
{
    for (size_t i = 0; i < r->b.out.cells; i++) {
        double d = (double)fabsl(got[i] - want[i]);
        if (!(d <= rel * (double)want[i] + abs))
            ck_abort_msg("%s, seed %llu, cell %zu: %.17g instead of %.17Lg", what, (unsigned long long)seed, i, got[i],
                         want[i]);
    }
}

typedef yk_status (*implementation)(const struct yk_bucket *b, const double *const *in, double *out, int threads);

static yk_status stream(const struct yk_bucket *b, const double *const *in, double *out, int threads)
{
    struct yk_canon c;
    yk_status s = yk_canon_init(&c, b);
    if (s != YK_OK)
        return s;
    s = yk_stream_double(&c, in, out, threads);
    yk_canon_finish(&c);
    return s;
}

static const struct yk_panel_isa *isa;

static yk_status panel(const struct yk_bucket *b, const double *const *in, double *out, int threads)
{
    struct yk_canon c;
    yk_status s = yk_canon_init(&c, b);
    if (s != YK_OK)
        return s;
    s = c.nin ? yk_panel_double(isa, &c, in, out, threads) : yk_stream_double(&c, in, out, threads);
    yk_canon_finish(&c);
    return s;
}

static void check_double(implementation f, const char *what, uint64_t n, double log2_states, int threads)
{
    for (uint64_t seed = 0; seed < n; seed++) {
        struct random_bucket r;
        random_bucket_init(&r, seed, log2_states);
        ck_assert_int_eq(yk_bucket_check(&r.b, NULL, 0), YK_OK);
        long double *want = take(r.b.out.cells * sizeof *want);
        double *got = take((r.b.out.cells + 2) * sizeof *got);
        got[0] = got[r.b.out.cells + 1] = -7;
        yk_sumproduct_naive(&r.b, (const double *const *)r.value, want);
        ck_assert_int_eq(f(&r.b, (const double *const *)r.value, got + 1, threads), YK_OK);
        compare(&r, seed, what, got + 1, want, bound(&r.b, DBL_EPSILON), 0);
        ck_assert(got[0] == -7 && got[r.b.out.cells + 1] == -7);
        free(want);
        free(got);
        random_bucket_finish(&r);
    }
}

START_TEST(cpu_agrees_with_naive)
{
    check_double(yk_sumproduct_cpu, "cpu", buckets(), 13, 1);
}
END_TEST

START_TEST(cpu_agrees_with_naive_on_threads)
{
    check_double(yk_sumproduct_cpu, "cpu, threads", buckets() / 10, 18, 3);
}
END_TEST

START_TEST(stream_agrees_with_naive)
{
    check_double(stream, "stream", buckets(), 12, 1);
    check_double(stream, "stream, threads", buckets() / 10, 12, 3);
}
END_TEST

START_TEST(panels_agree_with_naive_on_every_instruction_set)
{
    const struct yk_panel_isa *all[] = {
        &yk_panel_base,
#if defined(__x86_64__)
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &yk_panel_avx2 : NULL,
        __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") ? &yk_panel_avx512 : NULL,
#endif
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!(isa = all[i]))
            continue;
        check_double(panel, isa->name, buckets(), 13, 1);
        check_double(panel, isa->name, buckets() / 20, 17, 3);
    }
}
END_TEST

START_TEST(float_agrees_with_naive)
{
    for (uint64_t seed = 0; seed < buckets(); seed++) {
        struct random_bucket r;
        random_bucket_init(&r, seed, 12);
        float *in[RANDOM_INPUTS], *out = take(r.b.out.cells * sizeof *out);
        for (uint32_t t = 0; t < r.b.ninputs; t++) {
            in[t] = take(r.input[t].cells * sizeof *in[t]);
            for (size_t i = 0; i < r.input[t].cells; i++)
                r.value[t][i] = in[t][i] = (float)r.value[t][i];
        }
        long double *want = take(r.b.out.cells * sizeof *want);
        double *got = take(r.b.out.cells * sizeof *got);
        yk_sumproduct_naive(&r.b, (const double *const *)r.value, want);
        ck_assert_int_eq(yk_sumproduct_cpu_f(&r.b, (const float *const *)in, out, 1), YK_OK);
        for (size_t i = 0; i < r.b.out.cells; i++)
            got[i] = out[i];
        compare(&r, seed, "float", got, want, bound(&r.b, FLT_EPSILON), FLT_MIN);
        for (uint32_t t = 0; t < r.b.ninputs; t++)
            free(in[t]);
        free(out);
        free(want);
        free(got);
        random_bucket_finish(&r);
    }
}
END_TEST

START_TEST(log_agrees_with_naive_and_does_not_underflow)
{
    for (uint64_t seed = 0; seed < buckets() / 2; seed++) {
        struct random_bucket r;
        random_bucket_init(&r, seed, 11);
        /* Logarithms 5000 below what a double can hold as a number. */
        double *in[RANDOM_INPUTS], *got = take(r.b.out.cells * sizeof *got);
        for (uint32_t t = 0; t < r.b.ninputs; t++) {
            in[t] = take(r.input[t].cells * sizeof *in[t]);
            for (size_t i = 0; i < r.input[t].cells; i++)
                in[t][i] = log2(r.value[t][i]) - 5000;
        }
        long double *want = take(r.b.out.cells * sizeof *want);
        yk_sumproduct_naive(&r.b, (const double *const *)r.value, want);
        ck_assert_int_eq(yk_sumproduct_cpu_log(&r.b, (const double *const *)in, got, 1), YK_OK);
        for (size_t i = 0; i < r.b.out.cells; i++) {
            ck_assert_msg((want[i] == 0) == (got[i] == -INFINITY), "seed %llu", (unsigned long long)seed);
            if (want[i] > 0)
                ck_assert_msg(fabs(got[i] + 5000.0 * r.b.ninputs - (double)log2l(want[i])) < 1e-9,
                              "seed %llu cell %zu: %g", (unsigned long long)seed, i, got[i]);
        }
        for (uint32_t t = 0; t < r.b.ninputs; t++)
            free(in[t]);
        free(got);
        free(want);
        random_bucket_finish(&r);
    }
}
END_TEST

START_TEST(a_matrix_product_by_hand)
{
    const uint32_t domain[] = {2, 3, 2}, va[] = {0, 1}, vb[] = {1, 2}, vo[] = {0, 2}, vs[] = {1};
    const struct yk_bucket_table input[] = {{2, va, 6}, {2, vb, 6}};
    const struct yk_bucket b = {3, domain, 2, input, {2, vo, 4}, 1, vs};
    const double x[] = {1, 2, 3, 4, 5, 6}, y[] = {7, 8, 9, 10, 11, 12}, want[] = {58, 64, 139, 154};
    const double *const in[] = {x, y};
    double out[4];
    ck_assert_int_eq(yk_sumproduct_cpu(&b, in, out, 1), YK_OK);
    for (int i = 0; i < 4; i++)
        ck_assert(out[i] == want[i]);
    ck_assert(yk_bucket_operations(&b) == 12);
    ck_assert(yk_bucket_cells(&b) == 16);
}
END_TEST

START_TEST(bad_buckets_are_refused)
{
    const uint32_t domain[] = {2, 3}, v01[] = {0, 1}, v00[] = {0, 0}, v9[] = {9}, v1[] = {1}, zero[] = {2, 0};
    const struct yk_bucket_table good = {2, v01, 6}, one = {1, v01, 2};
    const struct yk_bucket ok = {2, domain, 1, &good, one, 1, v1};
    const double x[6] = {0}, *const in[] = {x};
    double out[6];
    char msg[100];
    ck_assert_int_eq(yk_bucket_check(&ok, msg, sizeof msg), YK_OK);
#define REFUSED(...)                                                                                                   \
    do {                                                                                                               \
        struct yk_bucket b = ok;                                                                                       \
        __VA_ARGS__;                                                                                                   \
        msg[0] = 0;                                                                                                    \
        ck_assert(yk_bucket_check(&b, msg, sizeof msg) != YK_OK && msg[0]);                                            \
        ck_assert(yk_sumproduct_cpu(&b, in, out, 1) != YK_OK);                                                         \
    } while (0)
    const struct yk_bucket_table cells = {2, v01, 7}, twice = {2, v00, 4}, range = {1, v9, 2};
    REFUSED(b.input = &cells);
    REFUSED(b.input = &twice);
    REFUSED(b.input = &range);
    REFUSED(b.domain = zero);
    REFUSED(b.nsum = 0);
    REFUSED(b.sum = v01);
    REFUSED(b.sum = v9);
    REFUSED(b.ninputs = 0);
    REFUSED(b.rank = 65);
    const uint32_t huge[] = {UINT32_MAX, UINT32_MAX};
    REFUSED(b.domain = huge);
}
END_TEST

/* Large tables read once or a few times are swept in their order: random buckets of that kind, in every role of a
 * variable, the large table first or last, blocks cut where domains do not divide. */
START_TEST(swept_tables_agree_with_naive)
{
    int swept = 0;
    for (uint64_t seed = 0; seed < buckets() / 25; seed++) {
        uint64_t z = seed * 0x9e3779b97f4a7c15u + 7;
        uint32_t domain[12], var[3][12], sum[12], large = 5 + random_below(&z, 3), rank = large + 1, sums = 0;
        struct yk_bucket_table table[3] = {{0, var[0], 1}, {0, var[1], 1}, {0, var[2], 1}};
        double cells = 1;
        for (uint32_t v = 0; v < large; v++)
            cells *= domain[v] = 2 + random_below(&z, 9);
        for (uint32_t v = 0; cells < 140e3; v = (v + 1) % large) {
            cells = cells / domain[v] * (domain[v] + 1);
            domain[v]++;
        }
        if (cells > 2e6) /* too much for the reference */
            continue;
        domain[large] = 1 + random_below(&z, 9);
        const uint32_t big = random_below(&z, 2);
        for (uint32_t v = 0; v < rank; v++) {
            const bool summed = v == large - 1 || (v && v < large && random_below(&z, 5) == 0);
            if (summed)
                sum[sums++] = v;
            const bool in[3] = {v < large, v == large || v == large - 1 || random_below(&z, 3) == 0, !summed};
            for (int t = 0; t < 3; t++)
                if (in[t]) {
                    struct yk_bucket_table *to = &table[t == 2 ? 2 : big ? 1 - t : t];
                    var[to - table][to->n++] = v;
                    to->cells *= domain[v];
                }
        }
        for (int t = 0; t < 3; t++)
            if (random_below(&z, 2)) /* not all in one order */
                random_shuffle(&z, var[t], table[t].n);
        const struct yk_bucket b = {rank, domain, 2, table, table[2], sums, sum};
        ck_assert_int_eq(yk_bucket_check(&b, NULL, 0), YK_OK);
        double *in[2], *got = take((b.out.cells + 2) * sizeof *got);
        for (int t = 0; t < 2; t++) {
            in[t] = take(table[t].cells * sizeof *in[t]);
            for (size_t i = 0; i < table[t].cells; i++)
                in[t][i] = (double)random_below(&z, 1000) / 999;
        }
        long double *want = take(b.out.cells * sizeof *want);
        yk_sumproduct_naive(&b, (const double *const *)in, want);
        for (int threads = 1; threads <= 3; threads += 2) {
            got[0] = got[b.out.cells + 1] = -7;
            ck_assert_int_eq(yk_sumproduct_cpu(&b, (const double *const *)in, got + 1, threads), YK_OK);
            for (size_t i = 0; i < b.out.cells; i++)
                ck_assert_msg(fabsl(got[i + 1] - want[i]) <= (long double)bound(&b, DBL_EPSILON) * want[i],
                              "seed %llu, cell %zu: %.17g instead of %.17Lg", (unsigned long long)seed, i, got[i + 1],
                              want[i]);
            ck_assert(got[0] == -7 && got[b.out.cells + 1] == -7);
        }
        struct yk_canon c;
        struct yk_panel_shape s;
        ck_assert_int_eq(yk_canon_init(&c, &b), YK_OK);
        yk_canon_split(&c);
        ck_assert_int_eq(yk_panel_shape_init(&s, &c, YK_PANEL_LANES, &yk_panel_isa()->tile, 1), YK_OK);
        swept += s.nloops > 0;
        yk_panel_shape_finish(&s);
        yk_canon_finish(&c);
        free(want);
        free(got);
        free(in[0]);
        free(in[1]);
    }
    ck_assert_msg(swept >= PER_COMMIT / 100, "only %d swept", swept);
}
END_TEST

/* Plans are kept: small buckets asked for again, with other values and among others, answer like fresh ones; a bucket
 * that differs in its description only is another. */
START_TEST(kept_plans_answer_like_fresh_ones)
{
    enum { SOME = 400 };
    for (int round = 0; round < 2; round++)
        check_double(yk_sumproduct_cpu, "kept", SOME, 15, 1);
    const uint32_t d0[] = {24, 20, 20}, d1[] = {20, 24, 20}, va[] = {0, 2}, vb[] = {1, 2}, vt[] = {2, 1}, vo[] = {0, 1},
                   vp[] = {1, 0}, vs[] = {2};
    const struct yk_bucket_table in0[] = {{2, va, 480}, {2, vb, 400}}, in1[] = {{2, va, 400}, {2, vb, 480}},
                                 turned[] = {{2, va, 480}, {2, vt, 400}}, wrong[] = {{2, va, 480}, {2, vb, 401}};
    const struct yk_bucket b[] = {{3, d0, 2, in0, {2, vo, 480}, 1, vs},
                                  {3, d1, 2, in1, {2, vo, 480}, 1, vs},
                                  {3, d0, 2, turned, {2, vo, 480}, 1, vs},
                                  {3, d0, 2, in0, {2, vp, 480}, 1, vs}},
                           bad = {3, d0, 2, wrong, {2, vo, 480}, 1, vs};
    double x[480], y[480], got[480];
    long double want[480];
    struct yk_memo_key key;
    for (int round = 0; round < 8; round++)
        for (int k = 0; k < 4; k++) {
            for (int i = 0; i < 480; i++) {
                x[i] = (i * 7 + round) % 31;
                y[i] = (i * 5 + round * 3) % 29;
            }
            const double *const in[] = {x, y};
            yk_sumproduct_naive(&b[k], in, want);
            ck_assert_int_eq(yk_sumproduct_cpu(&b[k], in, got, 1), YK_OK);
            for (int i = 0; i < 480; i++)
                ck_assert(got[i] == (double)want[i]);
            ck_assert_int_eq(yk_sumproduct_cpu(&bad, in, got, 1), YK_EINVAL);
            ck_assert(yk_memo_key(&key, &b[k], YK_PANEL_LANES, 1) && yk_memo_find(&key));
            ck_assert(yk_memo_key(&key, &bad, YK_PANEL_LANES, 1) && !yk_memo_find(&key));
        }
    yk_memo_forget();
    ck_assert(yk_memo_key(&key, &b[0], YK_PANEL_LANES, 1) && !yk_memo_find(&key));
}
END_TEST

START_TEST(rescaling_keeps_the_values)
{
    double v[] = {0, 3e-300, 7e-301}, w[] = {0, 0}, tiny[] = {0x1p-1074, 0};
    int e = yk_table_rescale(v, 3);
    ck_assert(v[0] == 0 && v[1] >= 0.5 && v[1] < 1);
    ck_assert(ldexp(v[1], e) == 3e-300 && ldexp(v[2], e) == 7e-301);
    ck_assert_int_eq(yk_table_rescale(v, 3), 0);
    ck_assert_int_eq(yk_table_rescale(w, 2), 0);
    ck_assert_int_eq(yk_table_rescale(tiny, 2), -1073);
    ck_assert(tiny[0] == 0.5);
    double big[] = {DBL_MAX, 1};
    ck_assert_int_eq(yk_table_rescale(big, 2), 1024);
    ck_assert(ldexp(big[1], 1024) == 1);
}
END_TEST

/* Products of matrices, from what needs no plan to what no cache holds. */
START_TEST(predicted_time_grows_with_the_work)
{
    double before = 0;
    for (uint32_t n = 2; n <= 4096; n *= 2) {
        const uint32_t domain[] = {n, n, n}, va[] = {0, 2}, vb[] = {1, 2}, vo[] = {0, 1}, vs[] = {2};
        const struct yk_bucket_table input[] = {{2, va, (size_t)n * n}, {2, vb, (size_t)n * n}};
        const struct yk_bucket b = {3, domain, 2, input, {2, vo, (size_t)n * n}, 1, vs};
        const double now = yk_sumproduct_cpu_seconds(&b);
        ck_assert_msg(isfinite(now) && now > before, "%u: %g s after %g", n, now, before);
        before = now;
    }
    ck_assert(yk_table_seconds(1000) == 0);
    ck_assert(yk_table_seconds((size_t)1 << 30) > yk_table_seconds((size_t)1 << 24));
    for (uint64_t seed = 0; seed < buckets(); seed++) { /* scalars, no output, variables in no table */
        struct random_bucket r;
        random_bucket_init(&r, seed, 12);
        const double t = yk_sumproduct_cpu_seconds(&r.b);
        ck_assert_msg(t > 0 && t < 1, "seed %llu: %g s", (unsigned long long)seed, t);
        random_bucket_finish(&r);
    }
}
END_TEST

YK_TEST_MAIN("sumproduct", cpu_agrees_with_naive, cpu_agrees_with_naive_on_threads, stream_agrees_with_naive,
             panels_agree_with_naive_on_every_instruction_set, float_agrees_with_naive,
             log_agrees_with_naive_and_does_not_underflow, a_matrix_product_by_hand, bad_buckets_are_refused,
             swept_tables_agree_with_naive, kept_plans_answer_like_fresh_ones, rescaling_keeps_the_values,
             predicted_time_grows_with_the_work)
