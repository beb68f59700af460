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
 * (3), global offset (3), dimensions, number of the kernel among the mixed ones; then the kernel's arguments at `at`: a
 * __global pointer as a ulong, the slot in the highest byte and the byte offset in that buffer below; a value as its
 * bytes.
 *
 * Launches of different kernels go into one launch of the mixed kernel, YK_MIXED_NAME, of a program of its own. It
 * takes the same table, in which the records differ in length, and chooses by a record's number. Its parameters: the
 * table and the buffers as above; then __local pointers, the kernels' first, second ..., each with the largest size, a
 * multiple of YK_MERGED_UNIT, that a launch wants; then the __constant pointers of each mixed kernel in turn (any small
 * buffer for kernels of which there is no launch). */
#ifndef YK_TRANSFORM_FACTS_MERGED_H
#define YK_TRANSFORM_FACTS_MERGED_H

#include "transform/facts.h"

enum { YK_MERGED_SLOTS = 16, YK_MERGED_UNIT = 128, YK_MERGED_HEAD = 64, YK_MERGED_ARGS = 48, YK_MERGED_SHIFT = 56 };

#define YK_MIXED_NAME "yoke_mixed_launches"
enum { YK_MIXED_KERNELS = 32, YK_MIXED_CONSTANTS = 6 }; /* at most; few devices take more than 8 __constant pointers */

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

struct yk_mixed_layout {
    unsigned nkernels, nlocals, nconstants; /* of the mixed kernel; its __local pointers begin at 1 + YK_MERGED_SLOTS */
};
struct yk_mixed_layout yk_mixed_layout(const struct yk_facts *f);

/** Number of F's kernel K among the mixed ones, and in *CONSTANT which of their __constant pointers is its first.
 * K is mixed. Thread: any. Cost: O(arguments of all). */
unsigned yk_mixed_number(const struct yk_facts *f, unsigned k, unsigned *constant);

unsigned yk_merged_count(const struct yk_facts_kernel *k, enum yk_arg_kind kind);

#endif
