/* Where the stub is stricter or worse than a driver: dead handles end the process, leaks are counted, faults come as
 * scripted. */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/temp.h"
#include "tests/stub/rig.h"
#include "tests/unit/main.h"

static struct rig r;

/* In a child whose stderr is TEXT: its exit status, or minus its signal. */
static int child(void (*body)(void), char *text, size_t n)
{
    int fd[2];
    ck_assert(!pipe(fd));
    pid_t pid = fork();
    if (!pid) {
        dup2(fd[1], 2);
        close(fd[0]);
        body();
        exit(0);
    }
    close(fd[1]);
    size_t got = 0;
    for (ssize_t m; got + 1 < n && (m = read(fd[0], text + got, n - 1 - got)) > 0;)
        got += (size_t)m;
    text[got] = 0;
    close(fd[0]);
    int status;
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void use_after_release(void)
{
    rig_open(&r, rig_load("cpu", NULL), 0);
    cl_mem m = rig_buffer(&r, 0, 16);
    r.cl->ReleaseMemObject(m);
    r.cl->RetainMemObject(m);
}

static void wrong_kind(void)
{
    rig_open(&r, rig_load("cpu", NULL), 0);
    r.cl->Finish((cl_command_queue)r.context[0]);
}

static void dead_argument(void)
{
    rig_open(&r, rig_load("cpu", NULL), 0);
    cl_mem m = rig_buffer(&r, 0, 16);
    cl_kernel k = rig_kernel(&r, 0, "iota");
    r.cl->SetKernelArg(k, 0, sizeof m, &m);
    r.cl->ReleaseMemObject(m);
    r.cl->EnqueueNDRangeKernel(r.queue[0], k, 1, NULL, (size_t[]){1}, NULL, 0, NULL, NULL);
}

START_TEST(dead_and_foreign_handles_abort_with_a_message)
{
    char text[1024];
    ck_assert_int_eq(child(use_after_release, text, sizeof text), -SIGABRT);
    ck_assert_ptr_nonnull(strstr(text, "clRetainMemObject"));
    ck_assert_ptr_nonnull(strstr(text, "is no live mem"));
    ck_assert_int_eq(child(wrong_kind, text, sizeof text), -SIGABRT);
    ck_assert_ptr_nonnull(strstr(text, "is no live queue"));
    ck_assert_int_eq(child(dead_argument, text, sizeof text), -SIGABRT);
    ck_assert_ptr_nonnull(strstr(text, "clEnqueueNDRangeKernel"));
}
END_TEST

static void leaky(void)
{
    setenv("YOKE_STUB_LEAKS", "1", 1);
    rig_open(&r, rig_load("cpu", NULL), 0);
    rig_buffer(&r, 0, 16);
    rig_buffer(&r, 0, 16);
    rig_close(&r);
}

START_TEST(leaks_are_counted)
{
    char text[1024];
    ck_assert_int_eq(child(leaky, text, sizeof text), 0);
    ck_assert_ptr_nonnull(strstr(text, "stub: live: context 0 queue 0 mem 2 program 0 kernel 0 event 0"));
}
END_TEST

START_TEST(faults_come_as_scripted)
{
    char log[PATH_MAX];
    int fd = yk_temp_name("yoke-stub", log, sizeof log) == YK_OK ? mkstemp(log) : -1;
    ck_assert_int_ge(fd, 0);
    setenv("YOKE_STUB_LOG", log, 1);
    rig_open(&r,
             rig_load("cpu,gpu", "clEnqueueNDRangeKernel@1:2=error(-5); clEnqueueNDRangeKernel@1:3=event(-9);"
                                 "clFinish@0:1=lost"),
             0);
    cl_kernel k[2] = {rig_kernel(&r, 0, "iota"), rig_kernel(&r, 1, "iota")};
    uint32_t before[4] = {9, 9, 9, 9}, after[4];
    cl_mem m[2] = {rig_buffer(&r, 0, 16), rig_buffer(&r, 1, 16)};
    cl_event e;
    for (int d = 0; d < 2; d++) {
        rig_ok(r.cl->SetKernelArg(k[d], 0, sizeof(cl_mem), &m[d]));
        rig_ok(r.cl->EnqueueNDRangeKernel(r.queue[d], k[d], 1, NULL, (size_t[]){4}, NULL, 0, NULL, NULL));
    }
    ck_assert_int_eq(r.cl->EnqueueNDRangeKernel(r.queue[1], k[1], 1, NULL, (size_t[]){4}, NULL, 0, NULL, NULL), -5);
    rig_ok(r.cl->EnqueueWriteBuffer(r.queue[1], m[1], CL_TRUE, 0, 16, before, 0, NULL, NULL));
    rig_ok(r.cl->EnqueueNDRangeKernel(r.queue[1], k[1], 1, NULL, (size_t[]){4}, NULL, 0, NULL, &e));
    ck_assert_int_eq(r.cl->WaitForEvents(1, &e), -14);
    cl_int status;
    rig_ok(r.cl->GetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    ck_assert_int_eq(status, -9);
    rig_ok(r.cl->EnqueueReadBuffer(r.queue[1], m[1], CL_TRUE, 0, 16, after, 0, NULL, NULL));
    ck_assert_mem_eq(after, before, 16); /* it did not run */
    ck_assert_int_eq(r.cl->Finish(r.queue[0]), CL_OUT_OF_RESOURCES);
    ck_assert_int_eq(r.cl->Flush(r.queue[0]), CL_OUT_OF_RESOURCES);
    rig_ok(r.cl->Finish(r.queue[1]));
    rig_ok(r.cl->ReleaseEvent(e));
    for (int d = 0; d < 2; d++) {
        rig_ok(r.cl->ReleaseKernel(k[d]));
        rig_ok(r.cl->ReleaseMemObject(m[d]));
    }
    rig_close(&r);
    char text[16384];
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    ck_assert_int_gt(n, 0);
    text[n] = 0;
    ck_assert_ptr_nonnull(strstr(text, " clEnqueueNDRangeKernel 1 -5\n"));
    ck_assert_ptr_nonnull(strstr(text, " clFinish 0 -5\n"));
    ck_assert_ptr_nonnull(strstr(text, " clCreateContext 1 ok\n"));
    close(fd);
    unlink(log);
}
END_TEST

YK_TEST_MAIN("stub strict", dead_and_foreign_handles_abort_with_a_message, leaks_are_counted, faults_come_as_scripted)
