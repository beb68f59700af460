#include "shim/core/context.h"
#include <stdlib.h>
#include <string.h>
#include "base/log.h"

static void context_destroy(struct yk_handle *h)
{
    struct yk_context *ctx = (struct yk_context *)h;
    while (ctx->on_destroy) {
        struct yk_context_notify *n = ctx->on_destroy;
        ctx->on_destroy = n->next;
        n->fn((cl_context)(void *)ctx, n->data);
        free(n);
    }
    for (unsigned i = 0; i < yk_rt.machine->n; i++) {
        const struct yk_cl *cl = yk_rt.machine->device[i].cl;
        if (ctx->transfer[i])
            cl->ReleaseCommandQueue(ctx->transfer[i]);
        if (ctx->real[i])
            cl->ReleaseContext(ctx->real[i]);
    }
    yk_lock_finish(&ctx->lock);
    free(ctx->properties);
    free(ctx);
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
    cl_context real = d->cl->CreateContext(all ? all : plain, 1, &d->id, NULL, NULL, err);
    free(all);
    return real;
}

struct yk_context *yk_context_create(const cl_context_properties *properties, cl_int *err)
{
    struct yk_context *ctx = calloc(1, sizeof *ctx);
    if (!ctx) {
        *err = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    if (properties) {
        size_t n = 1;
        while (properties[n - 1])
            n += 2;
        ctx->properties = malloc(n * sizeof *properties);
        if (!ctx->properties) {
            free(ctx);
            *err = CL_OUT_OF_HOST_MEMORY;
            return NULL;
        }
        memcpy(ctx->properties, properties, n * sizeof *properties);
        ctx->nproperties = n;
    }
    unsigned p = yk_rt.primary->index;
    ctx->real[p] = make_real(ctx, p, err);
    if (!ctx->real[p]) {
        free(ctx->properties);
        free(ctx);
        return NULL;
    }
    yk_lock_init(&ctx->lock, YK_RANK_CONTEXT);
    yk_handle_init(&ctx->h, YK_KIND_CONTEXT, context_destroy);
    *err = CL_SUCCESS;
    return ctx;
}

cl_context yk_context_real(struct yk_context *ctx, unsigned dev)
{
    cl_context real = __atomic_load_n(&ctx->real[dev], __ATOMIC_ACQUIRE);
    if (real || ctx->failed[dev])
        return real;
    /* No lock is held across a driver call: two threads may both create; the second gives its own back. */
    cl_int err = CL_SUCCESS;
    cl_context fresh = make_real(ctx, dev, &err), none = NULL;
    const struct yk_device *d = &yk_rt.machine->device[dev];
    if (!fresh) {
        ctx->failed[dev] = err ? err : CL_OUT_OF_RESOURCES;
        yk_warn("device %u (%s) gives no context: %s; it takes no share", dev, d->name, yk_cl_error_name(err));
        return NULL;
    }
    if (!__atomic_compare_exchange_n(&ctx->real[dev], &none, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        d->cl->ReleaseContext(fresh);
        return none;
    }
    return fresh;
}

cl_command_queue yk_context_transfer_queue(struct yk_context *ctx, unsigned dev)
{
    cl_command_queue q = __atomic_load_n(&ctx->transfer[dev], __ATOMIC_ACQUIRE), none = NULL;
    if (q)
        return q;
    cl_context real = yk_context_real(ctx, dev);
    if (!real)
        return NULL;
    const struct yk_device *d = &yk_rt.machine->device[dev];
    cl_int err;
    q = d->cl->CreateCommandQueue(real, d->id, 0, &err);
    if (!q) {
        yk_warn("device %u (%s) gives no command-queue: %s", dev, d->name, yk_cl_error_name(err));
        return NULL;
    }
    if (!__atomic_compare_exchange_n(&ctx->transfer[dev], &none, q, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        d->cl->ReleaseCommandQueue(q);
        return none;
    }
    return q;
}
