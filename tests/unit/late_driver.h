/* A driver that moves bytes as late as it may, and whose n-th call fails where that is wanted: what is reused or taken
 * for moved too early shows as wrong bytes. A buffer is the memory itself. For tests of device/link; each program has
 * a copy of its own. */
#ifndef YK_TESTS_UNIT_LATE_DRIVER_H
#define YK_TESTS_UNIT_LATE_DRIVER_H

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "device/opencl/cl.h"

enum { BYTES = 300000 };

/* A queue of a device: commands not yet carried out. Their events are themselves. */
struct command {
    struct command *next;
    struct queue *queue;
    void *to;
    const void *from;
    size_t len, rows, to_pitch, from_pitch; /* LEN: of a row */
    bool over, released;
    int asked;
};
struct queue {
    struct command *first, **last;
    int calls, fail_at; /* the n-th call that can fail does; 0: none */
    int waits;          /* for commands that were not over */
    int now, most;      /* commands not yet carried out, and the most at a time */
    bool onwards;       /* and all later ones */
    struct queue *self;
};

static void (*watch)(const struct queue *q, const void *to, const void *from, size_t len); /* when a command runs */

static cl_int count(struct queue *q)
{
    q->calls++;
    bool fails = q->calls == q->fail_at || (q->onwards && q->calls > q->fail_at);
    return fails ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

static void run_to(struct queue *q, const struct command *upto)
{
    while (q->first) {
        struct command *c = q->first;
        if (!(q->first = c->next))
            q->last = &q->first;
        for (size_t i = 0; watch && i < c->rows; i++)
            watch(q, (char *)c->to + i * c->to_pitch, (const char *)c->from + i * c->from_pitch, c->len);
        for (size_t i = 0; i < c->rows; i++)
            memcpy((char *)c->to + i * c->to_pitch, (const char *)c->from + i * c->from_pitch, c->len);
        q->now--;
        c->over = true;
        if (c->released)
            free(c);
        if (c == upto)
            return;
    }
}

static cl_int enqueue_rows(cl_command_queue queue, void *to, const void *from, size_t len, size_t rows, size_t to_pitch,
                           size_t from_pitch, cl_event *event)
{
    struct queue *q = (struct queue *)(void *)queue;
    cl_int err = count(q);
    if (err != CL_SUCCESS)
        return err;
    struct command *c = calloc(1, sizeof *c);
    *c = (struct command){
        .queue = q, .to = to, .from = from, .len = len, .rows = rows, .to_pitch = to_pitch, .from_pitch = from_pitch};
    q->most = ++q->now > q->most ? q->now : q->most;
    *q->last = c;
    q->last = &c->next;
    if (event)
        *event = (cl_event)(void *)c;
    else
        c->released = true;
    return CL_SUCCESS;
}

static cl_int enqueue(cl_command_queue queue, void *to, const void *from, size_t len, cl_event *event)
{
    return enqueue_rows(queue, to, from, len, 1, 0, 0, event);
}

static cl_int CL_API_CALL queue_info(cl_command_queue q, cl_command_queue_info what, size_t n, void *v, size_t *ret)
{
    (void)q, (void)what, (void)ret;
    memset(v, 1, n);
    return CL_SUCCESS;
}
static void *memory; /* of the latest ring */
static void *given;  /* the host's memory that the latest ring was made of */

static cl_mem CL_API_CALL create(cl_context ctx, cl_mem_flags flags, size_t n, void *p, cl_int *err)
{
    (void)ctx;
    *err = n == 13 ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_SUCCESS;
    if (n != 13 && flags & CL_MEM_USE_HOST_PTR)
        return given = p;
    return n == 13 ? NULL : (memory = malloc(n));
}
static void *CL_API_CALL map(cl_command_queue q, cl_mem m, cl_bool blocking, cl_map_flags flags, size_t off, size_t n,
                             cl_uint nwait, const cl_event *wait, cl_event *e, cl_int *err)
{
    (void)q, (void)blocking, (void)flags, (void)off, (void)nwait, (void)wait, (void)e;
    *err = n == 14 ? CL_MAP_FAILURE : CL_SUCCESS;
    return n == 14 ? NULL : (void *)m;
}
static cl_int CL_API_CALL unmap(cl_command_queue q, cl_mem m, void *p, cl_uint n, const cl_event *wait, cl_event *e)
{
    (void)q, (void)m, (void)p, (void)n, (void)wait, (void)e;
    return CL_SUCCESS;
}
static cl_int CL_API_CALL release_mem(cl_mem m)
{
    if (m != given)
        free(m);
    return CL_SUCCESS;
}
static cl_int CL_API_CALL write_buffer(cl_command_queue q, cl_mem m, cl_bool blocking, size_t off, size_t n,
                                       const void *p, cl_uint nwait, const cl_event *wait, cl_event *e)
{
    (void)blocking, (void)nwait, (void)wait;
    return enqueue(q, (char *)m + off, p, n, e);
}
static cl_int CL_API_CALL read_buffer(cl_command_queue q, cl_mem m, cl_bool blocking, size_t off, size_t n, void *p,
                                      cl_uint nwait, const cl_event *wait, cl_event *e)
{
    (void)blocking, (void)nwait, (void)wait;
    return enqueue(q, p, (char *)m + off, n, e);
}
/* Slices of one, and pitches that are given. */
static cl_int CL_API_CALL write_rect(cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *origin,
                                     const size_t *host_origin, const size_t *region, size_t row, size_t slice,
                                     size_t host_row, size_t host_slice, const void *p, cl_uint nwait,
                                     const cl_event *wait, cl_event *e)
{
    (void)blocking, (void)slice, (void)host_slice, (void)nwait, (void)wait;
    ck_assert(!origin[2] && region[2] == 1 && row >= region[0] && host_row >= region[0]);
    return enqueue_rows(q, (char *)m + origin[1] * row + origin[0],
                        (const char *)p + host_origin[1] * host_row + host_origin[0], region[0], region[1], row,
                        host_row, e);
}
static cl_int CL_API_CALL read_rect(cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *origin,
                                    const size_t *host_origin, const size_t *region, size_t row, size_t slice,
                                    size_t host_row, size_t host_slice, void *p, cl_uint nwait, const cl_event *wait,
                                    cl_event *e)
{
    (void)blocking, (void)slice, (void)host_slice, (void)nwait, (void)wait;
    ck_assert(!origin[2] && region[2] == 1 && row >= region[0] && host_row >= region[0]);
    return enqueue_rows(q, (char *)p + host_origin[1] * host_row + host_origin[0],
                        (char *)m + origin[1] * row + origin[0], region[0], region[1], host_row, row, e);
}
static cl_int CL_API_CALL copy_buffer(cl_command_queue q, cl_mem from, cl_mem to, size_t from_off, size_t to_off,
                                      size_t n, cl_uint nwait, const cl_event *wait, cl_event *e)
{
    (void)nwait, (void)wait;
    return enqueue(q, (char *)to + to_off, (char *)from + from_off, n, e);
}
static cl_int CL_API_CALL copy_rect(cl_command_queue q, cl_mem from, cl_mem to, const size_t *from_origin,
                                    const size_t *to_origin, const size_t *region, size_t from_row, size_t from_slice,
                                    size_t to_row, size_t to_slice, cl_uint nwait, const cl_event *wait, cl_event *e)
{
    (void)from_slice, (void)to_slice, (void)nwait, (void)wait;
    ck_assert(!from_origin[2] && !to_origin[2] && region[2] == 1 && from_row >= region[0] && to_row >= region[0]);
    ck_assert(from_origin[0] + region[0] <= from_row && to_origin[0] + region[0] <= to_row);
    return enqueue_rows(q, (char *)to + to_origin[1] * to_row + to_origin[0],
                        (char *)from + from_origin[1] * from_row + from_origin[0], region[0], region[1], to_row,
                        from_row, e);
}
static cl_int CL_API_CALL flush(cl_command_queue q)
{
    return count((struct queue *)(void *)q);
}
static cl_int CL_API_CALL finish(cl_command_queue queue)
{
    struct queue *q = (struct queue *)(void *)queue;
    cl_int err = count(q);
    if (err == CL_SUCCESS)
        run_to(q, NULL);
    return err;
}
static cl_int CL_API_CALL wait_for(cl_uint n, const cl_event *e)
{
    struct command *c = (struct command *)(void *)e[0];
    ck_assert_uint_eq(n, 1);
    cl_int err = count(c->queue);
    c->queue->waits += !c->over;
    if (err == CL_SUCCESS && !c->over)
        run_to(c->queue, c);
    return err;
}
static cl_int CL_API_CALL event_info(cl_event e, cl_event_info what, size_t n, void *v, size_t *ret)
{
    struct command *c = (struct command *)(void *)e;
    (void)what, (void)n, (void)ret;
    if (!c->over && ++c->asked == 3)
        run_to(c->queue, c);
    *(cl_int *)v = c->over ? -14 : CL_QUEUED;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL release_event(cl_event e)
{
    struct command *c = (struct command *)(void *)e;
    c->released = true;
    if (c->over)
        free(c);
    return CL_SUCCESS;
}

static const struct yk_cl driver = {.GetCommandQueueInfo = queue_info,
                                    .CreateBuffer = create,
                                    .EnqueueMapBuffer = map,
                                    .EnqueueUnmapMemObject = unmap,
                                    .ReleaseMemObject = release_mem,
                                    .EnqueueWriteBuffer = write_buffer,
                                    .EnqueueReadBuffer = read_buffer,
                                    .EnqueueWriteBufferRect = write_rect,
                                    .EnqueueReadBufferRect = read_rect,
                                    .EnqueueCopyBuffer = copy_buffer,
                                    .EnqueueCopyBufferRect = copy_rect,
                                    .Flush = flush,
                                    .Finish = finish,
                                    .WaitForEvents = wait_for,
                                    .GetEventInfo = event_info,
                                    .ReleaseEvent = release_event};

static cl_command_queue open_queue(struct queue *q)
{
    *q = (struct queue){.last = &q->first, .self = q};
    return (cl_command_queue)(void *)q;
}

static unsigned char *noise(void)
{
    unsigned char *p = malloc(BYTES);
    for (size_t i = 0; i < BYTES; i++)
        p[i] = (unsigned char)(rand() >> 7);
    return p;
}

#endif
