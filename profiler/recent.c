#include "profiler/recent.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/hash.h"
#include "base/log.h"
#include "base/record.h"
#include "profiler/database_file.h"

enum { VERSION = 1, MOST = 1 << 24, TEXTS = 5 };

/* The state of a database's two files. SQLite writes the log's first bytes anew when it begins it anew. */
struct stamp {
    uint64_t file, size, time, log_file, log_size, log_time;
    unsigned char log_head[32];
};

struct head {
    char magic[8];
    uint64_t version, bytes; /* of the records that the database has */
    struct yk_hash content;  /* of those */
    struct stamp stamp;
    struct yk_hash self; /* of the members before */
};

static const char magic[8] = "yokeseen";

struct record {
    char magic[4];
    uint32_t bytes; /* behind this */
    uint64_t check; /* of those */
};

static const char record_magic[4] = "\xe7rec";

/* What follows a record: this, its samples, and the key's texts, each with a NUL. */
struct body {
    uint32_t kind, n;
};

/* A struct yk_sample without its padding. */
struct sample {
    double groups, ms;
    uint64_t count;
};

enum { LONGEST = sizeof(struct body) + YK_SERIES_SAMPLES * sizeof(struct sample) + sizeof(struct yk_database_key) };

static bool name_of(const char *path, const char *what, char *out)
{
    return snprintf(out, PATH_MAX, "%s-%s", path, what) < PATH_MAX;
}

static uint64_t time_of(const struct stat *s)
{
    return (uint64_t)s->st_mtim.tv_sec * 1000000000 + (uint64_t)s->st_mtim.tv_nsec;
}

/* False: there is no database. */
static bool stamp_of(const char *path, struct stamp *s)
{
    struct stat st;
    char log[PATH_MAX];
    memset(s, 0, sizeof *s);
    if (!name_of(path, "wal", log) || stat(path, &st) || !S_ISREG(st.st_mode))
        return false;
    s->file = st.st_ino;
    s->size = (uint64_t)st.st_size;
    s->time = time_of(&st);
    int fd = open(log, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT;
    bool ok = !fstat(fd, &st) && S_ISREG(st.st_mode) && pread(fd, s->log_head, sizeof s->log_head, 0) >= 0;
    close(fd);
    s->log_file = st.st_ino;
    s->log_size = (uint64_t)st.st_size;
    s->log_time = time_of(&st);
    return ok;
}

static struct yk_hash hash_of(const void *p, size_t n)
{
    return yk_hash_bytes((struct yk_hash){0, 0}, p, n);
}

static bool same(struct yk_hash a, struct yk_hash b)
{
    return a.lo == b.lo && a.hi == b.hi;
}

static bool take_text(const char **at, const char *end, char *out, size_t n)
{
    size_t left = (size_t)(end - *at), length = strnlen(*at, left);
    if (length == left || !yk_database_text(*at, out, n))
        return false;
    *at += length + 1;
    return true;
}

static bool take_body(const char *at, size_t n, struct yk_database_key *k, struct yk_series *s)
{
    const char *end = at + n;
    struct body b;
    if (n < sizeof b)
        return false;
    memcpy(&b, at, sizeof b);
    at += sizeof b;
    if (b.kind >= YK_SAMPLE_KIND_COUNT || !b.n || b.n > YK_SERIES_SAMPLES ||
        (size_t)(end - at) < b.n * sizeof(struct sample))
        return false;
    memset(k, 0, sizeof *k);
    memset(s, 0, sizeof *s);
    k->kind = (enum yk_sample_kind)b.kind;
    s->n = b.n;
    for (unsigned i = 0; i < b.n; i++, at += sizeof(struct sample)) {
        struct sample one;
        memcpy(&one, at, sizeof one);
        s->at[i] = (struct yk_sample){one.groups, one.ms, one.count && one.count < INT32_MAX ? (uint32_t)one.count : 1};
    }
    return take_text(&at, end, k->kernel, sizeof k->kernel) && take_text(&at, end, k->name, sizeof k->name) &&
           take_text(&at, end, k->device, sizeof k->device) && take_text(&at, end, k->local, sizeof k->local) &&
           take_text(&at, end, k->problem, sizeof k->problem) && at == end && yk_series_good(s);
}

/* What is no record is passed over up to the next one. */
static void read_records(const char *at, size_t n, yk_database_each *each, void *arg)
{
    const char *end = at + n;
    struct yk_database_key k;
    struct yk_series s;
    struct record r;
    while ((size_t)(end - at) >= sizeof r) {
        memcpy(&r, at, sizeof r);
        const char *body = at + sizeof r;
        if (memcmp(r.magic, record_magic, sizeof r.magic) != 0 || r.bytes > (size_t)(end - body) ||
            hash_of(body, r.bytes).lo != r.check) {
            const char *next = memmem(at + 1, (size_t)(end - at) - 1, record_magic, sizeof record_magic);
            at = next ? next : end;
            continue;
        }
        if (take_body(body, r.bytes, &k, &s))
            each(arg, &k, &s);
        at = body + r.bytes;
    }
}

void yk_recent_put(FILE *to, const struct yk_database_key *k, const struct yk_series *s)
{
    const char *text[TEXTS] = {k->kernel, k->name, k->device, k->local, k->problem};
    struct body b = {(uint32_t)k->kind, s->n};
    char bytes[LONGEST];
    size_t n = sizeof b;
    if (!s->n)
        return;
    memcpy(bytes, &b, sizeof b);
    for (unsigned i = 0; i < s->n; i++, n += sizeof(struct sample)) {
        struct sample one = {s->at[i].groups, s->at[i].ms, s->at[i].count};
        memcpy(bytes + n, &one, sizeof one);
    }
    for (unsigned i = 0; i < TEXTS; i++) {
        size_t length = strlen(text[i]) + 1;
        memcpy(bytes + n, text[i], length);
        n += length;
    }
    struct record r = {.bytes = (uint32_t)n, .check = hash_of(bytes, n).lo};
    memcpy(r.magic, record_magic, sizeof r.magic);
    fwrite(&r, sizeof r, 1, to);
    fwrite(bytes, n, 1, to);
}

/* All of the file beside the database at PATH, and its first bytes in H; NULL: none, or none of this version. */
static char *get(const char *path, struct head *h, size_t *n)
{
    char name[PATH_MAX], *bytes = name_of(path, "recent", name) ? yk_record_read_file(name, MOST, n) : NULL;
    if (!bytes)
        return NULL;
    if (*n >= sizeof *h)
        memcpy(h, bytes, sizeof *h);
    if (*n >= sizeof *h && !memcmp(h->magic, magic, sizeof magic) && h->version == VERSION &&
        same(h->self, hash_of(h, offsetof(struct head, self))) && h->bytes <= *n - sizeof *h)
        return bytes;
    free(bytes);
    return NULL;
}

bool yk_recent_read(const char *path, yk_database_each *each, void *arg, size_t *appended)
{
    struct head h;
    struct stamp now;
    size_t n;
    char *bytes = get(path, &h, &n);
    bool ok = bytes && stamp_of(path, &now) && !memcmp(&now, &h.stamp, sizeof now) &&
              same(h.content, hash_of(bytes + sizeof h, h.bytes));
    if (ok) {
        *appended = n - sizeof h - h.bytes;
        read_records(bytes + sizeof h, n - sizeof h, each, arg);
    }
    free(bytes);
    return ok;
}

/* Held while the file is appended to or replaced, so that nothing is appended to one that goes. -1: not to be had. */
static int lock(const char *path)
{
    char name[PATH_MAX];
    int fd = name_of(path, "recent-lock", name)
                 ? open(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600)
                 : -1;
    if (fd >= 0 && yk_database_flock(fd, true)) {
        close(fd);
        return -1;
    }
    return fd;
}

bool yk_recent_append(const char *path, const void *records, size_t n)
{
    char name[PATH_MAX];
    struct stat st;
    bool ok = false;
    int held = lock(path);
    int fd = held >= 0 && name_of(path, "recent", name)
                 ? open(name, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
                 : -1;
    if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size >= (off_t)sizeof(struct head) &&
        st.st_size + (off_t)n <= MOST) {
        ok = yk_record_write(fd, records, n);
        if (!ok && ftruncate(fd, st.st_size)) /* a full disk: what is there of it is passed over */
            yk_info("%s: %s", name, strerror(errno));
    }
    if (fd >= 0)
        close(fd);
    if (held >= 0)
        yk_database_unlock(held);
    return ok;
}

struct folding {
    struct yk_database *db;
    yk_status s;
};

static void fold_one(void *arg, const struct yk_database_key *k, const struct yk_series *s)
{
    struct folding *f = arg;
    if (f->s == YK_OK)
        f->s = yk_database_write(f->db, k, s);
}

/* With the lock held. */
static yk_status fold(struct yk_database *db)
{
    struct head h;
    size_t n;
    char *bytes = get(db->path, &h, &n);
    struct folding f = {db, YK_OK};
    if (bytes && n > sizeof h + h.bytes && (f.s = yk_database_begin(db)) == YK_OK) {
        read_records(bytes + sizeof h + h.bytes, n - sizeof h - h.bytes, fold_one, &f);
        yk_status end = yk_database_commit(db);
        f.s = f.s == YK_OK ? end : f.s;
    }
    free(bytes);
    return f.s;
}

struct copying {
    yk_database_each *each;
    void *arg;
    FILE *to;
};

static void copy_one(void *arg, const struct yk_database_key *k, const struct yk_series *s)
{
    struct copying *c = arg;
    c->each(c->arg, k, s);
    yk_recent_put(c->to, k, s);
}

/* RECORDS, which are what the database held at AT, become the file. */
static void replace(const char *path, const struct stamp *at, const char *records, size_t n)
{
    char name[PATH_MAX], made[PATH_MAX];
    struct head h;
    struct stamp now;
    if (n > MOST / 2 || !name_of(path, "recent", name) || !name_of(path, "recent-new", made) || !stamp_of(path, &now) ||
        memcmp(&now, at, sizeof now) != 0)
        return; /* somebody wrote to the database meanwhile */
    memset(&h, 0, sizeof h);
    memcpy(h.magic, magic, sizeof magic);
    h.version = VERSION;
    h.bytes = n;
    h.content = hash_of(records, n);
    h.stamp = *at;
    h.self = hash_of(&h, offsetof(struct head, self));
    unlink(made); /* of a process that was killed; the lock is held */
    int fd = open(made, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool ok = fd >= 0 && yk_record_write(fd, &h, sizeof h) && yk_record_write(fd, records, n);
    if (fd >= 0 && close(fd))
        ok = false;
    if (!ok || rename(made, name)) {
        yk_info("%s: %s", made, strerror(errno));
        unlink(made);
    }
}

yk_status yk_recent_renew(struct yk_database *db, yk_database_each *each, void *arg)
{
    struct stamp at;
    char *records = NULL;
    size_t n = 0;
    int held = lock(db->path);
    if (held < 0)
        return yk_database_read(db, NULL, each, arg);
    yk_status s = fold(db);
    bool known = s == YK_OK && stamp_of(db->path, &at);
    FILE *to = known ? open_memstream(&records, &n) : NULL;
    struct copying c = {each, arg, to};
    s = to ? yk_database_read(db, NULL, copy_one, &c) : yk_database_read(db, NULL, each, arg);
    if (to && !fclose(to) && s == YK_OK)
        replace(db->path, &at, records, n);
    free(records);
    yk_database_unlock(held);
    return s;
}

yk_status yk_recent_fold(struct yk_database *db)
{
    char name[PATH_MAX];
    if (!name_of(db->path, "recent", name) || access(name, F_OK))
        return YK_OK;
    int held = lock(db->path);
    if (held < 0)
        return YK_EIO;
    yk_status s = fold(db);
    if (s == YK_OK && unlink(name))
        s = YK_EIO;
    yk_database_unlock(held);
    return s;
}
