/* Transfers of rectangles. */
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
    struct yk_waited_write w;
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
    return yk_host_only_in(t) ? yk_transfer_on_host(t, NULL, yk_host_only_read_rect)
                              : yk_transfer_bring_and_issue(c, real);
}

static cl_int write_rect_carry(struct yk_command *c, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    return yk_host_only_in(t) ? yk_transfer_on_host(t, t->mem->store, yk_host_only_write_rect)
                              : yk_transfer_bring_and_issue(c, real);
}

static cl_int copy_rect_carry(struct yk_command *c, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    return yk_host_only_in(t) ? yk_transfer_on_host(t, t->to->store, yk_host_only_copy_rect)
                              : yk_transfer_bring_and_issue(c, real);
}

YK_TRANSFER_KIND(yk_read_rect_kind, CL_COMMAND_READ_BUFFER_RECT, read_rect_issue, yk_transfer_at_primary,
                 read_rect_carry);
YK_TRANSFER_KIND(yk_write_rect_kind, CL_COMMAND_WRITE_BUFFER_RECT, write_rect_issue, yk_transfer_at_primary,
                 write_rect_carry);
YK_TRANSFER_KIND(yk_copy_rect_kind, CL_COMMAND_COPY_BUFFER_RECT, copy_rect_issue, both_resident, copy_rect_carry);
