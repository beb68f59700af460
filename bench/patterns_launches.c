#include "bench/patterns_launches.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include "bench/patterns_program.h"

enum { STEPS = 20 };

/* Launches that go back and forth between two buffers, with a word read after each. */
void patterns_flag_each(unsigned i)
{
    unsigned seen = 0, k = i + 1;
    patterns_write();
    patterns_check(clSetKernelArg(w.other, 3, sizeof w.flag, &w.flag), "clSetKernelArg");
    for (unsigned s = 0; s < STEPS; s++) {
        patterns_launch(w.queue, w.other, s % 2 ? w.out : w.in, s % 2 ? w.in : w.out, k, ITEMS, 0, NULL, NULL);
        patterns_check(clEnqueueReadBuffer(w.queue, w.flag, CL_TRUE, 0, sizeof seen, &seen, 0, NULL, NULL),
                       "clEnqueueReadBuffer");
        if (seen != k)
            exit(1);
    }
    patterns_read(w.in, 0, BYTES);
    if (w.to[ITEMS - 1] != w.from[ITEMS - 1] + STEPS * k) {
        fprintf(stderr, "patterns: the last item is wrong\n");
        exit(1);
    }
}

/* Launches that go back and forth, each of few work-items, which loop over the range again and again. */
void patterns_range_again(unsigned i)
{
    enum { FEW = 128 * GROUP, TIMES = 2 };
    const cl_uint times = TIMES, all = ITEMS;
    patterns_write();
    patterns_check(clSetKernelArg(w.again, 3, sizeof times, &times), "clSetKernelArg");
    patterns_check(clSetKernelArg(w.again, 4, sizeof all, &all), "clSetKernelArg");
    for (unsigned s = 0; s < STEPS; s++)
        patterns_launch(w.queue, w.again, s % 2 ? w.out : w.in, s % 2 ? w.in : w.out, i, FEW, 0, NULL, NULL);
    patterns_read(w.in, 0, BYTES);
    for (unsigned at = 0; at < ITEMS; at += ITEMS / 61) {
        unsigned x = w.from[at];
        for (unsigned r = 0; r < STEPS * TIMES; r++)
            x = patterns_mixed(x, i);
        if (w.to[at] != x) {
            fprintf(stderr, "patterns: item %u is %u, not %u\n", at, w.to[at], x);
            exit(1);
        }
    }
}

/* Each of two threads has a queue, a kernel and buffers of its own. */
struct half {
    cl_command_queue queue;
    cl_kernel kernel;
    cl_mem a, b;
    unsigned first, k;
};

static void *do_half(void *arg)
{
    struct half *h = arg;
    size_t bytes = BYTES / 2;
    patterns_check(clEnqueueWriteBuffer(h->queue, h->a, CL_TRUE, 0, bytes, w.from + h->first, 0, NULL, NULL),
                   "clEnqueueWriteBuffer");
    patterns_launch(h->queue, h->kernel, h->a, h->b, h->k, ITEMS / 2, 0, NULL, NULL);
    patterns_check(clEnqueueReadBuffer(h->queue, h->b, CL_TRUE, 0, bytes, w.to + h->first, 0, NULL, NULL),
                   "clEnqueueReadBuffer");
    return NULL;
}

void patterns_two_threads(unsigned i)
{
    static struct half half[2];
    pthread_t thread;
    cl_int err;
    for (unsigned h = 0; h < 2; h++) {
        if (!half[h].queue) {
            half[h] = (struct half){h ? w.second : w.queue,
                                    clCreateKernel(w.program, "change", &err),
                                    patterns_buffer(CL_MEM_READ_ONLY, BYTES / 2, NULL),
                                    patterns_buffer(CL_MEM_WRITE_ONLY, BYTES / 2, NULL),
                                    h * (ITEMS / 2),
                                    0};
            patterns_check(err, "clCreateKernel");
        }
        half[h].k = i;
    }
    if (pthread_create(&thread, NULL, do_half, &half[1]))
        exit(1);
    do_half(&half[0]);
    pthread_join(thread, NULL);
    patterns_look(w.to, 0, ITEMS, i);
}

/* One work-group each, none waited for. */
void patterns_small_launches(unsigned i)
{
    enum { MANY = 1000 };
    patterns_write();
    for (unsigned s = 0; s < MANY; s++)
        patterns_launch(w.queue, w.step, w.in, w.out, i, GROUP, 0, NULL, NULL);
    patterns_read(w.out, 0, GROUP * 4);
    patterns_look(w.to, 0, GROUP, i);
}

static atomic_uint called;

static void CL_CALLBACK count_call(cl_event event, cl_int status, void *arg)
{
    (void)event, (void)status, (void)arg;
    called++;
}

/* Four work-groups each, and the program is told of every one. */
void patterns_many_callbacks(unsigned i)
{
    enum { MANY = 1000, ITEMS_EACH = 4 * GROUP };
    called = 0;
    patterns_write();
    for (unsigned s = 0; s < MANY; s++) {
        cl_event event;
        patterns_launch(w.queue, w.step, w.in, w.out, i, ITEMS_EACH, 0, NULL, &event);
        patterns_check(clSetEventCallback(event, CL_COMPLETE, count_call, NULL), "clSetEventCallback");
        clReleaseEvent(event);
    }
    patterns_check(clFlush(w.queue), "clFlush");
    while (called < MANY)
        ;
    patterns_read(w.out, 0, ITEMS_EACH * 4);
    patterns_look(w.to, 0, ITEMS_EACH, i);
}

/* Items [FIRST, FIRST + GROUP) of A to the same place of B, LOOPS times over, by one work-group. */
static void launch_slow(cl_mem a, cl_mem b, unsigned k, unsigned loops, size_t first)
{
    const cl_buffer_region r = {first * 4, GROUP * 4};
    cl_int err;
    cl_mem from = clCreateSubBuffer(a, CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &r, &err);
    patterns_check(err, "clCreateSubBuffer");
    cl_mem to = clCreateSubBuffer(b, CL_MEM_WRITE_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &r, &err);
    patterns_check(err, "clCreateSubBuffer");
    patterns_check(clSetKernelArg(w.slow, 3, sizeof loops, &loops), "clSetKernelArg");
    patterns_launch(w.queue, w.slow, from, to, k, GROUP, 0, NULL, NULL);
    clReleaseMemObject(from);
    clReleaseMemObject(to);
}

static void look_slow(unsigned at, unsigned k, unsigned loops)
{
    unsigned x = w.from[at];
    for (unsigned r = 0; r < loops; r++)
        x = patterns_mixed(x, k);
    if (w.to[at] != x) {
        fprintf(stderr, "patterns: item %u is %u, not %u\n", at, w.to[at], x);
        exit(1);
    }
}

/* A millisecond each, by one work-group: nobody can divide it, but they need nothing of one another. */
void patterns_one_group_each(unsigned i)
{
    enum { MANY = 20, LOOPS = 600 };
    patterns_write();
    for (unsigned s = 0; s < MANY; s++)
        launch_slow(w.in, w.out, i, LOOPS, (size_t)s * GROUP * 4);
    patterns_read(w.out, 0, BYTES);
    look_slow(0, i, LOOPS);
    look_slow((MANY - 1) * GROUP * 4 + GROUP - 1, i, LOOPS);
}

/* The same, each of the last one's result. */
void patterns_one_group_chain(unsigned i)
{
    enum { MANY = 20, LOOPS = 600 };
    patterns_write();
    for (unsigned s = 0; s < MANY; s++)
        launch_slow(s % 2 ? w.out : w.in, s % 2 ? w.in : w.out, i, LOOPS, 0);
    patterns_read(w.in, 0, BYTES);
    look_slow(GROUP - 1, i, LOOPS * MANY);
}

void patterns_new_program(unsigned i)
{
    char number[32];
    const char *text[] = {patterns_source, number};
    cl_int err;
    snprintf(number, sizeof number, "// %u\n", i);
    cl_program p = clCreateProgramWithSource(w.context, 2, text, NULL, &err);
    patterns_check(err, "clCreateProgramWithSource");
    patterns_check(clBuildProgram(p, 1, &w.device, "", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(p, "change", &err);
    patterns_check(err, "clCreateKernel");
    patterns_write();
    patterns_launch(w.queue, kernel, w.in, w.out, i, ITEMS, 0, NULL, NULL);
    patterns_read(w.out, 0, BYTES);
    patterns_look(w.to, 0, ITEMS, i);
    clReleaseKernel(kernel);
    clReleaseProgram(p);
}
