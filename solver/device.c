#include "solver/device.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/clock.h"

struct choice {
    enum { CHOICE_CPU, CHOICE_OPENCL, CHOICE_CUDA, CHOICE_ALL } kind;
    int number; /* -1: any */
    bool only;
};

static bool parse(const char *text, struct choice *c)
{
    static const char *const names[] = {"cpu", "opencl", "cuda", "all"};
    size_t n = strcspn(text, ":");
    *c = (struct choice){CHOICE_CPU, -1, false};
    int kind = -1;
    for (int i = 0; i < 4; i++)
        if (strlen(names[i]) == n && strncasecmp(text, names[i], n) == 0)
            kind = i;
    if (kind < 0)
        return false;
    c->kind = (int)kind;
    while (*(text += n)) {
        text++;
        n = strcspn(text, ":");
        char *rest;
        long number = strtol(text, &rest, 10);
        if (n == 4 && strncasecmp(text, "only", 4) == 0 && kind != CHOICE_CPU)
            c->only = true;
        else if (n && rest == text + n && number >= 0 && number < 1000 && c->number < 0 &&
                 (kind == CHOICE_OPENCL || kind == CHOICE_CUDA))
            c->number = (int)number;
        else
            return false;
    }
    return true;
}

bool yk_solver_device_text(const char *text)
{
    struct choice c;
    return parse(text, &c);
}

static yk_status open_opencl(int number, struct yk_gpu **gpu, char *msg, size_t n)
{
    yk_status st;
    const struct yk_machine *m = yk_machine_get(&st);
    if (!m) {
        snprintf(msg, n, "no OpenCL device is there");
        return st;
    }
    unsigned index = number < 0 ? m->primary : (unsigned)number;
    if (index >= m->n || !m->device[index].usable) {
        snprintf(msg, n, "there is no usable OpenCL device %u (see: yoke devices)", index);
        return YK_ENOTFOUND;
    }
    st = yk_gpu_open_opencl(&m->device[index], false, gpu);
    if (st != YK_OK)
        snprintf(msg, n, "the OpenCL device %s could not be opened", m->device[index].name);
    return st;
}

/* Seconds of one small transfer: the median of some there and back. */
static yk_status measure_latency(struct yk_gpu *g, double *latency)
{
    enum { ROUNDS = 9 };
    char few[1024] = {0};
    double seconds[ROUNDS];
    yk_gpu_memory m = 0;
    yk_status st = yk_gpu_alloc(g, sizeof few, &m);
    for (int i = 0; i < ROUNDS && st == YK_OK; i++) {
        const uint64_t from = yk_now_ns();
        st = yk_gpu_write(g, m, few, sizeof few);
        if (st == YK_OK)
            st = yk_gpu_read(g, m, few, sizeof few);
        const double t = (double)(yk_now_ns() - from) * 0.5e-9;
        int at = i;
        for (; at > 0 && seconds[at - 1] > t; at--)
            seconds[at] = seconds[at - 1];
        seconds[at] = t;
    }
    yk_gpu_free(g, m);
    if (st == YK_OK)
        *latency = seconds[ROUNDS / 2];
    return st;
}

yk_status yk_solver_device_open(const char *text, struct yk_solver_device **out, char *msg, size_t n)
{
    struct choice c;
    *out = NULL;
    if (!parse(text, &c)) {
        snprintf(msg, n, "'%s' is no device: cpu, opencl, opencl:N, cuda, cuda:N or all", text);
        return YK_EINVAL;
    }
    if (c.kind == CHOICE_CPU)
        return YK_OK;
    struct yk_gpu *gpu = NULL;
    yk_status st = YK_ENOTFOUND;
    if (c.kind != CHOICE_OPENCL)
        st = yk_gpu_open_cuda(c.number < 0 ? 0 : (unsigned)c.number, false, &gpu, msg, n);
    if (c.kind == CHOICE_OPENCL || (c.kind == CHOICE_ALL && st != YK_OK))
        st = open_opencl(c.number, &gpu, msg, n);
    if (st != YK_OK)
        return st;
    struct yk_solver_device *d = calloc(1, sizeof *d);
    if (!d) {
        yk_gpu_close(gpu);
        return YK_ENOMEM;
    }
    d->gpu = gpu;
    d->always = c.only;
    d->launch = 50e-6;
    d->options.path = YK_GPU_BEST;
    /* A kernel per shape pays on a device that is much faster than its compiler is slow, and there not for the small
     * buckets that a tree has hundreds of. */
    d->options.generic = yk_gpu_host_memory(gpu);
    d->options.lazy = true;
    st = yk_gpu_calibrate(gpu, &d->in, &d->out);
    if (st == YK_OK)
        st = measure_latency(gpu, &d->latency);
    if (st != YK_OK) {
        snprintf(msg, n, "%s failed its first transfers", yk_gpu_name(gpu));
        yk_solver_device_close(d);
        return st;
    }
    *out = d;
    return YK_OK;
}

void yk_solver_device_close(struct yk_solver_device *d)
{
    if (!d)
        return;
    yk_gpu_close(d->gpu);
    free(d);
}
