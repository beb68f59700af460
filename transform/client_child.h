/* Running a program so that the app around us cannot notice: no SIGCHLD, nothing for its wait(), no descriptor of its
 * inherited, a small clean environment, limits, a timeout. Called by client.c only; never reads or writes the files. */
#ifndef YK_TRANSFORM_CLIENT_CHILD_H
#define YK_TRANSFORM_CLIENT_CHILD_H

#include <stdbool.h>
#include "base/status.h"

struct yk_client_child {
    const char *path;     /* program to run, without arguments */
    int in, out, err;     /* its standard files: open, numbers 3 and above; the caller's */
    unsigned timeout_ms;  /* then it is killed, with all that it started */
    const char *argument; /* its one argument; NULL: none */
    bool detached;        /* left to itself: nobody waits for it, it outlives the app, at the lowest priority, with
                             the app's environment but LD_PRELOAD; the timeout is of its processor time */
    unsigned long memory, file; /* limits in bytes: address space (0: none), size of a file */
    bool aside;                 /* gives way to whatever else wants the processor: the timeout is of its processor
                                   time, and by the clock ten times as long */
    /* answers */
    int error;  /* errno of starting it, or 0 */
    bool late;  /* it was killed */
    int status; /* as waitpid gives it */
};

/**
 * Run C->path to its end.
 * Thread: any; blocks, with all signals of the calling thread held back. Holds no lock.
 * Errors: YK_EIO (could not be started, C->error), YK_ETIMEOUT, YK_ENOMEM. Any exit status is YK_OK.
 * Cost:   two processes that share our memory while they start: independent of the size of the app.
 */
yk_status yk_client_child_run(struct yk_client_child *c);

#endif
