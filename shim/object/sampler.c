#include "shim/object/sampler.h"
#include <stdlib.h>
#include "shim/core/registry.h"

static void sampler_destroy(struct yk_handle *h)
{
    struct yk_sampler *s = (struct yk_sampler *)h;
    yk_registry_remove(s);
    yk_rt.primary->cl->ReleaseSampler(s->real);
    yk_drop(&s->ctx->h);
    free(s);
}

struct yk_sampler *yk_sampler_wrap(struct yk_context *ctx, cl_sampler real)
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
    yk_handle_init(&s->h, YK_KIND_SAMPLER, sampler_destroy);
    return s;
}
