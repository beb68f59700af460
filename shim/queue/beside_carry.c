#include "shim/queue/beside_window.h"
#include "base/log.h"
#include "shim/core/stats.h"
#include "shim/queue/busy.h"
#include "shim/queue/crew.h"
#include "shim/queue/form.h"
#include "shim/queue/share.h"

static pthread_mutex_t bringing = PTHREAD_MUTEX_INITIALIZER; /* drivers are called with it held */

void yk_beside_bring(void)
{
    pthread_mutex_lock(&bringing);
}

void yk_beside_brought(void)
{
    pthread_mutex_unlock(&bringing);
}

struct list {
    struct yk_task task;
    struct yk_beside *b;
    uint64_t mine; /* of the window */
    bool started;
};

/* I is over with ERR. The events of those that are over, and all before them, are told. */
static void over(struct yk_beside *b, unsigned i, cl_int err)
{
    yk_lock_take(&b->lock);
    b->e[i].err = err;
    b->done |= 1ull << i;
    pthread_cond_broadcast(&b->changed);
    while (!b->telling && b->told < b->n && b->done >> b->told & 1) {
        struct yk_beside_entry *e = &b->e[b->told++];
        b->telling = true;
        yk_lock_drop(&b->lock);
        if (e->err == CL_SUCCESS)
            yk_event_set(e->l->c.event, CL_RUNNING);
        yk_event_set(e->l->c.event, e->err < 0 ? e->err : CL_COMPLETE);
        yk_lock_take(&b->lock);
        b->telling = false;
    }
    yk_lock_drop(&b->lock);
}

/* Wait until the launches in AFTER are over. False: one before I has failed, and the queue with it. */
static bool await(struct yk_beside *b, unsigned i, uint64_t after)
{
    bool well = true;
    yk_lock_take(&b->lock);
    while (after & ~b->done)
        yk_lock_wait(&b->lock, &b->changed);
    for (unsigned k = 0; k < i; k++)
        well &= !(b->done >> k & 1) || b->e[k].err >= 0;
    yk_lock_drop(&b->lock);
    return well;
}

/* Whole on the primary, whose queue's other commands may be at work; waited for. */
static cl_int on_primary(struct yk_launch *l)
{
    cl_event real = NULL;
    yk_beside_bring();
    cl_int err = yk_launch_whole(l, &real);
    yk_beside_brought();
    if (err == CL_SUCCESS) {
        err = yk_rt.primary->cl->WaitForEvents(1, &real);
        yk_rt.primary->cl->ReleaseEvent(real);
    }
    return err;
}

static void failed(struct yk_launch *l, cl_int err)
{
    yk_info("a command failed in its queue: %s", yk_cl_error_name(err));
    yk_queue_failed_later(l->c.queue, l->c.by, err);
}

/* What DEV, which is not the primary, is to do. */
static void run_list(struct yk_task *t)
{
    struct list *list = (struct list *)t;
    struct yk_beside *b = list->b;
    for (unsigned i = 0; i < b->n; i++) {
        struct yk_beside_entry *e = &b->e[i];
        if (!(list->mine >> i & 1))
            continue;
        cl_int err = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        if (await(b, i, b->task[i].after)) {
            yk_event_set(e->l->c.event, CL_SUBMITTED);
            err = yk_share_run(e->l, &e->d);
            if (err == CL_SUCCESS) {
                yk_stats_elsewhere();
            } else if (err == YK_SHARE_UNTOUCHED) {
                yk_stats_whole(yk_stats_reason("a device could not be prepared for its share, or failed in it"));
                err = on_primary(e->l);
            }
            if (err < 0)
                failed(e->l, err);
        }
        over(b, i, err);
    }
}

/* The launch that the primary has been given last is waited for. */
static void land(struct yk_beside *b, unsigned i, cl_event *real)
{
    const struct yk_cl *cl = yk_rt.primary->cl;
    if (!*real)
        return;
    cl_int err = cl->WaitForEvents(1, real);
    cl->ReleaseEvent(*real);
    *real = NULL;
    if (err < 0)
        failed(b->e[i].l, err);
    over(b, i, err);
}

/* What the primary is to do: the next is given to it before the last is waited for, unless it needs what others do. */
static void run_primary(struct yk_beside *b, uint64_t mine)
{
    unsigned last = 0;
    cl_event flying = NULL;
    for (unsigned i = 0; i < b->n; i++) {
        struct yk_beside_entry *e = &b->e[i];
        cl_event real = NULL;
        if (!(mine >> i & 1))
            continue;
        if (b->task[i].after & ~mine)
            land(b, last, &flying);
        cl_int err = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        if (await(b, i, b->task[i].after & ~mine)) {
            yk_event_set(e->l->c.event, CL_SUBMITTED);
            yk_stats_whole(yk_stats_reason(YK_BESIDE_REASON));
            if (e->apart) /* else nothing is brought, and some drivers run the kernel meanwhile */
                yk_beside_bring();
            err = yk_form_whole(e->l, &real);
            if (e->apart)
                yk_beside_brought();
            if (err == CL_SUCCESS)
                yk_rt.primary->cl->Flush(b->q->real);
            else
                failed(e->l, err);
        }
        land(b, last, &flying);
        flying = real;
        last = i;
        if (!real)
            over(b, i, err);
    }
    land(b, last, &flying);
}

/* Devices' threads get the lists of windows of several queues in one order: else each of two lists, at the head of its
 * device, might wait for what lies behind the other. */
static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;

/* What a device has no thread for is the primary's. */
void yk_beside_carry(struct yk_beside *b)
{
    const double long_ms = 1e6; /* of what nobody knows */
    struct list list[YK_MAX_DEVICES];
    unsigned primary = yk_rt.machine->primary;
    b->done = 0;
    b->told = 0;
    for (unsigned dev = 0; dev < yk_rt.machine->n; dev++)
        list[dev] = (struct list){.task = {.run = run_list}, .b = b};
    for (unsigned i = 0; i < b->n; i++)
        list[b->place[i]].mine |= 1ull << i;
    pthread_mutex_lock(&starting);
    for (unsigned dev = 0; dev < yk_rt.machine->n; dev++) {
        if (dev == primary || !list[dev].mine)
            continue;
        list[dev].started = yk_crew_start(dev, &list[dev].task, yk_rt.machine->device[dev].type & CL_DEVICE_TYPE_CPU);
        list[primary].mine |= list[dev].started ? 0 : list[dev].mine;
    }
    pthread_mutex_unlock(&starting);
    for (unsigned dev = 0; dev < yk_rt.machine->n; dev++) {
        double ms = 0;
        for (unsigned i = 0; i < b->n; i++)
            ms += list[dev].mine >> i & 1 ? b->e[i].run_ms[dev] : 0;
        if (ms > 0)
            yk_busy_begin(b->q, dev, ms < long_ms ? ms : long_ms);
    }
    run_primary(b, list[primary].mine);
    for (unsigned dev = 0; dev < yk_rt.machine->n; dev++)
        if (list[dev].started)
            yk_crew_wait(&list[dev].task);
    yk_busy_end(b->q);
}
