/* Programs that dlopen libOpenCL: the hook hands back libyoke.so itself. Every other dlopen is forwarded by a tail
 * call, so that glibc, which looks at the caller's address for $ORIGIN, RPATH and namespaces, still sees the real
 * caller. */
#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>
#include "device/opencl/cl.h"
#include "device/opencl/real.h"
#include "shim/core/runtime.h"

typedef void *(*dlopen_fn)(const char *, int);

static dlopen_fn next;

/* The next dlopen after this object's; resolved on first use, since the constructor does nothing. */
static dlopen_fn real_dlopen(void)
{
    dlopen_fn fn = __atomic_load_n(&next, __ATOMIC_RELAXED);
    if (!fn) {
        fn = (dlopen_fn)dlsym(RTLD_NEXT, "dlopen");
        __atomic_store_n(&next, fn, __ATOMIC_RELAXED);
    }
    return fn;
}

/* "libOpenCL.so", "libOpenCL.so.1", "libOpenCL.so.1.0.0", with any folder in front. */
static bool is_opencl(const char *path)
{
    if (!path)
        return false;
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    return !strncmp(base, "libOpenCL.so", 12) && (!base[12] || base[12] == '.');
}

/* A handle on libyoke.so itself, counted like any other, so that the app's dlclose is in balance. */
static void *own_handle(int flags)
{
    Dl_info info;
    if (!dladdr((void *)&yk_mode, &info) || !info.dli_fname)
        return NULL;
    return real_dlopen()(info.dli_fname, (flags & ~(RTLD_NOLOAD | RTLD_DEEPBIND)) | RTLD_NOLOAD);
}

__attribute__((visibility("default"))) void *dlopen(const char *path, int flags)
{
    if (__builtin_expect(is_opencl(path), 0) && !yk_driver_depth && yk_runtime_start() != YK_MODE_PASS) {
        void *own = own_handle(flags);
        if (own)
            return own;
    }
    dlopen_fn fn = real_dlopen();
    __asm__ volatile("" ::: "memory");
    return fn(path, flags);
}
