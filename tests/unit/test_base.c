/* base/: arrays, arenas, environment, hashes. */
#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/arena.h"
#include "base/array.h"
#include "base/env.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/temp.h"
#include "tests/stub/scratch.h"
#include "tests/unit/main.h"

START_TEST(array_keeps_what_is_pushed)
{
    YK_ARRAY(int) a = {0};
    for (int i = 0; i < 1000; i++)
        ck_assert(yk_array_push(&a, i));
    for (int i = 0; i < 1000; i++)
        ck_assert_int_eq(a.v[i], i);
    yk_array_finish(&a);
    ck_assert(!a.v && !a.n);
}
END_TEST

START_TEST(array_refuses_overflow)
{
    YK_ARRAY(uint64_t) a = {0};
    ck_assert(!yk_array_reserve(&a, SIZE_MAX / 4));
    ck_assert(!a.v);
}
END_TEST

START_TEST(arena_gives_zeroed_aligned_memory)
{
    struct yk_arena a = {0};
    for (size_t n = 0; n < 20000; n = n * 2 + 1) {
        char *p = yk_arena_alloc(&a, n);
        ck_assert(p && (uintptr_t)p % 16 == 0);
        for (size_t i = 0; i < n; i++)
            ck_assert_int_eq(p[i], 0);
        memset(p, 1, n);
    }
    ck_assert_str_eq(yk_arena_printf(&a, "%d-%s", 7, "x"), "7-x");
    yk_arena_finish(&a);
}
END_TEST

START_TEST(env_parses_and_falls_back)
{
    yk_log_set_level(YK_LOG_ERROR);
    setenv("YT", "on", 1);
    ck_assert(yk_env_bool("YT", false));
    setenv("YT", "maybe", 1);
    ck_assert(yk_env_bool("YT", true));
    setenv("YT", "64k", 1);
    ck_assert_int_eq(yk_env_int("YT", 1, 0, 1 << 20), 65536);
    setenv("YT", "9999999", 1);
    ck_assert_int_eq(yk_env_int("YT", 1, 0, 100), 1);
    setenv("YT", "12x", 1);
    ck_assert_int_eq(yk_env_int("YT", 5, 0, 100), 5);
    setenv("YT", "", 1);
    ck_assert_int_eq(yk_env_int("YT", 6, 0, 100), 6);
    uint64_t b;
    ck_assert_int_eq(yk_parse_bytes("1.5G", &b), YK_OK);
    ck_assert_uint_eq(b, 1610612736u);
    ck_assert_int_eq(yk_parse_bytes("-1", &b), YK_EFORMAT);
    ck_assert_int_eq(yk_parse_bytes("12q", &b), YK_EFORMAT);
}
END_TEST

START_TEST(dir_refuses_symlinks_and_open_folders)
{
    yk_log_set_level(YK_LOG_ERROR);
    char path[PATH_MAX], sub[PATH_MAX + 16];
    scratch_cache("dir");
    ck_assert_int_eq(yk_dir("cache", "a", path, sizeof path), YK_OK);
    struct stat st;
    ck_assert(!stat(path, &st) && (st.st_mode & 0777) == 0700);
    snprintf(sub, sizeof sub, "%s/yoke/link", scratch_folder);
    ck_assert(!symlink("/tmp", sub));
    ck_assert_int_eq(yk_dir("cache", "link", path, sizeof path), YK_EIO);
    snprintf(sub, sizeof sub, "%s/yoke/open", scratch_folder);
    ck_assert(!mkdir(sub, 0700) && !chmod(sub, 0777));
    ck_assert_int_eq(yk_dir("cache", "open", path, sizeof path), YK_EIO);
}
END_TEST

START_TEST(temporary_names_lie_in_tmpdir)
{
    char path[64];
    setenv("TMPDIR", "/somewhere/else", 1);
    ck_assert_int_eq(yk_temp_name("name", path, sizeof path), YK_OK);
    ck_assert_str_eq(path, "/somewhere/else/name-XXXXXX");
    ck_assert_int_eq(yk_temp_name("name", path, strlen("/somewhere/else/name-XXXXXX")), YK_ELIMIT);
    ck_assert_str_eq(path, "");
    setenv("TMPDIR", "", 1);
    ck_assert_int_eq(yk_temp_name("name", path, sizeof path), YK_OK);
    ck_assert_str_eq(path, "/tmp/name-XXXXXX");
    unsetenv("TMPDIR");
    ck_assert_int_eq(yk_temp_name("name", path, sizeof path), YK_OK);
    ck_assert_str_eq(path, "/tmp/name-XXXXXX");
}
END_TEST

START_TEST(hash_depends_on_every_part)
{
    struct yk_hash z = {0, 0}, a = yk_hash_str(yk_hash_str(z, "ab"), "c"), b = yk_hash_str(yk_hash_str(z, "a"), "bc");
    ck_assert(a.lo != b.lo || a.hi != b.hi);
    char hex[33];
    yk_hash_hex(a, hex);
    ck_assert_uint_eq(strlen(hex), 32);
}
END_TEST

YK_TEST_MAIN("base", array_keeps_what_is_pushed, array_refuses_overflow, arena_gives_zeroed_aligned_memory,
             env_parses_and_falls_back, dir_refuses_symlinks_and_open_folders, temporary_names_lie_in_tmpdir,
             hash_depends_on_every_part)
