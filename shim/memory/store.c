#include "shim/memory/store.h"
#include <stdlib.h>
#include "base/clock.h"
#include "base/log.h"
#include "device/link/host_copy.h"
#include "shim/memory/contents.h"
#include "shim/memory/filled.h"
#include "shim/memory/master.h"
#include "shim/memory/room.h"
#include "shim/memory/subs.h"
#include "shim/memory/svm_range.h"
#include "shim/memory/tenant.h"
#include "shim/memory/transfer.h"
#include "shim/memory/write_map.h"

_Static_assert((int)YK_MAX_DEVICES < (int)YK_FILLED, "a location of no device");

static bool aligned(const void *p, size_t to)
{
    return !to || (uintptr_t)p % to == 0;
}

void yk_store_refresh(struct yk_store *s)
{
    unsigned at = yk_store_location(s, yk_rt.primary->index);
    /* Of a host_only store every command comes to the worker, also while it is a tenant. */
    __atomic_store_n(&s->at_primary, !s->host_only && yk_map_whole(&s->map, at), __ATOMIC_RELEASE);
    __atomic_store_n(&s->only_primary, !s->host_only && s->map.n == 1 && s->map.whole == yk_at(at), __ATOMIC_RELEASE);
}

cl_mem yk_store_buffer(const struct yk_store *s, unsigned dev)
{
    return s->host_only ? yk_tenant_buffer(s) : s->real[dev];
}

void yk_store_hold(struct yk_store *s)
{
    __atomic_fetch_add(&s->holds, 1, __ATOMIC_RELAXED);
}

/* A master that real buffers are made over is in use until the driver says that the last of them is gone: commands
 * still pending hold their buffers, and an app may release a buffer as soon as it has enqueued its last use. */
struct last_use {
    void *master; /* what is freed */
    int32_t n;
    struct last_use *next; /* in the list below */
};

/* Masters whose driver took no callback: nobody can say when they may go, so they stay: better lost than written to. */
static struct last_use *kept;

static void keep(struct last_use *l)
{
    l->next = __atomic_load_n(&kept, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&kept, &l->next, l, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

static void CL_CALLBACK last_use_drop(cl_mem real, void *data)
{
    struct last_use *l = data;
    (void)real;
    if (__atomic_sub_fetch(&l->n, 1, __ATOMIC_ACQ_REL))
        return;
    free(l->master);
    free(l);
}

static void release_real(struct yk_store *s)
{
    struct last_use *l = s->master_base ? malloc(sizeof *l) : NULL;
    if (l)
        *l = (struct last_use){s->master_base, 1, NULL};
    bool told = true;
    for (unsigned i = 0; i < yk_rt.machine->n; i++) {
        const struct yk_cl *cl = yk_rt.machine->device[i].cl;
        if (s->real[i] && s->zero_copy[i] && l) {
            __atomic_add_fetch(&l->n, 1, __ATOMIC_RELAXED);
            told &= cl->SetMemObjectDestructorCallback(s->real[i], last_use_drop, l) == CL_SUCCESS;
        }
        if (s->real[i])
            cl->ReleaseMemObject(s->real[i]);
    }
    if (!l)
        return;
    if (told)
        last_use_drop(NULL, l);
    else
        keep(l);
}

static bool gathered(const struct yk_store *s)
{
    return s->app_ptr && s->zero_copy[yk_rt.primary->index];
}

static void enlist(struct yk_store *s)
{
    yk_lock_take(&s->ctx->lock);
    s->next_host = s->ctx->host_stores;
    s->ctx->host_stores = s;
    __atomic_add_fetch(&s->ctx->nhost_stores, 1, __ATOMIC_RELAXED);
    yk_lock_drop(&s->ctx->lock);
}

/* The last hold of a store in the list goes under its lock, so that nobody takes one from the list meanwhile. */
static bool drop_hold(struct yk_store *s)
{
    if (!gathered(s))
        return __atomic_sub_fetch(&s->holds, 1, __ATOMIC_ACQ_REL) == 0;
    yk_lock_take(&s->ctx->lock);
    bool last = __atomic_sub_fetch(&s->holds, 1, __ATOMIC_ACQ_REL) == 0;
    if (last) {
        struct yk_store **p = &s->ctx->host_stores;
        while (*p != s)
            p = &(*p)->next_host;
        *p = s->next_host;
        __atomic_sub_fetch(&s->ctx->nhost_stores, 1, __ATOMIC_RELAXED);
    }
    yk_lock_drop(&s->ctx->lock);
    return last;
}

cl_int yk_store_gather_all(struct yk_context *ctx)
{
    cl_int err = CL_SUCCESS;
    /* At most once for each: other queues may be writing on. */
    for (unsigned n = __atomic_load_n(&ctx->nhost_stores, __ATOMIC_RELAXED); n && err == CL_SUCCESS; n--) {
        yk_lock_take(&ctx->lock);
        struct yk_store *s = ctx->host_stores;
        while (s && __atomic_load_n(&s->at_primary, __ATOMIC_ACQUIRE))
            s = s->next_host;
        if (s)
            yk_store_hold(s);
        yk_lock_drop(&ctx->lock);
        if (!s)
            break;
        err = yk_store_need_host(s, 0, s->size, NULL);
        yk_store_drop(s);
    }
    return err;
}

void yk_store_drop(struct yk_store *s)
{
    if (!drop_hold(s))
        return;
    yk_tenant_end(s);
    yk_write_map_finish(s);
    yk_subs_finish(s);
    release_real(s);
    if (s->contents)
        yk_contents_gone(s->size);
    if (s->counted)
        yk_room_give(s->size);
    yk_map_finish(&s->map);
    free(s->lacked);
    yk_lock_finish(&s->lock);
    yk_drop(&s->ctx->h);
    free(s->pattern);
    free(s);
}

/* Could another device ever take part? Then the primary's buffer is made so that it need not be copied for it. */
static bool others_usable(void)
{
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        if (i != yk_rt.primary->index && yk_rt.machine->device[i].usable)
            return yk_rt.options.split;
    return false;
}

bool yk_store_in_masters(void)
{
    return yk_rt.primary->host_memory && others_usable();
}

/* For D to compute in a master. What the program gave the primary's driver may be aligned to less than a vector, for
 * which the code of another driver need not be made. */
static size_t needed_alignment(const struct yk_device *d)
{
    size_t own = d->mem_align_bits / 8;
    return own > d->host_align && !yk_device_same_kind(d, yk_rt.primary) ? own : d->host_align;
}

/* Would D compute in S's master? Yoke's own, which need not have been made yet, are aligned for all. */
static bool fits(const struct yk_store *s, const struct yk_device *d)
{
    return d->host_memory && (!s->app_ptr || aligned(s->app_ptr, needed_alignment(d)));
}

bool yk_store_apart(const struct yk_store *s, unsigned dev)
{
    return yk_store_made(s, dev) ? !s->zero_copy[dev] : !fits(s, &yk_rt.machine->device[dev]);
}

/* Could bytes of it have to be copied from device to device? */
static bool is_copied(const struct yk_store *s)
{
    for (unsigned i = 0; i < yk_rt.machine->n; i++)
        if (yk_rt.machine->device[i].usable && !fits(s, &yk_rt.machine->device[i]))
            return true;
    return false;
}

/* The rest of a store whose real buffer, master and place are there; on failure they are given back. */
static struct yk_store *finish_creation(struct yk_store *s, struct yk_context *ctx, size_t size, unsigned at,
                                        cl_int *err)
{
    if (yk_map_init(&s->map, size, yk_at(at)) != YK_OK) {
        if (s->contents)
            yk_contents_gone(size);
        yk_rt.primary->cl->ReleaseMemObject(s->real[yk_rt.primary->index]);
        free(s->master_base);
        free(s);
        *err = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    s->holds = 1;
    s->ctx = ctx;
    yk_hold(&ctx->h);
    s->size = size;
    if (s->host_only)
        yk_tenant_begin(s); /* without memory for that it stays on the host */
    s->at_primary = s->only_primary = !s->host_only && at == yk_store_location(s, yk_rt.primary->index);
    s->copied = is_copied(s);
    yk_lock_init(&s->lock, YK_RANK_MEM);
    if (gathered(s))
        enlist(s);
    *err = CL_SUCCESS;
    return s;
}

/* With the primary's real buffer, counted by the caller. */
static struct yk_store *create(struct yk_context *ctx, cl_mem_flags flags, size_t size, void *host_ptr,
                               const cl_mem_properties *list, cl_int *err)
{
    const struct yk_device *d = yk_rt.primary;
    struct yk_store *s = calloc(1, sizeof *s);
    if (!s) {
        *err = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    unsigned p = d->index;
    const cl_mem_flags pointer_flags = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
    bool use = flags & CL_MEM_USE_HOST_PTR, copy = flags & CL_MEM_COPY_HOST_PTR;
    /* Odd arguments go to the driver as they are, so that its own error comes back. */
    bool plain = size > 0 && size <= d->max_alloc && (use || copy) == (host_ptr != NULL) &&
                 !(use && (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)));
    s->pinned_to_primary = ctx->whole || (list && list[0]);
    if (use)
        s->app_ptr = s->master = host_ptr;
    if (use && ((d->host_memory && !aligned(host_ptr, d->host_align)) || yk_svm_range_has(host_ptr)))
        s->pinned_to_primary = true;
    if (plain && !s->pinned_to_primary && yk_store_in_masters()) {
        if (!use) {
            s->master = yk_master_new(size, &s->master_base);
            if (s->master && copy)
                yk_host_copy(s->master, host_ptr, size);
        }
        if (s->master) {
            cl_mem_flags f = (flags & ~pointer_flags) | CL_MEM_USE_HOST_PTR;
            s->real[p] = d->cl->CreateBuffer(ctx->real[p], f, size, s->master, err);
            s->zero_copy[p] = s->real[p] != NULL;
        }
    }
    bool own = plain && !s->pinned_to_primary && !s->real[p];
    s->own_maps = own && yk_contents_mapped_here(flags, size);
    if (own && copy)
        s->contents = (s->real[p] = yk_contents_create(ctx, flags, size, host_ptr)) != NULL;
    if (s->own_maps && use) /* what is there when a command first uses it goes there then */
        s->real[p] = d->cl->CreateBuffer(ctx->real[p], flags & ~pointer_flags, size, NULL, err);
    s->own_maps &= s->real[p] || !host_ptr;
    if (s->own_maps && use)
        yk_contents_over(ctx, host_ptr, size);
    if (!s->real[p])
        s->real[p] = list && list[0] ? d->cl->CreateBufferWithProperties(ctx->real[p], list, flags, size, host_ptr, err)
                                     : d->cl->CreateBuffer(ctx->real[p], flags, size, host_ptr, err);
    if (!s->real[p]) {
        free(s->master_base);
        free(s);
        return NULL;
    }
    return finish_creation(s, ctx, size, s->own_maps && use ? YK_HOST : yk_store_location(s, p), err);
}

/* No device has room for it. The driver still judges the arguments, by the buffer that stands in. */
static struct yk_store *create_host_only(struct yk_context *ctx, cl_mem_flags flags, size_t size, void *host_ptr,
                                         cl_int *err)
{
    const cl_mem_flags pointer_flags = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
    const size_t stand_in = 64;
    const struct yk_device *d = yk_rt.primary;
    struct yk_store *s = calloc(1, sizeof *s);
    if (!s) {
        *err = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    s->host_only = true;
    bool use = flags & CL_MEM_USE_HOST_PTR;
    if (use)
        s->app_ptr = s->master = host_ptr;
    else
        s->master = yk_master_new(size, &s->master_base);
    *err = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    if (s->master)
        s->real[d->index] = d->cl->CreateBuffer(ctx->real[d->index], flags & ~pointer_flags, stand_in, NULL, err);
    if (!s->real[d->index]) {
        free(s->master_base);
        free(s);
        return NULL;
    }
    if (flags & CL_MEM_COPY_HOST_PTR)
        yk_host_copy(s->master, host_ptr, size);
    yk_info("a buffer of %zu bytes lives in host memory", size);
    return finish_creation(s, ctx, size, YK_HOST, err);
}

struct yk_store *yk_store_create(struct yk_context *ctx, cl_mem_flags flags, size_t size, void *host_ptr,
                                 const cl_mem_properties *list, cl_int *err)
{
    if (yk_room_told() && size > yk_room_told()) {
        *err = CL_INVALID_BUFFER_SIZE;
        return NULL;
    }
    flags = yk_store_driver_flags(flags);
    bool room = yk_room_take(size), pointer = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    if (!room && !ctx->whole && !(list && list[0]) && pointer == (host_ptr != NULL) &&
        !(flags & CL_MEM_USE_HOST_PTR && flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
        return create_host_only(ctx, flags, size, host_ptr, err);
    struct yk_store *s = create(ctx, flags, size, host_ptr, list, err);
    if (s)
        s->counted = room;
    else if (room)
        yk_room_give(size);
    return s;
}

unsigned char *yk_store_master(struct yk_store *s)
{
    yk_lock_take(&s->lock);
    if (!s->master)
        s->master = yk_master_new(s->size, &s->master_base);
    unsigned char *m = s->master;
    yk_lock_drop(&s->lock);
    return m;
}

bool yk_store_owns(struct yk_store *s, const void *at)
{
    const unsigned char *byte = at;
    yk_lock_take(&s->lock);
    bool owns = s->master_base && byte >= s->master && byte < s->master + s->size;
    yk_lock_drop(&s->lock);
    return owns;
}

cl_mem yk_store_real(struct yk_store *s, unsigned dev)
{
    cl_mem real = yk_store_made(s, dev);
    if (real)
        return real;
    const struct yk_device *d = &yk_rt.machine->device[dev];
    cl_context ctx = yk_store_pinned(s) || s->host_only || s->size > d->max_alloc ? NULL : yk_context_real(s->ctx, dev);
    if (!ctx)
        return NULL;
    unsigned char *master = d->host_memory ? yk_store_master(s) : NULL;
    bool zero_copy = master && fits(s, d);
    cl_int err;
    uint64_t began = yk_now_ns();
    real = d->cl->CreateBuffer(ctx, CL_MEM_READ_WRITE | (zero_copy ? CL_MEM_USE_HOST_PTR : 0), s->size,
                               zero_copy ? master : NULL, &err);
    if (!real) {
        yk_warn("device %u (%s) gives no buffer of %zu bytes: %s", dev, d->name, s->size, yk_cl_error_name(err));
        return NULL;
    }
    yk_debug("device %u: a buffer of %zu bytes took %.2f ms", dev, s->size, (double)(yk_now_ns() - began) * 1e-6);
    struct yk_pattern with;
    bool filled = !zero_copy && yk_filled_before(s, dev, real, &with);
    yk_lock_take(&s->lock);
    cl_mem first = s->real[dev];
    if (!first) {
        s->zero_copy[dev] = zero_copy;
        if (filled)
            yk_filled_note(s, yk_store_location(s, dev), &with);
        __atomic_store_n(&s->real[dev], real, __ATOMIC_RELEASE);
    }
    yk_lock_drop(&s->lock);
    if (first)
        d->cl->ReleaseMemObject(real);
    return first ? first : real;
}

void yk_store_pin(struct yk_store *s)
{
    yk_lock_take(&s->lock);
    __atomic_store_n(&s->pinned_to_primary, true, __ATOMIC_RELAXED);
    yk_lock_drop(&s->lock);
}
