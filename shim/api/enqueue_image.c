/* Commands on images: they go to the primary's queue in order with everything else. Checks come in the order in which
 * the specification lists the errors; the driver makes them where a command goes straight to it, image_check.c where it
 * is carried out later and could not say so at once. */
#include "shim/api/api.h"
#include "shim/api/image_command.h"
#include "shim/core/stats.h"
#include "shim/memory/exclude.h"
#include "shim/queue/users.h"

#define I ((struct yk_image_command *)c)
#define Q (c->queue->real)
#define A (yk_mem_real(I->a, YK_P))
#define B (yk_mem_real(I->b, YK_P))

bool yk_image_resident(struct yk_command *c)
{
    const struct yk_image_command *i = (struct yk_image_command *)c;
    return yk_mem_at_primary(i->a) && (!i->b || yk_mem_at_primary(i->b));
}

cl_int yk_image_carry(struct yk_command *c, cl_event *real)
{
    struct yk_image_command *i = (struct yk_image_command *)c;
    struct yk_mem *both[] = {i->a, i->b};
    cl_int err = CL_SUCCESS;
    uint64_t moved = 0;
    for (int k = 0; k < 2 && err == CL_SUCCESS; k++)
        if (both[k] && !yk_mem_at_primary(both[k])) {
            err = YK_CL_P->Finish(c->queue->real);
            if (err == CL_SUCCESS)
                err = yk_mem_need(both[k], &moved);
        }
    yk_stats_moved(moved);
    if (err == CL_SUCCESS)
        err = c->kind->issue(c, false, 0, NULL, real);
    return yk_command_issued(err, real);
}

/* ERR: what the driver said of a write to M. */
static cl_int wrote(struct yk_mem *m, cl_int err)
{
    if (err == CL_SUCCESS)
        (void)yk_mem_primary_may_write(m);
    return err;
}

#define IMAGE_KIND(name, type_)                                                                                        \
    static cl_int name##_issue(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait,               \
                               cl_event *real);                                                                        \
    static const struct yk_command_kind name##_kind = {.type = (type_),                                                \
                                                       .issue = name##_issue,                                          \
                                                       .resident = yk_image_resident,                                  \
                                                       .capture = yk_image_capture,                                    \
                                                       .carry = yk_image_carry,                                        \
                                                       .release = yk_image_release};                                   \
    static cl_int name##_issue(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait, cl_event *real)

IMAGE_KIND(read, CL_COMMAND_READ_IMAGE)
{
    return YK_CL_P->EnqueueReadImage(Q, A, blocking, I->origin, I->region, I->row_pitch, I->slice_pitch, I->ptr, nwait,
                                     wait, real);
}

IMAGE_KIND(write, CL_COMMAND_WRITE_IMAGE)
{
    return wrote(I->a, YK_CL_P->EnqueueWriteImage(Q, A, blocking, I->origin, I->region, I->row_pitch, I->slice_pitch,
                                                  I->ptr, nwait, wait, real));
}

IMAGE_KIND(fill, CL_COMMAND_FILL_IMAGE)
{
    (void)blocking;
    return wrote(I->a, YK_CL_P->EnqueueFillImage(Q, A, I->color, I->origin, I->region, nwait, wait, real));
}

IMAGE_KIND(copy, CL_COMMAND_COPY_IMAGE)
{
    (void)blocking;
    return wrote(I->b, YK_CL_P->EnqueueCopyImage(Q, A, B, I->origin, I->to_origin, I->region, nwait, wait, real));
}

IMAGE_KIND(to_buffer, CL_COMMAND_COPY_IMAGE_TO_BUFFER)
{
    (void)blocking;
    bool begun = yk_write_begin(I->b->store);
    cl_int err =
        wrote(I->b, YK_CL_P->EnqueueCopyImageToBuffer(Q, A, B, I->origin, I->region, I->offset, nwait, wait, real));
    yk_write_end(I->b->store, begun);
    return err;
}

IMAGE_KIND(from_buffer, CL_COMMAND_COPY_BUFFER_TO_IMAGE)
{
    (void)blocking;
    return wrote(I->b,
                 YK_CL_P->EnqueueCopyBufferToImage(Q, A, B, I->offset, I->to_origin, I->region, nwait, wait, real));
}

/* Handles checked, coordinates copied; the driver checks the rest. */
cl_int yk_image_prepare(struct yk_image_command *i, const struct yk_command_kind *kind, cl_command_queue queue,
                        cl_mem a, cl_mem b, bool two)
{
    *i = (struct yk_image_command){.c = {.kind = kind, .size = sizeof *i, .queue = yk_queue_from(queue)}};
    if (!i->c.queue)
        return CL_INVALID_COMMAND_QUEUE;
    i->a = yk_mem_from(a);
    i->b = two ? yk_mem_from(b) : NULL;
    if (!i->a || (two && !i->b))
        return CL_INVALID_MEM_OBJECT;
    /* A command carried out later could not say so at once. */
    if ((kind != &from_buffer_kind && !yk_mem_is_image(i->a)) || (kind == &copy_kind && !yk_mem_is_image(i->b)) ||
        (kind == &to_buffer_kind && i->b->type != CL_MEM_OBJECT_BUFFER) ||
        (kind == &from_buffer_kind && (i->a->type != CL_MEM_OBJECT_BUFFER || !yk_mem_is_image(i->b))))
        return CL_INVALID_MEM_OBJECT;
    if (i->a->ctx != i->c.queue->ctx || (two && i->b->ctx != i->c.queue->ctx))
        return CL_INVALID_CONTEXT;
    i->c.uses[0] = i->a, i->c.uses[1] = i->b;
    i->c.writes[1] = true; /* of images all is taken for written */
    return CL_SUCCESS;
}

cl_int yk_api_EnqueueReadImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_read,
                               const size_t *origin, const size_t *region, size_t row_pitch, size_t slice_pitch,
                               void *ptr, cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                               cl_event *event)
{
    struct yk_image_command i;
    cl_int err = yk_image_prepare(&i, &read_kind, command_queue, image, NULL, false);
    if (err != CL_SUCCESS || !origin || !region || !ptr)
        return err != CL_SUCCESS ? err : CL_INVALID_VALUE;
    if (!yk_image_host_may(i.a, true, false))
        return CL_INVALID_OPERATION;
    yk_copy3(i.origin, origin), yk_copy3(i.region, region);
    i.row_pitch = row_pitch, i.slice_pitch = slice_pitch, i.ptr = ptr;
    return yk_command_enqueue(&i.c, blocking_read, num_events_in_wait_list, event_wait_list, event);
}

cl_int yk_api_EnqueueWriteImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_write,
                                const size_t *origin, const size_t *region, size_t input_row_pitch,
                                size_t input_slice_pitch, const void *ptr, cl_uint num_events_in_wait_list,
                                const cl_event *event_wait_list, cl_event *event)
{
    struct yk_image_command i;
    cl_int err = yk_image_prepare(&i, &write_kind, command_queue, image, NULL, false);
    if (err != CL_SUCCESS || !origin || !region || !ptr)
        return err != CL_SUCCESS ? err : CL_INVALID_VALUE;
    if (!yk_image_host_may(i.a, false, true))
        return CL_INVALID_OPERATION;
    yk_copy3(i.origin, origin), yk_copy3(i.region, region);
    i.row_pitch = input_row_pitch, i.slice_pitch = input_slice_pitch, i.ptr = (void *)(uintptr_t)ptr;
    return yk_command_enqueue(&i.c, blocking_write, num_events_in_wait_list, event_wait_list, event);
}

cl_int yk_api_EnqueueFillImage(cl_command_queue command_queue, cl_mem image, const void *fill_color,
                               const size_t *origin, const size_t *region, cl_uint num_events_in_wait_list,
                               const cl_event *event_wait_list, cl_event *event)
{
    struct yk_image_command i;
    cl_int err = yk_image_prepare(&i, &fill_kind, command_queue, image, NULL, false);
    if (err != CL_SUCCESS || !origin || !region || !fill_color)
        return err != CL_SUCCESS ? err : CL_INVALID_VALUE;
    yk_copy3(i.origin, origin), yk_copy3(i.region, region);
    memcpy(i.color, fill_color, sizeof i.color);
    return yk_command_enqueue(&i.c, false, num_events_in_wait_list, event_wait_list, event);
}

cl_int yk_api_EnqueueCopyImage(cl_command_queue command_queue, cl_mem src_image, cl_mem dst_image,
                               const size_t *src_origin, const size_t *dst_origin, const size_t *region,
                               cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event)
{
    struct yk_image_command i;
    cl_int err = yk_image_prepare(&i, &copy_kind, command_queue, src_image, dst_image, true);
    if (err != CL_SUCCESS || !src_origin || !dst_origin || !region)
        return err != CL_SUCCESS ? err : CL_INVALID_VALUE;
    yk_copy3(i.origin, src_origin), yk_copy3(i.to_origin, dst_origin), yk_copy3(i.region, region);
    return yk_command_enqueue(&i.c, false, num_events_in_wait_list, event_wait_list, event);
}

cl_int yk_api_EnqueueCopyImageToBuffer(cl_command_queue command_queue, cl_mem src_image, cl_mem dst_buffer,
                                       const size_t *src_origin, const size_t *region, size_t dst_offset,
                                       cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                       cl_event *event)
{
    struct yk_image_command i;
    cl_int err = yk_image_prepare(&i, &to_buffer_kind, command_queue, src_image, dst_buffer, true);
    if (err != CL_SUCCESS || !src_origin || !region)
        return err != CL_SUCCESS ? err : CL_INVALID_VALUE;
    yk_copy3(i.origin, src_origin), yk_copy3(i.region, region);
    i.offset = dst_offset;
    return yk_command_enqueue(&i.c, false, num_events_in_wait_list, event_wait_list, event);
}

cl_int yk_api_EnqueueCopyBufferToImage(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_image,
                                       size_t src_offset, const size_t *dst_origin, const size_t *region,
                                       cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                       cl_event *event)
{
    struct yk_image_command i;
    cl_int err = yk_image_prepare(&i, &from_buffer_kind, command_queue, src_buffer, dst_image, true);
    if (err != CL_SUCCESS || !dst_origin || !region)
        return err != CL_SUCCESS ? err : CL_INVALID_VALUE;
    yk_copy3(i.to_origin, dst_origin), yk_copy3(i.region, region);
    i.offset = src_offset;
    return yk_command_enqueue(&i.c, false, num_events_in_wait_list, event_wait_list, event);
}
