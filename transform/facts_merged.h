/* How many launches of one kernel are run as one: the merged variant of a kernel, what arguments it takes, and where in
 * its table the launches' own arguments lie. The transformer writes the variant by this (merging.c), the shim fills the
 * table. Pure.
 *
 * The merged kernel is launched over one dimension of work-groups, each launch's after the other's, with the local size
 * of the launches. Its parameters:
 *     0                      the table, read only
 *     1 .. YK_MERGED_SLOTS   the buffers that the launches use (any buffer where there are fewer)
 *     then                   the kernel's __local pointers, with the largest size that a launch wants
 *     then                   the kernel's __constant pointers, the same buffer for all launches
 * The table: for each work-group four uints (number of its launch's record, in units of YK_MERGED_UNIT bytes from the
 * table's beginning; its group id in that launch's range), then the records. A record: ulongs for the number of groups
 * (3), global offset (3), dimensions, 0; then the kernel's arguments at `at`: a __global pointer as a ulong, the slot
 * in the highest byte and the byte offset in that buffer below; a value as its bytes. */
#ifndef YK_TRANSFORM_FACTS_MERGED_H
#define YK_TRANSFORM_FACTS_MERGED_H

#include "transform/facts.h"

enum { YK_MERGED_SLOTS = 16, YK_MERGED_UNIT = 128, YK_MERGED_HEAD = 64, YK_MERGED_ARGS = 48, YK_MERGED_SHIFT = 56 };

struct yk_merged_layout {
    unsigned nparams;            /* of the merged kernel */
    uint32_t bytes;              /* of a record; a multiple of YK_MERGED_UNIT */
    uint32_t at[YK_MERGED_ARGS]; /* per argument: byte in the record; of LOCAL and CONSTANT: parameter number */
};

/**
 * Can launches of K be merged, the text of its program aside? False: *WHY (static) says why not. Fills *L.
 * Thread: any. Cost: O(arguments).
 */
bool yk_merged_layout(const struct yk_facts_kernel *k, struct yk_merged_layout *l, const char **why);

#endif
