/* The cost model of the native CPU implementation, apart from its measuring: pure given the parameters. Called by
 * kernels/, solver/ (to place buckets) and bench/. */
#ifndef YK_KERNELS_CPU_MODEL_H
#define YK_KERNELS_CPU_MODEL_H

#include "kernels/sumproduct.h"

/* Seconds, one thread. */
struct yk_cpu_model {
    double call;      /* one bucket, however small, with its plan */
    double per_step;  /* buckets too small for panels: one input at one joint state */
    double per_cycle; /* one cycle as panel_choice.h estimates them */
    double per_near;  /* one byte of a table that a cache may hold, read or written */
    double per_far;   /* one byte of larger tables, read in order */
    double per_fresh; /* one byte of memory taken from the system and looked through once */
};

/** Seconds of yk_sumproduct_cpu on B with one thread. Thread: any. Cost: some microseconds. */
double yk_cpu_model_seconds(const struct yk_cpu_model *m, const struct yk_bucket *b);

/** This machine's parameters, measured at the first call (some 30 ms), then the same for the process. Thread: any. */
const struct yk_cpu_model *yk_cpu_model_measured(void);

#endif
