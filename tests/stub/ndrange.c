/* Launches: the NDRange interpreted item by item (or group by group) over a C function. */
#include <stdlib.h>
#include <string.h>
#include "tests/stub/stub.h"

struct launch {
    const struct stub_function *function;
    unsigned n;
    cl_uint dims;
    size_t global[3], local[3], offset[3];
    enum stub_arg_kind kind[STUB_ARGS];
    struct stub_value value[STUB_ARGS];
    unsigned back[STUB_ARGS]; /* 1 + the pointer that this argument says to move back (transform/windows.h); 0: none */
};

/* Kernels over windows of buffers: the pointers are moved back as the variant's text would. */
static void move_back(const struct launch *l, void **arg)
{
    for (unsigned a = 0; a < l->n; a++) {
        uint64_t by;
        memcpy(&by, l->value[a].bytes, sizeof by);
        if (l->back[a])
            arg[l->back[a] - 1] = (void *)((uintptr_t)arg[l->back[a] - 1] - (uintptr_t)by);
    }
}

static cl_int run(struct stub_command *c)
{
    const struct launch *l = (const struct launch *)c->payload;
    void *arg[STUB_ARGS] = {NULL};
    unsigned char bytes[STUB_ARGS][64];
    cl_int rc = CL_SUCCESS;
    for (unsigned a = 0; a < l->n; a++) {
        const struct stub_value *v = &l->value[a];
        if (l->kind[a] == STUB_ARG_VALUE) {
            memcpy(bytes[a], v->bytes, sizeof bytes[a]);
            arg[a] = bytes[a];
        } else if (l->kind[a] == STUB_ARG_LOCAL) {
            if (!(arg[a] = malloc(v->size)))
                rc = CL_OUT_OF_RESOURCES;
        } else {
            arg[a] = v->mem ? v->mem->data : NULL;
        }
    }
    move_back(l, arg);
    struct stub_item i = {.dims = l->dims, .args = l->n};
    for (int d = 0; d < 3; d++) {
        i.global_size[d] = l->global[d];
        i.local_size[d] = l->local[d];
        i.groups[d] = l->global[d] / l->local[d];
        i.offset[d] = l->offset[d];
    }
    size_t groups = i.groups[0] * i.groups[1] * i.groups[2];
    size_t items = l->function->per_group ? 1 : l->local[0] * l->local[1] * l->local[2];
    for (size_t g = 0; g < groups && rc == CL_SUCCESS; g++) {
        i.group[0] = g % i.groups[0];
        i.group[1] = g / i.groups[0] % i.groups[1];
        i.group[2] = g / i.groups[0] / i.groups[1];
        for (size_t t = 0; t < items; t++) {
            i.local[0] = t % l->local[0];
            i.local[1] = t / l->local[0] % l->local[1];
            i.local[2] = t / l->local[0] / l->local[1];
            for (int d = 0; d < 3; d++)
                i.global[d] = i.offset[d] + i.group[d] * i.local_size[d] + i.local[d];
            l->function->fn(&i, arg);
        }
    }
    for (unsigned a = 0; a < l->n; a++)
        if (l->kind[a] == STUB_ARG_LOCAL)
            free(arg[a]);
    return rc;
}

/* The largest divisor of N up to MAX. */
static size_t divisor(size_t n, size_t max)
{
    for (size_t d = max < n ? max : n; d > 1; d--)
        if (n % d == 0)
            return d;
    return 1;
}

static cl_int check_range(struct launch *l, cl_uint dims, const size_t *offset, const size_t *global,
                          const size_t *local)
{
    static const size_t most[3] = {1024, 1024, 64};
    if (dims < 1 || dims > 3)
        return CL_INVALID_WORK_DIMENSION;
    l->dims = dims;
    size_t items = 1;
    for (cl_uint d = 0; d < 3; d++) {
        l->global[d] = d >= dims ? 1 : global ? global[d] : 0; /* a range of nothing: as of OpenCL 2.1 */
        l->offset[d] = d < dims && offset ? offset[d] : 0;
        if (l->offset[d] + l->global[d] < l->global[d])
            return CL_INVALID_GLOBAL_OFFSET;
        l->local[d] = d >= dims ? 1 : local ? local[d] : d == 0 ? divisor(l->global[0], 64) : 1;
        if (!l->local[d] || l->global[d] % l->local[d])
            return CL_INVALID_WORK_GROUP_SIZE;
        if (l->local[d] > most[d])
            return CL_INVALID_WORK_ITEM_SIZE;
        items *= l->local[d];
    }
    return items > 1024 ? CL_INVALID_WORK_GROUP_SIZE : CL_SUCCESS;
}

static cl_int launch(cl_command_queue q, cl_kernel k, cl_command_type type, cl_uint dims, const size_t *offset,
                     const size_t *global, const size_t *local, cl_uint n, const cl_event *wait, cl_event *event)
{
    struct launch l = {0};
    stub_enter();
    cl_int rc = stub_check_enqueue(q, n, wait);
    if (rc == CL_SUCCESS && !stub_check(k, STUB_KERNEL))
        rc = CL_INVALID_KERNEL;
    if (rc == CL_SUCCESS && k->program->context != q->context)
        rc = CL_INVALID_CONTEXT;
    for (unsigned a = 0; rc == CL_SUCCESS && a < k->signature.n; a++) {
        l.kind[a] = k->signature.param[a].kind;
        l.value[a] = k->value[a];
        l.back[a] =
            !strncmp(k->signature.param[a].name, "yk_back", 7) ? 1 + (unsigned)atoi(k->signature.param[a].name + 7) : 0;
        if (!k->value[a].set)
            rc = CL_INVALID_KERNEL_ARGS;
        else if (k->value[a].mem) /* a kernel retains nothing: this one must still be alive now */
            rc = stub_check(k->value[a].mem, STUB_MEM) && k->value[a].mem->context == q->context ? CL_SUCCESS
                                                                                                 : CL_INVALID_CONTEXT;
    }
    if (rc == CL_SUCCESS)
        rc = check_range(&l, dims, offset, global, local);
    if (rc == CL_SUCCESS) {
        l.function = k->function;
        l.n = k->signature.n;
        struct stub_command *c = stub_command(run, &l, sizeof l);
        rc = CL_OUT_OF_HOST_MEMORY;
        if (c) {
            c->kernel = k;
            stub_use(k);
            for (unsigned a = 0; a < l.n; a++)
                if (l.value[a].mem)
                    stub_mem_use(c, l.value[a].mem);
            rc = stub_submit(q, c, type, false, n, wait, event);
        }
    }
    stub_leave();
    return rc;
}

cl_int stub_impl_EnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint dims, const size_t *offset,
                                      const size_t *global, const size_t *local, cl_uint n, const cl_event *wait,
                                      cl_event *event)
{
    return launch(q, k, CL_COMMAND_NDRANGE_KERNEL, dims, offset, global, local, n, wait, event);
}

cl_int stub_impl_EnqueueTask(cl_command_queue q, cl_kernel k, cl_uint n, const cl_event *wait, cl_event *event)
{
    const size_t one = 1;
    return launch(q, k, CL_COMMAND_TASK, 1, NULL, &one, &one, n, wait, event);
}
