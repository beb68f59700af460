/* The roofline of one or more threads of this machine, measured: arithmetic peak and memory bandwidth. */
#ifndef YK_BENCH_MACHINE_H
#define YK_BENCH_MACHINE_H

struct bench_machine {
    double flops; /* double, fused multiply-adds of the widest vectors, counted as two, per second */
    double bytes; /* per second, the better of reading and of copying (read + written) far larger than the caches */
};

/** Measure with THREADS threads, about SECONDS in all. flops 0: no memory. */
struct bench_machine bench_machine_measure(int threads, double seconds);

#endif
