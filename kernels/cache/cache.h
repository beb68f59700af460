/* The planner of the software-managed cache (ICS'08, 5 and 6; the chapter, 3.1 and 3.2): from what a bucket is and what
 * a device has, everything that a sum-product kernel looks up instead of computing. Pure: tested against a naive
 * simulation of the cache. Called by kernels/gpu; never sees a value and never a device.
 *
 * The bucket's variables are cut into digits; each digit has one role:
 *   lane   the threads of a block, one value each: consecutive threads, consecutive cells of the output
 *   tile   up to two sides A and B, each digits of variables that the same inputs have: computed by one thread
 *   low    summed digits inside a cache page
 *   chunk  summed digits outside of it: the page is filled once for each chunk, sums stay in registers
 *   page   output digits that one block goes through, one cache page after the other
 *   block  the remaining output digits
 * The cache tag (ICS'08, 5.1.2) is lane, tile and low together; a function's segment are its cells that differ in the
 * tag alone. The data of a segment are rearranged when filled: the tile's cells side by side, to be read several at a
 * time, and lanes an odd number of such reads apart, so that the threads of a warp meet different banks (7.3.1). */
#ifndef YK_KERNELS_CACHE_CACHE_H
#define YK_KERNELS_CACHE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/status.h"

enum { YK_CACHE_INPUTS = 8, YK_CACHE_VARS = 64, YK_CACHE_DIGITS = 2 * YK_CACHE_VARS, YK_CACHE_TABLES = 9 };
enum { YK_CACHE_SIDE = 16, YK_CACHE_SIDE_DIGITS = 4 }; /* most of a tile's side */
enum { YK_CACHE_PAGES = 256 };                         /* most of a block */

/* Loops and strides. Table nin is the output; no domain is 1; no table has 2^31 cells or more. */
struct yk_cache_bucket {
    uint32_t nvars, nout; /* variables 0..nout-1 are the output's, the last changes fastest; the others are summed */
    uint32_t domain[YK_CACHE_VARS];
    uint32_t nin;
    int32_t stride[YK_CACHE_TABLES][YK_CACHE_VARS]; /* cells; 0: not in the table */
};

/* What a device has. */
struct yk_cache_device {
    uint32_t units;       /* multiprocessors */
    uint32_t threads;     /* that a multiprocessor runs at once */
    uint32_t group;       /* most threads of a block */
    uint32_t local_block; /* bytes of scratchpad of a block, */
    uint32_t local_unit;  /* of a multiprocessor */
    double flops;         /* multiply-adds counted as two, of the precision asked for, per second */
    double bytes;         /* of device memory, per second */
    double inner_bytes;   /* of its second-level cache */
    double local_bytes;   /* of all scratchpads */
    bool async;           /* copies into scratchpads go on while threads compute */
};

enum yk_cache_policy {
    YK_CACHE_LIFETIME, /* by lifetime / size, greedy (ICS'08, 5.1.4) */
    YK_CACHE_SMALLEST, /* smallest segment first (the chapter, 3.2) */
    YK_CACHE_NONE      /* hardware caches only */
};

struct yk_cache_options {
    uint32_t cell; /* bytes of a cell: 4 or 8 */
    enum yk_cache_policy policy;
    bool no_tile;     /* one output per thread and page, as the papers have it */
    uint32_t threads; /* lanes at most; 0: chosen */
    uint32_t pages;   /* pages per block at most; 0: chosen */
    uint32_t local;   /* bytes of scratchpad per block at most; 0: what the device has */
    uint32_t trial;   /* from 1: take the plan of this number, not the best foretold (to fit the model); 0: the best */
};

struct yk_cache_digit {
    uint32_t extent, var;
    int32_t stride[YK_CACHE_TABLES];
};

struct yk_cache_digits {
    uint32_t n;
    uint32_t count; /* product of the extents */
    struct yk_cache_digit digit[YK_CACHE_DIGITS];
};

struct yk_cache_side {
    uint32_t n, extent; /* product of the extents; 1: no such side */
    struct yk_cache_digit digit[YK_CACHE_SIDE_DIGITS];
};

/* Which digit has which role; the first of a list changes fastest. */
struct yk_cache_roles {
    struct yk_cache_digits lane, low, chunk, page, block;
    struct yk_cache_side a, b;
    /* The lane digit that does not divide its variable (at most one): the block digit 0 counts its parts, and in the
     * last part only the first CUT_LAST values are there. 0: none. */
    uint32_t cut_lane, cut_last; /* number of the lane digit + 1 */
};

/* A side of a tile as parts (divisors of the domains) of variables. */
struct yk_cache_parts {
    uint32_t n, extent, var[YK_CACHE_SIDE_DIGITS], part[YK_CACHE_SIDE_DIGITS];
};

/* How a bucket is cut: a tile of A times B values (extent 1: none), at most LANES lanes and LOWS summed values in a
 * page. FAST: that many lanes lie side by side in the output, the others so that a block reads least; 0: all
 * lie in line. AHEAD: what is filled more than once has two copies, one filled while the other is read. */
struct yk_cache_cut {
    struct yk_cache_parts a, b;
    uint32_t lanes, fast, lows;
    bool ahead;
};

struct yk_cache_function {
    bool cached;
    bool on_a, on_b;   /* depends on the tile's sides */
    uint32_t cells;    /* of the segment */
    uint32_t wide;     /* cells that a kernel reads from the scratchpad at once: a power of two */
    uint32_t size, at; /* in the scratchpad with padding; cells */
    uint32_t second;   /* from this copy to the other one, if filled ahead; 0: there is one */
    uint32_t lifetime; /* consecutive steps (page, chunk) that share a segment */
    /* Cell (row, col) of the segment lies at the sum of its row and its column, [0] in the table, [1] in the
     * scratchpad. */
    uint32_t rows, cols;
    int32_t *row[2], *col[2];
    int32_t side[2][YK_CACHE_SIDE]; /* where the values of A, B lie: in the scratchpad if cached, else in the table */
    int32_t *lane;                  /* [lanes] likewise */
    int32_t *low;                   /* [lows] likewise */
    int32_t *chunk;                 /* [chunks] in the table */
    int32_t *page;                  /* [pages] */
    int32_t *block_low;             /* [block_lows] */
    int32_t *block_high;            /* [block_highs] */
};

struct yk_cache_plan {
    struct yk_cache_roles roles;
    uint32_t nin, cell;
    uint32_t lanes, lows, chunks, pages, blocks; /* counts */
    uint32_t block_lows, block_highs;            /* block = high * block_lows + low */
    uint32_t *cut;                               /* [lanes] value of the cut digit; NULL: none */
    uint32_t cut_parts;
    uint32_t local_cells; /* of a block */
    bool ahead;           /* what the next step needs is filled while this one is computed */
    struct yk_cache_function input[YK_CACHE_INPUTS], out; /* out: lane, page, block, stride */
    uint8_t *invalid;          /* [pages * chunks]: bit f: input f is filled before this step, if cached */
    double fill_cells;         /* that all blocks together read into their scratchpads */
    double hit_rate;           /* of all reads of inputs */
    double intensity;          /* cached arithmetic intensity (Eq. 6), operations per cell moved */
    double seconds;            /* predicted (Eq. 5, with the device's second-level cache and instruction rate) */
    struct yk_cache_cut taken; /* by which the same plan can be had again */
    void *memory;
};

/**
 * Plan B on D. Owns: *P, to be ended with yk_cache_plan_finish; borrows nothing.
 * Errors: YK_ELIMIT (more than YK_CACHE_INPUTS inputs, a table of 2^31 cells), YK_ENOMEM; then nothing is owned.
 * Thread: any. Cost: some 100 us, and O(entries of the tables), at most a few hundred thousand.
 */
yk_status yk_cache_plan_init(struct yk_cache_plan *p, const struct yk_cache_bucket *b, const struct yk_cache_device *d,
                             const struct yk_cache_options *o);
void yk_cache_plan_finish(struct yk_cache_plan *p);

/** The plan that yk_cache_plan_init found for an equal bucket, device and options, by its TAKEN, without the search. */
yk_status yk_cache_plan_again(struct yk_cache_plan *p, const struct yk_cache_bucket *b, const struct yk_cache_device *d,
                              const struct yk_cache_options *o, const struct yk_cache_cut *taken);

/** Largest number of different addresses of input F in one bank (BANKS of 4 bytes) that a warp of 32 lanes reads in one
 * access: 1 is free of conflicts. 0 if F is not cached. Cost: O(lanes). */
uint32_t yk_cache_bank_conflicts(const struct yk_cache_plan *p, uint32_t f, uint32_t banks);

/* Inside the planner. */

/** Cut B into roles. */
void yk_cache_roles_cut(struct yk_cache_roles *r, const struct yk_cache_bucket *b, const struct yk_cache_cut *c);

/** Segments, their sizes and lifetimes, the functions to be cached, pages per block, and the prediction. AHEAD: as in
 * struct yk_cache_cut; false if it has no use or no room: then P is no plan. */
bool yk_cache_choose(struct yk_cache_plan *p, const struct yk_cache_bucket *b, const struct yk_cache_device *d,
                     const struct yk_cache_options *o, bool ahead);

/** Eq. 5 and 6 for P as it stands. */
void yk_cache_predict(struct yk_cache_plan *p, const struct yk_cache_bucket *b, const struct yk_cache_device *d);

/** Cells of a tile of TILE cells of CELL bytes that a kernel reads from the scratchpad at once. */
static inline uint32_t yk_cache_wide(uint32_t tile, uint32_t cell)
{
    return tile < 2 ? 1 : cell == 8 || tile < 7 ? 2 : 4;
}

/** CELLS or somewhat more, an odd number of WIDE. */
static inline uint32_t yk_cache_odd(uint32_t cells, uint32_t wide)
{
    return wide * ((cells + wide - 1) / wide | 1);
}

/** From one lane's cells of a tile to the next lane's. */
static inline uint32_t yk_cache_step(uint32_t tile, uint32_t cell)
{
    return yk_cache_odd(tile, yk_cache_wide(tile, cell));
}

/** Threads of a multiprocessor that run at once, if there are blocks enough. */
double yk_cache_resident(const struct yk_cache_plan *p, const struct yk_cache_device *d);

/** Times that a block fills the segment of input F. */
double yk_cache_fills(const struct yk_cache_plan *p, uint32_t f);

/** The tables that the kernel reads. Errors: YK_ENOMEM. */
yk_status yk_cache_tables(struct yk_cache_plan *p);

#endif
