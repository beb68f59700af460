#include "shim/queue/build_devices.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "device/numeric.h"
#include "shim/core/background.h"
#include "shim/core/trace.h"
#include "shim/memory/mailbox.h"
#include "shim/queue/ahead.h"
#include "shim/queue/analyse.h"
#include "shim/queue/crew.h"
#include "shim/queue/remember_program.h"
#include "shim/queue/takers.h"
#include "shim/queue/warm.h"

/* One build at a time: GPUs' compilers let one in, and a process that exits waits for each that has begun. */
static struct yk_lock turn = YK_LOCK_INIT(YK_RANK_PROGRAM);
static pthread_cond_t turn_over = PTHREAD_COND_INITIALIZER;
static bool turn_taken;

/* False: the process is about to exit, and nobody will need it. */
static bool take_turn(void)
{
    const uint64_t look_ns = 10000000;
    yk_lock_take(&turn);
    while (turn_taken && !yk_background_ending())
        yk_lock_wait_ns(&turn, &turn_over, look_ns);
    bool mine = !turn_taken && !yk_background_ending();
    turn_taken |= mine;
    yk_lock_drop(&turn);
    return mine;
}

static void pass_turn(void)
{
    yk_lock_take(&turn);
    turn_taken = false;
    yk_lock_drop_and_signal(&turn, &turn_over);
}

static cl_int build_in_turn(const struct yk_device *d, cl_program p, const char *options)
{
    bool turns = !(d->type & CL_DEVICE_TYPE_CPU);
    if (turns && !take_turn())
        return CL_OUT_OF_RESOURCES;
    cl_int err = d->cl->BuildProgram(p, 1, &d->id, *options ? options : NULL, NULL, NULL);
    if (turns)
        pass_turn();
    return err;
}

/* SOURCE, which includes FILES, for DEV, from its kept binary where there is one; only then, with KEPT_ONLY. */
static cl_program build_source(struct yk_build *b, unsigned dev, const char *source, const char *files,
                               const char *options, bool kept_only)
{
    const struct yk_device *d = &yk_rt.machine->device[dev];
    cl_context ctx = yk_context_real(b->ctx, dev);
    if (!ctx)
        return NULL;
    cl_int err = CL_OUT_OF_HOST_MEMORY;
    cl_program p = NULL;
    char *all = yk_warm_options(options, d->twin);
    if (!all)
        return NULL;
    if ((p = yk_warm_program(ctx, dev, source, files, all))) {
        free(all);
        return p;
    }
    if (kept_only) {
        free(all);
        return NULL;
    }
    p = d->cl->CreateProgramWithSource(ctx, 1, &source, NULL, &err);
    if (p)
        err = build_in_turn(d, p, all);
    free(all);
    if (!p)
        return NULL;
    if (err != CL_SUCCESS && yk_background_ending()) { /* perhaps not even tried */
        d->cl->ReleaseProgram(p);
        return NULL;
    }
    if (err != CL_SUCCESS) {
        char log[512] = "";
        d->cl->GetProgramBuildInfo(p, d->id, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        yk_info("device %u (%s) cannot build a program (%s); it takes no share of its kernels. %s", dev, d->name,
                yk_cl_error_name(err), log);
        if (strstr(log, YK_GUARD_WORDS))
            __atomic_store_n(&b->reads_other[dev], true, __ATOMIC_RELAXED);
        d->cl->ReleaseProgram(p);
        return NULL;
    }
    return p;
}

static cl_program build_on(struct yk_build *b, unsigned dev, bool variant)
{
    bool kept_only = b->kept_only && yk_rt.machine->device[dev].type & CL_DEVICE_TYPE_CPU;
    if (kept_only && !yk_warm_kept_on(b, dev, variant))
        return NULL; /* without a context for it */
    return variant ? build_source(b, dev, b->facts.variant_source, "", b->facts.variant_options, kept_only)
                   : build_source(b, dev, b->source, b->files ? b->files : "", b->options, kept_only);
}

struct yk_build_need yk_build_needs(const struct yk_facts *f)
{
    struct yk_build_need n = {false, false, false};
    for (unsigned i = 0; i < f->nkernels; i++)
        if (f->kernel[i].verdict != YK_VERDICT_WHOLE) {
            n.original |= !f->kernel[i].needs_variant;
            n.variant |= f->kernel[i].needs_variant;
        }
    n.classes = yk_facts_inexact(f) && yk_rt.options.numerics != YK_NUMERICS_ANY;
    return n;
}

static bool is_cpu(unsigned dev)
{
    return dev != yk_rt.machine->primary && yk_rt.machine->device[dev].type & CL_DEVICE_TYPE_CPU;
}

/* Nothing more will come for device I. */
static void set_done(struct yk_build *b, unsigned i)
{
    yk_lock_take(&b->lock);
    __atomic_store_n(&b->done[i], true, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&b->changed);
    yk_lock_drop(&b->lock);
}

static void build_device(struct yk_build *b, unsigned i, struct yk_build_need need)
{
    if (b->facts.target_text[yk_analyse_target(i)] == b->facts.target_text[0]) {
        cl_program p = NULL, v = NULL;
        uint64_t start = yk_now_ns();
        if (i != yk_rt.machine->primary)
            yk_crew_ready(i); /* it sleeps by the time that there is something to do */
        if (need.variant && b->facts.variant_source && !yk_build_has(b, i, true))
            v = build_on(b, i, true);
        if (need.original && !yk_build_has(b, i, false))
            p = build_on(b, i, false);
        if (p && !yk_analyse_same_files(b, &b->facts)) {
            yk_info("a file that a program includes may have changed since it was built; device %u takes no share", i);
            yk_rt.machine->device[i].cl->ReleaseProgram(p);
            p = NULL;
        }
        yk_lock_take(&b->lock);
        if (v)
            __atomic_store_n(&b->variant[i], v, __ATOMIC_RELEASE);
        if (p)
            __atomic_store_n(&b->original[i], p, __ATOMIC_RELEASE);
        yk_lock_drop(&b->lock);
        uint64_t end = yk_now_ns(), from = yk_build_from(b, start);
        double ms = end > from ? (double)(end - from) * 1e-6 : 0;
        if (p || v)
            yk_trace_prepared("program", i, start);
        if (p || v)
            yk_info("device %u (%s): a program for shares took %.0f ms", i, yk_rt.machine->device[i].name, ms);
        /* What is kept is looked for beside the primary's build: before that is over nobody waits. */
        bool early = b->kept_only && is_cpu(i) && !__atomic_load_n(&b->built_at, __ATOMIC_RELAXED);
        /* Of the primary's for yk_remember_was_built alone; where it is a CPU, launches would wait for it by that. */
        if ((p || v) && (i != yk_rt.machine->primary || yk_ahead_spare()))
            yk_remember_built(b, i, early ? 0 : ms);
    } else {
        __atomic_store_n(&b->reads_other[i], true, __ATOMIC_RELAXED);
        yk_info("device %u (%s) preprocesses a program to another text; it takes no share", i,
                yk_rt.machine->device[i].name);
    }
    set_done(b, i);
}

/* Beside a GPU a CPU adds little, and its driver compiles for half a second and more (PoCL): programs whose launches
 * together take less than this many ms do without. */
static const double cpus_from_ms = 3000;

static void build_those(struct yk_build *b, bool cpus, bool build)
{
    struct yk_build_need need = yk_build_needs(&b->facts);
    for (unsigned i = 0; i < yk_rt.machine->n; i++) {
        if (i == yk_rt.machine->primary || is_cpu(i) != cpus || !yk_rt.machine->device[i].usable ||
            yk_background_ending())
            continue;
        if (build)
            build_device(b, i, need);
        else
            set_done(b, i);
    }
}

/* The primary's partition-ready program; the second to come waits for the first. */
static void build_primary(struct yk_build *b)
{
    unsigned p = yk_rt.machine->primary;
    bool first = !__atomic_exchange_n(&b->primary_begun, true, __ATOMIC_ACQ_REL);
    if (first)
        build_device(b, p, yk_build_needs(&b->facts));
    yk_lock_take(&b->lock);
    while (!__atomic_load_n(&b->done[p], __ATOMIC_ACQUIRE))
        yk_lock_wait(&b->lock, &b->changed);
    yk_lock_drop(&b->lock);
}

static void *build_primary_early(void *arg)
{
    struct yk_build *b = arg;
    if (!yk_background_enter()) {
        yk_build_leave(b);
        return NULL;
    }
    build_primary(b);
    yk_build_drop(b);
    yk_background_leave();
    return NULL;
}

static void start_primary(struct yk_build *b)
{
    yk_build_hold(b);
    if (yk_thread_start(build_primary_early, b))
        yk_build_drop(b);
}

/* Where that costs the program nothing: its launches can begin there alone then. */
void yk_build_want_primary(struct yk_build *b)
{
    if (yk_ahead_spare() && yk_build_needs(&b->facts).variant)
        start_primary(b);
}

/* Is other devices' work for B of no use before it is known which of them compute the same bits? */
static bool all_of_one_class(const struct yk_facts *f)
{
    for (unsigned i = 0; i < f->nkernels; i++)
        if (f->kernel[i].verdict != YK_VERDICT_WHOLE && !yk_takers_one_class(&f->kernel[i]))
            return false;
    return true;
}

/* A machine's first process has yoke-warm find out, which takes a second and more, and makes no contexts meanwhile: two
 * H200 take 120 ms for another, and 50 more at the process's end. False: nobody needs B any more, or the process is
 * about to exit, and this is no stretch of background work now. */
static bool await_classes(struct yk_build *b)
{
    const long least_ns = 20000000, most_ns = 200000000;
    yk_warm_analyse(b);
    for (long ns = least_ns; !yk_numeric_recall(yk_rt.machine); ns = 2 * ns < most_ns ? 2 * ns : most_ns) {
        yk_background_leave();
        nanosleep(&(struct timespec){0, ns}, NULL);
        if (__atomic_load_n(&b->holds, __ATOMIC_ACQUIRE) == 1) {
            yk_build_drop_in_background(b);
            return false;
        }
        if (!yk_background_enter()) {
            yk_build_leave(b);
            return false;
        }
    }
    __atomic_store_n(&b->wanted_at, yk_now_ns(), __ATOMIC_RELAXED);
    return true;
}

static void *build_devices(void *arg)
{
    struct yk_build *b = arg;
    const struct yk_machine *m = yk_rt.machine;
    struct yk_build_need need = yk_build_needs(&b->facts);
    if (!yk_background_enter()) {
        yk_build_leave(b);
        return NULL;
    }
    if (b->kept_only && need.classes && all_of_one_class(&b->facts) && !yk_numeric_recall(m) && !await_classes(b))
        return NULL;
    yk_mailbox_expect(b->ctx);
    /* The primary's variant first: without it nobody's is of use. Where they are only loaded, all at once: a driver has
     * that wait for the build of the program's own that may be under way (PoCL). */
    if (b->kept_only && need.variant)
        start_primary(b);
    else if (!yk_background_ending())
        build_primary(b);
    build_those(b, false, true);
    bool cpus = !yk_ahead_spare() || yk_build_insisted() || b->kept_only || yk_remember_together(b) >= cpus_from_ms;
    build_those(b, true, cpus);
    if (!yk_background_ending())
        build_primary(b); /* waited for, where it has begun */
    /* Which devices may share kernels with inexact operations; where it fails it has said so, and they share none. */
    if (need.classes && !yk_background_ending()) {
        if (!b->kept_only)
            yk_numeric_probe(m);
        else if (!yk_numeric_recall(m))
            yk_warm_analyse(b); /* seconds of compiling, once per machine: beside the program, not in it */
    }
    yk_build_set_state(b, YK_BUILD_READY, NULL);
    yk_build_drop(b);
    yk_background_leave();
    return NULL;
}

static void *build_merge(void *arg)
{
    struct yk_build *b = arg;
    bool may = yk_background_enter();
    cl_program p =
        may ? build_source(b, b->merge_device, b->facts.merge_source, "", b->facts.variant_options, false) : NULL;
    yk_lock_take(&b->lock);
    b->merge = p;
    b->merge_done = true;
    pthread_cond_broadcast(&b->changed);
    yk_lock_drop(&b->lock);
    if (may) {
        yk_build_drop(b);
        yk_background_leave();
    } else {
        yk_build_leave(b);
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

void yk_build_want(struct yk_build *b)
{
    if (yk_build_now(b) != YK_BUILD_ANALYSED || __atomic_exchange_n(&b->wanted, true, __ATOMIC_ACQ_REL))
        return;
    yk_build_hold(b);
    __atomic_store_n(&b->wanted_at, yk_now_ns(), __ATOMIC_RELAXED);
    if (yk_thread_start_elsewhere(build_devices, b)) {
        yk_build_set_state(b, YK_BUILD_NONE, "no thread for the background build");
        yk_build_drop(b);
    }
}

static void *load_kept(void *arg)
{
    struct yk_build *b = arg;
    struct yk_build_need need = yk_build_needs(&b->facts);
    if (!yk_background_enter()) {
        yk_build_leave(b);
        return NULL;
    }
    for (unsigned i = 0; i < yk_rt.machine->n && !yk_background_ending(); i++)
        if (yk_rt.machine->device[i].usable && yk_rt.machine->device[i].type & CL_DEVICE_TYPE_CPU)
            build_device(b, i, need);
    __atomic_store_n(&b->loading, false, __ATOMIC_RELEASE);
    yk_build_drop(b);
    yk_background_leave();
    return NULL;
}

void yk_build_load(struct yk_build *b)
{
    if (yk_build_now(b) != YK_BUILD_READY) {
        yk_build_want(b);
        return;
    }
    if (__atomic_exchange_n(&b->loading, true, __ATOMIC_ACQ_REL))
        return;
    yk_build_hold(b);
    if (yk_thread_start(load_kept, b)) {
        __atomic_store_n(&b->loading, false, __ATOMIC_RELEASE);
        yk_build_drop(b);
    }
}
