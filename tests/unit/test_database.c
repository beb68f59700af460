/* profiler: the database of samples: what is kept, foreign and damaged files, killed writers, a full disk. */
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

static char folder[200], path[sizeof folder + 8];

static void use_folder(void)
{
    ck_assert(yk_temp_name("yoke-database", folder, sizeof folder) == YK_OK && mkdtemp(folder));
    snprintf(path, sizeof path, "%s/db", folder);
}

static void remove_folder(void)
{
    char command[sizeof folder + 16];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

static struct yk_database_key key_of(unsigned i)
{
    struct yk_database_key k = {.kernel = "0123456789abcdef0123456789abcdef", .device = "a device / 1 #0"};
    snprintf(k.name, sizeof k.name, "kernel'%u", i);
    snprintf(k.problem, sizeof k.problem, "%032u", i);
    strcpy(k.local, "8x8x1");
    k.kind = YK_SAMPLE_SHARED;
    return k;
}

struct seen {
    unsigned n, wrong;
};

/* What write_some writes: groups and time follow from the key. */
static void look(void *arg, const struct yk_database_key *k, const struct yk_series *s)
{
    struct seen *seen = arg;
    seen->n++;
    double i = atof(k->problem);
    if (s->n != 3 || strcmp(k->local, "8x8x1"))
        seen->wrong++;
    for (unsigned j = 0; j < s->n; j++)
        if (s->at[j].groups != 10 * (j + 1) || s->at[j].ms != (j + 1) * (i + 1))
            seen->wrong++;
}

static void write_some(struct yk_database *db, unsigned from, unsigned to)
{
    if (yk_database_begin(db) != YK_OK)
        return;
    for (unsigned i = from; i < to; i++) {
        struct yk_series s = {0};
        for (unsigned j = 1; j <= 3; j++)
            yk_series_add(&s, 10 * j, j * (i + 1.));
        struct yk_database_key k = key_of(i);
        if (yk_database_write(db, &k, &s) != YK_OK)
            return;
    }
    (void)yk_database_commit(db);
}

#define NEEDS_SQLITE()                                                                                                 \
    if (!yk_sqlite_get())                                                                                              \
    return

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
    write_some(db, 0, 1);
    ck_assert_uint_gt(syncs, 0); /* that they are counted: a new log's beginning is made to last */
    syncs = 0;
    write_some(db, 0, 20);
    ck_assert_uint_eq(syncs, 0);
    yk_database_close(db);
    remove_folder();
}
END_TEST

START_TEST(foreign_files_are_set_aside)
{
    NEEDS_SQLITE();
    static const char *const content[] = {"no database at all, but long enough to be looked at as one", ""};
    use_folder();
    for (unsigned i = 0; i < 2; i++) {
        FILE *f = fopen(path, "w");
        fputs(content[i], f);
        fclose(f);
        struct yk_database *db = yk_database_open(path);
        ck_assert_ptr_nonnull(db);
        write_some(db, 0, 3);
        struct seen seen = {0};
        ck_assert_int_eq(yk_database_read(db, NULL, look, &seen), YK_OK);
        ck_assert(seen.n == 3 && seen.wrong == 0);
        yk_database_close(db);
        unlink(path);
    }
    char bad[sizeof path + 8];
    snprintf(bad, sizeof bad, "%s.bad", path);
    ck_assert_int_eq(access(bad, F_OK), 0);
    /* Another program's database, another version's. */
    for (unsigned i = 0; i < 2; i++) {
        const struct yk_sqlite *q = yk_sqlite_get();
        sqlite3 *other;
        unlink(bad);
        ck_assert_int_eq(q->open_v2(path, &other, YK_SQLITE_OPEN, NULL), 0);
        ck_assert_int_eq(q->exec(other, i ? "CREATE TABLE x(y)" : "PRAGMA user_version=7", NULL, NULL, NULL), 0);
        q->close(other);
        struct yk_database *db = yk_database_open(path);
        ck_assert_ptr_nonnull(db);
        ck_assert_int_eq(access(bad, F_OK), 0);
        yk_database_close(db);
        unlink(path);
    }
    remove_folder();
}
END_TEST

START_TEST(a_database_that_is_held_is_not_set_aside)
{
    NEEDS_SQLITE();
    use_folder();
    struct yk_database *db = yk_database_open(path);
    write_some(db, 0, 3);
    yk_database_close(db);
    /* Held whole for longer than anybody waits: as by a process that makes it, or mends it after a kill. */
    const struct yk_sqlite *q = yk_sqlite_get();
    sqlite3 *other;
    ck_assert_int_eq(q->open_v2(path, &other, YK_SQLITE_OPEN, NULL), 0);
    ck_assert_int_eq(
        q->exec(other, "PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE; DELETE FROM sample", NULL, NULL, NULL), 0);
    ck_assert_ptr_null(yk_database_open(path));
    char bad[sizeof path + 8];
    snprintf(bad, sizeof bad, "%s.bad", path);
    ck_assert_int_ne(access(bad, F_OK), 0);
    q->close(other);
    db = yk_database_open(path);
    struct seen seen = {0};
    ck_assert_int_eq(yk_database_read(db, NULL, look, &seen), YK_OK);
    ck_assert(seen.n == 3 && seen.wrong == 0);
    yk_database_close(db);
    remove_folder();
}
END_TEST

/* Opened by eight processes at once, new (FOREIGN false) or as another program's file: all that were let write are
 * read, and only a foreign file is set aside. */
static void open_at_once(bool foreign)
{
    enum { PROCESSES = 8 };
    char bad[sizeof path + 8];
    snprintf(bad, sizeof bad, "%s.bad", path);
    for (int round = 0; round < 10; round++) {
        pid_t pid[PROCESSES];
        int go[2];
        if (foreign) {
            FILE *f = fopen(path, "w");
            fputs("no database at all, but long enough to be looked at as one", f);
            fclose(f);
        }
        ck_assert_int_eq(pipe(go), 0);
        for (unsigned w = 0; w < PROCESSES; w++)
            if ((pid[w] = fork()) == 0) {
                char c;
                close(go[1]);
                if (read(go[0], &c, 1)) /* until the other end is closed */
                    _exit(2);
                struct yk_database *db = yk_database_open(path);
                if (!db || yk_database_begin(db) != YK_OK)
                    _exit(1);
                struct yk_series s = {0};
                struct yk_database_key k = key_of(w);
                for (unsigned j = 1; j <= 3; j++)
                    yk_series_add(&s, 10 * j, j * (w + 1.));
                bool ok = yk_database_write(db, &k, &s) == YK_OK && yk_database_commit(db) == YK_OK;
                yk_database_close(db);
                _exit(ok ? 0 : 1);
            }
        close(go[0]);
        close(go[1]);
        unsigned wrote = 0;
        for (unsigned w = 0; w < PROCESSES; w++) {
            int status;
            waitpid(pid[w], &status, 0);
            ck_assert(WIFEXITED(status) && WEXITSTATUS(status) < 2);
            wrote += WEXITSTATUS(status) == 0;
        }
        ck_assert_int_eq(access(bad, F_OK) == 0, foreign);
        struct yk_database *db = yk_database_open(path);
        struct seen seen = {0};
        ck_assert_int_eq(yk_database_read(db, NULL, look, &seen), YK_OK);
        ck_assert(seen.n == wrote && seen.wrong == 0);
        ck_assert_uint_gt(wrote, 0);
        yk_database_close(db);
        unlink(bad);
        unlink(path);
    }
}

START_TEST(a_new_one_is_made_once_by_many)
{
    NEEDS_SQLITE();
    use_folder();
    open_at_once(false);
    ck_assert_int_ne(access(path, F_OK), 0);
    remove_folder();
}
END_TEST

START_TEST(a_foreign_one_is_set_aside_once_by_many)
{
    NEEDS_SQLITE();
    use_folder();
    open_at_once(true);
    ck_assert_int_ne(access(path, F_OK), 0);
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

YK_TEST_MAIN("database", what_is_written_is_read, a_commit_does_not_wait_for_the_disk, foreign_files_are_set_aside,
             a_database_that_is_held_is_not_set_aside, a_new_one_is_made_once_by_many,
             a_foreign_one_is_set_aside_once_by_many, killed_writers_leave_a_good_database,
             mutated_databases_are_never_fatal, a_full_disk_costs_only_the_samples)
