/* The way from a program to facts: devices that see different texts, headers, options, odd sources, wrong requests. */
#include <limits.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/temp.h"
#include "tests/transform/corpus.h"
#include "tests/unit/main.h"
#include "transform/client_request.h"

static struct yk_facts facts;

static void ask(const char *source, const char *options, const struct yk_transform_target *t, unsigned nt,
                const struct yk_transform_header *h, unsigned nh)
{
    struct yk_transform_request req = {.source = source,
                                       .size = strlen(source),
                                       .options = options,
                                       .target = t,
                                       .ntargets = nt,
                                       .header = h,
                                       .nheaders = nh,
                                       .library_dir = YOKE_BINARIES,
                                       .timeout_ms = 100000};
    setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
    yk_facts_finish(&facts);
    ck_assert_int_eq(yk_transform_run(&req, &facts), YK_OK);
}

static void one(const char *source, const char *options)
{
    ask(source, options, &corpus_target, 1, NULL, 0);
}

static bool equal_texts(const char *source, struct yk_transform_target a, struct yk_transform_target b)
{
    struct yk_transform_target t[2] = {a, b};
    ask(source, "", t, 2, NULL, 0);
    ck_assert_uint_eq(facts.ntargets, 2);
    ck_assert_msg(!facts.refused, "%s", facts.refused);
    return facts.target_text[0] == facts.target_text[1];
}

START_TEST(devices_share_where_their_texts_are_equal)
{
    struct yk_transform_target a = corpus_target, old = a, single = a, small = a, big = a;
    old.version = "OpenCL 1.2 ";
    single.extensions = "cl_khr_byte_addressable_store";
    small.address_bits = 32;
    big.little_endian = false;
#define K "\nkernel void f(global int *a) { a[0] = X; }\n"
    ck_assert(equal_texts("#define X 1" K, a, old));
    ck_assert(equal_texts("#define X 1" K, a, single));
    ck_assert(!equal_texts("#define X __OPENCL_VERSION__" K, a, old));
    ck_assert(equal_texts("#define X __OPENCL_VERSION__" K, a, single));
    ck_assert(equal_texts("#define X (1 + (__OPENCL_VERSION__ > 100 ? 1 : 2) * 0)\n/* __OPENCL_VERSION__ */" K, a, a));
    ck_assert(!equal_texts("#ifdef cl_khr_fp64\n#define X 1\n#else\n#define X 2\n#endif" K, a, single));
    ck_assert(!equal_texts("#ifdef cl_khr_fp64\n#define X 1\n#else\n#define X 2\n#endif" K, single, a));
    ck_assert(equal_texts("#ifdef cl_khr_fp64\n#define X 1\n#else\n#define X 1\n#endif" K, a, single));
    ck_assert(!equal_texts("#define P(a, b) a##b\n#define X P(__OPENCL_, VERSION__)" K, a, old));
    ck_assert(equal_texts("#define P(a, b) a##b\n#define X P(1, 2)" K, a, old));
    ck_assert(equal_texts("// cl_khr_fp64 in a comment\n#define X 1 /* __OPENCL_VERSION__ */" K, a, single));
    ck_assert(!equal_texts("#define X 1" K, a, small));
    ck_assert(!equal_texts("#define X 1" K, a, big));
    /* What another device's compiler refuses is no concern of the primary's. */
    ck_assert(!equal_texts("#ifndef cl_khr_fp64\n#error no double\n#endif\n#define X 1" K, a, single));
    struct yk_transform_target three[3] = {a, single, old};
    ask("#if __OPENCL_VERSION__ > 120\n#define X 1\n#else\n#define X 2\n#endif" K, "", three, 3, NULL, 0);
    ck_assert(facts.target_text[0] == facts.target_text[1] && facts.target_text[0] != facts.target_text[2]);
}
END_TEST

START_TEST(headers_given_with_the_program_are_found)
{
#define HEADER(name, text)                                                                                             \
    {                                                                                                                  \
        name, text, sizeof(text) - 1                                                                                   \
    }
    /* A folder of its own: other transformers, of tests beside this one, have their headers in the usual one for a
     * while. */
    char folder[PATH_MAX];
    ck_assert_int_eq(yk_temp_name("yoke-request", folder, sizeof folder), YK_OK);
    ck_assert_ptr_nonnull(mkdtemp(folder));
    setenv("TMPDIR", folder, 1);
    struct yk_transform_header h[] = {HEADER("a.h", "#include \"sub/b.h\"\n#define X (B)\n"),
                                      HEADER("sub/b.h", "#define B 7\n")};
    ask("#include \"a.h\"\n#include <sub/b.h>" K, "", &corpus_target, 1, h, 2);
    ck_assert_msg(!facts.refused, "%s", facts.refused);
    ck_assert_uint_eq(facts.nkernels, 1);
    ck_assert_uint_eq(facts.nfiles, 0); /* in the request, not on disk */
    struct yk_transform_header bad[] = {{"../a.h", "", 0}};
    ask("#define X 1" K, "", &corpus_target, 1, bad, 1);
    ck_assert_ptr_nonnull(facts.refused);
    struct yk_transform_header root[] = {{"/tmp/yoke-should-not-be", "", 0}};
    ask("#define X 1" K, "", &corpus_target, 1, root, 1);
    ck_assert_ptr_nonnull(facts.refused);
    ck_assert(access("/tmp/yoke-should-not-be", F_OK));
    /* Nothing of ours stays in the folder for temporary files: an empty folder can be removed. */
    ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

START_TEST(included_files_are_named_with_their_content)
{
    one("#include \"tests/transform/corpus/headers.h\"\n#define X group_number()" K, "");
    ck_assert_msg(!facts.refused, "%s", facts.refused);
    ck_assert_uint_eq(facts.nfiles, 1);
    ck_assert_ptr_nonnull(strstr(facts.file[0].path, "headers.h"));
    ck_assert_uint_eq(facts.kernel[0].nhidden, 1);
    one("#include \"headers.h\"\n#define X 1" K, "-I tests/transform/corpus");
    /* It, and the places in which another would be found before it. */
    ck_assert_uint_eq(facts.nfiles, 2);
    ck_assert(!facts.file[0].absent && facts.file[1].absent);
    ck_assert_str_eq(facts.file[1].path, "headers.h");
    one("#include \"headers.h\"\n#define X 1" K, "-I tests/unit -I tests/transform/corpus -I tests/pocl");
    ck_assert_uint_eq(facts.nfiles, 3);
    ck_assert_str_eq(facts.file[2].path, "tests/unit/headers.h");
    one("#include \"headers.h\"\n#define X 1" K, "-Itests/nowhere");
    ck_assert(facts.refused && strstr(facts.refused, "line 1"));
}
END_TEST

START_TEST(options_mean_what_they_mean_to_a_compiler)
{
    one("#define X A B" K, "-DA='2 +' -D \"B=3 * 4\"");
    ck_assert_msg(!facts.refused, "%s", facts.refused);
    one("kernel void f(global int *a) { a[0] = A; }", "-D A=\\\"x\\\"[0] -cl-mad-enable");
    ck_assert_msg(!facts.refused, "%s", facts.refused);
    one("kernel void f(global int *a) { a[0] = sizeof(1.0) + get_group_id(0); }",
        "  -cl-single-precision-constant\t-DX -Ifoo -w  -unheard-of -cl-std=CL1.1 ");
    ck_assert_msg(!facts.refused, "%s", facts.refused);
    ck_assert_str_eq(facts.variant_options, "-cl-single-precision-constant -w -unheard-of -cl-std=CL1.1");
    one("#if __OPENCL_C_VERSION__ != 200\n#error\n#endif\n#define X 1" K, "-cl-std=CL2.0");
    ck_assert_msg(!facts.refused, "%s", facts.refused);
    one("#if __OPENCL_C_VERSION__ != 120\n#error\n#endif\n#define X 1" K, "-UFOO");
    ck_assert_msg(!facts.refused, "%s", facts.refused);
    one("#define X 1" K, "-D");
    ck_assert_msg(!facts.refused, "%s", facts.refused);
    one("#define X 1" K, "-cl-std=CL9.9");
    ck_assert_ptr_nonnull(facts.refused);
    one("#define X 1" K, "-cl-std=CL");
    ck_assert_msg(!facts.refused, "%s", facts.refused);
}
END_TEST

#define VERSION_IS(v) "#if __OPENCL_C_VERSION__ " v "\n"
#define GROUP         "kernel void f(global int *a) { a[get_group_id(0)] = X; }\n"
#define NO_GROUP      "kernel void f(global int *a) { a[get_global_id(0)] = X; }\n"

/* PoCL takes 3.0 where a program asks for no version, other compilers take 1.2. */
START_TEST(either_version_will_do_where_the_text_is_the_same)
{
    one("#if __OPENCL_C_VERSION__ < 120\n#error\n#endif\n#define X 1\n" GROUP, "");
    ck_assert_ptr_nonnull(strstr(facts.variant_source, VERSION_IS("!= 120 && __OPENCL_C_VERSION__ != 300")));
    one("#if __OPENCL_C_VERSION__ < 120\n#error\n#endif\n#define X 1\n" NO_GROUP, "");
    ck_assert(facts.kernel[0].verdict != YK_VERDICT_WHOLE && !facts.kernel[0].needs_variant);
    one("#if __OPENCL_C_VERSION__ < 120\n#error\n#endif\n#define X 1\n" GROUP, "-cl-std=CL1.2");
    ck_assert_ptr_nonnull(strstr(facts.variant_source, VERSION_IS("!= 120")));
}
END_TEST

START_TEST(the_version_is_guarded_where_the_text_depends_on_it)
{
    static const char *const sources[] = {
        "#if __OPENCL_C_VERSION__ >= 200\n#define X 1\n#else\n#define X 2\n#endif\n",
        "#define X __OPENCL_C_VERSION__\n", /* no condition asks for it */
        "#define NEW (__OPENCL_C_VERSION__ > 120)\n#if NEW\n#define X 1\n#else\n#define X 2\n#endif\n",
        "#define P(a, b) a##b\n#define X P(__OPENCL_C_, VERSION__)\n",
        "#define X 1\n#if __OPENCL_C_VERSION__ > 200\n#error too new\n#endif\n",
    };
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s%s", sources[i], GROUP);
        one(text, "");
        ck_assert_msg(!facts.refused, "%zu: %s", i, facts.refused);
        ck_assert_msg(strstr(facts.variant_source, VERSION_IS("!= 120")) != NULL, "%zu: %s", i, facts.variant_source);
        snprintf(text, sizeof text, "%s%s", sources[i], NO_GROUP);
        one(text, ""); /* what the facts were read from is not what the app's text may mean */
        ck_assert_msg(facts.kernel[0].needs_variant && !facts.kernel[0].nhidden, "%zu", i);
        ck_assert_msg(strstr(facts.variant_source, VERSION_IS("!= 120")) != NULL, "%zu: %s", i, facts.variant_source);
        one(text, "-cl-std=CL1.2");
        ck_assert_msg(!facts.kernel[0].needs_variant, "%zu", i);
    }
}
END_TEST

START_TEST(macros_that_a_condition_reaches_through_another_are_guarded)
{
    one("#define DOUBLE defined(cl_khr_fp64)\n#if DOUBLE\n#define X 1\n#else\n#define X 2\n#endif\n" GROUP, "");
    ck_assert_ptr_nonnull(strstr(facts.variant_source, "#if !defined(cl_khr_fp64)\n"));
    one("#define ON_POCL defined(__POCL__)\n#if ON_POCL\n#define X 1\n#else\n#define X 2\n#endif\n" NO_GROUP, "");
    ck_assert(facts.kernel[0].needs_variant);
    ck_assert_ptr_nonnull(strstr(facts.variant_source, "#if defined(__POCL__)\n"));
    one("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#define X 1\n" GROUP, "");
    ck_assert_ptr_null(strstr(facts.variant_source, "#error"));
}
END_TEST

START_TEST(another_device_may_take_another_version)
{
    struct yk_transform_target old = corpus_target, t[2] = {corpus_target, corpus_target};
    old.version = "OpenCL 1.2 ";
    t[0] = old; /* 1.2 whatever happens; beside it one that may take 3.0 */
    ask("#if __OPENCL_C_VERSION__ >= 200\n#define X 1\n#else\n#define X 2\n#endif\n" NO_GROUP, "", t, 2, NULL, 0);
    ck_assert(facts.kernel[0].needs_variant);
    ck_assert_ptr_nonnull(strstr(facts.variant_source, VERSION_IS("!= 120")));
}
END_TEST

START_TEST(odd_sources_do_no_harm)
{
    one("", "");
    ck_assert(!facts.refused && facts.nkernels == 0);
    one("kernel void f() { }", "");
    ck_assert_uint_eq(facts.nkernels, 1);
    ck_assert_int_eq(facts.kernel[0].verdict, YK_VERDICT_SPLIT);
    one("kernel void f(global int *a)\r\n{\r\n  a[get_group_id(0)] = 1; // \xe9\xff\r\n}", "");
    ck_assert_msg(!facts.refused, "%s", facts.refused);
    ck_assert_uint_eq(facts.kernel[0].nhidden, 1);
    one("kernel void f(global int *) {} kernel void g(global int *, int);\nkernel void g(global int *a, int) { "
        "a[get_group_id(0)] = 1; }",
        "");
    ck_assert_msg(!facts.refused, "%s", facts.refused);
    one("#line 7 \"/etc/passwd\"\n# 3 \"/etc/shadow\"\nkernel void f(global int *a) { a[get_group_id(0)] = __LINE__; }",
        "");
    ck_assert_msg(!facts.refused, "%s", facts.refused);
    one("int get_group_id(int x) { return x; }\nkernel void f(global int *a) { a[get_group_id(0)] = 1; }", "");
    ck_assert(facts.refused || facts.kernel[0].verdict == YK_VERDICT_WHOLE);
    one("int (oddly)(int x) { return x + get_group_id(0); }\nkernel void f(global int *a) { a[oddly(0)] = 1; }", "");
    ck_assert_int_eq(facts.kernel[0].verdict, YK_VERDICT_WHOLE);
    one("kernel void f(global int *a) { int i = 0; a[get_group_id(i++)] = i; }\n", "");
    ck_assert_uint_eq(facts.kernel[0].nhidden, 3);
    ck_assert_ptr_nonnull(strstr(facts.variant_source, "(i++, "));
    /* Rubbish. */
    unsigned seed = 3;
    char text[4000];
    for (int i = 0; i < 10; i++) {
        for (size_t k = 0; k < sizeof text - 1; k++)
            text[k] = (char)(i & 1 ? rand_r(&seed) % 255 + 1 : "{}()[]#\n\"'\\/* ;,kernel void"[rand_r(&seed) % 28]);
        text[sizeof text - 1] = 0;
        one(text, "");
    }
}
END_TEST

START_TEST(nul_in_a_source_ends_nothing_early)
{
    static const char text[] =
        "kernel void f(global int *a) { a[0] = 1; }\0 kernel void g(global int *a) { a[0] = 1; }";
    struct yk_transform_request req = {.source = text,
                                       .size = sizeof text - 1,
                                       .target = &corpus_target,
                                       .ntargets = 1,
                                       .library_dir = YOKE_BINARIES,
                                       .timeout_ms = 100000};
    yk_facts_finish(&facts);
    ck_assert_int_eq(yk_transform_run(&req, &facts), YK_OK);
    ck_assert(facts.refused || facts.nkernels == 2);
}
END_TEST

/* Exit status of `yoke-transform ARGS`, in a shell. */
static int status(const char *args)
{
    char cmd[1024];
    snprintf(cmd, sizeof cmd, "'%s/yoke-transform' %s >/dev/null 2>&1", YOKE_BINARIES, args);
    int s = system(cmd);
    ck_assert(WIFEXITED(s));
    return WEXITSTATUS(s);
}

/* Does the explanation of FILE have TEXT? */
static bool explained(const char *file, const char *text)
{
    char args[1024];
    snprintf(args, sizeof args, "--explain %s | grep -qF '%s'", file, text);
    char cmd[2048];
    snprintf(cmd, sizeof cmd, "'%s/yoke-transform' %s", YOKE_BINARIES, args);
    return system(cmd) == 0;
}

START_TEST(the_cut_and_the_merge_are_explained)
{
    ck_assert(explained("bench/apps/stencil2d.cl", "cut         along dimension 1"));
    ck_assert(explained("bench/apps/matrix_transpose.cl", "cut         along dimension 0"));
    ck_assert(explained("bench/apps/vector_add.cl", "outputs     exact regions"));
    ck_assert(explained("bench/apps/bfs.cl", "outputs     merge kernel"));
    ck_assert(explained("bench/apps/bfs.cl", "no merge kernel: line "));
    ck_assert(explained("tests/transform/corpus/merge.cl", "__kernel void yk_merge_sparse("));
    ck_assert(!explained("bench/apps/vector_add.cl", "merge kernel"));
    const char *places = "tests/transform/corpus/places.cl -- -cl-std=CL2.0";
    ck_assert(explained(places, "outputs     exact regions"));
    ck_assert(!explained(places, "outputs     merge"));
    ck_assert(!explained(places, "outputs     byte"));
    ck_assert(!explained(places, "outputs     none"));
}
END_TEST

START_TEST(the_program_refuses_what_is_no_request)
{
    ck_assert_int_eq(status("--help"), 0);
    ck_assert_int_eq(status("--version"), 0);
    ck_assert_int_eq(status("--nonsense"), 2);
    ck_assert_int_eq(status("--explain"), 2);
    ck_assert_int_eq(status("--explain /nonexistent.cl"), 2);
    ck_assert_int_eq(status("--explain tests/transform/corpus/ids.cl x"), 2);
    ck_assert_int_eq(status("--explain tests/transform/corpus/ids.cl -- -cl-std=CL2.0"), 0);
    ck_assert_int_eq(status("--explain tests/transform/corpus/error.cl"), 1);
    ck_assert_int_eq(status("< /dev/null"), 2);
    ck_assert_int_eq(status("< /bin/sh"), 2);
    struct yk_transform_request req = {
        .source = "kernel void f() { }", .size = 19, .target = &corpus_target, .ntargets = 1};
    char *text, path[PATH_MAX], args[sizeof path + 8];
    size_t n;
    ck_assert_int_eq(yk_client_request_write(&req, &text, &n), YK_OK);
    int fd = yk_temp_name("yoke-request", path, sizeof path) == YK_OK ? mkstemp(path) : -1;
    snprintf(args, sizeof args, "< %s", path);
    for (size_t cut = 0; cut <= n; cut += 1 + (cut < n - 30 ? n / 12 : 3)) {
        ck_assert(!ftruncate(fd, 0) && pwrite(fd, text, cut, 0) == (ssize_t)cut);
        ck_assert_int_eq(status(args), 2);
        if (cut + 3 > n)
            break;
    }
    ck_assert(pwrite(fd, text, n, 0) == (ssize_t)n);
    ck_assert_int_eq(status(args), 0);
    close(fd);
    unlink(path);
    free(text);
}
END_TEST

YK_TEST_MAIN("request", devices_share_where_their_texts_are_equal, headers_given_with_the_program_are_found,
             included_files_are_named_with_their_content, options_mean_what_they_mean_to_a_compiler,
             either_version_will_do_where_the_text_is_the_same, the_version_is_guarded_where_the_text_depends_on_it,
             macros_that_a_condition_reaches_through_another_are_guarded, another_device_may_take_another_version,
             odd_sources_do_no_harm, nul_in_a_source_ends_nothing_early, the_cut_and_the_merge_are_explained,
             the_program_refuses_what_is_no_request)
