#include "solver/simplify.h"
#include <stdlib.h>
#include <string.h>
#include "solver/simplify_work.h"

/* Table of factor F as it stands, variables of one state left out. */
static bool copy_factor(struct work *w, const struct yk_network *net, size_t index)
{
    const struct yk_factor *f = &net->factor[index];
    struct table *t = &w->table[index];
    t->var = malloc(((size_t)f->n + 1) * sizeof *t->var);
    t->v = malloc((f->cells + 1) * sizeof *t->v);
    if (!t->var || !t->v)
        return false;
    t->cells = f->cells;
    memcpy(t->v, f->value, f->cells * sizeof *t->v);
    for (uint32_t i = 0; i < f->n; i++) {
        if (net->domain[f->scope[i]] == 1)
            continue;
        t->var[t->n++] = f->scope[i];
        if (!yk_array_push(&w->var[f->scope[i]].in, (uint32_t)index))
            return false;
    }
    work_rescale(w, t);
    work_enqueue(w, (uint32_t)index);
    return !w->failed;
}

static bool work_init(struct work *w, const struct yk_network *net, struct yk_arena *arena)
{
    w->constant = yk_scaled_make(1, 0);
    w->nvars = net->nvars;
    w->ntables = net->nfactors;
    w->var = calloc((size_t)net->nvars + 1, sizeof *w->var);
    w->table = calloc(net->nfactors + 1, sizeof *w->table);
    if (!w->var || !w->table)
        return false;
    for (uint32_t v = 0; v < net->nvars; v++) {
        struct variable *x = &w->var[v];
        x->n = net->domain[v];
        x->alias = x->tied = x->next_tied = NO_VAR;
        if (!(x->state = yk_arena_array(arena, uint32_t, x->n)))
            return false;
        for (uint32_t s = 0; s < x->n; s++)
            x->state[s] = s;
    }
    for (size_t f = 0; f < net->nfactors; f++)
        if (!copy_factor(w, net, f))
            return false;
    return true;
}

/* As remove_states does it, for the one state that was seen. */
static void observe(struct work *w, uint32_t var, uint32_t state)
{
    struct variable *v = &w->var[var];
    if (v->n == 1)
        return;
    while (v->in.n && !w->failed) {
        struct table *t = &w->table[v->in.v[v->in.n - 1]];
        work_drop_var(w, t, (uint32_t)work_place(t, var), state);
        if (!w->failed)
            work_rescale(w, t);
    }
    v->state[0] = state;
    v->n = 1;
}

static void work_finish(struct work *w)
{
    for (uint32_t v = 0; w->var && v < w->nvars; v++)
        yk_array_finish(&w->var[v].in);
    for (size_t t = 0; w->table && t < w->ntables; t++) {
        free(w->table[t].var);
        free(w->table[t].v);
    }
    yk_array_finish(&w->queue);
    free(w->var);
    free(w->table);
}

static uint32_t find(uint32_t *up, uint32_t v)
{
    while (up[v] != v)
        v = up[v] = up[up[v]];
    return v;
}

/* UP becomes a forest whose trees are the connected parts. */
static void connect(const struct work *w, uint32_t *up)
{
    for (uint32_t v = 0; v < w->nvars; v++)
        up[v] = v;
    for (size_t i = 0; i < w->ntables; i++)
        for (uint32_t k = 1; k < w->table[i].n; k++)
            up[find(up, w->table[i].var[k])] = find(up, w->table[i].var[0]);
}

static bool take_part(struct yk_network *net, uint32_t nvars, size_t nfactors)
{
    net->domain = yk_arena_array(&net->arena, uint32_t, nvars);
    net->factor = yk_arena_array(&net->arena, struct yk_factor, nfactors);
    return net->domain && net->factor;
}

/* A variable's place: kinds first; those in tables get a part and a number there. Fills domains. */
static bool place_vars(struct work *w, struct yk_simplified *out, uint32_t *up, int32_t *part_of_root)
{
    uint32_t *count = calloc((size_t)w->nvars + 1, sizeof *count);
    size_t *factors = calloc((size_t)w->nvars + 1, sizeof *factors);
    bool ok = count && factors;
    for (uint32_t v = 0; ok && v < w->nvars; v++) {
        part_of_root[v] = -1;
        if (w->var[v].in.n)
            count[find(up, v)]++;
    }
    for (size_t t = 0; ok && t < w->ntables; t++)
        if (!w->table[t].dead && w->table[t].n)
            factors[find(up, w->table[t].var[0])]++;
    for (uint32_t v = 0; ok && v < w->nvars; v++)
        out->nparts += count[v] > 0;
    ok = ok && (out->part = yk_arena_array(&out->arena, struct yk_network, out->nparts)) != NULL;
    int32_t n = 0;
    for (uint32_t v = 0; ok && v < w->nvars; v++)
        if (count[v]) {
            part_of_root[v] = n;
            ok = take_part(&out->part[n++], count[v], factors[v]);
        }
    for (uint32_t v = 0; ok && v < w->nvars; v++) {
        struct variable *x = &w->var[v];
        struct yk_simplified_var *m = &out->var[v];
        m->n = x->n;
        m->state = x->state;
        if (x->alias != NO_VAR)
            continue;
        m->part = x->n == 1 ? YK_VAR_FIXED : x->summed ? YK_VAR_SUMMED : YK_VAR_FREE;
        if (x->in.n) {
            struct yk_network *net = &out->part[m->part = part_of_root[find(up, v)]];
            m->var = net->nvars;
            net->domain[net->nvars++] = x->n;
        } else if (m->part == YK_VAR_FREE) {
            out->constant = yk_scaled_multiply(out->constant, yk_scaled_make(x->n, 0));
        }
    }
    for (uint32_t v = 0; ok && v < w->nvars; v++)
        if (w->var[v].alias != NO_VAR) {
            out->var[v].part = out->var[w->var[v].alias].part;
            out->var[v].var = out->var[w->var[v].alias].var;
        }
    free(count);
    free(factors);
    return ok;
}

static bool place_factors(struct work *w, struct yk_simplified *out, uint32_t *up, const int32_t *part_of_root)
{
    for (size_t i = 0; i < w->ntables; i++) {
        const struct table *t = &w->table[i];
        if (t->dead || t->n == 0)
            continue;
        struct yk_network *net = &out->part[part_of_root[find(up, t->var[0])]];
        struct yk_factor *f = &net->factor[net->nfactors++];
        f->n = t->n;
        f->cells = t->cells;
        f->scope = yk_arena_array(&net->arena, uint32_t, t->n);
        f->value = yk_arena_array(&net->arena, double, t->cells);
        if (!f->scope || !f->value)
            return false;
        for (uint32_t k = 0; k < t->n; k++)
            f->scope[k] = out->var[t->var[k]].var;
        memcpy(f->value, t->v, t->cells * sizeof *f->value);
    }
    return true;
}

static bool split(struct work *w, struct yk_simplified *out)
{
    uint32_t *up = malloc(((size_t)w->nvars + 1) * sizeof *up);
    int32_t *part_of_root = malloc(((size_t)w->nvars + 1) * sizeof *part_of_root);
    bool ok = up && part_of_root;
    if (ok) {
        connect(w, up);
        ok = place_vars(w, out, up, part_of_root) && place_factors(w, out, up, part_of_root);
    }
    free(up);
    free(part_of_root);
    return ok;
}

yk_status yk_simplify(const struct yk_network *net, const struct yk_evidence *ev, bool marginals,
                      struct yk_simplified *out)
{
    *out = (struct yk_simplified){.nvars = net->nvars};
    struct work w = {.marginals = marginals};
    out->var = yk_arena_array(&out->arena, struct yk_simplified_var, net->nvars);
    bool ok = out->var && work_init(&w, net, &out->arena);
    for (size_t i = 0; ok && ev && i < ev->n; i++) {
        observe(&w, ev->var[i], ev->state[i]);
        ok = !w.failed;
    }
    if (ok) {
        work_run(&w);
        ok = !w.failed;
    }
    out->constant = w.constant;
    out->removed_states = w.removed_states;
    out->removed_vars = w.removed_vars;
    out->merged_factors = w.merged_factors;
    if (ok && w.constant.m > 0)
        ok = split(&w, out);
    work_finish(&w);
    if (!ok) {
        yk_simplified_finish(out);
        return YK_ENOMEM;
    }
    return YK_OK;
}

void yk_simplified_finish(struct yk_simplified *s)
{
    for (size_t i = 0; i < s->nparts && s->part; i++)
        yk_network_finish(&s->part[i]);
    yk_arena_finish(&s->arena);
    *s = (struct yk_simplified){0};
}
