/* Random networks and short searches for the tests of the plan search; tables are filled only if VALUES. */
#ifndef YK_TESTS_SEARCH_NETS_H
#define YK_TESTS_SEARCH_NETS_H

#include <check.h>
#include <string.h>
#include "solver/network.h"
#include "solver/search/rng.h"
#include "solver/search/search.h"

struct net_shape {
    uint32_t nvars, nfactors, max_scope, max_domain;
    bool values;
};

static inline struct yk_network random_network(struct net_shape s, uint64_t seed)
{
    struct yk_network net = {.nvars = s.nvars, .nfactors = s.nfactors};
    struct rng r = rng_make(seed, 77);
    net.domain = yk_arena_array(&net.arena, uint32_t, s.nvars + 1u);
    net.factor = yk_arena_array(&net.arena, struct yk_factor, s.nfactors + 1u);
    for (uint32_t i = 0; i < s.nvars; i++)
        net.domain[i] = 1 + rng_below(&r, s.max_domain);
    for (uint32_t f = 0; f < s.nfactors; f++) {
        struct yk_factor *x = &net.factor[f];
        uint32_t want = rng_below(&r, s.max_scope + 1);
        x->scope = yk_arena_array(&net.arena, uint32_t, want + 1u);
        x->cells = 1;
        while (x->n < want && x->n < s.nvars) {
            uint32_t v = rng_below(&r, s.nvars), k = 0;
            while (k < x->n && x->scope[k] != v)
                k++;
            if (k < x->n)
                continue;
            x->scope[x->n++] = v;
            x->cells *= net.domain[v];
        }
        if (!s.values)
            continue;
        x->value = yk_arena_array(&net.arena, double, x->cells);
        for (size_t i = 0; i < x->cells; i++)
            x->value[i] = 0.1 + rng_unit(&r);
    }
    return net;
}

/* A grid of N x N variables of domain D: pairwise factors between neighbours. */
static inline struct yk_network grid_network(uint32_t n, uint32_t d)
{
    struct yk_network net = {.nvars = n * n};
    net.domain = yk_arena_array(&net.arena, uint32_t, (size_t)n * n);
    net.factor = yk_arena_array(&net.arena, struct yk_factor, 2 * (size_t)n * n);
    for (uint32_t i = 0; i < n * n; i++)
        net.domain[i] = d;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            for (uint32_t k = 0; k < 2; k++) {
                if ((k ? i : j) + 1 == n)
                    continue;
                struct yk_factor *x = &net.factor[net.nfactors++];
                x->scope = yk_arena_array(&net.arena, uint32_t, 2);
                x->n = 2;
                x->cells = (size_t)d * d;
                x->scope[0] = i * n + j;
                x->scope[1] = k ? (i + 1) * n + j : i * n + j + 1;
            }
    return net;
}

static inline void network_drop(struct yk_network *net)
{
    yk_arena_finish(&net->arena);
    memset(net, 0, sizeof *net);
}

static inline struct yk_search_options quick_options(uint64_t seed)
{
    struct yk_search_options o;
    yk_search_options_init(&o);
    o.seed = seed;
    o.threads = 1;
    o.max_seconds = 10;
    o.max_trials = 3;
    return o;
}

#endif
