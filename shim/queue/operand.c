#include "shim/queue/operand.h"
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "shim/merge/diff.h"

static bool touches(const struct yk_operand *a, const struct yk_operand *b)
{
    return a->store == b->store && a->off < b->off + b->len && b->off < a->off + a->len;
}

/* Join B into the list; operands that it connects become one. */
static void add(struct yk_operands *s, struct yk_operand b)
{
    for (unsigned i = 0; i < s->n;) {
        struct yk_operand *a = &s->v[i];
        if (!touches(a, &b)) {
            i++;
            continue;
        }
        size_t end = a->off + a->len > b.off + b.len ? a->off + a->len : b.off + b.len;
        b.off = a->off < b.off ? a->off : b.off;
        b.len = end - b.off;
        b.read |= a->read;
        b.written |= a->written;
        *a = s->v[--s->n];
        i = 0;
    }
    s->v[s->n++] = b;
}

yk_status yk_operands_collect(const struct yk_launch *l, const struct yk_facts_kernel *f, struct yk_operands *s)
{
    *s = (struct yk_operands){.v = calloc(l->nvalues + 1, sizeof *s->v)};
    if (!s->v)
        return YK_ENOMEM;
    for (unsigned i = 0; i < l->nvalues; i++) {
        const struct yk_value *v = &l->value[i];
        if (v->kind != YK_VALUE_MEM)
            continue;
        bool known = i < f->nargs;
        add(s, (struct yk_operand){.store = v->u.mem->store,
                                   .off = v->u.mem->origin,
                                   .len = v->u.mem->size,
                                   .read = !known || f->arg[i].read || f->arg[i].atomic,
                                   .written = !known || f->arg[i].written || f->arg[i].atomic});
    }
    return YK_OK;
}

cl_int yk_operand_bring(struct yk_operands *s, struct yk_operand *a, unsigned dev)
{
    if (!a->read && yk_store_real(a->store, dev))
        yk_store_forgive(a->store, dev, a->off, a->len);
    return yk_store_need(a->store, dev, a->off, a->len, &s->moved);
}

cl_int yk_operands_bring(struct yk_operands *s, const struct yk_decision *d, unsigned *bad)
{
    for (unsigned i = 0; i < s->n; i++) {
        struct yk_operand *a = &s->v[i];
        bool own = false; /* some taker works on a buffer of its own */
        for (unsigned dev = 0; dev < yk_rt.machine->n; dev++) {
            if (!d->takes[dev])
                continue;
            *bad = dev;
            cl_int err = yk_operand_bring(s, a, dev);
            if (err != CL_SUCCESS)
                return err;
            own |= yk_store_location(a->store, dev) != YK_HOST;
        }
        if (!a->written || !(own || (a->read && yk_rt.options.recover)))
            continue;
        cl_int err = yk_store_need_host(a->store, a->off, a->len, &s->moved);
        if (err != CL_SUCCESS)
            return err;
        a->snapshot = malloc(a->len);
        if (!a->snapshot)
            return CL_OUT_OF_HOST_MEMORY;
        memcpy(a->snapshot, a->store->master + a->off, a->len);
    }
    return CL_SUCCESS;
}

/* Read DEV's bytes of A in pieces and take over what it changed. */
static cl_int merge_one(struct yk_operands *s, struct yk_operand *a, unsigned dev)
{
    enum { PIECE = 16 << 20 };
    const struct yk_cl *cl = yk_rt.machine->device[dev].cl;
    cl_command_queue q = yk_context_transfer_queue(a->store->ctx, dev);
    size_t piece = a->len < PIECE ? a->len : PIECE;
    unsigned char *out = q ? malloc(piece) : NULL;
    if (!out)
        return q ? CL_OUT_OF_HOST_MEMORY : CL_OUT_OF_RESOURCES;
    cl_int err = CL_SUCCESS;
    for (size_t at = 0; at < a->len && err == CL_SUCCESS; at += piece) {
        size_t n = a->len - at < piece ? a->len - at : piece;
        err = cl->EnqueueReadBuffer(q, a->store->real[dev], CL_TRUE, a->off + at, n, out, 0, NULL, NULL);
        if (err == CL_SUCCESS)
            yk_diff_merge(a->store->master + a->off + at, out, a->snapshot + at, n);
        s->moved += n;
    }
    free(out);
    return err;
}

cl_int yk_operands_merge(struct yk_operands *s, const bool *used, unsigned *bad)
{
    cl_int err = CL_SUCCESS;
    for (unsigned i = 0; i < s->n && err == CL_SUCCESS; i++) {
        struct yk_operand *a = &s->v[i];
        if (!a->written)
            continue;
        for (unsigned dev = 0; dev < yk_rt.machine->n && err == CL_SUCCESS; dev++)
            if (used[dev] && yk_store_location(a->store, dev) != YK_HOST)
                err = merge_one(s, a, *bad = dev);
        if (err == CL_SUCCESS)
            yk_store_wrote_host(a->store, a->off, a->len);
    }
    return err;
}

bool yk_operands_in_master(const struct yk_operands *s, unsigned dev)
{
    for (unsigned i = 0; i < s->n; i++)
        if (s->v[i].written && yk_store_location(s->v[i].store, dev) == YK_HOST)
            return true;
    return false;
}

bool yk_operands_restore(struct yk_operands *s)
{
    for (unsigned i = 0; i < s->n; i++)
        if (s->v[i].read && s->v[i].written && !s->v[i].snapshot)
            return false;
    for (unsigned i = 0; i < s->n; i++) {
        struct yk_operand *a = &s->v[i];
        if (!a->written)
            continue;
        if (a->snapshot)
            memcpy(a->store->master + a->off, a->snapshot, a->len);
        yk_store_wrote_host(a->store, a->off, a->len);
    }
    return true;
}

void yk_operands_lose(struct yk_operands *s)
{
    for (unsigned i = 0; i < s->n; i++)
        if (s->v[i].written)
            yk_store_lose(s->v[i].store, s->v[i].off, s->v[i].len);
}

void yk_operands_finish(struct yk_operands *s)
{
    for (unsigned i = 0; i < s->n; i++)
        free(s->v[i].snapshot);
    free(s->v);
    s->v = NULL;
    s->n = 0;
}
