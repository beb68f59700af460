/* The samples on disk: an SQLite database (WAL) of this user, shared by all processes. Who uses it: profile.c,
 * `yoke profile`.
 *
 * SQLite is opened with dlopen when the first database is: libyoke.so needs libc alone, and a machine without the
 * library just remembers nothing. Processes of programs read and append to the file beside it (recent.h) as long as
 * that will do; no lock is held and no launch waits while SQLite works.
 *
 * A database that is damaged, foreign or of another version is set aside (renamed to *.bad) and begun anew; a full disk
 * or a locked file costs the samples of that moment. Nothing here is fatal. What is read is checked as untrusted input.
 */
#ifndef YK_PROFILER_DATABASE_H
#define YK_PROFILER_DATABASE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include "base/status.h"
#include "profiler/series.h"

enum { YK_DATABASE_VERSION = 1, YK_DATABASE_TEXT = 200 };

enum yk_sample_kind {
    YK_SAMPLE_ALONE,    /* the device had the launch, and the machine, to itself */
    YK_SAMPLE_SHARED,   /* a share, other devices at work beside it */
    YK_SAMPLE_FIRST,    /* what the first launch in a process took beyond that; groups: 1 */
    YK_SAMPLE_BUILD,    /* the program's build on the device, 1 */
    YK_SAMPLE_DECLINED, /* launches in a row that were better not divided, and the most that the device took for one */
    YK_SAMPLE_CODE,     /* no time: classes of instructions in the kernel, and how many of each (model.h); no device */
    YK_SAMPLE_PARTS, /* not groups: into how many parts a launch is best cut beside its transfers, and its time then */
    YK_SAMPLE_MOVED, /* not a launch: what is brought for a divided one, and for others because its results lie apart */
    YK_SAMPLE_APART, /* not groups: 2 if a launch beside its transfers is best over several devices, else 1; its time */
    YK_SAMPLE_OFTEN, /* not groups: how many launches a process made beside their transfers, of pinned memory; time of
                        one */
    YK_SAMPLE_LEAST, /* the share that took the least time per work-group; how many there were */
    YK_SAMPLE_IN,  /* not groups: bytes of the host's ordinary memory to the device's, as yoke moves them; no kernel */
    YK_SAMPLE_OUT, /* the other way */
    YK_SAMPLE_PINNED_IN, /* the same of pinned memory */
    YK_SAMPLE_PINNED_OUT,
    YK_SAMPLE_KIND_COUNT
};

/* What one series is of. Texts without control characters. */
struct yk_database_key {
    char kernel[33];               /* content: source, options, name, as hexadecimal digits */
    char name[YK_DATABASE_TEXT];   /* the kernel's */
    char device[YK_DATABASE_TEXT]; /* name, driver; nothing that changes between processes */
    char local[64];                /* "16x16x1" */
    char problem[33];              /* arguments and range; "" for all together */
    enum yk_sample_kind kind;
};

struct yk_database;

/** TEXT, of a file that is not trusted, into OUT of N bytes as a text of a key. False: it is none (NULL, too long,
 * control characters). */
bool yk_database_text(const char *text, char *out, size_t n);

/** Open or create the database at PATH. NULL: none can be had (no library, no file); logged at info. Thread: one at a
 * time per handle. Cost: some ms. */
struct yk_database *yk_database_open(const char *path);
void yk_database_close(struct yk_database *db);

/** PATH: of the database at the user's own place (XDG data folder), which is made. False: none can be had; logged at
 * info. */
bool yk_database_default_path(char path[PATH_MAX]);

/** That one, with what recent.h holds beside it. */
struct yk_database *yk_database_open_default(void);

typedef void yk_database_each(void *arg, const struct yk_database_key *k, const struct yk_series *s);

/** Call EACH for every good series, of kernel KERNEL alone unless NULL. Errors: YK_EIO; YK_EFORMAT: damaged, has been
 * set aside, and DB is a new one. */
yk_status yk_database_read(struct yk_database *db, const char *kernel, yk_database_each *each, void *arg);

/** Between begin and commit, writes are one transaction: all or nothing survives a kill. Errors: as above. */
yk_status yk_database_begin(struct yk_database *db);
yk_status yk_database_write(struct yk_database *db, const struct yk_database_key *k, const struct yk_series *s);
yk_status yk_database_commit(struct yk_database *db);

/** Forget everything, or one kernel (by name or content). Errors: as above. */
yk_status yk_database_clear(struct yk_database *db, const char *kernel);

const char *yk_sample_kind_name(enum yk_sample_kind k);

/** Bytes over a link, rather than a kernel's? */
static inline bool yk_sample_of_link(enum yk_sample_kind k)
{
    return k >= YK_SAMPLE_IN && k <= YK_SAMPLE_PINNED_OUT;
}

#endif
