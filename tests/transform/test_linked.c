/* Programs that are linked from compiled parts: how their texts become one, what is refused, and damaged requests. */
#include "tests/transform/corpus.h"
#include "tests/unit/main.h"
#include "tests/unit/random.h"
#include "transform/joined.h"
#include "transform/client_linked.h"
#include "transform/request.h"

static struct yk_arena arena;
static const char *refused;
static char joined[4096];
static unsigned std = 120;

/* "": refused, why is in REFUSED. */
static const char *join(const char *a, const char *b)
{
    const char *text[] = {a, b};
    const size_t size[] = {strlen(a), strlen(b)};
    char *out = NULL;
    size_t n = 0;
    yk_arena_finish(&arena);
    if (yk_joined_text(text, size, 2, std, &arena, &out, &n, &refused) != YK_OK)
        return "no memory";
    snprintf(joined, sizeof joined, "%s", refused ? "" : out);
    return refused || strlen(out) == n ? joined : "of another size";
}

START_TEST(what_both_declare_is_there_once)
{
    ck_assert_str_eq(
        join("typedef int t;\nint f(t x) { return x; }\n", "typedef   int\nt ;\nint g(t x) { return x; }\n"),
        "typedef int t;\nint f(t x) { return x; }\nint g(t x) { return x; }\n");
    ck_assert_str_eq(
        join("struct s { int a; }; constant int c[] = {1, 2};", "struct s { int a; }; constant int c[] = {1, 3};"),
        "struct s { int a; };\nconstant int c[] = {1, 2};\nconstant int c[] = {1, 3};\n");
    ck_assert_str_eq(
        join("int f(void) { if (1) { return 2; } return 3; } int g(int);", "int g(int); int g(int); int h;"),
        "int f(void) { if (1) { return 2; } return 3; }\nint g(int);\nint h;\n");
    ck_assert_str_eq(join("typedef struct __attribute__((packed)) { int a; } s;",
                          "typedef struct __attribute__((packed)) { int a; } s;"),
                     "typedef struct __attribute__((packed)) { int a; }\ns;\n");
    ck_assert_str_eq(join("", "int a;"), "int a;\n");
    ck_assert_str_eq(join("int a;", "\n"), "int a;\n");
}
END_TEST

START_TEST(strings_and_pragmas_are_no_declarations)
{
    ck_assert_str_eq(join("void f(void) { printf(\"}; {\\\"\", '}', '\\''); }", "int a;"),
                     "void f(void) { printf(\"}; {\\\"\", '}', '\\''); }\nint a;\n");
    ck_assert_str_eq(join("void f(int n) {\n#pragma unroll isn't code {\nfor (;n;) n--; }", "int a;"),
                     "void f(int n) {\n#pragma unroll isn't code {\nfor (;n;) n--; }\nint a;\n");
    ck_assert_str_eq(join("#pragma OPENCL EXTENSION a : enable\nint x;", "#pragma OPENCL EXTENSION a : enable\nint y;"),
                     "#pragma OPENCL EXTENSION a : enable\n\nint x;\nint y;\n");
    ck_assert_str_eq(join("#pragma OPENCL EXTENSION a : enable\nint x;", "int y;"), "");
    ck_assert_ptr_nonnull(strstr(refused, "pragmas"));
    ck_assert_str_eq(join("int x;", "#pragma OPENCL EXTENSION a : enable\nint y;"), "");
    ck_assert_str_eq(join("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\nint x;", "int y;"),
                     "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n\nint x;\nint y;\n");
    std = 110; /* it says what constants are there */
    ck_assert_str_eq(join("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\nint x;", "int y;"), "");
    std = 120;
    ck_assert_str_eq(join("#pragma OPENCL EXTENSION cl_khr_fp64 : disable\nint x;", "int y;"), "");
    ck_assert_str_eq(join("#pragma OPENCL FP_CONTRACT OFF\nint x;", "#pragma OPENCL FP_CONTRACT OFF\nint y;"), "");
}
END_TEST

/* What compiles together and means something else. */
START_TEST(a_function_is_not_taken_for_a_builtin)
{
    ck_assert_str_eq(join("uint rotate(uint a, uint b) { return a - b; }", "uint f(uint a) { return rotate(a, 1u); }"),
                     "");
    ck_assert_ptr_nonnull(strstr(refused, "rotate"));
    ck_assert_str_eq(join("uint f(uint a) { return rotate (a, 1u); }", "uint rotate(uint a, uint b);"), "");
    ck_assert_str_ne(join("uint f(uint a) { return a; }", "uint f(uint a); uint g(uint a) { return f(a); }"), "");
    ck_assert_str_ne(join("uint f(uint a) { return a; }", "uint g(uint f) { return f; }"), "");
    ck_assert_str_eq(join("int __attribute__((overloadable)) f(int a);", "int g;"), "");
    ck_assert_ptr_nonnull(strstr(refused, "overloads"));
}
END_TEST

START_TEST(what_is_cut_off_is_refused)
{
    const char *bad[] = {"int f(void) {", "int a", "int f(void) { return 1; }}", "int a[3;", "int a = (1;", ")"};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_str_eq(join(bad[i], "int x;"), "");
        ck_assert_str_eq(join("int x;", bad[i]), "");
    }
}
END_TEST

static char *linked(void)
{
    static const char text[] = "typedef struct { int by; } rule;\nint helper(int x, rule r);\n";
    const struct yk_transform_header h = {"h.h", text, sizeof text - 1};
    const struct yk_linked_part parts[] = {
        {"#include \"h.h\"\nkernel void f(global int *a) { rule r = {X}; a[get_global_id(0)] = helper(X, r); }",
         "-DX=3", &h, 1},
        {"#include \"h.h\"\nint helper(int x, rule r) { return x * r.by + X + get_group_id(0); }", "-DX=4", &h, 1}};
    char *one = yk_linked_write(&parts[0]), *two = yk_linked_write(&parts[1]);
    const char *const both[] = {one, two};
    char *all = one && two ? yk_linked_join(both, 2) : NULL;
    free(one);
    free(two);
    return all;
}

static yk_status ask(const char *source, struct yk_facts *facts)
{
    struct yk_transform_target targets[2] = {corpus_target, corpus_target};
    struct yk_transform_request req = {.source = source,
                                       .size = strlen(source),
                                       .options = "-DX=9",
                                       .target = targets,
                                       .ntargets = 2,
                                       .library_dir = YOKE_BINARIES,
                                       .timeout_ms = 100000};
    targets[1].version = "OpenCL 1.2 ";
    setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
    return yk_transform_run(&req, facts);
}

START_TEST(kernels_and_their_helpers_are_found)
{
    char *source = linked();
    struct yk_facts facts;
    ck_assert_ptr_nonnull(source);
    ck_assert(yk_linked_is(source) && !yk_linked_is("kernel void f() {}"));
    ck_assert_int_eq(ask(source, &facts), YK_OK);
    ck_assert_msg(!facts.refused, "%s", facts.refused);
    ck_assert_uint_eq(facts.nkernels, 1);
    ck_assert_str_eq(facts.kernel[0].name, "f");
    ck_assert(facts.kernel[0].verdict != YK_VERDICT_WHOLE && facts.kernel[0].needs_variant);
    ck_assert(facts.target_text[0] == facts.target_text[1]);
    ck_assert_ptr_nonnull(strstr(facts.variant_source, "= helper(3, r"));
    ck_assert_ptr_nonnull(strstr(facts.variant_source, "x * r.by + 4"));
    yk_facts_finish(&facts);
    free(source);
}
END_TEST

START_TEST(a_damaged_request_is_refused)
{
    char *source = linked();
    size_t n = strlen(source);
    struct yk_transform_request req = {.source = source,
                                       .size = n,
                                       .options = "",
                                       .target = &corpus_target,
                                       .ntargets = 1},
                                *part;
    unsigned nparts, good = 0;
    ck_assert_int_eq(yk_request_parts(&req, &arena, &part, &nparts), YK_OK);
    ck_assert_uint_eq(nparts, 2);
    ck_assert_str_eq(part[1].options, "-DX=4");
    ck_assert_str_eq(part[1].header[0].name, "h.h");
    random_begin(3);
    for (unsigned i = 0; i < 20000; i++) {
        char *copy = strdup(source);
        for (unsigned k = below(3) + 1; k; k--)
            copy[16 + below((unsigned)n - 16)] = (char)(below(255) + 1);
        req.source = copy;
        req.size = i % 3 ? n : 16 + below((unsigned)n - 16);
        yk_arena_finish(&arena);
        yk_status s = yk_request_parts(&req, &arena, &part, &nparts);
        ck_assert(s == YK_OK || s == YK_EFORMAT);
        good += s == YK_OK;
        free(copy);
    }
    ck_assert_uint_gt(good, 100); /* within a source any byte will do */
    ck_assert_uint_lt(good, 19000);
    req.size = 16; /* no part */
    req.source = source;
    ck_assert_int_eq(yk_request_parts(&req, &arena, &part, &nparts), YK_EFORMAT);
    yk_arena_finish(&arena);
    free(source);
}
END_TEST

YK_TEST_MAIN("linked", what_both_declare_is_there_once, strings_and_pragmas_are_no_declarations,
             a_function_is_not_taken_for_a_builtin, what_is_cut_off_is_refused, kernels_and_their_helpers_are_found,
             a_damaged_request_is_refused)
