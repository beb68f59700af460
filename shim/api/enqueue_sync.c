/* Markers, barriers, migration. */
#include <stdlib.h>
#include "shim/api/api.h"
#include "shim/memory/mem.h"
#include "shim/queue/command.h"

static cl_int marker_issue(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait, cl_event *real)
{
    (void)blocking;
    return YK_CL_P->EnqueueMarkerWithWaitList(c->queue->real, nwait, wait, real);
}

static cl_int barrier_issue(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait, cl_event *real)
{
    (void)blocking;
    return YK_CL_P->EnqueueBarrierWithWaitList(c->queue->real, nwait, wait, real);
}

/* With a wait list a marker waits for that alone; without, for all before it, which it then must not overtake. */
static const struct yk_command_kind marker_kind = {.type = CL_COMMAND_MARKER, .barrier = true, .issue = marker_issue};
static const struct yk_command_kind marker_list_kind = {.type = CL_COMMAND_MARKER, .issue = marker_issue};
static const struct yk_command_kind barrier_kind = {
    .type = CL_COMMAND_BARRIER, .barrier = true, .issue = barrier_issue};

static cl_int simple(const struct yk_command_kind *kind, cl_command_queue command_queue, cl_uint nwait,
                     const cl_event *wait, cl_event *event)
{
    struct yk_queue *q = yk_queue_from(command_queue);
    if (!q)
        return CL_INVALID_COMMAND_QUEUE;
    struct yk_command c = {.kind = kind, .size = sizeof c, .queue = q};
    return yk_command_enqueue(&c, false, nwait, wait, event);
}

cl_int yk_api_EnqueueMarkerWithWaitList(cl_command_queue command_queue, cl_uint num_events_in_wait_list,
                                        const cl_event *event_wait_list, cl_event *event)
{
    return simple(num_events_in_wait_list ? &marker_list_kind : &marker_kind, command_queue, num_events_in_wait_list,
                  event_wait_list, event);
}

cl_int yk_api_EnqueueBarrierWithWaitList(cl_command_queue command_queue, cl_uint num_events_in_wait_list,
                                         const cl_event *event_wait_list, cl_event *event)
{
    return simple(&barrier_kind, command_queue, num_events_in_wait_list, event_wait_list, event);
}

cl_int yk_api_EnqueueMarker(cl_command_queue command_queue, cl_event *event)
{
    if (!yk_queue_from(command_queue))
        return CL_INVALID_COMMAND_QUEUE;
    return event ? simple(&marker_kind, command_queue, 0, NULL, event) : CL_INVALID_VALUE;
}

cl_int yk_api_EnqueueBarrier(cl_command_queue command_queue)
{
    return simple(&barrier_kind, command_queue, 0, NULL, NULL);
}

cl_int yk_api_EnqueueWaitForEvents(cl_command_queue command_queue, cl_uint num_events, const cl_event *event_list)
{
    if (!yk_queue_from(command_queue))
        return CL_INVALID_COMMAND_QUEUE;
    if (!num_events || !event_list)
        return CL_INVALID_VALUE;
    cl_int err = simple(&barrier_kind, command_queue, num_events, event_list, NULL);
    return err == CL_INVALID_EVENT_WAIT_LIST ? CL_INVALID_EVENT : err;
}

/* Migration is a hint; it becomes a marker of its own type, since yoke moves bytes itself. */
static const struct yk_command_kind migrate_kind = {.type = CL_COMMAND_MIGRATE_MEM_OBJECTS, .issue = marker_issue};

cl_int yk_api_EnqueueMigrateMemObjects(cl_command_queue command_queue, cl_uint num_mem_objects,
                                       const cl_mem *mem_objects, cl_mem_migration_flags flags,
                                       cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                       cl_event *event)
{
    struct yk_queue *q = yk_queue_from(command_queue);
    if (!q)
        return CL_INVALID_COMMAND_QUEUE;
    const cl_mem_migration_flags all = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    if (!num_mem_objects || !mem_objects || (flags & ~all))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < num_mem_objects; i++) {
        struct yk_mem *m = yk_mem_from(mem_objects[i]);
        if (!m)
            return CL_INVALID_MEM_OBJECT;
        if (m->ctx != q->ctx)
            return CL_INVALID_CONTEXT;
    }
    return simple(&migrate_kind, command_queue, num_events_in_wait_list, event_wait_list, event);
}
