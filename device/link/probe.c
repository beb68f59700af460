#include "device/link/probe.h"
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"

enum { LEAST = 3, MOST = 99 };

/* One transfer that is given to the driver and not waited for. */
struct flow {
    struct yk_probe *p;
    enum yk_probe_way way;
    void *host;
    size_t bytes;
};

static cl_int give(const struct flow *f, cl_bool blocking)
{
    const struct yk_probe *p = f->p;
    const struct yk_cl *cl = p->device->cl;
    return f->way == YK_PROBE_IN
               ? cl->EnqueueWriteBuffer(p->queue[f->way], p->mem[f->way], blocking, 0, f->bytes, f->host, 0, NULL, NULL)
               : cl->EnqueueReadBuffer(p->queue[f->way], p->mem[f->way], blocking, 0, f->bytes, f->host, 0, NULL, NULL);
}

static cl_int move(const struct flow *f, unsigned n)
{
    cl_int err = CL_SUCCESS;
    for (unsigned i = 0; i < n && err == CL_SUCCESS; i++)
        err = give(&f[i], n == 1);
    for (unsigned i = 0; i < n && err == CL_SUCCESS && n > 1; i++)
        err = f[i].p->device->cl->Flush(f[i].p->queue[f[i].way]);
    /* A driver may still be at what a blocking write has handed over. */
    for (unsigned i = 0; i < n; i++) {
        cl_int end = f[i].p->device->cl->Finish(f[i].p->queue[f[i].way]);
        err = err == CL_SUCCESS ? end : err;
    }
    return err;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static cl_int repeat(const struct flow *f, unsigned n, double limit_ms, double *ms)
{
    double took[MOST], sum = 0;
    unsigned k = 0;
    cl_int err = move(f, n); /* whatever is made at the first of its kind */
    while (err == CL_SUCCESS && k < MOST && (k < LEAST || sum < limit_ms)) {
        uint64_t from = yk_now_ns();
        err = move(f, n);
        took[k] = (double)(yk_now_ns() - from) * 1e-6;
        sum += took[k++];
    }
    if (err != CL_SUCCESS)
        return err;
    qsort(took, k, sizeof *took, by_size);
    *ms = took[k / 2];
    return err;
}

static cl_int make(struct yk_probe *p, unsigned way)
{
    const struct yk_cl *cl = p->device->cl;
    cl_int err;
    if (!(p->queue[way] = cl->CreateCommandQueue(p->context, p->device->id, 0, &err)) ||
        !(p->mem[way] = cl->CreateBuffer(p->context, CL_MEM_READ_WRITE, p->bytes, NULL, &err)) ||
        !(p->pinned_mem[way] =
              cl->CreateBuffer(p->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, p->bytes, NULL, &err)) ||
        !(p->pinned[way] = cl->EnqueueMapBuffer(p->queue[way], p->pinned_mem[way], CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                                                0, p->bytes, 0, NULL, NULL, &err)))
        return err == CL_SUCCESS ? CL_OUT_OF_RESOURCES : err;
    memset(p->pinned[way], 1, p->bytes);
    return CL_SUCCESS;
}

cl_int yk_probe_open(struct yk_probe *p, const struct yk_device *d, size_t bytes)
{
    cl_int err = CL_OUT_OF_HOST_MEMORY;
    *p = (struct yk_probe){.device = d, .bytes = bytes};
    if ((p->ordinary = malloc(bytes))) {
        memset(p->ordinary, 1, bytes);
        p->context = d->cl->CreateContext(NULL, 1, &d->id, NULL, NULL, &err);
    }
    for (unsigned way = 0; way < YK_PROBE_WAYS && p->context && err == CL_SUCCESS; way++)
        err = make(p, way);
    if (p->context && err == CL_SUCCESS)
        return err;
    yk_probe_close(p);
    return err == CL_SUCCESS ? CL_OUT_OF_RESOURCES : err;
}

void yk_probe_close(struct yk_probe *p)
{
    const struct yk_cl *cl = p->context ? p->device->cl : NULL;
    for (unsigned way = 0; way < YK_PROBE_WAYS && cl; way++) {
        if (p->pinned[way])
            (void)cl->EnqueueUnmapMemObject(p->queue[way], p->pinned_mem[way], p->pinned[way], 0, NULL, NULL);
        if (p->queue[way])
            (void)cl->Finish(p->queue[way]);
        if (p->pinned_mem[way])
            cl->ReleaseMemObject(p->pinned_mem[way]);
        if (p->mem[way])
            cl->ReleaseMemObject(p->mem[way]);
        if (p->queue[way])
            cl->ReleaseCommandQueue(p->queue[way]);
    }
    if (cl)
        cl->ReleaseContext(p->context);
    free(p->ordinary);
    *p = (struct yk_probe){.device = p->device};
}

cl_int yk_probe_time(struct yk_probe *p, enum yk_probe_way way, bool pinned, size_t bytes, double limit_ms, double *ms)
{
    const struct flow f = {p, way, pinned ? p->pinned[way] : p->ordinary, bytes};
    return repeat(&f, 1, limit_ms, ms);
}

cl_int yk_probe_both(struct yk_probe *p, size_t bytes, double limit_ms, double *ms)
{
    const struct flow f[] = {{p, YK_PROBE_IN, p->pinned[YK_PROBE_IN], bytes},
                             {p, YK_PROBE_OUT, p->pinned[YK_PROBE_OUT], bytes}};
    return repeat(f, 2, limit_ms, ms);
}

cl_int yk_probe_together(struct yk_probe *a, struct yk_probe *b, size_t bytes, double limit_ms, double *ms)
{
    const struct flow f[] = {{a, YK_PROBE_IN, a->pinned[YK_PROBE_IN], bytes},
                             {b, YK_PROBE_IN, b->pinned[YK_PROBE_IN], bytes}};
    return repeat(f, 2, limit_ms, ms);
}
