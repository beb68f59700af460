/* Fixed shares whose ends are shared out again: who has done most of its own works on in pieces, and then takes from
 * who has most left. Predictions are never exact, and a processor may have other work or share its core: what is fixed
 * ends with the slowest. (Work stealing; Blumofe and Leiserson, "Scheduling Multithreaded Computations by Work
 * Stealing", J. ACM 46(5), 1999; that few large pieces with small ones at the end do best on devices: EngineCL's
 * HGuided.) Pure: numbers of work-groups, no device. Who uses it: shim/queue. */
#ifndef YK_PARTITIONER_TAIL_H
#define YK_PARTITIONER_TAIL_H

#include <stdbool.h>
#include <stdint.h>
#include "partitioner/strategy.h"

struct yk_tail {
    struct {
        uint64_t next, end; /* what nobody has begun of its share */
        uint64_t least;     /* work-groups: fewer are no piece of their own */
        bool begun;
    } of[YK_SPLIT_MAX];
    uint64_t grain; /* pieces are multiples of it but for the last */
    bool each;      /* nobody takes from who has not begun, so that everybody runs some (for tests) */
    bool on;
};

/** DEV is to run [FROM, TO), LEAST work-groups of which last as long as a piece should at least. Before anybody takes.
 */
void yk_tail_share(struct yk_tail *t, unsigned dev, uint64_t from, uint64_t to, uint64_t least);

/** The next piece for DEV: first most of its share, then half of what is left of it, then half of what is left of the
 * largest other one, from its end. The caller lets one at a time. False: nothing is left that is worth it for DEV;
 * every work-group has been given to somebody, or will be to the one whose share it is. */
bool yk_tail_take(struct yk_tail *t, unsigned dev, uint64_t *from, uint64_t *to);

/** Is there anything that nobody has begun? The same. */
bool yk_tail_any(const struct yk_tail *t);

/** Something that nobody has begun and nobody will: the rest of the share of one who has failed. After all have ended.
 * False: nothing. */
bool yk_tail_left(struct yk_tail *t, uint64_t *from, uint64_t *to, unsigned *share);

#endif
