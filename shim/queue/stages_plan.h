/* How a launch and the transfers around it are cut into parts that follow one another through three stages: bytes in,
 * work-groups, bytes out. What every part needs first (the COSP paper's MemFused) goes in with the first part, the rest
 * (MemSplittable) with the first part that touches it; what comes out does so behind the last part that may write it.
 *
 * Over several devices (sides) each takes parts that follow one another, and over its own link what they touch: what
 * all need goes to each. That asks more of a launch: what its parts write is known exactly, and is not what it reads,
 * so that all of the chain can be done once more on the primary where a device fails. Who uses it: stages.c. Calls no
 * driver. */
#ifndef YK_SHIM_QUEUE_STAGES_PLAN_H
#define YK_SHIM_QUEUE_STAGES_PLAN_H

#include "shim/queue/decide.h"
#include "shim/queue/part.h"
#include "shim/queue/transfer.h"

enum { YK_STAGES_TRANSFERS = 16, YK_STAGES_PARTS = 256 };

/* Commands of one in-order queue, in its order: writes, one launch, reads. Borrowed. */
struct yk_chain {
    struct yk_transfer *write[YK_STAGES_TRANSFERS], *read[YK_STAGES_TRANSFERS];
    struct yk_launch *launch;
    unsigned nwrites, nreads;
};

/* A growable array (base/array.h). */
struct yk_stages_pieces {
    struct yk_ring_piece *v;
    size_t n, cap;
};

/* [from, to) of STORE. */
struct yk_stages_span {
    struct yk_store *store;
    size_t from, to;
};

/* What one device does: parts [from, to). */
struct yk_stages_side {
    unsigned dev, from, to;
    struct yk_stages_pieces in, out; /* in the order of their steps, which are the parts' numbers */
    size_t in_bytes, out_bytes;
    /* Where they lie apart: */
    YK_ARRAY(struct yk_stages_span) held; /* what `in` brings */
    struct yk_parts touched;              /* what its parts read and write */
};

struct yk_stages_plan {
    struct yk_decision d; /* its range, local size and total */
    unsigned n;           /* parts */
    uint64_t bound[YK_STAGES_PARTS + 1];
    struct yk_stages_side side[YK_MAX_DEVICES]; /* the first is the primary */
    unsigned nsides;
    bool apart; /* bytes lie where sides have left them, and will; else all at the primary, before and after */
    size_t in_bytes, out_bytes; /* of all transfers */
    size_t beside;              /* of these, what may move while other stages are at work */
};

/**
 * Cut CHAIN into at most WANTED parts by the facts F, for the N devices DEV (yk_stages_devices), APART or
 * all at the primary. False: it cannot be cut (what it touches is not known, transfers overlap one another, one
 * work-group ...), or not so. P is finished by the caller in both cases.
 * Thread: the worker's. Cost: some microseconds a part.
 */
bool yk_stages_plan(const struct yk_chain *chain, const struct yk_facts_kernel *f, unsigned wanted, const unsigned *dev,
                    unsigned n, bool apart, struct yk_stages_plan *p);
void yk_stages_plan_finish(struct yk_stages_plan *p);

#endif
