/* When bytes are moved for the sake of launches to come. */
#include "shim/queue/code.h"
#include "shim/queue/moves.h"
#include "tests/unit/main.h"

enum { LAUNCHES = 10000 };

/* What LAUNCHES cost beside all on the primary (ALONE_MS each), where a division takes HALF_MS once MOVE_MS have been
 * spent, and where what was moved stays (STAYS) or has to be moved back at once. */
static double cost_of(double alone_ms, double half_ms, double move_ms, bool stays, double ahead_ms, int *moves)
{
    struct yk_moves m = {0};
    double ms = 0;
    bool there = false;
    *moves = 0;
    for (int i = 0; i < LAUNCHES; i++) {
        if (there && stays) {
            yk_moves_stayed(&m);
            ms += half_ms;
            continue;
        }
        there = yk_moves_pay(&m, alone_ms - half_ms, move_ms, ahead_ms);
        *moves += there;
        ms += there ? half_ms + move_ms * (stays ? 1 : 2) : alone_ms;
    }
    return ms / (LAUNCHES * alone_ms);
}

START_TEST(what_stays_is_moved_once)
{
    int moves;
    ck_assert_double_lt(cost_of(4, 2, 30, true, 0, &moves), 0.51);
    ck_assert_int_eq(moves, 1);
}
END_TEST

/* Moving that never helps is tried less and less often. */
START_TEST(what_does_not_stay_is_moved_rarely)
{
    int moves;
    ck_assert_double_lt(cost_of(4, 2, 30, false, 0, &moves), 1.02);
    ck_assert_int_ge(moves, 2);
    ck_assert_int_le(moves, 6);
}
END_TEST

/* Whenever a program ends, moving has cost it at most half of what launches had forgone until then. */
START_TEST(no_program_loses_much)
{
    struct yk_moves m = {0};
    double spent = 0, forgone = 0;
    for (int i = 0; i < LAUNCHES; i++) {
        forgone += 1;
        if (yk_moves_pay(&m, 1, 7, 0))
            spent += 2 * 7;
        ck_assert_double_le(spent, forgone / 2);
    }
    ck_assert_double_gt(spent, 0);
}
END_TEST

/* What earlier processes did counts at once, but not against what has been seen. */
START_TEST(earlier_processes_count)
{
    struct yk_moves m = {0};
    ck_assert(!yk_moves_pay(&m, 1, 100, 50));
    ck_assert(yk_moves_pay(&m, 1, 100, 500));
    for (int i = 0; i < 100; i++)
        ck_assert(!yk_moves_pay(&m, 1, 100, 500));
}
END_TEST

/* What is still expected falls by what is forgone: twice the cost is enough, or it would be waited for to the end. */
START_TEST(what_is_expected_to_win_is_not_waited_for)
{
    struct yk_moves m = {0};
    double ahead = 30;
    ck_assert(yk_moves_pay(&m, 1, 10, ahead));
    m = (struct yk_moves){0};
    ahead = 19;
    ck_assert_double_gt(yk_moves_wait(&m, 1, 10, ahead), 15);
    for (int i = 0; i < 15; i++, ahead--)
        ck_assert(!yk_moves_pay(&m, 1, 10, ahead > 0 ? ahead : 0));
}
END_TEST

/* After a while of staying the next move is as cheap as the first. */
START_TEST(staying_is_believed)
{
    struct yk_moves m = {0};
    ck_assert(yk_moves_pay(&m, 40, 10, 0));
    ck_assert(!yk_moves_pay(&m, 41, 10, 0));
    ck_assert(yk_moves_pay(&m, 120, 10, 0));
    for (int i = 0; i < 8; i++)
        yk_moves_stayed(&m);
    ck_assert(yk_moves_pay(&m, 41, 10, 0));
}
END_TEST

/* Launches that pass unasked are counted beforehand. */
START_TEST(the_wait_is_foretold)
{
    struct yk_moves m = {0};
    ck_assert(!yk_moves_pay(&m, 0.1, 5, 0));
    double wait = yk_moves_wait(&m, 0.1, 5, 0);
    ck_assert_double_eq_tol(wait, 199, 1);
    int asked = 0;
    while (!yk_moves_pay(&m, 0.1, 5, 0))
        asked++;
    ck_assert_double_eq_tol(asked + 1, wait, 1.5);
    struct yk_moves passed = {0};
    ck_assert(!yk_moves_pay(&passed, 0.1, 5, 0));
    passed.forgone_ms += 0.1 * yk_moves_wait(&passed, 0.1, 5, 0);
    ck_assert(yk_moves_pay(&passed, 0.1, 5, 0));
}
END_TEST

/* A launch of 0.6 ms that wins 0.2 itself and has others wait 0.3 for its results is given up within some tens. One
 * that loses now and then is not. */
START_TEST(what_loses_all_in_all_is_given_up)
{
    struct yk_moves m = {0};
    int launches = 0;
    while (launches < LAUNCHES && !yk_moves_lost(&m, -0.2 + 0.3, 0.6, 0.6 * launches, false))
        launches++;
    ck_assert_int_gt(launches, 5);
    ck_assert_int_lt(launches, 100);
    m = (struct yk_moves){0};
    for (int i = 0; i < LAUNCHES; i++)
        ck_assert(!yk_moves_lost(&m, i % 4 ? -0.2 : 0.5, 0.6, 0.6 * i, false));
}
END_TEST

/* As many as are to pass, and the next is asked about. */
START_TEST(small_launches_are_asked_about_again)
{
    struct yk_code code = {.small = 100, .pass = 3};
    for (int i = 0; i < 3; i++) {
        ck_assert_double_eq(code.small, 100);
        yk_code_passed(&code);
    }
    ck_assert_double_eq(code.small, 0);
    code.small = 100;
    for (int i = 0; i < 1000; i++)
        yk_code_passed(&code);
    ck_assert_double_eq(code.small, 100);
}
END_TEST

/* Two million launches that are never worth dividing are asked about some times, not by the thousand; after one that
 * was divided as soon as at first. */
START_TEST(what_is_never_divided_is_asked_about_rarely)
{
    struct yk_code code = {.small = 100};
    int looks = 0;
    for (double at = 0; at < 2e6; looks++)
        at += yk_code_next_look(&code, 250);
    ck_assert_int_le(looks, 13);
    code.looks = 0;
    ck_assert_double_eq(yk_code_next_look(&code, 250), 250);
    code.looks = 1000;
    ck_assert_double_gt(yk_code_next_look(&code, 250), 1e9);
}
END_TEST

static struct yk_device gpu = {.type = CL_DEVICE_TYPE_GPU};

/* How many divided launches of MS are begun in a second of launches that take ALONE_MS on a GPU. */
static int tried(struct yk_code *code, double ms, double alone_ms)
{
    int n = 0;
    for (double at = 0; at < 1000; at += alone_ms) {
        uint64_t shift = (uint64_t)(alone_ms * 1e6); /* that time goes by */
        code->closed_until -= code->closed_until > shift ? shift : 0;
        if (yk_code_closed(code))
            continue;
        n++;
        code->moved.n++;
        yk_code_divided(code, ms, alone_ms, 1000);
    }
    return n;
}

/* What is slower when divided is tried seldom; what was slower because of something else is divided again. */
START_TEST(what_was_given_up_is_tried_again)
{
    struct yk_code code = {.losses = 0};
    yk_rt.primary = &gpu;
    yk_lock_init(&code.lock, YK_RANK_KERNEL);
    ck_assert_int_le(tried(&code, 0.9, 0.7), 4 + YK_LOSSES + 4); /* cold ones, and after 100, 300 and 700 ms */
    ck_assert_int_ge(tried(&code, 0.3, 0.7), 400);
    ck_assert(!yk_code_closed(&code));
    ck_assert_int_le(tried(&code, 0.9, 0.7), YK_LOSSES + 5);
    double before = code.closed_ms;
    ck_assert_double_ge(before, 100);
    ck_assert_double_ge(yk_code_reopens(&code, 0.7), 1);
    yk_lock_finish(&code.lock);
}
END_TEST

/* Not by the clock: launches too short for anything, and what moving bytes has cost too much for. */
START_TEST(what_cannot_pay_stays_whole)
{
    struct yk_code code = {.losses = 0};
    yk_rt.primary = &gpu;
    ck_assert_int_eq(tried(&code, 0.2, 0.1), YK_LOSSES);
    ck_assert_double_eq(yk_code_reopens(&code, 0.1), 0);
    code = (struct yk_code){.losses = 0};
    yk_code_close(&code);
    ck_assert_int_eq(tried(&code, 0.3, 0.7), 0);
    ck_assert_double_eq(yk_code_reopens(&code, 0.7), 0);
}
END_TEST

/* The first launches of a process find nothing in place; one that loses much counts at once. */
START_TEST(cold_launches_do_not_count)
{
    struct yk_code code = {.losses = 0};
    yk_rt.primary = &gpu;
    for (code.moved.n = 0; code.moved.n < 4; code.moved.n++)
        yk_code_divided(&code, 3, 0.7, 1000);
    ck_assert_int_eq(code.losses, 0);
    code.moved.n = 0;
    for (int i = 0; i < YK_LOSSES; i++)
        yk_code_divided(&code, 30, 7, 1000);
    ck_assert(yk_code_closed(&code));
}
END_TEST

/* 0.7 ms of bringing make a kernel of 3.4 ms take 2.6: nobody has lost anything. */
START_TEST(what_is_brought_may_be_of_use)
{
    struct yk_code code = {.losses = 0};
    yk_lock_init(&code.lock, YK_RANK_KERNEL);
    ck_assert_double_eq(yk_code_brought_part(&code), 1);
    yk_code_brought(&code, 0.7, 2.6, 3.4);
    ck_assert_double_eq(yk_code_brought_part(&code), 0);
    for (int i = 0; i < 20; i++)
        yk_code_brought(&code, 1, 3.4, 3.4);
    ck_assert_double_gt(yk_code_brought_part(&code), 0.95);
    ck_assert_double_le(yk_code_brought_part(&code), 1);
    yk_lock_finish(&code.lock);
}
END_TEST

YK_TEST_MAIN("moves", what_was_given_up_is_tried_again, what_cannot_pay_stays_whole, cold_launches_do_not_count,
             what_is_brought_may_be_of_use, what_stays_is_moved_once, what_does_not_stay_is_moved_rarely,
             no_program_loses_much, earlier_processes_count, what_is_expected_to_win_is_not_waited_for,
             staying_is_believed, the_wait_is_foretold, what_loses_all_in_all_is_given_up,
             small_launches_are_asked_about_again, what_is_never_divided_is_asked_about_rarely)
