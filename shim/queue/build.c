#include "shim/queue/build.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "device/numeric.h"
#include "shim/core/background.h"
#include "shim/queue/analyse.h"
#include "shim/queue/merged.h"
#include "shim/queue/remember.h"
#include "shim/queue/stages_code.h"
#include "shim/queue/warm.h"

void yk_build_hold(struct yk_build *b)
{
    __atomic_fetch_add(&b->holds, 1, __ATOMIC_RELAXED);
}

void yk_build_drop(struct yk_build *b)
{
    if (__atomic_sub_fetch(&b->holds, 1, __ATOMIC_ACQ_REL))
        return;
    yk_merge_finish(b->merged);
    yk_stages_code_finish(b->stages);
    for (unsigned i = 0; i < yk_rt.machine->n; i++) {
        const struct yk_cl *cl = yk_rt.machine->device[i].cl;
        if (b->original[i])
            cl->ReleaseProgram(b->original[i]);
        if (b->variant[i])
            cl->ReleaseProgram(b->variant[i]);
    }
    if (b->merge)
        yk_rt.machine->device[b->merge_device].cl->ReleaseProgram(b->merge);
    if (b->has_facts)
        yk_facts_finish(&b->facts);
    pthread_cond_destroy(&b->changed);
    yk_lock_finish(&b->lock);
    yk_drop(&b->ctx->h);
    free(b->source);
    free(b->options);
    free(b);
}

/* Builds whose thread came too late to give its hold back: the process was exiting, and no driver may be called any
 * more. Kept reachable, so that a leak detector tells them from what was forgotten. */
static struct yk_build *left;

static void leave(struct yk_build *b)
{
    if (__atomic_exchange_n(&b->is_left, true, __ATOMIC_ACQ_REL)) /* two threads of one build may come too late */
        return;
    b->next_left = __atomic_load_n(&left, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&left, &b->next_left, b, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

void yk_build_drop_in_background(struct yk_build *b)
{
    if (!yk_background_enter()) {
        leave(b);
        return;
    }
    yk_build_drop(b);
    yk_background_leave();
}

static void set_state(struct yk_build *b, enum yk_build_state state, const char *reason)
{
    yk_lock_take(&b->lock);
    b->reason = reason;
    __atomic_store_n(&b->state, state, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&b->changed);
    yk_lock_drop(&b->lock);
}

enum yk_build_state yk_build_wait(struct yk_build *b, enum yk_build_state state, uint64_t ns)
{
    enum yk_build_state now = yk_build_now(b);
    if (now >= state || !ns)
        return now;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    uint64_t t = (uint64_t)until.tv_nsec + ns % 1000000000u;
    until.tv_sec += (time_t)(ns / 1000000000u + t / 1000000000u);
    until.tv_nsec = (long)(t % 1000000000u);
    uint64_t end = yk_now_ns() + ns;
    yk_lock_take(&b->lock);
    while (b->state < state && yk_now_ns() < end)
        yk_lock_timedwait(&b->lock, &b->changed, &until);
    now = b->state;
    yk_lock_drop(&b->lock);
    return now;
}

static cl_program build_on(struct yk_build *b, unsigned dev, const char *source, const char *options)
{
    const struct yk_device *d = &yk_rt.machine->device[dev];
    cl_context ctx = yk_context_real(b->ctx, dev);
    if (!ctx)
        return NULL;
    cl_int err = CL_OUT_OF_HOST_MEMORY;
    cl_program p = NULL;
    size_t n = strlen(options) + 48;
    char *all = malloc(n);
    if (!all)
        return NULL;
    /* Twins of one driver get a define of their own: PoCL 3.1 aborts when two devices run one source and options. */
    if (d->twin)
        snprintf(all, n, "%s -D__yoke_twin=%u", options, d->twin);
    else
        snprintf(all, n, "%s", options);
    if ((p = yk_warm_program(ctx, dev, source, all))) {
        free(all);
        return p;
    }
    if (b->kept_only && d->type & CL_DEVICE_TYPE_CPU) {
        free(all);
        return NULL;
    }
    p = d->cl->CreateProgramWithSource(ctx, 1, &source, NULL, &err);
    if (p)
        err = d->cl->BuildProgram(p, 1, &d->id, *all ? all : NULL, NULL, NULL);
    free(all);
    if (!p)
        return NULL;
    if (err != CL_SUCCESS) {
        char log[512] = "";
        d->cl->GetProgramBuildInfo(p, d->id, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        yk_info("device %u (%s) cannot build a program (%s); it takes no share of its kernels. %s", dev, d->name,
                yk_cl_error_name(err), log);
        d->cl->ReleaseProgram(p);
        return NULL;
    }
    return p;
}

/* What the program's kernels need of other devices. */
struct need {
    bool original, variant, classes;
};

static struct need needs(const struct yk_facts *f)
{
    struct need n = {false, false, false};
    for (unsigned i = 0; i < f->nkernels; i++)
        if (f->kernel[i].verdict != YK_VERDICT_WHOLE) {
            n.original |= !f->kernel[i].needs_variant;
            n.variant |= f->kernel[i].needs_variant;
            n.classes |= f->kernel[i].inexact || f->kernel[i].float_arith;
        }
    n.classes &= yk_rt.options.numerics != YK_NUMERICS_ANY;
    return n;
}

static void build_device(struct yk_build *b, unsigned i, struct need need)
{
    if (b->facts.target_text[yk_analyse_target(i)] == b->facts.target_text[0]) {
        cl_program p = NULL, v = NULL;
        uint64_t start = yk_now_ns();
        if (need.variant && b->facts.variant_source)
            v = build_on(b, i, b->facts.variant_source, b->facts.variant_options);
        if (need.original && i != yk_rt.machine->primary)
            p = build_on(b, i, b->source, b->options);
        yk_lock_take(&b->lock);
        b->variant[i] = v;
        if (p)
            b->original[i] = p;
        yk_lock_drop(&b->lock);
        if ((p || v) && i != yk_rt.machine->primary)
            yk_remember_built(b, i, (double)(yk_now_ns() - start) * 1e-6);
    } else {
        yk_info("device %u (%s) preprocesses a program to another text; it takes no share", i,
                yk_rt.machine->device[i].name);
    }
    __atomic_store_n(&b->done[i], true, __ATOMIC_RELEASE);
}

static void *build_devices(void *arg)
{
    struct yk_build *b = arg;
    const struct yk_machine *m = yk_rt.machine;
    struct need need = needs(&b->facts);
    if (!yk_background_enter()) {
        leave(b);
        return NULL;
    }
    for (unsigned k = 0; k <= m->n; k++) {
        /* The primary's variant first: without it nobody's is of use. */
        unsigned i = k == 0 ? m->primary : k - 1;
        if ((!k || i != m->primary) && m->device[i].usable && !yk_background_ending())
            build_device(b, i, need);
    }
    /* Which devices may share kernels with inexact operations; where it fails it has said so, and they share none. */
    if (need.classes && !yk_background_ending())
        yk_numeric_probe(m);
    set_state(b, YK_BUILD_READY, NULL);
    yk_build_drop(b);
    yk_background_leave();
    return NULL;
}

static void *build_merge(void *arg)
{
    struct yk_build *b = arg;
    bool may = yk_background_enter();
    cl_program p = may ? build_on(b, b->merge_device, b->facts.merge_source, b->facts.variant_options) : NULL;
    yk_lock_take(&b->lock);
    b->merge = p;
    b->merge_done = true;
    pthread_cond_broadcast(&b->changed);
    yk_lock_drop(&b->lock);
    if (may) {
        yk_build_drop(b);
        yk_background_leave();
    } else {
        leave(b);
    }
    return NULL;
}

cl_program yk_build_merging(struct yk_build *b, unsigned dev, bool wait)
{
    enum yk_build_state state = yk_build_now(b);
    if ((state != YK_BUILD_ANALYSED && state != YK_BUILD_READY) || !b->facts.merge_source ||
        b->facts.target_text[yk_analyse_target(dev)] != b->facts.target_text[0])
        return NULL;
    yk_lock_take(&b->lock);
    bool ask = !b->merge_asked;
    b->merge_asked = true;
    if (ask)
        b->merge_device = dev;
    yk_lock_drop(&b->lock);
    if (ask) {
        yk_build_hold(b);
        if (yk_thread_start(build_merge, b)) {
            yk_lock_take(&b->lock);
            b->merge_done = true;
            yk_lock_drop(&b->lock);
            yk_build_drop(b);
        }
    }
    yk_lock_take(&b->lock);
    while (wait && !b->merge_done)
        yk_lock_wait(&b->lock, &b->changed);
    cl_program p = b->merge_device == dev ? b->merge : NULL;
    yk_lock_drop(&b->lock);
    return p;
}

bool yk_build_insisted(void)
{
    const struct yk_options *o = &yk_rt.options;
    return o->force_split || o->reproducible || (o->strategy && strcmp(o->strategy, "auto"));
}

void yk_build_want(struct yk_build *b)
{
    if (yk_build_now(b) != YK_BUILD_ANALYSED || __atomic_exchange_n(&b->wanted, true, __ATOMIC_ACQ_REL))
        return;
    yk_build_hold(b);
    __atomic_store_n(&b->wanted_at, yk_now_ns(), __ATOMIC_RELAXED);
    if (yk_thread_start(build_devices, b)) {
        set_state(b, YK_BUILD_NONE, "no thread for the background build");
        yk_build_drop(b);
    }
}

/* The facts are there. */
static void analysed(struct yk_build *b)
{
    b->has_facts = true;
    struct need need = needs(&b->facts);
    if (b->facts.refused) {
        set_state(b, YK_BUILD_NONE, b->facts.refused);
    } else if (!need.original && !need.variant) {
        set_state(b, YK_BUILD_NONE, "no kernel of the program can be split");
    } else {
        bool worth = yk_remember_worth(b);
        if (worth && need.classes)
            yk_numeric_recall(yk_rt.machine); /* the first launch may come before the others' builds are done */
        b->kept_only = !yk_build_insisted() && worth && yk_warm_kept(b);
        set_state(b, YK_BUILD_ANALYSED, NULL);
        if (yk_build_insisted() || b->kept_only)
            yk_build_want(b);
    }
}

static void *analyse_program(void *arg)
{
    struct yk_build *b = arg;
    if (yk_analyse(b->source, b->options, false, false, &b->facts) == YK_OK)
        analysed(b);
    else
        set_state(b, YK_BUILD_NONE, "the transformer could not analyse the program");
    yk_build_drop_in_background(b);
    return NULL;
}

void yk_build_ask(struct yk_build *b)
{
    if (yk_build_now(b) != YK_BUILD_PENDING || __atomic_exchange_n(&b->asked, true, __ATOMIC_ACQ_REL))
        return;
    yk_build_hold(b);
    if (yk_thread_start(analyse_program, b)) {
        set_state(b, YK_BUILD_NONE, "no thread for the background build");
        yk_build_drop(b);
    }
}

struct yk_build *yk_build_start(struct yk_context *ctx, cl_program real, const char *source, const char *options,
                                double seconds, const char *reason)
{
    const struct yk_device *d = yk_rt.primary;
    struct yk_build *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->holds = 1;
    b->source = source ? strdup(source) : NULL;
    b->options = strdup(options ? options : "");
    if (!b->options || (source && !b->source) || d->cl->RetainProgram(real) != CL_SUCCESS) {
        free(b->source);
        free(b->options);
        free(b);
        return NULL;
    }
    b->ctx = ctx;
    b->content = yk_hash_str(yk_hash_str((struct yk_hash){0, 0}, source), b->options);
    b->seconds = seconds;
    yk_hold(&ctx->h);
    yk_lock_init(&b->lock, YK_RANK_PROGRAM);
    pthread_cond_init(&b->changed, NULL);
    b->original[d->index] = real;
    unsigned usable = 0;
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        usable += yk_rt.machine->device[i].usable;
    if (!source || usable < 2 || !yk_rt.options.split) {
        b->state = YK_BUILD_NONE;
        b->reason = !source ? reason : usable < 2 ? "there is one device" : "splitting is switched off";
        return b;
    }
    yk_background_prepare();
    if (yk_analyse(b->source, b->options, true, false, &b->facts) == YK_OK)
        analysed(b);
    else if (yk_build_insisted())
        yk_build_ask(b);
    return b;
}
