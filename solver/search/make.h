/* Ways to make a contraction tree from scratch. Each writes the children of every inner node of T, in an order in which
 * children come first, and recounts it. Randomness comes from R; the same state gives the same tree. W is the caller's
 * scratch, one per thread. False: D passed before there was a tree (or METIS failed). Only solver/search uses it. */
#ifndef YK_SOLVER_SEARCH_MAKE_H
#define YK_SOLVER_SEARCH_MAKE_H

#include "solver/search/deadline.h"
#include "solver/search/rng.h"
#include "solver/search/tree.h"

enum make_rule { MAKE_FILL, MAKE_WEIGHTED_FILL, MAKE_WEIGHT, MAKE_DEGREE, MAKE_ORDER_RULES };

struct make_work;
struct make_work *make_work_new(const struct problem *p);
void make_work_free(struct make_work *w);

/* Elimination by the least score of RULE, scores multiplied by 1 + up to NOISE (0: only ties are random). */
bool make_by_order_rule(struct tree *t, const struct problem *p, struct make_work *w, enum make_rule rule, double noise,
                        struct rng *r, const struct deadline *d);

/* Nested dissection of the graph of variables (METIS vertex separators). METIS cannot be interrupted: it is not begun
 * where it is expected to take longer than D leaves. */
bool make_by_dissection(struct tree *t, const struct problem *p, struct make_work *w, struct rng *r,
                        const struct deadline *d);

/* One breadth-first sweep from a variable far out: for what is long and thin. Cost: O(variables^2 / 64).
 * Always makes a tree; once D has passed large buckets are joined as they come. */
void make_by_sweep(struct tree *t, const struct problem *p, struct make_work *w, const struct deadline *d);

/* Pairs of tables joined by least size(result) - alpha * (size(a) + size(b)), with Boltzmann noise. */
bool make_by_pairs(struct tree *t, const struct problem *p, struct make_work *w, double alpha, double temperature,
                   struct rng *r, const struct deadline *d);

/* The tree of an elimination order (NV bits): each bucket's tables joined pairwise, the least union first; once D has
 * passed, those of large buckets as they come. */
void make_from_order(struct tree *t, const struct problem *p, struct make_work *w, const uint32_t *order, uint32_t nv,
                     const struct deadline *d);

#endif
