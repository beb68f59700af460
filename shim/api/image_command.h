/* What commands on images share: enqueue_image.c (reading, writing, filling, copying) and map_image.c. */
#ifndef YK_SHIM_API_IMAGE_COMMAND_H
#define YK_SHIM_API_IMAGE_COMMAND_H

#include "shim/memory/mem.h"
#include "shim/queue/command.h"

/* One structure for all: each uses what it needs. */
struct yk_image_command {
    struct yk_command c;
    struct yk_mem *a, *b; /* source and destination, or the one object; held once captured */
    size_t origin[3], to_origin[3], region[3], offset, row_pitch, slice_pitch;
    void *ptr;
    unsigned char color[16];
    cl_map_flags map_flags;
    bool promised;          /* map: PTR is one that the worker can make good */
    struct yk_stage *stage; /* unmap: held once captured */
};

extern const struct yk_command_kind yk_map_image_kind;

/**
 * Handles checked and noted in I; B only where TWO. Coordinates are checked by the driver, or yk_image_check.
 * Returns CL_INVALID_COMMAND_QUEUE, CL_INVALID_MEM_OBJECT, CL_INVALID_CONTEXT.
 */
cl_int yk_image_prepare(struct yk_image_command *i, const struct yk_command_kind *kind, cl_command_queue queue,
                        cl_mem a, cl_mem b, bool two);

/** Capture, release, resident and carry of command.h for commands on images. Capture checks what the driver would. */
cl_int yk_image_capture(struct yk_command *c);
void yk_image_release(struct yk_command *c);
bool yk_image_resident(struct yk_command *c);
cl_int yk_image_carry(struct yk_command *c, cl_event *real);

/** What the driver says of texels of M; 0 where it says nothing. */
size_t yk_image_size(struct yk_mem *m, cl_image_info what);

/** Does the box of texels lie in image M, and is none of its sides 0? */
bool yk_image_inside(struct yk_mem *m, const size_t *origin, const size_t *region);

/** Unmap P, which has a stage. P stays the caller's. */
cl_int yk_image_unmap(struct yk_queue *q, struct yk_mem *m, struct yk_mapping *p, cl_uint nwait, const cl_event *wait,
                      cl_event *event);

/** May the program's host read, or write, image M? The driver does not know (yk_store_driver_flags). */
static inline bool yk_image_host_may(const struct yk_mem *m, bool read, bool write)
{
    return !(m->flags & CL_MEM_HOST_NO_ACCESS) && !(read && m->flags & CL_MEM_HOST_WRITE_ONLY) &&
           !(write && m->flags & CL_MEM_HOST_READ_ONLY);
}

static inline void yk_copy3(size_t *to, const size_t *from)
{
    memcpy(to, from, 3 * sizeof *to);
}

#endif
