/* Which bytes of a buffer are newest where. One map per buffer (sub-buffers use their parent's): a sorted list of
 * spans, each with the set of locations that hold its newest bytes. Who uses it: shim/memory, which makes the copies
 * that a launch or a read needs, and tests. Pure: it moves no byte and knows no device; never calls OpenCL, a lock, a
 * clock.
 *
 * A location is a number from 0 to 63: 0 is the host (the master copy, and every device that works in it), d + 1 is
 * device d. At every moment each byte is newest in at least one location.
 *
 * Thread: the caller holds the buffer's lock; nothing here blocks. */
#ifndef YK_SHIM_MEMORY_MAP_H
#define YK_SHIM_MEMORY_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/status.h"

typedef uint64_t yk_where; /* a set of locations: bit l for location l */

enum { YK_HOST = 0, YK_LOCATIONS = 64, YK_MAP_INLINE = 4 };

static inline yk_where yk_at(unsigned location)
{
    return (yk_where)1 << location;
}

/* [from, the next span's from) is newest in `where`. Neighbours differ. */
struct yk_span {
    uint64_t from;
    yk_where where;
};

struct yk_map {
    uint64_t size;        /* bytes, the end of the last span */
    yk_where whole;       /* the locations that hold every byte; what yk_map_whole reads */
    uint64_t changes;     /* counts them: what was found out of the map holds until it has moved */
    size_t n, cap;        /* spans; n == 0 only when size == 0 */
    struct yk_span *heap; /* NULL while YK_MAP_INLINE spans are enough */
    struct yk_span few[YK_MAP_INLINE];
};

/** A map of SIZE bytes, all newest in WHERE. Owns: the caller's memory; yk_map_finish releases what the map holds.
 * Errors: YK_EINVAL (WHERE is empty). Allocates nothing. */
yk_status yk_map_init(struct yk_map *m, uint64_t size, yk_where where);
void yk_map_finish(struct yk_map *m);

/**
 * [off, off+len) has been written at LOCATION: newest there and nowhere else.
 * Units: bytes; off+len <= size, else YK_EINVAL; len 0 changes nothing.
 * Errors: YK_EINVAL, YK_ENOMEM: map unchanged. Cost: O(log n) + a move of the spans behind; O(1) for the whole buffer.
 */
yk_status yk_map_write(struct yk_map *m, uint64_t off, uint64_t len, unsigned location);

/** [off, off+len) has been copied to LOCATION: newest there too. As yk_map_write otherwise. */
yk_status yk_map_copy(struct yk_map *m, uint64_t off, uint64_t len, unsigned location);

/**
 * yk_map_write and yk_map_copy of ROWS pieces of LEN bytes, each PITCH behind the one before, the first at OFF. Errors
 * as there: map unchanged. Cost: O(n + ROWS), where nothing changes O(ROWS log n).
 */
yk_status yk_map_write_rows(struct yk_map *m, uint64_t off, uint64_t len, uint64_t pitch, uint64_t rows,
                            unsigned location);
yk_status yk_map_copy_rows(struct yk_map *m, uint64_t off, uint64_t len, uint64_t pitch, uint64_t rows,
                           unsigned location);

/**
 * LOCATION is gone (its memory released, its device lost). Errors: YK_ENOTFOUND where it alone held the newest of some
 * bytes: map unchanged; copy them first. Cost: O(n).
 */
yk_status yk_map_drop(struct yk_map *m, unsigned location);

/** Does LOCATION hold the newest of all bytes? Cost: O(1). */
static inline bool yk_map_whole(const struct yk_map *m, unsigned location)
{
    return m->whole >> location & 1;
}

/** Does LOCATION hold the newest of [off, off+len)? Out of bounds: false. len 0: true. Cost: O(log n + spans inside).
 */
bool yk_map_holds(const struct yk_map *m, uint64_t off, uint64_t len, unsigned location);

/* Bytes that one copy can bring: every location of `have` holds the newest of all of them. */
struct yk_piece {
    uint64_t off, len;
    yk_where have;
};

/**
 * The first piece of [off, off+len) that LOCATION lacks; false: it lacks nothing (or bounds are out of range). Pieces
 * are as long as one source can serve them, so that there are as few copies as possible:
 *
 *     while (yk_map_missing(m, off, end - off, location, &piece)) { copy piece; off = piece.off + piece.len; }
 *
 * Cost: O(log n + spans passed).
 */
bool yk_map_missing(const struct yk_map *m, uint64_t off, uint64_t len, unsigned location, struct yk_piece *piece);

/** Which of HAVE (not empty) to copy from: the lowest of those in PREFER, else the lowest (the host before any device).
 */
unsigned yk_where_pick(yk_where have, yk_where prefer);

/** The span that holds byte OFF (< size): its locations, and its end in *END. Cost: O(log n). */
yk_where yk_map_find(const struct yk_map *m, uint64_t off, uint64_t *end);

/** As yk_map_find, for bytes asked for one after the other: *NEAR is 0 at first, and where it left it afterwards. Cost:
 * O(1) for a byte of the same span or of one of the next few, else O(log n). */
yk_where yk_map_find_next(const struct yk_map *m, uint64_t off, size_t *near, uint64_t *end);

/** Is the map's form sound (sorted, neighbours differ, none empty, `whole` right)? For tests and debug builds. Cost:
 * O(n). */
bool yk_map_check(const struct yk_map *m);

#endif
