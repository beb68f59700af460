#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "solver/search/plan_tools.h"

struct check {
    const struct yk_solver_plan *p;
    const struct yk_network *net;
    bool *used;      /* [nleaves + nnodes] */
    bool *sliced;    /* [nvars] */
    uint32_t *seen;  /* [nvars] stamp of the node that looked last */
    uint32_t *place; /* [nvars] stamp of the node whose out or sum held it last */
    bool *summed;    /* [nvars] */
    char *msg;
    size_t n;
};

static yk_status bad(const struct check *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static yk_status bad(const struct check *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (c->n)
        vsnprintf(c->msg, c->n, fmt, ap);
    va_end(ap);
    return YK_EFORMAT;
}

static void scope_of(const struct check *c, uint32_t child, const uint32_t **scope, uint32_t *n)
{
    if (child < c->p->nleaves) {
        *scope = c->net->factor[child].scope;
        *n = c->net->factor[child].n;
    } else {
        *scope = c->p->node[child - c->p->nleaves].out;
        *n = c->p->node[child - c->p->nleaves].nout;
    }
}

/* The lists out and sum of node I hold each variable of its inputs exactly once between them. */
static yk_status check_lists(struct check *c, uint32_t i, uint32_t nunion)
{
    const struct yk_solver_plan_node *n = &c->p->node[i];
    if ((size_t)n->nout + n->nsum != nunion)
        return bad(c, "node %u: %u variables in its inputs, %u kept and %u summed", i, nunion, n->nout, n->nsum);
    for (uint32_t k = 0; k < n->nout + n->nsum; k++) {
        uint32_t v = k < n->nout ? n->out[k] : n->sum[k - n->nout];
        if (v >= c->p->nvars || c->seen[v] != i + 1)
            return bad(c, "node %u: variable %u is in none of its inputs", i, v);
        if (c->place[v] == i + 1)
            return bad(c, "node %u: variable %u is listed twice", i, v);
        c->place[v] = i + 1;
        if (k < n->nout)
            continue;
        if (c->summed[v])
            return bad(c, "node %u: variable %u was summed before", i, v);
        c->summed[v] = true;
    }
    return YK_OK;
}

static yk_status check_node(struct check *c, uint32_t i)
{
    const struct yk_solver_plan_node *n = &c->p->node[i];
    uint32_t nunion = 0;
    if (!n->nchildren)
        return bad(c, "node %u has no inputs", i);
    for (uint32_t k = 0; k < n->nchildren; k++) {
        uint32_t child = n->child[k], m;
        const uint32_t *scope;
        if (child >= (uint64_t)c->p->nleaves + i)
            return bad(c, "node %u: input %u is not a leaf or an earlier node", i, child);
        if (c->used[child])
            return bad(c, "node %u: input %u is used twice", i, child);
        c->used[child] = true;
        scope_of(c, child, &scope, &m);
        for (uint32_t j = 0; j < m; j++)
            if (!c->sliced[scope[j]] && c->seen[scope[j]] != i + 1) {
                c->seen[scope[j]] = i + 1;
                nunion++;
            }
    }
    return check_lists(c, i, nunion);
}

/* With every root a scalar and no variable summed twice, each was summed where its last factor joined. */
static yk_status check_roots(const struct check *c)
{
    for (uint32_t k = 0; k < c->p->nleaves + c->p->nnodes; k++) {
        const uint32_t *scope;
        uint32_t m;
        if (c->used[k])
            continue;
        scope_of(c, k, &scope, &m);
        for (uint32_t j = 0; j < m; j++)
            if (!c->sliced[scope[j]])
                return bad(c, "%s %u is used by no node and still has variable %u", k < c->p->nleaves ? "leaf" : "node",
                           k < c->p->nleaves ? k : k - c->p->nleaves, scope[j]);
    }
    return YK_OK;
}

static yk_status check_all(struct check *c)
{
    const struct yk_solver_plan *p = c->p;
    if (p->nvars != c->net->nvars || p->nleaves != c->net->nfactors)
        return bad(c, "a plan of %u variables and %u factors for a network of %u and %zu", p->nvars, p->nleaves,
                   c->net->nvars, c->net->nfactors);
    for (uint32_t k = 0; k < p->nsliced; k++) {
        if (p->sliced[k] >= p->nvars || c->sliced[p->sliced[k]])
            return bad(c, "sliced variable %u does not exist or is sliced twice", p->sliced[k]);
        c->sliced[p->sliced[k]] = true;
    }
    yk_status s = YK_OK;
    for (uint32_t i = 0; i < p->nnodes && !s; i++)
        s = check_node(c, i);
    return s ? s : check_roots(c);
}

yk_status yk_solver_plan_check(const struct yk_solver_plan *p, const struct yk_network *net, char *msg, size_t n)
{
    struct check c = {.p = p, .net = net, .msg = msg, .n = n};
    c.used = calloc((size_t)p->nleaves + p->nnodes + 1, sizeof *c.used);
    c.sliced = calloc((size_t)p->nvars + 1, sizeof *c.sliced);
    c.seen = calloc((size_t)p->nvars + 1, sizeof *c.seen);
    c.place = calloc((size_t)p->nvars + 1, sizeof *c.place);
    c.summed = calloc((size_t)p->nvars + 1, sizeof *c.summed);
    yk_status s = YK_ENOMEM;
    if (c.used && c.sliced && c.seen && c.place && c.summed)
        s = check_all(&c);
    else if (n)
        snprintf(msg, n, "out of memory");
    free(c.used);
    free(c.sliced);
    free(c.seen);
    free(c.place);
    free(c.summed);
    return s;
}
