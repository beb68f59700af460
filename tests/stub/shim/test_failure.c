/* Launches that fail after their enqueue call has returned: who hears of it, and what can be read afterwards. That
 * every single failure is told or made good is the fault sweep's matter (tests/fault). */
#include <limits.h>
#include <pthread.h>
#include <sys/wait.h>
#include "base/temp.h"
#include "tests/stub/shim/shim.h"
#include "tests/unit/main.h"

enum { N = 1024 };

static struct shim s;
static cl_kernel fill, add;
static cl_mem a, one;
static cl_int out[N];

static void begin(const char *devices, const char *fault)
{
    setenv("YOKE_STUB_DEVICES", devices, 1);
    setenv("YOKE_STUB_FAULT", fault, 1);
    setenv("YOKE_FORCE_SPLIT", "1", 1);
    setenv("YOKE_STRATEGY", "even", 1);
    setenv("YOKE_NUMERICS", "any", 1); /* no probe of the numeric classes, which would be counted too */
    shim_open(&s, 0);
    fill = shim_kernel(&s, "fill");
    add = shim_kernel(&s, "add");
    a = shim_buffer(&s, sizeof out);
    one = shim_buffer(&s, sizeof out);
    shim_set(fill, 0, a);
    shim_set_int(fill, 1, 10);
    shim_set(add, 0, one);
    shim_set(add, 1, a);
}

static void end(void)
{
    OK(clReleaseKernel(fill));
    OK(clReleaseKernel(add));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(one));
    shim_close(&s);
}

static cl_int read_a(void)
{
    return clEnqueueReadBuffer(s.queue, a, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
}

static void write_all(cl_mem m, cl_int v)
{
    OK(clEnqueueFillBuffer(s.queue, m, &v, sizeof v, 0, sizeof out, 0, NULL, NULL));
}

/* The shares fail, and so does the launch that is run again whole. */
#define NOBODY_RUNS "clEnqueueNDRangeKernel@*:1=error(-5); clEnqueueNDRangeKernel@*:2=error(-5)"

START_TEST(a_launch_that_fails_unseen_fails_the_next_blocking_call)
{
    cl_event e;
    begin("gpu,gpu", NOBODY_RUNS);
    shim_launch(s.queue, fill, N, 64, 0, NULL, NULL);
    OK(clEnqueueReadBuffer(s.queue, a, CL_FALSE, 0, sizeof out, out, 0, NULL, &e)); /* behind it: must not look fine */
    ck_assert_int_eq(read_a(), CL_OUT_OF_RESOURCES);
    cl_int status = 1;
    OK(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    ck_assert_int_lt(status, 0);
    OK(clReleaseEvent(e));
    /* The program has been told and goes on. */
    shim_launch(s.queue, fill, N, 64, 0, NULL, NULL);
    OK(read_a());
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(out[i], 10 + i);
    OK(clFinish(s.queue));
    end();
}
END_TEST

START_TEST(finish_and_wait_for_events_tell_too)
{
    for (int wait = 0; wait < 2; wait++) {
        cl_event e;
        pid_t pid = fork();
        ck_assert_int_ge(pid, 0);
        if (pid) {
            int status;
            ck_assert_int_eq(waitpid(pid, &status, 0), pid);
            ck_assert_int_eq(status, 0);
            continue;
        }
        begin("gpu,gpu", NOBODY_RUNS);
        shim_launch(s.queue, fill, N, 64, 0, NULL, &e);
        if (wait)
            ck_assert_int_eq(clWaitForEvents(1, &e), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        else
            ck_assert_int_eq(clFinish(s.queue), CL_OUT_OF_RESOURCES);
        OK(clFinish(s.queue)); /* once */
        OK(clReleaseEvent(e));
        end();
        _exit(0);
    }
}
END_TEST

static void *reader(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++)
        if (read_a() != CL_OUT_OF_RESOURCES)
            return &s;
    return NULL;
}

/* A driver's clFinish may tell of commands that waited for a failed one in its words for those: not what the
 * specification lets a program's clFinish say. */
START_TEST(finish_says_what_a_finish_may)
{
    begin("gpu", "clFinish@0:1=error(-14)");
    OK(clEnqueueNDRangeKernel(s.queue, fill, 1, NULL, (size_t[]){N}, (size_t[]){64}, 0, NULL, NULL));
    ck_assert_int_eq(clFinish(s.queue), CL_OUT_OF_RESOURCES);
    OK(clFinish(s.queue));
    end();
}
END_TEST

START_TEST(another_thread_that_is_told_settles_nothing)
{
    pthread_t t;
    void *wrong;
    begin("gpu,gpu", NOBODY_RUNS);
    shim_launch(s.queue, fill, N, 64, 0, NULL, NULL);
    ck_assert_int_eq(pthread_create(&t, NULL, reader, NULL), 0);
    pthread_join(t, &wrong);
    ck_assert_ptr_null(wrong);
    ck_assert_int_eq(clFinish(s.queue), CL_OUT_OF_RESOURCES);
    OK(clFinish(s.queue));
    end();
}
END_TEST

START_TEST(bytes_that_a_failed_launch_has_destroyed_cannot_be_read)
{
    /* In place and in the host's memory: device 1's share has run or not, nobody can say. */
    begin("cpu,cpu", "clEnqueueNDRangeKernel@1:1=event(-5,ran)");
    write_all(a, 1);
    write_all(one, 1);
    shim_launch(s.queue, add, N, 64, 0, NULL, NULL);
    ck_assert_int_ne(clFinish(s.queue), CL_SUCCESS);
    ck_assert_int_eq(read_a(), CL_OUT_OF_RESOURCES);
    ck_assert_int_eq(read_a(), CL_OUT_OF_RESOURCES);
    cl_int err, v = 3;
    ck_assert_ptr_null(clEnqueueMapBuffer(s.queue, a, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &err));
    ck_assert_int_ne(err, CL_SUCCESS);
    OK(clEnqueueWriteBuffer(s.queue, a, CL_TRUE, 0, sizeof v, &v, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(s.queue, a, CL_TRUE, 0, sizeof v, out, 0, NULL, NULL)); /* what is written anew is there */
    ck_assert_int_eq(out[0], 3);
    ck_assert_int_eq(read_a(), CL_OUT_OF_RESOURCES);
    shim_launch(s.queue, fill, N, 64, 0, NULL, NULL); /* reads nothing, so it may */
    OK(read_a());
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(out[i], 10 + i);
    end();
}
END_TEST

/* Launches of the real DEVICE so far, as the stub logs them. */
static unsigned launches(const char *log, char device)
{
    char line[128], name[64], dev;
    unsigned n = 0;
    FILE *f = fopen(log, "r");
    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof line, f))
        n += sscanf(line, "%*d %*d %63s %c", name, &dev) == 2 && !strcmp(name, "clEnqueueNDRangeKernel") &&
             dev == device;
    fclose(f);
    return n;
}

/* The stub's log from now on: a new file, whose name is in LOG, of PATH_MAX. */
static void begin_log(char *log)
{
    int fd = yk_temp_name("yoke-failure", log, PATH_MAX) == YK_OK ? mkstemp(log) : -1;
    ck_assert_int_ge(fd, 0);
    close(fd);
    setenv("YOKE_STUB_LOG", log, 1);
}

START_TEST(a_device_without_memory_for_one_launch_takes_part_in_the_next)
{
    char log[PATH_MAX];
    begin_log(log);
    begin("gpu,gpu", "clEnqueueNDRangeKernel@1:1=error(-4)");
    write_all(one, 1);
    for (unsigned n = 1; n <= 3; n++) {
        shim_launch(s.queue, fill, N, 64, 0, NULL, NULL);
        shim_launch(s.queue, add, N, 64, 0, NULL, NULL);
        OK(read_a());
        for (int i = 0; i < N; i++)
            ck_assert_int_eq(out[i], 11 + i);
        ck_assert_uint_eq(launches(log, '1'), 2 * n);
    }
    unlink(log);
    end();
}
END_TEST

/* Flags that keep the program from touching a buffer's bytes do not keep yoke from moving them: each device takes part
 * in each launch. */
START_TEST(buffers_that_the_host_may_not_touch_are_shared)
{
    static const cl_mem_flags flags[] = {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY};
    char log[PATH_MAX];
    cl_int err;
    begin_log(log);
    begin("gpu,gpu", "");
    for (unsigned n = 0; n < 3; n++) {
        cl_mem kept = clCreateBuffer(s.context, flags[n] | CL_MEM_READ_WRITE, sizeof out, NULL, &err);
        OK(err);
        cl_mem part =
            clCreateSubBuffer(kept, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){0, sizeof out}, &err);
        OK(err);
        write_all(a, 100);
        for (int round = 0; round < 3; round++) { /* each device's part is somewhere else each time */
            size_t offset = round % 2 ? 0 : N / 2, half = N / 2, local = 64;
            shim_set(fill, 0, round ? part : kept);
            shim_launch(s.queue, fill, N, 64, 0, NULL, NULL);
            shim_set(fill, 0, kept);
            OK(clEnqueueNDRangeKernel(s.queue, fill, 1, &offset, &half, &local, 0, NULL, NULL));
        }
        shim_set(add, 0, kept);
        shim_launch(s.queue, add, N, 64, 0, NULL, NULL);
        OK(read_a());
        for (int i = 0; i < N; i++)
            ck_assert_int_eq(out[i], 110 + i);
        ck_assert_int_eq(clEnqueueReadBuffer(s.queue, kept, CL_TRUE, 0, 4, out, 0, NULL, NULL),
                         flags[n] == CL_MEM_HOST_READ_ONLY ? CL_SUCCESS : CL_INVALID_OPERATION);
        ck_assert_int_eq(clEnqueueWriteBuffer(s.queue, part, CL_TRUE, 0, 4, out, 0, NULL, NULL),
                         flags[n] == CL_MEM_HOST_WRITE_ONLY ? CL_SUCCESS : CL_INVALID_OPERATION);
        ck_assert_uint_eq(launches(log, '1'), 7 * (n + 1));
        OK(clReleaseMemObject(part));
        OK(clReleaseMemObject(kept));
    }
    shim_set(add, 0, one);
    unlink(log);
    end();
}
END_TEST

START_TEST(a_lost_device_is_done_without)
{
    begin("gpu,gpu", "clEnqueueNDRangeKernel@1:2=lost");
    write_all(one, 1);
    for (int n = 0; n < 4; n++) {
        shim_launch(s.queue, fill, N, 64, 0, NULL, NULL);
        shim_launch(s.queue, add, N, 64, 0, NULL, NULL);
        OK(read_a());
        for (int i = 0; i < N; i++)
            ck_assert_int_eq(out[i], 11 + i);
    }
    end();
}
END_TEST

YK_TEST_MAIN("failure", a_launch_that_fails_unseen_fails_the_next_blocking_call, finish_and_wait_for_events_tell_too,
             finish_says_what_a_finish_may, another_thread_that_is_told_settles_nothing,
             bytes_that_a_failed_launch_has_destroyed_cannot_be_read,
             a_device_without_memory_for_one_launch_takes_part_in_the_next,
             buffers_that_the_host_may_not_touch_are_shared, a_lost_device_is_done_without)
