/* Native kernels: a function of the app on the primary's queue. Its argument block is copied with the primary's memory
 * objects in the places where the app's stood, behind a head that says which function it is for: a driver may run that
 * inside of its own calls, and OpenCL calls that the function makes are the app's all the same. */
#include <stddef.h>
#include <stdlib.h>
#include "shim/api/api.h"
#include "shim/core/stats.h"
#include "shim/memory/mem.h"
#include "shim/queue/command.h"
#include "shim/queue/users.h"

struct native_command {
    struct yk_command c;
    void (*function)(void *);
    char *args; /* owned once captured */
    size_t size;
    cl_uint n;
    struct yk_mem **mem; /* owned once captured, each held */
    size_t *at;          /* offsets in ARGS; owned once captured */
};

/* Before the app's arguments, and as long as keeps them aligned. */
union head {
    struct {
        void (*function)(void *);
        bool has_args;
    } of;
    max_align_t align;
};

static void CL_CALLBACK run(void *block)
{
    const union head *h = block;
    const int outside = yk_driver_depth;
    yk_driver_depth = 0;
    h->of.function(h->of.has_args ? (char *)block + sizeof *h : NULL);
    yk_driver_depth = outside;
}

static cl_int native_issue(struct yk_command *c, bool blocking, cl_uint nwait, const cl_event *wait, cl_event *real)
{
    struct native_command *k = (struct native_command *)c;
    (void)blocking;
    cl_mem *mem = calloc(k->n + 1, sizeof *mem);
    const void **loc = calloc(k->n + 1, sizeof *loc);
    char *block = calloc(1, sizeof(union head) + k->size), *args = block ? block + sizeof(union head) : NULL;
    cl_int err = mem && loc && block ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    if (err == CL_SUCCESS) {
        const union head h = {.of = {k->function, k->size > 0}};
        memcpy(block, &h, sizeof h);
        if (k->size)
            memcpy(args, k->args, k->size);
    }
    for (cl_uint i = 0; err == CL_SUCCESS && i < k->n; i++) {
        mem[i] = yk_mem_real(k->mem[i], YK_P);
        loc[i] = args + k->at[i];
        memcpy(args + k->at[i], &mem[i], sizeof mem[i]);
    }
    if (err == CL_SUCCESS)
        err = YK_CL_P->EnqueueNativeKernel(c->queue->real, run, block, sizeof(union head) + k->size, k->n,
                                           k->n ? mem : NULL, k->n ? loc : NULL, nwait, wait, real);
    for (cl_uint i = 0; err == CL_SUCCESS && i < k->n; i++)
        (void)yk_mem_primary_may_write(k->mem[i]);
    free(mem);
    free(loc);
    free(block);
    return err;
}

static bool native_resident(struct yk_command *c)
{
    const struct native_command *k = (struct native_command *)c;
    for (cl_uint i = 0; i < k->n; i++)
        if (!yk_mem_at_primary(k->mem[i]))
            return false;
    return true;
}

static void native_release(struct yk_command *c)
{
    struct native_command *k = (struct native_command *)c;
    for (cl_uint i = 0; k->mem && i < k->n; i++)
        yk_drop(&k->mem[i]->h);
    free(k->mem);
    free(k->at);
    free(k->args);
}

static void *copy_of(const void *p, size_t n)
{
    void *q = malloc(n ? n : 1);
    if (q && n)
        memcpy(q, p, n);
    return q;
}

static cl_int native_capture(struct yk_command *c)
{
    struct native_command *k = (struct native_command *)c;
    k->args = copy_of(k->args, k->size);
    k->mem = copy_of(k->mem, k->n * sizeof *k->mem);
    k->at = copy_of(k->at, k->n * sizeof *k->at);
    if (!k->args || !k->mem || !k->at) {
        free(k->args);
        free(k->mem);
        free(k->at);
        return CL_OUT_OF_HOST_MEMORY;
    }
    for (cl_uint i = 0; i < k->n; i++)
        yk_hold(&k->mem[i]->h);
    return CL_SUCCESS;
}

static cl_int native_carry(struct yk_command *c, cl_event *real)
{
    struct native_command *k = (struct native_command *)c;
    cl_int err = CL_SUCCESS;
    uint64_t moved = 0;
    for (cl_uint i = 0; err == CL_SUCCESS && i < k->n; i++)
        if (!yk_mem_at_primary(k->mem[i])) {
            err = YK_CL_P->Finish(c->queue->real);
            if (err == CL_SUCCESS)
                err = yk_mem_need(k->mem[i], &moved);
        }
    yk_stats_moved(moved);
    if (err == CL_SUCCESS)
        err = native_issue(c, false, 0, NULL, real);
    return yk_command_issued(err, real);
}

static const struct yk_command_kind native_kind = {.type = CL_COMMAND_NATIVE_KERNEL,
                                                   .issue = native_issue,
                                                   .resident = native_resident,
                                                   .capture = native_capture,
                                                   .carry = native_carry,
                                                   .release = native_release};

cl_int yk_api_EnqueueNativeKernel(cl_command_queue command_queue, void (*user_func)(void *), void *args, size_t cb_args,
                                  cl_uint num_mem_objects, const cl_mem *mem_list, const void **args_mem_loc,
                                  cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event)
{
    struct yk_queue *q = yk_queue_from(command_queue);
    if (!q)
        return CL_INVALID_COMMAND_QUEUE;
    if (!user_func || !args != !cb_args || (!args && num_mem_objects) || !num_mem_objects != !mem_list ||
        !num_mem_objects != !args_mem_loc)
        return CL_INVALID_VALUE;
    cl_device_exec_capabilities can = 0;
    YK_CL_P->GetDeviceInfo(yk_context_device(q->ctx, q->device), CL_DEVICE_EXECUTION_CAPABILITIES, sizeof can, &can,
                           NULL);
    if (!(can & CL_EXEC_NATIVE_KERNEL))
        return CL_INVALID_OPERATION;
    struct native_command k = {.c = {.kind = &native_kind, .size = sizeof k, .queue = q},
                               .function = user_func,
                               .args = copy_of(args, cb_args),
                               .size = cb_args,
                               .n = num_mem_objects,
                               .mem = calloc(num_mem_objects + 1, sizeof *k.mem),
                               .at = calloc(num_mem_objects + 1, sizeof *k.at)};
    cl_int err = k.args && k.mem && k.at ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; err == CL_SUCCESS && i < num_mem_objects; i++) {
        k.mem[i] = yk_mem_from(mem_list[i]);
        size_t at = (size_t)((const char *)args_mem_loc[i] - (const char *)args);
        k.at[i] = at;
        if (!k.mem[i])
            err = CL_INVALID_MEM_OBJECT;
        else if (cb_args < sizeof(cl_mem) || at > cb_args - sizeof(cl_mem))
            err = CL_INVALID_VALUE;
    }
    yk_quiet_enter(q);
    for (cl_uint i = 0; err == CL_SUCCESS && i < num_mem_objects; i++)
        yk_users_note_command(q, k.mem[i], true, num_events_in_wait_list, event_wait_list);
    if (err == CL_SUCCESS)
        err = yk_command_enqueue(&k.c, false, num_events_in_wait_list, event_wait_list, event);
    yk_quiet_leave(q);
    free(k.args);
    free(k.mem);
    free(k.at);
    return err;
}
