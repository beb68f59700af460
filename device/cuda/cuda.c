#include "device/cuda/cuda.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

static struct yk_cuda driver;
static struct yk_nvrtc compiler;
static const char *driver_why = "no CUDA driver (libcuda.so.1)", *compiler_why = "no libnvrtc of a CUDA toolkit";
static bool driver_there, compiler_there;

static void open_driver(void)
{
    void *handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *symbol;
    if (!handle)
        return;
    driver_why = "libcuda.so.1 is too old: a function is missing";
#define YK_CU(name, text, params)                                                                                      \
    if (!(symbol = dlsym(handle, text)))                                                                               \
        return;                                                                                                        \
    driver.name = (yk_cu_result(*) params)symbol;
#include "device/cuda/driver.def"
#undef YK_CU
    int devices = 0;
    driver_why = "the CUDA driver finds no device";
    driver_there = driver.init(0) == 0 && driver.device_count(&devices) == 0 && devices > 0;
}

static void open_compiler(void)
{
    const char *asked = secure_getenv("YOKE_NVRTC");
    const char *const names[] = {asked && *asked ? asked : "libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12",
                                 "/usr/local/cuda/lib64/libnvrtc.so", "libnvrtc.so.11.2"};
    void *handle = NULL, *symbol;
    for (size_t i = 0; !handle && i < (asked && *asked ? 1 : sizeof names / sizeof *names); i++)
        handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return;
    compiler_why = "libnvrtc is too old: a function is missing";
#define YK_CU(name, text, params)                                                                                      \
    if (!(symbol = dlsym(handle, text)))                                                                               \
        return;                                                                                                        \
    compiler.name = (int(*) params)symbol;
#include "device/cuda/nvrtc.def"
#undef YK_CU
    compiler_there = true;
}

const struct yk_cuda *yk_cuda_get(const char **why)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_driver);
    *why = driver_why;
    return driver_there ? &driver : NULL;
}

const struct yk_nvrtc *yk_nvrtc_get(const char **why)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_compiler);
    *why = compiler_why;
    return compiler_there ? &compiler : NULL;
}
