/* partitioner/tree.h: the dynamic program against all placements in its own model, the placement against all placements
 * in the model with overlap and shared links. */
#include <math.h>
#include <string.h>
#include "partitioner/tree.h"
#include "tests/unit/main.h"

enum { NODES = 12, DEVICES = 3 };

struct instance {
    struct yk_tree t;
    struct yk_tree_node node[NODES];
    struct yk_tree_device device[DEVICES];
    double ms[NODES][DEVICES];
};

static double uniform(double low, double high)
{
    return low + (high - low) * rand() / RAND_MAX;
}

/* SHAPE 0: a chain, 1: a random tree, 2: a forest. */
static void make(struct instance *x, unsigned nodes, unsigned devices, int shape, bool inputs)
{
    memset(x, 0, sizeof *x);
    x->t = (struct yk_tree){nodes, devices, x->node, x->device};
    bool one_link = rand() % 2;
    for (unsigned d = 0; d < devices; d++)
        if (d == 0 && rand() % 3)
            x->device[d] = (struct yk_tree_device){0, 0, 0};
        else
            x->device[d] = (struct yk_tree_device){uniform(1, 20), uniform(0, 0.3), one_link ? 1 : d};
    for (unsigned i = 0; i < nodes; i++) {
        unsigned above = nodes - i - 1;
        struct yk_tree_node *v = &x->node[i];
        v->parent = !above                          ? YK_TREE_ROOT
                    : shape == 0                    ? i + 1
                    : shape == 2 && rand() % 4 == 0 ? YK_TREE_ROOT
                                                    : i + 1 + (unsigned)rand() % above;
        v->bytes = rand() % 4 ? uniform(0, 40) : 0;
        v->input_bytes = inputs && rand() % 2 ? uniform(0, 40) : 0;
        v->result_bytes = v->parent == YK_TREE_ROOT && rand() % 2 ? uniform(0, 10) : 0;
        v->ms = x->ms[i];
        for (unsigned d = 0; d < devices; d++)
            x->ms[i][d] = d && rand() % 12 == 0 ? INFINITY : uniform(0.1, 10);
    }
    char msg[100] = "";
    ck_assert_msg(yk_tree_check(&x->t, msg, sizeof msg), "%s", msg);
}

/* Least time of all placements. */
static double exhaustive(const struct yk_tree *t, bool sum)
{
    unsigned place[NODES] = {0};
    double least = INFINITY;
    for (;;) {
        double ms;
        if (sum)
            ms = yk_tree_sum(t, place);
        else
            ck_assert_int_eq(yk_tree_time(t, place, &ms), YK_OK);
        least = ms < least ? ms : least;
        unsigned i = 0;
        while (i < t->nodes && ++place[i] == t->devices)
            place[i++] = 0;
        if (i == t->nodes)
            return least;
    }
}

START_TEST(the_dynamic_program_is_exact_in_its_model)
{
    srand(1);
    for (int round = 0; round < 300; round++) {
        struct instance x;
        unsigned place[NODES], devices = 1 + (unsigned)rand() % 3;
        make(&x, 1 + (unsigned)rand() % (devices == 3 ? 7 : 10), devices, rand() % 3, true);
        ck_assert_int_eq(yk_tree_place_sum(&x.t, place), YK_OK);
        double got = yk_tree_sum(&x.t, place), want = exhaustive(&x.t, true);
        ck_assert_msg(got <= want * (1 + 1e-12), "round %d: %g, best %g", round, got, want);
    }
}
END_TEST

START_TEST(a_chain_needs_no_more_than_the_dynamic_program)
{
    srand(2);
    for (int round = 0; round < 300; round++) {
        struct instance x;
        unsigned place[NODES];
        double ms;
        make(&x, 1 + (unsigned)rand() % 10, 2, 0, false);
        ck_assert_int_eq(yk_tree_place_sum(&x.t, place), YK_OK);
        ck_assert_int_eq(yk_tree_time(&x.t, place, &ms), YK_OK);
        ck_assert_double_eq_tol(ms, yk_tree_sum(&x.t, place), 1e-9 * ms);
        ck_assert(ms <= exhaustive(&x.t, false) * (1 + 1e-12));
    }
}
END_TEST

static unsigned beats_sum;

static void equals_exhaustive(unsigned nodes, unsigned devices, int round)
{
    struct instance x;
    unsigned place[NODES];
    double got, again, sum;
    make(&x, nodes, devices, rand() % 3, rand() % 4 > 0);
    ck_assert_int_eq(yk_tree_place(&x.t, place, &got), YK_OK);
    ck_assert_int_eq(yk_tree_time(&x.t, place, &again), YK_OK);
    ck_assert(got == again);
    double want = exhaustive(&x.t, false);
    ck_assert_msg(got <= want * (1 + 1e-12), "round %d, %u nodes on %u devices: %g, best %g", round, nodes, devices,
                  got, want);
    ck_assert_int_eq(yk_tree_place_sum(&x.t, place), YK_OK);
    ck_assert_int_eq(yk_tree_time(&x.t, place, &sum), YK_OK);
    beats_sum += got < sum * 0.999;
}

START_TEST(placement_equals_exhaustive_search)
{
    srand(3);
    for (int round = 0; round < 400; round++)
        equals_exhaustive(1 + (unsigned)rand() % 9, 1 + (unsigned)rand() % 3, round);
    for (int round = 0; round < 40; round++)
        equals_exhaustive(12, 2, round);
    for (int round = 0; round < 2; round++)
        equals_exhaustive(12, 3, round);
    /* Else the model with overlap has not been tried. */
    ck_assert_uint_gt(beats_sum, 50);
}
END_TEST

START_TEST(by_hand)
{
    /* Two leaves of 10 ms that both devices run alike: one each, then the root where the smaller transfer is. */
    double ten[] = {10, 10}, one[] = {1, 1};
    struct yk_tree_node v[] = {{.parent = 2, .bytes = 50, .ms = ten},
                               {.parent = 2, .bytes = 5, .ms = ten},
                               {.parent = YK_TREE_ROOT, .ms = one}};
    struct yk_tree_device d[] = {{0}, {.bandwidth = 10, .latency = 0.5, .link = 1}};
    struct yk_tree t = {3, 2, v, d};
    unsigned place[3];
    double ms;
    ck_assert_int_eq(yk_tree_place(&t, place, &ms), YK_OK);
    ck_assert_double_eq_tol(ms, 10 + 0.5 + 0.5 + 1, 1e-12);
    ck_assert(place[0] != place[1] && place[2] == place[0]);
    ck_assert_int_eq(yk_tree_place_sum(&t, place), YK_OK);
    ck_assert_double_eq_tol(yk_tree_sum(&t, place), 21, 1e-12);
    char msg[100];
    v[1].parent = 0;
    ck_assert(!yk_tree_check(&t, msg, sizeof msg));
    ck_assert_str_eq(msg, "node 1 comes after its parent 0");
}
END_TEST

START_TEST(large_trees_are_placed_no_worse_than_on_one_device)
{
    enum { N = 3000 };
    static struct yk_tree_node v[N];
    static double ms[N][2];
    static unsigned place[N];
    struct yk_tree_device d[] = {{0}, {.bandwidth = 100, .latency = 0.01, .link = 1}};
    struct yk_tree t = {N, 2, v, d};
    double got, one;
    srand(4);
    for (unsigned i = 0; i < N; i++) {
        ms[i][0] = uniform(0.1, 10);
        ms[i][1] = ms[i][0] / uniform(0.5, 20);
        unsigned above = N - i - 1;
        v[i] =
            (struct yk_tree_node){.parent = above ? i + 1 + (unsigned)rand() % (above < 9 ? above : 9) : YK_TREE_ROOT,
                                  .bytes = uniform(0, 100),
                                  .ms = ms[i]};
    }
    ck_assert_int_eq(yk_tree_place(&t, place, &got), YK_OK);
    for (unsigned k = 0; k < 2; k++) {
        for (unsigned i = 0; i < N; i++)
            place[i] = k;
        ck_assert_int_eq(yk_tree_time(&t, place, &one), YK_OK);
        ck_assert(got <= one);
    }
}
END_TEST

YK_TEST_MAIN("tree", the_dynamic_program_is_exact_in_its_model, a_chain_needs_no_more_than_the_dynamic_program,
             placement_equals_exhaustive_search, by_hand, large_trees_are_placed_no_worse_than_on_one_device)
