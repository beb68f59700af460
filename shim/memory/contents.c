#include "shim/memory/contents.h"
#include "base/clock.h"
#include "shim/core/trace.h"
#include "shim/memory/inplace.h"
#include "shim/memory/link.h"

/* The driver's own way gives a buffer memory of the device when a command first uses it, this one at once: of programs
 * that make more than they use, no more than half of the memory goes so. */
enum { PART = 2 };

/* Of the least that a ring carries. From 32 MiB on an H200's first map costs the driver more (0.4 ms a MiB) than yoke's
 * maps do until what they move has been pinned where it lies (inplace.h: from 16 MiB on, after eight transfers). */
enum { MAPPED = 8 };

/* A ring takes 5.5 ms to make and carries 64 MiB in 2 to 4 more, at the first launch. An H200's driver pins them in 2
 * ms, when the buffer is made, and moves them in 1. All told a ring is the shorter way from 192 MiB on, by 3 ms for
 * 256, but the first launch waits for all of it, 6 ms more. So the first such buffers of a process are pinned. */
enum { PINNED = 512 << 20 };

static uint64_t made, over; /* bytes; atomic */

static bool take(size_t size)
{
    bool room = __atomic_add_fetch(&made, size, __ATOMIC_RELAXED) <= yk_rt.primary->global_mem / PART;
    if (!room)
        yk_contents_gone(size);
    return room;
}

void yk_contents_gone(size_t size)
{
    __atomic_sub_fetch(&made, size, __ATOMIC_RELAXED);
}

bool yk_contents_mapped_here(cl_mem_flags flags, size_t size)
{
    return !(flags & CL_MEM_ALLOC_HOST_PTR) && yk_link_makes(yk_rt.primary->index, size / MAPPED);
}

void yk_contents_over(struct yk_context *ctx, const void *ptr, size_t size)
{
    if (!__atomic_load_n(&ctx->ring[YK_IN][yk_rt.primary->index], __ATOMIC_ACQUIRE) &&
        __atomic_add_fetch(&over, size, __ATOMIC_RELAXED) <= PINNED)
        yk_inplace_note(ctx, ptr, size, true);
}

cl_mem yk_contents_create(struct yk_context *ctx, cl_mem_flags flags, size_t size, const void *from)
{
    const struct yk_device *d = yk_rt.primary;
    cl_int err;
    if (!yk_link_makes(d->index, size) || !take(size))
        return NULL;
    cl_mem real =
        d->cl->CreateBuffer(ctx->real[d->index], flags & ~(cl_mem_flags)CL_MEM_COPY_HOST_PTR, size, NULL, &err);
    uint64_t began = yk_now_ns();
    if (!real || yk_link_write(ctx, d->index, real, 0, from, size) != CL_SUCCESS) {
        if (real)
            d->cl->ReleaseMemObject(real);
        yk_contents_gone(size);
        return NULL;
    }
    yk_trace_moved("write", size, began);
    return real;
}
