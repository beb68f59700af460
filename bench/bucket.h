/* Buckets for benches: random ones in the ranges of ICS'08 (7.2.2), and plain matrix products. */
#ifndef YK_BENCH_BUCKET_H
#define YK_BENCH_BUCKET_H

#include <stdbool.h>
#include "kernels/sumproduct.h"

enum { BENCH_INPUTS = 4, BENCH_RANK = 64 };

struct bench_bucket {
    struct yk_bucket b;
    uint32_t domain[BENCH_RANK], sum[BENCH_RANK], var[BENCH_INPUTS + 1][BENCH_RANK];
    struct yk_bucket_table input[BENCH_INPUTS];
    uint64_t seed; /* with it bench_bucket_random finds this bucket at once */
};

extern const char bench_bucket_ranges[]; /* the ranges and the rule of rejection, in words */

/** The next random bucket of the stream *SEED with OPS_FROM <= flops < OPS_TO and tables of at most BYTES in all;
 * false if 10 million draws in a row were rejected. */
bool bench_bucket_random(struct bench_bucket *r, uint64_t *seed, double flops_from, double flops_to, double bytes);

/** C[m n] = sum over k of A B, each dimension of as many variables of domain 2 as give it, or one variable if SINGLE.
 * LAYOUT: "nt" A[m k] B[n k], the papers' order, or "nn" A[m k] B[k n]. */
void bench_bucket_matrix(struct bench_bucket *r, uint32_t m, uint32_t n, uint32_t k, const char *layout, bool single);

/** Multiplications and additions, one each (ICS'08, 7.1: a product of 2 x 2 matrices has 12). */
double bench_bucket_flops(const struct yk_bucket *b);

/** Strictly positive values; NULL: no memory. */
double *bench_table(const struct yk_bucket_table *t, uint64_t seed);

/** "6.12.3 of 9" - variables of the inputs, output, sum; in words for a table. At most N bytes. */
void bench_bucket_name(const struct yk_bucket *b, char *text, size_t n);

#endif
