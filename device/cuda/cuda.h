/* CUDA's driver API and its run-time compiler, opened at run time: yoke is built, and works, without CUDA. Declared
 * here because the toolkit's headers need not be there; names, values and meaning are CUDA's own (CUDA Driver API,
 * NVRTC). Who calls it: kernels/gpu, link/mailbox_cuda.c. */
#ifndef YK_DEVICE_CUDA_CUDA_H
#define YK_DEVICE_CUDA_CUDA_H

#include <stddef.h>
#include <stdint.h>

typedef int yk_cu_result; /* 0: CUDA_SUCCESS */
typedef int yk_cu_device;
typedef uint64_t yk_cu_memory; /* CUdeviceptr */

/* CUmemAllocationProp */
struct yk_cu_memory_kind {
    int type, handle, location, id;
    void *unused;
    unsigned char flags[8];
};
enum { YK_CU_PINNED = 1, YK_CU_DESCRIPTOR = 1, YK_CU_ON_DEVICE = 1 };

struct yk_cuda {
#define YK_CU(name, symbol, params) yk_cu_result(*name) params;
#include "device/cuda/driver.def"
#undef YK_CU
};

struct yk_nvrtc {
#define YK_CU(name, symbol, params) int(*name) params;
#include "device/cuda/nvrtc.def"
#undef YK_CU
};

/* CUdevice_attribute */
enum {
    YK_CU_SHARED_PER_BLOCK = 8,
    YK_CU_CLOCK_KHZ = 13,
    YK_CU_MULTIPROCESSORS = 16,
    YK_CU_MEMORY_KHZ = 36,
    YK_CU_MEMORY_BITS = 37,
    YK_CU_L2_BYTES = 38,
    YK_CU_THREADS_PER_MULTIPROCESSOR = 39,
    YK_CU_MAJOR = 75,
    YK_CU_MINOR = 76,
    YK_CU_SHARED_PER_MULTIPROCESSOR = 81,
    YK_CU_SINGLE_TO_DOUBLE = 87,
    YK_CU_SHARED_PER_BLOCK_OPTIN = 97,
    YK_CU_VIRTUAL_MEMORY = 102,
    YK_CU_EXPORTS_DESCRIPTOR = 103
};

enum { YK_CU_FUNCTION_DYNAMIC_SHARED = 8 }; /* CUfunction_attribute */

/** The driver, initialised; NULL where there is none, or no device: *WHY then says why, in static memory. Thread: any.
 * Cost: some 100 ms at first, then a load. */
const struct yk_cuda *yk_cuda_get(const char **why);

/** The run-time compiler (libnvrtc of the toolkit; YOKE_NVRTC names another file), or NULL and *WHY. Thread: any. */
const struct yk_nvrtc *yk_nvrtc_get(const char **why);

#endif
