#include "shim/queue/merged.h"
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "shim/core/background.h"
#include "shim/queue/analyse.h"
#include "shim/queue/decide.h"

/* Small launches that a program must have made, and how long it must have been at it in units of what its build took,
 * before the processor is taken from it for this; few suffice where they alone took as long. What is in the caches
 * costs little. */
enum { SEEN = 256, SEEN_CACHED = 32, SEEN_LONG = 4, CACHED_US = 5000 };
/* Windows in which launches of several kernels could have been one, before the mixed program is built. */
enum { MISSED = 8 };
/* A program's own build does not say what this one takes, since its driver may have kept it (NVIDIA: 4 ms instead of
 * 300), and a process that ends meanwhile waits for it: OpenMM, 0.45 s, ended 0.4 s later. */
static const double builds = 3, least_s = 0.3;

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
    for (unsigned i = 0; i < m->n; i++)
        yk_merged_code_finish(&m->kernel[i].code);
    free(m->kernel);
    if (m->mixed_program) {
        yk_merged_code_finish(&m->mixed);
        cl->ReleaseProgram(m->mixed_program);
    }
    if (m->program)
        cl->ReleaseProgram(m->program);
    if (m->has_facts)
        yk_facts_finish(&m->facts);
    free(m);
}

static cl_program build_program(struct yk_merge *m, const char *source)
{
    const struct yk_device *d = yk_rt.primary;
    cl_context ctx = m->build->ctx->real[d->index];
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

/* What is asked of K's arguments at each launch. */
static void look_at_arguments(struct yk_merged *k)
{
    const struct yk_facts_kernel *f = k->facts;
    const struct yk_value *v = NULL;
    for (unsigned i = 0; i < f->nargs && i < YK_MERGED_ARGS; i++) {
        enum yk_arg_kind kind = f->arg[i].kind;
        /* Not __constant buffers: a driver may refuse a larger one. */
        if ((kind == YK_ARG_VALUE || kind == YK_ARG_GLOBAL) && i < YK_LATE_ARGS)
            k->late |= UINT64_C(1) << i;
        if (kind == YK_ARG_GLOBAL || kind == YK_ARG_CONSTANT)
            k->mem[k->nmems++] = (unsigned char)i;
        k->large |= kind == YK_ARG_VALUE && f->arg[i].size > sizeof v->u.bytes;
    }
}

/* The facts are there: build. Calls the driver. */
static enum yk_merge_state prepare(struct yk_merge *m)
{
    static uint64_t kernels;
    m->has_facts = true;
    if (m->facts.refused || !m->facts.variant_source || !m->facts.nkernels)
        return YK_MERGE_NEVER;
    m->kernel = calloc(m->facts.nkernels, sizeof *m->kernel);
    if (!m->kernel || !(m->program = build_program(m, m->facts.variant_source)))
        return YK_MERGE_NEVER;
    for (unsigned i = 0; i < m->facts.nkernels; i++) {
        const struct yk_facts_kernel *f = &m->facts.kernel[i];
        struct yk_merged *k = &m->kernel[m->n++];
        const char *why = NULL;
        k->facts = f;
        k->of = m;
        k->id = __atomic_add_fetch(&kernels, 1, __ATOMIC_RELAXED);
        look_at_arguments(k);
        k->number = yk_mixed_number(&m->facts, i, &k->constant);
        k->code = (struct yk_merged_code){.name = f->name,
                                          .build = m->build,
                                          .program = m->program,
                                          .nlocals = yk_merged_count(f, YK_ARG_LOCAL),
                                          .nconstants = yk_merged_count(f, YK_ARG_CONSTANT),
                                          .able = yk_merged_layout(f, &k->layout, &why) && f->needs_variant};
        yk_merged_code_init(&k->code);
    }
    return YK_MERGE_READY;
}

/* CACHED: only if the transformer need not be run; where it need, the state is NONE again. */
static void ask(struct yk_merge *m, bool cached)
{
    struct yk_build *b = m->build;
    yk_status s = yk_analyse(b, cached, YK_FOR_MERGED, &m->facts);
    if (s != YK_OK) {
        yk_merge_state_set(&m->state, cached && s == YK_ENOTFOUND ? YK_MERGE_NONE : YK_MERGE_NEVER);
        return;
    }
    enum yk_merge_state state = YK_MERGE_NEVER;
    if (yk_background_enter()) {
        state = prepare(m);
        yk_background_leave();
    }
    yk_merge_state_set(&m->state, state);
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
        yk_merge_state_set(&m->state, YK_MERGE_NEVER);
        yk_build_drop(m->build);
    }
}

/* Another small launch, L. */
static void count(struct yk_merge *m, const struct yk_launch *l)
{
    double rate = yk_code_get(&l->code->rate[yk_rt.machine->primary]), most_us = 1e9;
    double us = rate > 0 ? (double)yk_decide_items(l) / rate * 1e6 : 0, enough_s = least_s + builds * m->build->seconds;
    unsigned seen = __atomic_add_fetch(&m->seen, 1, __ATOMIC_RELAXED);
    unsigned spent_us = __atomic_add_fetch(&m->spent_us, (unsigned)(us < most_us ? us : most_us), __ATOMIC_RELAXED);
    if (yk_rt.options.gather == YK_GATHER_FORCED)
        start(m, ask_thread);
    else if ((seen >= SEEN_CACHED || (seen >= SEEN_LONG && spent_us >= CACHED_US)) &&
             !__atomic_exchange_n(&m->looked, true, __ATOMIC_RELAXED))
        start(m, look_thread);
    else if ((seen >= SEEN && seen % 64 == 0 && (double)(yk_now_ns() - m->since) * 1e-9 > enough_s) ||
             (seen >= SEEN_LONG && spent_us * 1e-6 > enough_s))
        start(m, ask_thread);
}

static bool size_ready(struct yk_merged *m, const struct yk_launch *l)
{
    size_t local[3] = {1, 1, 1};
    for (unsigned i = 0; i < l->dims; i++)
        local[i] = l->local[i];
    return yk_merged_code_ready(&m->code, local);
}

struct yk_merged *yk_merge_for(struct yk_launch *l)
{
    struct yk_merged *k = __atomic_load_n(&l->code->merged, __ATOMIC_ACQUIRE);
    if (!k) {
        struct yk_merge *m = merge_of(l->code->build);
        if (!m)
            return NULL;
        if (yk_merge_state_get(&m->state) == YK_MERGE_NONE)
            count(m, l);
        if (yk_merge_state_get(&m->state) != YK_MERGE_READY)
            return NULL;
        for (unsigned i = 0; i < m->n && !k; i++)
            if (!strcmp(m->kernel[i].facts->name, l->code->name))
                k = &m->kernel[i];
        if (!k)
            return NULL;
        __atomic_store_n(&l->code->merged, k, __ATOMIC_RELEASE);
    }
    return size_ready(k, l) ? k : NULL;
}

static bool ask_kernel(cl_kernel k, size_t *group, cl_ulong *own)
{
    const struct yk_device *d = yk_rt.primary;
    return d->cl->GetKernelWorkGroupInfo(k, d->id, CL_KERNEL_WORK_GROUP_SIZE, sizeof *group, group, NULL) ==
               CL_SUCCESS &&
           d->cl->GetKernelWorkGroupInfo(k, d->id, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof *own, own, NULL) == CL_SUCCESS;
}

/* Does the mixed kernel keep in registers what the kernels by themselves do? Fills its room. Calls the driver. */
static bool fits_device(struct yk_merge *m)
{
    enum { SPILLED = 128 }; /* bytes of a work-item */
    cl_ulong own = 0, most = 0;
    struct yk_code_kernel *mixed = yk_merged_code_take(&m->mixed);
    bool known = mixed && ask_kernel(mixed->real, &m->mixed.room, &own);
    for (unsigned i = 0; i < m->n && known; i++) {
        size_t group;
        cl_ulong one = 0;
        struct yk_code_kernel *k = m->kernel[i].facts->mixed ? yk_merged_code_take(&m->kernel[i].code) : NULL;
        if (!k)
            continue;
        known = ask_kernel(k->real, &group, &one);
        most = one > most ? one : most;
        yk_merged_code_give(&m->kernel[i].code, k);
    }
    if (mixed)
        yk_merged_code_give(&m->mixed, mixed);
    return known && own <= most + SPILLED;
}

static void *mix_thread(void *arg)
{
    struct yk_merge *m = arg;
    enum yk_merge_state state = YK_MERGE_NEVER;
    if (yk_background_enter()) {
        struct yk_mixed_layout l = yk_mixed_layout(&m->facts);
        if ((m->mixed_program = build_program(m, m->facts.mixed_source))) {
            m->mixed = (struct yk_merged_code){.name = YK_MIXED_NAME,
                                               .build = m->build,
                                               .program = m->mixed_program,
                                               .nlocals = l.nlocals,
                                               .nconstants = l.nconstants,
                                               .able = true};
            yk_merged_code_init(&m->mixed);
            if (fits_device(m) || yk_rt.options.gather == YK_GATHER_FORCED)
                state = YK_MERGE_READY;
            else
                yk_info("kernels are not mixed: the device would run them with fewer registers");
        }
        yk_background_leave();
    }
    yk_merge_state_set(&m->mixing, state);
    yk_build_drop_in_background(m->build);
    return NULL;
}

static void start_mixing(struct yk_merge *m)
{
    enum yk_merge_state none = YK_MERGE_NONE;
    if (!__atomic_compare_exchange_n(&m->mixing, &none, YK_MERGE_ASKED, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return;
    yk_background_prepare();
    yk_build_hold(m->build);
    if (yk_rt.options.gather == YK_GATHER_FORCED) {
        mix_thread(m);
    } else if (yk_thread_start(mix_thread, m)) {
        yk_merge_state_set(&m->mixing, YK_MERGE_NEVER);
        yk_build_drop(m->build);
    }
}

struct yk_merged_code *yk_merge_mixed(struct yk_merge *m, const size_t *local)
{
    if (!m->facts.mixed_source)
        return NULL;
    if (yk_merge_state_get(&m->mixing) == YK_MERGE_NONE &&
        (yk_rt.options.gather == YK_GATHER_FORCED || __atomic_add_fetch(&m->mixes, 1, __ATOMIC_RELAXED) >= MISSED))
        start_mixing(m);
    return yk_merge_state_get(&m->mixing) == YK_MERGE_READY && yk_merged_code_ready(&m->mixed, local) ? &m->mixed
                                                                                                      : NULL;
}
