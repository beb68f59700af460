/* Divided launches that follow one another without being waited for. To give a share to a GPU's driver and to see its
 * end takes 0.1 to 0.2 ms, a tenth of a launch of 1 ms and more. Where nothing has to be brought for a launch, and what
 * its shares write is exact and in memory of their devices' own, what it will have written is known at once: it is
 * recorded, the launch flies, and the next is given to the same queues behind it. A flight lands when its shares are
 * over: then its event says so, and what it took is kept. Launches land in their order; everything else in the queue,
 * and a launch for which bytes are to be brought, waits until all have landed.
 *
 * Should a device fail, all that fly are over first. Where none of them has overwritten what one before it reads, they
 * are run again in their order; else what they write is lost and they fail: with YOKE_RECOVER nothing flies. Who uses
 * it: share.c, worker.c. Thread: whose turn the queue is; no lock held. */
#ifndef YK_SHIM_QUEUE_FLIGHTS_H
#define YK_SHIM_QUEUE_FLIGHTS_H

#include "shim/queue/share.h"

/* So many fly at once, of one queue: enough that no device waits, few enough that what they say is soon heard. */
enum { YK_FLIGHTS_MOST = 4 };

struct yk_flight {
    struct yk_flight *next;
    struct yk_decision d;
    struct yk_sharing sharing;
    bool mended; /* it was dealt with when another failed: */
    cl_int result;
};

/** May a launch divided by D fly, as far as can be said before its bytes are looked at? Cost: loads. */
bool yk_flights_possible(const struct yk_decision *d);

/** Give F's shares, for which all is there, to the devices, if another launch follows at once or flies before it, and
 * record what they write: F is Q's then. False: they are to be run and waited for, and some may be under way already.
 */
bool yk_flights_go(struct yk_queue *q, struct yk_flight *f);

/** May what is first in Q follow those that fly? With the lock held. */
bool yk_flights_go_on(const struct yk_queue *q);

/** Wait until the first has ended, or something is pending behind those that fly. False: the latter. */
bool yk_flights_await(const struct yk_queue *q);

/** The first has landed, when this returns: its command, which is the caller's, and how it went in *ERR. */
struct yk_command *yk_flights_land(struct yk_queue *q, cl_int *err);

/** That one's event has said so: the next one's says that it runs. */
void yk_flights_next(struct yk_queue *q);

void yk_flights_finish(struct yk_flights *f);

#endif
