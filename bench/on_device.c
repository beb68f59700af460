#include "bench/on_device.h"
#include <math.h>
#include <stdio.h>

struct yk_gpu *bench_device_open(const char *name, const char *cl, int cuda)
{
    char msg[200] = "no such OpenCL device";
    unsigned index;
    struct yk_gpu *gpu = NULL;
    yk_status st = YK_ENOTFOUND;
    if (cuda >= 0)
        st = yk_gpu_open_cuda((unsigned)cuda, true, &gpu, msg, sizeof msg);
    else {
        const struct yk_machine *m = yk_machine_get(&st);
        if (m)
            st = yk_machine_find(m, cl, &index, msg, sizeof msg);
        if (st == YK_OK)
            st = yk_gpu_open_opencl(&m->device[index], true, &gpu);
    }
    if (st == YK_OK)
        return gpu;
    fprintf(stderr, "%s: %s (%s)\n", name, msg, yk_status_text(st));
    return NULL;
}

bool bench_device_init(struct bench_device_tables *t, struct yk_gpu *gpu, const struct yk_bucket *b)
{
    *t = (struct bench_device_tables){.gpu = gpu, .b = b, .made = -1};
    yk_status st = yk_gpu_alloc(gpu, b->out.cells * 8, &t->out);
    for (uint32_t i = 0; i < b->ninputs && st == YK_OK; i++)
        st = yk_gpu_alloc(gpu, b->input[i].cells * 8, &t->in[i]);
    return st == YK_OK;
}

void bench_device_finish(struct bench_device_tables *t)
{
    for (uint32_t i = 0; i < t->b->ninputs; i++)
        yk_gpu_free(t->gpu, t->in[i]);
    yk_gpu_free(t->gpu, t->out);
}

double bench_device_run(struct bench_device_tables *t, const struct yk_gpu_options *o, double spend,
                        struct yk_gpu_report *r, yk_status *st)
{
    int kind = o->single * 2 + o->log;
    *st = !o->single && !yk_gpu_has_double(t->gpu) ? YK_ELIMIT : YK_OK;
    for (uint32_t i = 0; i < t->b->ninputs && *st == YK_OK && t->made != kind; i++)
        *st = yk_gpu_pattern(t->gpu, t->in[i], t->b->input[i].cells, o->single, o->log, i + 1);
    t->made = *st == YK_OK ? kind : t->made;
    double best = INFINITY, spent = 0, build = 0;
    for (int i = 0; i < 20 && (i < 4 || spent < spend) && *st == YK_OK && spent < 10 * spend; i++) {
        *st = yk_gpu_sumproduct(t->gpu, t->b, t->in, t->out, o, r);
        build += r->build;
        r->build = build;
        if (*st == YK_OK && (i || r->measured > spend)) /* the first warms up */
            best = fmin(best, r->measured);
        spent += r->measured;
    }
    return *st == YK_OK && best > 0 && isfinite(best) ? best : NAN;
}
