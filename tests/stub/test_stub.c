/* The stub itself: is it an OpenCL that tests may stand on, and strict where it says it is? */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "device/opencl/real.h"
#include "tests/stub/rig.h"
#include "tests/unit/main.h"

static struct rig r;

START_TEST(devices_are_what_was_asked_for)
{
    const struct yk_cl *cl = rig_load("cpu,gpu:64M|accelerator:host", NULL);
    cl_platform_id p[3];
    cl_device_id d[3];
    cl_uint n;
    rig_ok(cl->GetPlatformIDs(3, p, &n));
    ck_assert_uint_eq(n, 2);
    rig_ok(cl->GetDeviceIDs(p[0], CL_DEVICE_TYPE_ALL, 3, d, &n));
    ck_assert_uint_eq(n, 2);
    cl_ulong bytes;
    cl_bool unified;
    rig_ok(cl->GetDeviceInfo(d[1], CL_DEVICE_GLOBAL_MEM_SIZE, sizeof bytes, &bytes, NULL));
    ck_assert_uint_eq(bytes, 64 << 20);
    rig_ok(cl->GetDeviceInfo(d[1], CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof unified, &unified, NULL));
    ck_assert(!unified);
    ck_assert_int_eq(cl->GetDeviceIDs(p[1], CL_DEVICE_TYPE_GPU, 3, d, &n), CL_DEVICE_NOT_FOUND);
    rig_ok(cl->GetDeviceIDs(p[1], CL_DEVICE_TYPE_DEFAULT, 3, d, &n));
    rig_ok(cl->GetDeviceInfo(d[0], CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof unified, &unified, NULL));
    ck_assert(unified);
    ck_assert_ptr_nonnull(*(void **)d[0]); /* a loader would find its table there */
}
END_TEST

START_TEST(no_platform_is_the_loaders_error)
{
    const struct yk_cl *cl = rig_load("none", NULL);
    cl_uint n = 9;
    ck_assert_int_eq(cl->GetPlatformIDs(0, NULL, &n), -1001);
    ck_assert_uint_eq(n, 0);
}
END_TEST

START_TEST(kernels_compute_on_both_kinds_of_memory)
{
    rig_open(&r, rig_load("cpu,gpu", NULL), 0);
    for (unsigned d = 0; d < r.n; d++) {
        float a[256], b[256], c[256];
        for (int i = 0; i < 256; i++)
            a[i] = (float)i, b[i] = (float)(2 * i);
        cl_mem ma = rig_buffer(&r, d, sizeof a), mb = rig_buffer(&r, d, sizeof b), mc = rig_buffer(&r, d, sizeof c);
        cl_kernel k = rig_kernel(&r, d, "vadd");
        rig_ok(r.cl->EnqueueWriteBuffer(r.queue[d], ma, CL_FALSE, 0, sizeof a, a, 0, NULL, NULL));
        rig_ok(r.cl->EnqueueWriteBuffer(r.queue[d], mb, CL_TRUE, 0, sizeof b, b, 0, NULL, NULL));
        rig_ok(r.cl->SetKernelArg(k, 0, sizeof ma, &ma));
        rig_ok(r.cl->SetKernelArg(k, 1, sizeof mb, &mb));
        ck_assert_int_eq(r.cl->EnqueueNDRangeKernel(r.queue[d], k, 1, NULL, (size_t[]){256}, NULL, 0, NULL, NULL),
                         CL_INVALID_KERNEL_ARGS);
        rig_ok(r.cl->SetKernelArg(k, 2, sizeof mc, &mc));
        ck_assert_int_eq(
            r.cl->EnqueueNDRangeKernel(r.queue[d], k, 1, NULL, (size_t[]){256}, (size_t[]){7}, 0, NULL, NULL),
            CL_INVALID_WORK_GROUP_SIZE);
        /* In two boxes, the second by offset. */
        rig_ok(r.cl->EnqueueNDRangeKernel(r.queue[d], k, 1, NULL, (size_t[]){64}, (size_t[]){16}, 0, NULL, NULL));
        rig_ok(r.cl->EnqueueNDRangeKernel(r.queue[d], k, 1, (size_t[]){64}, (size_t[]){192}, NULL, 0, NULL, NULL));
        rig_ok(r.cl->EnqueueReadBuffer(r.queue[d], mc, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL));
        for (int i = 0; i < 256; i++)
            ck_assert_float_eq(c[i], (float)(3 * i));
        rig_ok(r.cl->ReleaseKernel(k));
        rig_ok(r.cl->ReleaseMemObject(ma));
        rig_ok(r.cl->ReleaseMemObject(mb));
        rig_ok(r.cl->ReleaseMemObject(mc));
    }
    rig_close(&r);
}
END_TEST

START_TEST(ids_are_those_of_opencl)
{
    rig_open(&r, rig_load("gpu", NULL), 0);
    uint32_t out[4 * 2 * 2][8];
    cl_mem m = rig_buffer(&r, 0, sizeof out);
    cl_kernel k = rig_kernel(&r, 0, "ids");
    rig_ok(r.cl->SetKernelArg(k, 0, sizeof m, &m));
    rig_ok(r.cl->EnqueueNDRangeKernel(r.queue[0], k, 3, (size_t[]){10, 20, 30}, (size_t[]){4, 2, 2},
                                      (size_t[]){2, 1, 2}, 0, NULL, NULL));
    rig_ok(r.cl->EnqueueReadBuffer(r.queue[0], m, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    const uint32_t last[8] = {13, 21, 31, 1, 1, 1, 0, 2};
    ck_assert_mem_eq(out[15], last, sizeof last);
    rig_ok(r.cl->ReleaseKernel(k));
    rig_ok(r.cl->ReleaseMemObject(m));
    rig_close(&r);
}
END_TEST

START_TEST(group_kernels_have_local_memory)
{
    rig_open(&r, rig_load("cpu", NULL), 0);
    uint32_t in[64], out[4];
    for (uint32_t i = 0; i < 64; i++)
        in[i] = i;
    cl_mem mi = rig_buffer(&r, 0, sizeof in), mo = rig_buffer(&r, 0, sizeof out);
    cl_kernel k = rig_kernel(&r, 0, "group_sum");
    rig_ok(r.cl->EnqueueWriteBuffer(r.queue[0], mi, CL_TRUE, 0, sizeof in, in, 0, NULL, NULL));
    rig_ok(r.cl->SetKernelArg(k, 0, sizeof mi, &mi));
    rig_ok(r.cl->SetKernelArg(k, 1, sizeof mo, &mo));
    ck_assert_int_eq(r.cl->SetKernelArg(k, 2, 64, in), CL_INVALID_ARG_VALUE);
    rig_ok(r.cl->SetKernelArg(k, 2, 64, NULL));
    ck_assert_int_eq(r.cl->SetKernelArg(k, 3, 64, NULL), CL_INVALID_ARG_INDEX);
    rig_ok(r.cl->EnqueueNDRangeKernel(r.queue[0], k, 1, NULL, (size_t[]){64}, (size_t[]){16}, 0, NULL, NULL));
    rig_ok(r.cl->EnqueueReadBuffer(r.queue[0], mo, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    ck_assert_uint_eq(out[3], (48 + 63) * 16 / 2);
    rig_ok(r.cl->ReleaseKernel(k));
    rig_ok(r.cl->ReleaseMemObject(mi));
    rig_ok(r.cl->ReleaseMemObject(mo));
    rig_close(&r);
}
END_TEST

/* Bytes of rectangles, fills, copies and maps against plain loops. */
START_TEST(transfers_move_the_right_bytes)
{
    rig_open(&r, rig_load("cpu,gpu", NULL), 0);
    for (unsigned d = 0; d < r.n; d++) {
        unsigned char host[64], back[64], want[64];
        cl_int rc;
        for (int i = 0; i < 64; i++)
            host[i] = (unsigned char)i;
        cl_mem m = r.cl->CreateBuffer(r.context[d], CL_MEM_COPY_HOST_PTR, 64, host, &rc);
        rig_ok(rc);
        memcpy(want, host, 64);
        const unsigned short pattern = 0xbeef;
        rig_ok(r.cl->EnqueueFillBuffer(r.queue[d], m, &pattern, 2, 8, 6, 0, NULL, NULL));
        for (int i = 8; i < 14; i += 2)
            memcpy(want + i, &pattern, 2);
        rig_ok(r.cl->EnqueueCopyBuffer(r.queue[d], m, m, 0, 32, 8, 0, NULL, NULL));
        memcpy(want + 32, want, 8);
        ck_assert_int_eq(r.cl->EnqueueCopyBuffer(r.queue[d], m, m, 0, 4, 8, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
        rig_ok(r.cl->EnqueueWriteBufferRect(r.queue[d], m, CL_TRUE, (size_t[]){2, 5, 0}, (size_t[]){1, 0, 0},
                                            (size_t[]){3, 2, 1}, 8, 0, 16, 0, host, 0, NULL, NULL));
        for (int y = 0; y < 2; y++)
            memcpy(want + 8 * (5 + y) + 2, host + 16 * y + 1, 3);
        unsigned char *p =
            r.cl->EnqueueMapBuffer(r.queue[d], m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 60, 4, 0, NULL, NULL, &rc);
        rig_ok(rc);
        ck_assert_uint_eq(p[1], 61);
        p[1] = want[61] = 7;
        rig_ok(r.cl->EnqueueUnmapMemObject(r.queue[d], m, p, 0, NULL, NULL));
        ck_assert_int_eq(r.cl->EnqueueUnmapMemObject(r.queue[d], m, p, 0, NULL, NULL), CL_INVALID_VALUE);
        rig_ok(r.cl->EnqueueReadBuffer(r.queue[d], m, CL_TRUE, 0, 64, back, 0, NULL, NULL));
        ck_assert_mem_eq(back, want, 64);
        ck_assert_int_eq(r.cl->EnqueueReadBuffer(r.queue[d], m, CL_TRUE, 60, 5, back, 0, NULL, NULL), CL_INVALID_VALUE);
        rig_ok(r.cl->ReleaseMemObject(m));
    }
    rig_close(&r);
}
END_TEST

START_TEST(host_pointers_are_shared_only_by_host_devices)
{
    rig_open(&r, rig_load("cpu,gpu", NULL), 0);
    for (unsigned d = 0; d < r.n; d++) {
        static _Alignas(128) uint32_t host[32];
        cl_int rc;
        memset(host, 0, sizeof host);
        cl_mem m = r.cl->CreateBuffer(r.context[d], CL_MEM_USE_HOST_PTR, sizeof host, host, &rc);
        cl_kernel k = rig_kernel(&r, d, "iota");
        rig_ok(r.cl->SetKernelArg(k, 0, sizeof m, &m));
        rig_ok(r.cl->EnqueueNDRangeKernel(r.queue[d], k, 1, NULL, (size_t[]){32}, NULL, 0, NULL, NULL));
        rig_ok(r.cl->Finish(r.queue[d]));
        ck_assert_uint_eq(host[31], d ? 0 : 31);
        void *p = r.cl->EnqueueMapBuffer(r.queue[d], m, CL_TRUE, CL_MAP_READ, 4, 124, 0, NULL, NULL, &rc);
        ck_assert_ptr_eq(p, host + 1);
        ck_assert_uint_eq(host[31], 31);
        rig_ok(r.cl->EnqueueUnmapMemObject(r.queue[d], m, p, 0, NULL, NULL));
        rig_ok(r.cl->Finish(r.queue[d]));
        rig_ok(r.cl->ReleaseKernel(k));
        rig_ok(r.cl->ReleaseMemObject(m));
    }
    rig_close(&r);
}
END_TEST

START_TEST(sub_buffers_see_their_parent)
{
    rig_open(&r, rig_load("gpu", NULL), 0);
    cl_int rc;
    cl_mem m = rig_buffer(&r, 0, 512);
    const cl_buffer_region good = {128, 128}, crooked = {4, 128}, wide = {384, 256};
    cl_mem s = r.cl->CreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &good, &rc);
    rig_ok(rc);
    r.cl->CreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &crooked, &rc);
    ck_assert_int_eq(rc, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    r.cl->CreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &wide, &rc);
    ck_assert_int_eq(rc, CL_INVALID_VALUE);
    rig_ok(r.cl->ReleaseMemObject(m)); /* the sub-buffer keeps it */
    uint32_t v = 42, got = 0;
    rig_ok(r.cl->EnqueueWriteBuffer(r.queue[0], s, CL_TRUE, 64, 4, &v, 0, NULL, NULL));
    rig_ok(r.cl->EnqueueReadBuffer(r.queue[0], s, CL_TRUE, 64, 4, &got, 0, NULL, NULL));
    ck_assert_uint_eq(got, 42);
    rig_ok(r.cl->ReleaseMemObject(s));
    rig_close(&r);
}
END_TEST

START_TEST(device_memory_ends)
{
    rig_open(&r, rig_load("gpu:1M", NULL), 0);
    cl_int rc;
    cl_mem m = rig_buffer(&r, 0, 1 << 20);
    ck_assert_ptr_null(r.cl->CreateBuffer(r.context[0], 0, 1, NULL, &rc));
    ck_assert_int_eq(rc, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    rig_ok(r.cl->ReleaseMemObject(m));
    rig_ok(r.cl->ReleaseMemObject(rig_buffer(&r, 0, 1 << 20)));
    rig_close(&r);
}
END_TEST

static cl_int status_of(cl_event e)
{
    cl_int status = 99;
    rig_ok(r.cl->GetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

static atomic_int seen;

static void CL_CALLBACK see(cl_event e, cl_int status, void *user)
{
    (void)user;
    /* Callbacks may call OpenCL here. */
    ck_assert_int_eq(status_of(e), status);
    atomic_store(&seen, status == CL_COMPLETE ? 1 : status);
}

static void await_seen(int want)
{
    for (int i = 0; i < 5000 && atomic_load(&seen) != want; i++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    ck_assert_int_eq(atomic_load(&seen), want);
}

START_TEST(nothing_starts_before_a_flush)
{
    rig_open(&r, rig_load("cpu", NULL), CL_QUEUE_PROFILING_ENABLE);
    cl_kernel k = rig_kernel(&r, 0, "nothing");
    cl_event e;
    rig_ok(r.cl->EnqueueNDRangeKernel(r.queue[0], k, 1, NULL, (size_t[]){1}, NULL, 0, NULL, &e));
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    ck_assert_int_eq(status_of(e), CL_QUEUED);
    rig_ok(r.cl->SetEventCallback(e, CL_COMPLETE, see, NULL));
    rig_ok(r.cl->Flush(r.queue[0]));
    await_seen(1);
    rig_ok(r.cl->WaitForEvents(1, &e));
    cl_ulong t[4];
    for (unsigned i = 0; i < 4; i++)
        rig_ok(r.cl->GetEventProfilingInfo(e, CL_PROFILING_COMMAND_QUEUED + i, sizeof *t, &t[i], NULL));
    ck_assert(t[0] <= t[1] && t[1] <= t[2] && t[2] <= t[3]);
    rig_ok(r.cl->ReleaseEvent(e));
    rig_ok(r.cl->ReleaseKernel(k));
    rig_close(&r);
}
END_TEST

START_TEST(user_events_hold_commands_and_pass_failures_on)
{
    rig_open(&r, rig_load("cpu", NULL), CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_kernel k = rig_kernel(&r, 0, "nothing");
    for (int fails = 0; fails < 2; fails++) {
        cl_int rc;
        cl_event gate = r.cl->CreateUserEvent(r.context[0], &rc), e, free_one;
        rig_ok(rc);
        rig_ok(r.cl->EnqueueNDRangeKernel(r.queue[0], k, 1, NULL, (size_t[]){1}, NULL, 1, &gate, &e));
        rig_ok(r.cl->EnqueueNDRangeKernel(r.queue[0], k, 1, NULL, (size_t[]){1}, NULL, 0, NULL, &free_one));
        rig_ok(r.cl->Flush(r.queue[0]));
        rig_ok(r.cl->WaitForEvents(1, &free_one)); /* out of order: not behind the first */
        ck_assert_int_gt(status_of(e), CL_COMPLETE);
        rig_ok(r.cl->SetUserEventStatus(gate, fails ? -7 : CL_COMPLETE));
        ck_assert_int_eq(r.cl->SetUserEventStatus(gate, CL_COMPLETE), CL_INVALID_OPERATION);
        ck_assert_int_eq(r.cl->WaitForEvents(1, &e), fails ? -14 : CL_SUCCESS);
        ck_assert_int_eq(status_of(e), fails ? -14 : CL_COMPLETE);
        rig_ok(r.cl->ReleaseEvent(gate));
        rig_ok(r.cl->ReleaseEvent(free_one));
        rig_ok(r.cl->ReleaseEvent(e));
    }
    rig_ok(r.cl->ReleaseKernel(k));
    rig_close(&r);
}
END_TEST

START_TEST(barriers_hold_what_follows)
{
    rig_open(&r, rig_load("cpu", NULL), CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_kernel k = rig_kernel(&r, 0, "nothing");
    cl_int rc;
    cl_event gate = r.cl->CreateUserEvent(r.context[0], &rc), e;
    rig_ok(r.cl->EnqueueBarrierWithWaitList(r.queue[0], 1, &gate, NULL));
    rig_ok(r.cl->EnqueueNDRangeKernel(r.queue[0], k, 1, NULL, (size_t[]){1}, NULL, 0, NULL, &e));
    rig_ok(r.cl->Flush(r.queue[0]));
    nanosleep(&(struct timespec){0, 10000000}, NULL);
    ck_assert_int_gt(status_of(e), CL_COMPLETE);
    rig_ok(r.cl->SetUserEventStatus(gate, CL_COMPLETE));
    rig_ok(r.cl->WaitForEvents(1, &e));
    rig_ok(r.cl->ReleaseEvent(gate));
    rig_ok(r.cl->ReleaseEvent(e));
    rig_ok(r.cl->ReleaseKernel(k));
    rig_close(&r);
}
END_TEST

START_TEST(programs_say_what_they_hold)
{
    rig_open(&r, rig_load("cpu", NULL), 0);
    char names[256];
    rig_ok(r.cl->GetProgramInfo(r.program[0], CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL));
    ck_assert_str_eq(names, "vadd;iota;scale_inplace;ids;group_sum;nothing");
    cl_kernel k = rig_kernel(&r, 0, "scale_inplace");
    cl_uint n;
    rig_ok(r.cl->GetKernelInfo(k, CL_KERNEL_NUM_ARGS, sizeof n, &n, NULL));
    ck_assert_uint_eq(n, 2);
    rig_ok(r.cl->GetKernelArgInfo(k, 1, CL_KERNEL_ARG_TYPE_NAME, sizeof names, names, NULL));
    ck_assert_str_eq(names, "float");
    double wrong = 1;
    ck_assert_int_eq(r.cl->SetKernelArg(k, 1, sizeof wrong, &wrong), CL_INVALID_ARG_SIZE);
    rig_ok(r.cl->ReleaseKernel(k));

    const char *bad = "#error no such luck\nkernel void iota(global uint *o) {}";
    cl_int rc;
    cl_program p = r.cl->CreateProgramWithSource(r.context[0], 1, &bad, NULL, &rc);
    ck_assert_int_eq(r.cl->BuildProgram(p, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    rig_ok(r.cl->GetProgramBuildInfo(p, r.device[0], CL_PROGRAM_BUILD_LOG, sizeof names, names, NULL));
    ck_assert_ptr_nonnull(strstr(names, "no such luck"));
    ck_assert_ptr_null(r.cl->CreateKernel(p, "iota", &rc));
    ck_assert_int_eq(rc, CL_INVALID_PROGRAM_EXECUTABLE);
    rig_ok(r.cl->ReleaseProgram(p));

    /* Out as a binary, in again. */
    size_t size;
    rig_ok(r.cl->GetProgramInfo(r.program[0], CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *binary = malloc(size);
    rig_ok(r.cl->GetProgramInfo(r.program[0], CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    p = r.cl->CreateProgramWithBinary(r.context[0], 1, r.device, &size, (const unsigned char *[]){binary}, NULL, &rc);
    rig_ok(rc);
    rig_ok(r.cl->BuildProgram(p, 0, NULL, NULL, NULL, NULL));
    k = r.cl->CreateKernel(p, "iota", &rc);
    rig_ok(rc);
    rig_ok(r.cl->ReleaseKernel(k));
    rig_ok(r.cl->ReleaseProgram(p));
    free(binary);
    rig_close(&r);
}
END_TEST

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
    char log[] = "/tmp/yoke-stub-XXXXXX";
    int fd = mkstemp(log);
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
    ck_assert_int_eq(status_of(e), -9);
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

START_TEST(every_entry_is_there_and_refuses_what_it_cannot)
{
    const struct yk_cl *cl = rig_load("cpu", NULL);
    const struct yk_cl *real = yk_cl_real(), *missing = yk_cl_missing();
    for (size_t i = 0; i < sizeof *real / sizeof(void *); i++)
        ck_assert_msg(((void *const *)(const void *)real)[i] != ((void *const *)(const void *)missing)[i], "entry %zu",
                      i);
    rig_open(&r, cl, 0);
    cl_int rc = 0;
    ck_assert_ptr_null(cl->CreatePipe(r.context[0], 0, 4, 4, NULL, &rc));
    ck_assert_int_eq(rc, CL_INVALID_OPERATION);
    ck_assert_ptr_null(cl->SVMAlloc(r.context[0], 0, 16, 0));
    ck_assert_int_eq(cl->Finish(NULL), CL_INVALID_COMMAND_QUEUE);
    ck_assert_int_eq(cl->ReleaseMemObject(NULL), CL_INVALID_MEM_OBJECT);
    ck_assert_int_eq(cl->RetainContext(NULL), CL_INVALID_CONTEXT);
    rig_close(&r);
}
END_TEST

static int depth_seen;

static void CL_CALLBACK built(cl_program p, void *user)
{
    (void)p;
    (void)user;
    depth_seen = yk_driver_depth;
}

START_TEST(guarded_calls_raise_the_depth)
{
    rig_open(&r, rig_load("cpu", NULL), 0);
    ck_assert_int_eq(yk_driver_depth, 0);
    const char *text = rig_source;
    cl_int rc;
    cl_program p = r.cl->CreateProgramWithSource(r.context[0], 1, &text, NULL, &rc);
    rig_ok(r.cl->BuildProgram(p, 0, NULL, NULL, built, NULL));
    ck_assert_int_eq(depth_seen, 1);
    ck_assert_int_eq(yk_driver_depth, 0);
    r.cl->SVMFree(r.context[0], NULL);
    ck_assert_int_eq(yk_driver_depth, 0);
    rig_ok(r.cl->ReleaseProgram(p));
    rig_close(&r);
}
END_TEST

YK_TEST_MAIN("stub", devices_are_what_was_asked_for, no_platform_is_the_loaders_error,
             kernels_compute_on_both_kinds_of_memory, ids_are_those_of_opencl, group_kernels_have_local_memory,
             transfers_move_the_right_bytes, host_pointers_are_shared_only_by_host_devices,
             sub_buffers_see_their_parent, device_memory_ends, nothing_starts_before_a_flush,
             user_events_hold_commands_and_pass_failures_on, barriers_hold_what_follows, programs_say_what_they_hold,
             dead_and_foreign_handles_abort_with_a_message, leaks_are_counted, faults_come_as_scripted,
             every_entry_is_there_and_refuses_what_it_cannot, guarded_calls_raise_the_depth)
