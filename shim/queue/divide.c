#include "shim/queue/divide.h"
#include <pthread.h>
#include <string.h>
#include "base/clock.h"
#include "base/log.h"
#include "partitioner/cost.h"
#include "shim/queue/ahead.h"
#include "shim/queue/busy.h"
#include "shim/queue/cut.h"
#include "shim/queue/part.h"
#include "shim/queue/predict.h"
#include "shim/queue/remember.h"
#include "shim/queue/residence.h"
#include "shim/queue/warm.h"

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

bool yk_divide_given(void)
{
    pthread_once(&chosen.once, parse_strategy);
    return chosen.given;
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

/* Bytes through the host for DEV to take part: what it lacks, and what it writes there and back; into *AGAIN what the
 * next launch moves too. Devices with host memory: none. */
static double bytes_for(const struct yk_launch *l, const struct yk_facts_kernel *f, const struct yk_decision *d,
                        unsigned dev, double *again)
{
    double bytes = 0;
    if (yk_parts_bytes(l, f, d, dev, &bytes, again))
        return bytes;
    bytes = 0;
    for (unsigned i = 0; i < l->nvalues; i++) {
        if (l->value[i].kind != YK_VALUE_MEM || !l->value[i].u.mem->store)
            continue;
        const struct yk_mem *m = l->value[i].u.mem;
        if (!yk_store_apart(m->store, dev))
            continue;
        bool written = i >= f->nargs || f->arg[i].written;
        if (dev != yk_rt.machine->primary)
            bytes += (double)m->size;
        if (written)
            bytes += 2 * (double)m->size; /* read back and compared; brought again when next used */
    }
    *again = bytes;
    return bytes;
}

/* Launches shorter than that pass the decision by once they were declined, and are not tried again. */
static const double short_ms = 1;

/* Where some device has not run the kernel yet (it may never), so many ms of launches like these pass until the next is
 * asked about: asking costs as much as a launch on a GPU. */
static const double another_look_ms = 10, hopeless_look_ms = 1000;

/* How many launches of ALONE_MS are to pass. Those that would not pay if a division of them took no time at all are
 * asked about only because what a kernel finds to do may grow. */
static double first_look(double alone_ms)
{
    bool hopeless = !yk_residence_pays(1e-6, alone_ms);
    return (hopeless ? hopeless_look_ms : another_look_ms) / (alone_ms + 1e-3);
}

/* Some launches of so many work-items were long: size says nothing of this kernel's time, and each would be asked
 * about. WAIT: see yk_code_next_look; 0: nobody has asked. */
static void skip_some(const struct yk_launch *l, double alone_ms, double wait)
{
    const double most = 1e9;
    if (yk_rt.primary->host_memory || yk_code_get(&l->code->small) >= (double)yk_decide_items(l))
        return;
    wait = wait > 0 ? wait : yk_code_next_look(l->code, first_look(alone_ms));
    __atomic_store_n(&l->code->skip, (unsigned)(wait < most ? wait : most), __ATOMIC_RELAXED);
}

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

/* Why SPLIT, which would not pay, would not: were all devices ready, would it? Changes their latencies in DEVICE. */
static const char *why_not(const struct yk_strategy *strategy, const struct yk_split *split,
                           struct yk_split_device *device, double alone_ms)
{
    uint64_t groups[YK_SPLIT_MAX] = {0};
    double done[YK_SPLIT_MAX], ms;
    for (unsigned i = 0; i < split->n; i++)
        device[i].latency = 0;
    yk_strategy_divide(strategy, split, groups);
    return groups[yk_rt.machine->primary] < split->total && yk_split_times(split, groups, done, &ms) &&
                   yk_residence_pays(ms, alone_ms)
               ? "another device is predicted to be ready too late"
               : "one device alone is predicted to be faster";
}

/* The division at hand against where bytes lie (APART: some device has memory of its own) and who has begun. True: it
 * does not pay, but launches to come will. */
static bool reside(struct yk_residence *r, const struct yk_strategy *strategy, bool apart, bool all_warm,
                   uint64_t *groups)
{
    if (apart) {
        r->alone_ms += yk_residence_gather_ms(r);
        if (yk_residence_keep(r, groups))
            return yk_residence_improve(r, strategy, groups);
    }
    if (yk_residence_pays(r->d->predicted_ms, r->alone_ms)) {
        yk_residence_stayed(r);
        return false;
    }
    return (apart || !all_warm) && yk_residence_move(r, strategy, groups);
}

/* Is a launch that goes whole to be waited for and measured? The machine may have changed since the last one was, or
 * what the kernel finds to do. The wait costs some 30 us. */
static bool worth_measuring(const struct yk_code *code, const struct yk_prediction *p)
{
    const double long_ms = 4;
    const uint64_t between_ns = 5000000;
    return p->alone_ms >= long_ms || !p->seen_alone ||
           yk_now_ns() - __atomic_load_n(&code->measured_at, __ATOMIC_RELAXED) >= between_ns;
}

/* What few samples say of devices of one kind is noise, and so is a division that is hardly better than an even one:
 * then even shares are taken. Short launches scatter by EXTRA_MS. */
static void even_out(const struct yk_split *split, uint64_t *groups)
{
    const double part = 0.04, extra_ms = 0.3;
    uint64_t even[YK_SPLIT_MAX] = {0};
    struct yk_strategy strategy;
    for (unsigned i = 0; i < split->n; i++)
        if (split->device[i].usable &&
            (split->device[i].bytes > 0 || !yk_device_same_kind(&yk_rt.machine->device[i], yk_rt.primary)))
            return;
    yk_strategy_parse("even", &strategy, NULL, 0);
    yk_strategy_divide(&strategy, split, even);
    if (yk_split_nearly_even(split, groups, even, part, extra_ms))
        memcpy(groups, even, sizeof even);
}

/* SPLIT by STRATEGY. AFTER: the worker brings what devices lack one after the other, and then all begin. Then devices
 * of one kind take shares as if all were there, since smaller ones for those that lack something would only be late
 * too: what bringing costs says whether dividing pays. */
static void divide(const struct yk_strategy *strategy, const struct yk_split *split, bool after, uint64_t *groups)
{
    struct yk_split_device there[YK_MAX_DEVICES];
    struct yk_split all_there = *split;
    all_there.device = there;
    memcpy(there, split->device, split->n * sizeof *there);
    for (unsigned i = 0; i < split->n; i++) {
        after &= !there[i].usable || yk_device_same_kind(&yk_rt.machine->device[i], yk_rt.primary);
        there[i].bytes = 0;
    }
    yk_strategy_divide(strategy, after ? &all_there : split, groups);
}

/* Would all of a launch go to a device of the primary's kind, which has more to be brought for it, or, in the host's
 * memory, for as little as short launches scatter? It is no faster: a sample was another program's doing. */
static bool goes_to_a_twin(const struct yk_decision *d, const uint64_t *groups, const double *bytes, double alone_ms)
{
    unsigned primary = yk_rt.machine->primary, only = primary, takers = 0;
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        if (d->takes[i] && groups[i] > 0) {
            takers++;
            only = i;
        }
    bool no_reason = bytes[only] > bytes[primary] || (yk_rt.primary->host_memory && alone_ms < short_ms);
    return takers == 1 && only != primary && no_reason &&
           yk_device_same_kind(&yk_rt.machine->device[only], yk_rt.primary);
}

static const char others_at_work[] = "other queues keep the devices at work";

/* What other queues keep devices at work for is waited for. False: nothing. */
static bool wait_for_others(const struct yk_launch *l, const struct yk_decision *d, struct yk_prediction *p)
{
    bool any = false;
    if (!yk_rt.primary->host_memory)
        return false;
    for (unsigned i = 0; i < yk_rt.machine->n; i++) {
        double ms = d->takes[i] ? yk_busy_ms(l->c.queue, i) : 0;
        p->device[i].latency += ms;
        if (i == yk_rt.machine->primary)
            p->alone_ms += ms;
        any |= ms > 0;
    }
    return any;
}

const char *yk_divide(const struct yk_launch *l, const struct yk_facts_kernel *f, struct yk_decision *d)
{
    struct yk_prediction p;
    uint64_t groups[YK_SPLIT_MAX] = {0}, at = d->begin, rest = d->total - d->begin;
    unsigned n = yk_rt.machine->n;
    const struct yk_options *o = &yk_rt.options;
    bool force = o->force_split || (d->begin && yk_ahead_forced());
    bool free = !yk_divide_given() && !o->reproducible && !force, moved = false;
    double bytes[YK_MAX_DEVICES] = {0}, again[YK_MAX_DEVICES] = {0}, all_bytes = 0;
    if (!d->begin)
        yk_cut_choose(l, f, d);
    for (unsigned i = 0; i < n; i++)
        if (d->takes[i])
            all_bytes += bytes[i] = bytes_for(l, f, d, i, &again[i]);
    yk_predict(l, d, bytes, &p);
    double whole_ms = p.alone_ms;
    d->alone_ms = p.alone_ms *= (double)rest / (double)d->total;
    /* Whole rows: a share is one box then, and the first one needs no offset, for which PoCL compiles anew. */
    d->grain = yk_range_grain(&d->range, 24);
    if (free && !(p.alone_ms > 0)) {
        d->measure = true;
        return "the primary was measured first";
    }
    d->crowded = free && wait_for_others(l, d, &p);
    for (unsigned i = 0; i < n && free; i++)
        if (p.unseen[i] && p.alone_ms > yk_warm_from_ms && yk_rt.machine->device[i].type & CL_DEVICE_TYPE_CPU)
            yk_warm_ask(l, i, d->local);
    bool late = false;
    for (unsigned i = 0; i < n; i++)
        late |= d->late[i];
    if (should_guide(l, &p, free, all_bytes)) {
        d->guided = !late;
        if (d->guided)
            return NULL;
    }
    if (free)
        yk_predict_known_only(&p, bytes);
    struct yk_strategy strategy = chosen.strategy;
    if (!chosen.given && o->reproducible)
        yk_strategy_parse("even", &strategy, NULL, 0);
    struct yk_split split = {.n = n, .device = p.device, .total = rest, .grain = force ? 1 : d->grain};
    divide(&strategy, &split, free && !yk_rt.primary->host_memory, groups);
    if (free)
        even_out(&split, groups);
    if (!yk_split_times(&split, groups, d->share_ms, &d->predicted_ms) ||
        (free && groups[yk_rt.machine->primary] == rest))
        d->predicted_ms = 0;
    struct yk_residence r = {.l = l, .f = f, .d = d, .split = &split, .again = again, .alone_ms = p.alone_ms};
    if (free && !yk_rt.primary->host_memory && all_bytes > 0) {
        double fetched_ms;
        r.moves_ms = yk_remember_moves(l, &fetched_ms);
        r.alone_ms -= fetched_ms; /* what a division has to win for them */
    }
    moved = free && !late && !p.guessed && reside(&r, &strategy, all_bytes > 0, p.all_warm, groups);
    if (d->crowded && !moved && !yk_residence_pays(d->predicted_ms, r.alone_ms))
        return others_at_work;
    d->again = free && p.again;
    d->invests = !free || moved || !p.all_warm;
    bool lost = !p.again && yk_code_closed(l->code);
    if (free && !late && !p.guessed && (p.again || lost)) /* the one that is tried counts too: else the next would be */
        yk_remember_declined(l, whole_ms, p.again);
    if (free && p.guessed) {
        d->invests = true; /* nobody can say what it has lost or won */
        if (!yk_residence_pays(d->predicted_ms, r.alone_ms)) {
            d->measure = true;
            return "the primary was measured first";
        }
    }
    bool twin = free && !d->crowded && goes_to_a_twin(d, groups, bytes, p.alone_ms);
    if (twin || (free && !moved && (lost || !yk_residence_pays(d->predicted_ms, r.alone_ms)))) {
        bool settled = p.all_warm && !p.few, asked_again = settled || r.wait > 0;
        if (!asked_again && !yk_rt.primary->host_memory)
            r.wait = first_look(p.alone_ms);
        if (p.alone_ms < short_ms && (settled || r.wait > 0)) {
            bool forgoes = r.gain_ms > 0; /* then each counts, and the wait is what is missing */
            double first = first_look(p.alone_ms);
            if (r.wait > 0 && !forgoes)
                r.wait = yk_code_next_look(l->code, r.wait > first ? r.wait : first);
            if (lost && !(r.wait > 0))
                r.wait = yk_code_reopens(l->code, p.alone_ms);
            yk_code_is_small(l->code, (double)yk_decide_items(l));
            yk_residence_pass(&r);
            if (!forgoes)
                skip_some(l, p.alone_ms, r.wait);
        }
        if (!(p.alone_ms < short_ms && asked_again) && !late && !p.again && !lost)
            yk_remember_declined(l, whole_ms, false);
        d->measure = worth_measuring(l->code, &p);
        return lost   ? "divided it was slower than on one device alone, the last times"
               : twin ? "another device of its kind is no faster"
                      : why_not(&strategy, &split, p.device, p.alone_ms);
    }
    if (force)
        give_everyone_some(d, n, groups);
    __atomic_store_n(&l->code->looks, 0, __ATOMIC_RELAXED);
    if (free && all_bytes > 0)
        yk_residence_note(&r, groups);
    for (unsigned i = 0; i < n; i++) {
        d->from[i] = at;
        d->to[i] = at += groups[i];
        if (groups[i] && yk_split_known(&p.device[i]))
            d->run_ms[i] = yk_split_parts(&p.device[i], (double)groups[i]).run - p.device[i].latency;
        d->takes[i] = groups[i] > 0;
    }
    return NULL;
}
