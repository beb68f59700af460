#include "shim/queue/watched.h"
#include <stdlib.h>
#include "base/clock.h"
#include "base/thread.h"
#include "shim/queue/queue.h"

struct watch {
    struct watch *next;
    struct yk_event *ev;
    uint64_t since;
    cl_int status; /* once it is known to be through */
};

static struct yk_lock lock = YK_LOCK_INIT(YK_RANK_LEAF);
static struct watch *watches, **watches_end = &watches; /* in the order of asking; only callback.c's thread unlinks */
static uint64_t first_since;                            /* SINCE of the first; 0: there is none; atomic */
static bool thorough;                                   /* the thread's */

static void finish_watch(struct watch *w)
{
    if (w->ev->queue)
        __atomic_sub_fetch(&w->ev->queue->watched, 1, __ATOMIC_RELAXED);
    yk_drop(&w->ev->h);
    free(w);
}

bool yk_watched_add(struct yk_event *ev)
{
    struct watch *w = malloc(sizeof *w);
    if (!w)
        return false;
    *w = (struct watch){.ev = ev, .since = yk_now_ns()};
    yk_hold(&ev->h);
    if (ev->queue)
        __atomic_add_fetch(&ev->queue->watched, 1, __ATOMIC_RELAXED);
    yk_lock_take(&lock);
    *watches_end = w;
    watches_end = &w->next;
    __atomic_store_n(&first_since, watches->since, __ATOMIC_RELEASE);
    yk_lock_drop(&lock);
    return true;
}

uint64_t yk_watched_since(void)
{
    return __atomic_load_n(&first_since, __ATOMIC_ACQUIRE);
}

bool yk_watched_any(void)
{
    return yk_watched_since();
}

bool yk_watched_thorough(void)
{
    return thorough;
}

static struct watch *take(void)
{
    yk_lock_take(&lock);
    struct watch *list = watches;
    watches = NULL;
    watches_end = &watches;
    __atomic_store_n(&first_since, 0, __ATOMIC_RELEASE);
    yk_lock_drop(&lock);
    return list;
}

/* LIST, to END, is watched on, before what has come meanwhile. */
static void keep(struct watch *list, struct watch **end)
{
    if (!list)
        return;
    yk_lock_take(&lock);
    *end = watches;
    watches_end = watches ? watches_end : end;
    watches = list;
    __atomic_store_n(&first_since, list->since, __ATOMIC_RELEASE);
    yk_lock_drop(&lock);
}

/* W into LIST, which is in the order in which the events were made: in that of a queue's commands. Nearly always at its
 * end. */
static void put_in_order(struct watch **list, struct watch *w)
{
    static struct watch *end;
    struct watch **at = list;
    if (*list && end->ev->number < w->ev->number)
        at = &end->next;
    while (*at && (*at)->ev->number < w->ev->number)
        at = &(*at)->next;
    w->next = *at;
    *at = w;
    if (!w->next)
        end = w;
}

static void set(struct watch *over)
{
    while (over) {
        struct watch *w = over;
        over = w->next;
        yk_event_set(w->ev, w->status);
        finish_watch(w);
    }
}

bool yk_watched_look(bool all)
{
    static unsigned round;
    struct watch *list = take(), *kept = NULL, **kept_end = &kept, *over = NULL;
    round++;
    while (list) {
        struct watch *w = list;
        struct yk_queue *q = w->ev->queue;
        bool behind = (!all && q && q->kept_in == round) || !__atomic_load_n(&w->ev->real, __ATOMIC_ACQUIRE);
        cl_int s = behind ? CL_QUEUED : yk_event_status(w->ev);
        list = w->next;
        if (s <= CL_COMPLETE) {
            w->status = s;
            put_in_order(&over, w);
            continue;
        }
        if (s <= CL_SUBMITTED && !behind)
            yk_event_tell(w->ev, s);
        if (q && !(q->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
            q->kept_in = round;
        w->next = NULL;
        *kept_end = w;
        kept_end = &w->next;
    }
    bool progress = over;
    thorough = all;
    set(over);
    thorough = false;
    keep(kept, kept_end);
    return progress;
}

void yk_watched_before(const struct yk_event *ev)
{
    struct watch *list = take(), **at = &list, *over = NULL;
    while (*at) {
        struct watch *w = *at;
        bool before = w->ev->queue == ev->queue && w->ev->number < ev->number;
        if (!before || !__atomic_load_n(&w->ev->real, __ATOMIC_ACQUIRE) ||
            (w->status = yk_event_status(w->ev)) > CL_COMPLETE) {
            at = &w->next;
            continue;
        }
        *at = w->next;
        put_in_order(&over, w);
    }
    set(over);
    keep(list, at);
}
