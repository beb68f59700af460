/* Command buffers (cl_khr_command_buffer): commands recorded once and enqueued again and again. Each is recorded twice:
 * in the primary driver's own command buffer, which is never enqueued but says what is wrong with a command, and here,
 * from where an enqueue issues them one by one as ordinary commands, so that launches may be split. Who uses it:
 * api/command_buffer.c. Nothing here calls an entry point of yoke's. */
#ifndef YK_SHIM_OBJECT_COMMAND_BUFFER_H
#define YK_SHIM_OBJECT_COMMAND_BUFFER_H

#include <CL/cl_ext.h>
#include "base/array.h"
#include "shim/memory/mem.h"
#include "shim/object/kernel.h"
#include "shim/queue/event.h"
#include "shim/queue/queue.h"

enum yk_recorded_kind {
    YK_RECORDED_BARRIER,
    YK_RECORDED_COPY,
    YK_RECORDED_COPY_RECT,
    YK_RECORDED_BUFFER_TO_IMAGE,
    YK_RECORDED_COPY_IMAGE,
    YK_RECORDED_IMAGE_TO_BUFFER,
    YK_RECORDED_FILL,
    YK_RECORDED_FILL_IMAGE,
    YK_RECORDED_LAUNCH
};

/* One command with everything it was given; each kind uses what it needs. */
struct yk_recorded {
    enum yk_recorded_kind kind;
    struct yk_mem *from, *to; /* held */
    size_t origin[3], to_origin[3], region[3], offset, to_offset, size;
    size_t row_pitch, slice_pitch, to_row_pitch, to_slice_pitch;
    size_t pattern_size;
    unsigned char pattern[128];
    struct yk_kernel *kernel; /* a copy with the arguments of the time; owned, its memory objects held */
    cl_uint dims;
    bool has_offset, has_local;
    size_t global_offset[3], global[3], local[3];
};

struct yk_command_buffer {
    struct yk_handle h;
    struct yk_queue *queue;     /* held */
    cl_command_buffer_khr real; /* the primary's; owned */
    void (*release_real)(cl_command_buffer_khr real);
    bool simultaneous; /* may be enqueued again while it is pending */
    struct yk_lock lock;
    bool finalized;                       /* under the lock, as all below */
    struct yk_event *last;                /* of the latest enqueue; held; NULL: none yet */
    YK_ARRAY(struct yk_recorded) command; /* no more are added once finalized */
};

/** Takes over REAL, which RELEASE_REAL lets go of. NULL: no memory (REAL released). */
struct yk_command_buffer *yk_command_buffer_wrap(struct yk_queue *q, cl_command_buffer_khr real,
                                                 void (*release_real)(cl_command_buffer_khr), bool simultaneous);

/** Append R. Its memory objects are held from now on, its kernel (one reference) is taken over, also on failure.
 * Thread: any.  Errors: false, no memory. */
bool yk_command_buffer_record(struct yk_command_buffer *b, const struct yk_recorded *r);

/** Recording, executable or pending. Thread: any, no lock held. */
cl_command_buffer_state_khr yk_command_buffer_state(struct yk_command_buffer *b);

static inline struct yk_command_buffer *yk_command_buffer_from(cl_command_buffer_khr c)
{
    return yk_handle_is((void *)c, YK_KIND_COMMAND_BUFFER) ? (struct yk_command_buffer *)(void *)c : NULL;
}

#endif
