/* refusals.c's commands on buffers and images. */
#include "tests/shim/refusals.h"

static char host[65536];
#define Q (w->x.queue)
#define B (w->x.buffer)
#define I (w->x.image)

static void refuse_maps(struct world *w)
{
    enum { READ = CL_MAP_READ, WRITE = CL_MAP_WRITE, INVALIDATE = CL_MAP_WRITE_INVALIDATE_REGION };
#define MAPPED(m, call)                                                                                                \
    do {                                                                                                               \
        cl_int err = 77;                                                                                               \
        void *p = (call);                                                                                              \
        printf("%s: %d %s\n", #call, err, p ? "mapped" : "nothing");                                                   \
        fflush(stdout);                                                                                                \
        if (p)                                                                                                         \
            clEnqueueUnmapMemObject(Q, m, p, 0, NULL, NULL);                                                           \
    } while (0)
    MAPPED(B, clEnqueueMapBuffer(NULL, B, CL_FALSE, READ, 0, 64, 0, NULL, NULL, &err));
    MAPPED(B, clEnqueueMapBuffer(Q, NULL, CL_FALSE, READ, 0, 64, 0, NULL, NULL, &err));
    MAPPED(B, clEnqueueMapBuffer(Q, w->other.buffer, CL_FALSE, READ, 0, 64, 0, NULL, NULL, &err));
    MAPPED(B, clEnqueueMapBuffer(Q, I, CL_FALSE, READ, 0, 64, 0, NULL, NULL, &err));
    MAPPED(B, clEnqueueMapBuffer(Q, B, CL_FALSE, READ, 0, 0, 0, NULL, NULL, &err));
    MAPPED(B, clEnqueueMapBuffer(Q, B, CL_FALSE, READ, 0, BYTES + 1, 0, NULL, NULL, &err));
    MAPPED(B, clEnqueueMapBuffer(Q, B, CL_FALSE, READ, BYTES, 1, 0, NULL, NULL, &err));
    MAPPED(B, clEnqueueMapBuffer(Q, B, CL_FALSE, 1 << 20, 0, 64, 0, NULL, NULL, &err));
    MAPPED(B, clEnqueueMapBuffer(Q, B, CL_FALSE, 0, 0, 64, 0, NULL, NULL, &err));
    MAPPED(B, clEnqueueMapBuffer(Q, B, CL_FALSE, READ | INVALIDATE, 0, 64, 0, NULL, NULL, &err));
    MAPPED(B, clEnqueueMapBuffer(Q, B, CL_FALSE, READ, 0, 64, 1, NULL, NULL, &err));
    MAPPED(B, clEnqueueMapBuffer(Q, B, CL_FALSE, READ, 0, 64, 0, &w->x.event, NULL, &err));
    MAPPED(B, clEnqueueMapBuffer(Q, B, CL_FALSE, READ, 0, 64, 1, &w->other.event, NULL, &err));
    MAPPED(w->host_write_only, clEnqueueMapBuffer(Q, w->host_write_only, CL_FALSE, READ, 0, 64, 0, NULL, NULL, &err));
    MAPPED(w->host_read_only, clEnqueueMapBuffer(Q, w->host_read_only, CL_FALSE, WRITE, 0, 64, 0, NULL, NULL, &err));
    MAPPED(w->host_read_only,
           clEnqueueMapBuffer(Q, w->host_read_only, CL_FALSE, INVALIDATE, 0, 64, 0, NULL, NULL, &err));
    MAPPED(w->host_no_access, clEnqueueMapBuffer(Q, w->host_no_access, CL_FALSE, READ, 0, 64, 0, NULL, NULL, &err));
    MAPPED(w->host_no_access, clEnqueueMapBuffer(Q, w->host_no_access, CL_FALSE, WRITE, 0, 64, 0, NULL, NULL, &err));
    ENQUEUED(clEnqueueUnmapMemObject(NULL, B, host, 0, NULL, &event));
    ENQUEUED(clEnqueueUnmapMemObject(Q, NULL, host, 0, NULL, &event));
    ENQUEUED(clEnqueueUnmapMemObject(Q, B, host, 0, NULL, &event));
    ENQUEUED(clEnqueueUnmapMemObject(Q, B, NULL, 0, NULL, &event));
    cl_int err;
    void *p = clEnqueueMapBuffer(w->other.queue, w->other.buffer, CL_TRUE, READ, 0, 64, 0, NULL, NULL, &err);
    ENQUEUED(clEnqueueUnmapMemObject(Q, w->other.buffer, p, 0, NULL, &event));
    ENQUEUED(clEnqueueUnmapMemObject(w->other.queue, w->other.buffer, p, 1, NULL, &event));
    ENQUEUED(clEnqueueUnmapMemObject(w->other.queue, w->other.buffer, p, 0, NULL, &event));
}

static void refuse_rects(struct world *w)
{
    const size_t far[3] = {W * 4, 40, 0}, flat[3] = {W, 0, 1}, cube[3] = {W, H, 2}, near[3] = {4, 1, 0},
                 huge[3] = {SIZE_MAX, SIZE_MAX, SIZE_MAX};
    ENQUEUED(clEnqueueReadBufferRect(NULL, B, CL_FALSE, zero3, zero3, image3, 0, 0, 0, 0, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadBufferRect(Q, NULL, CL_FALSE, zero3, zero3, image3, 0, 0, 0, 0, host, 0, NULL, &event));
    ENQUEUED(
        clEnqueueReadBufferRect(Q, w->other.buffer, CL_FALSE, zero3, zero3, image3, 0, 0, 0, 0, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadBufferRect(Q, B, CL_FALSE, zero3, zero3, image3, 0, 0, 0, 0, NULL, 0, NULL, &event));
    ENQUEUED(clEnqueueReadBufferRect(Q, B, CL_FALSE, NULL, zero3, image3, 0, 0, 0, 0, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadBufferRect(Q, B, CL_FALSE, zero3, NULL, image3, 0, 0, 0, 0, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadBufferRect(Q, B, CL_FALSE, zero3, zero3, NULL, 0, 0, 0, 0, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadBufferRect(Q, B, CL_FALSE, far, zero3, image3, 128, 0, 0, 0, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadBufferRect(Q, B, CL_FALSE, huge, zero3, image3, 128, 0, 0, 0, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadBufferRect(Q, B, CL_FALSE, zero3, zero3, flat, 0, 0, 0, 0, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadBufferRect(Q, B, CL_FALSE, zero3, zero3, image3, W - 1, 0, 0, 0, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadBufferRect(Q, B, CL_FALSE, zero3, zero3, image3, 0, 0, W - 1, 0, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadBufferRect(Q, B, CL_FALSE, zero3, zero3, cube, W, W, 0, 0, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadBufferRect(Q, B, CL_FALSE, zero3, zero3, cube, W, W * H + 1, 0, 0, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadBufferRect(Q, B, CL_FALSE, zero3, zero3, image3, 0, 0, 0, 0, host, 1, NULL, &event));
    ENQUEUED(clEnqueueReadBufferRect(Q, w->host_write_only, CL_FALSE, zero3, zero3, image3, 0, 0, 0, 0, host, 0, NULL,
                                     &event));
    ENQUEUED(clEnqueueWriteBufferRect(Q, w->host_read_only, CL_FALSE, zero3, zero3, image3, 0, 0, 0, 0, host, 0, NULL,
                                      &event));
    ENQUEUED(clEnqueueWriteBufferRect(Q, B, CL_FALSE, far, zero3, image3, 128, 0, 0, 0, host, 0, NULL, &event));
    ENQUEUED(clEnqueueCopyBufferRect(NULL, B, w->sub, zero3, zero3, image3, 0, 0, 0, 0, 0, NULL, &event));
    ENQUEUED(clEnqueueCopyBufferRect(Q, B, w->other.buffer, zero3, zero3, image3, 0, 0, 0, 0, 0, NULL, &event));
    ENQUEUED(clEnqueueCopyBufferRect(Q, B, w->read_only, far, zero3, image3, 128, 0, 0, 0, 0, NULL, &event));
    ENQUEUED(clEnqueueCopyBufferRect(Q, B, w->read_only, zero3, far, image3, 0, 0, 128, 0, 0, NULL, &event));
    ENQUEUED(clEnqueueCopyBufferRect(Q, B, B, zero3, near, image3, 64, 0, 64, 0, 0, NULL, &event));
    ENQUEUED(clEnqueueCopyBufferRect(Q, B, B, zero3, near, image3, 64, 0, 32, 0, 0, NULL, &event));
}

void refuse_buffer_commands(struct world *w)
{
    cl_mem none = NULL, mixed[2] = {B, w->other.buffer};
    ENQUEUED(clEnqueueReadBuffer(NULL, B, CL_FALSE, 0, 64, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadBuffer(Q, NULL, CL_FALSE, 0, 64, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadBuffer(Q, I, CL_FALSE, 0, 64, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadBuffer(Q, w->other.buffer, CL_FALSE, 0, 64, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadBuffer(w->other.queue, B, CL_FALSE, 0, 64, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadBuffer(Q, B, CL_FALSE, 0, BYTES + 1, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadBuffer(Q, B, CL_FALSE, BYTES, 1, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadBuffer(Q, B, CL_FALSE, SIZE_MAX, 2, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadBuffer(Q, B, CL_FALSE, 0, 64, NULL, 0, NULL, &event));
    ENQUEUED(clEnqueueReadBuffer(Q, B, CL_FALSE, 0, 0, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadBuffer(Q, w->sub, CL_FALSE, 1024, 1, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadBuffer(Q, B, CL_FALSE, 0, 64, host, 1, NULL, &event));
    ENQUEUED(clEnqueueReadBuffer(Q, B, CL_FALSE, 0, 64, host, 0, &w->x.event, &event));
    ENQUEUED(clEnqueueReadBuffer(Q, B, CL_FALSE, 0, 64, host, 1, &w->other.event, &event));
    ENQUEUED(clEnqueueReadBuffer(Q, w->host_write_only, CL_FALSE, 0, 64, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadBuffer(Q, w->host_no_access, CL_FALSE, 0, 64, host, 0, NULL, &event));
    ENQUEUED(clEnqueueWriteBuffer(NULL, B, CL_FALSE, 0, 64, host, 0, NULL, &event));
    ENQUEUED(clEnqueueWriteBuffer(Q, NULL, CL_FALSE, 0, 64, host, 0, NULL, &event));
    ENQUEUED(clEnqueueWriteBuffer(Q, w->other.buffer, CL_FALSE, 0, 64, host, 0, NULL, &event));
    ENQUEUED(clEnqueueWriteBuffer(Q, B, CL_FALSE, BYTES - 1, 2, host, 0, NULL, &event));
    ENQUEUED(clEnqueueWriteBuffer(Q, B, CL_FALSE, 0, 64, NULL, 0, NULL, &event));
    ENQUEUED(clEnqueueWriteBuffer(Q, B, CL_FALSE, 0, 0, host, 0, NULL, &event));
    ENQUEUED(clEnqueueWriteBuffer(Q, w->host_read_only, CL_FALSE, 0, 64, host, 0, NULL, &event));
    ENQUEUED(clEnqueueWriteBuffer(Q, w->host_no_access, CL_FALSE, 0, 64, host, 0, NULL, &event));
    ENQUEUED(clEnqueueCopyBuffer(NULL, B, w->read_only, 0, 0, 64, 0, NULL, &event));
    ENQUEUED(clEnqueueCopyBuffer(Q, NULL, w->read_only, 0, 0, 64, 0, NULL, &event));
    ENQUEUED(clEnqueueCopyBuffer(Q, B, NULL, 0, 0, 64, 0, NULL, &event));
    ENQUEUED(clEnqueueCopyBuffer(Q, B, w->other.buffer, 0, 0, 64, 0, NULL, &event));
    ENQUEUED(clEnqueueCopyBuffer(Q, B, I, 0, 0, 64, 0, NULL, &event));
    ENQUEUED(clEnqueueCopyBuffer(Q, B, w->read_only, BYTES, 0, 64, 0, NULL, &event));
    ENQUEUED(clEnqueueCopyBuffer(Q, B, w->read_only, 0, BYTES, 64, 0, NULL, &event));
    ENQUEUED(clEnqueueCopyBuffer(Q, B, w->read_only, 0, 0, 0, 0, NULL, &event));
    ENQUEUED(clEnqueueCopyBuffer(Q, B, B, 0, 32, 64, 0, NULL, &event));
    ENQUEUED(clEnqueueCopyBuffer(Q, B, w->sub, 1024, 0, 64, 0, NULL, &event));
    ENQUEUED(clEnqueueCopyBuffer(Q, B, w->sub, 0, 0, 64, 0, NULL, &event));
    ENQUEUED(clEnqueueFillBuffer(NULL, B, host, 4, 0, 64, 0, NULL, &event));
    ENQUEUED(clEnqueueFillBuffer(Q, NULL, host, 4, 0, 64, 0, NULL, &event));
    ENQUEUED(clEnqueueFillBuffer(Q, w->other.buffer, host, 4, 0, 64, 0, NULL, &event));
    ENQUEUED(clEnqueueFillBuffer(Q, B, NULL, 4, 0, 64, 0, NULL, &event));
    ENQUEUED(clEnqueueFillBuffer(Q, B, host, 0, 0, 64, 0, NULL, &event));
    ENQUEUED(clEnqueueFillBuffer(Q, B, host, 3, 0, 63, 0, NULL, &event));
    ENQUEUED(clEnqueueFillBuffer(Q, B, host, 256, 0, 512, 0, NULL, &event));
    ENQUEUED(clEnqueueFillBuffer(Q, B, host, 4, 2, 64, 0, NULL, &event));
    ENQUEUED(clEnqueueFillBuffer(Q, B, host, 4, 0, 62, 0, NULL, &event));
    ENQUEUED(clEnqueueFillBuffer(Q, B, host, 4, BYTES, 4, 0, NULL, &event));
    ENQUEUED(clEnqueueFillBuffer(Q, B, host, 4, 0, 0, 0, NULL, &event));
    ENQUEUED(clEnqueueFillBuffer(Q, B, host, 4, 0, 64, 1, NULL, &event));
    ENQUEUED(clEnqueueMigrateMemObjects(NULL, 1, &B, 0, 0, NULL, &event));
    ENQUEUED(clEnqueueMigrateMemObjects(Q, 0, &B, 0, 0, NULL, &event));
    ENQUEUED(clEnqueueMigrateMemObjects(Q, 1, NULL, 0, 0, NULL, &event));
    ENQUEUED(clEnqueueMigrateMemObjects(Q, 1, &none, 0, 0, NULL, &event));
    ENQUEUED(clEnqueueMigrateMemObjects(Q, 2, mixed, 0, 0, NULL, &event));
    ENQUEUED(clEnqueueMigrateMemObjects(Q, 1, &B, 1 << 20, 0, NULL, &event));
    refuse_rects(w);
    refuse_maps(w);
}

void refuse_image_commands(struct world *w)
{
    const size_t wide[3] = {W + 1, H, 1}, deep[3] = {W, H, 2}, flat[3] = {W, 0, 1}, at[3] = {1, 0, 0}, z[3] = {0, 0, 1};
    const cl_uint color[4] = {1, 2, 3, 4};
    size_t row, slice;
    cl_int err;
    void *p;
    if (!I)
        return;
    ENQUEUED(clEnqueueReadImage(NULL, I, CL_FALSE, zero3, image3, 0, 0, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadImage(Q, NULL, CL_FALSE, zero3, image3, 0, 0, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadImage(Q, B, CL_FALSE, zero3, image3, 0, 0, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadImage(Q, w->other.image, CL_FALSE, zero3, image3, 0, 0, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadImage(Q, I, CL_FALSE, NULL, image3, 0, 0, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadImage(Q, I, CL_FALSE, zero3, NULL, 0, 0, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadImage(Q, I, CL_FALSE, zero3, image3, 0, 0, NULL, 0, NULL, &event));
    ENQUEUED(clEnqueueReadImage(Q, I, CL_FALSE, zero3, wide, 0, 0, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadImage(Q, I, CL_FALSE, at, image3, 0, 0, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadImage(Q, I, CL_FALSE, z, image3, 0, 0, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadImage(Q, I, CL_FALSE, zero3, deep, 0, 0, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadImage(Q, I, CL_FALSE, zero3, flat, 0, 0, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadImage(Q, I, CL_FALSE, zero3, image3, 3, 0, host, 0, NULL, &event));
    ENQUEUED(clEnqueueReadImage(Q, I, CL_FALSE, zero3, image3, 0, 0, host, 1, NULL, &event));
    ENQUEUED(clEnqueueReadImage(Q, I, CL_FALSE, zero3, image3, 0, 0, host, 1, &w->other.event, &event));
    ENQUEUED(clEnqueueWriteImage(Q, I, CL_FALSE, zero3, wide, 0, 0, host, 0, NULL, &event));
    ENQUEUED(clEnqueueWriteImage(Q, I, CL_FALSE, at, image3, 0, 0, host, 0, NULL, &event));
    ENQUEUED(clEnqueueWriteImage(Q, I, CL_FALSE, zero3, image3, 3, 0, host, 0, NULL, &event));
    ENQUEUED(clEnqueueWriteImage(Q, w->other.image, CL_FALSE, zero3, image3, 0, 0, host, 0, NULL, &event));
    ENQUEUED(clEnqueueFillImage(Q, I, NULL, zero3, image3, 0, NULL, &event));
    ENQUEUED(clEnqueueFillImage(Q, I, color, zero3, wide, 0, NULL, &event));
    ENQUEUED(clEnqueueFillImage(Q, I, color, at, image3, 0, NULL, &event));
    ENQUEUED(clEnqueueFillImage(Q, I, color, zero3, flat, 0, NULL, &event));
    ENQUEUED(clEnqueueFillImage(Q, B, color, zero3, image3, 0, NULL, &event));
    ENQUEUED(clEnqueueCopyImage(Q, I, w->other.image, zero3, zero3, image3, 0, NULL, &event));
    ENQUEUED(clEnqueueCopyImage(Q, I, NULL, zero3, zero3, image3, 0, NULL, &event));
    ENQUEUED(clEnqueueCopyImage(Q, I, I, zero3, at, one3, 0, NULL, &event));
    ENQUEUED(clEnqueueCopyImage(Q, I, I, zero3, at, image3, 0, NULL, &event));
    ENQUEUED(clEnqueueCopyImage(Q, I, I, zero3, zero3, one3, 0, NULL, &event));
    ENQUEUED(clEnqueueCopyImageToBuffer(Q, I, B, zero3, wide, 0, 0, NULL, &event));
    ENQUEUED(clEnqueueCopyImageToBuffer(Q, I, B, zero3, image3, BYTES - 1, 0, NULL, &event));
    ENQUEUED(clEnqueueCopyImageToBuffer(Q, I, w->other.buffer, zero3, image3, 0, 0, NULL, &event));
    ENQUEUED(clEnqueueCopyBufferToImage(Q, B, I, 0, zero3, wide, 0, NULL, &event));
    ENQUEUED(clEnqueueCopyBufferToImage(Q, B, I, BYTES - 1, zero3, image3, 0, NULL, &event));
    ENQUEUED(clEnqueueCopyBufferToImage(Q, B, I, 0, at, image3, 0, NULL, &event));
#define MAPPED_IMAGE(call)                                                                                             \
    do {                                                                                                               \
        err = 77;                                                                                                      \
        p = (call);                                                                                                    \
        printf("%s: %d %s\n", #call, err, p ? "mapped" : "nothing");                                                   \
        fflush(stdout);                                                                                                \
        if (p)                                                                                                         \
            clEnqueueUnmapMemObject(Q, I, p, 0, NULL, NULL);                                                           \
    } while (0)
    MAPPED_IMAGE(clEnqueueMapImage(NULL, I, CL_FALSE, 1, zero3, image3, &row, &slice, 0, NULL, NULL, &err));
    MAPPED_IMAGE(clEnqueueMapImage(Q, NULL, CL_FALSE, 1, zero3, image3, &row, &slice, 0, NULL, NULL, &err));
    MAPPED_IMAGE(clEnqueueMapImage(Q, B, CL_FALSE, 1, zero3, image3, &row, &slice, 0, NULL, NULL, &err));
    MAPPED_IMAGE(clEnqueueMapImage(Q, w->other.image, CL_FALSE, 1, zero3, image3, &row, &slice, 0, NULL, NULL, &err));
    MAPPED_IMAGE(clEnqueueMapImage(Q, I, CL_FALSE, 1, zero3, wide, &row, &slice, 0, NULL, NULL, &err));
    MAPPED_IMAGE(clEnqueueMapImage(Q, I, CL_FALSE, 1, at, image3, &row, &slice, 0, NULL, NULL, &err));
    MAPPED_IMAGE(clEnqueueMapImage(Q, I, CL_FALSE, 1, zero3, image3, NULL, &slice, 0, NULL, NULL, &err));
    MAPPED_IMAGE(clEnqueueMapImage(Q, I, CL_FALSE, 1, zero3, image3, &row, NULL, 0, NULL, NULL, &err));
    MAPPED_IMAGE(clEnqueueMapImage(Q, I, CL_FALSE, 1 << 20, zero3, image3, &row, &slice, 0, NULL, NULL, &err));
    MAPPED_IMAGE(clEnqueueMapImage(Q, I, CL_FALSE, 1, zero3, image3, &row, &slice, 1, NULL, NULL, &err));
    const cl_mem_flags sealed[] = {CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_NO_ACCESS};
    const cl_map_flags how[] = {CL_MAP_READ, CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION};
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H};
    for (int s = 0; s < 3; s++) {
        cl_mem image = clCreateImage(w->x.context, sealed[s], &format, &desc, NULL, &err);
        cl_mem_flags flags = 0;
        clGetMemObjectInfo(image, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
        printf("sealed image %d: %d, flags %llx\n", s, err, (unsigned long long)flags);
        ENQUEUED(clEnqueueReadImage(Q, image, CL_FALSE, zero3, image3, 0, 0, host, 0, NULL, &event));
        ENQUEUED(clEnqueueWriteImage(Q, image, CL_FALSE, zero3, image3, 0, 0, host, 0, NULL, &event));
        ENQUEUED(clEnqueueCopyImage(Q, image, I, zero3, zero3, image3, 0, NULL, &event));
        ENQUEUED(clEnqueueFillImage(Q, image, color, zero3, image3, 0, NULL, &event));
        for (int m = 0; m < 3; m++) {
            p = clEnqueueMapImage(Q, image, CL_FALSE, how[m], zero3, image3, &row, &slice, 0, NULL, NULL, &err);
            printf("sealed image %d map %d: %d %s\n", s, m, err, p ? "mapped" : "nothing");
            if (p)
                clEnqueueUnmapMemObject(Q, image, p, 0, NULL, NULL);
        }
        clReleaseMemObject(image);
    }
}
