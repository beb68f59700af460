/* Operands whose writes are not exact, put together by a merge kernel. */
#include <stdlib.h>
#include "shim/queue/merger.h"
#include "shim/queue/operand.h"

static bool own(const struct yk_operand *a, unsigned dev)
{
    return yk_store_real(a->store, dev) && yk_store_location(a->store, dev) != YK_HOST;
}

/* Does the output of A, made by DEV, have to be put together with others'? */
static bool concerned(const struct yk_operand *a, unsigned dev)
{
    return a->written && a->how != YK_OPERAND_EXACT && own(a, dev);
}

void yk_operands_choose(struct yk_operands *s)
{
    uint64_t compared = 0, lacked = 0;
    bool any = false;
    for (unsigned i = 0; i < s->n; i++) {
        struct yk_operand *a = &s->v[i];
        for (unsigned dev = 0; dev < yk_rt.machine->n; dev++) {
            if (!s->decision->takes[dev] || !concerned(a, dev))
                continue;
            any = true;
            struct yk_region all = yk_region_plain(a->off, a->len);
            if (a->how == YK_OPERAND_WHOLE) {
                compared += a->len;
                lacked += yk_store_lacks(a->store, dev, &all);
            }
            for (size_t k = 0; k < s->parts.part.n; k++) {
                const struct yk_part *p = &s->parts.part.v[k];
                if (!p->write || p->dev != dev || !yk_operand_has(p, a))
                    continue;
                compared += yk_part_length(p);
                lacked += yk_store_lacks(a->store, dev, &p->region);
            }
        }
    }
    s->by_kernel = any && yk_merger_choose(s->launch, s->facts, s->decision, compared, lacked, &s->merger);
}

static struct yk_operand *operand_of(struct yk_operands *s, const struct yk_mem *m)
{
    for (unsigned i = 0; i < s->n; i++)
        if (s->v[i].store == m->store && s->v[i].off <= m->origin && m->origin + m->size <= s->v[i].off + s->v[i].len)
            return &s->v[i];
    return NULL;
}

static cl_int read_part(struct yk_operands *s, const struct yk_mem *m, unsigned dev, size_t off, size_t len,
                        unsigned char *out)
{
    size_t end = off + len < m->origin + m->size ? off + len : m->origin + m->size;
    off = off > m->origin ? off : m->origin;
    cl_command_queue q = yk_context_transfer_queue(m->store->ctx, dev);
    if (off >= end)
        return CL_SUCCESS;
    s->moved += end - off;
    return !q ? CL_OUT_OF_RESOURCES
              : yk_rt.machine->device[dev].cl->EnqueueReadBuffer(q, m->store->real[dev], CL_TRUE, off, end - off,
                                                                 out + (off - m->origin), 0, NULL, NULL);
}

/* The output of argument OUT->arg that DEV made with share SHARE, into OUT. */
static cl_int fetch(struct yk_operands *s, unsigned share, unsigned dev, struct yk_merger_output *out)
{
    const struct yk_value *v = &s->launch->value[out->arg];
    const struct yk_mem *m = v->kind == YK_VALUE_MEM ? v->u.mem : NULL;
    const struct yk_operand *a = m ? operand_of(s, m) : NULL;
    if (!a || !concerned(a, dev))
        return CL_SUCCESS;
    if (!(out->bytes = yk_merger_memory(m->size)))
        return CL_OUT_OF_HOST_MEMORY;
    if (a->how == YK_OPERAND_WHOLE)
        return read_part(s, m, dev, m->origin, m->size, out->bytes);
    cl_int err = CL_SUCCESS;
    for (size_t i = 0; i < s->parts.part.n && err == CL_SUCCESS; i++) {
        const struct yk_part *p = &s->parts.part.v[i];
        if (p->write && p->share == share && yk_operand_has(p, a))
            err = read_part(s, m, dev, (size_t)p->region.offset, yk_part_length(p), out->bytes);
    }
    return err;
}

/* What the merge kernel reads to find its way, at the host: what share SHARE reads of buffers that are not written. */
static cl_int bring_inputs(struct yk_operands *s, unsigned share)
{
    cl_int err = CL_SUCCESS;
    for (unsigned i = 0; i < s->n && err == CL_SUCCESS; i++) {
        struct yk_operand *a = &s->v[i];
        if (a->written || !a->read)
            continue;
        if (a->how == YK_OPERAND_WHOLE)
            err = yk_store_need(a->store, s->merger, a->off, a->len, &s->moved);
        for (size_t k = 0; k < s->parts.part.n && err == CL_SUCCESS; k++) {
            const struct yk_part *p = &s->parts.part.v[k];
            if (!p->write && p->share == share && yk_operand_has(p, a))
                err = yk_store_need_region(a->store, s->merger, &p->region, NULL, &s->moved);
        }
    }
    return err;
}

static cl_int merge_share(struct yk_operands *s, unsigned share, unsigned *bad)
{
    const struct yk_facts_kernel *f = s->facts;
    struct yk_merger_output *out = calloc(f->nargs + 1u, sizeof *out);
    unsigned n = 0, dev = s->runs[share];
    cl_int err = out ? bring_inputs(s, share) : CL_OUT_OF_HOST_MEMORY;
    *bad = dev;
    for (unsigned i = 0; i < f->nargs && err == CL_SUCCESS; i++)
        if (f->arg[i].written && f->arg[i].kind == YK_ARG_GLOBAL) {
            out[n].arg = i;
            err = fetch(s, share, dev, &out[n++]);
        }
    if (err == CL_SUCCESS) {
        *bad = s->merger;
        err = yk_merger_run(s->launch, f, s->decision, s->merger, s->decision->from[share], s->decision->to[share], out,
                            n);
    }
    for (unsigned i = 0; i < n; i++)
        free(out[i].bytes);
    free(out);
    return err;
}

cl_int yk_operands_merge_by_kernel(struct yk_operands *s, const bool *used, unsigned *bad)
{
    cl_int err = CL_SUCCESS;
    for (unsigned share = 0; share < yk_rt.machine->n && err == CL_SUCCESS; share++) {
        bool some = false;
        if (!s->decision->takes[share] || !used[s->runs[share]])
            continue;
        for (unsigned i = 0; i < s->n; i++)
            some |= concerned(&s->v[i], s->runs[share]);
        if (some)
            err = merge_share(s, share, bad);
    }
    return err;
}
