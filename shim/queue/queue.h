/* The virtual command-queue. A command goes straight to the primary's real queue from the caller's thread (fast path)
 * when nothing of this queue is pending, what it waits for is complete or on the primary too, and its bytes are there.
 * Everything else is captured and carried out by the queue's worker thread in order (out-of-order queues: the first
 * whose wait list is complete). Who uses it: api/ (enqueue), object/. */
#ifndef YK_SHIM_QUEUE_QUEUE_H
#define YK_SHIM_QUEUE_QUEUE_H

#include <pthread.h>
#include "base/lock.h"
#include "shim/core/context.h"

struct yk_command;

struct yk_queue {
    struct yk_handle h;
    struct yk_context *ctx; /* held */
    cl_command_queue_properties properties;
    cl_queue_properties *property_list; /* as given to ...WithProperties, with the 0; NULL if none */
    size_t nproperty_list;
    cl_command_queue real;                  /* of the primary */
    cl_command_queue share[YK_MAX_DEVICES]; /* for shares, in order; made when first needed */
    struct yk_lock lock;
    pthread_cond_t work, idle;
    struct yk_command *first, **last; /* pending, oldest first */
    unsigned npending;                /* also the one being carried out; atomic to read */
    bool worker, stop;
    bool host_dirty; /* a USE_HOST_PTR buffer may have newer bytes than the app's memory; see clFinish */
};

/** A virtual queue over the primary's real one. LIST as for clCreateCommandQueueWithProperties or NULL; PROPERTIES are
 * the bits in it. Errors: the primary's code in *ERR. */
struct yk_queue *yk_queue_create(struct yk_context *ctx, cl_command_queue_properties properties,
                                 const cl_queue_properties *list, cl_int *err);

/** The app's release: with the last reference the worker ends once nothing is pending. */
void yk_queue_release(struct yk_queue *q);

/** In-order queue on DEV for the shares of this queue's launches; NULL: cannot be had. One thread at a time uses it:
 * PoCL 3.1 deadlocks where several enqueue to one queue of a basic device. No lock held. */
cl_command_queue yk_queue_share(struct yk_queue *q, unsigned dev);

/** Append the heap-made C (owned from now on) and wake the worker (started when first needed).
 * Errors: CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES (no thread): C is still the caller's. */
cl_int yk_queue_push(struct yk_queue *q, struct yk_command *c);

/** Wait until nothing is pending and the primary's real queue is finished. */
cl_int yk_queue_finish(struct yk_queue *q);

static inline bool yk_queue_busy(struct yk_queue *q)
{
    return __atomic_load_n(&q->npending, __ATOMIC_ACQUIRE) != 0;
}

static inline struct yk_queue *yk_queue_from(cl_command_queue c)
{
    return yk_handle_is((void *)c, YK_KIND_QUEUE) ? (struct yk_queue *)(void *)c : NULL;
}

#endif
