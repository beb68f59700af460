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

/* Sum over the large results of their cells, and the whole cost, if variable V (YK_NO_VAR: none) were fixed. */
static void weigh(const struct slicer *s, uint32_t v, double large, double *cells, double *cost)
{
    const struct tree *t = s->t;
    *cells = *cost = 0;
    double d = v == YK_NO_VAR ? 1 : s->p->domain[v], with = 0, without = 0;
    for (uint32_t i = t->nleaves; i < t->nnodes; i++) {
        double c = bits_cells(tree_legs(t, i), s->p->power, t->words);
        bool in = v != YK_NO_VAR &&
                  (bit_get(tree_legs(t, t->node[i].child[0]), v) || bit_get(tree_legs(t, t->node[i].child[1]), v));
        if (c >= large)
            *cells += v != YK_NO_VAR && bit_get(tree_legs(t, i), v) ? c / d : c;
        *(in ? &with : &without) += t->node[i].cost;
    }
    *cost = with + d * without;
}

/* The variable that costs the least more work for the memory it saves. YK_NO_VAR: none is left. */
static uint32_t choose(const struct slicer *s)
{
    const struct tree *t = s->t;
    double large = tree_largest(t, s->p) / 16, cells0, cost0, best = INFINITY;
    uint32_t pick = YK_NO_VAR;
    weigh(s, YK_NO_VAR, large, &cells0, &cost0);
    for (uint32_t v = 0; v < s->p->nbits; v++) {
        double cells, cost;
        if (s->p->var[v] == YK_NO_VAR || bit_get(s->p->sliced, v))
            continue;
        weigh(s, v, large, &cells, &cost);
        if (!(cells < cells0 * 0.99))
            continue;
        /* a factor that only slows down counts even where the cost hardly rises */
        double price = (log2(cost / cost0) + 0.02) / log2(cells0 / cells);
        if (price < best)
            best = price, pick = v;
    }
    return pick;
}

static void optimise(struct slicer *s, uint32_t sweeps)
{
    struct deadline never = {NULL, NULL};
    struct anneal_schedule a = {.hot = 0.3, .cold = 0.02, .sweeps = sweeps, .floor = 1e-4};
    tree_recount(s->t, s->p);
    tree_copy(&s->work, s->t);
    anneal(&s->work, s->t, s->p, &a, &s->r, &never);
    reconf_tree(s->t, s->p, s->reconf, 8, 0.01, false, &s->r, &never);
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
        uint32_t v = s->p->nleaves ? choose(s) : YK_NO_VAR;
        if (v == YK_NO_VAR || out->seconds > HOPELESS_SECONDS) {
            snprintf(msg, n,
                     "the plan needs %.3g GB of tables where %.3g GB are allowed, and even with %u variables fixed it "
                     "needs %.3g GB and a predicted %.3g s",
                     unsliced / 1e9, s->memory / 1e9, out->nsliced, out->peak_bytes / 1e9, out->seconds);
            return YK_ELIMIT;
        }
        problem_slice(s->p, v);
        optimise(s, 200);
        yk_solver_plan_finish(out);
        if ((st = build_best(out, s)))
            return st;
    }
    return drop_needless(out, s);
}

yk_status slice_to_fit(struct yk_solver_plan *out, struct problem *p, struct tree *t, const struct build_options *o,
                       double memory_bytes, uint64_t seed, char *msg, size_t n)
{
    struct slicer s = {.p = p, .t = t, .o = o, .memory = memory_bytes, .r = rng_make(seed, 1)};
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
