/* Whole or split, over which devices, in which shares. Everything here is cheap and calls no driver. Who uses it:
 * launch.c. */
#ifndef YK_SHIM_QUEUE_DECIDE_H
#define YK_SHIM_QUEUE_DECIDE_H

#include "partitioner/range.h"
#include "partitioner/strategy.h"
#include "shim/queue/launch.h"

/* What the worker does with a launch it has decided to split. */
struct yk_decision {
    uint64_t launch; /* number in the trace; 0: none */
    bool split;
    const char *reason; /* of a whole launch */
    bool measure;       /* whole: wait for it and note how fast the primary was */
    bool ahead;         /* the primary begins alone (ahead.h); not counted yet */
    struct yk_range range;
    size_t local[3];
    uint64_t total;
    uint64_t begin;                  /* work-groups before this one are done: the shares cover [begin, total) */
    bool takes[YK_MAX_DEVICES];      /* devices with a share */
    bool late[YK_MAX_DEVICES];       /* of those: still being built for; takes its share when it is ready */
    double predicted_ms;             /* of the whole launch; 0: no prediction */
    double alone_ms;                 /* of the primary alone; 0: not known */
    double share_ms[YK_MAX_DEVICES]; /* predicted end of each share; 0: no prediction */
    double run_ms[YK_MAX_DEVICES];   /* of that, running alone; 0: no prediction */
    bool again;                      /* against what the shares' samples say: yk_remember_again */
    bool beside;  /* all of it on one device, while others of its queue run: what came before them is over */
    bool crowded; /* other queues keep some device at work: how long it takes says nothing */
    bool invests; /* what it pays once, launches to come are to bring back */
    bool guided;  /* chunks, the next to whoever is free; else from..to of each device */
    uint64_t from[YK_MAX_DEVICES], to[YK_MAX_DEVICES];
    uint64_t grain;
    uint64_t asked, decided; /* when it was, in ns; 0: with what was done before it */
};

/** Do the options say how launches are divided, so that nothing else may be done with them? */
bool yk_decide_insists(void);

/** From the caller's thread: can L go whole at once without asking anybody? True also counts it. */
bool yk_decide_whole_now(struct yk_launch *l);

/** The same, where it can be said without looking at the launch: nothing of CODE's program is ever split, and nobody
 * traces. Cost: three loads. */
bool yk_decide_never_splits(struct yk_code *code);

/** From the worker: waits for the analysis where the options say so, then decides. A whole decision is counted, unless
 * the primary is to begin alone. */
void yk_decide(struct yk_launch *l, struct yk_decision *d);

/** The work-groups of FIRST (a decision on L to begin on the primary) from BEGIN on: into D, over whoever is ready now.
 * False: nobody is, or it does not pay. Nothing is counted. */
bool yk_decide_rest(struct yk_launch *l, const struct yk_decision *first, uint64_t begin, struct yk_decision *d);

/** The devices that may carry out all of L, in D->takes, with the local size and the work-groups; the primary always
 * may, by the program's own kernel. False: nobody else may. Nothing is counted. */
bool yk_decide_elsewhere(struct yk_launch *l, struct yk_decision *d);

/** The local size and the work-groups of L, for asking F what they touch, into D. False: L's form does not allow that.
 */
bool yk_decide_shape(const struct yk_launch *l, const struct yk_facts_kernel *f, struct yk_decision *d);

/** Work-items of L. */
uint64_t yk_decide_items(const struct yk_launch *l);

#endif
