/* Reads and writes of all kinds, checked against a copy that is kept beside them: what a program sees must not depend
 * on whether its bytes go through a ring of pinned memory. A plain OpenCL program that knows nothing of yoke. */
#include <CL/cl.h>
#include <check.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/main.h"

enum { BYTES = 1 << 18, LOCAL = 64 };

#define OK(call) ck_assert_int_eq((call), CL_SUCCESS)

static const char source[] =
    "kernel void turn(global uchar *a) { a[get_global_id(0)] = a[get_global_id(0)] * 3 + 1; }\n";

struct rig {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel turn;
    cl_mem mem;
    unsigned char *want, *app;
};

static unsigned seed;

static size_t below(size_t n)
{
    seed = seed * 1103515245u + 12345;
    return (seed >> 8) % n;
}

static cl_command_queue queue_of(const struct rig *r, cl_command_queue_properties p)
{
    cl_int err;
    cl_command_queue q = clCreateCommandQueue(r->context, r->device, p, &err);
    OK(err);
    return q;
}

static struct rig rig_open(cl_command_queue_properties p)
{
    struct rig r = {.want = calloc(1, BYTES), .app = calloc(1, BYTES)};
    cl_platform_id platform;
    const char *text = source;
    cl_int err;
    OK(clGetPlatformIDs(1, &platform, NULL));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &r.device, NULL));
    r.context = clCreateContext(NULL, 1, &r.device, NULL, NULL, &err);
    OK(err);
    r.queue = queue_of(&r, p);
    r.program = clCreateProgramWithSource(r.context, 1, &text, NULL, &err);
    OK(err);
    OK(clBuildProgram(r.program, 1, &r.device, "", NULL, NULL));
    r.turn = clCreateKernel(r.program, "turn", &err);
    OK(err);
    r.mem = clCreateBuffer(r.context, CL_MEM_READ_WRITE, BYTES, NULL, &err);
    OK(err);
    OK(clSetKernelArg(r.turn, 0, sizeof r.mem, &r.mem));
    OK(clEnqueueWriteBuffer(r.queue, r.mem, CL_TRUE, 0, BYTES, r.want, 0, NULL, NULL));
    return r;
}

static void rig_close(struct rig *r)
{
    OK(clFinish(r->queue));
    OK(clReleaseKernel(r->turn));
    OK(clReleaseMemObject(r->mem));
    OK(clReleaseProgram(r->program));
    OK(clReleaseCommandQueue(r->queue));
    OK(clReleaseContext(r->context));
    free(r->want);
    free(r->app);
}

static void turn(struct rig *r, cl_event *event)
{
    const size_t n = BYTES, local = LOCAL;
    OK(clEnqueueNDRangeKernel(r->queue, r->turn, 1, NULL, &n, &local, 0, NULL, event));
    for (size_t i = 0; i < BYTES; i++)
        r->want[i] = (unsigned char)(r->want[i] * 3 + 1);
}

static void fill(unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (unsigned char)below(256);
}

START_TEST(blocking_calls_have_moved_all_when_they_return)
{
    struct rig r = rig_open(0);
    seed = 3;
    for (int i = 0; i < 60; i++) {
        size_t len = below(i % 5 ? 3000 : BYTES), off = below(BYTES - len);
        fill(r.app, len);
        OK(clEnqueueWriteBuffer(r.queue, r.mem, CL_TRUE, off, len ? len : 1, r.app, 0, NULL, NULL));
        memcpy(r.want + off, r.app, len ? len : 1);
        memset(r.app, 0xee, BYTES); /* the memory is the program's again */
        if (i % 7 == 0)
            turn(&r, NULL);
        size_t n = 1 + below(i % 3 ? 5000 : BYTES - 1), from = below(BYTES - n);
        OK(clEnqueueReadBuffer(r.queue, r.mem, CL_TRUE, from, n, r.app, 0, NULL, NULL));
        ck_assert(!memcmp(r.app, r.want + from, n));
    }
    rig_close(&r);
}
END_TEST

START_TEST(a_queue_keeps_its_order)
{
    enum { STEPS = 12 };
    struct rig r = rig_open(CL_QUEUE_PROFILING_ENABLE);
    unsigned char *in[STEPS], *out[STEPS], *seen[STEPS];
    cl_event e[STEPS];
    seed = 5;
    for (int i = 0; i < STEPS; i++) {
        size_t len = 70000 + below(9000), off = below(BYTES - len);
        in[i] = malloc(len);
        out[i] = malloc(BYTES);
        seen[i] = malloc(BYTES);
        fill(in[i], len);
        OK(clEnqueueWriteBuffer(r.queue, r.mem, CL_FALSE, off, len, in[i], 0, NULL, &e[i]));
        memcpy(r.want + off, in[i], len);
        turn(&r, NULL);
        OK(clEnqueueReadBuffer(r.queue, r.mem, CL_FALSE, 0, BYTES, out[i], 0, NULL, NULL));
        memcpy(seen[i], r.want, BYTES);
    }
    OK(clFinish(r.queue));
    for (int i = 0; i < STEPS; i++) {
        cl_ulong t[4];
        cl_int status = 1;
        ck_assert(!memcmp(out[i], seen[i], BYTES));
        OK(clGetEventInfo(e[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        ck_assert_int_eq(status, CL_COMPLETE);
        for (int k = 0; k < 4; k++)
            OK(clGetEventProfilingInfo(e[i], CL_PROFILING_COMMAND_QUEUED + (cl_profiling_info)k, sizeof t[k], &t[k],
                                       NULL));
        ck_assert(t[0] <= t[1] && t[1] <= t[2] && t[2] <= t[3]);
        OK(clReleaseEvent(e[i]));
        free(in[i]), free(out[i]), free(seen[i]);
    }
    rig_close(&r);
}
END_TEST

START_TEST(events_order_what_the_queue_does_not)
{
    struct rig r = rig_open(0);
    cl_command_queue other = queue_of(&r, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_event written, moved, read;
    cl_int err;
    cl_mem to = clCreateBuffer(r.context, CL_MEM_READ_WRITE, BYTES, NULL, &err);
    OK(err);
    for (int i = 0; i < 10; i++) {
        fill(r.app, BYTES);
        OK(clEnqueueWriteBuffer(r.queue, r.mem, CL_FALSE, 0, BYTES, r.app, 0, NULL, &written));
        OK(clEnqueueCopyBuffer(other, r.mem, to, 0, 0, BYTES, 1, &written, &moved));
        OK(clEnqueueReadBuffer(other, to, CL_FALSE, 100, BYTES - 100, r.want, 1, &moved, &read));
        OK(clFlush(r.queue));
        OK(clWaitForEvents(1, &read));
        ck_assert(!memcmp(r.want, r.app + 100, BYTES - 100));
        OK(clReleaseEvent(written));
        OK(clReleaseEvent(moved));
        OK(clReleaseEvent(read));
    }
    OK(clReleaseMemObject(to));
    OK(clReleaseCommandQueue(other));
    rig_close(&r);
}
END_TEST

START_TEST(sub_buffers_and_mapped_memory)
{
    struct rig r = rig_open(0);
    cl_int err;
    cl_buffer_region half = {BYTES / 2, BYTES / 4};
    cl_mem sub = clCreateSubBuffer(r.mem, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &half, &err);
    OK(err);
    cl_mem host = clCreateBuffer(r.context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, BYTES, NULL, &err);
    OK(err);
    unsigned char *p =
        clEnqueueMapBuffer(r.queue, host, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, BYTES, 0, NULL, NULL, &err);
    OK(err);
    fill(p, BYTES);
    OK(clEnqueueWriteBuffer(r.queue, r.mem, CL_TRUE, 0, BYTES, p, 0, NULL, NULL));
    memcpy(r.want, p, BYTES);
    fill(r.app, BYTES);
    OK(clEnqueueWriteBuffer(r.queue, sub, CL_TRUE, 1000, 50000, r.app, 0, NULL, NULL));
    memcpy(r.want + half.origin + 1000, r.app, 50000);
    OK(clEnqueueReadBuffer(r.queue, r.mem, CL_TRUE, 0, BYTES, p, 0, NULL, NULL));
    ck_assert(!memcmp(p, r.want, BYTES));
    OK(clEnqueueReadBuffer(r.queue, sub, CL_TRUE, 7, 60000, r.app, 0, NULL, NULL));
    ck_assert(!memcmp(r.app, r.want + half.origin + 7, 60000));
    OK(clEnqueueUnmapMemObject(r.queue, host, p, 0, NULL, NULL));
    OK(clFinish(r.queue));
    OK(clReleaseMemObject(host));
    OK(clReleaseMemObject(sub));
    rig_close(&r);
}
END_TEST

/* Between buffers, parts of one, and the program's own memory, among launches that change what is copied. */
START_TEST(copies_on_the_device)
{
    enum { BUFFERS = 3 };
    struct rig r = rig_open(0);
    cl_int err;
    cl_buffer_region half = {BYTES / 2, BYTES / 2};
    unsigned char *over = aligned_alloc(4096, BYTES), *want[BUFFERS] = {r.want, r.want + half.origin};
    ck_assert_ptr_nonnull(over);
    memset(over, 7, BYTES);
    want[2] = malloc(BYTES);
    memcpy(want[2], over, BYTES);
    const size_t size[BUFFERS] = {BYTES, BYTES / 2, BYTES};
    cl_mem m[BUFFERS] = {r.mem, clCreateSubBuffer(r.mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &half, &err)};
    OK(err);
    m[2] = clCreateBuffer(r.context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, BYTES, over, &err);
    OK(err);
    seed = 11;
    for (int i = 0; i < 200; i++) {
        size_t a = below(BUFFERS), b = below(BUFFERS), n = 1 + below(i % 4 ? 4000 : BYTES / 2);
        size_t from = below(size[a] - n + 1), to = below(size[b] - n + 1);
        const unsigned char *here = want[a] + from, *there = want[b] + to;
        if (i % 9 == 0)
            turn(&r, NULL);
        if (here < there + n && there < here + n)
            continue;
        OK(clEnqueueCopyBuffer(r.queue, m[a], m[b], from, to, n, 0, NULL, NULL));
        memcpy(want[b] + to, here, n);
    }
    for (int i = 0; i < BUFFERS; i++) {
        OK(clEnqueueReadBuffer(r.queue, m[i], CL_TRUE, 0, size[i], r.app, 0, NULL, NULL));
        ck_assert(!memcmp(r.app, want[i], size[i]));
    }
    for (int i = 1; i < BUFFERS; i++)
        OK(clReleaseMemObject(m[i]));
    free(want[2]);
    rig_close(&r);
    free(over);
}
END_TEST

/* Fresh memory that the program writes through a mapping; what it leaves alone in it; mappings nobody unmaps. */
START_TEST(fresh_memory_is_written_through_mappings)
{
    struct rig r = rig_open(0);
    seed = 13;
    for (int i = 0; i < 40; i++) {
        cl_int err;
        size_t n = 1 + below(BYTES), at = below(BYTES - n + 1);
        cl_map_flags how = i % 2 ? CL_MAP_WRITE : CL_MAP_WRITE_INVALIDATE_REGION;
        cl_mem m = clCreateBuffer(r.context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, BYTES, NULL, &err);
        OK(err);
        unsigned char *p = clEnqueueMapBuffer(r.queue, m, i % 3 != 0, how, at, n, 0, NULL, NULL, &err);
        OK(err);
        OK(clFinish(r.queue));
        fill(r.want, n);
        memcpy(p, r.want, n);
        if (i % 5) {
            OK(clEnqueueUnmapMemObject(r.queue, m, p, 0, NULL, NULL));
            OK(clEnqueueReadBuffer(r.queue, m, CL_TRUE, at, n, r.app, 0, NULL, NULL));
            ck_assert(!memcmp(r.app, r.want, n));
        }
        OK(clReleaseMemObject(m));
    }
    rig_close(&r);
}
END_TEST

static void *talk(void *arg)
{
    struct rig *r = arg;
    cl_int err;
    unsigned char *in = malloc(BYTES), *out = malloc(BYTES);
    cl_command_queue q = queue_of(r, 0);
    cl_mem m = clCreateBuffer(r->context, CL_MEM_READ_WRITE, BYTES, NULL, &err);
    bool right = err == CL_SUCCESS;
    for (int i = 0; i < 10 && right; i++) {
        memset(in, i + 1, BYTES);
        in[i * 3000] = 0;
        right = clEnqueueWriteBuffer(q, m, i & 1, 0, BYTES, in, 0, NULL, NULL) == CL_SUCCESS &&
                clEnqueueReadBuffer(q, m, CL_TRUE, 0, BYTES, out, 0, NULL, NULL) == CL_SUCCESS &&
                !memcmp(in, out, BYTES);
    }
    clReleaseMemObject(m);
    clReleaseCommandQueue(q);
    free(in), free(out);
    return right ? r : NULL;
}

START_TEST(threads_with_queues_of_their_own)
{
    struct rig r = rig_open(0);
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(pthread_create(&t[i], NULL, talk, &r), 0);
    for (int i = 0; i < 3; i++) {
        void *right;
        pthread_join(t[i], &right);
        ck_assert_ptr_nonnull(right);
    }
    rig_close(&r);
}
END_TEST

YK_TEST_MAIN("ring", blocking_calls_have_moved_all_when_they_return, a_queue_keeps_its_order,
             events_order_what_the_queue_does_not, sub_buffers_and_mapped_memory, copies_on_the_device,
             fresh_memory_is_written_through_mappings, threads_with_queues_of_their_own)
