/* When to give up: asked now and then by whatever may take long. Only solver/search uses it. */
#ifndef YK_SOLVER_SEARCH_DEADLINE_H
#define YK_SOLVER_SEARCH_DEADLINE_H

#include <math.h>
#include <stdbool.h>

struct deadline {
    double (*left)(const void *ctx); /* seconds; infinite: no limit, 0 or less: over. NULL: never. From any thread. */
    const void *ctx;
};

static inline double deadline_left(const struct deadline *d)
{
    return d->left ? d->left(d->ctx) : (double)INFINITY;
}

static inline bool deadline_passed(const struct deadline *d)
{
    return d->left && d->left(d->ctx) <= 0;
}

#endif
