#include "shim/queue/worker.h"
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <time.h>
#include "base/log.h"
#include "base/thread.h"
#include "shim/core/background.h"
#include "shim/queue/beside.h"
#include "shim/queue/command.h"
#include "shim/queue/flights.h"
#include "shim/queue/gather.h"
#include "shim/queue/stages.h"

/* 1: all complete, 0: not yet, negative: one failed. */
static int waits_done(struct yk_command *c, bool block)
{
    for (cl_uint i = 0; i < c->nwait; i++) {
        cl_int s = block ? yk_event_wait(c->wait[i]) : yk_event_status(c->wait[i]);
        if (s < 0)
            return -1;
        if (s > CL_COMPLETE)
            return 0;
    }
    return 1;
}

/* C has been given to the driver, with event REAL or none, and is begun. Errors: Flush's; C may never begin then, and
 * REAL, which is released, never end. */
static cl_int begin_issued(struct yk_command *c, cl_event real)
{
    cl_int err = yk_rt.primary->cl->Flush(c->queue->real);
    if (err != CL_SUCCESS) {
        if (real)
            yk_rt.primary->cl->ReleaseEvent(real);
        return err;
    }
    if (real) {
        yk_event_issued(c->event, real);
    } else {
        __atomic_store_n(&c->queue->unseen, true, __ATOMIC_RELEASE);
        yk_event_set(c->event, CL_COMPLETE); /* for nobody to see */
    }
    return YK_CARRY_ISSUED;
}

/* C, of whose failure R nobody has heard yet, is over. */
static void end(struct yk_command *c, cl_int r)
{
    if (r < 0) {
        yk_info("a command failed in its queue: %s", yk_cl_error_name(r));
        yk_queue_failed_later(c->queue, c->by, r);
    }
    if (r == CL_SUCCESS)
        yk_event_set(c->event, CL_RUNNING);
    yk_event_set(c->event, r < 0 ? r : CL_COMPLETE);
}

/* False: C flies, and is not to be done with before it has landed. */
static bool carry_out(struct yk_command *c, bool failed)
{
    struct yk_event *ev = c->event;
    cl_event real = NULL, *out = c->wanted ? &real : NULL;
    cl_int r = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    if (!failed && (!yk_queue_failed(c->queue) || c->kind->tidies)) {
        yk_event_begin(ev);
        yk_event_set(ev, CL_SUBMITTED);
        if (c->kind->carry && !c->decided)
            r = c->kind->carry(c, out);
        else
            r = yk_command_issued(c->kind->issue(c, false, 0, NULL, out), out);
        if (r == YK_CARRY_ISSUED)
            r = begin_issued(c, real);
        if (r != YK_CARRY_ISSUED && r != YK_CARRY_FLYING)
            end(c, r);
        return r != YK_CARRY_FLYING;
    }
    yk_event_set(ev, r);
    return true;
}

static void unlink_command(struct yk_queue *q, struct yk_command *c)
{
    struct yk_command **p = &q->first;
    while (*p != c)
        p = &(*p)->next;
    *p = c->next;
    if (!*p)
        q->last = p;
}

/* The first command that may run now. With the lock held; drops it while it asks drivers. NULL: none yet. */
static struct yk_command *runnable(struct yk_queue *q, bool *failed)
{
    bool in_order = !(q->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    for (struct yk_command *c = q->first; c; c = c->next) {
        yk_lock_drop(&q->lock);
        int done = waits_done(c, in_order); /* only this thread unlinks, so C stays */
        yk_lock_take(&q->lock);
        *failed = done < 0;
        if (done && (in_order || !c->kind->barrier || c == q->first))
            return c;
        if (in_order || c->kind->barrier)
            return NULL;
    }
    return NULL;
}

/* Whoever has begun on the fast path comes first. New ones see that something is pending. */
static void await_issuing(struct yk_queue *q)
{
    for (long ns = 0; __atomic_load_n(&q->issuing, __ATOMIC_SEQ_CST); ns = ns < 100000 ? ns + 1000 : ns)
        if (ns < 20000)
            sched_yield();
        else
            nanosleep(&(struct timespec){0, ns}, NULL);
}

/* C, which nobody finds any more, is over; the first N commands are. With the lock held, which they drop. */
static void done_with(struct yk_queue *q, struct yk_command *c)
{
    if (q->newest == c->event)
        q->newest = NULL;
    if (!(__atomic_sub_fetch(&q->npending, 1, __ATOMIC_ACQ_REL) & ~(unsigned)YK_QUEUE_FAILED))
        pthread_cond_broadcast(&q->idle);
    yk_lock_drop(&q->lock);
    yk_command_free(c);
    yk_lock_take(&q->lock);
}

static void done_with_first(struct yk_queue *q, unsigned n)
{
    for (; n; n--) {
        struct yk_command *c = q->first;
        unlink_command(q, c);
        done_with(q, c);
    }
}

/* The first that flies, unless something comes to follow it, which may be ASKED for. No lock held. */
static void land_one(struct yk_queue *q, bool asked)
{
    cl_int err;
    if (asked && !yk_flights_await(q))
        return;
    struct yk_command *c = yk_flights_land(q, &err);
    end(c, err);
    yk_flights_next(q);
    yk_lock_take(&q->lock);
    done_with(q, c);
    yk_lock_drop(&q->lock);
}

void yk_worker_land(struct yk_queue *q)
{
    while (q->nflying)
        land_one(q, false);
}

/* Nothing may follow those that fly. With the lock held, which it drops. */
static void land_some(struct yk_queue *q)
{
    bool full = q->nflying == YK_FLIGHTS_MOST, other = q->first && !full;
    yk_lock_drop(&q->lock);
    if (other)
        yk_worker_land(q);
    else
        land_one(q, !full);
    yk_lock_take(&q->lock);
}

/* A launch beside its transfers, where that is what is pending. False: the first *PLAIN commands are to be carried out
 * as they are. With the lock held; drops it. */
static bool carry_chain(struct yk_queue *q, unsigned *plain)
{
    struct yk_chain chain;
    if (!yk_stages_collect(q, &chain, plain))
        return false;
    yk_lock_drop(&q->lock);
    await_issuing(q);
    yk_gather_drain(q);
    unsigned n = chain.nwrites + 1 + chain.nreads, done = yk_stages_run(&chain);
    yk_lock_take(&q->lock);
    done_with_first(q, done);
    *plain = n - done;
    return done > 0;
}

/* Launches that have piled up at the head of Q, merged. They count as pending until the driver has them. False: the
 * first is to be carried out as it is. With the lock held; drops it. */
static bool carry_piled(struct yk_queue *q)
{
    enum { MOST = 2048 };
    struct yk_command *held = NULL, **end = &held, *c;
    yk_lock_drop(&q->lock);
    await_issuing(q);
    yk_lock_take(&q->lock);
    for (unsigned n = 0; n < MOST && (c = q->first) && c->kind->gathers && !c->nwait && !yk_queue_failed(q); n++) {
        yk_lock_drop(&q->lock);
        bool takes = yk_gather_take_pending((struct yk_launch *)c);
        yk_lock_take(&q->lock);
        if (!takes)
            break;
        unlink_command(q, c);
        c->next = NULL;
        *end = c;
        end = &c->next;
    }
    if (!held)
        return false;
    yk_lock_drop(&q->lock);
    yk_gather_drain(q);
    __atomic_store_n(&q->unseen, true, __ATOMIC_RELEASE);
    yk_lock_take(&q->lock);
    while ((c = held)) {
        held = c->next;
        done_with(q, c);
    }
    return true;
}

/* Whole launches side by side on several devices, as carry_chain. */
static bool carry_beside(struct yk_queue *q, unsigned *plain)
{
    yk_lock_drop(&q->lock);
    await_issuing(q);
    yk_gather_drain(q);
    unsigned done = yk_beside_run(q, plain);
    yk_lock_take(&q->lock);
    done_with_first(q, done);
    if (done)
        *plain = 0;
    return done > 0;
}

/* Exit waits for what may run, as a driver alone has often run it when it is enqueued, and for the end of a queue that
 * has been released, and not for what waits for somebody. With the lock held; drops it while it asks drivers. */
static void hold_exit(struct yk_queue *q)
{
    struct yk_command *c = q->first; /* only this thread unlinks it */
    bool may_run = c || q->stop || q->nflying;
    if (c && c->nwait && !q->nflying) {
        yk_lock_drop(&q->lock);
        may_run = waits_done(c, false) != 0;
        yk_lock_take(&q->lock);
    }
    yk_background_hold(&q->holds_exit, may_run);
}

/* The worker's hold on Q, which may be the last one of the context too: drivers crash where they are called while the
 * process ends. With the lock held, which is dropped. */
static void let_go(struct yk_queue *q)
{
    static struct yk_queue *left;
    bool held = q->holds_exit;
    q->holds_exit = false;
    yk_background_own(&held);
    yk_lock_drop(&q->lock);
    if (held) {
        yk_drop(&q->h);
        yk_background_leave();
    } else {
        q->left = __atomic_exchange_n(&left, q, __ATOMIC_ACQ_REL);
    }
    yk_background_own(NULL);
}

/* Carry out what is next. False: nothing may run yet. By whoever has the turn; with the lock held, which it drops. */
static bool step(struct yk_queue *q)
{
    bool failed = false, behind = q->nflying && yk_flights_go_on(q);
    if (q->nflying && !behind) {
        land_some(q);
        return true;
    }
    struct yk_command *c = behind ? q->first : runnable(q, &failed);
    if (!c)
        return false;
    if (!behind && !q->plain && !failed && yk_stages_begins(c) && !yk_queue_failed(q) && carry_chain(q, &q->plain))
        return true;
    if (!behind && !q->plain && !failed && yk_gather_piled(q) && carry_piled(q))
        return true;
    if (!behind && !q->plain && !failed && !yk_queue_failed(q) && yk_beside_begins(q) && carry_beside(q, &q->plain))
        return true;
    q->plain -= q->plain > 0;
    unlink_command(q, c);
    yk_lock_drop(&q->lock);
    await_issuing(q);
    yk_gather_drain(q);
    bool over = carry_out(c, failed);
    yk_lock_take(&q->lock);
    if (over)
        done_with(q, c);
    return true;
}

static _Thread_local bool carries; /* this thread is a worker, or in place of one */

static void *worker_thread(void *arg)
{
    struct yk_queue *q = arg;
    carries = true;
    yk_background_own(&q->holds_exit);
    yk_lock_take(&q->lock);
    for (;;) {
        for (q->shut_out = q->turn; q->turn; q->shut_out = q->turn)
            yk_lock_wait(&q->lock, &q->work);
        q->turn = true;
        hold_exit(q);
        if (!q->first && !q->nflying && q->stop)
            break;
        if ((q->first || q->nflying) && step(q)) {
            q->turn = false;
            continue;
        }
        q->turn = false;
        if (q->first)
            yk_lock_wait_ns(&q->lock, &q->work, 200000);
        else
            yk_gather_idle(q);
    }
    q->worker = false; /* who has a released queue from an event's query may use it */
    q->turn = false;
    let_go(q);
    return NULL;
}

/* A driver may compile, as it may where it is called by the program. */
enum { STACK = 1 << 20 };

void yk_worker_help(struct yk_queue *q, const struct yk_event *last)
{
    yk_lock_take(&q->lock);
    q->asked = q->pushed;
    if (carries || q->turn || !(q->first || q->nflying) || !q->worker || (last && last != q->newest) ||
        !yk_thread_has_stack(STACK)) {
        pthread_cond_signal(&q->work);
        yk_lock_drop(&q->lock);
        return;
    }
    int cancel, saved = errno;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    q->turn = carries = true;
    yk_hold(&q->h);
    yk_background_own(&q->holds_exit);
    while ((q->first || q->nflying) && (!last || __atomic_load_n(&last->status, __ATOMIC_ACQUIRE) > CL_COMPLETE) &&
           step(q))
        ;
    hold_exit(q);
    yk_background_own(NULL);
    q->turn = carries = false;
    if (q->first || q->nflying || q->stop || q->shut_out || q->gather)
        pthread_cond_signal(&q->work);
    yk_lock_drop(&q->lock);
    yk_drop(&q->h);
    pthread_setcancelstate(cancel, NULL);
    errno = saved;
}

cl_int yk_worker_start(struct yk_queue *q)
{
    int failed = q->worker ? 0 : yk_thread_start(worker_thread, q);
    if (failed) {
        yk_error("no thread for a command-queue: %s", strerror(failed));
        return CL_OUT_OF_RESOURCES;
    }
    if (!q->worker)
        yk_hold(&q->h); /* the worker's */
    q->worker = true;
    return CL_SUCCESS;
}
