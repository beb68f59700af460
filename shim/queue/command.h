/* A command between the app's enqueue call and its completion. Built on the caller's stack by api/; either issued at
 * once or captured (copied to the heap with everything it needs) and given to the queue's worker.
 *
 * A kind of command is four functions:
 *   issue    enqueue it on the primary's real queue, its bytes being there (both paths)
 *   resident are all its bytes where the primary needs them now? (NULL: always)
 *   capture  hold and copy what the caller may change or release after the call (called once, on the heap copy)
 *   carry    the worker's way when not resident: bring bytes, run shares, touch host memory. May issue (then returns
 *            YK_CARRY_ISSUED) or do all and return CL_SUCCESS or an error; YK_CARRY_FLYING: it is under way, and the
 *            queue's until it has landed (flights.h). NULL: bring nothing, issue. REAL is NULL where nobody wants an
 *            event.
 *   release  undo capture
 */
#ifndef YK_SHIM_QUEUE_COMMAND_H
#define YK_SHIM_QUEUE_COMMAND_H

#include "shim/queue/event.h"
#include "shim/queue/queue.h"

struct yk_command;
enum { YK_CARRY_ISSUED = 1, YK_CARRY_FLYING = 3 }; /* 2: share.h */

struct yk_command_kind {
    cl_command_type type;
    bool barrier;  /* nothing overtakes it in an out-of-order queue */
    bool launches; /* it is a struct yk_launch */
    bool gathers;  /* it is a struct yk_launch, which may be held back: gather.h */
    bool tidies;   /* gives something back: done even behind a command that failed */
    cl_int (*issue)(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait, cl_event *real);
    bool (*resident)(struct yk_command *c);
    cl_int (*capture)(struct yk_command *c);
    cl_int (*carry)(struct yk_command *c, cl_event *real);
    void (*release)(struct yk_command *c);
};

struct yk_command {
    const struct yk_command_kind *kind;
    size_t size; /* of the whole structure that begins here */
    struct yk_queue *queue;
    struct yk_command *next;
    struct yk_event *event; /* captured commands always have one; held */
    bool wanted;            /* somebody will look at the event; else the driver is asked for none, and tells of failures
                             * in its own way, as it would have told the app */
    struct yk_event **wait; /* held */
    struct yk_mem
        *uses[2];   /* what it works on, to be noted when it is enqueued (users.h); launches note by themselves */
    bool writes[2]; /* of these */
    cl_uint nwait;
    bool blocks;  /* BY waits until it is complete */
    bool decided; /* by the worker: its bytes are there, and it is issued as it is */
    pthread_t by; /* whoever enqueued it */
};

/**
 * Check the wait list, then issue or capture and push C; EVENT (may be NULL) receives a virtual event.
 * BLOCKING: return when the command is complete.
 * Returns the code the entry point returns: CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_CONTEXT, the driver's own, ...
 * Owns: C is the caller's (on its stack). Thread: any; no lock held.
 */
cl_int yk_command_enqueue(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait, cl_event *event);

/** What carry returns after issuing, with what issue gave. */
static inline cl_int yk_command_issued(cl_int err, const cl_event *real)
{
    return err == CL_SUCCESS && (!real || *real) ? YK_CARRY_ISSUED : err;
}

/** Free a captured command (worker). */
void yk_command_free(struct yk_command *c);

#endif
