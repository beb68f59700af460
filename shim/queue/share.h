/* Carrying out a split launch: bytes to each device, boxes of work-groups side by side, partial outputs put together.
 * Who uses it: launch.c (the worker), flights.c. */
#ifndef YK_SHIM_QUEUE_SHARE_H
#define YK_SHIM_QUEUE_SHARE_H

#include "shim/queue/taker.h"

enum { YK_SHARE_UNTOUCHED = 2 }; /* everything is as before the launch: run it whole */

/**
 * Run L as D says and wait. A device that fails takes no share any more, and what it had is run elsewhere where the
 * bytes before the launch survive. CL_SUCCESS: done; YK_SHARE_UNTOUCHED: a preparation failed before anything ran, or
 * all is again as it was before; an error: the launch has failed and its outputs are lost (yk_store_lose).
 */
cl_int yk_share_run(struct yk_launch *l, const struct yk_decision *d);

/** Was some taker of D still being built for? */
bool yk_share_any_late(const struct yk_decision *d);

/** L could not begin without the late takers of D: wait for them for a small part of what dividing it is predicted to
 * win. True: they are ready, and no longer late in D. */
bool yk_share_await(const struct yk_launch *l, struct yk_decision *d);

/** yk_share_run, but where L may it is only given to the devices (flights.h): YK_CARRY_FLYING. It is the queue's from
 * then on, until it has landed. By the queue's worker. */
cl_int yk_share_fly(struct yk_launch *l, const struct yk_decision *d);

/* A divided launch that is being carried out. */
struct yk_sharing {
    struct yk_share_work work;
    struct yk_operands operands;
    unsigned n; /* takers */
    struct yk_taker taker[YK_MAX_DEVICES];
    uint64_t asked, collected,
        started; /* when it was to be decided on, what it touches was known, bytes were brought */
    double brought_ms;
};

/** The shares of S have run, or failed with ERR: count that, and what its bytes have cost. */
void yk_sharing_ran(struct yk_sharing *s, cl_int err);

/** Give back what S has. */
void yk_sharing_finish(struct yk_sharing *s);

#endif
