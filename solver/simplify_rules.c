/* The rules of simplification, applied to one table after another until none of them changes anything. */
#include <stdlib.h>
#include <string.h>
#include "solver/simplify_work.h"

/* Tables looked at for one that contains another; a variable in more factors than this is rare and must not make the
 * search quadratic. */
enum { MAX_CANDIDATES = 2000 };

void work_enqueue(struct work *w, uint32_t table)
{
    struct table *t = &w->table[table];
    if (t->dead || t->queued)
        return;
    t->queued = true;
    if (!yk_array_push(&w->queue, table))
        w->failed = true;
}

static void enqueue_all(struct work *w, uint32_t var)
{
    for (size_t i = 0; i < w->var[var].in.n; i++)
        work_enqueue(w, w->var[var].in.v[i]);
}

int work_place(const struct table *t, uint32_t var)
{
    for (uint32_t i = 0; i < t->n; i++)
        if (t->var[i] == var)
            return (int)i;
    return -1;
}

static bool stopped(const struct work *w)
{
    return w->failed || w->constant.m == 0;
}

static void kill_table(struct work *w, struct table *t)
{
    uint32_t self = (uint32_t)(t - w->table);
    for (uint32_t i = 0; i < t->n; i++) {
        struct variable *v = &w->var[t->var[i]];
        for (size_t k = 0; k < v->in.n; k++)
            if (v->in.v[k] == self) {
                v->in.v[k] = v->in.v[--v->in.n];
                break;
            }
        if (v->in.n == 1)
            work_enqueue(w, v->in.v[0]);
    }
    free(t->v);
    t->v = NULL;
    t->n = 0;
    t->cells = 0;
    t->dead = true;
}

/* States of VAR and of all tied to it: keep those at the places KEEP, in that order. */
static void keep_states(struct work *w, uint32_t var, const uint32_t *keep, uint32_t nkeep)
{
    uint32_t *old = malloc(((size_t)w->var[var].n + 1) * sizeof *old);
    if (!old) {
        w->failed = true;
        return;
    }
    for (uint32_t v = var; v != NO_VAR; v = v == var ? w->var[v].tied : w->var[v].next_tied) {
        memcpy(old, w->var[v].state, w->var[v].n * sizeof *old);
        for (uint32_t k = 0; k < nkeep; k++)
            w->var[v].state[k] = old[keep[k]];
        w->var[v].n = nkeep;
    }
    free(old);
}

static void restrict_var(struct work *w, uint32_t var, const uint32_t *keep, uint32_t nkeep)
{
    struct variable *v = &w->var[var];
    w->removed_states += v->n - nkeep;
    if (nkeep == 1) {
        w->removed_vars++;
        while (v->in.n && !w->failed) {
            uint32_t id = v->in.v[v->in.n - 1];
            struct table *t = &w->table[id];
            work_drop_var(w, t, (uint32_t)work_place(t, var), keep[0]);
            if (!w->failed)
                work_rescale(w, t);
            work_enqueue(w, id);
        }
    } else {
        for (size_t i = 0; i < v->in.n && !w->failed; i++) {
            struct table *t = &w->table[v->in.v[i]];
            work_take_slices(w, t, (uint32_t)work_place(t, var), keep, nkeep);
            if (!w->failed)
                work_rescale(w, t);
        }
        enqueue_all(w, var);
    }
    if (!w->failed)
        keep_states(w, var, keep, nkeep);
}

/* Rule: a state without a positive cell in some table has probability 0. */
static void remove_states(struct work *w, struct table *t)
{
    size_t total = 0;
    for (uint32_t i = 0; i < t->n; i++)
        total += w->var[t->var[i]].n;
    unsigned char *bytes = malloc(total + 1), **supported = calloc((size_t)t->n + 1, sizeof *supported);
    uint32_t *vars = malloc(((size_t)t->n + 1) * sizeof *vars), n = t->n;
    uint32_t *keep = malloc((total + 1) * sizeof *keep);
    if (!bytes || !supported || !vars || !keep) {
        w->failed = true;
        goto out;
    }
    unsigned char *at = bytes;
    for (uint32_t i = 0; i < n; at += w->var[t->var[i]].n, i++)
        supported[i] = at;
    work_supported(w, t, supported);
    memcpy(vars, t->var, n * sizeof *vars);
    for (uint32_t i = 0; i < n && !stopped(w); i++) {
        uint32_t d = w->var[vars[i]].n, nkeep = 0;
        for (uint32_t k = 0; k < d; k++)
            if (supported[i][k])
                keep[nkeep++] = k;
        if (nkeep < d)
            restrict_var(w, vars[i], keep, nkeep);
    }
out:
    free(bytes);
    free(supported);
    free(vars);
    free(keep);
}

/* Rule: a table does not keep a variable on which it does not depend, nor (without marginals) one that is in no other.
 */
static void drop_vars(struct work *w, struct table *t)
{
    for (uint32_t i = t->n; i-- && !stopped(w);) {
        uint32_t id = t->var[i];
        struct variable *v = &w->var[id];
        if (!w->marginals && v->in.n == 1) {
            v->summed = true;
            w->removed_vars++;
            work_sum_out(w, t, i);
        } else if (!work_depends(w, t, i)) {
            work_drop_var(w, t, i, 0);
            if (v->in.n == 1)
                work_enqueue(w, v->in.v[0]);
        }
    }
}

/* Y is a function of X one to one, TO[x] = y: it leaves all tables, and its states run parallel to X's from now on. */
static void substitute(struct work *w, uint32_t x, uint32_t y, const uint32_t *to)
{
    struct variable *vx = &w->var[x], *vy = &w->var[y];
    while (vy->in.n && !w->failed) {
        uint32_t id = vy->in.v[vy->in.n - 1];
        struct table *t = &w->table[id];
        uint32_t at = (uint32_t)work_place(t, y);
        work_take_slices(w, t, at, to, vy->n);
        if (w->failed)
            return;
        int other = work_place(t, x);
        if (other >= 0) {
            work_diagonal(w, t, (uint32_t)other, at);
            if (!w->failed)
                work_rescale(w, t);
        } else {
            t->var[at] = x;
            vy->in.n--;
            if (!yk_array_push(&vx->in, id))
                w->failed = true;
        }
    }
    if (w->failed)
        return;
    keep_states(w, y, to, vy->n);
    uint32_t last = y;
    vy->alias = x;
    for (uint32_t v = vy->tied; v != NO_VAR; v = w->var[v].next_tied) {
        w->var[v].alias = x;
        last = v;
    }
    /* y and those tied to it go in front of x's list */
    w->var[last].next_tied = vx->tied;
    if (last != y)
        vy->next_tied = vy->tied;
    vy->tied = NO_VAR;
    vx->tied = y;
    w->removed_vars++;
    enqueue_all(w, x);
}

/* Rule: multiply T into the smallest table that has all its variables. True if T is gone. */
static bool merge(struct work *w, struct table *t)
{
    uint32_t rare = t->var[0];
    for (uint32_t i = 1; i < t->n; i++)
        if (w->var[t->var[i]].in.n < w->var[rare].in.n)
            rare = t->var[i];
    struct table *best = NULL;
    size_t n = w->var[rare].in.n < MAX_CANDIDATES ? w->var[rare].in.n : MAX_CANDIDATES;
    for (size_t k = 0; k < n; k++) {
        struct table *u = &w->table[w->var[rare].in.v[k]];
        if (u == t || u->n < t->n || (best && u->cells >= best->cells))
            continue;
        bool all = true;
        for (uint32_t i = 0; i < t->n && all; i++)
            all = work_place(u, t->var[i]) >= 0;
        if (all)
            best = u;
    }
    if (!best || !work_multiply_into(w, t, best))
        return false;
    w->merged_factors++;
    kill_table(w, t);
    work_enqueue(w, (uint32_t)(best - w->table));
    return true;
}

static void look_at(struct work *w, struct table *t)
{
    remove_states(w, t);
    if (stopped(w))
        return;
    drop_vars(w, t);
    if (stopped(w))
        return;
    if (t->n == 0) {
        w->constant = yk_scaled_multiply(w->constant, yk_scaled_make(t->v[0], 0));
        kill_table(w, t);
        return;
    }
    if (t->n == 2 && w->var[t->var[0]].n == w->var[t->var[1]].n) {
        uint32_t *to = malloc(w->var[t->var[0]].n * sizeof *to);
        if (!to)
            w->failed = true;
        else if (work_is_bijection(w, t, to))
            substitute(w, t->var[0], t->var[1], to);
        free(to);
    }
    if (!stopped(w))
        merge(w, t);
}

void work_run(struct work *w)
{
    for (size_t head = 0; head < w->queue.n && !stopped(w); head++) {
        struct table *t = &w->table[w->queue.v[head]];
        t->queued = false;
        if (!t->dead)
            look_at(w, t);
        if (head > 4096 && head * 2 > w->queue.n) { /* keep the queue short */
            memmove(w->queue.v, w->queue.v + head + 1, (w->queue.n - head - 1) * sizeof *w->queue.v);
            w->queue.n -= head + 1;
            head = (size_t)-1;
        }
    }
}
