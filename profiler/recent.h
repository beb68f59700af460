/* What the database says, in a flat file beside it, and what processes have added since: one that is over in 50 ms
 * reads it in a moment and appends to it, where SQLite would cost it 3 ms (loading the library beside the program's own
 * start, reading, writing at the end). The database remains where everything is kept: the file is made from it, says of
 * which state of it, and what was appended goes into it when that has become much or when anybody opens it with
 * yk_database_open_default. Who uses it: profile.c, database.c, `yoke profile`.
 *
 * The file is untrusted input: records are checked one by one. A killed process or a full disk costs the samples of
 * that moment. Lost, foreign or of an older state of the database, it is made anew. Thread: one at a time per process;
 * between processes a lock on a file of its own, at most 200 ms of waiting. */
#ifndef YK_PROFILER_RECENT_H
#define YK_PROFILER_RECENT_H

#include <stdbool.h>
#include <stdio.h>
#include "profiler/database.h"

/* Appended bytes from which they are put into the database. */
enum { YK_RECENT_LONG = 1 << 17 };

/** Call EACH for every series that the file beside the database at PATH holds; of one key the last one stands.
 * *APPENDED: bytes that the database does not have yet. False: there is no such file of the database's present state;
 * then nothing was called. Cost: 50 us and one allocation. */
bool yk_recent_read(const char *path, yk_database_each *each, void *arg, size_t *appended);

/** One series as a record of the file. */
void yk_recent_put(FILE *to, const struct yk_database_key *k, const struct yk_series *s);

/** Append N bytes of such records. False: not done; they belong into the database. Cost: 50 us. */
bool yk_recent_append(const char *path, const void *records, size_t n);

/** Call EACH for every series of DB, what was appended included, which DB has from then on, and make the file anew
 * where that can be. Errors: as yk_database_read. */
yk_status yk_recent_renew(struct yk_database *db, yk_database_each *each, void *arg);

/** What was appended goes into DB, and the file goes. Errors: as yk_database_commit; the file stays then. */
yk_status yk_recent_fold(struct yk_database *db);

#endif
