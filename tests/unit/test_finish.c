/* A driver whose clFinish forgets what a clFlush has handed on. */
#include "device/opencl/finish.h"
#include <stdbool.h>
#include "tests/unit/main.h"

/* COMMANDS are under way; MARKERS wait for all that came before them; EVENTS are held. */
static int commands, markers, events, waits, finishes;
static cl_int marker_error, finish_error;
static bool not_guarded;

static void enter(void)
{
    not_guarded |= !yk_driver_depth;
}

static cl_int marker(cl_command_queue q, cl_uint n, const cl_event *wait, cl_event *event)
{
    (void)q, (void)n, (void)wait;
    enter();
    if (marker_error)
        return marker_error;
    markers++;
    events++;
    *event = (cl_event)&events;
    return CL_SUCCESS;
}

static cl_int wait_for(cl_uint n, const cl_event *event)
{
    (void)event;
    enter();
    waits += (int)n;
    commands = markers = 0;
    return CL_SUCCESS;
}

static cl_int release(cl_event event)
{
    (void)event;
    enter();
    events--;
    return CL_SUCCESS;
}

static cl_int forgets(cl_command_queue q)
{
    (void)q;
    enter();
    finishes++;
    return finish_error;
}

static const struct yk_cl below = {
    .EnqueueMarkerWithWaitList = marker, .WaitForEvents = wait_for, .ReleaseEvent = release, .Finish = forgets};

static cl_int finish_with(int under_way)
{
    commands = under_way;
    markers = events = waits = finishes = 0;
    not_guarded = false;
    return yk_cl_finish(&below)->Finish(NULL);
}

START_TEST(commands_are_over_when_a_queue_is_finished)
{
    marker_error = finish_error = CL_SUCCESS;
    ck_assert_int_eq(finish_with(3), CL_SUCCESS);
    ck_assert_int_eq(commands, 0);
    ck_assert_int_eq(waits, 1);
    ck_assert_int_eq(events, 0);
    ck_assert_int_eq(finishes, 1);
    ck_assert(!not_guarded);
    ck_assert_int_eq(yk_driver_depth, 0);
}
END_TEST

START_TEST(errors_are_told)
{
    marker_error = CL_INVALID_COMMAND_QUEUE;
    finish_error = CL_SUCCESS;
    ck_assert_int_eq(finish_with(1), CL_INVALID_COMMAND_QUEUE);
    ck_assert_int_eq(finishes, 1);
    ck_assert_int_eq(waits, 0);
    marker_error = CL_SUCCESS;
    finish_error = CL_OUT_OF_RESOURCES;
    ck_assert_int_eq(finish_with(1), CL_OUT_OF_RESOURCES);
    ck_assert_int_eq(events, 0);
}
END_TEST

START_TEST(one_driver_is_served)
{
    static const struct yk_cl another = {.Finish = forgets};
    ck_assert_ptr_eq(yk_cl_finish(&below), yk_cl_finish(&below));
    ck_assert_ptr_ne(yk_cl_finish(&below), &below);
    ck_assert_ptr_eq(yk_cl_finish(&another), &another);
    ck_assert(yk_cl_finish_forgets("rusticl"));
    ck_assert(!yk_cl_finish_forgets("Portable Computing Language"));
}
END_TEST

YK_TEST_MAIN("finish", commands_are_over_when_a_queue_is_finished, errors_are_told, one_driver_is_served)
