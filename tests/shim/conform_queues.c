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

/* What counter K holds after so many LAUNCHES, whose values come to BY. */
static cl_int counted(int k, int launches, int by)
{
    cl_int n = 0;
    for (int i = k; i < N; i += COUNTERS)
        n += launches * (i % 5) + by;
    return n;
}

static void read_counters(struct cl *c, cl_mem m, cl_int *got)
{
    OK(clEnqueueReadBuffer(c->queue, m, CL_TRUE, 0, COUNTERS * sizeof *got, got, 0, NULL, NULL));
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
    cl_int got[COUNTERS];
    read_counters(&c, m, got);
    for (int k = 0; k < COUNTERS; k++)
        ck_assert_int_eq(got[k], counted(k, QUEUES * LAUNCHES, by));
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
        cl_int got[COUNTERS];
        read_counters(&c, m, got);
        for (int k = 0; k < COUNTERS; k++)
            ck_assert_int_eq(got[k], counted(k, launches, by));
        OK(clReleaseMemObject(m));
    }
    OK(clReleaseProgram(p));
    close_cl(&c);
}
END_TEST

static const char scattering[] = "kernel void scatter(global int *to, global const int *at, int v)"
                                 "{ int i = get_global_id(0); to[at[i]] = v + i; }";

/* Each queue's launches write places of their own, between those of the others: which, nobody but the kernel knows. */
START_TEST(scattered_writes_of_several_threads_all_stay)
{
    enum { ROUNDS = 5 };
    struct cl c = open_cl(0);
    cl_program p = build(&c, scattering);
    cl_int *at = malloc(BYTES), *got = malloc(BYTES * QUEUES);
    cl_mem to = buffer_of(&c, CL_MEM_READ_WRITE, BYTES * QUEUES, NULL), places[QUEUES];
    struct one_queue o[QUEUES];
    pthread_t thread[QUEUES];
    cl_int err;
    for (int q = 0; q < QUEUES; q++) {
        for (int i = 0; i < N; i++)
            at[i] = (i * 5 % N) * QUEUES + q;
        places[q] = buffer_of(&c, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, BYTES, at);
        o[q] = (struct one_queue){.c = &c, .launches = 40};
        o[q].queue = clCreateCommandQueue(c.context, c.device, 0, &err);
        OK(err);
        o[q].kernel = kernel_of(p, "scatter");
        OK(clSetKernelArg(o[q].kernel, 0, sizeof to, &to));
        OK(clSetKernelArg(o[q].kernel, 1, sizeof places[q], &places[q]));
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int q = 0; q < QUEUES; q++) {
            cl_int v = 1000 * round + 100000 * q;
            OK(clSetKernelArg(o[q].kernel, 2, sizeof v, &v));
        }
        for (int q = 0; q < QUEUES; q++)
            ck_assert_int_eq(pthread_create(&thread[q], NULL, launch_all, &o[q]), 0);
        for (int q = 0; q < QUEUES; q++)
            pthread_join(thread[q], NULL);
        OK(clEnqueueReadBuffer(c.queue, to, CL_TRUE, 0, BYTES * QUEUES, got, 0, NULL, NULL));
        for (int q = 0; q < QUEUES; q++) {
            ck_assert_int_eq(o[q].err, CL_SUCCESS);
            for (int i = 0; i < N; i++)
                ck_assert_int_eq(got[(i * 5 % N) * QUEUES + q], 1000 * round + 100000 * q + i);
        }
    }
    for (int q = 0; q < QUEUES; q++) {
        drop_queue(&o[q]);
        OK(clReleaseMemObject(places[q]));
    }
    OK(clReleaseMemObject(to));
    OK(clReleaseProgram(p));
    free(at);
    free(got);
    close_cl(&c);
}
END_TEST

YK_TEST_MAIN("conform_queues", atomics_of_several_threads_all_count, atomics_of_queues_by_turns_all_count,
             scattered_writes_of_several_threads_all_stay)
