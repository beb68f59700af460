/* Transfers of rectangles. */
#include "base/clock.h"
#include "shim/core/trace.h"
#include "shim/memory/link.h"
#include "shim/queue/host_only.h"
#include "shim/queue/transfer.h"
#include "shim/queue/transfer_carry.h"

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

static bool both_resident(struct yk_command *c)
{
    const struct yk_transfer *t = (struct yk_transfer *)c;
    return yk_mem_at_primary(t->mem) && yk_mem_at_primary(t->to);
}

/* The driver moves rectangles of ordinary memory no faster than ranges of it: large ones go through a ring as well, a
 * piece for each slice. */
enum { SLICES_MOST = 256 };

static size_t bytes_of(const struct yk_rect *r)
{
    return r->region[0] * r->region[1] * r->region[2]; /* no more than the buffer */
}

static bool through_ring(const struct yk_transfer *t, enum yk_direction way)
{
    const struct yk_rect *r = &t->rect;
    return t->mem->store && yk_link_wants(t->c.queue->ctx, PRIMARY, way, t->ptr, bytes_of(r)) &&
           r->region[2] <= SLICES_MOST && r->region[0] >= yk_link_row_least();
}

/* All bytes are at the primary, whose queue has nothing under way. False: the driver is to do it. */
static bool move_rows(struct yk_transfer *t, enum yk_direction way)
{
    const struct yk_rect *r = &t->rect;
    struct yk_store *s = t->mem->store;
    struct yk_ring_piece piece[SLICES_MOST];
    size_t row = r->region[0], pitch = r->row_pitch ? r->row_pitch : row,
           host_pitch = r->host_row_pitch ? r->host_row_pitch : row,
           slice = r->slice_pitch ? r->slice_pitch : r->region[1] * pitch,
           host_slice = r->host_slice_pitch ? r->host_slice_pitch : r->region[1] * host_pitch,
           host = r->host_origin[2] * host_slice + r->host_origin[1] * host_pitch + r->host_origin[0];
    for (size_t i = 0; i < r->region[2]; i++) {
        size_t off = t->mem->origin + t->off + i * slice;
        if (off % pitch + row > pitch) /* such rows would begin behind the end of others */
            return false;
        piece[i] = (struct yk_ring_piece){.buffer = s->real[PRIMARY],
                                          .off = off,
                                          .host = (unsigned char *)t->ptr + host + i * host_slice,
                                          .len = row * r->region[1],
                                          .row = row,
                                          .pitch = pitch,
                                          .host_pitch = host_pitch};
    }
    uint64_t began = yk_now_ns();
    bool moved = yk_link_rows(t->mem->ctx, PRIMARY, way, piece, r->region[2]);
    if (moved)
        yk_trace_moved(way == YK_IN ? "write" : "read", bytes_of(r), began);
    return moved;
}

static bool read_resident(struct yk_command *c)
{
    return yk_transfer_at_primary(c) && !through_ring((const struct yk_transfer *)c, YK_OUT);
}

static bool write_resident(struct yk_command *c)
{
    return yk_transfer_at_primary(c) && !through_ring((const struct yk_transfer *)c, YK_IN);
}

static cl_int read_rect_issue(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    const struct yk_rect *r = &t->rect;
    yk_link_plain(PRIMARY, YK_OUT, bytes_of(r));
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
    struct yk_waited_write w;
    yk_link_plain(PRIMARY, YK_IN, bytes_of(r));
    yk_waited_write_begin(&w, t->mem->store, blocking, real);
    cl_int err =
        CL->EnqueueWriteBufferRect(QUEUE(t), REAL(t->mem), w.blocks, r->origin, r->host_origin, r->region, r->row_pitch,
                                   r->slice_pitch, r->host_row_pitch, r->host_slice_pitch, t->ptr, nwait, wait, w.done);
    if (err == CL_SUCCESS)
        primary_writes_rows(t->mem, t->off, t->len, r->region, r->row_pitch, r->slice_pitch);
    return yk_waited_write_end(&w, err);
}

static cl_int copy_rect_issue(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    const struct yk_rect *r = &t->rect;
    (void)blocking;
    bool begun = yk_write_begin(t->to->store);
    cl_int err = CL->EnqueueCopyBufferRect(QUEUE(t), REAL(t->mem), REAL(t->to), r->origin, r->host_origin, r->region,
                                           r->row_pitch, r->slice_pitch, r->host_row_pitch, r->host_slice_pitch, nwait,
                                           wait, real);
    if (err == CL_SUCCESS)
        primary_writes_rows(t->to, t->to_off, t->to_len, r->region, r->host_row_pitch, r->host_slice_pitch);
    yk_write_end(t->to->store, begun);
    return err;
}

static cl_int read_rect_carry(struct yk_command *c, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    if (yk_host_only_in(t))
        return yk_transfer_on_host(t, NULL, yk_host_only_read_rect);
    if (through_ring(t, YK_OUT)) {
        cl_int err = yk_transfer_drain_for(t, YK_OUT, t->ptr);
        if (err == CL_SUCCESS && !yk_mem_at_primary(t->mem))
            err = yk_transfer_bring(t->mem, t->off, t->len);
        if (err != CL_SUCCESS || move_rows(t, YK_OUT))
            return err;
    }
    return yk_transfer_bring_and_issue(c, real);
}

static cl_int write_rect_carry(struct yk_command *c, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    if (yk_host_only_in(t))
        return yk_transfer_on_host(t, t->mem->store, yk_host_only_write_rect);
    if (through_ring(t, YK_IN)) {
        cl_int err = yk_transfer_drain_for(t, YK_IN, t->ptr);
        if (err == CL_SUCCESS && !yk_mem_at_primary(t->mem))
            err = yk_transfer_bring(t->mem, t->off, t->len);
        if (err != CL_SUCCESS)
            return err;
        bool begun = yk_write_begin(t->mem->store), moved = move_rows(t, YK_IN);
        if (moved)
            primary_writes_rows(t->mem, t->off, t->len, t->rect.region, t->rect.row_pitch, t->rect.slice_pitch);
        yk_write_end(t->mem->store, begun);
        if (moved)
            return CL_SUCCESS;
    }
    return yk_transfer_bring_and_issue(c, real);
}

static cl_int copy_rect_carry(struct yk_command *c, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    return yk_host_only_in(t) ? yk_transfer_on_host(t, t->to->store, yk_host_only_copy_rect)
                              : yk_transfer_bring_and_issue(c, real);
}

YK_TRANSFER_KIND(yk_read_rect_kind, CL_COMMAND_READ_BUFFER_RECT, read_rect_issue, read_resident, read_rect_carry);
YK_TRANSFER_KIND(yk_write_rect_kind, CL_COMMAND_WRITE_BUFFER_RECT, write_rect_issue, write_resident, write_rect_carry);
YK_TRANSFER_KIND(yk_copy_rect_kind, CL_COMMAND_COPY_BUFFER_RECT, copy_rect_issue, both_resident, copy_rect_carry);
