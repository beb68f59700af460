/* profiler/model: times of kernels that were never measured. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "profiler/model.h"
#include "tests/unit/main.h"

enum { KERNELS = 40 };

/* Kernel I has I % 8 loops and so many loads; a work-item takes 1 ns for each load. */
static void kernel(int i, uint32_t *count)
{
    memset(count, 0, YK_MODEL_COUNTS * sizeof *count);
    count[6] = 1 + (uint32_t)(i % 8) * 10;
    count[15] = 1;
    count[16] = (uint32_t)(i % 8);
}

static void fill(struct yk_model_data *d, int kernels, const char *device)
{
    for (int i = 0; i < kernels; i++) {
        struct yk_database_key k = {.name = "k", .kind = YK_SAMPLE_CODE};
        struct yk_series s = {0};
        uint32_t count[YK_MODEL_COUNTS];
        snprintf(k.kernel, sizeof k.kernel, "%032x", i);
        kernel(i, count);
        yk_model_code(count, &s);
        ck_assert(yk_series_good(&s));
        ck_assert(yk_model_data_add(d, &k, &s));
        k.kind = YK_SAMPLE_ALONE;
        snprintf(k.device, sizeof k.device, "%s", device);
        snprintf(k.local, sizeof k.local, "64x1x1");
        s = (struct yk_series){.n = 2, .at = {{1000, 64e-3 * count[6], 1}, {4000, 256e-3 * count[6], 1}}};
        ck_assert(yk_model_data_add(d, &k, &s)); /* of all problems together: not counted */
        snprintf(k.problem, sizeof k.problem, "%032x", 1);
        ck_assert(yk_model_data_add(d, &k, &s));
    }
}

START_TEST(kernels_never_measured_are_predicted_from_those_like_them)
{
    struct yk_model m;
    struct yk_model_data *d = yk_model_data_new(1000);
    uint32_t count[YK_MODEL_COUNTS];
    fill(d, KERNELS, "a");
    ck_assert_int_eq(yk_model_train(d, "a", &m), YK_OK);
    ck_assert_uint_eq(m.kernels, KERNELS);
    ck_assert_uint_eq(m.samples, 2 * KERNELS);
    ck_assert_double_ge(m.factor, 1);
    ck_assert_double_lt(m.factor, 1.5);
    for (int i = 0; i < 8; i++) {
        kernel(i, count);
        ck_assert_double_eq_tol(log(yk_model_ms(&m, count, 128000, 64) / (128e-3 * count[6])), 0, log(1.6));
    }
    /* Twice as many work-items take twice as long where nothing else is known. */
    ck_assert_double_eq_tol(yk_model_ms(&m, count, 2e9, 64) / yk_model_ms(&m, count, 1e9, 64), 2, 1e-6);
    yk_model_data_free(d);
}
END_TEST

START_TEST(too_few_kernels_are_no_model)
{
    struct yk_model m;
    struct yk_model_data *d = yk_model_data_new(1000);
    ck_assert_int_eq(yk_model_train(d, "a", &m), YK_EINVAL);
    fill(d, YK_MODEL_KERNELS - 1, "a");
    ck_assert_int_eq(yk_model_train(d, "a", &m), YK_EINVAL);
    ck_assert_uint_eq(m.kernels, YK_MODEL_KERNELS - 1);
    ck_assert_int_eq(yk_model_train(d, "another", &m), YK_EINVAL);
    ck_assert_uint_eq(m.kernels, 0);
    yk_model_data_free(d);
    yk_model_data_free(NULL);
}
END_TEST

/* Whatever a database says of code: no more than there are classes is taken over. */
START_TEST(foreign_series_do_no_harm)
{
    struct yk_model m;
    struct yk_model_data *d = yk_model_data_new(1000);
    struct yk_database_key k = {.kind = YK_SAMPLE_CODE};
    struct yk_series s = {.n = 3, .at = {{1, 1e12, 1}, {18, 5, 1}, {1e18, 1, 1}}};
    fill(d, KERNELS, "a");
    snprintf(k.kernel, sizeof k.kernel, "%032x", 7);
    ck_assert(yk_model_data_add(d, &k, &s));
    snprintf(k.kernel, sizeof k.kernel, "none");
    ck_assert(yk_model_data_add(d, &k, &s));
    k.kind = YK_SAMPLE_ALONE;
    snprintf(k.device, sizeof k.device, "a");
    snprintf(k.problem, sizeof k.problem, "p");
    snprintf(k.local, sizeof k.local, "no numbers");
    s = (struct yk_series){.n = 1, .at = {{1e18, 1e12, 1}}};
    ck_assert(yk_model_data_add(d, &k, &s));
    ck_assert_int_eq(yk_model_train(d, "a", &m), YK_OK);
    yk_model_data_free(d);
}
END_TEST

/* Of a large database no more is looked at than there is time for. */
START_TEST(samples_beyond_the_most_are_left_out)
{
    struct yk_model m;
    struct yk_model_data *d = yk_model_data_new(20);
    fill(d, KERNELS, "a");
    ck_assert_int_eq(yk_model_train(d, "a", &m), YK_OK);
    ck_assert_uint_eq(m.samples, 20);
    yk_model_data_free(d);
}
END_TEST

YK_TEST_MAIN("model", kernels_never_measured_are_predicted_from_those_like_them, too_few_kernels_are_no_model,
             foreign_series_do_no_harm, samples_beyond_the_most_are_left_out)
