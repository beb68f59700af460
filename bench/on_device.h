/* A bucket on a device for benches: its tables, filled there, and the time of its sum-product in kernels. */
#ifndef YK_BENCH_ON_DEVICE_H
#define YK_BENCH_ON_DEVICE_H

#include "bench/bucket.h"
#include "kernels/gpu/gpu.h"

/** CUDA's device number CUDA, or where that is negative the OpenCL device CL (as yoke devices numbers and names them),
 * with kernels timed; ended with yk_gpu_close. NULL: said why on standard error after NAME. */
struct yk_gpu *bench_device_open(const char *name, const char *cl, int cuda);

struct bench_device_tables {
    struct yk_gpu *gpu;
    const struct yk_bucket *b;
    yk_gpu_memory in[BENCH_INPUTS], out;
    int made; /* precision and arithmetic of the values that are there */
};

/** Memory for B's tables in double. Borrows GPU and B. False: none; ended with bench_device_finish all the same. */
bool bench_device_init(struct bench_device_tables *t, struct yk_gpu *gpu, const struct yk_bucket *b);
void bench_device_finish(struct bench_device_tables *t);

/** Seconds in kernels, the fastest of 3 runs and of as many more, up to 20, as take SPEND seconds together. NAN: *ST
 * says why not. R: of the last run, with what the first one built. The values are yk_gpu_pattern's with seeds from 1.
 */
double bench_device_run(struct bench_device_tables *t, const struct yk_gpu_options *o, double spend,
                        struct yk_gpu_report *r, yk_status *st);

#endif
