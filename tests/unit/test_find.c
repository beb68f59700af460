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

/* The device that TEXT means; 99 if there is none. */
static unsigned found(const struct yk_machine *m, const char *text)
{
    unsigned index = 99;
    char msg[500] = "";
    return yk_machine_find(m, text, &index, msg, sizeof msg) == YK_OK ? index : 99;
}

/* Is TEXT refused with STATUS and a message that SAYS so, whatever the message's buffer? */
static bool refuses(const struct yk_machine *m, const char *text, yk_status status, const char *says)
{
    unsigned index = 99;
    char msg[500] = "";
    bool yes = yk_machine_find(m, text, &index, msg, sizeof msg) == status && index == 99 && strstr(msg, says);
    for (size_t n = 0; n < 40; n++) { /* any buffer */
        char small[41];
        memset(small, '#', sizeof small);
        yes &= yk_machine_find(m, text, &index, small, n) == status && small[n] == '#';
    }
    if (!yes)
        fprintf(stderr, "'%s' says: %s\n", text, msg);
    return yes;
}

START_TEST(selectors)
{
    struct yk_machine m = machine();
    ck_assert_uint_eq(found(&m, "4"), 4);
    ck_assert_uint_eq(found(&m, "h200"), 0); /* two of one name: the first */
    ck_assert_uint_eq(found(&m, "cuda"), 0);
    ck_assert_uint_eq(found(&m, "Pthread"), 2);
    ck_assert_uint_eq(found(&m, "oclgrind"), 3);
    ck_assert_uint_eq(found(&m, "intel:epyc"), 4);
    ck_assert_uint_eq(found(&m, "portable:epyc"), 2);
    ck_assert_uint_eq(found(&m, "platform:intel"), 4);
    ck_assert(refuses(&m, "epyc", YK_EINVAL, "several devices are 'epyc'; there are [2] pthread-zen4-EPYC (Portable"));
    ck_assert(refuses(&m, "epyc", YK_EINVAL, ", [4] EPYC 9654 (Intel(R) OpenCL)"));
    ck_assert(refuses(&m, "cpu", YK_EINVAL, "[3] Oclgrind"));
    ck_assert(refuses(&m, "gpu", YK_EINVAL, "[0] NVIDIA H200"));
    ck_assert(refuses(&m, "accelerator", YK_ENOTFOUND,
                      "no device 'accelerator'; there are [0] NVIDIA H200 (NVIDIA CUDA), [1]"));
    ck_assert(refuses(&m, "", YK_ENOTFOUND, "no device"));
    ck_assert(refuses(&m, ":", YK_ENOTFOUND, "no device"));
    ck_assert(refuses(&m, ":epyc", YK_ENOTFOUND, "no device"));
    ck_assert(refuses(&m, "platform:", YK_ENOTFOUND, "no device"));
    ck_assert(refuses(&m, "5", YK_ENOTFOUND, "no device '5'"));
    ck_assert(refuses(&m, "4294967296", YK_ENOTFOUND, "no device"));
    m.device[3].usable = false;
    ck_assert_uint_eq(found(&m, "gpu"), 0);
    ck_assert_uint_eq(found(&m, "oclgrind"), 3); /* left out, but the only one: the caller says why */
    m.device[2].usable = false;
    ck_assert_uint_eq(found(&m, "epyc"), 4);
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
