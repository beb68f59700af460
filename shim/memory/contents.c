#include "shim/memory/contents.h"
#include "base/clock.h"
#include "shim/core/trace.h"
#include "shim/memory/link.h"

cl_mem yk_contents_create(struct yk_context *ctx, cl_mem_flags flags, size_t size, const void *from)
{
    const struct yk_device *d = yk_rt.primary;
    cl_int err;
    if (!yk_link_makes(d->index, size))
        return NULL;
    cl_mem real =
        d->cl->CreateBuffer(ctx->real[d->index], flags & ~(cl_mem_flags)CL_MEM_COPY_HOST_PTR, size, NULL, &err);
    if (!real)
        return NULL;
    uint64_t began = yk_now_ns();
    if (yk_link_write(ctx, d->index, real, 0, from, size) != CL_SUCCESS) {
        d->cl->ReleaseMemObject(real);
        return NULL;
    }
    yk_trace_span(yk_track_link(d->index), "copy", "write", began, yk_now_ns(), "\"bytes\":%zu", size);
    return real;
}
