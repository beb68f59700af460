/* The part of SQLite's interface that database.c uses, found with dlopen. Its values are part of SQLite's stable ABI.
 */
#ifndef YK_PROFILER_SQLITE_H
#define YK_PROFILER_SQLITE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;

enum {
    YK_SQLITE_OK = 0,
    YK_SQLITE_ERROR = 1,
    YK_SQLITE_CORRUPT = 11,
    YK_SQLITE_NOTADB = 26,
    YK_SQLITE_ROW = 100,
    YK_SQLITE_DONE = 101,
    YK_SQLITE_OPEN = 0x2 | 0x4 | 0x8000 /* READWRITE, CREATE, NOMUTEX */
};

struct yk_sqlite {
    int (*open_v2)(const char *path, sqlite3 **db, int flags, const char *vfs);
    int (*close)(sqlite3 *db);
    int (*exec)(sqlite3 *db, const char *sql, int (*each)(void *, int, char **, char **), void *arg, char **msg);
    int (*prepare_v2)(sqlite3 *db, const char *sql, int n, sqlite3_stmt **stmt, const char **tail);
    int (*bind_text)(sqlite3_stmt *stmt, int i, const char *text, int n, void (*free)(void *));
    int (*bind_double)(sqlite3_stmt *stmt, int i, double v);
    int (*bind_int64)(sqlite3_stmt *stmt, int i, int64_t v);
    int (*step)(sqlite3_stmt *stmt);
    int (*reset)(sqlite3_stmt *stmt);
    int (*finalize)(sqlite3_stmt *stmt);
    const unsigned char *(*column_text)(sqlite3_stmt *stmt, int i);
    double (*column_double)(sqlite3_stmt *stmt, int i);
    int64_t (*column_int64)(sqlite3_stmt *stmt, int i);
    const char *(*errmsg)(sqlite3 *db);
    int (*busy_timeout)(sqlite3 *db, int ms);
    int (*libversion_number)(void);
};

/** The library, loaded once; NULL: there is none. Thread: any. */
const struct yk_sqlite *yk_sqlite_get(void);

#endif
