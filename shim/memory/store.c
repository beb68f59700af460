#include "shim/memory/store.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/least.h"
#include "base/log.h"
#include "device/large_pages.h"
#include "device/link/host_copy.h"
#include "shim/memory/filled.h"
#include "shim/memory/transfer.h"

enum { MASTER_ALIGN = 4096, YK_LOST = YK_LOCATIONS - 1 };
_Static_assert((int)YK_MAX_DEVICES < (int)YK_FILLED, "a location of no device");

static bool aligned(const void *p, size_t to)
{
    return !to || (uintptr_t)p % to == 0;
}

void yk_store_refresh(struct yk_store *s)
{
    unsigned at = yk_store_location(s, yk_rt.primary->index);
    __atomic_store_n(&s->at_primary, yk_map_whole(&s->map, at), __ATOMIC_RELEASE);
    __atomic_store_n(&s->only_primary, s->map.n == 1 && s->map.whole == yk_at(at), __ATOMIC_RELEASE);
}

void yk_store_hold(struct yk_store *s)
{
    __atomic_fetch_add(&s->holds, 1, __ATOMIC_RELAXED);
}

/* A master that real buffers are made over is in use until the driver says that the last of them is gone: commands
 * still pending hold their buffers, and an app may release a buffer as soon as it has enqueued its last use. */
struct last_use {
    unsigned char *master;
    int32_t n;
};

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
    struct last_use *l = s->master_owned ? malloc(sizeof *l) : NULL;
    if (l)
        *l = (struct last_use){s->master, 1};
    bool told = true; /* else the master is never freed: better lost than written to */
    for (unsigned i = 0; i < yk_rt.machine->n; i++) {
        const struct yk_cl *cl = yk_rt.machine->device[i].cl;
        if (s->real[i] && s->zero_copy[i] && l) {
            __atomic_add_fetch(&l->n, 1, __ATOMIC_RELAXED);
            told &= cl->SetMemObjectDestructorCallback(s->real[i], last_use_drop, l) == CL_SUCCESS;
        }
        if (s->real[i])
            cl->ReleaseMemObject(s->real[i]);
    }
    if (l && told)
        last_use_drop(NULL, l);
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
    release_real(s);
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

/* Memory for a master. Programs write a little beyond the ends of their buffers (piglit's clz-optimizations: 64 bytes)
 * and get away with it in the driver's own memory; in this they must too. In large pages, where the system leaves that
 * to programs: touching small ones for the first time costs as much as a kernel that adds vectors. Not where so much is
 * asked for that perhaps little of it is ever touched, and not where a large page may have to be fetched first. */
static void *new_master(size_t size)
{
    enum { SLACK = 256, LARGE_PAGE = 2 << 20 };
    void *m = NULL;
    bool large = size >= LARGE_PAGE && size / (size_t)sysconf(_SC_PAGESIZE) <= (size_t)sysconf(_SC_PHYS_PAGES) / 8 &&
                 yk_large_pages_gain(NULL);
    if (size >= SIZE_MAX - SLACK || posix_memalign(&m, large ? LARGE_PAGE : MASTER_ALIGN, size + SLACK))
        return NULL;
    if (large)
        (void)madvise(m, size - size % LARGE_PAGE, MADV_HUGEPAGE); /* a hint */
    return m;
}

struct yk_store *yk_store_create(struct yk_context *ctx, cl_mem_flags flags, size_t size, void *host_ptr,
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
    if (use && !aligned(host_ptr, d->host_align))
        s->pinned_to_primary = true;
    if (plain && !s->pinned_to_primary && yk_store_in_masters()) {
        if (!use) {
            s->master = new_master(size);
            s->master_owned = s->master != NULL;
            if (s->master && copy)
                yk_host_copy(s->master, host_ptr, size);
        }
        if (s->master) {
            cl_mem_flags f = (flags & ~pointer_flags) | CL_MEM_USE_HOST_PTR;
            s->real[p] = d->cl->CreateBuffer(ctx->real[p], f, size, s->master, err);
            s->zero_copy[p] = s->real[p] != NULL;
        }
    }
    if (!s->real[p])
        s->real[p] = list && list[0] ? d->cl->CreateBufferWithProperties(ctx->real[p], list, flags, size, host_ptr, err)
                                     : d->cl->CreateBuffer(ctx->real[p], flags, size, host_ptr, err);
    if (!s->real[p]) {
        if (s->master_owned)
            free(s->master);
        free(s);
        return NULL;
    }
    if (yk_map_init(&s->map, size, yk_at(yk_store_location(s, p))) != YK_OK) {
        d->cl->ReleaseMemObject(s->real[p]);
        if (s->master_owned)
            free(s->master);
        free(s);
        *err = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    s->holds = 1;
    s->ctx = ctx;
    yk_hold(&ctx->h);
    s->size = size;
    s->at_primary = s->only_primary = true;
    yk_lock_init(&s->lock, YK_RANK_MEM);
    if (gathered(s))
        enlist(s);
    *err = CL_SUCCESS;
    return s;
}

unsigned char *yk_store_master(struct yk_store *s)
{
    yk_lock_take(&s->lock);
    if (!s->master) {
        s->master = new_master(s->size);
        s->master_owned = s->master != NULL;
    }
    unsigned char *m = s->master;
    yk_lock_drop(&s->lock);
    return m;
}

bool yk_store_owns(struct yk_store *s, const void *at)
{
    const unsigned char *byte = at;
    yk_lock_take(&s->lock);
    bool owns = s->master_owned && byte >= s->master && byte < s->master + s->size;
    yk_lock_drop(&s->lock);
    return owns;
}

cl_mem yk_store_real(struct yk_store *s, unsigned dev)
{
    cl_mem real = __atomic_load_n(&s->real[dev], __ATOMIC_ACQUIRE);
    if (real)
        return real;
    const struct yk_device *d = &yk_rt.machine->device[dev];
    cl_context ctx = s->pinned_to_primary || s->size > d->max_alloc ? NULL : yk_context_real(s->ctx, dev);
    if (!ctx)
        return NULL;
    unsigned char *master = d->host_memory ? yk_store_master(s) : NULL;
    bool zero_copy = master && aligned(master, d->host_align);
    cl_int err;
    real = d->cl->CreateBuffer(ctx, CL_MEM_READ_WRITE | (zero_copy ? CL_MEM_USE_HOST_PTR : 0), s->size,
                               zero_copy ? master : NULL, &err);
    if (!real) {
        yk_warn("device %u (%s) gives no buffer of %zu bytes: %s", dev, d->name, s->size, yk_cl_error_name(err));
        return NULL;
    }
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

static cl_int need(struct yk_store *s, unsigned at, int dev, size_t off, size_t len, uint64_t *moved)
{
    struct yk_region r = yk_region_plain(off, len);
    return yk_store_transfer(s, at, dev, &r, NULL, moved);
}

cl_int yk_store_need(struct yk_store *s, unsigned dev, size_t off, size_t len, uint64_t *moved)
{
    if (!yk_store_real(s, dev))
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return need(s, yk_store_location(s, dev), (int)dev, off, len, moved);
}

cl_int yk_store_need_host(struct yk_store *s, size_t off, size_t len, uint64_t *moved)
{
    return yk_store_master(s) ? need(s, YK_HOST, -1, off, len, moved) : CL_OUT_OF_HOST_MEMORY;
}

cl_int yk_store_need_region(struct yk_store *s, unsigned dev, const struct yk_region *r, struct yk_post *p,
                            uint64_t *moved)
{
    if (!yk_store_real(s, dev))
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return yk_store_transfer(s, yk_store_location(s, dev), (int)dev, r, p, moved);
}

uint64_t yk_store_lacks(struct yk_store *s, unsigned dev, const struct yk_region *r)
{
    bool host = s->real[dev] ? s->zero_copy[dev] : yk_rt.machine->device[dev].host_memory;
    unsigned at = host ? YK_HOST : 1 + dev;
    yk_lock_take(&s->lock);
    uint64_t lacks = yk_store_lacks_of(s, yk_at(at) | yk_at(YK_FILLED), r);
    yk_lock_drop(&s->lock);
    return lacks;
}

static uint64_t count_lacks(const struct yk_map *m, yk_where there, const struct yk_region *r)
{
    uint64_t lacks = 0, to = 0;
    size_t near = 0;
    if (m->n < r->rows * r->slices && yk_region_ordered(r)) { /* fewer spans than rows */
        for (uint64_t from = 0; from < m->size; from = to)
            if (!(yk_map_find_next(m, from, &near, &to) & there))
                lacks += yk_region_within(r, from, to);
        return lacks;
    }
    for (uint64_t z = 0; z < r->slices; z++)
        for (uint64_t y = 0; y < r->rows; y++) {
            uint64_t off = r->offset + z * r->slice_pitch + y * r->row_pitch, end = off + r->bytes;
            for (; off < end; off = to) {
                yk_where have = yk_map_find_next(m, off, &near, &to);
                to = YK_MIN(to, end);
                lacks += have & there ? 0 : to - off;
            }
        }
    return lacks;
}

uint64_t yk_store_lacks_of(struct yk_store *s, yk_where there, const struct yk_region *r)
{
    const uint64_t many = 64;
    if (s->map.whole & there)
        return 0;
    if (s->map.n < many)
        return count_lacks(&s->map, there, r);
    if (!s->lacked && !(s->lacked = calloc(YK_LACKED, sizeof *s->lacked)))
        return count_lacks(&s->map, there, r);
    for (unsigned i = 0; i < YK_LACKED; i++) {
        const struct yk_lacked *k = &s->lacked[i];
        if (k->there == there && k->changes == s->map.changes && !memcmp(&k->region, r, sizeof *r))
            return k->lacks;
    }
    uint64_t lacks = count_lacks(&s->map, there, r);
    s->lacked[s->lacked_next++ % YK_LACKED] = (struct yk_lacked){*r, there, s->map.changes, lacks};
    return lacks;
}

bool yk_store_host_has(struct yk_store *s, size_t off, size_t len)
{
    yk_lock_take(&s->lock);
    bool has = s->master && yk_map_holds(&s->map, off, len, YK_HOST);
    yk_lock_drop(&s->lock);
    return has;
}

static void wrote_rows(struct yk_store *s, unsigned at, uint64_t off, uint64_t len, uint64_t pitch, uint64_t rows)
{
    yk_lock_take(&s->lock);
    bool recorded = yk_map_write_rows(&s->map, off, len, pitch, rows, at) == YK_OK;
    if (!recorded) /* needs no memory */
        yk_map_write(&s->map, 0, s->size, YK_LOST);
    yk_store_refresh(s);
    yk_lock_drop(&s->lock);
    if (!recorded)
        yk_error("out of host memory while recording a write; the buffer's content is given up");
}

static void wrote(struct yk_store *s, unsigned at, size_t off, size_t len)
{
    wrote_rows(s, at, off, len, len, 1);
}

void yk_store_wrote_region(struct yk_store *s, unsigned dev, const struct yk_region *r)
{
    for (uint64_t z = 0; z < r->slices; z++)
        wrote_rows(s, yk_store_location(s, dev), r->offset + z * r->slice_pitch, r->bytes, r->row_pitch, r->rows);
}

void yk_store_wrote(struct yk_store *s, unsigned dev, size_t off, size_t len)
{
    wrote(s, yk_store_location(s, dev), off, len);
}

void yk_store_wrote_host(struct yk_store *s, size_t off, size_t len)
{
    wrote(s, YK_HOST, off, len);
}

void yk_store_lose(struct yk_store *s, size_t off, size_t len)
{
    wrote(s, YK_LOST, off, len);
}

void yk_store_forgive(struct yk_store *s, unsigned dev, size_t off, size_t len)
{
    unsigned at = yk_store_location(s, dev);
    size_t end = off + len;
    struct yk_piece piece;
    yk_lock_take(&s->lock);
    while (yk_map_missing(&s->map, off, end - off, at, &piece)) {
        if (piece.have == yk_at(YK_LOST) && yk_map_write(&s->map, piece.off, piece.len, at) != YK_OK)
            break;
        off = piece.off + piece.len;
    }
    yk_store_refresh(s);
    yk_lock_drop(&s->lock);
}

void yk_store_pin(struct yk_store *s)
{
    yk_lock_take(&s->lock);
    s->pinned_to_primary = true;
    yk_lock_drop(&s->lock);
}
