#include "partitioner/tree.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "partitioner/tree_clock.h"

bool yk_tree_check(const struct yk_tree *t, char *msg, unsigned long n)
{
    if (t->devices < 1 || t->devices > YK_TREE_DEVICES) {
        snprintf(msg, n, "%u devices", t->devices);
        return false;
    }
    for (unsigned d = 0; d < t->devices; d++)
        if (t->device[d].link >= YK_TREE_DEVICES || !(t->device[d].bandwidth >= 0) || !(t->device[d].latency >= 0)) {
            snprintf(msg, n, "device %u: its link", d);
            return false;
        }
    for (unsigned i = 0; i < t->nodes; i++) {
        const struct yk_tree_node *v = &t->node[i];
        bool able = false;
        if (v->parent != YK_TREE_ROOT && (v->parent <= i || v->parent >= t->nodes)) {
            snprintf(msg, n, "node %u comes after its parent %u", i, v->parent);
            return false;
        }
        for (unsigned d = 0; d < t->devices; d++) {
            able |= isfinite(v->ms[d]);
            if (!(v->ms[d] >= 0)) {
                snprintf(msg, n, "node %u: its time on device %u", i, d);
                return false;
            }
        }
        if (!able || !(v->bytes >= 0) || !(v->input_bytes >= 0) || !(v->result_bytes >= 0)) {
            snprintf(msg, n, "node %u: %s", i, able ? "its sizes" : "no device can run it");
            return false;
        }
    }
    return true;
}

static double between(const struct yk_tree *t, double bytes, unsigned from, unsigned to)
{
    return from == to ? 0 : yk_tree_leg(&t->device[from], bytes) + yk_tree_leg(&t->device[to], bytes);
}

double yk_tree_sum(const struct yk_tree *t, const unsigned *place)
{
    double sum = 0;
    for (unsigned i = 0; i < t->nodes; i++) {
        sum += yk_tree_alone(t, i, place[i]);
        if (t->node[i].parent != YK_TREE_ROOT)
            sum += between(t, t->node[i].bytes, place[i], place[t->node[i].parent]);
    }
    return sum;
}

/* Transfer of BYTES from the device FROM (ready at READY) to TO; when it has arrived. */
static double carry(const struct yk_tree *t, struct yk_tree_clock *c, double bytes, unsigned from, unsigned to,
                    double ready)
{
    const struct yk_tree_device *f = &t->device[from], *o = &t->device[to];
    double ms = yk_tree_leg(f, bytes);
    if (ms > 0) {
        double *out = &c->out[f->link];
        *out = ready = (*out > ready ? *out : ready) + ms;
    }
    ms = yk_tree_leg(o, bytes);
    if (ms > 0) {
        double *in = &c->in[o->link];
        *in = ready = (*in > ready ? *in : ready) + ms;
    }
    return ready;
}

double yk_tree_step(const struct yk_tree *t, struct yk_tree_clock *c, const struct yk_tree_children *ch,
                    const unsigned *place, const double *done, unsigned i)
{
    const struct yk_tree_node *v = &t->node[i];
    const struct yk_tree_device *d = &t->device[place[i]];
    double start = c->device[place[i]], ms = yk_tree_leg(d, v->input_bytes), end;
    if (ms > 0) {
        c->in[d->link] += ms;
        start = start > c->in[d->link] ? start : c->in[d->link];
    }
    for (unsigned k = ch->first[i]; k < ch->first[i + 1]; k++) {
        unsigned from = ch->child[k];
        double at =
            place[from] == place[i] ? done[from] : carry(t, c, t->node[from].bytes, place[from], place[i], done[from]);
        start = start > at ? start : at;
    }
    c->device[place[i]] = end = start + v->ms[place[i]];
    double last = end;
    ms = v->parent == YK_TREE_ROOT ? yk_tree_leg(d, v->result_bytes) : 0;
    if (ms > 0) {
        double *out = &c->out[d->link];
        *out = last = (*out > end ? *out : end) + ms;
    }
    c->end = c->end > last ? c->end : last;
    return end;
}

yk_status yk_tree_children_init(const struct yk_tree *t, struct yk_tree_children *c)
{
    c->first = calloc((size_t)t->nodes + 2, sizeof *c->first);
    c->child = calloc((size_t)t->nodes + 1, sizeof *c->child);
    if (!c->first || !c->child) {
        yk_tree_children_finish(c);
        return YK_ENOMEM;
    }
    for (unsigned i = 0; i < t->nodes; i++)
        if (t->node[i].parent != YK_TREE_ROOT)
            c->first[t->node[i].parent + 1]++;
    for (unsigned i = 0; i < t->nodes; i++)
        c->first[i + 1] += c->first[i];
    /* Filled from the back of each list, so that the starts need no second array. */
    for (unsigned i = t->nodes; i-- > 0;)
        if (t->node[i].parent != YK_TREE_ROOT)
            c->child[--c->first[t->node[i].parent + 1]] = i;
    /* Now first[v + 1] is where the list of v starts. */
    memmove(c->first, c->first + 1, t->nodes * sizeof *c->first);
    c->first[t->nodes] = 0;
    for (unsigned i = 0; i < t->nodes; i++)
        c->first[t->nodes] += t->node[i].parent != YK_TREE_ROOT;
    return YK_OK;
}

void yk_tree_children_finish(struct yk_tree_children *c)
{
    free(c->first);
    free(c->child);
    *c = (struct yk_tree_children){0};
}

double yk_tree_run(const struct yk_tree *t, const struct yk_tree_children *ch, const unsigned *place, double *done)
{
    struct yk_tree_clock c = {0};
    for (unsigned i = 0; i < t->nodes; i++)
        done[i] = yk_tree_step(t, &c, ch, place, done, i);
    return c.end;
}

yk_status yk_tree_time(const struct yk_tree *t, const unsigned *place, double *ms)
{
    struct yk_tree_children ch;
    double *done = calloc((size_t)t->nodes + 1, sizeof *done);
    if (!done || yk_tree_children_init(t, &ch) != YK_OK) {
        free(done);
        return YK_ENOMEM;
    }
    *ms = yk_tree_run(t, &ch, place, done);
    yk_tree_children_finish(&ch);
    free(done);
    return YK_OK;
}

yk_status yk_tree_place_sum(const struct yk_tree *t, unsigned *place)
{
    unsigned n = t->devices;
    /* best[i * n + d]: least sum of i's subtree with i on d; from[i * n + d]: where i then is, if its parent is on d.
     */
    double *best = calloc((size_t)t->nodes * n + 1, sizeof *best);
    unsigned char *from = calloc((size_t)t->nodes * n + 1, 1);
    if (!best || !from) {
        free(best);
        free(from);
        return YK_ENOMEM;
    }
    for (unsigned i = 0; i < t->nodes; i++)
        for (unsigned d = 0; d < n; d++)
            best[i * n + d] = yk_tree_alone(t, i, d);
    for (unsigned i = 0; i < t->nodes; i++) {
        unsigned p = t->node[i].parent;
        for (unsigned d = 0; d < n && p != YK_TREE_ROOT; d++) {
            double least = INFINITY;
            for (unsigned k = 0; k < n; k++) {
                double ms = best[i * n + k] + between(t, t->node[i].bytes, k, d);
                if (ms < least) {
                    least = ms;
                    from[i * n + d] = (unsigned char)k;
                }
            }
            best[p * n + d] += least;
        }
    }
    for (unsigned i = t->nodes; i-- > 0;) {
        unsigned p = t->node[i].parent;
        if (p != YK_TREE_ROOT) {
            place[i] = from[i * n + place[p]];
            continue;
        }
        place[i] = 0;
        for (unsigned d = 1; d < n; d++)
            if (best[i * n + d] < best[i * n + place[i]])
                place[i] = d;
    }
    free(best);
    free(from);
    return YK_OK;
}
