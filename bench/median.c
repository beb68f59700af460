#include "bench/median.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double quantile(const double *v, size_t n, double q)
{
    double *sorted = malloc(n * sizeof *v);
    if (!sorted) {
        perror("malloc");
        exit(1);
    }
    memcpy(sorted, v, n * sizeof *v);
    qsort(sorted, n, sizeof *v, by_value);
    double value = sorted[(size_t)(q * (double)(n - 1) + 0.5)];
    free(sorted);
    return value;
}

double median(const double *v, size_t n)
{
    return quantile(v, n, 0.5);
}
