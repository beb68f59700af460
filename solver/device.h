/* A device beside the CPU for an evaluation: opened from the text of `--devices`, asked where a bucket should run, and
 * given buckets. Tables stay where they were made until somebody needs them elsewhere. Called by solve.c, evaluate*.c,
 * cli and benches. One thread at a time. */
#ifndef YK_SOLVER_DEVICE_H
#define YK_SOLVER_DEVICE_H

#include <stdbool.h>
#include <stdio.h>
#include "kernels/gpu/gpu.h"

struct yk_solver_device {
    struct yk_gpu *gpu;
    double in, out;                /* bytes per second of transfers */
    double latency;                /* seconds of one small transfer */
    double launch;                 /* seconds of a launch with its planning, without the kernel */
    bool always;                   /* whatever the device can do runs there: for tests and comparisons */
    bool one_by_one;               /* small buckets do not go together: for comparisons */
    bool greedy;                   /* placed by yk_place_greedy: for comparisons */
    struct yk_gpu_options options; /* path, policy ... of the kernels; precision and arithmetic are set for each run */
    /* what was done, over all runs */
    uint64_t buckets; /* on the device, */
    uint64_t batched; /* of which together, */
    uint64_t batches; /* in so many launches */
    double seconds;   /* of these, waiting and transfers included; of which */
    double plan_seconds, build_seconds;
    double bytes_in, bytes_out;
};

/**
 * Open the device that TEXT names: opencl (the fastest), opencl:N (as `yoke devices` counts), cuda, cuda:N, all (the
 * fastest there is); cpu: *D is NULL. A device:only runs all it can (always). Measures transfers.
 * Errors: YK_EINVAL (TEXT), YK_ENOTFOUND, YK_EDEVICE, YK_ENOMEM, with a sentence in MSG (N bytes).
 */
yk_status yk_solver_device_open(const char *text, struct yk_solver_device **d, char *msg, size_t n);
void yk_solver_device_close(struct yk_solver_device *d);

/** Is TEXT a value of `--devices`? Opens nothing. */
bool yk_solver_device_text(const char *text);

#endif
