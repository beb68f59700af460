#include "shim/memory/tenant.h"
#include <stdlib.h>
#include <time.h>
#include "base/log.h"
#include "shim/memory/room.h"
#include "shim/memory/transfer.h"
#include "shim/memory/write_map.h"

/* Those that are there. */
static struct yk_lock list_lock = YK_LOCK_INIT(YK_RANK_LEAF);
static struct yk_store *first;

void yk_tenant_begin(struct yk_store *s)
{
    s->tenant = calloc(1, sizeof *s->tenant);
}

static void enlist(struct yk_store *s)
{
    yk_lock_take(&list_lock);
    s->tenant->next = first;
    first = s;
    yk_lock_drop(&list_lock);
}

/* Nobody finds it in the list from then on. */
static void delist(struct yk_store *s)
{
    yk_lock_take(&list_lock);
    struct yk_store **at = &first;
    while (*at && *at != s)
        at = &(*at)->tenant->next;
    if (*at)
        *at = s->tenant->next;
    yk_lock_drop(&list_lock);
}

static void release(struct yk_store *s, cl_mem buffer)
{
    delist(s);
    yk_rt.primary->cl->ReleaseMemObject(buffer);
    yk_room_end_let(s->size);
}

void yk_tenant_end(struct yk_store *s)
{
    if (!s->tenant)
        return;
    if (s->tenant->buffer)
        release(s, s->tenant->buffer);
    free(s->tenant);
    s->tenant = NULL;
}

static void wait_a_little(void)
{
    nanosleep(&(struct timespec){0, 100000}, NULL);
}

/* Is it on its way, by another thread's doing? With the lock held. */
static bool others_move(const struct yk_tenant *t)
{
    return t->moving && !pthread_equal(t->mover, pthread_self());
}

void yk_tenant_enter(struct yk_store *s)
{
    for (bool in = !s->tenant; !in;) {
        yk_lock_take(&s->lock);
        in = !others_move(s->tenant);
        s->tenant->copying += in;
        yk_lock_drop(&s->lock);
        if (!in)
            wait_a_little();
    }
}

void yk_tenant_leave(struct yk_store *s)
{
    if (!s->tenant)
        return;
    yk_lock_take(&s->lock);
    s->tenant->copying--;
    yk_lock_drop(&s->lock);
}

cl_int yk_tenant_bring(struct yk_store *s, size_t off, size_t len, uint64_t *moved)
{
    unsigned p = yk_rt.primary->index;
    struct yk_region r = yk_region_plain(off, len);
    return yk_store_transfer(s, yk_store_location(s, p), (int)p, &r, NULL, moved);
}

/* Unless somebody copies, or it alone has some bytes. */
static bool drop(struct yk_store *s)
{
    struct yk_tenant *t = s->tenant;
    yk_lock_take(&s->lock);
    bool out = !t->copying && yk_map_drop(&s->map, yk_store_location(s, yk_rt.primary->index)) == YK_OK;
    cl_mem buffer = t->buffer;
    if (out)
        __atomic_store_n(&t->buffer, NULL, __ATOMIC_RELEASE);
    yk_lock_drop(&s->lock);
    if (out)
        release(s, buffer);
    return out;
}

/* From now until end_move nobody else copies, or writes to the master. False: somebody does. */
static bool begin_move(struct yk_store *s)
{
    struct yk_tenant *t = s->tenant;
    yk_lock_take(&s->lock);
    bool mine = !t->moving && !t->copying;
    if (mine) {
        t->moving = true;
        t->mover = pthread_self();
    }
    yk_lock_drop(&s->lock);
    return mine;
}

static void end_move(struct yk_store *s)
{
    yk_lock_take(&s->lock);
    s->tenant->moving = false;
    yk_lock_drop(&s->lock);
}

void yk_tenant_wrote(struct yk_store *s, size_t off, size_t len)
{
    size_t from = off, to;
    for (; yk_write_map_beside(s, &from, off + len, &to); from = to)
        (void)yk_store_wrote_held(s, yk_rt.primary->index, from, to - from);
}

bool yk_tenant_let_out(struct yk_store *s, bool wait, uint64_t *moved)
{
    for (bool mine = false; !mine;) {
        mine = begin_move(s);
        if (!mine && !wait)
            return false;
        if (!mine)
            wait_a_little(); /* who copies waits for nobody who moves this one */
    }
    bool out = yk_store_need_host(s, 0, s->size, moved) == CL_SUCCESS && drop(s);
    if (out)
        s->tenant->paid = 0;
    end_move(s);
    if (out)
        yk_info("a buffer of %zu bytes leaves %s", s->size, yk_rt.primary->name);
    return out;
}

/* A buffer of the driver's, with all bytes, since drivers allocate when they come: a kernel would fail otherwise. */
static bool come(struct yk_store *s, uint64_t *moved)
{
    const struct yk_device *d = yk_rt.primary;
    struct yk_tenant *t = s->tenant;
    cl_int err;
    cl_mem buffer = d->cl->CreateBuffer(s->ctx->real[d->index], CL_MEM_READ_WRITE, s->size, NULL, &err);
    if (!buffer) {
        yk_room_end_let(s->size);
        return false;
    }
    yk_lock_take(&s->lock);
    __atomic_store_n(&t->buffer, buffer, __ATOMIC_RELEASE);
    yk_lock_drop(&s->lock);
    enlist(s);
    if (yk_tenant_bring(s, 0, s->size, moved) == CL_SUCCESS)
        return true;
    while (!drop(s)) /* nothing is newest there alone, so that only memory for saying so may lack */
        wait_a_little();
    return false;
}

bool yk_tenant_let_in(struct yk_store *s, uint64_t *moved)
{
    struct yk_tenant *t = s->tenant;
    if (!t || t->refused || !begin_move(s))
        return false;
    bool room = yk_room_let(s->size), in = room && come(s, moved);
    t->refused = room && !in;
    end_move(s);
    if (in)
        yk_info("a buffer of %zu bytes comes to %s", s->size, yk_rt.primary->name);
    return in;
}

unsigned yk_tenant_list(struct yk_store **list, unsigned n)
{
    unsigned found = 0;
    yk_lock_take(&list_lock);
    for (struct yk_store *s = first; s && found < n; s = s->tenant->next) {
        int32_t holds = __atomic_load_n(&s->holds, __ATOMIC_RELAXED);
        while (holds &&
               !__atomic_compare_exchange_n(&s->holds, &holds, holds + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            ;
        if (holds) /* else it is about to be delisted */
            list[found++] = s;
    }
    yk_lock_drop(&list_lock);
    return found;
}

/* Bytes of those that somebody holds. */
static uint64_t held(void)
{
    uint64_t bytes = 0;
    yk_lock_take(&list_lock);
    for (const struct yk_store *s = first; s; s = s->tenant->next)
        bytes += __atomic_load_n(&s->holds, __ATOMIC_RELAXED) ? s->size : 0;
    yk_lock_drop(&list_lock);
    return bytes;
}

void yk_tenants_settle(void)
{
    /* In this order: what ends in between is waited for once more, rather than not at all. */
    for (uint64_t let = yk_room_let_now(); held() < let; let = yk_room_let_now())
        wait_a_little();
}
