/* The life of a program that the sweep (sweep.c) breaks at one place or another: objects, builds, split and whole
 * launches, transfers, maps, copies, releases. It stops at the first error and releases what it has. Runs once per
 * process. */
#ifndef YK_TESTS_FAULT_LIFE_H
#define YK_TESTS_FAULT_LIFE_H

#include <CL/cl.h>
#include <stdbool.h>

enum life_end {
    LIFE_NONE,     /* never came to an end */
    LIFE_RIGHT,    /* no error, right bytes */
    LIFE_TOLD,     /* an error that the specification allows for the call that gave it */
    LIFE_BAD_CODE, /* an error that it does not allow there */
    LIFE_WRONG,    /* no error, and wrong bytes */
    LIFE_LEAK,     /* real objects are left */
    LIFE_ENDS
};

struct life {
    enum life_end end;
    cl_int code; /* of TOLD and BAD_CODE */
    char call[48];
    long left;      /* real objects */
    unsigned fired; /* scripted failures that happened */
    unsigned calls; /* of the counted kind (count.h) */
    unsigned split; /* launches that were split */
};

/** Before each blocking read. */
extern unsigned life_pause_ms;

/** All of it. IN_PLACE: with kernels that overwrite what they read. INJECTED: codes that the driver was made to return,
 * which may come back from whatever call reached it. */
void life_run(struct life *l, bool in_place, const cl_int injected[2]);

#endif
