#include "shim/queue/callback.h"
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include "base/clock.h"
#include "base/thread.h"
#include "shim/queue/queue.h"

/* Watched events are looked at again after an eighth of the time for which the first of them has been watched. */
enum { PART = 8 };
static const uint64_t least_ns = 10000, most_ns = 1000000;

/* Of a queue in order only the first is looked at, since nobody else can be complete before it. But callbacks may have
 * been asked for in another order than their commands: now and then all are looked at, for a PART_ALL-th of the time.
 */
enum { PART_ALL = 32 };

struct job {
    struct job *next;
    void (*fn)(void *);
    void *arg;
};

struct watch {
    struct watch *next;
    struct yk_event *ev;
    uint64_t since;
};

static struct yk_lock lock = YK_LOCK_INIT(YK_RANK_LEAF);
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static struct job *jobs, **jobs_end = &jobs;
static bool posted;                                     /* there are some; atomic */
static struct watch *watches, **watches_end = &watches; /* in the order of asking */
static bool running;
static bool idle;   /* the thread waits, watching nothing */
static bool hinted; /* it is to look at once */

static void finish_watch(struct watch *w)
{
    if (w->ev->queue)
        __atomic_sub_fetch(&w->ev->queue->watched, 1, __ATOMIC_RELAXED);
    yk_drop(&w->ev->h);
    free(w);
}

/* Look at the watched events; true if one is through. ALL, or only those that nobody before them in their queue keeps
 * from being complete. Only this thread unlinks, others append. */
static bool look(bool all)
{
    static unsigned round;
    bool progress = false;
    round++;
    yk_lock_take(&lock);
    struct watch *list = watches, *keep = NULL, **keep_end = &keep;
    watches = NULL;
    watches_end = &watches;
    yk_lock_drop(&lock);
    while (list) {
        struct watch *w = list;
        struct yk_queue *q = w->ev->queue;
        bool behind = !all && q && q->kept_in == round;
        cl_int s = behind ? CL_QUEUED : yk_event_status(w->ev);
        list = w->next;
        if (s <= CL_COMPLETE) {
            yk_event_set(w->ev, s);
            finish_watch(w);
            progress = true;
            continue;
        }
        if (q && !(q->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
            q->kept_in = round;
        w->next = NULL;
        *keep_end = w;
        keep_end = &w->next;
    }
    yk_lock_take(&lock);
    if (keep) {
        *keep_end = watches;
        watches_end = watches ? watches_end : keep_end;
        watches = keep;
    }
    yk_lock_drop(&lock);
    return progress;
}

/* When all were looked at last, and how long that took. */
struct thorough {
    uint64_t at, took;
};

static bool look_around(struct thorough *last)
{
    bool progress = look(false);
    uint64_t now = yk_now_ns(), wait = PART_ALL * last->took;
    if (progress || now - last->at < (wait > most_ns ? wait : most_ns))
        return progress;
    progress = look(true);
    last->at = yk_now_ns();
    last->took = last->at - now;
    return progress;
}

/* Where one callback follows another at once, sleeping and being woken would cost more than both. */
static void linger(void)
{
    const uint64_t linger_ns = 20000;
    uint64_t end = yk_now_ns() + linger_ns;
    while (!__atomic_load_n(&posted, __ATOMIC_RELAXED) && yk_now_ns() < end)
        sched_yield();
}

/* Run the jobs in the list, which nobody else has any more. */
static void run_jobs(struct job *j)
{
    while (j) {
        struct job *next = j->next;
        j->fn(j->arg);
        free(j);
        j = next;
    }
}

static void *callback_thread(void *unused)
{
    struct thorough last = {0, 0};
    (void)unused;
    prctl(PR_SET_TIMERSLACK, 1UL); /* else each look is 50 us late */
    yk_lock_take(&lock);
    bool ran = false;
    for (;;) {
        if (ran && !jobs && !watches) {
            yk_lock_drop(&lock);
            linger();
            yk_lock_take(&lock);
        }
        while (!jobs && !watches) {
            idle = true;
            yk_lock_wait(&lock, &work);
            idle = false;
        }
        struct job *list = jobs;
        bool progress = ran = list;
        jobs = NULL;
        jobs_end = &jobs;
        __atomic_store_n(&posted, false, __ATOMIC_RELAXED);
        hinted = false;
        bool watching = watches;
        yk_lock_drop(&lock);
        run_jobs(list);
        if (watching)
            progress |= look_around(&last);
        yk_lock_take(&lock);
        if (progress || jobs || hinted || !watches)
            continue;
        uint64_t pause = (yk_now_ns() - watches->since) / PART;
        pause = pause < least_ns ? least_ns : pause < most_ns ? pause : most_ns;
        yk_lock_wait_ns(&lock, &work, pause);
    }
    return NULL;
}

/* With the lock held. */
static bool ensure_thread(void)
{
    return running = running || !yk_thread_start(callback_thread, NULL);
}

bool yk_callback_post(void (*fn)(void *arg), void *arg)
{
    struct job *j = malloc(sizeof *j);
    if (!j)
        return false;
    *j = (struct job){NULL, fn, arg};
    yk_lock_take(&lock);
    bool ok = ensure_thread();
    if (ok) {
        *jobs_end = j;
        jobs_end = &j->next;
        __atomic_store_n(&posted, true, __ATOMIC_RELAXED);
        pthread_cond_signal(&work);
    }
    yk_lock_drop(&lock);
    if (!ok)
        free(j);
    return ok;
}

void yk_callback_look(void)
{
    yk_lock_take(&lock);
    hinted = true;
    pthread_cond_signal(&work);
    yk_lock_drop(&lock);
}

bool yk_callback_watch(struct yk_event *ev)
{
    struct watch *w = malloc(sizeof *w);
    if (!w)
        return false;
    *w = (struct watch){NULL, ev, yk_now_ns()};
    yk_hold(&ev->h);
    if (ev->queue)
        __atomic_add_fetch(&ev->queue->watched, 1, __ATOMIC_RELAXED);
    yk_lock_take(&lock);
    bool ok = ensure_thread();
    if (ok) {
        *watches_end = w;
        watches_end = &w->next;
        if (idle)
            pthread_cond_signal(&work);
    }
    yk_lock_drop(&lock);
    if (!ok)
        finish_watch(w);
    return ok;
}
