#include "shim/memory/mem.h"
#include <stdlib.h>
#include <string.h>
#include "device/link/prefault.h"
#include "shim/core/registry.h"
#include "shim/memory/subs.h"

/* What the app is told at the end of an object: that its memory (CL_MEM_USE_HOST_PTR) may go. So not before the driver
 * is done with it, which commands still pending there may delay. */
struct last_words {
    cl_mem handle; /* only a name by then */
    struct yk_mem_callback *first;
};

static void call_all(cl_mem handle, struct yk_mem_callback *c)
{
    while (c) {
        struct yk_mem_callback *next = c->next;
        c->fn(handle, c->data);
        free(c);
        c = next;
    }
}

static void say_last_words(void *arg)
{
    struct last_words *l = arg;
    call_all(l->handle, l->first);
    free(l);
}

static void CL_CALLBACK real_is_gone(cl_mem real, void *arg)
{
    struct last_words *l = arg;
    (void)real;
    if (!l->first->post(say_last_words, l))
        say_last_words(l);
}

static void leave_last_words(struct yk_mem *m)
{
    unsigned p = yk_rt.primary->index;
    cl_mem real = m->own[p] ? m->own[p] : m->store ? m->store->real[p] : NULL;
    struct last_words *l = malloc(sizeof *l);
    if (l)
        *l = (struct last_words){(cl_mem)(void *)m, m->callbacks};
    if (!l || !real || yk_rt.primary->cl->SetMemObjectDestructorCallback(real, real_is_gone, l) != CL_SUCCESS) {
        call_all((cl_mem)(void *)m, m->callbacks);
        free(l);
    }
    m->callbacks = NULL;
}

void yk_stage_drop(struct yk_stage *s)
{
    if (!s || __atomic_sub_fetch(&s->holds, 1, __ATOMIC_ACQ_REL))
        return;
    free(s->bytes);
    free(s);
}

static void mem_destroy(struct yk_handle *h)
{
    struct yk_mem *m = (struct yk_mem *)h;
    yk_registry_remove(m);
    bool told = m->callbacks;
    if (told)
        leave_last_words(m);
    while (m->mappings) {
        struct yk_mapping *p = m->mappings;
        m->mappings = p->next;
        yk_prefault_end(p->prefault);
        yk_stage_drop(p->stage);
        free(p);
    }
    /* The primary's last: others' images may be over its texels. */
    for (unsigned i = 0, p = yk_rt.primary->index, n = yk_rt.machine->n; i < n; i++) {
        unsigned dev = (p + 1 + i) % n;
        if (m->own[dev] && m->store)
            yk_subs_release(m->store, dev, m->own[dev], told && dev == p);
        else if (m->own[dev])
            yk_rt.machine->device[dev].cl->ReleaseMemObject(m->own[dev]);
    }
    if (m->store)
        yk_store_drop(m->store);
    if (m->parent)
        yk_drop(&m->parent->h);
    yk_drop(&m->ctx->h);
    yk_lock_finish(&m->lock);
    free(m->image);
    free(m->properties);
    free(m);
}

static struct yk_mem *mem_new(struct yk_context *ctx, cl_mem_object_type type, cl_mem_flags flags, void *host_ptr)
{
    struct yk_mem *m = calloc(1, sizeof *m);
    if (!m || !yk_registry_add(m)) {
        free(m);
        return NULL;
    }
    static uint64_t numbers;
    m->number = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
    m->ctx = ctx;
    yk_hold(&ctx->h);
    m->type = type;
    m->flags = flags;
    m->host_ptr = host_ptr;
    yk_lock_init(&m->lock, YK_RANK_MEM);
    yk_handle_init(&m->h, YK_KIND_MEM, mem_destroy);
    return m;
}

bool yk_mem_keep_properties(struct yk_mem *m, const cl_mem_properties *list)
{
    size_t n = 1;
    if (!list)
        return true;
    while (list[n - 1])
        n += 2;
    m->properties = malloc(n * sizeof *list);
    if (!m->properties)
        return false;
    memcpy(m->properties, list, n * sizeof *list);
    m->nproperties = n;
    return true;
}

struct yk_mem *yk_mem_create_buffer(struct yk_context *ctx, cl_mem_flags flags, size_t size, void *host_ptr,
                                    const cl_mem_properties *list, cl_int *err)
{
    struct yk_store *s = yk_store_create(ctx, flags, size, host_ptr, list, err);
    if (!s)
        return NULL;
    if (!flags) /* as a query answers; others are given back as they came */
        flags = CL_MEM_READ_WRITE;
    struct yk_mem *m = mem_new(ctx, CL_MEM_OBJECT_BUFFER, flags, flags & CL_MEM_USE_HOST_PTR ? host_ptr : NULL);
    if (!m || !yk_mem_keep_properties(m, list)) {
        yk_store_drop(s);
        if (m)
            yk_handle_release(&m->h);
        *err = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    m->size = size;
    m->store = s;
    return m;
}

bool yk_mem_host_agrees(cl_mem_flags parent, cl_mem_flags flags)
{
    return !((parent & CL_MEM_HOST_WRITE_ONLY && flags & CL_MEM_HOST_READ_ONLY) ||
             (parent & CL_MEM_HOST_READ_ONLY && flags & CL_MEM_HOST_WRITE_ONLY) ||
             (parent & CL_MEM_HOST_NO_ACCESS && flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY)));
}

struct yk_mem *yk_mem_create_sub(struct yk_mem *parent, cl_mem_flags flags, size_t origin, size_t size, cl_int *err)
{
    const struct yk_device *d = yk_rt.primary;
    cl_buffer_region region = {origin, size};
    if (yk_store_host_only(parent->store)) { /* the driver is asked about the buffer that stands in */
        if (!size || origin > parent->size || size > parent->size - origin) {
            *err = size ? CL_INVALID_VALUE : CL_INVALID_BUFFER_SIZE;
            return NULL;
        }
        if (origin % (d->mem_align_bits / 8 ? d->mem_align_bits / 8 : 1)) {
            *err = CL_MISALIGNED_SUB_BUFFER_OFFSET;
            return NULL;
        }
        region = (cl_buffer_region){0, 1};
    }
    yk_subs_first(parent->store, parent->flags);
    cl_mem real = yk_subs_make(parent->store, d->index, parent->store->real[d->index], yk_store_driver_flags(flags),
                               &region, err);
    if (!real)
        return NULL;
    if (!yk_mem_host_agrees(parent->flags, flags)) {
        yk_subs_release(parent->store, d->index, real, false);
        *err = CL_INVALID_VALUE;
        return NULL;
    }
    /* What the app leaves out it inherits. */
    cl_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
    if (!(flags & access))
        flags |= parent->flags & access;
    if (!(flags & YK_MEM_HOST_ACCESS))
        flags |= parent->flags & YK_MEM_HOST_ACCESS;
    flags |= parent->flags & (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    struct yk_mem *m =
        mem_new(parent->ctx, CL_MEM_OBJECT_BUFFER, flags, parent->host_ptr ? (char *)parent->host_ptr + origin : NULL);
    if (!m) {
        yk_subs_release(parent->store, d->index, real, false);
        *err = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    m->size = size;
    m->origin = origin;
    m->parent = parent;
    yk_hold(&parent->h);
    m->store = parent->store;
    yk_store_hold(m->store);
    m->own[d->index] = real;
    return m;
}

struct yk_mem *yk_mem_wrap(struct yk_context *ctx, cl_mem_object_type type, cl_mem_flags flags, void *host_ptr,
                           struct yk_mem *parent, cl_mem real)
{
    struct yk_mem *m = mem_new(ctx, type, flags, host_ptr);
    if (!m) {
        yk_rt.primary->cl->ReleaseMemObject(real);
        return NULL;
    }
    m->own[yk_rt.primary->index] = real;
    if (parent) {
        m->parent = parent;
        yk_hold(&parent->h);
    }
    return m;
}

cl_mem yk_mem_make_real(struct yk_mem *m, unsigned dev)
{
    if (m->store && !m->parent)
        return yk_store_real(m->store, dev);
    cl_mem real = NULL, none = NULL, whole = m->store ? yk_store_real(m->store, dev) : NULL;
    if (m->image)
        real = yk_image_make(m->image, m->ctx, dev, m->own[yk_rt.primary->index]);
    else if (whole) /* the primary's was made with M */
        real = yk_subs_make(m->store, dev, whole, CL_MEM_READ_WRITE, &(cl_buffer_region){m->origin, m->size},
                            &(cl_int){CL_SUCCESS});
    if (!real)
        return NULL;
    if (!__atomic_compare_exchange_n(&m->own[dev], &none, real, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        if (m->image)
            yk_rt.machine->device[dev].cl->ReleaseMemObject(real);
        else
            yk_subs_release(m->store, dev, real, false);
        return none;
    }
    return real;
}
