/* Recording into command buffers: first by the driver, whose word is the answer, then for the enqueue. */
#include "shim/api/api.h"
#include "shim/api/command_buffer.h"
#include "shim/object/command_buffer.h"

/* What the recording functions have in common: the handles behind the program's. A queue that is none of yoke's is
 * given to the driver as one of another buffer, which it refuses. */
struct recording {
    struct yk_command_buffer *b;
    cl_command_queue queue;
    cl_mem from, to;
    struct yk_recorded r;
};

static cl_int begin(struct recording *rec, cl_command_buffer_khr command_buffer, cl_command_queue command_queue,
                    enum yk_recorded_kind kind, cl_mem from, cl_mem to)
{
    struct yk_queue *q = yk_queue_from(command_queue);
    *rec = (struct recording){.b = yk_command_buffer_from(command_buffer), .r.kind = kind};
    if (!rec->b || !yk_command_buffer_on())
        return CL_INVALID_COMMAND_BUFFER_KHR;
    if (command_queue && !q)
        return CL_INVALID_COMMAND_QUEUE;
    rec->queue = q ? q->real : NULL;
    rec->r.from = yk_mem_from(from);
    rec->r.to = yk_mem_from(to);
    if ((from && !rec->r.from) || (to && !rec->r.to))
        return CL_INVALID_MEM_OBJECT;
    if ((rec->r.from && yk_store_host_only(rec->r.from->store)) || (rec->r.to && yk_store_host_only(rec->r.to->store)))
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    rec->from = rec->r.from ? yk_mem_real(rec->r.from, YK_P) : NULL;
    rec->to = rec->r.to ? yk_mem_real(rec->r.to, YK_P) : NULL;
    return CL_SUCCESS;
}

static cl_int end(struct recording *rec, cl_int err)
{
    if (err == CL_SUCCESS && !yk_command_buffer_record(rec->b, &rec->r))
        err = CL_OUT_OF_HOST_MEMORY;
    return err;
}

static void copy3(size_t to[3], const size_t *from)
{
    if (from)
        memcpy(to, from, 3 * sizeof *from);
}

cl_int CL_API_CALL yk_record_barrier(cl_command_buffer_khr command_buffer, cl_command_queue command_queue,
                                     cl_uint nsync, const cl_sync_point_khr *sync, cl_sync_point_khr *sync_point,
                                     cl_mutable_command_khr *handle)
{
    struct recording rec;
    cl_int err = begin(&rec, command_buffer, command_queue, YK_RECORDED_BARRIER, NULL, NULL);
    if (err != CL_SUCCESS)
        return err;
    return end(&rec, YK_ASK_DRIVER(yk_command_buffer_driver.CommandBarrierWithWaitListKHR(rec.b->real, rec.queue, nsync,
                                                                                          sync, sync_point, handle)));
}

cl_int CL_API_CALL yk_record_copy(cl_command_buffer_khr command_buffer, cl_command_queue command_queue, cl_mem from,
                                  cl_mem to, size_t offset, size_t to_offset, size_t size, cl_uint nsync,
                                  const cl_sync_point_khr *sync, cl_sync_point_khr *sync_point,
                                  cl_mutable_command_khr *handle)
{
    struct recording rec;
    cl_int err = begin(&rec, command_buffer, command_queue, YK_RECORDED_COPY, from, to);
    if (err != CL_SUCCESS)
        return err;
    rec.r.offset = offset, rec.r.to_offset = to_offset, rec.r.size = size;
    return end(&rec, YK_ASK_DRIVER(yk_command_buffer_driver.CommandCopyBufferKHR(rec.b->real, rec.queue, rec.from,
                                                                                 rec.to, offset, to_offset, size, nsync,
                                                                                 sync, sync_point, handle)));
}

cl_int CL_API_CALL yk_record_copy_rect(cl_command_buffer_khr command_buffer, cl_command_queue command_queue,
                                       cl_mem from, cl_mem to, const size_t *origin, const size_t *to_origin,
                                       const size_t *region, size_t row_pitch, size_t slice_pitch, size_t to_row_pitch,
                                       size_t to_slice_pitch, cl_uint nsync, const cl_sync_point_khr *sync,
                                       cl_sync_point_khr *sync_point, cl_mutable_command_khr *handle)
{
    struct recording rec;
    cl_int err = begin(&rec, command_buffer, command_queue, YK_RECORDED_COPY_RECT, from, to);
    if (err != CL_SUCCESS)
        return err;
    copy3(rec.r.origin, origin), copy3(rec.r.to_origin, to_origin), copy3(rec.r.region, region);
    rec.r.row_pitch = row_pitch, rec.r.slice_pitch = slice_pitch;
    rec.r.to_row_pitch = to_row_pitch, rec.r.to_slice_pitch = to_slice_pitch;
    return end(&rec, YK_ASK_DRIVER(yk_command_buffer_driver.CommandCopyBufferRectKHR(
                         rec.b->real, rec.queue, rec.from, rec.to, origin, to_origin, region, row_pitch, slice_pitch,
                         to_row_pitch, to_slice_pitch, nsync, sync, sync_point, handle)));
}

cl_int CL_API_CALL yk_record_buffer_to_image(cl_command_buffer_khr command_buffer, cl_command_queue command_queue,
                                             cl_mem from, cl_mem to, size_t offset, const size_t *to_origin,
                                             const size_t *region, cl_uint nsync, const cl_sync_point_khr *sync,
                                             cl_sync_point_khr *sync_point, cl_mutable_command_khr *handle)
{
    struct recording rec;
    cl_int err = begin(&rec, command_buffer, command_queue, YK_RECORDED_BUFFER_TO_IMAGE, from, to);
    if (err != CL_SUCCESS)
        return err;
    rec.r.offset = offset;
    copy3(rec.r.to_origin, to_origin), copy3(rec.r.region, region);
    return end(&rec, YK_ASK_DRIVER(yk_command_buffer_driver.CommandCopyBufferToImageKHR(
                         rec.b->real, rec.queue, rec.from, rec.to, offset, to_origin, region, nsync, sync, sync_point,
                         handle)));
}

cl_int CL_API_CALL yk_record_copy_image(cl_command_buffer_khr command_buffer, cl_command_queue command_queue,
                                        cl_mem from, cl_mem to, const size_t *origin, const size_t *to_origin,
                                        const size_t *region, cl_uint nsync, const cl_sync_point_khr *sync,
                                        cl_sync_point_khr *sync_point, cl_mutable_command_khr *handle)
{
    struct recording rec;
    cl_int err = begin(&rec, command_buffer, command_queue, YK_RECORDED_COPY_IMAGE, from, to);
    if (err != CL_SUCCESS)
        return err;
    copy3(rec.r.origin, origin), copy3(rec.r.to_origin, to_origin), copy3(rec.r.region, region);
    return end(&rec, YK_ASK_DRIVER(yk_command_buffer_driver.CommandCopyImageKHR(rec.b->real, rec.queue, rec.from,
                                                                                rec.to, origin, to_origin, region,
                                                                                nsync, sync, sync_point, handle)));
}

cl_int CL_API_CALL yk_record_image_to_buffer(cl_command_buffer_khr command_buffer, cl_command_queue command_queue,
                                             cl_mem from, cl_mem to, const size_t *origin, const size_t *region,
                                             size_t to_offset, cl_uint nsync, const cl_sync_point_khr *sync,
                                             cl_sync_point_khr *sync_point, cl_mutable_command_khr *handle)
{
    struct recording rec;
    cl_int err = begin(&rec, command_buffer, command_queue, YK_RECORDED_IMAGE_TO_BUFFER, from, to);
    if (err != CL_SUCCESS)
        return err;
    copy3(rec.r.origin, origin), copy3(rec.r.region, region);
    rec.r.to_offset = to_offset;
    return end(&rec, YK_ASK_DRIVER(yk_command_buffer_driver.CommandCopyImageToBufferKHR(
                         rec.b->real, rec.queue, rec.from, rec.to, origin, region, to_offset, nsync, sync, sync_point,
                         handle)));
}

cl_int CL_API_CALL yk_record_fill(cl_command_buffer_khr command_buffer, cl_command_queue command_queue, cl_mem to,
                                  const void *pattern, size_t pattern_size, size_t offset, size_t size, cl_uint nsync,
                                  const cl_sync_point_khr *sync, cl_sync_point_khr *sync_point,
                                  cl_mutable_command_khr *handle)
{
    struct recording rec;
    cl_int err = begin(&rec, command_buffer, command_queue, YK_RECORDED_FILL, NULL, to);
    if (err != CL_SUCCESS)
        return err;
    err = YK_ASK_DRIVER(yk_command_buffer_driver.CommandFillBufferKHR(
        rec.b->real, rec.queue, rec.to, pattern, pattern_size, offset, size, nsync, sync, sync_point, handle));
    if (err == CL_SUCCESS && pattern_size <= sizeof rec.r.pattern)
        memcpy(rec.r.pattern, pattern, rec.r.pattern_size = pattern_size);
    rec.r.to_offset = offset, rec.r.size = size;
    return end(&rec, err);
}

cl_int CL_API_CALL yk_record_fill_image(cl_command_buffer_khr command_buffer, cl_command_queue command_queue, cl_mem to,
                                        const void *color, const size_t *to_origin, const size_t *region, cl_uint nsync,
                                        const cl_sync_point_khr *sync, cl_sync_point_khr *sync_point,
                                        cl_mutable_command_khr *handle)
{
    struct recording rec;
    cl_int err = begin(&rec, command_buffer, command_queue, YK_RECORDED_FILL_IMAGE, NULL, to);
    if (err != CL_SUCCESS)
        return err;
    err = YK_ASK_DRIVER(yk_command_buffer_driver.CommandFillImageKHR(rec.b->real, rec.queue, rec.to, color, to_origin,
                                                                     region, nsync, sync, sync_point, handle));
    if (err == CL_SUCCESS)
        memcpy(rec.r.pattern, color, rec.r.pattern_size = 4 * sizeof(cl_uint)); /* a colour of any type is as large */
    copy3(rec.r.to_origin, to_origin), copy3(rec.r.region, region);
    return end(&rec, err);
}

cl_int CL_API_CALL yk_record_launch(cl_command_buffer_khr command_buffer, cl_command_queue command_queue,
                                    const cl_ndrange_kernel_command_properties_khr *properties, cl_kernel kernel,
                                    cl_uint dims, const size_t *offset, const size_t *global, const size_t *local,
                                    cl_uint nsync, const cl_sync_point_khr *sync, cl_sync_point_khr *sync_point,
                                    cl_mutable_command_khr *handle)
{
    struct recording rec;
    struct yk_kernel *k = yk_kernel_from(kernel);
    cl_int err = begin(&rec, command_buffer, command_queue, YK_RECORDED_LAUNCH, NULL, NULL);
    if (err != CL_SUCCESS)
        return err;
    if (!k)
        return CL_INVALID_KERNEL;
    if (k->unset)
        return CL_INVALID_KERNEL_ARGS;
    for (unsigned i = 0; i < k->nargs; i++)
        if (k->value[i].kind == YK_VALUE_MEM && yk_store_host_only(k->value[i].u.mem->store))
            return CL_MEM_OBJECT_ALLOCATION_FAILURE; /* the driver would run over what stands in for it */
    if ((err = yk_kernel_settle(k)) != CL_SUCCESS || !(rec.r.kernel = yk_kernel_copy(k, &err)))
        return err;
    err = YK_ASK_DRIVER(yk_command_buffer_driver.CommandNDRangeKernelKHR(rec.b->real, rec.queue, properties,
                                                                         k->fast.real, dims, offset, global, local,
                                                                         nsync, sync, sync_point, handle));
    if (err != CL_SUCCESS) {
        yk_handle_release(&rec.r.kernel->h);
        return err;
    }
    rec.r.dims = dims, rec.r.has_offset = offset != NULL, rec.r.has_local = local != NULL;
    for (cl_uint i = 0; i < dims; i++) {
        rec.r.global_offset[i] = offset ? offset[i] : 0;
        rec.r.global[i] = global[i];
        rec.r.local[i] = local ? local[i] : 0;
    }
    return end(&rec, err);
}
