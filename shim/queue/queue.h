/* The virtual command-queue. A command goes straight to the primary's real queue from the caller's thread (fast path)
 * when nothing of this queue is pending, what it waits for is complete or on the primary too, and its bytes are there.
 * Everything else is captured and carried out by the queue's worker thread (worker.h) in order (out-of-order queues:
 * the first whose wait list is complete). Who uses it: api/ (enqueue), object/.
 *
 * A command that fails in the worker has already been accepted by its enqueue call, and perhaps nobody holds its event.
 * So the queue remembers: every later command fails too (with CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST), until a
 * blocking call (clFinish, clWaitForEvents, a blocking read ...) of the thread that enqueued it has returned an error.
 */
#ifndef YK_SHIM_QUEUE_QUEUE_H
#define YK_SHIM_QUEUE_QUEUE_H

#include <pthread.h>
#include "base/alone.h"
#include "base/lock.h"
#include "shim/core/context.h"

struct yk_command;

enum { YK_QUEUE_FAILED = 1 << 30, YK_BEHIND = 4 };

struct yk_queue {
    struct yk_handle h;
    struct yk_context *ctx; /* held */
    uint32_t number;        /* of no other queue of this process; not 0 */
    struct yk_quiet *quiet; /* what it has under way (quiet.h) */
    cl_command_queue_properties properties;
    cl_device_id device;                /* as the app named it; held by the context */
    cl_queue_properties *property_list; /* as given to ...WithProperties, with the 0; NULL if none */
    size_t nproperty_list;
    cl_command_queue real;                     /* of the primary */
    cl_command_queue share[2][YK_MAX_DEVICES]; /* for shares, in order; made when first needed */
    struct yk_lock lock;
    struct yk_behind {
        uint32_t number, upto;
    } behind[YK_BEHIND]; /* its next command begins when these of others are over (quiet.h); under lock */
    unsigned next_behind;
    pthread_cond_t work, idle;
    struct yk_command *first, **last; /* pending, oldest first */
    struct yk_event *newest;          /* of what was pushed last, until its worker is done with it; under lock */
    unsigned npending;                /* also the one being carried out, and YK_QUEUE_FAILED; atomic to read */
    unsigned issuing;                 /* threads on the fast path; atomic. While there are some the worker waits */
    cl_int failure;                   /* what went wrong, while YK_QUEUE_FAILED; and whom to tell */
    pthread_t whom;
    bool many;   /* several threads: nobody is ever told enough */
    bool unseen; /* the driver has been given commands without events; its word on them is still to be asked; atomic */
    bool worker, stop;
    bool turn;             /* somebody carries out what is pending: the worker, or who helps; under lock */
    bool shut_out;         /* the worker waits for its turn; under lock */
    unsigned plain;        /* commands to be carried out without looking for a chain; theirs whose turn it is */
    bool holds_exit;       /* its worker has something that may run, or the end of the queue to see to; under lock */
    struct yk_queue *left; /* in worker.c's list of those that were still there when the process ended */
    unsigned nflying;      /* launches that fly (flights.h); theirs whose turn it is, as the next */
    struct yk_flights *flights; /* NULL until one has */
    unsigned pushed, asked;   /* commands pushed so far; how many when the program last waited or flushed; under lock */
    struct yk_gather *gather; /* launches held back (gather.h); NULL until there are some; under lock */
    unsigned held;            /* of them, not yet given to the driver; atomic */
    pthread_cond_t issued;    /* somebody has issued what was held */
    unsigned run, last_run;   /* launches since another kind of call; how many to expect in a run; atomic */
    struct yk_beside *beside; /* whole launches side by side (beside.h); the worker's; NULL until there are some */
    unsigned pause;           /* launches before it is tried again to hold some; atomic */
    unsigned watched;         /* events of it that callbacks wait for (callback.h); atomic */
    unsigned due;             /* callbacks of its events that are to be called; atomic */
    unsigned kept_in;         /* callback.c's, for its thread */
};

/** A virtual queue over the primary's real one, on DEVICE (CTX has it). LIST as for clCreateCommandQueueWithProperties
 * or NULL; PROPERTIES are the bits in it. Errors: the primary's code in *ERR. */
struct yk_queue *yk_queue_create(struct yk_context *ctx, cl_device_id device, cl_command_queue_properties properties,
                                 const cl_queue_properties *list, cl_int *err);

/** The app's release: with the last reference the worker ends once nothing is pending. */
void yk_queue_release(struct yk_queue *q);

/** In-order queue on DEV for the shares of this queue's launches; NULL: cannot be had. One thread at a time uses it:
 * PoCL 3.1 deadlocks where several enqueue to one queue of a basic device. No lock held. */
cl_command_queue yk_queue_share(struct yk_queue *q, unsigned dev);

/** Another one, for what may run beside that. */
cl_command_queue yk_queue_share_beside(struct yk_queue *q, unsigned dev);

/** Append the heap-made C (owned from now on) and wake the worker (started when first needed), unless the caller WAITS
 * for C next: yk_worker_help.
 * Errors: CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES (no thread): C is still the caller's. */
cl_int yk_queue_push(struct yk_queue *q, struct yk_command *c, bool waits);

/** The program waits for what Q has pending, or wants it begun: nothing is to be held back for what may follow. Cost: a
 * load where nothing is pending. */
void yk_queue_ask(struct yk_queue *q);

/** A command of thread BY, already accepted, has failed with ERR: see above. No lock held. */
void yk_queue_failed_later(struct yk_queue *q, pthread_t by, cl_int err);

/** Somebody has waited for some of what Q had to do: callbacks that wait for it need not wait any longer. Cost: a load
 * where none does. */
void yk_queue_waited(const struct yk_queue *q);

/** Wait until nothing is pending and the primary's real queue is finished. Errors: the driver's; CL_OUT_OF_RESOURCES,
 * CL_OUT_OF_HOST_MEMORY where a command has failed unseen. */
cl_int yk_queue_finish(struct yk_queue *q);

/** A blocking call of this thread is about to return. Has a command failed unseen? Then that call fails with this code:
 * CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY or CL_MEM_OBJECT_ALLOCATION_FAILURE; else CL_SUCCESS. Cost: a load. */
cl_int yk_queue_tell(struct yk_queue *q);

static inline bool yk_queue_busy(struct yk_queue *q)
{
    return __atomic_load_n(&q->npending, __ATOMIC_ACQUIRE) != 0;
}

/** Something is pending, as it seems: enter nevertheless, where all that is missing is that the worker notes the end of
 * a command which the program may know to be complete? */
bool yk_queue_enter_late(struct yk_queue *q);

/** The fast path: between these two nothing of this queue is carried out, so that what a thread issues and what it
 * records of it are one step to the worker. False: something is pending; not entered. Cost: two atomic additions. */
static inline bool yk_queue_enter(struct yk_queue *q)
{
    yk_alone_add(&q->issuing, 1);
    if (__builtin_expect(!__atomic_load_n(&q->npending, __ATOMIC_SEQ_CST), 1))
        return true;
    yk_alone_add(&q->issuing, -1u);
    return yk_queue_enter_late(q);
}
static inline void yk_queue_leave(struct yk_queue *q)
{
    yk_alone_add(&q->issuing, -1u);
}

/** Has a command failed unseen? */
static inline bool yk_queue_failed(struct yk_queue *q)
{
    return __atomic_load_n(&q->npending, __ATOMIC_ACQUIRE) & YK_QUEUE_FAILED;
}

static inline struct yk_queue *yk_queue_from(cl_command_queue c)
{
    return yk_handle_is((void *)c, YK_KIND_QUEUE) ? (struct yk_queue *)(void *)c : NULL;
}

#endif
