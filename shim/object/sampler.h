/* Virtual samplers: only the primary has them. Who uses it: api/, kernel.c. */
#ifndef YK_SHIM_OBJECT_SAMPLER_H
#define YK_SHIM_OBJECT_SAMPLER_H

#include "shim/core/context.h"

struct yk_sampler {
    struct yk_handle h;
    struct yk_context *ctx; /* held */
    cl_sampler real;        /* of the primary */
};

/** Takes over REAL. NULL: no memory (REAL released). */
struct yk_sampler *yk_sampler_wrap(struct yk_context *ctx, cl_sampler real);

static inline struct yk_sampler *yk_sampler_from(cl_sampler c)
{
    return yk_handle_is((void *)c, YK_KIND_SAMPLER) ? (struct yk_sampler *)(void *)c : NULL;
}

#endif
