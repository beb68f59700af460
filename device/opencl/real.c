/* The real OpenCL loader: opened once, its symbols taken from its own handle. */
#include "device/opencl/cl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "device/opencl/real.h"

/* Entries of functions that a loader lacks. A parameter named errcode_ret shadows the constant below; where a function
 * has none, the constant says so. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-parameter"
static cl_int *const errcode_ret = NULL;

#define YK_CL(ret, name, version, params, args)                                                                        \
    static ret missing_##name params                                                                                   \
    {                                                                                                                  \
        if (errcode_ret)                                                                                               \
            *errcode_ret = CL_INVALID_OPERATION;                                                                       \
        return (ret)(intptr_t)(__builtin_types_compatible_p(ret, cl_int) ? CL_INVALID_OPERATION : 0);                  \
    }
#include "device/opencl/api.def"
#pragma GCC diagnostic pop

static const struct yk_cl missing = {
#define YK_CL(ret, name, version, params, args) missing_##name,
#include "device/opencl/api.def"
};

static struct yk_cl real;
static const struct yk_cl *published; /* NULL before the first call and where there is no loader */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static __thread bool resolving;

/* dlopen itself is interposed by libyoke.so, which would answer with libyoke.so: the next one in the lookup order is
 * libc's (or another tool's, which then sees a plain dlopen from yoke). */
static void *next_dlopen(const char *path, int flags)
{
    void *(*next)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
    return next ? next(path, flags) : dlopen(path, flags);
}

static void *(*volatile open_library)(const char *path, int flags) = next_dlopen;

void yk_cl_set_dlopen(void *(*open)(const char *path, int flags))
{
    open_library = open ? open : next_dlopen;
}

/* A symbol in the object that holds this function would make every driver call a call of yoke: an endless loop. */
static bool is_own(void *symbol)
{
    Dl_info own, found;
    return dladdr((void *)is_own, &own) && dladdr(symbol, &found) && own.dli_fbase == found.dli_fbase;
}

/* The lists before a loader has seen them, and where they lie. */
static struct list {
    const char *name;
    char *at, *text;
} lists[] = {{.name = "OCL_ICD_FILENAMES"}, {.name = "OPENCL_LAYERS"}};

static void keep_lists(void)
{
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if ((lists[i].at = getenv(lists[i].name)))
            lists[i].text = strdup(lists[i].at);
}

void yk_cl_mend_environment(void)
{
    (void)yk_cl_real(); /* what it keeps has been kept */
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct list *l = &lists[i];
        size_t n = l->text && getenv(l->name) == l->at ? strlen(l->at) : 0;
        if (n && n < strlen(l->text) && l->text[n] == ':' && !memcmp(l->at, l->text, n))
            memcpy(l->at, l->text, strlen(l->text));
    }
}

static void resolve(void)
{
    const char *path = secure_getenv("YOKE_REAL_LIBOPENCL");
    if (!path || !*path)
        path = "libOpenCL.so.1";
    resolving = true;
    yk_driver_depth++;
    keep_lists();
    void *handle = open_library(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *why = dlerror();
        yk_error("no OpenCL loader: %s", why ? why : path);
        goto done;
    }
    real = missing;
    unsigned found = 0;
    void *symbol;
#define YK_CL(ret, name, version, params, args)                                                                        \
    symbol = dlsym(handle, "cl" #name);                                                                                \
    if (symbol) {                                                                                                      \
        if (is_own(symbol)) {                                                                                          \
            yk_error("the OpenCL loader %s is yoke itself: set YOKE_REAL_LIBOPENCL to the real one", path);            \
            abort();                                                                                                   \
        }                                                                                                              \
        real.name = (ret(*) params)symbol;                                                                             \
        found++;                                                                                                       \
    }
#include "device/opencl/api.def"
    if (!found) {
        yk_error("no OpenCL loader: %s exports no OpenCL function", path);
        goto done;
    }
    __atomic_store_n(&published, &real, __ATOMIC_RELEASE);
done:
    yk_driver_depth--;
    resolving = false;
}

const struct yk_cl *yk_cl_real(void)
{
    const struct yk_cl *table = __atomic_load_n(&published, __ATOMIC_ACQUIRE);
    if (table)
        return table;
    /* A constructor of the loader that calls OpenCL while the loader is being opened: nothing is there yet. */
    if (resolving)
        return &missing;
    pthread_once(&once, resolve);
    return __atomic_load_n(&published, __ATOMIC_ACQUIRE);
}

const struct yk_cl *yk_cl_missing(void)
{
    return &missing;
}
