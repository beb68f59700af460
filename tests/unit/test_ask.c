/* Waiting by asking: what is over long before it was foretold is seen soon, and what takes longer is left in time. */
#include "base/clock.h"
#include "device/ask.h"
#include "tests/unit/main.h"

enum { MS = 1000000 };

/* An event is the time at which it is over, in ns; 0: the driver does not say. */
static int asked;

static cl_int CL_API_CALL status_of(cl_event e, cl_event_info what, size_t n, void *value, size_t *ret)
{
    uint64_t over = *(uint64_t *)(void *)e;
    (void)n, (void)ret;
    ck_assert_uint_eq(what, CL_EVENT_COMMAND_EXECUTION_STATUS);
    asked++;
    *(cl_int *)value = yk_now_ns() >= over ? CL_COMPLETE : CL_RUNNING;
    return over ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}

static const struct yk_cl cl = {.GetEventInfo = status_of};

/* ns that were slept for a command of RUN ns that was foretold to take MOST. */
static uint64_t sleep_for(uint64_t run, uint64_t most)
{
    uint64_t from = yk_now_ns(), over = run ? from + run : 0;
    asked = 0;
    yk_ask_asleep(&cl, (cl_event)(void *)&over, most);
    return yk_now_ns() - from;
}

START_TEST(a_prediction_that_is_far_too_long_is_not_waited_for)
{
    uint64_t t = sleep_for(50 * MS, 60000ull * MS);
    ck_assert_uint_ge(t, 50 * MS);
    ck_assert_uint_lt(t, 5000ull * MS); /* a busy machine */
    t = sleep_for(1 * MS, 60000ull * MS);
    ck_assert_uint_ge(t, 1 * MS);
    ck_assert_uint_lt(t, 5000ull * MS);
}
END_TEST

START_TEST(one_that_is_too_short_ends_the_sleep)
{
    uint64_t t = sleep_for(60000ull * MS, 30 * MS);
    ck_assert_uint_ge(t, 30 * MS);
    ck_assert_uint_lt(t, 5000ull * MS);
    ck_assert_int_le(asked, 200); /* it sleeps, and does not spin */
}
END_TEST

START_TEST(a_driver_that_does_not_say_is_left_at_once)
{
    (void)sleep_for(0, 60000ull * MS);
    ck_assert_int_eq(asked, 1);
    (void)sleep_for(MS, 0);
    ck_assert_int_eq(asked, 0);
}
END_TEST

YK_TEST_MAIN("ask", a_prediction_that_is_far_too_long_is_not_waited_for, one_that_is_too_short_ends_the_sleep,
             a_driver_that_does_not_say_is_left_at_once)
