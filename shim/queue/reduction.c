#include "shim/queue/reduction.h"
#include <stdlib.h>
#include <string.h>
#include "shim/memory/link.h"
#include "shim/merge/reduce.h"
#include "shim/queue/part.h"

/* Another argument over the same bytes would see what is only put together at the end. */
static bool alone(const struct yk_launch *l, unsigned arg)
{
    const struct yk_mem *m = l->value[arg].u.mem;
    for (unsigned i = 0; i < l->nvalues; i++) {
        const struct yk_mem *o = l->value[i].kind == YK_VALUE_MEM && i != arg ? l->value[i].u.mem : NULL;
        if (o && o->store == m->store && o->origin < m->origin + m->size && m->origin < o->origin + o->size)
            return false;
    }
    return true;
}

/* Where R is touched, kind by kind. False: two kinds meet. */
static bool spans(struct yk_reduction *r, const struct yk_facts_kernel *f, const struct yk_reach *reach)
{
    const struct yk_facts_arg *a = &f->arg[r->arg];
    unsigned size = 0;
    for (unsigned i = 0; i < f->naccesses; i++) {
        if (f->access[i].arg != r->arg)
            continue;
        if (size && size != f->access[i].bytes)
            return false;
        size = f->access[i].bytes;
    }
    if (!a->bounded || (size != 4 && size != 8))
        return false;
    for (size_t i = 0; i < reach->touch.n; i++) {
        const struct yk_touch *t = &reach->touch.v[i];
        if (t->arg != r->arg)
            continue;
        size_t off = (size_t)t->region.offset / size * size, end = (size_t)yk_region_end(&t->region);
        end = (end + size - 1) / size * size;
        end = end > r->mem->size ? r->mem->size / size * size : end;
        if (t->kind <= YK_ACCESS_ATOMIC || r->nspans == YK_REDUCTION_SPANS)
            return false;
        for (unsigned o = 0; o < r->nspans; o++)
            if (off < r->span[o].off + r->span[o].len && r->span[o].off < end)
                return false;
        if (off >= end)
            continue;
        r->span[r->nspans].off = off;
        r->span[r->nspans].len = end - off;
        r->span[r->nspans].kind = t->kind;
        r->span[r->nspans++].size = size;
    }
    return true;
}

yk_status yk_reductions_collect(const struct yk_launch *l, const struct yk_facts_kernel *f, const struct yk_decision *d,
                                struct yk_reductions *s)
{
    *s = (struct yk_reductions){.home = YK_MAX_DEVICES};
    if (f->verdict != YK_VERDICT_REDUCTION)
        return YK_OK;
    struct yk_parts p = {.part = {NULL, 0, 0}};
    s->v = calloc(l->nvalues + 1, sizeof *s->v);
    yk_status st = s->v ? yk_parts_reach(&p, l, f, d, 0, d->total) : YK_ENOMEM;
    for (unsigned i = 0; i < l->nvalues && i < f->nargs && st == YK_OK; i++) {
        if (!f->arg[i].atomic || l->value[i].kind != YK_VALUE_MEM)
            continue;
        struct yk_reduction *r = &s->v[s->n++];
        *r = (struct yk_reduction){.arg = i, .mem = l->value[i].u.mem};
        if (!f->arg[i].reduces || !alone(l, i) || !spans(r, f, &p.reach))
            st = YK_EINVAL;
    }
    yk_parts_finish(&p);
    return st;
}

bool yk_reductions_have(const struct yk_reductions *s, unsigned i)
{
    for (unsigned r = 0; r < s->n; r++)
        if (s->v[r].arg == i)
            return true;
    return false;
}

cl_int yk_reductions_bring(struct yk_reductions *s, unsigned home, uint64_t *moved)
{
    s->home = home;
    for (unsigned i = 0; i < s->n; i++) {
        struct yk_reduction *r = &s->v[i];
        cl_int err = yk_store_need(r->mem->store, home, r->mem->origin, r->mem->size, moved);
        if (err == CL_SUCCESS)
            err = yk_store_need_host(r->mem->store, r->mem->origin, r->mem->size, moved);
        if (err != CL_SUCCESS)
            return err;
        free(r->before);
        r->before = malloc(r->mem->size);
        if (!r->before)
            return CL_OUT_OF_HOST_MEMORY;
        memcpy(r->before, r->mem->store->master + r->mem->origin, r->mem->size);
    }
    return CL_SUCCESS;
}

cl_int yk_reductions_apart(struct yk_reductions *s, unsigned dev, cl_kernel k)
{
    const struct yk_cl *cl = yk_rt.machine->device[dev].cl;
    for (unsigned i = 0; i < s->n; i++) {
        struct yk_reduction *r = &s->v[i];
        struct yk_context *ctx = r->mem->ctx;
        cl_context real = yk_context_real(ctx, dev);
        cl_command_queue q = yk_context_transfer_queue(ctx, dev);
        cl_int err = real && q ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
        unsigned char *neutral = err == CL_SUCCESS ? calloc(1, r->mem->size) : NULL;
        if (!neutral)
            return err == CL_SUCCESS ? CL_OUT_OF_HOST_MEMORY : err;
        for (unsigned p = 0; p < r->nspans; p++)
            yk_reduce_neutral(r->span[p].kind, r->span[p].size, neutral + r->span[p].off,
                              r->span[p].len / r->span[p].size);
        if (!r->apart[dev])
            r->apart[dev] = cl->CreateBuffer(real, CL_MEM_READ_WRITE, r->mem->size, NULL, &err);
        if (err == CL_SUCCESS) {
            err = cl->EnqueueWriteBuffer(q, r->apart[dev], CL_TRUE, 0, r->mem->size, neutral, 0, NULL, NULL);
            err = yk_link_written(dev, q, err);
        }
        if (err == CL_SUCCESS)
            err = cl->SetKernelArg(k, r->arg, sizeof r->apart[dev], &r->apart[dev]);
        free(neutral);
        if (err != CL_SUCCESS)
            return err;
    }
    return CL_SUCCESS;
}

/* What DEV has apart, into the master, which has the home's. */
static cl_int merge_one(struct yk_reduction *r, unsigned dev, uint64_t *moved)
{
    const struct yk_cl *cl = yk_rt.machine->device[dev].cl;
    cl_command_queue q = yk_context_transfer_queue(r->mem->ctx, dev);
    unsigned char *out = q ? malloc(r->mem->size) : NULL;
    cl_int err = !q ? CL_OUT_OF_RESOURCES : out ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    for (unsigned p = 0; p < r->nspans && err == CL_SUCCESS; p++) {
        size_t off = r->span[p].off, len = r->span[p].len;
        err = cl->EnqueueReadBuffer(q, r->apart[dev], CL_TRUE, off, len, out, 0, NULL, NULL);
        if (err == CL_SUCCESS)
            yk_reduce(r->span[p].kind, r->span[p].size, r->mem->store->master + r->mem->origin + off, out,
                      len / r->span[p].size);
        *moved += len;
    }
    free(out);
    return err;
}

cl_int yk_reductions_merge(struct yk_reductions *s, const bool *used, unsigned *bad, uint64_t *moved)
{
    for (unsigned i = 0; i < s->n; i++) {
        struct yk_reduction *r = &s->v[i];
        if (used[s->home])
            for (unsigned p = 0; p < r->nspans; p++)
                yk_store_wrote(r->mem->store, s->home, r->mem->origin + r->span[p].off, r->span[p].len);
        cl_int err = CL_SUCCESS;
        *bad = s->home;
        if (used[s->home])
            err = yk_store_need_host(r->mem->store, r->mem->origin, r->mem->size, moved);
        for (unsigned dev = 0; dev < yk_rt.machine->n && err == CL_SUCCESS; dev++)
            if (used[dev] && dev != s->home && r->apart[dev])
                err = merge_one(r, *bad = dev, moved);
        if (err != CL_SUCCESS)
            return err;
        yk_store_wrote_host(r->mem->store, r->mem->origin, r->mem->size);
    }
    return CL_SUCCESS;
}

void yk_reductions_restore(struct yk_reductions *s)
{
    for (unsigned i = 0; i < s->n; i++) {
        struct yk_reduction *r = &s->v[i];
        if (!r->before)
            continue;
        memcpy(r->mem->store->master + r->mem->origin, r->before, r->mem->size);
        yk_store_wrote_host(r->mem->store, r->mem->origin, r->mem->size);
    }
}

void yk_reductions_lose(struct yk_reductions *s)
{
    for (unsigned i = 0; i < s->n; i++)
        yk_store_lose(s->v[i].mem->store, s->v[i].mem->origin, s->v[i].mem->size);
}

void yk_reductions_finish(struct yk_reductions *s)
{
    for (unsigned i = 0; i < s->n; i++) {
        for (unsigned dev = 0; dev < YK_MAX_DEVICES; dev++)
            if (s->v[i].apart[dev])
                yk_rt.machine->device[dev].cl->ReleaseMemObject(s->v[i].apart[dev]);
        free(s->v[i].before);
    }
    free(s->v);
    s->v = NULL;
    s->n = 0;
}
