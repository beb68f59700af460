/* Sum-products on a device with memory and threads of its own: OpenCL through device/opencl, CUDA through device/cuda,
 * behind one interface. Called by solver/, bench/ and tests.
 *
 * A struct yk_gpu is used by one thread at a time. Its operations run in the order of the calls; only reads and
 * yk_gpu_finish wait. */
#ifndef YK_KERNELS_GPU_GPU_H
#define YK_KERNELS_GPU_GPU_H

#include <stdbool.h>
#include "device/device.h"
#include "kernels/cache/cache.h"
#include "kernels/sumproduct.h"

struct yk_gpu;
typedef uintptr_t yk_gpu_memory; /* 0: none */

enum yk_gpu_path {
    YK_GPU_SOFTWARE, /* the software-managed cache, and hardware caches for what it does not hold */
    YK_GPU_HARDWARE, /* hardware caches only */
    YK_GPU_TEXTURE,  /* the same through image buffers (OpenCL) or read-only loads (CUDA) */
    YK_GPU_BEST      /* of the first two what is predicted to be faster */
};

struct yk_gpu_options {
    bool single; /* float instead of double */
    bool log;    /* values are base-2 logarithms; sums are taken relative to their largest term */
    bool native; /* with log and single: the device's fast exp2 and log2 */
    enum yk_gpu_path path;
    bool smallest;   /* cached functions are chosen by the chapter's rule */
    bool no_tile;    /* one output per thread and page, as in the papers */
    bool generic;    /* one kernel for all shapes, which looks up what is constant otherwise: slow, nothing to build */
    bool lazy;       /* generic until a kernel of its own would have saved what compiling it costs */
    uint32_t unroll; /* 1, 2, 4; 0: 2 */
    uint32_t threads, pages, local; /* 0: chosen (kernels/cache) */
    uint32_t trial;                 /* 0: the best foretold (kernels/cache); YK_ELIMIT beyond the last */
};

struct yk_gpu_report {
    double predicted;   /* seconds, of all launches of the call */
    double measured;    /* seconds in kernels, if the device was opened TIMED */
    double plan, build; /* seconds on the host: cache plans; compiling, 0 if the kernel was there */
    uint32_t launches;
    bool software;                               /* the software-managed cache was used */
    uint32_t cached, lanes, tile, pages, chunks; /* of the largest launch */
    double hit_rate, intensity;
};

/** Open device D of the machine (borrowed). TIMED: kernels' times are measured. Errors: YK_EDEVICE (logged), YK_ENOMEM.
 */
yk_status yk_gpu_open_opencl(const struct yk_device *d, bool timed, struct yk_gpu **gpu);

/** Open CUDA's device number INDEX. Errors: YK_ENOTFOUND, with why in MSG (N bytes): no driver, no such device, no
 * run-time compiler; YK_EDEVICE. */
yk_status yk_gpu_open_cuda(unsigned index, bool timed, struct yk_gpu **gpu, char *msg, size_t n);
void yk_gpu_close(struct yk_gpu *g);

const char *yk_gpu_name(const struct yk_gpu *g); /* "OpenCL NVIDIA H200" */
bool yk_gpu_has_double(const struct yk_gpu *g);
uint64_t yk_gpu_bytes(const struct yk_gpu *g);   /* of its memory */
bool yk_gpu_host_memory(const struct yk_gpu *g); /* is a CPU: reads and writes are copies in memory */

/** What the planner sees; SINGLE: for floats. Rates are estimates from the driver's figures until yk_gpu_calibrate. */
struct yk_cache_device *yk_gpu_shape(struct yk_gpu *g, bool single);

/** Measure device-memory bandwidth and, for *IN and *OUT (bytes per second; may be NULL), transfers. Cost: some 10 ms.
 * Errors: YK_EDEVICE, YK_ENOMEM. */
yk_status yk_gpu_calibrate(struct yk_gpu *g, double *in, double *out);

/** Seconds of a launch by itself: an estimate for the kind of driver. */
double yk_gpu_launch_seconds(const struct yk_gpu *g);

/** Device memory. Errors: YK_EDEVMEM. Freeing waits for nothing that a later call needs. */
yk_status yk_gpu_alloc(struct yk_gpu *g, size_t bytes, yk_gpu_memory *m);
void yk_gpu_free(struct yk_gpu *g, yk_gpu_memory m);
/** FROM may be changed after return. Errors: YK_EDEVICE. */
yk_status yk_gpu_write(struct yk_gpu *g, yk_gpu_memory m, const void *from, size_t bytes);
/** Waits for all that was issued. Errors: YK_EDEVICE. */
yk_status yk_gpu_read(struct yk_gpu *g, yk_gpu_memory m, void *to, size_t bytes);
yk_status yk_gpu_finish(struct yk_gpu *g);

/**
 * OUT = sum-product of B over the tables IN, all in device memory, cells as the options say. REPORT may be NULL.
 * Errors: YK_ELIMIT (more inputs or larger tables than the kernels take, no double, no image of that size: another
 * implementation must do it), YK_EINVAL, YK_ENOMEM, YK_EDEVMEM, YK_EBUILD, YK_EDEVICE.
 */
yk_status yk_gpu_sumproduct(struct yk_gpu *g, const struct yk_bucket *b, const yk_gpu_memory *in, yk_gpu_memory out,
                            const struct yk_gpu_options *o, struct yk_gpu_report *report);

/** Seconds that yk_gpu_sumproduct is predicted to take, launches included; INFINITY if it cannot. */
double yk_gpu_predict(struct yk_gpu *g, const struct yk_bucket *b, const struct yk_gpu_options *o);

/** Smallest positive and largest of N linear values of M (0 and 0: none is positive); waits. */
yk_status yk_gpu_range(struct yk_gpu *g, yk_gpu_memory m, size_t n, bool single, double *least, double *most);
/** Multiply N values by 2^E. */
yk_status yk_gpu_scale(struct yk_gpu *g, yk_gpu_memory m, size_t n, bool single, int e);

/* For benches. Fill M with N values in (0, 1] (LOG: their base-2 logarithms) that yk_gpu_pattern_value gives the host;
 * multiply-adds (counted as two) per second. */
yk_status yk_gpu_pattern(struct yk_gpu *g, yk_gpu_memory m, size_t n, bool single, bool log, uint32_t seed);
double yk_gpu_pattern_value(size_t i, uint32_t seed);
yk_status yk_gpu_peak(struct yk_gpu *g, bool single, double *flops);

#endif
