/* What OpenCL and CUDA each do for kernels/gpu; used by nothing else. */
#ifndef YK_KERNELS_GPU_BACKEND_H
#define YK_KERNELS_GPU_BACKEND_H

#include <stdatomic.h>
#include "kernels/gpu/gpu.h"
#include "kernels/gpu/memo.h"

enum { YK_GPU_META = 336 + 4096 + YK_CACHE_PAGES * YK_CACHE_TABLES + 4096 }; /* numbers in constant memory */

struct yk_gpu_launch {
    void *kernel;
    const int32_t *meta;
    uint32_t nmeta;
    yk_gpu_memory table, out, in[YK_CACHE_INPUTS];
    size_t in_cells[YK_CACHE_INPUTS];
    uint32_t blocks, threads;
    size_t local_bytes;
    bool texture, single;
};

/* Plain kernels over N cells: range and scale. */
struct yk_gpu_plain {
    void *kernel;
    yk_gpu_memory cells, result;
    uint64_t n;
    double factor;
    bool single;
    uint32_t blocks, threads;
};

struct yk_gpu_ops {
    const char *head;  /* put in front of the kernels' text */
    const char *extra; /* options for the compiler */
    void (*close)(struct yk_gpu *g);
    yk_status (*alloc)(struct yk_gpu *g, size_t bytes, yk_gpu_memory *m);
    void (*free)(struct yk_gpu *g, yk_gpu_memory m);
    yk_status (*write)(struct yk_gpu *g, yk_gpu_memory m, const void *from, size_t bytes);
    yk_status (*read)(struct yk_gpu *g, yk_gpu_memory m, void *to, size_t bytes);
    yk_status (*copy)(struct yk_gpu *g, yk_gpu_memory from, yk_gpu_memory to, size_t bytes);
    yk_status (*finish)(struct yk_gpu *g);
    /* Kernel NAME of TEXT, kept until close. STORED: only if it need not be compiled, else YK_ENOTFOUND. */
    yk_status (*build)(struct yk_gpu *g, const char *text, const char *options, const char *name, bool stored,
                       void **kernel);
    /* *SECONDS: 0 unless timed. */
    yk_status (*launch)(struct yk_gpu *g, const struct yk_gpu_launch *l, double *seconds);
    yk_status (*plain)(struct yk_gpu *g, const struct yk_gpu_plain *l);
    /* Compile TEXT and keep it on disk, for a later build that asks for what is STORED. Any thread. NULL: cannot. */
    yk_status (*compile)(struct yk_gpu *g, const char *text, const char *options);
};

struct yk_gpu_kernel {
    struct yk_gpu_kernel *next;
    void *kernel;     /* NULL: not built yet */
    double missed;    /* seconds that it would have saved so far */
    atomic_int asked; /* of builder.h, with its file and its place there */
    const char *asked_file;
    struct yk_gpu_kernel *asked_next;
    char options[512];
};

struct yk_gpu {
    const struct yk_gpu_ops *ops;
    char name[YK_NAME_MAX + 16];
    bool timed, has_double, host_memory;
    bool image_double; /* doubles through the texture path */
    uint64_t bytes, image_cells;
    struct yk_cache_device shape[2]; /* double, float */
    double launch_seconds;
    struct yk_gpu_kernel *kernels;
    struct yk_gpu_memo memo;
    struct yk_gpu_builder *builder; /* NULL: nothing was asked of it */
};

/** Is the kernel NAME of FILE's text with OPTIONS there, or worth building? SAVES: seconds that it saves this time; a
 * kernel is built when what it would have saved so far has come to what building it costs. */
bool yk_gpu_kernel_worth(struct yk_gpu *g, const char *file, const char *name, const char *options, double saves);

/** The kernel NAME of FILE's text built with OPTIONS, built at most once. *SECONDS is added to. */
yk_status yk_gpu_kernel_get(struct yk_gpu *g, const char *file, const char *name, const char *options, void **kernel,
                            double *seconds);

extern const char yk_gpu_text_sumproduct[], yk_gpu_text_plain[], yk_gpu_head_opencl[], yk_gpu_head_cuda[];

#endif
