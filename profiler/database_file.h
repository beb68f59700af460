/* The file of a database: opening it, whether it is one of ours, setting it aside, its log. Who uses it: database.c. */
#ifndef YK_PROFILER_DATABASE_FILE_H
#define YK_PROFILER_DATABASE_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>
#include "profiler/database.h"
#include "profiler/sqlite.h"

struct yk_database {
    const struct yk_sqlite *q;
    sqlite3 *db;
    sqlite3_stmt *insert, *erase;
    char path[PATH_MAX];
    ino_t file; /* the file PATH named when it was opened */
};

/** Open D's path. True: usable. False: not now, or, with *BAD, it is no database of ours. */
bool yk_database_begin_use(struct yk_database *d, bool *bad);

/** The same; one that is none of ours is set aside, and begun anew. */
bool yk_database_use(struct yk_database *d);

/** Close D, which may be used again. */
void yk_database_let_go(struct yk_database *d);

/** Rename the file that D was opened as to *.bad, unless another process has done so. D is closed. */
void yk_database_set_aside(struct yk_database *d);

/** Lock the file FD, exclusively if ALONE, within the time that SQLite's own locks get. 0, or errno: EWOULDBLOCK where
 * another process holds it, something else where the file system has no such locks. */
int yk_database_flock(int fd, bool alone);
/** Give that lock back and close FD; -1: nothing. */
void yk_database_unlock(int fd);

/** A transaction has ended: the log goes into the database where it has become long. */
void yk_database_shorten_log(struct yk_database *d);

#endif
