#include "shim/queue/stages.h"
#include <string.h>
#include "base/clock.h"
#include "base/log.h"
#include "shim/core/stats.h"
#include "shim/core/trace.h"
#include "shim/memory/inplace.h"
#include "shim/memory/link.h"
#include "shim/queue/decide.h"
#include "shim/queue/remember.h"
#include "shim/queue/remember_program.h"
#include "shim/queue/stages_apart.h"
#include "shim/queue/stages_code.h"
#include "shim/queue/stages_run.h"
#include "shim/queue/stages_learned.h"
#include "shim/queue/use.h"
#include "shim/queue/users.h"
#include "shim/queue/worth.h"

/* Measured on an H200 with rounds of 512 MiB: between 16 and 64 parts all of bench/pipeline's programs are within 4 %
 * of their best; more cost more in launches and short copies than they save at either end. */
enum { PART = 8 << 20, PARTS_MOST = 64, PARTS_FORCED = 5, LEAST_BESIDE = 24 << 20, KERNEL_BOUND = 3 };
static const long lull_ns = 100000;
static const uint64_t FORCED_WAIT_NS = 30000000000; /* for the others, where tests insist on them */

static bool is_transfer(const struct yk_command *c, const struct yk_command_kind *kind)
{
    return c->kind == kind && ((const struct yk_transfer *)c)->mem->store;
}

bool yk_stages_begins(const struct yk_command *c)
{
    const struct yk_queue *q = c->queue;
    enum yk_piping mode = yk_rt.options.piping;
    if (mode == YK_PIPING_OFF || q->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        return false;
    if (mode == YK_PIPING_FORCED)
        return is_transfer(c, &yk_write_kind) || c->kind == &yk_launch_kind;
    const struct yk_device *d = yk_rt.primary;
    const struct yk_transfer *t = (const struct yk_transfer *)c;
    return is_transfer(c, &yk_write_kind) && !c->blocks && d->type & CL_DEVICE_TYPE_GPU && !d->host_memory &&
           !(yk_build_insisted() && yk_stages_others(NULL)) && yk_link_wants(q->ctx, d->index, YK_IN, t->ptr, t->len);
}

static bool in_chain(const struct yk_chain *c, const struct yk_event *e)
{
    for (unsigned i = 0; i < c->nwrites; i++)
        if (c->write[i]->c.event == e)
            return true;
    for (unsigned i = 0; i < c->nreads; i++)
        if (c->read[i]->c.event == e)
            return true;
    return c->launch && c->launch->c.event == e;
}

/* Does C wait for nothing but what is over or in CHAIN already? */
static bool waits_inside(const struct yk_chain *chain, const struct yk_command *c)
{
    for (cl_uint i = 0; i < c->nwait; i++)
        if (__atomic_load_n(&c->wait[i]->status, __ATOMIC_ACQUIRE) != CL_COMPLETE && !in_chain(chain, c->wait[i]))
            return false;
    return true;
}

/* Append C. False: it does not belong to the chain. */
static bool append(struct yk_chain *chain, struct yk_command *c)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    if (!waits_inside(chain, c))
        return false;
    if (!chain->launch && is_transfer(c, &yk_write_kind) && chain->nwrites < YK_STAGES_TRANSFERS)
        chain->write[chain->nwrites++] = t;
    else if (!chain->launch && c->kind == &yk_launch_kind)
        chain->launch = (struct yk_launch *)c;
    else if (chain->launch && is_transfer(c, &yk_read_kind) && chain->nreads < YK_STAGES_TRANSFERS)
        chain->read[chain->nreads++] = t;
    else
        return false;
    return true;
}

/* What is pending, as a chain. True: nothing that comes later can belong to it. */
static bool look(const struct yk_queue *q, struct yk_chain *chain)
{
    *chain = (struct yk_chain){.launch = NULL};
    for (struct yk_command *c = q->first; c; c = c->next) {
        if (!append(chain, c))
            return true;
        if (c->blocks && !c->next)
            return true;
    }
    return q->stop || q->asked == q->pushed; /* the program waits */
}

bool yk_stages_collect(struct yk_queue *q, struct yk_chain *chain, unsigned *plain)
{
    while (!look(q, chain)) {
        unsigned pushed = q->pushed;
        yk_lock_wait_ns(&q->lock, &q->work, lull_ns);
        if (q->pushed == pushed && q->asked != pushed && !q->stop) {
            look(q, chain);
            break;
        }
    }
    *plain = chain->nwrites + (chain->launch != NULL);
    return chain->launch && chain->nwrites + chain->nreads > 0;
}

/* How many parts its bytes would do for. */
static unsigned parts_by_bytes(const struct yk_chain *c)
{
    size_t in = 0, out = 0;
    if (yk_rt.options.piping == YK_PIPING_FORCED)
        return yk_rt.options.parts ? yk_rt.options.parts : PARTS_FORCED;
    for (unsigned i = 0; i < c->nwrites; i++)
        in += c->write[i]->len;
    for (unsigned i = 0; i < c->nreads; i++)
        out += c->read[i]->len;
    size_t n = (in > out ? in : out) / PART;
    return n < PARTS_MOST ? (unsigned)n : PARTS_MOST;
}

/* Is what T moves from or to pinned where it lies, or short? */
static bool is_in_place(const struct yk_transfer *t, struct yk_inplace *use)
{
    return yk_inplace_short(t->len) || yk_inplace_begin(use, t->c.queue->ctx, t->ptr, t->len);
}

/* Is the memory that C moves from and to pinned where it lies, as far as it is long? */
static bool is_pinned(const struct yk_chain *c)
{
    struct yk_inplace use = {0};
    bool all = true;
    for (unsigned i = 0; i < c->nwrites && all; i++)
        all = is_in_place(c->write[i], &use);
    for (unsigned i = 0; i < c->nreads && all; i++)
        all = is_in_place(c->read[i], &use);
    bool some = use.pins != 0;
    yk_inplace_end(&use);
    return all && some;
}

static bool pays(const struct yk_stages_plan *p)
{
    return yk_rt.options.piping == YK_PIPING_FORCED ||
           (p->beside >= LEAST_BESIDE && p->beside >= (p->in_bytes + p->out_bytes) / 8);
}

/* The parts of L took the primary SECONDS, and with their transfers ALL, which others may have a share in: as long as
 * none are ready, that may be a reason to have them. ITS_OWN: that was the kernel's time, nearly; later processes are
 * to know it. */
static void count(struct yk_launch *l, double seconds, double all, bool its_own)
{
    unsigned p = yk_rt.machine->primary;
    double *rate = &l->code->rate[p];
    if (its_own) {
        bool warm = __atomic_exchange_n(&l->code->warm[p], true, __ATOMIC_RELAXED);
        yk_remember(l, p, warm ? YK_SAMPLE_ALONE : YK_SAMPLE_FIRST, (double)yk_decide_items(l), seconds * 1e3);
    }
    yk_lock_take(&l->code->lock);
    if (yk_code_get(rate) <= 0)
        yk_code_put(rate, (double)yk_decide_items(l) / (seconds > 0 ? seconds : 1e-9));
    yk_lock_drop(&l->code->lock);
    yk_worth_measured(l->code, all);
    yk_remember_program(l->code->build, yk_code_get(&l->code->build->spent) * 1e3);
}

/* Another device of the primary's kind that may have parts, for tests of any; the primary's number: none. */
static unsigned twin(void)
{
    const struct yk_device *p = yk_rt.primary;
    const bool forced = yk_rt.options.piping == YK_PIPING_FORCED;
    for (unsigned i = 0; i < yk_rt.machine->n && !p->host_memory; i++) {
        const struct yk_device *d = &yk_rt.machine->device[i];
        if (d != p && d->usable && !d->host_memory &&
            (forced || (d->platform == p->platform && yk_device_same_kind(d, p))))
            return i;
    }
    return p->index;
}

/* One chain while it is looked at and carried out. */
struct staging {
    struct yk_chain *chain;
    const struct yk_facts_kernel *facts;
    unsigned parts, other; /* other: twin() */
    bool tuned, pinned;
    unsigned dev[YK_MAX_DEVICES], n; /* who carries it out */
    struct yk_stages_plan plan;
    struct yk_code_kernel *kernel[YK_MAX_DEVICES];
};

/* A device has failed in such a chain: none goes over several any more. */
static bool never_apart; /* atomic */

/* What all devices need goes over each one's link. */
static bool brings_little_twice(const struct yk_stages_plan *p)
{
    size_t in = 0;
    for (unsigned k = 0; k < p->nsides; k++)
        in += p->side[k].in_bytes;
    return in <= p->in_bytes + p->in_bytes / 2;
}

/* From here on the chain is alone with its buffers, until yk_users_end, behind what its queue has given to the driver.
 */
static bool be_alone(struct yk_launch *l, const struct yk_facts_kernel *f)
{
    return yk_rt.primary->cl->Finish(l->c.queue->real) == CL_SUCCESS && yk_users_begin(l, f);
}

/* Plan it for several devices, alone with its buffers, if that may and should be. */
static bool plan_apart(struct staging *s)
{
    struct yk_launch *l = s->chain->launch;
    if (s->other == yk_rt.primary->index || __atomic_load_n(&never_apart, __ATOMIC_RELAXED) ||
        (s->tuned && !yk_stages_apart_next(l, s->pinned)))
        return false;
    if (!s->tuned && yk_build_insisted())
        yk_build_wait(l->code->build, YK_BUILD_READY, FORCED_WAIT_NS);
    s->n = yk_stages_devices(s->chain, s->facts, s->dev);
    if (s->n == 1)
        return false;
    const struct yk_facts_kernel *f = yk_code_facts(l->code);
    if (be_alone(l, f)) {
        if (yk_stages_plan(s->chain, s->facts, parts_by_bytes(s->chain), s->dev, s->n, true, &s->plan) &&
            pays(&s->plan) && (!s->tuned || brings_little_twice(&s->plan)))
            return true;
        yk_stages_plan_finish(&s->plan);
        yk_users_end(l, f);
    }
    s->n = 1;
    return false;
}

static bool plan_alone(struct staging *s, bool apart)
{
    return yk_stages_plan(s->chain, s->facts, s->parts, s->dev, 1, apart, &s->plan) && pays(&s->plan) &&
           !yk_stages_rather_divided(s->chain->launch, s->facts, s->plan.in_bytes, s->plan.out_bytes);
}

/* The primary alone, what chains on several devices have left elsewhere being brought to it. */
static bool plan_gathered(struct staging *s)
{
    struct yk_launch *l = s->chain->launch;
    const struct yk_facts_kernel *f = yk_code_facts(l->code);
    if (s->other == yk_rt.primary->index || __atomic_load_n(&never_apart, __ATOMIC_RELAXED) || !f ||
        !yk_stages_may_gather(s->chain, s->facts) || !be_alone(l, f))
        return false;
    yk_stages_plan_finish(&s->plan);
    if (plan_alone(s, true))
        return true;
    yk_users_end(l, f);
    return false;
}

static struct yk_code_kernel *take(const struct staging *s, unsigned side)
{
    struct yk_launch *l = s->chain->launch;
    return side ? yk_code_take(l->code, s->dev[side], true) : yk_stages_take(l, s->facts);
}

static void give(const struct staging *s, unsigned side)
{
    struct yk_launch *l = s->chain->launch;
    if (side)
        yk_code_give(l->code, s->dev[side], true, s->kernel[side]);
    else
        yk_stages_give(l, s->facts, s->kernel[side]);
}

static unsigned carry(struct staging *s, double *seconds)
{
    cl_kernel real[YK_MAX_DEVICES];
    unsigned taken = 0, failed = YK_MAX_DEVICES, done = 0;
    bool ok = true;
    for (; taken < s->n && ok && (s->kernel[taken] = take(s, taken)); taken++) {
        real[taken] = s->kernel[taken]->real;
        ok = yk_launch_set_args(s->chain->launch, real[taken], s->dev[taken]) == CL_SUCCESS;
    }
    if (ok && taken == s->n)
        done = yk_stages_carry(s->chain, &s->plan, s->facts, real, seconds, &failed);
    for (unsigned k = 0; k < taken; k++)
        give(s, k);
    if (failed < YK_MAX_DEVICES) {
        yk_info("device %u failed in a launch beside its transfers, which the primary repeats; from now on it does all",
                failed);
        __atomic_store_n(&never_apart, true, __ATOMIC_RELAXED);
    }
    return done;
}

/* What is learned from a chain that has been carried out, and counted. */
static void learn(const struct staging *s, double ms)
{
    struct yk_launch *l = s->chain->launch;
    bool apart = s->n > 1;
    if (s->tuned && !apart)
        yk_stages_size_took(l, s->parts, s->pinned, ms, (double)s->plan.in_bytes, (double)s->plan.out_bytes);
    if (s->tuned && s->pinned)
        yk_stages_often_took(l, ms);
    if (s->tuned && s->other != yk_rt.primary->index) {
        double gained_ms = yk_stages_apart_took(l, s->pinned, apart, ms);
        if (apart)
            yk_use_gained(l->code->build, gained_ms * 1e-3);
    }
}

unsigned yk_stages_run(struct yk_chain *chain)
{
    struct staging s = {.chain = chain, .parts = parts_by_bytes(chain), .n = 1, .dev = {yk_rt.primary->index}};
    struct yk_launch *l = chain->launch;
    uint64_t start = yk_now_ns();
    unsigned done = 0;
    double seconds = 0;
    bool begun = false;
    s.facts = s.parts > 1 ? yk_stages_facts(l) : NULL;
    if (!s.facts)
        return 0;
    s.tuned = yk_rt.options.piping == YK_PIPING_AUTO;
    s.pinned = s.tuned && is_pinned(chain);
    if (s.tuned && !s.pinned && yk_stages_often(l)) {
        yk_stages_note_memory(chain, true);
        s.pinned = is_pinned(chain);
    }
    s.other = twin();
    if (s.tuned)
        s.parts = yk_stages_size(l, s.parts, s.pinned);
    if (yk_stages_others(s.facts))
        yk_worth_begin(l->code->build);
    if (plan_apart(&s) || plan_alone(&s, false) || plan_gathered(&s)) {
        begun = true;
        char name[256];
        if (yk_trace_on())
            yk_trace_span(YK_TRACK_DECISIONS, "stage", "plan", start, yk_now_ns(),
                          "\"kernel\":\"%s\",\"parts\":%u,\"devices\":%u,\"bytes\":%zu",
                          yk_trace_text(l->code->name, name, sizeof name), s.plan.n, s.n,
                          s.plan.in_bytes + s.plan.out_bytes);
        done = carry(&s, &seconds);
    }
    if (done == chain->nwrites + 1 + chain->nreads)
        learn(&s, (double)(yk_now_ns() - start) * 1e-6);
    if (done > chain->nwrites) {
        yk_stats_staged(s.plan.n);
        double all = (double)(yk_now_ns() - start) * 1e-9;
        bool hopeful = s.tuned && s.other != yk_rt.primary->index && yk_stages_apart_hopeful(l);
        bool its_own =
            s.n == 1 && seconds * 1e3 > KERNEL_BOUND * yk_stages_longer_ms(s.plan.in_bytes, s.plan.out_bytes);
        if (yk_stages_others(s.facts))
            count(l, seconds * s.n, hopeful ? all * s.n : seconds * s.n, its_own);
        if (s.n > 1)
            yk_stats_split();
        else
            yk_stats_whole(yk_stats_reason("it ran in parts on the primary, beside its own transfers"));
    }
    if (begun && s.plan.apart)
        yk_users_end(l, yk_code_facts(l->code));
    yk_stages_plan_finish(&s.plan);
    return done;
}
