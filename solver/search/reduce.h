/* What any good plan does is done before the search: small joins that make no table larger. The search then has fewer
 * leaves and shorter sets; its tree is put on top of these joins, and the whole may be improved again.
 * Only solver/search uses it. */
#ifndef YK_SOLVER_SEARCH_REDUCE_H
#define YK_SOLVER_SEARCH_REDUCE_H

#include "solver/search/deadline.h"
#include "solver/search/tree.h"

struct reduction {
    struct problem core; /* the problem that is left; its leaves' factors are undefined */
    uint32_t njoins;
    uint32_t (*join)[2]; /* [njoins] the I-th makes table full.nleaves + I */
    uint32_t *table;     /* [core.nleaves] table that is the core's leaf */
    uint32_t *place;     /* [2 * core.nleaves] scratch */
    bool *used;          /* [2 * full.nleaves] scratch */
};

/* Errors: YK_ENOMEM, R finished. Cost: a few passes over the sets of FULL; once D has passed no more is joined. */
yk_status reduce(struct reduction *r, const struct problem *full, const struct deadline *d);
void reduction_finish(struct reduction *r);
/* T = the joins and the tree CORE on top (not read if the core has fewer than two leaves); recounted. */
void reduction_expand(struct reduction *r, struct tree *t, const struct problem *full, const struct tree *core);

#endif
