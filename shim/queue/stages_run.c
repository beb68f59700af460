#include "shim/queue/stages_run.h"
#include "base/clock.h"
#include "base/log.h"
#include "shim/core/trace.h"
#include "shim/memory/inplace.h"
#include "shim/queue/stages_apart.h"
#include "shim/queue/stages_flow.h"

static void fail(struct yk_command *c, cl_int err)
{
    yk_info("a command failed in its queue: %s", yk_cl_error_name(err));
    yk_queue_failed_later(c->queue, c->by, err);
    yk_event_set(c->event, err);
}

static void tell_written(const struct yk_chain *c)
{
    for (unsigned i = 0; i < c->nwrites; i++) {
        yk_event_set(c->write[i]->c.event, CL_RUNNING);
        yk_event_set(c->write[i]->c.event, CL_COMPLETE);
    }
}

/* All bytes are in the primary: record them, and say so. */
static void written(const struct yk_chain *c)
{
    for (unsigned i = 0; i < c->nwrites; i++)
        yk_mem_primary_writes(c->write[i]->mem, c->write[i]->off, c->write[i]->len);
    tell_written(c);
}

static void tell_run(const struct yk_chain *c)
{
    yk_event_set(c->launch->c.event, CL_COMPLETE);
    for (unsigned i = 0; i < c->nreads; i++)
        yk_event_set(c->read[i]->c.event, i ? CL_SUBMITTED : CL_RUNNING);
}

static void tell_read(const struct yk_chain *c)
{
    for (unsigned i = 0; i < c->nreads; i++) {
        yk_event_set(c->read[i]->c.event, CL_RUNNING);
        yk_event_set(c->read[i]->c.event, CL_COMPLETE);
    }
}

static void trace(struct yk_stages_flow *f, uint64_t start)
{
    yk_stages_flow_trace(f, start);
    if (!yk_trace_on())
        return;
    const struct yk_stages_side *e = f->side;
    yk_trace_span(yk_track_device(e->dev), "run", f->chain->launch->code->name, start, yk_now_ns(),
                  "\"launch\":%llu,\"whole\":%s,\"parts\":%u,\"in\":%zu,\"out\":%zu,\"predicted_ms\":0",
                  (unsigned long long)yk_trace_launch(), f->plan->nsides > 1 ? "false" : "true", e->to - e->from,
                  e->in_bytes, e->out_bytes);
}

/* The stages on the primary, and what has become of the commands. */
static unsigned flow(struct yk_stages_flow *f, struct yk_chain *c)
{
    struct yk_launch *l = c->launch;
    uint64_t start = yk_now_ns();
    yk_stages_flow_start(f, false);
    cl_int in_err = yk_stages_flow_in(f);
    if (in_err == CL_SUCCESS) {
        written(c);
        yk_event_set(l->c.event, CL_RUNNING);
    }
    cl_int run_err = yk_stages_flow_ran(f);
    if (run_err == CL_SUCCESS) {
        yk_launch_primary_writes(l, f->facts);
        tell_run(c);
    }
    cl_int out_err = yk_stages_flow_out(f);
    trace(f, start);
    if (in_err != CL_SUCCESS) {
        if (!f->begun)
            return 0;
        fail(&c->write[0]->c, in_err);
        return 1;
    }
    if (run_err != CL_SUCCESS) {
        if (!f->begun)
            return c->nwrites; /* the launch as it is */
        fail(&l->c, run_err);
        return c->nwrites + 1;
    }
    if (out_err != CL_SUCCESS)
        return c->nwrites + 1; /* the reads once more, as they are */
    tell_read(c);
    return c->nwrites + 1 + c->nreads;
}

/* The same on N devices. The writes are over when the launch is: until then all of it can be done once more, from the
 * program's memory. */
static unsigned flow_apart(struct yk_stages_flow *f, unsigned n, struct yk_chain *c, unsigned *failed)
{
    uint64_t start = yk_now_ns();
    bool good = true, out = true;
    for (unsigned k = n; k-- > 0;)
        yk_stages_flow_start(&f[k], k > 0);
    for (unsigned k = 0; k < n; k++)
        if (yk_stages_flow_in(&f[k]) != CL_SUCCESS) {
            *failed = f[k].side->dev;
            good = false;
        }
    for (unsigned k = 0; k < n; k++)
        if (yk_stages_flow_ran(&f[k]) != CL_SUCCESS && good) {
            *failed = f[k].side->dev;
            good = false;
        }
    if (good) {
        yk_stages_record(f[0].plan);
        tell_written(c);
        yk_event_set(c->launch->c.event, CL_RUNNING);
        tell_run(c);
    }
    for (unsigned k = 0; k < n; k++)
        out &= yk_stages_flow_out(&f[k]) == CL_SUCCESS;
    for (unsigned k = 0; k < n; k++)
        trace(&f[k], start);
    if (!good)
        return 0;
    if (!out)
        return c->nwrites + 1; /* the reads once more, as they are */
    tell_read(c);
    return c->nwrites + 1 + c->nreads;
}

void yk_stages_note_memory(const struct yk_chain *c, bool at_once)
{
    struct yk_context *ctx = c->launch->c.queue->ctx;
    for (unsigned i = 0; i < c->nwrites; i++)
        yk_inplace_note(ctx, c->write[i]->ptr, c->write[i]->len, at_once);
    for (unsigned i = 0; i < c->nreads; i++)
        yk_inplace_note(ctx, c->read[i]->ptr, c->read[i]->len, at_once);
}

unsigned yk_stages_carry(struct yk_chain *chain, struct yk_stages_plan *plan, const struct yk_facts_kernel *facts,
                         const cl_kernel *kernel, double *seconds, unsigned *failed)
{
    struct yk_stages_flow f[YK_MAX_DEVICES];
    unsigned n = plan->nsides, done = 0;
    bool ok = true;
    *failed = YK_MAX_DEVICES;
    for (unsigned k = 0; k < n; k++)
        ok &= yk_stages_flow_open(&f[k], chain, plan, &plan->side[k], facts, kernel[k]);
    /* What this queue has already given to the primary's driver comes first. */
    if (ok && yk_rt.primary->cl->Finish(chain->launch->c.queue->real) == CL_SUCCESS &&
        (!plan->apart || yk_stages_bring(chain, plan) == CL_SUCCESS)) {
        yk_stages_note_memory(chain, false);
        for (unsigned i = 0; i < chain->nwrites; i++)
            yk_event_set(chain->write[i]->c.event, i ? CL_SUBMITTED : CL_RUNNING);
        yk_event_set(chain->launch->c.event, CL_SUBMITTED);
        done = plan->apart ? flow_apart(f, n, chain, failed) : flow(&f[0], chain);
        *seconds = (double)f[0].busy * 1e-9;
    }
    for (unsigned k = 0; k < n; k++)
        yk_stages_flow_finish(&f[k]);
    return done;
}
