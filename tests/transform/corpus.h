/* The corpus of tests/transform: OpenCL C files whose comments say what is expected of them ("// verdict f merge").
 * Shared by the tests of this folder, which ask the real
 * yoke-transform through the client: no LLVM may live in a process with a driver that brings its own. */
#ifndef YK_TESTS_CORPUS_H
#define YK_TESTS_CORPUS_H

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "transform/client.h"

static const struct yk_transform_target corpus_target = {
    .c_version = "OpenCL C 1.2 ",
    .version = "OpenCL 3.0 ",
    .extensions = "cl_khr_byte_addressable_store cl_khr_global_int32_base_atomics cl_khr_fp64",
    .driver = "test",
    .address_bits = 64,
    .little_endian = true,
    .images = true};

struct corpus_file {
    char path[512];
    char *text;
    size_t size;
    char options[512];
};

static inline char *corpus_read(const char *path, size_t *n)
{
    FILE *f = fopen(path, "r");
    ck_assert_msg(f != NULL, "%s", path);
    char *text = calloc(1, 1 << 20);
    *n = fread(text, 1, (1 << 20) - 1, f);
    fclose(f);
    return text;
}

/* The words after "// KEY " on the next such line from *AT on; false at the end. */
static inline bool corpus_next(const char **at, const char *key, char *line, size_t n)
{
    char start[64];
    snprintf(start, sizeof start, "// %s ", key);
    while (**at) {
        const char *s = *at, *end = strchr(s, '\n');
        *at = end ? end + 1 : s + strlen(s);
        if (strncmp(s, start, strlen(start)))
            continue;
        snprintf(line, n, "%.*s", (int)(end - s - (ptrdiff_t)strlen(start)), s + strlen(start));
        return true;
    }
    return false;
}

/* All files of the corpus, sorted by no one; returns how many. Paths in options are relative to the source folder. */
static inline int corpus_files(struct corpus_file *f, int max)
{
    DIR *d = opendir("tests/transform/corpus");
    ck_assert_msg(d != NULL, "run in the source folder");
    int n = 0;
    for (struct dirent *e; (e = readdir(d));) {
        size_t len = strlen(e->d_name);
        if (len < 3 || strcmp(e->d_name + len - 3, ".cl"))
            continue;
        ck_assert_int_lt(n, max);
        snprintf(f[n].path, sizeof f[n].path, "tests/transform/corpus/%s", e->d_name);
        f[n].text = corpus_read(f[n].path, &f[n].size);
        const char *at = f[n].text;
        if (!corpus_next(&at, "options", f[n].options, sizeof f[n].options))
            f[n].options[0] = 0;
        n++;
    }
    closedir(d);
    return n;
}

static inline void corpus_facts_for(const struct corpus_file *f, const struct yk_transform_target *t,
                                    struct yk_facts *facts)
{
    struct yk_transform_request req = {.source = f->text,
                                       .size = f->size,
                                       .options = f->options,
                                       .target = t,
                                       .ntargets = 1,
                                       .library_dir = YOKE_BINARIES};
    char *cache = getenv("XDG_CACHE_HOME") ? strdup(getenv("XDG_CACHE_HOME")) : NULL;
    setenv("XDG_CACHE_HOME", "/proc/nowhere", 1); /* ask anew */
    setenv("YOKE_TRANSFORM_TIMEOUT", "100", 1);   /* the machine may be busy */
    ck_assert_int_eq(yk_transform_run(&req, facts), YK_OK);
    if (cache)
        setenv("XDG_CACHE_HOME", cache, 1);
    else
        unsetenv("XDG_CACHE_HOME"); /* drivers have caches too */
    free(cache);
}

static inline void corpus_facts(const struct corpus_file *f, struct yk_facts *facts)
{
    corpus_facts_for(f, &corpus_target, facts);
}

#endif
