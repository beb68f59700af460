/* What a program may rely on of its buffers, whatever devices are behind: maps, sub-buffers, fills, copies, rectangles.
 */
#include "tests/shim/semantics.h"
#include "tests/unit/main.h"

START_TEST(maps_see_and_give_data_in_order)
{
    struct cl c = open_cl(0);
    cl_int err;
    cl_event gate = clCreateUserEvent(c.context, &err), mapped;
    cl_kernel fill = kernel_of(&c, "fill"), add = kernel_of(&c, "add");
    cl_mem a = buffer_of(&c, N * 4), b = buffer_of(&c, N * 4);
    set2(fill, a, 1);
    launch(&c, fill, 1, &gate, NULL);
    cl_int *p = clEnqueueMapBuffer(c.queue, a, CL_FALSE, CL_MAP_READ | CL_MAP_WRITE, 256, 1024, 0, NULL, &mapped, &err);
    OK(err);
    ck_assert_ptr_nonnull(p);
    cl_uint count;
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(1, &mapped));
    OK(clGetMemObjectInfo(a, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 1);
    for (int i = 0; i < 256; i++) {
        ck_assert_int_eq(p[i], 1 + 64 + i);
        p[i] = -i;
    }
    OK(clEnqueueUnmapMemObject(c.queue, a, p, 0, NULL, NULL));
    set2(fill, b, 10);
    launch(&c, fill, 0, NULL, NULL);
    OK(clSetKernelArg(add, 0, sizeof a, &a));
    OK(clSetKernelArg(add, 1, sizeof b, &b));
    launch(&c, add, 0, NULL, NULL);
    cl_int *q = clEnqueueMapBuffer(c.queue, b, CL_TRUE, CL_MAP_READ, 0, N * 4, 0, NULL, NULL, &err);
    OK(err);
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(q[i], 10 + i + (i >= 64 && i < 320 ? -(i - 64) : 1 + i));
    OK(clEnqueueUnmapMemObject(c.queue, b, q, 0, NULL, NULL));
    ck_assert_int_eq(clEnqueueUnmapMemObject(c.queue, b, q, 0, NULL, NULL), CL_INVALID_VALUE);
    OK(clFinish(c.queue));
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(mapped));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
    OK(clReleaseKernel(fill));
    OK(clReleaseKernel(add));
    close_cl(&c);
}
END_TEST

START_TEST(sub_buffers_fills_copies_and_rects_are_one_memory)
{
    struct cl c = open_cl(0);
    cl_int err, out[N], zero = 0;
    cl_uint align = 0;
    cl_mem a = buffer_of(&c, sizeof out), b = buffer_of(&c, sizeof out);
    OK(clGetDeviceInfo(c.device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof align, &align, NULL));
    cl_buffer_region half = {sizeof out / 2, sizeof out / 2};
    ck_assert_uint_eq(half.origin % (align / 8), 0);
    cl_mem upper = clCreateSubBuffer(a, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &half, &err);
    OK(err);
    OK(clEnqueueFillBuffer(c.queue, a, &zero, sizeof zero, 0, sizeof out, 0, NULL, NULL));
    cl_kernel fill = kernel_of(&c, "fill"), rows = kernel_of(&c, "rows");
    set2(fill, upper, 1000);
    size_t global = N / 2, local = LOCAL;
    OK(clEnqueueNDRangeKernel(c.queue, fill, 1, NULL, &global, &local, 0, NULL, NULL));
    size_t g2[2] = {64, 64}, l2[2] = {8, 4};
    set2(rows, a, 64);
    OK(clEnqueueNDRangeKernel(c.queue, rows, 2, NULL, g2, l2, 0, NULL, NULL));
    OK(clEnqueueCopyBuffer(c.queue, a, b, 0, 0, sizeof out, 0, NULL, NULL));
    size_t from[3] = {0, 32, 0}, to[3] = {128, 0, 0}, region[3] = {128, 16, 1};
    OK(clEnqueueCopyBufferRect(c.queue, a, b, from, to, region, 256, 0, 256, 0, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(c.queue, b, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int y = 0; y < 64; y++)
        for (int x = 0; x < 64; x++) {
            int sy = y, sx = x;
            if (y < 16 && x >= 32)
                sy = y + 32, sx = x - 32;
            int i = sy * 64 + sx, want = (i >= N / 2 ? 1000 + i - N / 2 : 0) + sy / 4;
            ck_assert_int_eq(out[y * 64 + x], want);
        }
    OK(clReleaseMemObject(upper));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
    OK(clReleaseKernel(fill));
    OK(clReleaseKernel(rows));
    close_cl(&c);
}
END_TEST

YK_TEST_MAIN("semantics memory", maps_see_and_give_data_in_order, sub_buffers_fills_copies_and_rects_are_one_memory)
