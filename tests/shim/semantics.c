/* What a program may rely on, whatever devices are behind: ordering, captured arguments, events, maps, life times. A
 * plain OpenCL program that knows nothing of yoke; each test is a process of its own. */
#include <CL/cl.h>
#include <check.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/unit/main.h"

static const char source[] =
    "kernel void fill(global int *a, int v) { a[get_global_id(0)] = v + (int)get_global_id(0); }\n"
    "kernel void add(global const int *a, global int *b) { size_t i = get_global_id(0); b[i] += a[i]; }\n"
    "kernel void whole_ids(global uint *a) { size_t i = get_global_id(0) - get_global_offset(0);\n"
    "  a[i] = (uint)(get_group_id(0) * 1000 + get_local_id(0)) ^ (uint)(get_num_groups(0) << 20)\n"
    "       ^ (uint)(get_global_size(0) << 8) ^ (uint)get_global_offset(0); }\n"
    "kernel void rows(global int *a, int w) { a[get_global_id(1) * w + get_global_id(0)] += (int)get_group_id(1); }\n"
    "kernel void slow(global float *a, int n) { float x = a[get_global_id(0)];\n"
    "  for (int i = 0; i < n; i++) x = x * 0.5f + 1.0f; a[get_global_id(0)] = x; }\n";

enum { N = 4096, LOCAL = 64 };

struct cl {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
};

#define OK(call) ck_assert_int_eq((call), CL_SUCCESS)

static struct cl open_cl(cl_command_queue_properties properties)
{
    struct cl c;
    cl_platform_id platform;
    cl_int err;
    const char *text = source;
    OK(clGetPlatformIDs(1, &platform, NULL));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &c.device, NULL));
    c.context = clCreateContext(NULL, 1, &c.device, NULL, NULL, &err);
    OK(err);
    c.queue = clCreateCommandQueue(c.context, c.device, properties, &err);
    OK(err);
    c.program = clCreateProgramWithSource(c.context, 1, &text, NULL, &err);
    OK(err);
    OK(clBuildProgram(c.program, 1, &c.device, "", NULL, NULL));
    return c;
}

static void close_cl(struct cl *c)
{
    OK(clReleaseProgram(c->program));
    OK(clReleaseCommandQueue(c->queue));
    OK(clReleaseContext(c->context));
}

static cl_kernel kernel_of(struct cl *c, const char *name)
{
    cl_int err;
    cl_kernel k = clCreateKernel(c->program, name, &err);
    OK(err);
    return k;
}

static cl_mem buffer_of(struct cl *c, size_t bytes)
{
    cl_int err;
    cl_mem m = clCreateBuffer(c->context, CL_MEM_READ_WRITE, bytes, NULL, &err);
    OK(err);
    return m;
}

static void set2(cl_kernel k, cl_mem m, cl_int v)
{
    OK(clSetKernelArg(k, 0, sizeof m, &m));
    OK(clSetKernelArg(k, 1, sizeof v, &v));
}

static void launch(struct cl *c, cl_kernel k, cl_uint nwait, const cl_event *wait, cl_event *event)
{
    size_t global = N, local = LOCAL;
    OK(clEnqueueNDRangeKernel(c->queue, k, 1, NULL, &global, &local, nwait, wait, event));
}

START_TEST(arguments_changed_between_pending_launches)
{
    struct cl c = open_cl(0);
    cl_int err, out[2][N];
    cl_event gate = clCreateUserEvent(c.context, &err);
    OK(err);
    cl_kernel k = kernel_of(&c, "fill");
    cl_mem a = buffer_of(&c, sizeof out[0]), b = buffer_of(&c, sizeof out[0]);
    set2(k, a, 100);
    launch(&c, k, 1, &gate, NULL);
    set2(k, b, 7);
    launch(&c, k, 0, NULL, NULL);
    cl_event done;
    OK(clEnqueueReadBuffer(c.queue, a, CL_FALSE, 0, sizeof out[0], out[0], 0, NULL, NULL));
    OK(clEnqueueReadBuffer(c.queue, b, CL_FALSE, 0, sizeof out[0], out[1], 0, NULL, &done));
    cl_int status;
    OK(clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    ck_assert_int_gt(status, CL_COMPLETE);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(1, &done));
    for (int i = 0; i < N; i++) {
        ck_assert_int_eq(out[0][i], 100 + i);
        ck_assert_int_eq(out[1][i], 7 + i);
    }
    OK(clReleaseEvent(done));
    OK(clReleaseEvent(gate));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
    OK(clReleaseKernel(k));
    close_cl(&c);
}
END_TEST

START_TEST(objects_released_while_commands_are_pending)
{
    struct cl c = open_cl(0);
    cl_int err, out[N];
    cl_event gate = clCreateUserEvent(c.context, &err), done;
    cl_kernel k = kernel_of(&c, "fill");
    cl_mem a = buffer_of(&c, sizeof out);
    set2(k, a, 5);
    launch(&c, k, 1, &gate, NULL);
    OK(clEnqueueReadBuffer(c.queue, a, CL_FALSE, 0, sizeof out, out, 0, NULL, &done));
    OK(clReleaseMemObject(a));
    OK(clReleaseKernel(k));
    close_cl(&c);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(1, &done));
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(out[i], 5 + i);
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(done));
}
END_TEST

static void on_complete(cl_event event, cl_int status, void *data)
{
    cl_uint refs = 0;
    cl_int ok = clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof refs, &refs, NULL);
    __atomic_store_n((int *)data, status == CL_COMPLETE && ok == CL_SUCCESS ? 1 : 2, __ATOMIC_RELEASE);
}

START_TEST(callbacks_may_call_opencl)
{
    struct cl c = open_cl(0);
    int seen[3] = {0};
    cl_kernel k = kernel_of(&c, "fill");
    cl_mem a = buffer_of(&c, N * 4);
    cl_event e;
    set2(k, a, 5);
    launch(&c, k, 0, NULL, &e);
    OK(clSetEventCallback(e, CL_COMPLETE, on_complete, &seen[0]));
    OK(clFlush(c.queue));
    OK(clWaitForEvents(1, &e));
    OK(clSetEventCallback(e, CL_COMPLETE, on_complete, &seen[1])); /* after completion it still comes */
    for (int i = 0; i < 2; i++)
        for (int n = 0; n < 2000 && !__atomic_load_n(&seen[i], __ATOMIC_ACQUIRE); n++)
            usleep(1000);
    ck_assert_int_eq(seen[0], 1);
    ck_assert_int_eq(seen[1], 1);
    OK(clReleaseEvent(e));
    OK(clReleaseMemObject(a));
    OK(clReleaseKernel(k));
    close_cl(&c);
}
END_TEST

START_TEST(failed_user_event_fails_what_waits_for_it)
{
    struct cl c = open_cl(0);
    cl_int err, status, out[N];
    cl_event gate = clCreateUserEvent(c.context, &err), e;
    cl_kernel k = kernel_of(&c, "fill");
    cl_mem a = buffer_of(&c, sizeof out);
    set2(k, a, 5);
    launch(&c, k, 1, &gate, &e);
    OK(clSetUserEventStatus(gate, -42));
    ck_assert_int_eq(clSetUserEventStatus(gate, CL_COMPLETE), CL_INVALID_OPERATION);
    ck_assert_int_eq(clWaitForEvents(1, &e), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    OK(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    ck_assert_int_lt(status, 0);
    OK(clReleaseEvent(e));
    OK(clReleaseEvent(gate));
    OK(clReleaseMemObject(a));
    OK(clReleaseKernel(k));
    close_cl(&c);
}
END_TEST

START_TEST(ids_and_sizes_are_those_of_the_whole_range)
{
    struct cl c = open_cl(0);
    cl_uint out[N];
    cl_kernel k = kernel_of(&c, "whole_ids");
    cl_mem a = buffer_of(&c, sizeof out);
    OK(clSetKernelArg(k, 0, sizeof a, &a));
    for (size_t offset = 0; offset < 300; offset += 128 + LOCAL) {
        size_t global = N, local = LOCAL;
        OK(clEnqueueNDRangeKernel(c.queue, k, 1, offset ? &offset : NULL, &global, &local, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(c.queue, a, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
        for (cl_uint i = 0; i < N; i++)
            ck_assert_uint_eq(out[i], ((i / LOCAL) * 1000 + i % LOCAL) ^ (cl_uint)(N / LOCAL) << 20 ^ (cl_uint)N << 8 ^
                                          (cl_uint)offset);
    }
    OK(clReleaseMemObject(a));
    OK(clReleaseKernel(k));
    close_cl(&c);
}
END_TEST

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

START_TEST(out_of_order_queue_obeys_events_and_barriers)
{
    struct cl c = open_cl(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_int err, out[N];
    cl_event gate = clCreateUserEvent(c.context, &err), other;
    cl_kernel fill = kernel_of(&c, "fill"), add = kernel_of(&c, "add");
    cl_mem a = buffer_of(&c, N * 4), b = buffer_of(&c, N * 4), d = buffer_of(&c, N * 4);
    set2(fill, a, 1);
    launch(&c, fill, 1, &gate, NULL);
    set2(fill, d, 3);
    launch(&c, fill, 0, NULL, &other); /* not held up by the gate */
    OK(clFlush(c.queue));
    OK(clWaitForEvents(1, &other));
    set2(fill, b, 2);
    launch(&c, fill, 0, NULL, NULL);
    OK(clEnqueueBarrierWithWaitList(c.queue, 0, NULL, NULL));
    OK(clSetKernelArg(add, 0, sizeof a, &a));
    OK(clSetKernelArg(add, 1, sizeof b, &b));
    launch(&c, add, 0, NULL, NULL);
    OK(clEnqueueBarrierWithWaitList(c.queue, 0, NULL, NULL));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clEnqueueReadBuffer(c.queue, b, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(out[i], 3 + 2 * i);
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(other));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
    OK(clReleaseMemObject(d));
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

START_TEST(profiling_times_rise)
{
    struct cl c = open_cl(CL_QUEUE_PROFILING_ENABLE);
    cl_kernel k = kernel_of(&c, "slow");
    cl_mem a = buffer_of(&c, N * 4);
    cl_float one = 1;
    OK(clEnqueueFillBuffer(c.queue, a, &one, sizeof one, 0, N * 4, 0, NULL, NULL));
    set2(k, a, 1000);
    cl_ulong before = 0;
    for (int n = 0; n < 4; n++) {
        cl_event e;
        cl_ulong t[4];
        launch(&c, k, 0, NULL, &e);
        OK(clWaitForEvents(1, &e));
        for (cl_uint i = 0; i < 4; i++)
            OK(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_QUEUED + i, sizeof t[i], &t[i], NULL));
        ck_assert(before <= t[0] && t[0] <= t[1] && t[1] <= t[2] && t[2] <= t[3]);
        before = t[2];
        OK(clReleaseEvent(e));
    }
    OK(clReleaseMemObject(a));
    OK(clReleaseKernel(k));
    close_cl(&c);
}
END_TEST

START_TEST(local_size_left_open)
{
    struct cl c = open_cl(0);
    cl_int out[N];
    cl_kernel k = kernel_of(&c, "fill");
    cl_mem a = buffer_of(&c, sizeof out);
    for (size_t n = 1; n <= N; n = n * 3 + 1) {
        set2(k, a, (cl_int)n);
        OK(clEnqueueNDRangeKernel(c.queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(c.queue, a, CL_TRUE, 0, n * sizeof *out, out, 0, NULL, NULL));
        for (size_t i = 0; i < n; i++)
            ck_assert_int_eq(out[i], (cl_int)(n + i));
    }
    OK(clReleaseMemObject(a));
    OK(clReleaseKernel(k));
    close_cl(&c);
}
END_TEST

static void *thread_main(void *arg)
{
    struct cl *c = arg;
    cl_int err, out[N];
    cl_command_queue q = clCreateCommandQueue(c->context, c->device, 0, &err);
    cl_kernel k = clCreateKernel(c->program, "fill", &err);
    cl_mem a = clCreateBuffer(c->context, CL_MEM_READ_WRITE, sizeof out, NULL, &err);
    size_t global = N, local = LOCAL;
    intptr_t wrong = 0;
    for (cl_int n = 0; n < 40; n++) {
        err |= clSetKernelArg(k, 0, sizeof a, &a);
        err |= clSetKernelArg(k, 1, sizeof n, &n);
        err |= clEnqueueNDRangeKernel(q, k, 1, NULL, &global, &local, 0, NULL, NULL);
        err |= clEnqueueReadBuffer(q, a, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
        for (int i = 0; i < N; i++)
            wrong += out[i] != n + i;
    }
    clReleaseMemObject(a);
    clReleaseKernel(k);
    clReleaseCommandQueue(q);
    return (void *)(wrong + (err != CL_SUCCESS));
}

START_TEST(threads_with_queues_of_their_own)
{
    struct cl c = open_cl(0);
    pthread_t t[8];
    for (int i = 0; i < 8; i++)
        ck_assert(!pthread_create(&t[i], NULL, thread_main, &c));
    for (int i = 0; i < 8; i++) {
        void *wrong;
        pthread_join(t[i], &wrong);
        ck_assert_ptr_null(wrong);
    }
    close_cl(&c);
}
END_TEST

START_TEST(thousands_of_small_launches)
{
    struct cl c = open_cl(0);
    cl_int out[N], want = 0;
    cl_kernel fill = kernel_of(&c, "fill"), add = kernel_of(&c, "add");
    cl_mem a = buffer_of(&c, N * 4), b = buffer_of(&c, N * 4);
    set2(fill, a, 1);
    launch(&c, fill, 0, NULL, NULL);
    OK(clEnqueueFillBuffer(c.queue, b, &want, sizeof want, 0, N * 4, 0, NULL, NULL));
    OK(clSetKernelArg(add, 0, sizeof a, &a));
    OK(clSetKernelArg(add, 1, sizeof b, &b));
    for (int n = 0; n < 3000; n++) {
        size_t global = 1024, local = LOCAL;
        OK(clEnqueueNDRangeKernel(c.queue, add, 1, NULL, &global, &local, 0, NULL, NULL));
    }
    OK(clEnqueueReadBuffer(c.queue, b, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(out[i], i < 1024 ? 3000 * (1 + i) : 0);
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
    OK(clReleaseKernel(fill));
    OK(clReleaseKernel(add));
    close_cl(&c);
}
END_TEST

START_TEST(wrong_arguments_get_the_specified_codes)
{
    struct cl c = open_cl(0);
    cl_int err;
    cl_kernel k = kernel_of(&c, "fill");
    cl_mem a = buffer_of(&c, 64);
    size_t global = 64;
    ck_assert_int_eq(clEnqueueNDRangeKernel(c.queue, k, 1, NULL, &global, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    ck_assert_int_eq(clEnqueueNDRangeKernel(NULL, k, 1, NULL, &global, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    set2(k, a, 1);
    ck_assert_int_eq(clEnqueueNDRangeKernel(c.queue, k, 4, NULL, &global, NULL, 0, NULL, NULL),
                     CL_INVALID_WORK_DIMENSION);
    ck_assert_int_eq(clSetKernelArg(k, 2, 4, &global), CL_INVALID_ARG_INDEX);
    ck_assert_int_eq(clSetKernelArg(k, 1, 8, &global), CL_INVALID_ARG_SIZE);
    ck_assert_int_eq(clEnqueueReadBuffer(c.queue, a, CL_TRUE, 60, 8, &err, 0, NULL, NULL), CL_INVALID_VALUE);
    ck_assert_int_eq(clEnqueueReadBuffer(c.queue, a, CL_TRUE, 0, 4, &err, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    ck_assert_int_eq(clReleaseMemObject(NULL), CL_INVALID_MEM_OBJECT);
    ck_assert_ptr_null(clCreateKernel(c.program, "no_such_kernel", &err));
    ck_assert_int_eq(err, CL_INVALID_KERNEL_NAME);
    OK(clReleaseMemObject(a));
    OK(clReleaseKernel(k));
    close_cl(&c);
}
END_TEST

YK_TEST_MAIN("semantics", arguments_changed_between_pending_launches, objects_released_while_commands_are_pending,
             callbacks_may_call_opencl, failed_user_event_fails_what_waits_for_it,
             ids_and_sizes_are_those_of_the_whole_range, maps_see_and_give_data_in_order,
             out_of_order_queue_obeys_events_and_barriers, sub_buffers_fills_copies_and_rects_are_one_memory,
             profiling_times_rise, local_size_left_open, threads_with_queues_of_their_own, thousands_of_small_launches,
             wrong_arguments_get_the_specified_codes)
