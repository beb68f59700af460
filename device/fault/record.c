/* Around each enqueue of a followed device: which event it makes and how that event shall end. */
#include <stdlib.h>
#include <string.h>
#include <utlist.h>
#include "base/clock.h"
#include "device/fault/slot.h"

struct yk_fault_record *yk_fault_find(struct yk_fault_slot *s, cl_event event)
{
    struct yk_fault_record *r;
    HASH_FIND_PTR(s->by_event, &event, r);
    return r;
}

struct yk_fault_queue *yk_fault_queue_of(struct yk_fault_slot *s, cl_command_queue handle)
{
    struct yk_fault_queue *q;
    for (q = s->queues; q; q = q->next)
        if (q->handle == handle)
            return q;
    q = calloc(1, sizeof *q);
    if (!q)
        return NULL;
    q->handle = handle;
    q->in_order = q->profiling = true;
    q->next = s->queues;
    s->queues = q;
    return q;
}

void yk_fault_drop(struct yk_fault_slot *s, struct yk_fault_record *r)
{
    if (r->refs || r->pins || r->held)
        return;
    HASH_DEL(s->by_event, r);
    for (unsigned i = 0; i < r->waits; i++) {
        r->wait[i]->pins--;
        yk_fault_drop(s, r->wait[i]);
    }
    struct yk_fault_queue *q = r->queue;
    if (--q->records == 0 && !q->handle) {
        struct yk_fault_queue **at = &s->queues;
        while (*at != q)
            at = &(*at)->next;
        *at = q->next;
        free(q);
    }
    free(r->wait);
    free(r);
}

static bool begins(enum yk_fault_entry e, const char *word)
{
    return !strncmp(yk_fault_entry_name(e) + 9, word, strlen(word)); /* behind "clEnqueue" */
}

static bool is_kernel(enum yk_fault_entry e)
{
    return e == YK_FAULT_ENTRY_EnqueueNDRangeKernel || e == YK_FAULT_ENTRY_EnqueueTask;
}

/* Over the link between host and device; copies and fills stay inside the device. */
static bool is_transfer(enum yk_fault_entry e)
{
    return begins(e, "Read") || begins(e, "Write") || begins(e, "Map") || begins(e, "SVMMap");
}

void yk_fault_call_begin(struct yk_fault_call *c, struct yk_fault_verdict v)
{
    c->at = yk_now_ns();
    if (v.kind == YK_FAULT_EVENT || v.kind == YK_FAULT_EVENT_RAN) {
        c->code = v.code;
        /* A map must give a pointer, a marker is one already. */
        c->skip = v.kind == YK_FAULT_EVENT && !begins(c->entry, "Map") && !begins(c->entry, "Marker");
    }
    pthread_mutex_lock(&c->slot->lock);
    struct yk_fault_queue *q = c->blocking && !c->code ? yk_fault_queue_of(c->slot, c->queue) : NULL;
    if (q && q->failure) { /* what came before failed: the next call that waits says so */
        c->code = q->failure;
        c->skip = !begins(c->entry, "Map");
        q->failure = CL_SUCCESS;
    }
    for (cl_uint i = 0; c->wait && i < c->waits && !c->code; i++) {
        struct yk_fault_record *r = c->wait[i] ? yk_fault_find(c->slot, c->wait[i]) : NULL;
        if (r && r->code) {
            c->code = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
            c->skip = !begins(c->entry, "Map") && !begins(c->entry, "Marker");
        }
    }
    pthread_mutex_unlock(&c->slot->lock);
    c->pass = c->slot->timed || c->code || c->out ? &c->own : NULL;
}

static struct yk_fault_record *record(struct yk_fault_call *c)
{
    struct yk_fault_slot *s = c->slot;
    struct yk_fault_record *r = calloc(1, sizeof *r);
    struct yk_fault_record **wait = s->timed && c->waits ? calloc(c->waits, sizeof(struct yk_fault_record *)) : NULL;
    struct yk_fault_queue *q = yk_fault_queue_of(s, c->queue);
    if (!r || !q || (s->timed && c->waits && !wait)) {
        free(r);
        free(wait);
        return NULL;
    }
    *r = (struct yk_fault_record){.event = c->own,
                                  .queue = q,
                                  .code = c->code,
                                  .kernel = is_kernel(c->entry) && !c->skip,
                                  .transfer = is_transfer(c->entry) && !c->skip,
                                  .in = begins(c->entry, "Write"),
                                  .held = s->timed,
                                  .settled = !s->timed,
                                  .bytes = c->bytes,
                                  .enqueued = c->at,
                                  .refs = c->out != NULL,
                                  .wait = wait};
    q->records++;
    for (cl_uint i = 0; wait && i < c->waits; i++) {
        struct yk_fault_record *on = yk_fault_find(s, c->wait[i]);
        if (on) {
            on->pins++;
            wait[r->waits++] = on;
        }
    }
    HASH_ADD_PTR(s->by_event, event, r);
    if (s->timed)
        DL_APPEND(s->unsettled, r);
    return r;
}

/* A blocking call that fails hands out no event. R: its record, pinned, where times are modelled. */
static cl_int blocked(struct yk_fault_call *c, struct yk_fault_record *r)
{
    struct yk_fault_slot *s = c->slot;
    if (c->skip)
        s->below->WaitForEvents(1, &c->own);
    if (s->timed) {
        pthread_mutex_lock(&s->lock);
        yk_fault_settle(s);
        uint64_t end = r->end;
        r->pins--;
        yk_fault_drop(s, r);
        pthread_mutex_unlock(&s->lock);
        yk_fault_sleep_until(end);
    }
    return c->code;
}

cl_int yk_fault_call_end(struct yk_fault_call *c, cl_int result)
{
    struct yk_fault_slot *s = c->slot;
    struct yk_fault_record *r = NULL;
    if (result != CL_SUCCESS || !c->pass)
        return result;
    if (c->blocking && c->code)
        c->out = NULL;
    if (s->timed || (c->code && c->out)) {
        if (s->timed && c->out)
            s->below->RetainEvent(c->own);
        pthread_mutex_lock(&s->lock);
        if ((r = record(c)) && c->blocking && s->timed) /* another thread may settle it before we look */
            r->pins++;
        pthread_mutex_unlock(&s->lock);
        if (!r) {
            if (s->timed && c->out)
                s->below->ReleaseEvent(c->own);
            s->below->ReleaseEvent(c->own);
            return CL_OUT_OF_HOST_MEMORY;
        }
    }
    if (c->code && !c->out && !c->blocking) {
        pthread_mutex_lock(&s->lock);
        struct yk_fault_queue *q = yk_fault_queue_of(s, c->queue);
        if (q)
            q->failure = c->code;
        pthread_mutex_unlock(&s->lock);
    }
    cl_event own = c->own;
    if (c->out)
        *c->out = own;
    cl_int code = c->blocking ? blocked(c, r) : CL_SUCCESS;
    if (!c->out && !s->timed)
        s->below->ReleaseEvent(own);
    return code;
}
