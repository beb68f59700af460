#include "shim/queue/windows_run.h"
#include <limits.h>
#include <stdlib.h>
#include "base/clock.h"
#include "base/thread.h"
#include "shim/core/trace.h"
#include "shim/memory/link.h"
#include "shim/memory/tenant.h"
#include "shim/memory/write_map.h"
#include "shim/queue/box.h"

enum stage { STAGE_IN, STAGE_RUN, STAGE_OUT, STAGES };

struct pieces {
    struct yk_ring_piece *v;
    size_t n, cap, bytes;
};

struct flow {
    struct yk_launch *l;
    const struct yk_windows_plan *plan;
    const struct yk_facts_kernel *facts;
    cl_kernel kernel;
    unsigned back;
    cl_command_queue queue; /* of the kernels */
    cl_mem buffer[YK_WINDOW_SETS][YK_WINDOWS];
    cl_mem sub[64]; /* of whole copies: the kernel's arguments while it runs */
    unsigned nsubs;
    struct pieces in, out; /* of all parts, whose numbers are the steps */
    struct yk_lock lock;   /* guards the rest */
    pthread_cond_t changed;
    unsigned done[STAGES]; /* parts below have passed */
    bool begun;            /* a kernel has been given to the driver */
    bool over[STAGES];     /* the stage's thread touches nothing any more */
    cl_int err;            /* the first */
};

static void note(struct flow *f, enum stage s, unsigned below, cl_int err)
{
    yk_lock_take(&f->lock);
    f->done[s] = below;
    if (f->err == CL_SUCCESS)
        f->err = err;
    pthread_cond_broadcast(&f->changed);
    yk_lock_drop(&f->lock);
}

/* With the lock held: have parts below BELOW passed S? */
static bool past(const struct flow *f, enum stage s, unsigned below)
{
    return f->done[s] >= below;
}

/* May PART begin STAGE? On the way in, and where nothing comes in, its set of windows is one that nobody uses any more.
 */
static bool may(const struct flow *f, enum stage s, unsigned part)
{
    unsigned sets = f->plan->sets, before = part < sets ? 0 : part - sets + 1;
    if (s == STAGE_IN)
        return past(f, STAGE_RUN, before) && past(f, STAGE_OUT, before);
    if (s == STAGE_RUN)
        return past(f, STAGE_IN, part + 1) && past(f, STAGE_OUT, before);
    return past(f, STAGE_RUN, part + 1);
}

static enum yk_ring_gate gate(struct flow *f, enum stage s, unsigned part, bool wait)
{
    yk_lock_take(&f->lock);
    while (wait && f->err == CL_SUCCESS && !may(f, s, part))
        yk_lock_wait(&f->lock, &f->changed);
    enum yk_ring_gate g = f->err != CL_SUCCESS ? YK_RING_STOP : may(f, s, part) ? YK_RING_OPEN : YK_RING_SHUT;
    yk_lock_drop(&f->lock);
    return g;
}

static enum yk_ring_gate gate_in(void *arg, unsigned step, bool wait)
{
    return gate(arg, STAGE_IN, step, wait);
}

static enum yk_ring_gate gate_out(void *arg, unsigned step, bool wait)
{
    return gate(arg, STAGE_OUT, step, wait);
}

static void came_in(void *arg, unsigned below)
{
    note(arg, STAGE_IN, below, CL_SUCCESS);
}

static void went_out(void *arg, unsigned below)
{
    note(arg, STAGE_OUT, below, CL_SUCCESS);
}

static bool add_piece(struct pieces *p, cl_mem buffer, const struct yk_window *w, struct yk_window_span s,
                      const struct yk_store *store, unsigned part)
{
    struct yk_ring_piece piece = {.buffer = buffer,
                                  .off = s.from - w->all.from,
                                  .host = store->master + s.from,
                                  .len = s.to - s.from,
                                  .step = part};
    p->bytes += piece.len;
    return !piece.len || yk_array_push(p, piece);
}

/* Is what PART needs of a store that is only read still in its window from the part that had it before? */
static bool stays(const struct yk_windows_plan *p, unsigned part, unsigned store)
{
    const struct yk_window *w = &p->part[part].window[store];
    const struct yk_window *was = part < p->sets ? NULL : &p->part[part - p->sets].window[store];
    return was && !p->written[store] && was->all.from == w->all.from && was->in.from <= w->in.from &&
           was->in.to >= w->in.to;
}

static cl_int list_pieces(struct flow *f)
{
    const struct yk_windows_plan *p = f->plan;
    for (unsigned i = 0; i < p->n; i++)
        for (unsigned k = 0; k < p->nstores; k++) {
            const struct yk_window *w = &p->part[i].window[k];
            cl_mem buffer = f->buffer[i % p->sets][k];
            cl_int err = yk_store_need_host(p->store[k], w->in.from, w->in.to - w->in.from, NULL);
            if (err != CL_SUCCESS)
                return err;
            if (!stays(p, i, k) && !add_piece(&f->in, buffer, w, w->in, p->store[k], i))
                return CL_OUT_OF_HOST_MEMORY;
            struct yk_window_span out = w->out; /* but for what the program is writing in */
            for (; yk_write_map_beside(p->store[k], &out.from, w->out.to, &out.to); out.from = out.to)
                if (!add_piece(&f->out, buffer, w, out, p->store[k], i))
                    return CL_OUT_OF_HOST_MEMORY;
        }
    return CL_SUCCESS;
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

/* A sub-buffer, where the kernel has no hidden argument that moves its pointer. REAL begins at byte FROM of the store.
 */
static cl_int set_sub(struct flow *f, unsigned i, const struct yk_mem *m, cl_mem real, size_t from)
{
    const struct yk_cl *cl = yk_rt.primary->cl;
    cl_buffer_region region = {m->origin - from, m->size};
    cl_int err = CL_OUT_OF_RESOURCES;
    cl_mem sub = f->nsubs < sizeof f->sub / sizeof *f->sub
                     ? cl->CreateSubBuffer(real, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &err)
                     : NULL;
    if (!sub)
        return err;
    f->sub[f->nsubs++] = sub;
    return cl->SetKernelArg(f->kernel, i, sizeof sub, &sub);
}

static void drop_subs(struct flow *f)
{
    while (f->nsubs)
        yk_rt.primary->cl->ReleaseMemObject(f->sub[--f->nsubs]);
}

static cl_int set_args(struct flow *f, unsigned part)
{
    const struct yk_cl *cl = yk_rt.primary->cl;
    unsigned back = f->back, n = f->facts ? f->facts->nargs : f->l->nvalues, set = part % f->plan->sets;
    cl_int err = CL_SUCCESS;
    for (unsigned i = 0; i < n && err == CL_SUCCESS; i++) {
        const struct yk_value *v = &f->l->value[i];
        unsigned store = 0;
        const struct yk_window *w = window_of(f, part, v, &store);
        cl_mem real = w ? f->buffer[set][store] : NULL;
        bool moves = f->facts && f->facts->arg[i].kind == YK_ARG_GLOBAL;
        if (w && !moves && v->u.mem->parent)
            err = set_sub(f, i, v->u.mem, real, w->all.from);
        else if (w)
            err = cl->SetKernelArg(f->kernel, i, sizeof real, &real);
        if (!moves || err != CL_SUCCESS)
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
    uint64_t from = yk_trace_on() ? yk_now_ns() : 0;
    cl_int err = set_args(f, part);
    if (err != CL_SUCCESS)
        return err;
    f->begun = true;
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
    drop_subs(f);
    if (from)
        yk_trace_span(yk_track_device(yk_rt.machine->primary), "window", l->code->name, from, yk_now_ns(),
                      "\"part\":%u", part);
    return err == CL_SUCCESS ? end : err;
}

static cl_int bring(struct flow *f, const struct pieces *p, size_t first, size_t n, const struct yk_ring_steps *steps)
{
    return n ? yk_link_write_steps(f->l->c.queue->ctx, yk_rt.primary->index, p->v + first, n, f->out.bytes, steps)
             : CL_SUCCESS;
}

static cl_int take(struct flow *f, const struct pieces *p, size_t first, size_t n, const struct yk_ring_steps *steps)
{
    return n ? yk_link_read_steps(f->l->c.queue->ctx, yk_rt.primary->index, p->v + first, n, f->in.bytes, steps)
             : CL_SUCCESS;
}

static void leave(struct flow *f, enum stage s, cl_int err)
{
    yk_lock_take(&f->lock);
    if (f->err == CL_SUCCESS)
        f->err = err;
    f->over[s] = true;
    pthread_cond_broadcast(&f->changed);
    yk_lock_drop(&f->lock); /* the last that it touches: F is the worker's again */
}

static void *in_stage(void *arg)
{
    struct flow *f = arg;
    const struct yk_ring_steps steps = {gate_in, came_in, f};
    leave(f, STAGE_IN, bring(f, &f->in, 0, f->in.n, &steps));
    return NULL;
}

static void *out_stage(void *arg)
{
    struct flow *f = arg;
    const struct yk_ring_steps steps = {gate_out, went_out, f};
    leave(f, STAGE_OUT, take(f, &f->out, 0, f->out.n, &steps));
    return NULL;
}

static void await_over(struct flow *f, enum stage s)
{
    yk_lock_take(&f->lock);
    while (!f->over[s])
        yk_lock_wait(&f->lock, &f->changed);
    yk_lock_drop(&f->lock);
}

/* How many of P, from FIRST on, are of PART. */
static size_t of_part(const struct pieces *p, size_t first, unsigned part)
{
    size_t n = 0;
    while (first + n < p->n && p->v[first + n].step == part)
        n++;
    return n;
}

/* One part after the other, from the part FROM on: what one takes back another may bring, or there are no threads. */
static cl_int one_by_one(struct flow *f)
{
    const struct yk_ring_steps steps = {NULL, NULL, NULL};
    size_t in = 0, out = 0;
    cl_int err = CL_SUCCESS;
    for (unsigned i = 0; i < f->plan->n && err == CL_SUCCESS; i++) {
        size_t bring_n = of_part(&f->in, in, i), take_n = of_part(&f->out, out, i);
        err = bring(f, &f->in, in, bring_n, &steps);
        if (err == CL_SUCCESS)
            err = run(f, i);
        if (err == CL_SUCCESS)
            err = take(f, &f->out, out, take_n, &steps);
        in += bring_n;
        out += take_n;
    }
    return err;
}

/* Three stages at a time, the kernels' in this thread. */
static cl_int all_stages(struct flow *f)
{
    f->done[STAGE_IN] = f->in.n ? f->in.v[0].step : UINT_MAX;
    f->done[STAGE_OUT] = f->out.n ? f->out.v[0].step : UINT_MAX;
    if (f->plan->sets == 1 || yk_thread_start(in_stage, f))
        return one_by_one(f);
    if (yk_thread_start(out_stage, f)) {
        leave(f, STAGE_RUN, CL_OUT_OF_RESOURCES);
        await_over(f, STAGE_IN);
        return CL_OUT_OF_RESOURCES;
    }
    for (unsigned i = 0; i < f->plan->n && gate(f, STAGE_RUN, i, true) == YK_RING_OPEN; i++)
        note(f, STAGE_RUN, i + 1, run(f, i));
    await_over(f, STAGE_IN);
    await_over(f, STAGE_OUT);
    return f->err;
}

/* All sets' buffers. */
static cl_int make_buffers(struct flow *f)
{
    const struct yk_device *d = yk_rt.primary;
    cl_int err = CL_SUCCESS;
    for (unsigned set = 0; set < f->plan->sets; set++)
        for (unsigned i = 0; i < f->plan->nstores && err == CL_SUCCESS; i++)
            if (f->plan->tenant[i])
                f->buffer[set][i] = yk_tenant_buffer(f->plan->store[i]);
            else
                f->buffer[set][i] = d->cl->CreateBuffer(f->l->c.queue->ctx->real[d->index], CL_MEM_READ_WRITE,
                                                        f->plan->most[i] ? f->plan->most[i] : 1, NULL, &err);
    return err;
}

static void drop_buffers(struct flow *f)
{
    drop_subs(f);
    for (unsigned set = 0; set < YK_WINDOW_SETS; set++)
        for (unsigned i = 0; i < f->plan->nstores; i++)
            if (f->buffer[set][i] && !f->plan->tenant[i])
                yk_rt.primary->cl->ReleaseMemObject(f->buffer[set][i]);
}

/* What has come back is newest on the host, also where it was lost before. */
static void record(const struct yk_windows_plan *p)
{
    for (unsigned i = 0; i < p->n; i++)
        for (unsigned k = 0; k < p->nstores; k++) {
            struct yk_window_span s = p->part[i].window[k].out;
            if (s.from < s.to)
                yk_store_wrote_host(p->store[k], s.from, s.to - s.from);
        }
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
    if (err == CL_SUCCESS)
        err = list_pieces(f);
    if (err == CL_SUCCESS)
        err = all_stages(f);
    if (err == CL_SUCCESS)
        record(plan);
    *begun = f->begun;
    *moved += f->in.bytes + f->out.bytes;
    drop_buffers(f);
    free(f->in.v);
    free(f->out.v);
    pthread_cond_destroy(&f->changed);
    yk_lock_finish(&f->lock);
    free(f);
    return err;
}
