/* The bytes a split launch may touch: its buffer arguments as disjoint ranges of stores, brought to every device that
 * takes a share, and put together afterwards. Who uses it: share.c (one worker thread at a time per list). */
#ifndef YK_SHIM_QUEUE_OPERAND_H
#define YK_SHIM_QUEUE_OPERAND_H

#include "shim/queue/decide.h"

struct yk_operand {
    struct yk_store *store; /* borrowed from the launch's arguments */
    size_t off, len;
    bool read, written;
    unsigned char *snapshot; /* what every device received; NULL where nobody needs it */
};

struct yk_operands {
    struct yk_operand *v;
    unsigned n;
    uint64_t moved; /* bytes transferred so far */
};

/** The operands of L's arguments, overlapping ones joined. Errors: YK_ENOMEM. */
yk_status yk_operands_collect(const struct yk_launch *l, const struct yk_facts_kernel *f, struct yk_operands *s);

/** Bring A to DEV. Errors: an OpenCL code. */
cl_int yk_operand_bring(struct yk_operands *s, struct yk_operand *a, unsigned dev);

/** Bring all to the devices that take a share, and keep snapshots where a device writes into a buffer of its own (with
 * YOKE_RECOVER wherever what is read is overwritten). Errors: an OpenCL code and the device that failed in *BAD;
 * nothing has been lost. */
cl_int yk_operands_bring(struct yk_operands *s, const struct yk_decision *d, unsigned *bad);

/** Put the outputs of the devices in USED together in the host master; the host is newest then. Errors: an OpenCL code,
 * and the device that failed in *BAD. */
cl_int yk_operands_merge(struct yk_operands *s, const bool *used, unsigned *bad);

/** Does DEV write into the host master, where others see it at once? */
bool yk_operands_in_master(const struct yk_operands *s, unsigned dev);

/**
 * Make the bytes before the launch newest again, on the host, whatever the devices have written since. Nobody writes
 * any more. False: they are gone, since some were overwritten in place and there is no snapshot; nothing has changed.
 */
bool yk_operands_restore(struct yk_operands *s);

/** The launch has failed for good: what it writes is lost. */
void yk_operands_lose(struct yk_operands *s);

void yk_operands_finish(struct yk_operands *s);

#endif
