/* Virtual samplers, and the same ones on other devices, for shares. A sampler is three words: no copy needs the object
 * that the program has made, which may be gone before a launch is carried out. Who uses it: api/, object/, queue/. */
#ifndef YK_SHIM_CORE_SAMPLER_H
#define YK_SHIM_CORE_SAMPLER_H

#include "shim/core/context.h"

/* What a sampler does. */
struct yk_sampling {
    cl_bool normalized;
    cl_addressing_mode addressing;
    cl_filter_mode filter;
};

struct yk_sampler {
    struct yk_handle h;
    struct yk_context *ctx; /* held */
    cl_sampler real;        /* of the primary */
    bool plain;             /* SAMPLING is all that it is */
    struct yk_sampling sampling;
};

/** Takes over REAL. PLAIN: made without properties that struct yk_sampling has not. NULL: no memory (REAL released). */
struct yk_sampler *yk_sampler_wrap(struct yk_context *ctx, cl_sampler real, bool plain);

/** One that does the same on DEV (the primary too), for as long as CTX lives; NULL: the device has none. Thread: any;
 * no lock held. Cost: some loads, or the making of one. */
cl_sampler yk_sampler_on(struct yk_context *ctx, unsigned dev, const struct yk_sampling *s);

static inline struct yk_sampler *yk_sampler_from(cl_sampler c)
{
    return yk_handle_is((void *)c, YK_KIND_SAMPLER) ? (struct yk_sampler *)(void *)c : NULL;
}

#endif
