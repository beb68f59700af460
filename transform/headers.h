/* The headers that came with a request, those of clCompileProgram, as files of a private folder under TMPDIR: clang
 * takes them from nowhere else. Called by front.c. A name that leads out of the folder is never written. */
#ifndef YK_TRANSFORM_HEADERS_H
#define YK_TRANSFORM_HEADERS_H

#include "transform/client.h"

/**
 * Write REQ's headers into a new folder, whose path FOLDER becomes ("" where there are none); N bytes are at FOLDER. A
 * name that leads elsewhere: YK_OK and *REFUSED says so. Owns: *REFUSED is in A; the folder is the caller's to remove,
 * after an error too.
 * Errors: YK_EIO, logged.   Cost: a file per header.
 */
yk_status yk_headers_write(const struct yk_transform_request *req, struct yk_arena *a, char *folder, size_t n,
                           const char **refused);

/** Remove what yk_headers_write has made of REQ; "" is no folder. */
void yk_headers_remove(const struct yk_transform_request *req, const char *folder);

#endif
