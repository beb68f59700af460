/* cl_khr_command_buffer, which PoCL has: what is recorded runs at each enqueue, with the arguments of the time of the
 * recording, on memory and kernels that the program may have let go of. A plain OpenCL program that knows nothing of
 * yoke. */
#include <CL/cl_ext.h>
#include "tests/shim/conform.h"

#define FUNCTIONS(X)                                                                                                   \
    X(CreateCommandBufferKHR)                                                                                          \
    X(FinalizeCommandBufferKHR)                                                                                        \
    X(RetainCommandBufferKHR)                                                                                          \
    X(ReleaseCommandBufferKHR)                                                                                         \
    X(EnqueueCommandBufferKHR)                                                                                         \
    X(CommandBarrierWithWaitListKHR)                                                                                   \
    X(CommandCopyBufferKHR)                                                                                            \
    X(CommandCopyBufferRectKHR)                                                                                        \
    X(CommandCopyBufferToImageKHR)                                                                                     \
    X(CommandCopyImageKHR)                                                                                             \
    X(CommandCopyImageToBufferKHR)                                                                                     \
    X(CommandFillBufferKHR)                                                                                            \
    X(CommandFillImageKHR)                                                                                             \
    X(CommandNDRangeKernelKHR)                                                                                         \
    X(GetCommandBufferInfoKHR)

static struct {
#define X(name) cl##name##_fn name;
    FUNCTIONS(X)
#undef X
} ext;

static struct cl open_ext(cl_command_queue_properties properties)
{
    struct cl c = open_cl(properties);
    char list[4096];
    cl_platform_id platform;
    OK(clGetDeviceInfo(c.device, CL_DEVICE_EXTENSIONS, sizeof list, list, NULL));
    ck_assert_ptr_nonnull(strstr(list, "cl_khr_command_buffer"));
    OK(clGetDeviceInfo(c.device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
    void *p;
#define X(name)                                                                                                        \
    p = clGetExtensionFunctionAddressForPlatform(platform, "cl" #name);                                                \
    ck_assert_ptr_nonnull(p);                                                                                          \
    memcpy(&ext.name, &p, sizeof p);
    FUNCTIONS(X)
#undef X
    return c;
}

static cl_command_buffer_khr new_buffer(struct cl *c)
{
    cl_int err;
    cl_command_buffer_khr b = ext.CreateCommandBufferKHR(1, &c->queue, NULL, &err);
    OK(err);
    return b;
}

static cl_uint ask(cl_command_buffer_khr b, cl_command_buffer_info_khr what)
{
    cl_uint v = 77;
    size_t n;
    OK(ext.GetCommandBufferInfoKHR(b, what, sizeof v, &v, &n));
    ck_assert_uint_eq(n, sizeof v);
    return v;
}

static void record_launch(cl_command_buffer_khr b, cl_kernel k, cl_sync_point_khr *point)
{
    const size_t global = N, local = LOCAL;
    OK(ext.CommandNDRangeKernelKHR(b, NULL, NULL, k, 1, NULL, &global, &local, 0, NULL, point, NULL));
}

START_TEST(what_is_recorded_runs_each_time)
{
    struct cl c = open_ext(CL_QUEUE_PROFILING_ENABLE);
    cl_mem a = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL), b = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
    cl_mem sum = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
    cl_kernel set = kernel_of(c.program, "set"), add = kernel_of(c.program, "add"), lds = kernel_of(c.program, "lds");
    cl_command_buffer_khr cb = new_buffer(&c);
    cl_int v = 3, zero = 0;
    cl_sync_point_khr point[2];
    ck_assert_uint_eq(ask(cb, CL_COMMAND_BUFFER_STATE_KHR), CL_COMMAND_BUFFER_STATE_RECORDING_KHR);
    OK(clSetKernelArg(set, 0, sizeof a, &a));
    OK(clSetKernelArg(set, 1, sizeof v, &v));
    record_launch(cb, set, &point[0]);
    v = 1000; /* not for what has been recorded; PoCL 3.1, bare, has noted the kernel alone */
    if (!lenient())
        OK(clSetKernelArg(set, 1, sizeof v, &v));
    OK(ext.CommandCopyBufferKHR(cb, NULL, a, b, 0, 0, BYTES, 1, point, &point[1], NULL));
    OK(ext.CommandBarrierWithWaitListKHR(cb, NULL, 0, NULL, NULL, NULL));
    OK(clSetKernelArg(lds, 0, sizeof b, &b));
    OK(clSetKernelArg(lds, 1, LOCAL * sizeof v, NULL));
    record_launch(cb, lds, NULL);
    OK(clSetKernelArg(add, 0, sizeof b, &b));
    OK(clSetKernelArg(add, 1, sizeof sum, &sum));
    record_launch(cb, add, NULL);
    OK(ext.CommandFillBufferKHR(cb, NULL, a, &zero, sizeof zero, 0, BYTES, 0, NULL, NULL, NULL));
    OK(ext.FinalizeCommandBufferKHR(cb));
    ck_assert_uint_eq(ask(cb, CL_COMMAND_BUFFER_STATE_KHR), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    IS(CL_INVALID_OPERATION, ext.CommandFillBufferKHR(cb, NULL, a, &zero, sizeof zero, 0, BYTES, 0, NULL, NULL, NULL));
    OK(clReleaseKernel(set));
    OK(clReleaseKernel(lds));
    OK(clEnqueueFillBuffer(c.queue, sum, &zero, sizeof zero, 0, BYTES, 0, NULL, NULL));
    for (int i = 0; i < 3; i++) {
        cl_event e;
        cl_command_type type;
        cl_ulong start, end;
        OK(ext.EnqueueCommandBufferKHR(0, NULL, cb, 0, NULL, &e));
        OK(clWaitForEvents(1, &e));
        OK(clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
        ck_assert_uint_eq(type, CL_COMMAND_COMMAND_BUFFER_KHR);
        OK(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
        OK(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
        ck_assert_uint_le(start, end);
        OK(clReleaseEvent(e));
    }
    cl_int *got = malloc(BYTES);
    OK(clEnqueueReadBuffer(c.queue, sum, CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(got[i], 3 * (3 + i / LOCAL * LOCAL + LOCAL - 1 - i % LOCAL));
    OK(clEnqueueReadBuffer(c.queue, a, CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
    ck_assert_int_eq(got[N - 1], 0);
    free(got);
    OK(ext.RetainCommandBufferKHR(cb));
    ck_assert_uint_eq(ask(cb, CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR), 2);
    OK(ext.ReleaseCommandBufferKHR(cb));
    OK(ext.ReleaseCommandBufferKHR(cb));
    OK(clReleaseKernel(add));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
    OK(clReleaseMemObject(sum));
    close_cl(&c);
}
END_TEST

START_TEST(rects_and_images_are_recorded_too)
{
    struct cl c = open_ext(0);
    enum { W = 32, H = 8 };
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H};
    const size_t zero[3] = {0, 0, 0}, half[3] = {W / 2, 0, 0}, whole[3] = {W, H, 1}, part[3] = {W / 2, H, 1};
    const cl_uint color[4] = {1, 2, 3, 4};
    cl_int err;
    cl_mem a = buffer_of(&c, CL_MEM_READ_WRITE, 4 * W * H, NULL), b = buffer_of(&c, CL_MEM_READ_WRITE, 4 * W * H, NULL);
    cl_mem x = clCreateImage(c.context, CL_MEM_READ_WRITE, &format, &desc, NULL, &err);
    OK(err);
    cl_mem y = clCreateImage(c.context, CL_MEM_READ_WRITE, &format, &desc, NULL, &err);
    OK(err);
    cl_command_buffer_khr cb = new_buffer(&c);
    const cl_uchar seven = 7;
    OK(ext.CommandFillBufferKHR(cb, NULL, a, &seven, 1, 0, 4 * W * H, 0, NULL, NULL, NULL));
    OK(ext.CommandFillImageKHR(cb, NULL, x, color, zero, whole, 0, NULL, NULL, NULL));
    OK(ext.CommandCopyBufferToImageKHR(cb, NULL, a, x, 0, half, part, 0, NULL, NULL, NULL));
    OK(ext.CommandCopyImageKHR(cb, NULL, x, y, zero, zero, whole, 0, NULL, NULL, NULL));
    OK(ext.CommandCopyImageToBufferKHR(cb, NULL, y, a, zero, whole, 0, 0, NULL, NULL, NULL));
    OK(ext.CommandCopyBufferRectKHR(cb, NULL, a, b, zero, zero, (const size_t[3]){4 * W, H, 1}, 4 * W, 0, 4 * W, 0, 0,
                                    NULL, NULL, NULL));
    OK(ext.FinalizeCommandBufferKHR(cb));
    OK(ext.EnqueueCommandBufferKHR(1, &c.queue, cb, 0, NULL, NULL));
    cl_uchar got[H][W][4];
    OK(clEnqueueReadBuffer(c.queue, b, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int row = 0; row < H; row++)
        for (int i = 0; i < W; i++)
            for (int k = 0; k < 4; k++)
                ck_assert_uint_eq(got[row][i][k], i < W / 2 ? k + 1 : 7);
    OK(ext.ReleaseCommandBufferKHR(cb));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
    OK(clReleaseMemObject(x));
    OK(clReleaseMemObject(y));
    close_cl(&c);
}
END_TEST

START_TEST(what_is_wrong_is_said)
{
    struct cl c = open_ext(0);
    cl_mem a = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
    cl_kernel k = kernel_of(c.program, "set");
    cl_int err = 77, v = 5;
    cl_command_queue queue;
    ck_assert_ptr_null(ext.CreateCommandBufferKHR(1, NULL, NULL, &err));
    IS(CL_INVALID_VALUE, err);
    ck_assert_ptr_null(ext.CreateCommandBufferKHR(0, &c.queue, NULL, &err));
    IS(CL_INVALID_VALUE, err);
    IS(CL_INVALID_COMMAND_BUFFER_KHR, ext.FinalizeCommandBufferKHR(NULL));
    IS(CL_INVALID_COMMAND_BUFFER_KHR, ext.ReleaseCommandBufferKHR(NULL));
    cl_command_buffer_khr cb = new_buffer(&c);
    IS(CL_INVALID_OPERATION, ext.EnqueueCommandBufferKHR(0, NULL, cb, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, ext.CommandCopyBufferKHR(cb, NULL, a, a, 0, BYTES, 4, 0, NULL, NULL, NULL));
    IS(CL_MEM_COPY_OVERLAP, ext.CommandCopyBufferKHR(cb, NULL, a, a, 0, 4, 8, 0, NULL, NULL, NULL));
    IS(CL_INVALID_MEM_OBJECT, ext.CommandCopyBufferKHR(cb, NULL, NULL, a, 0, 4, 8, 0, NULL, NULL, NULL));
    OK(clSetKernelArg(k, 0, sizeof a, &a));
    OK(clSetKernelArg(k, 1, sizeof v, &v));
    record_launch(cb, k, NULL);
    OK(ext.FinalizeCommandBufferKHR(cb));
    OK(ext.GetCommandBufferInfoKHR(cb, CL_COMMAND_BUFFER_QUEUES_KHR, sizeof queue, &queue, NULL));
    ck_assert(queue == c.queue || lenient()); /* PoCL 3.1 gives the address of a copy */
    ck_assert_uint_eq(ask(cb, CL_COMMAND_BUFFER_NUM_QUEUES_KHR), 1);
    OK(ext.EnqueueCommandBufferKHR(0, NULL, cb, 0, NULL, NULL));
    ck_assert_int_eq(counted_from(&c, a, 5), N);
    OK(ext.ReleaseCommandBufferKHR(cb));
    OK(clReleaseKernel(k));
    OK(clReleaseMemObject(a));
    close_cl(&c);
}
END_TEST

/* A driver that is done when it returns, as PoCL's basic is, takes it again at once; PoCL's pthread device, bare, as
 * its threads will have it. */
START_TEST(it_can_be_enqueued_again_at_once_unless_the_program_holds_it_back)
{
    enum { AT_ONCE = 8, RUNS = AT_ONCE + 2 };
    struct cl c = open_ext(0);
    cl_mem a = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL), sum = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
    cl_kernel add = kernel_of(c.program, "add");
    cl_int zero = 0, err;
    set_to(&c, a, 7);
    OK(clEnqueueFillBuffer(c.queue, sum, &zero, sizeof zero, 0, BYTES, 0, NULL, NULL));
    cl_command_buffer_khr cb = new_buffer(&c);
    OK(clSetKernelArg(add, 0, sizeof a, &a));
    OK(clSetKernelArg(add, 1, sizeof sum, &sum));
    record_launch(cb, add, NULL);
    OK(ext.FinalizeCommandBufferKHR(cb));
    for (int i = 0; i < AT_ONCE; i++) {
        OK(ext.EnqueueCommandBufferKHR(0, NULL, cb, 0, NULL, NULL));
        if (lenient())
            OK(clFinish(c.queue));
    }
    OK(clFinish(c.queue));
    cl_event gate = clCreateUserEvent(c.context, &err);
    OK(err);
    OK(ext.EnqueueCommandBufferKHR(0, NULL, cb, 1, &gate, NULL));
    IS(CL_INVALID_OPERATION, ext.EnqueueCommandBufferKHR(0, NULL, cb, 0, NULL, NULL));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clReleaseEvent(gate));
    if (lenient())
        OK(clFinish(c.queue));
    OK(ext.EnqueueCommandBufferKHR(0, NULL, cb, 0, NULL, NULL));
    cl_int *got = malloc(BYTES);
    OK(clEnqueueReadBuffer(c.queue, sum, CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(got[i], RUNS * (7 + i)); /* none lost, none twice */
    free(got);
    OK(ext.ReleaseCommandBufferKHR(cb));
    OK(clReleaseKernel(add));
    OK(clReleaseMemObject(sum));
    OK(clReleaseMemObject(a));
    close_cl(&c);
}
END_TEST

YK_TEST_MAIN("command_buffer", what_is_recorded_runs_each_time, rects_and_images_are_recorded_too,
             what_is_wrong_is_said, it_can_be_enqueued_again_at_once_unless_the_program_holds_it_back)
