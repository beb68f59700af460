/* When things come: callbacks at every status, times of an in-order queue. */
#include "tests/shim/conform.h"

struct seen {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int at[4], order[8], n, freed;
    pthread_t app;
    bool on_app, queried;
};

static void see(struct seen *s, int what)
{
    pthread_mutex_lock(&s->lock);
    if (s->n < 8)
        s->order[s->n++] = what;
    s->on_app |= pthread_equal(pthread_self(), s->app);
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static void await(struct seen *s, int n)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 30;
    pthread_mutex_lock(&s->lock);
    while (s->n < n && !pthread_cond_timedwait(&s->changed, &s->lock, &until))
        ;
    pthread_mutex_unlock(&s->lock);
    ck_assert_int_ge(s->n, n);
}

static void CL_CALLBACK on_status(cl_event e, cl_int status, void *data)
{
    cl_int now = 99;
    struct seen *s = data;
    s->queried |=
        clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof now, &now, NULL) == CL_SUCCESS && now <= status;
    see(s, status);
}

static void CL_CALLBACK on_free(cl_mem m, void *data)
{
    (void)m;
    see(data, 10);
}

static void CL_CALLBACK on_free_too(cl_mem m, void *data)
{
    (void)m;
    see(data, 11);
}

static void CL_CALLBACK on_built(cl_program p, void *data)
{
    cl_int err;
    cl_kernel k = clCreateKernel(p, "set", &err); /* a callback may call OpenCL */
    if (err == CL_SUCCESS)
        clReleaseKernel(k);
    see(data, err == CL_SUCCESS ? 20 : -20);
}

START_TEST(callbacks_come_at_every_status_in_order)
{
    struct cl c = open_cl(0);
    struct seen s = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .app = pthread_self()};
    cl_mem a = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
    cl_kernel k = kernel_of(c.program, "set");
    cl_int v = 4;
    cl_event e;
    OK(clSetKernelArg(k, 0, sizeof a, &a));
    OK(clSetKernelArg(k, 1, sizeof v, &v));
    run(&c, k, &e);
    OK(clSetEventCallback(e, CL_SUBMITTED, on_status, &s));
    OK(clSetEventCallback(e, CL_RUNNING, on_status, &s));
    OK(clSetEventCallback(e, CL_COMPLETE, on_status, &s));
    IS(CL_INVALID_VALUE, clSetEventCallback(e, CL_QUEUED, on_status, &s));
    IS(CL_INVALID_VALUE, clSetEventCallback(e, CL_COMPLETE, NULL, &s));
    OK(clFlush(c.queue));
    await(&s, 3);
    ck_assert(s.queried);
    int seen = 0;
    for (int i = 0; i < 3; i++)
        seen |= 1 << s.order[i];
    ck_assert_int_eq(seen, 1 << CL_SUBMITTED | 1 << CL_RUNNING | 1 << CL_COMPLETE);
    OK(clReleaseEvent(e));
    OK(clReleaseKernel(k));
    s.n = 0;
    OK(clSetMemObjectDestructorCallback(a, on_free, &s));
    OK(clSetMemObjectDestructorCallback(a, on_free_too, &s));
    OK(clFinish(c.queue));
    OK(clReleaseMemObject(a));
    await(&s, 2);
    ck_assert_int_eq(s.order[0], 11); /* the newest first */
    ck_assert_int_eq(s.order[1], 10);
    s.n = 0;
    const char *text = source;
    cl_int err;
    cl_program p = clCreateProgramWithSource(c.context, 1, &text, NULL, &err);
    OK(err);
    IS(CL_INVALID_VALUE, clBuildProgram(p, 1, &c.device, "", NULL, &s));
    OK(clBuildProgram(p, 1, &c.device, "", on_built, &s));
    await(&s, 1);
    ck_assert_int_eq(s.order[0], 20);
    OK(clReleaseProgram(p));
    close_cl(&c);
}
END_TEST

static cl_ulong stamp(cl_event e, cl_profiling_info what)
{
    cl_ulong t = 0;
    OK(clGetEventProfilingInfo(e, what, sizeof t, &t, NULL));
    return t;
}

START_TEST(times_of_an_in_order_queue_do_not_cross)
{
    struct cl c = open_cl(CL_QUEUE_PROFILING_ENABLE);
    enum { COMMANDS = 60 };
    cl_mem a = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL), b = buffer_of(&c, CL_MEM_READ_WRITE, BYTES, NULL);
    cl_event e[COMMANDS];
    cl_int v = 1, zero = 0, *host = malloc(BYTES);
    cl_kernel k = kernel_of(c.program, "set");
    OK(clSetKernelArg(k, 0, sizeof a, &a));
    OK(clSetKernelArg(k, 1, sizeof v, &v));
    for (int i = 0; i < COMMANDS; i++)
        if (i % 4 == 0)
            run(&c, k, &e[i]);
        else if (i % 4 == 1)
            OK(clEnqueueCopyBuffer(c.queue, a, b, 0, 0, BYTES, 0, NULL, &e[i]));
        else if (i % 4 == 2)
            OK(clEnqueueReadBuffer(c.queue, b, i % 8 == 2, 0, BYTES, host, 0, NULL, &e[i]));
        else
            OK(clEnqueueFillBuffer(c.queue, b, &zero, sizeof zero, 0, BYTES, 0, NULL, &e[i]));
    OK(clFinish(c.queue));
    cl_ulong end = 0;
    for (int i = 0; i < COMMANDS; i++) {
        cl_ulong queued = stamp(e[i], CL_PROFILING_COMMAND_QUEUED), submit = stamp(e[i], CL_PROFILING_COMMAND_SUBMIT),
                 start = stamp(e[i], CL_PROFILING_COMMAND_START);
        ck_assert_uint_le(queued, submit);
        ck_assert_uint_le(submit, start);
        ck_assert_msg(end <= start, "command %d starts %llu ns before the end of the one before it", i,
                      (unsigned long long)(end - start));
        end = stamp(e[i], CL_PROFILING_COMMAND_END);
        ck_assert_uint_le(start, end);
        /* The answer does not change. */
        ck_assert_uint_eq(start, stamp(e[i], CL_PROFILING_COMMAND_START));
        OK(clReleaseEvent(e[i]));
    }
    free(host);
    OK(clReleaseKernel(k));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
    close_cl(&c);
}
END_TEST

YK_TEST_MAIN("conform_order", callbacks_come_at_every_status_in_order, times_of_an_in_order_queue_do_not_cross)
