#include "shim/queue/windows_run.h"
#include <stdlib.h>
#include "base/clock.h"
#include "base/thread.h"
#include "shim/core/trace.h"
#include "shim/memory/link.h"
#include "shim/queue/box.h"

enum stage { STAGE_IN, STAGE_RUN, STAGE_OUT, STAGES };

struct flow {
    struct yk_launch *l;
    const struct yk_windows_plan *plan;
    const struct yk_facts_kernel *facts;
    cl_kernel kernel;
    unsigned back;
    cl_command_queue queue; /* of the kernels */
    cl_mem buffer[YK_WINDOW_SETS][YK_WINDOWS];
    struct yk_window_span holds[YK_WINDOW_SETS]
                               [YK_WINDOWS]; /* what they hold of stores that are only read; the first stage's */
    struct yk_lock lock;                     /* guards the rest */
    pthread_cond_t changed;
    unsigned done[STAGES]; /* parts below have passed */
    unsigned threads;      /* besides the caller's, at work */
    cl_int err;            /* the first */
    uint64_t moved;
};

/* Wait until parts below BELOW have passed STAGE. False: something has failed. */
static bool await(struct flow *f, enum stage s, unsigned below)
{
    yk_lock_take(&f->lock);
    while (f->done[s] < below && f->err == CL_SUCCESS)
        yk_lock_wait(&f->lock, &f->changed);
    bool go = f->err == CL_SUCCESS;
    yk_lock_drop(&f->lock);
    return go;
}

static void passed(struct flow *f, enum stage s, unsigned part, cl_int err, uint64_t moved)
{
    yk_lock_take(&f->lock);
    if (f->err == CL_SUCCESS)
        f->err = err;
    f->done[s] = part + 1;
    f->moved += moved;
    pthread_cond_broadcast(&f->changed);
    yk_lock_drop(&f->lock);
}

static void trace(const struct flow *f, enum stage s, unsigned part, uint64_t from)
{
    unsigned p = yk_rt.machine->primary;
    static const char *const names[STAGES] = {"in", "part", "out"};
    if (from)
        yk_trace_span(s == STAGE_RUN ? yk_track_device(p) : yk_track_link(p), "window",
                      s == STAGE_RUN ? f->l->code->name : names[s], from, yk_now_ns(), "\"part\":%u", part);
}

/* Bring what PART's windows must hold. */
static cl_int bring(struct flow *f, unsigned part, uint64_t *moved)
{
    const struct yk_windows_plan *p = f->plan;
    unsigned set = part % p->sets, dev = yk_rt.primary->index;
    cl_int err = CL_SUCCESS;
    for (unsigned i = 0; i < p->nstores && err == CL_SUCCESS; i++) {
        const struct yk_window *w = &p->part[part].window[i];
        struct yk_store *s = p->store[i];
        struct yk_window_span *has = &f->holds[set][i];
        size_t len = w->in.to - w->in.from;
        if (!len || (!p->written[i] && has->from == w->all.from && has->to >= w->all.to))
            continue;
        err = yk_store_need_host(s, w->in.from, len, moved);
        if (err == CL_SUCCESS)
            err = yk_link_write(f->l->c.queue->ctx, dev, f->buffer[set][i], w->in.from - w->all.from,
                                s->master + w->in.from, len);
        *has = w->all;
        *moved += len;
    }
    return err;
}

static cl_int take_back(struct flow *f, unsigned part, uint64_t *moved)
{
    const struct yk_windows_plan *p = f->plan;
    unsigned set = part % p->sets, dev = yk_rt.primary->index;
    cl_int err = CL_SUCCESS;
    for (unsigned i = 0; i < p->nstores && err == CL_SUCCESS; i++) {
        const struct yk_window *w = &p->part[part].window[i];
        struct yk_store *s = p->store[i];
        size_t len = w->out.to - w->out.from;
        if (!len)
            continue;
        err = yk_link_read(f->l->c.queue->ctx, dev, f->buffer[set][i], w->out.from - w->all.from,
                           s->master + w->out.from, len);
        if (err == CL_SUCCESS)
            yk_store_wrote_host(s, w->out.from, len);
        *moved += len;
    }
    return err;
}

static const struct yk_window *window_of(const struct flow *f, unsigned part, const struct yk_value *v, unsigned *store)
{
    for (unsigned i = 0; v->kind == YK_VALUE_MEM && i < f->plan->nstores; i++)
        if (f->plan->store[i] == v->u.mem->store) {
            *store = i;
            return &f->plan->part[part].window[i];
        }
    return NULL;
}

/* A sub-buffer, for a kernel that is given whole buffers. */
static cl_int set_sub(struct flow *f, unsigned i, const struct yk_mem *m, cl_mem whole)
{
    const struct yk_cl *cl = yk_rt.primary->cl;
    cl_buffer_region region = {m->origin, m->size};
    cl_int err;
    cl_mem sub = cl->CreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
    if (!sub)
        return err;
    err = cl->SetKernelArg(f->kernel, i, sizeof sub, &sub);
    cl->ReleaseMemObject(sub); /* the kernel's launch holds it */
    return err;
}

static cl_int set_args(struct flow *f, unsigned part)
{
    const struct yk_cl *cl = yk_rt.primary->cl;
    unsigned back = f->back, n = f->facts ? f->facts->nargs : f->l->nvalues, set = part % f->plan->sets;
    cl_int err = CL_SUCCESS;
    for (unsigned i = 0; i < n && err == CL_SUCCESS; i++) {
        const struct yk_value *v = &f->l->value[i];
        unsigned store;
        const struct yk_window *w = window_of(f, part, v, &store);
        cl_mem real = w ? f->buffer[set][store] : NULL;
        if (w && !f->facts && v->u.mem->parent)
            err = set_sub(f, i, v->u.mem, real);
        else if (w)
            err = cl->SetKernelArg(f->kernel, i, sizeof real, &real);
        if (!f->facts || f->facts->arg[i].kind != YK_ARG_GLOBAL || err != CL_SUCCESS)
            continue;
        /* A pointer to a sub-buffer may have to be moved forward: modulo 2^64 that is the same. */
        cl_ulong by = w ? (cl_ulong)w->all.from - v->u.mem->origin : 0;
        err = cl->SetKernelArg(f->kernel, back++, sizeof by, &by);
    }
    return err;
}

static cl_int run(struct flow *f, unsigned part)
{
    const struct yk_cl *cl = yk_rt.primary->cl;
    const struct yk_window_part *w = &f->plan->part[part];
    struct yk_launch *l = f->l;
    cl_int err = set_args(f, part);
    if (err != CL_SUCCESS)
        return err;
    if (!f->facts) {
        err = cl->EnqueueNDRangeKernel(f->queue, f->kernel, l->dims, l->has_offset ? l->offset : NULL, l->global,
                                       l->has_local ? l->local : NULL, 0, NULL, NULL);
    } else {
        struct yk_share share;
        yk_range_cut(&f->plan->d.range, w->from, w->to, &share);
        for (unsigned i = 0; i < share.n && err == CL_SUCCESS; i++)
            err = yk_box_enqueue(l, f->facts, &f->plan->d, yk_rt.primary->index, f->queue, f->kernel, &share.box[i],
                                 NULL);
    }
    cl_int end = cl->Finish(f->queue);
    return err == CL_SUCCESS ? end : err;
}

static void *in_stage(void *arg)
{
    struct flow *f = arg;
    for (unsigned i = 0; i < f->plan->n; i++) {
        unsigned free_from = i < f->plan->sets ? 0 : i - f->plan->sets + 1;
        uint64_t moved = 0;
        if (!await(f, STAGE_OUT, free_from))
            break;
        uint64_t from = yk_trace_on() ? yk_now_ns() : 0;
        cl_int err = bring(f, i, &moved);
        trace(f, STAGE_IN, i, from);
        passed(f, STAGE_IN, i, err, moved);
    }
    return NULL;
}

static void *out_stage(void *arg)
{
    struct flow *f = arg;
    for (unsigned i = 0; i < f->plan->n; i++) {
        uint64_t moved = 0;
        if (!await(f, STAGE_RUN, i + 1))
            break;
        uint64_t from = yk_trace_on() ? yk_now_ns() : 0;
        cl_int err = take_back(f, i, &moved);
        trace(f, STAGE_OUT, i, from);
        passed(f, STAGE_OUT, i, err, moved);
    }
    return NULL;
}

/* One part after the other, where no thread can be had. */
static void one_by_one(struct flow *f)
{
    for (unsigned i = 0; i < f->plan->n && f->err == CL_SUCCESS; i++) {
        uint64_t moved = 0;
        cl_int err = bring(f, i, &moved);
        if (err == CL_SUCCESS)
            err = run(f, i);
        f->done[STAGE_RUN] += err == CL_SUCCESS;
        if (err == CL_SUCCESS)
            err = take_back(f, i, &moved);
        passed(f, STAGE_OUT, i, err, moved);
    }
}

static void run_stage(struct flow *f)
{
    for (unsigned i = 0; i < f->plan->n; i++) {
        if (!await(f, STAGE_IN, i + 1))
            break;
        uint64_t from = yk_trace_on() ? yk_now_ns() : 0;
        cl_int err = run(f, i);
        trace(f, STAGE_RUN, i, from);
        passed(f, STAGE_RUN, i, err, 0);
    }
}

struct helper {
    struct flow *f;
    void *(*stage)(void *);
};

static void *help(void *arg)
{
    struct helper *h = arg;
    struct flow *f = h->f;
    h->stage(f);
    yk_lock_take(&f->lock);
    f->threads--;
    pthread_cond_broadcast(&f->changed);
    yk_lock_drop(&f->lock); /* the last that it touches: F is the caller's again */
    return NULL;
}

static bool start(struct flow *f, struct helper *h)
{
    yk_lock_take(&f->lock);
    f->threads++;
    yk_lock_drop(&f->lock);
    if (yk_thread_start(help, h) == 0)
        return true;
    yk_lock_take(&f->lock);
    f->threads--;
    yk_lock_drop(&f->lock);
    return false;
}

static void all_stages(struct flow *f)
{
    struct helper out = {f, out_stage}, in = {f, in_stage};
    if (!start(f, &out)) {
        one_by_one(f);
        return;
    }
    if (start(f, &in)) {
        run_stage(f);
    } else { /* the other one takes back what this one has run */
        for (unsigned i = 0; i < f->plan->n; i++) {
            uint64_t moved = 0;
            if (!await(f, STAGE_OUT, i))
                break;
            cl_int err = bring(f, i, &moved);
            if (err == CL_SUCCESS)
                err = run(f, i);
            passed(f, STAGE_RUN, i, err, moved);
        }
    }
    yk_lock_take(&f->lock);
    while (f->threads)
        yk_lock_wait(&f->lock, &f->changed);
    yk_lock_drop(&f->lock);
}

/* All sets' buffers. */
static cl_int make_buffers(struct flow *f)
{
    const struct yk_device *d = yk_rt.primary;
    cl_int err = CL_SUCCESS;
    for (unsigned set = 0; set < f->plan->sets; set++)
        for (unsigned i = 0; i < f->plan->nstores && err == CL_SUCCESS; i++)
            f->buffer[set][i] = d->cl->CreateBuffer(f->l->c.queue->ctx->real[d->index], CL_MEM_READ_WRITE,
                                                    f->plan->most[i] ? f->plan->most[i] : 1, NULL, &err);
    return err;
}

static void drop_buffers(struct flow *f)
{
    for (unsigned set = 0; set < YK_WINDOW_SETS; set++)
        for (unsigned i = 0; i < f->plan->nstores; i++)
            if (f->buffer[set][i])
                yk_rt.primary->cl->ReleaseMemObject(f->buffer[set][i]);
}

cl_int yk_windows_carry(struct yk_launch *l, const struct yk_windows_plan *plan, const struct yk_facts_kernel *facts,
                        cl_kernel kernel, unsigned back, uint64_t *moved, bool *begun)
{
    struct flow *f = calloc(1, sizeof *f);
    if (!f)
        return CL_OUT_OF_HOST_MEMORY;
    f->l = l;
    f->plan = plan;
    f->facts = facts;
    f->kernel = kernel;
    f->back = back;
    f->queue = yk_queue_share(l->c.queue, yk_rt.primary->index);
    yk_lock_init(&f->lock, YK_RANK_LEAF);
    pthread_cond_init(&f->changed, NULL);
    cl_int err = f->queue ? make_buffers(f) : CL_OUT_OF_RESOURCES;
    if (err == CL_SUCCESS) {
        all_stages(f);
        err = f->err;
    }
    *begun = f->done[STAGE_IN] || f->done[STAGE_RUN];
    *moved += f->moved;
    drop_buffers(f);
    pthread_cond_destroy(&f->changed);
    yk_lock_finish(&f->lock);
    free(f);
    return err;
}
