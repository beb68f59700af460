/* kernels/gpu over CUDA's driver API; kernels are compiled for the device by NVRTC. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "device/cuda/cuda.h"
#include "kernels/gpu/backend.h"
#include "kernels/gpu/pool.h"
#include "kernels/gpu/stored.h"

struct cuda_kernel {
    struct cuda_kernel *next;
    void *module, *function;
    yk_cu_memory meta;
    uint32_t local_bytes; /* that the function may take */
};

struct cuda {
    struct yk_gpu g;
    const struct yk_cuda *cu;
    const struct yk_nvrtc *nvrtc;
    yk_cu_device device;
    void *context, *start, *end;
    struct cuda_kernel *kernels;
    struct yk_gpu_pool pool;
    char *stage; /* pinned: what is written goes through it, so that nobody waits; NULL: there is none */
    size_t staged;
    char extra[64];
    struct yk_gpu_ops ops; /* with options for this device */
};

enum { STAGE = 8 << 20 };

static struct cuda *self(struct yk_gpu *g)
{
    struct cuda *c = (struct cuda *)g;
    c->cu->context_set(c->context); /* of this thread */
    return c;
}

static yk_status failed(struct cuda *c, yk_cu_result code, const char *what)
{
    if (code == 0)
        return YK_OK;
    if (code == 2) /* CUDA_ERROR_OUT_OF_MEMORY */
        return YK_EDEVMEM;
    const char *name = "unknown error";
    c->cu->error_name(code, &name);
    yk_error("sum-product on CUDA: %s: %s", what, name);
    return YK_EDEVICE;
}

static void cuda_close(struct yk_gpu *g)
{
    struct cuda *c = self(g);
    for (struct cuda_kernel *k = c->kernels, *next; k; k = next) {
        next = k->next;
        c->cu->module_unload(k->module);
        free(k);
    }
    for (struct yk_gpu_kernel *k = g->kernels, *next; k; k = next) {
        next = k->next;
        free(k);
    }
    if (c->start)
        c->cu->event_destroy(c->start);
    if (c->end)
        c->cu->event_destroy(c->end);
    yk_gpu_pool_finish(&c->pool);
    if (c->stage)
        c->cu->host_free(c->stage);
    if (c->context)
        c->cu->context_release(c->device);
    free(c);
}

static yk_status take(void *ctx, size_t bytes, uint64_t *at)
{
    struct cuda *c = ctx;
    return failed(c, c->cu->alloc(at, bytes), "cuMemAlloc");
}

static void give_back(void *ctx, uint64_t at)
{
    struct cuda *c = ctx;
    c->cu->free(at);
}

static yk_status cuda_alloc(struct yk_gpu *g, size_t bytes, yk_gpu_memory *m)
{
    uint64_t at = 0;
    yk_status st = yk_gpu_pool_alloc(&self(g)->pool, bytes, &at);
    *m = (yk_gpu_memory)at;
    return st;
}

static void cuda_free(struct yk_gpu *g, yk_gpu_memory m)
{
    yk_gpu_pool_free(&self(g)->pool, m);
}

/* From ordinary memory the driver waits for what was launched before it copies; from pinned memory nobody waits, but
 * for the stage to be free again each time it has been gone through. */
static yk_status upload(struct cuda *c, yk_cu_memory to, const void *from, size_t bytes)
{
    if (!c->stage || bytes > STAGE / 4)
        return failed(c, c->cu->write(to, from, bytes), "cuMemcpyHtoD");
    if (c->staged + bytes > STAGE) {
        yk_status st = failed(c, c->cu->context_synchronize(), "cuCtxSynchronize");
        if (st != YK_OK)
            return st;
        c->staged = 0;
    }
    char *at = c->stage + c->staged;
    memcpy(at, from, bytes);
    c->staged += (bytes + 255) / 256 * 256;
    return failed(c, c->cu->write_async(to, at, bytes, NULL), "cuMemcpyHtoDAsync");
}

static yk_status cuda_write(struct yk_gpu *g, yk_gpu_memory m, const void *from, size_t bytes)
{
    return upload(self(g), m, from, bytes);
}

static yk_status cuda_read(struct yk_gpu *g, yk_gpu_memory m, void *to, size_t bytes)
{
    struct cuda *c = self(g);
    return failed(c, c->cu->read(to, m, bytes), "cuMemcpyDtoH");
}

static yk_status cuda_copy(struct yk_gpu *g, yk_gpu_memory from, yk_gpu_memory to, size_t bytes)
{
    struct cuda *c = self(g);
    return failed(c, c->cu->copy(to, from, bytes), "cuMemcpyDtoD");
}

static yk_status cuda_finish(struct yk_gpu *g)
{
    struct cuda *c = self(g);
    return failed(c, c->cu->context_synchronize(), "cuCtxSynchronize");
}

/* OPTIONS are words with single spaces between them. */
static char *compile(struct cuda *c, const char *text, const char *options, size_t *n)
{
    const char *word[48];
    char copy[700], *rest = copy, *cubin = NULL;
    int words = 0;
    void *program = NULL;
    size_t size = 0;
    snprintf(copy, sizeof copy, "%s", options);
    for (char *w; words < 48 && (w = strsep(&rest, " "));)
        if (*w)
            word[words++] = w;
    if (c->nvrtc->create(&program, text, "sumproduct.cu", 0, NULL, NULL) != 0)
        return NULL;
    if (c->nvrtc->compile(program, words, word) != 0) {
        char *log = c->nvrtc->log_size(program, &size) == 0 ? calloc(1, size + 1) : NULL;
        if (log)
            c->nvrtc->log(program, log);
        yk_error("sum-product kernel does not build for CUDA: %.2000s", log ? log : "");
        free(log);
    } else if (c->nvrtc->cubin_size(program, &size) == 0 && (cubin = malloc(size))) {
        if (c->nvrtc->cubin(program, cubin) != 0) {
            free(cubin);
            cubin = NULL;
        }
    }
    *n = size;
    c->nvrtc->destroy(&program);
    return cubin;
}

/* The compiler, the text and the options, which name the architecture, are all that a kernel comes from. */
static struct yk_hash key_of(struct cuda *c, const char *text, const char *options)
{
    int version[2] = {0, 0};
    c->nvrtc->version(&version[0], &version[1]);
    return yk_hash_str(yk_hash_str(yk_hash_bytes((struct yk_hash){0, 0}, version, sizeof version), text), options);
}

static yk_status cuda_build(struct yk_gpu *g, const char *text, const char *options, const char *name, bool stored,
                            void **kernel)
{
    struct cuda *c = self(g);
    struct cuda_kernel *k = calloc(1, sizeof *k);
    if (!k)
        return YK_ENOMEM;
    struct yk_hash key = key_of(c, text, options);
    size_t bytes;
    yk_status st = YK_ENOTFOUND;
    char *cubin = yk_gpu_stored_get(key, &bytes);
    if (cubin && c->cu->module_load(&k->module, cubin) == 0)
        st = YK_OK;
    else if (cubin)
        yk_gpu_stored_reject(key);
    free(cubin);
    if (st != YK_OK && !stored) {
        cubin = compile(c, text, options, &bytes);
        st = cubin ? failed(c, c->cu->module_load(&k->module, cubin), "cuModuleLoadData") : YK_EBUILD;
        if (st == YK_OK)
            yk_gpu_stored_put(key, cubin, bytes);
        free(cubin);
    }
    if (st != YK_OK) {
        free(k);
        return st;
    }
    k->next = c->kernels;
    c->kernels = k;
    k->local_bytes = 48 << 10;
    st = failed(c, c->cu->module_function(&k->function, k->module, name), "cuModuleGetFunction");
    if (c->cu->module_global(&k->meta, &bytes, k->module, "meta") != 0)
        k->meta = 0;
    *kernel = k;
    return st;
}

static yk_status cuda_compile(struct yk_gpu *g, const char *text, const char *options)
{
    struct cuda *c = (struct cuda *)g; /* no context: this thread uses no device */
    size_t bytes;
    char *cubin = compile(c, text, options, &bytes);
    if (!cubin)
        return YK_EBUILD;
    yk_gpu_stored_put(key_of(c, text, options), cubin, bytes);
    free(cubin);
    return YK_OK;
}

static yk_status run(struct cuda *c, struct cuda_kernel *k, uint32_t blocks, uint32_t threads, size_t local,
                     void **parameters, double *seconds)
{
    bool timed = seconds && c->g.timed;
    float ms = 0;
    if (timed)
        c->cu->event_record(c->start, NULL);
    yk_cu_result code =
        c->cu->launch(k->function, blocks, 1, 1, threads, 1, 1, (unsigned)local, NULL, parameters, NULL);
    if (code == 0 && timed) {
        c->cu->event_record(c->end, NULL);
        code = c->cu->event_synchronize(c->end);
        c->cu->event_elapsed(&ms, c->start, c->end);
        *seconds = (double)ms * 1e-3;
    }
    return failed(c, code, "a kernel");
}

static yk_status cuda_launch(struct yk_gpu *g, const struct yk_gpu_launch *l, double *seconds)
{
    struct cuda *c = self(g);
    struct cuda_kernel *k = l->kernel;
    *seconds = 0;
    /* In the order of the stream: a launch before this one has read what is replaced. */
    yk_status st = upload(c, k->meta, l->meta, l->nmeta * sizeof *l->meta);
    if (st == YK_OK && l->local_bytes > k->local_bytes) {
        st = failed(c, c->cu->function_set(k->function, YK_CU_FUNCTION_DYNAMIC_SHARED, (int)l->local_bytes),
                    "cuFuncSetAttribute");
        k->local_bytes = (uint32_t)l->local_bytes;
    }
    yk_cu_memory table = l->table, out = l->out, in[YK_CACHE_INPUTS];
    void *parameters[2 + YK_CACHE_INPUTS] = {&table, &out};
    for (int i = 0; i < YK_CACHE_INPUTS; i++) {
        in[i] = l->in[i];
        parameters[2 + i] = &in[i];
    }
    return st == YK_OK ? run(c, k, l->blocks, l->threads, l->local_bytes, parameters, seconds) : st;
}

static yk_status cuda_plain(struct yk_gpu *g, const struct yk_gpu_plain *l)
{
    struct cuda *c = self(g);
    yk_cu_memory cells = l->cells, result = l->result ? l->result : l->cells;
    uint64_t n = l->n;
    double factor = l->factor;
    float single = (float)l->factor;
    void *parameters[] = {&cells, &result, &n, l->single ? (void *)&single : (void *)&factor};
    return run(c, l->kernel, l->blocks, l->threads, 0, parameters, NULL);
}

static const struct yk_gpu_ops cuda_ops = {.head = yk_gpu_head_cuda,
                                           .close = cuda_close,
                                           .alloc = cuda_alloc,
                                           .free = cuda_free,
                                           .write = cuda_write,
                                           .read = cuda_read,
                                           .copy = cuda_copy,
                                           .finish = cuda_finish,
                                           .build = cuda_build,
                                           .launch = cuda_launch,
                                           .plain = cuda_plain,
                                           .compile = cuda_compile};

static int attribute(struct cuda *c, int which)
{
    int value = 0;
    c->cu->device_attribute(&value, which, c->device);
    return value;
}

static void shape(struct cuda *c)
{
    double units = attribute(c, YK_CU_MULTIPROCESSORS), clock = attribute(c, YK_CU_CLOCK_KHZ) * 1e3;
    double bytes = 2.0 * attribute(c, YK_CU_MEMORY_KHZ) * 1e3 * attribute(c, YK_CU_MEMORY_BITS) / 8;
    int ratio = attribute(c, YK_CU_SINGLE_TO_DOUBLE), l2 = attribute(c, YK_CU_L2_BYTES);
    clock = clock > 0 ? clock : 1e9;
    bytes = bytes > 0 ? 0.88 * bytes : 5e11;
    (void)l2;
    for (int single = 0; single < 2; single++)
        c->g.shape[single] =
            (struct yk_cache_device){.units = (uint32_t)units,
                                     .threads = (uint32_t)attribute(c, YK_CU_THREADS_PER_MULTIPROCESSOR),
                                     .group = 256,
                                     .local_block = (uint32_t)attribute(c, YK_CU_SHARED_PER_BLOCK_OPTIN),
                                     .local_unit = (uint32_t)attribute(c, YK_CU_SHARED_PER_MULTIPROCESSOR),
                                     .flops = units * clock * 256 /
                                              (single      ? 1
                                               : ratio > 0 ? ratio
                                                           : 2),
                                     .bytes = bytes,
                                     .inner_bytes = 1.3 * bytes,
                                     .local_bytes = units * clock * 128,
                                     .async = attribute(c, YK_CU_MAJOR) >= 8};
    c->g.launch_seconds = 8e-6;
}

yk_status yk_gpu_open_cuda(unsigned index, bool timed, struct yk_gpu **gpu, char *msg, size_t n)
{
    const char *why;
    const struct yk_cuda *cu = yk_cuda_get(&why);
    const struct yk_nvrtc *nvrtc = cu ? yk_nvrtc_get(&why) : NULL;
    int count = 0;
    snprintf(msg, n, "%s", why);
    if (!nvrtc)
        return YK_ENOTFOUND;
    cu->device_count(&count);
    if (index >= (unsigned)count) {
        snprintf(msg, n, "the CUDA driver has %d device%s, counted from 0", count, count == 1 ? "" : "s");
        return YK_ENOTFOUND;
    }
    struct cuda *c = calloc(1, sizeof *c);
    if (!c)
        return YK_ENOMEM;
    c->cu = cu;
    c->nvrtc = nvrtc;
    yk_status st = failed(c, cu->device_get(&c->device, (int)index), "cuDeviceGet");
    if (st == YK_OK)
        st = failed(c, cu->context_retain(&c->context, c->device), "cuDevicePrimaryCtxRetain");
    if (st == YK_OK)
        st = failed(c, cu->context_set(c->context), "cuCtxSetCurrent");
    if (st == YK_OK && timed)
        st = failed(c, cu->event_create(&c->start, 0) | cu->event_create(&c->end, 0), "cuEventCreate");
    if (st != YK_OK) {
        cuda_close(&c->g);
        return st;
    }
    snprintf(c->extra, sizeof c->extra, " --gpu-architecture=sm_%d%d --std=c++14", attribute(c, YK_CU_MAJOR),
             attribute(c, YK_CU_MINOR));
    c->ops = cuda_ops;
    c->ops.extra = c->extra;
    c->g.ops = &c->ops;
    c->g.timed = timed;
    c->g.has_double = true;
    c->g.image_double = true;
    c->g.image_cells = UINT64_MAX;
    char name[YK_NAME_MAX] = "";
    size_t bytes = 0;
    cu->device_name(name, sizeof name - 1, c->device);
    cu->device_memory(&bytes, c->device);
    snprintf(c->g.name, sizeof c->g.name, "CUDA %s", name);
    c->g.bytes = bytes;
    c->pool = (struct yk_gpu_pool){.take = take, .give_back = give_back, .ctx = c, .most = bytes / 8};
    void *stage = NULL;
    if (cu->host_alloc(&stage, STAGE, 0) == 0)
        c->stage = stage;
    shape(c);
    *gpu = &c->g;
    return YK_OK;
}
