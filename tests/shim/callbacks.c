/* When the program's functions are called, on a driver that calls them before the call returns that waits for their
 * commands (PoCL):
 *
 *     callbacks        looks at it
 *     callbacks exit   prints "told freed" and ends
 *
 * Knows nothing of yoke. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "tests/shim/plain.h"

enum { N = 8, ROUNDS = 30 };

static const char source[] = "kernel void add(global int *a) { a[get_global_id(0)] += 1; }\n";

static atomic_int called, order[N], wrong;
static atomic_bool freed, ran;

static void expect(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "callbacks: %s\n", what);
    wrong++;
}

static void CL_CALLBACK note(cl_event event, cl_int status, void *which)
{
    (void)event, (void)status;
    int at = called++;
    if (at < N)
        order[at] = (int)(size_t)which;
}

static cl_event launch(const struct plain *p, cl_kernel k, cl_event after)
{
    const size_t n = 1024;
    cl_event e;
    check(clEnqueueNDRangeKernel(p->queue, k, 1, NULL, &n, NULL, after != NULL, after ? &after : NULL, &e), "launch");
    return e;
}

/* Asked for from the last to the first while nothing has run yet. */
static void look_at_order(const struct plain *p, cl_kernel k)
{
    cl_int err;
    cl_event gate = clCreateUserEvent(p->context, &err), e[N];
    check(err, "user event");
    called = 0;
    for (size_t i = 0; i < N; i++)
        e[i] = launch(p, k, i ? NULL : gate);
    for (size_t i = N; i-- > 0;)
        check(clSetEventCallback(e[i], CL_COMPLETE, note, (void *)i), "callback");
    check(clSetUserEventStatus(gate, CL_COMPLETE), "status");
    check(clFinish(p->queue), "finish");
    expect(called == N, "after clFinish some have not been called");
    for (int i = 0; i < N; i++)
        expect(order[i] == i, "they are not called in the order of their commands");
    for (int i = 0; i < N; i++)
        check(clReleaseEvent(e[i]), "release");
    check(clReleaseEvent(gate), "release");
}

static void look_after_waiting(const struct plain *p, cl_kernel k)
{
    cl_event e = launch(p, k, NULL);
    called = 0;
    check(clSetEventCallback(e, CL_COMPLETE, note, NULL), "callback");
    check(clWaitForEvents(1, &e), "wait");
    expect(called == 1, "after clWaitForEvents it has not been called");
    check(clSetEventCallback(e, CL_COMPLETE, note, NULL), "callback");
    expect(called == 2, "of an event that is complete it is not called at once");
    check(clReleaseEvent(e), "release");
}

static void CL_CALLBACK use(cl_event event, cl_int status, void *unused)
{
    (void)event, (void)status, (void)unused;
    const struct timespec moment = {0, 100000};
    nanosleep(&moment, NULL);
    expect(!freed, "a buffer's end is told of before its last command's");
}

static void CL_CALLBACK note_end(cl_mem m, void *unused)
{
    (void)m, (void)unused;
    freed = true;
}

static void look_at_ends(const struct plain *p, cl_kernel k)
{
    cl_mem m = plain_buffer(p, 4096);
    freed = false;
    check(clSetMemObjectDestructorCallback(m, note_end, NULL), "destructor");
    check(clSetKernelArg(k, 0, sizeof m, &m), "argument");
    cl_event e = launch(p, k, NULL);
    check(clSetEventCallback(e, CL_COMPLETE, use, NULL), "callback");
    check(clReleaseEvent(e), "release");
    check(clFinish(p->queue), "finish");
    check(clReleaseMemObject(m), "release");
    const struct timespec moment = {0, 1000000};
    for (int i = 0; i < 1000 && !freed && getenv("YOKE_TEST_BARE"); i++)
        nanosleep(&moment, NULL); /* PoCL's command may keep the buffer a moment longer than clFinish waits */
    expect(freed, "a buffer's end is told of after its release has returned");
}

static void CL_CALLBACK note_run(cl_event event, cl_int status, void *unused)
{
    (void)event, (void)status, (void)unused;
    ran = true;
}

static void CL_CALLBACK wait_for_note(void *unused)
{
    const struct timespec moment = {0, 10000000};
    (void)unused;
    for (int i = 0; i < 300 && !ran; i++)
        nanosleep(&moment, NULL);
    expect(ran, "while a command runs its program is not told that it does");
}

static void look_at_running(const struct plain *p)
{
    cl_int err;
    cl_event gate = clCreateUserEvent(p->context, &err), e;
    check(err, "user event");
    check(clEnqueueNativeKernel(p->queue, wait_for_note, NULL, 0, 0, NULL, NULL, 1, &gate, &e), "native kernel");
    check(clSetEventCallback(e, CL_RUNNING, note_run, NULL), "callback");
    check(clFlush(p->queue), "flush");
    check(clSetUserEventStatus(gate, CL_COMPLETE), "status");
    check(clWaitForEvents(1, &e), "wait");
    check(clReleaseEvent(e), "release");
    check(clReleaseEvent(gate), "release");
}

static void CL_CALLBACK ask(cl_event event, cl_int status, void *unused)
{
    cl_int now = CL_QUEUED;
    (void)unused;
    check(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof now, &now, NULL), "status");
    expect(now <= status, "an event is queued again after it has been told to be submitted");
}

static void look_at_status(const struct plain *p, cl_kernel k)
{
    cl_int err;
    cl_command_queue q = clCreateCommandQueue(p->context, p->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &err);
    check(err, "queue");
    struct plain other = *p;
    other.queue = q;
    cl_event first = launch(&other, k, NULL), e = launch(&other, k, first);
    check(clSetEventCallback(e, CL_SUBMITTED, ask, NULL), "callback");
    check(clFinish(q), "finish");
    check(clReleaseEvent(first), "release");
    check(clReleaseEvent(e), "release");
    check(clReleaseCommandQueue(q), "release");
}

static void CL_CALLBACK say(cl_event event, cl_int status, void *what)
{
    (void)event, (void)status;
    printf("%s ", (const char *)what);
}

static void CL_CALLBACK say_end(cl_mem m, void *what)
{
    (void)m;
    printf("%s\n", (const char *)what);
}

static void CL_CALLBACK leave(void *unused)
{
    (void)unused;
    exit(0);
}

/* A program may end in a function of its own that its queue calls, whichever thread that is: exit waits for no other
 * command of that queue. */
static int end_in_native_kernel(const struct plain *p, cl_kernel k)
{
    check(clReleaseEvent(launch(p, k, NULL)), "release");
    check(clEnqueueNativeKernel(p->queue, leave, NULL, 0, 0, NULL, NULL, 0, NULL, NULL), "native kernel");
    check(clFinish(p->queue), "finish");
    return 1;
}

int main(int argc, char **argv)
{
    struct plain p = plain_open(0, source);
    cl_kernel k = plain_kernel(&p, "add");
    cl_mem m = plain_buffer(&p, 4096);
    check(clSetKernelArg(k, 0, sizeof m, &m), "argument");
    if (argc > 1 && !strcmp(argv[1], "native"))
        return end_in_native_kernel(&p, k);
    if (argc > 1 && !strcmp(argv[1], "exit")) {
        check(clSetMemObjectDestructorCallback(m, say_end, (void *)(size_t) "freed"), "destructor");
        cl_event e = launch(&p, k, NULL);
        check(clSetEventCallback(e, CL_COMPLETE, say, (void *)(size_t) "told"), "callback");
        check(clReleaseEvent(e), "release");
        check(clFinish(p.queue), "finish");
        check(clReleaseKernel(k), "release");
        check(clReleaseMemObject(m), "release");
        return 0;
    }
    for (int i = 0; i < ROUNDS && !wrong; i++) {
        check(clSetKernelArg(k, 0, sizeof m, &m), "argument");
        look_at_order(&p, k);
        look_after_waiting(&p, k);
        look_at_status(&p, k);
        look_at_ends(&p, k);
    }
    look_at_running(&p);
    check(clReleaseKernel(k), "release");
    check(clReleaseMemObject(m), "release");
    check(clReleaseProgram(p.program), "release");
    check(clReleaseCommandQueue(p.queue), "release");
    check(clReleaseContext(p.context), "release");
    return wrong != 0;
}
