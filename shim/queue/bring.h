/* What a launch on the primary finds there: the newest bytes of its buffers, wherever they are. Who uses it: launch.c,
 * form.c, ahead.c, windows.c. */
#ifndef YK_SHIM_QUEUE_BRING_H
#define YK_SHIM_QUEUE_BRING_H

#include "shim/queue/launch.h"

/**
 * What L touches (F: its facts, or NULL) and the primary lacks is brought there, after what its queue was given before.
 * Errors: the drivers'. Thread: the worker's; no lock held. Cost: a look per buffer; that of the copies.
 */
cl_int yk_bring(struct yk_launch *l, const struct yk_facts_kernel *f);

/* Buffers of which bytes are left where they are, since the launch overwrites them. */
enum { YK_LEFT = 4 };
struct yk_left {
    unsigned n;
    struct yk_store *store[YK_LEFT]; /* borrowed from the launch's arguments */
    bool begun[YK_LEFT];
};

/**
 * The same for L as a whole, which is enqueued next: bytes that it overwrites, every one, and does not read stay where
 * they are (LEFT says of which buffers, of a few). After the division of a launch like it, that is all that the others
 * wrote. Cost: microseconds more where something is lacking.
 */
cl_int yk_bring_whole(struct yk_launch *l, const struct yk_facts_kernel *f, struct yk_left *left);

/** Around the enqueueing of L and what is recorded of it: no other queue's thread copies old bytes over what it writes
 * to LEFT. */
void yk_bring_hold(struct yk_left *left);
void yk_bring_let_go(struct yk_left *left);

/** L has been ordered on the primary: what yk_bring_whole has left elsewhere is newest there. */
void yk_bring_wrote(const struct yk_launch *l, const struct yk_facts_kernel *f);

#endif
