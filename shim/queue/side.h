/* Hidden queues beside a queue's own on the primary: independent batches of held launches that cannot be one launch run
 * in them side by side, where the driver overlaps queues (an H200's does, and nothing inside of one queue). The queue
 * sees a marker before and a barrier behind, so that its order is as the program made it. Who uses it: gathered.c, one
 * thread at a time per object.
 *
 * Batches of several windows may go side by side too, between yk_side_open and yk_side_close: a window that is being
 * computed does not keep the device from the next one's. */
#ifndef YK_SHIM_QUEUE_SIDE_H
#define YK_SHIM_QUEUE_SIDE_H

#include "shim/queue/queue.h"

enum { YK_SIDES = 3 }; /* an H200 runs 32 launches in 4 queues as fast as in 32 */

struct yk_side {
    cl_command_queue queue[YK_SIDES]; /* made when first needed */
    bool failed;                      /* one could not be made */
    cl_event fork, last[YK_SIDES];    /* of what is being issued */
    cl_event probe[YK_SIDES];         /* of what was issued before: is it worth it? */
    unsigned nprobe, pause, next_pause;
    unsigned turn; /* batches that have been issued */
    bool open;
};

/**
 * N independent batches are about to be issued to Q: side by side? True: yk_side_at says where each goes, yk_side_join
 * ends it. What was measured of the last time decides, or is measured. No lock held.
 */
bool yk_side_begin(struct yk_side *s, struct yk_queue *q, unsigned n);

/** Where the next batch goes: a real queue, and what its first command waits for. */
cl_command_queue yk_side_at(struct yk_side *s, struct yk_queue *q, cl_uint *nwait, const cl_event **wait);

/** LAST is the event of the last command of that batch, which went to a hidden queue; taken over. NULL: of none. */
void yk_side_issued(struct yk_side *s, cl_event last);

/** All that Q is given from now on comes after the batches, or after yk_side_close where that is to come. Errors: the
 * driver's; they are waited for then. */
cl_int yk_side_join(struct yk_side *s, struct yk_queue *q);

/** All batches issued to Q until yk_side_close are independent of one another: may they go side by side? Decided as
 * yk_side_begin does. Only where nothing is open. No lock held. */
bool yk_side_open(struct yk_side *s, struct yk_queue *q);
cl_int yk_side_close(struct yk_side *s, struct yk_queue *q);

/** Waits for nothing: Q's own queue is finished. */
void yk_side_finish(struct yk_side *s);

#endif
