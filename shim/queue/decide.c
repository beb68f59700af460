#include "shim/queue/decide.h"
#include <string.h>
#include "base/clock.h"
#include "device/numeric.h"
#include "shim/core/stats.h"
#include "shim/core/trace.h"
#include "shim/queue/ahead.h"
#include "shim/queue/beside.h"
#include "shim/queue/divide.h"
#include "shim/queue/form.h"
#include "shim/queue/reduction.h"
#include "shim/queue/remember.h"
#include "shim/queue/short.h"
#include "shim/queue/takers.h"
#include "shim/queue/use.h"
#include "shim/queue/users.h"
#include "shim/queue/warm.h"
#include "shim/queue/worth.h"

enum { FORCED_WAIT_MS = 60000 };

uint64_t yk_decide_items(const struct yk_launch *l)
{
    uint64_t n = 1;
    for (cl_uint i = 0; i < l->dims; i++)
        n *= l->global[i] ? l->global[i] : 1;
    return n;
}

/* A reason that no analysis could change, or NULL. */
static const char *whole_by_form(const struct yk_launch *l)
{
    if (l->exec)
        return "its kernel is told of shared virtual memory, which only the primary has";
    for (unsigned i = 0; i < l->nvalues; i++) {
        const struct yk_value *v = &l->value[i];
        if (v->kind == YK_VALUE_PRIMARY)
            return "an argument is a queue or an unusual sampler, which only the primary has";
        if (v->kind == YK_VALUE_SVM)
            return "an argument is shared virtual memory, which only the primary has";
        if (v->kind == YK_VALUE_MEM && !v->u.mem->store && !v->u.mem->image)
            return "an argument is a pipe or an image over other memory, which only the primary has";
        if (v->kind == YK_VALUE_MEM && v->u.mem->store && yk_store_pinned(v->u.mem->store))
            return "an argument's memory is bound to the primary (special properties, or misaligned USE_HOST_PTR)";
    }
    if (!yk_range_ids_fit(l->dims, l->has_offset ? l->offset : NULL, l->global))
        return "its ids do not fit in 32 bits, which drivers count in where a share begins behind the first";
    for (cl_uint i = 0; l->has_local && i < l->dims; i++)
        if (!l->local[i] || l->global[i] % l->local[i])
            return "the range is not a multiple of the local size";
    return NULL;
}

static const char one_group[] = "there is one work-group",
                  left_out_text[] = "numerics: the other devices may round differently (see --numerics)";

/* The number of WHY, from the last one where it is the same. Written in the order number, text under the lock and with
 * the text away meanwhile, so that whoever sees the same text before and after has its number. */
static __attribute__((noinline)) unsigned another_reason(struct yk_code *code, const char *why)
{
    unsigned n = yk_stats_reason(why);
    yk_lock_take(&code->lock);
    __atomic_store_n(&code->whole_reason_text, NULL, __ATOMIC_RELEASE);
    __atomic_store_n(&code->whole_reason, n, __ATOMIC_RELEASE);
    __atomic_store_n(&code->whole_reason_text, why, __ATOMIC_RELEASE);
    yk_lock_drop(&code->lock);
    return n;
}

static inline unsigned reason_number(struct yk_code *code, const char *why)
{
    if (__atomic_load_n(&code->whole_reason_text, __ATOMIC_ACQUIRE) == why) {
        unsigned n = __atomic_load_n(&code->whole_reason, __ATOMIC_ACQUIRE);
        if (__atomic_load_n(&code->whole_reason_text, __ATOMIC_RELAXED) == why)
            return n;
    }
    return another_reason(code, why);
}

bool yk_decide_never_splits(struct yk_code *code)
{
    if (yk_build_now(code->build) != YK_BUILD_NONE || yk_trace_on())
        return false;
    yk_stats_whole(reason_number(code, code->build->reason));
    return true;
}

/* Is L, of one work-group, known to be too short for another device to be woken for it? */
static bool is_short(const struct yk_launch *l)
{
    double ms = yk_remember_alone(l);
    return ms > 0 && ms < yk_beside_least_ms;
}

/* Known for a while to be computed by no other device? */
static bool is_left_out(const struct yk_code *code)
{
    uint64_t until = __atomic_load_n(&code->left_until, __ATOMIC_RELAXED);
    return until && yk_now_ns() < until;
}

/* It has been found to be, in D: a launch that is asked about goes by way of the worker, which a short one pays for
 * with as much again as it takes, and so do those behind it. */
static void leave_out(const struct yk_launch *l, bool would_mixed, struct yk_decision *d)
{
    const uint64_t again_ns = 200000000; /* the classes may become known, or other devices come */
    const double small_ms = 0.3;
    double ms = yk_remember_alone(l);
    d->measure = !(ms > 0);
    if (ms > 0 && ms < small_ms)
        yk_code_is_small(l->code, (double)yk_decide_items(l));
    __atomic_store_n(&l->code->left_mixed, would_mixed, __ATOMIC_RELAXED);
    __atomic_store_n(&l->code->left_until, yk_now_ns() + again_ns, __ATOMIC_RELAXED);
}

/* So few work-items that nobody asks how long they take. On a CPU each may take milliseconds: programs that know one
 * give each of its cores a work-group of one (OpenMM). */
static bool has_few_items(const struct yk_launch *l)
{
    const uint64_t few = 64;
    if (yk_decide_items(l) >= few)
        return false;
    if (yk_launch_is_one_group(l))
        return !yk_beside_possible_of_one();
    return !l->has_local || !(yk_rt.primary->type & CL_DEVICE_TYPE_CPU);
}

/* PENDING: L has come to the worker for something to be asked about it. */
static bool whole_now(struct yk_launch *l, bool pending)
{
    struct yk_code *code = l->code;
    enum yk_build_state state = yk_build_now(code->build);
    const char *why = NULL;
    yk_use_begin(code->build);
    if (state == YK_BUILD_NONE) {
        why = code->build->reason;
    } else if (yk_short_closed(l)) {
        why = "divided, it and those behind it take longer together";
    } else if (!yk_rt.options.force_split && !yk_beside_forced() &&
               (has_few_items(l) || (double)yk_decide_items(l) <= yk_code_get(&code->small))) {
        why = "too small for splitting to pay";
        yk_code_passed(code);
    } else if (is_left_out(code)) {
        yk_stats_would_gain(__atomic_load_n(&code->left_mixed, __ATOMIC_RELAXED));
        why = left_out_text;
    } else if (!yk_rt.options.force_split && yk_code_skipped(code)) {
        why = "launches like it were too short for splitting to pay";
    } else {
        const struct yk_facts_kernel *f = yk_code_facts(code);
        if (f && f->verdict == YK_VERDICT_WHOLE)
            why = f->reason;
        else if (!f && (state == YK_BUILD_ANALYSED || state == YK_BUILD_READY))
            why = "the kernel is not in the analysis";
        else if (!(why = whole_by_form(l)) && yk_launch_is_one_group(l) && !yk_beside_forced() &&
                 (!yk_beside_possible_of_one() || (pending ? is_short(l) : yk_code_lone_passes(code))))
            why = one_group;
        else if (!why && yk_worth_early(l))
            why = __atomic_load_n(&code->build->wanted, __ATOMIC_RELAXED)
                      ? "the other device was not ready for the kernel"
                      : "too little time was spent in the program's kernels for splitting to pay";
    }
    if (!why)
        return false;
    if (yk_trace_on()) {
        char text[512];
        const struct yk_facts_kernel *f = yk_code_facts(code);
        yk_trace_instant(YK_TRACK_DECISIONS, "whole", code->name, yk_now_ns(),
                         "\"kernel\":\"%s\",\"verdict\":\"%s\",\"reason\":\"%s\"", code->name,
                         f ? yk_verdict_name(f->verdict) : "", yk_trace_text(why, text, sizeof text));
    }
    yk_stats_whole(reason_number(code, why));
    return true;
}

bool yk_decide_whole_now(struct yk_launch *l)
{
    return !yk_form_open(l->code) && whole_now(l, false);
}

static void whole(struct yk_decision *d, const char *reason)
{
    d->split = false;
    d->reason = reason;
    yk_stats_whole(yk_stats_reason(reason));
}

/* yoke-warm finds the classes out where nobody has before: are they there by now? Asked ten times a second. */
static bool classes_found(const struct yk_build *b)
{
    static uint64_t asked;
    static bool found;
    uint64_t now = yk_now_ns(), before = __atomic_load_n(&asked, __ATOMIC_RELAXED);
    if (!b->kept_only || __atomic_load_n(&found, __ATOMIC_RELAXED) || now - before < 100000000 ||
        !__atomic_compare_exchange_n(&asked, &before, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return false;
    bool is = yk_numeric_recall(yk_rt.machine);
    __atomic_store_n(&found, is, __ATOMIC_RELAXED);
    return is;
}

/* Whole for REASON, unless the primary can begin and see how long it takes. */
static void whole_or_ahead(struct yk_launch *l, const struct yk_facts_kernel *f, struct yk_decision *d,
                           const char *reason)
{
    d->ahead = (d->measure || yk_ahead_forced()) && yk_ahead_may(l, f, d);
    if (d->ahead)
        d->reason = reason;
    else
        whole(d, reason);
}

bool yk_decide_rest(struct yk_launch *l, const struct yk_decision *first, uint64_t begin, struct yk_decision *d)
{
    const struct yk_facts_kernel *f = yk_code_facts(l->code);
    bool left_out = false, would_mixed = false;
    const char *why;
    *d = *first;
    d->begin = begin;
    d->ahead = d->measure = false;
    if (yk_takers_find(l, f, d, &left_out, &would_mixed, &why) < 2)
        return false;
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        if (d->late[i])
            return false;
    if (yk_divide(l, f, d))
        return false;
    unsigned takers = 0;
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        takers += d->takes[i];
    return d->split = takers > 1 || !d->takes[yk_rt.machine->primary];
}

/* The local size and the work-groups of L, into D. NULL, or why there are none. */
static const char *shape(const struct yk_launch *l, const struct yk_facts_kernel *f, struct yk_decision *d)
{
    if (!l->has_local && f->local_size_matters)
        return "the result depends on the local size, which the program left open";
    size_t max_group = SIZE_MAX;
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        if (yk_rt.machine->device[i].usable && yk_rt.machine->device[i].max_group < max_group)
            max_group = yk_rt.machine->device[i].max_group;
    if (l->has_local)
        for (unsigned i = 0; i < 3; i++)
            d->local[i] = i < l->dims ? l->local[i] : 1;
    else
        yk_warm_local(f, l->global[0], max_group, d->local);
    d->range.dims = l->dims;
    for (unsigned i = 0; i < 3; i++) {
        d->range.groups[i] = i < l->dims ? l->global[i] / d->local[i] : 1;
        if (i < l->dims && l->global[i] % d->local[i])
            return "the range is not a multiple of the required local size";
    }
    return yk_range_total(&d->range, &d->total) && d->total ? NULL : one_group;
}

bool yk_decide_shape(const struct yk_launch *l, const struct yk_facts_kernel *f, struct yk_decision *d)
{
    return !whole_by_form(l) && !shape(l, f, d);
}

/* L has one work-group and came to be looked at. Those that went unasked since the last one count; the next ones pass,
 * unless this one runs beside others (beside.c). */
static void look_at_one(struct yk_launch *l)
{
    const double look_ms = 10, most = 1e9;
    struct yk_code *code = l->code;
    double rate = yk_code_get(&code->rate[yk_rt.machine->primary]), alone_ms = yk_remember_alone(l);
    if (!(alone_ms > 0) && rate > 0)
        alone_ms = (double)yk_decide_items(l) / rate * 1e3;
    yk_worth_predicted(code, __atomic_exchange_n(&code->lone_gone, 0, __ATOMIC_RELAXED) * alone_ms * 1e-3);
    double wait = alone_ms > 0 ? yk_code_next_look(code, look_ms / alone_ms) : 0;
    __atomic_store_n(&code->lone_pass, (unsigned)(wait < most ? wait : most), __ATOMIC_RELAXED);
    __atomic_store_n(&code->lone_looked, true, __ATOMIC_RELAXED);
}

bool yk_decide_elsewhere(struct yk_launch *l, struct yk_decision *d)
{
    memset(d, 0, sizeof *d);
    enum yk_build_state state = yk_build_now(l->code->build);
    const struct yk_facts_kernel *f = yk_code_facts(l->code);
    if (!f || (state != YK_BUILD_ANALYSED && state != YK_BUILD_READY) || yk_users_forbid(l, f) ||
        (f->verdict != YK_VERDICT_SPLIT && f->verdict != YK_VERDICT_MERGE) || f->images_read || f->images_written ||
        whole_by_form(l) || shape(l, f, d))
        return false;
    bool left_out = false, would_mixed = false, others = false;
    const char *why;
    yk_takers_find(l, f, d, &left_out, &would_mixed, &why);
    for (unsigned i = 0; i < yk_rt.machine->n; i++) {
        d->takes[i] &= !d->late[i];
        others |= d->takes[i] && i != yk_rt.machine->primary;
    }
    memset(d->late, 0, sizeof d->late);
    d->takes[yk_rt.machine->primary] = true; /* by the program's own kernel */
    return others;
}

bool yk_decide_insists(void)
{
    const struct yk_options *o = &yk_rt.options;
    return o->force_split || o->reproducible || yk_divide_given() || yk_beside_forced();
}

void yk_decide(struct yk_launch *l, struct yk_decision *d)
{
    memset(d, 0, sizeof *d);
    bool insist = yk_decide_insists();
    struct yk_build *build = l->code->build;
    bool test = yk_ahead_forced() && !insist; /* for its tests: what is to be gone ahead of must be known */
    if (test) {
        yk_build_ask(build);
        yk_build_wait(build, YK_BUILD_ANALYSED, FORCED_WAIT_MS * 1000000ull);
        yk_build_want(build);
    }
    enum yk_build_state state = yk_build_wait(build, YK_BUILD_READY, insist || test ? FORCED_WAIT_MS * 1000000ull : 0);
    if (!insist && state == YK_BUILD_PENDING && __atomic_load_n(&build->asked, __ATOMIC_RELAXED)) {
        /* What is known to be long may wait a little for what halves it. */
        double ms = yk_remember_alone(l) / 16;
        state = yk_build_wait(build, YK_BUILD_ANALYSED, ms > 0 ? (uint64_t)(ms * 1e6) : 0);
    }
    if (yk_launch_is_one_group(l))
        look_at_one(l);
    if (whole_now(l, true)) {
        d->reason = "as decided at once";
        return;
    }
    if (state == YK_BUILD_PENDING) {
        d->measure = true;
        whole(d, __atomic_load_n(&l->code->build->asked, __ATOMIC_RELAXED)
                     ? "the transformer was still at work"
                     : "the first launches of a kernel are measured on the primary");
        return;
    }
    const struct yk_facts_kernel *f = yk_code_facts(l->code);
    const char *why = shape(l, f, d);
    if (why) {
        whole(d, why);
        return;
    }
    if (d->total < 2) {
        d->alone_ms = yk_remember_alone(l);
        d->measure = !(d->alone_ms > 0);
        yk_warm_prepare(l, d->local);
        whole(d, one_group);
        return;
    }
    bool left_out = false, would_mixed = false;
    unsigned takers = yk_takers_find(l, f, d, &left_out, &would_mixed, &why);
    if (left_out && classes_found(build)) {
        left_out = would_mixed = false;
        takers = yk_takers_find(l, f, d, &left_out, &would_mixed, &why);
    }
    if (left_out)
        yk_stats_would_gain(would_mixed);
    if (takers < 2) {
        d->measure = !left_out && state == YK_BUILD_ANALYSED;
        if (!left_out)
            yk_warm_prepare(l, d->local);
        if (left_out) {
            leave_out(l, would_mixed, d);
            whole(d, left_out_text);
        } else
            whole_or_ahead(l, f, d, why);
        return;
    }
    if ((why = yk_users_forbid(l, f))) {
        whole(d, why);
        return;
    }
    if (f->verdict == YK_VERDICT_REDUCTION) {
        struct yk_reductions r;
        yk_status st = yk_reductions_collect(l, f, d, &r);
        yk_reductions_finish(&r);
        if (st != YK_OK) {
            whole(d, "its atomics are of several kinds at one place, or share their buffer with another argument");
            return;
        }
    }
    why = yk_divide(l, f, d);
    if (why) {
        whole_or_ahead(l, f, d, why);
        return;
    }
    takers = 0;
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        takers += d->takes[i];
    if (takers < 2 && d->takes[yk_rt.machine->primary]) {
        whole(d, yk_divide_given() ? "the strategy gives all to the primary"
                                   : "one device alone is predicted to be faster");
        return;
    }
    d->split = true;
}
