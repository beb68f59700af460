/* Small random networks with all that simplification looks for (zeros, functions, one-to-one tables, domain 1, unused
 * variables, parts, repeated scopes), and their answers by enumeration of all joint states. */
#ifndef YK_TESTS_UNIT_SOLVER_NETS_H
#define YK_TESTS_UNIT_SOLVER_NETS_H

#include <stdlib.h>
#include "solver/network.h"
#include "tests/unit/random_bucket.h"

enum { SMALL_VARS = 10 };

static inline void random_values(uint64_t *s, struct yk_network *net, struct yk_factor *f, bool positive)
{
    uint32_t kind = positive ? 7 : random_below(s, 8);
    uint32_t last = f->n ? net->domain[f->scope[f->n - 1]] : 1;
    double scale = random_below(s, 10) ? 1 : ldexp(1, (int)random_below(s, 400) - 200);
    for (size_t i = 0; i < f->cells; i++) {
        double x = (1 + random_below(s, 1000)) * 1e-3;
        if (kind == 0) /* half zeros */
            x = random_below(s, 2) ? x : 0;
        else if (kind == 1) /* the last variable is a function of the others */
            x = i % last == (i / last * 7 + i / last / 3) % last ? x : 0;
        else if (kind == 2) /* one to one, where the domains allow it */
            x = i % last == (i / last + 1) % last ? x : 0;
        else if (kind == 3) /* constant */
            x = 0.25;
        else if (kind == 4) /* depends on its first variable only */
            x = 0.1 + (double)(i / (f->n ? f->cells / net->domain[f->scope[0]] : 1));
        f->value[i] = x * scale;
    }
}

static inline struct yk_network small_network(uint64_t seed)
{
    struct yk_network net = {0};
    uint64_t s = seed;
    bool dense = seed % 4 == 0; /* such that slicing can be needed */
    net.nvars = dense ? SMALL_VARS : random_below(&s, SMALL_VARS + 1);
    net.nfactors = dense ? 24 : random_below(&s, 16);
    net.domain = yk_arena_array(&net.arena, uint32_t, net.nvars);
    net.factor = yk_arena_array(&net.arena, struct yk_factor, net.nfactors);
    for (uint32_t v = 0; v < net.nvars; v++)
        net.domain[v] = random_below(&s, 8) ? 2 + random_below(&s, 2) : 1 + random_below(&s, 4);
    for (size_t i = 0; i < net.nfactors; i++) {
        struct yk_factor *f = &net.factor[i];
        uint32_t order[SMALL_VARS];
        for (uint32_t v = 0; v < net.nvars; v++)
            order[v] = v;
        random_shuffle(&s, order, net.nvars);
        f->n = dense ? 2 + random_below(&s, 2) : random_below(&s, 5);
        f->n = f->n < net.nvars ? f->n : net.nvars;
        f->scope = yk_arena_array(&net.arena, uint32_t, f->n);
        f->cells = 1;
        for (uint32_t k = 0; k < f->n; k++)
            f->cells *= net.domain[f->scope[k] = order[k]];
        f->value = yk_arena_array(&net.arena, double, f->cells);
        random_values(&s, &net, f, dense);
    }
    return net;
}

static inline struct yk_evidence small_evidence(uint64_t seed, const struct yk_network *net)
{
    uint64_t s = seed * 31 + 7;
    struct yk_evidence ev = {.var = calloc(SMALL_VARS, sizeof *ev.var), .state = calloc(SMALL_VARS, sizeof *ev.state)};
    for (uint32_t v = 0; v < net->nvars; v++)
        if (random_below(&s, 6) == 0) {
            ev.var[ev.n] = v;
            ev.state[ev.n++] = random_below(&s, net->domain[v]);
        }
    return ev;
}

/* Partition function, and unnormalised marginals into MARGINAL[v][x]. */
static inline long double enumerate(const struct yk_network *net, const struct yk_evidence *ev,
                                    long double marginal[SMALL_VARS][4])
{
    uint32_t x[SMALL_VARS] = {0};
    long double z = 0;
    memset(marginal, 0, SMALL_VARS * sizeof *marginal);
    for (;;) {
        long double p = 1;
        for (size_t i = 0; i < ev->n; i++)
            p *= x[ev->var[i]] == ev->state[i];
        for (size_t i = 0; i < net->nfactors && p > 0; i++) {
            const struct yk_factor *f = &net->factor[i];
            size_t at = 0;
            for (uint32_t k = 0; k < f->n; k++)
                at = at * net->domain[f->scope[k]] + x[f->scope[k]];
            p *= (long double)f->value[at];
        }
        z += p;
        for (uint32_t v = 0; v < net->nvars; v++)
            marginal[v][x[v]] += p;
        uint32_t v = net->nvars;
        while (v > 0 && ++x[v - 1] == net->domain[v - 1])
            x[--v] = 0;
        if (v == 0)
            return z;
    }
}

#endif
