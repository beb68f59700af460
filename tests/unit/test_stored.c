/* kernels/gpu/stored.h: compiled kernels on disk come back as they were, and damaged ones do not come back at all. */
#include "kernels/gpu/stored.h"
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/env.h"
#include "tests/unit/main.h"

static const struct yk_hash key = {1, 2}, other = {3, 4};
static char record[4200];

/* A folder of its own for each test (each is a process). */
static void folder(void)
{
    static char dir[] = "stored.XXXXXX";
    char path[4096], full[4200], name[33];
    ck_assert_ptr_nonnull(mkdtemp(dir));
    ck_assert_ptr_nonnull(realpath(dir, path));
    snprintf(full, sizeof full, "%s/cache", path);
    setenv("XDG_CACHE_HOME", full, 1);
    ck_assert_int_eq(yk_dir("cache", "sumproduct", path, sizeof path), YK_OK);
    yk_hash_hex(key, name);
    snprintf(record, sizeof record, "%s/%s", path, name);
}

static void clean(void)
{
    char command[4300], *top = getenv("XDG_CACHE_HOME");
    top[strlen(top) - strlen("/cache")] = '\0';
    snprintf(command, sizeof command, "rm -r '%s'", top);
    ck_assert_int_eq(system(command), 0);
}

static void put(void)
{
    char bytes[1000];
    memset(bytes, 'k', sizeof bytes);
    yk_gpu_stored_put(key, bytes, sizeof bytes);
}

static bool aside(void)
{
    char path[4300];
    snprintf(path, sizeof path, "%s.bad", record);
    return access(path, F_OK) == 0 && access(record, F_OK) != 0;
}

START_TEST(comes_back)
{
    folder();
    size_t n = 0;
    ck_assert_ptr_null(yk_gpu_stored_get(key, &n));
    put();
    char *bytes = yk_gpu_stored_get(key, &n);
    ck_assert_ptr_nonnull(bytes);
    ck_assert_uint_eq(n, 1000);
    for (size_t i = 0; i < n; i++)
        ck_assert_int_eq(bytes[i], 'k');
    free(bytes);
    ck_assert_ptr_null(yk_gpu_stored_get(other, &n));
    yk_gpu_stored_reject(key);
    ck_assert(aside());
    clean();
}
END_TEST

/* Every byte of the record turned, and every shorter length. */
START_TEST(damage_is_set_aside)
{
    folder();
    for (int at = 0; at < 1032; at++)
        for (int cut = 0; cut < 2; cut++) {
            size_t n;
            put();
            int fd = open(record, O_RDWR);
            struct stat st;
            ck_assert(fd >= 0 && fstat(fd, &st) == 0);
            ck_assert_int_eq(st.st_size, 1032);
            char c;
            if (cut) {
                ck_assert_int_eq(ftruncate(fd, at), 0);
            } else {
                ck_assert_int_eq(pread(fd, &c, 1, at), 1);
                c ^= 0x10;
                ck_assert_int_eq(pwrite(fd, &c, 1, at), 1);
            }
            close(fd);
            if (yk_gpu_stored_get(key, &n) || !aside())
                ck_abort_msg("byte %d, %s", at, cut ? "cut" : "turned");
        }
    clean();
}
END_TEST

/* A good record under another's name is no record of that key; a link is none at all. */
START_TEST(other_names)
{
    folder();
    size_t n;
    char name[33], path[4300], target[4300];
    put();
    yk_hash_hex(other, name);
    snprintf(path, sizeof path, "%.*s/%s", (int)(strrchr(record, '/') - record), record, name);
    ck_assert_int_eq(rename(record, path), 0);
    ck_assert_ptr_null(yk_gpu_stored_get(other, &n));
    put();
    snprintf(target, sizeof target, "%s.target", record);
    ck_assert_int_eq(rename(record, target), 0);
    ck_assert_int_eq(symlink(target, record), 0);
    ck_assert_ptr_null(yk_gpu_stored_get(key, &n));
    clean();
}
END_TEST

YK_TEST_MAIN("stored", comes_back, damage_is_set_aside, other_names)
