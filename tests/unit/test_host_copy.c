/* Copies by several threads against memcpy: every length about the limits, any alignment, nothing beside it touched. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "device/link/host_copy.h"
#include "device/link/pagemap.h"
#include "tests/unit/main.h"

enum { MARGIN = 64 };

/* Does a copy give what memcpy gives, with nothing beside it touched? */
static bool copies(size_t len, size_t shift)
{
    unsigned char *from = malloc(len + MARGIN), *to = malloc(len + 3 * MARGIN), *want = malloc(len + 3 * MARGIN);
    ck_assert(from && to && want);
    for (size_t i = 0; i < len + MARGIN; i++)
        from[i] = (unsigned char)(i * 131 + (i >> 8) * 7 + 1);
    memset(to, 0xa5, len + 3 * MARGIN);
    memset(want, 0xa5, len + 3 * MARGIN);
    memcpy(want + MARGIN + shift, from + shift / 2, len);
    yk_host_copy(to + MARGIN + shift, from + shift / 2, len);
    bool same = !memcmp(to, want, len + 3 * MARGIN);
    free(from), free(to), free(want);
    return same;
}

/* Each test is a process of its own, so the mode is read anew. */
static void all_lengths(const char *mode)
{
    static const size_t length[] = {0, 1, 63, 64, 65, 1499, 1500, 1501, 4500, 4501, 100000, (2 << 20) - 1, 2 << 20};
    setenv("YOKE_COPIERS", mode, 1);
    for (size_t i = 0; i < sizeof length / sizeof *length; i++)
        for (size_t shift = 0; shift < MARGIN; shift += 17)
            ck_assert(copies(length[i], shift));
}

START_TEST(shared)
{
    all_lengths("force");
    ck_assert(yk_host_copy_shared(64) && !yk_host_copy_shared(63));
}
END_TEST

START_TEST(alone)
{
    all_lengths("off");
    ck_assert(!yk_host_copy_shared((size_t)1 << 40));
}
END_TEST

START_TEST(long_ones)
{
    for (size_t len = (5 << 20) - 3; len < 70 << 20; len *= 5)
        ck_assert(copies(len, 13));
}
END_TEST

static unsigned char *map(size_t len)
{
    unsigned char *at = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(at, MAP_FAILED);
    return at;
}

START_TEST(zeros_that_were_read)
{
    size_t len = 4 << 20, page = (size_t)sysconf(_SC_PAGESIZE), sum = 0;
    unsigned char *to = map(len), *from = map(len);
    memset(from, 7, len);
    ck_assert(!yk_pages_copied_on_write(to, len)); /* nothing there yet */
    ck_assert(!yk_pages_copied_on_write(from, len));
    for (size_t i = 0; i < len; i += page)
        sum += to[i];
    ck_assert_uint_eq(sum, 0);
    ck_assert(yk_pages_copied_on_write(to, len) || access("/proc/self/pagemap", R_OK));
    yk_host_copy(to, from, len);
    ck_assert(!memcmp(to, from, len));
    ck_assert(!yk_pages_copied_on_write(to, len));
    munmap(to, len);
    munmap(from, len);
}
END_TEST

static void *copy_often(void *arg)
{
    for (int i = 0; i < 30; i++)
        ck_assert(copies(20000 + *(unsigned *)arg * 777, (size_t)i));
    return arg;
}

START_TEST(several_at_once)
{
    setenv("YOKE_COPIERS", "force", 1);
    pthread_t t[4];
    unsigned number[4] = {0, 1, 2, 3};
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&t[i], NULL, copy_often, &number[i]), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
}
END_TEST

YK_TEST_MAIN("host_copy", shared, alone, long_ones, zeros_that_were_read, several_at_once)
