/* Running a compiler as a filter: text in, bytes and diagnostics out. Called by the transformer. */
#ifndef YK_TRANSFORM_PROCESS_H
#define YK_TRANSFORM_PROCESS_H

#include <stddef.h>
#include "base/status.h"

struct yk_process_output {
    char *text, *said; /* stdout and stderr, each with a NUL after its bytes; the caller frees both */
    size_t n, nsaid;
    int status; /* as waitpid gives it */
};

/**
 * Run ARGV (argv[0] a path) with the N bytes IN on stdin. Owns: OUT is the caller's (yk_process_finish).
 * Thread: any. Errors: YK_EIO (cannot be started), YK_ENOMEM. A failing program is YK_OK with its status.
 */
yk_status yk_process_run(char *const argv[], const char *in, size_t n, struct yk_process_output *out);
void yk_process_finish(struct yk_process_output *out);

#endif
