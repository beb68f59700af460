#include "profiler/database.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/env.h"
#include "base/lock.h"
#include "base/log.h"
#include "profiler/sqlite.h"

enum { BUSY_MS = 200, APPLICATION = 0x796f6b65 /* "yoke" */ };

struct yk_database {
    const struct yk_sqlite *q;
    sqlite3 *db;
    sqlite3_stmt *insert, *erase;
    char path[PATH_MAX];
    ino_t file; /* the file PATH named when it was opened */
};

static const char schema[] =
    "PRAGMA journal_mode=WAL; BEGIN IMMEDIATE;"
    "CREATE TABLE IF NOT EXISTS sample(kernel TEXT NOT NULL, device TEXT NOT NULL, local TEXT NOT NULL,"
    " problem TEXT NOT NULL, kind INTEGER NOT NULL, groups REAL NOT NULL, ms REAL NOT NULL, count INTEGER NOT NULL,"
    " name TEXT NOT NULL, PRIMARY KEY(kernel, device, local, problem, kind, groups)) WITHOUT ROWID;"
    "PRAGMA application_id=2037345125; PRAGMA user_version=1; COMMIT;";

const char *yk_sample_kind_name(enum yk_sample_kind k)
{
    static const char *const name[] = {"alone", "shared", "first", "build", "declined", "code", "parts", "moved"};
    return k < YK_SAMPLE_KIND_COUNT ? name[k] : NULL;
}

static int number(struct yk_database *d, const char *sql, int64_t *value)
{
    sqlite3_stmt *s = NULL;
    int err = d->q->prepare_v2(d->db, sql, -1, &s, NULL);
    if (err == YK_SQLITE_OK && (err = d->q->step(s)) == YK_SQLITE_ROW) {
        *value = d->q->column_int64(s, 0);
        err = YK_SQLITE_OK;
    }
    d->q->finalize(s);
    return err;
}

static void let_go(struct yk_database *d)
{
    d->q->finalize(d->insert);
    d->q->finalize(d->erase);
    d->insert = d->erase = NULL;
    if (d->db)
        d->q->close(d->db);
    d->db = NULL;
}

/* The content is at fault, not the moment: a lock that another process holds, a full disk or a lack of memory says
 * nothing of the file. */
static bool is_bad(int err)
{
    err &= 255;
    return err == YK_SQLITE_CORRUPT || err == YK_SQLITE_NOTADB || err == YK_SQLITE_ERROR;
}

struct stamp {
    int64_t version, application, tables;
};

/* All of one moment: another process may be making the database meanwhile. */
static int read_stamp(struct yk_database *d, struct stamp *s)
{
    int err = d->q->exec(d->db, "BEGIN", NULL, NULL, NULL);
    if (err == YK_SQLITE_OK)
        err = number(d, "PRAGMA user_version", &s->version);
    if (err == YK_SQLITE_OK)
        err = number(d, "PRAGMA application_id", &s->application);
    if (err == YK_SQLITE_OK)
        err = number(d, "SELECT count(*) FROM sqlite_master WHERE type <> 'index'", &s->tables);
    int end = d->q->exec(d->db, "COMMIT", NULL, NULL, NULL);
    return err == YK_SQLITE_OK ? end : err;
}

static int prepare(struct yk_database *d)
{
    int err = d->q->prepare_v2(d->db, "INSERT OR REPLACE INTO sample VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9)", -1,
                               &d->insert, NULL);
    if (err != YK_SQLITE_OK)
        return err;
    return d->q->prepare_v2(d->db,
                            "DELETE FROM sample WHERE kernel=?1 AND device=?2 AND local=?3 AND problem=?4 "
                            "AND kind=?5",
                            -1, &d->erase, NULL);
}

static int open_file(struct yk_database *d)
{
    struct stamp s = {-1, -1, -1};
    struct stat st;
    d->file = stat(d->path, &st) ? 0 : st.st_ino;
    int err = d->q->open_v2(d->path, &d->db, YK_SQLITE_OPEN, NULL);
    if (err != YK_SQLITE_OK)
        return err;
    d->q->busy_timeout(d->db, BUSY_MS);
    /* The last samples may go with the machine's power; waiting for the disk at each process's end costs more. */
    d->q->exec(d->db, "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA synchronous=NORMAL;", NULL, NULL,
               NULL);
    err = read_stamp(d, &s);
    if (err == YK_SQLITE_OK && s.version == 0 && s.application == 0 && s.tables == 0)
        /* New, or another process is making it: then the statement waits and changes nothing. */
        err = d->q->exec(d->db, schema, NULL, NULL, NULL);
    else if (err == YK_SQLITE_OK && (s.version != YK_DATABASE_VERSION || s.application != APPLICATION || s.tables != 1))
        err = YK_SQLITE_NOTADB;
    return err == YK_SQLITE_OK ? prepare(d) : err;
}

/* The folder's lock: shared while a database is opened, exclusive while one is set aside, so that nobody begins a new
 * one between the old one's going and its log's. False: not to be had within the time that SQLite's own locks get.
 * *FD -1: the file system has no such locks, or no folder that may be read: no reason to do without a database. */
static bool lock_folder(const struct yk_database *d, int how, int *fd)
{
    char dir[PATH_MAX];
    snprintf(dir, sizeof dir, "%s", d->path);
    char *slash = strrchr(dir, '/');
    if (slash)
        slash[slash == dir] = 0;
    *fd = open(slash ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int ms = 0; *fd >= 0 && flock(*fd, how | LOCK_NB); ms++) {
        bool waits = errno == EWOULDBLOCK || errno == EINTR;
        if (waits && ms < BUSY_MS) {
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
            continue;
        }
        close(*fd);
        *fd = -1;
        if (waits)
            yk_info("%s: another process holds it", dir);
        return !waits;
    }
    return true;
}

static void unlock_folder(int fd)
{
    if (fd < 0)
        return;
    flock(fd, LOCK_UN); /* also where a child of this moment has the descriptor too */
    close(fd);
}

/* True: usable. False and *BAD: it is no database of ours. */
static bool begin_use(struct yk_database *d, bool *bad)
{
    int lock;
    *bad = false;
    if (!lock_folder(d, LOCK_SH, &lock))
        return false;
    int err = open_file(d);
    unlock_folder(lock);
    *bad = is_bad(err);
    if (err == YK_SQLITE_OK)
        return true;
    yk_info("%s: %s", d->path, *bad ? "is no database of this version" : d->db ? d->q->errmsg(d->db) : "no memory");
    let_go(d);
    return false;
}

static void set_aside(struct yk_database *d)
{
    char other[PATH_MAX + 8];
    struct stat st;
    int lock;
    if (!lock_folder(d, LOCK_EX, &lock))
        return;
    /* Another process may have set the same file aside, and begun anew: that one stays. */
    if (stat(d->path, &st) == 0 && st.st_ino == d->file) {
        snprintf(other, sizeof other, "%s.bad", d->path);
        if (rename(d->path, other) && errno != ENOENT)
            unlink(d->path);
        /* The log belongs to the file that went. */
        snprintf(other, sizeof other, "%s-wal", d->path);
        unlink(other);
        snprintf(other, sizeof other, "%s-shm", d->path);
        unlink(other);
        yk_info("%s is damaged or foreign: set aside, and begun anew", d->path);
    }
    unlock_folder(lock);
}

static bool use(struct yk_database *d)
{
    bool bad;
    if (begin_use(d, &bad))
        return true;
    if (!bad)
        return false;
    set_aside(d);
    return begin_use(d, &bad);
}

struct yk_database *yk_database_open(const char *path)
{
    const struct yk_sqlite *q = yk_sqlite_get();
    struct yk_database *d = q ? calloc(1, sizeof *d) : NULL;
    if (!d)
        return NULL;
    yk_lock_assert_none("SQLite");
    d->q = q;
    snprintf(d->path, sizeof d->path, "%s", path);
    if (!use(d)) {
        free(d);
        return NULL;
    }
    return d;
}

struct yk_database *yk_database_open_default(void)
{
    char dir[PATH_MAX - 32], path[PATH_MAX];
    if (yk_dir("data", "profile", dir, sizeof dir) != YK_OK)
        return NULL;
    snprintf(path, sizeof path, "%s/samples.db", dir);
    /* Made here, so that nobody else may read it whatever the umask; never through a link. */
    int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
    if (fd < 0) {
        yk_info("%s: %s", path, strerror(errno));
        return NULL;
    }
    close(fd);
    return yk_database_open(path);
}

void yk_database_close(struct yk_database *db)
{
    if (!db)
        return;
    let_go(db);
    free(db);
}

/* An error of SQLite: damaged ones are set aside at once. */
static yk_status failed(struct yk_database *d, int err)
{
    err &= 255; /* a statement that was prepared does not fail with SQLITE_ERROR for the content's sake */
    yk_info("%s: %s", d->path, d->db ? d->q->errmsg(d->db) : "closed");
    if (err != YK_SQLITE_CORRUPT && err != YK_SQLITE_NOTADB)
        return YK_EIO;
    let_go(d);
    set_aside(d);
    bool bad;
    return begin_use(d, &bad) ? YK_EFORMAT : YK_EIO;
}

static bool take_text(struct yk_database *d, sqlite3_stmt *s, int i, char *out, size_t n)
{
    const char *text = (const char *)d->q->column_text(s, i);
    if (!text || strlen(text) >= n)
        return false;
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < 32)
            return false;
    strcpy(out, text);
    return true;
}

static bool take_key(struct yk_database *d, sqlite3_stmt *s, struct yk_database_key *k)
{
    int64_t kind = d->q->column_int64(s, 4);
    memset(k, 0, sizeof *k);
    k->kind = kind >= 0 && kind < YK_SAMPLE_KIND_COUNT ? (enum yk_sample_kind)kind : YK_SAMPLE_KIND_COUNT;
    return k->kind < YK_SAMPLE_KIND_COUNT && take_text(d, s, 0, k->kernel, sizeof k->kernel) &&
           take_text(d, s, 1, k->device, sizeof k->device) && take_text(d, s, 2, k->local, sizeof k->local) &&
           take_text(d, s, 3, k->problem, sizeof k->problem) && take_text(d, s, 8, k->name, sizeof k->name);
}

static bool same_series(const struct yk_database_key *a, const struct yk_database_key *b)
{
    return a->kind == b->kind && !strcmp(a->kernel, b->kernel) && !strcmp(a->device, b->device) &&
           !strcmp(a->local, b->local) && !strcmp(a->problem, b->problem);
}

yk_status yk_database_read(struct yk_database *d, const char *kernel,
                           void (*each)(void *arg, const struct yk_database_key *k, const struct yk_series *s),
                           void *arg)
{
    sqlite3_stmt *s = NULL;
    struct yk_database_key key, now = {.kind = YK_SAMPLE_KIND_COUNT};
    struct yk_series series = {0};
    int err = YK_SQLITE_CORRUPT;
    yk_lock_assert_none("SQLite");
    if (!d->db)
        return YK_EIO;
    err = d->q->prepare_v2(d->db,
                           kernel
                               ? "SELECT * FROM sample WHERE kernel=?1 ORDER BY kernel,device,local,problem,kind,groups"
                               : "SELECT * FROM sample ORDER BY kernel,device,local,problem,kind,groups",
                           -1, &s, NULL);
    if (err == YK_SQLITE_OK && kernel)
        err = d->q->bind_text(s, 1, kernel, -1, NULL);
    while (err == YK_SQLITE_OK || err == YK_SQLITE_ROW) {
        err = d->q->step(s);
        bool row = err == YK_SQLITE_ROW, good = row && take_key(d, s, &key);
        if (row && !good)
            continue;
        if (now.kind != YK_SAMPLE_KIND_COUNT && (!row || !same_series(&now, &key))) {
            if (series.n && yk_series_good(&series))
                each(arg, &now, &series);
            series.n = 0;
        }
        if (!row)
            break;
        now = key;
        int64_t count = d->q->column_int64(s, 7);
        if (series.n < YK_SERIES_SAMPLES)
            series.at[series.n++] = (struct yk_sample){d->q->column_double(s, 5), d->q->column_double(s, 6),
                                                       count > 0 && count < INT32_MAX ? (uint32_t)count : 1};
    }
    d->q->finalize(s);
    return err == YK_SQLITE_DONE ? YK_OK : failed(d, err);
}

static yk_status run(struct yk_database *d, const char *sql)
{
    yk_lock_assert_none("SQLite");
    int err = d->db ? d->q->exec(d->db, sql, NULL, NULL, NULL) : YK_SQLITE_CORRUPT;
    return err == YK_SQLITE_OK ? YK_OK : failed(d, err);
}

yk_status yk_database_begin(struct yk_database *d)
{
    return run(d, "BEGIN IMMEDIATE");
}

yk_status yk_database_commit(struct yk_database *d)
{
    yk_status s = run(d, "COMMIT");
    if (s == YK_EIO) /* a full disk: give the lock back */
        d->q->exec(d->db, "ROLLBACK", NULL, NULL, NULL);
    return s;
}

static int bind_key(struct yk_database *d, sqlite3_stmt *s, const struct yk_database_key *k)
{
    const char *text[] = {k->kernel, k->device, k->local, k->problem};
    int err = YK_SQLITE_OK;
    for (int i = 0; i < 4 && err == YK_SQLITE_OK; i++)
        err = d->q->bind_text(s, i + 1, text[i], -1, NULL);
    return err == YK_SQLITE_OK ? d->q->bind_int64(s, 5, k->kind) : err;
}

yk_status yk_database_write(struct yk_database *d, const struct yk_database_key *k, const struct yk_series *series)
{
    yk_lock_assert_none("SQLite");
    if (!d->db)
        return YK_EIO;
    int err = bind_key(d, d->erase, k);
    if (err == YK_SQLITE_OK && (err = d->q->step(d->erase)) == YK_SQLITE_DONE)
        err = YK_SQLITE_OK;
    d->q->reset(d->erase);
    for (unsigned i = 0; i < series->n && err == YK_SQLITE_OK; i++) {
        err = bind_key(d, d->insert, k);
        if (err == YK_SQLITE_OK)
            err = d->q->bind_double(d->insert, 6, series->at[i].groups);
        if (err == YK_SQLITE_OK)
            err = d->q->bind_double(d->insert, 7, series->at[i].ms);
        if (err == YK_SQLITE_OK)
            err = d->q->bind_int64(d->insert, 8, series->at[i].count);
        if (err == YK_SQLITE_OK)
            err = d->q->bind_text(d->insert, 9, k->name, -1, NULL);
        if (err == YK_SQLITE_OK && (err = d->q->step(d->insert)) == YK_SQLITE_DONE)
            err = YK_SQLITE_OK;
        d->q->reset(d->insert);
    }
    return err == YK_SQLITE_OK ? YK_OK : failed(d, err);
}

yk_status yk_database_clear(struct yk_database *d, const char *kernel)
{
    sqlite3_stmt *s = NULL;
    yk_lock_assert_none("SQLite");
    if (!d->db)
        return YK_EIO;
    int err = d->q->prepare_v2(d->db, kernel ? "DELETE FROM sample WHERE kernel=?1 OR name=?1" : "DELETE FROM sample",
                               -1, &s, NULL);
    if (err == YK_SQLITE_OK && kernel)
        err = d->q->bind_text(s, 1, kernel, -1, NULL);
    if (err == YK_SQLITE_OK)
        err = d->q->step(s);
    d->q->finalize(s);
    return err == YK_SQLITE_DONE ? YK_OK : failed(d, err);
}
