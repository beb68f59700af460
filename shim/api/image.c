/* Images, samplers and pipes: only the primary has them; commands on them go to its queue in order with everything
 * else. */
#include <stdlib.h>
#include "shim/api/api.h"
#include "shim/memory/mem.h"
#include "shim/object/sampler.h"
#include "shim/queue/command.h"
#include "shim/core/stats.h"

static cl_mem wrap(struct yk_context *ctx, cl_mem real, void *host_ptr, struct yk_mem *parent, cl_int err,
                   cl_int *errcode_ret)
{
    struct yk_mem *m = NULL;
    if (real) {
        cl_mem_object_type type = 0;
        cl_mem_flags flags = 0;
        const cl_mem_flags pointer_flags = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
        YK_CL_P->GetMemObjectInfo(real, CL_MEM_TYPE, sizeof type, &type, NULL);
        YK_CL_P->GetMemObjectInfo(real, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
        if (parent) /* the buffer below may be over memory of yoke's, not the program's */
            flags = (flags & ~pointer_flags) | (parent->flags & pointer_flags);
        m = yk_mem_wrap(ctx, type, flags, flags & CL_MEM_USE_HOST_PTR ? host_ptr : NULL, parent, real);
        if (!m)
            err = CL_OUT_OF_HOST_MEMORY;
    }
    yk_set_err(errcode_ret, err);
    return (cl_mem)(void *)m;
}

static cl_mem create_image(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                           const cl_image_format *image_format, const cl_image_desc *image_desc, void *host_ptr,
                           cl_int *errcode_ret)
{
    struct yk_context *ctx = yk_context_from(context);
    cl_int err = CL_SUCCESS;
    if (!ctx) {
        yk_set_err(errcode_ret, CL_INVALID_CONTEXT);
        return NULL;
    }
    struct yk_mem *parent = NULL;
    cl_image_desc desc;
    if (image_desc) {
        desc = *image_desc;
        if (desc.mem_object) {
            parent = yk_mem_from(desc.mem_object);
            if (!parent) {
                yk_set_err(errcode_ret, CL_INVALID_IMAGE_DESCRIPTOR);
                return NULL;
            }
            desc.mem_object = yk_mem_real(parent, YK_P);
            /* Writes through the image are not seen by the map of the buffer: from now on only the primary has it. */
            if (parent->store)
                yk_store_pin(parent->store);
        }
    }
    cl_mem real =
        properties && properties[0]
            ? YK_CL_P->CreateImageWithProperties(ctx->real[YK_P], properties, flags, image_format,
                                                 image_desc ? &desc : NULL, host_ptr, &err)
            : YK_CL_P->CreateImage(ctx->real[YK_P], flags, image_format, image_desc ? &desc : NULL, host_ptr, &err);
    cl_mem image = wrap(ctx, real, host_ptr, parent, err, errcode_ret);
    if (image && !yk_mem_keep_properties((struct yk_mem *)(void *)image, properties)) {
        yk_handle_release((struct yk_handle *)(void *)image);
        yk_set_err(errcode_ret, CL_OUT_OF_HOST_MEMORY);
        return NULL;
    }
    return image;
}

cl_mem yk_api_CreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                          const cl_image_desc *image_desc, void *host_ptr, cl_int *errcode_ret)
{
    return create_image(context, NULL, flags, image_format, image_desc, host_ptr, errcode_ret);
}

cl_mem yk_api_CreateImageWithProperties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                                        const cl_image_format *image_format, const cl_image_desc *image_desc,
                                        void *host_ptr, cl_int *errcode_ret)
{
    return create_image(context, properties, flags, image_format, image_desc, host_ptr, errcode_ret);
}

cl_mem yk_api_CreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                            size_t image_width, size_t image_height, size_t image_row_pitch, void *host_ptr,
                            cl_int *errcode_ret)
{
    struct yk_context *ctx = yk_context_from(context);
    cl_int err = CL_INVALID_CONTEXT;
    cl_mem real = ctx ? YK_CL_P->CreateImage2D(ctx->real[YK_P], flags, image_format, image_width, image_height,
                                               image_row_pitch, host_ptr, &err)
                      : NULL;
    return wrap(ctx, real, host_ptr, NULL, err, errcode_ret);
}

cl_mem yk_api_CreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                            size_t image_width, size_t image_height, size_t image_depth, size_t image_row_pitch,
                            size_t image_slice_pitch, void *host_ptr, cl_int *errcode_ret)
{
    struct yk_context *ctx = yk_context_from(context);
    cl_int err = CL_INVALID_CONTEXT;
    cl_mem real = ctx ? YK_CL_P->CreateImage3D(ctx->real[YK_P], flags, image_format, image_width, image_height,
                                               image_depth, image_row_pitch, image_slice_pitch, host_ptr, &err)
                      : NULL;
    return wrap(ctx, real, host_ptr, NULL, err, errcode_ret);
}

cl_mem yk_api_CreatePipe(cl_context context, cl_mem_flags flags, cl_uint pipe_packet_size, cl_uint pipe_max_packets,
                         const cl_pipe_properties *properties, cl_int *errcode_ret)
{
    struct yk_context *ctx = yk_context_from(context);
    cl_int err = CL_INVALID_CONTEXT;
    cl_mem real =
        ctx ? YK_CL_P->CreatePipe(ctx->real[YK_P], flags, pipe_packet_size, pipe_max_packets, properties, &err) : NULL;
    return wrap(ctx, real, NULL, NULL, err, errcode_ret);
}

cl_int yk_api_GetPipeInfo(cl_mem pipe, cl_pipe_info param_name, size_t param_value_size, void *param_value,
                          size_t *param_value_size_ret)
{
    struct yk_mem *m = yk_mem_from(pipe);
    return m && m->type == CL_MEM_OBJECT_PIPE ? YK_CL_P->GetPipeInfo(yk_mem_real(m, YK_P), param_name, param_value_size,
                                                                     param_value, param_value_size_ret)
                                              : CL_INVALID_MEM_OBJECT;
}

cl_int yk_api_GetSupportedImageFormats(cl_context context, cl_mem_flags flags, cl_mem_object_type image_type,
                                       cl_uint num_entries, cl_image_format *image_formats, cl_uint *num_image_formats)
{
    struct yk_context *ctx = yk_context_from(context);
    return ctx ? YK_CL_P->GetSupportedImageFormats(ctx->real[YK_P], flags, image_type, num_entries, image_formats,
                                                   num_image_formats)
               : CL_INVALID_CONTEXT;
}

cl_int yk_api_GetImageInfo(cl_mem image, cl_image_info param_name, size_t param_value_size, void *param_value,
                           size_t *param_value_size_ret)
{
    struct yk_mem *m = yk_mem_from(image);
    if (!m || !yk_mem_is_image(m))
        return CL_INVALID_MEM_OBJECT;
    if (param_name == CL_IMAGE_BUFFER)
        YK_INFO(cl_mem, m->parent && m->parent->store ? (cl_mem)(void *)m->parent : NULL);
    return YK_CL_P->GetImageInfo(yk_mem_real(m, YK_P), param_name, param_value_size, param_value, param_value_size_ret);
}

static cl_sampler wrap_sampler(struct yk_context *ctx, cl_sampler real, cl_int err, cl_int *errcode_ret)
{
    struct yk_sampler *s = real ? yk_sampler_wrap(ctx, real) : NULL;
    yk_set_err(errcode_ret, real && !s ? CL_OUT_OF_HOST_MEMORY : err);
    return (cl_sampler)(void *)s;
}

cl_sampler yk_api_CreateSampler(cl_context context, cl_bool normalized_coords, cl_addressing_mode addressing_mode,
                                cl_filter_mode filter_mode, cl_int *errcode_ret)
{
    struct yk_context *ctx = yk_context_from(context);
    cl_int err = CL_INVALID_CONTEXT;
    cl_sampler real =
        ctx ? YK_CL_P->CreateSampler(ctx->real[YK_P], normalized_coords, addressing_mode, filter_mode, &err) : NULL;
    return wrap_sampler(ctx, real, err, errcode_ret);
}

cl_sampler yk_api_CreateSamplerWithProperties(cl_context context, const cl_sampler_properties *sampler_properties,
                                              cl_int *errcode_ret)
{
    struct yk_context *ctx = yk_context_from(context);
    cl_int err = CL_INVALID_CONTEXT;
    cl_sampler real = ctx ? YK_CL_P->CreateSamplerWithProperties(ctx->real[YK_P], sampler_properties, &err) : NULL;
    return wrap_sampler(ctx, real, err, errcode_ret);
}

cl_int yk_api_RetainSampler(cl_sampler sampler)
{
    struct yk_sampler *s = yk_sampler_from(sampler);
    if (!s)
        return CL_INVALID_SAMPLER;
    yk_handle_retain(&s->h);
    return CL_SUCCESS;
}

cl_int yk_api_ReleaseSampler(cl_sampler sampler)
{
    struct yk_sampler *s = yk_sampler_from(sampler);
    if (!s)
        return CL_INVALID_SAMPLER;
    yk_handle_release(&s->h);
    return CL_SUCCESS;
}

cl_int yk_api_GetSamplerInfo(cl_sampler sampler, cl_sampler_info param_name, size_t param_value_size, void *param_value,
                             size_t *param_value_size_ret)
{
    struct yk_sampler *s = yk_sampler_from(sampler);
    if (!s)
        return CL_INVALID_SAMPLER;
    if (param_name == CL_SAMPLER_REFERENCE_COUNT)
        YK_INFO(cl_uint, yk_handle_refs(&s->h));
    if (param_name == CL_SAMPLER_CONTEXT)
        YK_INFO(cl_context, (cl_context)(void *)s->ctx);
    return YK_CL_P->GetSamplerInfo(s->real, param_name, param_value_size, param_value, param_value_size_ret);
}

/* One structure for all image commands: each uses what it needs. */
struct image_command {
    struct yk_command c;
    struct yk_mem *a, *b; /* source and destination, or the one object; held once captured */
    size_t origin[3], to_origin[3], region[3], offset, row_pitch, slice_pitch;
    void *ptr;
    unsigned char color[16];
    cl_map_flags map_flags;
};

static cl_int image_capture(struct yk_command *c)
{
    struct image_command *i = (struct image_command *)c;
    yk_hold(&i->a->h);
    if (i->b)
        yk_hold(&i->b->h);
    return CL_SUCCESS;
}

static void image_release(struct yk_command *c)
{
    struct image_command *i = (struct image_command *)c;
    yk_drop(&i->a->h);
    if (i->b)
        yk_drop(&i->b->h);
}

static bool image_resident(struct yk_command *c)
{
    const struct image_command *i = (struct image_command *)c;
    return yk_mem_at_primary(i->a) && (!i->b || yk_mem_at_primary(i->b));
}

static cl_int image_carry(struct yk_command *c, cl_event *real)
{
    struct image_command *i = (struct image_command *)c;
    struct yk_mem *both[] = {i->a, i->b};
    cl_int err = CL_SUCCESS;
    uint64_t moved = 0;
    for (int k = 0; k < 2 && err == CL_SUCCESS; k++)
        if (both[k] && !yk_mem_at_primary(both[k])) {
            err = YK_CL_P->Finish(c->queue->real);
            if (err == CL_SUCCESS)
                err = yk_store_need(both[k]->store, YK_P, both[k]->origin, both[k]->size, &moved);
        }
    yk_stats_moved(moved);
    if (err == CL_SUCCESS)
        err = c->kind->issue(c, false, 0, NULL, real);
    return yk_command_issued(err, real);
}

#define IMAGE_KIND(name, type_)                                                                                        \
    static cl_int name##_issue(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait,               \
                               cl_event *real);                                                                        \
    static const struct yk_command_kind name##_kind = {.type = (type_),                                                \
                                                       .issue = name##_issue,                                          \
                                                       .resident = image_resident,                                     \
                                                       .capture = image_capture,                                       \
                                                       .carry = image_carry,                                           \
                                                       .release = image_release};                                      \
    static cl_int name##_issue(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait, cl_event *real)
#define I ((struct image_command *)c)
#define Q (c->queue->real)
#define A (yk_mem_real(I->a, YK_P))
#define B (yk_mem_real(I->b, YK_P))

IMAGE_KIND(read, CL_COMMAND_READ_IMAGE)
{
    return YK_CL_P->EnqueueReadImage(Q, A, blocking, I->origin, I->region, I->row_pitch, I->slice_pitch, I->ptr, nwait,
                                     wait, real);
}

IMAGE_KIND(write, CL_COMMAND_WRITE_IMAGE)
{
    return YK_CL_P->EnqueueWriteImage(Q, A, blocking, I->origin, I->region, I->row_pitch, I->slice_pitch, I->ptr, nwait,
                                      wait, real);
}

IMAGE_KIND(fill, CL_COMMAND_FILL_IMAGE)
{
    (void)blocking;
    return YK_CL_P->EnqueueFillImage(Q, A, I->color, I->origin, I->region, nwait, wait, real);
}

IMAGE_KIND(copy, CL_COMMAND_COPY_IMAGE)
{
    (void)blocking;
    return YK_CL_P->EnqueueCopyImage(Q, A, B, I->origin, I->to_origin, I->region, nwait, wait, real);
}

IMAGE_KIND(to_buffer, CL_COMMAND_COPY_IMAGE_TO_BUFFER)
{
    (void)blocking;
    cl_int err = YK_CL_P->EnqueueCopyImageToBuffer(Q, A, B, I->origin, I->region, I->offset, nwait, wait, real);
    if (err == CL_SUCCESS)
        yk_mem_primary_writes(I->b, 0, I->b->size);
    return err;
}

IMAGE_KIND(from_buffer, CL_COMMAND_COPY_BUFFER_TO_IMAGE)
{
    (void)blocking;
    return YK_CL_P->EnqueueCopyBufferToImage(Q, A, B, I->offset, I->to_origin, I->region, nwait, wait, real);
}

IMAGE_KIND(map, CL_COMMAND_MAP_IMAGE)
{
    cl_int err = CL_SUCCESS;
    I->ptr = YK_CL_P->EnqueueMapImage(Q, A, blocking, I->map_flags, I->origin, I->region, &I->row_pitch,
                                      &I->slice_pitch, nwait, wait, real, &err);
    return err;
}

/* Handles checked, coordinates copied; the driver checks the rest. */
static cl_int prepare(struct image_command *i, const struct yk_command_kind *kind, cl_command_queue queue, cl_mem a,
                      cl_mem b, bool two)
{
    *i = (struct image_command){.c = {.kind = kind, .size = sizeof *i, .queue = yk_queue_from(queue)}};
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
    return i->a->ctx != i->c.queue->ctx || (two && i->b->ctx != i->c.queue->ctx) ? CL_INVALID_CONTEXT : CL_SUCCESS;
}

static void copy3(size_t *to, const size_t *from)
{
    memcpy(to, from, 3 * sizeof *to);
}

cl_int yk_api_EnqueueReadImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_read,
                               const size_t *origin, const size_t *region, size_t row_pitch, size_t slice_pitch,
                               void *ptr, cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                               cl_event *event)
{
    struct image_command i;
    cl_int err = prepare(&i, &read_kind, command_queue, image, NULL, false);
    if (err != CL_SUCCESS || !origin || !region || !ptr)
        return err != CL_SUCCESS ? err : CL_INVALID_VALUE;
    copy3(i.origin, origin), copy3(i.region, region);
    i.row_pitch = row_pitch, i.slice_pitch = slice_pitch, i.ptr = ptr;
    return yk_command_enqueue(&i.c, blocking_read, num_events_in_wait_list, event_wait_list, event);
}

cl_int yk_api_EnqueueWriteImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_write,
                                const size_t *origin, const size_t *region, size_t input_row_pitch,
                                size_t input_slice_pitch, const void *ptr, cl_uint num_events_in_wait_list,
                                const cl_event *event_wait_list, cl_event *event)
{
    struct image_command i;
    cl_int err = prepare(&i, &write_kind, command_queue, image, NULL, false);
    if (err != CL_SUCCESS || !origin || !region || !ptr)
        return err != CL_SUCCESS ? err : CL_INVALID_VALUE;
    copy3(i.origin, origin), copy3(i.region, region);
    i.row_pitch = input_row_pitch, i.slice_pitch = input_slice_pitch, i.ptr = (void *)(uintptr_t)ptr;
    return yk_command_enqueue(&i.c, blocking_write, num_events_in_wait_list, event_wait_list, event);
}

cl_int yk_api_EnqueueFillImage(cl_command_queue command_queue, cl_mem image, const void *fill_color,
                               const size_t *origin, const size_t *region, cl_uint num_events_in_wait_list,
                               const cl_event *event_wait_list, cl_event *event)
{
    struct image_command i;
    cl_int err = prepare(&i, &fill_kind, command_queue, image, NULL, false);
    if (err != CL_SUCCESS || !origin || !region || !fill_color)
        return err != CL_SUCCESS ? err : CL_INVALID_VALUE;
    copy3(i.origin, origin), copy3(i.region, region);
    memcpy(i.color, fill_color, sizeof i.color);
    return yk_command_enqueue(&i.c, false, num_events_in_wait_list, event_wait_list, event);
}

cl_int yk_api_EnqueueCopyImage(cl_command_queue command_queue, cl_mem src_image, cl_mem dst_image,
                               const size_t *src_origin, const size_t *dst_origin, const size_t *region,
                               cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event)
{
    struct image_command i;
    cl_int err = prepare(&i, &copy_kind, command_queue, src_image, dst_image, true);
    if (err != CL_SUCCESS || !src_origin || !dst_origin || !region)
        return err != CL_SUCCESS ? err : CL_INVALID_VALUE;
    copy3(i.origin, src_origin), copy3(i.to_origin, dst_origin), copy3(i.region, region);
    return yk_command_enqueue(&i.c, false, num_events_in_wait_list, event_wait_list, event);
}

cl_int yk_api_EnqueueCopyImageToBuffer(cl_command_queue command_queue, cl_mem src_image, cl_mem dst_buffer,
                                       const size_t *src_origin, const size_t *region, size_t dst_offset,
                                       cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                       cl_event *event)
{
    struct image_command i;
    cl_int err = prepare(&i, &to_buffer_kind, command_queue, src_image, dst_buffer, true);
    if (err != CL_SUCCESS || !src_origin || !region)
        return err != CL_SUCCESS ? err : CL_INVALID_VALUE;
    copy3(i.origin, src_origin), copy3(i.region, region);
    i.offset = dst_offset;
    return yk_command_enqueue(&i.c, false, num_events_in_wait_list, event_wait_list, event);
}

cl_int yk_api_EnqueueCopyBufferToImage(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_image,
                                       size_t src_offset, const size_t *dst_origin, const size_t *region,
                                       cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                       cl_event *event)
{
    struct image_command i;
    cl_int err = prepare(&i, &from_buffer_kind, command_queue, src_buffer, dst_image, true);
    if (err != CL_SUCCESS || !dst_origin || !region)
        return err != CL_SUCCESS ? err : CL_INVALID_VALUE;
    copy3(i.to_origin, dst_origin), copy3(i.region, region);
    i.offset = src_offset;
    return yk_command_enqueue(&i.c, false, num_events_in_wait_list, event_wait_list, event);
}

void *yk_api_EnqueueMapImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_map, cl_map_flags map_flags,
                             const size_t *origin, const size_t *region, size_t *image_row_pitch,
                             size_t *image_slice_pitch, cl_uint num_events_in_wait_list,
                             const cl_event *event_wait_list, cl_event *event, cl_int *errcode_ret)
{
    struct image_command i;
    cl_int err = prepare(&i, &map_kind, command_queue, image, NULL, false);
    if (err == CL_SUCCESS && (!origin || !region || !image_row_pitch))
        err = CL_INVALID_VALUE;
    if (err == CL_SUCCESS) {
        copy3(i.origin, origin), copy3(i.region, region);
        i.map_flags = map_flags;
        /* The driver's pointer is needed now: what is pending in front of the map is carried out first. */
        if (yk_queue_busy(i.c.queue))
            err = yk_queue_finish(i.c.queue);
        for (cl_uint k = 0; err == CL_SUCCESS && event_wait_list && k < num_events_in_wait_list; k++) {
            struct yk_event *ev = yk_event_from(event_wait_list[k]);
            if (!ev)
                err = CL_INVALID_EVENT_WAIT_LIST;
            else if (!__atomic_load_n(&ev->real, __ATOMIC_ACQUIRE) && yk_event_wait(ev) < 0)
                err = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        }
        if (err == CL_SUCCESS)
            err = yk_command_enqueue(&i.c, blocking_map, num_events_in_wait_list, event_wait_list, event);
    }
    struct yk_mapping *p = err == CL_SUCCESS ? malloc(sizeof *p) : NULL;
    if (err == CL_SUCCESS && (!p || !i.ptr)) {
        free(p);
        err = p ? CL_MAP_FAILURE : CL_OUT_OF_HOST_MEMORY;
    }
    yk_set_err(errcode_ret, err);
    if (err != CL_SUCCESS)
        return NULL;
    *image_row_pitch = i.row_pitch;
    if (image_slice_pitch)
        *image_slice_pitch = i.slice_pitch;
    *p = (struct yk_mapping){.ptr = i.ptr, .flags = map_flags};
    yk_lock_take(&i.a->lock);
    p->next = i.a->mappings;
    i.a->mappings = p;
    __atomic_fetch_add(&i.a->map_count, 1, __ATOMIC_RELAXED);
    yk_lock_drop(&i.a->lock);
    return i.ptr;
}
