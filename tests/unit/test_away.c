/* A helper that is sent away wakes on another processor than its waker's, and is afterwards as it was. */
#include <pthread.h>
#include <unistd.h>
#include "base/away.h"
#include "base/lock.h"
#include "tests/unit/main.h"

static struct yk_lock lock = YK_LOCK_INIT(YK_RANK_LEAF);
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct yk_away away;
static int turn, woke_on; /* odd turns are the helper's */
static cpu_set_t first, awake, after;

static void wait_for(int mine)
{
    while (turn != mine)
        yk_lock_wait(&lock, &changed);
}

static void pass(int to)
{
    turn = to;
    pthread_cond_broadcast(&changed);
}

static void *helper(void *arg)
{
    int rounds = *(int *)arg;
    yk_lock_take(&lock);
    yk_away_begin(&away);
    sched_getaffinity(0, sizeof first, &first);
    for (int i = 0; i < rounds; i++) {
        pass(2 * i);
        wait_for(2 * i + 1);
        woke_on = sched_getcpu();
        sched_getaffinity(0, sizeof awake, &awake);
        yk_away_end(&away);
        sched_getaffinity(0, sizeof after, &after);
    }
    pass(2 * rounds);
    yk_lock_drop(&lock);
    return NULL;
}

START_TEST(it_wakes_elsewhere)
{
    enum { ROUNDS = 50 };
    int rounds = ROUNDS;
    pthread_t t;
    turn = -1;
    ck_assert_int_eq(pthread_create(&t, NULL, helper, &rounds), 0);
    yk_lock_take(&lock);
    for (int i = 0; i < ROUNDS; i++) {
        wait_for(2 * i);
        yk_away_send(&away);
        yk_away_send(&away); /* once is as good as twice */
        bool sent = away.set;
        cpu_set_t now = away.now;
        ck_assert(sent == (away.tid && CPU_COUNT(&first) > 1));
        pass(2 * i + 1);
        if (i + 1 < ROUNDS)
            wait_for(2 * i + 2);
        else
            wait_for(2 * ROUNDS);
        ck_assert(!away.set);
        ck_assert(CPU_EQUAL(&after, &first));
        if (sent) {
            ck_assert(CPU_EQUAL(&awake, &now) && CPU_COUNT(&now) == CPU_COUNT(&first) - 1);
            ck_assert(CPU_ISSET(woke_on, &now));
        }
    }
    yk_lock_drop(&lock);
    pthread_join(t, NULL);
}
END_TEST

START_TEST(what_others_have_set_stays)
{
    cpu_set_t all, one;
    yk_away_begin(&away); /* the caller is its own helper: it is not asleep, and moves at once */
    sched_getaffinity(0, sizeof all, &all);
    yk_away_send(&away);
    if (!away.set)
        return;
    CPU_ZERO(&one);
    for (int i = 0; CPU_COUNT(&one) < 1; i++)
        if (CPU_ISSET(i, &all) && !CPU_ISSET(i, &away.now))
            CPU_SET(i, &one);
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
    yk_away_end(&away);
    sched_getaffinity(0, sizeof all, &all);
    ck_assert(CPU_EQUAL(&all, &one));
    yk_away_send(&away); /* its only processor */
    ck_assert(!away.set);
}
END_TEST

YK_TEST_MAIN("away", it_wakes_elsewhere, what_others_have_set_stays)
