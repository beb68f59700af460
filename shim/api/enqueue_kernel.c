/* Kernel launches. */
#include "shim/api/api.h"
#include "shim/object/kernel.h"
#include "shim/queue/decide.h"
#include "shim/queue/gather.h"
#include "shim/queue/users.h"

/* Only where an argument may be wrong: kernel.c keeps count. */
static cl_int check_arguments(const struct yk_kernel *k, const struct yk_context *ctx)
{
    if (k->unset)
        return CL_INVALID_KERNEL_ARGS;
    for (unsigned i = 0; i < k->nargs; i++)
        if (k->value[i].kind == YK_VALUE_MEM && k->value[i].u.mem->ctx != ctx)
            return CL_INVALID_CONTEXT;
    return CL_SUCCESS;
}

static cl_int enqueue(const struct yk_command_kind *kind, cl_command_queue command_queue, cl_kernel kernel,
                      cl_uint dims, const size_t *offset, const size_t *global, const size_t *local, cl_uint nwait,
                      const cl_event *wait, cl_event *event)
{
    struct yk_queue *q = yk_queue_from(command_queue);
    struct yk_kernel *k = yk_kernel_from(kernel);
    if (!q)
        return CL_INVALID_COMMAND_QUEUE;
    if (!k)
        return CL_INVALID_KERNEL;
    if (q->ctx != k->program->ctx)
        return CL_INVALID_CONTEXT;
    cl_int err = k->unset || k->foreign ? check_arguments(k, q->ctx) : CL_SUCCESS;
    if (err != CL_SUCCESS)
        return err;
    static const size_t nothing[3] = {0, 0, 0};
    if (!dims || dims > 3)
        return CL_INVALID_WORK_DIMENSION;
    if (!global && yk_rt.primary->version < 210)
        return CL_INVALID_GLOBAL_WORK_SIZE;
    if (!global) /* since OpenCL 2.1 a range of nothing */
        global = nothing;
    /* Member by member: as one initialiser, gcc clears it all by an instruction that takes as long as the rest. */
    struct yk_launch l;
    l.c = (struct yk_command){.kind = kind, .size = sizeof l, .queue = q};
    l.code = k->code;
    l.fast = &k->fast;
    l.nvalues = k->nargs;
    l.value = k->value;
    l.exec = k->exec;
    l.captured = false;
    l.brought_ns = 0;
    l.dims = dims;
    l.has_offset = offset != NULL;
    l.has_local = local != NULL;
    for (cl_uint i = 0; i < 3; i++) {
        l.offset[i] = offset && i < dims ? offset[i] : 0;
        l.global[i] = i < dims ? global[i] : 0;
        l.local[i] = local && i < dims ? local[i] : 0;
    }
    return yk_command_enqueue(&l.c, false, nwait, wait, event);
}

/* Is every byte of K's buffers newest at the primary, and is nothing to be noted of a launch of Q over them?
 * *ELSEWHERE: there are copies, which a launch makes old. */
static inline bool at_primary(const struct yk_queue *q, const struct yk_kernel *k, bool *elsewhere)
{
    *elsewhere = false;
    uint32_t now = yk_quiet_now(q);
    for (unsigned i = 0; i < k->nargs; i++) {
        if (k->value[i].kind != YK_VALUE_MEM)
            continue;
        const struct yk_mem *m = k->value[i].u.mem;
        struct yk_store *s = m->store;
        bool writes = yk_users_writes(m, NULL, i);
        if (s &&
            (!__atomic_load_n(&s->at_primary, __ATOMIC_ACQUIRE) || !yk_users_known(&s->used, q->number, writes, now)))
            return false;
        if (m->image && !yk_users_known(&m->image->used, q->number, writes, now))
            return false;
        *elsewhere |= s && !__atomic_load_n(&s->only_primary, __ATOMIC_ACQUIRE);
    }
    return true;
}

/* K over a range, straight into Q's real queue. */
static inline cl_int issue(struct yk_queue *q, struct yk_kernel *k, cl_uint dims, const size_t *offset,
                           const size_t *global, const size_t *local, bool elsewhere, cl_event *event)
{
    cl_event real = NULL;
    struct yk_event *ev = event ? yk_event_create(q->ctx, q, CL_COMMAND_NDRANGE_KERNEL) : NULL;
    if (event && !ev)
        return CL_OUT_OF_HOST_MEMORY;
    cl_int err = yk_fast_settle(&k->fast, k->value, k->nargs);
    if (err == CL_SUCCESS)
        err = yk_rt.primary->cl->EnqueueNDRangeKernel(q->real, k->fast.real, dims, offset, global, local, 0, NULL,
                                                      event ? &real : NULL);
    if (err == CL_SUCCESS && (elsewhere || yk_rt.machine->n > 1)) /* another's copy may be new by now */
        yk_values_primary_writes(k->value, k->nargs, NULL);
    if (ev && err == CL_SUCCESS) {
        yk_event_issued(ev, real);
        *event = (cl_event)(void *)ev;
    } else if (ev) {
        yk_handle_release(&ev->h);
    }
    return err;
}

/* The commonest launch where nothing is ever split: no command is made of it, and the driver reads the range where the
 * program wrote it. False: nothing has been done, and ENQUEUE does all of this and more, and says what is wrong. */
static inline bool straight(struct yk_queue *q, struct yk_kernel *k, cl_uint dims, const size_t *offset,
                            const size_t *global, const size_t *local, cl_event *event, cl_int *err)
{
    if (!q || !k || q->ctx != k->program->ctx || k->unset || k->foreign || !dims || dims > 3 || !global)
        return false;
    bool gathers = yk_gathering();
    if ((gathers && (!yk_gather_pauses(q) || yk_rt.options.gather == YK_GATHER_FORCED)) ||
        yk_rt.options.piping == YK_PIPING_FORCED || !yk_queue_enter(q))
        return false;
    yk_quiet_enter(q);
    bool elsewhere, goes = at_primary(q, k, &elsewhere) && yk_decide_never_splits(k->code);
    if (goes && gathers) {
        yk_gather_pass(q);
        yk_gather_drain(q); /* what another thread holds comes before */
        yk_fast_not_held(&k->fast);
    }
    if (goes)
        *err = issue(q, k, dims, offset, global, local, elsewhere, event);
    yk_queue_leave(q);
    yk_quiet_leave(q);
    return goes;
}

cl_int yk_api_EnqueueNDRangeKernel(cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim,
                                   const size_t *global_work_offset, const size_t *global_work_size,
                                   const size_t *local_work_size, cl_uint num_events_in_wait_list,
                                   const cl_event *event_wait_list, cl_event *event)
{
    cl_int err;
    if (!num_events_in_wait_list && !event_wait_list &&
        straight(yk_queue_from(command_queue), yk_kernel_from(kernel), work_dim, global_work_offset, global_work_size,
                 local_work_size, event, &err))
        return err;
    return enqueue(&yk_launch_kind, command_queue, kernel, work_dim, global_work_offset, global_work_size,
                   local_work_size, num_events_in_wait_list, event_wait_list, event);
}

cl_int yk_api_EnqueueTask(cl_command_queue command_queue, cl_kernel kernel, cl_uint num_events_in_wait_list,
                          const cl_event *event_wait_list, cl_event *event)
{
    static const size_t one[3] = {1, 1, 1};
    return enqueue(&yk_task_kind, command_queue, kernel, 1, NULL, one, one, num_events_in_wait_list, event_wait_list,
                   event);
}
