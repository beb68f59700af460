/* Which launches of a window may run side by side, or in another order than they were enqueued in: the window's
 * dependency graph, kept as a level per launch. A launch's level is one more than the highest level of the earlier
 * launches that it conflicts with (one writes what the other reads or writes), 1 where there is none. Launches of one
 * level are independent of one another, and carrying out the levels in order respects every conflict. Who uses it: the
 * shim's gathering of small launches, tests. Pure. */
#ifndef YK_PARTITIONER_LEVELS_H
#define YK_PARTITIONER_LEVELS_H

#include <stdbool.h>
#include <stdint.h>
#include "base/array.h"
#include "base/status.h"

/* Bytes [from, to) of a memory, however that is numbered. */
struct yk_levels_touch {
    uint64_t memory, from, to;
    bool write;
};

/* Bytes that have the same history: the levels of the last writer and of the highest reader since; 0: none. */
struct yk_levels_span {
    uint64_t from, to;
    unsigned wrote, read;
};

struct yk_levels_memory {
    uint64_t memory;
    YK_ARRAY(struct yk_levels_span) span; /* sorted, disjoint, not empty */
};

struct yk_levels {
    YK_ARRAY(struct yk_levels_memory) memory; /* the first `used` are meant; the others keep their arrays */
    size_t used;
    unsigned top; /* the highest level so far */
};

/**
 * The next launch touches N ranges of bytes, TOUCH. *LEVEL is its level. L starts zeroed.
 * Owns: yk_levels_finish releases. Thread: one at a time per L. Errors: YK_ENOMEM: L must be cleared.
 * Cost: O(log spans + spans passed) per touch, and a move of the spans behind where they do not grow at the end.
 */
yk_status yk_levels_add(struct yk_levels *l, const struct yk_levels_touch *touch, size_t n, unsigned *level);

/** The window is empty again. Keeps the memory. */
void yk_levels_clear(struct yk_levels *l);
void yk_levels_finish(struct yk_levels *l);

#endif
