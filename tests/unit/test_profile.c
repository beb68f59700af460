/* profiler: series and tables; the database: what is kept, damaged files, killed writers. */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "profiler/database.h"
#include "profiler/regress.h"
#include "profiler/sqlite.h"
#include "tests/unit/main.h"

static char folder[] = "/tmp/test_profile.XXXXXX";
static char path[64];

static void use_folder(void)
{
    strcpy(folder, "/tmp/test_profile.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/db", folder);
}

static void remove_folder(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

START_TEST(a_table_follows_the_samples)
{
    struct yk_series s = {0};
    struct yk_series_point p[YK_SERIES_POINTS];
    ck_assert_uint_eq(yk_series_table(&s, p), 0);
    ck_assert(yk_series_ms(&s, 3) < 0);
    yk_series_add(&s, 100, 11);
    ck_assert_uint_eq(yk_series_table(&s, p), 2);
    ck_assert(p[0].groups == 0 && p[0].ms == 0 && p[1].groups == 100 && p[1].ms == 11);
    yk_series_add(&s, 50, 6); /* 1 ms and 0.1 per work-group */
    ck_assert_uint_eq(yk_series_table(&s, p), 3);
    ck_assert_double_eq_tol(p[0].ms, 1, 1e-12);
    ck_assert_double_eq_tol(yk_series_ms(&s, 75), 8.5, 1e-12);
    ck_assert_double_eq_tol(yk_series_ms(&s, 200), 21, 1e-12);
    yk_series_add(&s, 200, 5); /* noise: times never fall, and still rise at the end */
    unsigned n = yk_series_table(&s, p);
    for (unsigned i = 1; i < n; i++)
        ck_assert(p[i].ms >= p[i - 1].ms && p[i].groups > p[i - 1].groups);
    ck_assert(p[n - 1].ms > p[n - 2].ms);
    yk_series_add(&s, NAN, 1);
    yk_series_add(&s, 10, -1);
    yk_series_add(&s, 10, INFINITY);
    yk_series_add(&s, 0, 1);
    ck_assert_uint_eq(s.n, 3);
}
END_TEST

START_TEST(noise_is_no_slope)
{
    /* Shares of 64 work-groups on two equal devices, as measured: the middle of the launch, over and over. Nothing in
     * them says that a device could do all 64 in the time of half of them. */
    static const struct yk_sample seen[2][3] = {{{32, 28.1878, 9}, {34, 28.1334, 5}, {37, 27.7115, 1}},
                                                {{27, 23.8922, 1}, {30, 27.3970, 10}, {32, 28.8181, 3}}};
    struct yk_series_point p[YK_SERIES_POINTS];
    for (unsigned d = 0; d < 2; d++) {
        struct yk_series s = {.n = 3};
        memcpy(s.at, seen[d], sizeof seen[d]);
        ck_assert_uint_eq(yk_series_table(&s, p), 2);
        ck_assert_double_eq_tol(yk_series_ms(&s, 64), 55, 4);
        ck_assert_double_eq_tol(yk_series_ms(&s, 16), 14, 1);
    }
    /* Random ones around 0.1 ms + 0.01 ms a work-group, off by up to a tenth: never far off, near or beyond. */
    srand(5);
    for (int round = 0; round < 2000; round++) {
        struct yk_series s = {0};
        double most = 0;
        for (int i = 0, n = 1 + rand() % 20; i < n; i++) {
            double groups = 16 + rand() % (round % 2 ? 16 : 2000);
            yk_series_add(&s, groups, (0.1 + 0.01 * groups) * (0.9 + 0.2 * rand() / RAND_MAX));
            most = groups > most ? groups : most;
        }
        unsigned n = yk_series_table(&s, p);
        for (unsigned i = 1; i < n; i++)
            ck_assert(p[i].ms >= p[i - 1].ms && p[i].groups > p[i - 1].groups);
        ck_assert(p[0].groups == 0 && p[0].ms >= 0 && p[n - 1].ms > p[n - 2].ms);
        double ratio = yk_series_ms(&s, 2 * most) / (0.1 + 0.02 * most);
        ck_assert_msg(ratio > 0.6 && ratio < 2.2, "%g at twice %g", ratio, most);
    }
}
END_TEST

START_TEST(a_level_line_stays_level_where_it_was_measured)
{
    struct yk_series s = {0};
    struct yk_series_point p[YK_SERIES_POINTS];
    for (double groups = 8; groups <= 128; groups *= 2) /* a device that is not full */
        yk_series_add(&s, groups, groups == 32 ? 0.9 : 1);
    ck_assert_uint_eq(yk_series_table(&s, p), 7);
    ck_assert_double_eq_tol(yk_series_ms(&s, 16), yk_series_ms(&s, 120), 0.1);
    ck_assert_double_eq_tol(yk_series_ms(&s, 256), 1.5, 0.1); /* beyond: half of what one costs on average */
}
END_TEST

START_TEST(a_change_is_followed_within_a_few_launches)
{
    struct yk_series s = {0};
    for (int i = 0; i < 10; i++)
        yk_series_add(&s, 1000, 10);
    for (int i = 0; i < 4; i++)
        yk_series_add(&s, 1010, 30);
    ck_assert_uint_eq(s.n, 1);
    ck_assert_double_gt(s.at[0].ms, 28);
    struct yk_series first = {0};
    yk_series_add_least(&first, 10, 300);
    yk_series_add_least(&first, 10, 12);
    yk_series_add_least(&first, 10, 300);
    ck_assert(first.at[0].ms > 12 && first.at[0].ms < 42);
}
END_TEST

START_TEST(few_work_groups_say_nothing_of_many)
{
    struct yk_series s = {0};
    ck_assert(!yk_series_belied(&s, 1000, 1)); /* nothing is said */
    yk_series_add(&s, 10, 10);                 /* 1 ms each: a hundred times as many are 1,000 ms */
    ck_assert(yk_series_belied(&s, 1000, 100));
    ck_assert(!yk_series_belied(&s, 1000, 0));   /* nobody knows */
    ck_assert(!yk_series_belied(&s, 1000, 600)); /* not by much */
    ck_assert(!yk_series_belied(&s, 150, 1));    /* not far beyond it: it may be that slow */
    yk_series_add(&s, 100, 100);
    ck_assert(!yk_series_belied(&s, 1000, 100));
    ck_assert(yk_series_belied(&s, 2000, 200));
}
END_TEST

START_TEST(every_measurement_counts)
{
    struct yk_series s = {0};
    ck_assert_uint_eq(yk_series_count(&s), 0);
    for (int i = 0; i < 40; i++)
        yk_series_add_least(&s, 1 + i * i, 1 + i); /* more than there are places */
    ck_assert_uint_ge(yk_series_count(&s), YK_SERIES_SAMPLES);
    s.n = 0;
    for (int i = 0; i < 3; i++)
        yk_series_add_least(&s, 10, 10 + i);
    yk_series_add_least(&s, 1000, 10);
    ck_assert_uint_eq(yk_series_count(&s), 4);
}
END_TEST

START_TEST(a_series_never_overflows)
{
    struct yk_series s = {0};
    srand(1);
    for (int i = 0; i < 10000; i++) {
        yk_series_add(&s, 1 + rand() % 1000000, 0.1 + rand() % 1000);
        ck_assert(yk_series_good(&s) && s.n <= YK_SERIES_SAMPLES);
    }
    ck_assert_uint_gt(s.n, 12);
}
END_TEST

START_TEST(a_regression_tree_finds_what_matters)
{
    enum { N = 400 };
    static struct yk_regress_row row[N];
    static struct yk_regress t;
    srand(9);
    for (int i = 0; i < N; i++) {
        for (int f = 0; f < YK_REGRESS_FEATURES; f++)
            row[i].feature[f] = rand() % 100;
        row[i].target = row[i].feature[3] < 40 ? 1 : row[i].feature[7] < 70 ? 5 : 9;
    }
    ck_assert_int_eq(yk_regress_train(&t, row, N, 5, 3), YK_OK);
    double x[YK_REGRESS_FEATURES] = {0};
    x[3] = 10;
    ck_assert_double_eq_tol(yk_regress_value(&t, x), 1, 1e-9);
    x[3] = 90;
    ck_assert_double_eq_tol(yk_regress_value(&t, x), 5, 1e-9);
    x[7] = 90;
    ck_assert_double_eq_tol(yk_regress_value(&t, x), 9, 1e-9);
    ck_assert_int_eq(yk_regress_train(&t, row, 0, 5, 3), YK_EINVAL);
    for (int i = 0; i < N; i++)
        row[i].target = rand();
    ck_assert_int_eq(yk_regress_train(&t, row, N, 20, 1), YK_OK); /* never more nodes than there are */
    ck_assert_uint_le(t.n, YK_REGRESS_NODES);
    ck_assert_int_eq(yk_regress_train(&t, row, 1, 5, 1), YK_OK);
    ck_assert_double_eq_tol(yk_regress_value(&t, x), row[0].target, 1e-9);
}
END_TEST

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
    char bad[80];
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
        char bad[80];
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
        char other[80];
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
        char wal[80];
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

YK_TEST_MAIN("profile", a_table_follows_the_samples, noise_is_no_slope, a_level_line_stays_level_where_it_was_measured,
             a_change_is_followed_within_a_few_launches, few_work_groups_say_nothing_of_many, every_measurement_counts,
             a_series_never_overflows, a_regression_tree_finds_what_matters, what_is_written_is_read,
             foreign_files_are_set_aside, killed_writers_leave_a_good_database, mutated_databases_are_never_fatal,
             a_full_disk_costs_only_the_samples)
