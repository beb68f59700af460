/* profiler: the file beside the database: it says what SQLite would, loses nothing of several processes, and is never
 * believed when it is damaged or of an older state. */
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "profiler/recent.h"
#include "tests/unit/child.h"
#include "tests/unit/database.h"
#include "tests/unit/main.h"

enum { SHORT_SECONDS = 60 };

static char beside[sizeof path + 32];

static void begin(void)
{
    use_folder();
    snprintf(beside, sizeof beside, "%s-recent", path);
}

static void no_more(void *arg, const struct yk_database_key *k, const struct yk_series *s)
{
    (void)arg, (void)k, (void)s;
}

static void renew(void)
{
    struct yk_database *db = yk_database_open(path);
    ck_assert_ptr_nonnull(db);
    ck_assert_int_eq(yk_recent_renew(db, no_more, NULL), YK_OK);
    yk_database_close(db);
    if (access(beside, F_OK)) { /* the close has put the log into the database, or another was writing */
        db = yk_database_open(path);
        ck_assert_int_eq(yk_recent_renew(db, no_more, NULL), YK_OK);
        yk_database_close(db);
    }
}

static void make(unsigned n)
{
    struct yk_database *db = yk_database_open(path);
    if (!db)
        _exit(1);
    write_some(db, 0, n);
    if (yk_recent_renew(db, no_more, NULL) != YK_OK)
        _exit(1);
}

static char *records(unsigned from, unsigned to, size_t *n)
{
    char *bytes = NULL;
    FILE *f = open_memstream(&bytes, n);
    for (unsigned i = from; i < to; i++) {
        struct yk_series s = {0};
        for (unsigned j = 1; j <= 3; j++)
            yk_series_add(&s, 10 * j, j * (i + 1.));
        struct yk_database_key k = key_of(i);
        yk_recent_put(f, &k, &s);
    }
    fclose(f);
    return bytes;
}

static bool append(unsigned from, unsigned to)
{
    size_t n;
    char *bytes = records(from, to, &n);
    bool ok = yk_recent_append(path, bytes, n);
    free(bytes);
    return ok;
}

/* By key: how often, and wrong ones. */
struct found {
    unsigned times[1000], wrong;
};

static void find(void *arg, const struct yk_database_key *k, const struct yk_series *s)
{
    struct found *f = arg;
    struct seen one = {0};
    int i = atoi(k->problem);
    struct yk_database_key same = key_of((unsigned)i);
    look(&one, k, s);
    f->wrong += one.wrong || strcmp(same.name, k->name) != 0 || strcmp(same.device, k->device) != 0;
    if (i >= 0 && i < 1000)
        f->times[i]++;
}

static unsigned keys(const struct found *f)
{
    unsigned n = 0;
    for (unsigned i = 0; i < 1000; i++)
        n += f->times[i] > 0;
    return n;
}

START_TEST(it_says_what_the_database_does)
{
    NEEDS_SQLITE();
    begin();
    size_t appended = 1;
    struct found f = {0};
    ck_assert(!yk_recent_read(path, find, &f, &appended));
    ck_assert(!append(0, 1)); /* nobody would find it */
    in_a_child(make, 30);
    ck_assert(yk_recent_read(path, find, &f, &appended));
    ck_assert(keys(&f) == 30 && !f.wrong && !appended);
    ck_assert(append(20, 40));
    f = (struct found){0};
    ck_assert(yk_recent_read(path, find, &f, &appended));
    ck_assert(keys(&f) == 40 && !f.wrong && f.times[25] == 2 && f.times[5] == 1 && appended);

    struct yk_database *db = yk_database_open(path); /* which does not have them yet */
    f = (struct found){0};
    ck_assert_int_eq(yk_database_read(db, NULL, find, &f), YK_OK);
    ck_assert_uint_eq(keys(&f), 30);
    ck_assert_int_eq(yk_recent_fold(db), YK_OK);
    f = (struct found){0};
    ck_assert_int_eq(yk_database_read(db, NULL, find, &f), YK_OK);
    ck_assert(keys(&f) == 40 && !f.wrong);
    yk_database_close(db);
    ck_assert_int_ne(access(beside, F_OK), 0);
    remove_folder();
}
END_TEST

START_TEST(of_another_state_it_is_not_believed_and_nothing_of_it_is_lost)
{
    NEEDS_SQLITE();
    begin();
    size_t appended;
    struct found f = {0};
    in_a_child(make, 10);
    struct yk_database *db = yk_database_open(path);
    write_some(db, 10, 11); /* somebody who knows nothing of the file */
    ck_assert(!yk_recent_read(path, find, &f, &appended));
    ck_assert(append(20, 25));
    ck_assert_int_eq(yk_recent_renew(db, find, &f), YK_OK);
    ck_assert(keys(&f) == 16 && !f.wrong);
    f = (struct found){0};
    ck_assert(yk_recent_read(path, find, &f, &appended));
    ck_assert(keys(&f) == 16 && !f.wrong && !appended);
    ck_assert_int_eq(yk_database_clear(db, NULL), YK_OK);
    ck_assert(!yk_recent_read(path, find, &f, &appended));
    yk_database_close(db);
    remove_folder();
}
END_TEST

enum { WRITERS = 6, EACH = 40 };

static void write_own(unsigned w)
{
    for (unsigned i = 0; i < EACH; i++) {
        while (!append(100 * w + i, 100 * w + i + 1)) {
            struct yk_database *db = yk_database_open(path);
            bool done = db && yk_recent_renew(db, no_more, NULL) == YK_OK;
            yk_database_close(db);
            if (!done)
                usleep(1000);
        }
        usleep(200);
    }
}

START_TEST(several_processes_lose_nothing)
{
    NEEDS_SQLITE();
    begin();
    alarm(SHORT_SECONDS);
    in_a_child(make, 1);
    pid_t pid[WRITERS];
    for (unsigned w = 0; w < WRITERS; w++)
        if ((pid[w] = fork()) == 0) {
            write_own(w);
            _exit(0);
        }
    for (unsigned i = 0; i < 20; i++) { /* it goes, and is made anew, meanwhile */
        struct yk_database *db = yk_database_open(path);
        if (db && i % 2)
            (void)yk_recent_fold(db);
        else if (db)
            (void)yk_recent_renew(db, no_more, NULL);
        yk_database_close(db);
        usleep(2000);
    }
    for (unsigned w = 0; w < WRITERS; w++) {
        int status;
        waitpid(pid[w], &status, 0);
        ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    struct found f = {0};
    struct yk_database *db = yk_database_open(path);
    ck_assert_int_eq(yk_recent_renew(db, find, &f), YK_OK);
    yk_database_close(db);
    ck_assert_uint_eq(f.wrong, 0);
    for (unsigned w = 0; w < WRITERS; w++)
        for (unsigned i = 0; i < EACH; i++)
            ck_assert_uint_eq(f.times[100 * w + i], 1);
    remove_folder();
}
END_TEST

static int count_from(const char *name, int few)
{
    const char *v = getenv(name);
    return v ? atoi(v) : few;
}

START_TEST(killed_processes_leave_nothing_wrong)
{
    NEEDS_SQLITE();
    begin();
    int kills = count_from("YK_PROFILE_KILLS", 40);
    in_a_child(make, 5);
    for (int i = 0; i < kills; i++) {
        pid_t pid[2];
        for (int w = 0; w < 2; w++)
            if ((pid[w] = fork()) == 0)
                for (unsigned n = 0;; n++) {
                    if (n % 8 == 7 || !append(n % 50, n % 50 + 10)) {
                        struct yk_database *db = yk_database_open(path);
                        if (db)
                            (void)yk_recent_renew(db, no_more, NULL);
                        yk_database_close(db);
                    }
                }
        usleep((useconds_t)(1000 + (i * 7919) % 20000));
        for (int w = 0; w < 2; w++) {
            kill(pid[w], SIGKILL);
            waitpid(pid[w], NULL, 0);
        }
        struct found f = {0};
        size_t appended;
        if (!yk_recent_read(path, find, &f, &appended)) {
            struct yk_database *db = yk_database_open(path);
            ck_assert_ptr_nonnull(db);
            ck_assert_int_eq(yk_recent_renew(db, find, &f), YK_OK);
            yk_database_close(db);
        }
        ck_assert_uint_eq(f.wrong, 0);
        ck_assert_uint_ge(keys(&f), 5);
    }
    renew(); /* and it can still be made */
    remove_folder();
}
END_TEST

START_TEST(mutated_files_are_never_fatal)
{
    NEEDS_SQLITE();
    begin();
    static unsigned char good[1 << 18], bytes[1 << 18];
    in_a_child(make, 20);
    ck_assert(append(20, 30));
    FILE *f = fopen(beside, "r");
    size_t n = fread(good, 1, sizeof good, f), appended;
    fclose(f);
    ck_assert_uint_lt(n, sizeof good);
    int mutations = count_from("YK_PROFILE_MUTATIONS", 1000);
    unsigned believed = 0, refused = 0, fewer = 0;
    srand(1);
    for (int i = 0; i < mutations; i++) {
        size_t length = i % 5 == 0 ? (size_t)rand() % n : n;
        memcpy(bytes, good, n);
        for (int k = 0; k < 1 + i % 4; k++)
            bytes[(size_t)rand() % n] = (unsigned char)rand();
        f = fopen(beside, "w");
        fwrite(bytes, 1, length, f);
        fclose(f);
        struct found found = {0};
        if (yk_recent_read(path, find, &found, &appended)) {
            believed++;
            fewer += keys(&found) < 30;
            ck_assert_uint_ge(keys(&found), 20); /* what was appended may lack one */
        } else {
            refused++;
            ck_assert_uint_eq(keys(&found), 0);
        }
        ck_assert_uint_eq(found.wrong, 0);
    }
    ck_assert(believed && refused && fewer);
    struct found found = {0};
    struct yk_database *db = yk_database_open(path); /* the last one of them beside it */
    ck_assert_int_eq(yk_recent_renew(db, find, &found), YK_OK);
    yk_database_close(db);
    ck_assert(keys(&found) >= 20 && !found.wrong);
    remove_folder();
}
END_TEST

static void append_to_a_full_disk(unsigned n)
{
    struct stat st;
    signal(SIGXFSZ, SIG_IGN);
    if (stat(beside, &st))
        _exit(1);
    struct rlimit l = {(rlim_t)st.st_size + 100, (rlim_t)st.st_size + 100};
    setrlimit(RLIMIT_FSIZE, &l);
    if (append(n, n + 10))
        _exit(1);
}

START_TEST(a_full_disk_costs_only_the_samples)
{
    NEEDS_SQLITE();
    begin();
    in_a_child(make, 5);
    in_a_child(append_to_a_full_disk, 10);
    struct found f = {0};
    size_t appended;
    ck_assert(yk_recent_read(path, find, &f, &appended));
    ck_assert(keys(&f) == 5 && !f.wrong && !appended);
    ck_assert(append(30, 31));
    ck_assert(yk_recent_read(path, find, &f, &appended));
    ck_assert(f.times[30] == 1 && !f.wrong);
    remove_folder();
}
END_TEST

YK_TEST_MAIN("recent", it_says_what_the_database_does, of_another_state_it_is_not_believed_and_nothing_of_it_is_lost,
             several_processes_lose_nothing, killed_processes_leave_nothing_wrong, mutated_files_are_never_fatal,
             a_full_disk_costs_only_the_samples)
