#include "solver/search/slice.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "solver/search/plan_tools.h"

struct slicer {
    struct problem *p;
    struct tree *t, work;
    struct reconf_work *reconf;
    const struct slice_options *o;
    double memory;
    struct rng r;
};

/* The plan of T, with n-ary steps if the peak allows them. */
static yk_status build_best(struct yk_solver_plan *out, struct slicer *s)
{
    struct build_options o = s->o->build;
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

/* The least that more slices can be foretold to be: the largest table must fit, with another beside it. */
static double slices_to_come(const struct slicer *s)
{
    return fmax(1, log2(2 * 8 * tree_largest(s->t, s->p) / s->memory));
}

static void optimise(struct slicer *s)
{
    /* Of large trees less: each slice is followed by this. */
    double sweeps = fmax(2, fmin(200, 1e6 / s->p->nleaves)), left = deadline_left(&s->o->time);
    tree_recount(s->t, s->p);
    if (left <= 0)
        return;
    sweeps = fmin(sweeps, left / (1 + slices_to_come(s)) / 2 / anneal_sweep_seconds(s->p));
    if (sweeps < 2)
        return;
    struct anneal_schedule a = {.hot = 0.3, .cold = 0.02, .sweeps = (uint32_t)sweeps, .floor = 1e-4};
    tree_copy(&s->work, s->t);
    anneal(&s->work, s->t, s->p, &a, &s->r, &s->o->time);
    reconf_tree(s->t, s->p, s->reconf, 8, 0.01, false, &s->r, &s->o->time);
}

/* Later optimisation may have made an early slice needless. */
static yk_status drop_needless(struct yk_solver_plan *out, struct slicer *s)
{
    for (uint32_t v = 0; v < s->p->nbits; v++) {
        struct yk_solver_plan more;
        if (!bit_get(s->p->sliced, v))
            continue;
        if (deadline_passed(&s->o->time))
            break;
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

/* The least that running the present tree is predicted to take: no n-ary step has fewer operations. */
static double least_seconds(const struct slicer *s)
{
    double states = 1;
    BITS_FOREACH(v, s->p->sliced, s->p->words)
    states *= s->p->domain[v];
    return s->o->build.model.per_operation * tree_operations(s->t, s->p) * states;
}

static yk_status refuse(const struct slicer *s, double unsliced, char *msg, size_t n)
{
    int at =
        snprintf(msg, n, "the plan needs %.3g GB of tables where %.3g GB are allowed", unsliced / 1e9, s->memory / 1e9);
    if (s->p->nleaves && at > 0 && (size_t)at < n)
        snprintf(msg + at, n - (size_t)at,
                 ", and even with %u variables fixed its largest table has %.3g GB and it takes a predicted %.3g s",
                 bits_count(s->p->sliced, s->p->words), 8e-9 * tree_largest(s->t, s->p), least_seconds(s));
    return YK_ELIMIT;
}

static yk_status run(struct yk_solver_plan *out, struct slicer *s, char *msg, size_t n)
{
    yk_status st = build_best(out, s);
    const double unsliced = out->peak_bytes;
    if (st || unsliced <= s->memory)
        return st;
    while (out->peak_bytes > s->memory) {
        if (deadline_passed(&s->o->stop)) {
            snprintf(msg, n, "ended by request");
            return YK_ECANCELED;
        }
        uint32_t v = s->p->nleaves && least_seconds(s) <= HOPELESS_SECONDS ? choose(s) : YK_NO_VAR;
        if (v == YK_NO_VAR)
            return refuse(s, unsliced, msg, n);
        problem_slice(s->p, v);
        optimise(s);
        if (8 * tree_largest(s->t, s->p) > s->memory)
            continue; /* no plan of this tree fits */
        yk_solver_plan_finish(out);
        if ((st = build_best(out, s)))
            return st;
    }
    return drop_needless(out, s);
}

yk_status slice_to_fit(struct yk_solver_plan *out, struct problem *p, struct tree *t, const struct slice_options *o,
                       char *msg, size_t n)
{
    struct slicer s = {.p = p, .t = t, .o = o, .memory = o->memory_bytes, .r = rng_make(o->seed, 1)};
    *out = (struct yk_solver_plan){0};
    yk_status st = YK_OK;
    if (p->nleaves && isfinite(o->memory_bytes)) {
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
