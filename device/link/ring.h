/* A ring of pinned host memory between a program's ordinary memory and a device. Drivers move ordinary memory at a
 * fraction of the link's speed (an H200: 9 of 55 GB/s); through a ring that several threads fill or empty while the
 * driver moves other chunks it is nearly all of it. Also device to device over one ring, both links at once. Who uses
 * it: shim/memory, bench/transfer. It knows nothing of virtual objects.
 *
 * One transfer at a time; a second caller waits. A ring made in one context serves queues of every context of the same
 * driver. All calls block: when they return, the bytes are there and the memory given is the caller's again. */
#ifndef YK_DEVICE_LINK_RING_H
#define YK_DEVICE_LINK_RING_H

#include <stdbool.h>
#include <stddef.h>
#include "device/opencl/cl.h"

enum { YK_RING_SLOTS = 64 };

/* How a transfer is cut and by how many threads it is copied. */
struct yk_ring_shape {
    size_t chunk;     /* bytes of a slot */
    unsigned slots;   /* 2..YK_RING_SLOTS */
    unsigned threads; /* beside the caller's; 0 is possible */
    size_t unit;      /* bytes that a thread copies at a time; 0: a chunk */
    bool asks;        /* ask the driver for the status of commands, do not wait in it (ask.h) */
};

/* A place on a device: [off, ...) of BUFFER, by an in-order QUEUE of its context that nobody else uses meanwhile. */
struct yk_ring_end {
    const struct yk_cl *cl;
    cl_command_queue queue;
    cl_mem buffer;
    size_t off;
};

struct yk_ring;

/* Part of a transfer that is made of several: [off, off+len) of BUFFER and HOST. STEP rises from piece to piece. ROW >
 * 0: not a range but LEN bytes in rows of ROW bytes, PITCH bytes from one to the next in BUFFER and HOST_PITCH in HOST.
 */
struct yk_ring_piece {
    cl_mem buffer;
    size_t off;
    unsigned char *host;
    size_t len;
    unsigned step;
    size_t row, pitch, host_pitch;
};

enum yk_ring_gate { YK_RING_OPEN, YK_RING_SHUT, YK_RING_STOP };

/* What goes on beside such a transfer; called by the thread that called, between two chunks. */
struct yk_ring_steps {
    /* May pieces of STEP be read or written on the device? WAIT: say so when they may, never SHUT. STOP ends the
     * transfer with an error. On the way in, the host's bytes may have been read before. NULL: they may. */
    enum yk_ring_gate (*gate)(void *arg, unsigned step, bool wait);
    /* The pieces of all steps below BELOW are there, or have left the device. The last call is with UINT_MAX. NULL:
     * nobody wants to know. */
    void (*passed)(void *arg, unsigned below);
    void *arg;
};

/* Whose memory a ring is made of: the driver's (CL_MEM_ALLOC_HOST_PTR), or ours, in large pages, for it to use in place
 * (CL_MEM_USE_HOST_PTR). */
enum yk_ring_place { YK_RING_OF_DRIVER, YK_RING_OF_HOST };

/** A ring of BYTES pinned bytes in QUEUE's context, which it keeps alive. NULL: it cannot be had (*ERR).
 * Cost, 32 MiB on an H200: 19 to 24 ms of the driver's memory, 5.5 of the host's; both move at the link's rate then. */
struct yk_ring *yk_ring_create(const struct yk_cl *cl, cl_command_queue queue, size_t bytes, enum yk_ring_place place,
                               cl_int *err);

/** Nothing of it is in use. QUEUE: as at the creation, or another of the same context. */
void yk_ring_destroy(struct yk_ring *r, cl_command_queue queue);

size_t yk_ring_bytes(const struct yk_ring *r);

/** The longest rows of pieces that a ring of BYTES can move in SHAPE. */
size_t yk_ring_row_most(struct yk_ring_shape shape, size_t bytes);

/**
 * Move LEN bytes from FROM to TO. SHAPE is made smaller where the ring or LEN is.
 * Errors: the driver's. Then the bytes at the destination are undefined, nothing is under way any more, and where that
 * could not be made sure of the ring is never used again: CL_OUT_OF_RESOURCES at once.
 * Thread: any; no lock held.
 */
cl_int yk_ring_write(struct yk_ring *r, struct yk_ring_shape shape, const struct yk_ring_end *to, const void *from,
                     size_t len);
cl_int yk_ring_read(struct yk_ring *r, struct yk_ring_shape shape, const struct yk_ring_end *from, void *to,
                    size_t len);

/**
 * The same for N pieces (lengths above 0) as one transfer, in their order and without a pause between them: an in-order
 * QUEUE of the pieces' context that nobody else uses meanwhile. Errors: also CL_OUT_OF_HOST_MEMORY; CL_OUT_OF_RESOURCES
 * where the gate said stop.
 */
cl_int yk_ring_write_steps(struct yk_ring *r, struct yk_ring_shape shape, const struct yk_cl *cl,
                           cl_command_queue queue, const struct yk_ring_piece *piece, size_t n,
                           const struct yk_ring_steps *steps);
cl_int yk_ring_read_steps(struct yk_ring *r, struct yk_ring_shape shape, const struct yk_cl *cl, cl_command_queue queue,
                          const struct yk_ring_piece *piece, size_t n, const struct yk_ring_steps *steps);

/** Wait for *E, which is gone then. Errors: what became of its command. */
cl_int yk_ring_await(const struct yk_cl *cl, cl_event *e);

cl_int yk_ring_copy(struct yk_ring *r, struct yk_ring_shape shape, const struct yk_ring_end *from,
                    const struct yk_ring_end *to, size_t len);

/** The same for ROWS rows of ROW bytes, PITCH bytes from one to the next at both ends. Errors: also CL_INVALID_VALUE,
 * nothing was begun: they are longer than yk_ring_row_most. */
cl_int yk_ring_copy_rows(struct yk_ring *r, struct yk_ring_shape shape, const struct yk_ring_end *from,
                         const struct yk_ring_end *to, size_t row, size_t pitch, size_t rows);

#endif
