/* The overlap model of a task tree, one node at a time, so that a search can go on from any point. Who uses it: tree.c,
 * tree_search.c. Pure. */
#ifndef YK_PARTITIONER_TREE_CLOCK_H
#define YK_PARTITIONER_TREE_CLOCK_H

#include "partitioner/tree.h"

/* Transfer of BYTES over D's link; what node I costs on device D besides its children: its own inputs, its time, a
 * root's result. In the sum model. */
static inline double yk_tree_leg(const struct yk_tree_device *d, double bytes)
{
    return d->bandwidth > 0 && bytes > 0 ? d->latency + bytes / d->bandwidth : 0;
}

static inline double yk_tree_alone(const struct yk_tree *t, unsigned i, unsigned d)
{
    const struct yk_tree_node *v = &t->node[i];
    return v->ms[d] + yk_tree_leg(&t->device[d], v->input_bytes) +
           (v->parent == YK_TREE_ROOT ? yk_tree_leg(&t->device[d], v->result_bytes) : 0);
}

/* When each device and each direction of each link is free again; `end`: when all so far is done. Plain data. */
struct yk_tree_clock {
    double device[YK_TREE_DEVICES], in[YK_TREE_DEVICES], out[YK_TREE_DEVICES];
    double end;
};

/* Children of node i: child[first[i] .. first[i + 1]), in rising order. */
struct yk_tree_children {
    unsigned *first, *child;
};

/** Owns: the caller; finish releases. Errors: YK_ENOMEM. */
yk_status yk_tree_children_init(const struct yk_tree *t, struct yk_tree_children *c);
void yk_tree_children_finish(struct yk_tree_children *c);

/** Run node I after all before it: C is advanced; returns when I itself is done. DONE: of the nodes before. */
double yk_tree_step(const struct yk_tree *t, struct yk_tree_clock *c, const struct yk_tree_children *ch,
                    const unsigned *place, const double *done, unsigned i);

/** All nodes; DONE[nodes] is filled. Returns the end. */
double yk_tree_run(const struct yk_tree *t, const struct yk_tree_children *ch, const unsigned *place, double *done);

#endif
