#include "shim/queue/merged.h"
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "shim/core/background.h"
#include "shim/queue/analyse.h"

/* Small launches that a program must have made, and how long it must have been at it in units of what its build took,
 * before the processor is taken from it for this. What is in the caches costs little. */
enum { SEEN = 256, SEEN_CACHED = 32 };
static const double builds = 3, least_s = 0.1;

static enum yk_merge_state state_of(const enum yk_merge_state *s)
{
    return __atomic_load_n(s, __ATOMIC_ACQUIRE);
}

static void set_state(enum yk_merge_state *s, enum yk_merge_state to)
{
    __atomic_store_n(s, to, __ATOMIC_RELEASE);
}

static struct yk_merge *merge_of(struct yk_build *b)
{
    struct yk_merge *m = __atomic_load_n(&b->merged, __ATOMIC_ACQUIRE), *none = NULL;
    if (m || !(m = calloc(1, sizeof *m)))
        return m;
    m->build = b;
    m->since = yk_now_ns();
    m->facts.variant_options = "";
    if (!b->source)
        m->state = YK_MERGE_NEVER;
    if (__atomic_compare_exchange_n(&b->merged, &none, m, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return m;
    free(m);
    return none;
}

void yk_merge_finish(struct yk_merge *m)
{
    if (!m)
        return;
    const struct yk_cl *cl = yk_rt.primary->cl;
    for (unsigned i = 0; i < m->n; i++) {
        struct yk_merged *k = &m->kernel[i];
        while (k->pool) {
            struct yk_code_kernel *next = k->pool->next;
            cl->ReleaseKernel(k->pool->real);
            free(k->pool);
            k->pool = next;
        }
        yk_recall_finish(&k->recall);
        yk_lock_finish(&k->lock);
    }
    free(m->kernel);
    if (m->program)
        cl->ReleaseProgram(m->program);
    if (m->has_facts)
        yk_facts_finish(&m->facts);
    free(m);
}

static cl_program build_program(struct yk_merge *m)
{
    const struct yk_device *d = yk_rt.primary;
    cl_context ctx = m->build->ctx->real[d->index];
    const char *source = m->facts.variant_source;
    cl_int err;
    cl_program p = d->cl->CreateProgramWithSource(ctx, 1, &source, NULL, &err);
    if (!p)
        return NULL;
    const char *options = *m->facts.variant_options ? m->facts.variant_options : NULL;
    err = d->cl->BuildProgram(p, 1, &d->id, options, NULL, NULL);
    if (err == CL_SUCCESS)
        return p;
    char log[512] = "";
    d->cl->GetProgramBuildInfo(p, d->id, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    yk_info("the kernels that run many launches as one cannot be built (%s); launches are not merged. %s",
            yk_cl_error_name(err), log);
    d->cl->ReleaseProgram(p);
    return NULL;
}

/* The facts are there: build. Calls the driver. */
static enum yk_merge_state prepare(struct yk_merge *m)
{
    m->has_facts = true;
    if (m->facts.refused || !m->facts.variant_source || !m->facts.nkernels)
        return YK_MERGE_NEVER;
    m->kernel = calloc(m->facts.nkernels, sizeof *m->kernel);
    if (!m->kernel || !(m->program = build_program(m)))
        return YK_MERGE_NEVER;
    for (unsigned i = 0; i < m->facts.nkernels; i++) {
        const struct yk_facts_kernel *f = &m->facts.kernel[i];
        struct yk_merged *k = &m->kernel[m->n++];
        const char *why = NULL;
        k->facts = f;
        k->of = m;
        yk_lock_init(&k->lock, YK_RANK_KERNEL);
        k->able = yk_merged_layout(f, &k->layout, &why) && f->needs_variant;
    }
    return YK_MERGE_READY;
}

/* CACHED: only if the transformer need not be run; where it need, the state is NONE again. */
static void ask(struct yk_merge *m, bool cached)
{
    struct yk_build *b = m->build;
    yk_status s = yk_analyse(b, cached, true, &m->facts);
    if (s != YK_OK) {
        set_state(&m->state, cached && s == YK_ENOTFOUND ? YK_MERGE_NONE : YK_MERGE_NEVER);
        return;
    }
    enum yk_merge_state state = YK_MERGE_NEVER;
    if (yk_background_enter()) {
        state = prepare(m);
        yk_background_leave();
    }
    set_state(&m->state, state);
}

static void *ask_thread(void *arg)
{
    struct yk_merge *m = arg;
    ask(m, false);
    yk_build_drop_in_background(m->build);
    return NULL;
}

static void *look_thread(void *arg)
{
    struct yk_merge *m = arg;
    ask(m, true);
    yk_build_drop_in_background(m->build);
    return NULL;
}

static void start(struct yk_merge *m, void *(*fn)(void *))
{
    enum yk_merge_state none = YK_MERGE_NONE;
    if (!__atomic_compare_exchange_n(&m->state, &none, YK_MERGE_ASKED, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return;
    yk_background_prepare();
    yk_build_hold(m->build);
    if (yk_rt.options.gather == YK_GATHER_FORCED) {
        fn(m);
    } else if (yk_thread_start(fn, m)) {
        set_state(&m->state, YK_MERGE_NEVER);
        yk_build_drop(m->build);
    }
}

/* Another small launch. */
static void count(struct yk_merge *m)
{
    unsigned seen = __atomic_add_fetch(&m->seen, 1, __ATOMIC_RELAXED);
    if (yk_rt.options.gather == YK_GATHER_FORCED)
        start(m, ask_thread);
    else if (seen == SEEN_CACHED)
        start(m, look_thread);
    else if (seen >= SEEN && seen % 64 == 0 &&
             (double)(yk_now_ns() - m->since) * 1e-9 > least_s + builds * m->build->seconds)
        start(m, ask_thread);
}

/* Drivers compile at the first launch with a local size (PoCL 3.1: a third of a second): have it done by a launch of
 * one work-group whose record says that there is nothing to do. */
static bool compile_for(struct yk_merged *m, const size_t *local)
{
    const struct yk_device *d = yk_rt.primary;
    cl_context ctx = m->of->build->ctx->real[d->index];
    uint64_t table[2 * YK_MERGED_UNIT] = {0};
    struct yk_code_kernel *k = yk_merged_take(m);
    cl_int err = CL_OUT_OF_RESOURCES;
    cl_command_queue q = k ? d->cl->CreateCommandQueue(ctx, d->id, 0, &err) : NULL;
    cl_mem b = q ? d->cl->CreateBuffer(ctx, CL_MEM_COPY_HOST_PTR, sizeof table, table, &err) : NULL;
    for (unsigned i = 0; b && i < 1 + YK_MERGED_SLOTS && err == CL_SUCCESS; i++)
        err = d->cl->SetKernelArg(k->real, i, sizeof b, &b);
    for (unsigned i = 0; b && i < m->facts->nargs && err == CL_SUCCESS; i++)
        if (m->facts->arg[i].kind == YK_ARG_LOCAL)
            err = d->cl->SetKernelArg(k->real, m->layout.at[i], 64, NULL);
        else if (m->facts->arg[i].kind == YK_ARG_CONSTANT)
            err = d->cl->SetKernelArg(k->real, m->layout.at[i], sizeof b, &b);
    if (b && err == CL_SUCCESS)
        err = d->cl->EnqueueNDRangeKernel(q, k->real, 3, NULL, local, local, 0, NULL, NULL);
    if (b && err == CL_SUCCESS)
        err = d->cl->Finish(q);
    if (b)
        d->cl->ReleaseMemObject(b);
    if (q)
        d->cl->ReleaseCommandQueue(q);
    if (k)
        yk_merged_give(m, k);
    if (!b || err != CL_SUCCESS)
        yk_info("a kernel that runs many launches of %s as one cannot be launched (%s)", m->facts->name,
                yk_cl_error_name(err));
    return b && err == CL_SUCCESS;
}

struct compile {
    struct yk_merged *merged;
    unsigned size;
};

static void *compile_thread(void *arg)
{
    struct compile *c = arg;
    struct yk_merged *m = c->merged;
    bool good = false;
    if (yk_background_enter()) {
        good = compile_for(m, m->size[c->size].local);
        yk_background_leave();
    }
    set_state(&m->size[c->size].state, good ? YK_MERGE_READY : YK_MERGE_NEVER);
    yk_build_drop_in_background(m->of->build);
    free(c);
    return NULL;
}

/* The first launch with this local size. */
static enum yk_merge_state add_size(struct yk_merged *m, const size_t *local)
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
    yk_build_hold(m->of->build);
    if (yk_rt.options.gather == YK_GATHER_FORCED) {
        compile_thread(c);
    } else if (yk_thread_start(compile_thread, c)) {
        set_state(&m->size[n].state, YK_MERGE_NEVER);
        yk_build_drop(m->of->build);
        free(c);
    }
    return state_of(&m->size[n].state);
}

static enum yk_merge_state size_state(struct yk_merged *m, const struct yk_launch *l)
{
    size_t local[3] = {1, 1, 1};
    for (unsigned i = 0; i < l->dims; i++)
        local[i] = l->local[i];
    unsigned n = __atomic_load_n(&m->nsizes, __ATOMIC_ACQUIRE);
    for (unsigned i = 0; i < n; i++)
        if (!memcmp(m->size[i].local, local, sizeof local))
            return state_of(&m->size[i].state);
    return n < YK_MERGED_SIZES ? add_size(m, local) : YK_MERGE_NEVER;
}

struct yk_merged *yk_merge_for(struct yk_launch *l)
{
    struct yk_merged *k = __atomic_load_n(&l->code->merged, __ATOMIC_ACQUIRE);
    if (!k) {
        struct yk_merge *m = merge_of(l->code->build);
        if (!m)
            return NULL;
        if (state_of(&m->state) == YK_MERGE_NONE)
            count(m);
        if (state_of(&m->state) != YK_MERGE_READY)
            return NULL;
        for (unsigned i = 0; i < m->n && !k; i++)
            if (!strcmp(m->kernel[i].facts->name, l->code->name))
                k = &m->kernel[i];
        if (!k)
            return NULL;
        __atomic_store_n(&l->code->merged, k, __ATOMIC_RELEASE);
    }
    if (!__atomic_load_n(&k->able, __ATOMIC_RELAXED) || size_state(k, l) != YK_MERGE_READY)
        return NULL;
    return k;
}

struct yk_code_kernel *yk_merged_take(struct yk_merged *m)
{
    yk_lock_take(&m->lock);
    struct yk_code_kernel *k = m->pool;
    if (k)
        m->pool = k->next;
    yk_lock_drop(&m->lock);
    if (k)
        return k;
    cl_int err;
    cl_kernel real = yk_rt.primary->cl->CreateKernel(m->of->program, m->facts->name, &err);
    if (!real || !(k = calloc(1, sizeof *k))) {
        if (real)
            yk_rt.primary->cl->ReleaseKernel(real);
        return NULL;
    }
    k->real = real;
    return k;
}

void yk_merged_give(struct yk_merged *m, struct yk_code_kernel *k)
{
    yk_lock_take(&m->lock);
    k->next = m->pool;
    m->pool = k;
    yk_lock_drop(&m->lock);
}
