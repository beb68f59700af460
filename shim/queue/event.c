#include "shim/queue/event.h"
#include <stdlib.h>
#include "base/clock.h"
#include "shim/queue/callback.h"
#include "shim/queue/gather.h"
#include "shim/queue/quiet.h"
#include "shim/queue/worker.h"

struct yk_event_callback {
    struct yk_event_callback *next;
    struct yk_event *ev; /* held while in flight */
    cl_int type, status;
    void (*fn)(cl_event, cl_int, void *);
    void *data;
};

static void event_destroy(struct yk_handle *h)
{
    struct yk_event *ev = (struct yk_event *)h;
    if (ev->real)
        yk_rt.primary->cl->ReleaseEvent(ev->real);
    while (ev->callbacks) {
        struct yk_event_callback *c = ev->callbacks;
        ev->callbacks = c->next;
        free(c);
    }
    if (ev->queue)
        yk_drop(&ev->queue->h);
    yk_drop(&ev->ctx->h);
    pthread_cond_destroy(&ev->changed);
    yk_lock_finish(&ev->lock);
    free(ev);
}

struct yk_event *yk_event_create(struct yk_context *ctx, struct yk_queue *queue, cl_command_type type)
{
    struct yk_event *ev = calloc(1, sizeof *ev);
    if (!ev)
        return NULL;
    ev->ctx = ctx;
    yk_hold(&ctx->h);
    ev->queue = queue;
    if (queue) {
        yk_hold(&queue->h);
        ev->profiled = queue->properties & CL_QUEUE_PROFILING_ENABLE;
    }
    static uint64_t numbers;
    ev->upto = queue && !(queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) ? yk_quiet_wait(queue, 1)
                                                                                      : YK_EVENT_ALONE;
    ev->number = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
    ev->type = type;
    ev->status = queue ? CL_QUEUED : CL_SUBMITTED;
    ev->time[0] = ev->profiled ? yk_now_ns() : 0;
    yk_lock_init(&ev->lock, YK_RANK_EVENT);
    pthread_cond_init(&ev->changed, NULL);
    yk_handle_init(&ev->h, YK_KIND_EVENT, event_destroy);
    return ev;
}

static cl_int status_now(const struct yk_event *ev)
{
    return __atomic_load_n(&ev->status, __ATOMIC_ACQUIRE);
}

static cl_event real_of(const struct yk_event *ev)
{
    return __atomic_load_n(&ev->real, __ATOMIC_ACQUIRE);
}

static cl_int ask_status(struct yk_event *ev)
{
    cl_int s = status_now(ev);
    if (s <= CL_COMPLETE)
        return s;
    if (!real_of(ev) && ev->queue) {
        __atomic_store_n(&ev->alone, true, __ATOMIC_RELAXED);
        yk_gather_drain(ev->queue);
        yk_queue_ask(ev->queue);
    }
    cl_event real = real_of(ev);
    if (!real)
        return status_now(ev);
    const struct yk_cl *cl = yk_rt.primary->cl;
    cl_int now = CL_SUBMITTED;
    cl_int err = cl->GetEventInfo(real, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof now, &now, NULL);
    if (err != CL_SUCCESS)
        now = err;
    if (now > CL_COMPLETE && ev->queue && !__atomic_exchange_n(&ev->flushed, true, __ATOMIC_RELAXED)) {
        /* Programs poll for hours without a flush; what is pending is issued by the first query. */
        cl->Flush(ev->queue->real);
    }
    if (now <= CL_COMPLETE) {
        /* CL_COMPLETE from a query is no synchronisation point; a wait is. */
        cl->WaitForEvents(1, &real);
        __atomic_store_n(&ev->status, now, __ATOMIC_RELEASE);
        return now;
    }
    s = status_now(ev); /* the driver may be a step behind what has been told */
    return s < now ? s : now;
}

static cl_int wait_for(struct yk_event *ev)
{
    cl_int s = status_now(ev);
    if (s <= CL_COMPLETE)
        return s;
    if (!real_of(ev) && ev->queue) {
        __atomic_store_n(&ev->alone, true, __ATOMIC_RELAXED);
        yk_gather_drain(ev->queue);
        yk_worker_help(ev->queue, ev);
    }
    if (!real_of(ev)) {
        yk_lock_take(&ev->lock);
        while ((s = status_now(ev)) > CL_COMPLETE && !real_of(ev))
            yk_lock_wait(&ev->lock, &ev->changed);
        yk_lock_drop(&ev->lock);
        if (s <= CL_COMPLETE)
            return s;
    }
    cl_event real = real_of(ev);
    cl_int err = yk_rt.primary->cl->WaitForEvents(1, &real);
    cl_int now = CL_COMPLETE;
    if (err != CL_SUCCESS) {
        yk_rt.primary->cl->GetEventInfo(real, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof now, &now, NULL);
        if (now >= 0)
            now = err;
    }
    __atomic_store_n(&ev->status, now, __ATOMIC_RELEASE);
    if (ev->queue)
        yk_queue_waited(ev->queue);
    return now;
}

/* EV has been seen to have status S. */
static cl_int seen(const struct yk_event *ev, cl_int s)
{
    if (s == CL_COMPLETE && ev->queue)
        yk_quiet_over(ev->queue, ev->upto);
    return s;
}

cl_int yk_event_status(struct yk_event *ev)
{
    return seen(ev, ask_status(ev));
}

cl_int yk_event_wait(struct yk_event *ev)
{
    return seen(ev, wait_for(ev));
}

/* C, of an event, is to be run by run_callback. */
static void take_on(struct yk_event_callback *c)
{
    yk_hold(&c->ev->h);
    if (c->ev->queue)
        __atomic_add_fetch(&c->ev->queue->due, 1, __ATOMIC_RELEASE);
}

static void run_callback(void *arg)
{
    struct yk_event_callback *c = arg;
    c->fn((cl_event)(void *)c->ev, c->status, c->data);
    if (c->ev->queue)
        __atomic_sub_fetch(&c->ev->queue->due, 1, __ATOMIC_RELEASE);
    yk_drop(&c->ev->h);
    free(c);
}

/* Take the callbacks that STATUS reaches off the list and post them, in the order of registration; with the lock held,
 * so that who sees the status finds them posted. What cannot be posted is returned. */
static struct yk_event_callback *post_due(struct yk_event *ev, cl_int status)
{
    struct yk_event_callback *left = NULL, **left_end = &left;
    for (struct yk_event_callback **p = &ev->callbacks; *p;) {
        struct yk_event_callback *c = *p;
        if (status > c->type) {
            p = &c->next;
            continue;
        }
        *p = c->next;
        c->next = NULL;
        c->ev = ev;
        c->status = status < 0 ? status : c->type;
        take_on(c);
        if (!yk_callback_post_of(ev, run_callback, c)) {
            *left_end = c;
            left_end = &c->next;
        }
    }
    return left;
}

static void run_here(struct yk_event_callback *c)
{
    while (c) {
        struct yk_event_callback *next = c->next;
        run_callback(c);
        c = next;
    }
}

static void fire(struct yk_event *ev, cl_int status)
{
    yk_lock_take(&ev->lock);
    struct yk_event_callback *left = post_due(ev, status);
    yk_lock_drop(&ev->lock);
    run_here(left);
}

void yk_event_tell(struct yk_event *ev, cl_int status)
{
    fire(ev, status);
}

void yk_event_begin(struct yk_event *ev)
{
    if (!ev->profiled)
        return;
    yk_lock_take(&ev->lock);
    for (unsigned i = 1; i < sizeof ev->time / sizeof *ev->time; i++)
        ev->time[i] = 0;
    yk_lock_drop(&ev->lock);
}

void yk_event_set(struct yk_event *ev, cl_int status)
{
    yk_lock_take(&ev->lock);
    /* The time first: who sees the status may ask for it. */
    if (ev->profiled && status >= 0 && status < CL_QUEUED && !ev->time[3 - status])
        ev->time[3 - status] = yk_now_ns();
    if (status_now(ev) > CL_COMPLETE && status < status_now(ev))
        __atomic_store_n(&ev->status, status, __ATOMIC_RELEASE);
    struct yk_event_callback *left = post_due(ev, status);
    pthread_cond_broadcast(&ev->changed);
    yk_lock_drop(&ev->lock);
    run_here(left);
}

void yk_event_issued(struct yk_event *ev, cl_event real)
{
    yk_lock_take(&ev->lock);
    /* Whoever sees the real event sees a status that goes with it, and that somebody is to be called. */
    if (status_now(ev) > CL_SUBMITTED)
        __atomic_store_n(&ev->status, CL_SUBMITTED, __ATOMIC_RELEASE);
    if (ev->callbacks)
        yk_callback_watch(ev);
    __atomic_store_n(&ev->real, real, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&ev->changed);
    yk_lock_drop(&ev->lock);
}

cl_int yk_event_on(struct yk_event *ev, cl_int type, void (*fn)(cl_event, cl_int, void *), void *data)
{
    struct yk_event_callback *c = calloc(1, sizeof *c);
    if (!c)
        return CL_OUT_OF_HOST_MEMORY;
    c->type = type;
    c->fn = fn;
    c->data = data;
    cl_int now = yk_event_status(ev);
    if (now <= CL_COMPLETE && yk_callback_here()) {
        c->ev = ev;
        c->status = now < 0 ? now : type;
        take_on(c);
        run_callback(c);
        return CL_SUCCESS;
    }
    yk_lock_take(&ev->lock);
    struct yk_event_callback **p = &ev->callbacks;
    while (*p)
        p = &(*p)->next;
    *p = c;
    if (status_now(ev) < now)
        now = status_now(ev);
    bool real = real_of(ev);
    yk_lock_drop(&ev->lock);
    if (now <= type)
        fire(ev, now);
    else if (real)
        yk_callback_watch(ev);
    return CL_SUCCESS;
}
