/* device/numeric.h on real drivers: twins are one class, other implementations are not, and the disk is not trusted. */
#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/log.h"
#include "base/temp.h"
#include "device/machine.h"
#include "device/numeric.h"
#include "tests/unit/main.h"

static char cache[160];

/* In a folder beside the program, for the next run: the probe takes PoCL a second. */
static void keep_what_pocl_compiles(void)
{
    char path[4000] = "";
    ck_assert_int_gt(readlink("/proc/self/exe", path, sizeof path - 20), 0);
    strcat(path, "-pocl-cache");
    setenv("POCL_CACHE_DIR", path, 1);
}

static void discover(const char *pocl, struct yk_machine *m)
{
    static const struct yk_machine_settings nothing;
    setenv("POCL_DEVICES", pocl, 1);
    setenv("OCL_ICD_VENDORS", "/etc/OpenCL/vendors/pocl.icd", 1); /* whatever else this machine has */
    keep_what_pocl_compiles();
    if (!getenv("YK_TEST_CACHE")) {
        ck_assert(yk_temp_name("yoke-numeric", cache, sizeof cache) == YK_OK && mkdtemp(cache));
        setenv("YK_TEST_CACHE", cache, 1);
        setenv("XDG_CACHE_HOME", cache, 1);
    }
    ck_assert_ptr_nonnull(yk_cl_guarded());
    ck_assert_int_eq(yk_machine_discover(yk_cl_guarded(), &nothing, m), YK_OK);
}

/* Call DO for each file of the cache; returns how many there are. */
static unsigned each_record(void (*act)(const char *path))
{
    char dir[200], path[600];
    unsigned n = 0;
    snprintf(dir, sizeof dir, "%s/yoke/numeric", cache);
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
            n++;
            if (act)
                act(path);
        }
    if (d)
        closedir(d);
    return n;
}

static void delete (const char *path)
{
    unlink(path);
}

static void clean(void)
{
    char path[200];
    each_record(delete);
    const char *const dir[] = {"/yoke/numeric", "/yoke", ""};
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s%s", cache, dir[i]);
        rmdir(path);
    }
}

START_TEST(twins_are_one_class)
{
    struct yk_machine m;
    discover("basic basic pthread", &m);
    ck_assert_uint_eq(yk_numeric_class(&m.device[1]), 1); /* alone until probed */
    ck_assert_int_eq(yk_numeric_probe(&m), YK_OK);
    for (unsigned i = 0; i < 3; i++)
        ck_assert_uint_eq(yk_numeric_class(&m.device[i]), 0);
    ck_assert_uint_eq(each_record(NULL), 3); /* each was probed */
    clean();
}
END_TEST

START_TEST(a_device_without_a_candidate_is_not_probed)
{
    struct yk_machine m;
    discover("basic", &m);
    ck_assert_int_eq(yk_numeric_probe(&m), YK_OK);
    ck_assert_uint_eq(each_record(NULL), 0);
    clean();
}
END_TEST

START_TEST(a_device_left_out_is_not_probed)
{
    struct yk_machine m;
    discover("basic basic", &m);
    m.device[1].usable = false;
    ck_assert_int_eq(yk_numeric_probe(&m), YK_OK);
    ck_assert_uint_eq(each_record(NULL), 0);
    clean();
}
END_TEST

START_TEST(the_probe_repeats_itself)
{
    struct yk_machine m;
    struct yk_hash a, b;
    discover("basic", &m);
    ck_assert_int_eq(yk_numeric_run(&m.device[0], &a), YK_OK);
    ck_assert_int_eq(yk_numeric_run(&m.device[0], &b), YK_OK);
    ck_assert(a.lo == b.lo && a.hi == b.hi && a.lo);
    clean();
}
END_TEST

/* What the cache says is used (a forged but well-formed result separates the twins), so that no device is probed twice.
 */
START_TEST(cached_results_are_used)
{
    struct yk_machine m, again;
    discover("basic basic", &m);
    ck_assert_int_eq(yk_numeric_probe(&m), YK_OK);
    discover("basic basic", &again);
    char dir[200], path[600] = "";
    snprintf(dir, sizeof dir, "%s/yoke/numeric", cache);
    DIR *d = opendir(dir);
    struct yk_hash key = {0, 0}, forged = {1, 2}, got;
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.') {
            unsigned long long hi, lo;
            ck_assert_int_eq(sscanf(e->d_name, "%16llx%16llx", &hi, &lo), 2);
            key = (struct yk_hash){.lo = lo, .hi = hi};
            snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        }
    closedir(d);
    struct stat st;
    ck_assert(!stat(path, &st) && (st.st_mode & 077) == 0);
    yk_numeric_cache_put(key, forged);
    ck_assert(yk_numeric_cache_get(key, &got) && got.lo == 1 && got.hi == 2);
    ck_assert_int_eq(yk_numeric_probe(&again), YK_OK);
    ck_assert(yk_numeric_class(&again.device[0]) != yk_numeric_class(&again.device[1]));
    clean();
}
END_TEST

static void damage(const char *path)
{
    static int how;
    int fd = open(path, O_WRONLY | (how % 3 == 0 ? O_TRUNC : 0));
    if (how % 3 == 1)
        ck_assert(pwrite(fd, "z", 1, 20) == 1);
    if (how % 3 == 2)
        ck_assert(pwrite(fd, "more", 4, lseek(fd, 0, SEEK_END)) == 4);
    how++;
    close(fd);
}

START_TEST(damaged_records_are_made_again)
{
    struct yk_machine m, again;
    discover("basic basic basic", &m);
    ck_assert_int_eq(yk_numeric_probe(&m), YK_OK);
    ck_assert_uint_eq(each_record(damage), 3);
    discover("basic basic basic", &again);
    ck_assert_int_eq(yk_numeric_probe(&again), YK_OK);
    ck_assert(yk_numeric_class(&again.device[0]) == yk_numeric_class(&again.device[2]));
    struct yk_hash key = {3, 4}, other = {5, 6}, result = {7, 8}, got;
    yk_numeric_cache_put(key, result);
    ck_assert(!yk_numeric_cache_get(other, &got));
    ck_assert(yk_numeric_cache_get(key, &got) && got.lo == 7 && got.hi == 8);
    clean();
}
END_TEST

START_TEST(without_a_folder_it_still_works)
{
    struct yk_machine m;
    yk_log_set_level(YK_LOG_ERROR);
    setenv("YK_TEST_CACHE", "none", 1);
    setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
    discover("basic basic", &m);
    ck_assert_int_eq(yk_numeric_probe(&m), YK_OK);
    ck_assert_uint_eq(yk_numeric_class(&m.device[1]), 0);
}
END_TEST

static void *probe(void *m)
{
    return (void *)(uintptr_t)yk_numeric_probe(m);
}

START_TEST(callers_at_once_share_one_probe)
{
    static struct yk_machine m;
    pthread_t t[3];
    discover("basic basic", &m);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(pthread_create(&t[i], NULL, probe, &m), 0);
    for (int i = 0; i < 3; i++) {
        void *status;
        pthread_join(t[i], &status);
        ck_assert_ptr_null(status);
        ck_assert_uint_eq(yk_numeric_class(&m.device[1]), 0);
    }
    clean();
}
END_TEST

static const struct yk_cl *serial;
static unsigned launches;

static cl_int count_launch(cl_command_queue q, cl_kernel k, cl_uint dims, const size_t *offset, const size_t *global,
                           const size_t *local, cl_uint n, const cl_event *wait, cl_event *event)
{
    launches++;
    return serial->EnqueueNDRangeKernel(q, k, dims, offset, global, local, n, wait, event);
}

/* PoCL's basic device bears one thread at a time: the probe takes its turn with the app's launches. */
START_TEST(the_probe_takes_its_turn)
{
    struct yk_machine m;
    discover("basic", &m);
    serial = m.device[0].trial;
    ck_assert_ptr_ne(serial->EnqueueNDRangeKernel, yk_cl_guarded()->EnqueueNDRangeKernel);
    struct yk_cl table = *serial;
    struct yk_hash result;
    table.EnqueueNDRangeKernel = count_launch;
    m.device[0].trial = &table;
    ck_assert_int_eq(yk_numeric_run(&m.device[0], &result), YK_OK);
    ck_assert_uint_ge(launches, 1);
    clean();
}
END_TEST

YK_TEST_MAIN("numeric", the_probe_takes_its_turn, twins_are_one_class, a_device_without_a_candidate_is_not_probed,
             a_device_left_out_is_not_probed, the_probe_repeats_itself, cached_results_are_used,
             damaged_records_are_made_again, without_a_folder_it_still_works, callers_at_once_share_one_probe)
