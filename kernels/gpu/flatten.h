/* A plan of kernels/cache as numbers for the kernel of sumproduct.cl, which has the layout. */
#ifndef YK_KERNELS_GPU_FLATTEN_H
#define YK_KERNELS_GPU_FLATTEN_H

#include <stddef.h>
#include "kernels/cache/cache.h"

/** META (room for YK_GPU_META): NMETA numbers for constant memory; *TABLE: NTABLE more for global memory, the caller's
 * to free. THREADS: of a block, at least the plan's lanes. Errors: YK_ENOMEM. */
yk_status yk_gpu_flatten(const struct yk_cache_plan *q, uint32_t threads, int32_t *meta, uint32_t *nmeta,
                         int32_t **table, size_t *ntable);

#endif
