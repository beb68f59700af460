/* Contexts of a driver that takes long to release them (shim/core/leaver.h), over a stub that has NVIDIA's name: when
 * that is done, and that a process which ends at once does without. */
#include <sys/wait.h>
#include "tests/stub/shim/shim.h"
#include "tests/stub/scratch.h"
#include "tests/unit/main.h"

static const char *log_file;

/* The lines of the log that name CALL; where the N-th of them is, or how many there are if N is 0. */
static unsigned lines(const char *call, unsigned n)
{
    char line[512];
    unsigned at = 0, found = 0;
    FILE *f = fopen(log_file, "r");
    while (f && fgets(line, sizeof line, f)) {
        at++;
        if (strstr(line, call) && ++found == n)
            break;
    }
    if (f)
        fclose(f);
    return n ? at : found;
}

static cl_context make(void)
{
    cl_platform_id p;
    cl_device_id d;
    cl_int err;
    if (clGetPlatformIDs(1, &p, NULL) != CL_SUCCESS || clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 1, &d, NULL) != CL_SUCCESS)
        _exit(3);
    cl_context c = clCreateContext(NULL, 1, &d, NULL, NULL, &err);
    if (!c)
        _exit(4);
    return c;
}

static int destroyed;

static void CL_CALLBACK on_destroy(cl_context c, void *data)
{
    (void)c;
    (void)data;
    destroyed++;
}

static void end_at_once(void)
{
    cl_context c = make();
    if (clSetContextDestructorCallback(c, on_destroy, NULL) != CL_SUCCESS || clReleaseContext(c) != CL_SUCCESS ||
        destroyed != 1)
        _exit(5); /* the program is told in the call */
}

static void go_on(void)
{
    clReleaseContext(make());
    for (int i = 0; i < 500 && !lines("clReleaseContext", 0); i++)
        usleep(10000);
}

static void make_another(void)
{
    clReleaseContext(make());
    clReleaseContext(make());
}

static void make_many(void)
{
    for (int i = 0; i < 50; i++)
        clReleaseContext(make());
}

static cl_context kept;

static void release_kept(void)
{
    clReleaseContext(kept);
}

static void release_at_exit(void)
{
    kept = make();
    atexit(release_kept);
}

/* How often a process that does WHAT and exits has released a real context. */
static unsigned released(void (*what)(void))
{
    static char name[4200]; /* not in the scratch folder, which a child's exit removes */
    int status = 1, fd = -1;
    if (!log_file && yk_temp_name("leaver-log", name, sizeof name) == YK_OK)
        fd = mkstemp(name);
    close(fd);
    log_file = name;
    unlink(name);
    setenv("YOKE_STUB_LOG", name, 1);
    pid_t pid = fork();
    if (!pid) {
        shim_environment();
        what();
        exit(0);
    }
    waitpid(pid, &status, 0);
    unsigned n = lines("clReleaseContext", 0);
    return status ? 1000 + (unsigned)status : n;
}

START_TEST(a_process_that_ends_does_without)
{
    scratch_cache("leaver");
    setenv("YOKE_STUB_DEVICES", "gpu:nvidia,gpu", 1);
    unsigned more = released(go_on) - 1; /* of trials at the discovery */
    ck_assert_uint_le(more, 8);
    ck_assert_uint_eq(released(end_at_once), more);
    ck_assert_uint_eq(released(release_at_exit), more);
    setenv("YOKE_STUB_DEVICES", "gpu", 1); /* others' are released in the call */
    ck_assert_uint_eq(released(end_at_once), more + 1);
    unlink(log_file);
}
END_TEST

START_TEST(the_next_context_finds_the_last_one_gone)
{
    scratch_cache("leaver");
    setenv("YOKE_STUB_DEVICES", "gpu:nvidia", 1);
    unsigned more = released(end_at_once);
    ck_assert_uint_eq(released(make_another), more + 1);
    ck_assert_uint_lt(lines("clReleaseContext", more + 1), lines("clCreateContext", more + 2));
    unsigned many = released(make_many);
    ck_assert_uint_eq(many, more + 49);
    unlink(log_file);
}
END_TEST

YK_TEST_MAIN("leaver", a_process_that_ends_does_without, the_next_context_finds_the_last_one_gone)
