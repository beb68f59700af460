#include "shim/queue/transfer_carry.h"
#include "shim/core/stats.h"
#include "shim/memory/link.h"
#include "shim/memory/tenant.h"
#include "shim/queue/host_only.h"

cl_int yk_transfer_capture(struct yk_command *c)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    yk_hold(&t->mem->h);
    if (t->to)
        yk_hold(&t->to->h);
    return CL_SUCCESS;
}

void yk_transfer_release(struct yk_command *c)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    yk_drop(&t->mem->h);
    if (t->to)
        yk_drop(&t->to->h);
}

/* The worker touches bytes itself: what the primary's driver still does for this queue comes first. */
cl_int yk_transfer_drain(struct yk_transfer *t)
{
    return CL->Finish(QUEUE(t));
}

/* Before the bytes go between PTR and the primary. */
cl_int yk_transfer_drain_for(struct yk_transfer *t, enum yk_direction way, const void *ptr)
{
    if (t->mem->store && !yk_host_only_in(t))
        yk_link_prepare(t->c.queue->ctx, PRIMARY, way, ptr, t->len);
    return yk_transfer_drain(t);
}

cl_int yk_transfer_bring(struct yk_mem *m, size_t off, size_t len)
{
    uint64_t moved = 0;
    cl_int err = m->store ? yk_store_need(m->store, PRIMARY, m->origin + off, len, &moved) : CL_SUCCESS;
    yk_stats_moved(moved);
    return err;
}

cl_int yk_transfer_on_host(struct yk_transfer *t, struct yk_store *written, cl_int (*how)(struct yk_transfer *t))
{
    cl_int err = yk_transfer_drain(t);
    if (err != CL_SUCCESS)
        return err;
    struct yk_store *s = t->mem->store, *to = t->to ? t->to->store : NULL;
    yk_tenant_enter(s);
    if (to)
        yk_tenant_enter(to);
    bool begun = yk_write_begin(written);
    err = how(t);
    yk_write_end(written, begun);
    if (to)
        yk_tenant_leave(to);
    yk_tenant_leave(s);
    return err;
}

void yk_waited_write_begin(struct yk_waited_write *w, struct yk_store *store, bool blocking, cl_event *real)
{
    *w = (struct yk_waited_write){.store = store, .begun = yk_write_begin(store), .real = real};
    w->waits = blocking && w->begun;
    w->blocks = blocking && !w->begun;
    w->done = w->waits && !real ? &w->own : real;
}

cl_int yk_waited_write_end(struct yk_waited_write *w, cl_int err)
{
    yk_write_end(w->store, w->begun);
    if (!w->waits || err != CL_SUCCESS)
        return err;
    err = CL->WaitForEvents(1, w->done);
    if (w->own || err != CL_SUCCESS) {
        CL->ReleaseEvent(*w->done);
        *w->done = NULL;
    }
    return err;
}

bool yk_transfer_at_primary(struct yk_command *c)
{
    return yk_mem_at_primary(((struct yk_transfer *)c)->mem);
}

/* Worker: yk_transfer_bring the bytes that the command reads or partly overwrites, then issue. */
cl_int yk_transfer_bring_and_issue(struct yk_command *c, cl_event *real)
{
    struct yk_transfer *t = (struct yk_transfer *)c;
    cl_int err = CL_SUCCESS;
    if (!yk_mem_at_primary(t->mem) && (err = yk_transfer_drain(t)) == CL_SUCCESS)
        err = yk_transfer_bring(t->mem, t->off, t->len);
    if (err == CL_SUCCESS && t->to && !yk_mem_at_primary(t->to) && (err = yk_transfer_drain(t)) == CL_SUCCESS)
        err = yk_transfer_bring(t->to, t->to_off, t->to_len);
    if (err == CL_SUCCESS)
        err = c->kind->issue(c, false, 0, NULL, real);
    return yk_command_issued(err, real);
}
