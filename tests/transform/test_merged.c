/* Merged variants: which kernels get one, and that the text is what the contract (facts_merged.h) and a compiler want.
 */
#include "tests/transform/corpus.h"
#include "tests/unit/main.h"
#include "transform/facts_merged.h"

static struct yk_facts facts;

static void ask(const char *source)
{
    struct yk_transform_request req = {.source = source,
                                       .size = strlen(source),
                                       .options = "",
                                       .target = &corpus_target,
                                       .ntargets = 1,
                                       .library_dir = YOKE_BINARIES,
                                       .timeout_ms = 100000,
                                       .merged = true};
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

START_TEST(kernels_that_can_be_merged_are)
{
    ask("int mine(int d) { return (int)get_global_id(d) + (int)get_group_id(0); }\n"
        "kernel void plain(global int *a, int n) { a[mine(0)] = n; }\n"
        "kernel void shared(local int *t, global int *restrict a, constant int *c, const float4 v)\n"
        "{ local int s[8]; int l = get_local_id(0); s[l & 7] = c[l]; t[l] = 1; barrier(CLK_LOCAL_MEM_FENCE);\n"
        "  a[get_global_id(0)] = s[0] + t[0] + (int)v.x; }\n"
        "kernel void guarded(global int *a, global int *b) { int i = get_global_id(0); if (b[i]) a[i & 7] = 1; }\n"
        "kernel void prints(global int *a) { printf(\"%d\", a[get_group_id(0)]); }\n"
        "kernel void used(global int *a, global int *b) { b[get_global_id(0)] = atomic_inc(a); }\n");
    ck_assert(kernel("plain")->needs_variant);
    ck_assert(kernel("shared")->needs_variant);
    ck_assert(kernel("guarded")->needs_variant && !kernel("guarded")->mergeable);
    ck_assert(!kernel("prints")->needs_variant);
    ck_assert(!kernel("used")->needs_variant);
    ck_assert(!has("printf") && !has("atomic_inc")); /* their bodies are gone */
    ck_assert(has("const float4 v = *(const __global const float4"));
    ck_assert(has("global int *restrict a = (__global void *)"));
    ck_assert(!has("int *a, int n)"));
    struct yk_merged_layout l;
    const char *why;
    ck_assert(yk_merged_layout(kernel("shared"), &l, &why));
    ck_assert_uint_eq(l.nparams, 1 + YK_MERGED_SLOTS + 2);
    ck_assert_uint_eq(l.at[0], 1 + YK_MERGED_SLOTS);
    ck_assert_uint_eq(l.at[1], YK_MERGED_HEAD);
    ck_assert_uint_eq(l.at[2], 2 + YK_MERGED_SLOTS);
    ck_assert_uint_eq(l.at[3], YK_MERGED_HEAD + 16);
    ck_assert_uint_eq(l.bytes % YK_MERGED_UNIT, 0);
    ck_assert(!yk_merged_layout(kernel("prints"), &l, &why) && why);
}
END_TEST

START_TEST(what_cannot_be_rewritten_is_left_alone)
{
    ask("kernel void inner(global int *a) { a[get_global_id(0)] = 1; }\n"
        "kernel void outer(global int *a) { inner(a); }\n");
    ck_assert_ptr_null(facts.variant_source);
    ck_assert(!kernel("inner")->needs_variant && !kernel("outer")->needs_variant);
    ask("kernel void array(global int a[], int n) { a[get_global_id(0)] = n; }\n"
        "kernel void unused(global int *a, int n) { a[get_global_id(0)] = 1; }\n");
    ck_assert(!kernel("array")->needs_variant);
    ck_assert(kernel("unused")->needs_variant);
    ask("kernel void yk_taken(global int *a) { int yk1_t = 2; a[get_global_id(0)] = yk1_t; }\n");
    ck_assert(kernel("yk_taken")->needs_variant);
    ck_assert(has("yk2_t"));
}
END_TEST

START_TEST(without_the_request_nothing_is_merged)
{
    struct yk_transform_request req = {.source = "kernel void f(global int *a) { a[get_global_id(0)] = 1; }",
                                       .options = "",
                                       .target = &corpus_target,
                                       .ntargets = 1,
                                       .library_dir = YOKE_BINARIES,
                                       .timeout_ms = 100000};
    req.size = strlen(req.source);
    yk_facts_finish(&facts);
    ck_assert_int_eq(yk_transform_run(&req, &facts), YK_OK);
    ck_assert_ptr_null(facts.variant_source);
    ck_assert(!kernel("f")->needs_variant);
    yk_facts_finish(&facts);
}
END_TEST

static bool mixes(const char *text)
{
    return facts.mixed_source && strstr(facts.mixed_source, text);
}

START_TEST(kernels_are_mixed)
{
    ask("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
        "typedef struct { int local_; } pair;\n"
        "int mine(int d) { return (int)get_global_id(d); }\n"
        "__attribute__((reqd_work_group_size(8, 1, 1))) kernel void sized(global int *a) { a[mine(0)] = 1; }\n"
        "kernel void tables(local int *t, global int *a, constant int *c, local float *u)\n"
        "{ t[0] = u[0]; a[get_global_id(0)] = c[t[0]]; }\n"
        "kernel void other(constant int *c, global int *a, local short *s, constant float *e)\n"
        "{ local int x[4][3], y[2]; local pair z; x[0][0] = sizeof(x) + sizeof y; y[1] = s[0]; z.local_ = c[0];\n"
        "  barrier(CLK_LOCAL_MEM_FENCE); a[mine(0)] = x[0][0] + y[1] + z.local_ + (int)e[0]; }\n"
        "kernel void prints(global int *a) { printf(\"%d\", a[get_group_id(0)]); }\n");
    ck_assert(kernel("sized")->mixed && kernel("tables")->mixed && kernel("other")->mixed);
    ck_assert(!kernel("prints")->mixed);
    ck_assert(mixes("__kernel void " YK_MIXED_NAME "("));
    ck_assert(!mixes("reqd_work_group_size"));
    ck_assert(mixes("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"));
    ck_assert(mixes("int x[4][3];") && mixes("int y[2];") && mixes("pair z; }"));
    ck_assert(mixes("(*x)[0][0] = sizeof((*x)) + sizeof (*y)"));
    struct yk_mixed_layout l = yk_mixed_layout(&facts);
    unsigned constant;
    ck_assert_uint_eq(l.nkernels, 3);
    ck_assert_uint_eq(l.nlocals, 2);
    ck_assert_uint_eq(l.nconstants, 3);
    ck_assert_uint_eq(yk_mixed_number(&facts, (unsigned)(kernel("other") - facts.kernel), &constant), 2);
    ck_assert_uint_eq(constant, 1);
}
END_TEST

START_TEST(what_cannot_be_mixed_is_left_alone)
{
    ask("kernel void f(global int *a) { a[get_global_id(0)] = 1; }\n"); /* nothing to mix it with */
    ck_assert(kernel("f")->needs_variant && !kernel("f")->mixed && !facts.mixed_source);
    ask("kernel void f(global int *a) { local int *local p, *q; q = 0; p = q; a[get_global_id(0)] = p == q; }\n"
        "kernel void g(global int *a) { a[get_global_id(0)] = 1; }\n"
        "kernel void h(global int *a) { a[get_global_id(0)] = 2; }\n");
    ck_assert(kernel("f")->needs_variant && !kernel("f")->mixed);
    ck_assert(kernel("g")->mixed && kernel("h")->mixed);
    ask("kernel void f(global int *a) { a[get_global_id(0)] = 1; }\n"
        "void yoke_mixed_launches(global int *a) { *a = 1; }\n"
        "kernel void g(global int *a) { yoke_mixed_launches(a + get_global_id(0)); }\n");
    ck_assert(!facts.mixed_source && !kernel("g")->mixed && kernel("g")->needs_variant);
    ask("kernel void f(global int *a, constant int *p, constant int *q, constant int *r, constant int *s)\n"
        "{ a[get_global_id(0)] = *p + *q + *r + *s; }\n"
        "kernel void g(global int *a, constant int *p, constant int *q, constant int *r)\n"
        "{ a[get_global_id(0)] = *p + *q + *r; }\n"
        "kernel void h(global int *a) { a[get_global_id(0)] = 2; }\n");
    ck_assert(kernel("f")->mixed && !kernel("g")->mixed && kernel("h")->mixed);
}
END_TEST

YK_TEST_MAIN("merged", kernels_are_mixed, what_cannot_be_mixed_is_left_alone, kernels_that_can_be_merged_are,
             what_cannot_be_rewritten_is_left_alone, without_the_request_nothing_is_merged)
