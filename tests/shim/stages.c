/* Chains of writes, a launch and reads of many shapes, in one in-order queue, checked against what a plain computation
 * in the same order gives: the program must see the same whether its launches run whole or in parts beside their
 * transfers. A plain OpenCL program that knows nothing of yoke. With YOKE_TEST_FAILS: one part of a launch is made to
 * fail, and only that is looked at. */
#include <CL/cl.h>
#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/main.h"

enum { N = 1 << 13, WIDE = 128, LOCAL = 64, BUFFERS = 3, CHAINS = 120, MOST = 12 };

#define OK(call) ck_assert_int_eq((call), CL_SUCCESS)

static const char source[] = "kernel void sum(global const uint *a, global const uint *b, global uint *c)\n"
                             "{ size_t i = get_global_id(0); c[i] = a[i] + b[i]; }\n"
                             "kernel void halo(global const uint *a, global const uint *b, global uint *c)\n"
                             "{ size_t i = get_global_id(0); c[i] = a[i] + 3 * a[i + 1 < N ? i + 1 : i] + b[5]; }\n"
                             "kernel void place(global const uint *a, global const uint *b, global uint *c)\n"
                             "{ size_t i = get_global_id(0); c[i] = c[i] * 3 + b[i & 15]; }\n"
                             "kernel void back(global const uint *a, global const uint *b, global uint *c)\n"
                             "{ size_t i = get_global_id(0); c[N - 1 - i] = a[i] ^ b[i]; }\n"
                             "kernel void turn(global const uint *a, global const uint *b, global uint *c)\n"
                             "{ size_t i = get_global_id(0); c[i % WIDE * (N / WIDE) + i / WIDE] = a[i] + b[0]; }\n"
                             "kernel void group(global const uint *a, global const uint *b, global uint *c)\n"
                             "{ local uint s[64]; size_t l = get_local_id(0), g = get_group_id(0); s[l] = a[g * 64 + "
                             "l]; barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "  c[g * 64 + l] = s[63 - l] + g + get_num_groups(0) + b[g]; }\n"
                             "kernel void count(global const uint *a, global const uint *b, global uint *c)\n"
                             "{ size_t i = get_global_id(0); atomic_add(&c[a[i] & 15], b[i]); }\n"
                             "kernel void look(global const uint *a, global const uint *b, global uint *c)\n"
                             "{ size_t i = get_global_id(0); c[i] = a[b[i] % N]; }\n"
                             "kernel void some(global const uint *a, global const uint *b, global uint *c)\n"
                             "{ size_t i = get_global_id(0); if (a[i] & 1) c[i] = b[i]; }\n";

static const char *const names[] = {"sum", "halo", "place", "back", "turn", "group", "count", "look", "some"};
enum { KERNELS = sizeof names / sizeof *names };

/* The same, work-item by work-item. */
static void item(int kernel, const uint32_t *a, const uint32_t *b, uint32_t *c, size_t i)
{
    switch (kernel) {
    case 0:
        c[i] = a[i] + b[i];
        break;
    case 1:
        c[i] = a[i] + 3 * a[i + 1 < N ? i + 1 : i] + b[5];
        break;
    case 2:
        c[i] = c[i] * 3 + b[i & 15];
        break;
    case 3:
        c[N - 1 - i] = a[i] ^ b[i];
        break;
    case 4:
        c[i % WIDE * (N / WIDE) + i / WIDE] = a[i] + b[0];
        break;
    case 5:
        c[i] = a[i / 64 * 64 + 63 - i % 64] + (uint32_t)(i / 64) + N / 64 + b[i / 64];
        break;
    case 6:
        c[a[i] & 15] += b[i];
        break;
    case 7:
        c[i] = a[b[i] % N];
        break;
    default:
        if (a[i] & 1)
            c[i] = b[i];
    }
}

struct rig {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel[KERNELS];
    cl_mem mem[BUFFERS];
    uint32_t want[BUFFERS][N];
};

/* What one transfer moves: its own memory, and of reads what must be in it at the end. */
struct move {
    uint32_t *host, *want;
    size_t at, n;
};

static unsigned seed;

static uint32_t below(uint32_t n)
{
    seed = seed * 1103515245u + 12345;
    return (seed >> 8) % n;
}

static struct rig *rig_open(cl_command_queue_properties p)
{
    struct rig *r = calloc(1, sizeof *r);
    cl_platform_id platform;
    const char *text = source;
    cl_int err;
    OK(clGetPlatformIDs(1, &platform, NULL));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &r->device, NULL));
    r->context = clCreateContext(NULL, 1, &r->device, NULL, NULL, &err);
    OK(err);
    r->queue = clCreateCommandQueue(r->context, r->device, p, &err);
    OK(err);
    r->program = clCreateProgramWithSource(r->context, 1, &text, NULL, &err);
    OK(err);
    OK(clBuildProgram(r->program, 1, &r->device, "-D N=8192 -D WIDE=128", NULL, NULL));
    for (int k = 0; k < KERNELS; k++) {
        r->kernel[k] = clCreateKernel(r->program, names[k], &err);
        OK(err);
    }
    for (int i = 0; i < BUFFERS; i++) {
        r->mem[i] = clCreateBuffer(r->context, CL_MEM_READ_WRITE, sizeof r->want[i], NULL, &err);
        OK(err);
        for (int k = 0; k < N; k++)
            r->want[i][k] = below(1 << 20);
        OK(clEnqueueWriteBuffer(r->queue, r->mem[i], CL_TRUE, 0, sizeof r->want[i], r->want[i], 0, NULL, NULL));
    }
    return r;
}

static void rig_close(struct rig *r)
{
    OK(clFinish(r->queue));
    for (int k = 0; k < KERNELS; k++)
        OK(clReleaseKernel(r->kernel[k]));
    for (int i = 0; i < BUFFERS; i++)
        OK(clReleaseMemObject(r->mem[i]));
    OK(clReleaseProgram(r->program));
    OK(clReleaseCommandQueue(r->queue));
    OK(clReleaseContext(r->context));
    free(r);
}

static struct move some_range(bool all)
{
    size_t n = all ? N : 1 + below(N), at = n < N ? below((uint32_t)(N - n)) : 0;
    return (struct move){.host = malloc(n * sizeof(uint32_t)), .want = malloc(n * sizeof(uint32_t)), .at = at, .n = n};
}

static struct move write_some(struct rig *r, int buffer, bool blocking, bool all, cl_event *e)
{
    struct move m = some_range(all);
    for (size_t i = 0; i < m.n; i++)
        m.host[i] = below(1 << 20);
    memcpy(r->want[buffer] + m.at, m.host, m.n * sizeof(uint32_t));
    OK(clEnqueueWriteBuffer(r->queue, r->mem[buffer], blocking, m.at * sizeof(uint32_t), m.n * sizeof(uint32_t), m.host,
                            0, NULL, e));
    if (blocking)
        memset(m.host, 0xee, m.n * sizeof(uint32_t)); /* the memory is the program's again */
    memcpy(m.want, m.host, m.n * sizeof(uint32_t));
    return m;
}

static struct move read_some(struct rig *r, int buffer, bool blocking, bool all, cl_event *e)
{
    struct move m = some_range(all);
    memset(m.host, 0xdd, m.n * sizeof(uint32_t));
    memcpy(m.want, r->want[buffer] + m.at, m.n * sizeof(uint32_t));
    OK(clEnqueueReadBuffer(r->queue, r->mem[buffer], blocking, m.at * sizeof(uint32_t), m.n * sizeof(uint32_t), m.host,
                           0, NULL, e));
    if (blocking)
        ck_assert(!memcmp(m.host, m.want, m.n * sizeof(uint32_t)));
    return m;
}

static void launch(struct rig *r, int kernel, const int *buffer, cl_event *e)
{
    const size_t n = N, local = LOCAL;
    for (cl_uint i = 0; i < 3; i++)
        OK(clSetKernelArg(r->kernel[kernel], i, sizeof(cl_mem), &r->mem[buffer[i]]));
    OK(clEnqueueNDRangeKernel(r->queue, r->kernel[kernel], 1, NULL, &n, &local, 0, NULL, e));
    for (size_t i = 0; i < N; i++)
        item(kernel, r->want[buffer[0]], r->want[buffer[1]], r->want[buffer[2]], i);
}

static void check_and_free(struct move *m)
{
    ck_assert(!memcmp(m->host, m->want, m->n * sizeof(uint32_t)));
    free(m->host);
    free(m->want);
}

START_TEST(chains_leave_what_their_commands_in_order_leave)
{
    if (getenv("YOKE_TEST_FAILS"))
        return;
    struct rig *r = rig_open(0);
    seed = 11;
    for (int chain = 0; chain < CHAINS; chain++) {
        struct move m[MOST];
        int n = 0, kernel = chain < 3 * KERNELS ? chain % KERNELS : (int)below(KERNELS), order = (int)below(6);
        const int buffer[3] = {order % 3, (order % 3 + 1 + order / 3) % 3, (order % 3 + 2 - order / 3) % 3};
        bool all = chain % 3 == 0;
        for (uint32_t i = below(4); i-- > 0;)
            m[n++] = write_some(r, all ? buffer[i % 3] : (int)below(BUFFERS), !below(6), all, NULL);
        if (!below(8))
            OK(clFlush(r->queue));
        launch(r, kernel, buffer, NULL);
        if (!below(5)) /* a second one ends the chain */
            launch(r, (int)below(KERNELS), buffer, NULL);
        for (uint32_t i = below(3); i-- > 0;)
            m[n++] = read_some(r, all ? buffer[2] : (int)below(BUFFERS), !below(5), all, NULL);
        if (!below(4)) { /* from where a write still takes its bytes */
            m[n] = write_some(r, buffer[0], false, true, NULL);
            launch(r, 0, buffer, NULL);
            OK(clEnqueueReadBuffer(r->queue, r->mem[buffer[2]], CL_FALSE, 0, sizeof r->want[0], m[n].host, 0, NULL,
                                   NULL));
            memcpy(m[n++].want, r->want[buffer[2]], sizeof r->want[0]);
        }
        OK(clFinish(r->queue));
        for (int i = 0; i < n; i++)
            check_and_free(&m[i]);
    }
    for (int i = 0; i < BUFFERS; i++) {
        struct move m = read_some(r, i, true, true, NULL);
        check_and_free(&m);
    }
    rig_close(r);
}
END_TEST

START_TEST(events_are_over_in_the_order_of_the_queue)
{
    if (getenv("YOKE_TEST_FAILS"))
        return;
    struct rig *r = rig_open(CL_QUEUE_PROFILING_ENABLE);
    const int buffer[3] = {0, 1, 2};
    seed = 13;
    for (int chain = 0; chain < 20; chain++) {
        cl_event e[5];
        cl_ulong before = 0;
        struct move m[4];
        m[0] = write_some(r, 0, false, true, &e[0]);
        m[1] = write_some(r, 1, false, chain % 2, &e[1]);
        launch(r, chain % KERNELS, buffer, &e[2]);
        m[2] = read_some(r, 2, false, true, &e[3]);
        m[3] = read_some(r, 2, false, false, &e[4]);
        int first = chain % 5;
        OK(clWaitForEvents(1, &e[first]));
        for (int i = 0; i <= first; i++) { /* so is all before it */
            cl_int status = CL_QUEUED;
            OK(clGetEventInfo(e[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
            ck_assert_int_eq(status, CL_COMPLETE);
        }
        for (int i = 0; i < 2 && first >= i; i++)
            memset(m[i].host, 0xcc, m[i].n * sizeof(uint32_t)); /* written: the memory is the program's again */
        OK(clWaitForEvents(5, e));
        check_and_free(&m[2]);
        check_and_free(&m[3]);
        for (int i = 0; i < 2; i++)
            free(m[i].host), free(m[i].want);
        for (int i = 0; i < 5; i++) {
            cl_ulong t[4];
            for (cl_uint k = 0; k < 4; k++)
                OK(clGetEventProfilingInfo(e[i], CL_PROFILING_COMMAND_QUEUED + k, sizeof t[k], &t[k], NULL));
            ck_assert(t[0] <= t[1] && t[1] <= t[2] && t[2] <= t[3]);
            ck_assert_msg(t[2] >= before, "chain %d: command %d begins %lld ns before the one before it has ended",
                          chain, i, (long long)(before - t[2]));
            before = t[3];
            OK(clReleaseEvent(e[i]));
        }
    }
    rig_close(r);
}
END_TEST

/* Memory that is used again and again, and so may be pinned, with a few words beside it in every round. */
START_TEST(short_writes_go_along_with_long_ones)
{
    enum { ROUNDS = 12, FEW = 16 };
    if (getenv("YOKE_TEST_FAILS"))
        return;
    struct rig *r = rig_open(0);
    const int buffer[3] = {0, 1, 2};
    uint32_t *in = aligned_alloc(4096, sizeof r->want[0]), *out = aligned_alloc(4096, sizeof r->want[0]), few[FEW];
    seed = 17;
    for (int round = 0; round < ROUNDS; round++) {
        int kernel = round % 2; /* that only writes its result: a device that fails leaves all to be done once more */
        for (int i = 0; i < N; i++)
            in[i] = r->want[0][i] = below(1 << 20);
        for (int i = 0; i < FEW; i++)
            few[i] = r->want[1][i] = below(1 << 20);
        OK(clEnqueueWriteBuffer(r->queue, r->mem[0], CL_FALSE, 0, sizeof r->want[0], in, 0, NULL, NULL));
        OK(clEnqueueWriteBuffer(r->queue, r->mem[1], CL_FALSE, 0, sizeof few, few, 0, NULL, NULL));
        launch(r, kernel, buffer, NULL);
        OK(clEnqueueReadBuffer(r->queue, r->mem[2], CL_FALSE, 0, sizeof r->want[2], out, 0, NULL, NULL));
        OK(clFinish(r->queue));
        ck_assert(!memcmp(out, r->want[2], sizeof r->want[2]));
    }
    free(in), free(out);
    rig_close(r);
}
END_TEST

START_TEST(a_part_that_fails_is_a_launch_that_fails)
{
    if (!getenv("YOKE_TEST_FAILS"))
        return;
    struct rig *r = rig_open(0);
    const int buffer[3] = {0, 1, 2};
    int failures = 0;
    for (int chain = 0; chain < 6; chain++) {
        cl_event e[3];
        cl_int status[3];
        struct move in = write_some(r, 0, false, true, &e[0]);
        launch(r, 0, buffer, &e[1]);
        struct move out = read_some(r, 2, false, true, &e[2]);
        cl_int finished = clFinish(r->queue);
        for (int i = 0; i < 3; i++) {
            OK(clGetEventInfo(e[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status[i], &status[i], NULL));
            OK(clReleaseEvent(e[i]));
        }
        ck_assert_int_eq(status[0], CL_COMPLETE);
        ck_assert_int_eq(status[1] < 0, status[2] < 0);
        ck_assert_int_eq(status[1] < 0, finished != CL_SUCCESS);
        failures += status[1] < 0;
        if (status[1] == CL_COMPLETE)
            ck_assert(!memcmp(out.host, out.want, out.n * sizeof(uint32_t)));
        free(in.host), free(in.want), free(out.host), free(out.want);
    }
    ck_assert_int_eq(failures, 1);
    rig_close(r);
}
END_TEST

YK_TEST_MAIN("stages", chains_leave_what_their_commands_in_order_leave, events_are_over_in_the_order_of_the_queue,
             short_writes_go_along_with_long_ones, a_part_that_fails_is_a_launch_that_fails)
