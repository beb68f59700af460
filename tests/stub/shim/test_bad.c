/* Bad input: no loader, no device, wrong settings, hostile folders, a transformer gone wrong. The program's answer is
 * the same, or the error is the one that a machine without OpenCL gives; one clear line each. */
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>
#include "base/temp.h"
#include "tests/stub/shim/shim.h"
#include "tests/unit/main.h"

enum { N = 4096 };

static char root[120], said_path[128], said[65536];

static const char *in_root(const char *name)
{
    static char path[4][160];
    static unsigned i;
    i = (i + 1) % 4;
    snprintf(path[i], sizeof path[i], "%s/%s", root, name);
    return path[i];
}

static void make_root(void)
{
    ck_assert(yk_temp_name("yoke-bad", root, sizeof root) == YK_OK && mkdtemp(root));
    snprintf(said_path, sizeof said_path, "%s/said", root);
    setenv("XDG_CACHE_HOME", in_root("cache"), 1);
    setenv("YOKE_STUB_DEVICES", "cpu,gpu", 1);
    setenv("YOKE_FORCE_SPLIT", "1", 1);
    int fd = open(said_path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0600);
    ck_assert_int_ge(fd, 0);
    dup2(fd, 2);
    close(fd);
}

static void remove_root(void)
{
    char cmd[160];
    snprintf(cmd, sizeof cmd, "rm -rf '%s'", root);
    ck_assert_int_eq(system(cmd), 0);
}

/* What has been said on stderr so far; the number of lines of yoke's. */
static unsigned listen(void)
{
    FILE *f = fopen(said_path, "r");
    size_t n = fread(said, 1, sizeof said - 1, f);
    said[n] = 0;
    fclose(f);
    unsigned lines = 0;
    for (const char *p = said; (p = strstr(p, "yoke: ")); p++)
        lines += p == said || p[-1] == '\n';
    return lines;
}

/* Is there exactly one line, and does it say TEXT? */
static bool one_line(const char *text)
{
    return listen() == 1 && strstr(said, text);
}

/* A program's life: launches on the split path, in-place and not. How many of its N results are right. */
static int work_with(const char *head)
{
    struct shim s;
    char *text = malloc(strlen(head) + sizeof shim_source);
    strcat(strcpy(text, head), shim_source);
    cl_int out[N];
    shim_open(&s, 0);
    cl_program p = shim_program(&s, text);
    cl_int err;
    cl_kernel fill = clCreateKernel(p, "fill", &err), add = clCreateKernel(p, "add", &err);
    OK(err);
    cl_mem a = shim_buffer(&s, sizeof out), b = shim_buffer(&s, sizeof out);
    shim_set(fill, 0, a);
    shim_set_int(fill, 1, 10);
    shim_launch(s.queue, fill, N, 64, 0, NULL, NULL);
    shim_set(fill, 0, b);
    shim_launch(s.queue, fill, N, 64, 0, NULL, NULL);
    shim_set(add, 0, a);
    shim_set(add, 1, b);
    for (int i = 0; i < 3; i++)
        shim_launch(s.queue, add, N, 64, 0, NULL, NULL);
    OK(clEnqueueReadBuffer(s.queue, b, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    int right = 0;
    for (int i = 0; i < N; i++)
        right += out[i] == 4 * (10 + i);
    OK(clReleaseKernel(fill));
    OK(clReleaseKernel(add));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
    OK(clReleaseProgram(p));
    shim_close(&s);
    free(text);
    return right;
}

static int work(void)
{
    return work_with("");
}

/* On a machine without OpenCL: what programs begin with, and what some call without a look at an error. Does it all say
 * that there is none? */
static bool nothing_works(void)
{
    cl_platform_id p = NULL;
    cl_device_id d = NULL;
    cl_uint n = 7;
    cl_int err = CL_SUCCESS;
    bool none = clGetPlatformIDs(1, &p, &n) == CL_PLATFORM_NOT_FOUND_KHR && n == 0 && !p;
    none &= clGetPlatformIDs(0, NULL, &n) == CL_PLATFORM_NOT_FOUND_KHR;
    none &= clGetDeviceIDs(NULL, CL_DEVICE_TYPE_ALL, 1, &d, &n) != CL_SUCCESS;
    none &= !clCreateContext(NULL, 1, &d, NULL, NULL, &err) && err != CL_SUCCESS;
    err = CL_SUCCESS;
    none &= !clCreateContextFromType(NULL, CL_DEVICE_TYPE_ALL, NULL, NULL, &err) && err != CL_SUCCESS;
    none &= !clCreateBuffer(NULL, 0, 64, NULL, NULL);
    none &= clFinish(NULL) != CL_SUCCESS && clReleaseContext(NULL) != CL_SUCCESS;
    none &= !clSVMAlloc(NULL, 0, 64, 0);
    clSVMFree(NULL, NULL);
    for (int i = 0; i < 3; i++) /* its text lies in thread-local memory, which the leak check does not look at */
        dlerror();
    return none;
}

START_TEST(no_loader)
{
    make_root();
    setenv("YOKE_REAL_LIBOPENCL", in_root("none.so"), 1);
    ck_assert(nothing_works());
    ck_assert_msg(one_line("no OpenCL loader"), "%s", said);
    remove_root();
}
END_TEST

START_TEST(a_loader_that_is_no_library)
{
    make_root();
    FILE *f = fopen(in_root("bad.so"), "w");
    fputs("this is no library", f);
    fclose(f);
    setenv("YOKE_REAL_LIBOPENCL", in_root("bad.so"), 1);
    ck_assert(nothing_works());
    ck_assert_msg(one_line("no OpenCL loader"), "%s", said);
    remove_root();
}
END_TEST

START_TEST(no_platform)
{
    make_root();
    setenv("YOKE_STUB_DEVICES", "none", 1);
    shim_environment();
    ck_assert(nothing_works());
    ck_assert_msg(one_line("no OpenCL device"), "%s", said);
    remove_root();
}
END_TEST

START_TEST(all_devices_excluded)
{
    make_root();
    setenv("YOKE_DEVICES", "fpga", 1);
    shim_environment();
    ck_assert(nothing_works()); /* not: the program bare on what was excluded */
    ck_assert_msg(listen() == 2 && strstr(said, "fpga") && strstr(said, "no OpenCL device is left"), "%s", said);
    remove_root();
}
END_TEST

static const struct {
    const char *name, *value, *says;
} wrong[] = {{"YOKE_STRATEGY", "evne", "YOKE_STRATEGY=evne"},
             {"YOKE_STRATEGY", "single:fpga", "fpga"},
             {"YOKE_STRATEGY", "10:20:30", "YOKE_STRATEGY=10:20:30"},
             {"YOKE_STRATEGY", "-1:101", "YOKE_STRATEGY=-1:101"},
             {"YOKE_STRATEGY", "nan:50", "YOKE_STRATEGY=nan:50"},
             {"YOKE_NUMERICS", "loose", "YOKE_NUMERICS=loose"},
             {"YOKE_FORCE_SPLIT", "perhaps", "YOKE_FORCE_SPLIT=perhaps"},
             {"YOKE_SPLIT", "2", "YOKE_SPLIT=2"},
             {"YOKE_REPRODUCIBLE", "-", "YOKE_REPRODUCIBLE=-"},
             {"YOKE_SUMMARY", "x", "YOKE_SUMMARY=x"},
             {"YOKE_PRIMARY", "fpga", "fpga"},
             {"YOKE_PRIMARY", "99", "99"},
             {"YOKE_DEVICES", "cpu,fpga", "fpga"},
             {"YOKE_AS", "toaster", "YOKE_AS=toaster"},
             {"YOKE_PLATFORM", "pocl", "YOKE_PLATFORM=pocl"},
             {"YOKE_EVICT", "never", "YOKE_EVICT=never"},
             {"YOKE_BESIDE", "maybe", "YOKE_BESIDE=maybe"},
             {"YOKE_CPU_PARTS", "0", "YOKE_CPU_PARTS=0"},
             {"YOKE_CPU_PARTS", "many", "YOKE_CPU_PARTS=many"},
             {"YOKE_TRANSFORM", "/no/such/program", "/no/such/program"},
             {"YOKE_TRANSFORM", "/tmp", "/tmp"},
             {"YOKE_TRANSFORM_TIMEOUT", "soon", "YOKE_TRANSFORM_TIMEOUT=soon"},
             {"YOKE_FAULT", "clFinish@0=explode", "explode"},
             {"YOKE_LOG", "loudly", "YOKE_LOG=loudly"}};

START_TEST(a_wrong_setting_is_said_once_and_changes_no_answer)
{
    make_root();
    setenv(wrong[_i].name, wrong[_i].value, 1);
    ck_assert_int_eq(work(), N);
    ck_assert_int_eq(work(), N);
    ck_assert_msg(one_line(wrong[_i].says), "%s", said);
    remove_root();
}
END_TEST

static const struct {
    const char *as, *devices;
    cl_device_type found;
} told[] = {{"gpu", "cpu", CL_DEVICE_TYPE_GPU}, {"cpu", "gpu", CL_DEVICE_TYPE_CPU}, {"cpu", "cpu", CL_DEVICE_TYPE_CPU}};

START_TEST(the_device_is_found_as_what_it_is_said_to_be)
{
    cl_platform_id p;
    cl_device_id d;
    make_root();
    setenv("YOKE_AS", told[_i].as, 1);
    setenv("YOKE_STUB_DEVICES", told[_i].devices, 1);
    shim_environment();
    OK(clGetPlatformIDs(1, &p, NULL));
    OK(clGetDeviceIDs(p, told[_i].found, 1, &d, NULL));
    ck_assert_int_eq(clGetDeviceIDs(p, CL_DEVICE_TYPE_ACCELERATOR, 1, &d, NULL), CL_DEVICE_NOT_FOUND);
    ck_assert_int_eq(work(), N);
    ck_assert_msg(listen() == 0, "%s", said);
    remove_root();
}
END_TEST

/* For programs that know a driver by its names. The driver's version stays yoke's: caches are keyed by it. */
START_TEST(the_names_are_the_primarys_where_asked_for)
{
    cl_platform_id p;
    cl_device_id d;
    char name[256], vendor[256], device[256], version[256];
    make_root();
    if (_i)
        setenv("YOKE_PLATFORM", "primary", 1);
    shim_environment();
    OK(clGetPlatformIDs(1, &p, NULL));
    OK(clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 1, &d, NULL));
    OK(clGetPlatformInfo(p, CL_PLATFORM_NAME, sizeof name, name, NULL));
    OK(clGetPlatformInfo(p, CL_PLATFORM_VENDOR, sizeof vendor, vendor, NULL));
    OK(clGetDeviceInfo(d, CL_DEVICE_NAME, sizeof device, device, NULL));
    OK(clGetDeviceInfo(d, CL_DRIVER_VERSION, sizeof version, version, NULL));
    ck_assert_int_eq(!strcmp(name, "yoke"), !_i);
    ck_assert_int_eq(!strcmp(vendor, "yoke"), !_i);
    ck_assert_int_eq(!strncmp(device, "yoke ", 5), !_i);
    ck_assert_ptr_nonnull(strchr(version, '+'));
    ck_assert_int_eq(work(), N);
    ck_assert_msg(listen() == 0, "%s", said);
    remove_root();
}
END_TEST

START_TEST(a_summary_that_cannot_be_written)
{
    make_root();
    setenv("YOKE_JSON", "/no/such/folder/file.json", 1);
    ck_assert_int_eq(work(), N);
    remove_root();
    exit(0); /* and it is said at exit, without harm */
}
END_TEST

static const struct {
    const char *head, *says;
    unsigned lines;
} broken[] = {{"// @crash\n", "crashed", 1}, {"// @garbage\n", "no record", 1}, {"// @fail\n", "no such luck", 1},
              {"// @refuse\n", NULL, 0},     {"// @hang\n", "longer than", 1},  {"// @slow\n", NULL, 0}};

START_TEST(a_transformer_gone_wrong)
{
    make_root();
    setenv("YOKE_TRANSFORM_TIMEOUT", "1", 1);
    ck_assert_int_eq(work_with(broken[_i].head), N);
    ck_assert_int_eq(work_with(broken[_i].head), N);
    if (broken[_i].lines)
        ck_assert_msg(one_line(broken[_i].says), "%s", said);
    else
        ck_assert_msg(listen() == 0, "%s", said);
    remove_root();
}
END_TEST

static void cache_is_a_file(void)
{
    int fd = open(in_root("cache"), O_WRONLY | O_CREAT, 0600);
    close(fd);
}

static void cache_below_a_file(void)
{
    cache_is_a_file();
    setenv("XDG_CACHE_HOME", in_root("cache/deeper"), 1);
}

static void cache_is_a_link(void)
{
    mkdir(in_root("cache"), 0700);
    mkdir(in_root("elsewhere"), 0700);
    ck_assert_int_eq(symlink(in_root("elsewhere"), in_root("cache/yoke")), 0);
}

static void cache_for_everyone(void)
{
    mkdir(in_root("cache"), 0700);
    mkdir(in_root("cache/yoke"), 0777);
    chmod(in_root("cache/yoke"), 0777);
}

static void cache_nowhere(void)
{
    setenv("XDG_CACHE_HOME", "/proc/1/no/such", 1);
}

static void no_home(void)
{
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
}

static void cache_is_relative(void)
{
    setenv("XDG_CACHE_HOME", "cache", 1);
    unsetenv("HOME");
}

static void (*const hostile[])(void) = {cache_is_a_file,    cache_below_a_file, cache_is_a_link,
                                        cache_for_everyone, cache_nowhere,      no_home,
                                        cache_is_relative};

START_TEST(a_hostile_cache_folder)
{
    make_root();
    hostile[_i]();
    /* shim_environment leaves XDG_CACHE_HOME alone where it is set; these unset it on purpose. */
    setenv("YOKE_REAL_LIBOPENCL", YK_STUB_PATH, 1);
    setenv("YOKE_TRANSFORM", YK_STUB_TRANSFORM, 1);
    if (!getenv("XDG_CACHE_HOME"))
        setenv("XDG_CACHE_HOME", "", 1);
    ck_assert_int_eq(work(), N);
    ck_assert_int_eq(work(), N);
    ck_assert_msg(listen() == 1, "%s", said);
    remove_root();
}
END_TEST

/* Every file of the cache overwritten with rubbish, or cut. */
START_TEST(a_damaged_cache)
{
    make_root();
    ck_assert_int_eq(work(), N);
    char cmd[512];
    static const char *const how[] = {"head -c 100 /dev/urandom > \"$f\"", "truncate -s 20 \"$f\"", ": > \"$f\"",
                                      "sed -i s/write/read/ \"$f\"", "cat /dev/urandom | head -c 100000 >> \"$f\""};
    snprintf(cmd, sizeof cmd, "for f in $(find '%s' -type f); do %s; done; test -n \"$f\"", in_root("cache"), how[_i]);
    ck_assert_int_eq(system(cmd), 0);
    ck_assert_int_eq(work(), N);
    ck_assert_msg(listen() <= 1, "%s", said);
    remove_root();
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("bad");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, no_loader);
    tcase_add_test(c, a_loader_that_is_no_library);
    tcase_add_test(c, no_platform);
    tcase_add_test(c, all_devices_excluded);
    tcase_add_loop_test(c, a_wrong_setting_is_said_once_and_changes_no_answer, 0, sizeof wrong / sizeof *wrong);
    tcase_add_loop_test(c, the_device_is_found_as_what_it_is_said_to_be, 0, sizeof told / sizeof *told);
    tcase_add_loop_test(c, the_names_are_the_primarys_where_asked_for, 0, 2);
    tcase_add_test(c, a_summary_that_cannot_be_written);
    tcase_add_loop_test(c, a_transformer_gone_wrong, 0, sizeof broken / sizeof *broken);
    tcase_add_loop_test(c, a_hostile_cache_folder, 0, sizeof hostile / sizeof *hostile);
    tcase_add_loop_test(c, a_damaged_cache, 0, 5);
    return yk_test_run("bad", c);
}
