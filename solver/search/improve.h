/* Ways to improve a contraction tree in place. Only solver/search uses it. Thread: one per tree. */
#ifndef YK_SOLVER_SEARCH_IMPROVE_H
#define YK_SOLVER_SEARCH_IMPROVE_H

#include "solver/search/deadline.h"
#include "solver/search/rng.h"
#include "solver/search/tree.h"

struct anneal_schedule {
    double hot, cold; /* temperatures in powers of two of cost; fall geometrically */
    uint32_t sweeps;  /* of about one proposed rotation per inner node */
    double floor;     /* differences below this part of the total are as good as none */
};

/* Simulated annealing by rotations from T; BEST gets the best tree met if it beats BEST's total. True: it did. */
bool anneal(struct tree *t, struct tree *best, const struct problem *p, const struct anneal_schedule *s, struct rng *r,
            const struct deadline *d);

/* About what a sweep over a tree of P takes, before one has been measured. */
double anneal_sweep_seconds(const struct problem *p);

enum { RECONF_MAX = 12 };
struct reconf_work;
struct reconf_work *reconf_work_new(const struct problem *p);
void reconf_work_free(struct reconf_work *w);

/* The exact best order of the subtree of at most LEAVES (2..RECONF_MAX) roots of further subtrees below node TOP, by
 * dynamic programming over subsets. Returns what was saved. RANDOM: subtrees are grown at random, else along the cost.
 */
double reconf_node(struct tree *t, const struct problem *p, struct reconf_work *w, uint32_t top, uint32_t leaves,
                   bool random, struct rng *r);
/* reconf_node over all nodes that matter until a round saves less than a part GAIN of the total. */
void reconf_tree(struct tree *t, const struct problem *p, struct reconf_work *w, uint32_t leaves, double gain,
                 bool random, struct rng *r, const struct deadline *d);

#endif
