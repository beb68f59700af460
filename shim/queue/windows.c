#include "shim/queue/windows.h"
#include <stdlib.h>
#include <time.h>
#include "base/log.h"
#include "shim/core/stats.h"
#include "shim/memory/exclude.h"
#include "shim/memory/room.h"
#include "shim/queue/analyse.h"
#include "shim/queue/bring.h"
#include "shim/queue/tenants.h"
#include "shim/queue/windows_run.h"

enum state { BUSY, READY };

struct yk_windows_code {
    enum state state; /* atomic */
    bool has_facts;
    struct yk_facts facts;
    cl_program program; /* NULL: not there */
};

void yk_windows_code_finish(struct yk_windows_code *w)
{
    if (!w)
        return;
    if (w->program)
        yk_rt.primary->cl->ReleaseProgram(w->program);
    if (w->has_facts)
        yk_facts_finish(&w->facts);
    free(w);
}

static cl_program build(const struct yk_build *b, const struct yk_facts *f)
{
    const struct yk_device *d = yk_rt.primary;
    const char *source = f->variant_source, *options = *f->variant_options ? f->variant_options : NULL;
    cl_int err;
    cl_program p = d->cl->CreateProgramWithSource(b->ctx->real[d->index], 1, &source, NULL, &err);
    if (!p)
        return NULL;
    err = d->cl->BuildProgram(p, 1, &d->id, options, NULL, NULL);
    if (err == CL_SUCCESS)
        return p;
    yk_warn("kernels for windows of large buffers cannot be built: %s", yk_cl_error_name(err));
    d->cl->ReleaseProgram(p);
    return NULL;
}

static void make(struct yk_windows_code *w, const struct yk_build *b)
{
    w->facts.variant_options = "";
    w->has_facts = b->source && yk_analyse(b, false, YK_FOR_WINDOWS, &w->facts) == YK_OK;
    if (w->has_facts && !w->facts.refused && w->facts.variant_source)
        w->program = build(b, &w->facts);
    __atomic_store_n(&w->state, READY, __ATOMIC_RELEASE);
}

/* B's, made if need be; several workers may want it at once, and none can do without. NULL: no memory. */
static struct yk_windows_code *code_of(struct yk_build *b)
{
    struct yk_windows_code *w = __atomic_load_n(&b->windows, __ATOMIC_ACQUIRE), *none = NULL;
    if (!w && (w = calloc(1, sizeof *w))) {
        if (__atomic_compare_exchange_n(&b->windows, &none, w, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            make(w, b);
        } else {
            free(w);
            w = none;
        }
    }
    while (w && __atomic_load_n(&w->state, __ATOMIC_ACQUIRE) == BUSY)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    return w;
}

bool yk_windows_wanted(const struct yk_launch *l)
{
    for (unsigned i = 0; i < l->nvalues; i++)
        if (l->value[i].kind == YK_VALUE_MEM && yk_store_host_only(l->value[i].u.mem->store))
            return true;
    return false;
}

/* What L may have written is neither what it was nor what it should be. */
static void lose(const struct yk_launch *l, const struct yk_facts_kernel *f)
{
    for (unsigned i = 0; i < l->nvalues; i++) {
        const struct yk_mem *m = l->value[i].kind == YK_VALUE_MEM ? l->value[i].u.mem : NULL;
        bool written = f && i < f->nargs ? f->arg[i].written || f->arg[i].atomic : m && !(m->flags & CL_MEM_READ_ONLY);
        if (m && m->store && written)
            yk_store_lose(m->store, m->origin, m->size);
    }
}

/* Other queues' writes to buffers of PLAN wait until its windows are back, as far as these may bring back more than the
 * launch writes. One such launch at a time does this. */
static void copy_begin(const struct yk_windows_plan *plan, bool *begun)
{
    for (unsigned k = 0; k < plan->nstores; k++)
        begun[k] = yk_copy_begin(plan->store[k]);
}

static void copy_end(const struct yk_windows_plan *plan, const bool *begun)
{
    for (unsigned k = 0; k < plan->nstores; k++)
        yk_copy_end(plan->store[k], begun[k]);
}

/* F: what is known of it; KERNEL is the variant that these facts are of, or, with BACK 0, the app's own. */
static cl_int carry(struct yk_launch *l, const struct yk_windows_plan *plan, const struct yk_facts_kernel *f,
                    cl_kernel kernel, unsigned back)
{
    uint64_t moved = 0;
    bool begun = false, alone[YK_WINDOWS];
    cl_int err = yk_tenants_bring(l, f, &moved);
    if (err == CL_SUCCESS)
        err = yk_launch_set_args(l, kernel, yk_rt.primary->index);
    if (err == CL_SUCCESS) {
        copy_begin(plan, alone);
        err = yk_windows_carry(l, plan, back ? f : NULL, kernel, back, &moved, &begun);
        copy_end(plan, alone);
    }
    yk_stats_moved(moved);
    if (err == CL_SUCCESS) {
        yk_launch_primary_writes(l, f);
        yk_tenants_wrote(l, f);
        yk_tenants_paid(plan);
    } else if (begun)
        lose(l, f);
    return err;
}

/* By the variant. */
static cl_int in_windows(struct yk_launch *l, const struct yk_windows_plan *plan, const struct yk_facts_kernel *f,
                         cl_program program)
{
    cl_int err;
    cl_kernel k = yk_rt.primary->cl->CreateKernel(program, f->name, &err);
    if (!k)
        return err;
    err = carry(l, plan, f, k, f->nargs + f->nhidden);
    yk_rt.primary->cl->ReleaseKernel(k);
    if (err == CL_SUCCESS)
        yk_stats_whole(yk_stats_reason("it ran over windows of buffers that the device has no room for"));
    return err;
}

/* The app's own kernel, over copies of the whole buffers; F: known facts, for what it writes, or NULL. */
static cl_int over_copies(struct yk_launch *l, struct yk_windows_plan *plan, const struct yk_facts_kernel *f)
{
    struct yk_code_kernel *k = yk_code_take(l->code, yk_rt.primary->index, false);
    if (!k)
        return CL_OUT_OF_RESOURCES;
    cl_int err = carry(l, plan, f, k->real, 0);
    yk_code_give(l->code, yk_rt.primary->index, false, k);
    if (err == CL_SUCCESS)
        yk_stats_whole(yk_stats_reason(
            yk_tenants_all(l) ? "it ran over buffers that had come to the device"
                              : "it ran over copies of whole buffers that the device has no room to keep"));
    return err;
}

static void say_why(const struct yk_launch *l, const struct yk_facts_kernel *f, const struct yk_facts *all)
{
    static char told; /* atomic */
    if (__atomic_test_and_set(&told, __ATOMIC_RELAXED))
        return;
    const char *why = all && all->refused ? all->refused
                      : !f                ? "nothing is known of it"
                      : *f->reason        ? f->reason
                      : !yk_range_ids_fit(l->dims, l->has_offset ? l->offset : NULL, l->global)
                          ? "it has more work-items than drivers give offsets to"
                          : "its work-groups touch too much of them at a time";
    yk_warn("kernel %s needs more memory than %s has left (%llu MiB), and cannot be run over parts of its buffers: %s",
            l->code->name, yk_rt.primary->name, (unsigned long long)(yk_room_left() >> 20), why);
}

/* May F's kernel see windows, by the variant in W? */
static bool may_cut(const struct yk_facts_kernel *f, const struct yk_windows_code *w)
{
    return f && f->verdict != YK_VERDICT_WHOLE && f->needs_variant && w->program;
}

cl_int yk_windows_check(const struct yk_launch *l)
{
    if (!yk_windows_wanted(l) || yk_windows_plan_ever(l, NULL))
        return CL_SUCCESS;
    struct yk_windows_code *w = code_of(l->code->build);
    const struct yk_facts_kernel *f = w && w->has_facts ? yk_facts_find(&w->facts, l->code->name) : NULL;
    if (!w || (may_cut(f, w) && yk_windows_plan_ever(l, f)))
        return CL_SUCCESS;
    say_why(l, f, w->has_facts ? &w->facts : NULL);
    return CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

/* One such launch at a time: it takes what memory and link there are. */
static struct yk_lock turn = YK_LOCK_INIT(YK_RANK_LEAF);
static pthread_cond_t next_turn = PTHREAD_COND_INITIALIZER;
static bool taken; /* under TURN */

static void take_turn(void)
{
    yk_lock_take(&turn);
    while (taken)
        yk_lock_wait(&turn, &next_turn);
    taken = true;
    yk_lock_drop(&turn);
}

static void give_turn(void)
{
    yk_lock_take(&turn);
    taken = false;
    pthread_cond_signal(&next_turn);
    yk_lock_drop(&turn);
}

/* Of ROOM, borrowed, what PLAN does not need is given back. */
static uint64_t keep_needed(const struct yk_windows_plan *plan, uint64_t room)
{
    uint64_t needed = yk_windows_plan_bytes(plan);
    yk_room_return(room - needed);
    return needed;
}

/* Run L in what room there is now. False: it has none. */
static bool attempt(struct yk_launch *l, const struct yk_facts_kernel *f, const struct yk_windows_code *w, cl_int *err)
{
    uint64_t room = yk_room_borrow();
    struct yk_windows_plan plan;
    bool cut = may_cut(f, w) && !yk_tenants_all(l);
    bool planned = cut && yk_windows_plan(l, f, room, yk_rt.primary->max_alloc, &plan);
    if (planned) {
        room = keep_needed(&plan, room);
        *err = in_windows(l, &plan, f, w->program);
    } else {
        if (cut)
            yk_windows_plan_finish(&plan);
        planned = yk_windows_plan(l, NULL, room, yk_rt.primary->max_alloc, &plan);
        if (planned) {
            room = keep_needed(&plan, room);
            *err = over_copies(l, &plan, f);
        }
    }
    yk_room_return(room);
    yk_windows_plan_finish(&plan);
    return planned;
}

static cl_int run(struct yk_launch *l)
{
    struct yk_windows_code *w = code_of(l->code->build);
    const struct yk_facts_kernel *f = w && w->has_facts ? yk_facts_find(&w->facts, l->code->name) : NULL;
    uint64_t moved = 0;
    cl_int err = yk_bring(l, f);
    if (err != CL_SUCCESS)
        return err;
    yk_tenants_call(l, &moved);
    bool ran = attempt(l, f, w, &err);
    for (int own = 0; own < 2 && !ran; own++) { /* the tenants of others, then its own, may be in its way */
        yk_tenants_clear(l, own, &moved);
        ran = attempt(l, f, w, &err);
    }
    yk_stats_moved(moved);
    if (!ran)
        say_why(l, f, w && w->has_facts ? &w->facts : NULL);
    return ran ? err : CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

cl_int yk_windows_run(struct yk_launch *l)
{
    /* What comes before it, alone; not in its turn, since that may be waiting for the program to flush something, and
     * the program for another queue's turn. */
    cl_int err = yk_rt.primary->cl->Finish(l->c.queue->real);
    if (err != CL_SUCCESS)
        return err;
    take_turn();
    err = run(l);
    give_turn();
    return err;
}
