#include "shim/queue/transfer.h"
#include "base/clock.h"
#include "device/link/host_copy.h"
#include "shim/core/stats.h"
#include "shim/core/trace.h"
#include "shim/memory/filled.h"
#include "shim/memory/link.h"
#include "shim/queue/gather.h"
#include "shim/queue/host_only.h"
#include "shim/queue/transfer_carry.h"
#include "shim/queue/users.h"

static bool through_ring(const struct yk_transfer *t, enum yk_direction way)
{
    return t->mem->store && yk_link_wants(t->c.queue->ctx, PRIMARY, way, t->ptr, t->len);
}

/* Where the primary works in the host's memory, that is where the bytes of M from OFF on are, and several threads copy
 * faster than a driver's one. NULL: the driver does it. */
static unsigned char *place(const struct yk_transfer *t, const struct yk_mem *m, size_t off)
{
    const struct yk_store *s = m->store;
    if (!yk_host_copy_shared(t->len) || !s || !s->zero_copy[PRIMARY] || !s->master ||
        t->c.queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        return NULL;
    return s->master + m->origin + off;
}

static bool apart(const unsigned char *a, const unsigned char *b, size_t len)
{
    return a + len <= b || b + len <= a;
}

static unsigned char *by_hand(const struct yk_transfer *t)
{
    unsigned char *at = place(t, t->mem, t->off);
    return at && apart(at, t->ptr, t->len) ? at : NULL;
}

/* Two buffers may lie over the same memory of the app's. */
static bool copied_by_hand(const struct yk_transfer *t)
{
    const unsigned char *from = place(t, t->mem, t->off), *to = place(t, t->to, t->to_off);
    return from && to && apart(from, to, t->len);
}

/* From the caller's thread: it waits in any case, and nobody asks for an event. */
static bool in_place(const struct yk_transfer *t)
{
    return t->c.blocks && by_hand(t);
}

static bool read_resident(struct yk_command *c)
{
    const struct yk_transfer *t = (struct yk_transfer *)c;
    return yk_mem_at_primary(t->mem) && !through_ring(t, YK_OUT) && (!by_hand(t) || in_place(t));
}

static bool write_resident(struct yk_command *c)
{
    const struct yk_transfer *t = (struct yk_transfer *)c;
    return (yk_rt.options.piping != YK_PIPING_FORCED || !t->len) && !yk_host_only_in(t) && !through_ring(t, YK_IN) &&
           (!by_hand(t) || in_place(t));
}

static cl_int read_by_hand(struct yk_transfer *t)
{
    cl_int err = yk_transfer_drain(t);
    if (err == CL_SUCCESS)
        yk_host_copy(t->ptr, by_hand(t), t->len);
    return err;
}

static cl_int write_by_hand(struct yk_transfer *t)
{
    cl_int err = yk_transfer_drain(t);
    if (err == CL_SUCCESS) {
        bool begun = yk_write_begin(t->mem->store);
        yk_host_copy(by_hand(t), t->ptr, t->len);
        yk_mem_primary_writes(t->mem, t->off, t->len);
        yk_write_end(t->mem->store, begun);
    }
    return err;
}

/* By the driver, from where PTR points to. */
static cl_int write_by_driver(cl_command_queue q, struct yk_mem *m, bool blocking, size_t off, size_t len,
                              const void *ptr, cl_uint nwait, const cl_event *wait, cl_event *real)
{
    struct yk_waited_write w;
    yk_waited_write_begin(&w, m->store, blocking, real);
    cl_int err = CL->EnqueueWriteBuffer(q, REAL(m), w.blocks, off, len, ptr, nwait, wait, w.done);
    if (err == CL_SUCCESS)
        yk_mem_primary_writes(m, off, len);
    return yk_waited_write_end(&w, err);
}

static cl_int read_issue(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    if (blocking && in_place(t))
        return read_by_hand(t);
    yk_link_plain(PRIMARY, YK_OUT, t->len);
    uint64_t began = yk_trace_on() ? yk_now_ns() : 0;
    cl_int err = CL->EnqueueReadBuffer(QUEUE(t), REAL(t->mem), blocking, t->off, t->len, t->ptr, nwait, wait, real);
    if (blocking && began)
        yk_trace_moved("read", t->len, began);
    return err;
}

static cl_int read_carry(struct yk_command *c, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    struct yk_mem *m = t->mem;
    bool here = yk_mem_at_primary(m);
    bool ring = through_ring(t, YK_OUT);
    if (here && !ring)
        return by_hand(t) ? read_by_hand(t) : yk_transfer_bring_and_issue(c, real);
    uint64_t moved = 0;
    cl_int err = here ? yk_transfer_drain_for(t, YK_OUT, t->ptr) : yk_transfer_drain(t);
    uint64_t began = yk_now_ns();
    if (err == CL_SUCCESS && here)
        err = yk_link_read(m->ctx, PRIMARY, m->store->real[PRIMARY], m->origin + t->off, t->ptr, t->len);
    else if (err == CL_SUCCESS) /* newest on the host or another device: straight from there */
        err = yk_store_read(m->store, m->origin + t->off, t->len, t->ptr, &moved);
    yk_stats_moved(moved);
    yk_trace_moved("read", t->len, began);
    return err;
}

static cl_int write_issue(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    if (blocking && in_place(t))
        return write_by_hand(t);
    yk_link_plain(PRIMARY, YK_IN, t->len);
    uint64_t began = yk_trace_on() ? yk_now_ns() : 0;
    cl_int err = write_by_driver(QUEUE(t), t->mem, blocking, t->off, t->len, t->ptr, nwait, wait, real);
    if (blocking && began)
        yk_trace_moved("write", t->len, began);
    return err;
}

bool yk_transfer_small(bool in, struct yk_queue *q, struct yk_mem *m, size_t off, size_t len, void *ptr, cl_int *err)
{
    yk_quiet_enter(q);
    yk_users_note_command(q, m, in, 0, NULL);
    uint64_t wait = yk_quiet_wait(q, 1);
    yk_gather_mark(q);
    if (!yk_link_never(len) || !yk_queue_enter(q)) {
        yk_quiet_leave(q);
        return false;
    }
    bool here =
        in ? (yk_rt.options.piping != YK_PIPING_FORCED || !len) && !yk_store_host_only(m->store) : yk_mem_at_primary(m);
    if (here) {
        yk_gather_drain(q);
        *err = in ? write_by_driver(q->real, m, true, off, len, ptr, 0, NULL, NULL)
                  : CL->EnqueueReadBuffer(q->real, REAL(m), CL_TRUE, off, len, ptr, 0, NULL, NULL);
    }
    yk_queue_leave(q);
    if (here && *err == CL_SUCCESS) {
        if (!(q->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
            yk_quiet_over(q, wait);
        *err = yk_store_gather(q->ctx);
    }
    yk_quiet_leave(q);
    return here;
}

static cl_int write_carry(struct yk_command *c, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    if (yk_host_only_in(t))
        return yk_transfer_on_host(t, t->mem->store, yk_host_only_write);
    if (!through_ring(t, YK_IN))
        return by_hand(t) ? write_by_hand(t) : yk_command_issued(c->kind->issue(c, false, 0, NULL, real), real);
    cl_int err = yk_transfer_drain_for(t, YK_IN, t->ptr);
    if (err != CL_SUCCESS)
        return err;
    struct yk_store *s = t->mem->store;
    bool begun = yk_write_begin(s);
    uint64_t began = yk_now_ns();
    err = yk_link_write(t->mem->ctx, PRIMARY, s->real[PRIMARY], t->mem->origin + t->off, t->ptr, t->len);
    if (err == CL_SUCCESS)
        yk_mem_primary_writes(t->mem, t->off, t->len);
    yk_write_end(s, begun);
    yk_trace_moved("write", t->len, began);
    return err;
}

static cl_int copy_issue(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    (void)blocking;
    bool begun = yk_write_begin(t->to->store);
    cl_int err =
        CL->EnqueueCopyBuffer(QUEUE(t), REAL(t->mem), REAL(t->to), t->off, t->to_off, t->len, nwait, wait, real);
    if (err == CL_SUCCESS)
        yk_mem_primary_writes(t->to, t->to_off, t->len);
    yk_write_end(t->to->store, begun);
    return err;
}

static bool copy_resident(struct yk_command *c)
{
    return yk_transfer_at_primary(c) && !yk_host_only_in((const struct yk_transfer *)c) &&
           !copied_by_hand((const struct yk_transfer *)c);
}

static cl_int copy_carry(struct yk_command *c, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    if (yk_host_only_in(t))
        return yk_transfer_on_host(t, t->to->store, yk_host_only_copy);
    if (!copied_by_hand(t))
        return yk_transfer_bring_and_issue(c, real);
    cl_int err = yk_transfer_drain(t);
    if (err == CL_SUCCESS)
        err = yk_transfer_bring(t->mem, t->off, t->len);
    if (err == CL_SUCCESS) {
        bool begun = yk_write_begin(t->to->store);
        yk_host_copy(place(t, t->to, t->to_off), place(t, t->mem, t->off), t->len);
        yk_mem_primary_writes(t->to, t->to_off, t->len);
        yk_write_end(t->to->store, begun);
    }
    return err;
}

static cl_int fill_issue(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    (void)blocking;
    bool begun = yk_write_begin(t->mem->store);
    cl_int err =
        CL->EnqueueFillBuffer(QUEUE(t), REAL(t->mem), t->pattern, t->pattern_size, t->off, t->len, nwait, wait, real);
    if (err == CL_SUCCESS && t->mem->store)
        yk_store_filled(t->mem->store, t->mem->origin + t->off, t->len, t->pattern, t->pattern_size);
    yk_write_end(t->mem->store, begun);
    return err;
}

static bool fill_resident(struct yk_command *c)
{
    return !yk_host_only_in((const struct yk_transfer *)c);
}

static cl_int fill_carry(struct yk_command *c, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    return yk_host_only_in(t) ? yk_transfer_on_host(t, t->mem->store, yk_host_only_fill)
                              : yk_command_issued(fill_issue(c, false, 0, NULL, real), real);
}

YK_TRANSFER_KIND(yk_read_kind, CL_COMMAND_READ_BUFFER, read_issue, read_resident, read_carry);
YK_TRANSFER_KIND(yk_write_kind, CL_COMMAND_WRITE_BUFFER, write_issue, write_resident, write_carry);
YK_TRANSFER_KIND(yk_copy_kind, CL_COMMAND_COPY_BUFFER, copy_issue, copy_resident, copy_carry);
YK_TRANSFER_KIND(yk_fill_kind, CL_COMMAND_FILL_BUFFER, fill_issue, fill_resident, fill_carry);
