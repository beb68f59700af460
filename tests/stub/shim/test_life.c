/* A process from start to end: objects released in every order while work runs, threads, fork, exit in odd places. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>
#include "tests/stub/shim/shim.h"
#include "tests/unit/main.h"

enum { N = 1024 };

static struct shim s;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

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

static void *thread_main(void *arg)
{
    struct shim *c = arg;
    cl_int err, out[N];
    cl_command_queue q = clCreateCommandQueue(c->context, c->device, 0, &err);
    cl_kernel k = clCreateKernel(c->program, "fill", &err);
    cl_mem a = clCreateBuffer(c->context, CL_MEM_READ_WRITE, sizeof out, NULL, &err);
    size_t global = N, local = 64;
    long wrong = 0;
    for (cl_int n = 0; n < 12; n++) {
        cl_event e;
        err |= clSetKernelArg(k, 0, sizeof a, &a) | clSetKernelArg(k, 1, sizeof n, &n);
        err |= clEnqueueNDRangeKernel(q, k, 1, NULL, &global, &local, 0, NULL, &e);
        err |= clWaitForEvents(1, &e) | clReleaseEvent(e);
        err |= clEnqueueReadBuffer(q, a, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
        for (int i = 0; i < N; i++)
            wrong += out[i] != n + i;
    }
    err |= clReleaseMemObject(a) | clReleaseKernel(k) | clReleaseCommandQueue(q);
    return (void *)(wrong + (err != CL_SUCCESS));
}

static void in_threads(int n, void *(*fn)(void *), void *arg)
{
    pthread_t t[64];
    for (int i = 0; i < n; i++)
        ck_assert_int_eq(pthread_create(&t[i], NULL, fn, arg), 0);
    for (int i = 0; i < n; i++) {
        void *wrong;
        pthread_join(t[i], &wrong);
        ck_assert_ptr_null(wrong);
    }
}

START_TEST(threads_with_objects_of_their_own)
{
    shim_open(&s, 0);
    in_threads(16, thread_main, &s);
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
    in_threads(16, sharing_main, &s);
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
        wrong += (long)thread_main(&own);
        clReleaseProgram(own.program);
        clReleaseCommandQueue(own.queue);
        clReleaseContext(own.context);
    }
    return (void *)wrong;
}

START_TEST(threads_that_start_at_once_with_contexts_of_their_own)
{
    shim_environment();
    in_threads(8, contexts_main, NULL); /* the very first call comes from all of them */
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
    OK(clReleaseKernel(k));
    OK(clReleaseKernel(add));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(one));
    shim_close(&s);
}
END_TEST

/* Run FN in a child process; its exit status, or minus the signal; it must end within SECONDS. What it says on stderr
 * is in TEXT. */
static int child(void (*fn)(void), double seconds, char *text, size_t size)
{
    int p[2], status = 0;
    ck_assert_int_eq(pipe(p), 0);
    double start = now();
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (!pid) {
        dup2(p[1], 2);
        close(p[0]);
        close(p[1]);
        fn();
        exit(0);
    }
    close(p[1]);
    size_t n = 0;
    for (ssize_t r; (r = read(p[0], text + n, size - 1 - n)) > 0;)
        n += (size_t)r;
    text[n] = 0;
    close(p[0]);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_msg(now() - start < seconds, "took %.2f s", now() - start);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void use_after_fork(void)
{
    cl_platform_id p;
    cl_uint n;
    double start = now();
    int bad = clGetPlatformIDs(1, &p, &n) == CL_SUCCESS;
    bad |= clFinish(s.queue) == CL_SUCCESS;
    bad |= clReleaseCommandQueue(s.queue) == CL_SUCCESS;
    bad |= clCreateBuffer(s.context, 0, 64, NULL, NULL) != NULL;
    bad |= clGetExtensionFunctionAddress("clFinish") != NULL;
    _exit(bad || now() - start > 0.1 ? 1 : 0);
}

/* LeakSanitizer asks. A forked child lacks the threads on whose stacks its parent's memory is held. */
static int forked;
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return forked;
}

static void exit_after_fork(void)
{
    forked = 1;
    exit(0);
}

static unsigned lines(const char *text)
{
    unsigned n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

START_TEST(a_child_forked_after_initialisation_gets_errors_at_once)
{
    char text[4096];
    setenv("YOKE_PROFILE", "0", 1);
    shim_open(&s, 0);
    cl_kernel k = shim_kernel(&s, "iota");
    cl_mem a = shim_buffer(&s, 4 * N);
    shim_set(k, 0, a);
    shim_launch(s.queue, k, N, 64, 0, NULL, NULL);
    OK(clFinish(s.queue));
    /* ASan's allocator, unlike the C library's, is not made ready for a fork amid another thread's call. */
    usleep(200000);
    setenv("YOKE_SUMMARY", "1", 1);
    ck_assert_int_eq(child(use_after_fork, 5, text, sizeof text), 0);
    ck_assert_msg(lines(text) == 1 && strstr(text, "fork"), "%s", text);
    ck_assert_int_eq(child(exit_after_fork, 5, text, sizeof text), 0);
    ck_assert_msg(!strstr(text, "yoke"), "%s", text); /* a child that uses no OpenCL hears nothing of yoke */
    /* The parent goes on. */
    shim_launch(s.queue, k, N, 64, 0, NULL, NULL);
    OK(clFinish(s.queue));
    OK(clReleaseMemObject(a));
    OK(clReleaseKernel(k));
    shim_close(&s);
}
END_TEST

static void whole_life(void)
{
    struct shim own;
    shim_open(&own, 0);
    if (thread_main(&own))
        _exit(3);
    shim_close(&own);
}

START_TEST(a_child_forked_before_initialisation_is_a_process_like_any)
{
    char text[4096];
    shim_environment();
    ck_assert_msg(child(whole_life, 20, text, sizeof text) == 0, "%s", text);
    whole_life();
}
END_TEST

/* Work of all kinds under way: a slow transformer, a gated launch, a running one, maps. Nothing is released. */
static void leave_work_behind(void)
{
    static cl_event gate, e; /* the program's own leaks are not the matter */
    static cl_kernel k;
    static cl_program p;
    static cl_mem a;
    char text[8192];
    snprintf(text, sizeof text, "// @slow %d\n%s", getpid(), shim_source);
    shim_open(&s, 0);
    cl_int err;
    p = shim_program(&s, text);
    k = clCreateKernel(p, "iota", &err);
    a = shim_buffer(&s, 4 * N);
    gate = shim_gate(&s);
    shim_set(k, 0, a);
    shim_launch(s.queue, k, N, 64, 0, NULL, &e);
    OK(clFlush(s.queue));
    shim_launch(s.queue, k, N, 64, 1, &gate, NULL);
    clEnqueueMapBuffer(s.queue, a, CL_FALSE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &err);
}

static void exit_amid_work(void)
{
    leave_work_behind();
    exit(5);
}

static void quick_exit_amid_work(void)
{
    leave_work_behind();
    _exit(5);
}

static void CL_CALLBACK exit_in_callback(cl_event e, cl_int status, void *data)
{
    (void)e, (void)status, (void)data;
    exit(5);
}

static void exit_from_a_callback(void)
{
    leave_work_behind();
    static cl_event e;
    static cl_command_queue q;
    static cl_mem b;
    cl_int v = 1;
    q = clCreateCommandQueue(s.context, s.device, 0, NULL);
    b = shim_buffer(&s, 64);
    OK(clEnqueueFillBuffer(q, b, &v, 4, 0, 64, 0, NULL, &e));
    OK(clSetEventCallback(e, CL_COMPLETE, exit_in_callback, NULL));
    OK(clFlush(q));
    sleep(10);
    _exit(1);
}

static cl_mem late_mem;

/* As static destructors of C++ programs do. */
static void late_calls(void)
{
    cl_int v = 3, out = 0;
    cl_int err = clEnqueueFillBuffer(s.queue, late_mem, &v, 4, 0, 64, 0, NULL, NULL);
    err |= clEnqueueReadBuffer(s.queue, late_mem, CL_TRUE, 0, 4, &out, 0, NULL, NULL);
    err |= clReleaseMemObject(late_mem) | clReleaseProgram(s.program) | clReleaseCommandQueue(s.queue);
    err |= clReleaseContext(s.context);
    _exit(err || out != 3 ? 1 : 5);
}

static void calls_after_main(void)
{
    atexit(late_calls); /* before the first call: it runs after all that yoke registers */
    shim_open(&s, 0);
    late_mem = shim_buffer(&s, 64);
    exit(5);
}

START_TEST(a_process_may_end_anywhere)
{
    char text[4096];
    static const struct {
        const char *name;
        void (*fn)(void);
    } all[] = {{"exit", exit_amid_work},
               {"_exit", quick_exit_amid_work},
               {"exit in a callback", exit_from_a_callback},
               {"calls after main", calls_after_main}};
    shim_environment();
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        for (int n = 0; n < 3; n++) {
            int status = child(all[i].fn, 10, text, sizeof text);
            ck_assert_msg(status == 5, "%s: %d %s", all[i].name, status, text);
        }
}
END_TEST

static double left;

/* 5: exit has waited for the share. */
static void late_look(void)
{
    _exit(now() - left < 0.3 ? 6 : 5);
}

static void exit_while_a_share_runs(void)
{
    atexit(late_look); /* before the first call: it runs after all that yoke registers */
    shim_open(&s, 0);
    cl_kernel k = shim_kernel(&s, "iota");
    cl_mem a = shim_buffer(&s, 4 * N);
    shim_set(k, 0, a);
    shim_launch(s.queue, k, N, 64, 0, NULL, NULL);
    OK(clFlush(s.queue));
    usleep(50000);
    left = now();
    exit(1);
}

/* A driver that is merely slow is waited for, since it may crash when its static data go; one that hangs is not. */
START_TEST(exit_waits_for_shares_for_a_while)
{
    char text[4096];
    const char *devices = getenv("YOKE_STUB_DEVICES");
    if (!getenv("YOKE_FORCE_SPLIT") || !devices || strcmp(devices, "cpu,cpu"))
        return;                    /* one setting is enough */
    setenv("YOKE_TAIL", "off", 1); /* or the other device may have run it all */
    setenv("YOKE_FAULT", "clEnqueueNDRangeKernel@1=hang", 1);
    setenv("YOKE_FAULT_HANG_MS", "600", 1);
    ck_assert_int_eq(child(exit_while_a_share_runs, 10, text, sizeof text), 5);
    unsetenv("YOKE_FAULT_HANG_MS");
    ck_assert_int_eq(child(exit_while_a_share_runs, 9, text, sizeof text), 5); /* twice would be ten */
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

YK_TEST_MAIN("life", all_is_released_while_builds_and_launches_are_pending, threads_with_objects_of_their_own,
             threads_that_share_a_queue_and_a_buffer, threads_that_start_at_once_with_contexts_of_their_own,
             a_finish_waits_for_gates_that_another_thread_opens,
             a_child_forked_after_initialisation_gets_errors_at_once,
             a_child_forked_before_initialisation_is_a_process_like_any, a_process_may_end_anywhere,
             exit_waits_for_shares_for_a_while, errno_is_left_alone)
