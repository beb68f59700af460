/* device/find.c, rank.c: selectors and ranking, on machines made by hand. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "device/machine.h"
#include "tests/unit/main.h"

static struct yk_machine machine(void)
{
    static const struct {
        const char *name, *platform;
        cl_device_type type;
    } d[] = {{"NVIDIA H200", "NVIDIA CUDA", CL_DEVICE_TYPE_GPU},
             {"NVIDIA H200", "NVIDIA CUDA", CL_DEVICE_TYPE_GPU},
             {"pthread-zen4-EPYC", "Portable Computing Language", CL_DEVICE_TYPE_CPU},
             {"Oclgrind Simulator", "Oclgrind", CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU},
             {"EPYC 9654", "Intel(R) OpenCL", CL_DEVICE_TYPE_CPU}};
    struct yk_machine m = {.n = 5};
    for (unsigned i = 0; i < m.n; i++) {
        struct yk_device *x = &m.device[i];
        x->index = i;
        x->usable = true;
        x->type = d[i].type;
        snprintf(x->name, sizeof x->name, "%s", d[i].name);
        snprintf(x->platform_name, sizeof x->platform_name, "%s", d[i].platform);
    }
    return m;
}

static void finds(const struct yk_machine *m, const char *text, unsigned want)
{
    unsigned index = 99;
    char msg[500] = "";
    ck_assert_msg(yk_machine_find(m, text, &index, msg, sizeof msg) == YK_OK, "%s: %s", text, msg);
    ck_assert_msg(index == want, "%s: %u", text, index);
}

static void refuses(const struct yk_machine *m, const char *text, yk_status status, const char *says)
{
    unsigned index = 99;
    char msg[500] = "";
    ck_assert_int_eq(yk_machine_find(m, text, &index, msg, sizeof msg), status);
    ck_assert_uint_eq(index, 99);
    ck_assert_msg(strstr(msg, says), "%s: %s", text, msg);
    for (size_t n = 0; n < 40; n++) { /* any buffer */
        char small[41];
        memset(small, '#', sizeof small);
        yk_machine_find(m, text, &index, small, n);
        ck_assert_int_eq(small[n], '#');
    }
}

START_TEST(selectors)
{
    struct yk_machine m = machine();
    finds(&m, "4", 4);
    finds(&m, "h200", 0); /* two of one name: the first */
    finds(&m, "cuda", 0);
    finds(&m, "Pthread", 2);
    finds(&m, "oclgrind", 3);
    finds(&m, "intel:epyc", 4);
    finds(&m, "portable:epyc", 2);
    finds(&m, "platform:intel", 4);
    refuses(&m, "epyc", YK_EINVAL, "several devices are 'epyc'; there are [2] pthread-zen4-EPYC (Portable");
    refuses(&m, "epyc", YK_EINVAL, ", [4] EPYC 9654 (Intel(R) OpenCL)");
    refuses(&m, "cpu", YK_EINVAL, "[3] Oclgrind");
    refuses(&m, "gpu", YK_EINVAL, "[0] NVIDIA H200");
    refuses(&m, "accelerator", YK_ENOTFOUND, "no device 'accelerator'; there are [0] NVIDIA H200 (NVIDIA CUDA), [1]");
    refuses(&m, "", YK_ENOTFOUND, "no device");
    refuses(&m, ":", YK_ENOTFOUND, "no device");
    refuses(&m, ":epyc", YK_ENOTFOUND, "no device");
    refuses(&m, "platform:", YK_ENOTFOUND, "no device");
    refuses(&m, "5", YK_ENOTFOUND, "no device '5'");
    refuses(&m, "4294967296", YK_ENOTFOUND, "no device");
    m.device[3].usable = false;
    finds(&m, "gpu", 0);
    finds(&m, "oclgrind", 3); /* left out, but the only one: the caller says why */
    m.device[2].usable = false;
    finds(&m, "epyc", 4);
}
END_TEST

START_TEST(gpus_before_cpus_before_debuggers)
{
    struct yk_machine m = machine();
    for (unsigned i = 0; i < m.n; i++) {
        m.device[i].compute_units = i < 2 ? 132 : 64;
        m.device[i].clock_mhz = i < 2 ? 1980 : 3700;
    }
    double gpu = yk_device_speed(&m.device[0], true), integrated = yk_device_speed(&m.device[0], false);
    double intel = yk_device_speed(&m.device[4], false), pocl = yk_device_speed(&m.device[2], false);
    double debugger = yk_device_speed(&m.device[3], false);
    ck_assert(gpu > integrated && integrated > intel && intel > pocl && pocl > debugger && debugger > 0);
    m.device[0].clock_mhz = 0; /* some drivers do not say */
    ck_assert(yk_device_speed(&m.device[0], true) > intel);
}
END_TEST

YK_TEST_MAIN("find", selectors, gpus_before_cpus_before_debuggers)
