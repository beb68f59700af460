/* Results kept on disk between processes, each a file named by the hash of what it was made from, in a folder of yoke's
 * cache. Who calls it: transform/ (what the transformer found), kernels/gpu (compiled kernels).
 *
 * What is found is untrusted: the caller checks it and rejects what is no record. Never fails loudly: without a folder
 * everything is made anew. Thread: any; processes too, since a record is replaced in one step. */
#ifndef YK_BASE_RECORD_H
#define YK_BASE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include "base/hash.h"

struct yk_record_kind {
    const char *folder; /* in yoke's cache folder */
    const char *lost;   /* for the warning that nothing can be kept: "kernels are compiled anew each time" */
    size_t most;        /* bytes of a record; larger files are no records, larger results are not kept */
};

/** The bytes kept under KEY, *N of them and a NUL; NULL: none. Owned by the caller (free). A link, or what is no
 * regular file, is none. */
void *yk_record_get(const struct yk_record_kind *k, struct yk_hash key, size_t *n);

/** Keep N bytes under KEY. Records of the folder that nobody used for a month go now and then. */
void yk_record_put(const struct yk_record_kind *k, struct yk_hash key, const void *bytes, size_t n);

/** The record of KEY is damaged: set it aside as .bad. */
void yk_record_reject(const struct yk_record_kind *k, struct yk_hash key);

/** All of the regular file PATH (through links) if it has at most MOST bytes, as yk_record_get gives it. */
void *yk_record_read_file(const char *path, size_t most, size_t *n);

/** All N bytes to FD, whatever a write takes at a time. False: not all of them; errno says why. */
bool yk_record_write(int fd, const void *bytes, size_t n);

#endif
