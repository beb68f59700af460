#include "shim/queue/tenants.h"
#include <stdlib.h>
#include "partitioner/evict.h"
#include "shim/memory/room.h"
#include "shim/memory/tenant.h"

enum { MOST = 1024 }; /* tenants that are looked at */

static uint64_t now; /* launches over such buffers so far; of the worker whose turn it is */

/* Argument I's memory, where its store may be a tenant. */
static struct yk_mem *candidate(const struct yk_launch *l, unsigned i)
{
    struct yk_mem *m = l->value[i].kind == YK_VALUE_MEM ? l->value[i].u.mem : NULL;
    return m && yk_store_host_only(m->store) && m->store->tenant ? m : NULL;
}

static bool uses(const struct yk_launch *l, const struct yk_store *s)
{
    for (unsigned i = 0; i < l->nvalues; i++)
        if (l->value[i].kind == YK_VALUE_MEM && l->value[i].u.mem->store == s)
            return true;
    return false;
}

/* Those that are there and that L does not use leave until S has room, or none does. */
static bool make_room(const struct yk_launch *l, const struct yk_store *s, uint64_t needed, uint64_t *moved)
{
    struct yk_store **list = malloc(MOST * sizeof *list);
    struct yk_evict_memory *memory = malloc(MOST * sizeof *memory), *at = memory;
    unsigned n = list && memory ? yk_tenant_list(list, MOST) : 0;
    bool force = yk_rt.options.evict == YK_EVICT_FORCED;
    for (unsigned i = 0; i < n; i++)
        if (!uses(l, list[i]))
            *at++ = (struct yk_evict_memory){
                .bytes = list[i]->size, .next = yk_evict_next(&list[i]->tenant->uses, now), .id = i};
    bool room =
        n && yk_evict_choose(memory, (unsigned)(at - memory), needed, force ? 0 : yk_evict_next(&s->tenant->uses, now));
    for (struct yk_evict_memory *m = memory; room && m < at; m++)
        if (m->leaves)
            room = yk_tenant_let_out(list[m->id], false, moved);
    for (unsigned i = 0; i < n; i++)
        yk_store_drop(list[i]);
    free(list);
    free(memory);
    return room;
}

static bool pays(const struct yk_store *s)
{
    const struct yk_tenant *t = s->tenant;
    bool needed = yk_rt.options.evict == YK_EVICT_FORCED || t->paid >= s->size;
    /* A program's own memory is what it looks into where the primary works in the host's. */
    return needed && !t->refused && s->size <= yk_rt.primary->max_alloc && !(s->app_ptr && yk_rt.primary->host_memory);
}

void yk_tenants_call(struct yk_launch *l, uint64_t *moved)
{
    now++;
    for (unsigned i = 0; i < l->nvalues; i++)
        if (candidate(l, i))
            yk_evict_use(&candidate(l, i)->store->tenant->uses, now);
    for (unsigned i = 0; i < l->nvalues && yk_rt.options.evict != YK_EVICT_OFF; i++) {
        struct yk_mem *m = candidate(l, i);
        if (!m || yk_tenant_buffer(m->store) || !pays(m->store))
            continue;
        uint64_t left = yk_room_let_left();
        if (m->store->size <= left || make_room(l, m->store, m->store->size - left, moved))
            (void)yk_tenant_let_in(m->store, moved);
    }
}

void yk_tenants_paid(const struct yk_windows_plan *p)
{
    for (unsigned i = 0; i < p->n; i++)
        for (unsigned k = 0; k < p->nstores; k++) {
            const struct yk_window *w = &p->part[i].window[k];
            if (p->store[k]->tenant && !p->tenant[k])
                p->store[k]->tenant->paid += w->in.to - w->in.from + w->out.to - w->out.from;
        }
}

void yk_tenants_clear(struct yk_launch *l, bool own, uint64_t *moved)
{
    struct yk_store **list = malloc(MOST * sizeof *list);
    unsigned n = list ? yk_tenant_list(list, MOST) : 0;
    for (unsigned i = 0; i < n; i++) {
        if (own || !uses(l, list[i]))
            (void)yk_tenant_let_out(list[i], true, moved); /* the launch fails without room */
        yk_store_drop(list[i]);
    }
    free(list);
    yk_tenants_settle();
}

cl_int yk_tenants_bring(struct yk_launch *l, const struct yk_facts_kernel *f, uint64_t *moved)
{
    cl_int err = CL_SUCCESS;
    for (unsigned i = 0; i < l->nvalues && err == CL_SUCCESS; i++) {
        struct yk_mem *m = candidate(l, i);
        if (!m || !yk_tenant_buffer(m->store))
            continue;
        if (f && i < f->nargs && f->arg[i].written && !f->arg[i].read && !f->arg[i].atomic)
            yk_store_forgive(m->store, yk_rt.primary->index, m->origin, m->size);
        err = yk_tenant_bring(m->store, m->origin, m->size, moved);
    }
    return err;
}

void yk_tenants_wrote(struct yk_launch *l, const struct yk_facts_kernel *f)
{
    for (unsigned i = 0; i < l->nvalues; i++) {
        struct yk_mem *m = candidate(l, i);
        bool known = f && i < f->nargs;
        if (m && yk_tenant_buffer(m->store) &&
            (known ? f->arg[i].written || f->arg[i].atomic : !(m->flags & CL_MEM_READ_ONLY)))
            yk_tenant_wrote(m->store, m->origin, m->size);
    }
}

bool yk_tenants_all(const struct yk_launch *l)
{
    for (unsigned i = 0; i < l->nvalues; i++)
        if (l->value[i].kind == YK_VALUE_MEM && yk_store_host_only(l->value[i].u.mem->store) &&
            !yk_tenant_buffer(l->value[i].u.mem->store))
            return false;
    return true;
}
