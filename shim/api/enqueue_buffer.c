/* Commands on buffers. Checks come in the order in which the specification lists the errors. */
#include <stdlib.h>
#include "device/link/prefault.h"
#include "shim/api/api.h"
#include "shim/api/image_command.h"
#include "shim/memory/link.h"
#include "shim/memory/pinned.h"
#include "shim/queue/transfer.h"
#include "shim/queue/users.h"

enum { READS = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS, WRITES = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS };

static cl_int check(struct yk_queue *q, struct yk_mem *m)
{
    if (!q)
        return CL_INVALID_COMMAND_QUEUE;
    if (!m)
        return CL_INVALID_MEM_OBJECT;
    return q->ctx == m->ctx ? CL_SUCCESS : CL_INVALID_CONTEXT;
}

static bool inside(const struct yk_mem *m, size_t off, size_t len)
{
    return off <= m->size && len <= m->size - off;
}

static struct yk_transfer transfer(const struct yk_command_kind *kind, struct yk_queue *q, struct yk_mem *m,
                                   bool writes, size_t off, size_t len, const void *ptr)
{
    return (struct yk_transfer){.c = {.kind = kind,
                                      .size = sizeof(struct yk_transfer),
                                      .queue = q,
                                      .uses = {m, NULL},
                                      .writes = {writes, true}},
                                .mem = m,
                                .off = off,
                                .len = len,
                                .ptr = (void *)(uintptr_t)ptr};
}

/* Queries that the primary's driver judges by itself: odd arguments are given to it as they are (nothing is enqueued
 * then). */
static cl_int read_write(const struct yk_command_kind *kind, cl_command_queue command_queue, cl_mem buffer,
                         cl_bool blocking, size_t offset, size_t size, const void *ptr, cl_mem_flags forbidden,
                         cl_uint nwait, const cl_event *wait, cl_event *event)
{
    struct yk_queue *q = yk_queue_from(command_queue);
    struct yk_mem *m = yk_buffer_from(buffer);
    cl_int err = check(q, m);
    if (err != CL_SUCCESS)
        return err;
    if (!ptr || !inside(m, offset, size))
        return CL_INVALID_VALUE;
    if (m->flags & forbidden)
        return CL_INVALID_OPERATION;
    if (blocking && !nwait && !wait && !event &&
        yk_transfer_small(kind == &yk_write_kind, q, m, offset, size, (void *)(uintptr_t)ptr, &err))
        return err;
    struct yk_transfer t = transfer(kind, q, m, kind == &yk_write_kind, offset, size, ptr);
    t.c.blocks = blocking && !nwait && !event;
    return yk_command_enqueue(&t.c, blocking, nwait, wait, event);
}

cl_int yk_api_EnqueueReadBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_read, size_t offset,
                                size_t size, void *ptr, cl_uint num_events_in_wait_list,
                                const cl_event *event_wait_list, cl_event *event)
{
    return read_write(&yk_read_kind, command_queue, buffer, blocking_read, offset, size, ptr, READS,
                      num_events_in_wait_list, event_wait_list, event);
}

cl_int yk_api_EnqueueWriteBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_write, size_t offset,
                                 size_t size, const void *ptr, cl_uint num_events_in_wait_list,
                                 const cl_event *event_wait_list, cl_event *event)
{
    return read_write(&yk_write_kind, command_queue, buffer, blocking_write, offset, size, ptr, WRITES,
                      num_events_in_wait_list, event_wait_list, event);
}

/* Pitches as the specification wants them, 0 replaced. */
static bool pitches_ok(const size_t *region, size_t *row, size_t *slice)
{
    if (!*row)
        *row = region[0];
    if (*row < region[0])
        return false;
    size_t least;
    if (__builtin_mul_overflow(region[1], *row, &least))
        return false;
    if (!*slice)
        *slice = least;
    return *slice >= least && *slice % *row == 0;
}

static cl_int read_write_rect(const struct yk_command_kind *kind, cl_command_queue command_queue, cl_mem buffer,
                              cl_bool blocking, const size_t *buffer_origin, const size_t *host_origin,
                              const size_t *region, size_t buffer_row_pitch, size_t buffer_slice_pitch,
                              size_t host_row_pitch, size_t host_slice_pitch, const void *ptr, cl_mem_flags forbidden,
                              cl_uint nwait, const cl_event *wait, cl_event *event)
{
    struct yk_queue *q = yk_queue_from(command_queue);
    struct yk_mem *m = yk_buffer_from(buffer);
    cl_int err = check(q, m);
    if (err != CL_SUCCESS)
        return err;
    if (!ptr || !buffer_origin || !host_origin || !region)
        return CL_INVALID_VALUE;
    struct yk_transfer t = transfer(kind, q, m, kind == &yk_write_rect_kind, 0, 0, ptr);
    struct yk_rect *r = &t.rect;
    memcpy(r->origin, buffer_origin, sizeof r->origin);
    memcpy(r->host_origin, host_origin, sizeof r->host_origin);
    memcpy(r->region, region, sizeof r->region);
    r->row_pitch = buffer_row_pitch, r->slice_pitch = buffer_slice_pitch;
    r->host_row_pitch = host_row_pitch, r->host_slice_pitch = host_slice_pitch;
    if (!yk_rect_range(r->origin, r->region, r->row_pitch, r->slice_pitch, &t.off, &t.len) ||
        !inside(m, t.off, t.len) || !pitches_ok(region, &r->row_pitch, &r->slice_pitch) ||
        !pitches_ok(region, &r->host_row_pitch, &r->host_slice_pitch))
        return CL_INVALID_VALUE;
    if (m->flags & forbidden)
        return CL_INVALID_OPERATION;
    return yk_command_enqueue(&t.c, blocking, nwait, wait, event);
}

cl_int yk_api_EnqueueReadBufferRect(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_read,
                                    const size_t *buffer_offset, const size_t *host_offset, const size_t *region,
                                    size_t buffer_row_pitch, size_t buffer_slice_pitch, size_t host_row_pitch,
                                    size_t host_slice_pitch, void *ptr, cl_uint num_events_in_wait_list,
                                    const cl_event *event_wait_list, cl_event *event)
{
    return read_write_rect(&yk_read_rect_kind, command_queue, buffer, blocking_read, buffer_offset, host_offset, region,
                           buffer_row_pitch, buffer_slice_pitch, host_row_pitch, host_slice_pitch, ptr, READS,
                           num_events_in_wait_list, event_wait_list, event);
}

cl_int yk_api_EnqueueWriteBufferRect(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_write,
                                     const size_t *buffer_offset, const size_t *host_offset, const size_t *region,
                                     size_t buffer_row_pitch, size_t buffer_slice_pitch, size_t host_row_pitch,
                                     size_t host_slice_pitch, const void *ptr, cl_uint num_events_in_wait_list,
                                     const cl_event *event_wait_list, cl_event *event)
{
    return read_write_rect(&yk_write_rect_kind, command_queue, buffer, blocking_write, buffer_offset, host_offset,
                           region, buffer_row_pitch, buffer_slice_pitch, host_row_pitch, host_slice_pitch, ptr, WRITES,
                           num_events_in_wait_list, event_wait_list, event);
}

cl_int yk_api_EnqueueFillBuffer(cl_command_queue command_queue, cl_mem buffer, const void *pattern, size_t pattern_size,
                                size_t offset, size_t size, cl_uint num_events_in_wait_list,
                                const cl_event *event_wait_list, cl_event *event)
{
    struct yk_queue *q = yk_queue_from(command_queue);
    struct yk_mem *m = yk_buffer_from(buffer);
    cl_int err = check(q, m);
    if (err != CL_SUCCESS)
        return err;
    if (!inside(m, offset, size) || !pattern || !pattern_size || pattern_size > 128 ||
        (pattern_size & (pattern_size - 1)) || offset % pattern_size || size % pattern_size)
        return CL_INVALID_VALUE;
    struct yk_transfer t = transfer(&yk_fill_kind, q, m, true, offset, size, NULL);
    memcpy(t.pattern, pattern, pattern_size);
    t.pattern_size = pattern_size;
    return yk_command_enqueue(&t.c, false, num_events_in_wait_list, event_wait_list, event);
}

/* Do two ranges of bytes of one memory meet? */
static bool overlap(const struct yk_mem *a, size_t aoff, size_t alen, const struct yk_mem *b, size_t boff, size_t blen)
{
    aoff += a->origin;
    boff += b->origin;
    return a->store == b->store && aoff < boff + blen && boff < aoff + alen;
}

cl_int yk_api_EnqueueCopyBuffer(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer, size_t src_offset,
                                size_t dst_offset, size_t size, cl_uint num_events_in_wait_list,
                                const cl_event *event_wait_list, cl_event *event)
{
    struct yk_queue *q = yk_queue_from(command_queue);
    struct yk_mem *src = yk_buffer_from(src_buffer), *dst = yk_buffer_from(dst_buffer);
    cl_int err = check(q, src);
    if (err == CL_SUCCESS)
        err = check(q, dst);
    if (err != CL_SUCCESS)
        return err;
    if (!inside(src, src_offset, size) || !inside(dst, dst_offset, size))
        return CL_INVALID_VALUE;
    if (overlap(src, src_offset, size, dst, dst_offset, size))
        return CL_MEM_COPY_OVERLAP;
    if (!size) { /* drivers differ on it: this one is asked, also where the command is carried out later */
        err = YK_CL_P->EnqueueCopyBuffer(q->real, yk_mem_real(src, YK_P), yk_mem_real(dst, YK_P), src_offset,
                                         dst_offset, 0, 0, NULL, NULL);
        if (err != CL_SUCCESS)
            return err;
    }
    struct yk_transfer t = transfer(&yk_copy_kind, q, src, false, src_offset, size, NULL);
    t.to = t.c.uses[1] = dst;
    t.to_off = dst_offset;
    t.to_len = size;
    return yk_command_enqueue(&t.c, false, num_events_in_wait_list, event_wait_list, event);
}

/* Do source and destination of a rect copy within one memory meet? Both are rows of one length in rising order. */
static bool rects_overlap(const struct yk_transfer *t)
{
    const struct yk_rect *r = &t->rect;
    if (!overlap(t->mem, t->off, t->len, t->to, t->to_off, t->to_len))
        return false;
    size_t rows = r->region[1] * r->region[2], width = r->region[0];
    for (size_t i = 0, k = 0; i < rows && k < rows;) {
        size_t from = t->mem->origin + t->off + i / r->region[1] * r->slice_pitch + i % r->region[1] * r->row_pitch;
        size_t to =
            t->to->origin + t->to_off + k / r->region[1] * r->host_slice_pitch + k % r->region[1] * r->host_row_pitch;
        if (from < to + width && to < from + width)
            return true;
        if (from < to)
            i++;
        else
            k++;
    }
    return false;
}

cl_int yk_api_EnqueueCopyBufferRect(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer,
                                    const size_t *src_origin, const size_t *dst_origin, const size_t *region,
                                    size_t src_row_pitch, size_t src_slice_pitch, size_t dst_row_pitch,
                                    size_t dst_slice_pitch, cl_uint num_events_in_wait_list,
                                    const cl_event *event_wait_list, cl_event *event)
{
    struct yk_queue *q = yk_queue_from(command_queue);
    struct yk_mem *src = yk_buffer_from(src_buffer), *dst = yk_buffer_from(dst_buffer);
    cl_int err = check(q, src);
    if (err == CL_SUCCESS)
        err = check(q, dst);
    if (err != CL_SUCCESS)
        return err;
    if (!src_origin || !dst_origin || !region)
        return CL_INVALID_VALUE;
    struct yk_transfer t = transfer(&yk_copy_rect_kind, q, src, false, 0, 0, NULL);
    struct yk_rect *r = &t.rect;
    t.to = t.c.uses[1] = dst;
    memcpy(r->origin, src_origin, sizeof r->origin);
    memcpy(r->host_origin, dst_origin, sizeof r->host_origin);
    memcpy(r->region, region, sizeof r->region);
    r->row_pitch = src_row_pitch, r->slice_pitch = src_slice_pitch;
    r->host_row_pitch = dst_row_pitch, r->host_slice_pitch = dst_slice_pitch;
    if (!yk_rect_range(r->origin, r->region, src_row_pitch, src_slice_pitch, &t.off, &t.len) ||
        !inside(src, t.off, t.len) ||
        !yk_rect_range(r->host_origin, r->region, dst_row_pitch, dst_slice_pitch, &t.to_off, &t.to_len) ||
        !inside(dst, t.to_off, t.to_len) || !pitches_ok(region, &r->row_pitch, &r->slice_pitch) ||
        !pitches_ok(region, &r->host_row_pitch, &r->host_slice_pitch))
        return CL_INVALID_VALUE;
    if (src == dst && (r->row_pitch != r->host_row_pitch || r->slice_pitch != r->host_slice_pitch))
        return CL_INVALID_VALUE;
    if (rects_overlap(&t))
        return CL_MEM_COPY_OVERLAP;
    return yk_command_enqueue(&t.c, false, num_events_in_wait_list, event_wait_list, event);
}

/* Where the primary has memory of its own, a map behind what is pending is going to be in the master: that is touched
 * while the program waits, as a driver's memory for maps is, and what its bytes will come through is made. NULL: not
 * so, or not worth it. */
static struct yk_prefault *prepare_map(struct yk_queue *q, struct yk_mem *m, size_t offset, size_t size)
{
    uint64_t devs = 0;
    if (yk_rt.primary->host_memory || !yk_queue_busy(q))
        return NULL;
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        devs |= yk_store_made(m->store, i) ? 1ull << i : 0;
    yk_link_expect(q->ctx, devs, size);
    unsigned char *master = yk_store_master(m->store);
    return master && yk_store_owns(m->store, master) ? yk_prefault_begin(master + m->origin + offset, size, true)
                                                     : NULL;
}

/* Mappings of M, newest first. */
static void note_mapping(struct yk_mem *m, struct yk_mapping *p, const struct yk_transfer *t, bool on_master)
{
    *p = (struct yk_mapping){
        .ptr = t->ptr, .offset = t->off, .size = t->len, .flags = t->map_flags, .on_master = on_master};
    yk_lock_take(&m->lock);
    p->next = m->mappings;
    m->mappings = p;
    __atomic_fetch_add(&m->map_count, 1, __ATOMIC_RELAXED);
    yk_lock_drop(&m->lock);
}

void *yk_api_EnqueueMapBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_map,
                              cl_map_flags map_flags, size_t offset, size_t size, cl_uint num_events_in_wait_list,
                              const cl_event *event_wait_list, cl_event *event, cl_int *errcode_ret)
{
    struct yk_queue *q = yk_queue_from(command_queue);
    struct yk_mem *m = yk_buffer_from(buffer);
    cl_int err = check(q, m);
    const cl_map_flags all = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    if (err == CL_SUCCESS &&
        (!size || !inside(m, offset, size) || (map_flags & ~all) ||
         ((map_flags & CL_MAP_WRITE_INVALIDATE_REGION) && (map_flags & (CL_MAP_READ | CL_MAP_WRITE)))))
        err = CL_INVALID_VALUE;
    if (err == CL_SUCCESS && (((map_flags & CL_MAP_READ) && (m->flags & READS)) ||
                              ((map_flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) && (m->flags & WRITES))))
        err = CL_INVALID_OPERATION;
    /* Whatever may be lacking is asked for before the command is on its way. */
    struct yk_mapping *mapping = err == CL_SUCCESS ? malloc(sizeof *mapping) : NULL;
    if (err == CL_SUCCESS && !mapping)
        err = CL_OUT_OF_HOST_MEMORY;
    struct yk_transfer t = {.ptr = NULL};
    struct yk_prefault *touching = NULL;
    if (err == CL_SUCCESS) {
        if (map_flags & CL_MAP_READ)
            touching = prepare_map(q, m, offset, size);
        t = transfer(&yk_map_kind, q, m, map_flags != CL_MAP_READ, offset, size, NULL);
        t.map_flags = map_flags;
        err = yk_command_enqueue(&t.c, blocking_map, num_events_in_wait_list, event_wait_list, event);
    }
    if (err == CL_SUCCESS) {
        if (!t.issued) /* captured, which has made the master */
            t.ptr = yk_store_master(m->store) + m->origin + offset;
        note_mapping(m, mapping, &t, !t.issued);
        /* The program will write there: its first touches are most of what that costs. */
        if (!touching && map_flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) && yk_store_owns(m->store, t.ptr))
            touching = yk_prefault_begin(t.ptr, size, false);
        mapping->prefault = touching;
        if (t.issued)
            yk_link_mapped(t.ptr, size);
    } else {
        yk_prefault_end(touching);
        free(mapping);
    }
    yk_set_err(errcode_ret, err);
    return err == CL_SUCCESS ? t.ptr : NULL;
}

cl_int yk_api_EnqueueUnmapMemObject(cl_command_queue command_queue, cl_mem memobj, void *mapped_ptr,
                                    cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event)
{
    struct yk_queue *q = yk_queue_from(command_queue);
    struct yk_mem *m = yk_mem_from(memobj);
    cl_int err = check(q, m);
    if (err != CL_SUCCESS)
        return err;
    yk_lock_take(&m->lock);
    struct yk_mapping **p = &m->mappings, *found;
    while (*p && (*p)->ptr != mapped_ptr)
        p = &(*p)->next;
    found = *p;
    if (found)
        *p = found->next;
    yk_lock_drop(&m->lock);
    if (!found)
        return CL_INVALID_VALUE;
    yk_prefault_end(found->prefault);
    found->prefault = NULL;
    struct yk_transfer t =
        transfer(&yk_unmap_kind, q, m, found->flags != CL_MAP_READ, found->offset, found->size, mapped_ptr);
    t.map_flags = found->flags;
    t.on_master = found->on_master;
    err = found->stage ? yk_image_unmap(q, m, found, num_events_in_wait_list, event_wait_list, event)
                       : yk_command_enqueue(&t.c, false, num_events_in_wait_list, event_wait_list, event);
    if (err == CL_SUCCESS) {
        __atomic_fetch_sub(&m->map_count, 1, __ATOMIC_RELAXED);
        if (!found->on_master)
            yk_pinned_remove(mapped_ptr);
        yk_stage_drop(found->stage);
        free(found);
    } else {
        yk_lock_take(&m->lock);
        found->next = m->mappings;
        m->mappings = found;
        yk_lock_drop(&m->lock);
    }
    return err;
}
