/* Compiled kernels on disk, by what they were compiled from. Called by the CUDA backend: NVRTC takes longer for a
 * kernel than most buckets take. What is found is untrusted: a record whose length or checksum is wrong is set aside as
 * .bad and compiled again. Never fails loudly: without a folder each process compiles. */
#ifndef YK_KERNELS_GPU_STORED_H
#define YK_KERNELS_GPU_STORED_H

#include <stdbool.h>
#include "base/hash.h"

/** The bytes kept under KEY, *N of them; NULL: none that are good. Owned by the caller (free). Thread: any. */
void *yk_gpu_stored_get(struct yk_hash key, size_t *n);

/** Keep N bytes under KEY; replaces atomically. Records unused for a month go now and then. Thread: any. */
void yk_gpu_stored_put(struct yk_hash key, const void *bytes, size_t n);

/** Set the record of KEY aside: its bytes were as written, but no kernel. */
void yk_gpu_stored_reject(struct yk_hash key);

#endif
