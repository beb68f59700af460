/* profiler: the database of samples: what is kept, damaged files, killed writers, a full disk. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/temp.h"
#include "profiler/database.h"
#include "profiler/sqlite.h"
#include "tests/unit/database.h"
#include "tests/unit/main.h"

static unsigned syncs; /* this program's stand before libc's, also for libsqlite3 */

__attribute__((visibility("default"))) int fsync(int fd)
{
    (void)fd;
    syncs++;
    return 0;
}

__attribute__((visibility("default"))) int fdatasync(int fd)
{
    return fsync(fd);
}

START_TEST(what_is_written_is_read)
{
    NEEDS_SQLITE();
    use_folder();
    struct yk_database *db = yk_database_open(path);
    ck_assert_ptr_nonnull(db);
    write_some(db, 0, 20);
    write_some(db, 10, 30); /* the same again: replaced */
    yk_database_close(db);
    db = yk_database_open(path);
    struct seen seen = {0};
    ck_assert_int_eq(yk_database_read(db, NULL, look, &seen), YK_OK);
    ck_assert(seen.n == 30 && seen.wrong == 0);
    seen.n = 0;
    ck_assert_int_eq(yk_database_read(db, "other", look, &seen), YK_OK);
    ck_assert_uint_eq(seen.n, 0);
    ck_assert_int_eq(yk_database_clear(db, "kernel'3"), YK_OK);
    ck_assert_int_eq(yk_database_read(db, NULL, look, &seen), YK_OK);
    ck_assert_uint_eq(seen.n, 29);
    ck_assert_int_eq(yk_database_clear(db, NULL), YK_OK);
    seen.n = 0;
    ck_assert_int_eq(yk_database_read(db, NULL, look, &seen), YK_OK);
    ck_assert_uint_eq(seen.n, 0);
    yk_database_close(db);
    remove_folder();
}
END_TEST

START_TEST(a_commit_does_not_wait_for_the_disk)
{
    NEEDS_SQLITE();
    use_folder();
    yk_database_close(yk_database_open(path));
    struct yk_database *db = yk_database_open(path); /* made by another, as nearly always */
    ck_assert_ptr_nonnull(db);
    const struct yk_sqlite *q = yk_sqlite_get(); /* that they are counted: another program's are */
    sqlite3 *other;
    ck_assert_int_eq(q->open_v2(path, &other, YK_SQLITE_OPEN, NULL), 0);
    ck_assert_int_eq(q->exec(other, "PRAGMA synchronous=FULL; DELETE FROM sample", NULL, NULL, NULL), 0);
    q->close(other);
    ck_assert_uint_gt(syncs, 0);
    syncs = 0;
    for (unsigned i = 0; i < 40; i++)
        write_some(db, 20 * i, 20 * i + 20);
    ck_assert_uint_eq(syncs, 0);
    yk_database_close(db);
    remove_folder();
}
END_TEST

/* Processes end without closing. */
START_TEST(the_log_stays_short)
{
    NEEDS_SQLITE();
    use_folder();
    for (unsigned i = 0; i < 60; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            struct yk_database *db = yk_database_open(path);
            write_some(db, 20 * i, 20 * i + 20);
            _exit(db ? 0 : 1);
        }
        int status;
        waitpid(pid, &status, 0);
        ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    char log[sizeof path + 8];
    struct stat st;
    snprintf(log, sizeof log, "%s-wal", path);
    ck_assert_int_eq(stat(log, &st), 0);
    ck_assert_int_lt(st.st_size, 1 << 19);
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_int_gt(st.st_size, 1 << 16);
    struct yk_database *db = yk_database_open(path);
    struct seen seen = {0};
    ck_assert_int_eq(yk_database_read(db, NULL, look, &seen), YK_OK);
    ck_assert(seen.n == 1200 && seen.wrong == 0);
    yk_database_close(db);
    remove_folder();
}
END_TEST

/* YK_PROFILE_KILLS, YK_PROFILE_MUTATIONS: the large counts. */
static int count_from(const char *name, int few)
{
    const char *v = getenv(name);
    return v ? atoi(v) : few;
}

START_TEST(killed_writers_leave_a_good_database)
{
    NEEDS_SQLITE();
    use_folder();
    int kills = count_from("YK_PROFILE_KILLS", 40);
    for (int i = 0; i < kills; i++) {
        pid_t pid[2];
        for (int w = 0; w < 2; w++) /* two at once: the second one waits, writes, or gives up */
            if ((pid[w] = fork()) == 0) {
                struct yk_database *db = yk_database_open(path);
                if (!db)
                    _exit(0);
                for (unsigned n = 0;; n++)
                    write_some(db, n % 50, n % 50 + 10);
            }
        usleep((useconds_t)(1000 + (i * 7919) % 20000));
        for (int w = 0; w < 2; w++) {
            kill(pid[w], SIGKILL);
            waitpid(pid[w], NULL, 0);
        }
        struct yk_database *db = yk_database_open(path);
        ck_assert_ptr_nonnull(db);
        struct seen seen = {0};
        ck_assert_int_eq(yk_database_read(db, NULL, look, &seen), YK_OK);
        ck_assert_uint_eq(seen.wrong, 0);
        yk_database_close(db);
        char bad[sizeof path + 8];
        snprintf(bad, sizeof bad, "%s.bad", path);
        ck_assert_int_ne(access(bad, F_OK), 0);
    }
    remove_folder();
}
END_TEST

START_TEST(mutated_databases_are_never_fatal)
{
    NEEDS_SQLITE();
    use_folder();
    static unsigned char good[1 << 20], bytes[1 << 20];
    struct yk_database *db = yk_database_open(path);
    write_some(db, 0, 60);
    yk_database_close(db);
    FILE *f = fopen(path, "r");
    size_t n = fread(good, 1, sizeof good, f);
    fclose(f);
    ck_assert_uint_gt(n, 8192);
    srand(5);
    int mutations = count_from("YK_PROFILE_MUTATIONS", 300);
    unsigned read_back = 0;
    for (int i = 0; i < mutations; i++) {
        size_t length = i % 5 == 0 ? (size_t)rand() % n : n;
        memcpy(bytes, good, n);
        for (int k = 0; k < 1 + i % 40; k++)
            bytes[(size_t)rand() % (i % 3 ? n : 4096)] = (unsigned char)rand();
        f = fopen(path, "w");
        fwrite(bytes, 1, length, f);
        fclose(f);
        db = yk_database_open(path);
        ck_assert_ptr_nonnull(db);
        struct seen seen = {0};
        yk_status s = yk_database_read(db, NULL, look, &seen);
        ck_assert(s == YK_OK || s == YK_EFORMAT);
        write_some(db, 0, 5);
        write_some(db, 5, 10); /* what is damaged is found at the latest now, or is harmless */
        seen = (struct seen){0};
        s = yk_database_read(db, NULL, look, &seen);
        ck_assert(s == YK_OK || s == YK_EFORMAT);
        read_back += s == YK_OK && seen.n >= 10;
        yk_database_close(db);
        char other[sizeof path + 8];
        static const char *const rest[] = {"", "-wal", "-shm", ".bad"};
        for (int k = 0; k < 4; k++) {
            snprintf(other, sizeof other, "%s%s", path, rest[k]);
            unlink(other);
        }
    }
    ck_assert_uint_gt(read_back, (unsigned)mutations / 2);
    remove_folder();
}
END_TEST

static void ulimit_file(unsigned long bytes)
{
    struct rlimit l = {bytes, bytes};
    setrlimit(RLIMIT_FSIZE, &l);
}

START_TEST(a_full_disk_costs_only_the_samples)
{
    NEEDS_SQLITE();
    use_folder();
    pid_t pid = fork();
    if (pid == 0) {
        struct yk_database *db = yk_database_open(path);
        write_some(db, 0, 5);
        signal(SIGXFSZ, SIG_IGN);
        struct stat st;
        char wal[sizeof path + 8];
        snprintf(wal, sizeof wal, "%s-wal", path);
        stat(wal, &st);
        ulimit_file((unsigned long)st.st_size);
        write_some(db, 0, 60);
        struct seen seen = {0};
        yk_status s = yk_database_read(db, NULL, look, &seen);
        _exit(s == YK_OK && seen.n == 5 && !seen.wrong ? 0 : 1);
    }
    int status;
    waitpid(pid, &status, 0);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    remove_folder();
}
END_TEST

YK_TEST_MAIN("database", what_is_written_is_read, a_commit_does_not_wait_for_the_disk, the_log_stays_short,
             killed_writers_leave_a_good_database, mutated_databases_are_never_fatal,
             a_full_disk_costs_only_the_samples)
