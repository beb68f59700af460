#include "shim/queue/merged_code.h"
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "base/thread.h"
#include "shim/core/background.h"
#include "transform/facts_merged.h"

void yk_merged_code_init(struct yk_merged_code *c)
{
    yk_lock_init(&c->lock, YK_RANK_KERNEL);
}

void yk_merged_code_finish(struct yk_merged_code *c)
{
    while (c->pool) {
        struct yk_code_kernel *next = c->pool->next;
        yk_rt.primary->cl->ReleaseKernel(c->pool->real);
        free(c->pool);
        c->pool = next;
    }
    yk_lock_finish(&c->lock);
}

/* Drivers compile at the first launch with a local size (PoCL 3.1: a third of a second): have it done by a launch of
 * one work-group whose record says that there is nothing to do. */
static bool compile_for(struct yk_merged_code *c, const size_t *local)
{
    const struct yk_device *d = yk_rt.primary;
    cl_context ctx = c->build->ctx->real[d->index];
    uint64_t table[2 * YK_MERGED_UNIT] = {0};
    struct yk_code_kernel *k = yk_merged_code_take(c);
    cl_int err = CL_OUT_OF_RESOURCES;
    cl_command_queue q = k ? d->cl->CreateCommandQueue(ctx, d->id, 0, &err) : NULL;
    cl_mem b = q ? d->cl->CreateBuffer(ctx, CL_MEM_COPY_HOST_PTR, sizeof table, table, &err) : NULL;
    unsigned at = 0;
    while (b && at < 1 + YK_MERGED_SLOTS && err == CL_SUCCESS)
        err = d->cl->SetKernelArg(k->real, at++, sizeof b, &b);
    for (unsigned i = 0; b && i < c->nlocals && err == CL_SUCCESS; i++)
        err = d->cl->SetKernelArg(k->real, at++, YK_MERGED_UNIT, NULL);
    for (unsigned i = 0; b && i < c->nconstants && err == CL_SUCCESS; i++)
        err = d->cl->SetKernelArg(k->real, at++, sizeof b, &b);
    if (b && err == CL_SUCCESS)
        err = d->cl->EnqueueNDRangeKernel(q, k->real, 3, NULL, local, local, 0, NULL, NULL);
    if (b && err == CL_SUCCESS)
        err = d->cl->Finish(q);
    if (b)
        d->cl->ReleaseMemObject(b);
    if (q)
        d->cl->ReleaseCommandQueue(q);
    if (k)
        yk_merged_code_give(c, k);
    if (!b || err != CL_SUCCESS)
        yk_info("kernel %s, which runs many launches as one, cannot be launched (%s)", c->name, yk_cl_error_name(err));
    return b && err == CL_SUCCESS;
}

struct compile {
    struct yk_merged_code *code;
    unsigned size;
};

static void *compile_thread(void *arg)
{
    struct compile *c = arg;
    struct yk_merged_code *m = c->code;
    struct yk_build *build = m->build;
    bool good = false;
    if (yk_background_enter()) {
        good = compile_for(m, m->size[c->size].local);
        yk_background_leave();
    }
    yk_merge_state_set(&m->size[c->size].state, good ? YK_MERGE_READY : YK_MERGE_NEVER);
    yk_build_drop_in_background(build);
    free(c);
    return NULL;
}

/* The first launch with this local size. */
static enum yk_merge_state add_size(struct yk_merged_code *m, const size_t *local)
{
    struct compile *c = malloc(sizeof *c);
    yk_lock_take(&m->lock);
    unsigned n = m->nsizes;
    bool room = c && n < YK_MERGED_SIZES;
    for (unsigned i = 0; i < n && room; i++)
        room = memcmp(m->size[i].local, local, sizeof m->size[i].local) != 0;
    if (room) {
        memcpy(m->size[n].local, local, sizeof m->size[n].local);
        m->size[n].state = YK_MERGE_ASKED;
        __atomic_store_n(&m->nsizes, n + 1, __ATOMIC_RELEASE);
    }
    yk_lock_drop(&m->lock);
    if (!room) {
        free(c);
        return YK_MERGE_NEVER;
    }
    *c = (struct compile){m, n};
    yk_build_hold(m->build);
    yk_background_prepare();
    if (yk_rt.options.gather == YK_GATHER_FORCED) {
        compile_thread(c);
    } else if (yk_thread_start(compile_thread, c)) {
        yk_merge_state_set(&m->size[n].state, YK_MERGE_NEVER);
        yk_build_drop(m->build);
        free(c);
    }
    return yk_merge_state_get(&m->size[n].state);
}

bool yk_merged_code_ready(struct yk_merged_code *m, const size_t *local)
{
    unsigned n = __atomic_load_n(&m->nsizes, __ATOMIC_ACQUIRE);
    if (!__atomic_load_n(&m->able, __ATOMIC_RELAXED))
        return false;
    for (unsigned i = 0; i < n; i++)
        if (!memcmp(m->size[i].local, local, sizeof m->size[i].local))
            return yk_merge_state_get(&m->size[i].state) == YK_MERGE_READY;
    return n < YK_MERGED_SIZES && add_size(m, local) == YK_MERGE_READY;
}

struct yk_code_kernel *yk_merged_code_take(struct yk_merged_code *m)
{
    yk_lock_take(&m->lock);
    struct yk_code_kernel *k = m->pool;
    if (k)
        m->pool = k->next;
    yk_lock_drop(&m->lock);
    if (k)
        return k;
    cl_int err;
    cl_kernel real = yk_rt.primary->cl->CreateKernel(m->program, m->name, &err);
    if (!real || !(k = calloc(1, sizeof *k))) {
        if (real)
            yk_rt.primary->cl->ReleaseKernel(real);
        return NULL;
    }
    k->real = real;
    return k;
}

void yk_merged_code_give(struct yk_merged_code *m, struct yk_code_kernel *k)
{
    yk_lock_take(&m->lock);
    k->next = m->pool;
    m->pool = k;
    yk_lock_drop(&m->lock);
}
