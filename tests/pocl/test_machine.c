/* device/device.h on real drivers: what is found, how it is cut, chosen and left out. check runs each test in a process
 * of its own, so that each has its own drivers. */
#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "device/machine.h"
#include "tests/unit/main.h"

static void discover(const char *pocl, const struct yk_machine_settings *s, struct yk_machine *m)
{
    setenv("POCL_DEVICES", pocl, 1);
    setenv("OCL_ICD_VENDORS", "/etc/OpenCL/vendors/pocl.icd", 1); /* whatever else this machine has */
    ck_assert_ptr_nonnull(yk_cl_guarded());
    ck_assert_int_eq(yk_machine_discover(yk_cl_guarded(), s, m), YK_OK);
}

static const struct yk_machine_settings nothing;

START_TEST(every_device_is_described)
{
    struct yk_machine m;
    discover("basic pthread", &nothing, &m);
    ck_assert_uint_eq(m.n, 2);
    for (unsigned i = 0; i < 2; i++) {
        const struct yk_device *d = &m.device[i];
        ck_assert_uint_eq(d->index, i);
        ck_assert_uint_eq(d->twin, i);
        ck_assert(d->usable && !*d->why_not && d->cl && d->type == CL_DEVICE_TYPE_CPU);
        ck_assert_str_eq(d->platform_name, "Portable Computing Language");
        ck_assert(d->version >= 120 && d->address_bits == 64 && d->little_endian && d->fp64);
        ck_assert(d->compute_units >= 1 && d->global_mem > 1 << 20 && d->max_alloc > 1 << 20 && d->local_mem > 1024);
        ck_assert(d->max_group >= 256 && d->max_item[0] >= 256 && d->max_item[2] >= 1 && *d->driver && *d->vendor);
        ck_assert(d->host_memory && d->host_align <= 4096);
        ck_assert(d->numeric_class == i && d->speed > 0);
    }
    ck_assert(strstr(m.device[0].name, "basic") && strstr(m.device[1].name, "pthread"));
    ck_assert(m.id.lo || m.id.hi);
}
END_TEST

START_TEST(the_same_machine_has_the_same_identity)
{
    struct yk_machine a, b, c;
    struct yk_machine_settings s = {.primary = "1"};
    discover("basic basic", &nothing, &a);
    discover("basic basic", &nothing, &b);
    discover("basic basic", &s, &c);
    ck_assert(a.id.lo == b.id.lo && a.id.hi == b.id.hi);
    ck_assert(a.id.lo != c.id.lo);
    ck_assert(a.primary == 0 && c.primary == 1);
}
END_TEST

START_TEST(a_cpu_is_cut_into_parts)
{
    struct yk_machine m;
    struct yk_machine_settings s = {.cpu_parts = "2"};
    discover("pthread", &nothing, &m);
    unsigned units = m.device[0].compute_units;
    if (units < 2)
        return; /* one core cannot be cut: a_device_that_cannot_be_cut_stays_whole covers that */
    discover("pthread", &s, &m);
    ck_assert_uint_eq(m.n, 2);
    ck_assert_uint_eq(m.device[0].compute_units + m.device[1].compute_units, units);
    ck_assert(m.device[0].compute_units - m.device[1].compute_units <= 1);
    ck_assert(m.device[0].twin == 0 && m.device[1].twin == 1 && m.device[0].id != m.device[1].id);
    ck_assert(m.device[0].host_memory && m.device[1].host_memory);
}
END_TEST

START_TEST(a_device_that_cannot_be_cut_stays_whole)
{
    struct yk_machine m;
    yk_log_set_level(YK_LOG_ERROR);
    const char *parts[] = {"2", "numa", "31", "1", "0", "-1", "two", "2x", "99999999999999999999"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct yk_machine_settings s = {.cpu_parts = parts[i]};
        discover("basic", &s, &m);
        ck_assert_uint_eq(m.n, 1);
        ck_assert(m.device[0].usable);
    }
}
END_TEST

START_TEST(a_list_restricts_the_machine)
{
    struct yk_machine m;
    struct yk_machine_settings s = {.devices = "1, nonsense,7"};
    yk_log_set_level(YK_LOG_ERROR); /* the errors are expected */
    discover("basic pthread", &s, &m);
    ck_assert_uint_eq(m.n, 2);
    ck_assert(!m.device[0].usable && m.device[1].usable && m.primary == 1);
    ck_assert_str_eq(m.device[0].why_not, "not named by YOKE_DEVICES");
    ck_assert(!m.device[0].host_memory);
    s.devices = "cpu";
    discover("basic pthread", &s, &m);
    ck_assert(m.device[0].usable && m.device[1].usable);
    s.devices = "basic,PORTABLE:pthread";
    discover("basic pthread", &s, &m);
    ck_assert(m.device[0].usable && m.device[1].usable);
    s.devices = "gpu";
    ck_assert_int_eq(yk_machine_discover(yk_cl_guarded(), &s, &m), YK_ENOTFOUND);
    s.devices = ",,";
    ck_assert_int_eq(yk_machine_discover(yk_cl_guarded(), &s, &m), YK_ENOTFOUND);
}
END_TEST

START_TEST(the_primary_is_the_fastest_or_the_named)
{
    struct yk_machine m;
    struct yk_machine_settings s = {.primary = "basic"};
    yk_log_set_level(YK_LOG_ERROR);
    discover("basic pthread", &nothing, &m);
    ck_assert_uint_eq(m.primary, m.device[1].compute_units > 1 ? 1 : 0);
    discover("basic pthread", &s, &m);
    ck_assert_uint_eq(m.primary, 0);
    s = (struct yk_machine_settings){.primary = "0", .devices = "1"}; /* left out: a message, and the fastest */
    discover("basic pthread", &s, &m);
    ck_assert_uint_eq(m.primary, 1);
    s = (struct yk_machine_settings){.primary = "nonsense"};
    discover("basic pthread", &s, &m);
    ck_assert(m.device[m.primary].usable);
}
END_TEST

START_TEST(faults_reach_the_tables_but_not_the_trials)
{
    struct yk_machine m;
    struct yk_machine_settings s = {.fault = "clCreateContext@1:1=error(CL_OUT_OF_RESOURCES)"};
    cl_int err = 0;
    discover("basic basic", &s, &m);
    const struct yk_device *d = &m.device[1];
    ck_assert(m.device[0].cl != d->cl);
    ck_assert(m.device[0].host_memory && d->host_memory);
    ck_assert_ptr_null(d->cl->CreateContext(NULL, 1, &d->id, NULL, NULL, &err));
    ck_assert_int_eq(err, CL_OUT_OF_RESOURCES);
    yk_log_set_level(YK_LOG_ERROR);
    s.fault = "nonsense"; /* a message, and no faults */
    discover("basic basic", &s, &m);
    ck_assert(m.device[0].usable && m.device[1].usable);
}
END_TEST

static void *get(void *status)
{
    return (void *)(uintptr_t)yk_machine_get(status);
}

START_TEST(the_machine_of_the_process_is_made_once)
{
    pthread_t t[4];
    yk_status s[4];
    void *m[4];
    setenv("POCL_DEVICES", "basic basic", 1);
    setenv("OCL_ICD_VENDORS", "/etc/OpenCL/vendors/pocl.icd", 1);
    setenv("YOKE_PRIMARY", "1", 1);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&t[i], NULL, get, &s[i]), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], &m[i]);
    for (int i = 0; i < 4; i++)
        ck_assert(m[i] && m[i] == m[0] && s[i] == YK_OK);
    ck_assert_uint_eq(yk_machine_get(NULL)->primary, 1);
}
END_TEST

START_TEST(no_driver_is_an_error)
{
    yk_status s;
    yk_log_set_level(YK_LOG_ERROR);
    setenv("OCL_ICD_VENDORS", "/nonexistent/", 1);
    ck_assert_ptr_null(yk_machine_get(&s));
    ck_assert_int_eq(s, YK_ENOTFOUND);
}
END_TEST

YK_TEST_MAIN("machine", every_device_is_described, the_same_machine_has_the_same_identity, a_cpu_is_cut_into_parts,
             a_device_that_cannot_be_cut_stays_whole, a_list_restricts_the_machine,
             the_primary_is_the_fastest_or_the_named, faults_reach_the_tables_but_not_the_trials,
             the_machine_of_the_process_is_made_once, no_driver_is_an_error)
