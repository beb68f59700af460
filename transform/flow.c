#include "transform/flow.h"
#include <string.h>

yk_status yk_flow_init(struct yk_flow *w, unsigned n, struct yk_arena *a)
{
    *w = (struct yk_flow){.n = n};
    w->succ = yk_arena_array(a, unsigned *, n);
    w->pred = yk_arena_array(a, unsigned *, n);
    w->nsucc = yk_arena_array(a, unsigned, n);
    w->npred = yk_arena_array(a, unsigned, n);
    w->order = yk_arena_array(a, unsigned, n);
    w->place = yk_arena_array(a, unsigned, n);
    w->idom = yk_arena_array(a, unsigned, n);
    return w->succ && w->pred && w->nsucc && w->npred && w->order && w->place && w->idom ? YK_OK : YK_ENOMEM;
}

yk_status yk_flow_turn(struct yk_flow *w, struct yk_arena *a)
{
    memset(w->npred, 0, w->n * sizeof *w->npred);
    for (unsigned b = 0; b < w->n; b++)
        for (unsigned s = 0; s < w->nsucc[b]; s++)
            w->npred[w->succ[b][s]]++;
    for (unsigned b = 0; b < w->n; b++) {
        w->pred[b] = yk_arena_array(a, unsigned, w->npred[b]);
        w->npred[b] = 0;
        if (!w->pred[b])
            return YK_ENOMEM;
    }
    for (unsigned b = 0; b < w->n; b++)
        for (unsigned s = 0; s < w->nsucc[b]; s++)
            w->pred[w->succ[b][s]][w->npred[w->succ[b][s]]++] = b;
    return YK_OK;
}

/* Reverse postorder from ROOT. */
static yk_status depth_first(struct yk_flow *w, unsigned root, struct yk_arena *a)
{
    unsigned *stack = yk_arena_array(a, unsigned, w->n), *next = yk_arena_array(a, unsigned, w->n);
    bool *seen = yk_arena_array(a, bool, w->n);
    if (!stack || !next || !seen)
        return YK_ENOMEM;
    unsigned top = 0, post = w->n;
    stack[top++] = root;
    seen[root] = true;
    while (top) {
        unsigned b = stack[top - 1];
        if (next[b] < w->nsucc[b]) {
            unsigned s = w->succ[b][next[b]++];
            if (!seen[s]) {
                seen[s] = true;
                stack[top++] = s;
            }
        } else {
            w->order[--post] = b;
            top--;
        }
    }
    w->norder = w->n - post;
    memmove(w->order, w->order + post, w->norder * sizeof *w->order);
    for (unsigned i = 0; i < w->norder; i++)
        w->place[w->order[i]] = i;
    return YK_OK;
}

/* Cooper, Harvey, Kennedy: in terms of places in the order. */
yk_status yk_flow_dominators(struct yk_flow *w, unsigned root, struct yk_arena *a)
{
    for (unsigned i = 0; i < w->n; i++)
        w->idom[i] = w->place[i] = w->n;
    if (depth_first(w, root, a) != YK_OK)
        return YK_ENOMEM;
    w->idom[root] = root;
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned i = 1; i < w->norder; i++) {
            unsigned b = w->order[i], d = w->n;
            for (unsigned p = 0; p < w->npred[b]; p++) {
                unsigned q = w->pred[b][p];
                if (w->place[q] == w->n || w->idom[q] == w->n)
                    continue;
                while (d != w->n && d != q) {
                    while (w->place[q] > w->place[d])
                        q = w->idom[q];
                    while (w->place[d] > w->place[q])
                        d = w->idom[d];
                }
                d = q;
            }
            if (d != w->idom[b]) {
                w->idom[b] = d;
                changed = true;
            }
        }
    }
    return YK_OK;
}

bool yk_flow_dominates(const struct yk_flow *w, unsigned a, unsigned b)
{
    if (w->place[a] == w->n || w->place[b] == w->n)
        return false;
    while (w->place[b] > w->place[a])
        b = w->idom[b];
    return a == b;
}

yk_status yk_flow_reverse(const struct yk_flow *w, struct yk_flow *back, struct yk_arena *a)
{
    if (yk_flow_init(back, w->n + 1, a) != YK_OK)
        return YK_ENOMEM;
    unsigned ends = 0;
    for (unsigned b = 0; b < w->n; b++) {
        back->succ[b] = w->pred[b];
        back->nsucc[b] = w->npred[b];
        ends += w->nsucc[b] == 0;
    }
    back->succ[w->n] = yk_arena_array(a, unsigned, ends);
    if (!back->succ[w->n])
        return YK_ENOMEM;
    for (unsigned b = 0; b < w->n; b++)
        if (w->nsucc[b] == 0)
            back->succ[w->n][back->nsucc[w->n]++] = b;
    return yk_flow_turn(back, a) == YK_OK ? yk_flow_dominators(back, w->n, a) : YK_ENOMEM;
}
