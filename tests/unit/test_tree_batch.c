/* partitioner/tree_batch.h: the dynamic program against all placements, and what a batch is good for. */
#include "partitioner/tree_batch.h"
#include <math.h>
#include "tests/unit/main.h"
#include "tests/unit/random.h"

enum { NODES = 8, MANY = 400 };

struct instance {
    struct yk_tree t;
    struct yk_tree_batch b;
    struct yk_tree_node node[MANY];
    struct yk_tree_device device[2];
    double ms[MANY][2], among[MANY];
    unsigned level[MANY];
};

static double uniform(double low, double high)
{
    return low + (high - low) * below(1000) / 999;
}

/* Levels of the nodes that MAY be in the batch with all below them. */
static void set_levels(struct instance *x, const bool *may)
{
    for (unsigned i = 0; i < x->t.nodes; i++) {
        unsigned level = 1;
        for (unsigned k = 0; k < i; k++)
            if (x->node[k].parent == i)
                level = x->level[k] && level ? (x->level[k] >= level ? x->level[k] + 1 : level) : 0;
        x->level[i] = may[i] ? level : 0;
    }
}

static void make(struct instance *x, unsigned nodes, unsigned devices)
{
    bool may[NODES];
    *x = (struct instance){.t = {nodes, devices, x->node, x->device}};
    x->b = (struct yk_tree_batch){x->level, x->among, uniform(0, 3), uniform(0, 1), uniform(10, 100), uniform(10, 100)};
    x->device[1] = (struct yk_tree_device){uniform(1, 20), uniform(0, 1), 1};
    for (unsigned i = 0; i < nodes; i++) {
        const unsigned above = nodes - i - 1;
        struct yk_tree_node *v = &x->node[i];
        v->parent = !above || below(6) == 0 ? YK_TREE_ROOT : i + 1 + below(above);
        v->bytes = below(4) ? uniform(0, 20) : 0;
        v->input_bytes = below(2) ? uniform(0, 20) : 0;
        v->result_bytes = v->parent == YK_TREE_ROOT ? v->bytes : 0;
        v->ms = x->ms[i];
        x->ms[i][0] = uniform(0.1, 4);
        x->ms[i][1] = below(12) ? uniform(0.1, 4) : INFINITY;
        x->among[i] = uniform(0, 1);
        may[i] = below(5) > 0;
    }
    set_levels(x, may);
}

static double exhaustive(const struct instance *x)
{
    unsigned place[NODES] = {0};
    double least = INFINITY;
    for (;;) {
        least = fmin(least, yk_tree_batch_sum(&x->t, &x->b, place));
        unsigned i = 0;
        while (i < x->t.nodes && ++place[i] > x->t.devices)
            place[i++] = 0;
        if (i == x->t.nodes)
            return least;
    }
}

static unsigned batched(const struct instance *x, const unsigned *place)
{
    unsigned n = 0;
    for (unsigned i = 0; i < x->t.nodes; i++)
        n += place[i] == x->t.devices;
    return n;
}

START_TEST(no_placement_is_better)
{
    unsigned some = 0, none = 0;
    random_begin(1);
    for (int round = 0; round < 300; round++) {
        struct instance x;
        unsigned place[NODES];
        make(&x, 1 + below(NODES), 1 + below(2));
        ck_assert_int_eq(yk_tree_batch_place(&x.t, &x.b, place), YK_OK);
        const double got = yk_tree_batch_sum(&x.t, &x.b, place), want = exhaustive(&x);
        ck_assert_msg(got <= want * (1 + 1e-12), "round %d: %g, best %g", round, got, want);
        some += batched(&x, place) > 0;
        none += !batched(&x, place);
    }
    ck_assert_uint_gt(some, 50);
    ck_assert_uint_gt(none, 50);
}
END_TEST

START_TEST(without_a_batch_it_is_the_dynamic_program)
{
    random_begin(2);
    for (int round = 0; round < 100; round++) {
        struct instance x;
        unsigned place[NODES], plain[NODES];
        make(&x, 1 + below(NODES), 2);
        for (unsigned i = 0; i < x.t.nodes; i++)
            x.level[i] = 0;
        ck_assert_int_eq(yk_tree_batch_place(&x.t, &x.b, place), YK_OK);
        ck_assert_int_eq(yk_tree_place_sum(&x.t, plain), YK_OK);
        ck_assert_double_eq_tol(yk_tree_batch_sum(&x.t, &x.b, place), yk_tree_sum(&x.t, plain), 1e-9);
        ck_assert_uint_eq(batched(&x, place), 0);
    }
}
END_TEST

/* What stands above a batch has its children's results at the host only, and none of the batch may wait for it. */
START_TEST(impossible_placements_cost_infinity)
{
    double ms[3][2] = {{1, 1}, {1, 1}, {1, 1}}, among[3] = {0.1, 0.1, 0.1};
    unsigned level[3] = {1, 0, 2};
    const struct yk_tree_node v[] = {{.parent = 2, .bytes = 10, .ms = ms[0]},
                                     {.parent = 2, .bytes = 10, .ms = ms[1]},
                                     {.parent = YK_TREE_ROOT, .bytes = 4, .result_bytes = 4, .ms = ms[2]}};
    const struct yk_tree_device d[] = {{0}, {.bandwidth = 10, .latency = 0.5, .link = 1}};
    const struct yk_tree t = {3, 2, v, d};
    const struct yk_tree_batch b = {level, among, 3, 0.25, 20, 40};
    ck_assert_double_eq_tol(yk_tree_batch_sum(&t, &b, (unsigned[]){2, 0, 0}), 0.1 + 10 / 40. + 1 + 1 + 3 + 0.25, 1e-12);
    ck_assert_double_eq_tol(yk_tree_batch_sum(&t, &b, (unsigned[]){2, 0, 1}),
                            0.1 + 10 / 40. + 1.5 + 1 + 1.5 + 1 + 0.9 + 3 + 0.25, 1e-12);
    ck_assert(isinf(yk_tree_batch_sum(&t, &b, (unsigned[]){2, 2, 0})));
    ck_assert(isinf(yk_tree_batch_sum(&t, &b, (unsigned[]){2, 0, 2})));
}
END_TEST

/* Hundreds of small nodes, each of which a launch of its own would cost more than the CPU. */
START_TEST(small_nodes_go_together)
{
    static struct instance x;
    static unsigned place[MANY];
    static bool may[MANY];
    random_begin(3);
    x.t = (struct yk_tree){MANY, 2, x.node, x.device};
    x.b = (struct yk_tree_batch){x.level, x.among, 0.1, 0.01, 2e7, 1e7};
    x.device[1] = (struct yk_tree_device){1e7, 0.05, 0};
    for (unsigned i = 0; i < MANY; i++) {
        x.node[i] = (struct yk_tree_node){.parent = i + 1 < MANY ? i + 1 + below(MANY - i - 1 < 9 ? MANY - i - 1 : 9)
                                                                 : YK_TREE_ROOT,
                                          .bytes = 1000,
                                          .ms = x.ms[i]};
        may[i] = i < MANY - 10;
        x.ms[i][0] = may[i] ? 0.01 : 1;
        x.ms[i][1] = may[i] ? 0.05 : 0.1;
        x.among[i] = 0.002;
    }
    set_levels(&x, may);
    ck_assert_int_eq(yk_tree_batch_place(&x.t, &x.b, place), YK_OK);
    ck_assert_uint_gt(batched(&x, place), MANY / 2);
    const double together = yk_tree_batch_sum(&x.t, &x.b, place);
    ck_assert_int_eq(yk_tree_place_sum(&x.t, place), YK_OK);
    ck_assert_double_lt(together, 0.7 * yk_tree_sum(&x.t, place));
}
END_TEST

YK_TEST_MAIN("tree_batch", no_placement_is_better, without_a_batch_it_is_the_dynamic_program,
             impossible_placements_cost_infinity, small_nodes_go_together)
