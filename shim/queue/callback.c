#include "shim/queue/callback.h"
#include <stdlib.h>
#include <time.h>
#include "base/thread.h"

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
            yk_drop(&w->ev->h);
            free(w);
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
    long pause_ns = 10000;
    yk_lock_take(&lock);
    for (;;) {
        while (!jobs && !watches)
            yk_lock_wait(&lock, &work);
        struct job *j = jobs;
        if (j && !(jobs = j->next))
            jobs_end = &jobs;
        bool watching = watches;
        yk_lock_drop(&lock);
        if (j) {
            j->fn(j->arg);
            free(j);
            pause_ns = 10000;
        }
        if (watching) {
            if (poll_watches() || j) {
                pause_ns = 10000;
            } else {
                nanosleep(&(struct timespec){0, pause_ns}, NULL);
                pause_ns = pause_ns < 500000 ? pause_ns * 2 : 1000000;
            }
        }
        yk_lock_take(&lock);
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

bool yk_callback_watch(struct yk_event *ev)
{
    struct watch *w = malloc(sizeof *w);
    if (!w)
        return false;
    w->ev = ev;
    yk_hold(&ev->h);
    yk_lock_take(&lock);
    bool ok = ensure_thread();
    if (ok) {
        w->next = watches;
        watches = w;
        pthread_cond_signal(&work);
    }
    yk_lock_drop(&lock);
    if (!ok) {
        yk_drop(&ev->h);
        free(w);
    }
    return ok;
}
