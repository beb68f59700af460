#include "shim/queue/queue.h"
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "shim/core/background.h"
#include "shim/core/registry.h"
#include "shim/memory/store.h"
#include "shim/queue/beside.h"
#include "shim/queue/callback.h"
#include "shim/queue/command.h"
#include "shim/queue/flights.h"
#include "shim/queue/gather.h"
#include "shim/queue/quiet.h"
#include "shim/queue/worker.h"

static void queue_destroy(struct yk_handle *h)
{
    struct yk_queue *q = (struct yk_queue *)h;
    yk_registry_remove(q);
    yk_gather_finish(q->gather);
    yk_beside_finish(q->beside);
    yk_flights_finish(q->flights);
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        for (int k = 0; k < 2; k++)
            if (q->share[k][i])
                yk_rt.machine->device[i].cl->ReleaseCommandQueue(q->share[k][i]);
    yk_rt.primary->cl->ReleaseCommandQueue(q->real);
    yk_drop(&q->ctx->h);
    pthread_cond_destroy(&q->work);
    pthread_cond_destroy(&q->idle);
    pthread_cond_destroy(&q->issued);
    yk_lock_finish(&q->lock);
    free(q->property_list);
    free(q);
}

struct yk_queue *yk_queue_create(struct yk_context *ctx, cl_device_id device, cl_command_queue_properties properties,
                                 const cl_queue_properties *list, cl_int *err)
{
    const struct yk_device *d = yk_rt.primary;
    static uint32_t numbers;
    struct yk_queue *q = calloc(1, sizeof *q);
    if (!q) {
        *err = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    q->number = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
    q->quiet = yk_quiet_of(q->number);
    __atomic_store_n(&q->quiet->number, q->number, __ATOMIC_SEQ_CST);
    if (list) {
        size_t n = 1;
        while (list[n - 1])
            n += 2;
        q->property_list = malloc(n * sizeof *list);
        if (!q->property_list) {
            free(q);
            *err = CL_OUT_OF_HOST_MEMORY;
            return NULL;
        }
        memcpy(q->property_list, list, n * sizeof *list);
        q->nproperty_list = n;
    }
    cl_context real = ctx->real[d->index];
    cl_device_id on = yk_context_device(ctx, device);
    if (list)
        q->real = d->cl->CreateCommandQueueWithProperties(real, on, list, err);
    else
        q->real = d->cl->CreateCommandQueue(real, on, properties, err);
    if (!q->real) {
        free(q->property_list);
        free(q);
        return NULL;
    }
    if (!yk_registry_add(q)) {
        d->cl->ReleaseCommandQueue(q->real);
        free(q->property_list);
        free(q);
        *err = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    q->ctx = ctx;
    q->device = device;
    yk_hold(&ctx->h);
    q->properties = properties;
    q->last = &q->first;
    yk_lock_init(&q->lock, YK_RANK_QUEUE);
    pthread_cond_init(&q->work, NULL);
    pthread_cond_init(&q->idle, NULL);
    pthread_cond_init(&q->issued, NULL);
    yk_handle_init(&q->h, YK_KIND_QUEUE, queue_destroy);
    *err = CL_SUCCESS;
    return q;
}

/* *PLACE is one of Q's on DEV. */
static cl_command_queue share_in(const struct yk_queue *q, unsigned dev, cl_command_queue *place)
{
    cl_command_queue real = __atomic_load_n(place, __ATOMIC_ACQUIRE), none = NULL;
    if (real)
        return real;
    cl_context ctx = yk_context_real(q->ctx, dev);
    if (!ctx)
        return NULL;
    const struct yk_device *d = &yk_rt.machine->device[dev];
    cl_int err;
    real = d->cl->CreateCommandQueue(ctx, d->id, 0, &err);
    if (!real) {
        yk_warn("device %u (%s) gives no command-queue: %s", dev, d->name, yk_cl_error_name(err));
        return NULL;
    }
    if (!__atomic_compare_exchange_n(place, &none, real, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        d->cl->ReleaseCommandQueue(real);
        return none;
    }
    return real;
}

cl_command_queue yk_queue_share(struct yk_queue *q, unsigned dev)
{
    return share_in(q, dev, &q->share[0][dev]);
}

cl_command_queue yk_queue_share_beside(struct yk_queue *q, unsigned dev)
{
    return share_in(q, dev, &q->share[1][dev]);
}

/* What the specification allows blocking calls to say. */
static cl_int allowed(cl_int err)
{
    return err == CL_OUT_OF_HOST_MEMORY || err == CL_MEM_OBJECT_ALLOCATION_FAILURE ? err : CL_OUT_OF_RESOURCES;
}

void yk_queue_failed_later(struct yk_queue *q, pthread_t by, cl_int err)
{
    yk_lock_take(&q->lock);
    if (q->npending & YK_QUEUE_FAILED) {
        q->many |= !pthread_equal(q->whom, by);
    } else {
        q->failure = allowed(err);
        q->whom = by;
        __atomic_or_fetch(&q->npending, YK_QUEUE_FAILED, __ATOMIC_ACQ_REL);
    }
    yk_lock_drop(&q->lock);
}

cl_int yk_queue_tell(struct yk_queue *q)
{
    cl_int err = CL_SUCCESS;
    if (!yk_queue_failed(q))
        return err;
    yk_lock_take(&q->lock);
    if (q->npending & YK_QUEUE_FAILED) {
        err = q->failure;
        if (!q->many && pthread_equal(q->whom, pthread_self()))
            __atomic_and_fetch(&q->npending, ~(unsigned)YK_QUEUE_FAILED, __ATOMIC_ACQ_REL);
    }
    yk_lock_drop(&q->lock);
    return err;
}

void yk_queue_release(struct yk_queue *q)
{
    if (__atomic_sub_fetch(&q->h.refs, 1, __ATOMIC_ACQ_REL))
        return;
    yk_gather_drain(q);
    yk_rt.primary->cl->Flush(q->real); /* a release flushes, says the specification */
    yk_lock_take(&q->lock);
    q->stop = true;
    if (q->worker && !q->first)
        yk_background_hold(&q->holds_exit, true); /* until its worker has released what is the driver's */
    pthread_cond_signal(&q->work);
    yk_lock_drop(&q->lock);
    yk_drop(&q->h);
}

cl_int yk_queue_push(struct yk_queue *q, struct yk_command *c, bool waits)
{
    yk_lock_take(&q->lock);
    cl_int err = yk_worker_start(q);
    if (err != CL_SUCCESS) {
        yk_lock_drop(&q->lock);
        return err;
    }
    c->next = NULL;
    *q->last = c;
    q->last = &c->next;
    q->newest = c->event;
    q->pushed++;
    if (c == q->first)
        yk_background_hold(&q->holds_exit, true); /* until its worker has looked */
    __atomic_add_fetch(&q->npending, 1, __ATOMIC_SEQ_CST);
    if (!waits)
        pthread_cond_signal(&q->work);
    yk_lock_drop(&q->lock);
    return CL_SUCCESS;
}

/* The newest command is complete, and with it all of an in-order queue: the worker is about to say so. */
static bool is_over(struct yk_queue *q)
{
    if (q->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        return false;
    yk_lock_take(&q->lock);
    bool over = q->newest && __atomic_load_n(&q->newest->status, __ATOMIC_ACQUIRE) <= CL_COMPLETE;
    yk_lock_drop(&q->lock);
    return over;
}

bool yk_queue_enter_late(struct yk_queue *q)
{
    /* Microseconds. A thousand launches that the program makes next would else come to the worker one by one, each
     * behind the other, until the program waits again. */
    enum { TRIES = 2000, BUSY = 500 };
    if (yk_queue_failed(q) || !is_over(q))
        return false;
    for (unsigned i = 0; i < TRIES && yk_queue_busy(q); i++)
        if (i >= BUSY)
            sched_yield();
    yk_alone_add(&q->issuing, 1);
    if (!__atomic_load_n(&q->npending, __ATOMIC_SEQ_CST))
        return true;
    yk_alone_add(&q->issuing, -1u);
    return false;
}

void yk_queue_ask(struct yk_queue *q)
{
    if (!yk_queue_busy(q))
        return;
    yk_lock_take(&q->lock);
    q->asked = q->pushed;
    pthread_cond_signal(&q->work);
    yk_lock_drop(&q->lock);
}

void yk_queue_waited(const struct yk_queue *q)
{
    if (__atomic_load_n(&q->watched, __ATOMIC_RELAXED))
        yk_callback_look();
}

cl_int yk_queue_finish(struct yk_queue *q)
{
    uint64_t wait = yk_quiet_wait(q, 0);
    yk_gather_mark(q);
    yk_gather_drain(q);
    if (yk_queue_busy(q)) {
        yk_worker_help(q, NULL);
        yk_lock_take(&q->lock);
        while (q->npending & ~(unsigned)YK_QUEUE_FAILED)
            yk_lock_wait(&q->lock, &q->idle);
        yk_lock_drop(&q->lock);
    }
    cl_int err = yk_rt.primary->cl->Finish(q->real), failure = yk_queue_failed(q) ? yk_queue_tell(q) : CL_SUCCESS;
    if (err == CL_SUCCESS && failure == CL_SUCCESS)
        yk_quiet_over(q, wait);
    yk_queue_waited(q);
    yk_callback_due_in(q);
    if (err == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) /* of a command that yoke had wait for one that failed */
        err = CL_OUT_OF_RESOURCES;
    if (err == CL_SUCCESS && failure == CL_SUCCESS)
        err = yk_store_gather(q->ctx);
    return failure != CL_SUCCESS ? failure : err;
}
