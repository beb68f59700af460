/* An OpenCL layer between the loader and the drivers (OPENCL_LAYERS): writes a line for every kernel launch and every
 * transfer that a driver accepts, so that what yoke says of itself can be checked. Line format: README.md. Without
 * YOKE_COUNT_LOG it changes nothing and writes nothing. */
#include <CL/cl_layer.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { MAX_DEVICES = 64 };

static struct _cl_icd_dispatch ours;
static const struct _cl_icd_dispatch *target;
static int log_file = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cl_device_id devices[MAX_DEVICES];
static unsigned n_devices;
static pid_t numbered_by; /* a forked child names its devices again */

static void __attribute__((format(printf, 1, 2))) line(const char *fmt, ...)
{
    char text[512];
    int n = snprintf(text, sizeof text, "%d ", getpid());
    va_list ap;
    va_start(ap, fmt);
    n += vsnprintf(text + n, sizeof text - (size_t)n, fmt, ap);
    va_end(ap);
    if (n >= (int)sizeof text)
        n = sizeof text - 1;
    text[n - 1] = '\n';
    if (write(log_file, text, (size_t)n) != n)
        abort(); /* a log with holes proves nothing */
}

/* The device's number: in the order of first use, one "device" line each. */
static unsigned number_of(cl_device_id d)
{
    pthread_mutex_lock(&lock);
    if (numbered_by != getpid()) {
        numbered_by = getpid();
        n_devices = 0;
    }
    unsigned i = 0;
    while (i < n_devices && devices[i] != d)
        i++;
    if (i == n_devices && n_devices < MAX_DEVICES) {
        char name[256] = "?";
        target->clGetDeviceInfo(d, CL_DEVICE_NAME, sizeof name, name, NULL);
        devices[n_devices++] = d;
        line("device %u %s\n", i, name);
    }
    pthread_mutex_unlock(&lock);
    return i;
}

static unsigned device_of(cl_command_queue queue)
{
    cl_device_id d = NULL;
    if (target->clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof d, &d, NULL) != CL_SUCCESS)
        return MAX_DEVICES;
    return number_of(d);
}

/* Bytes that a driver is given with a buffer go to its device without another call. */
static cl_mem CL_API_CALL create_buffer(cl_context c, cl_mem_flags f, size_t n, void *p, cl_int *e)
{
    cl_mem m = target->clCreateBuffer(c, f, n, p, e);
    cl_device_id d[MAX_DEVICES];
    if (m && p && log_file >= 0 && target->clGetContextInfo(c, CL_CONTEXT_DEVICES, sizeof d, d, NULL) == CL_SUCCESS)
        line("%s %u %zu\n", f & CL_MEM_COPY_HOST_PTR ? "create-copy" : "create-use", number_of(d[0]), n);
    return m;
}

static void sizes(char *to, size_t n, const size_t *v, cl_uint dims, size_t rest)
{
    if (v)
        snprintf(to, n, "%zu,%zu,%zu", v[0], dims > 1 ? v[1] : rest, dims > 2 ? v[2] : rest);
    else
        snprintf(to, n, "%s", rest ? "-" : "0,0,0");
}

static cl_int launched(cl_int rc, cl_command_queue q, cl_kernel k, cl_uint dims, const size_t *offset,
                       const size_t *global, const size_t *local)
{
    if (rc != CL_SUCCESS || log_file < 0)
        return rc;
    char name[256] = "?", o[72], g[72], l[72];
    target->clGetKernelInfo(k, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
    sizes(o, sizeof o, offset, dims, 0);
    sizes(g, sizeof g, global, dims, 1);
    sizes(l, sizeof l, local, dims, 1);
    unsigned d = device_of(q);
    line("launch %u %s %u %s %s %s\n", d, name, dims, o, g, l);
    return rc;
}

static cl_int moved(cl_int rc, cl_command_queue q, const char *kind, size_t bytes)
{
    if (rc == CL_SUCCESS && log_file >= 0) {
        unsigned d = device_of(q);
        line("%s %u %zu\n", kind, d, bytes);
    }
    return rc;
}

static size_t volume(const size_t *region)
{
    return region ? region[0] * region[1] * region[2] : 0;
}

static size_t element(cl_mem image)
{
    size_t n = 0;
    target->clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof n, &n, NULL);
    return n;
}

#define WAIT cl_uint n, const cl_event *w, cl_event *e

static cl_int CL_API_CALL ndrange(cl_command_queue q, cl_kernel k, cl_uint dims, const size_t *offset,
                                  const size_t *global, const size_t *local, WAIT)
{
    return launched(target->clEnqueueNDRangeKernel(q, k, dims, offset, global, local, n, w, e), q, k, dims, offset,
                    global, local);
}

static cl_int CL_API_CALL task(cl_command_queue q, cl_kernel k, WAIT)
{
    const size_t one = 1;
    return launched(target->clEnqueueTask(q, k, n, w, e), q, k, 1, NULL, &one, &one);
}

static cl_int CL_API_CALL read_buffer(cl_command_queue q, cl_mem m, cl_bool b, size_t o, size_t s, void *p, WAIT)
{
    return moved(target->clEnqueueReadBuffer(q, m, b, o, s, p, n, w, e), q, "read", s);
}

static cl_int CL_API_CALL write_buffer(cl_command_queue q, cl_mem m, cl_bool b, size_t o, size_t s, const void *p, WAIT)
{
    return moved(target->clEnqueueWriteBuffer(q, m, b, o, s, p, n, w, e), q, "write", s);
}

/* As NVIDIA's driver 580 does, which the specification does not ask for: rows that end behind their pitch are refused,
 * and a last row whose pitch ends behind the buffer. */
static bool refused(cl_mem m, const size_t *at, const size_t *r, size_t pitch)
{
    size_t size = 0;
    return at && r && pitch && target->clGetMemObjectInfo(m, CL_MEM_SIZE, sizeof size, &size, NULL) == CL_SUCCESS &&
           (at[0] + r[0] > pitch || (at[1] + r[1]) * pitch > size);
}

static cl_int CL_API_CALL read_rect(cl_command_queue q, cl_mem m, cl_bool b, const size_t *mo, const size_t *ho,
                                    const size_t *r, size_t mr, size_t ms, size_t hr, size_t hs, void *p, WAIT)
{
    if (refused(m, mo, r, mr))
        return CL_INVALID_VALUE;
    return moved(target->clEnqueueReadBufferRect(q, m, b, mo, ho, r, mr, ms, hr, hs, p, n, w, e), q, "read", volume(r));
}

static cl_int CL_API_CALL write_rect(cl_command_queue q, cl_mem m, cl_bool b, const size_t *mo, const size_t *ho,
                                     const size_t *r, size_t mr, size_t ms, size_t hr, size_t hs, const void *p, WAIT)
{
    if (refused(m, mo, r, mr))
        return CL_INVALID_VALUE;
    return moved(target->clEnqueueWriteBufferRect(q, m, b, mo, ho, r, mr, ms, hr, hs, p, n, w, e), q, "write",
                 volume(r));
}

static cl_int CL_API_CALL copy_buffer(cl_command_queue q, cl_mem from, cl_mem to, size_t fo, size_t t, size_t s, WAIT)
{
    return moved(target->clEnqueueCopyBuffer(q, from, to, fo, t, s, n, w, e), q, "copy", s);
}

static cl_int CL_API_CALL copy_rect(cl_command_queue q, cl_mem from, cl_mem to, const size_t *fo, const size_t *t,
                                    const size_t *r, size_t fr, size_t fs, size_t tr, size_t ts, WAIT)
{
    return moved(target->clEnqueueCopyBufferRect(q, from, to, fo, t, r, fr, fs, tr, ts, n, w, e), q, "copy", volume(r));
}

static cl_int CL_API_CALL fill_buffer(cl_command_queue q, cl_mem m, const void *p, size_t ps, size_t o, size_t s, WAIT)
{
    return moved(target->clEnqueueFillBuffer(q, m, p, ps, o, s, n, w, e), q, "fill", s);
}

static cl_int CL_API_CALL read_image(cl_command_queue q, cl_mem m, cl_bool b, const size_t *o, const size_t *r,
                                     size_t rp, size_t sp, void *p, WAIT)
{
    return moved(target->clEnqueueReadImage(q, m, b, o, r, rp, sp, p, n, w, e), q, "read", volume(r) * element(m));
}

static cl_int CL_API_CALL write_image(cl_command_queue q, cl_mem m, cl_bool b, const size_t *o, const size_t *r,
                                      size_t rp, size_t sp, const void *p, WAIT)
{
    return moved(target->clEnqueueWriteImage(q, m, b, o, r, rp, sp, p, n, w, e), q, "write", volume(r) * element(m));
}

static cl_int CL_API_CALL copy_image(cl_command_queue q, cl_mem from, cl_mem to, const size_t *fo, const size_t *t,
                                     const size_t *r, WAIT)
{
    return moved(target->clEnqueueCopyImage(q, from, to, fo, t, r, n, w, e), q, "copy", volume(r) * element(from));
}

static cl_int CL_API_CALL copy_image_buffer(cl_command_queue q, cl_mem from, cl_mem to, const size_t *fo,
                                            const size_t *r, size_t t, WAIT)
{
    return moved(target->clEnqueueCopyImageToBuffer(q, from, to, fo, r, t, n, w, e), q, "copy",
                 volume(r) * element(from));
}

static cl_int CL_API_CALL copy_buffer_image(cl_command_queue q, cl_mem from, cl_mem to, size_t fo, const size_t *t,
                                            const size_t *r, WAIT)
{
    return moved(target->clEnqueueCopyBufferToImage(q, from, to, fo, t, r, n, w, e), q, "copy",
                 volume(r) * element(to));
}

static cl_int CL_API_CALL fill_image(cl_command_queue q, cl_mem m, const void *c, const size_t *o, const size_t *r,
                                     WAIT)
{
    return moved(target->clEnqueueFillImage(q, m, c, o, r, n, w, e), q, "fill", volume(r) * element(m));
}

static void *CL_API_CALL map_buffer(cl_command_queue q, cl_mem m, cl_bool b, cl_map_flags f, size_t o, size_t s, WAIT,
                                    cl_int *err)
{
    void *p = target->clEnqueueMapBuffer(q, m, b, f, o, s, n, w, e, err);
    moved(p ? CL_SUCCESS : CL_MAP_FAILURE, q, f & CL_MAP_WRITE_INVALIDATE_REGION ? "map-invalidate" : "map", s);
    return p;
}

static void *CL_API_CALL map_image(cl_command_queue q, cl_mem m, cl_bool b, cl_map_flags f, const size_t *o,
                                   const size_t *r, size_t *rp, size_t *sp, WAIT, cl_int *err)
{
    void *p = target->clEnqueueMapImage(q, m, b, f, o, r, rp, sp, n, w, e, err);
    moved(p ? CL_SUCCESS : CL_MAP_FAILURE, q, "map", volume(r) * element(m));
    return p;
}

static cl_int CL_API_CALL unmap(cl_command_queue q, cl_mem m, void *p, WAIT)
{
    return moved(target->clEnqueueUnmapMemObject(q, m, p, n, w, e), q, "unmap", 0);
}

static cl_int CL_API_CALL migrate(cl_command_queue q, cl_uint count, const cl_mem *m, cl_mem_migration_flags f, WAIT)
{
    size_t bytes = 0, one;
    for (cl_uint i = 0; m && i < count; i++)
        if (target->clGetMemObjectInfo(m[i], CL_MEM_SIZE, sizeof one, &one, NULL) == CL_SUCCESS)
            bytes += one;
    return moved(target->clEnqueueMigrateMemObjects(q, count, m, f, n, w, e), q, "migrate", bytes);
}

static cl_int CL_API_CALL svm_copy(cl_command_queue q, cl_bool b, void *to, const void *from, size_t s, WAIT)
{
    return moved(target->clEnqueueSVMMemcpy(q, b, to, from, s, n, w, e), q, "copy", s);
}

static cl_int CL_API_CALL svm_fill(cl_command_queue q, void *to, const void *p, size_t ps, size_t s, WAIT)
{
    return moved(target->clEnqueueSVMMemFill(q, to, p, ps, s, n, w, e), q, "fill", s);
}

EXPORT cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void *value, size_t *size_ret)
{
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    const char text[] = "yokecount";
    const void *from = name == CL_LAYER_API_VERSION ? (const void *)&version : text;
    size_t n = name == CL_LAYER_API_VERSION ? sizeof version : sizeof text;
    if ((name != CL_LAYER_API_VERSION && name != CL_LAYER_NAME) || (value && size < n))
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, from, n);
    if (size_ret)
        *size_ret = n;
    return CL_SUCCESS;
}

EXPORT cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch *below, cl_uint *entries_ret,
                                      const cl_icd_dispatch **out)
{
    const cl_uint all = sizeof ours / sizeof(void *);
    if (!below || !entries_ret || !out || entries < all)
        return CL_INVALID_VALUE;
    const char *path = getenv("YOKE_COUNT_LOG");
    if (path && *path && log_file < 0) {
        log_file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        if (log_file < 0) {
            perror(path);
            return CL_INVALID_VALUE;
        }
    }
    target = below;
    ours = *below;
    ours.clCreateBuffer = create_buffer;
    ours.clEnqueueNDRangeKernel = ndrange;
    ours.clEnqueueTask = task;
    ours.clEnqueueReadBuffer = read_buffer;
    ours.clEnqueueWriteBuffer = write_buffer;
    ours.clEnqueueReadBufferRect = read_rect;
    ours.clEnqueueWriteBufferRect = write_rect;
    ours.clEnqueueCopyBuffer = copy_buffer;
    ours.clEnqueueCopyBufferRect = copy_rect;
    ours.clEnqueueFillBuffer = fill_buffer;
    ours.clEnqueueReadImage = read_image;
    ours.clEnqueueWriteImage = write_image;
    ours.clEnqueueCopyImage = copy_image;
    ours.clEnqueueCopyImageToBuffer = copy_image_buffer;
    ours.clEnqueueCopyBufferToImage = copy_buffer_image;
    ours.clEnqueueFillImage = fill_image;
    ours.clEnqueueMapBuffer = map_buffer;
    ours.clEnqueueMapImage = map_image;
    ours.clEnqueueUnmapMemObject = unmap;
    ours.clEnqueueMigrateMemObjects = migrate;
    ours.clEnqueueSVMMemcpy = svm_copy;
    ours.clEnqueueSVMMemFill = svm_fill;
    *entries_ret = all;
    *out = &ours;
    return CL_SUCCESS;
}
