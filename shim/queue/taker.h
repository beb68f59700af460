/* One device's part in a divided launch: what it takes, gives to its driver, waits for and says of it. Who uses it:
 * share.c, which has all of them and deals with those that fail. */
#ifndef YK_SHIM_QUEUE_TAKER_H
#define YK_SHIM_QUEUE_TAKER_H

#include "shim/queue/crew.h"
#include "shim/queue/decide.h"
#include "shim/queue/operand.h"
#include "shim/queue/reduction.h"
#include "shim/queue/share_tail.h"

struct yk_chunk {
    uint64_t from, to;
    unsigned share; /* device whose share it was to be */
};

/* What all takers of one launch share. */
struct yk_share_work {
    struct yk_launch *l;
    const struct yk_decision *d;
    const struct yk_facts_kernel *facts;
    struct yk_reductions reductions;
    struct yk_lock lock;         /* guards the next three */
    uint64_t next;               /* first work-group that nobody has (guided) */
    double rate[YK_MAX_DEVICES]; /* work-groups per second, of the last chunk */
    unsigned takers;
    unsigned working; /* of them, how many that are there from the beginning, or the primary, are not done; atomic */
    struct yk_tail tail;
    unsigned begins; /* yk_busy_begins when it began */
    double deciding; /* seconds */
    const struct yk_operands *operands;
    bool flight; /* others may be behind it in its devices' queues before it is over (flights.h) */
};

struct yk_taker {
    struct yk_task task;
    struct yk_share_work *work;
    unsigned dev;
    struct yk_code_kernel *kernel;
    struct yk_chunk failed; /* what it had when it failed */
    bool touched;           /* its device may have begun that */
    bool suspect;           /* its device may still be at it */
    bool took;              /* fixed shares: it has had its one */
    bool cold;              /* its first piece was the first of this kernel there */
    cl_int err;
    uint64_t groups;
    double seconds;
    uint64_t moved; /* bytes that it was brought beside the others' shares */
    bool started;   /* by a thread of the device */
    bool works;     /* it counts as one of those that work: not late, or the primary, and not done */
    bool flying;    /* its chunk has been given to the driver: */
    struct yk_flown {
        struct yk_chunk chunk;
        cl_command_queue queue;
        cl_event event[YK_SHARE_BOXES];
        unsigned n, boxes;
        cl_int err;
        bool asked;  /* whether it is over, rather than waited for */
        bool waited; /* it was not yet when it was first asked */
        bool unsure; /* its times say nothing: nobody looked when it began, or ended */
        uint64_t start, end;
    } flown;
};

/** Is its device not ready yet? */
static inline bool yk_taker_late(const struct yk_taker *t)
{
    return t->work->d->late[t->dev];
}

/** A real kernel with its arguments. Errors: YK_SHARE_UNTOUCHED. */
cl_int yk_taker_equip(struct yk_taker *t);

/** Run chunk C on T's device and wait; T says how that went, and what it was if it failed. */
cl_int yk_taker_run(struct yk_taker *t, struct yk_chunk c);

/** A task of T's: all that there is for it, piece by piece. */
void yk_taker_take(struct yk_task *task);

/** May a share on DEV fly? FLIGHT: of a launch that goes before others. */
bool yk_taker_flies(unsigned dev, bool flight);

/** Is what T's driver was given over, as far as asking tells? */
bool yk_taker_over(const struct yk_taker *t);

/**
 * A device that computes by itself once its driver has been given its share needs no thread that waits for it, which
 * would have to be woken: give the driver T's share. False: it is no such device, or share. yk_takers_land must follow.
 */
bool yk_taker_fly(struct yk_taker *t);

/** Wait for those of the N takers that fly, whichever comes first. */
void yk_takers_land(struct yk_taker *t, unsigned n);

#endif
