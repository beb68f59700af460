/* A plan: what one launch does, as plain data. The planner of the shim writes it, the executor runs exactly it, `yoke
 * explain` and the trace print it, tests compare it, the simulation plays it. It holds numbers only: no handle, no
 * pointer into anything, so it outlives the launch and can be kept. Pure.
 *
 * A location is where bytes can be: 0 the host, d + 1 device d (shim/memory). A buffer is named by its number in the
 * launch's list of buffers. */
#ifndef YK_PARTITIONER_PLAN_H
#define YK_PARTITIONER_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/array.h"
#include "base/status.h"
#include "partitioner/range.h"

/* Bytes of a buffer: `slices` times `rows` times `bytes` contiguous ones. A plain piece has rows = slices = 1. */
struct yk_region {
    uint64_t offset, bytes;
    uint64_t rows, row_pitch;
    uint64_t slices, slice_pitch;
};

enum yk_step_kind {
    YK_STEP_COPY,     /* region of buffer: from one location to another */
    YK_STEP_SNAPSHOT, /* keep region of buffer as it is at location `to`, for a later merge */
    YK_STEP_RUN,      /* box of work-groups on a device */
    YK_STEP_MERGE     /* put the changes that location `from` made to region into location `to` */
};

enum yk_merge_method {
    YK_MERGE_EXACT,     /* the region was written completely: a copy */
    YK_MERGE_DIFFERENCE /* bytes that differ from the snapshot */
};

struct yk_step {
    enum yk_step_kind kind;
    unsigned from, to;           /* locations; a run: to = device + 1 */
    unsigned buffer;             /* all but runs */
    struct yk_region region;     /* all but runs */
    struct yk_box box;           /* runs */
    enum yk_merge_method method; /* merges */
    double predicted_ms;         /* 0: no prediction */
    unsigned after, n_after;     /* the steps that must be done before: plan->after.v[after .. after + n_after) */
};

struct yk_plan {
    struct yk_range range;
    YK_ARRAY(struct yk_step) step;
    YK_ARRAY(unsigned) after;
    double predicted_ms; /* of the whole launch; 0: no prediction */
};

/** An empty plan for RANGE. Owns: the caller's memory; yk_plan_finish releases what the plan holds. */
void yk_plan_init(struct yk_plan *p, const struct yk_range *range);
void yk_plan_finish(struct yk_plan *p);

/** Contiguous bytes as a region. */
struct yk_region yk_region_plain(uint64_t offset, uint64_t bytes);
/** Bytes that a region holds. */
uint64_t yk_region_bytes(const struct yk_region *r);
/** Do R's pieces lie one after the other, none over another? */
bool yk_region_ordered(const struct yk_region *r);
/** How many of R's bytes, which is ordered, lie in [FROM, TO). */
uint64_t yk_region_within(const struct yk_region *r, uint64_t from, uint64_t to);
/** Are R's pieces so many, and begin so close to one another, that taking everything between them too costs less than a
 * record, or a piece of a transfer, for each? */
bool yk_region_scattered(const struct yk_region *r);

/**
 * Append STEP, to be run after the N_AFTER earlier steps AFTER. STEP's own after fields are ignored. *INDEX (may be
 * NULL) is its number. Errors: YK_ENOMEM, YK_EINVAL (waits for a step that is not earlier); plan unchanged.
 */
yk_status yk_plan_add(struct yk_plan *p, const struct yk_step *step, const unsigned *after, unsigned n_after,
                      unsigned *index);

/**
 * Is P whole: the boxes of its runs lie in the range, are disjoint and add up to it; every step waits for earlier ones
 * only; copies and merges have two different locations? False: MSG (N bytes) says what is wrong first.
 * Cost: quadratic in the number of runs; for debug builds and tests.
 */
bool yk_plan_check(const struct yk_plan *p, char *msg, size_t n);

/** Write P as text, one line per step, to OUT (N bytes, always terminated when N > 0). Returns the length of the whole
 * text, as snprintf does. */
size_t yk_plan_print(const struct yk_plan *p, char *out, size_t n);

#endif
