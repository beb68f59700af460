/* Objects: released in every order while builds and launches are pending, used by many threads at once. */
#include <errno.h>
#include <pthread.h>
#include "tests/stub/shim/fixture.h"
#include "tests/unit/main.h"

START_TEST(all_is_released_while_builds_and_launches_are_pending)
{
    for (int round = 0; round < 24; round++) {
        char text[8192];
        /* A source of its own each time: the transformer works for 0.3 s, or fails. */
        snprintf(text, sizeof text, "// @%s %d\n%s",
                 round % 3 == 0   ? "slow"
                 : round % 3 == 1 ? "refuse"
                                  : "fail",
                 round, shim_source);
        shim_open(&s, round % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
        cl_program p = shim_program(&s, text);
        cl_int err;
        cl_kernel k = clCreateKernel(p, "iota", &err);
        OK(err);
        cl_mem a = shim_buffer(&s, 4 * N);
        cl_event gate = shim_gate(&s), e;
        shim_set(k, 0, a);
        for (int i = 0; i < 4; i++)
            shim_launch(s.queue, k, N, 64, 1, &gate, i ? NULL : &e);
        for (int i = 0; i < 7; i++) /* every order of releases, one after the other */
            switch ((i + round) % 7) {
            case 0:
                OK(clReleaseKernel(k));
                break;
            case 1:
                OK(clReleaseProgram(p));
                break;
            case 2:
                OK(clReleaseMemObject(a));
                break;
            case 3:
                OK(clSetUserEventStatus(gate, CL_COMPLETE));
                OK(clReleaseEvent(gate));
                break;
            case 4:
                OK(clReleaseEvent(e));
                break;
            case 5:
                OK(clReleaseCommandQueue(s.queue));
                break;
            default:
                OK(clReleaseProgram(s.program));
                OK(clReleaseContext(s.context));
            }
    }
    ck_assert_int_eq(shim_live(), 0);
}
END_TEST

/* FN in N threads: how many said that something was wrong. */
static int in_threads(int n, void *(*fn)(void *), void *arg)
{
    pthread_t t[64];
    int bad = 0;
    for (int i = 0; i < n; i++)
        ck_assert_int_eq(pthread_create(&t[i], NULL, fn, arg), 0);
    for (int i = 0; i < n; i++) {
        void *wrong;
        pthread_join(t[i], &wrong);
        bad += wrong != NULL;
    }
    return bad;
}

START_TEST(threads_with_objects_of_their_own)
{
    shim_open(&s, 0);
    ck_assert_int_eq(in_threads(16, launch_and_read, &s), 0);
    shim_close(&s);
}
END_TEST

static cl_mem shared;

/* One queue, one context and one buffer for all: retained, released, asked, written at places of one's own. */
static void *sharing_main(void *arg)
{
    static int number;
    struct shim *c = arg;
    size_t at = (size_t)__atomic_fetch_add(&number, 1, __ATOMIC_RELAXED) % 16 * 256;
    cl_int err = 0, out[64], v = (cl_int)at;
    for (int n = 0; n < 20; n++) {
        cl_uint refs;
        size_t size;
        cl_event e;
        v += 10000;
        err |= clRetainContext(c->context) | clRetainCommandQueue(c->queue) | clRetainMemObject(shared);
        err |= clGetMemObjectInfo(shared, CL_MEM_REFERENCE_COUNT, sizeof refs, &refs, NULL);
        err |= clGetContextInfo(c->context, CL_CONTEXT_REFERENCE_COUNT, sizeof refs, &refs, NULL);
        err |= clGetCommandQueueInfo(c->queue, CL_QUEUE_REFERENCE_COUNT, sizeof refs, &refs, NULL);
        err |= clGetProgramInfo(c->program, CL_PROGRAM_REFERENCE_COUNT, sizeof refs, &refs, NULL);
        err |= clGetMemObjectInfo(shared, CL_MEM_SIZE, sizeof size, &size, NULL);
        err |= clEnqueueFillBuffer(c->queue, shared, &v, 4, at, 256, 0, NULL, NULL);
        err |= clEnqueueReadBuffer(c->queue, shared, CL_FALSE, at, 256, out, 0, NULL, &e);
        err |= clFlush(c->queue);
        err |= clWaitForEvents(1, &e);
        err |= clGetEventInfo(e, CL_EVENT_REFERENCE_COUNT, sizeof refs, &refs, NULL);
        err |= clReleaseEvent(e);
        for (int i = 0; i < 64; i++)
            err |= out[i] != v;
        if (n % 5 == 0)
            err |= clFinish(c->queue);
        err |= clReleaseMemObject(shared) | clReleaseCommandQueue(c->queue) | clReleaseContext(c->context);
    }
    return (void *)(long)err;
}

START_TEST(threads_that_share_a_queue_and_a_buffer)
{
    shim_open(&s, 0);
    shared = shim_buffer(&s, 4096);
    /* Newest on several devices at first. */
    cl_kernel k = shim_kernel(&s, "iota");
    shim_set(k, 0, shared);
    shim_launch(s.queue, k, N, 64, 0, NULL, NULL);
    ck_assert_int_eq(in_threads(16, sharing_main, &s), 0);
    OK(clReleaseKernel(k));
    OK(clReleaseMemObject(shared));
    shim_close(&s);
}
END_TEST

static void *contexts_main(void *unused)
{
    (void)unused;
    struct shim own;
    long wrong = 0;
    for (int n = 0; n < 4; n++) {
        shim_open(&own, 0);
        wrong += (long)launch_and_read(&own);
        clReleaseProgram(own.program);
        clReleaseCommandQueue(own.queue);
        clReleaseContext(own.context);
    }
    return (void *)wrong;
}

START_TEST(threads_that_start_at_once_with_contexts_of_their_own)
{
    shim_environment();
    ck_assert_int_eq(in_threads(8, contexts_main, NULL), 0); /* the very first call comes from all of them */
    ck_assert_int_eq(shim_live(), 0);
}
END_TEST

static void *gates_main(void *arg)
{
    cl_event *gate = arg;
    for (int i = 0; i < 50; i++) {
        usleep(200);
        clSetUserEventStatus(gate[i], CL_COMPLETE);
        clReleaseEvent(gate[i]);
    }
    return NULL;
}

START_TEST(a_finish_waits_for_gates_that_another_thread_opens)
{
    shim_open(&s, 0);
    cl_event gate[50];
    cl_int out[N];
    cl_kernel k = shim_kernel(&s, "fill"), add = shim_kernel(&s, "add");
    cl_mem a = shim_buffer(&s, sizeof out), one = shim_buffer(&s, sizeof out);
    shim_set(k, 0, a);
    shim_set_int(k, 1, 0);
    shim_launch(s.queue, k, N, 64, 0, NULL, NULL);
    shim_set(k, 0, one);
    shim_launch(s.queue, k, N, 64, 0, NULL, NULL);
    shim_set(add, 0, one);
    shim_set(add, 1, a);
    for (int i = 0; i < 50; i++) {
        gate[i] = shim_gate(&s);
        shim_launch(s.queue, add, N, 64, 1, &gate[i], NULL);
    }
    pthread_t t;
    ck_assert_int_eq(pthread_create(&t, NULL, gates_main, gate), 0);
    OK(clFinish(s.queue));
    OK(clEnqueueReadBuffer(s.queue, a, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(out[i], 51 * i);
    pthread_join(t, NULL);
    RELEASE(clReleaseKernel, k, add);
    RELEASE(clReleaseMemObject, a, one);
    shim_close(&s);
}
END_TEST

/* A program is built anew as soon as its launches are over and its kernels released, as on the driver alone. */
START_TEST(programs_are_built_again_after_their_launches)
{
    shim_open(&s, 0);
    cl_mem a = shim_buffer(&s, 4 * N);
    cl_program p = shim_program(&s, shim_source);
    for (int round = 0; round < 300; round++) {
        cl_int err;
        cl_event e;
        cl_kernel k = clCreateKernel(p, "iota", &err);
        OK(err);
        shim_set(k, 0, a);
        for (int i = 0; i < 3; i++)
            shim_launch(s.queue, k, N, 64, 0, NULL, i < 2 ? NULL : &e);
        OK(clReleaseKernel(k));
        OK(round % 2 ? clFinish(s.queue) : clWaitForEvents(1, &e));
        OK(clReleaseEvent(e));
        OK(clBuildProgram(p, 0, NULL, "", NULL, NULL));
    }
    OK(clReleaseProgram(p));
    OK(clReleaseMemObject(a));
    shim_close(&s);
    ck_assert_int_eq(shim_live(), 0);
}
END_TEST

START_TEST(errno_is_left_alone)
{
    shim_environment();
    cl_int v = 3, err;
    cl_platform_id p;
#define KEEPS(call)                                                                                                    \
    do {                                                                                                               \
        errno = 4711;                                                                                                  \
        OK(call);                                                                                                      \
        ck_assert_msg(errno == 4711, "%s sets errno to %d", #call, errno);                                             \
    } while (0)
    KEEPS(clGetPlatformIDs(1, &p, NULL));
    shim_open(&s, 0);
    cl_mem a = shim_buffer(&s, 4 * N);
    cl_kernel k = shim_kernel(&s, "iota");
    KEEPS(clSetKernelArg(k, 0, sizeof a, &a));
    size_t global = N, local = 64;
    cl_event gate = shim_gate(&s);
    KEEPS(clEnqueueNDRangeKernel(s.queue, k, 1, NULL, &global, &local, 1, &gate, NULL));
    KEEPS(clEnqueueFillBuffer(s.queue, a, &v, 4, 0, 64, 0, NULL, NULL));
    KEEPS(clSetUserEventStatus(gate, CL_COMPLETE));
    KEEPS(clFinish(s.queue));
    cl_event more = NULL;
    KEEPS((more = clCreateUserEvent(s.context, &err), err));
    KEEPS(clReleaseEvent(more));
    KEEPS(clReleaseEvent(gate));
    KEEPS(clReleaseMemObject(a));
    KEEPS(clReleaseKernel(k));
    shim_close(&s);
}
END_TEST

/* Where CPUs compute in yoke's memory no two buffers that follow one another begin at the same place of a page: all of
 * them would claim the same lines of a cache. And each begins where the device promises, and holds what it is given. */
START_TEST(buffers_begin_at_places_of_their_own)
{
    enum { BUFFERS = 8, BYTES = 12345 };
    cl_mem a[BUFFERS];
    unsigned char *at[BUFFERS];
    cl_int err;
    cl_uint bits;
    unsigned equal = 0;
    shim_open(&s, 0);
    OK(clGetDeviceInfo(s.device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, NULL));
    for (int i = 0; i < BUFFERS; i++) {
        cl_uchar with = (cl_uchar)(i + 1);
        a[i] = shim_buffer(&s, BYTES);
        OK(clEnqueueFillBuffer(s.queue, a[i], &with, 1, 0, BYTES, 0, NULL, NULL));
        at[i] = clEnqueueMapBuffer(s.queue, a[i], CL_TRUE, CL_MAP_READ, 0, BYTES, 0, NULL, NULL, &err);
        OK(err);
        ck_assert_uint_eq((uintptr_t)at[i] % (bits / 8), 0);
        equal += i && (uintptr_t)at[i] % 4096 == (uintptr_t)at[i - 1] % 4096;
    }
    const char *devices = getenv("YOKE_STUB_DEVICES");
    if (devices && !strcmp(devices, "cpu,cpu"))
        ck_assert_uint_eq(equal, 0);
    for (int i = 0; i < BUFFERS; i++) {
        for (int k = 0; k < BYTES; k++)
            ck_assert_int_eq(at[i][k], i + 1);
        OK(clEnqueueUnmapMemObject(s.queue, a[i], at[i], 0, NULL, NULL));
        OK(clReleaseMemObject(a[i]));
    }
    shim_close(&s);
}
END_TEST

/* For how many devices the stub's function NAME counts something. */
static int devices_with(const char *name)
{
    void *stub = dlopen(YK_STUB_PATH, RTLD_LAZY | RTLD_NOLOAD);
    ck_assert_ptr_nonnull(stub);
    long (*count)(unsigned) = (long (*)(unsigned))dlsym(stub, name);
    ck_assert(count != NULL);
    int n = 0;
    for (unsigned i = 0; i < 4; i++)
        n += count(i) > 0;
    dlclose(stub);
    return n;
}

/* The program releases them as it likes, and those of a CPU as primary are released so. */
START_TEST(sub_buffers_end_newest_first)
{
    cl_device_type type;
    enum { PARTS = 4, WORDS = 512, APART = 128 };
    static const unsigned order[][PARTS] = {{0, 1, 2, 3}, {2, 0, 3, 1}, {3, 1, 0, 2}, {1, 3, 2, 0}};
    static cl_int got[N];
    shim_open(&s, 0);
    OK(clGetDeviceInfo(s.device, CL_DEVICE_TYPE, sizeof type, &type, NULL));
    cl_mem whole = shim_buffer(&s, 4 * N), part[PARTS];
    cl_kernel k = shim_kernel(&s, "fill");
    for (unsigned round = 0; round < 40; round++) {
        for (unsigned i = 0; i < PARTS; i++) {
            cl_buffer_region r = {4 * APART * (i % 2 ? i : PARTS - 1 - i), 4 * WORDS};
            cl_int err;
            part[i] = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &err);
            OK(err);
        }
        cl_int last = 0;
        for (unsigned i = 0; i < PARTS; i++) {
            last = (cl_int)(round * PARTS + i);
            shim_set(k, 0, part[order[round % 4][i]]);
            OK(clSetKernelArg(k, 1, sizeof last, &last));
            shim_launch(s.queue, k, WORDS, 64, 0, NULL, NULL);
        }
        unsigned ends = order[round % 4][PARTS - 1], at = APART * (ends % 2 ? ends : PARTS - 1 - ends);
        OK(clEnqueueReadBuffer(s.queue, whole, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        for (unsigned i = 0; i < WORDS; i++)
            ck_assert_int_eq(got[at + i], last + (cl_int)i);
        for (unsigned i = 0; i < PARTS; i++)
            OK(clReleaseMemObject(part[order[(round / 4) % 4][i]]));
    }
    RELEASE(clReleaseKernel, k);
    RELEASE(clReleaseMemObject, whole);
    shim_close(&s);
    /* Sub-buffers released while newer ones overlap them. */
    ck_assert_int_eq(devices_with("stub_sub_disorder"), type & CL_DEVICE_TYPE_GPU ? 0 : 1);
}
END_TEST

/* A buffer made with the program's bytes is used before its sub-buffers are, though the program begins with those. */
START_TEST(what_a_buffer_is_made_with_arrives_before_its_sub_buffers_are_used)
{
    static const cl_mem_flags ways[] = {CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR};
    static cl_int bytes[2][N];
    shim_open(&s, 0);
    cl_kernel k = shim_kernel(&s, "fill");
    for (unsigned i = 0; i < 2; i++) {
        cl_int err, value = 7;
        cl_mem whole = clCreateBuffer(s.context, ways[i], sizeof bytes[i], bytes[i], &err);
        OK(err);
        for (size_t at = 0; at < 2; at++) {
            cl_buffer_region r = {at * sizeof bytes[i] / 2, sizeof bytes[i] / 2};
            cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &err);
            OK(err);
            shim_set(k, 0, part);
            OK(clSetKernelArg(k, 1, sizeof value, &value));
            shim_launch(s.queue, k, N / 2, 64, 0, NULL, NULL);
            OK(clReleaseMemObject(part));
        }
        OK(clFinish(s.queue));
        RELEASE(clReleaseMemObject, whole);
    }
    RELEASE(clReleaseKernel, k);
    shim_close(&s);
    ck_assert_int_eq(devices_with("stub_sub_early"), 0);
}
END_TEST

YK_TEST_MAIN("objects", all_is_released_while_builds_and_launches_are_pending, threads_with_objects_of_their_own,
             threads_that_share_a_queue_and_a_buffer, threads_that_start_at_once_with_contexts_of_their_own,
             a_finish_waits_for_gates_that_another_thread_opens, programs_are_built_again_after_their_launches,
             errno_is_left_alone, buffers_begin_at_places_of_their_own, sub_buffers_end_newest_first,
             what_a_buffer_is_made_with_arrives_before_its_sub_buffers_are_used)
