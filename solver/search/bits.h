/* Sets of variables as words of bits, and the number of cells of a table over such a set. Every word holds variables of
 * one domain size only (problem.h), so a set's cells are a product of one table look-up per word. Inlined into loops
 * that are compiled twice, with and without the popcount instruction (isa.h). Only solver/search uses it. */
#ifndef YK_SOLVER_SEARCH_BITS_H
#define YK_SOLVER_SEARCH_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define YK_INLINE static inline __attribute__((always_inline))

/* Functions with a twin for processors with AVX2, BMI and POPCNT. */
#if defined(__x86_64__) && defined(__GNUC__)
#define YK_HAVE_FAST_ISA 1
#define YK_FAST_ISA      __attribute__((target("avx2,popcnt,bmi,bmi2")))
#define yk_fast_isa()    (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
#else
#define YK_HAVE_FAST_ISA 0
#define YK_FAST_ISA
#define yk_fast_isa() 0
#endif

enum { YK_POWERS = 65 }; /* look-up entries per word: domain^0 .. domain^64 */

YK_INLINE bool bit_get(const uint64_t *s, uint32_t i)
{
    return s[i / 64] >> (i % 64) & 1;
}
YK_INLINE void bit_set(uint64_t *s, uint32_t i)
{
    s[i / 64] |= UINT64_C(1) << (i % 64);
}
YK_INLINE void bit_clear(uint64_t *s, uint32_t i)
{
    s[i / 64] &= ~(UINT64_C(1) << (i % 64));
}
YK_INLINE bool bits_empty(const uint64_t *s, uint32_t words)
{
    uint64_t x = 0;
    for (uint32_t w = 0; w < words; w++)
        x |= s[w];
    return !x;
}
YK_INLINE uint32_t bits_count(const uint64_t *s, uint32_t words)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < words; w++)
        n += (uint32_t)__builtin_popcountll(s[w]);
    return n;
}
YK_INLINE bool bits_meet(const uint64_t *a, const uint64_t *b, uint32_t words)
{
    uint64_t x = 0;
    for (uint32_t w = 0; w < words; w++)
        x |= a[w] & b[w];
    return x != 0;
}
/* Cells of a table over S; infinite beyond the range of double. */
YK_INLINE double bits_cells(const uint64_t *s, const double *power, uint32_t words)
{
    double c = 1;
    for (uint32_t w = 0; w < words; w++)
        c *= power[w * YK_POWERS + (uint32_t)__builtin_popcountll(s[w])];
    return c;
}

#define BITS_FOREACH(i, set, words)                                                                                    \
    for (uint32_t w_##i = 0; w_##i < (words); w_##i++)                                                                 \
        for (uint64_t x_##i = (set)[w_##i]; x_##i; x_##i &= x_##i - 1)                                                 \
            for (uint32_t i = w_##i * 64 + (uint32_t)__builtin_ctzll(x_##i), once_##i = 1; once_##i; once_##i = 0)

#endif
