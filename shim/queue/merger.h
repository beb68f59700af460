/* The merge kernel (transform/merge.c) at work: it runs a share's work-groups again on a CPU device that works in the
 * host's memory, and at each of their stores takes over what lies there in the output of the device that ran them. Who
 * uses it: operand.c, instead of comparing bytes. */
#ifndef YK_SHIM_QUEUE_MERGER_H
#define YK_SHIM_QUEUE_MERGER_H

#include "shim/queue/decide.h"

/* Outputs of one share, as they were read from the device that ran it. */
struct yk_merger_output {
    unsigned arg;
    unsigned char *bytes; /* of the whole argument; only what the share may have written is there. NULL: the argument's
                             own buffer is right already */
};

/**
 * Should L's outputs be put together by a merge kernel? COMPARED: bytes that would be compared otherwise; LACKED: that
 * would have to be brought for that. *DEV: the device for it. False too while it is being built, which this begins;
 * with YOKE_MERGE=kernel it waits for that. Thread: the worker's.
 */
bool yk_merger_choose(const struct yk_launch *l, const struct yk_facts_kernel *f, const struct yk_decision *d,
                      uint64_t compared, uint64_t lacked, unsigned *dev);

/** Memory for an output of SIZE bytes; free() releases. Its pages are touched only where they are written. */
unsigned char *yk_merger_memory(size_t size);

/**
 * Run the merge kernel of L for work-groups [FROM, TO) on DEV and wait; OUT[N] has an entry for each argument that L
 * writes. What it reads is at the host already. Errors: OpenCL's; the host's bytes are then partly merged.
 */
cl_int yk_merger_run(struct yk_launch *l, const struct yk_facts_kernel *f, const struct yk_decision *d, unsigned dev,
                     uint64_t from, uint64_t to, const struct yk_merger_output *out, unsigned n);

/** BYTES have been compared in NS. */
void yk_merger_compared(uint64_t bytes, uint64_t ns);

#endif
