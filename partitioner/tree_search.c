/* yk_tree_place: branch and bound for small trees, dynamic program and improvement for large ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "partitioner/tree.h"
#include "partitioner/tree_clock.h"

enum {
    DEEPEST = 20000 /* nodes, for the recursion over a subtree */,
    STEPS = 2000000
}; /* nodes evaluated, at most; 3^12 leaves of a full tree need 0.8 million */

struct search {
    const struct yk_tree *t;
    struct yk_tree_children ch;
    unsigned *place, *best;
    double *done;  /* of the nodes placed */
    double *below; /* least time of a node and all above it, wherever they run */
    double *rest;  /* least time of the nodes from i on together */
    double least;
    long steps;
};

static double fastest(const struct yk_tree *t, unsigned i)
{
    double ms = INFINITY;
    for (unsigned d = 0; d < t->devices; d++)
        ms = t->node[i].ms[d] < ms ? t->node[i].ms[d] : ms;
    return ms;
}

static void prepare(struct search *s)
{
    const struct yk_tree *t = s->t;
    s->rest[t->nodes] = 0;
    for (unsigned i = t->nodes; i-- > 0;) {
        unsigned p = t->node[i].parent;
        double ms = fastest(t, i);
        s->rest[i] = s->rest[i + 1] + ms;
        s->below[i] = ms + (p == YK_TREE_ROOT ? 0 : s->below[p]);
    }
}

/* Nothing that follows from here can be done before this. Devices never run anything in a gap they have left, so that
 * their clocks and what is still to be run bound the mean end of all devices. */
static double bound(const struct search *s, const struct yk_tree_clock *c, unsigned next)
{
    const struct yk_tree *t = s->t;
    double end = c->end, sum = s->rest[next];
    for (unsigned i = 0; i < next; i++) {
        unsigned p = t->node[i].parent;
        if (p == YK_TREE_ROOT || p < next)
            continue;
        double ms = s->done[i] + s->below[p];
        end = ms > end ? ms : end;
    }
    for (unsigned d = 0; d < t->devices; d++)
        sum += c->device[d];
    sum /= t->devices;
    return sum > end ? sum : end;
}

static void branch(struct search *s, const struct yk_tree_clock *c, unsigned i)
{
    const struct yk_tree *t = s->t;
    if (i == t->nodes) {
        s->least = c->end;
        memcpy(s->best, s->place, t->nodes * sizeof *s->best);
        return;
    }
    for (unsigned d = 0; d < t->devices && s->steps > 0; d++) {
        if (!isfinite(t->node[i].ms[d]))
            continue;
        struct yk_tree_clock next = *c;
        s->steps--;
        s->place[i] = d;
        s->done[i] = yk_tree_step(t, &next, &s->ch, s->place, s->done, i);
        if (bound(s, &next, i + 1) < s->least)
            branch(s, &next, i + 1);
    }
}

static double evaluate(struct search *s)
{
    s->steps -= (long)s->t->nodes;
    return yk_tree_run(s->t, &s->ch, s->place, s->done);
}

/* Take S->place over if it is better. */
static bool keep(struct search *s)
{
    double ms = evaluate(s);
    bool better = ms < s->least;
    if (better) {
        s->least = ms;
        memcpy(s->best, s->place, s->t->nodes * sizeof *s->best);
    }
    return better;
}

static void move_subtree(struct search *s, unsigned i, unsigned d)
{
    s->place[i] = isfinite(s->t->node[i].ms[d]) ? d : s->place[i];
    for (unsigned k = s->ch.first[i]; k < s->ch.first[i + 1]; k++)
        move_subtree(s, s->ch.child[k], d);
}

/* Move one node, or a node with all below it, while that helps. */
static void improve(struct search *s)
{
    const struct yk_tree *t = s->t;
    for (bool again = true; again && s->steps > 0;) {
        again = false;
        for (unsigned i = t->nodes; i-- > 0 && s->steps > 0;)
            for (unsigned d = 0; d < t->devices; d++) {
                memcpy(s->place, s->best, t->nodes * sizeof *s->place);
                if (s->place[i] == d || !isfinite(t->node[i].ms[d]))
                    continue;
                s->place[i] = d;
                again |= keep(s);
                if (s->ch.first[i] == s->ch.first[i + 1])
                    continue;
                memcpy(s->place, s->best, t->nodes * sizeof *s->place);
                move_subtree(s, i, d);
                again |= keep(s);
            }
    }
}

static void start(struct search *s)
{
    const struct yk_tree *t = s->t;
    keep(s); /* the dynamic program's */
    for (unsigned d = 0; d < t->devices; d++) {
        for (unsigned i = 0; i < t->nodes; i++)
            s->place[i] = d;
        keep(s);
    }
}

yk_status yk_tree_place(const struct yk_tree *t, unsigned *place, double *ms)
{
    struct search s = {.t = t, .best = place, .least = INFINITY, .steps = STEPS};
    size_t n = (size_t)t->nodes + 1;
    s.place = calloc(n, sizeof *s.place);
    s.done = calloc(3 * n, sizeof *s.done);
    yk_status status = s.place && s.done ? yk_tree_children_init(t, &s.ch) : YK_ENOMEM;
    if (status == YK_OK)
        status = yk_tree_place_sum(t, place);
    if (status == YK_OK) {
        s.below = s.done + n;
        s.rest = s.below + n;
        prepare(&s);
        memcpy(s.place, place, t->nodes * sizeof *place);
        start(&s);
        if (t->nodes <= DEEPEST)
            improve(&s);
        if (t->nodes <= YK_TREE_EXACT_NODES) {
            s.steps = STEPS;
            branch(&s, &(struct yk_tree_clock){0}, 0);
        }
        if (ms)
            *ms = s.least;
    }
    yk_tree_children_finish(&s.ch);
    free(s.place);
    free(s.done);
    return status;
}
