/* A cache folder of a test's own, under TMPDIR, removed when its process ends. */
#ifndef YK_TESTS_STUB_SCRATCH_H
#define YK_TESTS_STUB_SCRATCH_H

#include <check.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/temp.h"

static char scratch_folder[PATH_MAX];

static int scratch_remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

static void scratch_remove(void)
{
    nftw(scratch_folder, scratch_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/** Yoke's cache of this process is in it from now on; NAME is part of its own. */
static inline void scratch_cache(const char *name)
{
    ck_assert(yk_temp_name(name, scratch_folder, sizeof scratch_folder) == YK_OK && mkdtemp(scratch_folder));
    ck_assert(!atexit(scratch_remove));
    setenv("XDG_CACHE_HOME", scratch_folder, 1);
}

#endif
