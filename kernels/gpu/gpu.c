/* What OpenCL and CUDA have in common: kernels by their options, tables' range and scale, calibration. */
#include "kernels/gpu/gpu.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "kernels/gpu/backend.h"
#include "kernels/gpu/builder.h"

void yk_gpu_close(struct yk_gpu *g)
{
    if (!g)
        return;
    yk_gpu_builder_finish(g);
    yk_gpu_memo_finish(&g->memo);
    g->ops->close(g);
}

const char *yk_gpu_name(const struct yk_gpu *g)
{
    return g->name;
}

bool yk_gpu_has_double(const struct yk_gpu *g)
{
    return g->has_double;
}

uint64_t yk_gpu_bytes(const struct yk_gpu *g)
{
    return g->bytes;
}

double yk_gpu_launch_seconds(const struct yk_gpu *g)
{
    return g->launch_seconds;
}

bool yk_gpu_host_memory(const struct yk_gpu *g)
{
    return g->host_memory;
}

struct yk_cache_device *yk_gpu_shape(struct yk_gpu *g, bool single)
{
    return &g->shape[single];
}

yk_status yk_gpu_alloc(struct yk_gpu *g, size_t bytes, yk_gpu_memory *m)
{
    return g->ops->alloc(g, bytes, m);
}

void yk_gpu_free(struct yk_gpu *g, yk_gpu_memory m)
{
    if (m)
        g->ops->free(g, m);
}

yk_status yk_gpu_write(struct yk_gpu *g, yk_gpu_memory m, const void *from, size_t bytes)
{
    return g->ops->write(g, m, from, bytes);
}

yk_status yk_gpu_read(struct yk_gpu *g, yk_gpu_memory m, void *to, size_t bytes)
{
    return g->ops->read(g, m, to, bytes);
}

yk_status yk_gpu_finish(struct yk_gpu *g)
{
    return g->ops->finish(g);
}

/* The record of OPTIONS; new ones have no kernel yet. */
static struct yk_gpu_kernel *record(struct yk_gpu *g, const char *name, const char *options)
{
    char all[sizeof g->kernels->options];
    snprintf(all, sizeof all, "%s%s -DKERNEL_%s", options, g->ops->extra, name);
    for (struct yk_gpu_kernel *k = g->kernels; k; k = k->next)
        if (strcmp(k->options, all) == 0)
            return k;
    struct yk_gpu_kernel *k = calloc(1, sizeof *k);
    if (!k)
        return NULL;
    memcpy(k->options, all, sizeof all);
    k->next = g->kernels;
    g->kernels = k;
    return k;
}

static yk_status build(struct yk_gpu *g, const char *file, const char *name, bool stored, struct yk_gpu_kernel *k)
{
    char *text = yk_gpu_text(g, file);
    if (!text)
        return YK_ENOMEM;
    yk_status st = g->ops->build(g, text, k->options, name, stored, &k->kernel);
    if (st != YK_OK)
        k->kernel = NULL;
    free(text);
    return st;
}

bool yk_gpu_kernel_worth(struct yk_gpu *g, const char *file, const char *name, const char *options, double saves)
{
    static const double BUILD_SECONDS = 0.15, ASK_SECONDS = 0.002;
    struct yk_gpu_kernel *k = record(g, name, options);
    if (!k || k->kernel)
        return true;
    const int asked = atomic_load(&k->asked);
    if ((k->missed == 0 || asked == YK_GPU_COMPILED) && build(g, file, name, true, k) == YK_OK)
        return true;
    if (asked == YK_GPU_COMPILED) /* and could not be kept on disk */
        atomic_store(&k->asked, YK_GPU_NOT_COMPILED);
    k->missed += saves;
    if (asked == YK_GPU_NOT_ASKED && k->missed >= ASK_SECONDS && saves < BUILD_SECONDS)
        yk_gpu_builder_ask(g, file, k);
    return atomic_load(&k->asked) != YK_GPU_ASKED && k->missed >= BUILD_SECONDS;
}

yk_status yk_gpu_kernel_get(struct yk_gpu *g, const char *file, const char *name, const char *options, void **kernel,
                            double *seconds)
{
    struct yk_gpu_kernel *k = record(g, name, options);
    yk_status st = k ? YK_OK : YK_ENOMEM;
    if (k && !k->kernel) {
        uint64_t from = yk_now_ns();
        st = build(g, file, name, false, k);
        *seconds += (double)(yk_now_ns() - from) * 1e-9;
    }
    if (st == YK_OK)
        *kernel = k->kernel;
    return st;
}

enum { PLAIN_BLOCKS = 256, PLAIN_THREADS = 64 };

static yk_status plain(struct yk_gpu *g, const char *name, struct yk_gpu_plain *l)
{
    char options[100];
    double seconds = 0;
    snprintf(options, sizeof options, "-DREAL=%s -DDOUBLE=%d -DTEXTURE=0 -DNATIVE=0 -DMETA_INTS=1",
             l->single ? "float" : "double", !l->single);
    yk_status st = yk_gpu_kernel_get(g, yk_gpu_text_plain, name, options, &l->kernel, &seconds);
    l->threads = PLAIN_THREADS;
    l->blocks = l->n < (uint64_t)PLAIN_BLOCKS * PLAIN_THREADS * 4 ? 4 : PLAIN_BLOCKS;
    return st == YK_OK ? g->ops->plain(g, l) : st;
}

yk_status yk_gpu_scale(struct yk_gpu *g, yk_gpu_memory m, size_t n, bool single, int e)
{
    struct yk_gpu_plain l = {.cells = m, .n = n, .factor = ldexp(1, e), .single = single};
    return plain(g, "scale", &l);
}

yk_status yk_gpu_range(struct yk_gpu *g, yk_gpu_memory m, size_t n, bool single, double *least, double *most)
{
    enum { MOST = 2 * PLAIN_BLOCKS * PLAIN_THREADS };
    size_t cell = single ? sizeof(float) : sizeof(double);
    struct yk_gpu_plain l = {.cells = m, .n = n, .factor = 1, .single = single};
    void *part = malloc(MOST * cell);
    yk_status st = part ? yk_gpu_alloc(g, MOST * cell, &l.result) : YK_ENOMEM;
    if (st == YK_OK)
        st = plain(g, "range", &l);
    uint32_t parts = 2 * l.blocks * l.threads;
    if (st == YK_OK)
        st = yk_gpu_read(g, l.result, part, parts * cell);
    double lo = INFINITY, hi = 0;
    for (uint32_t i = 0; st == YK_OK && i < parts; i += 2) {
        double a = single ? (double)((float *)part)[i] : ((double *)part)[i];
        double b = single ? (double)((float *)part)[i + 1] : ((double *)part)[i + 1];
        lo = a < lo ? a : lo;
        hi = !(b <= hi) ? b : hi;
    }
    *least = isinf(lo) ? 0 : lo;
    *most = hi;
    yk_gpu_free(g, l.result);
    free(part);
    return st;
}

yk_status yk_gpu_pattern(struct yk_gpu *g, yk_gpu_memory m, size_t n, bool single, bool log, uint32_t seed)
{
    struct yk_gpu_plain l = {.cells = m, .n = n, .factor = seed & 0xffff, .single = single};
    yk_status st = plain(g, "pattern", &l);
    return st == YK_OK && log ? plain(g, "to_log", &l) : st;
}

double yk_gpu_pattern_value(size_t i, uint32_t seed)
{
    uint32_t h = (uint32_t)i * 2654435761u + (seed & 0xffff);
    h = (h ^ h >> 15) * 2246822519u;
    h ^= h >> 13;
    return ((h >> 8) + 1) * 0x1p-24;
}

yk_status yk_gpu_peak(struct yk_gpu *g, bool single, double *flops)
{
    struct yk_gpu_plain l = {.n = g->host_memory ? 4096 : 65536, .factor = 0.5, .single = single};
    double seconds = INFINITY;
    yk_status st = yk_gpu_alloc(g, (size_t)PLAIN_BLOCKS * 64 * 8, &l.cells);
    for (int i = 0; i < 4 && st == YK_OK; i++) {
        char options[100];
        double build = 0;
        snprintf(options, sizeof options, "-DREAL=%s -DDOUBLE=%d -DTEXTURE=0 -DNATIVE=0 -DMETA_INTS=1",
                 single ? "float" : "double", !single);
        st = yk_gpu_kernel_get(g, yk_gpu_text_plain, "peak", options, &l.kernel, &build);
        l.threads = 64;
        l.blocks = g->host_memory ? 64 : PLAIN_BLOCKS * 32;
        uint64_t from = yk_now_ns();
        if (st == YK_OK)
            st = g->ops->plain(g, &l);
        if (st == YK_OK)
            st = yk_gpu_finish(g);
        double t = (double)(yk_now_ns() - from) * 1e-9;
        seconds = i && t < seconds ? t : seconds;
    }
    *flops = 2.0 * 16 * (double)l.n * l.blocks * l.threads / seconds;
    yk_gpu_free(g, l.cells);
    return st;
}

/* Seconds of the fastest of three runs of what COPY does with BYTES. */
static double fastest(struct yk_gpu *g, yk_gpu_memory a, yk_gpu_memory b, void *host, size_t bytes, int what)
{
    double best = INFINITY;
    for (int i = 0; i < 4; i++) {
        uint64_t from = yk_now_ns();
        yk_status st = what == 0   ? g->ops->copy(g, a, b, bytes)
                       : what == 1 ? g->ops->write(g, a, host, bytes)
                                   : g->ops->read(g, a, host, bytes);
        if (st != YK_OK || g->ops->finish(g) != YK_OK)
            return INFINITY;
        double t = (double)(yk_now_ns() - from) * 1e-9;
        best = i && t < best ? t : best;
    }
    return best;
}

yk_status yk_gpu_calibrate(struct yk_gpu *g, double *in, double *out)
{
    size_t large = g->host_memory ? 32u << 20 : 256u << 20, small = 16u << 20;
    yk_gpu_memory a = 0, b = 0;
    void *host = calloc(1, small);
    yk_status st = host ? yk_gpu_alloc(g, large, &a) : YK_ENOMEM;
    if (st == YK_OK)
        st = yk_gpu_alloc(g, large, &b);
    if (st == YK_OK) {
        double copy = fastest(g, a, b, host, large, 0);
        for (int s = 0; s < 2 && isfinite(copy); s++) {
            g->shape[s].bytes = 2 * (double)large / copy;
            g->shape[s].inner_bytes = (g->host_memory ? 2 : 1.3) * g->shape[s].bytes;
        }
        if (in)
            *in = (double)small / fastest(g, a, b, host, small, 1);
        if (out)
            *out = (double)small / fastest(g, a, b, host, small, 2);
        st = isfinite(copy) ? YK_OK : YK_EDEVICE;
    }
    yk_gpu_free(g, a);
    yk_gpu_free(g, b);
    free(host);
    return st;
}
