/* device/warm: what yoke-warm is asked for, and the names of what it keeps. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/temp.h"
#include "device/warm/request.h"
#include "tests/unit/main.h"

static struct yk_warm_request sample(char *source)
{
    static char options[] = "-DN=3", kernel[] = "add", files[] = "- inc/a.h\n00000000000000ff b.h\n";
    return (struct yk_warm_request){
        .device = 1,
        .options = options,
        .source = source,
        .files = files,
        .kernel = kernel,
        .local = {64, 2, 1},
        .global = {1u << 20, 8, 1},
        .dims = 2,
        .nargs = 6,
        .kind = {YK_WARM_BUFFER, YK_WARM_VALUE, YK_WARM_IMAGE, YK_WARM_SAMPLER, YK_WARM_LOCAL, YK_WARM_NUMBER},
        .size = {4096, 4, 8, 8, 256, UINT64_MAX},
        .sampled = {[2] = {{0x10F1, 0x10B5, 0x10DE}, {640, 480, 1}}, [3] = {{1, 0x1132, 0x1141}, {0, 0, 0}}}};
}

START_TEST(a_request_is_read_as_it_was_written)
{
    char source[] = "kernel void add() {}\n# 3 lines\n", *text = NULL;
    size_t n;
    struct yk_warm_request r = sample(source), back;
    FILE *f = open_memstream(&text, &n);
    ck_assert_int_eq(yk_warm_write(f, &r), YK_OK);
    fclose(f);
    f = fmemopen(text, n, "r");
    ck_assert_int_eq(yk_warm_read(f, &back), YK_OK);
    fclose(f);
    ck_assert_uint_eq(back.device, 1);
    ck_assert_uint_eq(back.dims, 2);
    ck_assert_uint_eq(back.nargs, 6);
    ck_assert_mem_eq(back.sampled, r.sampled, sizeof r.sampled);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_uint_eq(back.local[i], r.local[i]);
        ck_assert_uint_eq(back.global[i], r.global[i]);
    }
    for (unsigned i = 0; i < r.nargs; i++) {
        ck_assert_uint_eq(back.size[i], r.size[i]);
        ck_assert_int_eq(back.kind[i], r.kind[i]);
    }
    ck_assert_str_eq(back.source, source);
    ck_assert_str_eq(back.options, r.options);
    ck_assert_str_eq(back.files, r.files);
    ck_assert_str_eq(back.kernel, r.kernel);
    yk_warm_finish(&back);
    /* Wherever it ends too early it is none. */
    for (size_t cut = 0; cut < n; cut++) {
        f = cut ? fmemopen(text, cut, "r") : fopen("/dev/null", "r");
        ck_assert_int_ne(yk_warm_read(f, &back), YK_OK);
        yk_warm_finish(&back);
        fclose(f);
    }
    free(text);
}
END_TEST

/* A kernel compiled for narrow ranges is none for wide ones: PoCL compiles anew, in the program's time. */
START_TEST(wide_ranges_have_a_mark_of_their_own)
{
    const uint64_t local[3] = {64, 1, 1}, narrow[3] = {65534, 8, 1}, wide[3] = {64, 65535, 1};
    char a[PATH_MAX], b[PATH_MAX], c[PATH_MAX];
    ck_assert(!yk_warm_wide(narrow));
    ck_assert(yk_warm_wide(wide));
    ck_assert(yk_warm_mark("source", "", "", "device", "add", local, false, a, sizeof a));
    ck_assert(yk_warm_mark("source", "", "", "device", "add", local, true, b, sizeof b));
    ck_assert(yk_warm_path("source", "", "", "device", c, sizeof c));
    ck_assert_str_ne(a, b);
    ck_assert_str_ne(a, c);
    ck_assert_str_ne(b, c);
}
END_TEST

/* A binary made while an included file held other bytes is another one. */
START_TEST(included_files_count)
{
    static const char text[] = "#define N 3\n";
    char name[512], files[2 * sizeof name + 64], a[PATH_MAX], b[PATH_MAX];
    int fd = yk_temp_name("warm", name, sizeof name) == YK_OK ? mkstemp(name) : -1;
    ck_assert(fd >= 0 && write(fd, text, sizeof text - 1) == (ssize_t)sizeof text - 1);
    uint64_t h = yk_hash_bytes((struct yk_hash){0, 0}, text, sizeof text - 1).lo;
    snprintf(files, sizeof files, "- %s.absent\n%016" PRIx64 " %s\n", name, h, name);
    ck_assert(yk_warm_fresh(""));
    ck_assert(yk_warm_fresh(files));
    ck_assert(yk_warm_path("source", "", "", "device", a, sizeof a));
    ck_assert(yk_warm_path("source", files, "", "device", b, sizeof b));
    ck_assert_str_ne(a, b);
    ck_assert(pwrite(fd, "4", 1, 10) == 1);
    ck_assert(!yk_warm_fresh(files));
    ck_assert(pwrite(fd, "3", 1, 10) == 1);
    ck_assert(yk_warm_fresh(files));
    snprintf(files, sizeof files, "- %s\n", name);
    ck_assert(!yk_warm_fresh(files));
    close(fd);
    unlink(name);
    snprintf(files, sizeof files, "%016" PRIx64 " %s\n", h, name);
    ck_assert(!yk_warm_fresh(files));
    ck_assert(!yk_warm_fresh("nothing\n"));
    ck_assert(!yk_warm_fresh("00000000000000ff unended"));
}
END_TEST

START_TEST(what_is_damaged_is_removed)
{
    char path[PATH_MAX];
    unsigned char *bytes;
    size_t n;
    ck_assert(yk_warm_path("kept", "", "", "device", path, sizeof path));
    ck_assert_int_eq(yk_warm_put(path, (const unsigned char *)"binary", 6), YK_OK);
    ck_assert(yk_warm_get(path, &bytes, &n));
    ck_assert_uint_eq(n, 6);
    ck_assert_mem_eq(bytes, "binary", 6);
    free(bytes);
    FILE *f = fopen(path, "r+");
    fseek(f, -1, SEEK_END);
    fputc('!', f);
    fclose(f);
    ck_assert(!yk_warm_get(path, &bytes, &n));
    ck_assert_ptr_null(fopen(path, "r"));
}
END_TEST

YK_TEST_MAIN("warm", a_request_is_read_as_it_was_written, wide_ranges_have_a_mark_of_their_own, included_files_count,
             what_is_damaged_is_removed)
