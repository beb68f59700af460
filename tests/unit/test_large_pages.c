/* device/large_pages.h: hosts that take memory back, and folders that say nothing. */
#include "device/large_pages.h"
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "tests/unit/main.h"

static char folder[] = "devices.XXXXXX";

static void put(const char *device, const char *file, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, device);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/%s/%s", folder, device, file);
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_ge(fputs(text, f), 0);
    ck_assert_int_eq(fclose(f), 0);
}

static void clean(void)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

START_TEST(a_host_that_takes_memory_back)
{
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert(yk_large_pages_gain(folder));
    put("virtio0", "device", "0x0002\n");
    put("virtio0", "features", "00100110011001\n");
    ck_assert_msg(yk_large_pages_gain(folder), "a disk is no balloon");
    put("virtio1", "device", "0x0005\n");
    ck_assert_msg(yk_large_pages_gain(folder), "without features");
    put("virtio1", "features", "0110\n");
    ck_assert_msg(yk_large_pages_gain(folder), "a short line");
    put("virtio1", "features", "01100001000000\n");
    ck_assert_msg(yk_large_pages_gain(folder), "a balloon that takes what it asks for");
    put("virtio1", "features", "01100101000000\n");
    ck_assert_msg(!yk_large_pages_gain(folder), "one that is told of free pages");
    clean();
}
END_TEST

START_TEST(no_such_folder)
{
    ck_assert(yk_large_pages_gain("no/such/folder"));
    ck_assert_int_eq(yk_large_pages_gain(NULL), yk_large_pages_gain(NULL));
}
END_TEST

YK_TEST_MAIN("large_pages", a_host_that_takes_memory_back, no_such_folder)
