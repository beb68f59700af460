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
#include "shim/queue/watched.h"

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
    struct yk_event *of; /* held: events before it in its queue may still be watched; or NULL */
};

static struct yk_lock lock = YK_LOCK_INIT(YK_RANK_LEAF);
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static struct job *jobs, **jobs_end = &jobs;
static struct job *last_jobs, **last_jobs_end = &last_jobs; /* behind what is complete when they are posted */
static bool posted;                                         /* there are some; atomic */
static bool running;
static bool busy;   /* it calls, or looks */
static bool idle;   /* the thread waits, watching nothing */
static bool hinted; /* it is to look at once */
static pthread_t self;
static pid_t process;          /* a child of fork has no such thread */
static bool tired;             /* a callback waits for the program, it seems; atomic */
static struct job **aside;     /* where the thread puts what it posts, if not at the end; its own */
static bool ordered;           /* some of JOBS have an event */
static uint64_t asked, served; /* how often somebody waited for all that is due, and how many of these have had it */
static pthread_cond_t settled = PTHREAD_COND_INITIALIZER;

/* When all were looked at last, and how long that took. */
struct thorough {
    uint64_t at, took;
};

static bool look_around(struct thorough *last)
{
    bool progress = yk_watched_look(false);
    uint64_t now = yk_now_ns(), wait = PART_ALL * last->took;
    if (progress || now - last->at < (wait > most_ns ? wait : most_ns))
        return progress;
    progress = yk_watched_look(true);
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

/* What is due before EV's, which is complete, in its queue. */
static struct job *overtaken(const struct yk_event *ev)
{
    struct job *found = NULL;
    aside = &found;
    yk_watched_before(ev);
    aside = NULL;
    return found;
}

/* Run the jobs in the list, which nobody else has any more. */
static void run_jobs(struct job *j)
{
    while (j) {
        struct job *next = j->next;
        if (j->of) {
            if (__atomic_load_n(&j->of->queue->watched, __ATOMIC_ACQUIRE))
                run_jobs(overtaken(j->of));
            yk_drop(&j->of->h);
        }
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
        if (ran && nothing && !yk_watched_any()) {
            yk_lock_drop(&lock);
            linger();
            yk_lock_take(&lock);
        }
        while (!jobs && !last_jobs && asked == served && !yk_watched_any()) {
            idle = true;
            yk_lock_wait(&lock, &work);
            idle = false;
        }
        struct job *list = jobs, *behind = last_jobs;
        uint64_t serving = asked;
        bool progress = ran = list || behind, all = behind || serving != served, watching = yk_watched_any();
        jobs = last_jobs = NULL;
        ordered = false;
        jobs_end = &jobs;
        last_jobs_end = &last_jobs;
        __atomic_store_n(&posted, false, __ATOMIC_RELAXED);
        hinted = false;
        busy = true;
        yk_lock_drop(&lock);
        run_jobs(list);
        bool seen = watching && (all ? yk_watched_look(true) : look_around(&last));
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
        if (progress || jobs || last_jobs || hinted || asked != served || !yk_watched_any())
            continue;
        uint64_t pause = (yk_now_ns() - yk_watched_since()) / PART;
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

/* May events before EV, in its queue, be watched and complete? Not if the thread has looked at them in turn. With the
 * lock held. */
static bool may_overtake(const struct yk_event *ev)
{
    const struct yk_queue *q = ev->queue;
    return q && !(q->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) &&
           __atomic_load_n(&q->watched, __ATOMIC_ACQUIRE) &&
           (!pthread_equal(self, pthread_self()) || yk_watched_thorough());
}

/* Where a job of EV belongs, which the thread has been watching: before those behind it in its queue of which somebody
 * else has told meanwhile. With the lock held. */
static struct job **place(const struct yk_event *ev)
{
    struct job **at = &jobs;
    while (*at && !((*at)->of && (*at)->of->queue == ev->queue && (*at)->of->number > ev->number))
        at = &(*at)->next;
    return at;
}

/* With the lock held. */
static void append(struct job *j, struct job ***end, struct yk_event *of)
{
    if (of && may_overtake(of)) {
        j->of = of;
        yk_hold(&of->h);
        ordered = true;
    }
    bool own = pthread_equal(self, pthread_self());
    if (own && aside) {
        *aside = j;
        aside = &j->next;
        return;
    }
    struct job **at = own && of && ordered ? place(of) : *end;
    j->next = *at;
    *at = j;
    if (!j->next)
        *end = &j->next;
    __atomic_store_n(&posted, true, __ATOMIC_RELAXED);
    pthread_cond_signal(&work);
}

static bool post(struct job ***end, void (*fn)(void *arg), void *arg, struct yk_event *of)
{
    struct job *j = malloc(sizeof *j);
    if (!j)
        return false;
    *j = (struct job){NULL, fn, arg, NULL};
    yk_lock_take(&lock);
    bool ok = ensure_thread();
    if (ok)
        append(j, end, of);
    yk_lock_drop(&lock);
    if (!ok)
        free(j);
    return ok;
}

bool yk_callback_post(void (*fn)(void *arg), void *arg)
{
    return post(&jobs_end, fn, arg, NULL);
}

bool yk_callback_post_of(struct yk_event *ev, void (*fn)(void *arg), void *arg)
{
    return post(&jobs_end, fn, arg, ev);
}

bool yk_callback_post_last(void (*fn)(void *arg), void *arg)
{
    return post(&last_jobs_end, fn, arg, NULL);
}

static bool is_child(void)
{
    pid_t p = __atomic_load_n(&process, __ATOMIC_ACQUIRE);
    return p && p != getpid();
}

/* Is nothing to be called, as far as is known? With the lock held. */
static bool is_quiet(void)
{
    return !busy && !jobs && !last_jobs && !yk_watched_any() && asked == served;
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

void yk_callback_due(void)
{
    const unsigned patience_ms = 200;
    if (!__atomic_load_n(&running, __ATOMIC_RELAXED) || !driver_calls_at_once() ||
        __atomic_load_n(&tired, __ATOMIC_RELAXED))
        return;
    if (!yk_callback_settle(patience_ms))
        __atomic_store_n(&tired, true, __ATOMIC_RELAXED);
}

bool yk_callback_here(void)
{
    if (!driver_calls_at_once())
        return false;
    if (!__atomic_load_n(&running, __ATOMIC_RELAXED) || is_child())
        return true;
    yk_lock_take(&lock);
    bool quiet = is_quiet(), own = pthread_equal(self, pthread_self());
    yk_lock_drop(&lock);
    if (quiet || own)
        return quiet;
    yk_callback_due();
    yk_lock_take(&lock);
    quiet = is_quiet();
    yk_lock_drop(&lock);
    return quiet;
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
    yk_lock_take(&lock);
    bool ok = ensure_thread();
    yk_lock_drop(&lock);
    if (!ok || !yk_watched_add(ev))
        return false;
    yk_lock_take(&lock);
    if (idle)
        pthread_cond_signal(&work);
    yk_lock_drop(&lock);
    return true;
}
