/* solver/place.h: small buckets of a tree are placed together on a described device, and the memory forecast has the
 * piece in which they lie. Nothing is run there. */
#include "solver/place.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "kernels/gpu/backend.h"
#include "solver/search/search.h"
#include "tests/unit/main.h"

enum { GRIDS = 16, WIDE = 4, LONG = 5, STATES = 12 };

/* GRIDS grids of WIDE x LONG variables with a factor on each edge: buckets of some 10^5 multiply-adds. */
static struct yk_network grids(void)
{
    struct yk_network n = {.nvars = GRIDS * WIDE * LONG,
                           .nfactors = (size_t)GRIDS * (WIDE * (LONG - 1) + (WIDE - 1) * LONG)};
    n.domain = yk_arena_array(&n.arena, uint32_t, n.nvars);
    n.factor = yk_arena_array(&n.arena, struct yk_factor, n.nfactors);
    size_t at = 0;
    for (uint32_t v = 0; v < n.nvars; v++)
        n.domain[v] = STATES;
    for (uint32_t v = 0; v < n.nvars; v++)
        for (int down = 0; down < 2; down++) {
            if (down ? v / WIDE % LONG == LONG - 1 : v % WIDE == WIDE - 1)
                continue;
            struct yk_factor *f = &n.factor[at++];
            f->n = 2;
            f->cells = STATES * STATES;
            f->scope = yk_arena_array(&n.arena, uint32_t, 2);
            f->value = yk_arena_array(&n.arena, double, f->cells);
            f->scope[0] = v;
            f->scope[1] = v + (down ? WIDE : 1);
            for (size_t i = 0; i < f->cells; i++)
                f->value[i] = 0.5 + (double)(i * 7 % 5);
        }
    return n;
}

/* What is there before a device has been asked anything. */
static void describe(struct yk_gpu *g, struct yk_solver_device *d)
{
    memset(g, 0, sizeof *g);
    g->has_double = true;
    g->bytes = 150e9;
    g->launch_seconds = 8e-6;
    for (int single = 0; single < 2; single++)
        g->shape[single] = (struct yk_cache_device){.units = 132,
                                                    .threads = 2048,
                                                    .group = 256,
                                                    .local_block = 232448,
                                                    .local_unit = 233472,
                                                    .flops = 32e12,
                                                    .bytes = 4e12,
                                                    .inner_bytes = 5.2e12,
                                                    .local_bytes = 33.5e12};
    *d = (struct yk_solver_device){.gpu = g, .in = 23e9, .out = 14e9, .latency = 10e-6, .launch = 50e-6};
}

static struct yk_network net;
static struct yk_solver_plan plan;
static struct yk_gpu gpu;
static struct yk_solver_device device;

static void begin(void)
{
    char msg[300] = "";
    struct yk_search_options so;
    net = grids();
    yk_search_options_init(&so);
    so.max_seconds = 0;
    so.threads = 1;
    ck_assert_msg(yk_solver_plan_search(&net, &so, &plan, msg, sizeof msg) == YK_OK, "%s", msg);
    describe(&gpu, &device);
}

static void end(void)
{
    yk_solver_plan_finish(&plan);
    yk_network_finish(&net);
}

START_TEST(small_buckets_are_placed_together)
{
    begin();
    const struct yk_evaluate_options eo = {.device = &device, .threads = 1};
    struct yk_place p;
    ck_assert_int_eq(yk_place_init(&p, &plan, &net, &eo), YK_OK);
    unsigned together = 0, most = 0, *plain = calloc(p.tree.nodes, sizeof *plain);
    for (unsigned i = 0; i < p.tree.nodes; i++) {
        const unsigned parent = p.tree.node[i].parent;
        together += p.node[i] == YK_PLACE_TOGETHER;
        ck_assert(p.node[i] != YK_PLACE_TOGETHER || p.batch.level[i]);
        if (p.node[i] == YK_PLACE_TOGETHER)
            most = p.batch.level[i] > most ? p.batch.level[i] : most;
        /* all below it is small, and in an earlier launch */
        if (parent != YK_TREE_ROOT && p.batch.level[parent])
            ck_assert(p.batch.level[i] && p.batch.level[i] < p.batch.level[parent]);
        if (parent != YK_TREE_ROOT && p.node[parent] == YK_PLACE_TOGETHER)
            ck_assert_uint_eq(p.node[i], YK_PLACE_TOGETHER);
        ck_assert_uint_lt(p.greedy[i], YK_PLACE_TOGETHER);
    }
    ck_assert_uint_gt(together, 0);
    ck_assert_uint_eq(together, p.together);
    ck_assert_uint_eq(most, p.levels);
    ck_assert_int_eq(yk_tree_place_sum(&p.tree, plain), YK_OK);
    ck_assert_double_lt(p.ms, yk_tree_sum(&p.tree, plain));
    ck_assert_double_le(p.ms, p.device_ms);
    ck_assert_double_le(p.ms, p.cpu_ms);
    ck_assert_double_le(p.ms, p.greedy_ms);
    free(plain);
    yk_place_finish(&p);
    end();
}
END_TEST

START_TEST(one_by_one_none_is)
{
    begin();
    device.one_by_one = true;
    const struct yk_evaluate_options eo = {.device = &device, .threads = 1};
    struct yk_place p;
    ck_assert_int_eq(yk_place_init(&p, &plan, &net, &eo), YK_OK);
    ck_assert_uint_eq(p.together, 0);
    ck_assert_double_eq_tol(p.ms, yk_tree_sum(&p.tree, p.node), 1e-9);
    yk_place_finish(&p);
    end();
}
END_TEST

START_TEST(the_forecast_has_the_piece)
{
    begin();
    struct yk_evaluate_options eo = {.threads = 1};
    struct yk_evaluate_stats alone, together, singly;
    for (int marginals = 0; marginals < 2; marginals++) {
        eo.device = NULL;
        ck_assert_int_eq(yk_evaluate_forecast(&plan, &net, &eo, marginals, &alone), YK_OK);
        device.one_by_one = false;
        eo.device = &device;
        ck_assert_int_eq(yk_evaluate_forecast(&plan, &net, &eo, marginals, &together), YK_OK);
        device.one_by_one = true;
        ck_assert_int_eq(yk_evaluate_forecast(&plan, &net, &eo, marginals, &singly), YK_OK);
        ck_assert_double_eq(singly.peak_bytes, alone.peak_bytes);
        double cells = 0, leaves = 0;
        for (uint32_t i = 0; i < plan.nnodes; i++) {
            double n = 1;
            for (uint32_t k = 0; k < plan.node[i].nout; k++)
                n *= net.domain[plan.node[i].out[k]];
            cells += n;
        }
        for (size_t i = 0; i < net.nfactors; i++)
            leaves += (double)net.factor[i].cells;
        /* on the device and at the host before anything else, or at the host beside the rest */
        ck_assert_double_ge(together.peak_bytes, 2 * leaves * sizeof(double));
        ck_assert_double_gt(together.peak_bytes, alone.peak_bytes);
        ck_assert_double_le(together.peak_bytes, alone.peak_bytes + 2 * (cells + leaves) * sizeof(double));
        ck_assert_double_eq(together.operations, alone.operations);
    }
    end();
}
END_TEST

YK_TEST_MAIN("place", small_buckets_are_placed_together, one_by_one_none_is, the_forecast_has_the_piece)
