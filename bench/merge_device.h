/* The merge methods that need a device: exact regions and merge kernels. Called by bench/merge.c. */
#ifndef YK_BENCH_MERGE_DEVICE_H
#define YK_BENCH_MERGE_DEVICE_H

#include <stddef.h>

enum { MERGE_ROUNDS = 15 };

/** Ratio of memcpy's time for the same BYTES to that of the worse pattern; prints each. Negative: no CPU device. */
double merge_exact(size_t bytes);

struct merge_kernel {
    double worst;   /* of the kernels that store in order */
    double indexed; /* of the one that stores through an index, number by number */
};

/** The same for merge kernels. Negative too where the transformer is not there. */
struct merge_kernel merge_kernel(size_t bytes);

#endif
