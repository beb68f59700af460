#include "shim/queue/callback.h"
#include <stdlib.h>
#include <sys/prctl.h>
#include "base/clock.h"
#include "base/thread.h"
#include "shim/queue/queue.h"

/* The watched events are looked at again after an eighth of the time for which nothing has happened. */
enum { PART = 8 };
static const uint64_t least_ns = 10000, most_ns = 1000000;

struct job {
    struct job *next;
    void (*fn)(void *);
    void *arg;
};

struct watch {
    struct watch *next;
    struct yk_event *ev;
};

static struct yk_lock lock = YK_LOCK_INIT(YK_RANK_LEAF);
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static struct job *jobs, **jobs_end = &jobs;
static struct watch *watches;
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

/* One round over the watched events; returns true if one is through. Only this thread unlinks, others push at the head.
 */
static bool poll_watches(void)
{
    bool progress = false;
    yk_lock_take(&lock);
    struct watch *list = watches;
    watches = NULL;
    yk_lock_drop(&lock);
    struct watch *keep = NULL;
    while (list) {
        struct watch *w = list;
        list = w->next;
        cl_int s = yk_event_status(w->ev);
        if (s <= CL_COMPLETE) {
            yk_event_set(w->ev, s);
            finish_watch(w);
            progress = true;
        } else {
            w->next = keep;
            keep = w;
        }
    }
    yk_lock_take(&lock);
    while (keep) {
        struct watch *w = keep;
        keep = w->next;
        w->next = watches;
        watches = w;
    }
    yk_lock_drop(&lock);
    return progress;
}

static void *callback_thread(void *unused)
{
    (void)unused;
    prctl(PR_SET_TIMERSLACK, 1UL); /* else each look is 50 us late */
    uint64_t since = yk_now_ns();  /* something last happened */
    yk_lock_take(&lock);
    for (;;) {
        while (!jobs && !watches) {
            idle = true;
            yk_lock_wait(&lock, &work);
            idle = false;
            since = yk_now_ns();
        }
        struct job *j = jobs;
        if (j && !(jobs = j->next))
            jobs_end = &jobs;
        bool watching = watches, progress = j;
        hinted = false;
        yk_lock_drop(&lock);
        if (j) {
            j->fn(j->arg);
            free(j);
        }
        if (watching)
            progress |= poll_watches();
        uint64_t now = yk_now_ns();
        if (progress)
            since = now;
        uint64_t pause = (now - since) / PART;
        pause = pause < least_ns ? least_ns : pause < most_ns ? pause : most_ns;
        yk_lock_take(&lock);
        if (!progress && !jobs && !hinted)
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
    w->ev = ev;
    yk_hold(&ev->h);
    if (ev->queue)
        __atomic_add_fetch(&ev->queue->watched, 1, __ATOMIC_RELAXED);
    yk_lock_take(&lock);
    bool ok = ensure_thread();
    if (ok) {
        w->next = watches;
        watches = w;
        if (idle)
            pthread_cond_signal(&work);
    }
    yk_lock_drop(&lock);
    if (!ok)
        finish_watch(w);
    return ok;
}
