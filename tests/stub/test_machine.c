/* The machine (device/) over the stub: what it finds out by trying, and what faults make of it. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/log.h"
#include "device/device.h"
#include "device/numeric.h"
#include "tests/stub/rig.h"
#include "tests/stub/scratch.h"
#include "tests/unit/main.h"

static const struct yk_machine *load(const char *devices, const char *stub_fault)
{
    scratch_cache("machine");
    rig_load(devices, stub_fault);
    yk_status status;
    const struct yk_machine *m = yk_machine_get(&status);
    ck_assert_msg(m != NULL, "%s", yk_status_text(status));
    return m;
}

START_TEST(host_memory_is_found_by_trying)
{
    const struct yk_machine *m = load("cpu,gpu|gpu:host,cpu:separate", NULL);
    ck_assert_uint_eq(m->n, 4);
    ck_assert(m->device[0].host_memory && !m->device[1].host_memory);
    ck_assert(m->device[2].host_memory && !m->device[3].host_memory);
    for (unsigned i = 0; i < m->n; i++)
        ck_assert_msg(m->device[i].usable, "%s", m->device[i].why_not);
    ck_assert_uint_eq(m->device[1].twin, 1);
}
END_TEST

START_TEST(numeric_classes_are_probed)
{
    const struct yk_machine *m = load("cpu,cpu,cpu:odd", NULL);
    ck_assert_int_eq(yk_numeric_probe(m), YK_OK);
    ck_assert_uint_eq(yk_numeric_class(&m->device[0]), yk_numeric_class(&m->device[1]));
    ck_assert_uint_ne(yk_numeric_class(&m->device[0]), yk_numeric_class(&m->device[2]));
}
END_TEST

START_TEST(trials_on_a_failing_device_end)
{
    yk_log_set_level(YK_LOG_ERROR);
    const struct yk_machine *m = load("cpu,cpu", "clCreateBuffer@1=error(-4); clBuildProgram@1=error(-11)");
    ck_assert_uint_eq(m->n, 2);
    ck_assert(!m->device[1].host_memory);
    yk_numeric_probe(m);
    ck_assert_uint_ne(yk_numeric_class(&m->device[0]), yk_numeric_class(&m->device[1]));
}
END_TEST

START_TEST(faults_are_put_on_the_device_that_is_named)
{
    setenv("YOKE_FAULT", "clCreateContext@1:1=error(-2)", 1);
    const struct yk_machine *m = load("cpu,gpu", NULL);
    cl_int rc[2];
    cl_context context[2];
    for (unsigned i = 0; i < 2; i++)
        context[i] = m->device[i].cl->CreateContext(NULL, 1, &m->device[i].id, NULL, NULL, &rc[i]);
    ck_assert_int_eq(rc[0], CL_SUCCESS);
    ck_assert_int_eq(rc[1], CL_DEVICE_NOT_AVAILABLE);
    ck_assert_ptr_null(context[1]);
    rig_ok(m->device[0].cl->ReleaseContext(context[0]));
}
END_TEST

START_TEST(no_platform_is_a_clear_error)
{
    yk_status status;
    rig_load("none", NULL);
    ck_assert_ptr_null(yk_machine_get(&status));
    ck_assert_int_eq(status, YK_ENOTFOUND);
}
END_TEST

YK_TEST_MAIN("machine over the stub", host_memory_is_found_by_trying, numeric_classes_are_probed,
             trials_on_a_failing_device_end, faults_are_put_on_the_device_that_is_named, no_platform_is_a_clear_error)
