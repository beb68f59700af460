/* Programs that play the transformer, and a folder for each test in which they do. Included by tests of the client. */
#ifndef YK_TESTS_TRANSFORM_CLIENT_H
#define YK_TESTS_TRANSFORM_CLIENT_H

#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/log.h"
#include "base/temp.h"
#include "transform/client.h"
#include "transform/facts_write.h"

static char root[200];

static inline const char *in_root(const char *name)
{
    static char path[2][400];
    static int i;
    i = !i;
    snprintf(path[i], sizeof path[i], "%s/%s", root, name);
    return path[i];
}

static inline void put(const char *name, const char *text, size_t n, int mode)
{
    int fd = open(in_root(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    ck_assert(fd >= 0 && write(fd, text, n) == (ssize_t)n && !close(fd));
}

static inline void setup(void)
{
    yk_log_set_level(YK_LOG_ERROR);
    ck_assert(yk_temp_name("yoke-client", root, sizeof root) == YK_OK && mkdtemp(root));
    setenv("XDG_CACHE_HOME", in_root("cache"), 1);
    setenv("HOME", root, 1);
    uint64_t text = 42;
    struct yk_facts_kernel k = {.name = "f", .verdict = YK_VERDICT_SPLIT, .reason = ""};
    struct yk_facts f = {.transformer = "fake", .ntargets = 1, .target_text = &text, .nkernels = 1, .kernel = &k};
    char *record;
    size_t n;
    ck_assert_int_eq(yk_facts_write(&f, &record, &n), YK_OK);
    put("record", record, n, 0600);
    free(record);
}

static inline void teardown(void)
{
    char cmd[800];
    signal(SIGCHLD, SIG_DFL);
    snprintf(cmd, sizeof cmd, "rm -rf '%s'", root);
    ck_assert_int_eq(system(cmd), 0);
}

/* A transformer that is the shell script BODY. */
static inline void play(const char *body)
{
    char text[8192];
    int n = snprintf(text, sizeof text, "#!/bin/sh\n%s\n", body);
    put("yoke-transform", text, (size_t)n, 0700);
}

static const struct yk_transform_target target = {.c_version = "OpenCL C 1.2 ",
                                                  .version = "OpenCL 1.2 ",
                                                  .extensions = "",
                                                  .driver = "x",
                                                  .address_bits = 64,
                                                  .little_endian = true};

static bool aside, from_cache; /* how run_source asks */

static inline yk_status run_source(const char *source, unsigned timeout_ms, struct yk_facts *f)
{
    struct yk_transform_request req = {.source = source,
                                       .size = strlen(source),
                                       .options = "-DA=1",
                                       .target = &target,
                                       .ntargets = 1,
                                       .library_dir = root,
                                       .timeout_ms = timeout_ms,
                                       .aside = aside};
    return from_cache ? yk_transform_cached(&req, f) : yk_transform_run(&req, f);
}

static inline yk_status run(unsigned timeout_ms)
{
    struct yk_facts f;
    yk_status s = run_source("kernel void f() {}", timeout_ms, &f);
    ck_assert_uint_eq(f.nkernels, s == YK_OK);
    yk_facts_finish(&f);
    return s;
}

#endif
