/* Medians of what a bench has measured. */
#ifndef YK_BENCH_MEDIAN_H
#define YK_BENCH_MEDIAN_H

#include <stddef.h>

/** The value below which the part Q of the N > 0 values V lies, one of them; exits where there is no memory for a copy.
 * Cost: a sort. */
double quantile(const double *v, size_t n, double q);

/** quantile(V, N, 0.5): of an even number the upper one in the middle. */
double median(const double *v, size_t n);

#endif
