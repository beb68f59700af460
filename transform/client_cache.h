/* Facts on disk, by content. Called by client.c, and by the shim for
 * what became of included files. What is found there is untrusted: a record that does not parse is
 * set aside, one whose included files have changed is not used. Never fails loudly: without a cache all is computed. */
#ifndef YK_TRANSFORM_CLIENT_CACHE_H
#define YK_TRANSFORM_CLIENT_CACHE_H

#include <stdbool.h>
#include <time.h>
#include "base/hash.h"
#include "transform/facts.h"

/** The facts kept under KEY. False: none that is good; OUT is empty. Thread: any. */
bool yk_client_cache_get(struct yk_hash key, struct yk_facts *out);

/** Keep the record TEXT of N bytes under KEY; replaces atomically. Thread: any. */
void yk_client_cache_put(struct yk_hash key, const char *text, size_t n);

/**
 * Are the files that F's source included the ones that a compiler met at T or after it, until now? They are where none
 * has changed since before T, nor any folder in which one was looked for in vain. T: of CLOCK_REALTIME_COARSE, from
 * which files have their times. NAMES: what yk_client_cache_names said at T, so that a file which the program creates
 * in the current folder is not taken for one that was there and is gone; or NULL. Relative to the current folder.
 * Thread: any. Cost: a stat per file.
 */
bool yk_client_cache_older(const struct yk_facts *f, struct timespec t, const char *names);

/** The names in the current folder, each with a NUL, an empty one behind the last. NULL: not known, or too many.
 * Owned by the caller (free). Cost: a look at the folder. */
char *yk_client_cache_names(void);

/** Bytes of such NAMES with the NUL behind the last; NULL: of an empty list. */
size_t yk_client_cache_names_size(const char *names);

/** A copy, the caller's. NULL: no memory, or NAMES is. */
char *yk_client_cache_names_copy(const char *names);

/** Do the files that F's source included still hold the bytes seen? Relative to the current folder. */
bool yk_client_cache_fresh(const struct yk_facts *f);

#endif
