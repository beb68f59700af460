#include "shim/object/program.h"
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "shim/core/trace.h"
#include "shim/object/part.h"
#include "shim/queue/included.h"

static void program_destroy(struct yk_handle *h)
{
    struct yk_program *p = (struct yk_program *)h;
    yk_rt.primary->cl->ReleaseProgram(p->real);
    if (p->build)
        yk_build_drop(p->build);
    yk_lock_finish(&p->lock);
    yk_drop(&p->ctx->h);
    free(p->source);
    free(p->asked);
    free(p->options);
    yk_part_drop(p->part);
    free(p);
}

struct yk_program *yk_program_wrap(struct yk_context *ctx, enum yk_program_origin origin, cl_program real,
                                   const char *source)
{
    struct yk_program *p = calloc(1, sizeof *p);
    if (!p || (source && !(p->source = strdup(source)))) {
        free(p);
        yk_rt.primary->cl->ReleaseProgram(real);
        return NULL;
    }
    p->ctx = ctx;
    yk_hold(&ctx->h);
    p->origin = origin;
    p->real = real;
    yk_lock_init(&p->lock, YK_RANK_PROGRAM);
    yk_handle_init(&p->h, YK_KIND_PROGRAM, program_destroy);
    return p;
}

struct yk_build *yk_program_begin(struct yk_program *p, const char *options, const struct timespec *begun)
{
    static const char *const why[] = {
        [YK_PROGRAM_BINARY] = "the program comes from a binary",
        [YK_PROGRAM_IL] = "the program comes from an intermediate language",
        [YK_PROGRAM_BUILTIN] = "the kernels are built into the driver",
        [YK_PROGRAM_LINKED] = "the program was linked with options, or of parts whose sources are not known"};
    bool whole = p->ctx->whole;
    struct yk_build_from from = {.source = whole ? NULL : p->source,
                                 .options = p->options ? p->options : options,
                                 .reason = whole ? "the context has sub-devices" : why[p->origin],
                                 .binary = p->origin == YK_PROGRAM_BINARY && p->options ? &p->binary : NULL};
    if (p->origin == YK_PROGRAM_SOURCE && begun)
        from.begun = *begun;
    if (p->origin == YK_PROGRAM_LINKED && p->part) {
        from.begun = p->part->begun;
        from.folder = p->part->folder;
        from.names = p->part->names;
    }
    return yk_build_begin(p->ctx, p->real, &from);
}

void yk_program_built(struct yk_program *p, struct yk_build *b, double seconds)
{
    yk_build_built(b, seconds);
    yk_trace_prepared("the program's own build", yk_rt.primary->index, yk_now_ns() - (uint64_t)(seconds * 1e9));
    yk_lock_take(&p->lock);
    struct yk_build *old = p->build;
    p->build = b;
    yk_lock_drop(&p->lock);
    if (old)
        yk_build_drop(old);
}

cl_int yk_program_is_built(struct yk_program *p, const char *options)
{
    struct yk_build *b = yk_program_begin(p, options, NULL);
    if (!b)
        return CL_OUT_OF_HOST_MEMORY;
    yk_program_built(p, b, 0);
    return CL_SUCCESS;
}

struct yk_container_image yk_program_container(struct yk_program *p, cl_int *err)
{
    const struct yk_cl *cl = yk_rt.primary->cl;
    struct yk_container_image image = {0};
    struct yk_build *b = p->source && !p->ctx->whole ? yk_program_build(p) : NULL;
    *err = CL_SUCCESS;
    if (!b)
        return image;
    struct yk_container c = {.source = p->source, .options = b->options};
    unsigned char *binary = NULL;
    *err = cl->GetProgramInfo(p->real, CL_PROGRAM_BINARY_SIZES, sizeof c.binary_size, &c.binary_size, NULL);
    if (*err == CL_SUCCESS && c.binary_size && !(binary = malloc(c.binary_size)))
        *err = CL_OUT_OF_HOST_MEMORY;
    if (binary)
        *err = cl->GetProgramInfo(p->real, CL_PROGRAM_BINARIES, sizeof(unsigned char *), &binary, NULL);
    if (*err == CL_SUCCESS && binary) {
        c.binary = binary;
        image = yk_container_write(&c);
        if (image.bytes)
            yk_included_given(b, yk_hash_bytes((struct yk_hash){0, 0}, image.bytes, image.size));
        else
            *err = CL_OUT_OF_HOST_MEMORY;
    }
    free(binary);
    yk_build_drop(b);
    return image;
}

struct yk_build *yk_program_build(struct yk_program *p)
{
    yk_lock_take(&p->lock);
    struct yk_build *b = p->build;
    if (b)
        yk_build_hold(b);
    yk_lock_drop(&p->lock);
    return b;
}
