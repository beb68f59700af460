/* Who looks finds what comes soon, and does not look for what came late the last time. */
#include <pthread.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/look.h"
#include "tests/unit/main.h"

static unsigned word;

static void *set(void *nothing)
{
    (void)nothing;
    __atomic_store_n(&word, 1, __ATOMIC_RELEASE);
    return NULL;
}

START_TEST(what_has_come_is_found)
{
    struct yk_look l = {0};
    word = 7;
    ck_assert(yk_look(&l, &word, 6));
    l.took = 1000000000;
    ck_assert(yk_look(&l, &word, 6));
    ck_assert(!yk_look(&l, &word, 7));
}
END_TEST

START_TEST(it_ends_and_what_came_late_is_not_looked_for)
{
    struct yk_look l = {0};
    word = 0;
    uint64_t start = yk_now_ns();
    ck_assert(!yk_look(&l, &word, 0)); /* nobody sets it */
    ck_assert_uint_lt(yk_now_ns() - start, 1000000000);
    yk_look_over(&l, yk_now_ns() - 5000000);
    ck_assert_uint_ge(l.took, 5000000);
    start = yk_now_ns();
    for (unsigned i = 0; i < 100000; i++)
        ck_assert_msg(!yk_look(&l, &word, 0), "%u", i);
    ck_assert_uint_lt(yk_now_ns() - start, 3000000000); /* looking would take six seconds */
}
END_TEST

START_TEST(what_another_thread_sets_is_seen)
{
    struct yk_look l = {0};
    pthread_t t;
    word = 0;
    ck_assert_int_eq(pthread_create(&t, NULL, set, NULL), 0);
    while (!yk_look(&l, &word, 0))
        ;
    ck_assert_uint_eq(word, 1);
    pthread_join(t, NULL);
}
END_TEST

YK_TEST_MAIN("look", what_has_come_is_found, it_ends_and_what_came_late_is_not_looked_for,
             what_another_thread_sets_is_seen)
