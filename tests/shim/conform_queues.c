/* Several queues whose launches meet in one buffer. */
#include <pthread.h>
#include "tests/shim/conform.h"

enum { QUEUES = 4, LAUNCHES = 200, COUNTERS = 16 };

static const char counting[] = "kernel void count(global int *to, int by)"
                               "{ int i = get_global_id(0); atomic_add(to + i % 16, by + i % 5); }";

struct one_queue {
    struct cl *c;
    cl_command_queue queue;
    cl_kernel kernel;
    int launches;
    cl_int err;
};

static void *launch_all(void *arg)
{
    struct one_queue *o = arg;
    const size_t global = N, local = LOCAL;
    o->err = CL_SUCCESS;
    for (int t = 0; t < o->launches && o->err == CL_SUCCESS; t++) {
        o->err = clEnqueueNDRangeKernel(o->queue, o->kernel, 1, NULL, &global, &local, 0, NULL, NULL);
        if (t % 8 == 7 && o->err == CL_SUCCESS)
            o->err = clFlush(o->queue);
    }
    if (o->err == CL_SUCCESS)
        o->err = clFinish(o->queue);
    return NULL;
}

static void make_queue(struct one_queue *o, struct cl *c, cl_program p, cl_mem m, cl_int by)
{
    cl_int err;
    *o = (struct one_queue){.c = c, .launches = LAUNCHES};
    o->queue = clCreateCommandQueue(c->context, c->device, 0, &err);
    OK(err);
    o->kernel = kernel_of(p, "count");
    OK(clSetKernelArg(o->kernel, 0, sizeof m, &m));
    OK(clSetKernelArg(o->kernel, 1, sizeof by, &by));
}

static void drop_queue(struct one_queue *o)
{
    OK(clReleaseKernel(o->kernel));
    OK(clReleaseCommandQueue(o->queue));
}

/* BY of all launches together, and their number. */
static void expect(struct cl *c, cl_mem m, int launches, int by)
{
    cl_int got[COUNTERS];
    OK(clEnqueueReadBuffer(c->queue, m, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int k = 0; k < COUNTERS; k++) {
        int want = 0;
        for (int i = k; i < N; i += COUNTERS)
            want += launches * (i % 5) + by;
        ck_assert_int_eq(got[k], want);
    }
}

/* Each queue's thread goes on by itself; nobody waits for another. */
START_TEST(atomics_of_several_threads_all_count)
{
    struct cl c = open_cl(0);
    cl_program p = build(&c, counting);
    cl_int zeros[COUNTERS] = {0};
    cl_mem m = buffer_of(&c, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zeros, zeros);
    struct one_queue o[QUEUES];
    pthread_t thread[QUEUES];
    int by = 0;
    for (int i = 0; i < QUEUES; i++) {
        make_queue(&o[i], &c, p, m, i + 1);
        by += LAUNCHES * (i + 1);
    }
    for (int i = 0; i < QUEUES; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, launch_all, &o[i]), 0);
    for (int i = 0; i < QUEUES; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < QUEUES; i++) {
        ck_assert_int_eq(o[i].err, CL_SUCCESS);
        drop_queue(&o[i]);
    }
    expect(&c, m, QUEUES * LAUNCHES, by);
    OK(clReleaseMemObject(m));
    OK(clReleaseProgram(p));
    close_cl(&c);
}
END_TEST

/* One thread, its queues by turns; the first one is alone for a while. */
START_TEST(atomics_of_queues_by_turns_all_count)
{
    struct cl c = open_cl(0);
    cl_program p = build(&c, counting);
    for (int round = 0; round < 10; round++) {
        cl_int zeros[COUNTERS] = {0};
        cl_mem m = buffer_of(&c, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zeros, zeros);
        struct one_queue o[QUEUES];
        int launches = 0, by = 0;
        for (int i = 0; i < QUEUES; i++)
            make_queue(&o[i], &c, p, m, i + 1);
        for (int t = 0; t < 60; t++) {
            const size_t global = N, local = LOCAL;
            int i = t < 10 ? 0 : t % QUEUES;
            OK(clEnqueueNDRangeKernel(o[i].queue, o[i].kernel, 1, NULL, &global, &local, 0, NULL, NULL));
            OK(clFlush(o[i].queue));
            launches++;
            by += i + 1;
        }
        for (int i = 0; i < QUEUES; i++) {
            OK(clFinish(o[i].queue));
            drop_queue(&o[i]);
        }
        expect(&c, m, launches, by);
        OK(clReleaseMemObject(m));
    }
    OK(clReleaseProgram(p));
    close_cl(&c);
}
END_TEST

YK_TEST_MAIN("conform_queues", atomics_of_several_threads_all_count, atomics_of_queues_by_turns_all_count)
