/* One sum-product (ICS'08: a bucket of the MPF problem): out(o) = sum over s of the product of the inputs' values at
 * (o, s). One description for all implementations: naive reference, native CPU, OpenCL, CUDA. Who calls it:
 * solver/evaluate, bench.
 *
 * Variables are numbered locally 0..rank-1; each table lists its variables with the last changing fastest. Every
 * variable is in OUT or in SUM, never both. Values are linear; a table's true values are value * 2^exponent (scale per
 * table), so that products of many probabilities neither underflow nor overflow. */
#ifndef YK_KERNELS_SUMPRODUCT_H
#define YK_KERNELS_SUMPRODUCT_H

#include <stddef.h>
#include <stdint.h>
#include "base/status.h"

enum { YK_BUCKET_MAX_RANK = 64, YK_BUCKET_MAX_INPUTS = 1024 };

struct yk_bucket_table {
    uint32_t n;          /* variables */
    const uint32_t *var; /* local ids in table order, the last changes fastest */
    size_t cells;
};

struct yk_bucket {
    uint32_t rank;                       /* variables in all */
    const uint32_t *domain;              /* [rank], >= 1 */
    uint32_t ninputs;                    /* >= 1 */
    const struct yk_bucket_table *input; /* [ninputs] */
    struct yk_bucket_table out;
    uint32_t nsum;
    const uint32_t *sum; /* local ids */
};

/** Is B as described above: ids in range, none twice in a table, each variable in out or sum, cells the product of the
 * domains and below 2^48? Every implementation may be given any bucket that passes (an output or summed variable may be
 * in no input). Errors: YK_EINVAL, or YK_ELIMIT above the maxima; a sentence in MSG (N bytes; may be NULL). */
yk_status yk_bucket_check(const struct yk_bucket *b, char *msg, size_t n);

/** Multiply-adds of B: product of all domains x max(1, ninputs - 1). */
double yk_bucket_operations(const struct yk_bucket *b);

/** Cells that any implementation must move: every input read once, the output written once. */
double yk_bucket_cells(const struct yk_bucket *b);

/** Reference in long double, the obvious loops: OUT[cells of out]. Cost: rank per operation. For tests. */
void yk_sumproduct_naive(const struct yk_bucket *b, const double *const *in, long double *out);

/** Native CPU: THREADS OpenMP threads (0: all; small buckets take one), double. WORK memory is its own, O(cache).
 * Linear arithmetic without scaling: the caller keeps tables scaled. For non-negative values the relative error of each
 * output is at most (ninputs + number of terms summed) * 2^-52. OUT overlaps no input.
 * Thread: any, at once too. Errors: YK_ENOMEM, YK_EINVAL (B fails yk_bucket_check); out undefined. */
yk_status yk_sumproduct_cpu(const struct yk_bucket *b, const double *const *in, double *out, int threads);

/** The same in float (2^-23 in the bound). */
yk_status yk_sumproduct_cpu_f(const struct yk_bucket *b, const float *const *in, float *out, int threads);

/** The same in log2 arithmetic (ICS'08, 7.1): inputs and output are base-2 logarithms, -INFINITY stands for 0. Each
 * sum is taken relative to its largest term, so nothing underflows. Several times slower than linear. */
yk_status yk_sumproduct_cpu_log(const struct yk_bucket *b, const double *const *in, double *out, int threads);

/** Predicted seconds of yk_sumproduct_cpu with one thread on this machine, its tables in memory; parameters are
 * measured once per process, at first use, in some 30 ms. Thread: any. Cost: microseconds. */
double yk_sumproduct_cpu_seconds(const struct yk_bucket *b);

/** Predicted seconds that yk_table_alloc's memory of BYTES takes when it is first written, and to look through it once:
 * what a solver does with an output beside computing it. Thread: any; parameters as above. */
double yk_table_seconds(size_t bytes);

/** Memory for a table of BYTES, aligned to a cache line, on huge pages where it is large and the system gives them
 * (strided access to small pages costs more than the arithmetic). Released with free(). NULL: no memory. */
void *yk_table_alloc(size_t bytes);

/** Multiply V[n] by the power of two that brings its largest value into [0.5, 1). Returns e, so that old = new * 2^e;
 * 0 if no value is positive and finite. Cells 2^1000 below the largest may round. Serial. */
int yk_table_rescale(double *v, size_t n);

#endif
