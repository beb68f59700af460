/* A window of beside.h: its launches, what they touch, where they are to run. Who uses it: beside.c, which has one per
 * queue; the queue's worker alone. */
#ifndef YK_SHIM_QUEUE_BESIDE_WINDOW_H
#define YK_SHIM_QUEUE_BESIDE_WINDOW_H

#include "partitioner/schedule.h"
#include "shim/queue/beside.h"
#include "shim/queue/part.h"

enum { YK_BESIDE_MOST = YK_SCHEDULE_TASKS };
_Static_assert((unsigned)YK_MAX_DEVICES <= (unsigned)YK_SCHEDULE_DEVICES, "every device may have some");

/* Bytes [from, to) of a store that a launch touches. */
struct yk_beside_touch {
    const struct yk_store *store;
    uint64_t from, to;
    bool write;
};

struct yk_beside_entry {
    struct yk_launch *l; /* the queue's */
    struct yk_decision d;
    size_t touch, ntouches;
    bool apart;                    /* some device would work on it in a memory of its own */
    struct yk_hash problem;        /* its arguments, as samples tell them apart: yk_profile_key */
    double run_ms[YK_MAX_DEVICES]; /* but for what a first launch costs; INFINITY: unknown */
    double ms[YK_MAX_DEVICES];     /* with what it moves; INFINITY: not there */
    cl_int err;
};

struct yk_beside {
    struct yk_queue *q;
    unsigned n, place[YK_BESIDE_MOST];
    struct yk_beside_entry e[YK_BESIDE_MOST];
    struct yk_schedule_task task[YK_BESIDE_MOST];
    YK_ARRAY(struct yk_beside_touch) touch;
    struct yk_parts parts; /* scratch */
    unsigned hope;         /* windows that may turn out to be single launches before none is expected any more */
    unsigned pause, next_pause, refused;
    /* While it runs: */
    struct yk_lock lock; /* guards the next three, and the entries' err */
    pthread_cond_t changed;
    uint64_t done; /* bit per launch */
    unsigned told; /* events that have been */
    bool telling;
};

/** How many launches at the head of Q, ENOUGH at most, wait for nothing but one another. With the lock held. */
unsigned yk_beside_pending(const struct yk_queue *q, unsigned enough);

/** The window at the head of B's queue, with what depends on what and how long each is predicted to take where. Returns
 * how many commands have been looked at. No lock held. Cost: some microseconds per launch. */
unsigned yk_beside_collect(struct yk_beside *b);

/** Who carries out what, into PLACE. False: the primary had better do it all, or there are no two launches. */
bool yk_beside_place(struct yk_beside *b);

/** Carry out B as it was placed, and wait. Events are told in the window's order. No lock held. */
void yk_beside_carry(struct yk_beside *b);

#endif
