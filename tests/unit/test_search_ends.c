/* solver/search: how a search ends that finds no plan, has no time or is asked to: with a sentence, and soon. */
#include <time.h>
#include "solver/search/plan_tools.h"
#include "tests/unit/main.h"
#include "tests/unit/search_nets.h"

static char msg[400];

START_TEST(hopeless_is_refused_in_a_sentence)
{
    struct yk_network net = grid_network(40, 4);
    struct yk_search_options o = quick_options(3);
    o.max_trials = 1;
    o.memory_bytes = 1 << 20;
    struct yk_solver_plan p;
    ck_assert_int_eq(yk_solver_plan_search(&net, &o, &p, msg, sizeof msg), YK_ELIMIT);
    ck_assert_msg(strstr(msg, "GB") != NULL, "%s", msg);
    ck_assert(!p.nnodes && !p.node);
    network_drop(&net);
}
END_TEST

static bool stop_at_once(void *ctx, const struct yk_search_progress *x)
{
    ck_assert(x->elapsed > 0 && x->log10_operations > 0 && x->seconds > 0); /* infinite before there is a plan */
    ++*(int *)ctx;
    return false;
}

START_TEST(progress_is_told_and_may_stop)
{
    struct yk_network net = grid_network(20, 2);
    struct yk_search_options o;
    yk_search_options_init(&o);
    int calls = 0;
    o.max_seconds = 30;
    o.progress = stop_at_once;
    o.ctx = &calls;
    struct yk_solver_plan p;
    ck_assert_int_eq(yk_solver_plan_search(&net, &o, &p, msg, sizeof msg), YK_OK); /* within the test's time limit */
    ck_assert_int_ge(calls, 1);
    ck_assert_int_eq(yk_solver_plan_check(&p, &net, msg, sizeof msg), YK_OK);
    yk_solver_plan_finish(&p);
    network_drop(&net);
}
END_TEST

static bool end_at_once(void *ctx, const struct yk_search_progress *x)
{
    (void)ctx;
    (void)x;
    return false;
}

/* A plan that would have to be sliced is none before that is done. */
START_TEST(slicing_ends_when_asked)
{
    struct yk_network net = grid_network(10, 2);
    struct yk_search_options o = quick_options(3);
    struct yk_solver_plan p;
    o.max_trials = 0; /* the search goes on until somebody asks */
    o.memory_bytes = 4096;
    o.progress = end_at_once;
    ck_assert_int_eq(yk_solver_plan_search(&net, &o, &p, msg, sizeof msg), YK_ECANCELED);
    ck_assert_str_eq(msg, "ended by request");
    ck_assert_uint_eq(p.nnodes, 0);
    network_drop(&net);
}
END_TEST

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Min-fill alone takes seconds on these. Seconds of the processor, which do not depend on who else is at work. */
static double search_hard_network(const struct yk_search_options *o)
{
    struct yk_network net = random_network((struct net_shape){3000, 7000, 3, 2, false}, 4);
    struct yk_solver_plan p;
    double before = cpu_seconds();
    yk_status st = yk_solver_plan_search(&net, o, &p, msg, sizeof msg);
    double took = cpu_seconds() - before;
    ck_assert_msg(st == YK_OK || st == YK_ELIMIT || st == YK_ECANCELED, "%s", msg);
    yk_solver_plan_finish(&p);
    network_drop(&net);
    return took;
}

START_TEST(no_step_outlasts_the_time)
{
    struct yk_search_options o = quick_options(3);
    o.max_trials = 0;
    for (int k = 0; k < 2; k++) {
        o.max_seconds = 0.2 * k; /* 0: the quick try */
        o.memory_bytes = k ? 1e9 : 0;
        ck_assert_double_lt(search_hard_network(&o), 1.5);
    }
}
END_TEST

START_TEST(every_step_ends_when_asked)
{
    struct yk_search_options o = quick_options(3);
    o.max_seconds = 100;
    o.progress = end_at_once;
    ck_assert_double_lt(search_hard_network(&o), 1.5);
}
END_TEST

/* 60000^80 is no number of a double: the first trees have no cost that another could be compared with. */
START_TEST(beyond_all_numbers_is_refused)
{
    enum { N = 80 };
    struct yk_network net = {.nvars = N};
    struct yk_search_options o = quick_options(3);
    struct yk_solver_plan p;
    net.domain = yk_arena_array(&net.arena, uint32_t, N);
    net.factor = yk_arena_array(&net.arena, struct yk_factor, N * N);
    for (uint32_t i = 0; i < N; i++) {
        net.domain[i] = 60000;
        for (uint32_t k = 0; k < i; k++) {
            struct yk_factor *x = &net.factor[net.nfactors++];
            x->scope = yk_arena_array(&net.arena, uint32_t, 2);
            x->n = 2;
            x->cells = (size_t)60000 * 60000;
            x->scope[0] = i;
            x->scope[1] = k;
        }
    }
    ck_assert_int_eq(yk_solver_plan_search(&net, &o, &p, msg, sizeof msg), YK_ELIMIT);
    ck_assert_str_eq(msg, "no plan was found that could ever be run");
    network_drop(&net);
}
END_TEST

YK_TEST_MAIN("search_ends", hopeless_is_refused_in_a_sentence, progress_is_told_and_may_stop, slicing_ends_when_asked,
             no_step_outlasts_the_time, every_step_ends_when_asked, beyond_all_numbers_is_refused)
