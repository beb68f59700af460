#include "shim/queue/decide.h"
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "base/log.h"
#include "device/numeric.h"
#include "partitioner/cost.h"
#include "shim/core/stats.h"
#include "shim/core/trace.h"
#include "shim/queue/cut.h"
#include "shim/queue/part.h"
#include "shim/queue/predict.h"
#include "shim/queue/reduction.h"
#include "shim/queue/remember.h"
#include "shim/queue/warm.h"
#include "shim/queue/worth.h"

enum { FORCED_WAIT_MS = 60000 };

static bool quarantined[YK_MAX_DEVICES];

/* The strategy of this process, parsed once. */
static struct {
    pthread_once_t once;
    bool given;
    struct yk_strategy strategy;
} chosen = {.once = PTHREAD_ONCE_INIT};

static void parse_strategy(void)
{
    char msg[256];
    const char *text = yk_rt.options.strategy;
    const struct yk_machine *m = yk_rt.machine;
    if (text && strcmp(text, "auto")) {
        yk_status s = yk_strategy_parse(text, &chosen.strategy, msg, sizeof msg);
        if (s == YK_OK && chosen.strategy.single == YK_SPLIT_NONE && chosen.strategy.single_name[0])
            s = yk_machine_find(m, chosen.strategy.single_name, &chosen.strategy.single, msg, sizeof msg);
        if (s == YK_OK)
            s = yk_strategy_check(&chosen.strategy, m->n, msg, sizeof msg);
        if (s == YK_OK)
            chosen.given = true;
        else
            yk_warn("YOKE_STRATEGY=%s: %s; yoke decides", text, msg);
    }
    if (!chosen.given)
        yk_strategy_parse("waterfill", &chosen.strategy, msg, sizeof msg);
}

void yk_decide_quarantine(unsigned dev, cl_int err, bool in_time)
{
    static unsigned strikes[YK_MAX_DEVICES];
    const unsigned enough = 3;
    bool memory = err == CL_OUT_OF_RESOURCES || err == CL_OUT_OF_HOST_MEMORY || err == CL_MEM_OBJECT_ALLOCATION_FAILURE;
    if (in_time && memory && __atomic_add_fetch(&strikes[dev], 1, __ATOMIC_RELAXED) < enough) {
        yk_info("device %u has no memory for a share (%s); it takes none of this launch", dev, yk_cl_error_name(err));
        return;
    }
    if (!__atomic_exchange_n(&quarantined[dev], true, __ATOMIC_RELAXED))
        yk_warn("device %u (%s) failed a share (%s); it takes none any more", dev, yk_rt.machine->device[dev].name,
                yk_cl_error_name(err));
}

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
    for (unsigned i = 0; i < l->nvalues; i++) {
        const struct yk_value *v = &l->value[i];
        if (v->kind == YK_VALUE_PRIMARY)
            return "an argument is a sampler or queue, which only the primary has";
        if (v->kind == YK_VALUE_SVM)
            return "an argument is shared virtual memory, which only the primary has";
        if (v->kind == YK_VALUE_MEM && !v->u.mem->store)
            return "an argument is an image or pipe, which only the primary has";
        if (v->kind == YK_VALUE_MEM && v->u.mem->store->pinned_to_primary)
            return "an argument's memory is bound to the primary (special properties, or misaligned USE_HOST_PTR)";
    }
    bool one = l->has_local;
    for (cl_uint i = 0; l->has_local && i < l->dims; i++) {
        if (!l->local[i] || l->global[i] % l->local[i])
            return "the range is not a multiple of the local size";
        one = one && l->local[i] == l->global[i];
    }
    return one ? "there is one work-group" : NULL;
}

/* The number of WHY, from the last one where it is the same. Written in the order number, text under the lock and with
 * the text away meanwhile, so that whoever sees the same text before and after has its number. */
static unsigned reason_number(struct yk_code *code, const char *why)
{
    if (__atomic_load_n(&code->whole_reason_text, __ATOMIC_ACQUIRE) == why) {
        unsigned n = __atomic_load_n(&code->whole_reason, __ATOMIC_ACQUIRE);
        if (__atomic_load_n(&code->whole_reason_text, __ATOMIC_RELAXED) == why)
            return n;
    }
    unsigned n = yk_stats_reason(why);
    yk_lock_take(&code->lock);
    __atomic_store_n(&code->whole_reason_text, NULL, __ATOMIC_RELEASE);
    __atomic_store_n(&code->whole_reason, n, __ATOMIC_RELEASE);
    __atomic_store_n(&code->whole_reason_text, why, __ATOMIC_RELEASE);
    yk_lock_drop(&code->lock);
    return n;
}

bool yk_decide_whole_now(struct yk_launch *l)
{
    struct yk_code *code = l->code;
    enum yk_build_state state = yk_build_now(code->build);
    const char *why = NULL;
    if (state == YK_BUILD_NONE) {
        why = code->build->reason;
    } else if (!yk_rt.options.force_split &&
               (yk_decide_items(l) < 64 || (double)yk_decide_items(l) <= yk_code_get(&code->small))) {
        why = "too small for splitting to pay";
    } else {
        const struct yk_facts_kernel *f = yk_code_facts(code);
        if (f && f->verdict == YK_VERDICT_WHOLE)
            why = f->reason;
        else if (!f && (state == YK_BUILD_ANALYSED || state == YK_BUILD_READY))
            why = "the kernel is not in the analysis";
        else if (!(why = whole_by_form(l)) && yk_worth_early(l))
            why = "too little time was spent in the program's kernels for splitting to pay";
    }
    if (!why)
        return false;
    if (yk_trace_on()) {
        char text[512];
        yk_trace_instant(YK_TRACK_DECISIONS, code->name, yk_now_ns(), "\"kernel\":\"%s\",\"reason\":\"%s\"", code->name,
                         yk_trace_text(why, text, sizeof text));
    }
    yk_stats_whole(reason_number(code, why));
    return true;
}

static void whole(struct yk_decision *d, const char *reason)
{
    d->split = false;
    d->reason = reason;
    yk_stats_whole(yk_stats_reason(reason));
}

/* A local size for a launch that gave none: a divisor of the range that all takers allow, the required one if there is.
 */
static void choose_local(const struct yk_launch *l, const struct yk_facts_kernel *f, size_t max_group, size_t *local)
{
    for (unsigned i = 0; i < 3; i++)
        local[i] = f->reqd_group[0] ? (f->reqd_group[i] ? f->reqd_group[i] : 1) : 1;
    if (f->reqd_group[0])
        return;
    size_t want = max_group < 64 ? max_group : 64;
    for (size_t n = want; n > 1; n--)
        if (l->global[0] % n == 0) {
            local[0] = n;
            break;
        }
}

/* May DEV take a share of a launch of this kernel, the numerics aside? *LATE: not yet, but it is being built for and
 * works in the host's memory, so that its share can begin when it is ready. */
static bool can_take(const struct yk_launch *l, const struct yk_facts_kernel *f, unsigned dev, size_t group, bool *late)
{
    *late = false;
    const struct yk_device *d = &yk_rt.machine->device[dev];
    struct yk_build *b = l->code->build;
    if (!d->usable || __atomic_load_n(&quarantined[dev], __ATOMIC_RELAXED) || d->max_group < group ||
        (f->fp64 && !d->fp64))
        return false;
    if ((dev != yk_rt.machine->primary || f->needs_variant) && !__atomic_load_n(&b->done[dev], __ATOMIC_ACQUIRE)) {
        if (!d->host_memory || f->needs_variant || !__atomic_load_n(&b->wanted, __ATOMIC_ACQUIRE))
            return false;
        *late = true;
    } else if (f->needs_variant ? !b->variant[dev] : !b->original[dev]) {
        return false;
    }
    uint64_t local = 0;
    for (unsigned i = 0; i < l->nvalues; i++) {
        if (l->value[i].kind == YK_VALUE_MEM && l->value[i].u.mem->store->size > d->max_alloc)
            return false;
        if (l->value[i].kind == YK_VALUE_LOCAL)
            local += l->value[i].size;
    }
    return local <= d->local_mem;
}

/* Design, section 2: which numeric classes may share a launch of this kernel. */
static bool numerics_allow(const struct yk_facts_kernel *f, unsigned dev, enum yk_numerics n)
{
    if (!(f->inexact || f->float_arith) || n == YK_NUMERICS_ANY || (n == YK_NUMERICS_MIXED && !f->inexact_escapes))
        return true;
    return dev == yk_rt.machine->primary ||
           yk_numeric_class(&yk_rt.machine->device[dev]) == yk_numeric_class(yk_rt.primary);
}

/* Forced splits are for tests: nobody who may take a share goes without. */
static void give_everyone_some(const struct yk_decision *d, unsigned n, uint64_t *groups)
{
    unsigned most = 0;
    for (unsigned i = 0; i < n; i++)
        if (groups[i] > groups[most])
            most = i;
    for (unsigned i = 0; i < n; i++)
        if (d->takes[i] && !groups[i] && groups[most] > 1) {
            groups[i] = 1;
            groups[most]--;
        }
}

/* Bytes through the host for DEV to take part: what it lacks, and what it writes there and back. Devices with host
 * memory: none. */
static double bytes_for(const struct yk_launch *l, const struct yk_facts_kernel *f, const struct yk_decision *d,
                        unsigned dev)
{
    double bytes = 0;
    if (yk_parts_bytes(l, f, d, dev, &bytes))
        return bytes;
    bytes = 0;
    for (unsigned i = 0; i < l->nvalues; i++) {
        if (l->value[i].kind != YK_VALUE_MEM)
            continue;
        const struct yk_mem *m = l->value[i].u.mem;
        if (yk_rt.machine->device[dev].host_memory && (m->store->zero_copy[dev] || !m->store->real[dev]))
            continue;
        bool written = i >= f->nargs || f->arg[i].written;
        if (dev != yk_rt.machine->primary)
            bytes += (double)m->size;
        if (written)
            bytes += 2 * (double)m->size; /* read back and compared; brought again when next used */
    }
    return bytes;
}

/* A split must be predicted to beat the primary by this much: predictions err, and a split that loses is worse than one
 * that was missed. */
/* Launches of which a device that compiles at the first launch is prepared for before it has a share. */
static const double warm_from_ms = 5;

static const double margin = 0.05, extra_ms = 0.05;

/* Without measurements of every taker, or by request, chunks: all of them real work, and measured. */
static bool should_guide(const struct yk_launch *l, const struct yk_prediction *p, bool free, double bytes)
{
    if (chosen.given)
        return !strcmp(chosen.strategy.ops->name, "guided");
    if (!free || bytes > 0 || (p->all_known && p->all_warm))
        return false;
    double latency = 0;
    for (unsigned i = 0; i < yk_rt.machine->n; i++) {
        if (p->device[i].usable && p->device[i].latency > latency)
            latency = p->device[i].latency;
    }
    /* A device that has never run the kernel may compile it first, for as long as that takes: only a launch, or a
     * program, that is long beside that may wait for it. */
    double spent = yk_code_get(&l->code->spent) * 1e3;
    return !p->all_known && (p->alone_ms > 2 * latency || (p->alone_ms > 1 && spent > 4 * latency));
}

/* Shares, or a reason to run whole (then D->split stays false and it has been counted). */
static bool divide(const struct yk_launch *l, const struct yk_facts_kernel *f, struct yk_decision *d)
{
    struct yk_prediction p;
    uint64_t groups[YK_SPLIT_MAX] = {0}, at = 0;
    unsigned n = yk_rt.machine->n;
    const struct yk_options *o = &yk_rt.options;
    bool free = !chosen.given && !o->reproducible && !o->force_split;
    double bytes[YK_MAX_DEVICES] = {0}, all_bytes = 0;
    yk_cut_choose(l, f, d);
    for (unsigned i = 0; i < n; i++)
        if (d->takes[i])
            all_bytes += bytes[i] = bytes_for(l, f, d, i);
    yk_predict(l, d, bytes, &p);
    d->alone_ms = p.alone_ms;
    /* Whole rows: a share is one box then, and the first one needs no offset, for which PoCL compiles anew. */
    d->grain = yk_range_grain(&d->range, 24);
    if (free && !(p.alone_ms > 0)) {
        d->measure = true;
        whole(d, "the primary was measured first");
        return false;
    }
    for (unsigned i = 0; i < n && free; i++)
        if (p.unseen[i] && p.alone_ms > warm_from_ms && yk_rt.machine->device[i].type & CL_DEVICE_TYPE_CPU &&
            !f->needs_variant)
            yk_warm_ask(l, i, d->local);
    if (should_guide(l, &p, free, all_bytes)) {
        bool late = false;
        for (unsigned i = 0; i < n; i++)
            late |= d->late[i];
        d->guided = !late;
        if (d->guided)
            return true;
    }
    struct yk_strategy strategy = chosen.strategy;
    if (!chosen.given && o->reproducible)
        yk_strategy_parse("even", &strategy, NULL, 0);
    struct yk_split split = {.n = n, .device = p.device, .total = d->total, .grain = o->force_split ? 1 : d->grain};
    yk_strategy_divide(&strategy, &split, groups);
    if (!yk_split_times(&split, groups, d->share_ms, &d->predicted_ms))
        d->predicted_ms = 0;
    if (free && !(d->predicted_ms > 0 && d->predicted_ms + extra_ms < (1 - margin) * p.alone_ms)) {
        if (p.all_warm)
            yk_code_put(&l->code->small, (double)yk_decide_items(l));
        d->measure = yk_code_get(&l->code->rate[yk_rt.machine->primary]) <= 0;
        whole(d, p.all_warm ? "one device alone is predicted to be faster"
                            : "another device is predicted to be ready too late");
        return false;
    }
    if (o->force_split)
        give_everyone_some(d, n, groups);
    for (unsigned i = 0; i < n; i++) {
        d->from[i] = at;
        d->to[i] = at += groups[i];
        if (groups[i] && yk_split_known(&p.device[i]))
            d->run_ms[i] = yk_split_parts(&p.device[i], (double)groups[i]).run - p.device[i].latency;
        d->takes[i] = groups[i] > 0;
    }
    return true;
}

/* Nobody else is ready, and nothing is being built: what this program would need next time is compiled aside. */
static void prepare_others(const struct yk_launch *l, const struct yk_decision *d, const struct yk_facts_kernel *f)
{
    const struct yk_machine *m = yk_rt.machine;
    /* Partition-ready variants from a kept binary were measured to run at 0.4 of the speed (histogram on PoCL 3.1):
     * until that is understood they are built from source, by programs that are long enough. */
    if (f->needs_variant || !(yk_remember_alone(l) > warm_from_ms))
        return;
    for (unsigned i = 0; i < m->n; i++)
        if (m->device[i].usable && m->device[i].type & CL_DEVICE_TYPE_CPU && i != m->primary &&
            !yk_warm_done(l, i, d->local))
            yk_warm_ask(l, i, d->local);
}

void yk_decide(struct yk_launch *l, struct yk_decision *d)
{
    memset(d, 0, sizeof *d);
    pthread_once(&chosen.once, parse_strategy);
    const struct yk_options *o = &yk_rt.options;
    bool insist = o->force_split || o->reproducible || chosen.given;
    struct yk_build *build = l->code->build;
    enum yk_build_state state = yk_build_wait(build, YK_BUILD_READY, insist ? FORCED_WAIT_MS * 1000000ull : 0);
    if (!insist && state == YK_BUILD_PENDING && __atomic_load_n(&build->asked, __ATOMIC_RELAXED)) {
        /* What is known to be long may wait a little for what halves it. */
        double ms = yk_remember_alone(l) / 16;
        state = yk_build_wait(build, YK_BUILD_ANALYSED, ms > 0 ? (uint64_t)(ms * 1e6) : 0);
    }
    if (yk_decide_whole_now(l)) {
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
    if (!l->has_local && f->local_size_matters) {
        whole(d, "the result depends on the local size, which the program left open");
        return;
    }
    size_t max_group = SIZE_MAX, group = 1;
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        if (yk_rt.machine->device[i].usable && yk_rt.machine->device[i].max_group < max_group)
            max_group = yk_rt.machine->device[i].max_group;
    if (l->has_local)
        for (unsigned i = 0; i < 3; i++)
            d->local[i] = i < l->dims ? l->local[i] : 1;
    else
        choose_local(l, f, max_group, d->local);
    d->range.dims = l->dims;
    for (unsigned i = 0; i < 3; i++) {
        group *= d->local[i];
        d->range.groups[i] = i < l->dims ? l->global[i] / d->local[i] : 1;
        if (i < l->dims && l->global[i] % d->local[i]) {
            whole(d, "the range is not a multiple of the required local size");
            return;
        }
    }
    if (!yk_range_total(&d->range, &d->total) || d->total < 2) {
        whole(d, "there is one work-group");
        return;
    }
    unsigned takers = 0;
    bool left_out = false, would_mixed = false, would_any = false;
    for (unsigned i = 0; i < yk_rt.machine->n; i++) {
        if (!can_take(l, f, i, group, &d->late[i]) || (d->late[i] && !(yk_remember_alone(l) > 0)))
            continue;
        d->takes[i] = numerics_allow(f, i, o->numerics);
        takers += d->takes[i];
        if (!d->takes[i]) {
            left_out = true;
            would_mixed |= numerics_allow(f, i, YK_NUMERICS_MIXED);
            would_any = true;
        }
    }
    if (left_out && would_any)
        yk_stats_would_gain(would_mixed);
    if (takers < 2) {
        d->measure = !left_out && state == YK_BUILD_ANALYSED;
        if (d->measure || (!left_out && build->kept_only))
            prepare_others(l, d, f);
        whole(d, left_out ? "numerics: the other devices may round differently (see --numerics)"
                          : "no second device was ready or able to take a share");
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
    if (!divide(l, f, d))
        return;
    takers = 0;
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        takers += d->takes[i];
    if (takers < 2 && d->takes[yk_rt.machine->primary]) {
        whole(d, chosen.given ? "the strategy gives all to the primary" : "one device alone is predicted to be faster");
        return;
    }
    d->split = true;
}
