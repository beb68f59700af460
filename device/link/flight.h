/* One transfer through a ring (ring.h). It goes to the driver in chunks, chunk i by slot i % slots; the host's memory
 * is copied in units, several a chunk, which all threads take in order: so the first chunk is there after a chunk's
 * time at the rate of all of them, and few chunks are ever half copied. The caller's thread alone talks to the driver
 * (PoCL's basic device allows no more than one thread at a queue). Who uses it: ring.c. */
#ifndef YK_DEVICE_LINK_FLIGHT_H
#define YK_DEVICE_LINK_FLIGHT_H

#include "base/lock.h"
#include "device/link/copiers.h"
#include "device/link/ring.h"

/* Where a chunk comes from and goes to: [at, at+len) of the piece. */
struct yk_flight_chunk {
    const struct yk_ring_piece *piece;
    size_t at, len;
};

struct yk_flight {
    struct yk_copy_job job; /* first */
    unsigned char *base;    /* of the slots */
    const struct yk_cl *cl;
    cl_command_queue queue;
    const struct yk_ring_piece *piece;
    size_t npieces;
    struct yk_flight_chunk *at;        /* of each chunk; made by yk_flight_cut */
    const struct yk_ring_steps *steps; /* or NULL */
    bool in;                           /* to the device */
    bool asks;                         /* see ask.h */
    size_t chunk, unit, n;             /* bytes of a slot and of a unit; chunks */
    unsigned slots, per;               /* per: units of a chunk, those of a short one that are empty counted */
    cl_event event[YK_RING_SLOTS];
    /* Atomic. Units below NEXT have been taken, those below LIMIT may be. */
    size_t next, limit;
    unsigned left[YK_RING_SLOTS]; /* units of the chunk in this slot that have not been copied */
    bool stop;
    unsigned asleep;
    bool caller_sleeps;
    struct yk_lock lock; /* for sleeping */
    pthread_cond_t room, copied;
};

/** How SHAPE fits a ring of BYTES: slots, chunk, unit. */
void yk_flight_shape(struct yk_flight *f, struct yk_ring_shape shape, size_t bytes);

/** Cut F's pieces for a ring of BYTES: at least two slots. The first chunks of a way in and the last of a way out are
 * smaller, since while they are copied the link has nothing to do. False: no memory. */
bool yk_flight_cut(struct yk_flight *f, struct yk_ring_shape shape, size_t bytes);
void yk_flight_finish(struct yk_flight *f);

/** Move all of F, which has been cut, with THREADS helpers. Errors: the driver's; commands may then be under way. */
cl_int yk_flight_run(struct yk_flight *f, unsigned threads);

/** Give chunk I to the driver. */
cl_int yk_flight_issue(struct yk_flight *f, size_t i, cl_event *e);

/** After an error: nothing must be at work in the ring when the next transfer begins. True: that is not sure. */
bool yk_flight_settle(const struct yk_cl *cl, cl_command_queue queue, cl_event *event, unsigned n);

#endif
