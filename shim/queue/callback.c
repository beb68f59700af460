#include "shim/queue/callback.h"
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/thread.h"
#include "shim/core/background.h"
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
    cl_int status; /* once it is known to be through */
};

static struct yk_lock lock = YK_LOCK_INIT(YK_RANK_LEAF);
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static struct job *jobs, **jobs_end = &jobs;
static struct job *last_jobs, **last_jobs_end = &last_jobs; /* behind what is complete when they are posted */
static bool posted;                                         /* there are some; atomic */
static struct watch *watches, **watches_end = &watches;     /* in the order of asking */
static bool running;
static bool busy;   /* it calls, or looks */
static bool idle;   /* the thread waits, watching nothing */
static bool hinted; /* it is to look at once */
static pthread_t self;
static pid_t process;          /* a child of fork has no such thread */
static bool tired;             /* a callback waits for the program, it seems; atomic */
static uint64_t asked, served; /* how often somebody waited for all that is due, and how many of these have had it */
static pthread_cond_t settled = PTHREAD_COND_INITIALIZER;

static void finish_watch(struct watch *w)
{
    if (w->ev->queue)
        __atomic_sub_fetch(&w->ev->queue->watched, 1, __ATOMIC_RELAXED);
    yk_drop(&w->ev->h);
    free(w);
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

/* Look at the watched events; true if one is through. ALL, or only those that nobody before them in their queue keeps
 * from being complete. Only this thread unlinks, others append. */
static bool look(bool all)
{
    static unsigned round;
    bool progress = false;
    round++;
    yk_lock_take(&lock);
    struct watch *list = watches, *keep = NULL, **keep_end = &keep, *over = NULL;
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
            w->status = s;
            put_in_order(&over, w);
            continue;
        }
        if (s <= CL_SUBMITTED && !behind)
            yk_event_tell(w->ev, s);
        if (q && !(q->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
            q->kept_in = round;
        w->next = NULL;
        *keep_end = w;
        keep_end = &w->next;
    }
    for (struct watch *w; (w = over); progress = true) {
        over = w->next;
        yk_event_set(w->ev, w->status);
        finish_watch(w);
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
    self = pthread_self();
    __atomic_store_n(&process, getpid(), __ATOMIC_RELEASE);
    bool ran = false;
    for (;;) {
        bool nothing = !jobs && !last_jobs && asked == served;
        if (ran && nothing && !watches) {
            yk_lock_drop(&lock);
            linger();
            yk_lock_take(&lock);
        }
        while (!jobs && !last_jobs && asked == served && !watches) {
            idle = true;
            yk_lock_wait(&lock, &work);
            idle = false;
        }
        struct job *list = jobs, *behind = last_jobs;
        uint64_t serving = asked;
        bool progress = ran = list || behind, all = behind || serving != served, watching = watches;
        jobs = last_jobs = NULL;
        jobs_end = &jobs;
        last_jobs_end = &last_jobs;
        __atomic_store_n(&posted, false, __ATOMIC_RELAXED);
        hinted = false;
        busy = true;
        yk_lock_drop(&lock);
        run_jobs(list);
        bool seen = watching && (all ? look(true) : look_around(&last));
        if (behind) {
            yk_lock_take(&lock);
            list = jobs; /* of what has been found to be complete, above all */
            jobs = NULL;
            jobs_end = &jobs;
            yk_lock_drop(&lock);
            run_jobs(list);
            run_jobs(behind);
        }
        yk_lock_take(&lock);
        busy = false;
        progress |= seen;
        if (serving != served && !progress && !jobs && !last_jobs) {
            served = serving;
            pthread_cond_broadcast(&settled);
        }
        if (progress || jobs || last_jobs || hinted || asked != served || !watches)
            continue;
        uint64_t pause = (yk_now_ns() - watches->since) / PART;
        pause = pause < least_ns ? least_ns : pause < most_ns ? pause : most_ns;
        yk_lock_wait_ns(&lock, &work, pause);
    }
    return NULL;
}

/* The program ends: what is due is called before. */
static void last_words(void)
{
    const unsigned patience_ms = 1000;
    if (!__atomic_load_n(&tired, __ATOMIC_RELAXED))
        (void)yk_callback_settle(patience_ms);
}

/* With the lock held. */
static bool ensure_thread(void)
{
    if (!running && !yk_thread_start(callback_thread, NULL)) {
        __atomic_store_n(&yk_background_last_words, last_words, __ATOMIC_RELEASE);
        __atomic_store_n(&running, true, __ATOMIC_RELAXED);
    }
    return running;
}

static bool post(struct job ***end, void (*fn)(void *arg), void *arg)
{
    struct job *j = malloc(sizeof *j);
    if (!j)
        return false;
    *j = (struct job){NULL, fn, arg};
    yk_lock_take(&lock);
    bool ok = ensure_thread();
    if (ok) {
        **end = j;
        *end = &j->next;
        __atomic_store_n(&posted, true, __ATOMIC_RELAXED);
        pthread_cond_signal(&work);
    }
    yk_lock_drop(&lock);
    if (!ok)
        free(j);
    return ok;
}

bool yk_callback_post(void (*fn)(void *arg), void *arg)
{
    return post(&jobs_end, fn, arg);
}

bool yk_callback_post_last(void (*fn)(void *arg), void *arg)
{
    return post(&last_jobs_end, fn, arg);
}

static bool is_child(void)
{
    pid_t p = __atomic_load_n(&process, __ATOMIC_ACQUIRE);
    return p && p != getpid();
}

/* Is nothing to be called, as far as is known? With the lock held. */
static bool is_quiet(void)
{
    return !busy && !jobs && !last_jobs && !watches && asked == served;
}

bool yk_callback_settle(unsigned ms)
{
    if (is_child()) /* whose lock may have been taken when it was made */
        return true;
    yk_lock_take(&lock);
    bool all = !running || pthread_equal(self, pthread_self()) || is_quiet();
    if (!all) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += ms / 1000 + (until.tv_nsec + ms % 1000 * 1000000L) / 1000000000L;
        until.tv_nsec = (until.tv_nsec + ms % 1000 * 1000000L) % 1000000000L;
        uint64_t mine = ++asked;
        pthread_cond_signal(&work);
        bool in_time = true;
        while (served < mine && in_time) {
            struct timespec now;
            yk_lock_timedwait(&lock, &settled, &until);
            clock_gettime(CLOCK_REALTIME, &now);
            in_time = now.tv_sec < until.tv_sec || (now.tv_sec == until.tv_sec && now.tv_nsec < until.tv_nsec);
        }
        all = served >= mine;
    }
    yk_lock_drop(&lock);
    return all;
}

/* A driver that calls from threads of its own, or is slow to, promises no program anything. PoCL's CPU devices have
 * called before they return. */
static bool driver_calls_at_once(void)
{
    return yk_rt.primary->type & CL_DEVICE_TYPE_CPU;
}

bool yk_callback_here(void)
{
    if (!driver_calls_at_once())
        return false;
    if (!__atomic_load_n(&running, __ATOMIC_RELAXED))
        return true;
    yk_lock_take(&lock);
    bool quiet = is_quiet();
    yk_lock_drop(&lock);
    return quiet;
}

void yk_callback_due(void)
{
    const unsigned patience_ms = 200;
    if (!__atomic_load_n(&running, __ATOMIC_RELAXED) || !driver_calls_at_once() ||
        __atomic_load_n(&tired, __ATOMIC_RELAXED))
        return;
    if (!yk_callback_settle(patience_ms))
        __atomic_store_n(&tired, true, __ATOMIC_RELAXED);
}

void yk_callback_due_in(const struct yk_queue *q)
{
    if (__atomic_load_n(&q->watched, __ATOMIC_ACQUIRE) || __atomic_load_n(&q->due, __ATOMIC_ACQUIRE))
        yk_callback_due();
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
    *w = (struct watch){.ev = ev, .since = yk_now_ns()};
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
