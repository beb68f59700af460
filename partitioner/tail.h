/* Fixed shares whose ends are shared out again: who has done most of its own works on in pieces, and then takes from
 * who has most left. Predictions are never exact, and a processor may have other work or share its core: what is fixed
 * ends with the slowest. How fast each is shows in the pieces that it has ended, and in those that take longer than
 * they should: of what another has left, one takes what both need the same time for. (Work stealing; Blumofe and
 * Leiserson, "Scheduling Multithreaded Computations by Work Stealing", J. ACM 46(5), 1999; that few large pieces with
 * small ones at the end do best on devices: EngineCL's HGuided.) Pure: numbers of work-groups and times, no device. Who
 * uses it: shim/queue. */
#ifndef YK_PARTITIONER_TAIL_H
#define YK_PARTITIONER_TAIL_H

#include <stdbool.h>
#include <stdint.h>
#include "partitioner/strategy.h"

struct yk_tail {
    struct yk_tail_part {
        uint64_t next, end; /* what nobody has begun of its share */
        double rate;        /* work-groups per ms, as far as known */
        uint64_t piece;     /* what it runs now; 0: nothing */
        double since;       /* ms; when that began */
        bool begun, over,
            alone;   /* it has had a piece; it was told that nothing is left to it; it has had most of its own */
        bool unsure; /* nobody knows how fast it is: its first piece is a small one */
    } of[YK_SPLIT_MAX];
    double piece_ms; /* no piece shall be shorter; 0: one work-group may be one */
    uint64_t grain;  /* pieces are multiples of it but for the last */
    bool each;       /* nobody takes from who has not begun, so that everybody runs some (for tests) */
    bool on;
};

/** DEV is to run [FROM, TO), which is predicted to take MS (more than 0), or nobody knows (UNSURE). Before anybody
 * takes; of TAIL all but ON, GRAIN, PIECE_MS and EACH was zero before the first. */
void yk_tail_share(struct yk_tail *tail, unsigned dev, uint64_t from, uint64_t to, double ms, bool unsure);

/** The next piece for DEV, which has ended its last one NOW (ms, of any clock): first most of its share, then half of
 * what is left of it, then of the largest other one, from its end, what both need the same time for. The caller lets
 * one at a time. False: nothing is left that is worth it for DEV; every work-group has been given to somebody, or will
 * be to the one whose share it is. */
bool yk_tail_take(struct yk_tail *t, unsigned dev, double now, uint64_t *from, uint64_t *to);

/** Is there anything that nobody has begun? The same. */
bool yk_tail_any(const struct yk_tail *t);

/** Something that nobody has begun and nobody will: the rest of the share of one who has failed. After all have ended.
 * False: nothing. */
bool yk_tail_left(struct yk_tail *t, uint64_t *from, uint64_t *to, unsigned *share);

#endif
