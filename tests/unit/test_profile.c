/* profiler: what processes remember of one another (profile.h), with SQLite and without. */
#include <limits.h>
#include <sys/stat.h>
#include "profiler/profile.h"
#include "tests/unit/child.h"
#include "tests/unit/database.h"
#include "tests/unit/main.h"

static struct yk_device device = {.name = "a device", .driver = "1"};

static struct yk_profile_key profile_key(void)
{
    return (struct yk_profile_key){
        .kernel = {1, 2}, .name = "k", .device = &device, .local = {8, 1, 1}, .problem = {3, 4}};
}

static bool has_sqlite(void)
{
    char line[PATH_MAX + 128];
    bool has = false;
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && fgets(line, sizeof line, f))
        has |= strstr(line, "libsqlite3") != NULL;
    if (f)
        fclose(f);
    return has;
}

enum { WRONG = 1, LOADED, NO_SQLITE };

/* A process of a program; 0: the very first. */
static void one_process(unsigned nth)
{
    struct yk_profile_key k = profile_key();
    struct yk_series s;
    yk_profile_load();
    bool known = yk_profile_get(&k, &s);
    if (known != (nth > 0) || (nth && (s.n != 1 || s.at[0].count != nth || s.at[0].ms != 5)))
        _exit(WRONG);
    yk_profile_add(&k, 100, 5);
    yk_profile_save();
    if (nth && has_sqlite()) /* what this file is for */
        _exit(LOADED);
}

static void find_sqlite(unsigned n)
{
    (void)n;
    if (!yk_sqlite_get())
        _exit(NO_SQLITE);
}

/* A place of the test's own. False: there is no SQLite, or this program's own libraries load it. */
static bool begin(void)
{
    use_folder();
    setenv("XDG_DATA_HOME", folder, 1);
    setenv("YOKE_PROFILE", "1", 1);
    return !has_sqlite() && child_status(find_sqlite, 0) == 0;
}

START_TEST(processes_remember_without_sqlite)
{
    for (unsigned i = 0, n = begin() ? 5 : 0; i < n; i++)
        ck_assert_int_eq(child_status(one_process, i), 0);
    remove_folder();
}
END_TEST

static void remember_many(unsigned n)
{
    (void)n;
    struct yk_profile_key k = profile_key();
    for (unsigned i = 0; i < 2000; i++) {
        k.kernel.lo = i;
        yk_profile_add(&k, 100, 5);
    }
    yk_profile_save();
}

static void expect_all(unsigned n)
{
    struct yk_profile_key k = profile_key();
    struct yk_series s;
    struct stat st;
    char name[sizeof folder + 64];
    yk_profile_load();
    for (unsigned i = 0; i < n; i++) {
        k.kernel.lo = i;
        if (!yk_profile_get(&k, &s))
            _exit(WRONG);
    }
    off_t bytes = 0;
    static const char *const what[] = {"samples.db", "samples.db-wal"};
    for (unsigned i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%s/yoke/profile/%s", folder, what[i]);
        bytes += stat(name, &st) ? 0 : st.st_size;
    }
    if (bytes < 1 << 17) /* it has gone into the database */
        _exit(WRONG);
}

START_TEST(much_goes_into_the_database)
{
    if (begin()) {
        ck_assert_int_eq(child_status(remember_many, 0), 0);
        ck_assert_int_eq(child_status(expect_all, 2000), 0);
    }
    remove_folder();
}
END_TEST

YK_TEST_MAIN("profile", processes_remember_without_sqlite, much_goes_into_the_database)
