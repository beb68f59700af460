/* The cost model of the native CPU implementation, apart from its measuring: pure given the parameters. Called by
 * kernels/, solver/ (as the plan search's cost) and bench/. */
#ifndef YK_KERNELS_CPU_MODEL_H
#define YK_KERNELS_CPU_MODEL_H

#include "kernels/sumproduct.h"

/* Seconds, one thread. */
struct yk_cpu_model {
    double call;     /* one bucket, however small */
    double per_step; /* one input at one joint state */
    double per_cell; /* one cell of a table, read or written */
};

/** Seconds of yk_sumproduct_cpu on B with one thread. Thread: any. Cost: O(rank + inputs). */
double yk_cpu_model_seconds(const struct yk_cpu_model *m, const struct yk_bucket *b);

/** This machine's parameters, measured at the first call (some ms), then the same for the process. Thread: any. */
const struct yk_cpu_model *yk_cpu_model_measured(void);

#endif
