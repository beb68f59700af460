#include "shim/core/sampler.h"
#include <stdlib.h>
#include "base/log.h"
#include "shim/core/registry.h"

/* One of a context on a device; the list grows only. */
struct yk_context_sampler {
    unsigned dev;
    struct yk_sampling sampling;
    cl_sampler real;
    struct yk_context_sampler *next;
};

static void sampler_destroy(struct yk_handle *h)
{
    struct yk_sampler *s = (struct yk_sampler *)h;
    yk_registry_remove(s);
    yk_rt.primary->cl->ReleaseSampler(s->real);
    yk_drop(&s->ctx->h);
    free(s);
}

/* What the driver says of itself. False: it does not. */
static bool ask(cl_sampler real, struct yk_sampling *s)
{
    const struct yk_cl *cl = yk_rt.primary->cl;
    return cl->GetSamplerInfo(real, CL_SAMPLER_NORMALIZED_COORDS, sizeof s->normalized, &s->normalized, NULL) ==
               CL_SUCCESS &&
           cl->GetSamplerInfo(real, CL_SAMPLER_ADDRESSING_MODE, sizeof s->addressing, &s->addressing, NULL) ==
               CL_SUCCESS &&
           cl->GetSamplerInfo(real, CL_SAMPLER_FILTER_MODE, sizeof s->filter, &s->filter, NULL) == CL_SUCCESS;
}

struct yk_sampler *yk_sampler_wrap(struct yk_context *ctx, cl_sampler real, bool plain)
{
    struct yk_sampler *s = calloc(1, sizeof *s);
    if (!s || !yk_registry_add(s)) {
        free(s);
        yk_rt.primary->cl->ReleaseSampler(real);
        return NULL;
    }
    s->ctx = ctx;
    yk_hold(&ctx->h);
    s->real = real;
    s->plain = plain && ask(real, &s->sampling);
    yk_handle_init(&s->h, YK_KIND_SAMPLER, sampler_destroy);
    return s;
}

static cl_sampler find(const struct yk_context_sampler *c, unsigned dev, const struct yk_sampling *s)
{
    for (; c; c = c->next)
        if (c->dev == dev && c->sampling.normalized == s->normalized && c->sampling.addressing == s->addressing &&
            c->sampling.filter == s->filter)
            return c->real;
    return NULL;
}

cl_sampler yk_sampler_on(struct yk_context *ctx, unsigned dev, const struct yk_sampling *s)
{
    struct yk_context_sampler *first = __atomic_load_n(&ctx->samplers, __ATOMIC_ACQUIRE), *fresh;
    cl_sampler real = find(first, dev, s);
    cl_context on = real ? NULL : yk_context_real(ctx, dev);
    if (!on || !(fresh = calloc(1, sizeof *fresh)))
        return real;
    const struct yk_device *d = &yk_rt.machine->device[dev];
    cl_int err = CL_SUCCESS;
    fresh->real = d->cl->CreateSampler(on, s->normalized, s->addressing, s->filter, &err);
    if (!fresh->real) {
        yk_info("device %u (%s) gives no sampler: %s", dev, d->name, yk_cl_error_name(err));
        free(fresh);
        return NULL;
    }
    fresh->dev = dev;
    fresh->sampling = *s;
    do /* two threads may each add one, which does no harm */
        fresh->next = first;
    while (!__atomic_compare_exchange_n(&ctx->samplers, &first, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    return fresh->real;
}

void yk_context_samplers_finish(struct yk_context *ctx)
{
    while (ctx->samplers) {
        struct yk_context_sampler *c = ctx->samplers;
        ctx->samplers = c->next;
        yk_rt.machine->device[c->dev].cl->ReleaseSampler(c->real);
        free(c);
    }
}
