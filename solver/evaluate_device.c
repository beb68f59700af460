/* Buckets on a device, and tables that lie there. */
#include <math.h>
#include <stdlib.h>
#include "base/clock.h"
#include "solver/evaluate_work.h"
#include "solver/place.h"

yk_status run_table_to_host(struct run *r, struct run_table *t)
{
    if (r->dry || t->v || !t->on_device)
        return YK_OK;
    struct yk_solver_device *d = r->opt->device;
    uint64_t from = yk_now_ns();
    t->v = yk_table_alloc(t->cells * r->cell);
    if (!t->v)
        return YK_ENOMEM;
    yk_status st = yk_gpu_read(d->gpu, t->on_device, t->v, t->cells * r->cell);
    d->bytes_out += (double)t->cells * (double)r->cell;
    d->seconds += (double)(yk_now_ns() - from) * 1e-9;
    return st;
}

static yk_status to_device(struct run *r, struct run_table *t)
{
    struct yk_solver_device *d = r->opt->device;
    if (t->on_device)
        return YK_OK;
    yk_status st = yk_gpu_alloc(d->gpu, t->cells * r->cell, &t->on_device);
    if (st == YK_OK)
        st = yk_gpu_write(d->gpu, t->on_device, t->v, t->cells * r->cell);
    d->bytes_in += (double)t->cells * (double)r->cell;
    return st;
}

void run_table_off_device(struct run *r, struct run_table *t)
{
    if (t->on_device)
        yk_gpu_free(r->opt->device->gpu, t->on_device);
    t->on_device = 0;
}

static struct yk_gpu_options options(const struct run *r)
{
    struct yk_gpu_options o = r->opt->device->options;
    o.single = r->opt->arithmetic == YK_ARITH_FLOAT;
    o.log = r->opt->arithmetic == YK_ARITH_LOG;
    return o;
}

static double cpu_seconds(const struct run *r, const struct yk_bucket *b)
{
    int threads = r->opt->threads > 0 ? r->opt->threads : r->threads;
    bool large = yk_bucket_operations(b) + yk_bucket_cells(b) > 1 << 20;
    return (yk_sumproduct_cpu_seconds(b) + yk_table_seconds(b->out.cells * r->cell)) / (large ? threads : 1);
}

void run_predict(struct run *r, const struct yk_bucket *b)
{
    struct yk_solver_device *d = r->opt->device;
    struct yk_gpu_options o = options(r);
    double *ms = r->ms + 2 * (size_t)r->node, bytes = yk_bucket_cells(b) * (double)r->cell;
    ms[0] = cpu_seconds(r, b) * 1e3;
    ms[1] = d->launch * 1e3;
    if (b->ninputs > YK_CACHE_INPUTS || bytes > 0.5 * (double)yk_gpu_bytes(d->gpu))
        ms[1] = INFINITY;
    else if (ms[0] > 2 * ms[1]) /* for less, planning costs more than it can tell */
        ms[1] += yk_gpu_predict(d->gpu, b, &o) * 1e3;
}

bool run_prefers_device(struct run *r, const struct yk_bucket *b, struct run_table *const *in)
{
    struct yk_solver_device *d = r->opt->device;
    if (!d || r->dry || b->ninputs > YK_CACHE_INPUTS)
        return false;
    double bytes = yk_bucket_cells(b) * (double)r->cell;
    /* Half of the device's memory: tables that later buckets need stay there. */
    if (bytes > 0.5 * (double)yk_gpu_bytes(d->gpu))
        return false;
    if (d->always)
        return true;
    if (r->place && r->forward_node)
        return r->place[r->node] == YK_PLACE_DEVICE;
    /* Without a placement: the bucket by itself, with what has to be brought. */
    double cpu = cpu_seconds(r, b), here = 0;
    for (uint32_t i = 0; i < b->ninputs; i++) {
        if (!in[i]->on_device)
            here += d->latency + (double)in[i]->cells * (double)r->cell / d->in;
        if (!in[i]->v)
            cpu += d->latency + (double)in[i]->cells * (double)r->cell / d->out;
    }
    here += d->latency + d->launch;
    if (cpu < here)
        return false;
    struct yk_gpu_options o = options(r);
    return here + yk_gpu_predict(d->gpu, b, &o) < cpu;
}

/* The range of OUT, brought to the middle as on the CPU. */
static yk_status scale(struct run *r, struct run_table *out, double *most)
{
    const bool single = r->opt->arithmetic == YK_ARITH_FLOAT;
    const double below = single ? 0x1p-20 : 0x1p-60, above = single ? 0x1p20 : 0x1p60,
                 lost = single ? 0x1p-100 : 0x1p-900;
    struct yk_gpu *g = r->opt->device->gpu;
    double least;
    /* Bounds that need no look at the values are good enough for most tables. */
    out->bounded = true;
    if (out->least > log2(below) && out->most < log2(above)) {
        *most = 1;
        return YK_OK;
    }
    yk_status st = yk_gpu_range(g, out->on_device, out->cells, single, &least, most);
    if (st != YK_OK)
        return st;
    out->least = least > 0 ? log2(least) : 0;
    out->most = *most > 0 && !isinf(*most) ? log2(*most) : 0;
    if (!(*most >= lost) || isinf(*most) || (*most > below && *most < above))
        return YK_OK;
    int e;
    frexp(*most, &e);
    st = yk_gpu_scale(g, out->on_device, out->cells, single, -e);
    out->least -= e;
    out->most -= e;
    out->e += e;
    return st;
}

yk_status run_on_device(struct run *r, const struct yk_bucket *b, struct run_table *const *in, struct run_table *out,
                        double *most)
{
    struct yk_solver_device *d = r->opt->device;
    struct yk_gpu_options o = options(r);
    struct yk_gpu_report report = {0};
    yk_gpu_memory at[YK_CACHE_INPUTS];
    uint64_t from = yk_now_ns();
    yk_status st = yk_gpu_alloc(d->gpu, out->cells * r->cell, &out->on_device);
    for (uint32_t i = 0; i < b->ninputs && st == YK_OK; i++) {
        st = to_device(r, in[i]);
        at[i] = in[i]->on_device;
    }
    if (st == YK_OK)
        st = yk_gpu_sumproduct(d->gpu, b, at, out->on_device, &o, &report);
    d->plan_seconds += report.plan;
    d->build_seconds += report.build;
    *most = 1;
    if (st == YK_OK && !o.log)
        st = scale(r, out, most);
    d->buckets += st == YK_OK;
    d->seconds += (double)(yk_now_ns() - from) * 1e-9;
    if (st != YK_OK)
        run_table_off_device(r, out);
    return st;
}

yk_status run_device_range(struct run *r, struct run_table *t, double *least, double *most)
{
    return yk_gpu_range(r->opt->device->gpu, t->on_device, t->cells, r->opt->arithmetic == YK_ARITH_FLOAT, least, most);
}
