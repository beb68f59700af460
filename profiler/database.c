#include "profiler/database.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/env.h"
#include "base/lock.h"
#include "base/log.h"
#include "profiler/database_file.h"
#include "profiler/recent.h"

const char *yk_sample_kind_name(enum yk_sample_kind k)
{
    static const char *const name[] = {"alone", "shared", "first", "build",     "declined",
                                       "code",  "parts",  "moved", "apart",     "often",
                                       "least", "in",     "out",   "pinned_in", "pinned_out"};
    return k < YK_SAMPLE_KIND_COUNT ? name[k] : NULL;
}

/* Made here, so that nobody else may read it whatever the umask; never through a link. */
static bool make_private(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
    if (fd < 0) {
        yk_info("%s: %s", path, strerror(errno));
        return false;
    }
    close(fd);
    return true;
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
    if (!make_private(path) || !yk_database_use(d)) {
        free(d);
        return NULL;
    }
    return d;
}

bool yk_database_default_path(char path[PATH_MAX])
{
    char dir[PATH_MAX - 32];
    if (yk_dir("data", "profile", dir, sizeof dir) != YK_OK)
        return false;
    snprintf(path, PATH_MAX, "%s/samples.db", dir);
    return true;
}

struct yk_database *yk_database_open_default(void)
{
    char path[PATH_MAX];
    struct yk_database *d = yk_database_default_path(path) ? yk_database_open(path) : NULL;
    if (d)
        (void)yk_recent_fold(d); /* what could not be taken over stays for the next one */
    return d;
}

void yk_database_close(struct yk_database *db)
{
    if (!db)
        return;
    yk_database_let_go(db);
    free(db);
}

/* An error of SQLite: damaged ones are set aside at once. */
static yk_status failed(struct yk_database *d, int err)
{
    err &= 255; /* a statement that was prepared does not fail with SQLITE_ERROR for the content's sake */
    yk_info("%s: %s", d->path, d->db ? d->q->errmsg(d->db) : "closed");
    if (err != YK_SQLITE_CORRUPT && err != YK_SQLITE_NOTADB)
        return YK_EIO;
    yk_database_let_go(d);
    yk_database_set_aside(d);
    bool bad;
    return yk_database_begin_use(d, &bad) ? YK_EFORMAT : YK_EIO;
}

bool yk_database_text(const char *text, char *out, size_t n)
{
    if (!text || strlen(text) >= n)
        return false;
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < 32)
            return false;
    strcpy(out, text);
    return true;
}

static bool take_text(struct yk_database *d, sqlite3_stmt *s, int i, char *out, size_t n)
{
    return yk_database_text((const char *)d->q->column_text(s, i), out, n);
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

yk_status yk_database_read(struct yk_database *d, const char *kernel, yk_database_each *each, void *arg)
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
    if (s == YK_OK)
        yk_database_shorten_log(d);
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
