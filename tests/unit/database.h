/* A database in a folder of its own, and what the tests of it write and expect. */
#ifndef YK_TESTS_UNIT_DATABASE_H
#define YK_TESTS_UNIT_DATABASE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <check.h>
#include "base/temp.h"
#include "profiler/database.h"
#include "profiler/sqlite.h"

static char folder[200], path[sizeof folder + 8];

static inline void use_folder(void)
{
    ck_assert(yk_temp_name("yoke-database", folder, sizeof folder) == YK_OK && mkdtemp(folder));
    snprintf(path, sizeof path, "%s/db", folder);
}

static inline void remove_folder(void)
{
    char command[sizeof folder + 16];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

static inline struct yk_database_key key_of(unsigned i)
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
static inline void look(void *arg, const struct yk_database_key *k, const struct yk_series *s)
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

static inline void write_some(struct yk_database *db, unsigned from, unsigned to)
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

#endif
