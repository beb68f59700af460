/* Windows of launches that pile up behind a gate and run side by side, dependent and not, of one queue and of several
 * threads': the numbers that their order makes, and events in the program's order. */
#include <pthread.h>
#include "tests/stub/shim/fixture.h"
#include "tests/unit/main.h"

enum { BUFFERS = 7, LAUNCHES = 90, ROUNDS = 12, THREADS = 4 };

struct work {
    const struct shim *in;
    unsigned seed;
    cl_command_queue queue;
    cl_kernel fill, add;
    cl_mem memory[BUFFERS];
    int model[BUFFERS][2]; /* of all items: what was filled in last, and how often the item's number is in it */
    cl_event event[LAUNCHES];
    int wrong;
};

static unsigned below(struct work *w, unsigned n)
{
    w->seed = w->seed * 1664525u + 1013904223u;
    return (w->seed >> 8) % n;
}

#define GOOD(w, call) ((w)->wrong += (call) != CL_SUCCESS)

static void make(struct work *w)
{
    cl_int err;
    w->queue = clCreateCommandQueue(w->in->context, w->in->device, 0, &err);
    w->wrong += err != CL_SUCCESS;
    w->fill = clCreateKernel(w->in->program, "fill", &err);
    w->wrong += err != CL_SUCCESS;
    w->add = clCreateKernel(w->in->program, "add", &err);
    w->wrong += err != CL_SUCCESS;
    for (unsigned i = 0; i < BUFFERS; i++) {
        w->memory[i] = clCreateBuffer(w->in->context, CL_MEM_READ_WRITE, 4 * N, NULL, &err);
        w->wrong += err != CL_SUCCESS;
    }
}

static void launch(struct work *w, cl_kernel k, cl_event *event)
{
    const size_t global = N, local = 64;
    GOOD(w, clEnqueueNDRangeKernel(w->queue, k, 1, NULL, &global, &local, 0, NULL, event));
}

/* fill: A's items become V and their number; add: those of A are added to B's. */
static void launch_some(struct work *w, unsigned i)
{
    unsigned a = below(w, BUFFERS), b = below(w, BUFFERS);
    cl_int v = (cl_int)below(w, 1000);
    if (i < BUFFERS || below(w, 3) == 0 || a == b) {
        a = i < BUFFERS ? i : a;
        GOOD(w, clSetKernelArg(w->fill, 0, sizeof(cl_mem), &w->memory[a]));
        GOOD(w, clSetKernelArg(w->fill, 1, sizeof v, &v));
        launch(w, w->fill, &w->event[i]);
        w->model[a][0] = v;
        w->model[a][1] = 1;
        return;
    }
    GOOD(w, clSetKernelArg(w->add, 0, sizeof(cl_mem), &w->memory[a]));
    GOOD(w, clSetKernelArg(w->add, 1, sizeof(cl_mem), &w->memory[b]));
    launch(w, w->add, &w->event[i]);
    for (unsigned k = 0; k < 2; k++)
        w->model[b][k] = (int)((unsigned)w->model[b][k] + (unsigned)w->model[a][k]);
}

/* Whoever is complete, all before it are. */
static void look_at_events(struct work *w)
{
    unsigned at = below(w, LAUNCHES);
    GOOD(w, clWaitForEvents(1, &w->event[at]));
    for (unsigned i = 0; i <= at; i++) {
        cl_int status = 1;
        GOOD(w, clGetEventInfo(w->event[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        w->wrong += status != CL_COMPLETE;
    }
}

static void do_round(struct work *w)
{
    cl_int err, out[N];
    cl_event gate = clCreateUserEvent(w->in->context, &err);
    w->wrong += err != CL_SUCCESS;
    GOOD(w, clEnqueueMarkerWithWaitList(w->queue, 1, &gate, NULL));
    for (unsigned i = 0; i < LAUNCHES; i++)
        launch_some(w, i);
    GOOD(w, clSetUserEventStatus(gate, CL_COMPLETE));
    look_at_events(w);
    for (unsigned b = 0; b < BUFFERS; b++) {
        GOOD(w, clEnqueueReadBuffer(w->queue, w->memory[b], CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
        for (int i = 0; i < N; i++)
            w->wrong += (unsigned)out[i] != (unsigned)w->model[b][0] + (unsigned)w->model[b][1] * (unsigned)i;
    }
    for (unsigned i = 0; i < LAUNCHES; i++)
        GOOD(w, clReleaseEvent(w->event[i]));
    GOOD(w, clReleaseEvent(gate));
}

static void *all_rounds(void *arg)
{
    struct work *w = arg;
    make(w);
    for (unsigned i = 0; i < ROUNDS && !w->wrong; i++)
        do_round(w);
    for (unsigned i = 0; i < BUFFERS; i++)
        GOOD(w, clReleaseMemObject(w->memory[i]));
    GOOD(w, clReleaseKernel(w->fill));
    GOOD(w, clReleaseKernel(w->add));
    GOOD(w, clReleaseCommandQueue(w->queue));
    return NULL;
}

START_TEST(a_window_computes_what_its_order_says)
{
    struct work w = {.in = &s, .seed = 5};
    shim_open(&s, 0);
    all_rounds(&w);
    ck_assert_int_eq(w.wrong, 0);
    shim_close(&s);
}
END_TEST

START_TEST(windows_of_several_threads)
{
    static struct work w[THREADS];
    pthread_t thread[THREADS];
    shim_open(&s, 0);
    for (unsigned i = 0; i < THREADS; i++) {
        w[i] = (struct work){.in = &s, .seed = 100 + i};
        ck_assert_int_eq(pthread_create(&thread[i], NULL, all_rounds, &w[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_join(thread[i], NULL), 0);
        ck_assert_int_eq(w[i].wrong, 0);
    }
    shim_close(&s);
}
END_TEST

/* What has failed fails all behind it, and nothing before it; the queue is well again once that was told. */
START_TEST(a_failure_is_of_those_behind_it)
{
    struct work w = {.in = &s, .seed = 9};
    shim_open(&s, 0);
    make(&w);
    cl_event gate = shim_gate(&s);
    for (unsigned i = 0; i < LAUNCHES; i++) {
        if (i == LAUNCHES / 2)
            OK(clEnqueueMarkerWithWaitList(w.queue, 1, &gate, NULL));
        launch_some(&w, i);
    }
    OK(clSetUserEventStatus(gate, -7));
    for (unsigned i = 0; i < LAUNCHES; i++) {
        cl_int status = 1, told = clWaitForEvents(1, &w.event[i]);
        OK(clGetEventInfo(w.event[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        ck_assert_int_eq(status >= 0, i < LAUNCHES / 2 || told == CL_SUCCESS);
        OK(clReleaseEvent(w.event[i]));
    }
    clFinish(w.queue);
    OK(clReleaseEvent(gate));
    ck_assert_int_eq(w.wrong, 0);
    do_round(&w);
    ck_assert_int_eq(w.wrong, 0);
    for (unsigned i = 0; i < BUFFERS; i++)
        OK(clReleaseMemObject(w.memory[i]));
    OK(clReleaseKernel(w.fill));
    OK(clReleaseKernel(w.add));
    OK(clReleaseCommandQueue(w.queue));
    shim_close(&s);
}
END_TEST

YK_TEST_MAIN("beside", a_window_computes_what_its_order_says, windows_of_several_threads,
             a_failure_is_of_those_behind_it)
