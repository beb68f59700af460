/* Callbacks of followed events: the driver's call is only noted; a thread of the backend waits for the modelled end and
 * calls the app. No OpenCL call is made inside the driver's callback. */
#include <stdlib.h>
#include <utlist.h>
#include "base/clock.h"
#include "base/thread.h"
#include "device/fault/slot.h"

struct yk_fault_callback {
    struct yk_fault_slot *slot;
    struct yk_fault_record *record; /* pinned */
    cl_event event;
    cl_int status; /* the driver's */
    void (*fn)(cl_event, cl_int, void *);
    void *user;
    struct yk_fault_callback *prev, *next;
};

static uint64_t due(struct yk_fault_slot *s, struct yk_fault_callback *c)
{
    pthread_mutex_lock(&s->lock);
    if (!c->record->settled)
        yk_fault_settle(s);
    uint64_t end = c->record->end;
    pthread_mutex_unlock(&s->lock);
    return end;
}

static void call(struct yk_fault_slot *s, struct yk_fault_callback *c)
{
    cl_int code = c->record->code;
    pthread_mutex_lock(&s->lock);
    c->record->pins--;
    yk_fault_drop(s, c->record);
    pthread_mutex_unlock(&s->lock);
    c->fn(c->event, code ? code : c->status, c->user);
    s->below->ReleaseEvent(c->event);
    free(c);
}

static void *timer(void *arg)
{
    struct yk_fault_slot *s = arg;
    for (;;) {
        pthread_mutex_lock(&s->timer_lock);
        while (!s->callbacks && s->awaited)
            pthread_cond_wait(&s->timer_wake, &s->timer_lock);
        if (!s->callbacks) {
            s->timer_runs = false; /* none is to come: the next one starts a thread again */
            pthread_mutex_unlock(&s->timer_lock);
            return NULL;
        }
        struct yk_fault_callback *all = s->callbacks, *c, *first = NULL;
        s->callbacks = NULL;
        pthread_mutex_unlock(&s->timer_lock);
        uint64_t soonest = UINT64_MAX;
        DL_FOREACH(all, c)
        {
            uint64_t at = due(s, c);
            if (at < soonest) {
                soonest = at;
                first = c;
            }
        }
        bool now = soonest <= yk_now_ns();
        if (now)
            DL_DELETE(all, first);
        pthread_mutex_lock(&s->timer_lock);
        bool news = s->callbacks != NULL;
        DL_CONCAT(all, s->callbacks);
        s->callbacks = all;
        if (!now && !news) {
            struct timespec t = {(time_t)(soonest / 1000000000u), (long)(soonest % 1000000000u)};
            pthread_cond_timedwait(&s->timer_wake, &s->timer_lock, &t);
        }
        s->awaited -= now;
        pthread_mutex_unlock(&s->timer_lock);
        if (now)
            call(s, first);
    }
}

static void CL_CALLBACK driver_says(cl_event event, cl_int status, void *user)
{
    struct yk_fault_callback *c = user;
    struct yk_fault_slot *s = c->slot;
    (void)event;
    c->status = status;
    pthread_mutex_lock(&s->timer_lock);
    DL_APPEND(s->callbacks, c);
    pthread_cond_signal(&s->timer_wake);
    pthread_mutex_unlock(&s->timer_lock);
}

/* One more callback is to come. */
static bool await(struct yk_fault_slot *s)
{
    pthread_mutex_lock(&s->timer_lock);
    bool runs = s->timer_runs = s->timer_runs || !yk_thread_start(timer, s);
    s->awaited += runs;
    pthread_mutex_unlock(&s->timer_lock);
    return runs;
}

cl_int yk_fault_callback_add(struct yk_fault_slot *s, struct yk_fault_record *r, cl_int type,
                             void (*fn)(cl_event, cl_int, void *), void *user)
{
    struct yk_fault_callback *c = calloc(1, sizeof *c);
    if (!c || !await(s)) {
        free(c);
        return CL_OUT_OF_HOST_MEMORY;
    }
    *c = (struct yk_fault_callback){.slot = s, .record = r, .event = r->event, .fn = fn, .user = user};
    s->below->RetainEvent(c->event);
    pthread_mutex_lock(&s->lock);
    r->pins++;
    pthread_mutex_unlock(&s->lock);
    cl_int rc = s->below->SetEventCallback(c->event, type, driver_says, c);
    if (rc == CL_SUCCESS)
        return rc;
    pthread_mutex_lock(&s->timer_lock);
    s->awaited--;
    pthread_cond_signal(&s->timer_wake);
    pthread_mutex_unlock(&s->timer_lock);
    pthread_mutex_lock(&s->lock);
    r->pins--;
    yk_fault_drop(s, r);
    pthread_mutex_unlock(&s->lock);
    s->below->ReleaseEvent(c->event);
    free(c);
    return rc;
}
