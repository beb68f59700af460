/* Which bytes each share of a launch reads and writes: the facts, evaluated, as regions of stores. Who uses it:
 * operand.c, which brings and records them, and decide.c, which counts them. Calls no driver. */
#ifndef YK_SHIM_QUEUE_PART_H
#define YK_SHIM_QUEUE_PART_H

#include "shim/queue/decide.h"
#include "transform/facts_regions.h"

/* What one device reads or writes of one store. */
struct yk_part {
    struct yk_store *store;
    struct yk_region region; /* of the store */
    unsigned dev;            /* who runs it */
    unsigned share;          /* whose share it was to be */
    bool write;
    bool exact; /* a write: every byte of it is written */
};

struct yk_parts {
    YK_ARRAY(struct yk_part) part;
    struct yk_reach reach; /* scratch */
};

/** Evaluate what work-groups [FROM, TO) of L touch, into S->reach. Errors as below. */
yk_status yk_parts_reach(struct yk_parts *s, const struct yk_launch *l, const struct yk_facts_kernel *f,
                         const struct yk_decision *d, uint64_t from, uint64_t to);

/**
 * Append what work-groups [FROM, TO) of L, run on DEV, touch, reductions (reduction.h)
 * aside. Errors: YK_ENOMEM; YK_EINVAL: L cannot be evaluated (other atomics, unknown arguments), so whole buffers must
 * be assumed. Thread: one at a time per S. Cost: microseconds.
 */
yk_status yk_parts_add(struct yk_parts *s, const struct yk_launch *l, const struct yk_facts_kernel *f,
                       const struct yk_decision *d, unsigned dev, uint64_t from, uint64_t to);

/**
 * Bytes that DEV must be sent, and must send for comparison, for work-groups [FROM, TO) of L: into *BYTES, and into
 * *AGAIN those of them that the same launch would move once more if it followed. False: not known. Cost: a few
 * microseconds.
 */
bool yk_parts_bytes_of(const struct yk_launch *l, const struct yk_facts_kernel *f, const struct yk_decision *d,
                       unsigned dev, uint64_t from, uint64_t to, double *bytes, double *again);

/** The same if all takers of D share L evenly. */
bool yk_parts_bytes(const struct yk_launch *l, const struct yk_facts_kernel *f, const struct yk_decision *d,
                    unsigned dev, double *bytes, double *again);
void yk_parts_finish(struct yk_parts *s);

#endif
