/* Maps of images behind commands that have not run yet: the pointer is there at once, its texels when the event says
 * so, and what is written through it is in the image after the unmap. */
#include "tests/shim/conform.h"

enum { W = 16, H = 8, D = 3 };
static const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};

struct gated {
    struct cl c;
    cl_event gate;
    cl_bool images;
};

/* A queue that waits for GATE. */
static struct gated open_gated(void)
{
    struct gated g = {.c = open_cl(0)};
    cl_int err;
    OK(clGetDeviceInfo(g.c.device, CL_DEVICE_IMAGE_SUPPORT, sizeof g.images, &g.images, NULL));
    g.gate = clCreateUserEvent(g.c.context, &err);
    OK(err);
    OK(clEnqueueMarkerWithWaitList(g.c.queue, 1, &g.gate, NULL));
    return g;
}

static void close_gated(struct gated *g)
{
    OK(clReleaseEvent(g->gate));
    close_cl(&g->c);
}

START_TEST(a_map_behind_a_user_event_has_its_pointer_at_once)
{
    struct gated g = open_gated();
    const cl_image_desc d = {
        .image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = W, .image_height = H, .image_depth = D};
    cl_int err, status;
    cl_mem image = g.images ? clCreateImage(g.c.context, CL_MEM_READ_WRITE, &format, &d, NULL, &err) : NULL;
    const size_t origin[3] = {4, 2, 1}, region[3] = {8, 3, 2}, all[3] = {W, H, D}, zero[3] = {0};
    size_t row = 0, slice = 0;
    if (image) {
        const cl_uint color[4] = {1, 2, 3, 4};
        cl_event mapped;
        cl_uint count;
        OK(clEnqueueFillImage(g.c.queue, image, color, zero, all, 0, NULL, NULL));
        clEnqueueMapImage(g.c.queue, image, CL_FALSE, CL_MAP_READ, origin, region, &row, NULL, 0, NULL, NULL, &err);
        ck_assert(err == CL_INVALID_VALUE || lenient()); /* it has slices */
        cl_uchar *p = clEnqueueMapImage(g.c.queue, image, CL_FALSE, CL_MAP_READ | CL_MAP_WRITE, origin, region, &row,
                                        &slice, 0, NULL, &mapped, &err);
        OK(err);
        ck_assert_ptr_nonnull(p);
        ck_assert_uint_ge(row, region[0] * 4);
        ck_assert_uint_ge(slice, row * region[1]);
        OK(clGetEventInfo(mapped, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        ck_assert_int_gt(status, CL_COMPLETE);
        OK(clSetUserEventStatus(g.gate, CL_COMPLETE));
        OK(clWaitForEvents(1, &mapped));
        OK(clGetMemObjectInfo(image, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
        ck_assert(count == 1 || lenient());
        for (size_t z = 0; z < region[2]; z++)
            for (size_t y = 0; y < region[1]; y++)
                for (size_t x = 0; x < region[0]; x++) {
                    cl_uchar *texel = p + z * slice + y * row + x * 4;
                    ck_assert_uint_eq(texel[2], 3);
                    texel[2] = (cl_uchar)(x + 10 * y + 100 * z);
                }
        OK(clEnqueueUnmapMemObject(g.c.queue, image, p, 0, NULL, NULL));
        cl_uchar got[D][H][W][4];
        OK(clEnqueueReadImage(g.c.queue, image, CL_TRUE, zero, all, 0, 0, got, 0, NULL, NULL));
        for (size_t z = 0; z < D; z++)
            for (size_t y = 0; y < H; y++)
                for (size_t x = 0; x < W; x++) {
                    bool in = x >= 4 && x < 12 && y >= 2 && y < 5 && z >= 1;
                    ck_assert_uint_eq(got[z][y][x][2], in ? x - 4 + 10 * (y - 2) + 100 * (z - 1) : 3);
                }
        OK(clReleaseEvent(mapped));
        OK(clReleaseMemObject(image));
    }
    close_gated(&g);
}
END_TEST

START_TEST(a_map_of_an_image_that_the_host_may_only_write)
{
    struct gated g = open_gated();
    const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H};
    cl_int err;
    const cl_mem_flags flags = CL_MEM_READ_WRITE | CL_MEM_HOST_WRITE_ONLY;
    cl_mem image = g.images ? clCreateImage(g.c.context, flags, &format, &d, NULL, &err) : NULL;
    const size_t origin[3] = {4, 2, 0}, region[3] = {8, 3, 1}, all[3] = {W, H, 1}, zero[3] = {0};
    size_t row = 0;
    if (image) {
        const cl_uint color[4] = {1, 2, 3, 4};
        cl_mem seen = buffer_of(&g.c, CL_MEM_READ_WRITE, W * H * 4, NULL);
        cl_mem_flags told = 0;
        OK(clGetMemObjectInfo(image, CL_MEM_FLAGS, sizeof told, &told, NULL));
        ck_assert_uint_eq(told, flags);
        OK(clEnqueueFillImage(g.c.queue, image, color, zero, all, 0, NULL, NULL));
        clEnqueueMapImage(g.c.queue, image, CL_FALSE, CL_MAP_READ, origin, region, &row, NULL, 0, NULL, NULL, &err);
        ck_assert(err == CL_INVALID_OPERATION || lenient());
        cl_uchar got[H][W][4];
        err = clEnqueueReadImage(g.c.queue, image, CL_FALSE, zero, all, 0, 0, got, 0, NULL, NULL);
        ck_assert(err == CL_INVALID_OPERATION || lenient());
        cl_uchar *p = clEnqueueMapImage(g.c.queue, image, CL_FALSE, CL_MAP_WRITE, origin, region, &row, NULL, 0, NULL,
                                        NULL, &err);
        OK(err);
        OK(clSetUserEventStatus(g.gate, CL_COMPLETE));
        OK(clFinish(g.c.queue));
        for (size_t y = 0; y < region[1]; y++)
            for (size_t x = 0; x < region[0]; x++)
                p[y * row + x * 4 + 2] = (cl_uchar)(x + 10 * y);
        OK(clEnqueueUnmapMemObject(g.c.queue, image, p, 0, NULL, NULL));
        OK(clEnqueueCopyImageToBuffer(g.c.queue, image, seen, zero, all, 0, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(g.c.queue, seen, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        for (size_t y = 0; y < H; y++)
            for (size_t x = 0; x < W; x++) {
                bool in = x >= 4 && x < 12 && y >= 2 && y < 5;
                ck_assert_uint_eq(got[y][x][2], in ? x - 4 + 10 * (y - 2) : 3);
                ck_assert_uint_eq(got[y][x][1], 2);
            }
        OK(clReleaseMemObject(seen));
        OK(clReleaseMemObject(image));
    }
    close_gated(&g);
}
END_TEST

START_TEST(a_map_of_an_image_over_host_memory_points_into_it)
{
    struct gated g = open_gated();
    enum { PITCH = 128 };
    const cl_image_desc d = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H, .image_row_pitch = PITCH};
    cl_int err;
    cl_uchar *host = aligned_alloc(4096, 4096);
    for (int i = 0; i < 4096; i++)
        host[i] = (cl_uchar)(i * 7);
    cl_mem image =
        g.images ? clCreateImage(g.c.context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, &format, &d, host, &err) : NULL;
    const size_t origin[3] = {2, 3, 0}, region[3] = {4, 4, 1};
    size_t row = 0;
    if (image) {
        cl_uchar *p = clEnqueueMapImage(g.c.queue, image, CL_FALSE, CL_MAP_READ | CL_MAP_WRITE, origin, region, &row,
                                        NULL, 0, NULL, NULL, &err);
        OK(err);
        ck_assert_uint_eq(row, PITCH);
        ck_assert_ptr_eq(p, host + 3 * PITCH + 2 * 4);
        OK(clSetUserEventStatus(g.gate, CL_COMPLETE));
        OK(clFinish(g.c.queue));
        ck_assert_uint_eq(p[1], (cl_uchar)((3 * PITCH + 2 * 4 + 1) * 7));
        p[1] = 99;
        OK(clEnqueueUnmapMemObject(g.c.queue, image, p, 0, NULL, NULL));
        cl_uchar got[4][4][4];
        OK(clEnqueueReadImage(g.c.queue, image, CL_TRUE, origin, region, 0, 0, got, 0, NULL, NULL));
        ck_assert_uint_eq(got[0][0][1], 99);
        OK(clReleaseMemObject(image));
    }
    close_gated(&g);
    free(host);
}
END_TEST

START_TEST(a_map_behind_an_event_that_fails_writes_nothing)
{
    struct gated g = open_gated();
    const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H};
    const size_t zero[3] = {0}, all[3] = {W, H, 1};
    const cl_uint color[4] = {5, 6, 7, 8};
    cl_int err, status;
    size_t row;
    cl_command_queue other = clCreateCommandQueue(g.c.context, g.c.device, 0, &err);
    cl_mem image = g.images ? clCreateImage(g.c.context, CL_MEM_READ_WRITE, &format, &d, NULL, &err) : NULL;
    if (image) {
        cl_event mapped, bad = clCreateUserEvent(g.c.context, &err);
        OK(clEnqueueFillImage(other, image, color, zero, all, 0, NULL, NULL));
        OK(clFinish(other));
        cl_uchar *p =
            clEnqueueMapImage(other, image, CL_FALSE, CL_MAP_WRITE, zero, all, &row, NULL, 1, &bad, &mapped, &err);
        OK(err);
        ck_assert_ptr_nonnull(p);
        OK(clSetUserEventStatus(bad, -7));
        IS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &mapped));
        OK(clGetEventInfo(mapped, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        ck_assert_int_lt(status, 0);
        OK(clReleaseEvent(mapped));
        OK(clReleaseEvent(bad));
        OK(clReleaseMemObject(image));
    }
    OK(clSetUserEventStatus(g.gate, CL_COMPLETE));
    OK(clFinish(g.c.queue));
    OK(clReleaseCommandQueue(other));
    close_gated(&g);
}
END_TEST

YK_TEST_MAIN("conform_image_map", a_map_behind_a_user_event_has_its_pointer_at_once,
             a_map_of_an_image_that_the_host_may_only_write, a_map_of_an_image_over_host_memory_points_into_it,
             a_map_behind_an_event_that_fails_writes_nothing)
