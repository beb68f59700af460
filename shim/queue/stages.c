#include "shim/queue/stages.h"
#include <string.h>
#include "base/clock.h"
#include "shim/core/stats.h"
#include "shim/core/trace.h"
#include "shim/memory/inplace.h"
#include "shim/memory/link.h"
#include "shim/queue/decide.h"
#include "shim/queue/remember_program.h"
#include "shim/queue/stages_code.h"
#include "shim/queue/stages_run.h"
#include "shim/queue/stages_size.h"
#include "shim/queue/worth.h"

/* Measured on an H200 with rounds of 512 MiB: between 16 and 64 parts all of bench/pipeline's programs are within 4 %
 * of their best; more cost more in launches and short copies than they save at either end. */
enum { PART = 8 << 20, PARTS_MOST = 64, PARTS_FORCED = 5, LEAST_BESIDE = 24 << 20 };
static const long lull_ns = 100000;

/* How many other devices could take a share of launches? F: of this kernel; NULL: of any. CPUs are kept from those of a
 * GPU's that may round differently. */
static unsigned others(const struct yk_facts_kernel *f)
{
    unsigned n = 0;
    bool stays = f && yk_rt.options.numerics == YK_NUMERICS_STRICT && (f->inexact || f->float_arith);
    for (unsigned i = 0; i < yk_rt.machine->n; i++) {
        const struct yk_device *d = &yk_rt.machine->device[i];
        bool other = i != yk_rt.machine->primary && d->usable && yk_rt.options.split;
        n += other && (!(d->type & CL_DEVICE_TYPE_CPU) || (f && !stays));
    }
    return n;
}

/* Is L rather divided among devices, now or when they are ready, than run beside its own transfers of IN and OUT bytes?
 * These are then before and after it. Until others are ready, and its time is known, the primary is all there is. */
static bool rather_divided(const struct yk_launch *l, const struct yk_facts_kernel *f, size_t in, size_t out)
{
    unsigned n = others(f), p = yk_rt.machine->primary;
    if (!n || yk_rt.options.piping == YK_PIPING_FORCED)
        return false;
    if (yk_build_insisted() || yk_rt.options.verify)
        return true;
    double rate = yk_code_get(&l->code->rate[p]), in_ms = (double)in / yk_link_bandwidth(p, (double)in),
           out_ms = (double)out / yk_link_bandwidth(p, (double)out), alone_ms, longest;
    if (rate <= 0 || yk_build_now(l->code->build) != YK_BUILD_READY)
        return false;
    alone_ms = (double)yk_decide_items(l) / rate * 1e3;
    longest = in_ms > out_ms ? in_ms : out_ms;
    longest = longest > alone_ms ? longest : alone_ms;
    return in_ms + alone_ms / (n + 1) + out_ms < longest;
}

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
           !(yk_build_insisted() && others(NULL)) && yk_link_wants(q->ctx, d->index, YK_IN, t->ptr, t->len);
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

/* Is all memory that C moves from and to pinned where it lies? */
static bool is_pinned(const struct yk_chain *c)
{
    struct yk_context *ctx = c->launch->c.queue->ctx;
    struct yk_inplace use = {0};
    bool all = true;
    for (unsigned i = 0; i < c->nwrites && all; i++)
        all = yk_inplace_begin(&use, ctx, c->write[i]->ptr, c->write[i]->len);
    for (unsigned i = 0; i < c->nreads && all; i++)
        all = yk_inplace_begin(&use, ctx, c->read[i]->ptr, c->read[i]->len);
    yk_inplace_end(&use);
    return all;
}

static bool pays(const struct yk_stages_plan *p)
{
    return yk_rt.options.piping == YK_PIPING_FORCED ||
           (p->beside >= LEAST_BESIDE && p->beside >= (p->in_bytes + p->out_bytes) / 8);
}

/* The parts of L took the primary SECONDS: as long as no others are ready, that may be a reason to have them. */
static void count(struct yk_launch *l, double seconds)
{
    double *rate = &l->code->rate[yk_rt.machine->primary];
    yk_lock_take(&l->code->lock);
    if (yk_code_get(rate) <= 0)
        yk_code_put(rate, (double)yk_decide_items(l) / (seconds > 0 ? seconds : 1e-9));
    yk_lock_drop(&l->code->lock);
    yk_worth_measured(l->code, seconds);
    yk_remember_program(l->code->build, yk_code_get(&l->code->build->spent) * 1e3);
}

unsigned yk_stages_run(struct yk_chain *chain)
{
    struct yk_stages_plan plan = {.n = 0};
    uint64_t start = yk_now_ns();
    unsigned parts = parts_by_bytes(chain), done = 0;
    const struct yk_facts_kernel *f = parts > 1 ? yk_stages_facts(chain->launch) : NULL;
    if (!f)
        return 0;
    bool tuned = yk_rt.options.piping == YK_PIPING_AUTO, pinned = tuned && is_pinned(chain);
    if (tuned)
        parts = yk_stages_size(chain->launch, parts, pinned);
    struct yk_code_kernel *k = NULL;
    double seconds = 0;
    if (others(f))
        yk_worth_begin(chain->launch->code->build);
    if (yk_stages_plan(chain, f, parts, &plan) && pays(&plan) &&
        !rather_divided(chain->launch, f, plan.in_bytes, plan.out_bytes) && (k = yk_stages_take(chain->launch, f))) {
        if (yk_trace_on())
            yk_trace_span(YK_TRACK_DECISIONS, "stage", "plan", start, yk_now_ns(), "\"parts\":%u", plan.n);
        if (yk_launch_set_args(chain->launch, k->real, yk_rt.primary->index) == CL_SUCCESS)
            done = yk_stages_carry(chain, &plan, f, k->real, &seconds);
        yk_stages_give(chain->launch, f, k);
    }
    if (tuned && done == chain->nwrites + 1 + chain->nreads)
        yk_stages_size_took(chain->launch, parts, pinned, (double)(yk_now_ns() - start) * 1e-6, (double)plan.in_bytes,
                            (double)plan.out_bytes);
    if (done > chain->nwrites) {
        yk_stats_staged(plan.n);
        if (others(f))
            count(chain->launch, seconds);
        yk_stats_whole(yk_stats_reason("it ran in parts on the primary, beside its own transfers"));
    }
    yk_stages_plan_finish(&plan);
    return done;
}
