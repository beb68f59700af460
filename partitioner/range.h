/* An NDRange seen as work-groups, and how it is cut: the types in which every split is said. Who uses it: the
 * strategies, the shim's planner and executor, tests. Pure: no OpenCL type, clock, I/O, thread or global; no local size
 * either, since yoke never cuts a work-group.
 *
 * Work-groups are numbered ("flattened"); shares are runs of numbers. Dimension 0 varies fastest: number = x +
 * groups[0]
 * * (y + groups[1] * z). Where another axis than the last is to be cut, that one varies slowest and the others keep
 * their order. */
#ifndef YK_PARTITIONER_RANGE_H
#define YK_PARTITIONER_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Work-groups per dimension, each at least 1; 1 in the dimensions from dims on. */
struct yk_range {
    unsigned dims; /* 1..3 */
    size_t groups[3];
    unsigned axis; /* the dimension that is cut, plus 1: that which varies slowest; 0: the last one that is used */
};

/* A box of work-groups; count is 1 in unused dimensions. One box is one kernel launch. */
struct yk_box {
    size_t first[3], count[3];
};

enum { YK_SHARE_BOXES = 5 }; /* 2 * 3 - 1: what a run of flattened work-groups needs at most */

/* What one device gets of a range: disjoint boxes, in flattened order. n == 0: nothing. */
struct yk_share {
    unsigned n;
    struct yk_box box[YK_SHARE_BOXES];
};

/**
 * Do the global ids of a range of DIMS dimensions (OFFSET: NULL is 0) fit in 32 bits? Drivers add the offset of a box
 * to ids in so many: NVIDIA's 580 gives ids from 2^32 on right without an offset, and wrong ones with. Cost: some adds.
 */
bool yk_range_ids_fit(unsigned dims, const size_t *offset, const size_t *global);

/** Number of work-groups of R into *TOTAL. False: dims, axis or a count is out of range, or the product overflows 64
 * bits. */
bool yk_range_total(const struct yk_range *r, uint64_t *total);

/** Number of work-groups of B, of all boxes of S. */
uint64_t yk_box_groups(const struct yk_box *b);
uint64_t yk_share_groups(const struct yk_share *s);

/** The whole range as one box. */
struct yk_box yk_range_box(const struct yk_range *r);

/**
 * The flattened work-groups [FROM, TO) of R as boxes: the fewest of which each is itself a run in flattened order; at
 * most 2 * dims - 1. R is valid (yk_range_total), FROM <= TO <= total; FROM == TO gives no box.
 */
void yk_range_cut(const struct yk_range *r, uint64_t from, uint64_t to, struct yk_share *share);

/** The dimension that R is cut along. */
unsigned yk_range_axis(const struct yk_range *r);

/** Layers [FROM, TO) of dimension AXIS as one box. AXIS < dims, FROM < TO <= groups[AXIS]. */
struct yk_box yk_range_cut_axis(const struct yk_range *r, unsigned axis, size_t from, size_t to);

/**
 * The coarsest unit (a plane, a row, one work-group) of which R has at least LEAST, in work-groups: shares that begin
 * and end at its multiples are single boxes. What is lost by it is at most one unit of LEAST in a share's size.
 */
uint64_t yk_range_grain(const struct yk_range *r, uint64_t least);

#endif
