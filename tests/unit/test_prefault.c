/* Pages touched by others while a program writes there: no byte changes, all pages are there in the end, and a stop is
 * obeyed at any moment. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include "device/link/prefault.h"
#include "tests/unit/main.h"

enum { PAGE = 4096, BYTES = 4 << 20 };

static unsigned char *fresh(size_t n)
{
    unsigned char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(p != MAP_FAILED);
    madvise(p, n, MADV_NOHUGEPAGE);
    return p;
}

static size_t pages_there(unsigned char *p, size_t n)
{
    static unsigned char there[BYTES / PAGE];
    size_t count = 0;
    ck_assert_int_eq(mincore(p, n, there), 0);
    for (size_t i = 0; i < n / PAGE; i++)
        count += there[i] & 1;
    return count;
}

START_TEST(all_pages_come)
{
    setenv("YOKE_COPIERS", "force", 1);
    unsigned char *p = fresh(BYTES);
    struct yk_prefault *f = yk_prefault_begin(p + 100, BYTES - 200, false); /* whole pages within */
    ck_assert_ptr_nonnull(f);
    for (int i = 0; i < 3000 && pages_there(p, BYTES) < BYTES / PAGE - 2; i++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    yk_prefault_end(f);
    ck_assert_uint_eq(pages_there(p, BYTES), BYTES / PAGE - 2);
    ck_assert(!p[0] && !memcmp(p, p + 1, BYTES - 1));
    munmap(p, BYTES);
}
END_TEST

START_TEST(what_is_written_meanwhile_stays)
{
    setenv("YOKE_COPIERS", "force", 1);
    for (int round = 0; round < 20; round++) {
        unsigned char *p = fresh(BYTES);
        struct yk_prefault *f = yk_prefault_begin(p, BYTES, false);
        for (size_t i = 0; i < BYTES; i += 64) {
            size_t at = round % 2 ? BYTES - 64 - i : i;
            p[at] = (unsigned char)(at / 64 + (unsigned)round);
            if (i == (size_t)round * BYTES / 20) {
                yk_prefault_end(f);
                f = NULL;
            }
        }
        yk_prefault_end(f);
        size_t wrong = 0;
        for (size_t i = 0; i < BYTES; i++)
            wrong += p[i] != (i % 64 ? 0 : (unsigned char)(i / 64 + (unsigned)round));
        ck_assert_uint_eq(wrong, 0);
        munmap(p, BYTES);
    }
}
END_TEST

START_TEST(what_is_there_is_left_alone)
{
    setenv("YOKE_COPIERS", "force", 1);
    unsigned char *p = fresh(BYTES);
    memset(p, 1, BYTES);
    ck_assert_ptr_null(yk_prefault_begin(p, BYTES, false));
    ck_assert_ptr_null(yk_prefault_begin(p, 63, false));
    ck_assert_ptr_null(yk_prefault_begin(p + 1, PAGE + PAGE / 2, false)); /* no page lies within */
    munmap(p, BYTES);
}
END_TEST

/* Nobody knows how much of it will be written, unless they say so. */
START_TEST(a_large_mapping_is_left_alone)
{
    const size_t large = (size_t)257 << 20;
    setenv("YOKE_COPIERS", "force", 1);
    unsigned char *p = fresh(large);
    ck_assert_ptr_null(yk_prefault_begin(p, large, false));
    struct yk_prefault *f = yk_prefault_begin(p, (size_t)256 << 20, false);
    ck_assert_ptr_nonnull(f);
    yk_prefault_end(f);
    madvise(p, large, MADV_DONTNEED);
    ck_assert_ptr_nonnull(f = yk_prefault_begin(p, large, true));
    yk_prefault_end(f);
    munmap(p, large);
}
END_TEST

START_TEST(switched_off)
{
    setenv("YOKE_COPIERS", "off", 1);
    unsigned char *p = fresh(BYTES);
    ck_assert_ptr_null(yk_prefault_begin(p, BYTES, false));
    ck_assert_uint_eq(pages_there(p, BYTES), 0);
    munmap(p, BYTES);
}
END_TEST

YK_TEST_MAIN("prefault", all_pages_come, what_is_written_meanwhile_stays, what_is_there_is_left_alone,
             a_large_mapping_is_left_alone, switched_off)
