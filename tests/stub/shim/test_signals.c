/* Signals of the program: its handlers run on its own threads, its timers break nothing, and what yoke writes does not
 * kill it. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include "tests/stub/shim/shim.h"
#include "tests/unit/main.h"

enum { N = 1024 };

static struct shim s;
static int handled; /* both atomic: a driver's threads take signals as well */
static long handled_by;

static void handle(int signal)
{
    int before = errno;
    (void)signal;
    __atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&handled_by, syscall(SYS_gettid), __ATOMIC_RELAXED);
    errno = before;
}

static int times_handled(void)
{
    return __atomic_load_n(&handled, __ATOMIC_RELAXED);
}

static void CL_CALLBACK called_back(cl_event e, cl_int status, void *data)
{
    (void)e, (void)status;
    __atomic_store_n((int *)data, 1, __ATOMIC_RELEASE);
}

/* Split and whole work, a callback: all of yoke's threads are there afterwards. */
static void work(const char *head, int rounds)
{
    cl_int out[N], err;
    char *text = malloc(strlen(head) + sizeof shim_source);
    strcat(strcpy(text, head), shim_source);
    cl_program p = shim_program(&s, text);
    free(text);
    cl_kernel fill = clCreateKernel(p, "fill", &err);
    OK(err);
    cl_mem a = shim_buffer(&s, sizeof out);
    shim_set(fill, 0, a);
    for (int n = 0; n < rounds; n++) {
        cl_event e;
        int called = 0;
        shim_set_int(fill, 1, n);
        shim_launch(s.queue, fill, N, 64, 0, NULL, &e);
        OK(clSetEventCallback(e, CL_COMPLETE, called_back, &called));
        OK(clEnqueueReadBuffer(s.queue, a, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
        for (int i = 0; i < N; i++)
            ck_assert_int_eq(out[i], n + i);
        while (!__atomic_load_n(&called, __ATOMIC_ACQUIRE))
            usleep(10);
        OK(clReleaseEvent(e));
    }
    OK(clReleaseMemObject(a));
    OK(clReleaseKernel(fill));
    OK(clReleaseProgram(p));
}

START_TEST(handlers_run_on_the_programs_own_threads)
{
    sigset_t usr1;
    setenv("YOKE_FORCE_SPLIT", "1", 1);
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handle}, NULL);
    shim_open(&s, 0);
    work("", 3);
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &usr1, NULL);
    for (int i = 0; i < 20; i++) {
        kill(getpid(), SIGUSR1);
        usleep(1000);
    }
    ck_assert_int_eq(times_handled(), 0); /* nobody else took it */
    pthread_sigmask(SIG_UNBLOCK, &usr1, NULL);
    ck_assert_int_eq(times_handled(), 1);
    ck_assert_int_eq(__atomic_load_n(&handled_by, __ATOMIC_RELAXED), syscall(SYS_gettid));
    shim_close(&s);
}
END_TEST

START_TEST(a_timer_that_interrupts_everything)
{
    setenv("YOKE_FORCE_SPLIT", "1", 1);
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = handle}, NULL); /* no SA_RESTART */
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 300}, {0, 300}}, NULL);
    shim_open(&s, 0);
    for (int i = 0; i < 8; i++) {
        char head[64];
        snprintf(head, sizeof head, "// @%s %d %d\n", i % 3 ? "none" : "slow", i, getpid());
        work(head, 20);
    }
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    ck_assert_int_gt(times_handled(), 10);
    shim_close(&s);
}
END_TEST

/* A child whose output goes nowhere, or whose files may not grow: it ends as it would without yoke. */
static int child(void (*fn)(void))
{
    int status;
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (!pid) {
        fn();
        exit(7);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* Without check's macros, which write to a file. */
static void warned_work(void)
{
    char text[8192];
    const char *source = text;
    cl_int err, out[N];
    size_t global = N, local = 64;
    setenv("YOKE_STRATEGY", "nonsense", 1);
    setenv("YOKE_FORCE_SPLIT", "1", 1);
    setenv("YOKE_SUMMARY", "1", 1);
    setenv("YOKE_JSON", "/dev/full", 1);
    err = clGetPlatformIDs(1, &s.platform, NULL);
    err |= clGetDeviceIDs(s.platform, CL_DEVICE_TYPE_ALL, 1, &s.device, NULL);
    s.context = clCreateContext(NULL, 1, &s.device, NULL, NULL, &err);
    s.queue = clCreateCommandQueue(s.context, s.device, 0, &err);
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "// @%s %d\n%s", i ? "none" : "fail", getpid(), shim_source);
        cl_program program = clCreateProgramWithSource(s.context, 1, &source, NULL, &err);
        err |= clBuildProgram(program, 1, &s.device, "", NULL, NULL);
        cl_kernel k = clCreateKernel(program, "iota", &err);
        cl_mem a = clCreateBuffer(s.context, 0, sizeof out, NULL, &err);
        err |= clSetKernelArg(k, 0, sizeof a, &a);
        err |= clEnqueueNDRangeKernel(s.queue, k, 1, NULL, &global, &local, 0, NULL, NULL);
        err |= clEnqueueReadBuffer(s.queue, a, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
        for (int n = 0; n < N; n++)
            err |= out[n] != n;
        err |= clReleaseKernel(k) | clReleaseMemObject(a) | clReleaseProgram(program);
    }
    if (err)
        _exit(1);
}

static void without_reader(void)
{
    int p[2];
    ck_assert_int_eq(pipe(p), 0);
    dup2(p[1], 2);
    close(p[0]);
    close(p[1]);
    warned_work();
}

static void without_room(void)
{
    int null = open("/dev/null", O_WRONLY);
    dup2(null, 2);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){10, RLIM_INFINITY});
    warned_work();
}

START_TEST(messages_and_files_do_not_kill)
{
    shim_environment();
    ck_assert_int_eq(child(without_reader), 7);
    ck_assert_int_eq(child(without_room), 7);
}
END_TEST

YK_TEST_MAIN("signals", handlers_run_on_the_programs_own_threads, a_timer_that_interrupts_everything,
             messages_and_files_do_not_kill)
