#include "bench/machine.h"
#include <math.h>
#include <omp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "kernels/sumproduct.h"

enum { CHAINS = 12, ROUNDS = 20000 };

/* CHAINS independent multiply-adds of one vector each, ROUNDS times; the sum keeps them alive. */
#define PEAK(name, bytes, ...)                                                                                         \
    __attribute__((noinline, ##__VA_ARGS__)) static double name(double seed)                                           \
    {                                                                                                                  \
        typedef double vec __attribute__((vector_size(bytes)));                                                        \
        vec x[CHAINS], m = (vec){0} + 0.9999, a = (vec){0} + seed;                                                     \
        for (int i = 0; i < CHAINS; i++)                                                                               \
            x[i] = a + i;                                                                                              \
        for (int r = 0; r < ROUNDS; r++)                                                                               \
            _Pragma("GCC unroll 12") for (int i = 0; i < CHAINS; i++) x[i] = x[i] * m + a;                             \
        for (int i = 1; i < CHAINS; i++)                                                                               \
            x[0] += x[i];                                                                                              \
        double sum = 0;                                                                                                \
        for (size_t i = 0; i < bytes / sizeof(double); i++)                                                            \
            sum += x[0][i];                                                                                            \
        return sum;                                                                                                    \
    }

PEAK(peak_plain, 16)
#if defined(__x86_64__)
PEAK(peak_avx2, 32, target("avx2,fma"))
PEAK(peak_avx512, 64, target("avx512f,fma"))
#endif

static double now(void)
{
    return (double)yk_now_ns() * 1e-9;
}

static double peak(int threads, double seconds)
{
    double (*f)(double) = peak_plain;
    double lanes = 2;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        f = peak_avx2;
        lanes = 4;
    }
    if (__builtin_cpu_supports("avx512f")) {
        f = peak_avx512;
        lanes = 8;
    }
#endif
    double best = 0, end = now() + seconds;
    volatile double sink = 0;
    do {
        double from = now(), sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
        for (int i = 0; i < 10; i++)
            sum += f(i);
        sink = sink + sum;
        double rate = 2.0 * lanes * CHAINS * ROUNDS * 10 * threads / (now() - from);
        best = fmax(best, rate);
    } while (now() < end);
    return best;
}

static double bandwidth(int threads, double seconds)
{
    const size_t n = (size_t)24 << 20; /* doubles: 192 MiB each */
    double *a = yk_table_alloc(n * sizeof *a), *b = yk_table_alloc(n * sizeof *b), best = 0;
    if (a && b) {
        memset(a, 0, n * sizeof *a);
        memset(b, 0, n * sizeof *b);
        double end = now() + seconds;
        volatile double sink = 0;
        do {
            double from = now(), sum = 0;
#pragma omp parallel for simd num_threads(threads) reduction(+ : sum)
            for (size_t i = 0; i < n; i++)
                sum += a[i];
            sink = sink + sum;
            best = fmax(best, (double)(n * sizeof *a) / (now() - from));
            from = now();
#pragma omp parallel for simd num_threads(threads)
            for (size_t i = 0; i < n; i++)
                b[i] = 0.5 * a[i];
            best = fmax(best, (double)(2 * n * sizeof *a) / (now() - from));
        } while (now() < end);
        if (b[n - 1] != 0)
            best = 0;
    }
    free(a);
    free(b);
    return best;
}

struct bench_machine bench_machine_measure(int threads, double seconds)
{
    return (struct bench_machine){peak(threads, seconds / 2), bandwidth(threads, seconds / 2)};
}
