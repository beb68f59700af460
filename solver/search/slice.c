#include "solver/search/slice.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "solver/search/plan_tools.h"

/* A run of ten years is no plan. */
static const double HOPELESS_SECONDS = 3.2e8;

struct slicer {
    struct problem *p;
    struct tree *t, work;
    struct reconf_work *reconf;
    const struct build_options *o;
    const struct deadline *stop;
    double memory;
    struct rng r;
};

/* The plan of T, with n-ary steps if the peak allows them. */
static yk_status build_best(struct yk_solver_plan *out, struct slicer *s)
{
    struct build_options o = *s->o;
    yk_status st = build_plan(out, s->p, s->t, &o);
    if (st || out->peak_bytes <= s->memory || !o.merge)
        return st;
    struct yk_solver_plan pairs;
    o.merge = false;
    if ((st = build_plan(&pairs, s->p, s->t, &o)) == YK_OK && pairs.peak_bytes < out->peak_bytes) {
        yk_solver_plan_finish(out);
        *out = pairs;
    } else {
        yk_solver_plan_finish(&pairs);
    }
    return st;
}

/* For each variable: the cost of the nodes that have it, and the cells of large results that fixing it saves. */
static void weigh(const struct slicer *s, double large, double *cost, double *saved, double *cells0, double *cost0)
{
    const struct tree *t = s->t;
    *cells0 = *cost0 = 0;
    for (uint32_t v = 0; v < s->p->nbits; v++)
        cost[v] = saved[v] = 0;
    for (uint32_t i = t->nleaves; i < t->nnodes; i++) {
        const uint64_t *a = tree_legs(t, t->node[i].child[0]), *b = tree_legs(t, t->node[i].child[1]);
        *cost0 += t->node[i].cost;
        for (uint32_t w = 0; w < t->words; w++)
            for (uint64_t x = a[w] | b[w]; x; x &= x - 1)
                cost[w * 64 + (uint32_t)__builtin_ctzll(x)] += t->node[i].cost;
        double c = bits_cells(tree_legs(t, i), s->p->power, t->words);
        if (c < large)
            continue;
        *cells0 += c;
        BITS_FOREACH(v, tree_legs(t, i), t->words)
        {
            saved[v] += c * (1 - 1.0 / s->p->domain[v]);
        }
    }
}

/* The variable that costs the least more work for the memory it saves. YK_NO_VAR: none is left. */
static uint32_t choose(const struct slicer *s)
{
    double large = tree_largest(s->t, s->p) / 16, cells0, cost0, best = INFINITY;
    double *with = malloc(2 * ((size_t)s->t->words * 64 + 1) * sizeof *with), *saved = with + s->t->words * 64;
    uint32_t pick = YK_NO_VAR;
    if (!with)
        return pick;
    weigh(s, large, with, saved, &cells0, &cost0);
    for (uint32_t v = 0; v < s->p->nbits; v++) {
        double cells = cells0 - saved[v], cost = with[v] + s->p->domain[v] * (cost0 - with[v]);
        if (s->p->var[v] == YK_NO_VAR || bit_get(s->p->sliced, v) || !(cells < cells0 * 0.99))
            continue;
        /* a factor that only slows down counts even where the cost hardly rises */
        double price = (log2(cost / cost0) + 0.02) / log2(cells0 / cells);
        if (price < best)
            best = price, pick = v;
    }
    free(with);
    return pick;
}

static void optimise(struct slicer *s)
{
    /* Of large trees less: each slice is followed by this. */
    uint32_t sweeps = (uint32_t)fmax(2, fmin(200, 1e6 / s->p->nleaves));
    struct anneal_schedule a = {.hot = 0.3, .cold = 0.02, .sweeps = sweeps, .floor = 1e-4};
    tree_recount(s->t, s->p);
    tree_copy(&s->work, s->t);
    anneal(&s->work, s->t, s->p, &a, &s->r, s->stop);
    reconf_tree(s->t, s->p, s->reconf, 8, 0.01, false, &s->r, s->stop);
}

/* Later optimisation may have made an early slice needless. */
static yk_status drop_needless(struct yk_solver_plan *out, struct slicer *s)
{
    for (uint32_t v = 0; v < s->p->nbits; v++) {
        struct yk_solver_plan more;
        if (!bit_get(s->p->sliced, v))
            continue;
        problem_unslice(s->p, v);
        tree_recount(s->t, s->p);
        yk_status st = build_best(&more, s);
        if (st)
            return st;
        if (more.peak_bytes <= s->memory && more.seconds < out->seconds) {
            yk_solver_plan_finish(out);
            *out = more;
        } else {
            yk_solver_plan_finish(&more);
            problem_slice(s->p, v);
            tree_recount(s->t, s->p);
        }
    }
    return YK_OK;
}

static yk_status run(struct yk_solver_plan *out, struct slicer *s, char *msg, size_t n)
{
    yk_status st = build_best(out, s);
    double unsliced = out->peak_bytes;
    if (st || unsliced <= s->memory)
        return st;
    while (out->peak_bytes > s->memory) {
        if (deadline_passed(s->stop)) {
            snprintf(msg, n, "ended by request");
            return YK_ECANCELED;
        }
        uint32_t v = s->p->nleaves ? choose(s) : YK_NO_VAR;
        if (v == YK_NO_VAR || out->seconds > HOPELESS_SECONDS) {
            snprintf(msg, n,
                     "the plan needs %.3g GB of tables where %.3g GB are allowed, and even with %u variables fixed it "
                     "needs %.3g GB and a predicted %.3g s",
                     unsliced / 1e9, s->memory / 1e9, out->nsliced, out->peak_bytes / 1e9, out->seconds);
            return YK_ELIMIT;
        }
        problem_slice(s->p, v);
        optimise(s);
        yk_solver_plan_finish(out);
        if ((st = build_best(out, s)))
            return st;
    }
    return drop_needless(out, s);
}

yk_status slice_to_fit(struct yk_solver_plan *out, struct problem *p, struct tree *t, const struct build_options *o,
                       double memory_bytes, uint64_t seed, const struct deadline *stop, char *msg, size_t n)
{
    struct slicer s = {.p = p, .t = t, .o = o, .memory = memory_bytes, .stop = stop, .r = rng_make(seed, 1)};
    *out = (struct yk_solver_plan){0};
    yk_status st = YK_OK;
    if (p->nleaves) {
        st = tree_init(&s.work, p);
        if (!st && !(s.reconf = reconf_work_new(p)))
            st = YK_ENOMEM;
    }
    if (!st)
        st = run(out, &s, msg, n);
    else
        snprintf(msg, n, "out of memory");
    tree_finish(&s.work);
    reconf_work_free(s.reconf);
    if (st)
        yk_solver_plan_finish(out);
    return st;
}
