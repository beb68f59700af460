/* A non-negative number of any size: mantissa times a power of two. Probabilities of evidence of large networks leave
 * the range of a double (10^1312 and 10^-103 occur). Everyone in solver/ may use it. */
#ifndef YK_SOLVER_SCALED_H
#define YK_SOLVER_SCALED_H

#include <math.h>
#include <stdint.h>

struct yk_scaled {
    double m;  /* 0, or in [0.5, 1) */
    int64_t e; /* value = m * 2^e */
};

static inline struct yk_scaled yk_scaled_make(double m, int64_t e)
{
    int shift = 0;
    if (!(m > 0))
        return (struct yk_scaled){0, 0};
    m = frexp(m, &shift);
    return (struct yk_scaled){m, e + shift};
}

static inline struct yk_scaled yk_scaled_multiply(struct yk_scaled a, struct yk_scaled b)
{
    return yk_scaled_make(a.m * b.m, a.e + b.e);
}

/* V * 2^E without the limits of int. */
static inline double yk_scaled_shift(double v, int64_t e)
{
    return ldexp(v, e > 4096 ? 4096 : e < -4096 ? -4096 : (int)e);
}

static inline struct yk_scaled yk_scaled_add(struct yk_scaled a, struct yk_scaled b)
{
    if (a.m == 0)
        return b;
    if (b.m == 0)
        return a;
    return a.e >= b.e ? yk_scaled_make(a.m + yk_scaled_shift(b.m, b.e - a.e), a.e)
                      : yk_scaled_make(b.m + yk_scaled_shift(a.m, a.e - b.e), b.e);
}

/** log10, -INFINITY for 0. */
static inline double yk_scaled_log10(struct yk_scaled a)
{
    return a.m > 0 ? log10(a.m) + (double)a.e * 0.30102999566398119521 : -INFINITY;
}

#endif
