#include "shim/queue/transfer.h"
#include <string.h>
#include "device/link/host_copy.h"
#include "shim/core/stats.h"
#include "shim/memory/filled.h"
#include "shim/memory/link.h"
#include "shim/memory/tenant.h"
#include "shim/queue/gather.h"
#include "shim/queue/host_only.h"

#define PRIMARY    (yk_rt.primary->index)
#define CL         (yk_rt.primary->cl)
#define QUEUE(t)   ((t)->c.queue->real)
#define REAL(mem_) (yk_mem_real((mem_), PRIMARY))

bool yk_rect_range(const size_t *origin, const size_t *region, size_t row_pitch, size_t slice_pitch, size_t *off,
                   size_t *len)
{
    size_t row = row_pitch ? row_pitch : region[0], slice = slice_pitch ? slice_pitch : region[1] * row, a, b, c, d;
    if (!region[0] || !region[1] || !region[2])
        return false;
    if (__builtin_mul_overflow(origin[2], slice, &a) || __builtin_mul_overflow(origin[1], row, &b) ||
        __builtin_add_overflow(a, b, &a) || __builtin_add_overflow(a, origin[0], off))
        return false;
    if (__builtin_mul_overflow(region[2] - 1, slice, &c) || __builtin_mul_overflow(region[1] - 1, row, &d) ||
        __builtin_add_overflow(c, d, &c) || __builtin_add_overflow(c, region[0], len))
        return false;
    return !__builtin_add_overflow(*off, *len, &a);
}

static cl_int transfer_capture(struct yk_command *c)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    yk_hold(&t->mem->h);
    if (t->to)
        yk_hold(&t->to->h);
    return CL_SUCCESS;
}

static void transfer_release(struct yk_command *c)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    yk_drop(&t->mem->h);
    if (t->to)
        yk_drop(&t->to->h);
}

/* The worker touches bytes itself: what the primary's driver still does for this queue comes first. */
static cl_int drain(struct yk_transfer *t)
{
    return CL->Finish(QUEUE(t));
}

/* Before the bytes go between PTR and the primary. */
static cl_int drain_for(struct yk_transfer *t, enum yk_direction way, const void *ptr)
{
    if (t->mem->store && !yk_host_only_in(t))
        yk_link_prepare(t->c.queue->ctx, PRIMARY, way, ptr, t->len);
    return drain(t);
}

static cl_int bring(struct yk_mem *m, size_t off, size_t len)
{
    uint64_t moved = 0;
    cl_int err = m->store ? yk_store_need(m->store, PRIMARY, m->origin + off, len, &moved) : CL_SUCCESS;
    yk_stats_moved(moved);
    return err;
}

/* Of buffers that live in the host's memory. */
static cl_int on_host(struct yk_transfer *t, cl_int (*how)(struct yk_transfer *t))
{
    cl_int err = drain(t);
    if (err != CL_SUCCESS)
        return err;
    struct yk_store *s = t->mem->store, *to = t->to ? t->to->store : NULL;
    yk_tenant_enter(s);
    if (to)
        yk_tenant_enter(to);
    err = how(t);
    if (to)
        yk_tenant_leave(to);
    yk_tenant_leave(s);
    return err;
}

static bool mem_resident(struct yk_command *c)
{
    return yk_mem_at_primary(((struct yk_transfer *)c)->mem);
}

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

static bool both_resident(struct yk_command *c)
{
    const struct yk_transfer *t = (struct yk_transfer *)c;
    return yk_mem_at_primary(t->mem) && yk_mem_at_primary(t->to);
}

/* Worker: bring the bytes that the command reads or partly overwrites, then issue. */
static cl_int bring_and_issue(struct yk_command *c, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    cl_int err = CL_SUCCESS;
    if (!yk_mem_at_primary(t->mem) && (err = drain(t)) == CL_SUCCESS)
        err = bring(t->mem, t->off, t->len);
    if (err == CL_SUCCESS && t->to && !yk_mem_at_primary(t->to) && (err = drain(t)) == CL_SUCCESS)
        err = bring(t->to, t->to_off, t->to_len);
    if (err == CL_SUCCESS)
        err = c->kind->issue(c, false, 0, NULL, real);
    return yk_command_issued(err, real);
}

static cl_int read_by_hand(struct yk_transfer *t)
{
    cl_int err = drain(t);
    if (err == CL_SUCCESS)
        yk_host_copy(t->ptr, by_hand(t), t->len);
    return err;
}

static cl_int write_by_hand(struct yk_transfer *t)
{
    cl_int err = drain(t);
    if (err == CL_SUCCESS) {
        yk_host_copy(by_hand(t), t->ptr, t->len);
        yk_mem_primary_writes(t->mem, t->off, t->len);
    }
    return err;
}

static cl_int read_issue(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    if (blocking && in_place(t))
        return read_by_hand(t);
    yk_link_plain(PRIMARY, YK_OUT, t->len);
    return CL->EnqueueReadBuffer(QUEUE(t), REAL(t->mem), blocking, t->off, t->len, t->ptr, nwait, wait, real);
}

static cl_int read_carry(struct yk_command *c, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    struct yk_mem *m = t->mem;
    bool here = yk_mem_at_primary(m);
    bool ring = through_ring(t, YK_OUT);
    if (here && !ring)
        return by_hand(t) ? read_by_hand(t) : bring_and_issue(c, real);
    uint64_t moved = 0;
    cl_int err = here ? drain_for(t, YK_OUT, t->ptr) : drain(t);
    if (err == CL_SUCCESS && here)
        return yk_link_read(m->ctx, PRIMARY, m->store->real[PRIMARY], m->origin + t->off, t->ptr, t->len);
    /* Newest on the host or another device: straight from there. */
    if (err == CL_SUCCESS)
        err = yk_store_read(m->store, m->origin + t->off, t->len, t->ptr, &moved);
    yk_stats_moved(moved);
    return err;
}

static cl_int write_issue(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    if (blocking && in_place(t))
        return write_by_hand(t);
    yk_link_plain(PRIMARY, YK_IN, t->len);
    cl_int err = CL->EnqueueWriteBuffer(QUEUE(t), REAL(t->mem), blocking, t->off, t->len, t->ptr, nwait, wait, real);
    if (err == CL_SUCCESS)
        yk_mem_primary_writes(t->mem, t->off, t->len);
    return err;
}

bool yk_transfer_small(bool in, struct yk_queue *q, struct yk_mem *m, size_t off, size_t len, void *ptr, cl_int *err)
{
    yk_gather_mark(q);
    if (!yk_link_never(len) || !yk_queue_enter(q))
        return false;
    bool here =
        in ? (yk_rt.options.piping != YK_PIPING_FORCED || !len) && !yk_store_host_only(m->store) : yk_mem_at_primary(m);
    if (here) {
        yk_gather_drain(q);
        *err = in ? CL->EnqueueWriteBuffer(q->real, REAL(m), CL_TRUE, off, len, ptr, 0, NULL, NULL)
                  : CL->EnqueueReadBuffer(q->real, REAL(m), CL_TRUE, off, len, ptr, 0, NULL, NULL);
        if (in && *err == CL_SUCCESS)
            yk_mem_primary_writes(m, off, len);
    }
    yk_queue_leave(q);
    if (here && *err == CL_SUCCESS)
        *err = yk_store_gather(q->ctx);
    return here;
}

static cl_int write_carry(struct yk_command *c, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    if (yk_host_only_in(t))
        return on_host(t, yk_host_only_write);
    if (!through_ring(t, YK_IN))
        return by_hand(t) ? write_by_hand(t) : yk_command_issued(c->kind->issue(c, false, 0, NULL, real), real);
    cl_int err = drain_for(t, YK_IN, t->ptr);
    if (err == CL_SUCCESS)
        err =
            yk_link_write(t->mem->ctx, PRIMARY, t->mem->store->real[PRIMARY], t->mem->origin + t->off, t->ptr, t->len);
    if (err == CL_SUCCESS)
        yk_mem_primary_writes(t->mem, t->off, t->len);
    return err;
}

static cl_int copy_issue(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    (void)blocking;
    cl_int err =
        CL->EnqueueCopyBuffer(QUEUE(t), REAL(t->mem), REAL(t->to), t->off, t->to_off, t->len, nwait, wait, real);
    if (err == CL_SUCCESS)
        yk_mem_primary_writes(t->to, t->to_off, t->len);
    return err;
}

static bool copy_resident(struct yk_command *c)
{
    return mem_resident(c) && !yk_host_only_in((const struct yk_transfer *)c) &&
           !copied_by_hand((const struct yk_transfer *)c);
}

static cl_int copy_carry(struct yk_command *c, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    if (yk_host_only_in(t))
        return on_host(t, yk_host_only_copy);
    if (!copied_by_hand(t))
        return bring_and_issue(c, real);
    cl_int err = drain(t);
    if (err == CL_SUCCESS)
        err = bring(t->mem, t->off, t->len);
    if (err == CL_SUCCESS) {
        yk_host_copy(place(t, t->to, t->to_off), place(t, t->mem, t->off), t->len);
        yk_mem_primary_writes(t->to, t->to_off, t->len);
    }
    return err;
}

static cl_int fill_issue(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    (void)blocking;
    cl_int err =
        CL->EnqueueFillBuffer(QUEUE(t), REAL(t->mem), t->pattern, t->pattern_size, t->off, t->len, nwait, wait, real);
    if (err == CL_SUCCESS && t->mem->store)
        yk_store_filled(t->mem->store, t->mem->origin + t->off, t->len, t->pattern, t->pattern_size);
    return err;
}

static bool fill_resident(struct yk_command *c)
{
    return !yk_host_only_in((const struct yk_transfer *)c);
}

static cl_int fill_carry(struct yk_command *c, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    return yk_host_only_in(t) ? on_host(t, yk_host_only_fill)
                              : yk_command_issued(fill_issue(c, false, 0, NULL, real), real);
}

static cl_int read_rect_issue(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    const struct yk_rect *r = &t->rect;
    return CL->EnqueueReadBufferRect(QUEUE(t), REAL(t->mem), blocking, r->origin, r->host_origin, r->region,
                                     r->row_pitch, r->slice_pitch, r->host_row_pitch, r->host_slice_pitch, t->ptr,
                                     nwait, wait, real);
}

/* The rows of a rectangle are written, and what is between them is not, as long as there is something between them and
 * the rows are few to note. [off, off+len) are the bytes that it spans. */
static void primary_writes_rows(struct yk_mem *m, size_t off, size_t len, const size_t *region, size_t row_pitch,
                                size_t slice_pitch)
{
    enum { SHARE = 32 };
    uint64_t rows = (uint64_t)region[1] * region[2];
    struct yk_region r = {m->origin + off, region[0], region[1], row_pitch, region[2], slice_pitch};
    if (yk_region_scattered(&r) || len - rows * region[0] < len / SHARE)
        yk_mem_primary_writes(m, off, len);
    else if (m->store && !__atomic_load_n(&m->store->only_primary, __ATOMIC_ACQUIRE))
        yk_store_wrote_region(m->store, PRIMARY, &r);
}

static cl_int write_rect_issue(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    const struct yk_rect *r = &t->rect;
    cl_int err =
        CL->EnqueueWriteBufferRect(QUEUE(t), REAL(t->mem), blocking, r->origin, r->host_origin, r->region, r->row_pitch,
                                   r->slice_pitch, r->host_row_pitch, r->host_slice_pitch, t->ptr, nwait, wait, real);
    if (err == CL_SUCCESS)
        primary_writes_rows(t->mem, t->off, t->len, r->region, r->row_pitch, r->slice_pitch);
    return err;
}

static cl_int copy_rect_issue(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    const struct yk_rect *r = &t->rect;
    (void)blocking;
    cl_int err = CL->EnqueueCopyBufferRect(QUEUE(t), REAL(t->mem), REAL(t->to), r->origin, r->host_origin, r->region,
                                           r->row_pitch, r->slice_pitch, r->host_row_pitch, r->host_slice_pitch, nwait,
                                           wait, real);
    if (err == CL_SUCCESS)
        primary_writes_rows(t->to, t->to_off, t->to_len, r->region, r->host_row_pitch, r->host_slice_pitch);
    return err;
}

static cl_int read_rect_carry(struct yk_command *c, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    return yk_host_only_in(t) ? on_host(t, yk_host_only_read_rect) : bring_and_issue(c, real);
}

static cl_int write_rect_carry(struct yk_command *c, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    return yk_host_only_in(t) ? on_host(t, yk_host_only_write_rect) : bring_and_issue(c, real);
}

static cl_int copy_rect_carry(struct yk_command *c, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    return yk_host_only_in(t) ? on_host(t, yk_host_only_copy_rect) : bring_and_issue(c, real);
}

static cl_int map_capture(struct yk_command *c)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    return yk_store_master(t->mem->store) ? transfer_capture(c) : CL_MAP_FAILURE;
}

static bool map_resident(struct yk_command *c)
{
    const struct yk_transfer *t = (struct yk_transfer *)c;
    return yk_mem_at_primary(t->mem);
}

static cl_int map_issue(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    cl_int err = CL_SUCCESS;
    t->ptr =
        CL->EnqueueMapBuffer(QUEUE(t), REAL(t->mem), blocking, t->map_flags, t->off, t->len, nwait, wait, real, &err);
    t->issued = t->ptr != NULL;
    return err;
}

/* The pointer was promised in the master: make its bytes the newest. */
static cl_int map_carry(struct yk_command *c, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    struct yk_mem *m = t->mem;
    uint64_t moved = 0;
    (void)real;
    bool reads = !(t->map_flags & CL_MAP_WRITE_INVALIDATE_REGION) && yk_mem_at_primary(m);
    cl_int err = reads ? drain_for(t, YK_OUT, m->store->master) : drain(t);
    if (err == CL_SUCCESS && !(t->map_flags & CL_MAP_WRITE_INVALIDATE_REGION))
        err = yk_store_need_host(m->store, m->origin + t->off, t->len, &moved);
    if (err == CL_SUCCESS && t->map_flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION))
        err = yk_tenant_map(m->store, m->origin + t->off, t->len);
    yk_stats_moved(moved);
    return err;
}

static cl_int unmap_issue(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    (void)blocking;
    bool writes = t->map_flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
    if (t->on_master) {
        if (writes && yk_queue_failed(c->queue)) /* perhaps the map itself has failed: then the app has seen nothing */
            yk_store_lose(t->mem->store, t->mem->origin + t->off, t->len);
        else if (writes)
            yk_store_wrote_host(t->mem->store, t->mem->origin + t->off, t->len);
        if (writes)
            yk_tenant_unmap(t->mem->store, t->mem->origin + t->off, t->len);
        return real ? CL->EnqueueMarkerWithWaitList(QUEUE(t), nwait, wait, real) : CL_SUCCESS;
    }
    cl_int err = CL->EnqueueUnmapMemObject(QUEUE(t), REAL(t->mem), t->ptr, nwait, wait, real);
    if (err == CL_SUCCESS && writes)
        yk_mem_primary_writes(t->mem, t->off, t->len);
    return err;
}

#define KIND(name, type_, issue_, resident_, carry_)                                                                   \
    const struct yk_command_kind name = {.type = (type_),                                                              \
                                         .issue = (issue_),                                                            \
                                         .resident = (resident_),                                                      \
                                         .capture = transfer_capture,                                                  \
                                         .carry = (carry_),                                                            \
                                         .release = transfer_release}

KIND(yk_read_kind, CL_COMMAND_READ_BUFFER, read_issue, read_resident, read_carry);
KIND(yk_write_kind, CL_COMMAND_WRITE_BUFFER, write_issue, write_resident, write_carry);
KIND(yk_copy_kind, CL_COMMAND_COPY_BUFFER, copy_issue, copy_resident, copy_carry);
KIND(yk_fill_kind, CL_COMMAND_FILL_BUFFER, fill_issue, fill_resident, fill_carry);
KIND(yk_read_rect_kind, CL_COMMAND_READ_BUFFER_RECT, read_rect_issue, mem_resident, read_rect_carry);
KIND(yk_write_rect_kind, CL_COMMAND_WRITE_BUFFER_RECT, write_rect_issue, mem_resident, write_rect_carry);
KIND(yk_copy_rect_kind, CL_COMMAND_COPY_BUFFER_RECT, copy_rect_issue, both_resident, copy_rect_carry);
const struct yk_command_kind yk_map_kind = {.type = CL_COMMAND_MAP_BUFFER,
                                            .issue = map_issue,
                                            .resident = map_resident,
                                            .capture = map_capture,
                                            .carry = map_carry,
                                            .release = transfer_release};
const struct yk_command_kind yk_unmap_kind = {.type = CL_COMMAND_UNMAP_MEM_OBJECT,
                                              .tidies = true,
                                              .issue = unmap_issue,
                                              .capture = transfer_capture,
                                              .release = transfer_release};
