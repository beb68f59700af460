/* solver/search: the parts of the search against slow twins: sets after rotations, exact re-ordering against every
 * tree. */
#include <math.h>
#include <stdlib.h>
#include "solver/search/improve.h"
#include "solver/search/make.h"
#include "solver/search/reduce.h"
#include "tests/unit/main.h"
#include "tests/unit/search_nets.h"

static const struct deadline never = {NULL, NULL};

/* Legs of node I by definition: variables of its leaves that a leaf outside has too. */
static void legs_by_definition(const struct tree *t, const struct problem *p, uint32_t i, uint64_t *legs)
{
    bool *inside = calloc(t->nleaves, sizeof *inside);
    uint64_t *outer = calloc(p->words, sizeof *outer);
    uint32_t *below = malloc(t->nnodes * sizeof *below), n = 0;
    for (below[n++] = i; n;) {
        uint32_t x = below[--n];
        if (x < t->nleaves) {
            inside[x] = true;
            continue;
        }
        below[n++] = t->node[x].child[0];
        below[n++] = t->node[x].child[1];
    }
    memset(legs, 0, p->words * sizeof *legs);
    for (uint32_t leaf = 0; leaf < t->nleaves; leaf++)
        for (uint32_t w = 0; w < p->words; w++)
            (inside[leaf] ? legs : outer)[w] |= p->legs[(size_t)leaf * p->words + w];
    for (uint32_t w = 0; w < p->words; w++)
        legs[w] &= outer[w];
    free(inside);
    free(outer);
    free(below);
}

static void check_tree(const struct tree *t, const struct problem *p)
{
    uint64_t *legs = calloc(p->words, sizeof *legs);
    double total = 0;
    uint32_t *children = calloc(t->nnodes, sizeof *children);
    for (uint32_t i = 0; i < t->nnodes; i++) {
        legs_by_definition(t, p, i, legs);
        ck_assert_mem_eq(legs, tree_legs(t, i), p->words * sizeof *legs);
        if (i < t->nleaves)
            continue;
        double u = 1, out = 1;
        for (uint32_t v = 0; v < p->nbits; v++) {
            if (bit_get(tree_legs(t, t->node[i].child[0]), v) || bit_get(tree_legs(t, t->node[i].child[1]), v))
                u *= p->domain[v];
            if (bit_get(legs, v))
                out *= p->domain[v];
        }
        ck_assert(fabs(t->node[i].cost / (u + p->cell_cost * out) - 1) < 1e-12);
        total += t->node[i].cost;
        for (int k = 0; k < 2; k++) {
            children[t->node[i].child[k]]++;
            ck_assert_uint_eq(t->node[t->node[i].child[k]].parent, i);
        }
    }
    for (uint32_t i = 0; i + 1 < t->nnodes; i++)
        ck_assert_uint_eq(children[i], 1);
    ck_assert(fabs(total / t->total - 1) < 1e-9);
    free(legs);
    free(children);
}

START_TEST(every_maker_makes_a_tree)
{
    for (uint64_t seed = 0; seed < 12; seed++) {
        struct yk_network net = random_network((struct net_shape){40, 60, 4, 4, false}, seed);
        struct problem p;
        struct tree t;
        ck_assert_int_eq(problem_init(&p, &net), YK_OK);
        p.cell_cost = 2;
        ck_assert_int_eq(tree_init(&t, &p), YK_OK);
        struct make_work *w = make_work_new(&p);
        struct rng r = rng_make(seed, 0);
        for (int rule = 0; rule < MAKE_ORDER_RULES; rule++) {
            ck_assert(make_by_order_rule(&t, &p, w, (enum make_rule)rule, 0.2, &r, &never));
            check_tree(&t, &p);
        }
        ck_assert(make_by_dissection(&t, &p, w, &r, &never));
        check_tree(&t, &p);
        make_by_sweep(&t, &p, w, &never);
        check_tree(&t, &p);
        ck_assert(make_by_pairs(&t, &p, w, 1, 0.1, &r, &never));
        check_tree(&t, &p);
        make_work_free(w);
        tree_finish(&t);
        problem_finish(&p);
        network_drop(&net);
    }
}
END_TEST

static double none_left(const void *ctx)
{
    (void)ctx;
    return 0;
}

START_TEST(makers_give_up_in_time)
{
    const struct deadline over = {none_left, NULL};
    struct yk_network net = grid_network(30, 2);
    struct problem p;
    struct tree t;
    ck_assert_int_eq(problem_init(&p, &net), YK_OK);
    ck_assert_int_eq(tree_init(&t, &p), YK_OK);
    struct make_work *w = make_work_new(&p);
    struct rng r = rng_make(1, 0);
    for (int rule = 0; rule < MAKE_ORDER_RULES; rule++)
        ck_assert(!make_by_order_rule(&t, &p, w, (enum make_rule)rule, 0.2, &r, &over));
    ck_assert(!make_by_dissection(&t, &p, w, &r, &over));
    ck_assert(!make_by_pairs(&t, &p, w, 1, 0.1, &r, &over));
    make_by_sweep(&t, &p, w, &over); /* the one that there always is */
    check_tree(&t, &p);
    make_work_free(w);
    tree_finish(&t);
    problem_finish(&p);
    network_drop(&net);
}
END_TEST

START_TEST(annealing_keeps_sets_and_costs_right)
{
    for (uint64_t seed = 0; seed < 6; seed++) {
        struct yk_network net = random_network((struct net_shape){60, 90, 3, 4, false}, 100 + seed);
        struct problem p;
        struct tree t, best;
        ck_assert_int_eq(problem_init(&p, &net), YK_OK);
        p.cell_cost = (double)seed;
        ck_assert_int_eq(tree_init(&t, &p), YK_OK);
        ck_assert_int_eq(tree_init(&best, &p), YK_OK);
        struct make_work *w = make_work_new(&p);
        struct reconf_work *rw = reconf_work_new(&p);
        struct rng r = rng_make(seed, 0);
        ck_assert(make_by_pairs(&t, &p, w, 1, 2, &r, &never));
        tree_copy(&best, &t);
        double before = t.total;
        struct anneal_schedule s = {.hot = 2, .cold = 0.02, .sweeps = 200, .floor = 1e-4};
        ck_assert(anneal(&t, &best, &p, &s, &r, &never)); /* a hot start is always improved */
        ck_assert(best.total < before);
        check_tree(&t, &p);
        check_tree(&best, &p);
        before = t.total;
        reconf_tree(&t, &p, rw, 7, 0.001, seed % 2, &r, &never);
        ck_assert(t.total <= before);
        check_tree(&t, &p);
        reconf_work_free(rw);
        make_work_free(w);
        tree_finish(&t);
        tree_finish(&best);
        problem_finish(&p);
        network_drop(&net);
    }
}
END_TEST

/* The least cost over all trees, by trying every pair of every set of tables in turn. */
struct part {
    uint64_t legs[4];
    uint32_t leaves; /* set of leaves */
};

static double least(const struct problem *p, const struct part *part, uint32_t n, double bound)
{
    if (n == 1)
        return 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++) {
            struct part next[8];
            uint32_t m = 0;
            double u = 1, out = 1;
            for (uint32_t k = 0; k < n; k++)
                if (k != i && k != j)
                    next[m++] = part[k];
            struct part *x = &next[m++];
            x->leaves = part[i].leaves | part[j].leaves;
            for (uint32_t w = 0; w < p->words; w++) {
                uint64_t outside = 0;
                for (uint32_t l = 0; l < p->nleaves; l++)
                    if (!(x->leaves >> l & 1))
                        outside |= p->legs[(size_t)l * p->words + w];
                x->legs[w] = (part[i].legs[w] | part[j].legs[w]) & outside;
            }
            for (uint32_t v = 0; v < p->nbits; v++) {
                if (bit_get(part[i].legs, v) || bit_get(part[j].legs, v))
                    u *= p->domain[v];
                if (bit_get(x->legs, v))
                    out *= p->domain[v];
            }
            double cost = u + p->cell_cost * out;
            if (cost < bound)
                bound = fmin(bound, cost + least(p, next, m, bound - cost));
        }
    return bound;
}

START_TEST(reordering_equals_brute_force)
{
    int compared = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct yk_network net = random_network((struct net_shape){7, 7, 4, 4, false}, 300 + seed);
        struct problem p;
        ck_assert_int_eq(problem_init(&p, &net), YK_OK);
        p.cell_cost = (double)(seed % 3);
        if (p.nleaves >= 3) {
            struct tree t;
            struct part part[8];
            ck_assert_uint_le(p.words, 4);
            ck_assert_int_eq(tree_init(&t, &p), YK_OK);
            struct make_work *w = make_work_new(&p);
            struct reconf_work *rw = reconf_work_new(&p);
            struct rng r = rng_make(seed, 0);
            ck_assert(make_by_pairs(&t, &p, w, 0, 5, &r, &never));
            reconf_node(&t, &p, rw, t.nnodes - 1, 7, false, &r);
            check_tree(&t, &p);
            for (uint32_t i = 0; i < p.nleaves; i++) {
                part[i].leaves = 1u << i;
                memcpy(part[i].legs, p.legs + (size_t)i * p.words, p.words * sizeof(uint64_t));
            }
            double want = least(&p, part, p.nleaves, INFINITY);
            ck_assert_msg(fabs(t.total / want - 1) < 1e-9, "%g, the best is %g", t.total, want);
            compared++;
            reconf_work_free(rw);
            make_work_free(w);
            tree_finish(&t);
        }
        problem_finish(&p);
        network_drop(&net);
    }
    ck_assert_int_gt(compared, 30);
}
END_TEST

START_TEST(reduction_and_back_is_a_tree_of_the_whole)
{
    uint32_t joins = 0, left = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        /* from a few large parts to many small ones */
        struct yk_network net =
            random_network((struct net_shape){40, 20 + 4 * (uint32_t)seed, 3, 3, false}, 500 + seed);
        struct problem p;
        struct reduction r;
        struct tree t, core = {0};
        ck_assert_int_eq(problem_init(&p, &net), YK_OK);
        p.cell_cost = 1;
        ck_assert_int_eq(reduce(&r, &p, &never), YK_OK);
        ck_assert_int_eq(tree_init(&t, &p), YK_OK);
        ck_assert(r.core.words <= p.words && r.core.nleaves + r.njoins <= p.nleaves);
        if (r.core.nleaves > 1) {
            struct make_work *w = make_work_new(&r.core);
            struct rng g = rng_make(seed, 0);
            ck_assert_int_eq(tree_init(&core, &r.core), YK_OK);
            ck_assert(make_by_pairs(&core, &r.core, w, 1, 0.1, &g, &never));
            check_tree(&core, &r.core);
            make_work_free(w);
        }
        reduction_expand(&r, &t, &p, &core);
        check_tree(&t, &p);
        ck_assert(t.total >= core.total);
        /* what the joins cost and what is left add up to the whole */
        double sum = core.total;
        for (uint32_t i = 0; i < r.njoins; i++)
            sum += t.node[p.nleaves + i].cost;
        ck_assert(t.total >= sum * (1 - 1e-12) && t.total <= sum + 2.0 * p.nleaves);
        joins += r.njoins;
        left += r.core.nleaves;
        tree_finish(&core);
        tree_finish(&t);
        reduction_finish(&r);
        problem_finish(&p);
        network_drop(&net);
    }
    ck_assert_uint_gt(joins, 100);
    ck_assert_uint_gt(left, 50);
}
END_TEST

START_TEST(slicing_and_back_is_the_same_problem)
{
    struct yk_network net = random_network((struct net_shape){30, 50, 3, 4, false}, 1);
    struct problem p, q;
    ck_assert_int_eq(problem_init(&p, &net), YK_OK);
    ck_assert_int_eq(problem_init(&q, &net), YK_OK);
    for (uint32_t v = 0; v < p.nbits; v++)
        if (p.var[v] != YK_NO_VAR && v % 2)
            problem_slice(&p, v);
    ck_assert_mem_ne(p.legs, q.legs, (size_t)p.nleaves * p.words * sizeof *p.legs);
    for (uint32_t v = 0; v < p.nbits; v++)
        if (bit_get(p.sliced, v))
            problem_unslice(&p, v);
    ck_assert_mem_eq(p.legs, q.legs, (size_t)p.nleaves * p.words * sizeof *p.legs);
    ck_assert_uint_eq(p.nvars, q.nvars);
    problem_finish(&p);
    problem_finish(&q);
    network_drop(&net);
}
END_TEST

YK_TEST_MAIN("search_tree", every_maker_makes_a_tree, makers_give_up_in_time, annealing_keeps_sets_and_costs_right,
             reordering_equals_brute_force, reduction_and_back_is_a_tree_of_the_whole,
             slicing_and_back_is_the_same_problem)
