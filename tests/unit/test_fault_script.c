/* device/fault: the script language and its counters. */
#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "device/fault/script.h"
#include "tests/unit/main.h"

static struct yk_fault_script s;
static char err[256];

static void good(const char *text)
{
    ck_assert_msg(yk_fault_parse(text, &s, err, sizeof err) == YK_OK, "%s: %s", text, err);
}

/* What is said about a TEXT that is refused; NULL where it is taken. */
static const char *mistake(const char *text)
{
    err[0] = 0;
    return yk_fault_parse(text, &s, err, sizeof err) == YK_EFORMAT ? err : NULL;
}

START_TEST(every_form_is_read)
{
    good(" clEnqueueNDRangeKernel@1:3=error(-5); clEnqueueWriteBuffer@*:2+=error(CL_MEM_OBJECT_ALLOCATION_FAILURE);"
         "clFinish@0:1=hang;clEnqueueNDRangeKernel@1:1=event(-14,ran); @1:lost; @2:7=lost; slow@1=4; link@1=1G,20us;;");
    ck_assert_uint_eq(s.n, 6);
    ck_assert_int_eq(s.rule[0].entry, YK_FAULT_ENTRY_EnqueueNDRangeKernel);
    ck_assert_uint_eq(s.rule[0].first, 3);
    ck_assert(!s.rule[0].onwards && s.rule[1].onwards);
    ck_assert_int_eq(s.rule[0].code, -5);
    ck_assert_int_eq(s.rule[1].code, -4);
    ck_assert_uint_eq(s.rule[1].device, UINT_MAX);
    ck_assert_int_eq(s.rule[2].kind, YK_FAULT_HANG);
    ck_assert_int_eq(s.rule[3].kind, YK_FAULT_EVENT_RAN);
    ck_assert_int_eq(s.rule[4].kind, YK_FAULT_LOST);
    ck_assert_int_eq(s.rule[4].entry, -1);
    ck_assert_uint_eq(s.rule[5].first, 7);
    ck_assert_double_eq(s.model[1].slow, 4);
    ck_assert_double_eq(s.model[0].slow, 1);
    ck_assert_double_eq_tol(s.model[1].bytes_per_ns, 1.073741824, 1e-12);
    ck_assert_uint_eq(s.model[1].link_wait_ns, 20000);
    ck_assert(yk_fault_touches(&s, 2) && yk_fault_touches(&s, 9));
    ck_assert(yk_fault_follows_events(&s, 1) && !yk_fault_follows_events(&s, 2));
    good("slow@3=2");
    ck_assert(yk_fault_touches(&s, 3) && !yk_fault_touches(&s, 2));
    good("");
    good(NULL);
    ck_assert(!yk_fault_touches(&s, 0));
}
END_TEST

START_TEST(mistakes_are_named)
{
    static const char *const mistakes[][2] = {
        {"clNoSuch@1=hang", "no such OpenCL entry"},
        {"clFinish", "device is wanted"},
        {"clFinish@32=hang", "device is wanted"},
        {"clFinish@1", "action is wanted"},
        {"clFinish@1:0=hang", "count"},
        {"clFinish@1:1=error(5)", "negative"},
        {"clFinish@1:1=error(-0)", "negative"},
        {"clFinish@1:1=error(CL_NONSENSE)", "negative"},
        {"clFinish@1:1=error(-5", "negative"},
        {"clFinish@1:1=event(-5,runs)", "lacks its )"},
        {"clFinish@1:1=explode", "no such action"},
        {"clFinish@1:1=hang!", "nothing may follow"},
        {"slow@1=0.5", "factor"},
        {"slow@1", "wanted"},
        {"link@1=0", "bytes per second"},
        {"link@1=1", "1000000 at least"},
        {"link@1=999999", "1000000 at least"},
        {"link@1=1G,20", "latency"},
        {"link@1=1G,1.1s", "one second at most"},
        {"slow@1=1001", "from 1 to 1000"},
        {"clFinish@99999999999999999999=hang", "device is wanted"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        const char *says = mistake(mistakes[i][0]);
        ck_assert_msg(says && strstr(says, mistakes[i][1]), "%s: %s", mistakes[i][0], says ? says : "was taken");
    }
    good("slow@1=1000; link@1=1000000,1s"); /* what makes sense goes to these bounds */
    char text[400];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    ck_assert_ptr_nonnull(mistake(text));
    ck_assert_ptr_nonnull(strstr(err, "too long"));
}
END_TEST

START_TEST(too_many_items_are_refused)
{
    char text[YK_FAULT_RULES * 16 + 64] = "";
    for (int i = 0; i <= YK_FAULT_RULES; i++)
        strcat(text, "@1:1=hang;");
    ck_assert_int_eq(yk_fault_parse(text, &s, err, sizeof err), YK_ELIMIT);
}
END_TEST

static struct yk_fault_state st;

static struct yk_fault_verdict next(enum yk_fault_entry entry)
{
    return yk_fault_next(&st, entry);
}

START_TEST(counts_are_per_device_and_entry)
{
    good("clFinish@1:2=error(-5);clFlush@*:2+=event(-14)");
    yk_fault_start(&st, &s, 1);
    ck_assert_int_eq(next(YK_FAULT_ENTRY_Finish).kind, YK_FAULT_NONE);
    ck_assert_int_eq(next(YK_FAULT_ENTRY_Flush).kind, YK_FAULT_NONE);
    ck_assert_int_eq(next(YK_FAULT_ENTRY_Finish).code, -5);
    ck_assert_int_eq(next(YK_FAULT_ENTRY_Finish).kind, YK_FAULT_NONE);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(next(YK_FAULT_ENTRY_Flush).code, -14);
    yk_fault_start(&st, &s, 0);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(next(YK_FAULT_ENTRY_Finish).kind, YK_FAULT_NONE);
}
END_TEST

START_TEST(a_lost_device_stays_lost)
{
    good("@0:3=lost");
    yk_fault_start(&st, &s, 0);
    ck_assert_int_eq(next(YK_FAULT_ENTRY_CreateBuffer).kind, YK_FAULT_NONE);
    ck_assert_int_eq(next(YK_FAULT_ENTRY_GetDeviceInfo).kind, YK_FAULT_NONE); /* not counted */
    ck_assert_int_eq(next(YK_FAULT_ENTRY_Flush).kind, YK_FAULT_NONE);
    ck_assert_int_eq(next(YK_FAULT_ENTRY_EnqueueTask).code, CL_OUT_OF_RESOURCES);
    ck_assert_int_eq(next(YK_FAULT_ENTRY_CreateBuffer).code, CL_DEVICE_NOT_AVAILABLE);
    ck_assert_int_eq(next(YK_FAULT_ENTRY_Finish).code, CL_OUT_OF_RESOURCES);
    ck_assert_int_eq(next(YK_FAULT_ENTRY_ReleaseEvent).kind, YK_FAULT_NONE);
    ck_assert_int_eq(next(YK_FAULT_ENTRY_GetEventInfo).kind, YK_FAULT_NONE);
}
END_TEST

START_TEST(a_hang_ends_when_told)
{
    setenv("YOKE_FAULT_HANG_MS", "30", 1);
    good("clFinish@0:1=hang");
    yk_fault_start(&st, &s, 0);
    uint64_t before = yk_now_ns();
    ck_assert_int_eq(next(YK_FAULT_ENTRY_Finish).kind, YK_FAULT_NONE);
    ck_assert_uint_ge(yk_now_ns() - before, 30000000);
}
END_TEST

START_TEST(devices_are_taken_for_others)
{
    good("own@1; gpu@3");
    for (unsigned d = 0; d < YK_FAULT_DEVICES; d++) {
        ck_assert_int_eq(s.own_memory[d], d == 1 || d == 3);
        ck_assert_int_eq(s.gpu[d], d == 3);
    }
    good("gpu@*");
    ck_assert(s.gpu[0] && s.gpu[YK_FAULT_DEVICES - 1]);
    ck_assert_ptr_nonnull(mistake("gpu@"));
    ck_assert_ptr_nonnull(strstr(err, "gpu@DEVICE wanted"));
    ck_assert_ptr_nonnull(mistake("gpu@0=1"));
    ck_assert_ptr_nonnull(strstr(err, "nothing may follow"));
}
END_TEST

YK_TEST_MAIN("fault script", every_form_is_read, mistakes_are_named, too_many_items_are_refused,
             counts_are_per_device_and_entry, a_lost_device_stays_lost, a_hang_ends_when_told,
             devices_are_taken_for_others)
