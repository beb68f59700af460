/* Devices asleep (device/asleep.h) over the stub: a GPU's platform and a CPU's. Each child is a process of its own with
 * the same caches; what the stub's log says is what the driver was asked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "device/device.h"
#include "device/numeric.h"
#include "tests/stub/rig.h"
#include "tests/stub/scratch.h"
#include "tests/unit/main.h"

static const char *devices = "gpu|cpu:host", *log_file;
static enum yk_sleep lets_sleep;

static const struct yk_machine *machine(void)
{
    yk_status status;
    rig_load(devices, NULL);
    yk_machine_let_sleep(lets_sleep);
    const struct yk_machine *m = yk_machine_get(&status);
    if (!m)
        _exit(100);
    return m;
}

/* How often the log names CALL. */
static unsigned calls(const char *call)
{
    char line[512];
    unsigned n = 0;
    FILE *f = fopen(log_file, "r");
    while (f && fgets(line, sizeof line, f))
        n += strstr(line, call) != NULL;
    if (f)
        fclose(f);
    return n;
}

/* WHAT in a process of its own; its status. */
static int child(int (*what)(void))
{
    int status;
    static char name[PATH_MAX + 8];
    snprintf(name, sizeof name, "%s/log", scratch_folder);
    log_file = name;
    unlink(name);
    setenv("YOKE_STUB_LOG", name, 1);
    pid_t pid = fork();
    if (pid == 0)
        _exit(what());
    waitpid(pid, &status, 0);
    unlink(name);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

enum { AWAKE = 10, ASLEEP, WITHOUT, ELSE };

static int look(void)
{
    const struct yk_machine *m = machine();
    if (m->unasked)
        return m->n == 1 && calls("clGetDeviceIDs") == 2 ? WITHOUT : ELSE;
    if (m->n != 2 || m->primary != 0 || m->device[0].asleep || !m->device[1].usable || !m->device[1].host_memory ||
        m->device[1].in_host != m->device[1].host_memory || m->device[1].host_align > 64)
        return ELSE;
    return m->device[1].asleep ? ASLEEP : AWAKE;
}

/* What is asked of a device at the start wakes nobody. */
static int ask_asleep(void)
{
    const struct yk_machine *m = machine();
    const struct yk_device *d = &m->device[1];
    char text[4096];
    size_t n = 0, again = 0;
    cl_uint align = 0;
    bool good = d->asleep && d->cl->GetDeviceInfo(d->id, CL_DEVICE_EXTENSIONS, sizeof text, text, &n) == CL_SUCCESS &&
                d->cl->GetDeviceInfo(d->id, CL_DEVICE_EXTENSIONS, 0, NULL, &again) == CL_SUCCESS && n == again &&
                d->cl->GetDeviceInfo(d->id, CL_DEVICE_NAME, 1, text, NULL) == CL_INVALID_VALUE &&
                d->cl->GetDeviceInfo(d->id, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof align, &align, NULL) == CL_SUCCESS &&
                align == d->mem_align_bits;
    (void)yk_numeric_key(d);
    return good && calls("clGetDeviceIDs") == 2 ? ASLEEP : ELSE; /* of the GPU's platform: how many, which */
}

static int use(void)
{
    const struct yk_machine *m = machine();
    const struct yk_device *d = &m->device[1];
    const char *text = rig_source;
    cl_int err = CL_SUCCESS;
    cl_uint out[64] = {0};
    const size_t global = 64;
    bool was = d->asleep;
    cl_context c = d->cl->CreateContext(NULL, 1, &d->id, NULL, NULL, &err);
    if (!c)
        return err == CL_DEVICE_NOT_AVAILABLE && was ? ASLEEP : ELSE;
    cl_command_queue q = d->cl->CreateCommandQueue(c, d->id, 0, &err);
    cl_program p = d->cl->CreateProgramWithSource(c, 1, &text, NULL, &err);
    if (!q || !p || d->cl->BuildProgram(p, 1, &d->id, "", NULL, NULL) != CL_SUCCESS)
        return ELSE;
    cl_build_status built = CL_BUILD_NONE;
    cl_kernel k = d->cl->CreateKernel(p, "iota", &err);
    cl_mem b = d->cl->CreateBuffer(c, CL_MEM_READ_WRITE, sizeof out, NULL, &err);
    size_t group = 0;
    if (d->cl->GetProgramBuildInfo(p, d->id, CL_PROGRAM_BUILD_STATUS, sizeof built, &built, NULL) != CL_SUCCESS ||
        built != CL_BUILD_SUCCESS || d->cl->SetKernelArg(k, 0, sizeof b, &b) != CL_SUCCESS ||
        d->cl->GetKernelWorkGroupInfo(k, d->id, CL_KERNEL_WORK_GROUP_SIZE, sizeof group, &group, NULL) != CL_SUCCESS ||
        d->cl->EnqueueNDRangeKernel(q, k, 1, NULL, &global, NULL, 0, NULL, NULL) != CL_SUCCESS ||
        d->cl->EnqueueReadBuffer(q, b, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL) != CL_SUCCESS)
        return ELSE;
    for (cl_uint i = 0; i < 64; i++)
        if (out[i] != i)
            return ELSE;
    d->cl->ReleaseMemObject(b);
    d->cl->ReleaseKernel(k);
    d->cl->ReleaseProgram(p);
    d->cl->ReleaseCommandQueue(q);
    d->cl->ReleaseContext(c);
    return was ? AWAKE : AWAKE + 100;
}

/* The variable that PoCL would have set by now is there: later it adds none. */
static int ask_environment(void)
{
    if (getenv("HWLOC_PLUGINS_PATH"))
        return ELSE;
    const struct yk_machine *m = machine();
    const char *set = getenv("HWLOC_PLUGINS_PATH");
    return m->device[1].asleep && set && !strcmp(set, "/dev/null") ? ASLEEP : ELSE;
}

START_TEST(the_environment_is_as_pocl_would_have_left_it)
{
    scratch_cache("asleep");
    lets_sleep = YK_SLEEP_KEPT;
    devices = "gpu|cpu:host:pocl";
    ck_assert_int_eq(child(look), AWAKE);
    ck_assert_int_eq(child(ask_environment), ASLEEP);
    setenv("HWLOC_PLUGINS_PATH", "/dev/null", 1); /* left by the process before: the same driver and machine */
    ck_assert_int_eq(child(look), ASLEEP);
    setenv("HWLOC_PLUGINS_PATH", "/", 1); /* the program's own */
    ck_assert_int_eq(child(look), AWAKE);
    unsetenv("HWLOC_PLUGINS_PATH");
    devices = "gpu|cpu:host";
}
END_TEST

START_TEST(a_cpu_beside_a_gpu_sleeps_until_it_is_used)
{
    scratch_cache("asleep");
    lets_sleep = YK_SLEEP_KEPT;
    ck_assert_int_eq(child(look), AWAKE); /* nothing is kept */
    ck_assert_int_eq(child(look), ASLEEP);
    ck_assert_int_eq(child(ask_asleep), ASLEEP);
    ck_assert_int_eq(child(use), AWAKE);
    lets_sleep = YK_SLEEP_NONE; /* who prints the machine wants it as it is */
    ck_assert_int_eq(child(look), AWAKE);
    lets_sleep = YK_SLEEP_KEPT;
    setenv("YOKE_CPU_PARTS", "2", 1);
    ck_assert_int_eq(child(look), AWAKE);
    unsetenv("YOKE_CPU_PARTS");
    setenv("POCL_SOMETHING", "1", 1); /* a setting of a driver */
    ck_assert_int_eq(child(look), AWAKE);
    unsetenv("POCL_SOMETHING");
    ck_assert_int_eq(child(look), ASLEEP);
}
END_TEST

static int sleepers(void)
{
    const struct yk_machine *m = machine();
    int n = 0;
    for (unsigned i = 0; i < m->n; i++)
        n += m->device[i].asleep;
    return n;
}

static int with_gpu_only(void)
{
    const struct yk_machine *m = machine();
    bool good = m->n == 2 && !m->primary && m->device[0].usable && !m->device[1].usable && m->device[1].why_not[0];
    return !good ? ELSE : m->device[1].asleep ? ASLEEP : AWAKE;
}

/* Named or not, a CPU that no launch is worth costs nothing; and one that is left out is kept for whoever wants it. */
START_TEST(named_devices_sleep_too)
{
    scratch_cache("asleep");
    devices = "gpu|cpu:host:pocl";
    lets_sleep = YK_SLEEP_UNASKED;
    setenv("YOKE_DEVICES", "gpu", 1);
    ck_assert_int_eq(child(with_gpu_only), AWAKE); /* but is not missing: it might have been named */
    ck_assert_int_eq(child(with_gpu_only), ASLEEP);
    setenv("YOKE_DEVICES", "1,0", 1);
    ck_assert_int_eq(child(look), AWAKE); /* who left it out did not try its memory */
    ck_assert_int_eq(child(look), ASLEEP);
    ck_assert_int_eq(child(use), AWAKE);
    setenv("YOKE_DEVICES", "cpu", 1);
    ck_assert_int_eq(child(sleepers), 0);
    unsetenv("YOKE_DEVICES");
    ck_assert_int_eq(child(look), ASLEEP);
    setenv("YOKE_PRIMARY", "0", 1);
    ck_assert_int_eq(child(look), ASLEEP);
    setenv("YOKE_PRIMARY", "cpu", 1);
    ck_assert_int_eq(child(sleepers), 0);
    unsetenv("YOKE_PRIMARY");
    devices = "gpu|cpu:host";
}
END_TEST

START_TEST(one_that_has_changed_is_not_had)
{
    scratch_cache("asleep");
    lets_sleep = YK_SLEEP_KEPT;
    ck_assert_int_eq(child(look), AWAKE);
    const char *changed[] = {"gpu|cpu:separate", "gpu|cpu:host:odd", "gpu|cpu:host,cpu:host", "gpu|gpu:host"};
    for (unsigned i = 0; i < sizeof changed / sizeof *changed; i++) {
        devices = changed[i];
        ck_assert_int_eq(child(use), ASLEEP);
        devices = "gpu|cpu:host"; /* what was kept has gone: asked anew */
        ck_assert_int_eq(child(look), AWAKE);
        ck_assert_int_eq(child(look), ASLEEP);
    }
}
END_TEST

START_TEST(nobody_sleeps_where_it_does_not_pay)
{
    const char *never[] = {"cpu:host|cpu:host", "gpu,cpu:host", "cpu:host", "gpu|gpu"};
    scratch_cache("asleep");
    lets_sleep = YK_SLEEP_KEPT;
    for (unsigned i = 0; i < sizeof never / sizeof *never; i++) {
        devices = never[i];
        ck_assert_int_eq(child(sleepers), 0);
        ck_assert_int_eq(child(sleepers), 0);
    }
    devices = "gpu|cpu:host,cpu:host|cpu:host"; /* of one platform only */
    ck_assert_int_eq(child(sleepers), 0);
    ck_assert_int_eq(child(sleepers), 2);
    devices = "cpu:host|cpu:host"; /* kept, and the GPU is gone */
    ck_assert_int_eq(child(sleepers), 0);
}
END_TEST

static int all_there(void)
{
    const struct yk_machine *m = machine();
    return m->unasked ? WITHOUT : (int)m->n;
}

START_TEST(the_first_process_does_without_once)
{
    scratch_cache("asleep");
    devices = "gpu|cpu:host:pocl";
    lets_sleep = YK_SLEEP_UNASKED;
    ck_assert_int_eq(child(look), WITHOUT);
    ck_assert_int_eq(child(look), AWAKE); /* nobody has asked meanwhile */
    ck_assert_int_eq(child(look), ASLEEP);
    setenv("POCL_SOMETHING", "1", 1);
    ck_assert_int_eq(child(look), WITHOUT);
    lets_sleep = YK_SLEEP_KEPT; /* yoke-warm */
    ck_assert_int_eq(child(look), AWAKE);
    lets_sleep = YK_SLEEP_UNASKED;
    ck_assert_int_eq(child(look), ASLEEP);
}
END_TEST

START_TEST(who_has_no_other_device_is_not_without)
{
    const char *asked[] = {"cpu:host:pocl", "cpu:host:pocl,gpu", "cpu:host|cpu:host:pocl", "gpu|cpu:host"};
    const int n[] = {1, 2, 2, 2};
    scratch_cache("asleep");
    lets_sleep = YK_SLEEP_UNASKED;
    for (unsigned i = 0; i < sizeof asked / sizeof *asked; i++) {
        devices = asked[i];
        ck_assert_int_eq(child(all_there), n[i]);
    }
}
END_TEST

START_TEST(several_platforms_may_be_missing)
{
    scratch_cache("asleep");
    devices = "cpu:host:pocl|gpu|cpu:host:pocl";
    lets_sleep = YK_SLEEP_UNASKED;
    ck_assert_int_eq(child(look), WITHOUT);
    ck_assert_int_eq(child(all_there), 3);
}
END_TEST

START_TEST(what_cannot_be_kept_is_asked_at_once)
{
    scratch_cache("asleep_locked");
    devices = "gpu|cpu:host:pocl";
    lets_sleep = YK_SLEEP_UNASKED;
    char command[512];
    snprintf(command, sizeof command, "mkdir -p \"$XDG_CACHE_HOME\"/yoke && touch \"$XDG_CACHE_HOME\"/yoke/asleep");
    ck_assert_int_eq(system(command), 0);
    ck_assert_int_eq(child(look), AWAKE);
    ck_assert_int_eq(child(look), AWAKE);
}
END_TEST

START_TEST(what_is_kept_is_not_believed_when_it_is_damaged)
{
    char command[512], name[PATH_MAX];
    scratch_cache("asleep");
    lets_sleep = YK_SLEEP_KEPT;
    ck_assert_int_eq(child(look), AWAKE);
    snprintf(command, sizeof command, "ls -d \"$XDG_CACHE_HOME\"/yoke/asleep/*");
    FILE *f = popen(command, "r");
    ck_assert(f && fgets(name, sizeof name, f));
    pclose(f);
    name[strcspn(name, "\n")] = 0;
    static unsigned char good[1 << 16];
    f = fopen(name, "r");
    size_t n = fread(good, 1, sizeof good, f);
    fclose(f);
    srand(1);
    for (unsigned i = 0; i < 40; i++) {
        size_t length = i % 4 ? n : (size_t)rand() % n;
        f = fopen(name, "w");
        for (size_t k = 0; k < length; k++)
            fputc(good[k], f);
        if (length == n) {
            fseek(f, (long)((size_t)rand() % n), SEEK_SET);
            fputc(rand() & 0xff, f);
        }
        fclose(f);
        int is = child(look);
        ck_assert(is == AWAKE || is == ASLEEP); /* a byte may be the same one */
        ck_assert_int_eq(child(look), ASLEEP);
    }
}
END_TEST

YK_TEST_MAIN("asleep", the_environment_is_as_pocl_would_have_left_it, a_cpu_beside_a_gpu_sleeps_until_it_is_used,
             named_devices_sleep_too, one_that_has_changed_is_not_had, nobody_sleeps_where_it_does_not_pay,
             the_first_process_does_without_once, who_has_no_other_device_is_not_without,
             several_platforms_may_be_missing, what_cannot_be_kept_is_asked_at_once,
             what_is_kept_is_not_believed_when_it_is_damaged)
