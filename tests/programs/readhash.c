/* A preload that hashes all bytes a program gets back from OpenCL (reads and read-maps), one line per call in the file
 * READHASH names. Two runs of a program are then compared by what it saw. It sits above yoke or directly above the
 * loader, makes every such call blocking (the bytes must be there to be hashed) and changes nothing else. Needs libc
 * alone. Not for programs that enqueue a read behind a user event of their own. */
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define EXPORT __attribute__((visibility("default")))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *out;

static void *(*real_dlopen(void))(const char *, int)
{
    static void *(*f)(const char *, int);
    if (!f)
        *(void **)&f = dlsym(RTLD_NEXT, "dlopen");
    return f;
}

/* The next definition below this library: yoke's, or the loader's, which a program may have opened without telling. */
static void *next(const char *name)
{
    void *f = dlsym(RTLD_NEXT, name);
    if (!f) {
        void *loader = real_dlopen()("libOpenCL.so.1", RTLD_NOW | RTLD_GLOBAL);
        f = loader ? dlsym(loader, name) : NULL;
    }
    if (!f) {
        fprintf(stderr, "readhash: no %s\n", name);
        abort();
    }
    return f;
}

static void note(const char *call, const void *bytes, size_t n)
{
    pthread_mutex_lock(&lock);
    if (!out) {
        const char *file = getenv("READHASH");
        out = fopen(file ? file : "/dev/null", "a");
        if (!out) {
            perror("readhash");
            abort();
        }
        setvbuf(out, NULL, _IOLBF, 0);
    }
    fprintf(out, "%s %zu %016llx\n", call, n, (unsigned long long)XXH3_64bits(bytes, n));
    pthread_mutex_unlock(&lock);
}

/* A program that opens libOpenCL itself looks its functions up in the handle; the global scope has ours first. */
EXPORT void *dlopen(const char *file, int flags)
{
    void *handle = real_dlopen()(file, file && strstr(file, "libOpenCL.so") ? flags | RTLD_GLOBAL : flags);
    return handle && file && strstr(file, "libOpenCL.so") ? real_dlopen()(NULL, RTLD_NOW) : handle;
}

EXPORT cl_int clEnqueueReadBuffer(cl_command_queue q, cl_mem m, cl_bool blocking, size_t offset, size_t size, void *p,
                                  cl_uint n, const cl_event *wait, cl_event *event)
{
    static cl_int (*f)(cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, cl_uint, const cl_event *,
                       cl_event *);
    if (!f)
        *(void **)&f = next(__func__);
    (void)blocking;
    cl_int e = f(q, m, CL_TRUE, offset, size, p, n, wait, event);
    if (e == CL_SUCCESS)
        note("read", p, size);
    return e;
}

EXPORT cl_int clEnqueueReadBufferRect(cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *buffer_origin,
                                      const size_t *host_origin, const size_t *region, size_t buffer_row,
                                      size_t buffer_slice, size_t host_row, size_t host_slice, void *p, cl_uint n,
                                      const cl_event *wait, cl_event *event)
{
    static cl_int (*f)(cl_command_queue, cl_mem, cl_bool, const size_t *, const size_t *, const size_t *, size_t,
                       size_t, size_t, size_t, void *, cl_uint, const cl_event *, cl_event *);
    if (!f)
        *(void **)&f = next(__func__);
    (void)blocking;
    cl_int e = f(q, m, CL_TRUE, buffer_origin, host_origin, region, buffer_row, buffer_slice, host_row, host_slice, p,
                 n, wait, event);
    if (e != CL_SUCCESS)
        return e;
    size_t row = host_row ? host_row : region[0], slice = host_slice ? host_slice : row * region[1];
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++)
            note("read-rect", (char *)p + host_origin[0] + (host_origin[1] + y) * row + (host_origin[2] + z) * slice,
                 region[0]);
    return e;
}

EXPORT void *clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool blocking, cl_map_flags flags, size_t offset,
                                size_t size, cl_uint n, const cl_event *wait, cl_event *event, cl_int *error)
{
    static void *(*f)(cl_command_queue, cl_mem, cl_bool, cl_map_flags, size_t, size_t, cl_uint, const cl_event *,
                      cl_event *, cl_int *);
    if (!f)
        *(void **)&f = next(__func__);
    void *p = f(q, m, flags & CL_MAP_READ ? CL_TRUE : blocking, flags, offset, size, n, wait, event, error);
    if (p && flags & CL_MAP_READ)
        note("map", p, size);
    return p;
}
