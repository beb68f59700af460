/* Held launches in the order in which they are issued, and how several become one: which fit together, the table that a
 * merged kernel reads (transform/facts_merged.h) and its arguments. Who uses it: gathered.c, one thread at a time per
 * object. */
#ifndef YK_SHIM_QUEUE_BATCH_H
#define YK_SHIM_QUEUE_BATCH_H

#include "shim/queue/gathered.h"

/* One launch's place: by segment of the window, level, then those that fit together side by side, of these those of one
 * kernel. */
struct yk_order {
    unsigned segment, level, family, like, index;
};

/** The order of what G holds; free() releases. NULL: no memory. */
struct yk_order *yk_order_make(const struct yk_gathered *g);

/* Launches O[0 .. n) as one. */
struct yk_batch {
    const struct yk_order *o;
    unsigned n, nstores;
    uint64_t groups;
    struct yk_merged_code *code; /* that runs them; n 1: may be NULL */
    struct yk_store *store[YK_MERGED_SLOTS];
};

/** As many of O[0 .. n), beginning with the first, as one launch can and should do; at least one. */
struct yk_batch yk_batch_take(const struct yk_gathered *g, const struct yk_order *o, unsigned n);

/**
 * B as one launch on queue REAL of the primary, by one of its context CTX's tables T, after events WAIT. *EVENT
 * (retained) where EVENT is not NULL. Errors: the driver's; nothing of it will run then. No lock held.
 */
cl_int yk_batch_issue(struct yk_gathered *g, struct yk_batch *b, struct yk_context *ctx, cl_command_queue real,
                      struct yk_tables *t, cl_uint nwait, const cl_event *wait, cl_event *event);

#endif
