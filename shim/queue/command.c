#include "shim/queue/command.h"
#include <stdlib.h>
#include <string.h>
#include "shim/memory/store.h"
#include "shim/queue/callback.h"
#include "shim/queue/gather.h"
#include "shim/queue/users.h"

enum { FEW = 16 };

/* Check the list and give the real events to wait for. False in *FAST when one is neither complete nor on the primary.
 */
static cl_int check_wait_list(struct yk_queue *q, cl_uint n, const cl_event *wait, cl_event *real, cl_uint *nreal,
                              bool *fast)
{
    *nreal = 0;
    if ((n == 0) != (wait == NULL))
        return CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint i = 0; i < n; i++) {
        struct yk_event *ev = yk_event_from(wait[i]);
        if (!ev)
            return CL_INVALID_EVENT_WAIT_LIST;
        if (ev->ctx != q->ctx)
            return CL_INVALID_CONTEXT;
        if (ev->queue)
            yk_gather_drain(ev->queue); /* so that it stands for a real one */
        cl_event r = __atomic_load_n(&ev->real, __ATOMIC_ACQUIRE);
        cl_int s = __atomic_load_n(&ev->status, __ATOMIC_ACQUIRE);
        if (s == CL_COMPLETE)
            continue;
        if (s < 0 || !r)
            *fast = false; /* a failed event fails this command: the worker does that */
        else if (real)
            real[(*nreal)++] = r;
    }
    return CL_SUCCESS;
}

/* The caller's thread straight into the primary's queue. */
static cl_int issue_now(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait, cl_event *event)
{
    cl_event real = NULL;
    if (!event)
        return c->kind->issue(c, blocking, nwait, nwait ? wait : NULL, NULL);
    struct yk_event *ev = yk_event_create(c->queue->ctx, c->queue, c->kind->type);
    if (!ev)
        return CL_OUT_OF_HOST_MEMORY;
    cl_int err = c->kind->issue(c, blocking, nwait, nwait ? wait : NULL, &real);
    if (err != CL_SUCCESS) {
        yk_handle_release(&ev->h);
        return err;
    }
    if (real)
        yk_event_issued(ev, real);
    else
        yk_event_set(ev, CL_COMPLETE);
    *event = (cl_event)(void *)ev;
    return CL_SUCCESS;
}

void yk_command_free(struct yk_command *c)
{
    if (c->kind->release)
        c->kind->release(c);
    for (cl_uint i = 0; i < c->nwait; i++)
        yk_drop(&c->wait[i]->h);
    free(c->wait);
    if (c->event)
        yk_drop(&c->event->h);
    struct yk_queue *q = c->queue;
    free(c);
    yk_drop(&q->h);
}

/* Where drivers tell of what failed without an event. Before a blocking call of Q gives its answer. */
static cl_int ask_unseen(struct yk_queue *q)
{
    bool unseen =
        __atomic_load_n(&q->unseen, __ATOMIC_ACQUIRE) && __atomic_exchange_n(&q->unseen, false, __ATOMIC_ACQ_REL);
    return unseen ? yk_rt.primary->cl->Finish(q->real) : CL_SUCCESS;
}

static cl_int push_captured(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait, cl_event *event)
{
    struct yk_command *heap = malloc(c->size);
    if (!heap)
        return CL_OUT_OF_HOST_MEMORY;
    memcpy(heap, c, c->size);
    cl_int err = c->kind->capture ? c->kind->capture(heap) : CL_SUCCESS;
    if (err != CL_SUCCESS) {
        free(heap);
        return err;
    }
    yk_hold(&c->queue->h);
    heap->wanted = event || blocking;
    heap->blocks = blocking;
    heap->by = pthread_self();
    heap->next = NULL;
    heap->nwait = 0;
    heap->wait = nwait ? malloc(nwait * sizeof *heap->wait) : NULL;
    heap->event = NULL;
    struct yk_event *ev = yk_event_create(c->queue->ctx, c->queue, c->kind->type);
    if (!ev || (nwait && !heap->wait)) {
        if (ev)
            yk_handle_release(&ev->h);
        yk_command_free(heap);
        return CL_OUT_OF_HOST_MEMORY;
    }
    heap->event = ev;
    for (cl_uint i = 0; i < nwait; i++) {
        heap->wait[i] = (struct yk_event *)(void *)wait[i];
        yk_hold(&heap->wait[i]->h);
        heap->nwait++;
    }
    yk_hold(&ev->h); /* the command's; the app's reference is the one it was made with */
    err = yk_queue_push(c->queue, heap, blocking);
    if (err != CL_SUCCESS) {
        yk_command_free(heap);
        yk_handle_release(&ev->h);
        return err;
    }
    if (blocking) {
        struct yk_queue *q = c->queue;
        err = yk_event_wait(ev);
        if (err == CL_COMPLETE)
            err = ask_unseen(q);
        cl_int failure = yk_queue_tell(q);
        if (failure != CL_SUCCESS)
            err = failure;
        else if (err < 0 && err != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
            err = CL_OUT_OF_RESOURCES; /* the driver's own word is the event's */
    }
    if (event && err == CL_SUCCESS)
        *event = (cl_event)(void *)ev;
    else
        yk_handle_release(&ev->h);
    return err;
}

static cl_int enqueue(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait, cl_event *event)
{
    struct yk_queue *q = c->queue;
    cl_event few[FEW], *real = few;
    cl_uint nreal = 0;
    bool fast = true;
    if (!c->kind->gathers)
        yk_gather_mark(q);
    else if (yk_gathering())
        yk_gather_count(q);
    if (nwait > FEW && wait && !(real = malloc(nwait * sizeof *real)))
        return CL_OUT_OF_HOST_MEMORY;
    cl_int err = check_wait_list(q, nwait, wait, real, &nreal, &fast);
    bool issued = false;
    if (err == CL_SUCCESS && fast && yk_queue_enter(q)) {
        bool whole = !c->kind->resident || c->kind->resident(c);
        bool held = c->kind->gathers && yk_gathering() && !nreal && yk_gather_take((struct yk_launch *)c, whole, event);
        issued = whole || held;
        if (issued && !held) {
            yk_gather_drain(q);
            err = blocking ? ask_unseen(q) : CL_SUCCESS; /* the worker may have been done before this call */
            if (err == CL_SUCCESS)
                err = issue_now(c, blocking, nreal, real, event);
        }
        yk_queue_leave(q);
        if (issued && blocking)
            yk_queue_waited(q);
    }
    if (err == CL_SUCCESS && !issued) {
        yk_gather_drain(q);
        err = push_captured(c, blocking, nwait, wait, event);
    }
    if (err == CL_SUCCESS && blocking) {
        yk_callback_due_in(q);
        err = yk_store_gather(q->ctx);
    }
    if (real != few)
        free(real);
    return err;
}

cl_int yk_command_enqueue(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait, cl_event *event)
{
    struct yk_queue *q = c->queue;
    bool all = blocking && !(q->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE); /* before it are over with it */
    yk_quiet_enter(q);
    if (c->kind->launches)
        yk_users_note((struct yk_launch *)c, nwait, wait);
    for (unsigned i = 0; i < 2; i++)
        if (c->uses[i])
            yk_users_note_command(q, c->uses[i], c->writes[i], nwait, wait);
    uint64_t until = yk_quiet_wait(q, 1);
    cl_int err = enqueue(c, blocking, nwait, wait, event);
    if (err == CL_SUCCESS && nwait)
        yk_quiet_behind(q, nwait, wait);
    if (err == CL_SUCCESS && all)
        yk_quiet_over(q, until);
    yk_quiet_leave(q);
    return err;
}
