/* Commands that move bytes of buffers: read, write, copy, fill (transfer.c), rect forms (transfer_rect.c), map, unmap
 * (transfer_map.c). Who uses it: api/. */
#ifndef YK_SHIM_QUEUE_TRANSFER_H
#define YK_SHIM_QUEUE_TRANSFER_H

#include "shim/memory/mem.h"
#include "shim/queue/command.h"

struct yk_rect {
    size_t origin[3], host_origin[3], region[3]; /* copies: source, destination, region */
    size_t row_pitch, slice_pitch, host_row_pitch, host_slice_pitch;
};

struct yk_transfer {
    struct yk_command c;
    struct yk_mem *mem, *to; /* held once captured; TO only for copies */
    size_t off, to_off, len; /* bytes; of rect forms the range that MEM's bytes span */
    size_t to_len;
    void *ptr; /* the app's memory; of a map the result */
    struct yk_rect rect;
    unsigned char pattern[128];
    size_t pattern_size;
    cl_map_flags map_flags;
    bool issued;    /* map: the driver gave PTR */
    bool on_master; /* unmap: the mapping was on the master */
};

extern const struct yk_command_kind yk_read_kind, yk_write_kind, yk_copy_kind, yk_fill_kind, yk_read_rect_kind,
    yk_write_rect_kind, yk_copy_rect_kind, yk_map_kind, yk_unmap_kind;

/**
 * A blocking read or write without events that no ring would carry, straight by the driver where nothing is pending and
 * the bytes are there: what yk_command_enqueue does with it, in fewer steps, since drivers need 8 us for such a call
 * and each 0.1 us shows. False: nothing has been done. Thread: any; no lock held.
 */
bool yk_transfer_small(bool in, struct yk_queue *q, struct yk_mem *m, size_t off, size_t len, void *ptr, cl_int *err);

/** Range of bytes [*OFF, *OFF + *LEN) that a rect of a buffer spans; pitches 0 mean tight. False: overflow. */
bool yk_rect_range(const size_t *origin, const size_t *region, size_t row_pitch, size_t slice_pitch, size_t *off,
                   size_t *len);

#endif
