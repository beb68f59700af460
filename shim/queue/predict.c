#include "shim/queue/predict.h"
#include <string.h>
#include "base/clock.h"
#include "partitioner/cost.h"
#include "shim/memory/link.h"
#include "shim/queue/remember.h"
#include "shim/queue/remember_program.h"
#include "shim/queue/warm.h"

/* What a driver is taken to need for a kernel's first launch where nobody has seen it: PoCL compiles then; drivers of
 * GPUs have compiled at the build. Loading what is compiled already takes LOADED_MS (PoCL: 0.2 to 1 ms), and what has
 * taken more than COMPILED_MS was compiled. KEPT_MS: PoCL's for two programs whose binaries are kept. */
static const double first_cpu_ms = 250, first_gpu_ms = 1, loaded_ms = 0.5, compiled_ms = 3, kept_ms = 3;

/* UNIT: of the samples, in work-groups of this launch. */
static unsigned fill(struct yk_point *to, const struct yk_series *s, double unit)
{
    struct yk_series_point p[YK_SERIES_POINTS];
    unsigned n = yk_series_table(s, p);
    for (unsigned i = 0; i < n; i++)
        to[i] = (struct yk_point){p[i].groups * unit, p[i].ms};
    return n;
}

/* Shares of short launches on devices of one kind that work in the host's memory: each follows from what the launch
 * takes alone, and samples of both are noise, of kernels that find more or less to do at every launch above all. So no
 * more than this is believed of them, until launches that were divided have lost time one after the other. */
static void doubt(const struct yk_launch *l, double total, double alone_ms, struct yk_point *point, unsigned n)
{
    enum { LOST = 6 };
    const double longest_ms = 5, part = 1.4, overhead_ms = 0.03;
    if (!yk_rt.primary->host_memory || !(alone_ms < longest_ms) ||
        __atomic_load_n(&l->code->lost, __ATOMIC_RELAXED) >= LOST)
        return;
    for (unsigned i = 0; i < n; i++) {
        double most = part * alone_ms * point[i].groups / total + overhead_ms;
        point[i].ms = point[i].ms < most ? point[i].ms : most;
    }
}

/* Samples of kind KIND on DEV. */
static bool recall(const struct yk_launch *l, unsigned dev, enum yk_sample_kind kind, struct yk_series *s)
{
    struct yk_profile_key k = yk_remember_key(l, dev, kind);
    bool exact;
    /* Samples of other problems say little about this one's time; a first launch is a compilation whatever the problem.
     */
    return kind == YK_SAMPLE_FIRST ? yk_profile_find(&k, s, &exact) : yk_profile_get(&k, s);
}

/* The samples to go by for DEV: its own shares; else those of a device of the same name. */
static bool shares_of(const struct yk_launch *l, unsigned dev, struct yk_series *s)
{
    const struct yk_machine *m = yk_rt.machine;
    if (recall(l, dev, YK_SAMPLE_SHARED, s))
        return true;
    for (unsigned i = 0; i < m->n; i++)
        if (i != dev && yk_device_same_kind(&m->device[i], &m->device[dev]) && recall(l, i, YK_SAMPLE_SHARED, s))
            return true;
    return false;
}

/* What is slower than that was not compiled only. */
static const double longest_compilation_ms = 1000;

/* Are S, DEV's own first launches, slow by themselves rather than by being compiled? What is compiled is kept, so that
 * it is seen once, and does not take for ever. */
static bool really_slow(const struct yk_series *s, const struct yk_series *primary)
{
    const struct yk_sample *last = &s->at[s->n - 1];
    return yk_series_count(s) > 1 || last->ms - yk_series_ms(primary, last->groups) > longest_compilation_ms;
}

/* Each time that a device was slow doubles the whole runs until it is tried again. */
static bool worth_another_try(const struct yk_series *firsts, unsigned tries)
{
    uint64_t slow = yk_series_count(firsts);
    return slow < 31 && tries >= 2u << slow;
}

/* The first launches on DEV. They are few and each had its own bad luck, so that devices of one name count as equally
 * fast while theirs do not say otherwise clearly. *SURE: they do, and it was no compilation. */
static bool firsts_of(const struct yk_launch *l, unsigned dev, struct yk_series *s, bool *sure)
{
    const struct yk_machine *m = yk_rt.machine;
    struct yk_series primary;
    bool own = recall(l, dev, YK_SAMPLE_FIRST, s);
    *sure = false;
    if (dev == m->primary || !yk_device_same_kind(&m->device[dev], yk_rt.primary) ||
        !recall(l, m->primary, YK_SAMPLE_FIRST, &primary))
        return own;
    if (own) {
        const struct yk_sample *last = &s->at[s->n - 1];
        double ratio = last->ms / yk_series_ms(&primary, last->groups);
        if (ratio < 1 / 1.6 || ratio > 1.6) {
            *sure = really_slow(s, &primary);
            return true;
        }
    }
    *s = primary;
    return true;
}

/* What DEV needs before its first launch of this kernel in this process: the least that has been seen of it. *UNSEEN:
 * nobody knows what it is once it is compiled. */
static double first_ms(const struct yk_launch *l, const struct yk_decision *d, unsigned dev,
                       const struct yk_series *shares, double unit_ms, bool *unseen)
{
    struct yk_series first;
    struct yk_profile_key same = yk_remember_key(l, dev, YK_SAMPLE_FIRST);
    bool cpu = yk_rt.machine->device[dev].type & CL_DEVICE_TYPE_CPU, done = yk_warm_done(l, dev, d->local);
    /* A narrow range's first launch says nothing of a wide one's, which its driver compiles apart. */
    *unseen = cpu && !done ? !yk_profile_get(&same, &first) : !recall(l, dev, YK_SAMPLE_FIRST, &first);
    if (*unseen && done) {
        *unseen = false;
        return loaded_ms;
    }
    if (*unseen)
        return cpu ? first_cpu_ms : first_gpu_ms;
    double least = -1;
    for (unsigned i = 0; i < first.n; i++) {
        double run = shares->n ? yk_series_ms(shares, first.at[i].groups) : unit_ms * first.at[i].groups,
               over = first.at[i].ms - run;
        over = over > 0 ? over : 0;
        if (over > compiled_ms && done)
            over = loaded_ms; /* the rest was something else */
        least = least < 0 || over < least ? over : least;
    }
    *unseen = least > compiled_ms; /* it was compiled then: yoke-warm is to leave it for later processes */
    return least;
}

/* Is a share on the primary another thing to compile than the launch that it runs whole? Drivers compile at the first
 * launch (PoCL: for its local size, and for ranges that are wide, of 65,535 and more, apart). */
static bool other_form(const struct yk_launch *l)
{
    const size_t wide = 65535, most_shares = 4;
    const struct yk_facts_kernel *f = yk_code_facts(l->code);
    size_t widest = 0;
    for (unsigned i = 0; i < l->dims; i++)
        widest = l->global[i] > widest ? l->global[i] : widest;
    return !l->has_local || (f && f->needs_variant) || (widest >= wide && widest < most_shares * wide);
}

/* What the primary needs before its first share of this kernel in this process. */
static double form_ms(const struct yk_launch *l, const struct yk_decision *d, unsigned dev, bool *unseen)
{
    if (!(yk_rt.primary->type & CL_DEVICE_TYPE_CPU) || !other_form(l) ||
        yk_code_ran(l->code, dev, d->local, yk_warm_wide_range(l)))
        return 0;
    *unseen = !yk_warm_done(l, dev, d->local);
    return *unseen ? first_cpu_ms : loaded_ms;
}

/* Is there nothing left to be compiled or loaded for DEV's share? */
static bool has_run(const struct yk_launch *l, const struct yk_decision *d, unsigned dev)
{
    bool by_local = dev != yk_rt.machine->primary && yk_rt.machine->device[dev].type & CL_DEVICE_TYPE_CPU;
    return __atomic_load_n(&l->code->warm[dev], __ATOMIC_RELAXED) &&
           (!by_local || yk_code_ran(l->code, dev, d->local, yk_warm_wide_range(l)));
}

static double late_ms(const struct yk_launch *l, unsigned dev, const size_t *local)
{
    const struct yk_build *b = l->code->build;
    double needs = yk_remember_build(b, dev),
           gone = (double)(yk_now_ns() - yk_build_from(b, __atomic_load_n(&b->wanted_at, __ATOMIC_RELAXED))) * 1e-6;
    if (needs > kept_ms && yk_warm_done(l, dev, local))
        needs = kept_ms;
    return needs > gone ? needs - gone : 0.1 * needs;
}

/* Few shares were measured where each follows from how long the launch takes alone: one unlucky one is no reason. */
static bool is_few(const struct yk_series *shares)
{
    enum { ENOUGH = 6 };
    return yk_rt.primary->host_memory && yk_series_count(shares) < ENOUGH;
}

/* A GPU whose units have no more work-items than that takes as long for fewer: what it computes waits for itself.
 * (H200: a loop of dependent additions on 128 groups of 256 takes 3.97 ms, on 64 as long; on 256 2.08, on 128 2.0; 512
 * and 256: 1.69 and 1.05; 1,024 and 512: 1.5 and 0.85.) */
enum { FULL_UNIT = 512 };

/* All of L on DEV by what it takes there alone, ALONE_MS, where no share has been seen. */
static void by_alone(const struct yk_decision *d, unsigned dev, double alone_ms, struct yk_prediction *p)
{
    const double much = 0.05; /* of the launch: else it does not show */
    const struct yk_device *v = &yk_rt.machine->device[dev];
    double group = (double)(d->local[0] * d->local[1] * d->local[2]), total = (double)d->total,
           full = v->compute_units * (group < FULL_UNIT ? FULL_UNIT / group : 1);
    struct yk_split_device *s = &p->device[dev];
    s->table.n = 0;
    if (!(v->type & CL_DEVICE_TYPE_GPU) || !(full > much * total)) {
        s->rate = total / alone_ms;
        return;
    }
    struct yk_point *at = p->point[dev];
    double part = full < total ? full / total : 1;
    at[0] = (struct yk_point){0, part * alone_ms};
    at[1] = (struct yk_point){part * total, part * alone_ms};
    at[2] = (struct yk_point){part < 1 ? total : 2 * total, part < 1 ? alone_ms : 2 * alone_ms};
    s->table = (struct yk_table){3, at};
}

void yk_predict(const struct yk_launch *l, const struct yk_decision *d, const double *bytes, struct yk_prediction *p)
{
    unsigned n = yk_rt.machine->n, primary = yk_rt.machine->primary;
    double items = (double)yk_decide_items(l), per_group = items / (double)d->total,
           unit = yk_remember_unit(l) / per_group;
    memset(p, 0, sizeof *p);
    p->all_known = p->all_warm = true;
    /* Shares that were unlucky once would never be tried again: after 2, 4, 8, ... whole runs they are presumed to be
     * what the whole launch lets expect. */
    unsigned tries = yk_remember_tries(l);
    bool explore = tries > 1 && !(tries & (tries - 1));
    p->alone_ms = yk_remember_alone(l);
    p->seen_alone = p->alone_ms > 0;
    double rate = yk_code_get(&l->code->rate[primary]);
    if (!(p->alone_ms > 0) && rate > 0)
        p->alone_ms = items / rate * 1e3;
    if (!(p->alone_ms > 0) && (p->alone_ms = yk_remember_guess(l, yk_code_facts(l->code))) > 0)
        p->guessed = true;
    p->again = p->alone_ms > 0 && !p->guessed && yk_remember_again(l, p->alone_ms);
    for (unsigned i = 0; i < n; i++) {
        struct yk_split_device *s = &p->device[i];
        struct yk_series series = {0};
        bool warm = has_run(l, d, i), firsts = false, sure = false;
        /* What the whole launch alone says of this device too. */
        bool as_primary =
            p->alone_ms > 0 && (i == primary || yk_device_same_kind(&yk_rt.machine->device[i], yk_rt.primary));
        if (!(s->usable = d->takes[i]))
            continue;
        double slower = as_primary && i != primary ? unit * yk_remember_slower(l, i) : 0;
        as_primary &= !(slower > 0);
        rate = yk_code_get(&l->code->rate[i]) / per_group / 1000;
        bool shared = shares_of(l, i, &series);
        p->few |= shared && as_primary && p->seen_alone && is_few(&series);
        if (shared && as_primary && p->seen_alone)
            yk_series_sift(&series, (double)d->total / unit, p->alone_ms);
        if (slower > 0 && (p->again || !shared)) {
            series.n = 0;
            s->rate = slower;
        } else if (p->again && as_primary) {
            series.n = 0;
            by_alone(d, i, p->alone_ms, p);
        } else if (shared && !(as_primary && yk_series_belied(&series, (double)d->total / unit, p->alone_ms))) {
            s->table = (struct yk_table){fill(p->point[i], &series, unit), p->point[i]};
            if (as_primary && p->seen_alone)
                doubt(l, (double)d->total, p->alone_ms, p->point[i], s->table.n);
        } else if (series.n) {
            by_alone(d, i, p->alone_ms, p);
            series.n = 0; /* it says nothing of a first launch either */
        } else if (!warm && (i == primary || yk_warm_done(l, i, d->local)) && firsts_of(l, i, &series, &sure) &&
                   !(explore && (!sure || worth_another_try(&series, tries)))) {
            /* Processes with one launch leave nothing else, and what is compiled already needs no allowance. */
            s->table = (struct yk_table){fill(p->point[i], &series, unit), p->point[i]};
            firsts = true;
            /* Far slower than the whole launch alone: it was compiled, and there is no telling from it. */
            if (as_primary && !sure && yk_table_ms(&s->table, (double)d->total) > 2 * p->alone_ms) {
                by_alone(d, i, p->alone_ms, p);
                s->latency = loaded_ms;
            }
        } else if (rate > 0) {
            s->rate = rate;
        } else if (as_primary) {
            by_alone(d, i, p->alone_ms, p);
        } else {
            p->all_known = false;
        }
        /* The primary's first launch costs the same whether it is split or not, unless a share is compiled apart. */
        if (i == primary) {
            double form = form_ms(l, d, i, &p->unseen[i]);
            s->latency += firsts && s->table.n > 1 ? 0 : form; /* first shares have it in them */
        } else if (!warm && firsts && s->table.n > 1 && yk_table_ms(&s->table, (double)d->total) < loaded_ms) {
            s->latency += loaded_ms; /* of few work-groups the samples of many say nothing */
        } else if (!warm && !firsts) {
            s->latency += first_ms(l, d, i, &series, unit / (slower > 0 ? slower : (double)d->total / p->alone_ms),
                                   &p->unseen[i]);
        }
        if (d->late[i])
            s->latency += late_ms(l, i, d->local);
        p->all_warm &= warm && !d->late[i];
        if (bytes[i] > 0) {
            s->bytes = bytes[i];
            s->bandwidth = yk_link_bandwidth(i, bytes[i]);
            s->link = 1; /* the worker brings them one after the other */
        }
    }
}

void yk_predict_known_only(struct yk_prediction *p, const double *bytes)
{
    for (unsigned i = 0; i < yk_rt.machine->n && !yk_rt.primary->host_memory; i++)
        if (i != yk_rt.machine->primary && bytes[i] > 0 && !yk_split_known(&p->device[i]))
            p->device[i].usable = false;
}
