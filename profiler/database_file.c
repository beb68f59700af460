#include "profiler/database_file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/log.h"

enum { BUSY_MS = 200, APPLICATION = 0x796f6b65 /* "yoke" */ };

static const char schema[] =
    "PRAGMA journal_mode=WAL; BEGIN IMMEDIATE;"
    "CREATE TABLE IF NOT EXISTS sample(kernel TEXT NOT NULL, device TEXT NOT NULL, local TEXT NOT NULL,"
    " problem TEXT NOT NULL, kind INTEGER NOT NULL, groups REAL NOT NULL, ms REAL NOT NULL, count INTEGER NOT NULL,"
    " name TEXT NOT NULL, PRIMARY KEY(kernel, device, local, problem, kind, groups)) WITHOUT ROWID;"
    "PRAGMA application_id=2037345125; PRAGMA user_version=1; COMMIT;";

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

void yk_database_let_go(struct yk_database *d)
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
    /* What was written last may go with the machine's power, at worst all of it; waiting for the disk at a process's
     * end costs more. */
    d->q->exec(d->db, "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA synchronous=OFF;", NULL, NULL,
               NULL);
    err = read_stamp(d, &s);
    if (err == YK_SQLITE_OK && s.version == 0 && s.application == 0 && s.tables == 0)
        /* New, or another process is making it: then the statement waits and changes nothing. */
        err = d->q->exec(d->db, schema, NULL, NULL, NULL);
    else if (err == YK_SQLITE_OK && (s.version != YK_DATABASE_VERSION || s.application != APPLICATION || s.tables != 1))
        err = YK_SQLITE_NOTADB;
    return err == YK_SQLITE_OK ? prepare(d) : err;
}

int yk_database_flock(int fd, bool alone)
{
    for (int ms = 0; flock(fd, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB); ms++) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || ms >= BUSY_MS)
            return errno;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return 0;
}

void yk_database_unlock(int fd)
{
    if (fd < 0)
        return;
    flock(fd, LOCK_UN); /* also where a child of this moment has the descriptor too */
    close(fd);
}

/* The folder's lock: shared while a database is opened, exclusive while one is set aside, so that nobody begins a new
 * one between the old one's going and its log's. False: not to be had within the time that SQLite's own locks get.
 * *FD -1: the file system has no such locks, or no folder that may be read: no reason to do without a database. */
static bool lock_folder(const struct yk_database *d, bool alone, int *fd)
{
    char dir[PATH_MAX];
    snprintf(dir, sizeof dir, "%s", d->path);
    char *slash = strrchr(dir, '/');
    if (slash)
        slash[slash == dir] = 0;
    *fd = open(slash ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int err = *fd >= 0 ? yk_database_flock(*fd, alone) : 0;
    if (!err)
        return true;
    close(*fd);
    *fd = -1;
    bool held = err == EWOULDBLOCK || err == EINTR;
    if (held)
        yk_info("%s: another process holds it", dir);
    return !held;
}

bool yk_database_begin_use(struct yk_database *d, bool *bad)
{
    int lock;
    *bad = false;
    if (!lock_folder(d, false, &lock))
        return false;
    int err = open_file(d);
    yk_database_unlock(lock);
    *bad = is_bad(err);
    if (err == YK_SQLITE_OK)
        return true;
    yk_info("%s: %s", d->path, *bad ? "is no database of this version" : d->db ? d->q->errmsg(d->db) : "no memory");
    yk_database_let_go(d);
    return false;
}

void yk_database_set_aside(struct yk_database *d)
{
    char other[PATH_MAX + 8];
    struct stat st;
    int lock;
    if (!lock_folder(d, true, &lock))
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
    yk_database_unlock(lock);
}

bool yk_database_use(struct yk_database *d)
{
    bool bad;
    if (yk_database_begin_use(d, &bad))
        return true;
    if (!bad)
        return false;
    yk_database_set_aside(d);
    return yk_database_begin_use(d, &bad);
}

/* The log goes into the database where it has become long: a process that ends without closing, as they all do, leaves
 * it as it is, and the next one reads all of it. Not where another process is reading it: that one or a later one will.
 */
void yk_database_shorten_log(struct yk_database *d)
{
    enum { LONG = 1 << 18 };
    char path[PATH_MAX + 8];
    struct stat st;
    snprintf(path, sizeof path, "%s-wal", d->path);
    if (stat(path, &st) || st.st_size < LONG)
        return;
    d->q->busy_timeout(d->db, 0);
    d->q->exec(d->db, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL);
    d->q->busy_timeout(d->db, BUSY_MS);
}
