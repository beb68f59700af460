/* A launch over buffers that live in host memory (memory/room.h), cut into parts along its slowest dimension: of each
 * such buffer a part sees a window, the hull of what its work-groups touch there by the facts. What they write as a
 * whole need not be brought in; what they may write in part is brought and taken back with the rest of the hull. Who
 * uses it: windows.c. Calls no driver. */
#ifndef YK_SHIM_QUEUE_WINDOWS_PLAN_H
#define YK_SHIM_QUEUE_WINDOWS_PLAN_H

#include "shim/queue/decide.h"
#include "shim/queue/launch.h"
#include "shim/queue/part.h"

enum { YK_WINDOWS = 64, YK_WINDOW_SETS = 3, YK_WINDOW_ALIGN = 4096 };

struct yk_window_span {
    size_t from, to; /* bytes of the store; from == to: none */
};

/* Of one store, for one part. */
struct yk_window {
    struct yk_window_span all;     /* what the window holds; begins at a multiple of YK_WINDOW_ALIGN */
    struct yk_window_span in, out; /* what is brought in before, and taken back behind */
    bool covered;                  /* every byte of OUT is written */
};

struct yk_window_part {
    uint64_t from, to;        /* work-groups */
    struct yk_window *window; /* one per store */
};

struct yk_windows_plan {
    struct yk_decision d; /* its range, local size and total */
    unsigned nstores;
    struct yk_store *store[YK_WINDOWS];
    bool tenant[YK_WINDOWS]; /* it lies on the primary as a whole (tenants.h): no windows */
    size_t most[YK_WINDOWS]; /* bytes of the largest window of each */
    bool written[YK_WINDOWS];
    unsigned n; /* parts */
    struct yk_window_part *part;
    unsigned sets;                      /* parts under way at a time, each with windows of its own */
    YK_ARRAY(struct yk_window) windows; /* of all parts */
};

/**
 * Plan L by the facts F; NULL: nothing is known of its kernel, one part sees whole buffers. ROOM: bytes that all
 * windows together may have, LARGEST: one. False: it cannot be done in that. P is finished by the caller in both cases.
 * Thread: the worker's. Cost: some microseconds a part.
 */
bool yk_windows_plan(struct yk_launch *l, const struct yk_facts_kernel *f, uint64_t room, uint64_t largest,
                     struct yk_windows_plan *p);
void yk_windows_plan_finish(struct yk_windows_plan *p);

/** Could that be done if nothing lay on the primary but what L uses there, and stays? False: it never can. Thread: any.
 */
bool yk_windows_plan_ever(const struct yk_launch *l, const struct yk_facts_kernel *f);

/** Bytes that the windows of P have together. */
uint64_t yk_windows_plan_bytes(const struct yk_windows_plan *p);

#endif
