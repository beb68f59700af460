/* Variants for buffers of which a part is on the device: which kernels get one, and what their text says. */
#include "tests/transform/corpus.h"
#include "tests/unit/main.h"

static struct yk_facts facts;

static void ask(const char *source, bool windows)
{
    struct yk_transform_request req = {.source = source,
                                       .size = strlen(source),
                                       .options = "",
                                       .target = &corpus_target,
                                       .ntargets = 1,
                                       .library_dir = YOKE_BINARIES,
                                       .timeout_ms = 100000,
                                       .windows = windows};
    setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
    yk_facts_finish(&facts);
    ck_assert_int_eq(yk_transform_run(&req, &facts), YK_OK);
    ck_assert_msg(!facts.refused, "%s", facts.refused);
}

static const struct yk_facts_kernel *kernel(const char *name)
{
    const struct yk_facts_kernel *k = yk_facts_find(&facts, name);
    ck_assert_ptr_nonnull(k);
    return k;
}

static bool has(const char *text)
{
    return facts.variant_source && strstr(facts.variant_source, text);
}

START_TEST(pointers_to_global_memory_are_moved_back)
{
    ask("kernel void plain(global int *a, int n) { a[get_global_id(0)] = n; }\n"
        "kernel void more(const global float4 *restrict x, constant int *c, local int *t, global uchar *y)\n"
        "{ size_t i = get_group_id(0); y[i] = (uchar)(x[i].x + c[0]); }\n"
        "int helper(global int *p) { return p[0]; }\n"
        "kernel void none(int n) { }\n",
        true);
    ck_assert(kernel("plain")->needs_variant && kernel("plain")->nhidden == 0);
    ck_assert(has("plain(global int *a, int n, ulong yk_back0)"));
    ck_assert(has("a = (__global void *)((size_t)a - (size_t)yk_back0);"));
    ck_assert(kernel("more")->needs_variant && kernel("more")->nhidden == 1);
    ck_assert(has("global uchar *y, ulong yk_group0, ulong yk_back0, ulong yk_back3)"));
    ck_assert(has("x = (__global void *)((size_t)x - (size_t)yk_back0);"));
    ck_assert(!has("c = (") && !has("p = ("));
    ck_assert(!kernel("plain")->mergeable && !facts.merge_source);
}
END_TEST

START_TEST(pointers_that_are_constant_are_moved_too)
{
    ask("kernel void fixed(global int *const a, const global int *const restrict constant_b)\n"
        "{ a[get_global_id(0)] = constant_b[get_global_id(0)]; }\n",
        true);
    ck_assert_int_ne(kernel("fixed")->verdict, YK_VERDICT_WHOLE);
    ck_assert(kernel("fixed")->needs_variant);
    ck_assert_ptr_nonnull(strstr(facts.variant_source, "const global int *  restrict constant_b"));
}
END_TEST

START_TEST(what_cannot_be_moved_is_whole)
{
    ask("kernel void called(global int *a) { a[get_global_id(0)] = 1; }\n"
        "kernel void calls(global int *a) { called(a); }\n"
        "kernel void used(global int *a, global int *n) { a[atomic_inc(n)] = 1; }\n",
        true);
    ck_assert_int_eq(kernel("called")->verdict, YK_VERDICT_WHOLE);
    ck_assert_str_ne(kernel("called")->reason, "");
    ck_assert(!kernel("used")->needs_variant);
    ask("typedef global int *const place;\nkernel void fixed(place a) { a[get_global_id(0)] = 1; }\n", true);
    ck_assert_int_eq(kernel("fixed")->verdict, YK_VERDICT_WHOLE);
    ck_assert(!facts.variant_source);
}
END_TEST

START_TEST(without_the_request_nothing_is_moved)
{
    ask("kernel void plain(global int *a, int n) { a[get_global_id(0)] = n; }\n", false);
    ck_assert(!kernel("plain")->needs_variant && !facts.variant_source);
}
END_TEST

YK_TEST_MAIN("windows", pointers_to_global_memory_are_moved_back, pointers_that_are_constant_are_moved_too,
             what_cannot_be_moved_is_whole, without_the_request_nothing_is_moved)
