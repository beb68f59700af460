#include "shim/object/command_buffer.h"
#include <stdlib.h>

static void hold_all(struct yk_recorded *r)
{
    if (r->from)
        yk_hold(&r->from->h);
    if (r->to)
        yk_hold(&r->to->h);
    for (unsigned i = 0; r->kernel && i < r->kernel->nargs; i++)
        if (r->kernel->value[i].kind == YK_VALUE_MEM)
            yk_hold(&r->kernel->value[i].u.mem->h);
}

static void drop_all(struct yk_recorded *r)
{
    if (r->from)
        yk_drop(&r->from->h);
    if (r->to)
        yk_drop(&r->to->h);
    for (unsigned i = 0; r->kernel && i < r->kernel->nargs; i++)
        if (r->kernel->value[i].kind == YK_VALUE_MEM)
            yk_drop(&r->kernel->value[i].u.mem->h);
    if (r->kernel)
        yk_handle_release(&r->kernel->h);
}

static void command_buffer_destroy(struct yk_handle *h)
{
    struct yk_command_buffer *b = (struct yk_command_buffer *)h;
    b->release_real(b->real);
    for (size_t i = 0; i < b->command.n; i++)
        drop_all(&b->command.v[i]);
    yk_array_finish(&b->command);
    if (b->last)
        yk_drop(&b->last->h);
    yk_lock_finish(&b->lock);
    yk_drop(&b->queue->h);
    free(b);
}

struct yk_command_buffer *yk_command_buffer_wrap(struct yk_queue *q, cl_command_buffer_khr real,
                                                 void (*release_real)(cl_command_buffer_khr), bool simultaneous)
{
    struct yk_command_buffer *b = calloc(1, sizeof *b);
    if (!b) {
        release_real(real);
        return NULL;
    }
    b->queue = q;
    yk_hold(&q->h);
    b->real = real;
    b->release_real = release_real;
    b->simultaneous = simultaneous;
    yk_lock_init(&b->lock, YK_RANK_PROGRAM);
    yk_handle_init(&b->h, YK_KIND_COMMAND_BUFFER, command_buffer_destroy);
    return b;
}

bool yk_command_buffer_record(struct yk_command_buffer *b, const struct yk_recorded *r)
{
    struct yk_recorded own = *r;
    hold_all(&own);
    yk_lock_take(&b->lock);
    bool done = yk_array_push(&b->command, own);
    yk_lock_drop(&b->lock);
    if (!done)
        drop_all(&own);
    return done;
}

cl_command_buffer_state_khr yk_command_buffer_state(struct yk_command_buffer *b)
{
    yk_lock_take(&b->lock);
    bool finalized = b->finalized;
    struct yk_event *last = b->last;
    if (last)
        yk_hold(&last->h);
    yk_lock_drop(&b->lock);
    bool pending = last && yk_event_status(last) > CL_COMPLETE;
    if (last)
        yk_drop(&last->h);
    return pending     ? CL_COMMAND_BUFFER_STATE_PENDING_KHR
           : finalized ? CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR
                       : CL_COMMAND_BUFFER_STATE_RECORDING_KHR;
}
