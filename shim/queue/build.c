#include "shim/queue/build_devices.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "device/numeric.h"
#include "shim/core/background.h"
#include "shim/queue/ahead.h"
#include "shim/queue/analyse.h"
#include "shim/queue/beside.h"
#include "shim/queue/included.h"
#include "shim/queue/merged.h"
#include "shim/queue/remember_program.h"
#include "shim/queue/short.h"
#include "shim/queue/stages_code.h"
#include "shim/queue/use.h"
#include "shim/queue/windows.h"
#include "shim/queue/warm.h"
#include "transform/client_cache.h"

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
    yk_windows_code_finish(b->windows);
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
    free(b->folder);
    free(b->names);
    free(b->files);
    free(b);
}

/* Builds whose thread came too late to give its hold back: the process was exiting, and no driver may be called any
 * more. Kept reachable, so that a leak detector tells them from what was forgotten. */
static struct yk_build *left;

void yk_build_leave(struct yk_build *b)
{
    if (yk_build_now(b) < YK_BUILD_READY) /* launches that static destructors wait for do not wait for it */
        yk_build_set_state(b, YK_BUILD_NONE, "the process is exiting");
    if (__atomic_exchange_n(&b->is_left, true, __ATOMIC_ACQ_REL)) /* two threads of one build may come too late */
        return;
    b->next_left = __atomic_load_n(&left, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&left, &b->next_left, b, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

void yk_build_drop_in_background(struct yk_build *b)
{
    if (!yk_background_enter()) {
        yk_build_leave(b);
        return;
    }
    yk_build_drop(b);
    yk_background_leave();
}

void yk_build_set_state(struct yk_build *b, enum yk_build_state state, const char *reason)
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
    uint64_t end = yk_now_ns() + ns, at;
    yk_lock_take(&b->lock);
    while (b->state < state && (at = yk_now_ns()) < end)
        yk_lock_wait_ns(&b->lock, &b->changed, end - at);
    now = b->state;
    yk_lock_drop(&b->lock);
    return now;
}

bool yk_build_wait_for(struct yk_build *b, unsigned dev, uint64_t ns)
{
    uint64_t end = yk_now_ns() + ns, at;
    bool done = __atomic_load_n(&b->done[dev], __ATOMIC_ACQUIRE);
    if (done)
        return true;
    yk_lock_take(&b->lock);
    while (!(done = __atomic_load_n(&b->done[dev], __ATOMIC_ACQUIRE)) && b->state < YK_BUILD_READY &&
           (at = yk_now_ns()) < end)
        yk_lock_wait_ns(&b->lock, &b->changed, end - at);
    done |= b->state == YK_BUILD_READY; /* a process that exits leaves devices out */
    yk_lock_drop(&b->lock);
    return done;
}

bool yk_build_insisted(void)
{
    const struct yk_options *o = &yk_rt.options;
    return o->force_split || o->reproducible || yk_beside_forced() || (o->strategy && strcmp(o->strategy, "auto"));
}

/* The facts are there. */
static void analysed(struct yk_build *b)
{
    b->has_facts = true;
    struct yk_build_need need = yk_build_needs(&b->facts);
    if (b->facts.nfiles)
        b->files = yk_warm_files(&b->facts);
    if (b->files)
        yk_included_known(b);
    if (b->facts.refused) {
        yk_build_set_state(b, YK_BUILD_NONE, b->facts.refused);
    } else if (b->facts.nfiles && !b->files) {
        yk_build_set_state(b, YK_BUILD_NONE, "what the program includes cannot be noted");
    } else if (!need.original && !need.variant) {
        yk_build_set_state(b, YK_BUILD_NONE, "no kernel of the program can be split");
    } else {
        if (need.classes && yk_remember_worth(b))
            yk_numeric_recall(yk_rt.machine); /* the first launch may come before the others' builds are done */
        b->kept_only = !yk_build_insisted() && !yk_ahead_forced() && yk_warm_able();
        yk_build_set_state(b, YK_BUILD_ANALYSED, NULL);
    }
}

/* What earlier processes have left for other devices is loaded, where they have found that to be worth it. */
static void load_what_is_kept(struct yk_build *b)
{
    if (yk_build_now(b) == YK_BUILD_ANALYSED && b->kept_only && yk_remember_worth(b) && yk_use_kept(b) &&
        !yk_use_none(b) && !yk_short_only(b) && yk_warm_kept(b))
        yk_build_want(b);
}

/* What need not be known to pay, or is. */
static void prepare_others(struct yk_build *b)
{
    if (yk_build_now(b) != YK_BUILD_ANALYSED)
        return;
    /* What nobody has built before may take a third of a second (NVIDIA), for each program of many, and a process that
     * ends meanwhile waits for what has begun: OpenMM on two H200 took 2.8 s instead of 0.5. */
    if (yk_build_insisted() || yk_ahead_forced() || (yk_remember_worth(b) && yk_remember_was_built(b)))
        yk_build_want_primary(b);
    if (yk_build_insisted() ||
        (yk_ahead_spare() && yk_remember_together(b) >= yk_ahead_from_ms(yk_use_proven(b)) && !yk_use_none(b)))
        yk_build_want(b);
}

static void *analyse_program(void *arg)
{
    struct yk_build *b = arg;
    if (yk_analyse(b, false, YK_FOR_SHARES, &b->facts) == YK_OK) {
        analysed(b);
        load_what_is_kept(b);
        prepare_others(b);
    } else {
        yk_build_set_state(b, YK_BUILD_NONE, "the transformer could not analyse the program");
    }
    yk_build_drop_in_background(b);
    return NULL;
}

void yk_build_ask(struct yk_build *b)
{
    if (yk_build_now(b) != YK_BUILD_PENDING || __atomic_exchange_n(&b->asked, true, __ATOMIC_ACQ_REL))
        return;
    yk_build_hold(b);
    if (yk_thread_start(analyse_program, b)) {
        yk_build_set_state(b, YK_BUILD_NONE, "no thread for the background build");
        yk_build_drop(b);
    }
}

/* Beside the primary's build. */
static void *look_up(void *arg)
{
    struct yk_build *b = arg;
    if (yk_analyse(b, true, YK_FOR_SHARES, &b->facts) == YK_OK)
        analysed(b);
    yk_lock_take(&b->lock);
    b->looking = false;
    pthread_cond_broadcast(&b->changed);
    yk_lock_drop(&b->lock);
    if (yk_build_now(b) == YK_BUILD_ANALYSED) {
        yk_profile_load(); /* what is worth it is read from there */
        load_what_is_kept(b);
    }
    yk_build_drop_in_background(b);
    return NULL;
}

/* What was in the folder when B was begun. */
static char *names_for(const struct yk_build_from *from)
{
    if (from->folder)
        return yk_client_cache_names_copy(from->names);
    return from->source && strstr(from->source, "include") ? yk_client_cache_names() : NULL;
}

struct yk_build *yk_build_begin(struct yk_context *ctx, cl_program real, const struct yk_build_from *from)
{
    const struct yk_device *d = yk_rt.primary;
    const char *source = from->source, *options = from->options;
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
    if (from->begun.tv_sec) {
        b->begun = from->begun;
        b->folder = from->folder ? strdup(from->folder) : getcwd(NULL, 0); /* NULL: no included file is trusted */
        b->names = names_for(from);
    }
    b->from_binary = from->binary != NULL;
    b->binary = from->binary ? *from->binary : (struct yk_hash){0, 0};
    yk_hold(&ctx->h);
    yk_lock_init(&b->lock, YK_RANK_PROGRAM);
    pthread_cond_init(&b->changed, NULL);
    b->original[d->index] = real;
    unsigned usable = 0;
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        usable += yk_rt.machine->device[i].usable;
    if (!source || usable < 2 || !yk_rt.options.split) {
        b->state = YK_BUILD_NONE;
        b->reason = !source ? from->reason : usable < 2 ? "there is one device" : "splitting is switched off";
        return b;
    }
    yk_background_prepare();
    b->looking = true;
    yk_build_hold(b);
    if (yk_thread_start_elsewhere(look_up, b)) {
        b->looking = false;
        yk_build_drop(b);
    }
    return b;
}

uint64_t yk_build_from(const struct yk_build *b, uint64_t from)
{
    uint64_t built = __atomic_load_n(&b->built_at, __ATOMIC_RELAXED);
    return from > built ? from : built;
}

void yk_build_built(struct yk_build *b, double seconds)
{
    __atomic_store_n(&b->built_at, yk_now_ns(), __ATOMIC_RELAXED);
    if (yk_build_now(b) == YK_BUILD_NONE) {
        yk_stages_expect(b);
        return;
    }
    yk_background_compiled();
    yk_lock_take(&b->lock);
    b->seconds = seconds;
    while (b->looking)
        yk_lock_wait(&b->lock, &b->changed);
    yk_lock_drop(&b->lock);
    prepare_others(b);
    if (yk_build_now(b) == YK_BUILD_PENDING && (yk_build_insisted() || yk_ahead_spare()))
        yk_build_ask(b);
}
