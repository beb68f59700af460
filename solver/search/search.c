/* The driver: trees made and annealed by all threads until the time is over or more search no longer pays. */
#include "solver/search/search.h"
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/array.h"
#include "base/clock.h"
#include "solver/search/improve.h"
#include "solver/search/make.h"
#include "solver/search/reduce.h"
#include "solver/search/slice.h"

/* Fitted to the native CPU kernels on one core: the plans of 29 networks are predicted within a factor of 2. */
const struct yk_search_model yk_search_model_default = {.per_node = 1e-6, .per_operation = 1.5e-10, .per_cell = 8e-10};

struct event {
    double at, seconds; /* a best plan of SECONDS was found AT seconds */
};

/* What the threads share. */
struct search {
    const struct problem *p; /* what is searched: the core */
    struct yk_search_options o;
    uint64_t start_ns, end_ns; /* end_ns UINT64_MAX: no limit */
    struct deadline deadline;
    atomic_bool stop;
    atomic_uint_fast64_t trials;
    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t done;
    struct tree best;
    YK_ARRAY(struct event) history;
    unsigned in_vain; /* trials since the last one that saved half a percent */
    int running;
};

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

void yk_search_options_init(struct yk_search_options *opt)
{
    *opt = (struct yk_search_options){.max_seconds = -1, .seed = 1};
}

static double elapsed(const struct search *s)
{
    return 1e-9 * (double)(yk_now_ns() - s->start_ns);
}

static bool passed(const void *ctx)
{
    const struct search *s = ctx;
    return atomic_load_explicit(&s->stop, memory_order_relaxed) ||
           (s->end_ns != UINT64_MAX && yk_now_ns() >= s->end_ns);
}

/* What running T is predicted to take, without the parts that no search changes. */
static double predicted(const struct search *s, const struct tree *t)
{
    return s->o.model.per_operation * t->total * (s->o.marginals ? 3 : 1);
}

static void publish(struct search *s, const struct tree *t)
{
    pthread_mutex_lock(&s->mutex);
    s->in_vain = t->total < 0.995 * s->best.total ? 0 : s->in_vain + 1;
    if (t->total < s->best.total) {
        tree_copy(&s->best, t);
        struct event e = {elapsed(s), predicted(s, t)};
        if (!yk_array_push(&s->history, e) && s->history.n) /* without memory the newest takes the last one's place */
            s->history.v[s->history.n - 1] = e;
    }
    pthread_mutex_unlock(&s->mutex);
}

/* Is a trial of COST seconds, the K-th, predicted to save less than it costs? Its saving is taken as what the last half
 * of the time brought, or, if more, what a trial is known to bring: half the time at first, later a few percent, less
 * after each trial in vain. No search is worth a quarter of what it plans. */
static bool too_dear(struct search *s, double cost, uint64_t k)
{
    if (s->o.max_seconds >= 0)
        return false;
    pthread_mutex_lock(&s->mutex);
    double t = elapsed(s), now = predicted(s, &s->best), before = now;
    for (size_t i = s->history.n; i-- > 0;) {
        before = s->history.v[i].seconds;
        if (s->history.v[i].at <= t / 2)
            break;
    }
    double usual = now * (k < 5 ? exp2(-1.0 - (double)k) : 0.03 * pow(0.8, s->in_vain));
    pthread_mutex_unlock(&s->mutex);
    return fmax(before - now, usual) < cost || (k >= 5 && t > now / 4 && s->in_vain > 1);
}

/* A new tree in w->walk by a random method: the best of a few. */
static void make_some(struct worker *w, struct rng *r)
{
    const struct problem *p = w->s->p;
    w->best.total = INFINITY;
    for (int k = 0; k < 3 && !(k && deadline_passed(&w->s->deadline)); k++) {
        uint32_t x = rng_below(r, 100);
        if (x < 45)
            make_by_order_rule(&w->walk, p, w->make, MAKE_WEIGHTED_FILL, 0.3 * rng_unit(r), r);
        else if (x < 65)
            make_by_order_rule(&w->walk, p, w->make, MAKE_FILL, 0.3 * rng_unit(r), r);
        else if (x < 75)
            make_by_order_rule(&w->walk, p, w->make, x < 70 ? MAKE_WEIGHT : MAKE_DEGREE, 0.1 * rng_unit(r), r);
        else if (x < 88 || !make_by_dissection(&w->walk, p, w->make, r))
            make_by_pairs(&w->walk, p, w->make, 1.2 * rng_unit(r), exp(-5 * rng_unit(r)), r);
        if (w->walk.total < w->best.total)
            tree_copy(&w->best, &w->walk);
    }
    tree_copy(&w->walk, &w->best);
}

/* Trial K: annealing of a new tree or of the best one, longer and longer. False: the search is over. */
static bool trial(struct worker *w, uint64_t k)
{
    struct search *s = w->s;
    struct rng r = rng_make(s->o.seed, k + 1);
    double sweeps = fmin(100 * exp2((double)k / 3), 1e6);
    double left = s->o.max_seconds < 0 ? INFINITY : s->o.max_seconds - elapsed(s);
    if (w->sweep_seconds > 0) {
        sweeps = fmin(sweeps, left / w->sweep_seconds);
        if (sweeps < 10 || too_dear(s, sweeps * w->sweep_seconds, k))
            return false;
    }
    struct anneal_schedule a = {.hot = 1, .cold = 0.02, .sweeps = (uint32_t)sweeps, .floor = 1e-4};
    if (k == 0 || k % 3 == 2) {
        pthread_mutex_lock(&s->mutex);
        tree_copy(&w->walk, &s->best);
        pthread_mutex_unlock(&s->mutex);
        a.hot = k ? 0.5 : 1;
    } else {
        make_some(w, &r);
    }
    tree_copy(&w->best, &w->walk);
    double t0 = elapsed(s);
    anneal(&w->walk, &w->best, s->p, &a, &r, &s->deadline);
    w->sweep_seconds = (elapsed(s) - t0) / sweeps;
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
            break;
    }
    pthread_mutex_lock(&s->mutex);
    s->running--;
    pthread_cond_signal(&s->done);
    pthread_mutex_unlock(&s->mutex);
    return NULL;
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
    if (tree_init(&w->walk, s->p) || tree_init(&w->best, s->p) || !(w->make = make_work_new(s->p)) ||
        !(w->reconf = reconf_work_new(s->p))) {
        worker_finish(w);
        return YK_ENOMEM;
    }
    return YK_OK;
}

/* The calling thread waits for the workers and reports. */
static void wait_for_workers(struct search *s)
{
    pthread_mutex_lock(&s->mutex);
    while (s->running) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 100000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&s->done, &s->mutex, &until);
        if (!s->o.progress || !s->running)
            continue;
        struct yk_search_progress x = {.elapsed = elapsed(s),
                                       .trials = atomic_load(&s->trials),
                                       .log10_operations = log10(tree_operations(&s->best, s->p)),
                                       .log2_largest = log2(tree_largest(&s->best, s->p)),
                                       .seconds = predicted(s, &s->best)};
        pthread_mutex_unlock(&s->mutex);
        if (!s->o.progress(s->o.ctx, &x))
            atomic_store(&s->stop, true);
        pthread_mutex_lock(&s->mutex);
    }
    pthread_mutex_unlock(&s->mutex);
}

static yk_status run_threads(struct search *s, int threads)
{
    struct worker *w = calloc((size_t)threads, sizeof *w);
    int started = 0;
    if (!w)
        return YK_ENOMEM;
    for (int i = 0; i < threads; i++) {
        if (worker_init(&w[i], s))
            break;
        s->running++;
        started++;
    }
    /* all counted before the first can end */
    for (int i = 0; i < started; i++) {
        w[i].started = pthread_create(&w[i].thread, NULL, work, &w[i]) == 0;
        if (!w[i].started) {
            pthread_mutex_lock(&s->mutex);
            s->running--;
            pthread_mutex_unlock(&s->mutex);
        }
    }
    wait_for_workers(s);
    for (int i = 0; i < started; i++) {
        if (w[i].started)
            pthread_join(w[i].thread, NULL);
        worker_finish(&w[i]);
    }
    free(w);
    return started ? YK_OK : YK_ENOMEM;
}

/* The first tree: plain weighted min-fill or one sweep, exactly re-ordered in the small. A tree of few leaves is then
 * optimal. */
static yk_status first_tree(struct search *s)
{
    struct worker w;
    yk_status st = worker_init(&w, s);
    if (st)
        return st;
    struct rng r = rng_make(s->o.seed, 0);
    make_by_order_rule(&w.best, s->p, w.make, MAKE_WEIGHTED_FILL, 0, &r);
    make_by_sweep(&w.walk, s->p, w.make);
    if (w.best.total <= w.walk.total)
        tree_copy(&w.walk, &w.best);
    reconf_tree(&w.walk, s->p, w.reconf, s->p->nleaves <= RECONF_MAX ? RECONF_MAX : 8, 0.01, false, &r, &s->deadline);
    publish(s, &w.walk);
    worker_finish(&w);
    return YK_OK;
}

static yk_status find_tree(struct search *s)
{
    yk_status st = first_tree(s);
    if (st || s->p->nleaves <= RECONF_MAX || s->o.max_seconds == 0 || deadline_passed(&s->deadline))
        return st;
    /* about what the first annealing costs, rotations of 30 ns and 8 ns a word; not worth a thread otherwise */
    if (too_dear(s, 100e-9 * (30 + 8 * (double)s->p->words) * s->p->nleaves, 0))
        return YK_OK;
    return run_threads(s, s->o.threads);
}

static void set_defaults(struct yk_search_options *o)
{
    if (!(o->model.per_operation > 0))
        o->model = yk_search_model_default;
    if (o->threads <= 0)
        o->threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (o->threads <= 0)
        o->threads = 1;
    if (!(o->memory_bytes > 0))
        o->memory_bytes = INFINITY;
}

/* The whole network's tree from the core's: the small joins below it, improved together where that is predicted to pay.
 */
static yk_status expand(struct search *s, struct tree *t, const struct problem *full, struct reduction *r)
{
    struct tree walk = {0};
    struct rng rng = rng_make(s->o.seed, UINT64_MAX);
    yk_status st = tree_init(t, full);
    reduction_expand(r, t, full, &s->best);
    if (full->nleaves < 3 || s->o.max_seconds == 0)
        return st;
    struct reconf_work *w = reconf_work_new(full);
    if (!w || tree_init(&walk, full) != YK_OK) {
        reconf_work_free(w);
        return YK_ENOMEM;
    }
    double sweeps = fmin(200, 0.02 * predicted(s, t) / (60e-9 * full->nleaves));
    if (sweeps >= 20 && r->njoins) {
        struct anneal_schedule a = {.hot = 0.1, .cold = 0.02, .sweeps = (uint32_t)sweeps, .floor = 1e-4};
        tree_copy(&walk, t);
        anneal(&walk, t, full, &a, &rng, &s->deadline);
    }
    reconf_tree(t, full, w, 8, 0.01, false, &rng, &s->deadline);
    tree_finish(&walk);
    reconf_work_free(w);
    return YK_OK;
}

/* Has the user asked to end? Slicing goes on when the time for searching is over. */
struct watch {
    const struct search *s;
    struct yk_search_progress x;
};

static bool asked_to_end(const void *ctx)
{
    const struct watch *w = ctx;
    struct yk_search_progress x = w->x;
    x.elapsed = elapsed(w->s);
    return w->s->o.progress && !w->s->o.progress(w->s->o.ctx, &x);
}

static yk_status search_problem(struct search *s, struct problem *full, struct yk_solver_plan *out, char *msg, size_t n)
{
    struct build_options b = {.model = s->o.model, .merge = true, .marginals = s->o.marginals};
    struct tree t = {0};
    struct reduction r;
    struct watch watch = {.s = s};
    const struct deadline stop = {asked_to_end, &watch};
    full->cell_cost = 2 * s->o.model.per_cell / s->o.model.per_operation;
    full->cells_max = s->o.memory_bytes / 8 / (s->o.marginals ? 8 : 3); /* a few tables live at a time */
    if (!full->nleaves)
        return slice_to_fit(out, full, NULL, &b, s->o.memory_bytes, s->o.seed, &stop, msg, n);
    yk_status st = reduce(&r, full);
    if (st)
        return st;
    s->p = &r.core;
    if (r.core.nleaves > 1) {
        st = tree_init(&s->best, &r.core);
        s->best.total = INFINITY;
        if (!st)
            st = find_tree(s);
    }
    if (!st)
        st = expand(s, &t, full, &r);
    if (!st && !isfinite(t.total)) {
        snprintf(msg, n, "no plan of less than 10^300 operations was found");
        st = YK_ELIMIT;
    }
    if (!st) {
        watch.x = (struct yk_search_progress){.trials = atomic_load(&s->trials),
                                              .log10_operations = log10(tree_operations(&t, full)),
                                              .log2_largest = log2(tree_largest(&t, full)),
                                              .seconds = predicted(s, &t)};
        st = slice_to_fit(out, full, &t, &b, s->o.memory_bytes, s->o.seed, &stop, msg, n);
    }
    tree_finish(&s->best);
    tree_finish(&t);
    reduction_finish(&r);
    return st;
}

yk_status yk_solver_plan_search(const struct yk_network *net, const struct yk_search_options *opt,
                                struct yk_solver_plan *out, char *msg, size_t n)
{
    struct problem p;
    struct search s = {.o = *opt, .start_ns = yk_now_ns(), .end_ns = UINT64_MAX};
    *out = (struct yk_solver_plan){0};
    set_defaults(&s.o);
    s.deadline = (struct deadline){passed, &s};
    if (s.o.max_seconds > 0 && s.o.max_seconds < 1e9)
        s.end_ns = s.start_ns + (uint64_t)(1e9 * s.o.max_seconds);
    yk_status st = problem_init(&p, net);
    if (!st) {
        pthread_mutex_init(&s.mutex, NULL);
        pthread_cond_init(&s.done, NULL);
        st = search_problem(&s, &p, out, msg, n);
        yk_array_finish(&s.history);
        pthread_cond_destroy(&s.done);
        pthread_mutex_destroy(&s.mutex);
        problem_finish(&p);
    }
    if (st == YK_ENOMEM)
        snprintf(msg, n, "the plan search ran out of memory");
    return st;
}
