/* Mailboxes: memory on one device that the queues of another reach without the host. The one device copies into a
 * mailbox, the other out of it, and with several of them both copies go on at a time. Two H200 move 320 GB/s so, and a
 * row of 32 KiB in 25 us; over a ring of host memory (ring.h) 50 GB/s, the driver's own copy 1.6. Who uses it:
 * shim/memory, bench/transfer, yoke-warm (mailbox_trial.h). It knows nothing of virtual objects.
 *
 * How such memory is made is a maker's affair: CUDA's for NVIDIA's GPUs (mailbox_cuda.c); host memory, for tests
 * (mailbox_host.c). */
#ifndef YK_DEVICE_LINK_MAILBOX_H
#define YK_DEVICE_LINK_MAILBOX_H

#include <stdbool.h>
#include <stddef.h>
#include "device/device.h"
#include "device/link/ring.h"

enum { YK_MAILBOX_SLOTS = 4, YK_MAILBOX_MOST = 256 << 20 }; /* NVIDIA's driver (580) crashes from 512 MiB on */

/* A device and a context of it. */
struct yk_mailbox_end {
    const struct yk_device *device;
    cl_context context;
};

/* One piece of memory as a buffer of each end's context: [0] the sender's, whose memory it is, [1] the receiver's. */
struct yk_mailbox {
    cl_mem at[2];
    void *memory; /* the maker's */
};

struct yk_mailbox_maker {
    const char *name;
    /* May FROM send to TO? Says why not (info). Nothing is made. Cost: may load a library (CUDA: 50 ms). */
    bool (*fits)(const struct yk_device *from, const struct yk_device *to);
    /* Memory of BYTES (at most YK_MAILBOX_MOST) for BOX, which is zero. Errors: a driver's, BOX may be half made. */
    cl_int (*make)(const struct yk_mailbox_end end[2], size_t bytes, struct yk_mailbox *box);
    /* Of BOX, which may be half made. No command uses it. */
    void (*drop)(const struct yk_mailbox_end end[2], struct yk_mailbox *box);
    /* Have QUEUE own MEM (TAKE) before its commands use it, or let it go after them; *EVENT (may be NULL) is that
     * command's. NULL: not needed. */
    cl_int (*own)(const struct yk_device *device, cl_command_queue queue, cl_mem mem, bool take, cl_event *event);
};

/** For NVIDIA's GPUs: exportable CUDA memory, imported by OpenCL. */
extern const struct yk_mailbox_maker yk_mailbox_cuda;

/** For tests: host memory, which both must use in place; fits any two devices. */
extern const struct yk_mailbox_maker yk_mailbox_host;

/* The mailboxes from one device to another. */
struct yk_mailboxes;

/** YK_MAILBOX_SLOTS mailboxes of BYTES each from END[0] to END[1] (copied; the contexts are the caller's and outlive
 * them). NULL: they cannot be had (*ERR), and nothing stays. Thread: any; no lock held. Cost: CUDA 3 ms. */
struct yk_mailboxes *yk_mailboxes_create(const struct yk_mailbox_maker *maker, const struct yk_mailbox_end end[2],
                                         size_t bytes, cl_int *err);

/** No copy is under way. */
void yk_mailboxes_destroy(struct yk_mailboxes *m);

/**
 * Copy LEN bytes from FROM to TO, places of the two contexts; returns when they are there. ASKS: see ask.h. One copy at
 * a time: a second caller waits.
 * Errors: the driver's. The bytes at TO are then undefined, nothing is under way any more, and where that could not be
 * made sure of the mailboxes are never used again, nor released: CL_OUT_OF_RESOURCES at once.
 * Thread: any; no lock held.
 */
cl_int yk_mailboxes_copy(struct yk_mailboxes *m, const struct yk_ring_end *from, const struct yk_ring_end *to,
                         size_t len, bool asks);

/**
 * The same for ROWS rows of ROW bytes, PITCH from one to the next at both ends, each end's first at its own place:
 * several of them share a mailbox, one behind the other. Errors: also CL_INVALID_VALUE, nothing was begun: a row is
 * longer than a mailbox, or goes on behind its pitch (its place modulo PITCH, plus ROW, is more than PITCH), which
 * drivers take for no rectangle.
 */
cl_int yk_mailboxes_copy_rows(struct yk_mailboxes *m, const struct yk_ring_end *from, const struct yk_ring_end *to,
                              size_t row, size_t pitch, size_t rows, bool asks);

/* A small copy under way that nobody waits for yet, so that those between several pairs of devices go on at a time. The
 * caller's memory. */
struct yk_letter {
    struct yk_mailboxes *mailboxes; /* NULL: nothing is under way */
    struct yk_ring_end from, to;
    size_t len;
    cl_event event;
    unsigned slot;
    bool asks, sent;
};

/**
 * Begin to copy LEN bytes. False: nothing is under way; they are too many for one piece, another copy has the
 * mailboxes, or the driver fails. Never waits for another thread; until all its letters are received the caller calls
 * yk_mailboxes_copy for none. Thread: any; no lock held.
 */
bool yk_mailboxes_post(struct yk_mailboxes *m, const struct yk_ring_end *from, const struct yk_ring_end *to, size_t len,
                       bool asks, struct yk_letter *l);

/** L is in its mailbox (waits for that): have the receiver begin to take it out. Errors: as yk_mailboxes_copy; L is
 * gone then. */
cl_int yk_letter_send(struct yk_letter *l);

/** After yk_letter_send: wait until the bytes are there; L is gone. Errors: as yk_mailboxes_copy. */
cl_int yk_letter_receive(struct yk_letter *l);

#endif
