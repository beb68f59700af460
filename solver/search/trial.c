/* Trials: trees made and annealed by all threads until the time is over or more search no longer pays. */
#include <math.h>
#include <stdlib.h>
#include "base/clock.h"
#include "solver/search/improve.h"
#include "solver/search/make.h"
#include "solver/search/search_work.h"
#include "solver/search/slice.h"

/* Seconds of search, at most, for better plans while the best one is hopeless. */
static const double HOPELESS_SEARCH = 30;

/* One thread's own. */
struct worker {
    struct search *s;
    struct tree walk, best;
    struct make_work *make;
    struct reconf_work *reconf;
    double sweep_seconds; /* measured; 0: not yet */
    pthread_t thread;
    bool started;
};

double search_elapsed(const struct search *s)
{
    return 1e-9 * (double)(yk_now_ns() - s->start_ns);
}

double search_predicted(const struct search *s, const struct tree *t)
{
    return s->o.model.per_operation * t->total * (s->o.marginals ? 3 : 1);
}

static void publish(struct search *s, const struct tree *t)
{
    pthread_mutex_lock(&s->mutex);
    s->in_vain = t->total < 0.995 * s->best.total ? 0 : s->in_vain + 1;
    if (!s->have || t->total < s->best.total) { /* also one beyond the range of numbers is better than none */
        s->have = true;
        tree_copy(&s->best, t);
        s->shown.log10_operations = log10(tree_operations(t, s->p));
        s->shown.log2_largest = log2(tree_largest(t, s->p));
        s->shown.seconds = search_predicted(s, t);
        struct search_event e = {search_elapsed(s), s->shown.seconds};
        if (!yk_array_push(&s->history, e) && s->history.n) /* without memory the newest takes the last one's place */
            s->history.v[s->history.n - 1] = e;
    }
    pthread_mutex_unlock(&s->mutex);
}

/* Is a trial of COST seconds, the K-th, predicted to save less than it costs? Its saving is taken as what the last half
 * of the time brought, or, if more, what a trial is known to bring: half the time at first, later a few percent, less
 * after each trial in vain. No search is worth a quarter of what it plans, nor, for what no one will run, half a
 * minute. */
static bool too_dear(struct search *s, double cost, uint64_t k)
{
    if (s->o.max_seconds >= 0)
        return false;
    pthread_mutex_lock(&s->mutex);
    double t = search_elapsed(s), now = search_predicted(s, &s->best), before = now;
    for (size_t i = s->history.n; i-- > 0;) {
        before = s->history.v[i].seconds;
        if (s->history.v[i].at <= t / 2)
            break;
    }
    double usual = now * (k < 5 ? exp2(-1.0 - (double)k) : 0.03 * pow(0.8, s->in_vain));
    pthread_mutex_unlock(&s->mutex);
    if (now > HOPELESS_SECONDS && (t > HOPELESS_SEARCH || cost > HOPELESS_SEARCH))
        return true;
    return fmax(before - now, usual) < cost || (k >= 5 && t > now / 4 && s->in_vain > 1);
}

/* A new tree in w->walk by a random method: the best of a few. False: there was no time for one. */
static bool make_some(struct worker *w, struct rng *r)
{
    const struct problem *p = w->s->p;
    const struct deadline *d = &w->s->deadline;
    bool any = false;
    if (!w->make && !(w->make = make_work_new(p)))
        return false;
    for (int k = 0; k < 3 && !deadline_passed(d); k++) {
        uint32_t x = rng_below(r, 100);
        bool made;
        if (x < 45)
            made = make_by_order_rule(&w->walk, p, w->make, MAKE_WEIGHTED_FILL, 0.3 * rng_unit(r), r, d);
        else if (x < 65)
            made = make_by_order_rule(&w->walk, p, w->make, MAKE_FILL, 0.3 * rng_unit(r), r, d);
        else if (x < 75)
            made =
                make_by_order_rule(&w->walk, p, w->make, x < 70 ? MAKE_WEIGHT : MAKE_DEGREE, 0.1 * rng_unit(r), r, d);
        else
            made = (x < 88 && make_by_dissection(&w->walk, p, w->make, r, d)) ||
                   make_by_pairs(&w->walk, p, w->make, 1.2 * rng_unit(r), exp(-5 * rng_unit(r)), r, d);
        if (made && (!any || w->walk.total < w->best.total))
            tree_copy(&w->best, &w->walk);
        any |= made;
    }
    if (any)
        tree_copy(&w->walk, &w->best);
    return any;
}

/* Trial K: annealing of a new tree or of the best one, longer and longer. False: the search is over. */
static bool trial(struct worker *w, uint64_t k)
{
    struct search *s = w->s;
    struct rng r = rng_make(s->o.seed, k + 1);
    double sweeps = fmin(100 * exp2((double)k / 3), 1e6), left = deadline_left(&s->deadline);
    struct anneal_schedule a = {.hot = 1, .cold = 0.02, .floor = 1e-4};
    if (w->sweep_seconds > 0) {
        sweeps = fmin(sweeps, left / w->sweep_seconds);
        if (sweeps < 10 || too_dear(s, sweeps * w->sweep_seconds, k))
            return false;
    } else if (left < sweeps * anneal_sweep_seconds(s->p)) { /* too little time to heat up: what is better is taken */
        sweeps = fmax(4, left / anneal_sweep_seconds(s->p));
        a.hot = 0.1;
    }
    if (k == 0 || k % 3 == 2 || !make_some(w, &r)) {
        if (deadline_passed(&s->deadline))
            return false;
        pthread_mutex_lock(&s->mutex);
        tree_copy(&w->walk, &s->best);
        pthread_mutex_unlock(&s->mutex);
        a.hot = fmin(a.hot, k ? 0.5 : 1);
    }
    a.sweeps = (uint32_t)sweeps;
    tree_copy(&w->best, &w->walk);
    double t0 = search_elapsed(s);
    anneal(&w->walk, &w->best, s->p, &a, &r, &s->deadline);
    w->sweep_seconds = (search_elapsed(s) - t0) / sweeps;
    reconf_tree(&w->best, s->p, w->reconf, 8, 0.01, false, &r, &s->deadline);
    publish(s, &w->best);
    return !deadline_passed(&s->deadline);
}

static void *work(void *arg)
{
    struct worker *w = arg;
    struct search *s = w->s;
    for (;;) {
        uint64_t k = atomic_fetch_add(&s->trials, 1);
        if ((s->o.max_trials && k >= s->o.max_trials) || !trial(w, k))
            return NULL;
    }
}

static void worker_finish(struct worker *w)
{
    tree_finish(&w->walk);
    tree_finish(&w->best);
    make_work_free(w->make);
    reconf_work_free(w->reconf);
}

static yk_status worker_init(struct worker *w, struct search *s)
{
    *w = (struct worker){.s = s};
    if (tree_init(&w->walk, s->p) || tree_init(&w->best, s->p) || !(w->reconf = reconf_work_new(s->p))) {
        worker_finish(w);
        return YK_ENOMEM;
    }
    return YK_OK;
}

static yk_status run_threads(struct search *s, int threads)
{
    struct worker *w = calloc((size_t)threads, sizeof *w);
    int started = 0;
    if (!w)
        return YK_ENOMEM;
    for (; started < threads; started++) {
        if (worker_init(&w[started], s))
            break;
        w[started].started = pthread_create(&w[started].thread, NULL, work, &w[started]) == 0;
    }
    for (int i = 0; i < started; i++) {
        if (w[i].started)
            pthread_join(w[i].thread, NULL);
        worker_finish(&w[i]);
    }
    free(w);
    return started ? YK_OK : YK_ENOMEM;
}

/* The time for one maker of the first tree. */
struct share {
    const struct search *s;
    uint64_t end_ns;
};

static double share_left(const void *ctx)
{
    const struct share *x = ctx;
    return fmin(deadline_left(&x->s->deadline), 1e-9 * ((double)x->end_ns - (double)yk_now_ns()));
}

/* A maker of the first tree may take a third of what is left, and no longer than the best tree so far would run. */
static struct share share_of(const struct search *s, const struct tree *best)
{
    double seconds = fmin(deadline_left(&s->deadline) / 3, fmax(0.1, fmin(search_predicted(s, best), 1e3)));
    return (struct share){s, yk_now_ns() + (uint64_t)(1e9 * fmax(0, seconds))};
}

static void try_first(struct worker *w, enum make_rule rule, struct rng *r)
{
    struct share x = share_of(w->s, &w->best);
    const struct deadline d = {share_left, &x};
    if (make_by_order_rule(&w->walk, w->s->p, w->make, rule, 0, r, &d) && w->walk.total <= w->best.total)
        tree_copy(&w->best, &w->walk);
}

/* The first tree: plain weighted min-fill or one sweep, exactly re-ordered in the small. A tree of few leaves is then
 * optimal. The sweep always ends soon; where min-fill may not, min-degree is tried before it. */
static yk_status first_tree(struct search *s)
{
    enum { LARGE = 3000 };
    struct worker w;
    yk_status st = worker_init(&w, s);
    if (st)
        return st;
    if (!(w.make = make_work_new(s->p))) {
        worker_finish(&w);
        return YK_ENOMEM;
    }
    struct rng r = rng_make(s->o.seed, 0);
    make_by_sweep(&w.best, s->p, w.make, &s->deadline);
    if (s->p->nleaves > LARGE) {
        publish(s, &w.best);
        try_first(&w, MAKE_DEGREE, &r);
    }
    try_first(&w, MAKE_WEIGHTED_FILL, &r);
    reconf_tree(&w.best, s->p, w.reconf, s->p->nleaves <= RECONF_MAX ? RECONF_MAX : 8, 0.01, false, &r, &s->deadline);
    publish(s, &w.best);
    worker_finish(&w);
    return YK_OK;
}

yk_status search_best_tree(struct search *s)
{
    yk_status st = first_tree(s);
    if (st || s->p->nleaves <= RECONF_MAX || s->o.max_seconds == 0 || deadline_passed(&s->deadline))
        return st;
    /* about what the first annealing costs; not worth a thread otherwise */
    if (too_dear(s, 100 * anneal_sweep_seconds(s->p), 0))
        return YK_OK;
    return run_threads(s, s->o.threads);
}
