/* One memory of the app (a buffer with all its sub-buffers): a real buffer per device, made when first needed, a host
 * master copy, and where every byte is newest. Who uses it: queue/ (copies a launch or transfer needs), object/ and
 * api/ (creation).
 *
 * Locations: 0 is the host master; 1 + d is device d's own real buffer. A device with host memory has its real buffer
 * over the master (CL_MEM_USE_HOST_PTR) and shares location 0: nothing is ever copied for it. YK_LOST is the location
 * of bytes that a failed launch has destroyed: nobody can read them until they are written anew. At YK_FILLED is what
 * every device can set by itself (filled.h); no byte is newest only there. */
#ifndef YK_SHIM_MEMORY_STORE_H
#define YK_SHIM_MEMORY_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include "base/lock.h"
#include "partitioner/plan.h"
#include "shim/core/context.h"
#include "shim/memory/map.h"
#include "shim/memory/used.h"

enum { YK_FILLED = YK_LOCATIONS - 2, YK_LACKED = 128 };

/* What a fill sets bytes to, beginning at each multiple of its size. */
struct yk_pattern {
    size_t size; /* 1 to 128 */
    unsigned char bytes[128];
};

/* How many bytes of a region some locations lack, for as long as the map does not change: programs make the same
 * launches again, and a column of a large matrix has a row in each of its. Of four devices and two dimensions to cut
 * along some thirty are asked for by each launch. */
struct yk_lacked {
    struct yk_region region;
    yk_where there;
    uint64_t changes, lacks;
};

struct yk_store {
    int32_t holds;
    struct yk_context *ctx; /* held */
    size_t size;
    void *app_ptr;              /* the app's CL_MEM_USE_HOST_PTR memory, which then is the master */
    unsigned char *master;      /* NULL until needed */
    void *master_base;          /* what is freed with it; NULL: nothing, it is the app's */
    struct yk_store *next_host; /* in the context's list of stores over the app's memory */
    bool host_only; /* no device has room for it: its bytes live in the master, and the primary's real buffer is a tiny
                       one that only stands in for it (room.h) */
    bool counted;   /* by yk_room_take */
    bool contents;  /* its buffer is yk_contents_create's */
    bool own_maps;  /* what the program maps is the master; the primary's driver knows of no memory on the host */
    struct yk_tenant *tenant; /* of a host_only store: its buffer on the primary for a while (tenant.h) */
    bool pinned_to_primary; /* only the primary may see it (images, SVM, memory of other APIs, misaligned app memory) */
    cl_mem real[YK_MAX_DEVICES];
    struct yk_subs *subs;           /* sub-buffers of real[d] (subs.h, which guards it); NULL: none */
    bool had_subs;                  /* yk_subs_first's, guarded as they are */
    bool zero_copy[YK_MAX_DEVICES]; /* real[d] is the master */
    bool copied;                    /* some device works, or would, in a memory of its own for it; never changes */
    struct yk_lock lock;            /* guards map and creation flags; no driver call under it */
    struct yk_map map;
    struct yk_lacked *lacked; /* YK_LACKED of them, or NULL; under the lock */
    unsigned lacked_next;
    struct yk_pattern *pattern;     /* of the bytes newest at YK_FILLED; NULL: none yet */
    uint64_t fetched_ns;            /* see yk_store_fetched; atomic */
    bool at_primary;                /* every byte is newest at the primary's location; atomic */
    bool only_primary;              /* and nowhere else; atomic */
    struct yk_write_map *write_map; /* write_map.h; under the lock, the first atomic */
    unsigned write_maps;            /* parts of it that the program may be writing through a map now; atomic */
    int writers;                    /* who writes it and who copies it (exclude.h); both atomic */
    const void *copier;
    struct yk_used used;
};

/** What the host may do with the bytes. */
enum { YK_MEM_HOST_ACCESS = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS };

/** FLAGS as the driver gets them: what the program's host may not do with a buffer yoke must, to share it, so api/
 * checks it alone. Flags that contradict one another stay, for the driver's error. */
static inline cl_mem_flags yk_store_driver_flags(cl_mem_flags flags)
{
    cl_mem_flags host = flags & YK_MEM_HOST_ACCESS;
    return host & (host - 1) ? flags : flags & ~(cl_mem_flags)YK_MEM_HOST_ACCESS;
}

/**
 * A memory of SIZE bytes with the primary's real buffer.
 * FLAGS, HOST_PTR, LIST: as the app gave them; LIST (properties) goes to the primary alone and pins the memory to it.
 * Errors: the primary's code in *ERR. Thread: any; no lock held.
 */
struct yk_store *yk_store_create(struct yk_context *ctx, cl_mem_flags flags, size_t size, void *host_ptr,
                                 const cl_mem_properties *list, cl_int *err);

/** Is S one that no device has as a whole? Such a store's bytes are at the host, or lost. */
static inline bool yk_store_host_only(const struct yk_store *s)
{
    return s && s->host_only;
}

/** From now on only the primary may see it; what other devices have newest is brought to it first by the next command.
 */
void yk_store_pin(struct yk_store *s);

/**
 * Programs read their CL_MEM_USE_HOST_PTR memory without a map after a blocking call, where the primary works in that
 * memory: bring into it what another device of CTX has newest. For other primaries nothing is done, as bare.
 * Errors: the driver's. Thread: any; no lock held. Cost: a load where there is no such memory.
 */
cl_int yk_store_gather_all(struct yk_context *ctx);
static inline cl_int yk_store_gather(struct yk_context *ctx)
{
    return __atomic_load_n(&ctx->nhost_stores, __ATOMIC_RELAXED) ? yk_store_gather_all(ctx) : CL_SUCCESS;
}

void yk_store_hold(struct yk_store *s);
void yk_store_drop(struct yk_store *s);

/** Real buffer on DEV, made if need be; NULL: cannot be had. No lock held. */
cl_mem yk_store_real(struct yk_store *s, unsigned dev);

/** DEV's buffer with S's bytes, for copies. */
cl_mem yk_store_buffer(const struct yk_store *s, unsigned dev);

/** The location DEV reads and writes (its real buffer exists). */
static inline unsigned yk_store_location(const struct yk_store *s, unsigned dev)
{
    return s->zero_copy[dev] ? YK_HOST : 1 + dev;
}

/** Real buffer on DEV, NULL: not made yet. What is known of it, like zero_copy, is valid once this says that it is
 * there. Thread: any, without a lock. */
static inline cl_mem yk_store_made(const struct yk_store *s, unsigned dev)
{
    return __atomic_load_n(&s->real[dev], __ATOMIC_ACQUIRE);
}

/** May only the primary see it? Images made from it may say so at any time (yk_store_pin). Thread: any, no lock. */
static inline bool yk_store_pinned(const struct yk_store *s)
{
    return __atomic_load_n(&s->pinned_to_primary, __ATOMIC_RELAXED);
}

/** Does DEV work in a memory of its own for S, or would it, once its buffer is made? Thread: any, without a lock. */
bool yk_store_apart(const struct yk_store *s, unsigned dev);

/** Do buffers lie in masters in which the primary works, for other devices' sake? Then what moves them is yoke's own
 * threads. */
bool yk_store_in_masters(void);

/** Does what AT points to lie in S's master, memory of yoke's own? Thread: any; no lock held. */
bool yk_store_owns(struct yk_store *s, const void *at);

/** The master, made if need be (its bytes are not valid by that); NULL: no memory. */
unsigned char *yk_store_master(struct yk_store *s);

/**
 * Copy what of [off, off+len) is not newest at DEV (or the host) yet. Returns when the bytes are there.
 * *MOVED (may be NULL) grows by the bytes transferred.
 * Errors: CL_MEM_OBJECT_ALLOCATION_FAILURE, the driver's own. Thread: any; no lock held; commands that still write
 * these bytes must be complete.
 */
cl_int yk_store_need(struct yk_store *s, unsigned dev, size_t off, size_t len, uint64_t *moved);
cl_int yk_store_need_host(struct yk_store *s, size_t off, size_t len, uint64_t *moved);

/** The same for the rows of R, with one transfer for many rows where they lie together. P (may be NULL): small copies
 * between devices may only be begun, and are missing until yk_post_deliver (post.h). */
struct yk_post;
cl_int yk_store_need_region(struct yk_store *s, unsigned dev, const struct yk_region *r, struct yk_post *p,
                            uint64_t *moved);

/** The primary's queue has stood still for NS so that a whole launch had S's bytes: whoever left them elsewhere is to
 * know. */
static inline void yk_store_fetch_took(struct yk_store *s, uint64_t ns)
{
    __atomic_fetch_add(&s->fetched_ns, ns, __ATOMIC_RELAXED);
}

/** The milliseconds of that since the last such question. */
static inline double yk_store_fetched(struct yk_store *s)
{
    return s && __atomic_load_n(&s->fetched_ns, __ATOMIC_RELAXED)
               ? (double)__atomic_exchange_n(&s->fetched_ns, 0, __ATOMIC_RELAXED) * 1e-6
               : 0;
}

/** Read [off, off+len) into TO, wherever it is newest; without a master, straight from the devices. *MOVED as above.
 * Errors, thread: as yk_store_need. */
cl_int yk_store_read(struct yk_store *s, size_t off, size_t len, void *to, uint64_t *moved);

/** Bytes of R that would have to be brought to DEV, whose real buffer need not exist; not what it can set by itself.
 * Calls no driver. */
uint64_t yk_store_lacks(struct yk_store *s, unsigned dev, const struct yk_region *r);
/** Bytes of R that are newest at none of THERE, with the lock held. Cost: that of the fewer, R's pieces or the map's
 * spans; a few comparisons where it has been asked since the map changed. */
uint64_t yk_store_lacks_of(struct yk_store *s, yk_where there, const struct yk_region *r);

/** Does the host hold the newest of [off, off+len)? */
bool yk_store_host_has(struct yk_store *s, size_t off, size_t len);

/** [off, off+len) has been or will be written at DEV (the host) by a command already ordered: newest there only.
 * Without memory for that record the whole buffer is lost: later reads of it fail, none gives wrong bytes. */
void yk_store_wrote(struct yk_store *s, unsigned dev, size_t off, size_t len);
void yk_store_wrote_host(struct yk_store *s, size_t off, size_t len);
void yk_store_wrote_region(struct yk_store *s, unsigned dev, const struct yk_region *r);

/** The same for what DEV holds of [off, off+len): a launch that may write all of it was ordered, and what other queues
 * have written elsewhere since its bytes were brought is theirs. False: DEV does not hold all of it. */
bool yk_store_wrote_held(struct yk_store *s, unsigned dev, size_t off, size_t len);

/** What should be in [off, off+len) is nowhere: reading it fails with CL_OUT_OF_RESOURCES until it is written again. */
void yk_store_lose(struct yk_store *s, size_t off, size_t len);

/** Somebody will write [off, off+len) without reading it: where its bytes are lost, any will do. DEV's real buffer
 * exists. */
void yk_store_forgive(struct yk_store *s, unsigned dev, size_t off, size_t len);

#endif
