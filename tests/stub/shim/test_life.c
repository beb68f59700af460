/* A process from start to end: forks before and after the first call, exits in odd places. */
#include <sys/wait.h>
#include <time.h>
#include "tests/stub/shim/fixture.h"
#include "tests/unit/main.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

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
    cl_mem a;
    cl_kernel k = kernel_on("iota", &a);
    shim_launch(s.queue, k, N, 64, 0, NULL, NULL);
    OK(clFinish(s.queue));
    /* ASan's allocator, unlike the C library's, is not made ready for a fork amid another thread's call. */
    usleep(200000);
    setenv("YOKE_SUMMARY", "1", 1);
    ck_assert_int_eq(child(use_after_fork, 5, text, sizeof text), 0);
    ck_assert_msg(lines(text) == 1 && strstr(text, "fork"), "%s", text);
    int ended = child(exit_after_fork, 5, text, sizeof text);
    ck_assert_msg(ended == 0, "%d: %s", ended, text);
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
    if (launch_and_read(&own))
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

/* What the driver ends the process in. */
static void release_at_the_end(void)
{
    cl_int err = clReleaseMemObject(late_mem) | clReleaseProgram(s.program) | clReleaseCommandQueue(s.queue);
    err |= clReleaseContext(s.context);
    _exit(err || clFinish(s.queue) == CL_SUCCESS ? 1 : 5);
}

static void the_driver_ends_it(void)
{
    cl_int err;
    setenv("YOKE_STUB_EXIT", "CreateSampler", 1);
    atexit(release_at_the_end);
    shim_open(&s, 0);
    late_mem = shim_buffer(&s, 64);
    clCreateSampler(s.context, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &err);
    _exit(2);
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
               {"calls after main", calls_after_main},
               {"exit in a driver", the_driver_ends_it}};
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
    cl_mem a;
    cl_kernel k = kernel_on("iota", &a);
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

/* The queue's worker has the last hold on it: what it releases then takes a while. */
static void exit_while_a_queue_ends(void)
{
    atexit(late_look);
    shim_open(&s, 0);
    cl_mem a;
    cl_kernel k = kernel_on("iota", &a);
    shim_launch(s.queue, k, N, 64, 0, NULL, NULL);
    OK(clFinish(s.queue));
    left = now();
    OK(clReleaseCommandQueue(s.queue));
    exit(1);
}

/* Drivers crash where they are called while a process ends. */
START_TEST(exit_waits_for_the_end_of_a_queue)
{
    char text[4096];
    const char *devices = getenv("YOKE_STUB_DEVICES");
    if (!getenv("YOKE_FORCE_SPLIT") || !devices || strcmp(devices, "cpu,cpu"))
        return;
    setenv("YOKE_FAULT", "clReleaseCommandQueue@*=hang", 1);
    setenv("YOKE_FAULT_HANG_MS", "400", 1);
    ck_assert_int_eq(child(exit_while_a_queue_ends, 10, text, sizeof text), 5);
    unsetenv("YOKE_FAULT_HANG_MS");
    unsetenv("YOKE_FAULT");
}
END_TEST

YK_TEST_MAIN("life", a_child_forked_after_initialisation_gets_errors_at_once,
             a_child_forked_before_initialisation_is_a_process_like_any, a_process_may_end_anywhere,
             exit_waits_for_shares_for_a_while, exit_waits_for_the_end_of_a_queue)
