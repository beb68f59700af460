#include "shim/core/context.h"
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/log.h"
#include "shim/core/leaver.h"
#include "shim/core/subdevice.h"
#include "shim/core/trace.h"

/* One report of a driver, on its way to the app. */
struct report {
    struct yk_context_errors to;
    size_t cb;
    char *private_info;
    char text[];
};

static void deliver(void *arg)
{
    struct report *r = arg;
    r->to.fn(r->text, r->private_info, r->cb, r->to.data);
    free(r->private_info);
    free(r);
}

/* On a thread of the driver's: the app's function may call OpenCL, so it is called from ours. */
static void CL_CALLBACK reported(const char *text, const void *private_info, size_t cb, void *data)
{
    const struct yk_context_errors *to = data;
    size_t n = text ? strlen(text) : 0;
    struct report *r = malloc(sizeof *r + n + 1);
    if (!r)
        return;
    *r = (struct report){.to = *to};
    if (n)
        memcpy(r->text, text, n);
    r->text[n] = 0;
    if (private_info && cb && (r->private_info = malloc(cb))) {
        memcpy(r->private_info, private_info, cb);
        r->cb = cb;
    }
    if (!to->post(deliver, r)) {
        free(r->private_info);
        free(r);
    }
}

static void free_shell(struct yk_context *ctx)
{
    for (cl_uint i = 0; i < ctx->ndevices; i++)
        if (yk_subdevice_from(ctx->device[i]))
            yk_drop((struct yk_handle *)(void *)ctx->device[i]);
    free(ctx->device);
    free(ctx->real_device);
    free(ctx->properties);
    free(ctx->errors);
    free(ctx);
}

void (*yk_context_end)(struct yk_context *ctx);

void yk_context_release(struct yk_context *ctx)
{
    while (ctx->mailboxes) {
        struct yk_context_mailboxes *m = ctx->mailboxes;
        ctx->mailboxes = m->next;
        yk_mailboxes_destroy(m->mailboxes);
        free(m);
    }
    yk_context_samplers_finish(ctx);
    for (unsigned i = 0; i < yk_rt.machine->n; i++) {
        const struct yk_cl *cl = yk_rt.machine->device[i].cl;
        for (int way = 0; way < YK_WAYS; way++) {
            if (ctx->ring[way][i])
                yk_ring_destroy(ctx->ring[way][i], ctx->link[way][i]);
            if (ctx->link[way][i])
                cl->ReleaseCommandQueue(ctx->link[way][i]);
        }
        if (ctx->transfer[i])
            cl->ReleaseCommandQueue(ctx->transfer[i]);
        if (ctx->real[i])
            cl->ReleaseContext(ctx->real[i]);
    }
    yk_lock_finish(&ctx->lock);
    free_shell(ctx);
}

static void context_destroy(struct yk_handle *h)
{
    struct yk_context *ctx = (struct yk_context *)h;
    while (ctx->on_destroy) {
        struct yk_context_notify *n = ctx->on_destroy;
        ctx->on_destroy = n->next;
        n->fn((cl_context)(void *)ctx, n->data);
        free(n);
    }
    void (*end)(struct yk_context *) = __atomic_load_n(&yk_context_end, __ATOMIC_ACQUIRE);
    if (end)
        end(ctx);
    if (yk_leaver_wanted())
        yk_leaver_take(ctx);
    else
        yk_context_release(ctx);
}

/* The app's properties with the virtual platform replaced by DEV's; only the primary gets more than the platform. */
static cl_context make_real(struct yk_context *ctx, unsigned dev, cl_int *err)
{
    const struct yk_device *d = &yk_rt.machine->device[dev];
    cl_context_properties plain[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)d->platform, 0};
    cl_context_properties *all = NULL;
    if (d == yk_rt.primary && ctx->nproperties > 1) {
        all = malloc(ctx->nproperties * sizeof *all);
        if (!all) {
            *err = CL_OUT_OF_HOST_MEMORY;
            return NULL;
        }
        memcpy(all, ctx->properties, ctx->nproperties * sizeof *all);
        for (size_t i = 0; i + 1 < ctx->nproperties; i += 2)
            if (all[i] == CL_CONTEXT_PLATFORM)
                all[i + 1] = (cl_context_properties)d->platform;
    }
    bool primary = d == yk_rt.primary;
    cl_context real =
        d->cl->CreateContext(all ? all : plain, primary ? ctx->ndevices : 1, primary ? ctx->real_device : &d->id,
                             primary && ctx->errors ? reported : NULL, primary ? ctx->errors : NULL, err);
    free(all);
    return real;
}

static bool copy_properties(struct yk_context *ctx, const cl_context_properties *properties)
{
    size_t n = 1;
    while (properties[n - 1])
        n += 2;
    ctx->properties = malloc(n * sizeof *properties);
    if (!ctx->properties)
        return false;
    memcpy(ctx->properties, properties, n * sizeof *properties);
    ctx->nproperties = n;
    return true;
}

static bool copy_devices(struct yk_context *ctx, cl_uint n, const cl_device_id *devices)
{
    ctx->device = malloc(n * sizeof(cl_device_id));
    ctx->real_device = malloc(n * sizeof(cl_device_id));
    if (!ctx->device || !ctx->real_device)
        return false;
    for (cl_uint i = 0; i < n; i++) {
        if (yk_context_device(ctx, devices[i]))
            continue;
        struct yk_subdevice *s = yk_subdevice_from(devices[i]);
        if (s) {
            yk_hold(&s->h);
            ctx->whole = true;
        }
        ctx->device[ctx->ndevices] = devices[i];
        ctx->real_device[ctx->ndevices++] = yk_device_real(devices[i]);
    }
    return true;
}

struct yk_context *yk_context_create(const cl_context_properties *properties, cl_uint ndevices,
                                     const cl_device_id *devices, const struct yk_context_errors *errors, cl_int *err)
{
    struct yk_context *ctx = calloc(1, sizeof *ctx);
    *err = CL_OUT_OF_HOST_MEMORY;
    if (!ctx)
        return NULL;
    yk_leaver_flush();
    if (errors && (ctx->errors = malloc(sizeof *errors)))
        *ctx->errors = *errors;
    unsigned p = yk_rt.primary->index;
    uint64_t start = yk_now_ns();
    if ((!errors || ctx->errors) && (!properties || copy_properties(ctx, properties)) &&
        copy_devices(ctx, ndevices, devices))
        ctx->real[p] = make_real(ctx, p, err);
    if (!ctx->real[p]) {
        free_shell(ctx);
        return NULL;
    }
    yk_trace_prepared("context", p, start);
    yk_lock_init(&ctx->lock, YK_RANK_CONTEXT);
    yk_handle_init(&ctx->h, YK_KIND_CONTEXT, context_destroy);
    *err = CL_SUCCESS;
    return ctx;
}

cl_device_id yk_context_device(const struct yk_context *ctx, cl_device_id device)
{
    for (cl_uint i = 0; i < ctx->ndevices; i++)
        if (ctx->device[i] == device)
            return ctx->real_device[i];
    return NULL;
}

cl_context yk_context_real(struct yk_context *ctx, unsigned dev)
{
    cl_context real = __atomic_load_n(&ctx->real[dev], __ATOMIC_ACQUIRE);
    if (real || ctx->whole || __atomic_load_n(&ctx->failed[dev], __ATOMIC_RELAXED))
        return real;
    /* One thread makes it, others wait: it takes a quarter of a second on a GPU. No lock of ours may be held across a
     * driver call; nothing comes back into yoke from this one. */
    static pthread_mutex_t making[YK_MAX_DEVICES] = {[0 ... YK_MAX_DEVICES - 1] = PTHREAD_MUTEX_INITIALIZER};
    pthread_mutex_lock(&making[dev]);
    real = __atomic_load_n(&ctx->real[dev], __ATOMIC_ACQUIRE);
    if (real || ctx->failed[dev]) {
        pthread_mutex_unlock(&making[dev]);
        return real;
    }
    cl_int err = CL_SUCCESS;
    uint64_t start = yk_now_ns();
    cl_context fresh = make_real(ctx, dev, &err);
    const struct yk_device *d = &yk_rt.machine->device[dev];
    if (!fresh) {
        __atomic_store_n(&ctx->failed[dev], err ? err : CL_OUT_OF_RESOURCES, __ATOMIC_RELAXED);
        yk_warn("device %u (%s) gives no context: %s; it takes no share", dev, d->name, yk_cl_error_name(err));
    } else {
        __atomic_store_n(&ctx->real[dev], fresh, __ATOMIC_RELEASE);
        yk_trace_prepared("context", dev, start);
        yk_info("device %u (%s): a context took %.0f ms", dev, d->name, (double)(yk_now_ns() - start) * 1e-6);
    }
    pthread_mutex_unlock(&making[dev]);
    return fresh;
}

/* The queue kept in *AT, made if need be. */
static cl_command_queue own_queue(struct yk_context *ctx, unsigned dev, cl_command_queue *at)
{
    cl_command_queue q = __atomic_load_n(at, __ATOMIC_ACQUIRE), none = NULL;
    if (q)
        return q;
    cl_context real = yk_context_real(ctx, dev);
    if (!real)
        return NULL;
    const struct yk_device *d = &yk_rt.machine->device[dev];
    cl_int err;
    q = d->cl->CreateCommandQueue(real, d == yk_rt.primary ? ctx->real_device[0] : d->id, 0, &err);
    if (!q) {
        yk_warn("device %u (%s) gives no command-queue: %s", dev, d->name, yk_cl_error_name(err));
        return NULL;
    }
    if (!__atomic_compare_exchange_n(at, &none, q, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        d->cl->ReleaseCommandQueue(q);
        return none;
    }
    return q;
}

cl_command_queue yk_context_transfer_queue(struct yk_context *ctx, unsigned dev)
{
    return own_queue(ctx, dev, &ctx->transfer[dev]);
}

cl_command_queue yk_context_link_queue(struct yk_context *ctx, unsigned dev, enum yk_direction way)
{
    return own_queue(ctx, dev, &ctx->link[way][dev]);
}
