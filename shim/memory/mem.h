/* Virtual memory objects: buffers, sub-buffers (a window of their parent's store), images, of which other devices may
 * have copies (image.h), and pipes, which only the primary has. Who uses it: queue/, object/, api/. */
#ifndef YK_SHIM_MEMORY_MEM_H
#define YK_SHIM_MEMORY_MEM_H

#include "shim/core/context.h"
#include "shim/memory/image.h"
#include "shim/memory/store.h"

/* The app's function for the end of an object. POST runs something on yoke's callback thread (it lives above this
 * folder).
 */
struct yk_mem_callback {
    struct yk_mem_callback *next;
    void (*fn)(cl_mem, void *);
    void *data;
    bool (*post)(void (*fn)(void *arg), void *arg);
};

/* Memory that stands in for an image's while it is mapped: of its mapping, and of the commands on their way. */
struct yk_stage {
    int32_t holds;
    void *bytes;
};
void yk_stage_drop(struct yk_stage *s); /* NULL: nothing */

/* One clEnqueueMapBuffer or clEnqueueMapImage not yet unmapped. */
struct yk_mapping {
    struct yk_mapping *next;
    void *ptr;
    size_t offset, size; /* in the memory object */
    cl_map_flags flags;
    bool on_master; /* POINTER is in the master: the worker gathers and scatters; else the primary's driver mapped it */
    struct yk_prefault *prefault; /* others touch its pages; NULL: nobody does */
    struct yk_stage *stage;       /* images: POINTER is into this; held */
    size_t corner[3], region[3];  /* then: of the texels */
};

struct yk_mem {
    struct yk_handle h;
    struct yk_context *ctx; /* held */
    uint64_t number;        /* no other memory object of the process has it, also later at this place */
    cl_mem_object_type type;
    cl_mem_flags flags;
    size_t size;
    void *host_ptr;
    struct yk_mem *parent;      /* held; sub-buffers, image from buffer */
    size_t origin;              /* in the store */
    struct yk_store *store;     /* held; NULL: not a buffer */
    cl_mem own[YK_MAX_DEVICES]; /* real handle of a sub-buffer or image; of the primary for other objects */
    struct yk_image *image;     /* NULL: none, or other devices may have no copy of it (image.h) */
    cl_mem_properties *properties;
    size_t nproperties;
    struct yk_lock lock;
    cl_uint map_count;
    struct yk_mapping *mappings;
    struct yk_mem_callback *callbacks; /* newest first, the order of calling */
};

/** LIST (with its 0; NULL: none) is what a query of M's properties answers. False: no memory. */
bool yk_mem_keep_properties(struct yk_mem *m, const cl_mem_properties *list);

/** Buffers and sub-buffers. Arguments are checked by the primary's driver and by api/. */
struct yk_mem *yk_mem_create_buffer(struct yk_context *ctx, cl_mem_flags flags, size_t size, void *host_ptr,
                                    const cl_mem_properties *list, cl_int *err);
struct yk_mem *yk_mem_create_sub(struct yk_mem *parent, cl_mem_flags flags, size_t origin, size_t size, cl_int *err);

/** May memory over a buffer with the flags PARENT have FLAGS, as far as the host's access goes? Drivers are not told of
 * the parent's. */
bool yk_mem_host_agrees(cl_mem_flags parent, cl_mem_flags flags);

/** An object only the primary has; takes over REAL. TYPE as CL_MEM_TYPE says. NULL: no memory (REAL released). */
struct yk_mem *yk_mem_wrap(struct yk_context *ctx, cl_mem_object_type type, cl_mem_flags flags, void *host_ptr,
                           struct yk_mem *parent, cl_mem real);

/** Make the real handle on DEV; NULL: cannot be had there. For yk_mem_real. */
cl_mem yk_mem_make_real(struct yk_mem *m, unsigned dev);

/** Where the real handle on DEV is kept, NULL in it until it is made. */
static inline const cl_mem *yk_mem_slot(const struct yk_mem *m, unsigned dev)
{
    return m->store && !m->parent ? &m->store->real[dev] : &m->own[dev];
}

/** Real handle on DEV; NULL: cannot be had there. No lock held. Cost: a load where it exists. */
static inline cl_mem yk_mem_real(struct yk_mem *m, unsigned dev)
{
    cl_mem real = __atomic_load_n(yk_mem_slot(m, dev), __ATOMIC_ACQUIRE);
    return __builtin_expect(real != NULL, 1) ? real : yk_mem_make_real(m, dev);
}

/** Whose bytes M's are: its own, or those of the buffer that an image was made of. Cost: a load or two. */
static inline const struct yk_mem *yk_mem_bytes(const struct yk_mem *m)
{
    while (!m->store && m->parent)
        m = m->parent;
    return m;
}

/** Is every byte newest at the primary? Cost: two loads. */
static inline bool yk_mem_at_primary(const struct yk_mem *m)
{
    const struct yk_store *s = yk_mem_bytes(m)->store;
    return !s || __atomic_load_n(&s->at_primary, __ATOMIC_ACQUIRE);
}

/** Have M's bytes all newest at the primary. *MOVED, errors, thread: as of yk_store_need. */
static inline cl_int yk_mem_need(const struct yk_mem *m, uint64_t *moved)
{
    const struct yk_mem *b = yk_mem_bytes(m);
    return b->store ? yk_store_need(b->store, yk_rt.primary->index, b->origin, b->size, moved) : CL_SUCCESS;
}

/** The primary writes [off, off+len) of M, or to an image, of whose buffer that may be any part. Cost: two or three
 * loads where nobody else has a copy. */
static inline void yk_mem_primary_writes(struct yk_mem *m, size_t off, size_t len)
{
    const struct yk_mem *b = yk_mem_bytes(m);
    if (m->image)
        yk_image_wrote(m->image);
    else if (b->store && !__atomic_load_n(&b->store->only_primary, __ATOMIC_ACQUIRE))
        yk_store_wrote(b->store, yk_rt.primary->index, b->origin + (b == m ? off : 0), b == m ? len : b->size);
}

/** The primary may write all of M: a launch that was ordered there. False: queues use it at once, or the program writes
 * to it through a map, and part of M was not there; what the launch surely writes is still to be said. */
static inline bool yk_mem_primary_may_write(struct yk_mem *m)
{
    const struct yk_mem *b = yk_mem_bytes(m);
    if (!b->store || __atomic_load_n(&b->store->only_primary, __ATOMIC_ACQUIRE) ||
        (!__atomic_load_n(&b->store->used.several, __ATOMIC_ACQUIRE) &&
         !__atomic_load_n(&b->store->write_map, __ATOMIC_ACQUIRE))) {
        yk_mem_primary_writes(m, 0, m->size);
        return true;
    }
    return yk_store_wrote_held(b->store, yk_rt.primary->index, b->origin, b->size);
}

static inline struct yk_mem *yk_mem_from(cl_mem c)
{
    return yk_handle_is((void *)c, YK_KIND_MEM) ? (struct yk_mem *)(void *)c : NULL;
}

static inline bool yk_mem_is_image(const struct yk_mem *m)
{
    return m->type != CL_MEM_OBJECT_BUFFER && m->type != CL_MEM_OBJECT_PIPE;
}

/** The buffer behind C, or NULL if it is none. */
static inline struct yk_mem *yk_buffer_from(cl_mem c)
{
    struct yk_mem *m = yk_mem_from(c);
    return m && m->type == CL_MEM_OBJECT_BUFFER ? m : NULL;
}

#endif
