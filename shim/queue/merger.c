#include "shim/queue/merger.h"
#include <stdlib.h>
#include "base/clock.h"
#include "base/log.h"
#include "device/ask.h"
#include "shim/queue/box.h"
#include "shim/queue/solo.h"

/* Bytes per ns: of a link and of memory that nobody has measured. */
static const double link_rate = 5, copy_rate = 6;
/* Building a merge kernel, and its first launch, take a CPU's driver some 0.6 s: a program must have spent as much on
 * comparing one kernel's outputs before that may pay. */
static const double worth_trying_ns = 0.6e9;
static double compare_rate = 3; /* of byte difference, as last measured; atomic */

enum { OUTPUT_ALIGN = 4096 };

/* Somebody of whose kind the merge kernel is: a CPU in the host's memory. The primary, if it is one. */
static bool find_device(const struct yk_launch *l, const struct yk_facts_kernel *f, const struct yk_decision *d,
                        unsigned *dev)
{
    size_t group = d->local[0] * d->local[1] * d->local[2];
    uint64_t local = 0;
    bool found = false;
    for (unsigned i = 0; i < l->nvalues; i++)
        local += l->value[i].kind == YK_VALUE_LOCAL ? l->value[i].size : 0;
    for (unsigned i = 0; i < yk_rt.machine->n; i++) {
        const struct yk_device *v = &yk_rt.machine->device[i];
        if (v->usable && v->host_memory && v->type & CL_DEVICE_TYPE_CPU && group <= v->max_group &&
            local <= v->local_mem && (v->fp64 || !f->fp64) && (!found || i == yk_rt.machine->primary)) {
            *dev = i;
            found = true;
        }
    }
    return found;
}

static bool overlap(const struct yk_mem *a, const struct yk_mem *b)
{
    return a->store == b->store && a->origin < b->origin + b->size && b->origin < a->origin + a->size;
}

/* Does what L writes overlap another argument? Then addresses may depend on it after all. */
static bool aliased(const struct yk_launch *l, const struct yk_facts_kernel *f)
{
    for (unsigned i = 0; i < f->nargs; i++)
        for (unsigned k = 0; k < f->nargs && l->value[i].kind == YK_VALUE_MEM && f->arg[i].written; k++)
            if (k != i && l->value[k].kind == YK_VALUE_MEM && overlap(l->value[i].u.mem, l->value[k].u.mem))
                return true;
    return false;
}

static bool in_host_memory(const struct yk_launch *l, unsigned dev)
{
    for (unsigned i = 0; i < l->nvalues; i++)
        if (l->value[i].kind == YK_VALUE_MEM && (!l->value[i].u.mem->store || !yk_mem_real(l->value[i].u.mem, dev) ||
                                                 yk_store_location(l->value[i].u.mem->store, dev) != YK_HOST))
            return false;
    return true;
}

bool yk_merger_choose(const struct yk_launch *l, const struct yk_facts_kernel *f, const struct yk_decision *d,
                      uint64_t compared, uint64_t lacked, unsigned *dev)
{
    enum yk_merge_choice how = yk_rt.options.merge;
    if (how == YK_MERGING_DIFFERENCE || !f->mergeable || d->guided || l->nvalues != f->nargs ||
        __atomic_load_n(&l->code->merge_failed, __ATOMIC_RELAXED) || aliased(l, f) || !find_device(l, f, d, dev))
        return false;
    double each, rate = yk_code_get(&l->code->merge_rate), spent;
    __atomic_load(&compare_rate, &each, __ATOMIC_RELAXED);
    double difference = (double)lacked / link_rate + (double)compared / copy_rate + (double)compared / each;
    spent = yk_code_get(&l->code->merge_spent) + difference;
    yk_code_put(&l->code->merge_spent, spent);
    if (how == YK_MERGING_AUTO && !(rate > 0) && spent < worth_trying_ns)
        return false;
    if (!yk_build_merging(l->code->build, *dev, how == YK_MERGING_KERNEL) || !in_host_memory(l, *dev))
        return false;
    /* Never tried: this is how it is measured. */
    return how == YK_MERGING_KERNEL || !(rate > 0) || (double)d->total / rate < difference;
}

void yk_merger_compared(uint64_t bytes, uint64_t ns)
{
    double rate = ns ? (double)bytes / (double)ns : 0;
    if (bytes >= 1 << 16 && rate > 0)
        __atomic_store(&compare_rate, &rate, __ATOMIC_RELAXED);
}

unsigned char *yk_merger_memory(size_t size)
{
    void *m = NULL;
    return posix_memalign(&m, OUTPUT_ALIGN, size ? size : 1) ? NULL : m;
}

/* The arguments after the app's and the hidden ones: for each written buffer the other output and its size. REAL: the
 * buffers made here. */
static cl_int set_outputs(struct yk_launch *l, const struct yk_facts_kernel *f, unsigned dev, cl_kernel k,
                          const struct yk_merger_output *out, unsigned n, cl_mem *real)
{
    const struct yk_cl *cl = yk_rt.machine->device[dev].cl;
    cl_uint at = f->nargs + (f->needs_variant ? f->nhidden : 0);
    cl_int err = CL_SUCCESS;
    for (unsigned i = 0; i < n && err == CL_SUCCESS; i++) {
        const struct yk_value *v = &l->value[out[i].arg];
        struct yk_mem *m = v->kind == YK_VALUE_MEM ? v->u.mem : NULL;
        cl_ulong size = m ? m->size : 0;
        cl_mem from = m ? yk_mem_real(m, dev) : NULL;
        if (m && out[i].bytes) {
            real[i] = cl->CreateBuffer(yk_context_real(m->ctx, dev), CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, m->size,
                                       out[i].bytes, &err);
            from = real[i];
        }
        if (err == CL_SUCCESS)
            err = cl->SetKernelArg(k, at++, sizeof from, m ? &from : NULL);
        if (err == CL_SUCCESS)
            err = cl->SetKernelArg(k, at++, sizeof size, &size);
    }
    return err;
}

static cl_int run(struct yk_launch *l, const struct yk_facts_kernel *f, const struct yk_decision *d, unsigned dev,
                  uint64_t from, uint64_t to, cl_kernel k)
{
    const struct yk_cl *cl = yk_rt.machine->device[dev].cl;
    cl_command_queue q = yk_queue_share(l->c.queue, dev);
    cl_int err = q ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
    struct yk_share share;
    cl_event event[YK_SHARE_BOXES];
    unsigned n = 0;
    yk_range_cut(&d->range, from, to, &share);
    while (err == CL_SUCCESS && n < share.n)
        if ((err = yk_box_enqueue(l, f, d, dev, q, k, &share.box[n], &event[n])) == CL_SUCCESS)
            n++;
    cl_int finished = n ? cl->Finish(q) : CL_SUCCESS;
    err = err == CL_SUCCESS ? finished : err;
    for (unsigned i = 0; i < n; i++) {
        if (finished == CL_SUCCESS) /* as in taker.c */
            yk_ask_until_over(cl, event[i]);
        cl_int status = CL_COMPLETE,
               asked = cl->GetEventInfo(event[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
        err = err != CL_SUCCESS ? err : asked != CL_SUCCESS ? asked : status;
        cl->ReleaseEvent(event[i]);
    }
    return err > CL_COMPLETE ? CL_OUT_OF_RESOURCES : err;
}

cl_int yk_merger_run(struct yk_launch *l, const struct yk_facts_kernel *f, const struct yk_decision *d, unsigned dev,
                     uint64_t from, uint64_t to, const struct yk_merger_output *out, unsigned n)
{
    const struct yk_cl *cl = yk_rt.machine->device[dev].cl;
    struct yk_code_kernel *k = yk_code_take_merger(l->code, dev);
    cl_mem *real = k ? calloc(n + 1, sizeof *real) : NULL;
    cl_int err = !k ? CL_OUT_OF_RESOURCES : !real ? CL_OUT_OF_HOST_MEMORY : yk_launch_set_args(l, k->real, dev);
    uint64_t start = yk_now_ns();
    if (err == CL_SUCCESS)
        err = set_outputs(l, f, dev, k->real, out, n, real);
    if (err == CL_SUCCESS) {
        bool solo = yk_solo_begin(l->code, dev);
        err = run(l, f, d, dev, from, to, k->real);
        if (solo)
            yk_solo_end(l->code, dev);
    }
    for (unsigned i = 0; real && i < n; i++)
        if (real[i])
            cl->ReleaseMemObject(real[i]);
    if (k)
        yk_code_give_merger(l->code, k);
    free(real);
    if (err != CL_SUCCESS) {
        yk_warn("device %u (%s) cannot run the merge kernel of %s (%s); bytes are compared from now on", dev,
                yk_rt.machine->device[dev].name, l->code->name, yk_cl_error_name(err));
        __atomic_store_n(&l->code->merge_failed, true, __ATOMIC_RELAXED);
        return err;
    }
    uint64_t ns = yk_now_ns() - start;
    if (__atomic_exchange_n(&l->code->merge_warm, true, __ATOMIC_RELAXED)) /* a first one compiles */
        yk_code_put(&l->code->merge_rate, (double)(to - from) / (double)(ns ? ns : 1));
    return CL_SUCCESS;
}
