/* The driver: what is searched, for how long, and who is told meanwhile. */
#include "solver/search/search.h"
#include <math.h>
#include <stdio.h>
#include <unistd.h>
#include "base/clock.h"
#include "solver/search/improve.h"
#include "solver/search/reduce.h"
#include "solver/search/search_work.h"
#include "solver/search/slice.h"

/* Fitted to the native CPU kernels on one core: the plans of 29 networks are predicted within a factor of 2. */
const struct yk_search_model yk_search_model_default = {.per_node = 1e-6, .per_operation = 1.5e-10, .per_cell = 8e-10};

void yk_search_options_init(struct yk_search_options *opt)
{
    *opt = (struct yk_search_options){.max_seconds = -1, .seed = 1};
}

/* Less is not worth asking for: even one try takes as long on a network of a thousand variables. */
static const double QUICK_SECONDS = 0.1;

static double left_until(const struct search *s, uint64_t end_ns)
{
    if (atomic_load_explicit(&s->stop, memory_order_relaxed))
        return 0;
    return end_ns == UINT64_MAX ? (double)INFINITY : 1e-9 * ((double)end_ns - (double)yk_now_ns());
}

static double left_for_trials(const void *ctx)
{
    const struct search *s = ctx;
    return left_until(s, s->end_ns);
}

static double left_for_all(const void *ctx)
{
    const struct search *s = ctx;
    return left_until(s, s->last_ns);
}

static double left_when_asked(const void *ctx)
{
    const struct search *s = ctx;
    return left_until(s, UINT64_MAX);
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
    if (st)
        return st;
    reduction_expand(r, t, full, &s->best);
    if (full->nleaves < 3 || s->o.max_seconds == 0 || deadline_passed(&s->deadline))
        return YK_OK;
    struct reconf_work *w = reconf_work_new(full);
    if (!w || tree_init(&walk, full) != YK_OK) {
        reconf_work_free(w);
        return YK_ENOMEM;
    }
    double sweeps = fmin(200, 0.02 * search_predicted(s, t) / (60e-9 * full->nleaves));
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

/* What is to be done once the trials are over, in seconds: the tree of the whole network, the plan from it, memory
 * given back. Sets are gone over some times. */
static double seconds_to_finish(const struct problem *full)
{
    return 1e-9 * full->nleaves * (1000 + 40 * (double)full->words);
}

static void settle_end(struct search *s, const struct problem *full)
{
    if (s->last_ns == UINT64_MAX)
        return;
    double all = 1e-9 * (double)(s->last_ns - s->start_ns), rest = fmin(seconds_to_finish(full), all / 2);
    s->end_ns = s->last_ns - (uint64_t)(1e9 * rest);
}

static yk_status search_problem(struct search *s, struct problem *full, struct yk_solver_plan *out, char *msg, size_t n)
{
    const struct slice_options o = {.build = {.model = s->o.model, .merge = true, .marginals = s->o.marginals},
                                    .memory_bytes = s->o.memory_bytes,
                                    .seed = s->o.seed,
                                    .stop = {left_when_asked, s},
                                    .time = s->to_last};
    struct tree t = {0};
    struct reduction r;
    full->cell_cost = 2 * s->o.model.per_cell / s->o.model.per_operation;
    full->cells_max = s->o.memory_bytes / 8 / (s->o.marginals ? 8 : 3); /* a few tables live at a time */
    if (!full->nleaves)
        return slice_to_fit(out, full, NULL, &o, msg, n);
    settle_end(s, full);
    yk_status st = reduce(&r, full, &s->deadline);
    if (st)
        return st;
    s->p = &r.core;
    if (r.core.nleaves > 1) {
        st = tree_init(&s->best, &r.core);
        s->best.total = INFINITY;
        if (!st)
            st = search_best_tree(s);
    }
    if (!st)
        st = expand(s, &t, full, &r);
    if (!st && !isfinite(t.total)) {
        snprintf(msg, n, "no plan was found that could ever be run");
        st = YK_ELIMIT;
    }
    if (!st)
        st = slice_to_fit(out, full, &t, &o, msg, n);
    tree_finish(&s->best);
    tree_finish(&t);
    reduction_finish(&r);
    return st;
}

/* A whole search, in a thread of its own where somebody wants to be told how it goes. */
struct errand {
    struct search *s;
    const struct yk_network *net;
    struct yk_solver_plan *out;
    char *msg;
    size_t n;
    yk_status status;
};

static void *run_errand(void *arg)
{
    struct errand *e = arg;
    struct search *s = e->s;
    struct problem p;
    e->status = problem_init(&p, e->net);
    if (!e->status) {
        e->status = search_problem(s, &p, e->out, e->msg, e->n);
        problem_finish(&p);
    }
    pthread_mutex_lock(&s->mutex);
    s->over = true;
    pthread_cond_signal(&s->done);
    pthread_mutex_unlock(&s->mutex);
    return NULL;
}

/* The calling thread waits and reports. */
static void watch(struct search *s)
{
    pthread_mutex_lock(&s->mutex);
    while (!s->over) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 100000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&s->done, &s->mutex, &until);
        if (s->over)
            break;
        struct yk_search_progress x = s->shown;
        x.elapsed = search_elapsed(s);
        x.trials = atomic_load(&s->trials);
        pthread_mutex_unlock(&s->mutex);
        if (!s->o.progress(s->o.ctx, &x))
            atomic_store(&s->stop, true);
        pthread_mutex_lock(&s->mutex);
    }
    pthread_mutex_unlock(&s->mutex);
}

static void run_watched(struct errand *e)
{
    pthread_t thread;
    if (!e->s->o.progress || e->net->nfactors <= RECONF_MAX || pthread_create(&thread, NULL, run_errand, e) != 0) {
        run_errand(e);
        return;
    }
    watch(e->s);
    pthread_join(thread, NULL);
}

yk_status yk_solver_plan_search(const struct yk_network *net, const struct yk_search_options *opt,
                                struct yk_solver_plan *out, char *msg, size_t n)
{
    struct search s = {.o = *opt, .start_ns = yk_now_ns(), .end_ns = UINT64_MAX, .last_ns = UINT64_MAX};
    struct errand e = {&s, net, out, msg, n, YK_OK};
    *out = (struct yk_solver_plan){0};
    set_defaults(&s.o);
    s.shown.log10_operations = s.shown.log2_largest = s.shown.seconds = INFINITY;
    s.deadline = (struct deadline){left_for_trials, &s};
    s.to_last = (struct deadline){left_for_all, &s};
    if (s.o.max_seconds >= 0 && s.o.max_seconds < 1e9) /* the quick try has an end too */
        s.end_ns = s.last_ns = s.start_ns + (uint64_t)(1e9 * fmax(s.o.max_seconds, QUICK_SECONDS));
    pthread_mutex_init(&s.mutex, NULL);
    pthread_cond_init(&s.done, NULL);
    run_watched(&e);
    yk_array_finish(&s.history);
    pthread_cond_destroy(&s.done);
    pthread_mutex_destroy(&s.mutex);
    if (e.status == YK_ENOMEM)
        snprintf(msg, n, "the plan search ran out of memory");
    return e.status;
}
