/* A regression tree: the time of a kernel nobody has run, from what its code looks like and how it is launched. Who
 * uses it: bench/predict, and whoever has facts but no samples. Pure arithmetic on the caller's numbers. */
#ifndef YK_PROFILER_REGRESS_H
#define YK_PROFILER_REGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include "base/status.h"

enum { YK_REGRESS_FEATURES = 24, YK_REGRESS_NODES = 255 };

struct yk_regress_row {
    double feature[YK_REGRESS_FEATURES];
    double target; /* what is to be predicted: the logarithm of a time per work-item does well */
};

struct yk_regress_node {
    int feature;      /* -1: a leaf */
    double threshold; /* up to this: left */
    double value;     /* of a leaf: the mean of its rows */
    unsigned left, right;
};

struct yk_regress {
    unsigned n;
    struct yk_regress_node node[YK_REGRESS_NODES]; /* 0 is the root */
};

/**
 * Grow a tree over ROW[N]: each split is the one that lowers the squared error most, down to DEPTH levels and leaves of
 * at least LEAST rows. Errors: YK_EINVAL (no rows), YK_ENOMEM. Cost: O(N log N) per level and feature.
 */
yk_status yk_regress_train(struct yk_regress *t, const struct yk_regress_row *row, size_t n, unsigned depth,
                           size_t least);

/** The prediction for FEATURE[YK_REGRESS_FEATURES]. */
double yk_regress_value(const struct yk_regress *t, const double *feature);

#endif
