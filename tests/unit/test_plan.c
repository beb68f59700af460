/* partitioner/plan.h: a plan is built, checked and printed. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "partitioner/plan.h"
#include "tests/unit/main.h"

/* Two devices share a 2-D range; device 1's part comes back by byte difference. */
static void make(struct yk_plan *p)
{
    struct yk_range r = {.dims = 2, .groups = {4, 3, 1}};
    unsigned copy, snap, run0, run1;
    struct yk_step s = {YK_STEP_COPY, .from = 0, .to = 2, .buffer = 0, .region = yk_region_plain(0, 4096)};
    yk_plan_init(p, &r);
    s.predicted_ms = 0.5;
    ck_assert_int_eq(yk_plan_add(p, &s, NULL, 0, &copy), YK_OK);
    s = (struct yk_step){YK_STEP_SNAPSHOT, .to = 2, .buffer = 0, .region = yk_region_plain(0, 4096)};
    ck_assert_int_eq(yk_plan_add(p, &s, &copy, 1, &snap), YK_OK);
    s = (struct yk_step){YK_STEP_RUN, .to = 1, .box = {{0, 0, 0}, {4, 2, 1}}};
    ck_assert_int_eq(yk_plan_add(p, &s, NULL, 0, &run0), YK_OK);
    s = (struct yk_step){YK_STEP_RUN, .to = 2, .box = {{0, 2, 0}, {4, 1, 1}}};
    ck_assert_int_eq(yk_plan_add(p, &s, (unsigned[]){copy, snap}, 2, &run1), YK_OK);
    s = (struct yk_step){YK_STEP_MERGE,
                         .from = 2,
                         .to = 0,
                         .buffer = 0,
                         .region = {64, 16, 8, 128, 1, 0},
                         .method = YK_MERGE_DIFFERENCE};
    ck_assert_int_eq(yk_plan_add(p, &s, (unsigned[]){run0, run1}, 2, NULL), YK_OK);
}

START_TEST(plans_print)
{
    struct yk_plan p;
    char text[1000];
    make(&p);
    p.predicted_ms = 1.25;
    const char *want = "range 4 x 3 work-groups, 5 steps, ~1.250 ms\n"
                       "  0 copy buffer 0 [0 +4096] from host to device 1  ~0.500 ms\n"
                       "  1 snapshot buffer 0 [0 +4096] at device 1 after 0\n"
                       "  2 run (0+4, 0+2) on device 0\n"
                       "  3 run (0+4, 2+1) on device 1 after 0, 1\n"
                       "  4 merge difference buffer 0 [64 +16 x8 every 128] from device 1 into host after 2, 3\n";
    size_t len = yk_plan_print(&p, text, sizeof text);
    ck_assert_str_eq(text, want);
    ck_assert_uint_eq(len, strlen(want));
    for (size_t n = 0; n <= len + 1; n++) { /* any buffer: same length, terminated prefix */
        memset(text, '#', sizeof text);
        ck_assert_uint_eq(yk_plan_print(&p, text, n), len);
        if (n) {
            ck_assert_uint_eq(strlen(text), n - 1 < len ? n - 1 : len);
            ck_assert(!strncmp(text, want, strlen(text)));
        }
        ck_assert_int_eq(text[n], '#');
    }
    ck_assert_uint_eq(yk_region_bytes(&p.step.v[4].region), 128);
    yk_plan_finish(&p);
}
END_TEST

static void expect(const struct yk_plan *p, const char *because)
{
    char msg[200] = "";
    ck_assert(!yk_plan_check(p, msg, sizeof msg));
    ck_assert_msg(strstr(msg, because), "%s", msg);
}

START_TEST(bad_plans_are_found)
{
    struct yk_plan p;
    char msg[200];
    make(&p);
    ck_assert_msg(yk_plan_check(&p, msg, sizeof msg), "%s", msg);
    struct yk_step *run1 = &p.step.v[3], good = *run1;
    run1->box.count[0] = 3;
    expect(&p, "11 of 12");
    *run1 = good;
    run1->box.first[1] = 1;
    expect(&p, "steps 2 and 3 run the same");
    *run1 = good;
    run1->box.first[0] = 1;
    expect(&p, "outside the range");
    *run1 = good;
    run1->box.count[2] = 0;
    expect(&p, "outside the range");
    *run1 = good;
    run1->to = 0;
    expect(&p, "on the host");
    *run1 = good;
    p.step.v[0].to = 0;
    expect(&p, "from location 0 to itself");
    p.step.v[0].to = 2;
    p.after.v[0] = 1;
    expect(&p, "step 1 waits for step 1");
    p.after.v[0] = 0;
    p.range.groups[2] = 0;
    expect(&p, "range is not valid");
    p.range.groups[2] = 1;
    ck_assert(yk_plan_check(&p, msg, sizeof msg));
    struct yk_step s = good;
    ck_assert_int_eq(yk_plan_add(&p, &s, (unsigned[]){5}, 1, NULL), YK_EINVAL);
    ck_assert_uint_eq(p.step.n, 5);
    yk_plan_finish(&p);
}
END_TEST

YK_TEST_MAIN("plan", plans_print, bad_plans_are_found)
