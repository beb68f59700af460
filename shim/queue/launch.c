#include "shim/queue/launch.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "shim/core/stats.h"
#include "shim/core/trace.h"
#include "shim/queue/ahead.h"
#include "shim/queue/bring.h"
#include "shim/queue/busy.h"
#include "shim/queue/decide.h"
#include "shim/queue/form.h"
#include "shim/queue/remember.h"
#include "shim/queue/remember_program.h"
#include "shim/queue/share.h"
#include "shim/queue/short.h"
#include "shim/queue/use.h"
#include "shim/queue/verify.h"
#include "shim/queue/warm.h"
#include "shim/queue/windows.h"
#include "shim/queue/worker.h"
#include "shim/queue/worth.h"
#include "transform/client_linked.h"

cl_int yk_launch_set_args(struct yk_launch *l, cl_kernel k, unsigned dev)
{
    const struct yk_cl *cl = yk_rt.machine->device[dev].cl;
    cl_int err = CL_SUCCESS;
    for (unsigned i = 0; i < l->nvalues && err == CL_SUCCESS; i++)
        err = yk_value_set(cl, k, i, &l->value[i], dev);
    return err == CL_SUCCESS && l->exec ? yk_exec_info_set(l->exec, cl, k) : err;
}

void yk_launch_primary_writes(struct yk_launch *l, const struct yk_facts_kernel *f)
{
    if (!yk_values_primary_writes(l->value, l->nvalues, f))
        yk_bring_wrote(l, f);
}

bool yk_values_primary_writes(const struct yk_value *v, unsigned n, const struct yk_facts_kernel *f)
{
    bool all = true;
    for (unsigned i = 0; i < n; i++)
        if (v[i].kind == YK_VALUE_MEM && !yk_store_host_only(v[i].u.mem->store) &&
            (!f || i >= f->nargs || f->arg[i].written || f->arg[i].atomic))
            all &= yk_mem_primary_may_write(v[i].u.mem);
    return all;
}

static cl_int enqueue_on_primary(struct yk_launch *l, cl_command_queue on, cl_kernel k, cl_uint nwait,
                                 const cl_event *wait, cl_event *real)
{
    const struct yk_device *d = yk_rt.primary;
    return d->cl->EnqueueNDRangeKernel(on, k, l->dims, l->has_offset ? l->offset : NULL, l->global,
                                       l->has_local ? l->local : NULL, nwait, wait, real);
}

static cl_int launch_issue(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait, cl_event *real)
{
    struct yk_launch *l = (struct yk_launch *)c;
    (void)blocking;
    if (l->captured)
        return yk_launch_whole(l, real);
    yk_fast_not_held(l->fast);
    cl_int err = yk_fast_settle(l->fast, l->value, l->nvalues);
    yk_form_own(l->code);
    if (err == CL_SUCCESS)
        err = enqueue_on_primary(l, l->c.queue->real, l->fast->real, nwait, wait, real);
    if (err == CL_SUCCESS)
        yk_launch_primary_writes(l, yk_code_facts(l->code));
    return err;
}

cl_int yk_launch_whole(struct yk_launch *l, cl_event *real)
{
    return yk_launch_whole_on(l, l->c.queue->real, 0, NULL, real);
}

cl_int yk_launch_whole_on(struct yk_launch *l, cl_command_queue on, cl_uint nwait, const cl_event *wait, cl_event *real)
{
    const struct yk_device *d = yk_rt.primary;
    struct yk_left left;
    cl_int err = yk_bring_whole(l, yk_code_facts(l->code), &left);
    if (err != CL_SUCCESS)
        return err;
    struct yk_code_kernel *k = yk_code_take(l->code, d->index, false);
    if (!k)
        return CL_OUT_OF_RESOURCES;
    yk_form_own(l->code);
    err = yk_launch_set_args(l, k->real, d->index);
    yk_bring_hold(&left);
    if (err == CL_SUCCESS)
        err = enqueue_on_primary(l, on, k->real, nwait, wait, real);
    yk_code_give(l->code, d->index, false, k);
    if (err == CL_SUCCESS)
        yk_launch_primary_writes(l, yk_code_facts(l->code));
    yk_bring_let_go(&left);
    return err;
}

bool yk_launch_at_primary(const struct yk_launch *l)
{
    for (unsigned i = 0; i < l->nvalues; i++)
        if (l->value[i].kind == YK_VALUE_MEM && !yk_mem_at_primary(l->value[i].u.mem))
            return false;
    return true;
}

static bool launch_resident(struct yk_command *c)
{
    struct yk_launch *l = (struct yk_launch *)c;
    if (yk_rt.options.piping == YK_PIPING_FORCED)
        return false;
    return yk_launch_at_primary(l) && yk_decide_whole_now(l);
}

/* Was L's program built from source as OpenCL C of before 2.0? Of binaries nobody knows. */
static bool is_c1x(const struct yk_launch *l)
{
    const struct yk_build *b = l->code->build;
    const char *std = b->options ? strstr(b->options, "-cl-std=CL") : NULL;
    return b->source && !yk_linked_is(b->source) && !(std && std[strlen("-cl-std=CL")] >= '2');
}

/* May the last work-group of a range be smaller than the others? Not before OpenCL 2.0, nor in a program of an older
 * version, which only PoCL does not mind; since 3.0 a device says so. */
static bool takes_ragged(const struct yk_launch *l, cl_device_id on)
{
    if (is_c1x(l) && strcmp(yk_rt.primary->platform_name, "Portable Computing Language") != 0)
        return false;
    cl_bool ragged = CL_TRUE;
    if (yk_rt.primary->version >= 300)
        yk_rt.primary->cl->GetDeviceInfo(on, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, sizeof ragged, &ragged, NULL);
    return yk_rt.primary->version >= 200 && ragged;
}

/* What a driver would say at once of a launch that is carried out later. */
static cl_int check_range(const struct yk_launch *l)
{
    const struct yk_device *d = yk_rt.primary;
    cl_device_id on = yk_context_device(l->c.queue->ctx, l->c.queue->device);
    size_t group = 1, required[3] = {0};
    if (d->cl->GetKernelWorkGroupInfo(l->fast->real, on, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required, required,
                                      NULL) != CL_SUCCESS)
        required[0] = 0;
    bool nothing = false, ragged = false;
    for (cl_uint i = 0; i < l->dims; i++) {
        nothing |= !l->global[i];
        ragged |= l->has_local && l->local[i] && l->global[i] % l->local[i];
        if (l->has_local && __builtin_mul_overflow(group, l->local[i], &group))
            return CL_INVALID_WORK_GROUP_SIZE;
    }
    if (group > d->max_group || (ragged && !nothing && !takes_ragged(l, on)))
        return CL_INVALID_WORK_GROUP_SIZE;
    for (cl_uint i = 0; i < l->dims; i++) {
        size_t end;
        if (!l->global[i] && d->version < 210)
            return CL_INVALID_GLOBAL_WORK_SIZE;
        if (__builtin_add_overflow(l->offset[i], l->global[i], &end))
            return CL_INVALID_GLOBAL_OFFSET;
        if (!l->has_local)
            continue;
        if (!l->local[i] || (required[0] && l->local[i] != required[i]))
            return CL_INVALID_WORK_GROUP_SIZE;
        if (l->local[i] > d->max_item[i])
            return CL_INVALID_WORK_ITEM_SIZE;
    }
    if (required[0] && !l->has_local)
        return CL_INVALID_WORK_GROUP_SIZE;
    for (cl_uint i = l->dims; i < 3 && required[0]; i++)
        if (required[i] != 1)
            return CL_INVALID_WORK_GROUP_SIZE;
    return CL_SUCCESS;
}

static cl_int launch_capture(struct yk_command *c)
{
    struct yk_launch *l = (struct yk_launch *)c;
    cl_int err = check_range(l);
    if (err == CL_SUCCESS)
        err = yk_windows_check(l);
    if (err != CL_SUCCESS)
        return err;
    struct yk_value *own = calloc(l->nvalues ? l->nvalues : 1, sizeof *own);
    if (!own)
        return CL_OUT_OF_HOST_MEMORY;
    for (unsigned i = 0; i < l->nvalues; i++)
        if (!yk_value_copy(&own[i], &l->value[i])) {
            while (i--)
                yk_value_finish(&own[i]);
            free(own);
            return CL_OUT_OF_HOST_MEMORY;
        }
    l->value = own;
    yk_exec_info_hold(l->exec);
    l->captured = true;
    l->fast = NULL;
    yk_code_hold(l->code);
    return CL_SUCCESS;
}

/* From when on a launch that is about to be issued counts: after a command before it where the primary has memory of
 * its own. A program that enqueues without waiting never pays for the way to a GPU and back, a tenth of a launch of
 * 0.3 ms; here the launch is on its way when the clock starts, and the same way back is in both ends. */
static cl_event clock_start(const struct yk_queue *q)
{
    cl_event before = NULL;
    if (yk_rt.primary->host_memory ||
        yk_rt.primary->cl->EnqueueMarkerWithWaitList(q->real, 0, NULL, &before) != CL_SUCCESS)
        return NULL;
    return before;
}

/* From when on a launch counts that was over at END, issued at START or after it, behind a command that was over at
 * BEFORE. Drivers may tell of the two together, or run commands when somebody waits: then BEFORE says nothing. */
static uint64_t began(uint64_t start, uint64_t before, uint64_t end)
{
    return before > start && before - start < (end - start) / 4 ? before : start;
}

/* Wait for the launch just issued, say how it ended, and note how fast the primary was, from START or BEFORE on, which
 * is released. */
static cl_int measure(struct yk_launch *l, uint64_t start, cl_event before, cl_event real, uint64_t launch)
{
    unsigned p = yk_rt.machine->primary;
    const struct yk_cl *cl = yk_rt.primary->cl;
    uint64_t over = 0;
    if (before) {
        if (cl->Flush(l->c.queue->real) == CL_SUCCESS && cl->WaitForEvents(1, &before) == CL_SUCCESS)
            over = yk_now_ns();
        cl->ReleaseEvent(before);
    }
    cl_int err = cl->WaitForEvents(1, &real);
    if (err != CL_SUCCESS)
        return err;
    uint64_t end = yk_now_ns();
    start = began(start, over, end);
    if (yk_trace_on()) {
        yk_trace_span(yk_track_device(p), "run", l->code->name, start, end,
                      "\"launch\":%llu,\"whole\":true,\"predicted_ms\":0", (unsigned long long)launch);
        yk_trace_flow(false, launch, yk_track_device(p), start + 1);
    }
    double alone_ms = l->brought_ns ? yk_remember_alone(l) : 0;
    if (!(alone_ms > 0)) {
        yk_launch_measured(l, (double)(end - start) * 1e-9);
        return err;
    }
    /* How long it takes by itself this does not say. */
    yk_code_brought(l->code, (double)l->brought_ns * 1e-6, (double)(end - start) * 1e-6, alone_ms);
    __atomic_store_n(&l->code->measured_at, end, __ATOMIC_RELAXED);
    return err;
}

void yk_launch_measured(struct yk_launch *l, double seconds)
{
    unsigned p = yk_rt.machine->primary;
    double items = (double)yk_decide_items(l), rate = items / (seconds > 0 ? seconds : 1e-9);
    yk_code_lasts(l->code, items, yk_remember_measured(l));
    yk_lock_take(&l->code->lock);
    if (rate > yk_code_get(&l->code->rate[p]))
        yk_code_put(&l->code->rate[p], rate);
    if (seconds < 300e-6)
        yk_code_is_small(l->code, items);
    yk_lock_drop(&l->code->lock);
    __atomic_store_n(&l->code->measured_at, yk_now_ns(), __ATOMIC_RELAXED);
    yk_worth_measured(l->code, seconds);
    bool warm = __atomic_exchange_n(&l->code->warm[p], true, __ATOMIC_RELAXED);
    const struct yk_facts_kernel *f = yk_code_facts(l->code);
    if (f && !__atomic_test_and_set(&l->code->described, __ATOMIC_RELAXED)) {
        struct yk_profile_key key = yk_remember_key(l, p, YK_SAMPLE_CODE);
        yk_profile_code(&key, f->count);
    }
    yk_remember(l, p, warm ? YK_SAMPLE_ALONE : YK_SAMPLE_FIRST, items, seconds * 1e3);
    if (warm) { /* else it may have been compiled */
        yk_code_lasts(l->code, items, seconds * 1e3);
        yk_short_measured(l, seconds);
    }
    yk_remember_program(l->code->build, yk_code_get(&l->code->build->spent) * 1e3);
    if (yk_remember_worth(l->code->build) && yk_build_now(l->code->build) == YK_BUILD_PENDING)
        yk_warm_foresee(l); /* this process may end before its own transformer does */
}

void yk_launch_divided(struct yk_launch *l, const struct yk_decision *d, uint64_t before)
{
    /* Who decides while the launch before is under way costs nobody anything. */
    uint64_t now = yk_now_ns(), decided = d->decided < before ? before : d->decided,
             asked = d->asked < before ? before : d->asked;
    double takers = 0, most, alone = d->alone_ms * 1e-3, took = (double)(now - decided) * 1e-9;
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        takers += d->takes[i];
    most = takers * took; /* others do not make it faster than that */
    yk_worth_predicted(l->code, alone < most ? alone : most);
    yk_use_gained(l->code->build, alone > 0 ? alone - took : took);
    yk_stats_decided(decided - asked, now - asked);
}

static const cl_int behind_failure = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;

/* What flies before is over. False: it has failed. */
static bool land(struct yk_queue *q)
{
    if (!q->nflying)
        return true;
    yk_worker_land(q);
    return !yk_queue_failed(q);
}

static cl_int divided(struct yk_launch *l, const struct yk_decision *d)
{
    return yk_rt.options.verify ? yk_verify_run(l, d) : yk_share_fly(l, d);
}

static cl_int launch_carry(struct yk_command *c, cl_event *real)
{
    struct yk_launch *l = (struct yk_launch *)c;
    struct yk_decision d;
    uint64_t asked = yk_now_ns();
    cl_int err = YK_SHARE_UNTOUCHED;
    if (yk_windows_wanted(l))
        return land(c->queue) ? yk_windows_run(l) : behind_failure;
    yk_decide(l, &d);
    d.decided = yk_now_ns();
    d.asked = asked;
    if (yk_trace_on()) {
        yk_launch_trace(l, &d, asked);
        d.measure |= !d.split; /* a trace without times says little */
    }
    if (d.ahead)
        return land(c->queue) ? yk_ahead_run(l, &d) : behind_failure;
    if (d.split) {
        err = divided(l, &d);
        if (err == YK_SHARE_UNTOUCHED && yk_share_await(l, &d))
            err = divided(l, &d);
        if (err == YK_SHARE_UNTOUCHED) {
            d.measure = yk_share_any_late(&d);
            yk_stats_whole(yk_stats_reason(d.measure
                                               ? "the other device was not ready for the kernel"
                                               : "a device could not be prepared for its share, or failed in it"));
        } else if (err != YK_CARRY_FLYING)
            yk_launch_divided(l, &d, 0);
    }
    if (err != YK_SHARE_UNTOUCHED)
        return err;
    if (!land(c->queue))
        return behind_failure;
    yk_short_passed(l);
    if (!d.measure)
        yk_worth_predicted(l->code, d.alone_ms * 1e-3);
    if (d.measure) { /* alone, nothing before it, and what it lacks is not what it takes */
        struct yk_left left;
        err = yk_bring_whole(l, yk_code_facts(l->code), &left);
        if (err == CL_SUCCESS)
            err = yk_rt.primary->cl->Finish(c->queue->real);
        if (err != CL_SUCCESS)
            return err;
    }
    if (d.alone_ms > 0)
        yk_busy_begin(c->queue, yk_rt.machine->primary, d.alone_ms);
    uint64_t start = yk_now_ns();
    cl_event own = NULL, before = d.measure ? clock_start(c->queue) : NULL;
    bool hidden = d.measure && !real;
    err = yk_form_whole(l, hidden ? &own : real);
    if (err == CL_SUCCESS && d.measure) {
        cl_int ended = measure(l, start, before, hidden ? own : *real, d.launch);
        err = hidden ? ended : err;
    } else if (before) {
        yk_rt.primary->cl->ReleaseEvent(before);
    }
    if (hidden)
        yk_busy_end(c->queue);
    if (own)
        yk_rt.primary->cl->ReleaseEvent(own);
    return err == CL_SUCCESS && !hidden ? YK_CARRY_ISSUED : err;
}

static void launch_release(struct yk_command *c)
{
    struct yk_launch *l = (struct yk_launch *)c;
    for (unsigned i = 0; i < l->nvalues; i++)
        yk_value_finish(&l->value[i]);
    free(l->value);
    yk_exec_info_drop(l->exec);
    yk_code_drop(l->code);
}

const struct yk_command_kind yk_launch_kind = {.type = CL_COMMAND_NDRANGE_KERNEL,
                                               .launches = true,
                                               .gathers = true,
                                               .issue = launch_issue,
                                               .resident = launch_resident,
                                               .capture = launch_capture,
                                               .carry = launch_carry,
                                               .release = launch_release};
const struct yk_command_kind yk_task_kind = {.type = CL_COMMAND_TASK,
                                             .launches = true,
                                             .issue = launch_issue,
                                             .resident = launch_resident,
                                             .capture = launch_capture,
                                             .carry = launch_carry,
                                             .release = launch_release};
