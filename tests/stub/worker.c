/* Command-queues at work: a thread per queue runs its flushed commands, the first that is ready. Nothing starts before
 * a flush, a blocking call or a wait: a shim that forgets to flush hangs here, as it would on some drivers. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/clock.h"
#include "tests/stub/stub.h"

static void nap(double ns)
{
    uint64_t t = (uint64_t)ns;
    nanosleep(&(struct timespec){(time_t)(t / 1000000000u), (long)(t % 1000000000u)}, NULL);
}

struct stub_command *stub_command(cl_int (*run)(struct stub_command *), const void *payload, size_t size)
{
    struct stub_command *c = calloc(1, sizeof *c + size);
    if (!c)
        return NULL;
    c->run = run;
    if (size)
        memcpy(c->payload, payload, size);
    return c;
}

void stub_mem_use(struct stub_command *c, cl_mem m)
{
    stub_use(m);
    stub_mem_used(m);
    c->mem[c->n_mem++] = m;
}

void stub_command_drop(struct stub_command *c)
{
    for (unsigned i = 0; i < c->n_mem; i++)
        stub_unuse(c->mem[i]);
    for (unsigned i = 0; i < c->n_wait; i++)
        stub_unuse(c->wait[i]);
    if (c->kernel)
        stub_unuse(c->kernel);
    if (c->event)
        stub_unuse(c->event);
    free(c->wait);
    free(c);
}

cl_int stub_check_enqueue(cl_command_queue q, cl_uint n, const cl_event *wait)
{
    if (!stub_check(q, STUB_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if ((n && !wait) || (!n && wait))
        return CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint i = 0; i < n; i++) {
        if (!stub_check(wait[i], STUB_EVENT))
            return CL_INVALID_EVENT_WAIT_LIST;
        if (wait[i]->context != q->context)
            return CL_INVALID_CONTEXT;
    }
    return CL_SUCCESS;
}

static struct stub_command *ready(cl_command_queue q)
{
    struct stub_command *c;
    DL_FOREACH(q->commands, c)
    {
        bool ok = c->flushed && !(c->after_all && c != q->commands);
        for (unsigned i = 0; ok && i < c->n_wait; i++)
            ok = c->wait[i]->status <= CL_COMPLETE;
        if (ok)
            return c;
        if (c->barrier || !(q->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
            return NULL;
    }
    return NULL;
}

/* The script's unequal devices, by sleeping in the queue's own thread. */
static void slow_down(const struct stub_command *c, unsigned device, uint64_t took)
{
    const struct yk_fault_model *m = &stub_script.model[device];
    if (c->kernel && m->slow > 1)
        nap((m->slow - 1) * (double)took);
    if (c->transfer && m->bytes_per_ns > 0)
        nap((double)m->link_wait_ns + (double)c->bytes / m->bytes_per_ns);
}

static void run(cl_command_queue q, struct stub_command *c)
{
    cl_int code = c->code;
    bool skip = c->skip;
    for (unsigned i = 0; i < c->n_wait && !skip; i++) {
        if (c->wait[i]->status < 0) {
            code = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
            skip = true;
        }
    }
    uint64_t start = yk_now_ns();
    if (!skip) {
        stub_event_step(c->event, CL_RUNNING);
        c->event->time[2] = start;
        if (c->run) {
            stub_leave();
            cl_int result = c->run(c);
            slow_down(c, q->o.device, yk_now_ns() - start);
            stub_enter();
            code = code ? code : result;
        }
    }
    c->event->time[2] = start;
    if (c->code && !c->event->o.refs)
        q->failure = c->code;
    DL_DELETE(q->commands, c);
    stub_event_end(c->event, code);
    stub_command_drop(c);
}

/* Threads that have left their queue. Joined, not detached: a leak check at exit must not meet one that is half gone.
 */
struct done {
    pthread_t thread;
    struct done *next;
};
static struct done *done;
static unsigned closing; /* threads whose queue is closed and that have not left it */

void stub_join_ended(bool wait)
{
    stub_enter();
    for (int i = 0; wait && closing && i < 2000; i++) { /* one may hang on a user event for ever */
        stub_leave();
        nap(1e6);
        stub_enter();
    }
    struct done *all = done;
    done = NULL;
    stub_leave();
    for (struct done *next; all; all = next) {
        next = all->next;
        pthread_join(all->thread, NULL);
        free(all);
    }
}

static void *work(void *arg)
{
    cl_command_queue q = arg;
    stub_entry = "queue thread";
    sigset_t all; /* a program's handlers are for its own threads */
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    struct done *d = malloc(sizeof *d);
    if (!d)
        stub_die("no memory");
    stub_enter();
    q->ended = d;
    while (!q->closed || q->commands) {
        struct stub_command *c = ready(q);
        if (!c) {
            if (q->commands && q->commands->flushed)
                stub_wait();
            else
                stub_wait_for_work(q);
            continue;
        }
        run(q, c);
        stub_leave(); /* callbacks */
        stub_enter();
    }
    *d = (struct done){pthread_self(), done};
    done = d;
    stub_unuse(q);
    closing--;
    stub_leave();
    return NULL;
}

void stub_flush(cl_command_queue q)
{
    struct stub_command *c;
    bool at_work = q->commands && q->commands->flushed; /* its thread waits for what an earlier command waits for */
    DL_FOREACH(q->commands, c)
    {
        if (c->flushed)
            continue;
        c->flushed = true;
        c->event->time[1] = yk_now_ns();
        stub_event_step(c->event, CL_SUBMITTED);
    }
    pthread_cond_signal(&q->flushed);
    if (at_work && (q->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
        stub_changed();
}

void stub_close(cl_command_queue q)
{
    stub_flush(q);
    q->closed = true;
    closing += q->running;
    pthread_cond_signal(&q->flushed);
    stub_changed();
}

cl_int stub_submit(cl_command_queue q, struct stub_command *c, cl_command_type type, bool blocking, cl_uint n,
                   const cl_event *wait, cl_event *event)
{
    cl_event e = NULL;
    if (n && !(c->wait = calloc(n, sizeof(cl_event))))
        goto no_memory;
    e = stub_make(STUB_EVENT, sizeof *e, q->o.device);
    if (!e)
        goto no_memory;
    if (!q->running) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, work, q)) {
            stub_unref(e);
            goto no_memory;
        }
        stub_use(q);
        q->running = true;
    }
    for (; c->n_wait < n; c->n_wait++) {
        c->wait[c->n_wait] = wait[c->n_wait];
        stub_use(wait[c->n_wait]);
    }
    e->context = q->context;
    e->queue = q;
    e->type = type;
    e->status = CL_QUEUED;
    e->profiling = q->properties & CL_QUEUE_PROFILING_ENABLE;
    e->time[0] = yk_now_ns();
    stub_use(q->context);
    stub_use(q);
    stub_use(e); /* the command's */
    c->event = e;
    if (stub_verdict.kind == YK_FAULT_EVENT || stub_verdict.kind == YK_FAULT_EVENT_RAN) {
        c->code = stub_verdict.code;
        c->skip = stub_verdict.kind == YK_FAULT_EVENT;
    }
    c->number = ++q->enqueued;
    DL_APPEND(q->commands, c);
    cl_int rc = CL_SUCCESS;
    if (blocking) {
        stub_use(e);
        stub_flush(q);
        while (e->status > CL_COMPLETE)
            stub_wait();
        rc = e->status;
        if (q->failure && e->status == CL_COMPLETE)
            rc = CL_OUT_OF_RESOURCES;
        q->failure = CL_SUCCESS;
        stub_unuse(e);
    }
    if (event && rc == CL_SUCCESS)
        *event = e;
    else
        stub_unref(e);
    return rc;
no_memory:
    stub_command_drop(c);
    return CL_OUT_OF_HOST_MEMORY;
}

cl_int stub_impl_Flush(cl_command_queue q)
{
    cl_int rc = CL_INVALID_COMMAND_QUEUE;
    stub_enter();
    if (stub_check(q, STUB_QUEUE)) {
        stub_flush(q);
        rc = CL_SUCCESS;
    }
    stub_leave();
    return rc;
}

cl_int stub_impl_Finish(cl_command_queue q)
{
    cl_int rc = CL_INVALID_COMMAND_QUEUE;
    stub_enter();
    if (stub_check(q, STUB_QUEUE)) {
        stub_use(q);
        stub_flush(q);
        /* For what came before it; later commands may not even be flushed. The oldest is the first. */
        for (uint64_t last = q->enqueued; q->commands && q->commands->number <= last;)
            stub_wait();
        rc = q->failure ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
        q->failure = CL_SUCCESS;
        stub_unuse(q);
    }
    stub_leave();
    return rc;
}

/* Barriers and markers are commands without work. */
static cl_int point(cl_command_queue q, cl_command_type type, bool barrier, cl_uint n, const cl_event *wait,
                    cl_event *event)
{
    stub_enter();
    cl_int rc = stub_check_enqueue(q, n, wait);
    struct stub_command *c = rc == CL_SUCCESS ? stub_command(NULL, NULL, 0) : NULL;
    if (c) {
        c->after_all = !n;
        c->barrier = barrier;
        rc = stub_submit(q, c, type, false, n, wait, event);
    } else if (rc == CL_SUCCESS) {
        rc = CL_OUT_OF_HOST_MEMORY;
    }
    stub_leave();
    return rc;
}

cl_int stub_impl_EnqueueMarkerWithWaitList(cl_command_queue q, cl_uint n, const cl_event *wait, cl_event *event)
{
    return point(q, CL_COMMAND_MARKER, false, n, wait, event);
}

cl_int stub_impl_EnqueueBarrierWithWaitList(cl_command_queue q, cl_uint n, const cl_event *wait, cl_event *event)
{
    return point(q, CL_COMMAND_BARRIER, true, n, wait, event);
}

cl_int stub_impl_EnqueueMarker(cl_command_queue q, cl_event *event)
{
    return event ? point(q, CL_COMMAND_MARKER, false, 0, NULL, event) : CL_INVALID_VALUE;
}

cl_int stub_impl_EnqueueBarrier(cl_command_queue q)
{
    return point(q, CL_COMMAND_BARRIER, true, 0, NULL, NULL);
}

cl_int stub_impl_EnqueueWaitForEvents(cl_command_queue q, cl_uint n, const cl_event *list)
{
    return n && list ? point(q, CL_COMMAND_BARRIER, true, n, list, NULL) : CL_INVALID_VALUE;
}
