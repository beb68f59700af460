/* profiler: which files are databases of ours, and who may set one aside. */
#include <sys/wait.h>
#include "tests/unit/database.h"
#include "tests/unit/main.h"

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
 * read, and only a foreign file is set aside. Returns how many were, in ROUNDS rounds. */
enum { PROCESSES = 8, ROUNDS = 10 };
static unsigned open_at_once(bool foreign)
{
    unsigned all = 0;
    char bad[sizeof path + 8];
    snprintf(bad, sizeof bad, "%s.bad", path);
    for (int round = 0; round < ROUNDS; round++) {
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
        yk_database_close(db);
        unlink(bad);
        unlink(path);
        all += wrote;
    }
    return all;
}

START_TEST(a_new_one_is_made_once_by_many)
{
    NEEDS_SQLITE();
    use_folder();
    ck_assert_uint_ge(open_at_once(false), ROUNDS); /* who waits too long for a lock gives up */
    remove_folder();
}
END_TEST

START_TEST(a_foreign_one_is_set_aside_once_by_many)
{
    NEEDS_SQLITE();
    use_folder();
    ck_assert_uint_ge(open_at_once(true), ROUNDS);
    remove_folder();
}
END_TEST

YK_TEST_MAIN("database_file", foreign_files_are_set_aside, a_database_that_is_held_is_not_set_aside,
             a_new_one_is_made_once_by_many, a_foreign_one_is_set_aside_once_by_many)
