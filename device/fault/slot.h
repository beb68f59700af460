/* Inside the fault backend: what one wrapped table keeps. */
#ifndef YK_DEVICE_FAULT_SLOT_H
#define YK_DEVICE_FAULT_SLOT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>
#include "device/fault/script.h"

/* A command whose event the backend answers for. Lives while the app refers to the event, someone has it pinned, or its
 * time is not yet settled. */
struct yk_fault_record {
    cl_event event;
    struct yk_fault_queue *queue;
    cl_int code;                 /* what the event ends with */
    bool kernel, transfer, held; /* held: the backend owns one reference of the event */
    bool in;                     /* a transfer: to the device */
    bool settled;                /* start and end are known */
    uint64_t bytes, enqueued;
    uint64_t start, end; /* modelled, host ns */
    unsigned refs, pins, waits;
    struct yk_fault_record **wait; /* pinned until settled */
    struct yk_fault_record *prev, *next;
    UT_hash_handle hh; /* by event */
};

struct yk_fault_queue {
    cl_command_queue handle; /* NULL: released by the app */
    bool profiling, in_order;
    cl_int failure; /* of a command that had no event: the next call that waits says so */
    uint64_t end;   /* modelled end of its last settled command */
    unsigned records;
    struct yk_fault_queue *next;
};

struct yk_fault_slot {
    const struct yk_cl *below;
    struct yk_fault_script script;
    struct yk_fault_state state;
    struct yk_fault_model model;
    bool follow, timed;
    pthread_mutex_t lock; /* held across the driver's non-blocking queries only; callbacks never take it */
    struct yk_fault_record *by_event, *unsettled; /* unsettled: in enqueue order */
    struct yk_fault_queue *queues;
    bool calibrated;
    int64_t clock;         /* host clock minus device clock, ns */
    uint64_t link_free[2]; /* when the link has done its last transfer out of and into the device */
    pthread_mutex_t timer_lock;
    pthread_cond_t timer_wake;
    struct yk_fault_callback *callbacks;
    unsigned awaited; /* callbacks that the driver or the clock still owes */
    bool timer_runs;
};

/* The table whose thunk this thread came through last; read at once on entry. */
extern __thread struct yk_fault_slot *yk_fault_current __attribute__((tls_model("initial-exec")));

/* One enqueue on its way. */
struct yk_fault_call {
    struct yk_fault_slot *slot;
    enum yk_fault_entry entry;
    cl_command_queue queue;
    cl_uint waits;
    const cl_event *wait;
    cl_event *out; /* the app's */
    bool blocking;
    uint64_t bytes, at;
    cl_int code; /* what the event shall end with */
    bool skip;   /* a marker runs instead of the command */
    cl_event own, *pass;
};

/* record.c: around each enqueue, and the records it leaves. "Locked": the caller holds s->lock. */
void yk_fault_call_begin(struct yk_fault_call *c, struct yk_fault_verdict v);
cl_int yk_fault_call_end(struct yk_fault_call *c, cl_int result);
struct yk_fault_record *yk_fault_find(struct yk_fault_slot *s, cl_event event); /* locked; NULL: not followed */
void yk_fault_drop(struct yk_fault_slot *s, struct yk_fault_record *r);         /* locked; frees it if unneeded */
struct yk_fault_queue *yk_fault_queue_of(struct yk_fault_slot *s, cl_command_queue q); /* locked; NULL: no memory */

/* model.c: times. */
void yk_fault_settle(struct yk_fault_slot *s); /* locked; every command that the driver has completed gets its times */
void yk_fault_calibrate(struct yk_fault_slot *s, cl_command_queue queue); /* not locked; QUEUE is new and profiles */
void yk_fault_sleep_until(uint64_t ns);

/* timer.c: FN for R's event (pinned until then) not before its modelled end. NULL memory: CL_OUT_OF_HOST_MEMORY. */
cl_int yk_fault_callback_add(struct yk_fault_slot *s, struct yk_fault_record *r, cl_int type,
                             void (*fn)(cl_event, cl_int, void *), void *user);

/* Entries with a form of their own, under OpenCL's own types (event.c, queue.c). Their slot is yk_fault_current. */
cl_int yk_fault_GetEventInfo(cl_event event, cl_event_info name, size_t size, void *value, size_t *size_ret);
cl_int yk_fault_WaitForEvents(cl_uint n, const cl_event *list);
cl_int yk_fault_SetEventCallback(cl_event event, cl_int type, void (*fn)(cl_event, cl_int, void *), void *user);
cl_int yk_fault_GetEventProfilingInfo(cl_event event, cl_profiling_info name, size_t size, void *value,
                                      size_t *size_ret);
cl_int yk_fault_RetainEvent(cl_event event);
cl_int yk_fault_ReleaseEvent(cl_event event);
cl_int yk_fault_Finish(cl_command_queue queue);
cl_command_queue yk_fault_CreateCommandQueue(cl_context context, cl_device_id device,
                                             cl_command_queue_properties properties, cl_int *err);
cl_command_queue yk_fault_CreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                           const cl_queue_properties *properties, cl_int *err);
cl_int yk_fault_ReleaseCommandQueue(cl_command_queue queue);
cl_int yk_fault_GetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info name, size_t size, void *value,
                                    size_t *size_ret);

#endif
