/* Events: user events, events of commands issued to the primary's real queue (they stand for a real event) and events
 * of commands that yoke's workers carry out. User events and callbacks never reach a driver. Who uses it: queue/,
 * object/, api/. */
#ifndef YK_SHIM_QUEUE_EVENT_H
#define YK_SHIM_QUEUE_EVENT_H

#include <pthread.h>
#include "base/lock.h"
#include "shim/core/context.h"

struct yk_queue;
struct yk_event_callback;

#define YK_EVENT_ALONE UINT64_MAX /* nothing but its own command */

struct yk_event {
    struct yk_handle h;
    struct yk_context *ctx; /* held */
    struct yk_queue *queue; /* held; NULL for user events */
    uint64_t number;        /* events made later have larger ones */
    uint64_t upto;          /* the commands of its queue up to this number are over with it; or YK_EVENT_ALONE */
    cl_command_type type;
    cl_int status;    /* CL_QUEUED .. CL_COMPLETE or an error; atomic */
    cl_event real;    /* of the primary, once issued there; atomic; kept until destroyed */
    bool alone;       /* somebody asks for it and nothing else; atomic */
    bool flushed;     /* a status query has flushed the real queue; atomic */
    bool profiled;    /* the queue has CL_QUEUE_PROFILING_ENABLE */
    uint64_t time[4]; /* queued, submit, start, end; host clock, ns */
    struct yk_lock lock;
    pthread_cond_t changed;
    struct yk_event_callback *callbacks;
};

/** New event with status CL_QUEUED (user events: CL_SUBMITTED), one app reference. NULL: no memory. */
struct yk_event *yk_event_create(struct yk_context *ctx, struct yk_queue *queue, cl_command_type type);

/** Status now. Of a real event it asks the driver; the first query of one not complete flushes its queue. */
cl_int yk_event_status(struct yk_event *ev);

/** Block until complete or failed; the final status. No lock held. */
cl_int yk_event_wait(struct yk_event *ev);

/** EV's command is going to be carried out: times of an attempt that has failed do not count. No lock held. */
void yk_event_begin(struct yk_event *ev);

/** Move to STATUS (only downwards), wake waiters, run callbacks on yoke's callback thread. No lock held. */
void yk_event_set(struct yk_event *ev, cl_int status);

/** Run the callbacks that STATUS, above CL_COMPLETE, reaches; the status itself is the driver's to tell. */
void yk_event_tell(struct yk_event *ev, cl_int status);

/** EV now stands for REAL (its reference is taken over). Wakes waiters, who then wait for it. */
void yk_event_issued(struct yk_event *ev, cl_event real);

/** A callback at TYPE (CL_SUBMITTED, CL_RUNNING, CL_COMPLETE). Errors: CL_OUT_OF_HOST_MEMORY. */
cl_int yk_event_on(struct yk_event *ev, cl_int type, void (*fn)(cl_event, cl_int, void *), void *data);

static inline struct yk_event *yk_event_from(cl_event e)
{
    return yk_handle_is((void *)e, YK_KIND_EVENT) ? (struct yk_event *)(void *)e : NULL;
}

#endif
