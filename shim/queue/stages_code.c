#include "shim/queue/stages_code.h"
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "base/thread.h"
#include "shim/core/background.h"
#include "shim/queue/ahead.h"
#include "shim/queue/analyse.h"
#include "shim/queue/warm.h"

enum state { NONE, BUSY, READY, NEVER };

/* At its first chain a program has its kernels read by yoke-warm, for later processes; one that goes on has them read
 * itself. Where cores are to spare they are read as soon as they are built, of EARLY_MOST programs at a time. */
enum { OWN_FROM = 3, EARLY_MOST = 2 };

struct yk_stages_code {
    struct yk_build *build; /* whose this is */
    enum state state;       /* atomic */
    struct yk_facts facts;
    bool has_facts;
    bool early;                   /* its kernels are being read without a chain; atomic */
    unsigned chains;              /* seen without facts */
    cl_program variant;           /* NULL: not needed, or could not be built */
    struct yk_lock lock;          /* guards the next */
    struct yk_code_kernel **pool; /* of the variant, per kernel of the facts */
};

static int early; /* programs of which that is so; atomic */

static enum state state_of(const struct yk_stages_code *s)
{
    return __atomic_load_n(&s->state, __ATOMIC_ACQUIRE);
}

static void set_state(struct yk_stages_code *s, enum state to)
{
    __atomic_store_n(&s->state, to, __ATOMIC_RELEASE);
}

static struct yk_stages_code *code_of(struct yk_build *b)
{
    struct yk_stages_code *s = __atomic_load_n(&b->stages, __ATOMIC_ACQUIRE), *none = NULL;
    if (s || !(s = calloc(1, sizeof *s)))
        return s;
    s->build = b;
    s->facts.variant_options = "";
    s->state = b->source ? NONE : NEVER;
    yk_lock_init(&s->lock, YK_RANK_KERNEL);
    if (__atomic_compare_exchange_n(&b->stages, &none, s, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return s;
    yk_lock_finish(&s->lock);
    free(s);
    return none;
}

void yk_stages_code_finish(struct yk_stages_code *s)
{
    if (!s)
        return;
    const struct yk_cl *cl = yk_rt.primary->cl;
    for (unsigned i = 0; s->pool && i < s->facts.nkernels; i++)
        while (s->pool[i]) {
            struct yk_code_kernel *next = s->pool[i]->next;
            cl->ReleaseKernel(s->pool[i]->real);
            free(s->pool[i]);
            s->pool[i] = next;
        }
    free(s->pool);
    if (s->variant)
        cl->ReleaseProgram(s->variant);
    if (s->has_facts)
        yk_facts_finish(&s->facts);
    yk_lock_finish(&s->lock);
    free(s);
}

/* Calls the driver. */
static cl_program build_variant(struct yk_stages_code *s)
{
    const struct yk_device *d = yk_rt.primary;
    const char *source = s->facts.variant_source;
    const char *options = *s->facts.variant_options ? s->facts.variant_options : NULL;
    cl_int err;
    cl_program p = d->cl->CreateProgramWithSource(s->build->ctx->real[d->index], 1, &source, NULL, &err);
    if (!p)
        return NULL;
    err = d->cl->BuildProgram(p, 1, &d->id, options, NULL, NULL);
    if (err == CL_SUCCESS)
        return p;
    yk_info("kernels that are run in parts cannot be built: %s", yk_cl_error_name(err));
    d->cl->ReleaseProgram(p);
    return NULL;
}

static void *build(void *arg)
{
    struct yk_stages_code *s = arg;
    struct yk_build *b = s->build;
    if (yk_background_enter()) {
        s->variant = build_variant(s);
        yk_background_leave();
    }
    set_state(s, READY);
    yk_build_drop_in_background(b);
    return NULL;
}

/* FN(S) in the background. */
static void begin(struct yk_stages_code *s, void *(*fn)(void *))
{
    set_state(s, BUSY);
    yk_background_prepare();
    yk_build_hold(s->build);
    if (yk_thread_start(fn, s)) {
        set_state(s, NEVER);
        yk_build_drop(s->build);
    }
}

/* The facts are there. Kernels that need no variant could be run in parts at once, those that do after its build. */
static void analysed(struct yk_stages_code *s)
{
    bool variant = false;
    s->has_facts = true;
    for (unsigned i = 0; i < s->facts.nkernels; i++)
        variant |= s->facts.kernel[i].verdict != YK_VERDICT_WHOLE && s->facts.kernel[i].needs_variant;
    s->pool = calloc(s->facts.nkernels ? s->facts.nkernels : 1, sizeof(struct yk_code_kernel *));
    if (s->facts.refused || !s->pool) {
        set_state(s, NEVER);
    } else if (!variant || !s->facts.variant_source) {
        set_state(s, READY);
    } else if (yk_rt.options.piping == YK_PIPING_FORCED) {
        s->variant = build_variant(s);
        set_state(s, READY);
    } else {
        begin(s, build);
    }
}

static void *read_kernels(void *arg)
{
    struct yk_stages_code *s = arg;
    struct yk_build *b = s->build;
    if (yk_analyse(b, false, YK_FOR_SHARES, &s->facts) == YK_OK)
        analysed(s);
    else
        set_state(s, NEVER);
    yk_build_drop_in_background(b);
    return NULL;
}

/* Into the cache, where the first chain finds it. */
static void *read_early(void *arg)
{
    struct yk_stages_code *s = arg;
    struct yk_build *b = s->build;
    struct yk_facts facts;
    if (yk_analyse(b, false, YK_FOR_SHARES, &facts) == YK_OK)
        yk_facts_finish(&facts);
    __atomic_store_n(&s->early, false, __ATOMIC_RELEASE);
    __atomic_fetch_sub(&early, 1, __ATOMIC_RELAXED);
    yk_build_drop_in_background(b);
    return NULL;
}

void yk_stages_expect(struct yk_build *b)
{
    const struct yk_device *d = yk_rt.primary;
    if (yk_rt.options.piping != YK_PIPING_AUTO || !(d->type & CL_DEVICE_TYPE_GPU) || d->host_memory ||
        !(yk_ahead_spare() || yk_ahead_forced()))
        return;
    struct yk_stages_code *s = b->source ? code_of(b) : NULL;
    if (!s || state_of(s) != NONE)
        return;
    s->early = __atomic_fetch_add(&early, 1, __ATOMIC_RELAXED) < EARLY_MOST;
    yk_background_prepare();
    yk_build_hold(b);
    if (s->early && !yk_thread_start(read_early, s))
        return;
    s->early = false;
    __atomic_fetch_sub(&early, 1, __ATOMIC_RELAXED);
    yk_build_drop(b);
}

/* Is somebody at it already? */
static bool is_read(const struct yk_stages_code *s)
{
    struct yk_build *b = s->build;
    return __atomic_load_n(&s->early, __ATOMIC_ACQUIRE) ||
           (yk_build_now(b) == YK_BUILD_PENDING && __atomic_load_n(&b->asked, __ATOMIC_ACQUIRE));
}

/* A chain has been seen. */
static void have_read(struct yk_stages_code *s)
{
    if (++s->chains < OWN_FROM)
        yk_warm_analyse(s->build);
    else
        begin(s, read_kernels);
}

/* One worker at a time asks; others run their launches as they are meanwhile. */
static void ask(struct yk_stages_code *s)
{
    static char asking;
    struct yk_build *b = s->build;
    bool forced = yk_rt.options.piping == YK_PIPING_FORCED;
    if (__atomic_test_and_set(&asking, __ATOMIC_ACQUIRE))
        return;
    if (state_of(s) == NONE) {
        yk_status st = yk_analyse(b, !forced, YK_FOR_SHARES, &s->facts);
        if (st == YK_OK)
            analysed(s);
        else if (st != YK_ENOTFOUND || forced)
            set_state(s, NEVER);
        else if (!is_read(s))
            have_read(s);
    }
    __atomic_clear(&asking, __ATOMIC_RELEASE);
}

const struct yk_facts_kernel *yk_stages_facts(struct yk_launch *l)
{
    struct yk_stages_code *s = code_of(l->code->build);
    if (s && state_of(s) == NONE)
        ask(s);
    if (!s || state_of(s) != READY)
        return NULL;
    const struct yk_facts_kernel *f = yk_facts_find(&s->facts, l->code->name);
    return f && f->verdict != YK_VERDICT_WHOLE && (!f->needs_variant || s->variant) ? f : NULL;
}

struct yk_code_kernel *yk_stages_take(struct yk_launch *l, const struct yk_facts_kernel *f)
{
    struct yk_stages_code *s = __atomic_load_n(&l->code->build->stages, __ATOMIC_ACQUIRE); /* its facts were found */
    if (!f->needs_variant)
        return yk_code_take(l->code, yk_rt.primary->index, false);
    yk_lock_take(&s->lock);
    struct yk_code_kernel **pool = &s->pool[f - s->facts.kernel], *k = *pool;
    if (k)
        *pool = k->next;
    yk_lock_drop(&s->lock);
    if (k || !(k = calloc(1, sizeof *k)))
        return k;
    cl_int err;
    if ((k->real = yk_rt.primary->cl->CreateKernel(s->variant, f->name, &err)))
        return k;
    free(k);
    return NULL;
}

void yk_stages_give(struct yk_launch *l, const struct yk_facts_kernel *f, struct yk_code_kernel *k)
{
    struct yk_stages_code *s = __atomic_load_n(&l->code->build->stages, __ATOMIC_ACQUIRE); /* its facts were found */
    if (!f->needs_variant) {
        yk_code_give(l->code, yk_rt.primary->index, false, k);
        return;
    }
    yk_lock_take(&s->lock);
    struct yk_code_kernel **pool = &s->pool[f - s->facts.kernel];
    k->next = *pool;
    *pool = k;
    yk_lock_drop(&s->lock);
}
