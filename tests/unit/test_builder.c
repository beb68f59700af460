/* kernels/gpu/builder.h, and when gpu.c asks it: kernels compiled beside what runs, each once, by a compiler of the
 * test's own. */
#include "kernels/gpu/builder.h"
#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "tests/unit/main.h"

enum { KERNELS = 40 };

static atomic_int compiled, wrong_text, held;
static atomic_int times[KERNELS]; /* compiled, by the number in the options */
static yk_status result = YK_OK;
static atomic_bool closed; /* the compiler waits */

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static yk_status compile(struct yk_gpu *g, const char *text, const char *options)
{
    int n;
    (void)g;
    atomic_fetch_add(&held, 1);
    do
        nap();
    while (atomic_load(&closed));
    if (strcmp(text, "head\nbody") != 0)
        atomic_store(&wrong_text, 1);
    if (sscanf(options, "-DN=%d", &n) == 1 && n >= 0 && n < KERNELS)
        atomic_fetch_add(&times[n], 1);
    atomic_fetch_add(&compiled, 1);
    return result;
}

static int builds, stored_builds;
static bool on_disk;

static yk_status build(struct yk_gpu *g, const char *text, const char *options, const char *name, bool stored,
                       void **kernel)
{
    (void)g, (void)text, (void)options, (void)name;
    builds += !stored;
    stored_builds += stored;
    if (stored && !on_disk)
        return YK_ENOTFOUND;
    *kernel = kernel;
    return YK_OK;
}

static const struct yk_gpu_ops with = {.head = "head", .extra = "", .build = build, .compile = compile};
static const struct yk_gpu_ops without = {.head = "head", .extra = "", .build = build};

static void wait_for(atomic_int *what, int value)
{
    for (int ms = 0; atomic_load(what) != value && ms < 60000; ms++)
        nap();
    ck_assert_int_eq(atomic_load(what), value);
}

static struct yk_gpu_kernel kernel[KERNELS];

static void name_them(void)
{
    memset(kernel, 0, sizeof kernel);
    for (int i = 0; i < KERNELS; i++)
        snprintf(kernel[i].options, sizeof kernel[i].options, "-DN=%d", i);
}

START_TEST(text_is_head_and_file)
{
    struct yk_gpu g = {.ops = &with};
    char *text = yk_gpu_text(&g, "body");
    ck_assert_str_eq(text, "head\nbody");
    free(text);
}
END_TEST

START_TEST(all_that_is_asked_for_is_compiled_once)
{
    struct yk_gpu g = {.ops = &with};
    name_them();
    for (int i = 0; i < KERNELS; i++)
        yk_gpu_builder_ask(&g, "body", &kernel[i]);
    for (int i = 0; i < KERNELS; i++)
        wait_for(&kernel[i].asked, YK_GPU_COMPILED);
    yk_gpu_builder_finish(&g);
    ck_assert_int_eq(atomic_load(&compiled), KERNELS);
    ck_assert_int_eq(atomic_load(&wrong_text), 0);
    for (int i = 0; i < KERNELS; i++)
        ck_assert_int_eq(atomic_load(&times[i]), 1);
    ck_assert_ptr_null(g.builder);
    yk_gpu_builder_finish(&g); /* nothing is there any more */
}
END_TEST

START_TEST(what_does_not_compile_is_known)
{
    struct yk_gpu g = {.ops = &with};
    name_them();
    result = YK_EBUILD;
    yk_gpu_builder_ask(&g, "body", &kernel[0]);
    wait_for(&kernel[0].asked, YK_GPU_NOT_COMPILED);
    yk_gpu_builder_finish(&g);
    g.ops = &without; /* no compiler: at once */
    yk_gpu_builder_ask(&g, "body", &kernel[1]);
    ck_assert_int_eq(atomic_load(&kernel[1].asked), YK_GPU_NOT_COMPILED);
    ck_assert_ptr_null(g.builder);
}
END_TEST

static void *open_soon(void *ctx)
{
    (void)ctx;
    for (int i = 0; i < 100; i++)
        nap();
    atomic_store(&closed, false);
    return NULL;
}

/* At the end what is being compiled is waited for, and what only waits is left. */
START_TEST(the_end_leaves_what_waits)
{
    struct yk_gpu g = {.ops = &with};
    pthread_t opener;
    name_them();
    atomic_store(&closed, true);
    for (int i = 0; i < KERNELS; i++)
        yk_gpu_builder_ask(&g, "body", &kernel[i]);
    for (int ms = 0; !atomic_load(&held) && ms < 60000; ms++)
        nap();
    ck_assert_int_eq(atomic_load(&kernel[KERNELS - 1].asked), YK_GPU_ASKED);
    ck_assert_int_eq(pthread_create(&opener, NULL, open_soon, NULL), 0);
    yk_gpu_builder_finish(&g);
    int done = 0, asked = 0;
    for (int i = 0; i < KERNELS; i++) {
        done += atomic_load(&kernel[i].asked) == YK_GPU_COMPILED;
        asked += atomic_load(&kernel[i].asked) == YK_GPU_ASKED;
    }
    ck_assert_int_ge(done, 1);
    ck_assert_int_eq(done, atomic_load(&compiled));
    ck_assert_int_eq(done, atomic_load(&held)); /* what was begun is done */
    ck_assert_int_eq(done + asked, KERNELS);
    ck_assert_int_ge(asked, 1);
    ck_assert_int_eq(pthread_join(opener, NULL), 0);
}
END_TEST

static void forget(struct yk_gpu *g)
{
    while (g->kernels) {
        struct yk_gpu_kernel *k = g->kernels;
        g->kernels = k->next;
        free(k);
    }
}

/* A kernel that saves little is not asked for; one that would have saved 2 ms is, and is taken once it is on disk. */
START_TEST(a_kernel_is_asked_for_when_it_pays)
{
    struct yk_gpu g = {.ops = &with};
    void *k = NULL;
    double seconds = 0;
    ck_assert(!yk_gpu_kernel_worth(&g, "body", "sumproduct", "-DN=1", 0.001));
    ck_assert_int_eq(stored_builds, 1); /* it might have been there */
    ck_assert_ptr_null(g.builder);
    ck_assert(!yk_gpu_kernel_worth(&g, "body", "sumproduct", "-DN=1", 0.001));
    ck_assert_int_eq(stored_builds, 1);
    ck_assert_ptr_nonnull(g.builder);
    ck_assert_ptr_nonnull(g.kernels);
    ck_assert_ptr_null(g.kernels->next); /* one record for one kernel */
    wait_for(&g.kernels->asked, YK_GPU_COMPILED);
    on_disk = true;
    ck_assert(yk_gpu_kernel_worth(&g, "body", "sumproduct", "-DN=1", 0.001));
    ck_assert(yk_gpu_kernel_worth(&g, "body", "sumproduct", "-DN=1", 0));
    ck_assert_int_eq(stored_builds, 2);
    ck_assert_int_eq(builds, 0);
    ck_assert_int_eq(yk_gpu_kernel_get(&g, "body", "sumproduct", "-DN=1", &k, &seconds), YK_OK);
    ck_assert_ptr_nonnull(k);
    ck_assert(seconds == 0);
    yk_gpu_builder_finish(&g);
    ck_assert_int_eq(atomic_load(&compiled), 1);
    forget(&g);
}
END_TEST

/* Where nothing compiles in the background, or what it made is not to be found, a kernel is built when it has come to
 * cost as much as building it. */
START_TEST(without_a_background_it_is_built_when_it_has_cost_enough)
{
    for (int lost = 0; lost < 2; lost++) {
        struct yk_gpu g = {.ops = lost ? &with : &without};
        int asked = 0;
        void *k;
        double seconds = 0;
        on_disk = false;
        builds = 0;
        while (!yk_gpu_kernel_worth(&g, "body", "sumproduct", "-DN=2", 0.01)) {
            ck_assert_int_lt(++asked, 1000);
            if (atomic_load(&g.kernels->asked) == YK_GPU_ASKED)
                wait_for(&g.kernels->asked, YK_GPU_COMPILED);
        }
        ck_assert_msg(asked >= 13 && asked <= 15, "asked %d times", asked); /* 0.15 s in steps of 0.01 */
        ck_assert_int_eq(yk_gpu_kernel_get(&g, "body", "sumproduct", "-DN=2", &k, &seconds), YK_OK);
        ck_assert_int_eq(builds, 1);
        /* A launch that alone costs more than compiling does not wait for the background. */
        ck_assert(yk_gpu_kernel_worth(&g, "body", "sumproduct", "-DN=3", 1));
        yk_gpu_builder_finish(&g);
        forget(&g);
    }
}
END_TEST

YK_TEST_MAIN("builder", text_is_head_and_file, all_that_is_asked_for_is_compiled_once, what_does_not_compile_is_known,
             the_end_leaves_what_waits, a_kernel_is_asked_for_when_it_pays,
             without_a_background_it_is_built_when_it_has_cost_enough)
