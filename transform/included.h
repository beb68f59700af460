/* The files that a preprocessed text came from, as its line markers name them: what a record is checked against later.
 * Called by front.c. It reads files and writes none. */
#ifndef YK_TRANSFORM_INCLUDED_H
#define YK_TRANSFORM_INCLUDED_H

#include "transform/client.h"
#include "transform/names.h"
#include "transform/options.h"

/** Is the line at P (up to END) a line marker? Then the file that it names, at most N - 1 bytes, into PATH. */
bool yk_included_marker(const char *p, const char *end, char *path, size_t n);

/**
 * The files that MARKED (N bytes, target 0's preprocessed text) came from, each with the hash of its bytes, and the
 * places where a file would come before one of them, which are absent. Files in OWN ("": no such folder) came with the
 * request and are not listed. The identifiers of all go into NAMES. Owns: *FILE and the paths are in A.   Errors:
 * YK_ENOMEM; a file that cannot be read is left out (a #line invented it). Cost: reads every file once; absent places:
 * files times folders searched.
 */
yk_status yk_included_find(const char *marked, size_t n, const struct yk_options *o, const char *own,
                           struct yk_names *names, struct yk_arena *a, struct yk_facts_file **file, unsigned *nfiles);

#endif
